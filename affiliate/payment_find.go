package affiliate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// ProviderPayment returns what is known of the payment that has an id of a
// provider.
//
// Errors: [InvalidField] (provider, key); [ErrNotFound].
//
// Source: docs/payments.md.
func (p *Program) ProviderPayment(ctx context.Context, provider, key string) (_ ProviderPayment, err error) {
	defer p.begin(&ctx, "ProviderPayment", reads).end(&err)
	if err := first(checkProvider(provider), neededText("key", key)); err != nil {
		return ProviderPayment{}, err
	}
	return view(ctx, p, func(o *op) (ProviderPayment, error) {
		held, err := o.tx.PaymentKeys.Find(ofProvider(ByPayment, provider, key))
		if err != nil {
			return ProviderPayment{}, err
		}
		rec, err := o.tx.Payments.Get(held.PaymentID)
		if err != nil {
			return ProviderPayment{}, internal("payment of a key", err)
		}
		return o.paymentOf(&rec)
	})
}

// paymentOf is a payment as it is answered.
func (o *op) paymentOf(rec *PaymentRecord) (ProviderPayment, error) {
	out := ProviderPayment{
		ID: rec.ID, Provider: rec.Provider, PayerID: rec.PayerID, Keys: []string{}, SaleID: Null[SaleID](),
		Gross: nothingOrNull(rec.Gross), Currency: cmp.Or(rec.Counted, o.cfg.Currency), Refunds: []RefundFact{}, Disputes: []DisputeFact{}, Refunded: Null[Amount](),
		CreatedAt: TimeOf(rec.CreatedAt.Time()), UpdatedAt: TimeOf(rec.UpdatedAt.Time()),
	}
	err := each(o.tx.PaymentKeys, Key{Index: OfPayment, ID: rec.ID}, func(key PaymentKeyRecord) error {
		out.Keys = append(out.Keys, key.Key)
		return nil
	})
	if err != nil {
		return out, internal("read keys of a payment", err)
	}
	slices.Sort(out.Keys)
	for _, f := range rec.Refunds {
		out.Refunds = append(out.Refunds, RefundFact{ID: f.ID, Amount: f.Amount, Tax: nothingOrNull(f.Tax), Shipping: nothingOrNull(f.Shipping), State: f.State})
	}
	for _, f := range rec.Disputes {
		out.Disputes = append(out.Disputes, DisputeFact{ID: f.ID, Amount: f.Amount, State: f.State, Warning: f.Warning})
	}
	slices.SortFunc(out.Refunds, func(a, b RefundFact) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(out.Disputes, func(a, b DisputeFact) int { return cmp.Compare(a.ID, b.ID) })
	if !rec.Refunded.IsZero() || !rec.Late.IsZero() {
		out.Refunded = Set(greater(rec.Refunded.Or(Amount{}), rec.Late.Or(Amount{})))
	}
	if rec.Sale != uuid.Nil {
		sale, err := o.tx.Sales.Get(rec.Sale)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return out, internal("sale of a payment", err)
		}
		out.SaleID = orNull(SaleID(sale.Number))
	}
	out.Lost, err = rec.lost()
	return out, err
}
