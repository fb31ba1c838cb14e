package sqlitestore

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/affiliate/record"
)

// In returns a store that works inside the host's own transaction, on a connection of
// the host to the same file: the writes of the engine are committed or rolled back
// together with those of the host. The tables must be there: [Open] makes them.
//
//	tx, err := conn.BeginImmediate()
//	if err != nil {
//		return err
//	}
//	defer tx.End(&err)
//	if err = conn.Exec("UPDATE orders SET paid = 1 WHERE id = 17"); err != nil {
//		return err
//	}
//	_, err = program.With(sqlitestore.In(conn)).RecordSale(ctx, sale)
//	return err
//
// A host with database/sql gets the connection of its transaction by [sql.Conn.Raw]:
// it is the Raw of a driver.Conn of github.com/ncruces/go-sqlite3/driver.
//
// A connection of [sqlite3.Open] does not wait while others write: give it a time to wait
// with its BusyTimeout, or BeginImmediate fails with [sqlite3.BUSY].
//
// Each closure runs behind a savepoint, so a refusal leaves the host's transaction
// unchanged and usable. The transaction must be one that writes from its beginning
// (BEGIN IMMEDIATE): another one may find that the file has changed under it. Until it
// ends, every other Update of the file waits, so record the sale last, and call no
// method of the same program without In inside it. Only one goroutine may use the
// connection and the returned store.
//
// Errors: the connection has no transaction, or the database's.
func In(c *sqlite3.Conn) record.Store { return host{c} }

// ofHost has the statements of stores in transactions of hosts.
var ofHost = sync.OnceValue(func() *Store { return &Store{tables: statements()} })

// A host is a store in a transaction of the host.
type host struct{ c *sqlite3.Conn }

var errNoTransaction = errors.New("sqlitestore: In: the connection has no transaction")

// View runs fn on the records that the transaction sees.
func (h host) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return h.within(ctx, program, true, fn)
}

// Update runs fn. Its writes stay in the host's transaction if and only if fn returns
// nil.
func (h host) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return h.within(ctx, program, false, fn)
}

func (h host) within(ctx context.Context, program uuid.UUID, reading bool, fn func(tx *record.Tx) error) (err error) {
	defer h.c.SetInterrupt(h.c.SetInterrupt(context.Background())) // an interrupted statement would leave half a closure
	c := newConn(h.c)
	defer c.finalize()
	switch {
	case c.autocommit():
		return errNoTransaction
	case ctx.Err() != nil:
		return failed("host's transaction", ctx.Err())
	}
	if err := c.exec("SAVEPOINT tributary"); err != nil {
		return failed("begin", err)
	}
	t := &txn{s: ofHost(), c: c, ctx: ctx, program: program, readOnly: reading}
	kept := false
	defer func() {
		t.end()
		if !kept && !c.autocommit() {
			_ = c.exec("ROLLBACK TO tributary; RELEASE tributary") // the error of fn must not be replaced
		}
	}()
	if err := t.begin(); err != nil {
		return ended(ctx, "begin", err)
	}
	if err := fn(t.tx()); err != nil {
		return err
	}
	if err := t.readable(); err != nil {
		return err
	}
	kept = true
	return failed("release", c.exec("RELEASE tributary"))
}
