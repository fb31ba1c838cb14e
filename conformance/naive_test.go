package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// naiveStore is the simplest correct store. An Update works on a copy of the
// program and replaces the program with it at the end. A View reads the program
// that it found at its start. With a flaw the store is wrong in one way;
// broken_test.go lists the flaws.
type naiveStore struct {
	flaw flaw
	turn chan struct{} // held by the Update that runs

	mu       sync.Mutex // guards what follows
	programs map[uuid.UUID]*naiveProgram
	tidied   bool          // of a flaw: a long View ended during the running Update
	inside   int           // Updates of a racing flaw that run
	met      chan struct{} // closed when two of them met
}

// naiveProgram is one state of a program. A committed state is never changed.
type naiveProgram struct {
	rows map[string]map[uuid.UUID]*naiveRow
	next map[record.Sequence]int64
}

// A naiveRow is a record and when it was inserted.
type naiveRow struct {
	rec   record.AnyRecord
	clock int
}

func newNaive(f flaw) *naiveStore {
	return &naiveStore{flaw: f, turn: make(chan struct{}, 1), programs: map[uuid.UUID]*naiveProgram{}, met: make(chan struct{})}
}

func (p *naiveProgram) clone() *naiveProgram {
	c := &naiveProgram{rows: map[string]map[uuid.UUID]*naiveRow{}, next: maps.Clone(p.next)}
	for name, rows := range p.rows {
		c.rows[name] = maps.Clone(rows)
	}
	return c
}

func (p *naiveProgram) table(name string) map[uuid.UUID]*naiveRow {
	if p.rows[name] == nil {
		p.rows[name] = map[uuid.UUID]*naiveRow{}
	}
	return p.rows[name]
}

// latest returns a copy of the last committed state.
func (s *naiveStore) latest(program uuid.UUID) *naiveProgram {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	if p := s.programs[program]; p != nil {
		return p.clone()
	}
	return &naiveProgram{rows: map[string]map[uuid.UUID]*naiveRow{}, next: map[record.Sequence]int64{}}
}

func (s *naiveStore) put(program uuid.UUID, p *naiveProgram) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	s.programs[program] = p
}

func (s *naiveStore) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	if err := ctx.Err(); err != nil && s.flaw != viewIgnoresContext {
		return fmt.Errorf("view: %w", err)
	}
	tx := &naiveTx{store: s, program: program, base: s.latest(program), readOnly: true}
	tx.data = tx.base
	returned := false
	defer func() {
		tx.end()
		if !returned && tx.long() && s.flaw == leavesLongView {
			select {
			case s.turn <- struct{}{}:
			default:
			}
		}
		if tx.long() && s.flaw == tidiesOthers {
			s.tidy()
		}
	}()
	err := fn(tx.tables())
	returned = true
	return err
}

// tidy is what a flaw does at the end of a View that has read much.
func (s *naiveStore) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidied = len(s.turn) > 0
}

// mixUp drops a record of an Update during which a View tidied up.
func (s *naiveStore) mixUp(data *naiveProgram) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range data.rows["codes"] {
		if s.tidied {
			delete(data.rows["codes"], id)
			s.tidied = false
		}
	}
}

func (s *naiveStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) (err error) {
	if s.flaw.races() {
		return s.race(ctx, program, fn)
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	tx := &naiveTx{store: s, program: program, base: s.latest(program), data: s.latest(program)}
	returned := false
	defer func() {
		tx.end()
		var r any
		if !returned && s.flaw.recovers() {
			r = recover()
		}
		if !returned && s.flaw == keepsAfterPanic {
			s.put(program, tx.data)
		}
		if returned || s.flaw != leavesLock && (s.flaw != leavesLockOnGoexit || r != nil) {
			<-s.turn
		}
		if r != nil && s.flaw != swallowsPanic {
			panic(r)
		}
	}()
	err = fn(tx.tables())
	returned = true
	return s.commit(ctx, tx, err)
}

// begin waits until no other Update runs.
func (s *naiveStore) begin(ctx context.Context) error {
	if s.flaw == ignoresContext {
		ctx = context.WithoutCancel(ctx)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("update: %w", ctx.Err())
	}
}

// commit stores what the transaction wrote, unless it failed.
func (s *naiveStore) commit(ctx context.Context, tx *naiveTx, err error) error {
	switch {
	case err != nil && s.flaw == resetsNumbers:
		tx.base.next = map[record.Sequence]int64{}
		s.put(tx.program, tx.base)
		return err
	case err != nil && s.flaw == replacesError:
		return errors.New("naive: rolled back")
	case err != nil && s.flaw != keepsAfterError:
		return err
	case tx.dead && s.flaw == deadAfterNotFound:
		return errors.New("naive: transaction is dead")
	}
	if ctxErr := ctx.Err(); ctxErr != nil && s.flaw != ignoresContext && s.flaw != looksAtContextOnce {
		if s.flaw == hidesContext {
			return errors.New("naive: too late")
		}
		return fmt.Errorf("commit: %w", ctxErr)
	}
	if s.flaw == tidiesOthers {
		s.mixUp(tx.data)
	}
	s.put(tx.program, tx.data)
	return err
}

// race runs an Update of a store that is not serializable. When two Updates run
// at the same time, both read before either commits.
func (s *naiveStore) race(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	for {
		tx := &naiveTx{store: s, program: program, base: s.latest(program), data: s.latest(program), wrote: map[naiveID]bool{}}
		err := fn(tx.tables())
		tx.end()
		if err != nil {
			return err
		}
		s.meet()
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.merge(tx) {
			return nil
		}
	}
}

// meet waits for another Update, but not for long.
func (s *naiveStore) meet() {
	s.mu.Lock()
	met := s.met
	if s.inside++; s.inside == 2 {
		s.inside = 0
		close(s.met)
		s.met = make(chan struct{})
	}
	s.mu.Unlock()
	select {
	case <-met:
	case <-time.After(time.Millisecond):
		s.mu.Lock()
		if met == s.met {
			s.inside = 0
		}
		s.mu.Unlock()
	}
}

// merge commits the rows that tx wrote over the latest state. It returns false
// when tx must run again.
func (s *naiveStore) merge(tx *naiveTx) bool {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	latest := s.latest(tx.program)
	for id := range tx.wrote {
		if s.flaw != losesUpdates && latest.rows[id.table][id.id] != tx.base.rows[id.table][id.id] {
			return false
		}
		row := tx.data.rows[id.table][id.id]
		if row == nil {
			delete(latest.table(id.table), id.id)
			continue
		}
		if s.flaw != skewsKeys && clash(latest.table(id.table), row.rec, id.id, func(k record.Key) record.Key { return k }) != "" {
			return false
		}
		latest.table(id.table)[id.id] = row
	}
	for seq, n := range tx.data.next {
		latest.next[seq] = max(latest.next[seq], n)
	}
	s.put(tx.program, latest)
	return true
}

// clash returns the first unique index in which another row has the record's
// key.
func clash(rows map[uuid.UUID]*naiveRow, rec record.AnyRecord, but uuid.UUID, canon func(record.Key) record.Key) record.Index {
	for _, key := range keysOf(rec) {
		if !key.Index.Unique() {
			continue
		}
		for id, row := range rows {
			if other := keyOf(row.rec, key.Index); id != but && other.Index != "" && canon(other) == canon(key) {
				return key.Index
			}
		}
	}
	return ""
}

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

type naiveID struct {
	table string
	id    uuid.UUID
}

// naiveTx is one transaction. base is the state at its start, data is what it
// sees.
type naiveTx struct {
	store      *naiveStore
	program    uuid.UUID
	base, data *naiveProgram
	wrote      map[naiveID]bool
	readOnly   bool
	done       bool
	reads      int  // how often it was read
	dead       bool // of a flaw
}

// long reports whether the transaction is a View that has read much.
func (tx *naiveTx) long() bool { return tx.readOnly && tx.reads > 500 }

func (tx *naiveTx) flaw() flaw { return tx.store.flaw }

func (tx *naiveTx) end() { tx.done = true }

// live reports whether the transaction may be read.
func (tx *naiveTx) live() error {
	if tx.done && tx.flaw() != worksAfterEnd {
		return record.ErrTxDone
	}
	if tx.dead && tx.flaw() == deadAfterClash {
		return errors.New("naive: transaction is dead")
	}
	tx.reads++
	if tx.readOnly && tx.flaw() == liveView || tx.long() && tx.flaw() == liveLongView {
		tx.data = tx.store.latest(tx.program)
	}
	return nil
}

// writable reports whether the transaction may be written.
func (tx *naiveTx) writable() error {
	if err := tx.live(); err != nil {
		return err
	}
	if tx.readOnly && tx.flaw() != viewWrites {
		return record.ErrReadOnly
	}
	return nil
}

func (tx *naiveTx) raise(seq record.Sequence, by, to int64) (int64, error) {
	err := tx.writable()
	if by == 0 && to == 0 && (err == nil || errors.Is(err, record.ErrReadOnly)) {
		if tx.flaw() == readsOldNumbers {
			return 0, nil
		}
		return tx.data.next[seq], nil
	}
	if errors.Is(err, record.ErrReadOnly) && tx.flaw() == viewTakesNumbers {
		err = nil
	}
	if err != nil {
		return 0, err
	}
	switch tx.flaw() {
	case oneCounter:
		seq = "all"
	case oneSequence:
		tx.store.mu.Lock()
		defer tx.store.mu.Unlock()
		shared := tx.store.programs[uuid.Max]
		if shared == nil {
			shared = &naiveProgram{next: map[record.Sequence]int64{}}
			tx.store.programs[uuid.Max] = shared
		}
		shared.next[seq] = max(shared.next[seq]+by, to)
		return shared.next[seq], nil
	case repeatsNumbers:
		tx.data.next[seq]++
		return tx.base.next[seq] + 1, nil
	case setsNumbers:
		tx.data.next[seq] = max(tx.data.next[seq]+by, to)
		if to > 0 {
			tx.data.next[seq] = to
		}
		return tx.data.next[seq], nil
	}
	tx.data.next[seq] = max(tx.data.next[seq], tx.data.next[seq]+by, to)
	return tx.data.next[seq], nil
}

func (tx *naiveTx) tables() *record.Tx {
	all := &record.Tx{Raise: tx.raise}
	for _, t := range tables() {
		t.Set(all, naiveTable{tx, t})
	}
	switch tx.flaw() {
	case lacksTable:
		all.Tiers = nil
	case lacksRaise:
		all.Raise = nil
	case sumsNothing:
		all.Sum = func(record.Sum) ([]record.Summed, error) { return nil, nil }
	}
	return all
}
