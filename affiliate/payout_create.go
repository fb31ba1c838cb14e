package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// CreatePayout collects all payable commissions of an affiliate: the accepted
// commissions of its sales until NewPayout.Until that are in no payout.
//
// Errors: [AffiliateNotFound], [InvalidField], [NothingPayable].
//
// Effects: the payout; payoutCreated and payoutId of the commissions, for good;
// sale.updated for each sale.
//
// Source: docs/rules.md 5.6.
func (p *Program) CreatePayout(ctx context.Context, in NewPayout) (Payout, error) {
	o := p.op(ctx)
	rq := request{name: "payout.create", input: in, refused: first(optional("externalId", in.ExternalID, maxName))}
	return write(o, rq, func() (Payout, error) {
		aff, err := o.tx.Affiliates.Get(in.AffiliateID)
		if err != nil {
			return Payout{}, affiliateNotFound.ifMissing(err)
		}
		until := o.now
		if !in.Until.IsZero() {
			until = InstantOf(in.Until)
		}
		sales, err := o.payable(aff.ID, until)
		if err != nil {
			return Payout{}, err
		}
		if len(sales) == 0 {
			return Payout{}, nothingPayable.Err()
		}
		rec := PayoutRecord{
			ID: o.newID(), AffiliateID: aff.ID, Status: PayoutPending, PaymentMethod: aff.PaymentMethod,
			PeriodStart: sales[0].CreatedAt, PeriodEnd: sales[len(sales)-1].CreatedAt, ExternalID: in.ExternalID,
			ManuallyPaid: in.ManuallyPaid, CreatedAt: o.now, UpdatedAt: o.now,
		}
		if in.ManuallyPaid {
			rec.Status, rec.PaidAt = PayoutPaid, o.now
		}
		return o.fillPayout(rec, sales)
	})
}

// payable lists the sales of an affiliate that a payout may take, oldest first.
func (o *op) payable(affiliate uuid.UUID, until Instant) ([]SaleRecord, error) {
	sales, err := gather(o.tx.Sales, Query{Key: Key{Index: OfPayable, ID: affiliate}})
	if err != nil {
		return nil, err
	}
	sales = slices.DeleteFunc(sales, func(r SaleRecord) bool { return r.CreatedAt.After(until) })
	slices.SortStableFunc(sales, func(a, b SaleRecord) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return sales, nil
}

// fillPayout puts the accepted commissions of sales into a payout and stores
// it.
func (o *op) fillPayout(rec PayoutRecord, sales []SaleRecord) (Payout, error) {
	taken := make([]SaleRecord, len(sales))
	for i, sale := range sales {
		taken[i] = sale.Clone()
		for j := range taken[i].Commissions {
			c := &taken[i].Commissions[j]
			if !c.payable() {
				continue
			}
			c.PayoutID, c.ManuallyPaid, c.UpdatedAt = rec.ID, rec.ManuallyPaid, later(o.now, c.UpdatedAt)
			rec.Commissions = append(rec.Commissions, c.Number)
			var err error
			if rec.Amount, err = rec.Amount.Add(c.Earned); err != nil {
				return Payout{}, tooLargeFor("amount", err)
			}
		}
	}
	if err := o.tx.Payouts.Insert(rec); err != nil {
		return Payout{}, internal("write payout", err)
	}
	for i := range sales {
		if _, err := o.saveSale(sales[i], taken[i]); err != nil {
			return Payout{}, err
		}
	}
	return payoutOf(rec), nil
}
