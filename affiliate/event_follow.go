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
	followBatch = 100         // events that are read in one transaction
	followPoll  = time.Second // between looks for what other processes commit
)

// EventsAfter returns up to limit events that follow one in the order in which
// they were committed, oldest first; after is its [Event.ID], and the zero id is
// before the first. The order is total within the program, and no event ever
// appears behind one that was returned: a host that keeps the id of the last
// event it has dealt with, best in the transaction of what it did, misses none
// and sees none twice.
//
// An id that was pruned is still a position. What Prune drops before it was
// read is gone: prune later than the slowest reader reads.
//
// Errors: [InvalidQuery] (limit, 1–1,000).
//
// Source: ours, because a host that is told in order needs no endpoint.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) ([]Event, error) {
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

// Follow walks the events as [Program.EventsAfter] does and, at the end, waits
// for the next one: a subscription in process. It goes on at once when this
// Program, or one made from it with With and From, commits an event, and looks
// once a second for those of other processes. It starts no goroutine; the walk
// lives in the caller's loop and ends with it:
//
//	for event, err := range program.Follow(ctx, position) {
//		if err != nil {
//			return err
//		}
//		…
//		position = event.ID
//	}
//
// To start with what comes next, take the position from the first item of
// [Program.Events].
//
// Errors: those of the store; that of ctx when it ends. Each ends the walk.
//
// Source: ours, as EventsAfter.
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		position := after
		for {
			news := p.news.next() // before the look: what commits after it is told
			events, err := p.EventsAfter(ctx, position, followBatch)
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

// await waits for news, for the time to look by itself, or for the end of ctx.
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

// news tells followers of commits. It costs a commit one look while nobody
// waits.
type news struct {
	waiting atomic.Bool
	mu      sync.Mutex
	ready   chan struct{} // closed by the next commit
}

// next is closed by the first commit after the call.
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
