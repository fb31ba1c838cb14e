package pgstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
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
