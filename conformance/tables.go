package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// anyRecord has the methods that the records of all tables share.
type anyRecord interface {
	RecordID() uuid.UUID
	AppendKeys(dst []record.Key) []record.Key
}

// rows is an [record.Table] with its record type hidden, so that one case
// serves all tables.
type rows interface {
	Get(id uuid.UUID) (anyRecord, error)
	Find(key record.Key) (anyRecord, error)
	List(q record.Query) iter.Seq2[anyRecord, error]
	Insert(rec anyRecord) error
	Replace(rec anyRecord) error
	Delete(id uuid.UUID) error
}

// A table is one table of a Tx: what it is called, how to reach it and how to
// make records for it.
type table struct {
	name  string
	empty anyRecord
	in    func(tx *record.Tx) rows
}

// tables lists the tables of Tx in the order of its fields.
func tables() []table {
	return []table{
		tableOf("affiliates", func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates }),
		tableOf("links", func(tx *record.Tx) record.Table[record.Link] { return tx.Links }),
		tableOf("clicks", func(tx *record.Tx) record.Table[record.Click] { return tx.Clicks }),
		tableOf("referrals", func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals }),
		tableOf("coupons", func(tx *record.Tx) record.Table[record.Coupon] { return tx.Coupons }),
		tableOf("codes", func(tx *record.Tx) record.Table[record.Code] { return tx.Codes }),
		tableOf("redemptions", func(tx *record.Tx) record.Table[record.Redemption] { return tx.Redemptions }),
		tableOf("sales", func(tx *record.Tx) record.Table[record.Sale] { return tx.Sales }),
		tableOf("plans", func(tx *record.Tx) record.Table[record.Plan] { return tx.Plans }),
		tableOf("tiers", func(tx *record.Tx) record.Table[record.Tier] { return tx.Tiers }),
		tableOf("payouts", func(tx *record.Tx) record.Table[record.Payout] { return tx.Payouts }),
		tableOf("adjustments", func(tx *record.Tx) record.Table[record.Adjustment] { return tx.Adjustments }),
		tableOf("movements", func(tx *record.Tx) record.Table[record.Movement] { return tx.Movements }),
		tableOf("runs", func(tx *record.Tx) record.Table[record.Run] { return tx.Runs }),
		tableOf("lines", func(tx *record.Tx) record.Table[record.Line] { return tx.Lines }),
		tableOf("totals", func(tx *record.Tx) record.Table[record.Totals] { return tx.Totals }),
		tableOf("receipts", func(tx *record.Tx) record.Table[record.Receipt] { return tx.Receipts }),
		tableOf("endpoints", func(tx *record.Tx) record.Table[record.Endpoint] { return tx.Endpoints }),
		tableOf("events", func(tx *record.Tx) record.Table[record.Event] { return tx.Events }),
		tableOf("deliveries", func(tx *record.Tx) record.Table[record.Delivery] { return tx.Deliveries }),
		tableOf("queue", func(tx *record.Tx) record.Table[record.Queue] { return tx.Queue }),
		tableOf("imports", func(tx *record.Tx) record.Table[record.Import] { return tx.Imports }),
		tableOf("payments", func(tx *record.Tx) record.Table[record.Payment] { return tx.Payments }),
		tableOf("paymentkeys", func(tx *record.Tx) record.Table[record.PaymentKey] { return tx.PaymentKeys }),
		tableOf("payers", func(tx *record.Tx) record.Table[record.Payer] { return tx.Payers }),
		tableOf("erasures", func(tx *record.Tx) record.Table[record.Erasure] { return tx.Erasures }),
		tableOf("aliases", func(tx *record.Tx) record.Table[record.Alias] { return tx.Aliases }),
	}
}

func tableOf[T record.Record[T]](name string, of func(*record.Tx) record.Table[T]) table {
	var empty T
	return table{name: name, empty: empty, in: func(tx *record.Tx) rows { return hidden[T]{of(tx)} }}
}

// hidden wraps a Table as rows.
type hidden[T record.Record[T]] struct{ t record.Table[T] }

func (h hidden[T]) Get(id uuid.UUID) (anyRecord, error) { return hide(h.t.Get(id)) }

func (h hidden[T]) Find(key record.Key) (anyRecord, error) { return hide(h.t.Find(key)) }

func (h hidden[T]) Insert(rec anyRecord) error { return h.t.Insert(rec.(T)) }

func (h hidden[T]) Replace(rec anyRecord) error { return h.t.Replace(rec.(T)) }

func (h hidden[T]) Delete(id uuid.UUID) error { return h.t.Delete(id) }

func (h hidden[T]) List(q record.Query) iter.Seq2[anyRecord, error] {
	list := h.t.List(q)
	return func(yield func(anyRecord, error) bool) {
		for rec, err := range list {
			if !yield(rec, err) {
				return
			}
		}
	}
}

func hide[T record.Record[T]](rec T, err error) (anyRecord, error) { return rec, err }

// indexes returns the table's indexes in the schema.
func (t table) indexes() []record.Index {
	for _, s := range record.Schema() {
		if s.Name == t.name {
			return s.Indexes
		}
	}
	return nil
}

// unique returns the table's By… indexes.
func (t table) unique() []record.Index {
	return slices.DeleteFunc(slices.Clone(t.indexes()), func(ix record.Index) bool { return !ix.Unique() })
}

func keysOf(rec anyRecord) []record.Key { return rec.AppendKeys(nil) }

// keyOf returns the record's key in an index, or the zero Key.
func keyOf(rec anyRecord, ix record.Index) record.Key {
	for _, key := range keysOf(rec) {
		if key.Index == ix {
			return key
		}
	}
	return record.Key{}
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// collect reads a list to its end.
func collect[T any](list iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for rec, err := range list {
		if err != nil {
			return all, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// holds checks that the table holds exactly the wanted records: by Get, by Find
// and by List through every index.
func (t table) holds(tb testing.TB, tx *record.Tx, want ...anyRecord) {
	tb.Helper()
	slices.SortFunc(want, func(a, b anyRecord) int { return compareIDs(a.RecordID(), b.RecordID()) })
	t.lists(tb, tx, record.Query{}, want)
	for _, rec := range want {
		got, err := t.in(tx).Get(rec.RecordID())
		t.same(tb, "Get", rec, got, err)
		for _, key := range keysOf(rec) {
			if key.Index.Unique() {
				got, err := t.in(tx).Find(key)
				t.same(tb, "Find "+string(key.Index), rec, got, err)
				continue
			}
			t.lists(tb, tx, record.Query{Key: key}, slices.DeleteFunc(slices.Clone(want), func(other anyRecord) bool {
				return keyOf(other, key.Index) != key
			}))
		}
	}
}

// lists checks the records that one List returns.
func (t table) lists(tb testing.TB, tx *record.Tx, q record.Query, want []anyRecord) {
	tb.Helper()
	got, err := collect(t.in(tx).List(q))
	if err != nil {
		tb.Errorf("%s: List(%v): %v", t.name, q, err)
		return
	}
	if d := diff(want, got); d != "" {
		tb.Errorf("%s: List %s (-want +got):\n%s", t.name, q.Key.Index, d)
	}
}

// same checks the answer of a Get or Find.
func (t table) same(tb testing.TB, what string, want, got anyRecord, err error) {
	tb.Helper()
	if err != nil {
		tb.Errorf("%s: %s: %v", t.name, what, err)
		return
	}
	if d := diff(want, got); d != "" {
		tb.Errorf("%s: %s (-want +got):\n%s", t.name, what, d)
	}
}

// lacks checks that the table holds nothing of the records: neither their ids,
// nor their unique keys, nor their places in lists.
func (t table) lacks(tb testing.TB, tx *record.Tx, recs ...anyRecord) {
	tb.Helper()
	for _, rec := range recs {
		if _, err := t.in(tx).Get(rec.RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("%s: Get: error %v, want %v", t.name, err, affiliate.ErrNotFound)
		}
		t.lacksKeys(tb, tx, rec)
	}
}

// lacksKeys checks that no key of the record finds anything.
func (t table) lacksKeys(tb testing.TB, tx *record.Tx, rec anyRecord) {
	tb.Helper()
	for _, key := range keysOf(rec) {
		if !key.Index.Unique() {
			t.listsOthers(tb, tx, key, rec)
			continue
		}
		if _, err := t.in(tx).Find(key); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("%s: Find %s: error %v, want %v", t.name, key.Index, err, affiliate.ErrNotFound)
		}
	}
}

// listsOthers checks that a shared key lists records that have it, and not rec.
func (t table) listsOthers(tb testing.TB, tx *record.Tx, key record.Key, rec anyRecord) {
	tb.Helper()
	got, err := collect(t.in(tx).List(record.Query{Key: key}))
	if err != nil {
		tb.Errorf("%s: List %s: %v", t.name, key.Index, err)
	}
	for _, other := range got {
		if keyOf(other, key.Index) != key || diff(rec, other) == "" {
			tb.Errorf("%s: List %s has %s, which is gone or has another key", t.name, key.Index, other.RecordID())
		}
	}
}

// insert inserts the records and stops at the first error.
func (t table) insert(tx *record.Tx, recs ...anyRecord) error {
	for _, rec := range recs {
		if err := t.in(tx).Insert(rec); err != nil {
			return err
		}
	}
	return nil
}

// insertAll inserts full records with the given numbers into every table.
func insertAll(tx *record.Tx, numbers ...int) error {
	for _, t := range tables() {
		if err := t.insert(tx, t.fulls(numbers...)...); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// holdsAll checks that every table holds exactly the full records with the
// given numbers.
func holdsAll(tb testing.TB, tx *record.Tx, numbers ...int) {
	tb.Helper()
	for _, t := range tables() {
		t.holds(tb, tx, t.fulls(numbers...)...)
	}
}

func (t table) fulls(numbers ...int) []anyRecord {
	recs := make([]anyRecord, len(numbers))
	for i, n := range numbers {
		recs[i] = t.full(n)
	}
	return recs
}

// rewriteAll changes every table that holds the full records 1, 2 and 3: record
// 1 gets all fields of record 4 but the id, record 2 is deleted, and record 5 is
// inserted.
func rewriteAll(tx *record.Tx) error {
	for _, t := range tables() {
		err := errors.Join(
			t.in(tx).Replace(withID(t.full(4), t.full(1).RecordID())),
			t.in(tx).Delete(t.full(2).RecordID()),
			t.in(tx).Insert(t.full(5)))
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// numbered returns an id. Ids sort by n.
func numbered(n int) uuid.UUID {
	return uuid.UUID{0: byte(n >> 16), 1: byte(n >> 8), 2: byte(n), 15: 1}
}

// firstIDs returns the ids of 1 to n, sorted.
func firstIDs(n int) []uuid.UUID {
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = numbered(i + 1)
	}
	return ids
}
