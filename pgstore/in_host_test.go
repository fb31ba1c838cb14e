package pgstore_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

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
