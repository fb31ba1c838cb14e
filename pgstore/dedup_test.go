package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// A memory is a Dedup and a table of the host in the same database.
type memory struct {
	t *testing.T
	*pgstore.Dedup
	shop  *shop
	table string
}

func newMemory(t *testing.T) *memory {
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	m := &memory{t, s.store.Dedup(), s, "test_" + schemaID() + ".mirror"}
	exec(t, pool, "CREATE TABLE "+m.table+" (id text)")
	return m
}

// write returns a function that stores an event in the Dedup's transaction.
func (m *memory) write(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		tx, ok := pgstore.Tx(ctx)
		if !ok {
			return errors.New("no transaction in the context")
		}
		_, err := tx.Exec(ctx, "INSERT INTO "+m.table+" VALUES ($1)", id)
		return err
	}
}

// mirrored fails the test unless the event is stored want times and its id is
// done or open as expected.
func (m *memory) mirrored(id string, want int, done bool) {
	m.t.Helper()
	var n int
	if err := m.shop.pool.QueryRow(m.t.Context(), "SELECT count(*) FROM "+m.table+" WHERE id = $1", id).Scan(&n); err != nil || n != want {
		m.t.Errorf("%s was mirrored %d times, error %v, want %d", id, n, err, want)
	}
	tx := must(m.shop.pool.Begin(m.t.Context()))
	defer func() { _ = tx.Rollback(context.Background()) }()
	ran, err := m.In(tx).Do(m.t.Context(), id, func(context.Context) error { return nil })
	if ran == done || err != nil {
		m.t.Errorf("%s: ran %v, error %v, want done %v", id, ran, err, done)
	}
}

// TestDedup: the id and the writes of the function are committed together or
// not at all.
func TestDedup(t *testing.T) {
	m := newMemory(t)
	for _, want := range []bool{true, false} {
		if ran, err := m.Do(t.Context(), "a", m.write("a")); ran != want || err != nil {
			t.Errorf("ran %v, error %v, want %v", ran, err, want)
		}
	}
	m.mirrored("a", 1, true)

	ran, err := m.Do(t.Context(), "b", func(ctx context.Context) error { return errors.Join(m.write("b")(ctx), errRefused) })
	if !ran || !errors.Is(err, errRefused) {
		t.Errorf("a failure: ran %v, error %v", ran, err)
	}
	m.mirrored("b", 0, false)
	func() {
		defer func() {
			if recover() != "no" {
				t.Error("the panic was lost")
			}
		}()
		_, _ = m.Do(t.Context(), "b", func(ctx context.Context) error { _ = m.write("b")(ctx); panic("no") })
	}()
	m.mirrored("b", 0, false)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = m.Do(ctx, "b", func(ctx context.Context) error { defer cancel(); return m.write("b")(ctx) })
	if err == nil {
		t.Error("a context that ended before the commit: no error")
	}
	m.mirrored("b", 0, false)

	ran, err = m.Do(t.Context(), "c", func(ctx context.Context) error {
		ran, err := m.Do(ctx, "c", m.write("c"))
		if ran || err != webhooks.ErrInProgress {
			t.Errorf("while it runs: ran %v, error %v", ran, err)
		}
		return m.write("c")(ctx)
	})
	if !ran || err != nil {
		t.Errorf("ran %v, error %v", ran, err)
	}
	m.mirrored("c", 1, true)
}

// TestDedupIn: in the host's transaction, the id is done when the host commits.
func TestDedupIn(t *testing.T) {
	m := newMemory(t)
	for _, refused := range []error{errRefused, nil} {
		err := pgx.BeginFunc(t.Context(), m.shop.pool, func(tx pgx.Tx) error {
			in := m.In(tx)
			if ran, err := in.Do(t.Context(), "x", func(context.Context) error { return errRefused }); !ran || err != errRefused {
				t.Errorf("a failure: ran %v, error %v", ran, err)
			}
			for _, want := range []bool{true, false} {
				if ran, err := in.Do(t.Context(), "a", m.write("a")); ran != want || err != nil {
					t.Errorf("ran %v, error %v, want %v", ran, err, want)
				}
			}
			if _, err := m.Do(t.Context(), "a", m.write("a")); err != webhooks.ErrInProgress {
				t.Errorf("elsewhere: error %v", err)
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Errorf("error %v, want %v", err, refused)
		}
		done := refused == nil
		n := 0
		if done {
			n = 1
		}
		m.mirrored("a", n, done)
		m.mirrored("x", 0, false)
	}
}

// TestDedupEngine: the engine can write in the function's transaction.
func TestDedupEngine(t *testing.T) {
	m := newMemory(t)
	sell := func(i int, after error) func(context.Context) error {
		return func(ctx context.Context) error {
			tx, _ := pgstore.Tx(ctx)
			_, err := m.shop.plain.With(m.shop.store.In(tx)).RecordSale(ctx, sale(i))
			return errors.Join(err, after)
		}
	}
	if _, err := m.Do(t.Context(), "order", sell(1, errRefused)); !errors.Is(err, errRefused) {
		t.Errorf("error %v", err)
	}
	m.shop.books("rolled back", 0)
	if ran, err := m.Do(t.Context(), "order", sell(1, nil)); !ran || err != nil {
		t.Errorf("ran %v, error %v", ran, err)
	}
	m.shop.books("committed", 1)
}

// TestDedupTogether: of many calls with one id, on several pools, one runs its
// function (W034).
func TestDedupTogether(t *testing.T) {
	m := newMemory(t)
	schema := "test_" + schemaID()
	other := newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: schema}).Dedup()
	var ran, busy, within atomic.Int64
	var wg sync.WaitGroup
	for i := range 60 {
		d := []*pgstore.Dedup{m.Dedup, other}[i%2]
		wg.Go(func() {
			_, err := d.Do(t.Context(), "a", func(ctx context.Context) error {
				if within.Add(1) > 1 {
					t.Error("two at once")
				}
				defer within.Add(-1)
				ran.Add(1)
				return m.write("a")(ctx)
			})
			if errors.Is(err, webhooks.ErrInProgress) {
				busy.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d were told that it is in progress", busy.Load())
	if ran.Load() != 1 {
		t.Errorf("%d ran, want one", ran.Load())
	}
	m.mirrored("a", 1, true)
}

// TestDedupPrune: Prune deletes the ids that were done before the time, and no
// others.
func TestDedupPrune(t *testing.T) {
	m := newMemory(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.Now = func() time.Time { return now }
	for i := range 3 {
		must(m.Do(t.Context(), fmt.Sprint(i), m.write("a")))
		now = now.Add(time.Hour)
	}
	if n, err := m.Prune(t.Context(), now.Add(-2*time.Hour)); n != 1 || err != nil {
		t.Errorf("%d dropped, error %v, want one", n, err)
	}
	m.mirrored("0", 0, false)
	m.mirrored("1", 0, true)
}

// TestDedupErrors: errors do not contain the server's text.
func TestDedupErrors(t *testing.T) {
	d := newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: "not_there"}).Dedup()
	const want = "pgstore: dedup: the tables are missing or of another version, run Migrate (SQLSTATE 42P01)"
	if _, err := d.Do(t.Context(), "secret", nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := d.Prune(t.Context(), time.Now()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

var (
	_ webhooks.Dedup = (*pgstore.Dedup)(nil)
)
