package conformance

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func earlyStop(tb testing.TB, s record.Store) {
	const n = 300
	ids := firstIDs(n)
	insertShuffled(tb, s, ids)
	update(tb, s, func(tx *record.Tx) error {
		for _, key := range []record.Key{{}, oddKey} {
			for stop := 1; stop < n/2; stop *= 3 {
				seen := 0
				for _, err := range tx.Redemptions.List(record.Query{Key: key}) {
					if seen++; err != nil || seen == stop {
						break
					}
				}
				if seen != stop {
					tb.Errorf("the list stopped after %d records, want %d", seen, stop)
				}
			}
		}
		again := tx.Redemptions.List(record.Query{})
		for range 2 { // a list is a sequence: it can be walked again
			if recs, err := collect(again); err != nil || len(recs) != n {
				tb.Errorf("List: %d records, error %v, want %d", len(recs), err, n)
			}
		}
		return tx.Redemptions.Delete(ids[n-1])
	})
	queries(tb, s, ids[:n-1], []record.Query{{}})
}

func readsWhileListing(tb testing.TB, s record.Store) {
	const n = 20
	ids := firstIDs(n)
	insertShuffled(tb, s, ids)
	update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 250) })
	for _, run := range []method{s.View, s.Update} {
		err := run(tb.Context(), home, func(tx *record.Tx) error {
			i := 0
			for rec, err := range tx.Redemptions.List(record.Query{Limit: n}) {
				if err != nil || rec.ID != ids[i] {
					return fmt.Errorf("record %d is %s, error %w", i, rec.ID, err)
				}
				answers(tb, tx, record.Query{Key: oddKey, Limit: 3}, []uuid.UUID{ids[1], ids[3], ids[5]})
				for _, t := range tables() {
					t.same(tb, "Get", t.full(250), must(t.In(tx).Get(t.full(250).RecordID())), nil)
					for _, ix := range t.unique() {
						t.same(tb, "Find", t.full(250), must(t.In(tx).Find(keyOf(t.full(250), ix))), nil)
					}
				}
				i++
			}
			if i != n {
				return fmt.Errorf("the list ended after %d records, want %d", i, n)
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// must returns the record, or nil when there was an error.
func must(rec record.AnyRecord, err error) record.AnyRecord {
	if err != nil {
		return nil
	}
	return rec
}

// A disturbance is a write while a List stands at a record. Records are ten
// apart, and step leads to the next one.
type disturbance struct {
	name    string
	write   func(tx *record.Tx, at, step int) error
	deletes func(at, step int) int // the record it deletes; 0: none
}

func disturbances() []disturbance {
	none := func(int, int) int { return 0 }
	return []disturbance{
		{"insert ahead", func(tx *record.Tx, at, step int) error {
			return tx.Redemptions.Insert(redemption(numbered(at+step/2), oddKey))
		}, none},
		{"insert far ahead", func(tx *record.Tx, at, step int) error {
			return tx.Redemptions.Insert(redemption(numbered(at+step*40+step/2), oddKey))
		}, none},
		{"insert behind", func(tx *record.Tx, at, step int) error {
			return tx.Redemptions.Insert(redemption(numbered(at-step/2), oddKey))
		}, none},
		{"replace the current", func(tx *record.Tx, at, _ int) error {
			return tx.Redemptions.Replace(redemption(numbered(at), evenKey))
		}, none},
		{"move the current to another key", func(tx *record.Tx, at, _ int) error {
			rec := redemption(numbered(at), oddKey)
			rec.CouponID = oddKey.ID
			rec.CodeID = couponKey.ID
			return tx.Redemptions.Replace(rec)
		}, none},
		{"delete the current", func(tx *record.Tx, at, _ int) error {
			return tx.Redemptions.Delete(numbered(at))
		}, func(at, _ int) int { return at }},
		{"delete and insert the current", func(tx *record.Tx, at, _ int) error {
			return errors.Join(tx.Redemptions.Delete(numbered(at)),
				tx.Redemptions.Insert(redemption(numbered(at), oddKey)))
		}, none},
		{"delete the next", func(tx *record.Tx, at, step int) error {
			if (at/10)%3 != 0 {
				return nil
			}
			return ignoreAbsent(tx.Redemptions.Delete(numbered(at + step)))
		}, func(at, step int) int {
			if (at/10)%3 != 0 {
				return 0
			}
			return at + step
		}},
		{"delete the one before", func(tx *record.Tx, at, step int) error {
			return ignoreAbsent(tx.Redemptions.Delete(numbered(at - step)))
		}, func(at, step int) int { return at - step }},
		{"next number", func(tx *record.Tx, _, _ int) error {
			_, err := tx.Next(record.SaleSequence)
			return err
		}, none},
	}
}

// ignoreAbsent drops ErrNotFound: the first record has none before it, and the
// last none after it.
func ignoreAbsent(err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	return err
}

// writesWhileListing makes each disturbance at each record of a list. The list
// may or may not show what is inserted or deleted ahead of it. Everything else
// must come once, and in order.
func writesWhileListing(tb testing.TB, s record.Store, q record.Query) {
	const first, n = 1_000, 150
	for _, d := range disturbances() {
		update(tb, s, func(tx *record.Tx) error {
			if err := clearRedemptions(tx); err != nil {
				return err
			}
			for i := range n {
				if err := tx.Redemptions.Insert(redemption(numbered(first+10*i), keyAt(i))); err != nil {
					return err
				}
			}
			return nil
		})
		update(tb, s, func(tx *record.Tx) error {
			if err := d.disturb(tx, q, first, n); err != nil {
				tb.Errorf("%s: %v", d.name, err)
			}
			return nil
		})
	}
}

// disturb walks the list over n records, beginning with first, and writes at
// each.
func (d disturbance) disturb(tx *record.Tx, q record.Query, first, n int) error {
	step := 10
	if q.Desc {
		step = -step
	}
	seen, deleted := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	var last uuid.UUID
	for rec, err := range tx.Redemptions.List(q) {
		if err != nil {
			return err
		}
		if last != uuid.Nil && step*compareIDs(rec.ID, last) <= 0 {
			return fmt.Errorf("%s comes after %s", rec.ID, last)
		}
		last = rec.ID
		seen[rec.ID] = true
		at := int(rec.ID[0])<<16 | int(rec.ID[1])<<8 | int(rec.ID[2])
		if at%10 != 0 {
			continue // inserted by the disturbance
		}
		if err := d.write(tx, at, step); err != nil {
			return fmt.Errorf("write at %d: %w", at, err)
		}
		deleted[numbered(d.deletes(at, step))] = true
	}
	for i := range n {
		if id := numbered(first + 10*i); !seen[id] && !deleted[id] {
			return fmt.Errorf("record %d is missing from the list", first+10*i)
		}
	}
	return nil
}

// clearRedemptions deletes every record of the table.
func clearRedemptions(tx *record.Tx) error {
	recs, err := collect(tx.Redemptions.List(record.Query{}))
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if err := tx.Redemptions.Delete(rec.ID); err != nil {
			return err
		}
	}
	return nil
}

func deletesAllWhileListing(tb testing.TB, s record.Store) {
	const n = 150
	ids := firstIDs(n)
	for _, q := range []record.Query{{}, {Desc: true}, {Key: couponKey}, {Key: couponKey, Desc: true}} {
		insertShuffled(tb, s, ids)
		update(tb, s, func(tx *record.Tx) error {
			seen := 0
			for _, err := range tx.Redemptions.List(q) {
				if err != nil {
					return err
				}
				if seen++; seen > 1 {
					continue
				}
				for _, id := range ids {
					if err := tx.Redemptions.Delete(id); err != nil {
						return err
					}
				}
			}
			answers(tb, tx, record.Query{Key: q.Key}, nil)
			return nil
		})
	}
}
