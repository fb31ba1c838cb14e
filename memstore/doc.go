// Package memstore keeps programs in memory. It is the reference
// implementation of [affiliate.Store], the store of tests, and a store for
// hosts that can do without what a process loses when it ends.
//
//	store := memstore.New()
//	err := store.Update(ctx, program, func(tx *affiliate.Tx) error {
//		return tx.Links.Insert(link)
//	})
//
// # Transactions
//
// Each program has one lock, held for the whole closure: shared in a View,
// alone in an Update. Transactions of one program are therefore serializable
// as they stand, and programs never wait for each other. A closure that does
// not return keeps its program locked: long walks belong in pages with
// [affiliate.Query.After]. Waiting for the lock ends with the context. Nobody
// starves: who waits stands in line, and readers do not pass a writer.
//
// An Update writes in place and keeps what it takes to undo it. The closure
// runs exactly once. When it returns an error, panics, ends its goroutine, or
// its context has ended, everything but the numbers drawn with Next is put
// back.
//
// # Lists
//
// A List walks the table as it is at each step. A record that was there when
// the walk began and still is when the walk gets to it is given exactly once,
// as it is then; one deleted before that is not given. A record inserted
// meanwhile is given only if its id lies between the record given last and the
// end of the list as it was at the start, so a loop that inserts ends.
//
// # Memory
//
// Rows, ids and list entries stay in blocks that are never copied once the
// first one is full, and a deleted row leaves its place to the next. Nothing
// is given back to the system before the Store itself is dropped.
package memstore
