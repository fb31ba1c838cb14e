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

// A table is one table of a Tx.
type table struct{ record.TableSchema }

// tables lists the tables of Tx in the order of its fields.
func tables() []table {
	schema := record.Schema()
	all := make([]table, len(schema))
	for i, s := range schema {
		all[i] = table{s}
	}
	return all
}

// unique returns the table's By… indexes.
func (t table) unique() []record.Index {
	return slices.DeleteFunc(slices.Clone(t.Indexes), func(ix record.Index) bool { return !ix.Unique() })
}

func keysOf(rec record.AnyRecord) []record.Key { return rec.AppendKeys(nil) }

// keyOf returns the record's key in an index, or the zero Key.
func keyOf(rec record.AnyRecord, ix record.Index) record.Key {
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
func (t table) holds(tb testing.TB, tx *record.Tx, want ...record.AnyRecord) {
	tb.Helper()
	slices.SortFunc(want, func(a, b record.AnyRecord) int { return compareIDs(a.RecordID(), b.RecordID()) })
	t.lists(tb, tx, record.Query{}, want)
	for _, rec := range want {
		got, err := t.In(tx).Get(rec.RecordID())
		t.same(tb, "Get", rec, got, err)
		for _, key := range keysOf(rec) {
			if key.Index.Unique() {
				got, err := t.In(tx).Find(key)
				t.same(tb, "Find "+string(key.Index), rec, got, err)
				continue
			}
			t.lists(tb, tx, record.Query{Key: key}, slices.DeleteFunc(slices.Clone(want), func(other record.AnyRecord) bool {
				return keyOf(other, key.Index) != key
			}))
		}
	}
}

// lists checks the records that one List returns.
func (t table) lists(tb testing.TB, tx *record.Tx, q record.Query, want []record.AnyRecord) {
	tb.Helper()
	got, err := collect(t.In(tx).List(q))
	if err != nil {
		tb.Errorf("%s: List(%v): %v", t.Name, q, err)
		return
	}
	if d := diff(want, got); d != "" {
		tb.Errorf("%s: List %s (-want +got):\n%s", t.Name, q.Key.Index, d)
	}
}

// same checks the answer of a Get or Find.
func (t table) same(tb testing.TB, what string, want, got record.AnyRecord, err error) {
	tb.Helper()
	if err != nil {
		tb.Errorf("%s: %s: %v", t.Name, what, err)
		return
	}
	if d := diff(want, got); d != "" {
		tb.Errorf("%s: %s (-want +got):\n%s", t.Name, what, d)
	}
}

// lacks checks that the table holds nothing of the records: neither their ids,
// nor their unique keys, nor their places in lists.
func (t table) lacks(tb testing.TB, tx *record.Tx, recs ...record.AnyRecord) {
	tb.Helper()
	for _, rec := range recs {
		if _, err := t.In(tx).Get(rec.RecordID()); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("%s: Get: error %v, want %v", t.Name, err, affiliate.ErrNotFound)
		}
		t.lacksKeys(tb, tx, rec)
	}
}

// lacksKeys checks that no key of the record finds anything.
func (t table) lacksKeys(tb testing.TB, tx *record.Tx, rec record.AnyRecord) {
	tb.Helper()
	for _, key := range keysOf(rec) {
		if !key.Index.Unique() {
			t.listsOthers(tb, tx, key, rec)
			continue
		}
		if _, err := t.In(tx).Find(key); !errors.Is(err, affiliate.ErrNotFound) {
			tb.Errorf("%s: Find %s: error %v, want %v", t.Name, key.Index, err, affiliate.ErrNotFound)
		}
	}
}

// listsOthers checks that a shared key lists records that have it, and not rec.
func (t table) listsOthers(tb testing.TB, tx *record.Tx, key record.Key, rec record.AnyRecord) {
	tb.Helper()
	got, err := collect(t.In(tx).List(record.Query{Key: key}))
	if err != nil {
		tb.Errorf("%s: List %s: %v", t.Name, key.Index, err)
	}
	for _, other := range got {
		if keyOf(other, key.Index) != key || diff(rec, other) == "" {
			tb.Errorf("%s: List %s has %s, which is gone or has another key", t.Name, key.Index, other.RecordID())
		}
	}
}

// insert inserts the records and stops at the first error.
func (t table) insert(tx *record.Tx, recs ...record.AnyRecord) error {
	for _, rec := range recs {
		if err := t.In(tx).Insert(rec); err != nil {
			return err
		}
	}
	return nil
}

// insertAll inserts full records with the given numbers into every table.
func insertAll(tx *record.Tx, numbers ...int) error {
	for _, t := range tables() {
		if err := t.insert(tx, t.fulls(numbers...)...); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
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

func (t table) fulls(numbers ...int) []record.AnyRecord {
	recs := make([]record.AnyRecord, len(numbers))
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
			t.In(tx).Replace(withID(t.full(4), t.full(1).RecordID())),
			t.In(tx).Delete(t.full(2).RecordID()),
			t.In(tx).Insert(t.full(5)))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
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
