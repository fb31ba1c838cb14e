package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/pgstore"
)

// TestGroupReadsTogether: a group of closures that read records of their own
// takes one round trip for all first reads, and one for all writes.
func TestGroupReadsTogether(t *testing.T) {
	const n = 6
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := uuid.UUID{7}
	plan := func(i int) record.Plan {
		return record.Plan{ID: uuid.UUID{1, byte(i)}, Name: fmt.Sprint("plan ", i)}
	}
	code := func(i int) record.Code {
		return record.Code{ID: uuid.UUID{2, byte(i)}, CouponID: uuid.UUID{9}, Code: fmt.Sprint("C", i)}
	}
	err := s.Update(t.Context(), program, func(tx *record.Tx) error {
		for i := range n {
			if err := errors.Join(tx.Plans.Insert(plan(i)), tx.Codes.Insert(code(i))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	byCode := func(text string) record.Key { return record.Key{Index: record.ByCode, Text: text} }
	get := func(i int) func(tx *record.Tx) error {
		return func(tx *record.Tx) error {
			tx.Soon("plans", record.Key{ID: plan(i).ID})
			tx.Soon("codes", byCode("C0"))
			if _, err := tx.Codes.Find(byCode(fmt.Sprint("none ", i))); !errors.Is(err, affiliate.ErrNotFound) {
				return fmt.Errorf("closure %d: a missing code: error %v", i, err)
			}
			rec, err := tx.Plans.Get(plan(i).ID)
			if err != nil || rec.Name != plan(i).Name {
				return fmt.Errorf("closure %d: plan %q, error %v", i, rec.Name, err)
			}
			hot, err := tx.Codes.Find(byCode("C0"))
			if err != nil || hot.TimesRedeemed != int64(i) {
				return fmt.Errorf("closure %d: %d redemptions, error %v", i, hot.TimesRedeemed, err)
			}
			hot.TimesRedeemed++
			rec.Name += " done"
			return errors.Join(tx.Codes.Replace(hot), tx.Plans.Replace(rec))
		}
	}
	list := func(tx *record.Tx) error {
		codes := 0
		for _, err := range tx.Codes.List(record.Query{Key: record.Key{Index: record.OfCoupon, ID: uuid.UUID{9}}}) {
			if err != nil {
				return err
			}
			codes++
		}
		if codes != n {
			return fmt.Errorf("%d codes", codes)
		}
		return nil
	}
	var fns []func(tx *record.Tx) error
	for i := range n {
		fns = append(fns, get(i))
	}
	fns = append(fns, list)
	wire.trips.Store(0)
	for i, err := range together(t, s, program, nil, fns) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	if trips := wire.trips.Load(); trips != 2 {
		t.Errorf("%d round trips, want one to read and one to write", trips)
	}
}

// TestHeldMemberLeaves: a member whose context ends while its closure is held
// leaves at once. Its closure gets an error from then on, and the others go on.
func TestHeldMemberLeaves(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	var later error
	// The leader waits until the held member has returned.
	leads := func(tx *record.Tx) error {
		cancel()
		<-left
		return count(0)(tx)
	}
	leaves := func(tx *record.Tx) error {
		_, err := tx.Totals.Get(uuid.UUID{1})
		later = tx.Plans.Insert(record.Plan{ID: uuid.UUID{2, 99}})
		return err
	}
	errs := togetherThen(t, s, program, map[int]context.Context{1: ctx}, []func(tx *record.Tx) error{leads, leaves, count(2)}, func(i int) {
		if i == 1 {
			close(left)
		}
	})
	if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil || !errors.Is(later, context.Canceled) {
		t.Errorf("errors %v, and later %v, want the second cancelled alone", errs, later)
	}
	counted(t, s, program, 2)
}

// TestLeaderPanics: when the leader's closure panics, those that it held run
// again under another leader.
func TestLeaderPanics(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	schema, program := newSchema(t, pool), uuid.UUID{7}
	s := newStore(t, pool, pgstore.Config{Schema: schema, Group: 16})
	insert := func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: uuid.UUID{1}}) }
	must(0, s.Update(t.Context(), program, insert))
	before := func(tx *record.Tx) error { panic("before its first call") }
	after := func(tx *record.Tx) error { _ = count(9)(tx); panic("after its writes") }
	for i, leads := range []func(tx *record.Tx) error{before, after} {
		errs := together(t, s, program, nil, []func(tx *record.Tx) error{leads, count(2 * i), count(2*i + 1)})
		if errs[0] == nil || errs[1] != nil || errs[2] != nil {
			t.Errorf("errors %v, want a panic of the first alone", errs)
		}
		counted(t, s, program, int64(2*i+2))
	}
}

// TestNewest: an Update that asks for the newest record of a table finds what
// is stored, what it wrote, and what its group wrote before.
func TestNewest(t *testing.T) {
	pool := newPool(t, databaseURL(t))
	s := newStore(t, pool, pgstore.Config{Schema: newSchema(t, pool), Group: 16})
	program := uuid.UUID{7}
	id := func(i byte) uuid.UUID { return uuid.UUID{5, i} }
	newest := func(tx *record.Tx, want uuid.UUID) error {
		var got uuid.UUID
		for rec, err := range tx.Plans.List(record.Query{Desc: true, Limit: 1}) {
			if err != nil {
				return err
			}
			got = rec.ID
		}
		if got != want {
			return fmt.Errorf("the newest is %s, want %s", got, want)
		}
		return nil
	}
	insert := func(tx *record.Tx, i byte) error { return tx.Plans.Insert(record.Plan{ID: id(i)}) }
	fns := []func(tx *record.Tx) error{
		func(tx *record.Tx) error {
			return errors.Join(newest(tx, uuid.Nil), insert(tx, 3), newest(tx, id(3)))
		},
		func(tx *record.Tx) error { return errors.Join(newest(tx, id(3)), insert(tx, 1), newest(tx, id(3))) },
		func(tx *record.Tx) error {
			return errors.Join(insert(tx, 7), newest(tx, id(7)), errRefused)
		},
		func(tx *record.Tx) error { return errors.Join(newest(tx, id(3)), insert(tx, 5), newest(tx, id(5))) },
		func(tx *record.Tx) error { return errors.Join(tx.Plans.Delete(id(5)), newest(tx, id(3))) },
	}
	want := []error{nil, nil, errRefused, nil, nil}
	for i, err := range together(t, s, program, nil, fns) {
		if !errors.Is(err, want[i]) || want[i] != nil && err.Error() != errRefused.Error() {
			t.Errorf("closure %d: error %v, want %v", i, err, want[i])
		}
	}
	for _, fn := range []func(tx *record.Tx) error{
		func(tx *record.Tx) error { return errors.Join(tx.Plans.Delete(id(3)), newest(tx, id(1))) },
		func(tx *record.Tx) error {
			return errors.Join(newest(tx, id(1)), tx.Plans.Delete(id(1)), newest(tx, uuid.Nil))
		},
		func(tx *record.Tx) error { return newest(tx, uuid.Nil) },
	} {
		if err := s.Update(t.Context(), program, fn); err != nil {
			t.Error(err)
		}
	}
}

// TestSoon: what a closure says that it will need changes no answer, in any
// kind of transaction, and costs no round trip of its own.
func TestSoon(t *testing.T) {
	wire := &wireCount{}
	pool := newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.Tracer = wire })
	schema := newSchema(t, pool)
	program, plan := uuid.UUID{7}, record.Plan{ID: uuid.UUID{1}, Name: "a"}
	for _, mode := range []pgstore.Mode{pgstore.Queue, pgstore.Serializable} {
		s := newStore(t, pool, pgstore.Config{Schema: schema, Mode: mode})
		_ = s.Update(t.Context(), program, func(tx *record.Tx) error { return tx.Plans.Insert(plan) })
		look := func(tx *record.Tx) error {
			tx.Soon("no such table", record.Key{ID: uuid.UUID{1}})
			tx.Soon("plans", record.Key{Index: record.ByCode, Text: "no such index"})
			tx.Soon("codes", record.Key{Index: record.ByCode, Text: "a\x00b"})
			tx.Soon("codes", record.Key{Index: record.ByCode, Text: "none"})
			tx.Soon("codes", record.Key{Index: record.OfCoupon, ID: uuid.UUID{3}})
			tx.Soon("plans", record.Key{})
			tx.Soon("plans", record.Key{ID: plan.ID})
			tx.Soon("plans", record.Key{ID: plan.ID})
			if got, err := tx.Plans.Get(plan.ID); err != nil || got.Name != plan.Name {
				return fmt.Errorf("plan %q, error %v", got.Name, err)
			}
			if _, err := tx.Codes.Find(record.Key{Index: record.ByCode, Text: "none"}); !errors.Is(err, affiliate.ErrNotFound) {
				return fmt.Errorf("code: error %v", err)
			}
			return nil
		}
		for name, run := range map[string]func(context.Context, uuid.UUID, func(*record.Tx) error) error{"Update": s.Update, "View": s.View} {
			wire.trips.Store(0)
			if err := run(t.Context(), program, look); err != nil {
				t.Errorf("mode %d: %s: %v", mode, name, err)
			}
			want := int64(2) // and the end of the transaction
			if mode == pgstore.Queue && name == "Update" {
				want = 1 // it needs no transaction to read
			}
			if trips := wire.trips.Load(); trips != want {
				t.Errorf("mode %d: %s: %d round trips, want %d", mode, name, trips, want)
			}
		}
	}
}
