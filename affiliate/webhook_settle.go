package affiliate

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// SettleDeliveries records the results of claims and decides what follows: a
// delivery is delivered after any 2xx, waits for its next attempt, or has
// failed at the end of the schedule. An attempt with an invalid token changes
// nothing, so settling twice is safe. A token is invalid when its lease has
// ended and the delivery was claimed again, or when its endpoint was deleted or
// disabled.
//
//   - A Retry-After longer than the schedule's delay is honoured, up to 24 hours.
//   - 429 and 503 pause the endpoint for that long, at least a minute.
//   - 410 disables it ([DisabledGone]) and cancels what is pending.
//   - An endpoint is disabled ([DisabledFailing]) when all attempts failed for 120
//     hours and at least one delivery used up its schedule; what is pending is skipped.
//
// The attempts are recorded in the order of done, in one transaction. When an
// endpoint is disabled, its waiting deliveries are settled in small
// transactions afterwards, so that they do not delay sales.
//
// Errors: those of the store.
//
// Effects: the deliveries, the queue and their endpoints; no event.
// Config.OnNotice is called after the commit.
//
// Source: docs/contract.md 7.4.
func (p *Program) SettleDeliveries(ctx context.Context, done []Attempt) (err error) {
	defer p.begin(&ctx, "SettleDeliveries", writes).end(&err)
	if len(done) == 0 {
		return nil
	}
	o := p.op(ctx)
	raw, err := p.ids.Bytes(8 * len(done))
	if err != nil {
		return internal("draw delays", err)
	}
	s, err := update(o, func() (settlement, error) {
		s := settlement{op: o, endpoints: make(map[uuid.UUID]*EndpointRecord)}
		for i := range done {
			o.soon("deliveries", Key{ID: done[i].Delivery})
			o.soon("queue", Key{Index: ByDelivery, ID: done[i].Delivery})
		}
		for i := range done {
			if err := s.settle(&done[i], binary.LittleEndian.Uint64(raw[8*i:])); err != nil {
				return s, internal("settle delivery", err)
			}
		}
		return s, s.store()
	})
	if err != nil {
		return err
	}
	p.notify(ctx, s.notices)
	o.tellDeliveries(s.watched)
	for _, ep := range s.order {
		if ep.Clearing != "" {
			p.clearRest(ctx, ep.ID, clearRounds)
		}
	}
	return nil
}

// A settlement is one run of SettleDeliveries. Endpoints and what waits again
// are written at its end.
type settlement struct {
	*op
	endpoints map[uuid.UUID]*EndpointRecord // nil: gone
	order     []*EndpointRecord
	again     []QueueRecord // that wait for their next attempt; not in the queue yet
	notices   []Notice
	watched   []DeliverySeen
}

// settle notes one attempt, unless it is over.
func (s *settlement) settle(a *Attempt, draw uint64) error {
	d, err := s.tx.Deliveries.Get(a.Delivery)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ep, err := s.endpoint(d.EndpointID)
	if err != nil || ep == nil {
		return err
	}
	ep.removeFlights(func(f FlightRecord) bool { return f.Token == a.Token })
	if !ep.Active {
		return nil // what waits is settled without it
	}
	q, err := s.tx.Queue.Find(Key{Index: ByDelivery, ID: d.ID})
	if errors.Is(err, ErrNotFound) || err == nil && (a.Token == uuid.Nil || q.Token != a.Token) {
		return nil
	}
	if err != nil {
		return err
	}
	ep.heard(a, s.now)
	d.Attempts = append(d.Attempts, a.record(q.Manual, s.now))
	v := decide(a, len(d.Attempts), s.cfg.Schedule, draw)
	if err := s.advance(d, q, v); err != nil {
		return err
	}
	s.observe(&d, v.state)
	s.notice(NoticeAttempt, ep, &d, v.state)
	if v.state == DeliveryFailed {
		s.notice(NoticeDead, ep, &d, v.state)
	}
	if v.pause > 0 {
		ep.PausedUntil = later(s.now.Add(v.pause), ep.PausedUntil)
	}
	return s.health(ep, &d, v)
}

// heard notes whether an endpoint answered. What never left this side says
// nothing of it.
func (r *EndpointRecord) heard(a *Attempt, now Instant) {
	r.WorkedAt = later(now, r.WorkedAt)
	switch {
	case a.Status != 0:
		r.AnsweredAt = now
	case a.Err != FailedSecret && a.Err != FailedBlockedURL:
		r.AnsweredAt = Instant{}
	}
}

// advance gives a delivery its state and its place in the queue.
func (s *settlement) advance(d DeliveryRecord, q QueueRecord, v followUp) error {
	d.State, d.NextAttemptAt, d.UpdatedAt = v.state, Instant{}, later(s.now, d.UpdatedAt)
	if v.state == DeliveryPending {
		d.NextAttemptAt = wholeMillis(s.now.Add(v.wait))
	}
	if err := s.tx.Deliveries.Replace(d); err != nil {
		return err
	}
	if v.state != DeliveryPending {
		return s.tx.Queue.Delete(q.ID)
	}
	from := q.ID
	q.ID, q.Since, q.Token = s.queueID(d.NextAttemptAt), s.now, uuid.Nil
	q.Tried, q.Manual = true, false
	s.again = append(s.again, q)
	return s.tx.Queue.Delete(from)
}

// health notes on the endpoint how the attempt went, and disables one that is
// gone or has only failed for too long.
func (s *settlement) health(ep *EndpointRecord, d *DeliveryRecord, v followUp) error {
	if v.state == DeliveryDelivered {
		if ep.Warned {
			s.notice(NoticeRecovered, ep, d, v.state)
		}
		ep.LastSuccessAt = later(s.now, ep.LastSuccessAt)
		ep.FirstFailureAt, ep.Warned, ep.Dead = Instant{}, false, false
		return nil
	}
	if ep.FirstFailureAt.IsZero() {
		ep.FirstFailureAt = s.now
	}
	ep.Dead = ep.Dead || v.state == DeliveryFailed
	failing := s.now.Sub(ep.FirstFailureAt)
	if failing >= failingAfter && !ep.Warned && !v.gone {
		ep.Warned = true
		s.notice(NoticeFailing, ep, d, v.state)
	}
	switch {
	case v.gone:
		return s.disable(ep, d, DisabledGone, DeliveryCanceled)
	case failing >= disabledAfter && ep.Dead:
		return s.disable(ep, d, DisabledFailing, DeliverySkipped)
	}
	return nil
}

// disable stops deliveries to an endpoint and settles what waits for it.
func (s *settlement) disable(ep *EndpointRecord, d *DeliveryRecord, why DisabledReason, rest DeliveryState) error {
	ep.disable(why, s.now)
	ep.UpdatedAt = later(s.now, ep.UpdatedAt)
	s.notice(NoticeDisabled, ep, d, rest)
	if err := s.queueAgain(); err != nil {
		return err
	}
	return s.clear(ep, rest)
}

// endpoint returns the endpoint that the settlement works on, or nil when it is
// gone.
func (s *settlement) endpoint(id uuid.UUID) (*EndpointRecord, error) {
	if ep, ok := s.endpoints[id]; ok {
		return ep, nil
	}
	rec, err := s.tx.Endpoints.Get(id)
	if errors.Is(err, ErrNotFound) {
		s.endpoints[id] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.endpoints[id] = &rec
	s.order = append(s.order, &rec)
	return &rec, nil
}

// queueAgain puts what waits for its next attempt into the queue.
func (s *settlement) queueAgain() error {
	again := s.again
	s.again = nil
	return s.enqueue(again)
}

// store writes the queue and the endpoints.
func (s *settlement) store() error {
	if err := s.queueAgain(); err != nil {
		return err
	}
	for _, ep := range s.order {
		if err := s.tx.Endpoints.Replace(*ep); err != nil {
			return internal("store endpoint", err)
		}
	}
	return nil
}

// record is the attempt as its delivery keeps it.
func (a *Attempt) record(manual bool, now Instant) AttemptRecord {
	at := now.Add(-a.Took)
	if !a.At.IsZero() {
		at = InstantOf(a.At)
	}
	return AttemptRecord{
		At: at, Manual: manual, URL: a.URL, Status: a.Status, Took: a.Took, Err: a.Err,
		Response: escaped(a.Response),
	}
}

// maxResponse is how much of an answer is kept, in bytes.
const maxResponse = 1024

// escaped is the start of a text from outside, with all that is not a
// printable character, a tab or a line feed escaped.
func escaped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		part := s[:size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			part = strings.Trim(strconv.QuoteToASCII(part), `"`)
		}
		if b.Len()+len(part) > maxResponse {
			break
		}
		b.WriteString(part)
		s = s[size:]
	}
	return b.String()
}
