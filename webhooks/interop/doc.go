// Package interop proves that requests signed here are understood by the
// published libraries of Standard Webhooks and Svix, in Go and in JavaScript,
// and theirs here; and measures the verifier against theirs. It is a module of
// its own, which nothing imports.
package interop
