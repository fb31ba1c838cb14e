package engine

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The events of an affiliate list its links, and those of a coupon its codes.
// Consecutive events of one object share the memory of such a list: otherwise
// 4,000 links that are added one by one take more than a gigabyte.

const (
	sharedFrom   = 16   // shorter lists are not worth sharing
	sharedOwners = 4096 // how many objects are remembered
)

// listCache remembers the lists in the last event of some objects, as long as
// a payload holds them. It is safe for concurrent use.
type listCache struct {
	mu sync.Mutex
	of map[uuid.UUID]weak.Pointer[ownLists]
}

// ownLists are the lists in the events of one object.
type ownLists struct {
	mu       sync.Mutex
	links    roll[affiliate.AffiliateLink]
	shown    roll[affiliate.AffiliateCode]
	codes    roll[record.Code]
	contacts Contacts
}

// get returns the lists of an object. Events can share them only while somebody
// holds them, so the body of the event must.
func (s *listCache) get(id uuid.UUID) *ownLists {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.of[id].Value(); own != nil {
		return own
	}
	if len(s.of) >= sharedOwners {
		maps.DeleteFunc(s.of, func(_ uuid.UUID, p weak.Pointer[ownLists]) bool { return p.Value() == nil })
	}
	if s.of == nil || len(s.of) >= sharedOwners {
		s.of = make(map[uuid.UUID]weak.Pointer[ownLists])
	}
	own := new(ownLists)
	s.of[id] = weak.Make(own)
	return own
}

// A roll is a list that events share. Entries are only added at its end;
// existing entries never change.
type roll[T comparable] struct{ entries []T }

// share returns the entries of list in memory of the roll. They equal those of
// list, which the caller may change afterwards.
func (r *roll[T]) share(list []T) []T {
	n, same := min(len(r.entries), len(list)), 0
	for same < n && r.entries[same] == list[same] {
		same++
	}
	switch same {
	case len(list):
	case len(r.entries):
		r.entries = append(r.entries, list[same:]...)
	default:
		r.entries = slices.Clone(list)
	}
	return r.entries[:len(list):len(list)]
}

// An AffiliateEvent is the body of an affiliate's event.
type AffiliateEvent struct {
	affiliate.AffiliateBody
	own *ownLists // nil: it shares nothing
}

// freeze returns the body for an event. Afterwards the caller may change the
// slices of the body that it gave.
func (s *listCache) freeze(body affiliate.AffiliateBody) AffiliateEvent {
	if len(body.AffiliateLinks) < sharedFrom && len(body.PromotionalCodes) < sharedFrom {
		body.AffiliateLinks = refusal.EmptyNotNil(slices.Clone(body.AffiliateLinks))
		return AffiliateEvent{AffiliateBody: body}
	}
	own := s.get(body.ID)
	own.mu.Lock()
	defer own.mu.Unlock()
	body.AffiliateLinks = refusal.EmptyNotNil(own.links.share(body.AffiliateLinks))
	if body.PromotionalCodes != nil {
		body.PromotionalCodes = refusal.EmptyNotNil(own.shown.share(body.PromotionalCodes))
	}
	return AffiliateEvent{body, own}
}

// freezeCoupon returns the body of a coupon's event. The codes are newest first;
// the event keeps them oldest first, so that new ones come at the end. The
// caller must not use codes and seen afterwards.
func (s *listCache) freezeCoupon(coupon affiliate.Coupon, codes []record.Code, seen Contacts) CouponBody {
	slices.Reverse(codes)
	if len(codes) < sharedFrom {
		return CouponBody{Coupon: coupon, Codes: codes, Contacts: seen}
	}
	own := s.get(coupon.ID)
	own.mu.Lock()
	defer own.mu.Unlock()
	if !maps.Equal(own.contacts, seen) {
		own.contacts = seen
	}
	return CouponBody{Coupon: coupon, Codes: own.codes.share(codes), Contacts: own.contacts, own: own}
}

// Events implements tributary.Program.Events.
func (p *Program) Events(ctx context.Context, f affiliate.EventQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Event], err error) {
	defer p.Begin(&ctx, "Events", Reads).End(&err)
	refused := refusal.First(InQuery(refusal.OneOfOrNone("type", f.Type, affiliate.EventTypes())))
	if refused != nil {
		return affiliate.List[affiliate.Event]{}, refused
	}
	item := func(rec record.Event) (affiliate.Event, error) { return eventOf(rec), nil }
	if pg == (affiliate.Page{}) {
		return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Event], error) {
			return Chosen(o.Tx.Events, o.chooseEvents(f), recordPage{Query: record.Query{Desc: true}}, item)
		})
	}
	return Found(ctx, p, Hunt{Page: pg, Operation: "events", Query: f}, func(o *Op, _ bool) *Seeker[record.Event, affiliate.Event] {
		return &Seeker[record.Event, affiliate.Event]{Choice: o.chooseEvents(f), Table: o.Tx.Events, Item: item}
	})
}

// chooseEvents turns the filter into a choice.
func (o *Op) chooseEvents(f affiliate.EventQuery) (c Choice[record.Event]) {
	if f.Type != "" {
		c.Fits = append(c.Fits, func(e *record.Event) bool { return e.Type == f.Type })
	}
	o.chooseEventsOf(&c, f.ObjectID)
	c.one(f.ID)
	return c
}

// chooseEventsOf selects by the object.
func (o *Op) chooseEventsOf(c *Choice[record.Event], object affiliate.Opt[string]) {
	id, set := Wanted(c, object)
	if !set {
		return
	}
	if object, err := uuid.Parse(id); err == nil && object.String() == id {
		c.ByID(record.OfObject, affiliate.Set(object), func(e *record.Event) uuid.UUID { return e.ObjectID })
		return
	}
	o.chooseEventsOfSale(c, id)
}

// chooseEventsOfSale selects by the integer id of a sale: with its record, or,
// when the record was deleted, by the number in each event. A text that is not
// a number selects nothing.
func (o *Op) chooseEventsOfSale(c *Choice[record.Event], id string) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 || strconv.FormatInt(number, 10) != id {
		c.Fail(affiliate.ErrNotFound)
		return
	}
	sale, err := o.Tx.Sales.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(number)})
	switch {
	case err == nil:
		c.ByID(record.OfObject, affiliate.Set(sale.ID), func(e *record.Event) uuid.UUID { return e.ObjectID })
	case errors.Is(err, affiliate.ErrNotFound):
		c.Fits = append(c.Fits, func(e *record.Event) bool { return e.Number == number })
	default:
		c.Fail(refusal.Internal("find sale", err))
	}
}

// eventOf returns the event as it is answered.
func eventOf(rec record.Event) affiliate.Event {
	e := affiliate.Event{
		ID: rec.ID, Type: rec.Type, ObjectID: rec.ObjectID.String(), Revision: rec.Revision,
		OccurredAt: affiliate.TimeOf(rec.OccurredAt.Time()), Actor: rec.Actor, Reason: rec.Reason,
		Payload: rec.Payload.Bytes(),
	}
	if rec.Number != 0 {
		e.ObjectID = strconv.FormatInt(rec.Number, 10)
	}
	return e
}

const (
	recentPayloads = 64       // how many payloads are cached
	recentBytes    = 16 << 10 // the largest cached payload
)

// PayloadCache holds the small payloads that were encoded last, at most a mebibyte
// in all. The deliveries of an event to its endpoints are claimed one after the
// other, and encoding the event costs more than a claim. The bytes depend only
// on the event, so the cache never goes stale.
type PayloadCache struct {
	mu    sync.Mutex
	ids   [recentPayloads]uuid.UUID
	bytes [recentPayloads][]byte
	next  int
}

// Encode returns the bytes of an event's payload, for readers that change
// nothing.
func (r *PayloadCache) Encode(event uuid.UUID, p record.Payload) []byte {
	raw, late := p.Source()
	if late == nil {
		return raw
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ids {
		if r.ids[i] == event && r.bytes[i] != nil {
			return r.bytes[i]
		}
	}
	raw = late.Encode()
	if len(raw) <= recentBytes {
		r.ids[r.next], r.bytes[r.next] = event, raw
		r.next = (r.next + 1) % recentPayloads
	}
	return raw
}

const (
	followBatch = 100         // how many events are read in one transaction
	followPoll  = time.Second // how often to look for events of other processes
)

// EventsAfter implements tributary.Program.EventsAfter.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) (_ []affiliate.Event, err error) {
	defer p.Begin(&ctx, "EventsAfter", Reads).End(&err)
	if limit < 1 || limit > MaxPage {
		return nil, refusal.RefuseLimit.Err()
	}
	records, err := View(ctx, p, func(o *Op) ([]record.Event, error) {
		var out []record.Event
		for rec, err := range o.Tx.Events.List(record.Query{After: after, Limit: limit}) {
			if err != nil {
				return nil, refusal.Internal("read events", err)
			}
			out = append(out, rec)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	events := make([]affiliate.Event, len(records)) // payloads are encoded outside of the transaction
	for i := range records {
		events[i] = eventOf(records[i])
	}
	return events, nil
}

// Follow implements tributary.Program.Follow.
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error] {
	return func(yield func(affiliate.Event, error) bool) {
		position := after
		for {
			news := p.news.next() // before the read, so that a later commit wakes the follower
			events, err := p.followed(ctx, position)
			if err != nil {
				yield(affiliate.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				position = e.ID
			}
			if len(events) > 0 {
				continue
			}
			if err := await(ctx, news); err != nil {
				yield(affiliate.Event{}, err)
				return
			}
		}
	}
}

// followed reads a piece of what Follow yields: one operation for an Observer.
func (p *Program) followed(ctx context.Context, after uuid.UUID) (_ []affiliate.Event, err error) {
	defer p.Begin(&ctx, "Follow", Reads).End(&err)
	events, err := p.EventsAfter(ctx, after, followBatch)
	p.Polled(ctx, len(events) == 0)
	return events, err
}

// await waits for news, for the next poll, or for the end of ctx.
func await(ctx context.Context, news <-chan struct{}) error {
	timer := time.NewTimer(followPoll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-news:
	case <-timer.C:
	}
	return nil
}

// commitSignal wakes followers after commits. While nobody waits, it costs a commit
// only one check.
type commitSignal struct {
	waiting atomic.Bool
	mu      sync.Mutex
	ready   chan struct{} // closed by the next commit
}

// next returns a channel that the first commit after the call closes.
func (n *commitSignal) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ready == nil {
		n.ready = make(chan struct{})
	}
	n.waiting.Store(true)
	return n.ready
}

// tell wakes the waiting followers.
func (n *commitSignal) tell() {
	if !n.waiting.Load() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ready != nil {
		close(n.ready)
		n.ready = nil
	}
	n.waiting.Store(false)
}
