package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
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

// TestCreditOnce: twenty callers at once make a user an affiliate, and twenty pay what was
// earned, again after errors and after a commit that failed: one affiliate, and the wallet has
// the sum exactly.
func TestCreditOnce(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	exec(t, pool, "CREATE TABLE IF NOT EXISTS wallets (account text PRIMARY KEY, credit numeric NOT NULL)")
	t.Cleanup(func() { exec(t, pool, "DROP TABLE wallets") })
	s := newShop(t, pool, pgstore.Config{})
	p, err := tributary.New(s.store, tributary.Config{ID: uuid.New(), Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{pool, s.store, p}
	u := member{id: "user-7", firstName: "Mara", lastName: "Berg", email: "mara@example.org"}

	var group sync.WaitGroup
	ids := make([]uuid.UUID, 20)
	for i := range ids {
		group.Go(func() {
			a, err := h.affiliateOf(t.Context(), u)
			if err != nil {
				t.Error(err)
			}
			ids[i] = a.ID
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] || id == uuid.Nil {
			t.Fatalf("affiliates %v", ids)
		}
	}
	made := must(p.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(ids[0].String())}, affiliate.Page{})).Items
	if all := must(p.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items; len(all) != 1 || len(made) != 1 {
		t.Errorf("%d affiliates, %d events", len(all), len(made))
	}

	for i := range 5 {
		sale := affiliate.SaleParams{ReferralID: affiliate.External(u.id), Email: "ida@example.net", Name: "Ida", ExternalID: fmt.Sprint(i), TotalEarned: affiliate.MustAmount("33.33")}
		if res, err := p.RecordSale(t.Context(), sale); err != nil || res.Outcome != affiliate.SaleRecorded {
			t.Fatal(res.Outcome, err)
		}
	}
	failing := &host{pool, s.store, p}
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { // the host's part fails after the payout was made
		_, err := failing.program.With(s.store.In(tx)).CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: ids[0], ManuallyPaid: true})
		return errors.Join(err, errRefused)
	})
	if !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	for range 20 {
		group.Go(func() {
			for {
				_, err := h.payCredit(t.Context(), u.id)
				var again *pgconn.PgError
				if errors.As(err, &again) && (again.Code == "40001" || again.Code == "40P01") {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	group.Wait()
	var credit string
	must(0, pool.QueryRow(t.Context(), "SELECT credit::text FROM wallets WHERE account = $1", u.id).Scan(&credit))
	payouts := must(p.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items
	if credit != "16.65" || len(payouts) != 1 || payouts[0].Amount != affiliate.MustAmount("16.65") || payouts[0].Status != affiliate.PayoutPaid {
		t.Errorf("the wallet has %s, after the payouts %+v", credit, payouts)
	}
	if err := p.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
