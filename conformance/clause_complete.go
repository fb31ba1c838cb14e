package conformance

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func timesCases() []storeCase {
	const rule = "every field survives unchanged"
	return []storeCase{
		{"full", rule, survives(func(t table) record.AnyRecord { return t.full(1) })},
		{"another", rule, survives(func(t table) record.AnyRecord { return t.full(200) })},
		{"sparse", "zero times, ids, texts and lists survive",
			survives(func(t table) record.AnyRecord { return t.sparse(1) })},
		{"null", "an Opt that is null does not become one that was not given",
			survives(func(t table) record.AnyRecord { return t.nulls(1) })},
		{"largest", "the largest int64 survives in every field",
			survives(func(t table) record.AnyRecord { return t.numbers(math.MaxInt64) })},
		{"smallest", "the smallest int64 survives in every field",
			survives(func(t table) record.AnyRecord { return t.numbers(math.MinInt64) })},
		{"first instant", "the first microsecond of the year 1 survives",
			survives(at(time.Date(1, 1, 1, 0, 0, 0, 1_000, time.UTC)))},
		{"last instant", "the last microsecond of the year 9999 survives",
			survives(at(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)))},
		{"before 1970", "an instant before 1970 keeps its microseconds",
			survives(at(time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)))},
		{"no bytes", "a list of bytes may be empty", survives(func(t table) record.AnyRecord {
			return edit(t.full(1), func(p any) bool {
				if raw, ok := p.(*[]byte); ok {
					*raw = []byte{}
				}
				return false
			})
		})},
	}
}

// at returns the full record with t in place of every instant.
func at(instant time.Time) func(t table) record.AnyRecord {
	return func(t table) record.AnyRecord {
		return edit(t.full(1), func(p any) bool {
			if own, ok := p.(*affiliate.Instant); ok {
				*own = affiliate.InstantOf(instant)
			}
			return false
		})
	}
}

// survives makes a case that puts one record into each table, by Insert and by
// Replace, and compares what comes back.
func survives(rec func(t table) record.AnyRecord) func(tb testing.TB, s record.Store) {
	return func(tb testing.TB, s record.Store) {
		update(tb, s, func(tx *record.Tx) error {
			for _, t := range tables() {
				if err := t.insert(tx, rec(t)); err != nil {
					return fmt.Errorf("%s: %w", t.Name, err)
				}
				t.holds(tb, tx, rec(t))
			}
			return nil
		})
		view(tb, s, func(tx *record.Tx) { holdsEach(tb, tx, rec) })
		update(tb, s, func(tx *record.Tx) error {
			for _, t := range tables() {
				id := rec(t).RecordID()
				if err := errors.Join(t.In(tx).Replace(withID(t.full(7), id)), t.In(tx).Replace(rec(t))); err != nil {
					return fmt.Errorf("%s: %w", t.Name, err)
				}
			}
			return nil
		})
		view(tb, s, func(tx *record.Tx) { holdsEach(tb, tx, rec) })
	}
}

// holdsEach checks that each table holds one record.
func holdsEach(tb testing.TB, tx *record.Tx, rec func(t table) record.AnyRecord) {
	tb.Helper()
	for _, t := range tables() {
		t.holds(tb, tx, rec(t))
	}
}

func completeCases() []storeCase {
	return append([]storeCase{
		{"no field is nil", "every table of Tx, and Raise, is there in View and in Update; Soon and Sum may be nil", func(tb testing.TB, s record.Store) {
			for _, run := range []method{s.View, s.Update} {
				err := run(tb.Context(), home, func(tx *record.Tx) error {
					v := reflect.ValueOf(*tx)
					for i := range v.NumField() {
						if name := v.Type().Field(i).Name; name != "Soon" && name != "Sum" && v.Field(i).IsNil() {
							tb.Errorf("Tx.%s is nil", name)
						}
					}
					return nil
				})
				if err != nil {
					tb.Error(err)
				}
			}
		}},
		{"round trip", "every table keeps its record: Insert, Replace, Delete", func(tb testing.TB, s record.Store) {
			for _, t := range tables() {
				update(tb, s, func(tx *record.Tx) error { return t.insert(tx, t.fulls(1, 2, 3)...) })
				view(tb, s, func(tx *record.Tx) { t.holds(tb, tx, t.fulls(1, 2, 3)...) })
				moved := withID(t.full(4), t.full(2).RecordID())
				update(tb, s, func(tx *record.Tx) error { return t.In(tx).Replace(moved) })
				view(tb, s, func(tx *record.Tx) { t.holds(tb, tx, t.full(1), moved, t.full(3)) })
				update(tb, s, func(tx *record.Tx) error { return t.In(tx).Delete(moved.RecordID()) })
				view(tb, s, func(tx *record.Tx) {
					t.holds(tb, tx, t.fulls(1, 3)...)
					t.lacks(tb, tx, t.fulls(2, 4)...)
				})
			}
		}},
		{"absent", "an id that was never there is ErrNotFound in every table", func(tb testing.TB, s record.Store) {
			view(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.full(1))
				}
			})
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					absent(tb, tx, t)
				}
				return nil
			})
		}},
		{"schema", "records emit the indexes of the schema, in its order, and no others", func(tb testing.TB, s record.Store) {
			for i, schema := range record.Schema() {
				t := tables()[i]
				found := map[record.Index]bool{}
				for _, rec := range []record.AnyRecord{t.full(1), t.sparse(1), t.parked(1)} { // an adjustment is payable or in a payout, and never both
					last := -1
					for _, key := range keysOf(rec) {
						at := slices.Index(schema.Indexes, key.Index)
						if at <= last {
							tb.Errorf("%s: the key of %s is in no place of the schema", t.Name, key.Index)
						}
						last, found[key.Index] = at, true
						if key.Index.IsID() != (key.ID != uuid.Nil) || key.Index.IsID() != (key.Text == "") {
							tb.Errorf("%s: the key of %s is %+v", t.Name, key.Index, key)
						}
					}
				}
				var emitted []record.Index
				for _, ix := range schema.Indexes {
					if found[ix] {
						emitted = append(emitted, ix)
					}
				}
				if d := diff(schema.Indexes, emitted); d != "" {
					tb.Errorf("%s: schema (-want +got):\n%s", t.Name, d)
				}
			}
		}},
	}, nextCases()...)
}
