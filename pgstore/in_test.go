package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

func TestIn(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	exec(t, pool, "CREATE TABLE IF NOT EXISTS host_orders (id text PRIMARY KEY, paid boolean NOT NULL)")
	t.Cleanup(func() { exec(t, pool, "DROP TABLE host_orders") })
	s := newShop(t, pool, pgstore.Config{})
	orders := func() (n int) {
		t.Helper()
		must(0, pool.QueryRow(t.Context(), "SELECT count(*) FROM host_orders").Scan(&n))
		return n
	}
	order := func(tx pgx.Tx, id string) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO host_orders VALUES ($1, true)", id)
		return err
	}

	t.Run("commits with the host", func(t *testing.T) {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			_, err := s.plain.With(s.store.In(tx)).RecordSale(t.Context(), sale(1))
			return errors.Join(err, order(tx, "1"))
		})
		if err != nil || orders() != 1 {
			t.Errorf("%d orders, error %v", orders(), err)
		}
		s.books("after the commit", 1)
	})
	t.Run("a transaction that is over", func(t *testing.T) {
		tx := must(pool.Begin(t.Context()))
		must(0, tx.Commit(t.Context()))
		_, err := s.plain.With(s.store.In(tx)).RecordSale(t.Context(), sale(9))
		if !errors.Is(err, pgx.ErrTxClosed) || !strings.Contains(err.Error(), "the host's transaction is over") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("rolls back with the host", func(t *testing.T) {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			p := s.plain.With(s.store.In(tx))
			if _, err := p.RecordSale(t.Context(), sale(2)); err != nil {
				return err
			}
			if n := len(must(p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items); n != 2 {
				t.Errorf("the transaction sees %d sales, want its own too", n)
			}
			return errors.Join(order(tx, "2"), errRefused)
		})
		if !errors.Is(err, errRefused) || orders() != 1 {
			t.Errorf("%d orders, error %v", orders(), err)
		}
		s.books("after the rollback", 1)
	})
	t.Run("a refusal leaves the transaction usable", func(t *testing.T) {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			p := s.plain.With(s.store.In(tx))
			if _, err := p.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "NONE", TotalEarned: affiliate.MustAmount("1")}); !errors.Is(err, affiliate.CodeNotFound) {
				t.Errorf("error %v", err)
			}
			if _, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "ada@example.com"}); err == nil {
				t.Error("a taken email was accepted")
			}
			_, err := p.RecordSale(t.Context(), sale(3))
			return errors.Join(err, order(tx, "3"))
		})
		if err != nil || orders() != 2 {
			t.Errorf("%d orders, error %v", orders(), err)
		}
		s.books("after the refusals", 2)
	})
	t.Run("a cancelled call leaves the transaction to the host", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if _, err := s.plain.With(s.store.In(tx)).RecordSale(ctx, sale(4)); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			return order(tx, "4")
		})
		if err != nil || orders() != 3 {
			t.Errorf("%d orders, error %v", orders(), err)
		}
	})
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run("refuses "+string(level), func(t *testing.T) {
			err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
				_, err := s.plain.With(s.store.In(tx)).RecordSale(t.Context(), sale(5))
				return err
			})
			const want = "pgstore: begin: the isolation level of the host's transaction does not fit the Store's mode"
			if err == nil || errors.Unwrap(err) == nil && err.Error() != want {
				t.Errorf("error %v", err)
			}
			s.books("after "+string(level), 2)
		})
	}
	t.Run("serializable", func(t *testing.T) {
		store := newStore(t, pool, pgstore.Config{Schema: "test_" + schemaID(), Mode: pgstore.Serializable})
		err := pgx.BeginTxFunc(t.Context(), pool, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			_, err := s.plain.With(store.In(tx)).RecordSale(t.Context(), sale(6))
			return err
		})
		if err != nil {
			t.Error(err)
		}
		s.books("after a serializable one", 3)
	})
}

// TestInTakenBack: a savepoint that the host rolls back, and a clash with a
// record that the store did not write, leave a transaction that can be used.
// When the host rolls back at the end, nothing is stored.
func TestInTakenBack(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newShop(t, pool, pgstore.Config{})
	schema, program, foreign := "test_"+schemaID(), s.plain.Config().ID, uuid.UUID{0xee, 15: 1}
	foreignPlan(t, pool, schema, program, foreign)
	clash := func(in record.Store) error {
		return in.Update(t.Context(), program, func(tx *record.Tx) error {
			return tx.Plans.Insert(record.Plan{ID: foreign, Name: "ours"})
		})
	}
	var numbers []affiliate.SaleID
	work := func(tx pgx.Tx) error {
		in := s.store.In(tx)
		if err := clash(in); !errors.Is(err, record.ErrExists) {
			t.Errorf("error %v, want ErrExists", err)
		}
		err := pgx.BeginFunc(t.Context(), tx, func(pgx.Tx) error {
			must(s.plain.With(in).RecordSale(t.Context(), sale(1)))
			return errRefused
		})
		if !errors.Is(err, errRefused) {
			t.Errorf("error %v", err)
		}
		got, err := s.plain.With(in).RecordSale(t.Context(), sale(1)) // the same key again, which is free after the rollback
		if got.Outcome != affiliate.SaleRecorded {
			t.Errorf("outcome %s", got.Outcome)
		}
		recorded, _ := got.Sale.Get()
		numbers = append(numbers, recorded.ID)
		return err
	}
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return errors.Join(work(tx), errRefused) })
	if !errors.Is(err, errRefused) {
		t.Errorf("error %v", err)
	}
	s.books("taken back", 0)
	if err := pgx.BeginFunc(t.Context(), pool, work); err != nil {
		t.Error(err)
	}
	s.books("committed", 1)
	must(s.plain.RecordSale(t.Context(), sale(2)))
	s.books("and on", 2)
	if len(numbers) != 2 || numbers[0] != numbers[1] {
		t.Errorf("sales numbered %v: what was taken back used one up, or another was given", numbers)
	}
}

// TestInCrossed: two hosts write to two programs in opposite order. The server
// ends one of them with 40P01. That host repeats its transaction; nothing is
// lost or stored twice.
func TestInCrossed(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema := newSchema(t, pool)
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 4})
	programs := []uuid.UUID{{7}, {8}}
	for _, p := range programs {
		insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
		must(0, s.Update(t.Context(), p, insert))
	}
	var first sync.WaitGroup // done when both hold a lock
	first.Add(2)
	host := func(i int, once *sync.Once) error {
		return pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if err := s.In(tx).Update(t.Context(), programs[i], count(i)); err != nil {
				return err
			}
			once.Do(func() { first.Done(); first.Wait() })
			return s.In(tx).Update(t.Context(), programs[1-i], count(i))
		})
	}
	var lost atomic.Int64
	var hosts sync.WaitGroup
	for i := range programs {
		hosts.Go(func() {
			var once sync.Once
			err := host(i, &once)
			if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "40P01" {
				lost.Add(1)
				err = host(i, &once)
			}
			if err != nil {
				t.Errorf("host %d: %v", i, err)
			}
		})
	}
	hosts.Wait()
	if lost.Load() != 1 {
		t.Errorf("%d hosts lost, want one", lost.Load())
	}
	for _, p := range programs {
		counted(t, s, p, 2)
	}
}

// owed makes affiliates to whom ten is due.
func (s *shop) owed(affiliates int) {
	s.t.Helper()
	for i := range affiliates {
		ctx, name := s.t.Context(), fmt.Sprint("partner", i)
		a := must(s.plain.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "P", LastName: "Q", Email: name + "@example.com", AffiliateLink: name}))
		must(s.plain.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("10"), Reason: "r"}))
	}
}

// TestPayoutRunsAtOnce: two processes that both make the first call of one run
// make one run, which pays everybody once.
func TestPayoutRunsAtOnce(t *testing.T) {
	const affiliates = 5
	pool := newPool(t, databaseURL(t))
	for _, cfg := range []pgstore.Config{
		{}, {Group: 8}, {Mode: pgstore.Serializable, Retries: 50}, {Mode: pgstore.Serializable, Retries: 50, Group: 8},
	} {
		t.Run(fmt.Sprintf("mode %d, group %d", cfg.Mode, cfg.Group), func(t *testing.T) {
			s := newShop(t, pool, cfg)
			s.owed(affiliates)
			cfg.Schema = "test_" + schemaID()
			var stores [2]record.Store
			for i := range stores {
				stores[i] = newStore(t, pool, cfg)
			}
			results := make([]affiliate.PayoutRunResult, 8)
			errs := make([]error, len(results))
			var wg sync.WaitGroup
			for i := range results {
				program := s.plain.With(stores[i%len(stores)])
				wg.Go(func() {
					results[i], errs[i] = program.RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "2026-05", NoDetails: true})
				})
			}
			wg.Wait()
			for i, r := range results {
				if errs[i] != nil || !cmp.Equal(r, results[0]) || r.Status != affiliate.RunDone || r.Created != affiliates || r.Total != affiliate.MustAmount("50") {
					t.Errorf("call %d: %+v, error %v", i, r, errs[i])
				}
			}
			if n := len(must(s.plain.PayoutRuns(t.Context(), affiliate.Page{})).Items); n != 1 {
				t.Errorf("%d runs", n)
			}
			if n := len(must(s.plain.PayoutLines(t.Context(), "2026-05", affiliate.Page{})).Items); n != affiliates {
				t.Errorf("%d lines", n)
			}
			if n := len(must(s.plain.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items); n != affiliates {
				t.Errorf("%d payouts", n)
			}
			s.books("after the run", 0)
		})
	}
}
