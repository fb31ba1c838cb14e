package conformance

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Some serial order satisfies each of these conflicts. So a store may neither
// break the invariant nor give up.
const (
	workers = 8
	each    = 20 // transactions of each worker
)

func serializableCases() []storeCase {
	return []storeCase{
		{"lost update", "concurrent increments of one counter all count", lostUpdate},
		{"increment by key", "concurrent increments of a record that is found by its key all count", incrementByKey},
		{"write skew",
			"two transactions that each read what the other writes do not both go by the old state",
			writeSkew},
		{"phantom", "a transaction that counts a list and adds to it does not miss what another adds", phantom},
		{"unique race",
			"of concurrent inserts with one key exactly one wins, the others get an ExistsError",
			uniqueRace},
		{"id race", "of concurrent inserts with one id exactly one wins, the others get an ExistsError", idRace},
		{"delete race",
			"of concurrent deletes of one record exactly one succeeds, the others get ErrNotFound",
			deleteRace},
		{"transfer", "money that concurrent transactions move between accounts is neither made nor lost", transfer},
	}
}

func lostUpdate(tb testing.TB, s record.Store) {
	one := numbered(1)
	update(tb, s, func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: one}) })
	concurrently(tb, s, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(one)
		if err != nil {
			return err
		}
		rec.Clicks++
		return tx.Totals.Replace(rec)
	})
	view(tb, s, func(tx *record.Tx) {
		if rec, err := tx.Totals.Get(one); err != nil || rec.Clicks != workers*each {
			tb.Errorf("after %d increments the counter is %d, error %v", workers*each, rec.Clicks, err)
		}
	})
}

func incrementByKey(tb testing.TB, s record.Store) {
	key := record.Key{Index: record.ByExternalID, Text: "promo_1"}
	update(tb, s, func(tx *record.Tx) error {
		return tx.Codes.Insert(record.Code{ID: numbered(1), CouponID: numbered(2), Code: "SAVE", ExternalID: key.Text})
	})
	concurrently(tb, s, func(tx *record.Tx) error {
		rec, err := tx.Codes.Find(key)
		if err != nil {
			return err
		}
		rec.TimesRedeemed++
		return tx.Codes.Replace(rec)
	})
	view(tb, s, func(tx *record.Tx) {
		if rec, err := tx.Codes.Find(key); err != nil || rec.TimesRedeemed != workers*each {
			tb.Errorf("after %d increments the counter is %d, error %v", workers*each, rec.TimesRedeemed, err)
		}
	})
}

// concurrently runs fn in an Update, as often as each says, in every worker.
func concurrently(tb testing.TB, s record.Store, fn func(tx *record.Tx) error) {
	tb.Helper()
	together(tb, workers, func(int) error {
		for range each {
			if err := s.Update(tb.Context(), home, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSkew has two doctors who each leave only while the other one is still
// there.
func writeSkew(tb testing.TB, s record.Store) {
	const rounds = 10
	for round := range rounds {
		doctors := []uuid.UUID{numbered(2 * round), numbered(2*round + 1)}
		update(tb, s, func(tx *record.Tx) error {
			return errors.Join(tx.Totals.Insert(record.Totals{ID: doctors[0], Clicks: 1}),
				tx.Totals.Insert(record.Totals{ID: doctors[1], Clicks: 1}))
		})
		together(tb, len(doctors), func(worker int) error {
			return s.Update(tb.Context(), home, func(tx *record.Tx) error {
				other, err := tx.Totals.Get(doctors[1-worker])
				if err != nil || other.Clicks == 0 {
					return err
				}
				return tx.Totals.Replace(record.Totals{ID: doctors[worker]})
			})
		})
		view(tb, s, func(tx *record.Tx) {
			first, err1 := tx.Totals.Get(doctors[0])
			second, err2 := tx.Totals.Get(doctors[1])
			if err := errors.Join(err1, err2); err != nil || first.Clicks+second.Clicks != 1 {
				tb.Errorf("round %d: %d of the two are left, want 1; error %v", round, first.Clicks+second.Clicks, err)
			}
		})
	}
}

func phantom(tb testing.TB, s record.Store) {
	const limit, rounds = 3, 5
	for round := range rounds {
		parent := record.Key{Index: record.OfCode, ID: numbered(round + 1)}
		together(tb, workers, func(worker int) error {
			return s.Update(tb.Context(), home, func(tx *record.Tx) error {
				children, err := collect(tx.Redemptions.List(record.Query{Key: parent}))
				if err != nil || len(children) >= limit {
					return err
				}
				return tx.Redemptions.Insert(record.Redemption{ID: numbered(round*workers + worker),
					CodeID: parent.ID, CouponID: numbered(1)})
			})
		})
		view(tb, s, func(tx *record.Tx) {
			if children, err := collect(tx.Redemptions.List(record.Query{Key: parent})); err != nil || len(children) != limit {
				tb.Errorf("round %d: %d children, want %d; error %v", round, len(children), limit, err)
			}
		})
	}
}

// race runs fn in every worker at once. It must succeed for one of them and
// return the error lost to all others.
func race(tb testing.TB, s record.Store, lost error, fn func(tx *record.Tx, worker int) error) {
	tb.Helper()
	var won atomic.Int64
	together(tb, workers, func(worker int) error {
		err := s.Update(tb.Context(), home, func(tx *record.Tx) error { return fn(tx, worker) })
		if err == nil {
			won.Add(1)
		}
		if err != nil && !errors.Is(err, lost) {
			return err
		}
		return nil
	})
	if n := won.Load(); n != 1 {
		tb.Errorf("%d of %d succeeded, want 1", n, workers)
	}
}

func uniqueRace(tb testing.TB, s record.Store) {
	race(tb, s, record.ErrExists, func(tx *record.Tx, worker int) error {
		return tx.Coupons.Insert(record.Coupon{ID: numbered(worker + 1), Name: "Spring", ExternalID: "promo_1"})
	})
	view(tb, s, func(tx *record.Tx) {
		if all, err := collect(tx.Coupons.List(record.Query{})); err != nil || len(all) != 1 {
			tb.Errorf("%d records hold the key, want 1; error %v", len(all), err)
		}
	})
}

func idRace(tb testing.TB, s record.Store) {
	race(tb, s, record.ErrExists, func(tx *record.Tx, worker int) error {
		return tx.Totals.Insert(record.Totals{ID: numbered(1), Clicks: int64(worker)})
	})
}

func deleteRace(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error { return tx.Totals.Insert(record.Totals{ID: numbered(1)}) })
	race(tb, s, affiliate.ErrNotFound, func(tx *record.Tx, _ int) error { return tx.Totals.Delete(numbered(1)) })
}

func transfer(tb testing.TB, s record.Store) {
	update(tb, s, openAccounts)
	together(tb, workers, func(worker int) error {
		for i := range each {
			from, to := (worker+i)%accounts, (worker+2*i+1)%accounts
			if from == to {
				continue
			}
			if err := s.Update(tb.Context(), home, func(tx *record.Tx) error { return pay(tx, from, to, int64(1+i%7)) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.View(tb.Context(), home, total); err != nil {
		tb.Error(err)
	}
}
