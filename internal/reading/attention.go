package reading

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payment"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Attention implements tributary.Program.Attention.
func Attention(ctx context.Context, p *engine.Program, n int) (_ affiliate.Attention, err error) {
	defer p.Begin(&ctx, "Attention", engine.Reads).End(&err)
	if n < 0 || n > engine.WaitingMost {
		return affiliate.Attention{}, refusal.RefuseWaitingLimit.Err()
	}
	if n == 0 {
		n = engine.WaitingShown
	}
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (a affiliate.Attention, err error) {
		if a.PendingAffiliates, err = newestIn(o.Tx.Affiliates, string(affiliate.AffiliateInactive), n, pendingOf); err != nil {
			return a, err
		}
		if a.HeldSales, err = newestIn(o.Tx.Sales, string(affiliate.ApprovalOnHold), n, heldOf); err != nil {
			return a, err
		}
		if a.FailingWebhooks, err = newestIn(failingEndpoints(o), "", n, failingOf); err != nil {
			return a, err
		}
		if a.FailedDeliveries, err = newestIn(deliveriesSince(o, now.Add(-engine.FailedLately)), string(affiliate.DeliveryFailed), n, undeliveredOf); err != nil {
			return a, err
		}
		if a.FailedPayouts, err = newestIn(o.Tx.Payouts, string(affiliate.PayoutFailed), n, unpaidOf); err != nil {
			return a, err
		}
		if a.PaymentConflicts, err = newestOf(o.Tx.Payments, record.Undecided, n, func(r record.Payment) (affiliate.ConflictPayment, error) { return conflictOf(o, r) }); err != nil {
			return a, err
		}
		if a.Overdrawn, err = newestOf(o.Tx.Redemptions, record.Overdrawn, n, func(r record.Redemption) (affiliate.OverdrawnRedemption, error) { return overdrawnOf(o, &r) }); err != nil {
			return a, err
		}
		if a.Overdrawn.Count == 0 {
			a.Overdrawn = affiliate.Waiting[affiliate.OverdrawnRedemption]{}
		}
		if a.SharedPayees, err = sharedPayees(o, n); err != nil {
			return a, err
		}
		if a.Budgets, err = lowBudgets(o, n); err != nil {
			return a, err
		}
		oldest, err := engine.Head(o.Tx.Payments, record.Query{Key: record.Undecided})
		a.OldestPaymentAt = refusal.TimeOrNull(oldest.CreatedAt)
		return a, engine.IgnoreMissing(err)
	})
}

// The most that sharedPayees reads of those who are marked, and of one address.
const (
	mostMarked = 1000
	mostPayees = 20
)

// sharedPayees lists the addresses of those who are marked where others are paid still, each once.
func sharedPayees(o *engine.Op, n int) (w affiliate.Waiting[affiliate.SharedPayee], err error) {
	seen, marked := map[string]bool{}, 0
	for rec, err := range o.Tx.Affiliates.List(record.Query{Key: record.SharedPayee, Desc: true, Limit: mostMarked}) {
		if err != nil {
			return w, err
		}
		if marked++; seen[rec.Payee] {
			continue
		}
		seen[rec.Payee] = true
		shared := affiliate.SharedPayee{}
		for one, err := range o.Tx.Affiliates.List(record.Query{Key: record.TextKey(record.OfPayee,
			rec.Payee), Limit: mostPayees}) {
			if err != nil {
				return w, err
			}
			shared.Affiliates = append(shared.Affiliates,
				affiliate.Payee{ID: one.ID, Name: engine.NameOf(one), PayoutEmail: one.PayoutEmail})
		}
		if len(shared.Affiliates) < 2 {
			continue // the others are paid elsewhere, or are gone
		}
		if w.Count == engine.WaitingCount {
			w.More = true
			break
		}
		if w.Count++; w.Count <= n {
			w.Items = append(w.Items, shared)
		}
	}
	w.More = w.More || marked == mostMarked
	return w, nil
}

// lowBudgets lists the budgets of everybody of which little or nothing is left.
func lowBudgets(o *engine.Op, n int) (w affiliate.Waiting[affiliate.BudgetUse], err error) {
	err = o.SharedBudgets(func(r *record.Budget) error {
		switch {
		case r.Status == affiliate.BudgetOpen:
		case w.Count == engine.WaitingCount:
			w.More = true
		default:
			if w.Count++; w.Count <= n {
				w.Items = append(w.Items, o.BudgetUse(r))
			}
		}
		return nil
	})
	return w, err
}

// newestIn lists the newest n records in a state, and counts on; an empty state is
// any.
func newestIn[R record.Record[R], T any](t record.Table[R], state string, n int, item func(R) T) (affiliate.Waiting[T], error) {
	key := record.Key{}
	if state != "" {
		key = record.Key{Index: record.OfState, Text: state}
	}
	return newestOf(t, key, n, func(r R) (T, error) { return item(r), nil })
}

// newestOf lists the newest n records of a key, and counts on.
func newestOf[R record.Record[R], T any](t record.Table[R], key record.Key, n int, item func(R) (T, error)) (affiliate.Waiting[T], error) {
	w := affiliate.Waiting[T]{Items: []T{}}
	q := record.Query{Key: key, Desc: true, Limit: engine.WaitingCount + 1}
	for rec, err := range t.List(q) {
		if err != nil {
			return w, err
		}
		if w.Count == engine.WaitingCount {
			w.More = true
			break
		}
		if w.Count++; w.Count > n {
			continue
		}
		one, err := item(rec)
		if err != nil {
			return w, err
		}
		w.Items = append(w.Items, one)
	}
	return w, nil
}

// failingEndpoints returns the endpoints that the engine disabled, and those to which
// every attempt fails. An endpoint that was disabled by hand is left out: somebody
// knows about it.
func failingEndpoints(o *engine.Op) record.Table[record.Endpoint] {
	return engine.FilteredTable[record.Endpoint]{Table: o.Tx.Endpoints, Keep: func(r record.Endpoint) bool {
		return r.DisabledReason != affiliate.DisabledManual && (r.DisabledReason != "" || !r.FirstFailureAt.IsZero())
	}}
}

// deliveriesSince returns the deliveries that were created at a time or later.
func deliveriesSince(o *engine.Op, since affiliate.Instant) record.Table[record.Delivery] {
	return engine.FilteredTable[record.Delivery]{
		Table: o.Tx.Deliveries,
		Keep:  func(r record.Delivery) bool { return engine.CreatedIn(r, since, affiliate.Instant{}) },
		Over:  func(r record.Delivery) bool { return o.Before(r.CreatedAt, since) },
	}
}

// PaymentConflict implements tributary.Payments.PaymentConflict.
func PaymentConflict(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.ConflictPayment, err error) {
	defer p.Begin(&ctx, "PaymentConflict", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.ConflictPayment, error) {
		rec, err := payment.WaitingPayment(o, id)
		if err != nil {
			return affiliate.ConflictPayment{}, err
		}
		return conflictOf(o, rec)
	})
}

// conflictOf returns a payment that waits as it is listed.
func conflictOf(o *engine.Op, r record.Payment) (affiliate.ConflictPayment, error) {
	known, err := payment.PaymentOf(o, &r)
	if err != nil {
		return affiliate.ConflictPayment{}, err
	}
	named := r.Conflict
	if named == uuid.Nil {
		named = r.Sale
	}
	sale, err := payment.SaleIfThere(o, named)
	c := affiliate.ConflictPayment{
		ID: r.ID, Provider: r.Provider, Keys: known.Keys, PayerID: engine.OrNull(r.PayerID),
		Outcome: r.WaitsAs(), SaleID: affiliate.SaleID(sale.Number),
		Amount: r.Gross.Or(affiliate.Amount{}), Currency: known.Currency, CreatedAt: known.CreatedAt,
	}
	if c.Outcome == affiliate.SaleDiffers {
		c.Told = r.Raised
	}
	if r.Untold() {
		c.Awaits, c.Currency = r.Waiting[0].Awaits, cmp.Or(r.Waiting[0].Currency, c.Currency)
	}
	return c, err
}

// OverdrawnRedemption implements tributary.Program.OverdrawnRedemption.
func OverdrawnRedemption(ctx context.Context, p *engine.Program,
	ref affiliate.SaleRef) (_ affiliate.OverdrawnRedemption, err error) {
	defer p.Begin(&ctx, "OverdrawnRedemption", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.OverdrawnRedemption, error) {
		rec, err := o.RedemptionOf(ref)
		if err == nil && !slices.Contains(rec.AppendKeys(nil), record.Overdrawn) {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return affiliate.OverdrawnRedemption{}, err
		}
		return overdrawnOf(o, &rec)
	})
}

// overdrawnOf returns a redemption over a limit as it is listed.
func overdrawnOf(o *engine.Op, r *record.Redemption) (affiliate.OverdrawnRedemption, error) {
	out := affiliate.OverdrawnRedemption{
		SaleID: affiliate.Null[affiliate.SaleID](), ExternalID: engine.OrNull(r.ExternalID),
		CouponID: r.CouponID, HoldID: r.HoldID, Email: affiliate.Null[string](),
		Discount: r.Discount, CreatedAt: affiliate.TimeOf(r.CreatedAt.Time()),
	}
	var err error
	if out.PromotionalCode, err = o.NameOfCode(r.CodeID); err != nil || r.ExternalID != "" {
		return out, err
	}
	number := affiliate.SaleID(engine.NumberIn(r.ID))
	sale, err := o.SaleByNumber(number)
	out.SaleID, out.ExternalID, out.Email = affiliate.Set(number), engine.OrNull(sale.ExternalID),
		engine.OrNull(sale.Email)
	return out, engine.IgnoreMissing(err)
}

func pendingOf(r record.Affiliate) affiliate.PendingAffiliate {
	return affiliate.PendingAffiliate{ID: r.ID, Name: engine.NameOf(r)}
}

func heldOf(r record.Sale) affiliate.HeldSale {
	h := affiliate.HeldSale{ID: affiliate.SaleID(r.Number), AffiliateID: r.AffiliateID}
	h.CommissionEarned, _ = engine.CommissionEarned(&r) // its sum was checked when the sale was stored
	for i := range r.Commissions {
		if c := &r.Commissions[i]; c.Approval.Is(affiliate.ApprovalOnHold) {
			h.HoldReason = engine.OrNull(c.HoldReason.Value())
			break
		}
	}
	return h
}

func failingOf(r record.Endpoint) affiliate.FailingWebhook {
	f := affiliate.FailingWebhook{
		ID: r.ID, URL: r.URL, Status: affiliate.EndpointDisabled,
		DisabledReason: engine.OrNull(r.DisabledReason), FirstFailureAt: refusal.TimeOrNull(r.FirstFailureAt),
	}
	if r.Active {
		f.Status = affiliate.EndpointEnabled
	}
	return f
}

func undeliveredOf(r record.Delivery) affiliate.FailedDelivery {
	return affiliate.FailedDelivery{ID: r.ID, WebhookID: r.EndpointID, Event: r.Type,
		CreatedAt: affiliate.TimeOf(r.CreatedAt.Time())}
}

func unpaidOf(r record.Payout) affiliate.FailedPayout {
	return affiliate.FailedPayout{ID: r.ID, AffiliateID: r.AffiliateID, Amount: r.Amount,
		FailedReason: engine.OrNull(r.FailedReason)}
}
