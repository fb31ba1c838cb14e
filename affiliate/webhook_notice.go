package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// NoticeKind is the kind of a [Notice].
type NoticeKind string

// The kinds of notices.
const (
	NoticeAttempt   NoticeKind = "attempt"   // an attempt was settled, whatever came of it
	NoticeDead      NoticeKind = "dead"      // a delivery has failed for good; it can be replayed
	NoticeFailing   NoticeKind = "failing"   // every attempt has failed for 24 hours; once, until it recovers
	NoticeDisabled  NoticeKind = "disabled"  // an endpoint was disabled because it is gone or only fails
	NoticeRecovered NoticeKind = "recovered" // the first success after NoticeFailing
)

// A Notice reports to the host how deliveries go, for monitoring. It has ids
// and figures, and no payload, URL or text of a receiver.
type Notice struct {
	Kind     NoticeKind
	Endpoint uuid.UUID
	Delivery uuid.UUID // the attempt that brought it about
	EventID  string    // the webhook-id
	Event    EventType
	State    DeliveryState  // of the delivery, after the attempt
	Attempts int            // that were made for the delivery
	Status   int            // of the answer; 0: none
	Err      string         // class of the failure, see [Attempt]
	Reason   DisabledReason // of NoticeDisabled
	At       Time           // when the attempt was settled
}

// notice remembers a notice until the settlement is committed.
func (s *settlement) notice(kind NoticeKind, ep *EndpointRecord, d *DeliveryRecord, state DeliveryState) {
	if s.cfg.OnNotice == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.notices = append(s.notices, Notice{
		Kind: kind, Endpoint: ep.ID, Delivery: d.ID, EventID: Event{ID: d.EventID}.MessageID(), Event: d.Type, State: state,
		Attempts: len(d.Attempts), Status: last.Status, Err: last.Err, Reason: ep.DisabledReason, At: TimeOf(s.now.Time()),
	})
}

// notify tells the host, in the order in which it happened.
func (p *Program) notify(ctx context.Context, notices []Notice) {
	for _, n := range notices {
		func() {
			defer p.recovered(ctx, "OnNotice")
			p.cfg.OnNotice(n)
		}()
	}
}

// observe remembers an attempt for the Observer until the settlement is committed.
func (s *settlement) observe(d *DeliveryRecord, state DeliveryState) {
	if s.cfg.Observer.Delivery == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.watched = append(s.watched, DeliverySeen{
		Program: s.cfg.ID, Endpoint: d.EndpointID, Event: d.Type, Attempt: len(d.Attempts), Status: last.Status,
		Trigger: last.trigger(), Err: last.Err, State: state, Started: last.At.Time(), Took: last.Took, Lag: max(0, last.At.Sub(d.nextAttempt())),
	})
}

// tellDeliveries tells the Observer of settled attempts.
func (o *op) tellDeliveries(all []DeliverySeen) {
	ctx := o.hostContext()
	for _, d := range all {
		func() {
			defer o.recovered(ctx, "Observer")
			o.cfg.Observer.Delivery(ctx, d)
		}()
	}
}
