package affiliate

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// A Change is one event of a record for a hook of the host: the record before
// and after. R is the stored form, such as [SaleRecord]: it has ids instead of
// related objects, so that both values are exact. When related records change,
// such as an affiliate's links or a coupon's codes, only Revision and UpdatedAt
// of the record differ.
type Change[R any] struct {
	EventID  uuid.UUID // the [Event.ID]: the position of the change in [Program.Follow]
	Event    EventType
	Revision int64 // the revision of the record with this event
	At       Time
	Before   Opt[R] // after the previous event of this operation, else when the operation began; null: it was created
	After    Opt[R] // null: the record was deleted; a sale that is refunded in full fires deleted and is not null
}

// Hooks are functions of the host that get the changes, one for each kind of
// record. A nil hook costs nothing.
//
// A hook runs after the commit, in the goroutine that made the change and
// before its method returns, once for each event and in the order of the
// events; OnEvents comes after them. So it cannot refuse or undo the change.
// When the process ends between the commit and the hook, the hook does not run:
// use [Program.Follow] or an endpoint when no change may be lost. A hook may
// call the program. It gets the context of the call that made the change. A
// panic in a hook is logged to Config.Logger; the other hooks run, and the call
// returns its normal result.
//
// A hook beats [Program.Follow] where the state before the change is needed, or
// where the caller must find the effect when its call returns, such as a cache
// that forgets a code. Everything else is better off with Follow, which has a
// place to go on from.
//
// Hooks get the changes of this Program and of those made from it with With and
// From, but not those of other processes. On a store inside the host's own
// transaction they run at the end of the call, before the host commits.
type Hooks struct {
	Affiliate func(context.Context, Change[AffiliateRecord])
	Referral  func(context.Context, Change[ReferralRecord])
	Sale      func(context.Context, Change[SaleRecord])
	Coupon    func(context.Context, Change[CouponRecord])
	Code      func(context.Context, Change[CodeRecord])
}

// wanted reports whether there is a hook.
func (h *Hooks) wanted() bool {
	return h.Affiliate != nil || h.Referral != nil || h.Sale != nil || h.Coupon != nil || h.Code != nil
}

// watches are the watched tables of one run of an operation.
type watches struct {
	affiliates *watched[AffiliateRecord]
	referrals  *watched[ReferralRecord]
	sales      *watched[SaleRecord]
	coupons    *watched[CouponRecord]
	codes      *watched[CodeRecord]

	calls []func(context.Context) // the calls of hooks, in the order of the events
}

// watch gives a transaction whose writes are watched for the hooks.
func (h *Hooks) watch(tx *Tx) (*Tx, *watches) {
	w := &watches{
		affiliates: watchTable(tx.Affiliates, h.Affiliate), referrals: watchTable(tx.Referrals, h.Referral),
		sales: watchTable(tx.Sales, h.Sale), coupons: watchTable(tx.Coupons, h.Coupon), codes: watchTable(tx.Codes, h.Code),
	}
	seen := *tx
	seen.Affiliates, seen.Referrals, seen.Sales, seen.Coupons, seen.Codes = w.affiliates, w.referrals, w.sales, w.coupons, w.codes
	return &seen, w
}

// note adds the call of the hook for an event.
func (w *watches) note(rec *EventRecord) error {
	switch rec.Type.Family() {
	case "affiliate":
		return noteChange(w, w.affiliates, rec)
	case "referral":
		return noteChange(w, w.referrals, rec)
	case "sale":
		return noteChange(w, w.sales, rec)
	case "coupon":
		return noteChange(w, w.coupons, rec)
	case "promocode":
		return noteChange(w, w.codes, rec)
	}
	return fmt.Errorf("no hook is for events of the type %q", rec.Type)
}

// run calls the hooks.
func (w *watches) run(o *op) {
	for _, call := range w.calls {
		func() {
			defer o.recovered(o.ctx, "Hooks")
			call(o.hostContext())
		}()
	}
}

// A watched table remembers each record as it was before its change.
type watched[R Record[R]] struct {
	Table[R]
	hook   func(context.Context, Change[R])
	before map[uuid.UUID]Opt[R]
}

func watchTable[R Record[R]](t Table[R], hook func(context.Context, Change[R])) *watched[R] {
	return &watched[R]{Table: t, hook: hook, before: make(map[uuid.UUID]Opt[R])}
}

// Insert remembers that the record did not exist.
func (t *watched[R]) Insert(rec R) error {
	err := t.Table.Insert(rec)
	if _, known := t.before[rec.RecordID()]; err == nil && !known {
		t.before[rec.RecordID()] = Null[R]()
	}
	return err
}

// Replace remembers the old record.
func (t *watched[R]) Replace(rec R) error {
	if err := t.remember(rec.RecordID()); err != nil {
		return err
	}
	return t.Table.Replace(rec)
}

// Delete remembers the old record.
func (t *watched[R]) Delete(id uuid.UUID) error {
	if err := t.remember(id); err != nil {
		return err
	}
	return t.Table.Delete(id)
}

func (t *watched[R]) remember(id uuid.UUID) error {
	if _, known := t.before[id]; known || t.hook == nil {
		return nil
	}
	was, err := t.state(id)
	if err == nil {
		t.before[id] = was
	}
	return err
}

// state is the current record, or null.
func (t *watched[R]) state(id uuid.UUID) (Opt[R], error) {
	rec, err := t.Get(id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Null[R](), nil
	case err != nil:
		return Opt[R]{}, err
	}
	return Set(rec), nil
}

// noteChange adds the call of a table's hook.
func noteChange[R Record[R]](w *watches, t *watched[R], rec *EventRecord) error {
	if t.hook == nil {
		return nil
	}
	after, err := t.state(rec.ObjectID)
	if err != nil {
		return err
	}
	before, known := t.before[rec.ObjectID]
	if !known { // the record of the event was not written
		before = after
	}
	t.before[rec.ObjectID] = after
	c := Change[R]{
		EventID: rec.ID, Event: rec.Type, Revision: rec.Revision, At: TimeOf(rec.OccurredAt.Time()), Before: before, After: after,
	}
	w.calls = append(w.calls, func(ctx context.Context) { t.hook(ctx, c) })
	return nil
}
