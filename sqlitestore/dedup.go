package sqlitestore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/tributary-go/tributary/internal/relation"
	"github.com/tributary-go/tributary/webhooks"
)

var _ webhooks.Dedup = (*Dedup)(nil)

// A Dedup is a [webhooks.Dedup] in the file of a Store: all processes that have the file
// together handle an event once. The id and what the function writes by the connection
// of its context, which [Conn] returns, are one transaction.
//
// Other effects of the function, such as sending a mail, happen again when the
// transaction does not commit. The file has one writer, so everybody else who writes
// waits while the function runs: keep it short.
//
// Ids are kept until [Dedup.Prune] deletes them. A Dedup is safe for concurrent use and
// need not be closed.
type Dedup struct {
	Now func() time.Time // nil: time.Now

	s *Store
}

// Dedup returns a Dedup for receivers of webhooks.
func (s *Store) Dedup() *Dedup { return &Dedup{s: s} }

// heldClaim is the value in the context of a Dedup's function, until that returns.
type heldClaim struct {
	s    *Store
	c    *sqlite3.Conn
	over atomic.Bool
}

type heldKey struct{}

// Conn returns the connection whose transaction a [Dedup] has for a function, and
// whether ctx has one. ctx is the context of the function, which has none when the
// function has returned. Pass the connection to [In] to let the engine write in the
// transaction; the Dedup ends it.
func Conn(ctx context.Context) (*sqlite3.Conn, bool) {
	if h, ok := ctx.Value(heldKey{}).(*heldClaim); ok && !h.over.Load() {
		return h.c, true
	}
	return nil, false
}

// errHeld is the error of an Update that would wait for the transaction in which it is.
var errHeld = errors.New("sqlitestore: a function of a Dedup has the file: use program.With(sqlitestore.In(conn)) with the connection of its context")

func (s *Store) holds(ctx context.Context) bool {
	h, ok := ctx.Value(heldKey{}).(*heldClaim)
	return ok && h.s == s && !h.over.Load()
}

// Do runs f unless the id is done, in a transaction that also writes the id. It reports
// whether f was run. A second call for an id waits for the first.
//
// Errors: the error of f, after which nothing is written; the context's error when it
// has ended before the commit; an error of the database. After an error the id is open,
// but see [ErrOutcomeUnknown].
func (d *Dedup) Do(ctx context.Context, id string, f func(context.Context) error) (ran bool, err error) {
	if d.s.holds(ctx) {
		return false, errHeld
	}
	c, err := d.s.reader(ctx)
	if err != nil {
		return false, err
	}
	defer d.s.release(c) // rolls back what is not committed, also when f panics
	if err := c.begin(ctx); err != nil {
		return false, err
	}
	now := time.Now
	if d.Now != nil {
		now = d.Now
	}
	changed, err := c.run("INSERT INTO tributary_dedup (id, done_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
		[]value{textValue(id), timeValue(now())}, nil)
	if err != nil || changed == 0 {
		return false, ended(ctx, "dedup", err)
	}
	h := &heldClaim{s: d.s, c: c.c}
	defer h.over.Store(true) // before the connection is used by others
	if err := f(context.WithValue(ctx, heldKey{}, h)); err != nil {
		return true, err
	}
	if err := ctx.Err(); err != nil {
		return true, failed("dedup", err)
	}
	return true, failed("dedup", c.commit())
}

// Prune deletes the ids that were done before a time, and returns how many. Keep ids for
// 7 days, or for 15 where deliveries are replayed by hand: an event that arrives again
// later is handled again.
//
// Errors: an error of the database, or that ctx has ended.
func (d *Dedup) Prune(ctx context.Context, before time.Time) (int, error) {
	if d.s.holds(ctx) {
		return 0, errHeld
	}
	c, err := d.s.reader(ctx)
	if err != nil {
		return 0, err
	}
	defer d.s.release(c)
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	n, err := c.run("DELETE FROM tributary_dedup WHERE done_at < ?", []value{timeValue(before)}, nil)
	if err == nil {
		err = c.commit()
	}
	if err != nil {
		return 0, failed("dedup", err)
	}
	return int(n), nil
}

func timeValue(t time.Time) value { return value{relation.Time, relation.Cell{Int: t.UnixMicro()}} }
