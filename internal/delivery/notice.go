package delivery

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// notice remembers a notice until the settlement is committed.
func (s *settlement) notice(kind affiliate.NoticeKind, ep *record.Endpoint, d *record.Delivery, state affiliate.DeliveryState) {
	if s.Cfg.OnNotice == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.notices = append(s.notices, affiliate.Notice{
		Kind: kind, Endpoint: ep.ID, Delivery: d.ID, EventID: affiliate.Event{ID: d.EventID}.MessageID(), Event: d.Type, State: state,
		Attempts: len(d.Attempts), Status: last.Status, Err: last.Err, Reason: ep.DisabledReason, At: affiliate.TimeOf(s.Now.Time()),
	})
}

// notify calls the host with the notices, in their order.
func notify(ctx context.Context, p *engine.Program, notices []affiliate.Notice) {
	for _, n := range notices {
		func() {
			defer p.Recovered(ctx, "OnNotice")
			p.Cfg.OnNotice(n)
		}()
	}
}

// observe remembers an attempt for the Observer until the settlement is committed.
func (s *settlement) observe(d *record.Delivery, state affiliate.DeliveryState) {
	if s.Cfg.Observer.Delivery == nil {
		return
	}
	last := &d.Attempts[len(d.Attempts)-1]
	s.watched = append(s.watched, affiliate.DeliverySeen{
		Program: s.Cfg.ID, Endpoint: d.EndpointID, Event: d.Type, Attempt: len(d.Attempts), Status: last.Status,
		Trigger: trigger(last), Err: last.Err, State: state, Started: last.At.Time(), Took: last.Took, Lag: max(0, last.At.Sub(nextAttempt(d))),
	})
}

// tellDeliveries passes settled attempts to the Observer.
func tellDeliveries(o *engine.Op, all []affiliate.DeliverySeen) {
	ctx := o.HostContext()
	for _, d := range all {
		func() {
			defer o.Recovered(ctx, "Observer")
			o.Cfg.Observer.Delivery(ctx, d)
		}()
	}
}
