package affiliate

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// An Observer watches the operations of a program for metrics and traces. Every
// field may be nil, and the zero Observer costs nothing. Its functions are
// called in the goroutine of the caller and must not block; they must be safe
// for concurrent use. A panic in one of them is logged to Config.Logger and has
// no other effect.
//
// Every exported method of Program that takes a context and returns no
// iterator gives one Begin and one End, also when it fails or panics.
// Program.Follow gives one pair for each piece that it reads; the other
// iterators give none. A call that a hook or another function of the host makes
// is an operation of its own.
//
// Nothing in an [Operation], a [Result] or a [DeliverySeen] names a person or a
// secret: there is no email, name, key, URL, slug, code or external id, and no
// text of an error.
//
// Source: ours, for the metrics and traces of hosts.
type Observer struct {
	// Begin is called before the operation does anything. The store gets the
	// context that it returns, so a span in it is the parent of the store's.
	Begin func(ctx context.Context, op Operation) context.Context

	// End is called after the operation, with the context of Begin.
	End func(ctx context.Context, op Operation, res Result)

	// Delivery is called after the attempt of a delivery was settled.
	Delivery func(ctx context.Context, d DeliverySeen)

	// Clock measures durations only; nil: time.Now.
	Clock func() time.Time
}

// An Operation is one call of a method.
type Operation struct {
	Name    string    // of the method, such as RecordSale
	Program uuid.UUID // the id of the program
	Write   bool      // whether the method can write
	Poll    bool      // it looks for work again and again: ClaimDeliveries, Follow and Backlog
}

// A Result says how an operation ended.
type Result struct {
	Outcome Outcome
	Reason  Reason        // of OutcomeRefused and OutcomeNotFound; empty for a look-up without a reason of its own
	Failure FailureClass  // of OutcomeFailed and OutcomeCanceled
	Took    time.Duration // from Begin to End; 0: Clock went back, or panicked
	Runs    int           // how often the store ran the transaction: 1 unless it was repeated; of several transactions the highest; 0: there was none
	Events  [15]uint32    // how many events were committed, in the order of EventTypes
}

// Outcome says how an operation ended.
type Outcome string

// The outcomes. A recorded report of a sale has the value of its
// [SaleOutcome] instead of OutcomeOK, such as recorded or duplicate.
const (
	OutcomeOK       Outcome = "ok"
	OutcomeIdle     Outcome = "idle"      // a poll that found nothing
	OutcomeRefused  Outcome = "refused"   // an [*Error]: the caller can fix it
	OutcomeNotFound Outcome = "not_found" // a look-up that found nothing
	OutcomeReplayed Outcome = "replayed"  // the answer of an earlier call with the same key; a refusal that is repeated is OutcomeRefused
	OutcomeCanceled Outcome = "canceled"  // the context was canceled
	OutcomeFailed   Outcome = "failed"    // the store or a function of the host failed
)

// FailureClass says what kind of failure ended an operation.
type FailureClass string

// The failures.
const (
	FailureTimeout  FailureClass = "timeout"  // the deadline of the context has passed
	FailureCanceled FailureClass = "canceled" // the context was canceled
	FailureStore    FailureClass = "store"    // the transaction of the store did not succeed
	FailureOther    FailureClass = "other"    // a panic, or a function of the host that failed
)

// A DeliverySeen is one attempt of a delivery that was settled.
type DeliverySeen struct {
	Program  uuid.UUID
	Endpoint uuid.UUID
	Event    EventType
	Attempt  int            // its number, from 1
	Status   int            // of the answer; 0: none
	Trigger  AttemptTrigger // the schedule or a replay
	Err      string         // class of the failure, such as [FailedTimeout]; empty: there was an answer
	State    DeliveryState  // of the delivery, after the attempt
	Started  time.Time      // when the request was made
	Took     time.Duration  // of the request
	Lag      time.Duration  // from when the attempt was due to its start; never negative
}

// Observers returns one Observer that calls all of them. Each End gets the
// context of its own Begin, and the store gets the context of the last Begin.
// The Clock is the first one that is set. A panic in one observer is dropped,
// and the others are still called.
func Observers(all ...Observer) Observer {
	group := slices.Clone(all)
	var merged Observer
	for _, o := range group {
		if o.Begin != nil || o.End != nil {
			merged.Begin, merged.End = beginAll(group), endAll(group)
		}
		if o.Delivery != nil {
			merged.Delivery = deliverAll(group)
		}
		if merged.Clock == nil {
			merged.Clock = o.Clock
		}
	}
	return merged
}

// observationKey is the key under which the context of a group has the contexts of
// its members' Begins. It names the group, so that groups can be members of
// groups.
type observationKey struct{ group *Observer }

func beginAll(group []Observer) func(context.Context, Operation) context.Context {
	return func(ctx context.Context, op Operation) context.Context {
		begun := make([]context.Context, len(group))
		for i := range group {
			ctx = beginQuietly(ctx, group[i].Begin, op)
			begun[i] = ctx
		}
		return context.WithValue(ctx, observationKey{&group[0]}, begun)
	}
}

func beginQuietly(ctx context.Context, begin func(context.Context, Operation) context.Context,
	op Operation) (out context.Context) {
	if begin == nil {
		return ctx
	}
	defer func() {
		if recover() != nil || out == nil {
			out = ctx
		}
	}()
	return begin(ctx, op)
}

func endAll(group []Observer) func(context.Context, Operation, Result) {
	return func(ctx context.Context, op Operation, res Result) {
		begun, _ := ctx.Value(observationKey{&group[0]}).([]context.Context)
		for i := len(group) - 1; i >= 0; i-- {
			if end := group[i].End; end != nil && i < len(begun) {
				quietly(func() { end(begun[i], op, res) })
			}
		}
	}
}

func deliverAll(group []Observer) func(context.Context, DeliverySeen) {
	return func(ctx context.Context, d DeliverySeen) {
		for i := range group {
			if deliver := group[i].Delivery; deliver != nil {
				quietly(func() { deliver(ctx, d) })
			}
		}
	}
}

// quietly calls fn and drops a panic.
func quietly(fn func()) {
	defer func() { _ = recover() }()
	fn()
}
