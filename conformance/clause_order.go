package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// The order is tested on redemptions: small records with two shared indexes.
// Records with odd numbers belong to one code, the others to another code; all
// belong to one coupon.
var (
	oddKey    = record.Key{Index: record.OfCode, ID: uuid.UUID{0: 0xee, 15: 1}}
	evenKey   = record.Key{Index: record.OfCode, ID: uuid.UUID{0: 0xee, 15: 2}}
	couponKey = record.Key{Index: record.OfCoupon, ID: uuid.UUID{0: 0xee, 15: 1}}
)

func redemption(id uuid.UUID, key record.Key) record.Redemption {
	return record.Redemption{ID: id, CodeID: key.ID, CouponID: couponKey.ID}
}

func orderCases() []storeCase {
	return []storeCase{
		{"out of order", "List goes by id, bytes compared, whatever the order of the inserts; Desc reverses", func(tb testing.TB, s record.Store) {
			ids := scattered()
			insertShuffled(tb, s, ids)
			queries(tb, s, ids, []record.Query{{}, {Desc: true}})
		}},
		{"every table", "List of every table and index goes by id", everyTableInOrder},
		{"After", "After is exclusive, also for an id that is not there, first or last", func(tb testing.TB, s record.Store) {
			ids := scattered()
			insertShuffled(tb, s, ids)
			var qs []record.Query
			for _, id := range append(ids, between()...) {
				qs = append(qs, record.Query{After: id}, record.Query{After: id, Desc: true},
					record.Query{After: id, Limit: 2}, record.Query{After: id, Limit: 2, Desc: true})
			}
			queries(tb, s, ids, qs)
		}},
		{"Limit", "Limit bounds the list; 0 is no limit", func(tb testing.TB, s record.Store) {
			ids := scattered()
			insertShuffled(tb, s, ids)
			var qs []record.Query
			for limit := range len(ids) + 2 {
				qs = append(qs, record.Query{Limit: limit}, record.Query{Limit: limit, Desc: true})
			}
			queries(tb, s, ids, qs)
		}},
		{"empty", "a list of nothing yields nothing", func(tb testing.TB, s record.Store) {
			queries(tb, s, nil,
				[]record.Query{{}, {Desc: true}, {Limit: 3}, {After: numbered(1)},
					{After: numbered(1), Desc: true}})
		}},
		{"many", "a long list with holes is complete and in order, from any place and by pages", manyInOrder},
		{"moved", "a record that moves to another key leaves one list and enters the other in its place", movedInOrder},
		{"early stop", "the caller may stop early; the transaction goes on", earlyStop},
		{"reads while listing", "a List may run inside another one, and beside Get and Find", readsWhileListing},
		{"writes while listing", "a write does not disturb a running List",
			func(tb testing.TB, s record.Store) { writesWhileListing(tb, s, record.Query{}) }},
		{"writes while listing, Desc", "a write does not disturb a running List",
			func(tb testing.TB, s record.Store) {
				writesWhileListing(tb, s,
					record.Query{Desc: true})
			}},
		{"writes while listing by key", "a write does not disturb a running List", func(tb testing.TB, s record.Store) {
			writesWhileListing(tb, s, record.Query{Key: couponKey})
		}},
		{"writes while listing by key, Desc", "a write does not disturb a running List", func(tb testing.TB, s record.Store) {
			writesWhileListing(tb, s, record.Query{Key: couponKey, Desc: true})
		}},
		{"deletes all while listing", "a List whose records are all deleted ends without an error",
			deletesAllWhileListing},
	}
}

// scattered returns sorted ids that differ in the first, the last or a middle
// byte, with values below and above 0x80.
func scattered() []uuid.UUID {
	ids := []uuid.UUID{
		{15: 1}, {15: 0x7f}, {15: 0x80}, {15: 0xff}, {14: 1}, {8: 1}, {8: 0x80}, {7: 0xff, 8: 0xff}, {6: 1},
		{0: 1}, {0: 1, 15: 1}, {0: 1, 1: 0x80}, {0: 0x7f, 15: 0xff}, {0: 0x80}, {0: 0x80, 8: 0x7f},
		{0: 0x80, 8: 0x80}, {0: 0xfe, 15: 0xff},
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// between returns ids that scattered does not hold.
func between() []uuid.UUID {
	last := uuid.UUID{}
	for i := range last {
		last[i] = 0xff
	}
	return []uuid.UUID{{15: 2}, {15: 0x81}, {14: 0xff}, {8: 0x80, 15: 9}, {0: 2},
		{0: 0x7f, 15: 0xfe}, {0: 0x80, 8: 0x7f, 15: 1}, {0: 0xff}, last}
}

// insertShuffled inserts a record for each id, in a shuffled order.
func insertShuffled(tb testing.TB, s record.Store, ids []uuid.UUID) {
	tb.Helper()
	update(tb, s, func(tx *record.Tx) error {
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(ids)) {
			if err := tx.Redemptions.Insert(redemption(ids[i], keyAt(i))); err != nil {
				return err
			}
		}
		return nil
	})
}

func keyAt(i int) record.Key {
	if i%2 == 1 {
		return oddKey
	}
	return evenKey
}

// queries runs each query on the whole table and on each key, in a View and in
// an Update, and compares the answers with the ids, which are sorted.
func queries(tb testing.TB, s record.Store, ids []uuid.UUID, qs []record.Query) {
	tb.Helper()
	var odd, even []uuid.UUID
	for i, id := range ids {
		if keyAt(i) == oddKey {
			odd = append(odd, id)
		} else {
			even = append(even, id)
		}
	}
	lists := map[record.Key][]uuid.UUID{{}: ids, couponKey: ids, oddKey: odd, evenKey: even}
	for _, run := range []method{s.View, s.Update} {
		err := run(tb.Context(), home, func(tx *record.Tx) error {
			for key, of := range lists {
				for _, q := range qs {
					q.Key = key
					answers(tb, tx, q, of)
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// answers checks one query. of holds all ids that it may return, sorted.
func answers(tb testing.TB, tx *record.Tx, q record.Query, of []uuid.UUID) {
	tb.Helper()
	recs, err := collect(tx.Redemptions.List(q))
	if err != nil {
		tb.Errorf("List(%v): %v", q, err)
		return
	}
	got := make([]uuid.UUID, len(recs))
	for i, rec := range recs {
		got[i] = rec.ID
	}
	if want := selected(q, of); !slices.Equal(want, got) {
		tb.Errorf("List(after %s, limit %d, desc %v, key %s %s): %s", q.After, q.Limit, q.Desc,
			q.Key.Index, q.Key.ID, firstDifference(want, got))
	}
}

// firstDifference describes the first place where two lists differ. The lists
// are long.
func firstDifference(want, got []uuid.UUID) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("record %d is %s, want %s", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("%d records, want %d", len(got), len(want))
}

// selected returns the ids that a query selects from sorted ids.
func selected(q record.Query, of []uuid.UUID) []uuid.UUID {
	ids := slices.Clone(of)
	sign := 1
	if q.Desc {
		slices.Reverse(ids)
		sign = -1
	}
	if q.After != uuid.Nil {
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return sign*compareIDs(id, q.After) <= 0 })
	}
	if q.Limit > 0 && q.Limit < len(ids) {
		ids = ids[:q.Limit]
	}
	return ids
}

func everyTableInOrder(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error {
		if err := insertAll(tx, 130, 2, 255, 1, 128); err != nil {
			return err
		}
		holdsAll(tb, tx, 1, 2, 128, 130, 255)
		return nil
	})
	view(tb, s, func(tx *record.Tx) {
		for _, t := range tables() {
			t.lists(tb, tx, record.Query{}, t.fulls(1, 2, 128, 130, 255))
			t.lists(tb, tx, record.Query{Desc: true}, t.fulls(255, 130, 128, 2, 1))
			t.lists(tb, tx, record.Query{After: t.full(2).RecordID(), Limit: 2}, t.fulls(128, 130))
			t.lists(tb, tx, record.Query{After: t.full(129).RecordID(), Limit: 2, Desc: true}, t.fulls(128, 2))
		}
	})
}

func manyInOrder(tb testing.TB, s record.Store) {
	const n = 2_100 // past the borders of chunks of 500, 512, 1,000, 1,024 and 2,048
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = numbered(10 * (i + 1))
	}
	insertShuffled(tb, s, ids)
	qs := []record.Query{{}, {Desc: true}, {Limit: 1_000}, {Limit: 1_001, Desc: true}}
	for _, i := range []int{0, 499, 511, 999, 1_023, 1_999, n - 1} {
		qs = append(qs, record.Query{After: ids[i], Limit: 3}, record.Query{After: ids[i], Desc: true, Limit: 3},
			record.Query{After: numbered(10*i + 11), Limit: 130}, record.Query{After: numbered(10*i + 9), Desc: true, Limit: 130})
	}
	queries(tb, s, ids, qs)

	// Delete a run that is longer than a chunk, and single records on both sides
	// of it. They go in pairs, so that the rest still alternates between the
	// keys.
	gone := func(i int) bool { return i >= 600 && i < 1_500 || i%8 < 2 }
	update(tb, s, func(tx *record.Tx) error {
		for i, id := range ids {
			if gone(i) {
				if err := tx.Redemptions.Delete(id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var left []uuid.UUID
	for i, id := range ids {
		if !gone(i) {
			left = append(left, id)
		}
	}
	queries(tb, s, left, qs)
	pages(tb, s, left)
}

// pages walks the table and one key page by page. Each page begins after the
// last id of the page before.
func pages(tb testing.TB, s record.Store, ids []uuid.UUID) {
	tb.Helper()
	view(tb, s, func(tx *record.Tx) {
		for _, key := range []record.Key{{}, couponKey} {
			var got []uuid.UUID
			q := record.Query{Key: key, Limit: 64}
			for range len(ids) {
				page, err := collect(tx.Redemptions.List(q))
				if err != nil {
					tb.Errorf("List: %v", err)
				}
				if len(page) == 0 {
					break
				}
				for _, rec := range page {
					got = append(got, rec.ID)
				}
				q.After = page[len(page)-1].ID
			}
			if !slices.Equal(ids, got) {
				tb.Errorf("pages of %s: %s", key.Index, firstDifference(ids, got))
			}
		}
	})
}

func movedInOrder(tb testing.TB, s record.Store) {
	const n = 20
	ids := firstIDs(n)
	update(tb, s, func(tx *record.Tx) error {
		for i, id := range ids {
			if err := tx.Redemptions.Insert(redemption(id, keyAt(i+1))); err != nil {
				return err
			}
		}
		return nil
	})
	update(tb, s, func(tx *record.Tx) error {
		for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
			if err := tx.Redemptions.Replace(redemption(ids[i], keyAt(i))); err != nil {
				return err
			}
		}
		return nil
	})
	queries(tb, s, ids, []record.Query{{}, {Desc: true}, {After: ids[7], Limit: 4}})
}
