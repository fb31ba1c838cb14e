package pgstore

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A table holds what a transaction has read from one SQL table, and what it
// will write to it.
type table[T record.Record[T]] struct {
	t   *txn
	sql *tableSQL

	rows    map[uuid.UUID]*row[T]      // the known rows, also those that do not exist
	holders map[record.Key]uuid.UUID   // the holders of unique keys; zero: the key is free
	lists   map[record.Key][]uuid.UUID // whole lists as the database has them
	touched []uuid.UUID                // rows that were written
	wanted  []record.Key               // what the next round trip reads
	newest  newest
	undo    []change[T] // newest last
}

// A row is a record that is known to exist, or known not to exist. A write
// replaces the row by a new one, so a holder of the old row sees no change.
type row[T any] struct {
	base *row[T] // the row in the database; nil: it has none; the row itself: nothing was written
	live bool
	rec  T
}

// written reports whether the row must be sent to the database.
func (r *row[T]) written() bool { return r.base != r && (r.base != nil || r.live) }

// A change is a row or holder that a write replaced.
type change[T any] struct {
	id     uuid.UUID
	row    *row[T]
	key    record.Key // set when a holder was replaced
	holder uuid.UUID
	had    bool
}

// learn notes a record of the database. A row that is known already stays, because it
// may have been written since.
func (tab *table[T]) learn(rec T) {
	if id := rec.RecordID(); tab.rows[id] == nil {
		r := &row[T]{live: true, rec: rec}
		r.base = r
		tab.keep(id, r)
	}
}

// learnNone notes that the database has no record under an id.
func (tab *table[T]) learnNone(id uuid.UUID) {
	if tab.rows[id] == nil {
		tab.keep(id, &row[T]{})
	}
}

// learnRow reads a record from the columns of a row, and notes it. It returns the
// record's id; zero: there is none.
func (tab *table[T]) learnRow(rows pgx.Rows, at int) (uuid.UUID, error) {
	rec, ok, err := tab.scan(rows, at)
	if !ok || err != nil {
		return uuid.Nil, err
	}
	tab.learn(rec)
	return rec.RecordID(), nil
}

// width is the number of columns.
func (tab *table[T]) width() int { return len(tab.sql.Columns) }

func (tab *table[T]) keep(id uuid.UUID, r *row[T]) {
	if tab.rows == nil {
		tab.rows = make(map[uuid.UUID]*row[T])
	}
	tab.rows[id] = r
}

// remember notes a whole list.
func (tab *table[T]) remember(key record.Key, ids []uuid.UUID) {
	if tab.lists == nil {
		tab.lists = make(map[record.Key][]uuid.UUID)
	}
	tab.lists[key] = ids
}

// get returns the row with the id, from memory or from the database.
func (tab *table[T]) get(id uuid.UUID) (*row[T], error) {
	tab.t.asked++
	r, ok := tab.rows[id]
	if !ok {
		if err := tab.ask(record.Key{ID: id}); err != nil {
			return nil, err
		}
		r = tab.rows[id]
	}
	if !r.live {
		return nil, affiliate.ErrNotFound
	}
	return r, nil
}

// find returns the row that holds a unique key. The old and new keys of all
// written rows are known, so an unknown key is looked up in the database.
func (tab *table[T]) find(key record.Key) (*row[T], error) {
	id, ok := tab.holders[key]
	if !ok {
		if err := tab.ask(key); err != nil {
			return nil, err
		}
		id = tab.holders[key]
	}
	if id == uuid.Nil {
		return nil, affiliate.ErrNotFound
	}
	return tab.get(id)
}

// hold notes the holder of a key.
func (tab *table[T]) hold(key record.Key, id uuid.UUID) {
	if tab.holders == nil {
		tab.holders = make(map[record.Key]uuid.UUID)
	}
	was, had := tab.holders[key]
	tab.undo = append(tab.undo, change[T]{key: key, holder: was, had: had})
	tab.holders[key] = id
}

// put writes a row; a nil record deletes it.
func (tab *table[T]) put(id uuid.UUID, rec *T) {
	was := tab.rows[id]
	next := &row[T]{}
	if was != nil {
		next.base = was.base
	}
	if rec != nil {
		next.live, next.rec = true, (*rec).Clone()
	}
	tab.undo = append(tab.undo, change[T]{id: id, row: was, had: was != nil})
	tab.touched = append(tab.touched, id)
	tab.keep(id, next)
}

// rekey frees the old unique keys of a record and notes it as the holder of the
// new ones.
func (tab *table[T]) rekey(id uuid.UUID, was, keys []record.Key) {
	for _, key := range was {
		if key.Index.Unique() && !slices.Contains(keys, key) {
			tab.hold(key, uuid.Nil)
		}
	}
	for _, key := range keys {
		if key.Index.Unique() && tab.holders[key] != id {
			tab.hold(key, id)
		}
	}
}

// mark returns the current state, for rollback.
func (tab *table[T]) mark() (undo, touched int) { return len(tab.undo), len(tab.touched) }

// rollback undoes the writes since the mark.
func (tab *table[T]) rollback(undo, touched int) {
	for _, c := range slices.Backward(tab.undo[undo:]) {
		switch {
		case c.key.Index != "" && c.had:
			tab.holders[c.key] = c.holder
		case c.key.Index != "":
			delete(tab.holders, c.key)
		case c.had:
			tab.rows[c.id] = c.row
		default:
			delete(tab.rows, c.id)
			clear(tab.lists) // a list that was read since may contain the id
			tab.newest = newest{}
		}
	}
	tab.undo, tab.touched = tab.undo[:undo], tab.touched[:touched]
}

// clash returns an error if another record holds a unique key of keys.
func (tab *table[T]) clash(id uuid.UUID, keys []record.Key) error {
	for _, key := range keys {
		if holder := tab.holders[key]; key.Index.Unique() && holder != uuid.Nil && holder != id {
			return &record.ExistsError{Index: key.Index}
		}
	}
	return nil
}

func (tab *table[T]) insert(rec T) error {
	id := rec.RecordID()
	keys := rec.AppendKeys(tab.t.room[0][:0])
	if err := tab.admit(keys); err != nil {
		return err
	}
	if r, ok := tab.rows[id]; ok && r.live {
		return &record.ExistsError{}
	}
	if err := tab.resolve(id, keys); err != nil {
		return err
	}
	if r, ok := tab.rows[id]; ok && r.live {
		return &record.ExistsError{}
	}
	if err := tab.clash(id, keys); err != nil {
		return err
	}
	tab.ownTotals(id)
	tab.put(id, &rec)
	tab.rekey(id, nil, keys)
	return nil
}

func (tab *table[T]) replace(rec T) error {
	id := rec.RecordID()
	keys := rec.AppendKeys(tab.t.room[0][:0])
	if err := tab.admit(keys); err != nil {
		return err
	}
	r, err := tab.get(id)
	if err != nil {
		return err
	}
	was := r.rec.AppendKeys(tab.t.room[1][:0])
	if !slices.Equal(was, keys) {
		fresh := slices.DeleteFunc(slices.Clone(keys), func(key record.Key) bool { return slices.Contains(was, key) })
		if err := tab.resolve(uuid.Nil, fresh); err != nil {
			return err
		}
		if err := tab.clash(id, fresh); err != nil {
			return err
		}
	}
	tab.put(id, &rec)
	tab.rekey(id, was, keys)
	return nil
}

func (tab *table[T]) remove(id uuid.UUID) error {
	r, err := tab.get(id)
	if err != nil {
		return err
	}
	was := r.rec.AppendKeys(tab.t.room[1][:0])
	tab.put(id, nil)
	tab.rekey(id, was, nil)
	return nil
}

// tx makes the Tx of a closure. A new table is a line here; everything else
// follows from the Tx and from record.Schema.
func (u *unit) tx() *record.Tx {
	return &record.Tx{
		Affiliates:  handle[record.Affiliate]{u},
		Links:       handle[record.Link]{u},
		Clicks:      handle[record.Click]{u},
		Referrals:   handle[record.Referral]{u},
		Coupons:     handle[record.Coupon]{u},
		Codes:       handle[record.Code]{u},
		Redemptions: handle[record.Redemption]{u},
		Sales:       handle[record.Sale]{u},
		Plans:       handle[record.Plan]{u},
		Tiers:       handle[record.Tier]{u},
		Payouts:     handle[record.Payout]{u},
		Adjustments: handle[record.Adjustment]{u},
		Movements:   handle[record.Movement]{u},
		Runs:        handle[record.Run]{u},
		Lines:       handle[record.Line]{u},
		Totals:      handle[record.Totals]{u},
		Receipts:    handle[record.Receipt]{u},
		Endpoints:   handle[record.Endpoint]{u},
		Events:      handle[record.Event]{u},
		Deliveries:  handle[record.Delivery]{u},
		Queue:       handle[record.Queue]{u},
		Imports:     handle[record.Import]{u},
		Payments:    handle[record.Payment]{u},
		PaymentKeys: handle[record.PaymentKey]{u},
		Payers:      handle[record.Payer]{u},
		Erasures:    handle[record.Erasure]{u},
		Aliases:     handle[record.Alias]{u},
		Uses:        handle[record.Use]{u},
		Holds:       handle[record.Hold]{u},
		Settings:    handle[record.Settings]{u},
		Cases:       handle[record.Case]{u},
		Budgets:     handle[record.Budget]{u},
		Values:      handle[record.Value]{u},
		Raise:       u.raise,
		Soon:        u.soon,
		Sum:         u.summer(),
	}
}

// newTable makes a table for the records of the handle.
func (handle[T]) newTable(t *txn, sql *tableSQL) anyTable { return &table[T]{t: t, sql: sql} }

// A tableMaker is a handle of any record type.
type tableMaker interface {
	newTable(t *txn, sql *tableSQL) anyTable
}

// tables are the tables of a transaction that were used, in the order of
// record.Schema; nil: it was not.
type tables []anyTable

// anyTable is a table of any record type.
type anyTable interface {
	learnRow(rows pgx.Rows, at int) (uuid.UUID, error)
	learnNone(id uuid.UUID)
	mark() (undo, touched int)
	rollback(undo, touched int)
	flush(w *writeBatch) error
	bind(t *txn)
	settle() int
	soon(key record.Key)
	notes() bool
	asking(qs []query) []query
	width() int
}

// at returns the table at a place of the schema.
func (t *txn) at(place int) anyTable {
	if t.tables[place] == nil {
		sql := t.s.sql.tables[place]
		t.tables[place] = sql.maker.newTable(t, sql)
	}
	return t.tables[place]
}

// tableOf returns the table with the records of type T.
func tableOf[T record.Record[T]](t *txn) *table[T] { return t.at(record.PlaceOf[T]()).(*table[T]) }

// named returns the table with a name, or nil.
func (t *txn) named(name string) anyTable {
	for place, sql := range t.s.sql.tables {
		if sql.Name == name {
			return t.at(place)
		}
	}
	return nil
}

// used returns the tables that were used.
func (ts tables) used() iter.Seq2[int, anyTable] {
	return func(yield func(int, anyTable) bool) {
		for place, tab := range ts {
			if tab != nil && !yield(place, tab) {
				return
			}
		}
	}
}

// A savepoint is a state of a transaction to which writes can be undone. It
// costs the database nothing, because these writes were never sent. A table that
// was used later goes back to its beginning.
type savepoint struct {
	tables  []tablePoint
	numbers [4]int64
	known   bool
}

type tablePoint struct{ undo, touched int }

func (t *txn) savepoint() savepoint {
	sp := savepoint{make([]tablePoint, len(t.tables)), t.numbers.at, t.known}
	for i, tab := range t.tables.used() {
		sp.tables[i].undo, sp.tables[i].touched = tab.mark()
	}
	return sp
}

func (t *txn) rollbackTo(sp savepoint) {
	if t.numbers.at = sp.numbers; !sp.known {
		t.numbers.at = t.numbers.stored
	}
	for i, tab := range t.tables.used() {
		tab.rollback(sp.tables[i].undo, sp.tables[i].touched)
	}
}

// admit refuses keys of unknown indexes, and texts that the database cannot
// store.
func (tab *table[T]) admit(keys []record.Key) error {
	for _, key := range keys {
		if !slices.Contains(tab.sql.Indexes, key.Index) {
			return fmt.Errorf("pgstore: record of %s: no index %q", tab.sql.Name, key.Index)
		}
		if !storable(key) {
			return fmt.Errorf("pgstore: record of %s: the key of %s cannot be stored", tab.sql.Name, key.Index)
		}
	}
	return nil
}

// storable reports whether a text can be a key.
func storable(key record.Key) bool {
	if key.Index.IsID() {
		return true
	}
	return key.Text != "" && utf8.ValidString(key.Text) && strings.IndexByte(key.Text, 0) < 0
}

// checkIndex refuses an index that the table does not have, or that is not
// unique or shared as wanted.
func (tab *table[T]) checkIndex(ix record.Index, unique bool) error {
	if ix.Unique() == unique && slices.Contains(tab.sql.Indexes, ix) {
		return nil
	}
	if unique {
		return fmt.Errorf("pgstore: find in %s: no unique index %q", tab.sql.Name, ix)
	}
	return fmt.Errorf("pgstore: list of %s: no shared index %q", tab.sql.Name, ix)
}

// numbers are the counters of a program, in one row. A transaction reads them
// when it begins and writes them when it ends. No other transaction changes
// them in between: in Queue mode because of the advisory lock or the guard, in
// Serializable mode because of the lock of the row.
type numbers struct {
	at     [4]int64 // the last number
	stored [4]int64
}

// raise moves a sequence on, or reads it.
func (u *unit) raise(seq record.Sequence, by, to int64) (int64, error) {
	usable, need := u.writable, u.t.needOpening
	if by == 0 && to == 0 {
		usable = u.readable
	}
	if u.t.kind == viewing {
		need = u.t.needNumbers
	}
	if err := usable(); err != nil {
		return 0, err
	}
	i := slices.Index(sequences, seq)
	if i < 0 {
		return 0, fmt.Errorf("pgstore: no sequence %q", seq)
	}
	if err := need(); err != nil {
		return 0, err
	}
	last := u.t.numbers.at[i]
	u.t.numbers.at[i] = max(last, last+by, to)
	return u.t.numbers.at[i], nil
}

// needNumbers reads the counters of the program in a View, unless they were read.
// Before the View has begun a transaction it does not begin one: the counters may be
// newer than what else it sees.
func (t *txn) needNumbers() error {
	if t.known {
		return nil
	}
	q := query{sql: t.s.sql.numbers, args: []any{t.programID}, each: func(rows pgx.Rows) error {
		dst := make([]any, len(t.numbers.at))
		for i := range dst {
			dst[i] = &t.numbers.at[i]
		}
		return rows.Scan(dst...)
	}, done: func() { t.known = true }}
	if t.opened {
		return t.read(q)
	}
	if err := t.ready("read"); err != nil {
		return err
	}
	rows, err := t.db.Query(t.ctx, q.sql, q.args...)
	if err == nil {
		err = q.answer(rows)
	}
	if err != nil {
		return t.fail("read", err)
	}
	return nil
}

// queueClosing queues the row of the program with a new version, if the transaction
// writes. So a picture of it is out of date, and in Serializable mode one that waited
// for the row finds out at once that its snapshot is.
func (t *txn) queueClosing(b *pgx.Batch) {
	n := t.numbers.at
	if b.Len() == 0 && n == t.numbers.stored {
		return
	}
	t.version = uuid.New()
	b.Queue(t.s.sql.closing, t.programID, idArg(t.version), n[0], n[1], n[2], n[3], t.marks.raw)
}

// page notes what the records of a page show besides themselves: the affiliate,
// links and referral of a sale, the totals of an affiliate. So they are read
// together, and not for each record. Only a page does it: a list without a limit
// may be longer than what fits into memory.
func (tab *table[T]) page(found []T) {
	if tab.sql.Name == "affiliates" && len(found) > 1 {
		totals := tableOf[record.Totals](tab.t)
		for _, rec := range found {
			totals.want(record.Key{ID: rec.RecordID()})
		}
	}
	if tab.sql.Name != "sales" || len(found) < 2 {
		return
	}
	affiliates, links, referrals := tableOf[record.Affiliate](tab.t), tableOf[record.Link](tab.t),
		tableOf[record.Referral](tab.t)
	for _, rec := range found {
		for _, key := range rec.AppendKeys(tab.t.room[0][:0]) {
			switch key.Index {
			case record.OfAffiliate:
				affiliates.want(record.Key{ID: key.ID})
				links.want(key)
			case record.OfReferral:
				referrals.want(record.Key{ID: key.ID})
			}
		}
	}
}

// expects reports whether a View has read or noted a whole list.
func (tab *table[T]) expects(q record.Query) bool {
	whole := q.Key.Index != "" && q.After == uuid.Nil && q.Limit == 0
	return whole && (tab.knows(q.Key) || slices.Contains(tab.wanted, q.Key))
}
