package router_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/leaf"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/internal/twins"
	"github.com/tributary-go/tributary/memstore"
)

// filled returns a store with two programs that every call was made on.
func filled(t *testing.T) (store record.Store, programs []uuid.UUID) {
	t.Helper()
	store = memstore.New()
	now := time.Date(2026, 3, 11, 9, 24, 18, 0, time.UTC)
	for _, p := range twins.All(t, store, &now) {
		programs = append(programs, p.Config().ID)
	}
	err := store.Update(t.Context(), programs[0], func(tx *record.Tx) error {
		for n := range 600 { // some pages
			if err := tx.Aliases.Insert(record.Alias{ID: record.NumberID(int64(n + 1)), Alias: fmt.Sprint("old-", n)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store, programs
}

// sameIn checks that two stores hold the same of a program, also by another comparison.
func sameIn(t *testing.T, one, two record.Store, program uuid.UUID) {
	t.Helper()
	var d scene.Dumper
	want := d.Dump(t, one, program)
	if diff := cmp.Diff(want, d.Dump(t, two, program)); diff != "" {
		t.Errorf("records (-one +two):\n%s", diff)
	}
	all := 0
	for _, recs := range want {
		all += len(recs)
	}
	if n, err := router.Compare(t.Context(), one, two, program); n != all || err != nil {
		t.Errorf("Compare: %d equal records, error %v; want %d", n, err, all)
	}
}

// TestCopy: a copy has the same records and goes on with the same numbers, and the other
// program is not touched. A second Copy writes nothing.
func TestCopy(t *testing.T) {
	from, programs := filled(t)
	count := conformance.Count(memstore.New())
	n, err := router.Copy(t.Context(), from, count, programs[0])
	if n < 500 || err != nil {
		t.Fatalf("Copy: %d records, error %v", n, err)
	}
	if count.Most() > 256 {
		t.Errorf("a transaction has %d calls", count.Most())
	}
	sameIn(t, from, count, programs[0])
	if n, err := router.Copy(t.Context(), from, count, programs[0]); n != 0 || err != nil {
		t.Errorf("a second Copy: %d records, error %v", n, err)
	}
	for _, seq := range []record.Sequence{record.SaleSequence, record.CommissionSequence, record.ClickSequence} {
		if a, b := next(t, from, programs[0], seq), next(t, count, programs[0], seq); a != b || a < 2 && seq == record.SaleSequence {
			t.Errorf("the next number of %s is %d, and in the copy %d", seq, a, b)
		}
	}
	if n, err := router.Compare(t.Context(), memstore.New(), count, programs[1]); n != 0 || err != nil {
		t.Errorf("the other program: %d, %v", n, err)
	}
}

func next(t *testing.T, s record.Store, program uuid.UUID, seq record.Sequence) (n int64) {
	t.Helper()
	err := s.Update(t.Context(), program, func(tx *record.Tx) (err error) {
		n, err = tx.Next(seq)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCopyGoesOn: a Copy or a Remove that fails at any transaction, before or after the
// commit, is completed by the next one.
func TestCopyGoesOn(t *testing.T) {
	from, programs := filled(t)
	failed := 0
	for step := 1; ; step++ {
		to := memstore.New()
		broken := &brokenStore{Store: to, at: step}
		_, err := router.Copy(t.Context(), &brokenStore{Store: from, with: broken}, broken, programs[0])
		if err == nil {
			break
		}
		failed++
		if !errors.Is(err, errBroken) {
			t.Fatalf("Copy: %v", err)
		}
		if _, err := router.Copy(t.Context(), from, to, programs[0]); err != nil {
			t.Fatalf("step %d: Copy again: %v", step, err)
		}
		if _, err := router.Compare(t.Context(), from, to, programs[0]); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		broken = &brokenStore{Store: to, at: step}
		if err := router.Remove(t.Context(), broken, programs[0]); err != nil && !errors.Is(err, errBroken) {
			t.Fatalf("step %d: Remove: %v", step, err)
		}
		if err := router.Remove(t.Context(), to, programs[0]); err != nil {
			t.Fatalf("step %d: Remove again: %v", step, err)
		}
		_, err = router.Compare(t.Context(), memstore.New(), to, programs[0])
		if !errors.Is(err, router.ErrDiffer) || !strings.Contains(err.Error(), "sequence") {
			t.Fatalf("step %d: after Remove: %v", step, err)
		}
	}
	if failed < 10 {
		t.Errorf("%d steps", failed)
	}
}

var errBroken = errors.New("broken")

// brokenStore is a store whose transactions fail from the at-th on. The first that fails is
// committed when at is even. Stores that are with another one count together.
type brokenStore struct {
	record.Store
	at, calls int
	with      *brokenStore
}

func (b *brokenStore) count() (call, at int) {
	c := b
	if b.with != nil {
		c = b.with
	}
	c.calls++
	return c.calls, c.at
}

func (b *brokenStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if call, at := b.count(); call >= at {
		return errBroken
	}
	return b.Store.View(ctx, program, fn)
}

func (b *brokenStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	call, at := b.count()
	if call > at || call == at && at%2 == 1 {
		return errBroken
	}
	if err := b.Store.Update(ctx, program, fn); err != nil || call < at {
		return err
	}
	return errBroken
}

// TestCopyOntoOthers: a target with other records is refused or found out, and never
// overwritten.
func TestCopyOntoOthers(t *testing.T) {
	from, to, program := memstore.New(), memstore.New(), uuid.UUID{15: 1}
	link := func(id byte, slug string) func(tx *record.Tx) error {
		return func(tx *record.Tx) error { return tx.Links.Insert(record.Link{ID: uuid.UUID{id}, Slug: slug}) }
	}
	for store, recs := range map[record.Store][]func(tx *record.Tx) error{
		from: {link(2, "ada"), link(4, "bo")}, to: {link(1, "ada")},
	} {
		for _, rec := range recs {
			if err := store.Update(t.Context(), program, rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := router.Copy(t.Context(), from, to, program); !errors.Is(err, record.ErrExists) || !strings.Contains(err.Error(), "links 02") {
		t.Errorf("Copy: %v", err)
	}
	if _, err := router.Compare(t.Context(), from, to, program); !errors.Is(err, router.ErrDiffer) || !strings.HasSuffix(err.Error(), "the first lacks links 01000000-0000-0000-0000-000000000000") {
		t.Errorf("Compare: %v", err)
	}
}

// TestCompare: a record that differs in one field is named, whichever field it is, and so
// is one that either store lacks.
func TestCompare(t *testing.T) {
	for _, table := range record.Schema() {
		full := func(change int) (rec record.AnyRecord, fields int) {
			v := reflect.New(reflect.TypeOf(table.Empty())).Elem()
			for l := range leaf.Of(v, "") {
				l.Set(1)
				if fields == change {
					l.Set(2)
				}
				fields++
			}
			return v.Interface().(record.AnyRecord), fields
		}
		one, fields := full(-1)
		in := with(t, table, one)
		if n, err := router.Compare(t.Context(), in, with(t, table, one), program); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", table.Name, n, err)
		}
		for field := range fields {
			other, _ := full(field)
			_, err := router.Compare(t.Context(), in, with(t, table, other), program)
			if name := table.Name + " " + one.RecordID().String(); !errors.Is(err, router.ErrDiffer) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, field %d: %v", table.Name, field, err)
			}
		}
		_, err := router.Compare(t.Context(), in, memstore.New(), program)
		_, turned := router.Compare(t.Context(), memstore.New(), in, program)
		if !strings.Contains(err.Error(), "the second lacks "+table.Name) || !strings.Contains(turned.Error(), "the first lacks "+table.Name) {
			t.Errorf("%s: %v, %v", table.Name, err, turned)
		}
	}
}

var program = uuid.UUID{15: 1}

// with returns a store with one record.
func with(t *testing.T, table record.TableSchema, rec record.AnyRecord) record.Store {
	t.Helper()
	store := memstore.New()
	if err := store.Update(t.Context(), program, func(tx *record.Tx) error { return table.In(tx).Insert(rec) }); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestCompareForms: what stores may return in another form is equal.
func TestCompareForms(t *testing.T) {
	for _, tt := range []struct {
		name     string
		one, two record.Sale
		equal    bool
	}{
		{"empty list", record.Sale{Commissions: []record.Commission{}}, record.Sale{}, true},
		{"JSON", record.Sale{Metadata: []byte(`{"a": 1.50, "b": [null]}`)}, record.Sale{Metadata: []byte(`{"b":[null],"a":1.50}`)}, true},
		{"number in JSON", record.Sale{Metadata: []byte(`{"a":9007199254740993}`)}, record.Sale{Metadata: []byte(`{"a":9007199254740992}`)}, false},
	} {
		table := record.Schema()[record.PlaceOf[record.Sale]()]
		tt.one.ID, tt.two.ID = uuid.UUID{1}, uuid.UUID{1}
		if _, err := router.Compare(t.Context(), with(t, table, tt.one), with(t, table, tt.two), program); (err == nil) != tt.equal {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
