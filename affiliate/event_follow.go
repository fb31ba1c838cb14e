package affiliate

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	followBatch = 100         // how many events are read in one transaction
	followPoll  = time.Second // how often to look for events of other processes
)

// EventsAfter returns up to limit events after the event with the [Event.ID]
// after, in the order in which they were committed, oldest first; with the zero
// id it starts at the first event. The order is total within the program, and a
// later event never has an earlier position. So a host that stores the id of
// the last event that it has handled, best in the transaction in which it
// handled it, misses none and sees none twice.
//
// The id of a pruned event is still a valid position. An event that is pruned
// before it was read is lost, so keep events longer than the slowest reader
// needs.
//
// Errors: [InvalidQuery] (limit, 1–1,000).
//
// Source: ours, because a host that reads events in order needs no endpoint.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) (_ []Event, err error) {
	defer p.begin(&ctx, "EventsAfter", reads).end(&err)
	if limit < 1 || limit > maxPage {
		return nil, RefuseLimit.Err()
	}
	records, err := view(ctx, p, func(o *op) ([]EventRecord, error) {
		var out []EventRecord
		for rec, err := range o.tx.Events.List(Query{After: after, Limit: limit}) {
			if err != nil {
				return nil, internal("read events", err)
			}
			out = append(out, rec)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(records)) // payloads are encoded outside of the transaction
	for i := range records {
		events[i] = eventOf(records[i])
	}
	return events, nil
}

// Follow yields the events like [Program.EventsAfter] and, at the end, waits
// for the next one: a subscription in process. It continues at once when this
// Program, or one made from it with With and From, commits an event, and it
// looks once a second for events of other processes. It starts no goroutine: it
// runs in the caller's loop and ends with it:
//
//	for event, err := range program.Follow(ctx, position) {
//		if err != nil {
//			return err
//		}
//		…
//		position = event.ID
//	}
//
// To get only new events, use the id of the first item of [Program.Events] as
// the position.
//
// Errors: those of the store; the error of ctx when it ends. Each ends the
// loop.
//
// Source: ours, like EventsAfter.
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		position := after
		for {
			news := p.news.next() // before the read, so that a later commit wakes the follower
			events, err := p.followed(ctx, position)
			if err != nil {
				yield(Event{}, err)
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
				yield(Event{}, err)
				return
			}
		}
	}
}

// followed reads a piece of what Follow yields: one operation for an Observer.
func (p *Program) followed(ctx context.Context, after uuid.UUID) (_ []Event, err error) {
	defer p.begin(&ctx, "Follow", reads).end(&err)
	events, err := p.EventsAfter(ctx, after, followBatch)
	p.polled(ctx, len(events) == 0)
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
