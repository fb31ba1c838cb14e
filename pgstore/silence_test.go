package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// A line is a network that falls silent when a test wants: nothing arrives, and
// there is no error.
type line struct {
	left    atomic.Int64 // the number of writes until silence; 0: no silence
	arrives bool         // the last write still arrives
	silent  func()       // is called when the silence begins
	conns   sync.Map     // *silentConn -> nothing
}

// end closes the silent connections, which ends their sessions.
func (l *line) end() {
	l.left.Store(0)
	l.conns.Range(func(key, _ any) bool {
		if c := key.(*silentConn); c.silent.Load() {
			c.Conn.Close()
		}
		return true
	})
}

// pool returns a pool on the line.
func (l *line) pool(t *testing.T) *pgxpool.Pool {
	return newPool(t, databaseURL(t), func(c *pgxpool.Config) {
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			silent := &silentConn{Conn: conn, line: l}
			l.conns.Store(silent, nil)
			return silent, err
		}
	})
}

// A silentConn is one connection of a line.
type silentConn struct {
	net.Conn
	line   *line
	silent atomic.Bool
}

// Write sends, or drops the bytes without an error.
func (c *silentConn) Write(p []byte) (int, error) {
	if c.silent.Load() {
		return len(p), nil
	}
	if c.line.left.Load() == 0 || c.line.left.Add(-1) > 0 {
		return c.Conn.Write(p)
	}
	c.silent.Store(true)
	defer c.line.silent()
	if c.line.arrives {
		return c.Conn.Write(p)
	}
	return len(p), nil
}

// Read waits for its deadline once the line is silent.
func (c *silentConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.silent.Load() {
			return n, err
		}
	}
}

// patience is the longest that a call may take. Without CommitWait it would
// take 5 or 15 seconds.
const patience = 4 * time.Second

// TestSilence: when the network falls silent after anything that a sale sends,
// a caller whose context has ended does not wait. After the commit the outcome
// is unknown, and a repeat with the same key settles it.
func TestSilence(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{{}, {Mode: pgstore.Serializable}} {
		for _, arrives := range []bool{false, true} {
			t.Run(fmt.Sprintf("mode %d, arrives %v", cfg.Mode, arrives), func(t *testing.T) {
				cfg := cfg
				s := newShop(t, pool, cfg)
				l := &line{arrives: arrives}
				cfg.Schema, cfg.CommitWait = "test_"+schemaID(), 20*time.Millisecond
				program := s.plain.With(newStore(t, l.pool(t), cfg))
				unknown := 0
				for n := 1; ; n++ {
					must(program.Coupons(t.Context(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Limit: 1})) // opens a connection
					ctx, cancel := context.WithCancel(t.Context())
					l.silent = cancel
					l.left.Store(int64(n))
					start := time.Now()
					_, err := program.RecordSale(ctx, sale(n))
					took := time.Since(start)
					left := l.left.Load()
					l.end()
					cancel()
					if took > patience {
						t.Errorf("write %d: the caller gave up and waited %v", n, took)
					}
					if errors.Is(err, pgstore.ErrOutcomeUnknown) {
						unknown++
					} else if left == 0 && !errors.Is(err, context.Canceled) {
						t.Errorf("write %d: error %v", n, err)
					}
					must(s.plain.RecordSale(t.Context(), sale(n))) // the same key
					s.books(fmt.Sprint("write ", n), n)
					if left > 0 {
						break
					}
				}
				if unknown == 0 {
					t.Error("no outcome was unknown")
				}
			})
		}
	}
}

// TestSilentRefusal: the caller gets a refusal although the rollback gets no
// answer.
func TestSilentRefusal(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	for mode := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		l := &line{silent: cancel}
		s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Mode: pgstore.Mode(mode), CommitWait: 20 * time.Millisecond})
		start := time.Now()
		err := s.Update(ctx, uuid.UUID{7}, func(tx *record.Tx) error {
			_, err := tx.Totals.Get(uuid.UUID{1})
			l.left.Store(1)
			return errors.Join(errRefused, err)
		})
		took := time.Since(start)
		l.end()
		// In Serializable mode, a refusal is certain only when the
		// transaction's reads were committed.
		if took > patience || errors.Is(err, pgstore.ErrOutcomeUnknown) || mode == 0 && !errors.Is(err, errRefused) || err == nil {
			t.Errorf("mode %d: %v, error %v", mode, took, err)
		}
	}
}

// TestSilentGroup: a member of a group whose context ends returns at once when
// it is not in the commit, and after CommitWait with ErrOutcomeUnknown when it
// is. The leader and the members whose context goes on wait longer.
func TestSilentGroup(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	l := &line{}
	s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Group: 8, CommitWait: 20 * time.Millisecond})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	for name, want := range map[string]error{"running": context.Canceled, "committing": pgstore.ErrOutcomeUnknown} {
		t.Run(name, func(t *testing.T) {
			impatient, cancel := context.WithCancel(t.Context())
			l.silent = cancel
			patient, end := context.WithTimeout(t.Context(), patience)
			silence := func(tx *record.Tx) error {
				_, err := tx.Totals.Get(uuid.UUID{1}) // before this call it is held
				l.left.Store(1)
				if name == "committing" {
					return err
				}
				_, err = tx.Tiers.Get(uuid.UUID{0xba})
				return err
			}
			errs := togetherThen(t, s, program, map[int]context.Context{0: patient, 1: impatient, 2: patient},
				[]func(tx *record.Tx) error{count(0), count(1), silence}, func(i int) {
					if i == 1 && patient.Err() != nil {
						t.Error("the impatient waited for the patient")
					}
					end()
				})
			if !errors.Is(errs[1], want) {
				t.Errorf("the impatient: error %v, want %v", errs[1], want)
			}
			l.end()
			for _, i := range []int{0, 2} {
				if !errors.Is(errs[i], context.Canceled) {
					t.Errorf("closure %d: error %v", i, errs[i])
				}
			}
		})
	}
}

// TestSilentLeader: the leader of a group whose context ends while the closure
// of another member reads leaves at once. The others go on without it.
func TestSilentLeader(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	impatient, cancel := context.WithCancel(t.Context())
	l := &line{silent: cancel}
	s := newStore(t, l.pool(t), pgstore.Config{Schema: schema, Group: 8, CommitWait: 20 * time.Millisecond})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	patient, end := context.WithTimeout(t.Context(), patience)
	defer end()
	var once sync.Once
	silence := func(tx *record.Tx) error {
		err := count(2)(tx)
		once.Do(func() { l.left.Store(1) })
		_, missing := tx.Tiers.Get(uuid.UUID{0xba})
		if !errors.Is(missing, affiliate.ErrNotFound) {
			return missing
		}
		return err
	}
	errs := togetherThen(t, s, program, map[int]context.Context{0: impatient, 1: patient, 2: patient},
		[]func(tx *record.Tx) error{count(0), count(1), silence}, func(i int) {
			if i == 0 && patient.Err() != nil {
				t.Error("the leader waited for another member")
			}
			l.end()
		})
	if !errors.Is(errs[0], context.Canceled) || errs[1] != nil || errs[2] != nil {
		t.Errorf("errors %v, want the leader cancelled alone", errs)
	}
	counted(t, s, program, 2)
}
