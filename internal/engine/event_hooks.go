package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// wanted reports whether there is a hook.
func wanted(h *record.Hooks) bool {
	return h.Affiliate != nil || h.Referral != nil || h.Sale != nil || h.Coupon != nil || h.Code != nil
}

// watches are the tables that one run of an operation watches.
type watches struct {
	affiliates *watched[record.Affiliate]
	referrals  *watched[record.Referral]
	sales      *watched[record.Sale]
	coupons    *watched[record.Coupon]
	codes      *watched[record.Code]

	calls []func(context.Context) // the calls of hooks, in the order of the events
}

// watch returns a transaction that records its writes for the hooks.
func watch(h *record.Hooks, tx *record.Tx) (*record.Tx, *watches) {
	w := &watches{
		affiliates: watchTable(tx.Affiliates, h.Affiliate), referrals: watchTable(tx.Referrals, h.Referral),
		sales: watchTable(tx.Sales, h.Sale), coupons: watchTable(tx.Coupons, h.Coupon), codes: watchTable(tx.Codes, h.Code),
	}
	seen := *tx
	seen.Affiliates, seen.Referrals, seen.Sales, seen.Coupons, seen.Codes = w.affiliates, w.referrals, w.sales, w.coupons, w.codes
	return &seen, w
}

// note adds the call of the hook for an event.
func (w *watches) note(rec *record.Event) error {
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
func (w *watches) run(o *Op) {
	for _, call := range w.calls {
		func() {
			defer o.Recovered(o.Ctx, "Hooks")
			call(o.HostContext())
		}()
	}
}

// A watched table remembers each record as it was before its change.
type watched[R record.Record[R]] struct {
	record.Table[R]
	hook   func(context.Context, record.Change[R])
	before map[uuid.UUID]affiliate.Opt[R]
}

func watchTable[R record.Record[R]](t record.Table[R], hook func(context.Context, record.Change[R])) *watched[R] {
	return &watched[R]{Table: t, hook: hook, before: make(map[uuid.UUID]affiliate.Opt[R])}
}

// Insert remembers that the record did not exist.
func (t *watched[R]) Insert(rec R) error {
	err := t.Table.Insert(rec)
	if _, known := t.before[rec.RecordID()]; err == nil && !known {
		t.before[rec.RecordID()] = affiliate.Null[R]()
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

// state returns the current record, or null.
func (t *watched[R]) state(id uuid.UUID) (affiliate.Opt[R], error) {
	rec, err := t.Get(id)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		return affiliate.Null[R](), nil
	case err != nil:
		return affiliate.Opt[R]{}, err
	}
	return affiliate.Set(rec), nil
}

// noteChange adds the call of a table's hook.
func noteChange[R record.Record[R]](w *watches, t *watched[R], rec *record.Event) error {
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
	c := record.Change[R]{
		EventID: rec.ID, Event: rec.Type, Revision: rec.Revision, At: affiliate.TimeOf(rec.OccurredAt.Time()), Before: before, After: after,
	}
	w.calls = append(w.calls, func(ctx context.Context) { t.hook(ctx, c) })
	return nil
}
