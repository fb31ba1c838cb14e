package affiliate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Backlog returns for how long the oldest due delivery has been waiting for its
// attempt; 0: none is due. It grows while no sender runs, and while endpoints
// are paused. It costs at most two index reads and the read of a delivery, however
// long the queue is.
//
// Errors: those of the store.
//
// Effects: none.
//
// Source: ours, because the host should be told when deliveries are late.
func (p *Program) Backlog(ctx context.Context) (oldest time.Duration, err error) {
	defer p.begin(&ctx, "Backlog", reads).end(&err)
	now := p.now()
	defer func() { p.polled(ctx, oldest == 0) }()
	return view(ctx, p, func(o *op) (oldest time.Duration, err error) {
		for _, lane := range []uuid.UUID{uuid.Nil, promptLane()} {
			q, err := head(o.tx.Queue, Query{After: lane})
			if errors.Is(err, ErrNotFound) {
				break
			}
			if err != nil {
				return 0, internal("read queue", err)
			}
			due, err := o.dueSince(q)
			if err != nil {
				return 0, internal("read delivery", err)
			}
			oldest = max(oldest, now.Sub(due))
		}
		return oldest, nil
	})
}

// dueSince is when an entry of the queue became due. The place of a first attempt
// does not tell it: that is made of the event's id, which the host may have made.
func (o *op) dueSince(q QueueRecord) (Instant, error) {
	if !q.prompt() {
		return q.due(), nil
	}
	d, err := o.tx.Deliveries.Get(q.DeliveryID)
	return d.nextAttempt(), err
}
