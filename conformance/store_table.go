package conformance

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

func ownWritesCases() []storeCase {
	return []storeCase{
		{"Insert", "Get, Find and List see what the Update inserted", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 2) })
			update(tb, s, func(tx *affiliate.Tx) error {
				if err := insertAll(tx, 3, 1); err != nil {
					return err
				}
				holdsAll(tb, tx, 1, 2, 3)
				return nil
			})
		}},
		{"Replace", "Get, Find and List see what the Update replaced, and the old keys lead nowhere", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					moved := withID(t.full(3), t.full(1).RecordID())
					if err := t.in(tx).Replace(moved); err != nil {
						return err
					}
					t.holds(tb, tx, moved, t.full(2))
					t.lacksKeys(tb, tx, t.full(1))
				}
				return nil
			})
		}},
		{"Delete", "Get, Find and List do not see what the Update deleted", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					if err := t.in(tx).Delete(t.full(1).RecordID()); err != nil {
						return err
					}
					t.holds(tb, tx, t.full(2))
					t.lacks(tb, tx, t.full(1))
				}
				return nil
			})
		}},
		{"free again", "an id and the keys of a record that the Update deleted or moved can be taken at once", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1, 2) })
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					one, two := t.full(1).RecordID(), t.full(2).RecordID()
					err := errors.Join(t.in(tx).Delete(one), t.insert(tx, t.full(1)),
						t.in(tx).Replace(withID(t.full(3), one)), t.in(tx).Replace(withID(t.full(1), two)), t.in(tx).Replace(withID(t.full(2), one)))
					if err != nil {
						return fmt.Errorf("%s: %w", t.name, err)
					}
					t.holds(tb, tx, withID(t.full(2), one), withID(t.full(1), two))
				}
				return nil
			})
		}},
		{"absent", "what the Update inserted and deleted again is ErrNotFound", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					if err := errors.Join(t.insert(tx, t.full(1)), t.in(tx).Delete(t.full(1).RecordID())); err != nil {
						return err
					}
					t.lacks(tb, tx, t.full(1))
					absent(tb, tx, t)
				}
				return nil
			})
		}},
	}
}

// absent checks that writes to a record that is not there, the full record 1,
// are ErrNotFound.
func absent(tb testing.TB, tx *affiliate.Tx, t table) {
	tb.Helper()
	if err := t.in(tx).Replace(t.full(1)); !errors.Is(err, affiliate.ErrNotFound) {
		tb.Errorf("%s: Replace: error %v, want %v", t.name, err, affiliate.ErrNotFound)
	}
	if err := t.in(tx).Delete(t.full(1).RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
		tb.Errorf("%s: Delete: error %v, want %v", t.name, err, affiliate.ErrNotFound)
	}
	t.lacks(tb, tx, t.full(1))
}

func existsCases() []storeCase {
	const rule = "a clash is an *ExistsError with the name of the index, and changes nothing"
	return []storeCase{
		{"id", "a taken id is an *ExistsError without an index, and changes nothing", func(tb testing.TB, s affiliate.Store) {
			inAndAfter(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					clashes(tb, t, t.in(tx).Insert(withID(t.full(4), t.full(1).RecordID())), "")
					t.holds(tb, tx, t.fulls(1, 2)...)
					t.lacksKeys(tb, tx, t.full(4))
				}
			})
		}},
		{"same record", "where the id and keys are taken, the id counts", func(tb testing.TB, s affiliate.Store) {
			inAndAfter(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					clashes(tb, t, t.in(tx).Insert(t.full(1)), "")
				}
			})
		}},
		{"key on Insert", rule, func(tb testing.TB, s affiliate.Store) {
			inAndAfter(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					for _, ix := range t.unique() {
						clashes(tb, t, t.in(tx).Insert(withKey(t.full(4), t.full(1), ix)), ix)
						t.holds(tb, tx, t.fulls(1, 2)...)
						lacksOthers(tb, tx, t, ix)
					}
				}
			})
		}},
		{"key on Replace", rule, func(tb testing.TB, s affiliate.Store) {
			inAndAfter(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					for _, ix := range t.unique() {
						rec := withKey(withID(t.full(4), t.full(2).RecordID()), t.full(1), ix)
						clashes(tb, t, t.in(tx).Replace(rec), ix)
						t.holds(tb, tx, t.fulls(1, 2)...)
						lacksOthers(tb, tx, t, ix)
					}
				}
			})
		}},
		{"own keys", "a record does not clash with itself", func(tb testing.TB, s affiliate.Store) {
			inAndAfter(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					if err := t.in(tx).Replace(t.full(1)); err != nil {
						tb.Errorf("%s: Replace by the same: %v", t.name, err)
					}
					t.holds(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"no key", "records without a value have no key to clash with", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					if err := t.insert(tx, t.sparse(1), t.sparse(2)); err != nil {
						return fmt.Errorf("%s: %w", t.name, err)
					}
					t.holds(tb, tx, t.sparse(1), t.sparse(2))
				}
				return nil
			})
		}},
		{"other table", "the same ids and keys in two tables do not meet", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error {
				id := numbered(1)
				return errors.Join(
					tx.Coupons.Insert(affiliate.CouponRecord{ID: id, Name: "x", ExternalID: "x"}),
					tx.Codes.Insert(affiliate.CodeRecord{ID: id, CouponID: id, Code: "x", ExternalID: "x"}),
					tx.Sales.Insert(affiliate.SaleRecord{ID: id, AffiliateID: id, Number: 1, ExternalID: "x", InvoiceID: "x"}),
					tx.Affiliates.Insert(affiliate.AffiliateRecord{ID: id, Email: "x"}),
					tx.Referrals.Insert(affiliate.ReferralRecord{ID: id, AffiliateID: id, Email: "x"}),
					tx.Clicks.Insert(affiliate.ClickRecord{ID: id, AffiliateID: id, Number: 1}))
			})
		}},
	}
}

// inAndAfter has the full records 1 and 2 in every table, and runs fn in the
// transaction that inserted them and in the next one.
func inAndAfter(tb testing.TB, s affiliate.Store, fn func(tx *affiliate.Tx)) {
	tb.Helper()
	update(tb, s, func(tx *affiliate.Tx) error {
		err := insertAll(tx, 1, 2)
		if err == nil {
			fn(tx)
		}
		return err
	})
	update(tb, s, func(tx *affiliate.Tx) error { fn(tx); return nil })
	view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1, 2) })
}

// clashes checks the error of a clash.
func clashes(tb testing.TB, t table, err error, ix affiliate.Index) {
	tb.Helper()
	exists, ok := errors.AsType[*affiliate.ExistsError](err)
	if !ok || !errors.Is(err, affiliate.ErrExists) {
		tb.Errorf("%s: %q: error %v, want an *ExistsError", t.name, ix, err)
		return
	}
	if exists.Index != ix {
		tb.Errorf("%s: the error names the index %q, want %q", t.name, exists.Index, ix)
	}
}

// lacksOthers checks that a refused record, the full record 4 but for one key,
// left nothing behind.
func lacksOthers(tb testing.TB, tx *affiliate.Tx, t table, but affiliate.Index) {
	tb.Helper()
	t.lacks(tb, tx, t.full(4))
	for _, ix := range t.unique() {
		if key := keyOf(t.full(4), ix); ix != but {
			if _, err := t.in(tx).Find(key); !errors.Is(err, affiliate.ErrNotFound) {
				tb.Errorf("%s: Find %s of the refused record: error %v, want %v", t.name, ix, err, affiliate.ErrNotFound)
			}
		}
	}
}

func usableCases() []storeCase {
	const rule = "after ErrExists or ErrNotFound the same transaction goes on and commits"
	return []storeCase{
		{"after Insert", rule, goesOn(func(t table, tx *affiliate.Tx) error {
			return t.in(tx).Insert(withID(t.full(4), t.full(1).RecordID()))
		})},
		{"after Insert of a key", rule, goesOn(func(t table, tx *affiliate.Tx) error {
			for _, ix := range t.unique() {
				if err := t.in(tx).Insert(withKey(t.full(4), t.full(1), ix)); !errors.Is(err, affiliate.ErrExists) {
					return err
				}
			}
			return affiliate.ErrExists
		})},
		{"after Replace", rule, goesOn(func(t table, tx *affiliate.Tx) error {
			for _, ix := range t.unique() {
				rec := withKey(withID(t.full(4), t.full(2).RecordID()), t.full(1), ix)
				if err := t.in(tx).Replace(rec); !errors.Is(err, affiliate.ErrExists) {
					return err
				}
			}
			return affiliate.ErrExists
		})},
		{"after ErrNotFound", rule, goesOn(func(t table, tx *affiliate.Tx) error {
			missing := t.full(9)
			for _, ix := range t.unique() {
				if _, err := t.in(tx).Find(keyOf(missing, ix)); !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
			}
			_, err := t.in(tx).Get(missing.RecordID())
			for _, err := range []error{err, t.in(tx).Replace(missing), t.in(tx).Delete(missing.RecordID())} {
				if !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
			}
			return affiliate.ErrNotFound
		})},
	}
}

// goesOn makes a case in which every table has a miss between two writes. The
// miss returns ErrExists or ErrNotFound when all was as it should.
func goesOn(miss func(t table, tx *affiliate.Tx) error) func(tb testing.TB, s affiliate.Store) {
	return func(tb testing.TB, s affiliate.Store) {
		update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
		update(tb, s, func(tx *affiliate.Tx) error {
			for _, t := range tables() {
				if err := t.insert(tx, t.full(2)); err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				if err := miss(t, tx); !errors.Is(err, affiliate.ErrExists) && !errors.Is(err, affiliate.ErrNotFound) {
					return fmt.Errorf("%s: the miss itself: %w", t.name, err)
				}
				if err := t.insert(tx, t.full(3)); err != nil {
					return fmt.Errorf("%s: after the miss: %w", t.name, err)
				}
				if err := t.in(tx).Delete(t.full(1).RecordID()); err != nil {
					return fmt.Errorf("%s: after the miss: %w", t.name, err)
				}
				t.holds(tb, tx, t.fulls(2, 3)...)
			}
			_, err := tx.Next(affiliate.SaleSequence)
			return err
		})
		view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 2, 3) })
	}
}

func aliasingCases() []storeCase {
	const given = "changing a record after it was given to the store changes nothing that is stored"
	const returned = "changing a record that was returned changes nothing that is stored"
	return []storeCase{
		{"inserted", given, func(tb testing.TB, s affiliate.Store) {
			keepsOwn(tb, s, func(t table, tx *affiliate.Tx) (record, error) {
				rec := t.full(2)
				return rec, t.in(tx).Insert(rec)
			})
		}},
		{"replaced", given, func(tb testing.TB, s affiliate.Store) {
			keepsOwn(tb, s, func(t table, tx *affiliate.Tx) (record, error) {
				rec := t.full(2)
				return rec, errors.Join(t.insert(tx, withID(t.full(3), rec.RecordID())), t.in(tx).Replace(rec))
			})
		}},
		{"by Get", returned, aliasOf(func(t table, tx *affiliate.Tx) (record, error) { return t.in(tx).Get(t.full(1).RecordID()) })},
		{"by Find", returned, aliasOf(func(t table, tx *affiliate.Tx) (record, error) {
			for _, ix := range t.unique() {
				return t.in(tx).Find(keyOf(t.full(1), ix))
			}
			return t.in(tx).Get(t.full(1).RecordID())
		})},
		{"by List", returned, aliasOf(func(t table, tx *affiliate.Tx) (record, error) { return only(t.in(tx).List(affiliate.Query{})) })},
		{"by List with a key", returned, aliasOf(func(t table, tx *affiliate.Tx) (record, error) {
			for _, key := range keysOf(t.full(1)) {
				if !key.Index.Unique() {
					return only(t.in(tx).List(affiliate.Query{Key: key}))
				}
			}
			return only(t.in(tx).List(affiliate.Query{}))
		})},
		{"then a rollback", "a record that was changed after it was replaced, or returned, is rolled back to what it was", func(tb testing.TB, s affiliate.Store) {
			update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
			refuse(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					got, err := t.in(tx).Get(t.full(1).RecordID())
					if err != nil {
						return err
					}
					scribble(got)
					next := withID(t.full(2), got.RecordID())
					if err := t.in(tx).Replace(next); err != nil {
						return err
					}
					scribble(next)
				}
				return nil
			})
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1) })
		}},
	}
}

// only is the one record of a list.
func only(list func(yield func(record, error) bool)) (record, error) {
	all, err := collect(list)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d records, want 1", len(all))
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// keepsOwn scribbles over the full record 2 once write has given it to the
// store.
func keepsOwn(tb testing.TB, s affiliate.Store, write func(t table, tx *affiliate.Tx) (record, error)) {
	tb.Helper()
	var given []record
	update(tb, s, func(tx *affiliate.Tx) error {
		given = nil
		for i, t := range tables() {
			rec, err := write(t, tx)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			if i%2 == 0 { // the others are scribbled over after the commit
				scribble(rec)
				t.holds(tb, tx, t.full(2))
			}
			given = append(given, rec)
		}
		return nil
	})
	for _, rec := range given {
		scribble(rec)
	}
	view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 2) })
}

// aliasOf makes a case that scribbles over what read returns for the full
// record 1, in a View and in an Update, and looks again.
func aliasOf(read func(t table, tx *affiliate.Tx) (record, error)) func(tb testing.TB, s affiliate.Store) {
	return func(tb testing.TB, s affiliate.Store) {
		update(tb, s, func(tx *affiliate.Tx) error { return insertAll(tx, 1) })
		for _, run := range []method{s.View, s.Update} {
			err := run(tb.Context(), home, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					rec, err := read(t, tx)
					if err != nil {
						return fmt.Errorf("%s: %w", t.name, err)
					}
					scribble(rec)
					t.holds(tb, tx, t.full(1))
				}
				return nil
			})
			if err != nil {
				tb.Fatal(err)
			}
			view(tb, s, func(tx *affiliate.Tx) { holdsAll(tb, tx, 1) })
		}
	}
}

func timesCases() []storeCase {
	const rule = "every field survives unchanged"
	return []storeCase{
		{"full", rule, survives(func(t table) record { return t.full(1) })},
		{"another", rule, survives(func(t table) record { return t.full(200) })},
		{"sparse", "zero times, ids, texts and lists survive", survives(func(t table) record { return t.sparse(1) })},
		{"null", "an Opt that is null does not become one that was not given", survives(func(t table) record { return t.nulls(1) })},
		{"largest", "the largest int64 survives in every field", survives(func(t table) record { return t.numbers(math.MaxInt64) })},
		{"smallest", "the smallest int64 survives in every field", survives(func(t table) record { return t.numbers(math.MinInt64) })},
		{"first instant", "the first microsecond of the year 1 survives", survives(at(time.Date(1, 1, 1, 0, 0, 0, 1_000, time.UTC)))},
		{"last instant", "the last microsecond of the year 9999 survives", survives(at(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)))},
		{"before 1970", "an instant before 1970 keeps its microseconds", survives(at(time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)))},
		{"no bytes", "a list of bytes may be empty", survives(func(t table) record {
			return edit(t.full(1), func(p any) bool {
				if raw, ok := p.(*[]byte); ok {
					*raw = []byte{}
				}
				return false
			})
		})},
	}
}

// at fills every instant of a record with t.
func at(instant time.Time) func(t table) record {
	return func(t table) record {
		return edit(t.full(1), func(p any) bool {
			if own, ok := p.(*time.Time); ok {
				*own = instant
			}
			return false
		})
	}
}

// survives makes a case that puts one record into each table, by Insert and by
// Replace, and compares what comes back.
func survives(rec func(t table) record) func(tb testing.TB, s affiliate.Store) {
	return func(tb testing.TB, s affiliate.Store) {
		update(tb, s, func(tx *affiliate.Tx) error {
			for _, t := range tables() {
				if err := t.insert(tx, rec(t)); err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				t.holds(tb, tx, rec(t))
			}
			return nil
		})
		view(tb, s, func(tx *affiliate.Tx) { holdsEach(tb, tx, rec) })
		update(tb, s, func(tx *affiliate.Tx) error {
			for _, t := range tables() {
				id := rec(t).RecordID()
				if err := errors.Join(t.in(tx).Replace(withID(t.full(7), id)), t.in(tx).Replace(rec(t))); err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
			}
			return nil
		})
		view(tb, s, func(tx *affiliate.Tx) { holdsEach(tb, tx, rec) })
	}
}

// holdsEach checks that each table holds one record.
func holdsEach(tb testing.TB, tx *affiliate.Tx, rec func(t table) record) {
	tb.Helper()
	for _, t := range tables() {
		t.holds(tb, tx, rec(t))
	}
}

func completeCases() []storeCase {
	return append([]storeCase{
		{"no field is nil", "every table of Tx, and Next, is there in View and in Update", func(tb testing.TB, s affiliate.Store) {
			for _, run := range []method{s.View, s.Update} {
				err := run(tb.Context(), home, func(tx *affiliate.Tx) error {
					v := reflect.ValueOf(*tx)
					for i := range v.NumField() {
						if v.Field(i).IsNil() {
							tb.Errorf("Tx.%s is nil", v.Type().Field(i).Name)
						}
					}
					return nil
				})
				if err != nil {
					tb.Error(err)
				}
			}
		}},
		{"round trip", "every table keeps its record: Insert, Replace, Delete", func(tb testing.TB, s affiliate.Store) {
			for _, t := range tables() {
				update(tb, s, func(tx *affiliate.Tx) error { return t.insert(tx, t.fulls(1, 2, 3)...) })
				view(tb, s, func(tx *affiliate.Tx) { t.holds(tb, tx, t.fulls(1, 2, 3)...) })
				moved := withID(t.full(4), t.full(2).RecordID())
				update(tb, s, func(tx *affiliate.Tx) error { return t.in(tx).Replace(moved) })
				view(tb, s, func(tx *affiliate.Tx) { t.holds(tb, tx, t.full(1), moved, t.full(3)) })
				update(tb, s, func(tx *affiliate.Tx) error { return t.in(tx).Delete(moved.RecordID()) })
				view(tb, s, func(tx *affiliate.Tx) {
					t.holds(tb, tx, t.fulls(1, 3)...)
					t.lacks(tb, tx, t.fulls(2, 4)...)
				})
			}
		}},
		{"absent", "an id that was never there is ErrNotFound in every table", func(tb testing.TB, s affiliate.Store) {
			view(tb, s, func(tx *affiliate.Tx) {
				for _, t := range tables() {
					t.holds(tb, tx)
					t.lacks(tb, tx, t.full(1))
				}
			})
			update(tb, s, func(tx *affiliate.Tx) error {
				for _, t := range tables() {
					absent(tb, tx, t)
				}
				return nil
			})
		}},
		{"schema", "records emit the indexes of the schema, in its order, and no others", func(tb testing.TB, s affiliate.Store) {
			for i, schema := range affiliate.Schema() {
				t := tables()[i]
				var emitted []affiliate.Index
				for _, key := range keysOf(t.full(1)) {
					emitted = append(emitted, key.Index)
					if key.Index.IsID() != (key.ID != uuid.Nil) || key.Index.IsID() != (key.Text == "") {
						tb.Errorf("%s: the key of %s is %+v", t.name, key.Index, key)
					}
				}
				if d := diff(schema, affiliate.TableSchema{Name: t.name, Indexes: emitted}); d != "" {
					tb.Errorf("schema (-want +got):\n%s", d)
				}
			}
		}},
	}, nextCases()...)
}
