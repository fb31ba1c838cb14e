// Package robustness proves what the README promises about callers at once, lost
// answers and failing stores.
//
// # Histories
//
// A history is a number of clients that call one program at once, with the time
// at which each call began and ended. It is linearizable when the calls, in an
// order that respects these times, give exactly these answers in a small model
// of the rules. There are three models: redemption, slugs and affiliates, and
// payouts. A call without an answer may have happened or not. Histories are
// taken on every store and over HTTP, where answers are lost in every way.
//
// # Planted bugs
//
// A test that cannot fail proves nothing. So each mistake that the histories are to find
// is planted, in each target that can have it, and must be found within 200 histories.
//
// # Exactly L of N, and faults
//
// Of N callers at once exactly L get what is there L times, also from two
// processes. Every operation of a Program meets a fault at every call of its
// store: an error, a panic, an ended context, a passed deadline, a call that takes
// an hour, a lost answer. The repeat of a write meets a second one. The operations
// are read from the type, so none can be forgotten. These tests are in affiliate,
// because they need what the engine's own tests have.
//
// # Length
//
// go test -short runs what every change runs. TRIBUTARY_AT_LENGTH=1 runs what a
// release needs; it takes up to an hour and a half. The command proofs runs the
// tests and prints what they counted, for docs/proofs.md.
package robustness
