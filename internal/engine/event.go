package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// Frozen is an event before it is encoded. It is never changed, and body shares
// no memory with values that callers hold.
type Frozen struct {
	Typ        affiliate.EventType
	ID         uuid.UUID
	Program    uuid.UUID
	OccurredAt affiliate.Instant
	Revision   int64
	Test       bool
	Body       any
}

// Encode writes the envelope: exactly these keys, in this order.
func (f *Frozen) Encode() []byte {
	dst := make([]byte, 0, saleRoom)
	dst = append(dst, `{"event":"`...)
	dst = append(dst, f.Typ...)
	dst = append(dst, `","eventId":"evt_`...)
	dst = uuid7.AppendHex(dst, f.ID)
	dst = append(dst, `","occurredAt":`...)
	dst = affiliate.TimeOf(f.OccurredAt.Time()).AppendJSON(dst)
	dst = append(dst, `,"programId":`...)
	dst = uuid7.AppendJSON(dst, f.Program)
	dst = append(dst, `,"revision":`...)
	dst = strconv.AppendInt(dst, f.Revision, 10)
	if f.Test {
		dst = append(dst, `,"test":true`...)
	}
	dst = append(dst, `,"body":`...)
	return append(f.appendBody(dst), '}')
}

// appendBody appends the body. Sales have an encoder of their own, because most
// events are theirs (BenchmarkSaleEvent).
func (f *Frozen) appendBody(dst []byte) []byte {
	if sale, ok := f.Body.(*SaleBody); ok {
		return sale.appendJSON(dst)
	}
	body, err := json.Marshal(f.Body)
	if err != nil { // cannot happen: bodies hold only texts, numbers and checked metadata
		panic("affiliate: event body does not encode: " + err.Error())
	}
	return append(dst, body...)
}

// emit writes the event of a change with its deliveries. Nothing else writes events.
// rec has the type, the object and its revision. The caller has raised that revision
// and stored the object; body shares no memory with anything that can change.
func (o *Op) emit(rec record.Event, body any) error {
	id, err := o.newEventID()
	if err != nil {
		return refusal.Internal("number event", err)
	}
	f := frameOf(body)
	*f = Frozen{Typ: rec.Type, ID: id, Program: o.Cfg.ID, OccurredAt: o.Now, Revision: rec.Revision, Body: body}
	rec.ID, rec.OccurredAt, rec.Actor, rec.Reason, rec.Payload = id, o.Now, o.actor, o.reason, record.LatePayload(f)
	if err := o.Tx.Events.Insert(rec); err != nil {
		return refusal.Internal("write event", err)
	}
	o.events++
	o.Seen.wrote(rec.Type)
	if o.watches != nil {
		noted := rec // a copy: only a program with hooks pays for the allocation
		if err := o.watches.note(&noted); err != nil {
			return refusal.Internal("read change", err)
		}
	}
	return o.fanOut(&rec)
}

// frameOf returns the memory in which an event with this body is frozen. A sale
// brings its own, which saves an allocation.
func frameOf(body any) *Frozen {
	if sale, ok := body.(*SaleBody); ok {
		return &sale.Frozen
	}
	return new(Frozen)
}

// emitDeleted writes the event of a deleted object. number is that of a sale; 0: it
// is no sale.
func (o *Op) emitDeleted(typ affiliate.EventType, id uuid.UUID, number, revision int64) error {
	return o.emit(record.Event{Type: typ, ObjectID: id, Number: number, Revision: revision}, DeletedBody(id, number))
}

// DeletedBody returns the body of a deletion; number is that of a sale, otherwise 0.
func DeletedBody(id uuid.UUID, number int64) any {
	if number != 0 {
		return affiliate.DeletedSaleBody{ID: affiliate.SaleID(number)}
	}
	return affiliate.DeletedBody{ID: id}
}

// ObjectOf returns the object that a body shows: its family, its id and the number of
// a sale, otherwise 0. The family is empty when body is not the body of a change.
func ObjectOf(body any) (family string, id uuid.UUID, number int64) {
	switch b := body.(type) {
	case AffiliateEvent:
		return "affiliate", b.ID, 0
	case affiliate.ReferralBody:
		return "referral", b.ID, 0
	case *SaleBody:
		return "sale", b.Rec.ID, b.Rec.Number
	case CouponBody:
		return "coupon", b.Coupon.ID, 0
	case CodeBody:
		return "promocode", b.Code.ID, 0
	}
	return "", uuid.Nil, 0
}

// cascade is emitDeleted for an object that was deleted with its parent, if the
// program wants such events.
func (o *Op) cascade(typ affiliate.EventType, id uuid.UUID, number, revision int64) error {
	if !o.Cfg.CascadeEvents {
		return nil
	}
	return o.emitDeleted(typ, id, number, revision)
}

// newEventID draws the id of an event. The ids of a program's events increase
// in the order of their commits, in all processes: a drawn id is raised above
// the id of the last event. Drawing alone is not enough, because a closure may
// run again with ids that it drew before another commit, and because the clocks
// of processes differ. Reading the last id and inserting a greater one happen
// in one serializable transaction. So a new event never has an id below one
// that a reader has seen, and the id is a position in the stream of events.
func (o *Op) newEventID() (uuid.UUID, error) {
	if !o.numbered {
		o.lastEvent, o.unread = uuid.Nil, nil // an earlier run of the closure may have set them
		o.Tx.Events.List(record.Query{Desc: true, Limit: 1})(o.sawEvent)
		if o.unread != nil {
			return uuid.Nil, o.unread
		}
		o.numbered = true
	}
	o.lastEvent = Above(o.NewID(), o.lastEvent)
	return o.lastEvent, nil
}

// Above returns the id, raised above last if it is not above it already.
func Above(id, last uuid.UUID) uuid.UUID {
	if bytes.Compare(id[:], last[:]) > 0 {
		return id
	}
	return increment(last)
}

// sawEvent records the last event. It is the body of a loop, see [gathering].
func (o *Op) sawEvent(last record.Event, err error) bool {
	o.lastEvent, o.unread = last.ID, err
	return err == nil
}

// increment returns the next id, which need not be a valid id of version 7.
func increment(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// wanted reports whether there is a hook.
func wanted(h *record.Hooks) bool {
	return h.Affiliate != nil || h.Referral != nil || h.Sale != nil || h.Coupon != nil || h.Code != nil
}

// watches are the tables that one run of an operation watches.
type watches struct {
	affiliates *watchedTable[record.Affiliate]
	referrals  *watchedTable[record.Referral]
	sales      *watchedTable[record.Sale]
	coupons    *watchedTable[record.Coupon]
	codes      *watchedTable[record.Code]

	calls []func(context.Context) // the calls of hooks, in the order of the events
}

// watch returns a transaction that records its writes for the hooks.
func watch(h *record.Hooks, tx *record.Tx) (*record.Tx, *watches) {
	w := &watches{
		affiliates: watchTable(tx.Affiliates, h.Affiliate),
		referrals:  watchTable(tx.Referrals, h.Referral), sales: watchTable(tx.Sales, h.Sale),
		coupons: watchTable(tx.Coupons, h.Coupon), codes: watchTable(tx.Codes, h.Code),
	}
	seen := *tx
	seen.Affiliates, seen.Referrals, seen.Sales, seen.Coupons, seen.Codes = w.affiliates,
		w.referrals, w.sales, w.coupons, w.codes
	return &seen, w
}

// note adds the call of the hook for an event.
func (w *watches) note(rec *record.Event) error {
	switch rec.Type.Family() {
	case "affiliate":
		return noteChange(w, w.affiliates, rec)
	case "referral":
		return noteChange(w, w.referrals, rec)
	case "sale":
		return noteChange(w, w.sales, rec)
	case "coupon":
		return noteChange(w, w.coupons, rec)
	case "promocode":
		return noteChange(w, w.codes, rec)
	}
	return fmt.Errorf("no hook is for events of the type %q", rec.Type)
}

// run calls the hooks.
func (w *watches) run(o *Op) {
	for _, call := range w.calls {
		func() {
			defer o.Recovered(o.Ctx, "Hooks")
			call(o.HostContext())
		}()
	}
}

// A watchedTable remembers each record as it was before its change.
type watchedTable[R record.Record[R]] struct {
	record.Table[R]
	hook   func(context.Context, record.Change[R])
	before map[uuid.UUID]affiliate.Opt[R]
}

func watchTable[R record.Record[R]](t record.Table[R], hook func(context.Context, record.Change[R])) *watchedTable[R] {
	return &watchedTable[R]{Table: t, hook: hook, before: make(map[uuid.UUID]affiliate.Opt[R])}
}

// Insert remembers that the record did not exist.
func (t *watchedTable[R]) Insert(rec R) error {
	err := t.Table.Insert(rec)
	if _, known := t.before[rec.RecordID()]; err == nil && !known {
		t.before[rec.RecordID()] = affiliate.Null[R]()
	}
	return err
}

// Replace remembers the old record.
func (t *watchedTable[R]) Replace(rec R) error {
	if err := t.remember(rec.RecordID()); err != nil {
		return err
	}
	return t.Table.Replace(rec)
}

// Delete remembers the old record.
func (t *watchedTable[R]) Delete(id uuid.UUID) error {
	if err := t.remember(id); err != nil {
		return err
	}
	return t.Table.Delete(id)
}

func (t *watchedTable[R]) remember(id uuid.UUID) error {
	if _, known := t.before[id]; known || t.hook == nil {
		return nil
	}
	was, err := t.state(id)
	if err == nil {
		t.before[id] = was
	}
	return err
}

// state returns the current record, or null.
func (t *watchedTable[R]) state(id uuid.UUID) (affiliate.Opt[R], error) {
	rec, err := t.Get(id)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		return affiliate.Null[R](), nil
	case err != nil:
		return affiliate.Opt[R]{}, err
	}
	return affiliate.Set(rec), nil
}

// noteChange adds the call of a table's hook.
func noteChange[R record.Record[R]](w *watches, t *watchedTable[R], rec *record.Event) error {
	if t.hook == nil {
		return nil
	}
	after, err := t.state(rec.ObjectID)
	if err != nil {
		return err
	}
	before, known := t.before[rec.ObjectID]
	if !known { // the record of the event was not written
		before = after
	}
	t.before[rec.ObjectID] = after
	c := record.Change[R]{
		EventID: rec.ID, Event: rec.Type, Revision: rec.Revision,
		At: affiliate.TimeOf(rec.OccurredAt.Time()), Before: before, After: after,
	}
	w.calls = append(w.calls, func(ctx context.Context) { t.hook(ctx, c) })
	return nil
}

// fanOut writes the deliveries of an event: one for each endpoint that exists
// at this moment and subscribes to the type, waiting when the endpoint is
// enabled and skipped when it is not. An endpoint created later gets nothing.
// It runs with every event, so it costs one walk over the endpoints and no more
// while there are none.
func (o *Op) fanOut(rec *record.Event) error {
	endpoints, err := o.endpoints.all(o.Tx.Endpoints, record.Query{})
	if err != nil {
		return refusal.Internal("list endpoints", err)
	}
	for i := range endpoints {
		if !slices.Contains(endpoints[i].Events, rec.Type) {
			continue
		}
		if err := o.deliver(rec, &endpoints[i], i); err != nil {
			return refusal.Internal("write delivery", err)
		}
	}
	return nil
}

// deliver writes the delivery of an event to an endpoint, by its number among
// all.
func (o *Op) deliver(rec *record.Event, ep *record.Endpoint, number int) error {
	d := record.Delivery{
		ID: o.NewID(), EventID: rec.ID, EndpointID: ep.ID, Type: rec.Type, State: affiliate.DeliverySkipped,
		CreatedAt: o.Now, UpdatedAt: o.Now,
	}
	if !ep.Active {
		return o.Tx.Deliveries.Insert(d)
	}
	d.State, d.NextAttemptAt = affiliate.DeliveryPending, o.Now
	q := Queued(&d, rec)
	if wait := o.Cfg.Schedule[0]; wait == 0 {
		q.ID = PromptID(rec.ID, number)
	} else {
		q.Since = o.momentOf(rec)
		d.NextAttemptAt = q.Since.Add(wait)
		q.ID = o.QueueID(d.NextAttemptAt)
	}
	if err := o.Tx.Deliveries.Insert(d); err != nil {
		return err
	}
	return o.Tx.Queue.Insert(q)
}

// momentOf returns when an event happened, but never before earlier events, as far as
// ids tell: the queue keeps its order when the clock goes back.
func (o *Op) momentOf(rec *record.Event) affiliate.Instant {
	if o.Cfg.NewID != nil {
		return rec.OccurredAt
	}
	return Later(rec.OccurredAt, DueAt(record.Queue{ID: rec.ID}))
}

// Queued returns the entry of a delivery in the queue, without its place.
func Queued(d *record.Delivery, event *record.Event) record.Queue {
	return record.Queue{DeliveryID: d.ID, EndpointID: d.EndpointID, ObjectID: event.ObjectID, Revision: event.Revision}
}

const PromptBit = 0x80 // in the first byte

// DueAt returns the time that a place in the queue stands for. For a first attempt it
// is the time of the event, if the host's ids begin with one.
func DueAt(r record.Queue) affiliate.Instant {
	ms := int64(r.ID[0] &^ PromptBit)
	for _, b := range r.ID[1:6] {
		ms = ms<<8 | int64(b)
	}
	return affiliate.InstantOf(time.UnixMilli(ms))
}

// QueueID returns the place in the queue for a due time. Every id gets the stamp,
// because a host's own ids need not begin with a time.
func (o *Op) QueueID(due affiliate.Instant) uuid.UUID { return uuid7.Stamp(o.NewID(), due.Time()) }

// PromptID returns the place in the queue of a first attempt, which is due at once:
// the id of its event without version and variant, which are the same in all ids. The
// freed bits at the end number the endpoint among those that get the event. So places
// are in the order of the events, and none is used twice.
func PromptID(event uuid.UUID, endpoint int) uuid.UUID {
	high, low := binary.BigEndian.Uint64(event[:8]), binary.BigEndian.Uint64(event[8:])
	high = high>>16<<12 | high&0x0fff
	low &= 1<<62 - 1
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], high<<4|low>>58)
	binary.BigEndian.PutUint64(id[8:], low<<6|uint64(endpoint))
	id[0] |= PromptBit
	return id
}
