package delivery

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SettleDeliveries implements tributary.Webhooks.SettleDeliveries.
func SettleDeliveries(ctx context.Context, p *engine.Program, done []affiliate.Attempt) (err error) {
	defer p.Begin(&ctx, "SettleDeliveries", engine.Writes).End(&err)
	if len(done) == 0 {
		return nil
	}
	o := p.Op(ctx)
	raw, err := p.IDs.Bytes(8 * len(done))
	if err != nil {
		return refusal.Internal("draw delays", err)
	}
	s, err := engine.Update(o, func() (settlement, error) {
		s := settlement{Op: o, endpoints: make(map[uuid.UUID]*record.Endpoint)}
		for i := range done {
			o.Soon("deliveries", record.Key{ID: done[i].Delivery})
			o.Soon("queue", record.Key{Index: record.ByDelivery, ID: done[i].Delivery})
		}
		for i := range done {
			if err := s.settle(&done[i], binary.LittleEndian.Uint64(raw[8*i:])); err != nil {
				return s, refusal.Internal("settle delivery", err)
			}
		}
		return s, s.store()
	})
	if err != nil {
		return err
	}
	notify(ctx, p, s.notices)
	tellDeliveries(o, s.watched)
	for _, ep := range s.order {
		if ep.Clearing != "" {
			clearRest(ctx, p, ep.ID, clearRounds)
		}
	}
	return nil
}

// A settlement is one run of SettleDeliveries. It writes the endpoints, and
// what is queued again, at its end.
type settlement struct {
	*engine.Op
	endpoints map[uuid.UUID]*record.Endpoint // nil: gone
	order     []*record.Endpoint
	again     []record.Queue // that wait for their next attempt; not in the queue yet
	notices   []affiliate.Notice
	watched   []affiliate.DeliverySeen
}

// settle records one attempt, unless its claim is no longer valid.
func (s *settlement) settle(a *affiliate.Attempt, draw uint64) error {
	d, err := s.Tx.Deliveries.Get(a.Delivery)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ep, err := s.endpoint(d.EndpointID)
	if err != nil || ep == nil {
		return err
	}
	removeFlights(ep, func(f record.Flight) bool { return f.Token == a.Token })
	if !ep.Active {
		return nil // what waits is settled without it
	}
	q, err := s.Tx.Queue.Find(record.Key{Index: record.ByDelivery, ID: d.ID})
	if errors.Is(err, affiliate.ErrNotFound) || err == nil && (a.Token == uuid.Nil || q.Token != a.Token) {
		return nil
	}
	if err != nil {
		return err
	}
	heard(ep, a, s.Now)
	d.Attempts = append(d.Attempts, attemptRecord(a, q.Manual, s.Now))
	v := Decide(a, len(d.Attempts), s.Cfg.Schedule, draw)
	if err := s.advance(d, q, v); err != nil {
		return err
	}
	s.observe(&d, v.State)
	s.notice(affiliate.NoticeAttempt, ep, &d, v.State)
	if v.State == affiliate.DeliveryFailed {
		s.notice(affiliate.NoticeDead, ep, &d, v.State)
	}
	if v.Pause > 0 {
		ep.PausedUntil = engine.Later(s.Now.Add(v.Pause), ep.PausedUntil)
	}
	return s.health(ep, &d, v)
}

// heard records whether an endpoint answered. An attempt that never left this
// machine says nothing about that.
func heard(r *record.Endpoint, a *affiliate.Attempt, now affiliate.Instant) {
	r.WorkedAt = engine.Later(now, r.WorkedAt)
	switch {
	case a.Status != 0:
		r.AnsweredAt = now
	case a.Err != affiliate.FailedSecret && a.Err != affiliate.FailedBlockedURL:
		r.AnsweredAt = affiliate.Instant{}
	}
}

// advance gives a delivery its state and its place in the queue.
func (s *settlement) advance(d record.Delivery, q record.Queue, v FollowUp) error {
	d.State, d.NextAttemptAt, d.UpdatedAt = v.State, affiliate.Instant{}, engine.Later(s.Now, d.UpdatedAt)
	if v.State == affiliate.DeliveryPending {
		d.NextAttemptAt = wholeMillis(s.Now.Add(v.Wait))
	}
	if err := s.Tx.Deliveries.Replace(d); err != nil {
		return err
	}
	if v.State != affiliate.DeliveryPending {
		return s.Tx.Queue.Delete(q.ID)
	}
	from := q.ID
	q.ID, q.Since, q.Token = s.QueueID(d.NextAttemptAt), s.Now, uuid.Nil
	q.Tried, q.Manual = true, false
	s.again = append(s.again, q)
	return s.Tx.Queue.Delete(from)
}

// health updates the health of the endpoint after an attempt, and disables one
// that is gone or has only failed for too long.
func (s *settlement) health(ep *record.Endpoint, d *record.Delivery, v FollowUp) error {
	if v.State == affiliate.DeliveryDelivered {
		if ep.Warned {
			s.notice(affiliate.NoticeRecovered, ep, d, v.State)
		}
		ep.LastSuccessAt = engine.Later(s.Now, ep.LastSuccessAt)
		ep.FirstFailureAt, ep.Warned, ep.Dead = affiliate.Instant{}, false, false
		return nil
	}
	if ep.FirstFailureAt.IsZero() {
		ep.FirstFailureAt = s.Now
	}
	ep.Dead = ep.Dead || v.State == affiliate.DeliveryFailed
	failing := s.Now.Sub(ep.FirstFailureAt)
	if failing >= failingAfter && !ep.Warned && !v.Gone {
		ep.Warned = true
		s.notice(affiliate.NoticeFailing, ep, d, v.State)
	}
	switch {
	case v.Gone:
		return s.disable(ep, d, affiliate.DisabledGone, affiliate.DeliveryCanceled)
	case failing >= disabledAfter && ep.Dead:
		return s.disable(ep, d, affiliate.DisabledFailing, affiliate.DeliverySkipped)
	}
	return nil
}

// disable stops deliveries to an endpoint and settles what waits for it.
func (s *settlement) disable(ep *record.Endpoint, d *record.Delivery, why affiliate.DisabledReason,
	rest affiliate.DeliveryState) error {
	disable(ep, why, s.Now)
	ep.UpdatedAt = engine.Later(s.Now, ep.UpdatedAt)
	s.notice(affiliate.NoticeDisabled, ep, d, rest)
	if err := s.queueAgain(); err != nil {
		return err
	}
	return clearIn(s.Op, ep, rest)
}

// endpoint returns the endpoint that the settlement works on, or nil when it is
// gone.
func (s *settlement) endpoint(id uuid.UUID) (*record.Endpoint, error) {
	if ep, ok := s.endpoints[id]; ok {
		return ep, nil
	}
	rec, err := s.Tx.Endpoints.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
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
	return enqueue(s.Op, again)
}

// store writes the queue and the endpoints.
func (s *settlement) store() error {
	if err := s.queueAgain(); err != nil {
		return err
	}
	for _, ep := range s.order {
		if err := s.Tx.Endpoints.Replace(*ep); err != nil {
			return refusal.Internal("store endpoint", err)
		}
	}
	return nil
}

// attemptRecord returns the attempt as its delivery keeps it.
func attemptRecord(a *affiliate.Attempt, manual bool, now affiliate.Instant) record.Attempt {
	at := now.Add(-a.Took)
	if !a.At.IsZero() {
		at = affiliate.InstantOf(a.At)
	}
	return record.Attempt{
		At: at, Manual: manual, URL: a.URL, Status: a.Status, Took: a.Took, Err: a.Err,
		Response: escaped(a.Response),
	}
}

// maxResponse is the largest part of an answer that is kept, in bytes.
const maxResponse = 1024

// escaped returns the start of a text from outside. Everything but printable
// characters, tabs and line feeds is escaped.
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
