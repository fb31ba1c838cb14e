package engine

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	followBatch = 100         // how many events are read in one transaction
	followPoll  = time.Second // how often to look for events of other processes
)

// EventsAfter implements tributary.Program.EventsAfter.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) (_ []affiliate.Event, err error) {
	defer p.Begin(&ctx, "EventsAfter", Reads).End(&err)
	if limit < 1 || limit > MaxPage {
		return nil, refusal.RefuseLimit.Err()
	}
	records, err := View(ctx, p, func(o *Op) ([]record.Event, error) {
		var out []record.Event
		for rec, err := range o.Tx.Events.List(record.Query{After: after, Limit: limit}) {
			if err != nil {
				return nil, refusal.Internal("read events", err)
			}
			out = append(out, rec)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	events := make([]affiliate.Event, len(records)) // payloads are encoded outside of the transaction
	for i := range records {
		events[i] = eventOf(records[i])
	}
	return events, nil
}

// Follow implements tributary.Program.Follow.
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error] {
	return func(yield func(affiliate.Event, error) bool) {
		position := after
		for {
			news := p.news.next() // before the read, so that a later commit wakes the follower
			events, err := p.followed(ctx, position)
			if err != nil {
				yield(affiliate.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				position = e.ID
			}
			if len(events) > 0 {
				continue
			}
			if err := await(ctx, news); err != nil {
				yield(affiliate.Event{}, err)
				return
			}
		}
	}
}

// followed reads a piece of what Follow yields: one operation for an Observer.
func (p *Program) followed(ctx context.Context, after uuid.UUID) (_ []affiliate.Event, err error) {
	defer p.Begin(&ctx, "Follow", Reads).End(&err)
	events, err := p.EventsAfter(ctx, after, followBatch)
	p.Polled(ctx, len(events) == 0)
	return events, err
}

// await waits for news, for the next poll, or for the end of ctx.
func await(ctx context.Context, news <-chan struct{}) error {
	timer := time.NewTimer(followPoll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-news:
	case <-timer.C:
	}
	return nil
}

// news wakes followers after commits. While nobody waits, it costs a commit
// only one check.
type news struct {
	waiting atomic.Bool
	mu      sync.Mutex
	ready   chan struct{} // closed by the next commit
}

// next returns a channel that the first commit after the call closes.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ready == nil {
		n.ready = make(chan struct{})
	}
	n.waiting.Store(true)
	return n.ready
}

// tell wakes the waiting followers.
func (n *news) tell() {
	if !n.waiting.Load() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ready != nil {
		close(n.ready)
		n.ready = nil
	}
	n.waiting.Store(false)
}
