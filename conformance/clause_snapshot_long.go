package conformance

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A store may treat a View differently once it has read much: it may let writers
// go on, or read in portions. The cases here read more than one portion.
const (
	crowd   = 900 // records of the cases with many
	reads   = 600 // reads that make a View long
	holders = 300 // codes whose redemptions the concurrent cases move around
)

func longViewCases() []storeCase {
	const rule = "a View sees one moment, also after it has read much"
	return []storeCase{
		{"long, reads again", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *record.Tx, write func()) {
				readMuch(tb, tx)
				holdsAll(tb, tx, 1, 2, 3)
				write()
				readMuch(tb, tx)
				holdsAll(tb, tx, 1, 2, 3)
				lacksAll(tb, tx, 4, 5)
			})
		}},
		{"long, in a list", rule, func(tb testing.TB, s record.Store) {
			update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
			among(tb, s, rewriteAll, func(tx *record.Tx, write func()) {
				for _, t := range tables() {
					var got []record.AnyRecord
					for rec, err := range t.In(tx).List(record.Query{Desc: true}) {
						if err != nil {
							tb.Fatalf("%s: List: %v", t.Name, err)
						}
						got = append(got, rec)
						readMuch(tb, tx)
						write()
					}
					if d := diff(t.fulls(3, 2, 1), got); d != "" {
						tb.Errorf("%s: List (-want +got):\n%s", t.Name, d)
					}
				}
			})
		}},
		{"long, nothing yet", rule, func(tb testing.TB, s record.Store) {
			among(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1) }, func(tx *record.Tx, write func()) {
				readMuch(tb, tx)
				write()
				holdsAll(tb, tx)
				lacksAll(tb, tx, 1)
			})
		}},
		{"many records",
			"a View lists many records as they were at its start while a writer changes them all",
			listAmongWrites},
		{"long Views among writers",
			"long Views that overlap each see one moment while writers move, delete and insert records",
			viewsAmongWriters},
		{"ends of long Views among writers",
			"the end of a long View changes nothing that a writer uses", viewsEndAmongWriters},
		{"abandoned", "a long View that fails, panics or ends its goroutine leaves nothing behind", abandonLongViews},
	}
}

// readMuch makes a View long. The ids differ, because a store may remember the
// answer to the first.
func readMuch(tb testing.TB, tx *record.Tx) {
	tb.Helper()
	for i := range reads {
		if _, err := tx.Plans.Get(numbered(1<<20 + i)); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Fatalf("Get of nothing: error %v, want %v", err, affiliate.ErrNotFound)
		}
	}
}

// lacksAll checks that no table holds anything of the full records with the
// numbers.
func lacksAll(tb testing.TB, tx *record.Tx, numbers ...int) {
	tb.Helper()
	for _, t := range tables() {
		t.lacks(tb, tx, t.fulls(numbers...)...)
	}
}

// codeOfCrowd is one of many codes in three coupons.
func codeOfCrowd(n int) record.AnyRecord {
	return record.Code{
		ID: numbered(3 * n), CouponID: numbered(n % 3), Code: fmt.Sprint("CODE-", n),
	}
}

// rewriteCrowd moves keys between codes, deletes codes, inserts some again with
// other values, and inserts new ones in between.
func rewriteCrowd(tx *record.Tx) error {
	for n := range crowd {
		rec := codeOfCrowd(n).(record.Code)
		var err error
		switch n % 5 {
		case 0:
			rec.CouponID = numbered((n + 1) % 3)
			err = tx.Codes.Replace(rec)
		case 1:
			err = tx.Codes.Delete(rec.ID)
		case 2:
			rec.TimesRedeemed = 7
			err = errors.Join(tx.Codes.Delete(rec.ID), tx.Codes.Insert(rec))
		case 3: // takes the text of the code that was deleted
			rec.Code = codeOfCrowd(n - 2).(record.Code).Code
			err = tx.Codes.Replace(rec)
		case 4: // takes the id of the code that was deleted, and a new text
			old := codeOfCrowd(n - 3).(record.Code)
			old.Code = fmt.Sprint("NEW-", n)
			rec.ID = numbered(3*n + 1)
			rec.Code = fmt.Sprint("NEWER-", n)
			err = errors.Join(tx.Codes.Insert(old), tx.Codes.Insert(rec))
		}
		if err != nil {
			return fmt.Errorf("code %d: %w", n, err)
		}
	}
	return nil
}

func listAmongWrites(tb testing.TB, s record.Store) {
	codes := tables()[5]
	var want []record.AnyRecord
	for n := range crowd {
		want = append(want, codeOfCrowd(n))
	}
	update(tb, s, func(tx *record.Tx) error { return codes.insert(tx, want...) })

	amongFor(tb, s, 2*time.Second, rewriteCrowd, func(tx *record.Tx, write func()) {
		var got []record.AnyRecord
		for rec, err := range codes.In(tx).List(record.Query{}) {
			if err != nil {
				tb.Fatalf("List: %v", err)
			}
			if got = append(got, rec); len(got) == crowd/2 {
				write()
			}
		}
		sameCrowd(tb, "List during which a writer wrote", want, got)
		seesCrowd(tb, tx, codes, want)
	})
}

// seesCrowd checks every way to read the many codes.
func seesCrowd(tb testing.TB, tx *record.Tx, codes table, want []record.AnyRecord) {
	tb.Helper()
	listsCrowd(tb, tx, codes, record.Query{}, want)
	listsCrowd(tb, tx, codes, record.Query{After: numbered(100), Limit: 700}, want[34:734])
	for coupon := range 3 {
		key := record.Key{Index: record.OfCoupon, ID: numbered(coupon)}
		of := slices.DeleteFunc(slices.Clone(want),
			func(rec record.AnyRecord) bool { return keyOf(rec, record.OfCoupon) != key })
		listsCrowd(tb, tx, codes, record.Query{Key: key}, of)
		slices.Reverse(of)
		listsCrowd(tb, tx, codes, record.Query{Key: key, Desc: true}, of)
	}
	for n := 0; n < crowd; n += 17 {
		rec := codeOfCrowd(n)
		got, err := codes.In(tx).Get(rec.RecordID())
		codes.same(tb, "Get", rec, got, err)
		got, err = codes.In(tx).Find(keyOf(rec, record.ByCode))
		codes.same(tb, "Find", rec, got, err)
		if _, err := codes.In(tx).Get(numbered(3*n + 1)); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("Get of a code that came later: error %v, want %v", err, affiliate.ErrNotFound)
		}
		key := record.Key{Index: record.ByCode, Text: fmt.Sprint("NEW-", n)}
		if _, err := codes.In(tx).Find(key); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("Find of a code that came later: error %v, want %v", err, affiliate.ErrNotFound)
		}
	}
}

func listsCrowd(tb testing.TB, tx *record.Tx, codes table, q record.Query, want []record.AnyRecord) {
	tb.Helper()
	got, err := collect(codes.In(tx).List(q))
	if err != nil {
		tb.Fatalf("List(%v): %v", q, err)
	}
	sameCrowd(tb, fmt.Sprintf("List(%v)", q), want, got)
}

// sameCrowd compares many records. It shows the first difference only, because
// a diff of all takes seconds.
func sameCrowd(tb testing.TB, what string, want, got []record.AnyRecord) {
	tb.Helper()
	for n := range min(len(want), len(got)) {
		if d := diff(want[n], got[n]); d != "" {
			tb.Fatalf("%s: record %d (-want +got):\n%s", what, n, d)
		}
	}
	if len(want) != len(got) {
		tb.Fatalf("%s: %d records, want %d", what, len(got), len(want))
	}
}

// insertHolders inserts the first n codes.
func insertHolders(tx *record.Tx, n int) error {
	for n := range n {
		rec := codeOfCrowd(n).(record.Code)
		rec.TimesRedeemed = deposit
		if err := tx.Codes.Insert(rec); err != nil {
			return err
		}
	}
	return nil
}

// viewsAmongWriters has writers that keep the number of redemptions, and the
// number of codes, but nothing else.
func viewsAmongWriters(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error { return insertHolders(tx, holders) })
	together(tb, workers, func(worker int) error {
		for i := range each {
			err := error(nil)
			if worker%2 == 0 {
				err = s.Update(tb.Context(), home, func(tx *record.Tx) error { return reshuffle(tx, worker, i) })
			} else {
				err = s.View(tb.Context(), home, func(tx *record.Tx) error { return seesHolders(tx, holders, 4) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// reshuffle moves redemptions from one code to another, moves a code to another
// coupon, and replaces one code by another record with the same text.
func reshuffle(tx *record.Tx, worker, i int) error {
	all, err := collect(tx.Codes.List(record.Query{Limit: 3, After: numbered(100 * ((worker*each + 7*i) % 8))}))
	if err != nil {
		return err
	}
	if len(all) < 3 {
		return fmt.Errorf("reshuffle: %d codes, want 3", len(all))
	}
	from, to, gone := all[0], all[1], all[2]
	from.TimesRedeemed -= int64(i)
	to.TimesRedeemed += int64(i)
	from.CouponID, to.CouponID = to.CouponID, from.CouponID
	from.Code, to.Code = to.Code+"-", from.Code+"-"
	anew := gone
	anew.ID = numbered(1<<16 + worker*each + i)
	return errors.Join(tx.Codes.Replace(from), tx.Codes.Replace(to), tx.Codes.Delete(gone.ID), tx.Codes.Insert(anew))
}

// seesHolders reads the n codes in every way, and twice. It looks up each step-th
// by its id and by its text.
func seesHolders(tx *record.Tx, n, step int) error {
	all, err := collect(tx.Codes.List(record.Query{}))
	if err != nil {
		return err
	}
	var sum int64
	listed := map[int][]record.Code{}
	for i, rec := range all {
		sum += rec.TimesRedeemed
		coupon := int(rec.CouponID[2])
		listed[coupon] = append(listed[coupon], rec)
		if i%step != 0 {
			continue
		}
		if got, err := tx.Codes.Get(rec.ID); err != nil || got != rec {
			return fmt.Errorf("Get: %v, error %v; List gave %v", got, err, rec)
		}
		if got, err := tx.Codes.Find(keyOf(rec, record.ByCode)); err != nil || got != rec {
			return fmt.Errorf("Find: %v, error %v; List gave %v", got, err, rec)
		}
	}
	if len(all) != n || sum != int64(n*deposit) {
		return fmt.Errorf("%d codes with %d redemptions, want %d with %d", len(all), sum, n, n*deposit)
	}
	for coupon := range 3 {
		of, err := collect(tx.Codes.List(record.Query{Key: record.Key{Index: record.OfCoupon,
			ID: numbered(coupon)}, Desc: true}))
		slices.Reverse(of)
		if err != nil || !slices.Equal(of, listed[coupon]) {
			return fmt.Errorf("List of coupon %d: %d codes, error %v; the whole list has %d",
				coupon, len(of), err, len(listed[coupon]))
		}
	}
	if again, err := collect(tx.Codes.List(record.Query{})); err != nil || !slices.Equal(all, again) {
		return fmt.Errorf("the second List differs from the first, error %v", err)
	}
	return nil
}

func abandonLongViews(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error { return insertAll(tx, 1, 2, 3) })
	long := func(tx *record.Tx) error {
		readMuch(tb, tx)
		for _, err := range tx.Sales.List(record.Query{}) { // and then it is given up in a list
			return err
		}
		return errors.New("the list is empty")
	}
	panics(tb, s.View, long)
	goexits(tb, s.View, long)
	err := s.View(tb.Context(), home, func(tx *record.Tx) error { return errors.Join(long(tx), errRefused) })
	if !errors.Is(err, errRefused) {
		tb.Errorf("View: error %v, want %v", err, errRefused)
	}
	alive(tb, s)
	update(tb, s, rewriteAll)
	view(tb, s, func(tx *record.Tx) {
		readMuch(tb, tx)
		for _, t := range tables() {
			t.holds(tb, tx, withID(t.full(4), t.full(1).RecordID()), t.full(3), t.full(5))
		}
	})
}
