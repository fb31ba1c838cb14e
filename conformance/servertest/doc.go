// Package servertest tests a server of the HTTP API against the wire contract,
// wherever the server runs and whatever it is written in.
//
// The test of a server is one call:
//
//	servertest.TestServer(t, servertest.Server{URL: "https://partners.example.com", Key: key})
//
// It sends raw HTTP for the wire: statuses, exact texts, headers, the documented
// keys of every answer, and bad input of every kind; then it plays scenarios
// through package client. Each case names the rule that it defends. What holds
// for every answer is looked at in all of them and has cases of its own, E01 and
// on, at the end. The names of a case begin with its number in the list of bad
// inputs (B…), or a letter: K key, M method, P path, V event, S scenario.
//
// The command conform runs the same cases:
//
//	go run github.com/tributary-go/tributary/conformance/cmd/conform -base URL -key KEY
//
// A server that delivers webhooks to addresses that are not public is run with
// [Server].PrivateAddresses, or -private-addresses.
//
// A server of the same API that differs on purpose lists the cases it fails in
// [Server].Known; [CheckServer] gives the report as values.
//
// # Imports
//
// Import this package from tests only, or from a program that tests: it imports
// testing, which adds its flags to a program, and go-cmp.
package servertest
