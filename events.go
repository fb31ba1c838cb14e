package tributary

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// EventsAfter returns up to limit events after the event with the [affiliate.Event.ID]
// after, in the order in which they were committed, oldest first; with the zero
// id it starts at the first event. The order is total within the program, and a
// later event never has an earlier position. A host stores the id of the last
// event that it handled, in the transaction that handled it, and so handles
// every event once.
//
// The id of a pruned event is still a valid position. An event that is pruned
// before it was read is lost, so keep events longer than the slowest reader
// needs.
//
// Errors: [affiliate.InvalidQuery] (limit, 1–1,000).
//
// Source: ours, because a host that reads events in order needs no endpoint.
func (p *Program) EventsAfter(ctx context.Context, after uuid.UUID, limit int) ([]affiliate.Event, error) {
	return p.in(ctx).EventsAfter(ctx, after, limit)
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
func (p *Program) Follow(ctx context.Context, after uuid.UUID) iter.Seq2[affiliate.Event, error] {
	return func(yield func(affiliate.Event, error) bool) { p.in(ctx).Follow(ctx, after)(yield) }
}

// Events lists the stored events, newest first, whether or not an endpoint
// subscribes to them. The events of an object are found with an index. Only for
// a deleted sale the whole table is read, because the key of its events was in
// the sale's record. An unknown object has no events.
//
// A page looks at no more than 5,000 events, so it may be short or empty although
// more follow: Next says so. The zero Page is the whole list, in one View.
//
// Errors: [affiliate.InvalidQuery] (type, a bad page).
//
// Source: ours, because a host that polls needs no endpoint.
func (p *Program) Events(ctx context.Context, f affiliate.EventQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Event], error) {
	return p.in(ctx).Events(ctx, f, pg)
}
