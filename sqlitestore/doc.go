// Package sqlitestore keeps programs in one SQLite file: everything that an app needs
// which runs as one process, or a few on one machine, and has no database server.
//
//	store, err := sqlitestore.Open(ctx, "program.db", sqlitestore.Config{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	program, err := tributary.New(store, tributary.Config{ID: id})
//
// What Update has returned is on the disk. A process may end in any way at any time, and
// the power may fail: the next [Open] finds every commit, and nothing of what was not
// committed ([Normal] trades the last commits before a loss of power for speed). Tests kill
// processes, cut files and simulate losses of power: docs/proofs.md says what they show.
//
// The file is on a disk of the machine: SQLite's locks do not work on network file
// systems. Several processes may have it open at once; they write one after another.
//
// # Damage and erasure
//
// A file that was not closed is checked when it is opened: [Store.Check] says what that
// finds, and what only Verify does. What is deleted or erased is overwritten in the file, and
// [Store.Checkpoint] empties the log. All three files have the rights of the first.
//
// # Tables
//
// Each table of record.Schema is a table of the file, with a typed column for each
// field: docs/tables.md has them with their units, and they are a promise. SQL may read
// them at any time. What writes them is the engine alone: a row that is changed by hand
// has no movement and no event, and Verify finds it.
//
// # Growth
//
// A sale takes about 7.5 KB with its event, its receipt and its entries in indexes. Program.Run
// with a retention deletes old events, deliveries and receipts, and their room is used
// again; the file does not become smaller.
//
// The log beside it, with -wal behind the file's name, has about 10 MB. While a View runs,
// or a reader of the tables has a transaction, it grows by what is written meanwhile, by
// some 250 KB a sale; later commits cut it to 32 MB.
package sqlitestore
