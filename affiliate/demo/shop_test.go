package demo

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// played runs the year later than the file says.
func played(t *testing.T, later time.Duration) *Shop {
	t.Helper()
	shop, err := New(memstore.New(), Config())
	if err != nil {
		t.Fatal(err)
	}
	shop.later = later
	if err := shop.Run(t.Context(), bytes.NewReader(Year), func(int) {}); err != nil {
		t.Fatal(err)
	}
	if err := shop.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	return shop
}

// TestLater: a year that is moved by whole days goes as the year of the file, and
// ends as many days later.
func TestLater(t *testing.T) {
	asWritten := played(t, 0)
	if !asWritten.Now.Equal(yearEnd) {
		t.Errorf("the year ends at %v, not at %v", asWritten.Now, yearEnd)
	}
	for _, days := range []time.Duration{1, 327, 1000} {
		moved := played(t, days*24*time.Hour)
		if !moved.Now.Equal(yearEnd.Add(days * 24 * time.Hour)) {
			t.Errorf("%d days later it ends at %v", days, moved.Now)
		}
		if diff := cmp.Diff(asWritten.Outcomes, moved.Outcomes); diff != "" {
			t.Errorf("%d days later (-as written +moved):\n%s", days, diff)
		}
		if diff := cmp.Diff(asWritten.Refused, moved.Refused); diff != "" || len(moved.Unused) != len(asWritten.Unused) {
			t.Errorf("%d days later: unused %q, not %q; refused (-as written +moved):\n%s", days, moved.Unused, asWritten.Unused, diff)
		}
	}
}

// A brokenStore fails from the n-th Update on.
type brokenStore struct {
	record.Store
	left int
}

func (b *brokenStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if b.left--; b.left < 0 {
		return errors.New("the server is ended")
	}
	return b.Store.Update(ctx, program, fn)
}

// TestDemoEnded: when the server is ended while it fills a store that lasts, the next
// one fills it.
func TestDemoEnded(t *testing.T) {
	cfg := Config()
	count := func(store record.Store) (n int) {
		for _, table := range record.Schema() {
			err := store.View(t.Context(), cfg.ID, func(tx *record.Tx) error {
				for _, err := range table.In(tx).List(record.Query{}) {
					if n++; err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	now := yearEnd.AddDate(0, 2, 10)
	whole := memstore.New()
	shop, err := New(whole, cfg)
	if err == nil {
		shop.later = now.Sub(yearEnd).Truncate(24 * time.Hour)
		err = shop.Run(t.Context(), bytes.NewReader(Year), func(int) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 50} {
		store := &brokenStore{memstore.New(), left}
		_ = Fill(t.Context(), store, cfg, now)
		if err := Fill(t.Context(), store.Store, cfg, now); err != nil {
			t.Fatal(err)
		}
		if got, want := count(store), count(whole); got != want {
			t.Errorf("ended at Update %d: %d records, want %d", left, got, want)
		}
		program, err := tributary.New(store.Store, cfg)
		if err == nil {
			err = program.Verify(t.Context())
		}
		if err != nil {
			t.Error(err)
		}
		sale := affiliate.SaleParams{ReferralID: "mara-brew-guide", TotalEarned: affiliate.MustAmount("100"), Email: "kim@example.net", Name: "Kim"}
		if _, err := program.RecordSale(t.Context(), sale); err != nil {
			t.Errorf("the next sale: %v", err)
		}
	}
}

// TestKinds: a row can carry every value that a kind needs or takes.
func TestKinds(t *testing.T) {
	known := new(row).fields()
	for _, k := range Kinds() {
		for name := range strings.FieldsSeq(k.Needs + " " + k.Takes) {
			if known[name] == nil {
				t.Errorf("%s has the value %s, which no row can carry", k.Name, name)
			}
		}
	}
}
