// Package pgstore keeps the records of affiliate programs in PostgreSQL: the
// same engine and the same answers as on memstore, for any number of processes.
//
//	store, err := pgstore.New(pool, pgstore.Config{}) // a *pgxpool.Pool
//	err = store.Migrate(ctx)                          // when the host says so, and never else
//	program, err := affiliate.New(store, affiliate.Config{ID: id})
//	err = program.Ping(ctx)                           // the tables are there and answer
//
// # How a transaction goes
//
// A transaction sends nothing before its first read. That one brings the
// beginning, the lock and the counters along in the same round trip; a record is
// read together with those it refers to; what was read once is remembered until
// the end. Writes wait in memory and go out together with the commit, in one
// statement wherever their order does not matter. A sale by code is two round
// trips. Nothing is assumed: an Insert is known to be new because its id is above
// all that the program has stored, or it asks.
//
// A View of a single record is one statement outside of a transaction. When a
// second one is asked for, a read-only transaction begins by reading the first
// again, and the View starts over if that has changed.
//
// # Two recipes
//
// [Queue], the default, takes one advisory lock for the program at READ
// COMMITTED. Every transaction of the program, also one inside the host's, takes
// it before it reads, so that they run one after another, and each sees all that
// was committed before. A View is one REPEATABLE READ snapshot, hence the state
// between two of them.
//
// [Serializable] runs every transaction at SERIALIZABLE and again when it lost,
// at most [Config.Retries] times, after a random pause that grows. It takes no
// lock and uses no savepoint, for servers that have neither. All processes that
// share a schema use the same recipe.
//
// In both, counters and the marks above which every id is new are one row for
// each program, read first and written last.
//
// # When something breaks
//
// A connection that breaks before the commit has left nothing. One that breaks
// while the answer to the commit is awaited, or is silent for [Config.CommitWait]
// after the caller's context has ended, is [ErrOutcomeUnknown]: the caller asks
// again with the same Once key or external id. Nothing but 40001 and 40P01 is run
// again. Errors name the SQLSTATE and never repeat the server's text;
// errors.As finds the *pgconn.PgError.
//
// # Deliveries
//
// Dispatchers of any number of processes share one queue. ClaimDeliveries is an
// Update of the program and so runs alone: two dispatchers never hold the same
// delivery. It asks no SKIP LOCKED of the server, because what may be claimed
// depends on what is in flight (order within an object, four attempts at an
// endpoint), and not on one row.
package pgstore
