package pgstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestHotCodeTwoStores: two processes in Serializable mode sell with one code, and
// somebody reads all the time. No call fails, and the server keeps few predicate
// locks, however many the transactions are.
func TestHotCodeTwoStores(t *testing.T) {
	const (
		sellers = 6 // of each store
		each    = 20
		most    = 1500 // predicate locks at a time
	)
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{Mode: pgstore.Serializable})
	stores := [2]record.Store{s.store, newStore(t, newPool(t, databaseURL(t)), pgstore.Config{Schema: "test_" + schemaID(), Mode: pgstore.Serializable})}
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	var readers, writers sync.WaitGroup
	peak := 0
	readers.Go(func() { peak = predicateLocks(watch, pool) })
	readers.Go(func() {
		for watch.Err() == nil {
			_, _ = s.plain.With(stores[0]).Attention(watch, 10)
			_, _ = s.plain.With(stores[1]).Sales(watch, affiliate.SaleQuery{}, affiliate.Page{Limit: 100})
		}
	})
	began := time.Now()
	for seller := range 2 * sellers {
		program := s.plain.With(stores[seller%2])
		writers.Go(func() {
			for i := range each {
				if _, err := program.RecordSale(t.Context(), sale(seller*each+i)); err != nil {
					t.Errorf("sale %d of seller %d: %v", i, seller, err)
				}
			}
		})
	}
	writers.Wait()
	took := time.Since(began)
	stop()
	readers.Wait()
	t.Logf("%d sales in %v, at most %d predicate locks", 2*sellers*each, took.Round(time.Millisecond), peak)
	if peak > most {
		t.Errorf("%d predicate locks at a time, want at most %d", peak, most)
	}
	s.books("after the sales", 2*sellers*each)
	if code := must(s.plain.Code(t.Context(), affiliate.CodeRef{Code: "HOT20"})); code.TimesRedeemed != 2*sellers*each {
		t.Errorf("the code was redeemed %d times, want %d", code.TimesRedeemed, 2*sellers*each)
	}
}

// predicateLocks is how many predicate locks the server had at the most until ctx
// ended.
func predicateLocks(ctx context.Context, pool *pgxpool.Pool) (peak int) {
	for ctx.Err() == nil {
		var n int
		if err := pool.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock'").Scan(&n); err == nil {
			peak = max(peak, n)
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return peak
}

// TestNoRoomForLocks: a transaction for whose locks the server has no room is run
// again.
func TestNoRoomForLocks(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		schema := newSchema(t, pool)
		for _, sql := range []string{
			"CREATE SEQUENCE " + schema + ".tries",
			"CREATE FUNCTION " + schema + ".no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('" + schema +
				".tries') < 3 THEN RAISE EXCEPTION 'out of shared memory' USING ERRCODE = '53200'; END IF; RETURN NEW; END $$",
			"CREATE TRIGGER no_room BEFORE INSERT ON " + schema + ".plans FOR EACH ROW EXECUTE FUNCTION " + schema + ".no_room()",
		} {
			exec(t, pool, sql)
		}
		s, runs := newStore(t, pool, pgstore.Config{Schema: schema, Mode: mode}), 0
		err := s.Update(t.Context(), uuid.New(), func(tx *record.Tx) error {
			runs++
			return tx.Plans.Insert(record.Plan{ID: uuid.UUID{1}, Name: "p"})
		})
		if err != nil || runs != 3 {
			t.Errorf("mode %d: after %d runs: %v, want 3 runs and no error", mode, runs, err)
		}
	}
}
