package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func existsCases() []storeCase {
	const rule = "a clash is an *ExistsError with the name of the index, and changes nothing"
	return []storeCase{
		{"id", "a taken id is an *ExistsError without an index, and changes nothing", func(tb testing.TB, s record.Store) {
			inAndAfter(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					clashes(tb, t, t.In(tx).Insert(withID(t.full(4), t.full(1).RecordID())), "")
					t.holds(tb, tx, t.fulls(1, 2)...)
					t.lacksKeys(tb, tx, t.full(4))
				}
			})
		}},
		{"same record", "where the id and keys are taken, the id counts", func(tb testing.TB, s record.Store) {
			inAndAfter(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					clashes(tb, t, t.In(tx).Insert(t.full(1)), "")
				}
			})
		}},
		{"key on Insert", rule, func(tb testing.TB, s record.Store) {
			inAndAfter(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					for _, ix := range t.unique() {
						clashes(tb, t, t.In(tx).Insert(withKey(t.full(4), t.full(1), ix)), ix)
						t.holds(tb, tx, t.fulls(1, 2)...)
						lacksOthers(tb, tx, t, ix)
					}
				}
			})
		}},
		{"key on Replace", rule, func(tb testing.TB, s record.Store) {
			inAndAfter(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					for _, ix := range t.unique() {
						rec := withKey(withID(t.full(4), t.full(2).RecordID()), t.full(1), ix)
						clashes(tb, t, t.In(tx).Replace(rec), ix)
						t.holds(tb, tx, t.fulls(1, 2)...)
						lacksOthers(tb, tx, t, ix)
					}
				}
			})
		}},
		{"own keys", "a record does not clash with itself", func(tb testing.TB, s record.Store) {
			inAndAfter(tb, s, func(tx *record.Tx) {
				for _, t := range tables() {
					if err := t.In(tx).Replace(t.full(1)); err != nil {
						tb.Errorf("%s: Replace by the same: %v", t.Name, err)
					}
					t.holds(tb, tx, t.fulls(1, 2)...)
				}
			})
		}},
		{"no key", "records without a value have no key to clash with", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error {
				for _, t := range tables() {
					if err := t.insert(tx, t.sparse(1), t.sparse(2)); err != nil {
						return fmt.Errorf("%s: %w", t.Name, err)
					}
					t.holds(tb, tx, t.sparse(1), t.sparse(2))
				}
				return nil
			})
		}},
		{"other table", "the same ids and keys in two tables do not meet", func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error {
				id := numbered(1)
				return errors.Join(
					tx.Coupons.Insert(record.Coupon{ID: id, Name: "x", ExternalID: "x"}),
					tx.Codes.Insert(record.Code{ID: id, CouponID: id, Code: "x", ExternalID: "x"}),
					tx.Sales.Insert(record.Sale{ID: id, AffiliateID: id, Number: 1, ExternalID: "x", InvoiceID: "x"}),
					tx.Affiliates.Insert(record.Affiliate{ID: id, Email: "x"}),
					tx.Referrals.Insert(record.Referral{ID: id, AffiliateID: id, Email: "x"}),
					tx.Clicks.Insert(record.Click{ID: id, AffiliateID: id, Number: 1}))
			})
		}},
	}
}

// inAndAfter inserts the full records 1 and 2 into every table, and runs fn in
// the same transaction and in the next one.
func inAndAfter(tb testing.TB, s record.Store, fn func(tx *record.Tx)) {
	tb.Helper()
	update(tb, s, func(tx *record.Tx) error {
		err := insertAll(tx, 1, 2)
		if err == nil {
			fn(tx)
		}
		return err
	})
	update(tb, s, func(tx *record.Tx) error { fn(tx); return nil })
	view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 1, 2) })
}

// clashes checks the error of a clash.
func clashes(tb testing.TB, t table, err error, ix record.Index) {
	tb.Helper()
	exists, ok := errors.AsType[*record.ExistsError](err)
	if !ok || !errors.Is(err, record.ErrExists) {
		tb.Errorf("%s: %q: error %v, want an *ExistsError", t.Name, ix, err)
		return
	}
	if exists.Index != ix {
		tb.Errorf("%s: the error names the index %q, want %q", t.Name, exists.Index, ix)
	}
}

// lacksOthers checks that a refused record left nothing behind. The record is
// the full record 4 with one key of another record.
func lacksOthers(tb testing.TB, tx *record.Tx, t table, but record.Index) {
	tb.Helper()
	t.lacks(tb, tx, t.full(4))
	for _, ix := range t.unique() {
		if key := keyOf(t.full(4), ix); ix != but {
			if _, err := t.In(tx).Find(key); !errors.Is(err, affiliate.ErrNotFound) {
				tb.Errorf("%s: Find %s of the refused record: error %v, want %v", t.Name, ix, err,
					affiliate.ErrNotFound)
			}
		}
	}
}

func usableCases() []storeCase {
	const rule = "after ErrExists or ErrNotFound the same transaction goes on and commits"
	return []storeCase{
		{"after Insert", rule, goesOn(func(t table, tx *record.Tx) error {
			return t.In(tx).Insert(withID(t.full(4), t.full(1).RecordID()))
		})},
		{"after Insert of a key", rule, goesOn(func(t table, tx *record.Tx) error {
			for _, ix := range t.unique() {
				if err := t.In(tx).Insert(withKey(t.full(4), t.full(1), ix)); !errors.Is(err, record.ErrExists) {
					return err
				}
			}
			return record.ErrExists
		})},
		{"after Replace", rule, goesOn(func(t table, tx *record.Tx) error {
			for _, ix := range t.unique() {
				rec := withKey(withID(t.full(4), t.full(2).RecordID()), t.full(1), ix)
				if err := t.In(tx).Replace(rec); !errors.Is(err, record.ErrExists) {
					return err
				}
			}
			return record.ErrExists
		})},
		{"after ErrNotFound", rule, goesOn(func(t table, tx *record.Tx) error {
			missing := t.full(9)
			for _, ix := range t.unique() {
				if _, err := t.In(tx).Find(keyOf(missing, ix)); !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
			}
			_, err := t.In(tx).Get(missing.RecordID())
			for _, err := range []error{err, t.In(tx).Replace(missing), t.In(tx).Delete(missing.RecordID())} {
				if !errors.Is(err, affiliate.ErrNotFound) {
					return err
				}
			}
			return affiliate.ErrNotFound
		})},
	}
}

// goesOn makes a case in which every table has a miss between two writes. The
// miss returns ErrExists or ErrNotFound when it went as it should.
func goesOn(miss func(t table, tx *record.Tx) error) func(tb testing.TB, s record.Store) {
	return func(tb testing.TB, s record.Store) {
		update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) })
		update(tb, s, func(tx *record.Tx) error {
			for _, t := range tables() {
				if err := t.insert(tx, t.full(2)); err != nil {
					return fmt.Errorf("%s: %w", t.Name, err)
				}
				if err := miss(t, tx); !errors.Is(err, record.ErrExists) && !errors.Is(err, affiliate.ErrNotFound) {
					return fmt.Errorf("%s: the miss itself: %w", t.Name, err)
				}
				if err := t.insert(tx, t.full(3)); err != nil {
					return fmt.Errorf("%s: after the miss: %w", t.Name, err)
				}
				if err := t.In(tx).Delete(t.full(1).RecordID()); err != nil {
					return fmt.Errorf("%s: after the miss: %w", t.Name, err)
				}
				t.holds(tb, tx, t.fulls(2, 3)...)
			}
			_, err := tx.Next(record.SaleSequence)
			return err
		})
		view(tb, s, func(tx *record.Tx) { holdsAll(tb, tx, 2, 3) })
	}
}
