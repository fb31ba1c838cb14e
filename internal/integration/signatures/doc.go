// Package signatures proves that the published libraries of Standard Webhooks and
// Svix, in Go and in JavaScript, verify our requests, and that we verify
// theirs. It also measures our verifier against theirs.
package signatures
