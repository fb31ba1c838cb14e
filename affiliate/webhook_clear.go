package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// The waiting deliveries of a disabled or deleted endpoint are settled without
// being sent. There may be many, and one transaction for all of them would
// delay every sale. So the transaction that disables the endpoint settles the
// first few and notes on the endpoint the state for the rest. More transactions
// follow until none is left. When the process ends before, ClaimDeliveries
// continues when the next delivery is due.

const (
	clearBatch  = 20  // deliveries of one transaction
	clearRounds = 500 // transactions behind one settlement: the dispatcher waits for them
)

// clear settles the first waiting deliveries of an endpoint with a state. It
// notes on the endpoint whether more are left, and the caller stores the
// endpoint.
func (o *op) clear(ep *EndpointRecord, state DeliveryState) error {
	waiting, err := gather(o.tx.Queue, Query{Key: Key{Index: OfEndpoint, ID: ep.ID}, Limit: clearBatch + 1})
	if err != nil {
		return internal("list queue", err)
	}
	ep.Clearing = ""
	if len(waiting) > clearBatch {
		ep.Clearing, waiting = state, waiting[:clearBatch]
	}
	for _, q := range waiting {
		o.soon("deliveries", Key{ID: q.DeliveryID})
	}
	for _, q := range waiting {
		if err := o.dequeue(q, state); err != nil {
			return internal("settle delivery", err)
		}
	}
	return nil
}

// clearAll is clear to the end, for what must not see anything waiting.
func (o *op) clearAll(ep *EndpointRecord) error {
	for ep.Clearing != "" {
		if err := o.clear(ep, ep.Clearing); err != nil {
			return err
		}
	}
	return nil
}

// dequeue settles a delivery that waits.
func (o *op) dequeue(q QueueRecord, state DeliveryState) error {
	d, err := o.tx.Deliveries.Get(q.DeliveryID)
	if err != nil {
		return err
	}
	d.State, d.NextAttemptAt, d.UpdatedAt = state, Instant{}, later(o.now, d.UpdatedAt)
	if err := o.tx.Deliveries.Replace(d); err != nil {
		return err
	}
	return o.tx.Queue.Delete(q.ID)
}

// clearRest settles what is left of the deliveries to a disabled endpoint, in at
// most so many transactions of its own. It fails nobody: the endpoint is
// disabled, and what is not done here is done by ClaimDeliveries.
func (p *Program) clearRest(ctx context.Context, endpoint uuid.UUID, rounds int) {
	for range rounds {
		o := p.op(ctx)
		more, err := update(o, func() (bool, error) {
			ep, err := o.tx.Endpoints.Get(endpoint)
			if err != nil || ep.Clearing == "" {
				return false, err
			}
			return true, o.clearMore(ep)
		})
		if err != nil || !more {
			return
		}
	}
}

// clearBefore settles what waits for an endpoint that is about to be deleted,
// but for the last few. Where there is more, it disables the endpoint first.
//
// Errors: those of the store. What earlier transactions did stays.
func (p *Program) clearBefore(ctx context.Context, endpoint uuid.UUID) error {
	for {
		o := p.op(ctx)
		more, err := update(o, func() (bool, error) {
			ep, err := o.tx.Endpoints.Get(endpoint)
			if errors.Is(err, ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, internal("read endpoint", err)
			}
			if many, err := o.manyWait(endpoint); !many || err != nil {
				return false, err
			}
			if ep.Active {
				ep.disable(DisabledManual, o.now)
				ep.UpdatedAt = later(o.now, ep.UpdatedAt)
			}
			if err := o.clear(&ep, DeliveryCanceled); err != nil {
				return false, err
			}
			return true, o.tx.Endpoints.Replace(ep)
		})
		if err != nil || !more {
			return err
		}
	}
}

// clearMore goes on with what another call has left.
func (o *op) clearMore(ep EndpointRecord) error {
	if err := o.clear(&ep, ep.Clearing); err != nil {
		return err
	}
	return o.tx.Endpoints.Replace(ep)
}

// manyWait reports whether more waits for an endpoint than one transaction
// settles.
func (o *op) manyWait(endpoint uuid.UUID) (bool, error) {
	n, err := countUpTo(o.tx.Queue, Key{Index: OfEndpoint, ID: endpoint}, clearBatch+1)
	if err != nil {
		return false, internal("list queue", err)
	}
	return n > clearBatch, nil
}
