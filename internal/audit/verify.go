package audit

import (
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// A part is a part of the audit: one of the checks of parts, in their order.
type part int

const (
	inImports part = iota
	inCodes
	inPeople
	inRates
	inSales
	inPayouts
	inAdjustments
	inMovements
	inRuns
	inTotals
	inEvents
	inDeliveries
	inPayments
	inPayers
	nParts
)

// parts are the checks. Each walks the tables that it needs, and looks at no more
// than the objects that were picked.
var parts = [nParts]func(*audit){
	inImports: (*audit).verifyImports, inCodes: (*audit).verifyCodes, inPeople: (*audit).verifyPeople, inRates: (*audit).verifyRates,
	inSales: (*audit).verifySales, inPayouts: (*audit).verifyPayouts, inAdjustments: (*audit).verifyAdjustments,
	inMovements: (*audit).verifyMovements, inRuns: (*audit).verifyRuns, inTotals: (*audit).verifyTotals, inEvents: (*audit).verifyEvents,
	inDeliveries: (*audit).verifyDeliveries, inPayments: (*audit).verifyPayments, inPayers: (*audit).verifyPayers,
}

// An audit is one run of Verify. It goes over the records twice. The first time it
// sifts: it holds sums and fingerprints, and picks the objects that something may be
// wrong with. The second time it checks these, part by part, a bounded number at a
// time, and holds what concerns them.
type audit struct {
	*engine.Program
	view
	tables

	sieve        // of the first time
	sifting bool // it is the first time
	now     part // that is sifted for, or checked
	subject print
	picked  []bool // by bucket: what is checked now

	drops   []func()                     // each empties a collection
	terms   map[uuid.UUID]record.Plan    // of all plans, and of the program
	brought map[uuid.UUID]*record.Import // what an import made, by the id of the record, of what was picked; nil: not read
	asked   map[uuid.UUID]bool           // what brought holds besides
	looked  map[uuid.UUID]any            // what see has read

	records  int64
	erases   bool // there are erasures
	stage    int  // the walk that a breach is found in, counted in each round
	place    uuid.UUID
	breaches []found
}

// A found is a breach with its place in the report.
type found struct {
	affiliate.Breach
	part  part
	stage int
	at    uuid.UUID
}

// breach records that an object breaks an invariant. The sieve picks its subject
// instead, since the second time reports it.
func (a *audit) breach(invariant string, of object, detail string, args ...any) {
	if a.sifting {
		a.pick(a.now, a.subject)
		return
	}
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	a.breaches = append(a.breaches, found{affiliate.Breach{Invariant: invariant, Object: of.String(), Detail: detail}, a.now, a.stage, a.place})
}

// early runs a check whose breaches come before all others, in the order of n.
func (a *audit) early(n int, check func()) {
	if a.sifting {
		check()
		return
	}
	now, stage := a.now, a.stage
	a.now, a.stage = -1, n
	check()
	a.now, a.stage = now, stage
}

// about says whom the breaches that the sieve finds next concern.
func (a *audit) about(p part, subject print) { a.now, a.subject = p, subject }

// A collection is the records of a table, in the order of their ids. It holds the
// records that look-ups need, of the objects that were picked.
type collection[R record.Record[R]] struct {
	a     *audit
	table record.Table[R]
	kind  int64
	also  func(*R) bool    // what else is held
	at    map[uuid.UUID]*R // nil: not read yet
}

// endedEvery is the number of records between two checks of the context.
const endedEvery = 1024

// records yields every record, until an error or the end of the context. What it
// yields changes with the next one.
func (s *collection[R]) records() iter.Seq[*R] {
	s.a.stage++
	return func(yield func(*R) bool) {
		for r := range s.walk() {
			s.a.place = (*r).RecordID()
			if !yield(r) {
				return
			}
		}
		s.a.place = uuid.Max
	}
}

func (s *collection[R]) walk() iter.Seq[*R] {
	return func(yield func(*R) bool) {
		if s.a.ended() {
			return
		}
		var last R
		n := 0
		for rec, err := range s.table.List(record.Query{}) {
			if n++; err != nil || n%endedEvery == 0 && s.a.ended() {
				s.a.fail(err)
				return
			}
			if last = rec; !yield(&last) {
				return
			}
		}
	}
}

// held returns the records that look-ups need, by their ids.
func (s *collection[R]) held() map[uuid.UUID]*R {
	if s.at == nil {
		s.at = map[uuid.UUID]*R{}
		for r := range s.walk() {
			if s.a.mine((*r).RecordID()) || s.also != nil && s.also(r) {
				kept := *r
				s.at[kept.RecordID()] = &kept
			}
		}
	}
	return s.at
}

// get returns the record of a picked object, or nil.
func (s *collection[R]) get(id uuid.UUID) *R { return s.held()[id] }

func (s *collection[R]) has(id uuid.UUID) bool { return s.get(id) != nil }

// lacks reports that a picked object is not there.
func (s *collection[R]) lacks(id uuid.UUID) bool {
	if a := s.a; a.sifting {
		k := a.key(id)
		a.expect(a.now, k, k.num(s.kind))
		return false
	}
	return s.a.mine(id) && !s.has(id)
}

// seeAtOnce is the number of records that see remembers.
const seeAtOnce = 4096

// see returns any record, or nil. Checks use it where they seldom have to.
func (s *collection[R]) see(id uuid.UUID) *R {
	if known, ok := s.a.looked[id]; ok {
		if r, ok := known.(*R); ok {
			return r
		}
	}
	rec, err := s.table.Get(id)
	r := &rec
	if err != nil {
		if r = nil; !isNotFound(err) {
			s.a.fail(err)
		}
	}
	if len(s.a.looked) >= seeAtOnce || s.a.looked == nil {
		s.a.looked = map[uuid.UUID]any{}
	}
	s.a.looked[id] = r
	return r
}

// An object is what a breach is of. Its name is made for breaches only.
type object struct {
	kind string
	id   uuid.UUID
	n    int64 // of what has an integer id
}

func named(kind string, id uuid.UUID) object { return object{kind: kind, id: id} }

func numbered(kind string, n int64) object { return object{kind: kind, n: n} }

func (o object) String() string {
	if o.id == uuid.Nil {
		return fmt.Sprint(o.kind, " ", o.n)
	}
	return o.kind + " " + o.id.String()
}

// refers checks a reference, which may be none, to a live record.
func refers[R record.Record[R]](a *audit, invariant, kind string, from uuid.UUID, field string, to uuid.UUID, s *collection[R]) {
	if to != uuid.Nil && s.lacks(to) {
		a.breach(invariant, named(kind, from), "its %s %s does not exist", field, to)
	}
}

// listed checks that a value is one of its enumeration.
func listed[T ~string](a *audit, of object, field string, v T, values ...T) {
	if !slices.Contains(values, v) {
		a.breach("I81", of, "%s %q", field, v)
	}
}

// titled checks a required name.
func (a *audit) titled(of object, name string) {
	if plaintext.Blank(name) {
		a.breach("I81", of, "it has no name")
	}
}

// unique checks that a key is held once among the records of a table.
func unique[R record.Record[R]](a *audit, invariant, kind string, s *collection[R], ix record.Index) {
	held := make(map[record.Key]uuid.UUID)
	var keys []record.Key
	for r := range s.records() {
		keys = (*r).AppendKeys(keys[:0])
		for _, key := range keys {
			if key.Index != ix || !a.picks(a.keyed(s.kind, key)) {
				continue
			}
			id := (*r).RecordID()
			if other, taken := held[key]; taken {
				a.breach(invariant, named(kind, id), "its %s is held by %s too", ix, other)
			}
			held[key] = id
		}
	}
}

// siftKeys picks the unique keys of a record that another one may hold too.
func siftKeys[R record.Record[R]](a *audit, p part, s *collection[R], r *R) {
	a.room = (*r).AppendKeys(a.room[:0])
	for _, key := range a.room {
		if key.Index.Unique() && key.Index != record.ByNumber {
			k := a.keyed(s.kind, key)
			a.repeated(p, k, k)
		}
	}
}

// instants checks that the creation and the last change of a record are in
// order.
func (a *audit) instants(kind string, id uuid.UUID, created, updated affiliate.Instant) {
	if created.IsZero() || updated.Before(created) {
		a.breach("I54", named(kind, id), "created %v, updated %v", created, updated)
	}
}
