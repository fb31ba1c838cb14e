// Package servertest tests a server of the HTTP API against the wire contract,
// wherever the server runs and whatever it is written in.
//
// The test of a server is one call:
//
//	servertest.TestServer(t, servertest.Server{URL: "https://partners.example.com", Key: key})
//
// It sends raw HTTP and checks statuses, exact texts, headers, the documented keys
// of every answer, and bad input of every kind. Then it runs scenarios through
// package client. Each case names the rule that it defends. The rules about every
// answer are checked on all answers of a run; their cases, E01 to E17, come at
// the end. The name of a case begins with its number in the list of bad inputs
// (B…), or with a letter: K key, M method, P path, V event, S scenario.
//
// The command conform runs the same cases:
//
//	go run github.com/tributary-go/tributary/conformance/cmd/conform -base URL -key KEY
//
// Set [Server].PrivateAddresses, or -private-addresses, for a server that delivers
// webhooks to addresses that are not public.
//
// Set [Server].HouseCodes, or -house-codes, for a program in which codes need no affiliate.
//
// For a server that differs on purpose, list the cases that it fails in
// [Server].Known. [CheckServer] returns the report as values.
//
// # Imports
//
// Import this package only from tests and from programs that test. It imports
// testing, which adds its flags to a program, and go-cmp.
package servertest
