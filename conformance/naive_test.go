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
)

// naiveStore is the plainest store that is right: an Update works on a copy of
// the program and puts it in place at the end; a View keeps the one it found.
// With a flaw it is wrong in that one way; broken_test.go lists them.
type naiveStore struct {
	flaw flaw
	turn chan struct{} // held by the Update that runs

	mu       sync.Mutex // guards what follows
	programs map[uuid.UUID]*naiveProgram
	inside   int           // Updates of a racing flaw that run
	met      chan struct{} // closed when two of them met
}

// naiveProgram is one moment of a program. It is never changed once it is in
// place.
type naiveProgram struct {
	rows map[string]map[uuid.UUID]*naiveRow
	next map[affiliate.Sequence]int64
}

// A naiveRow is a record and when it was inserted.
type naiveRow struct {
	rec   record
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

// latest is a copy of the program as it was committed last.
func (s *naiveStore) latest(program uuid.UUID) *naiveProgram {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	if p := s.programs[program]; p != nil {
		return p.clone()
	}
	return &naiveProgram{rows: map[string]map[uuid.UUID]*naiveRow{}, next: map[affiliate.Sequence]int64{}}
}

func (s *naiveStore) put(program uuid.UUID, p *naiveProgram) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flaw == oneNamespace {
		program = uuid.Nil
	}
	s.programs[program] = p
}

func (s *naiveStore) View(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error) error {
	if err := ctx.Err(); err != nil && s.flaw != viewIgnoresContext {
		return fmt.Errorf("view: %w", err)
	}
	tx := &naiveTx{store: s, program: program, base: s.latest(program), readOnly: true}
	tx.data = tx.base
	defer tx.end()
	return fn(tx.tables())
}

func (s *naiveStore) Update(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error) (err error) {
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

// begin waits for the turn of the transaction.
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

// commit puts what the transaction wrote in place, unless it failed.
func (s *naiveStore) commit(ctx context.Context, tx *naiveTx, err error) error {
	switch {
	case err != nil && s.flaw == resetsNumbers:
		tx.base.next = map[affiliate.Sequence]int64{}
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
	s.put(tx.program, tx.data)
	return err
}

// race runs an Update of a store that is not serializable. Two Updates that
// are there at the same time both read before either commits.
func (s *naiveStore) race(ctx context.Context, program uuid.UUID, fn func(tx *affiliate.Tx) error) error {
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

// meet waits for another Update, for a moment.
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

// merge commits the rows that tx wrote, over the latest ones. It is false when
// tx must run again.
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
		if s.flaw != skewsKeys && clash(latest.table(id.table), row.rec, id.id, func(k affiliate.Key) affiliate.Key { return k }) != "" {
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

// clash is the first unique index of which another row has the record's key.
func clash(rows map[uuid.UUID]*naiveRow, rec record, but uuid.UUID, canon func(affiliate.Key) affiliate.Key) affiliate.Index {
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

type naiveID struct {
	table string
	id    uuid.UUID
}

// naiveTx is one transaction: base is what it began with, data what it sees.
type naiveTx struct {
	store      *naiveStore
	program    uuid.UUID
	base, data *naiveProgram
	wrote      map[naiveID]bool
	readOnly   bool
	done       bool
	dead       bool // of a flaw
}

func (tx *naiveTx) flaw() flaw { return tx.store.flaw }

func (tx *naiveTx) end() { tx.done = true }

// live reports whether the transaction may be read.
func (tx *naiveTx) live() error {
	if tx.done && tx.flaw() != worksAfterEnd {
		return affiliate.ErrTxDone
	}
	if tx.dead && tx.flaw() == deadAfterClash {
		return errors.New("naive: transaction is dead")
	}
	if tx.readOnly && tx.flaw() == liveView {
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
		return affiliate.ErrReadOnly
	}
	return nil
}

func (tx *naiveTx) next(seq affiliate.Sequence) (int64, error) {
	err := tx.writable()
	if errors.Is(err, affiliate.ErrReadOnly) && tx.flaw() == viewTakesNumbers {
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
			shared = &naiveProgram{next: map[affiliate.Sequence]int64{}}
			tx.store.programs[uuid.Max] = shared
		}
		shared.next[seq]++
		return shared.next[seq], nil
	case repeatsNumbers:
		return tx.base.next[seq] + 1, tx.count(seq)
	}
	return tx.data.next[seq] + 1, tx.count(seq)
}

func (tx *naiveTx) count(seq affiliate.Sequence) error {
	tx.data.next[seq]++
	return nil
}

func (tx *naiveTx) tables() *affiliate.Tx {
	all := &affiliate.Tx{
		Affiliates:  naiveTable[affiliate.AffiliateRecord]{tx, "affiliates"},
		Links:       naiveTable[affiliate.LinkRecord]{tx, "links"},
		Clicks:      naiveTable[affiliate.ClickRecord]{tx, "clicks"},
		Referrals:   naiveTable[affiliate.ReferralRecord]{tx, "referrals"},
		Coupons:     naiveTable[affiliate.CouponRecord]{tx, "coupons"},
		Codes:       naiveTable[affiliate.CodeRecord]{tx, "codes"},
		Redemptions: naiveTable[affiliate.RedemptionRecord]{tx, "redemptions"},
		Sales:       naiveTable[affiliate.SaleRecord]{tx, "sales"},
		Plans:       naiveTable[affiliate.PlanRecord]{tx, "plans"},
		Tiers:       naiveTable[affiliate.TierRecord]{tx, "tiers"},
		Payouts:     naiveTable[affiliate.PayoutRecord]{tx, "payouts"},
		Totals:      naiveTable[affiliate.TotalsRecord]{tx, "totals"},
		Receipts:    naiveTable[affiliate.ReceiptRecord]{tx, "receipts"},
		Endpoints:   naiveTable[affiliate.EndpointRecord]{tx, "endpoints"},
		Events:      naiveTable[affiliate.EventRecord]{tx, "events"},
		Deliveries:  naiveTable[affiliate.DeliveryRecord]{tx, "deliveries"},
		Queue:       naiveTable[affiliate.QueueRecord]{tx, "queue"},
		Next:        tx.next,
	}
	switch tx.flaw() {
	case lacksTable:
		all.Tiers = nil
	case lacksNext:
		all.Next = nil
	}
	return all
}

// naiveTable is one table of a transaction.
type naiveTable[T affiliate.Record[T]] struct {
	tx   *naiveTx
	name string
}

func (t naiveTable[T]) rows() map[uuid.UUID]*naiveRow { return t.tx.data.table(t.name) }

// missed is ErrNotFound; a flaw may die of it.
func (t naiveTable[T]) missed() error {
	t.tx.dead = t.tx.dead || t.tx.flaw() == deadAfterNotFound
	return affiliate.ErrNotFound
}

func (t naiveTable[T]) Get(id uuid.UUID) (rec T, err error) {
	if err := t.tx.live(); err != nil {
		return rec, err
	}
	row := t.rows()[id]
	if row == nil {
		return rec, t.missed()
	}
	return t.out(row), nil
}

func (t naiveTable[T]) Find(key affiliate.Key) (rec T, err error) {
	if err := t.tx.live(); err != nil {
		return rec, err
	}
	rows := t.rows()
	if t.tx.flaw() == findMissesWrites {
		rows = t.tx.base.table(t.name)
	}
	for _, row := range rows {
		if other := keyOf(row.rec, key.Index); other.Index != "" && t.tx.flaw().canon(other) == t.tx.flaw().canon(key) {
			return t.out(row), nil
		}
	}
	return rec, t.missed()
}

func (t naiveTable[T]) out(row *naiveRow) T {
	if t.tx.flaw() == sharesReturned {
		return row.rec.(T)
	}
	return row.rec.(T).Clone()
}

func (t naiveTable[T]) List(q affiliate.Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		ids, err := t.selectIDs(q)
		if err != nil {
			yield(none, err)
			return
		}
		for i := 0; i < len(ids); i++ {
			if err := t.tx.live(); err != nil && t.tx.flaw() != listsAfterEnd {
				yield(none, err)
				return
			}
			row := t.rows()[ids[i]]
			if row == nil {
				continue // deleted meanwhile
			}
			if !yield(t.out(row), nil) {
				return
			}
			if t.tx.flaw() == listTrips {
				ids, _ = t.selectIDs(q) // and i goes on by place
			}
		}
		if err := t.tx.live(); err != nil && t.tx.flaw() != listsAfterEnd {
			yield(none, err)
		}
	}
}

// selectIDs is what the query selects, in order.
func (t naiveTable[T]) selectIDs(q affiliate.Query) ([]uuid.UUID, error) {
	if err := t.tx.live(); err != nil {
		return nil, err
	}
	rows, f := t.rows(), t.tx.flaw()
	if f == listMissesWrites {
		rows = t.tx.base.table(t.name)
	}
	var ids []uuid.UUID
	for id, row := range rows {
		if q.Key == (affiliate.Key{}) || f.canon(keyOf(row.rec, q.Key.Index)) == f.canon(q.Key) {
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
func (f flaw) cut(q affiliate.Query, ids []uuid.UUID, sign int) []uuid.UUID {
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

// canon is the key as the store compares it.
func (f flaw) canon(key affiliate.Key) affiliate.Key {
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

func (t naiveTable[T]) Insert(rec T) error {
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

func (t naiveTable[T]) Replace(rec T) error {
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

// refuse is the error of a clash.
func (t naiveTable[T]) refuse(rec T, ix affiliate.Index) error {
	switch t.tx.flaw() {
	case deadAfterClash:
		t.tx.dead = true
	case halfApplied:
		t.put(rec)
	case clashWithoutIndex:
		ix = ""
	case clashWithoutType:
		return affiliate.ErrExists
	}
	return &affiliate.ExistsError{Index: ix}
}

func (t naiveTable[T]) put(rec T) {
	if t.tx.flaw() != keepsGiven {
		rec = rec.Clone()
	}
	id := rec.RecordID()
	row := &naiveRow{rec: t.tx.flaw().mangle(rec), clock: len(t.rows())}
	if old := t.rows()[id]; old != nil {
		row.clock = old.clock
	}
	t.rows()[id] = row
	t.mark(id)
}

func (t naiveTable[T]) mark(id uuid.UUID) {
	if t.tx.wrote != nil {
		t.tx.wrote[naiveID{t.name, id}] = true
	}
}

func (t naiveTable[T]) Delete(id uuid.UUID) error {
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
