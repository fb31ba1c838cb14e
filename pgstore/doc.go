// Package pgstore keeps the records of affiliate programs in PostgreSQL. The
// engine gives the same answers as on memstore, and any number of processes may
// use one database.
//
//	store, err := pgstore.New(pool, pgstore.Config{}) // a *pgxpool.Pool
//	err = store.Migrate(ctx)                          // only when the host calls it
//	program, err := tributary.New(store, tributary.Config{ID: id})
//	err = program.Ping(ctx)                           // the tables exist and can be read
//
// # How a transaction goes
//
// Every transaction that writes gives its program a new version, and a Store remembers
// for each program that it writes to the version and the records that most sales read:
// affiliates, links, referrals, coupons, codes, plans, tiers, totals, endpoints and settings. An
// Update starts from what is remembered. It reads what is missing without a transaction
// and without a lock, and each round trip ends with the version of the program: a closure
// runs again when another process has written meanwhile, and never sees two states. A
// record is read together with the records that it refers to, and what the engine says
// that it will need soon is read in the same round trip.
//
// Writes stay in memory until the closure has returned. Then they are sent as one
// statement, whose first part gives the program a new version if it still has the old
// one and nobody holds its lock; the other parts write nothing without the first. Rows
// that are deleted or exchange unique keys are written in a transaction that begins with
// that first part. So a sale with a code, an external id, a customer and a Once key takes
// two round trips and no lock across them. An Update that lost runs again with the lock
// of the program from its first read on, and so do some of the next ones: two processes
// that write to one program in turn do not run everything twice.
//
// An Insert needs no question when its id is above all ids that the program has stored;
// otherwise the store asks the database whether the id is new.
//
// Who changes rows by hand makes the Stores forget what they remember, in the same
// transaction:
//
//	UPDATE tributary.programs SET version = gen_random_uuid() WHERE program = $1
//
// A View of a single record is one statement outside of a transaction. When the
// View reads a second record, a read-only transaction begins and reads the
// first record again. If that has changed, the View starts again from the
// beginning.
//
// # Two modes
//
// [Queue], the default, uses one advisory lock for each program and READ
// COMMITTED. A transaction inside the host's transaction, and one that has lost,
// takes the lock before it reads; others try it when they write. So they take effect
// one after another, and each sees everything that was committed before. A View is
// one REPEATABLE READ snapshot, so it sees the state between two transactions.
//
// [Serializable] runs every Update at SERIALIZABLE. It locks the row of the
// program before it reads anything, and writes that row with its other writes.
// So the writers of a program come one after another: one that waited for the row
// lost, unless the other wrote nothing, and runs again. It holds no predicate
// locks while it waits, and writers never wait for each other at other rows. A
// transaction that lost later runs again too, at most [Config.Retries] times,
// after a random pause that grows. Because the writers come one after another, a
// View is a REPEATABLE READ snapshot here too, and keeps nobody's predicate locks
// alive. This mode uses no advisory lock and no savepoint, for servers that have
// neither. All processes that share a schema must use the same mode.
//
// In both modes, one row for each program holds its version, its counters and its
// marks: every id above a mark is new.
//
// # Groups
//
// With [Config.Group], the waiting Updates of a program share a transaction in
// Queue mode and in Serializable mode. Their closures read together: each is
// held at its first call of a table, and one round trip reads what all of them
// need. Then they go on one after another, each in the goroutine of its caller,
// and each sees what those before it wrote. One statement for each table and one
// commit store everything. So a group of any size takes two or three round
// trips.
//
// A closure that fails or panics takes only its own writes back. When the
// database refuses a group, its members run one by one. A member whose context
// ends leaves the group. When the commit is not answered, every member gets
// [ErrOutcomeUnknown].
//
// # What an answer has seen
//
// An Update and a View see everything that was committed before they were called, also
// when they refuse or only read:
//
//   - A View sends its first statement after it was called.
//   - An Update without a lock ends with the version of the program: in the guard of its
//     write, or in a read when nothing is written and the last round trip was before some
//     closure of the group was called.
//   - An Update with a lock, of the program or of its row, is a transaction in which nobody
//     else writes. When closures were called after its first read, its commit must succeed,
//     also when it has written nothing: a session that has ended held no lock.
//   - A new program in Serializable mode has no row to lock. There nobody joins a group
//     that has read.
//   - In sees what the host's transaction sees. At SERIALIZABLE that is the snapshot of its
//     first statement.
//
// # Failures
//
// When a connection breaks before the commit, nothing is stored. When it breaks
// before the commit is answered, or gives no answer for [Config.CommitWait]
// after the caller's context has ended, the error is [ErrOutcomeUnknown]: the
// caller asks again with the same Once key or external id. Only 40001, 40P01 and
// 53200 are run again, and 23505 in Serializable mode. Errors name the SQLSTATE and never repeat the server's text;
// errors.As finds the *pgconn.PgError.
//
// # Deliveries
//
// Dispatchers in any number of processes share one queue. ClaimDeliveries is an
// Update of the program and so runs alone: two dispatchers never hold the same
// delivery. It does not use SKIP LOCKED, because whether a delivery may be
// claimed does not depend on one row only: it depends on the deliveries in
// flight (order within an object, four attempts at an endpoint).
package pgstore
