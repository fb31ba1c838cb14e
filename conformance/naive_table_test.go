package conformance

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// naiveTable is one table of a transaction.
type naiveTable struct {
	tx *naiveTx
	table
}

func (t naiveTable) rows() map[uuid.UUID]*naiveRow { return t.tx.data.table(t.Name) }

// missed returns ErrNotFound. A flawed transaction cannot go on after it.
func (t naiveTable) missed() error {
	t.tx.dead = t.tx.dead || t.tx.flaw() == deadAfterNotFound
	return affiliate.ErrNotFound
}

func (t naiveTable) Get(id uuid.UUID) (rec record.AnyRecord, err error) {
	if err := t.tx.live(); err != nil {
		return rec, err
	}
	row := t.rows()[id]
	if row == nil && t.tx.long() && t.tx.flaw() == freshLongGet {
		row = t.latest()[id]
	}
	if row == nil {
		return rec, t.missed()
	}
	return t.out(row), nil
}

// latest is the rows of the last committed state.
func (t naiveTable) latest() map[uuid.UUID]*naiveRow {
	return t.tx.store.latest(t.tx.program).table(t.Name)
}

func (t naiveTable) Find(key record.Key) (rec record.AnyRecord, err error) {
	if err := t.tx.live(); err != nil {
		return rec, err
	}
	rows := t.rows()
	if t.tx.flaw() == findMissesWrites {
		rows = t.tx.base.table(t.Name)
	}
	if t.tx.long() && t.tx.flaw() == losesLongKey {
		rows = t.latest()
	}
	for _, row := range rows {
		if other := keyOf(row.rec, key.Index); other.Index != "" && t.tx.flaw().canon(other) == t.tx.flaw().canon(key) {
			return t.out(row), nil
		}
	}
	return rec, t.missed()
}

func (t naiveTable) out(row *naiveRow) record.AnyRecord {
	if t.tx.flaw() == sharesReturned {
		return row.rec
	}
	return t.Clone(row.rec)
}

func (t naiveTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		ids, err := t.selectIDs(q)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := 0; i < len(ids); i++ {
			if err := t.tx.live(); err != nil && t.tx.flaw() != listsAfterEnd {
				yield(nil, err)
				return
			}
			row := t.rows()[ids[i]]
			if row == nil {
				continue // deleted meanwhile
			}
			if !yield(t.out(row), nil) {
				return
			}
			if i%100 == 99 && t.tx.readOnly && t.tx.flaw() == livePages {
				t.tx.data = t.tx.store.latest(t.tx.program)
				ids, _ = t.selectIDs(record.Query{Key: q.Key, Desc: q.Desc, After: row.rec.RecordID()})
				i = -1
			}
			if t.tx.flaw() == listTrips {
				ids, _ = t.selectIDs(q) // and i goes on by place
			}
		}
		if err := t.tx.live(); err != nil && t.tx.flaw() != listsAfterEnd {
			yield(nil, err)
		}
	}
}

// selectIDs returns the ids that the query selects, in order.
func (t naiveTable) selectIDs(q record.Query) ([]uuid.UUID, error) {
	if err := t.tx.live(); err != nil {
		return nil, err
	}
	rows, f := t.rows(), t.tx.flaw()
	if f == listMissesWrites {
		rows = t.tx.base.table(t.Name)
	}
	var ids []uuid.UUID
	for id, row := range rows {
		if q.Key == (record.Key{}) || f.canon(keyOf(row.rec, q.Key.Index)) == f.canon(q.Key) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int {
		if f == insertionOrder {
			return rows[a].clock - rows[b].clock
		}
		return f.compare(a, b)
	})
	sign := 1
	if q.Desc && f != forgetsDesc {
		sign = -1
		slices.Reverse(ids)
	}
	return f.cut(q, ids, sign), nil
}

// cut applies After and Limit to ids in the query's order.
func (f flaw) cut(q record.Query, ids []uuid.UUID, sign int) []uuid.UUID {
	present := slices.Contains(ids, q.After)
	if q.After != uuid.Nil && (present || f != afterMustExist) {
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool {
			c := sign * f.compare(id, q.After)
			return c < 0 || c == 0 && f != afterInclusive
		})
	}
	if q.Limit > 0 && f != ignoresLimit {
		ids = ids[:min(q.Limit, len(ids))]
	}
	if f == stopsAtThousand {
		ids = ids[:min(1000, len(ids))]
	}
	return ids
}

func (f flaw) compare(a, b uuid.UUID) int {
	if f == signedBytes {
		for i := range a {
			if a[i] != b[i] {
				return int(int8(a[i])) - int(int8(b[i]))
			}
		}
	}
	return bytes.Compare(a[:], b[:])
}

// canon returns the key in the form that the store compares.
func (f flaw) canon(key record.Key) record.Key {
	switch f {
	case foldsKeys:
		key.Text = strings.ToLower(key.Text)
	case trimsKeys:
		key.Text = strings.TrimRight(key.Text, " ")
	case cutsKeys:
		key.Text = key.Text[:min(255, len(key.Text))]
	case cutsKeysByOne:
		key.Text = key.Text[:min(766, len(key.Text))]
	case normalisesKeys:
		key.Text = strings.ReplaceAll(key.Text, "e\u0301", "\u00e9")
	}
	return key
}

func (t naiveTable) Insert(rec record.AnyRecord) error {
	if err := t.tx.writable(); err != nil {
		return err
	}
	id := rec.RecordID()
	if t.rows()[id] != nil {
		return t.refuse(rec, "")
	}
	if ix := clash(t.rows(), rec, id, t.tx.flaw().canon); ix != "" {
		return t.refuse(rec, ix)
	}
	t.put(rec)
	return nil
}

func (t naiveTable) Replace(rec record.AnyRecord) error {
	if err := t.tx.writable(); err != nil {
		return err
	}
	id := rec.RecordID()
	if t.rows()[id] == nil {
		return t.missed()
	}
	if ix := clash(t.rows(), rec, id, t.tx.flaw().canon); ix != "" && t.tx.flaw() != replacesBlindly {
		return t.refuse(rec, ix)
	}
	t.put(rec)
	return nil
}

// refuse returns the error of a clash.
func (t naiveTable) refuse(rec record.AnyRecord, ix record.Index) error {
	switch t.tx.flaw() {
	case deadAfterClash:
		t.tx.dead = true
	case halfApplied:
		t.put(rec)
	case clashWithoutIndex:
		ix = ""
	case clashWithoutType:
		return record.ErrExists
	}
	return &record.ExistsError{Index: ix}
}

func (t naiveTable) put(rec record.AnyRecord) {
	if t.tx.flaw() != keepsGiven {
		rec = t.Clone(rec)
	}
	id := rec.RecordID()
	row := &naiveRow{rec: t.tx.flaw().mangle(rec), clock: len(t.rows())}
	if old := t.rows()[id]; old != nil {
		row.clock = old.clock
	}
	t.rows()[id] = row
	t.mark(id)
}

func (t naiveTable) mark(id uuid.UUID) {
	if t.tx.wrote != nil {
		t.tx.wrote[naiveID{t.Name, id}] = true
	}
}

func (t naiveTable) Delete(id uuid.UUID) error {
	if err := t.tx.writable(); err != nil {
		return err
	}
	if t.rows()[id] == nil {
		return t.missed()
	}
	delete(t.rows(), id)
	t.mark(id)
	return nil
}
