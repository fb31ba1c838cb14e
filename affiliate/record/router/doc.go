// Package router spreads programs over several stores, of whatever kind, and moves them
// from one to another while they are used.
//
//	stores, err := router.New(router.Config{Stores: []router.NamedStore{
//		{Name: "eu-1", Store: one}, // the store that you have, in every process: it stays the first
//		{Name: "eu-2", Store: two},
//	}})
//	…
//	program, err := tributary.New(stores, tributary.Config{ID: id})
//	…
//	err = stores.Move(ctx, id, "eu-2")
//
// # Where a program is
//
// Each store has a number for each program that it knows, the fence
// (record.FenceSequence), which says: here, leaving, arriving, or gone. A transaction
// reads it beside the records, so a process that does not know of a move does no harm:
// its transaction has no effect, and it asks the stores where the program is. There is
// no directory, and a store that is down harms only its own programs.
//
// # What is promised
//
//   - A program is in one store at any time. What an Update has returned is seen by every
//     View and Update after it, through any router, however often the program moves.
//   - A move may end in any way at any time, and any number of moves may run at once:
//     nothing is lost or doubled. Who needs the program gives the move up or finishes it.
//   - Sequences go on where they were; gaps are allowed, as in a store.
//   - Two hosts with different configurations never begin one program twice; one of them
//     is refused.
//
// # What it needs
//
//   - Whatever writes to a program goes through a router, in every process, from before
//     the second store is added. A transaction of your own in one of the databases goes
//     through [Fence].
//   - The first store is the same for ever, and a store that has programs stays in the
//     configuration.
//   - For the first Update of a new program every store must answer, because each might
//     have it already. A program that a store had before there was a router stays there.
//   - A store that runs a closure again takes its sequences back between the runs, as
//     sqlitestore and pgstore do, and memstore runs none again. On a store that does
//     neither no move comes to its end; nothing is lost.
//   - A store that is restored from a backup has its programs of then: one that has left
//     it since stays where it is, and one that has come since is lost with it.
//
// # What it costs
//
// A transaction reads one number more. A sale on pgstore takes no further round trip, a
// read one. While a program moves, its writers wait: the time to copy its records twice
// over, about a second for each 5,000 to 10,000 records on a server nearby. A move holds
// 512 records in memory.
//
// [Copy], [Compare] and [Remove] do the parts of a move by themselves, for programs that
// nobody uses meanwhile.
package router
