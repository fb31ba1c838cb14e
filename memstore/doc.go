// Package memstore keeps programs in memory. It is the reference implementation
// of [record.Store], the store for tests, and a store for hosts that may
// lose all records when the process ends.
//
//	store := memstore.New()
//	err := store.Update(ctx, program, func(tx *record.Tx) error {
//		return tx.Links.Insert(link)
//	})
//
// # Transactions
//
// Each program has one lock: shared for Views, exclusive for Updates. An Update
// holds it for the whole closure, and so does a View that reads up to 512
// records. So the transactions of one program are serializable, and programs
// never wait for each other. A closure that does not return keeps its program
// locked. Waiting for the lock ends with the context. Waiters queue in the order
// in which they came, and a reader does not overtake a waiting writer, so
// everybody gets the lock in the end.
//
// A View that reads more becomes a snapshot. It still sees the moment at which
// it began, but it holds the lock only for one read at a time: a Get, a Find, or
// up to 256 records of a List. Updates commit meanwhile, and keep the old
// version of each record that they change for as long as a snapshot needs it.
// So a View of a million records makes an Update wait for one such read at most.
// When the context of a snapshot has ended, its reads fail with the
// error of the context.
//
// A snapshot has a price: the memory for one old version of each record that is
// changed or deleted until it ends, and about 50 bytes for each record that is
// inserted. However often a record changes, it is kept once for each moment that
// snapshots still see. A snapshot that never ends keeps that memory for ever, so
// give long Views a context with a deadline. All of it is freed when the last
// snapshot ends.
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
// block is full, and a new row reuses the place of a deleted one. Except for what
// snapshots keep, memory is freed only when the Store itself is garbage.
package memstore
