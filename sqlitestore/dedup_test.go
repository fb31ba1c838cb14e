package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/sqlitestore"
)

// TestDedup: an event is handled once, together with what the engine writes in its
// transaction; after an error, a panic or a context that has ended it is open and
// nothing is written.
func TestDedup(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	d := store.Dedup()
	sells := func(order string) func(context.Context) error {
		return func(ctx context.Context) error {
			conn, ok := sqlitestore.Conn(ctx)
			if !ok {
				t.Error("no connection in the context")
			}
			if err := sell(ctx, p, order+"-outside"); err == nil {
				t.Error("an Update inside that is not in the transaction")
			}
			return sell(ctx, p.With(sqlitestore.In(conn)), order)
		}
	}
	sales := func() int { return len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items) }
	broken := errors.New("broken")
	if ran, err := d.Do(t.Context(), "evt_1", func(ctx context.Context) error { return errors.Join(sells("order-1")(ctx), broken) }); !ran || !errors.Is(err, broken) || sales() != 0 {
		t.Errorf("an error: ran %v, %v, %d sales", ran, err, sales())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is lost")
			}
		}()
		_, _ = d.Do(t.Context(), "evt_1", func(ctx context.Context) error { _ = sells("order-1")(ctx); panic("broken") })
	}()
	ctx, cancel := context.WithCancel(t.Context())
	if ran, err := d.Do(ctx, "evt_1", func(ctx context.Context) error { defer cancel(); return sells("order-1")(ctx) }); !ran || !errors.Is(err, context.Canceled) || sales() != 0 {
		t.Errorf("a context that has ended: ran %v, %v, %d sales", ran, err, sales())
	}
	var wg sync.WaitGroup
	var times atomic.Int64
	for range 8 {
		wg.Go(func() {
			ran, err := d.Do(context.Background(), "evt_1", sells("order-1"))
			if err != nil {
				t.Error(err)
			}
			if ran {
				times.Add(1)
			}
		})
	}
	wg.Wait()
	if times.Load() != 1 || sales() != 1 {
		t.Errorf("handled %d times, %d sales", times.Load(), sales())
	}
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if n, err := d.Prune(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("Prune of older ones: %d, %v", n, err)
	}
	if n, err := d.Prune(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("Prune: %d, %v", n, err)
	}
}

// TestDedupContext: wherever the context ends, an event is done if and only if Do
// returns no error.
func TestDedupContext(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal}).Dedup()
	nothing := func(context.Context) error { return nil }
	for n := range int64(20) {
		id := fmt.Sprint("evt_", n)
		_, err := d.Do(late(n), id, nothing)
		again, failure := d.Do(t.Context(), id, nothing)
		if failure != nil || again == (err == nil) {
			t.Errorf("ended at %d: %v, then run again: %v %v", n, err, again, failure)
		}
	}
}

// TestDedupHeld: within the function what would wait for its own transaction is refused,
// and after it its context has no connection and holds nothing up.
func TestDedupHeld(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "program.db"), sqlitestore.Config{Sync: sqlitestore.Normal})
	p := newProgram(t, store)
	furnish(t, p)
	d := store.Dedup()
	nothing := func(context.Context) error { return nil }
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var kept context.Context
	_, err := d.Do(ctx, "evt_1", func(ctx context.Context) error {
		kept = ctx
		if _, err := d.Do(ctx, "evt_2", nothing); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Do within Do: %v", err)
		}
		if _, err := d.Prune(ctx, time.Now()); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Prune within Do: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := sqlitestore.Conn(kept); ok {
		t.Error("a connection after the function")
	}
	if err := sell(kept, p, "order-1"); err != nil {
		t.Errorf("an Update after the function: %v", err)
	}
}
