// Package conformance tests a store against the contract of [record.Store].
// Package [github.com/tributary-go/tributary/conformance/servertest] does the
// same for servers of the HTTP API.
//
// # For authors of stores
//
// The test of a store is one call:
//
//	func TestStore(t *testing.T) {
//		conformance.TestStore(t, func(tb testing.TB) record.Store { return mystore.New() })
//	}
//
// The function returns a fresh, empty store each time and cleans up with
// tb.Cleanup. There is a sub-test for each clause of the contract, from S01
// Rollback to S16 Complete, and below it one for each case; go test -run
// 'TestStore/S07' runs one clause. A case that fails logs the rule that it
// defends. There are no options and nothing to leave out: a store that fails a
// clause is not a store.
//
// Run it a second time on [Rerun] of the store, with the race detector on.
// [BenchmarkStore] measures the store by the calls that the engine makes.
//
// The contract leaves some things open, and there any answer passes: gaps in the
// numbers of Next; whether a running List shows what is inserted or deleted ahead
// of it; which of two clashing keys an ExistsError names. An empty list may come
// back as nil, and a JSON value in another notation.
//
// # For tests of what runs on a store
//
// [Rerun] runs every closure twice, as a store that retries may do. [FailAt],
// [FailFrom], [PanicAt], [CancelAt] and [LoseAnswer] inject one kind of fault
// each, and [Count] counts the steps that can fail.
//
// # Imports
//
// Import this package from tests only. It imports testing, which adds its flags
// to a program, and go-cmp; suites of this package may import
// pgregory.net/rapid, which adds flags of its own as soon as it is imported. It
// imports neither net/http nor package client.
package conformance
