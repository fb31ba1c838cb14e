package delivery

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The pending deliveries of a disabled or deleted endpoint are settled without
// being sent. There may be many, and one transaction for all of them would delay
// every sale. So the transaction that disables the endpoint settles the first
// few and stores with the endpoint the state for the rest. More transactions
// follow until none is left. When the process ends before that, ClaimDeliveries
// continues when the next delivery is due.

const (
	clearBatch  = 20  // deliveries of one transaction
	clearRounds = 500 // transactions after one settlement: the dispatcher waits for them
)

// clearIn settles the first pending deliveries of an endpoint with a state. It
// sets in ep whether more are left; the caller stores ep.
func clearIn(o *engine.Op, ep *record.Endpoint, state affiliate.DeliveryState) error {
	waiting, err := engine.Gather(o.Tx.Queue, record.Query{Key: record.Key{Index: record.OfEndpoint, ID: ep.ID}, Limit: clearBatch + 1})
	if err != nil {
		return refusal.Internal("list queue", err)
	}
	ep.Clearing = ""
	if len(waiting) > clearBatch {
		ep.Clearing, waiting = state, waiting[:clearBatch]
	}
	for _, q := range waiting {
		o.Soon("deliveries", record.Key{ID: q.DeliveryID})
	}
	for _, q := range waiting {
		if err := dequeue(o, q, state); err != nil {
			return refusal.Internal("settle delivery", err)
		}
	}
	return nil
}

// clearAll settles every pending delivery of an endpoint.
func clearAll(o *engine.Op, ep *record.Endpoint) error {
	for ep.Clearing != "" {
		if err := clearIn(o, ep, ep.Clearing); err != nil {
			return err
		}
	}
	return nil
}

// dequeue settles a pending delivery.
func dequeue(o *engine.Op, q record.Queue, state affiliate.DeliveryState) error {
	d, err := o.Tx.Deliveries.Get(q.DeliveryID)
	if err != nil {
		return err
	}
	d.State, d.NextAttemptAt, d.UpdatedAt = state, affiliate.Instant{}, engine.Later(o.Now, d.UpdatedAt)
	if err := o.Tx.Deliveries.Replace(d); err != nil {
		return err
	}
	return o.Tx.Queue.Delete(q.ID)
}

// clearRest settles the remaining deliveries of a disabled endpoint, in at most
// that many transactions of its own. It returns no error: the endpoint is
// disabled, and ClaimDeliveries does what is not done here.
func clearRest(ctx context.Context, p *engine.Program, endpoint uuid.UUID, rounds int) {
	for range rounds {
		o := p.Op(ctx)
		more, err := engine.Update(o, func() (bool, error) {
			ep, err := o.Tx.Endpoints.Get(endpoint)
			if err != nil || ep.Clearing == "" {
				return false, err
			}
			return true, clearMore(o, ep)
		})
		if err != nil || !more {
			return
		}
	}
}

// clearBefore settles the pending deliveries of an endpoint that is about to be
// deleted, except for the last few. When there are more, it disables the
// endpoint first.
//
// Errors: those of the store. What earlier transactions did stays.
func clearBefore(ctx context.Context, p *engine.Program, endpoint uuid.UUID) error {
	for {
		o := p.Op(ctx)
		more, err := engine.Update(o, func() (bool, error) {
			ep, err := o.Tx.Endpoints.Get(endpoint)
			if errors.Is(err, affiliate.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, refusal.Internal("read endpoint", err)
			}
			if many, err := manyWait(o, endpoint); !many || err != nil {
				return false, err
			}
			if ep.Active {
				disable(&ep, affiliate.DisabledManual, o.Now)
				ep.UpdatedAt = engine.Later(o.Now, ep.UpdatedAt)
			}
			if err := clearIn(o, &ep, affiliate.DeliveryCanceled); err != nil {
				return false, err
			}
			return true, o.Tx.Endpoints.Replace(ep)
		})
		if err != nil || !more {
			return err
		}
	}
}

// clearMore continues what another call left undone.
func clearMore(o *engine.Op, ep record.Endpoint) error {
	if err := clearIn(o, &ep, ep.Clearing); err != nil {
		return err
	}
	return o.Tx.Endpoints.Replace(ep)
}

// manyWait reports whether more waits for an endpoint than one transaction
// settles.
func manyWait(o *engine.Op, endpoint uuid.UUID) (bool, error) {
	n, err := engine.CountUpTo(o.Tx.Queue, record.Key{Index: record.OfEndpoint, ID: endpoint}, clearBatch+1)
	if err != nil {
		return false, refusal.Internal("list queue", err)
	}
	return n > clearBatch, nil
}
