package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A free order is a sale with a total of 0, because its code takes off the whole
// basket. It is an order, and redeems the code, but it is no payment. Source:
// docs/money.md 13.

// freeOrder reports whether a sale of nothing has all that a free order needs. Its hold may say the code and the
// basket.
func freeOrder(in *affiliate.NewSale) bool {
	basket, said := in.Subtotal.Get()
	held := in.HoldID != ""
	return in.Free && (in.PromoCode != "" || in.Offer || held) && (basket.Sign() > 0 || held && !said) && in.Tax.IsZero() && in.Shipping.IsZero()
}

// checkTotal checks what was earned by a new sale.
func (p *Program) checkTotal(in *affiliate.NewSale) *affiliate.Error {
	if in.TotalEarned.Sign() < 0 {
		return refusal.TotalNotPositive.Err()
	}
	free := p.Cfg.FreeOrders && freeOrder(in)
	return refusal.TotalRequired.When(in.TotalEarned.Sign() == 0 && !free)
}

// settleFree applies an update to a free order. With a total it becomes an
// ordinary sale; without one it earns nothing and keeps its basket.
func settleFree(r *record.Sale, up affiliate.SaleUpdate) error {
	if !r.Free {
		return nil
	}
	if r.TotalEarned.Sign() > 0 {
		r.Free = false
		return nil
	}
	return refusal.First(
		refusal.FieldNull.About("subtotal").When(up.Subtotal.IsNull()),
		refusal.TotalRequired.When(up.CommissionEarned.Or(affiliate.Amount{}).Sign() > 0),
	)
}

// rewardPaid adds the commission of a free order that was paid after all, by the
// rate with which it was recorded, unless a limit of the terms ends payments for
// its customer.
func (o *Op) rewardPaid(rec *record.Sale) error {
	d, err := o.notePayment(rec)
	if err != nil || !rec.Why.Over.Is("") {
		return err
	}
	DecideLines(rec, &d.Terms, rec.Why.RateFrom.Value(), stageOf(rec))
	if err := o.limit(rec, &d.Terms, affiliate.Amount{}); err != nil {
		return err
	}
	return o.reward(rec, d)
}

// notePayment stores, in a free order that is paid, its number among its
// customer's payments, and whether that exceeds the limits of its terms.
func (o *Op) notePayment(rec *record.Sale) (deal, error) {
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return d, err
	}
	rec.Why.Over = affiliate.Enum[affiliate.OverLimit]{}
	if ref.ID != uuid.Nil {
		s, err := o.stage(&d.Terms, &ref, PaidOf(rec))
		if err != nil {
			return d, err
		}
		if err := o.notFirst(&s, &Customer{Referral: ref}); err != nil {
			return d, err
		}
		s.note(&rec.Why)
		if !rec.RateFixed {
			rec.Why.Over = affiliate.EnumOf(OverTerms(&d.Terms, s))
		}
		totals, err := o.Totals(ref.ID)
		if err != nil {
			return d, err
		}
		rec.Why.Payment = payments(&totals) + 1
	}
	return d, nil
}
