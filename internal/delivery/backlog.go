package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Backlog implements tributary.Program.Backlog.
func Backlog(ctx context.Context, p *engine.Program) (oldest time.Duration, err error) {
	defer p.Begin(&ctx, "Backlog", engine.Reads).End(&err)
	now := p.Now()
	defer func() { p.Polled(ctx, oldest == 0) }()
	return engine.View(ctx, p, func(o *engine.Op) (oldest time.Duration, err error) {
		for _, lane := range []uuid.UUID{uuid.Nil, promptLane()} {
			q, err := engine.Head(o.Tx.Queue, record.Query{After: lane})
			if errors.Is(err, affiliate.ErrNotFound) {
				break
			}
			if err != nil {
				return 0, refusal.Internal("read queue", err)
			}
			due, err := dueSince(o, q)
			if err != nil {
				return 0, refusal.Internal("read delivery", err)
			}
			oldest = max(oldest, now.Sub(due))
		}
		return oldest, nil
	})
}

// dueSince returns when an entry of the queue became due. For a first attempt its
// place in the queue does not say so, because it is made of the event's id, which may
// be the host's.
func dueSince(o *engine.Op, q record.Queue) (affiliate.Instant, error) {
	if !Prompt(q) {
		return engine.DueAt(q), nil
	}
	d, err := o.Tx.Deliveries.Get(q.DeliveryID)
	return nextAttempt(&d), err
}
