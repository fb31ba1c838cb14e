// Package interop tests the packages of payment providers against what the
// providers publish: their Go libraries and their mock server. It is a module of its
// own, so that nobody who uses the packages gets those.
package interop
