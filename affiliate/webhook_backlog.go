package affiliate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Backlog returns for how long the oldest due delivery has been waiting for its
// attempt; 0: none is due. It grows while no sender runs, and while endpoints
// are paused. It costs at most two index reads, however long the queue is.
//
// Errors: those of the store.
//
// Effects: none.
//
// Source: ours, because the host should be told when deliveries are late.
func (p *Program) Backlog(ctx context.Context) (oldest time.Duration, err error) {
	defer p.begin(&ctx, "Backlog", reads).end(&err)
	now := p.now()
	return view(ctx, p, func(o *op) (oldest time.Duration, err error) {
		for _, lane := range []uuid.UUID{uuid.Nil, promptLane()} {
			q, err := head(o.tx.Queue, Query{After: lane})
			if errors.Is(err, ErrNotFound) {
				break
			}
			if err != nil {
				return 0, internal("read queue", err)
			}
			if q.dueAt(now) {
				oldest = max(oldest, now.Sub(q.due()))
			}
		}
		return oldest, nil
	})
}
