package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/delivery"
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
	inImports: (*audit).verifyImports, inCodes: (*audit).verifyCodes,
	inPeople: (*audit).verifyPeople, inRates: (*audit).verifyRates, inSales: (*audit).verifySales,
	inPayouts: (*audit).verifyPayouts, inAdjustments: (*audit).verifyAdjustments,
	inMovements: (*audit).verifyMovements, inRuns: (*audit).verifyRuns,
	inTotals: (*audit).verifyTotals, inEvents: (*audit).verifyEvents,
	inDeliveries: (*audit).verifyDeliveries, inPayments: (*audit).verifyPayments,
	inPayers: (*audit).verifyPayers,
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
	breaches []placedBreach
}

// A placedBreach is a breach with its place in the report.
type placedBreach struct {
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
	a.breaches = append(a.breaches,
		placedBreach{affiliate.Breach{Invariant: invariant, Object: of.String(), Detail: detail},
			a.now, a.stage, a.place})
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

// An object is the subject of a breach. Its name is made for breaches only.
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

// A view is the snapshot that the audit reads.
type view struct {
	ctx context.Context
	err error // the first one of the store, or of the context
}

// fail keeps an error, or that of the context.
func (v *view) fail(err error) {
	if v.err == nil && err != nil {
		v.err = err
	}
}

// ended reports whether the audit is to give up.
func (v *view) ended() bool {
	v.fail(v.ctx.Err())
	return v.err != nil
}

func isNotFound(err error) bool { return errors.Is(err, affiliate.ErrNotFound) }

// tables are the records of a program.
type tables struct {
	affiliates collection[record.Affiliate]
	links      collection[record.Link]
	clicks     collection[record.Click]
	referrals  collection[record.Referral]
	coupons    collection[record.Coupon]
	codes      collection[record.Code]
	ledger     collection[record.Redemption]
	sales      collection[record.Sale]
	plans      collection[record.Plan]
	tiers      collection[record.Tier]
	payouts    collection[record.Payout]
	adjusted   collection[record.Adjustment]
	movements  collection[record.Movement]
	runs       collection[record.Run]
	lines      collection[record.Line]
	totals     collection[record.Totals]
	receipts   collection[record.Receipt]
	endpoints  collection[record.Endpoint]
	events     collection[record.Event]
	deliveries collection[record.Delivery]
	queue      collection[record.Queue]
	payments   collection[record.Payment]
	keys       collection[record.PaymentKey]
	payers     collection[record.Payer]
	erasures   collection[record.Erasure]
	aliases    collection[record.Alias]
	imports    collection[record.Import]
	uses       collection[record.Use]
	holds      collection[record.Hold]
	settings   collection[record.Settings]
	hosted     collection[record.Value]
	cases      collection[record.Case]
	budgets    collection[record.Budget]
}

// lead leads every collection to its table.
func (a *audit) lead(tx *record.Tx) {
	leads(a, &a.affiliates, tx.Affiliates, 1)
	leads(a, &a.links, tx.Links, 2)
	leads(a, &a.clicks, tx.Clicks, 3)
	leads(a, &a.referrals, tx.Referrals, 4)
	leads(a, &a.coupons, tx.Coupons, 5)
	leads(a, &a.codes, tx.Codes, 6)
	leads(a, &a.ledger, tx.Redemptions, 7)
	leads(a, &a.sales, tx.Sales, 8)
	leads(a, &a.plans, tx.Plans, 9)
	leads(a, &a.tiers, tx.Tiers, 10)
	leads(a, &a.payouts, tx.Payouts, 11)
	leads(a, &a.adjusted, tx.Adjustments, 12)
	leads(a, &a.movements, tx.Movements, 13)
	leads(a, &a.runs, tx.Runs, 14)
	leads(a, &a.lines, tx.Lines, 15)
	leads(a, &a.totals, tx.Totals, 16)
	leads(a, &a.receipts, tx.Receipts, 17)
	leads(a, &a.endpoints, tx.Endpoints, 18)
	leads(a, &a.events, tx.Events, 19)
	leads(a, &a.deliveries, tx.Deliveries, 20)
	leads(a, &a.queue, tx.Queue, 21)
	leads(a, &a.payments, tx.Payments, 22)
	leads(a, &a.keys, tx.PaymentKeys, 23)
	leads(a, &a.payers, tx.Payers, 24)
	leads(a, &a.erasures, tx.Erasures, 25)
	leads(a, &a.aliases, tx.Aliases, 26)
	leads(a, &a.imports, tx.Imports, 27)
	leads(a, &a.uses, tx.Uses, 28)
	leads(a, &a.holds, tx.Holds, 29)
	leads(a, &a.settings, tx.Settings, 30)
	leads(a, &a.hosted, tx.Values, 31)
	leads(a, &a.cases, tx.Cases, 32)
	leads(a, &a.budgets, tx.Budgets, 33)
	// The two halves of a reversal are looked at together.
	a.adjusted.also = func(r *record.Adjustment) bool { return a.mine(r.Reverses) }
}

func leads[R record.Record[R]](a *audit, s *collection[R], t record.Table[R], kind int64) {
	*s = collection[R]{a: a, table: t, kind: kind}
	a.drops = append(a.drops, func() { s.at = nil })
}

// siftEvents sifts events and their deliveries.
func (a *audit) siftEvents() {
	delivered := a.deliveries.any()
	sift(a, &a.events, func(r *record.Event) {
		a.about(inEvents, a.key(r.ObjectID))
		a.verifyEvent(r)
		a.siftEvent(r)
		if k := a.key(r.ID); delivered {
			a.learn(k, k.num(isEvent).text(string(r.Type)))
		}
	})
	sift(a, &a.deliveries, func(r *record.Delivery) {
		k, event := a.key(r.ID), a.key(r.EventID)
		a.about(inDeliveries, k)
		a.verifyDelivery(r, 0)
		a.expect(inDeliveries, event, event.num(isEvent).text(string(r.Type)))
		a.repeated(inDeliveries, event, event.num(isQueued).id(r.EndpointID))
		if r.State == affiliate.DeliveryPending {
			a.add(inDeliveries, k, k.num(isQueued), 1)
		}
	})
	sift(a, &a.queue, func(r *record.Queue) {
		k := a.key(r.DeliveryID)
		a.add(inDeliveries, k, k.num(isQueued), -1)
		a.pick(inDeliveries, k) // few wait, and each is compared with its delivery and its event
	})
	n := 0
	sift(a, &a.endpoints, func(r *record.Endpoint) {
		a.about(inDeliveries, a.key(r.ID))
		if a.verifyEndpoint(r); n == delivery.MaxEndpoints {
			a.pick(inDeliveries, a.key(a.Cfg.ID))
		}
		n++
	})
}

// stepOf is the print of a revision of an object: of an event, and of what the next event
// and the object say of it.
func stepOf(k print, revision int64, family string, ends bool) print {
	return k.num(isStep).num(revision).text(family).flag(ends)
}

// siftEvent adds a step of an object, and takes off the step before it, if that was not
// pruned. What is left is the last step, which the object takes off.
func (a *audit) siftEvent(r *record.Event) {
	k := a.key(r.ObjectID)
	if !a.here(k) {
		return
	}
	family, ends, created := r.Type.Family(), engine.EndsObject(r.Type), engine.ActionOf(r.Type) == "created"
	if r.Revision < 1 || created && r.Revision != 1 {
		a.pick(inEvents, k)
	}
	if !created && r.Revision == 1 && !a.knows(k, k.num(isBrought)) {
		if a.steps.mark(k.num(isSilent), 1); family != "referral" {
			a.pick(inEvents, k)
		}
	}
	step := stepOf(k, r.Revision, family, ends)
	if a.steps.mark(step, 1) {
		a.pick(inEvents, k) // probably there are two
	}
	if a.full = a.full || a.steps.crowded(); ends && family != "sale" {
		a.steps.mark(k.num(isEnd), 1) // nothing takes it off
	} else {
		a.add(inEvents, k, step, 1)
	}
	switch ended, live := stepOf(k, r.Revision-1, family, true), stepOf(k, r.Revision-1, family, false); {
	case a.steps.saw(ended):
		if a.add(inEvents, k, ended, -1); !countsAgain(r) {
			a.pick(inEvents, k)
		}
	case a.steps.saw(live):
		a.add(inEvents, k, live, -1)
	}
}

// siftLive compares a live object with its events.
func (a *audit) siftLive(family string, x liveObject) {
	k := a.key(x.id)
	if !a.here(k) {
		return
	}
	brought := a.knows(k, k.num(isBrought))
	step, other := stepOf(k, x.revision, family, x.ended), stepOf(k, x.revision, family, !x.ended)
	switch {
	case x.revision < 1 && !x.silent && !(brought && x.revision == 0), a.steps.saw(k.num(isEnd)):
		a.pick(inEvents, k)
	case a.steps.saw(step):
		a.add(inEvents, k, step, -1)
	case a.steps.saw(other):
		if a.add(inEvents, k, other, -1); !x.ended || !brought {
			a.pick(inEvents, k)
		}
	}
}
