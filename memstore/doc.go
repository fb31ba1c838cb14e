// Package memstore keeps programs in memory. It is the reference implementation
// of [affiliate.Store], the store for tests, and a store for hosts that may
// lose all records when the process ends.
//
//	store := memstore.New()
//	err := store.Update(ctx, program, func(tx *affiliate.Tx) error {
//		return tx.Links.Insert(link)
//	})
//
// # Transactions
//
// Each program has one lock, which is held for the whole closure: shared in a
// View, exclusive in an Update. So the transactions of one program are
// serializable, and programs never wait for each other. A closure that does not
// return keeps its program locked, so read long lists in pages, with
// [affiliate.Query.After]. Waiting for the lock ends with the context. Waiters
// queue in the order in which they came, and a reader does not overtake a
// waiting writer, so everybody gets the lock in the end.
//
// An Update writes in place and keeps a log to undo its writes. The closure
// runs exactly once. When it returns an error, panics or ends its goroutine, or
// when its context has ended, all its writes are undone. The numbers drawn with
// Next are not given again.
//
// # Lists
//
// A List walks the current table at each step. A record that exists from the
// start of the walk until the walk reaches it is given exactly once, with its
// values at that time. A record that is deleted before is not given. A record
// that is inserted during the walk is given only if its id lies between the
// record given last and the end that the list had at the start. So a loop that
// inserts records ends.
//
// # Memory
//
// Rows, ids and list entries are in blocks that are not copied once the first
// block is full, and a new row reuses the place of a deleted one. Memory is
// freed only when the Store itself is garbage.
package memstore
