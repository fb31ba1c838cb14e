package record

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Change is one event of a record for a hook of the host: the record before
// and after. R is the stored form, such as [Sale], with ids instead of related
// objects, so that both values are exact. When only related records change,
// such as an affiliate's links or a coupon's codes, the two differ in Revision
// and UpdatedAt alone.
type Change[R any] struct {
	EventID  uuid.UUID // the [affiliate.Event.ID]: the position of the change in Program.Follow
	Event    affiliate.EventType
	Revision int64 // the revision of the record with this event
	At       affiliate.Time
	Before   affiliate.Opt[R] // after the previous event of this operation, or before the operation; null: it was created
	After    affiliate.Opt[R] // null: the record was deleted; a sale that is refunded in full fires deleted and is not null
}

// Hooks are functions of the host that get the changes, one for each kind of
// record. A nil hook costs nothing.
//
// A hook runs after the commit, in the goroutine that made the change and
// before its method returns, once for each event and in the order of the
// events; OnEvents comes after them. So it cannot refuse or undo the change.
// When the process ends between the commit and the hook, the hook does not run:
// use Program.Follow or an endpoint when no change may be lost. A hook may
// call the program. It gets the context of the call that made the change. A
// panic in a hook is logged to Config.Logger; the other hooks run, and the call
// returns its normal result.
//
// Use a hook rather than Program.Follow when you need the state before the
// change, or when the effect must be there as soon as the call returns, as in a
// cache that must drop a code. In all other cases Follow is better, because it
// can continue from a stored position.
//
// Hooks get the changes of this Program and of those made from it with With and
// From, but not those of other processes. On a store inside the host's own
// transaction they run at the end of the call, before the host commits.
type Hooks struct {
	Affiliate func(context.Context, Change[Affiliate])
	Referral  func(context.Context, Change[Referral])
	Sale      func(context.Context, Change[Sale])
	Coupon    func(context.Context, Change[Coupon])
	Code      func(context.Context, Change[Code])
}
