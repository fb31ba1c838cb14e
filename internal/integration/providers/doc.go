// Package providers tests the packages of payment providers against what the
// providers publish: their Go libraries and their mock server.
package providers
