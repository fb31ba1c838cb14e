package payment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ProviderPayment implements tributary.Payments.ProviderPayment.
func ProviderPayment(ctx context.Context, p *engine.Program, provider,
	key string) (_ affiliate.ProviderPayment, err error) {
	defer p.Begin(&ctx, "ProviderPayment", engine.Reads).End(&err)
	if err := refusal.First(CheckProvider(provider), NeededText("key", key)); err != nil {
		return affiliate.ProviderPayment{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.ProviderPayment, error) {
		held, err := o.Tx.PaymentKeys.Find(record.OfProvider(record.ByPayment, provider, key))
		if err != nil {
			return affiliate.ProviderPayment{}, err
		}
		rec, err := o.Tx.Payments.Get(held.PaymentID)
		if err != nil {
			return affiliate.ProviderPayment{}, refusal.Internal("payment of a key", err)
		}
		return PaymentOf(o, &rec)
	})
}

// toldAt is when it was first told that a payment was paid, else when the payment came.
func toldAt(r *record.Payment) affiliate.Instant {
	if r.ToldAt.IsZero() {
		return r.CreatedAt
	}
	return r.ToldAt
}

// ProviderPayments implements tributary.Payments.ProviderPayments.
func ProviderPayments(ctx context.Context, p *engine.Program, q affiliate.ProviderPaymentQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.ProviderPayment], err error) {
	defer p.Begin(&ctx, "ProviderPayments", engine.Reads).End(&err)
	if err := refusal.First(CheckProvider(q.Provider)); err != nil {
		return affiliate.List[affiliate.ProviderPayment]{}, err
	}
	l, err := p.Listing(pg, "provider payments", q)
	if err != nil {
		return affiliate.List[affiliate.ProviderPayment]{}, err
	}
	var c engine.Choice[record.Payment]
	c.Fits = append(c.Fits, func(r *record.Payment) bool {
		at := toldAt(r).Time()
		return r.Provider == q.Provider && !at.Before(q.From) && (q.To.IsZero() || at.Before(q.To))
	})
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.ProviderPayment], error) {
		return engine.Chosen(o.Tx.Payments, c, l, func(r record.Payment) (affiliate.ProviderPayment, error) { return PaymentOf(o, &r) })
	})
}

// PaymentOf returns a payment as it is answered.
func PaymentOf(o *engine.Op, rec *record.Payment) (affiliate.ProviderPayment, error) {
	out := affiliate.ProviderPayment{
		ID: rec.ID, Provider: rec.Provider, PayerID: rec.PayerID, Keys: []string{},
		SaleID: affiliate.Null[affiliate.SaleID](), Gross: refusal.NothingOrNull(rec.Gross),
		Currency: cmp.Or(rec.Counted, o.Cfg.Currency), Refunds: []affiliate.RefundFact{},
		Disputes: []affiliate.DisputeFact{}, Refunded: affiliate.Null[affiliate.Amount](),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()), Waits: affiliate.SaleOutcome(rec.Left),
		ToldAt: affiliate.TimeOf(toldAt(rec).Time()),
	}
	if len(rec.Waiting) > 0 && rec.Sale == uuid.Nil && rec.Conflict != uuid.Nil {
		out.Waits = affiliate.SaleConflict
	}
	err := engine.Each(o.Tx.PaymentKeys, record.Key{Index: record.OfPayment, ID: rec.ID}, func(key record.PaymentKey) error {
		out.Keys = append(out.Keys, key.Key)
		return nil
	})
	if err != nil {
		return out, refusal.Internal("read keys of a payment", err)
	}
	slices.Sort(out.Keys)
	for _, f := range rec.Refunds {
		out.Refunds = append(out.Refunds,
			affiliate.RefundFact{ID: f.ID, Amount: f.Amount, Tax: refusal.NothingOrNull(f.Tax),
				Shipping: refusal.NothingOrNull(f.Shipping), State: f.State})
	}
	for _, f := range rec.Disputes {
		out.Disputes = append(out.Disputes,
			affiliate.DisputeFact{ID: f.ID, Amount: f.Amount, State: f.State, Warning: f.Warning})
	}
	slices.SortFunc(out.Refunds, func(a, b affiliate.RefundFact) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(out.Disputes, func(a, b affiliate.DisputeFact) int { return cmp.Compare(a.ID, b.ID) })
	if !rec.Refunded.IsZero() || !rec.Late.IsZero() {
		out.Refunded = affiliate.Set(engine.Greater(rec.Refunded.Or(affiliate.Amount{}),
			rec.Late.Or(affiliate.Amount{})))
	}
	if rec.Sale != uuid.Nil {
		sale, err := o.Tx.Sales.Get(rec.Sale)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return out, refusal.Internal("sale of a payment", err)
		}
		out.SaleID = engine.OrNull(affiliate.SaleID(sale.Number))
	}
	out.Lost, err = engine.LostOf(rec)
	return out, err
}
