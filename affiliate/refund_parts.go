package affiliate

import (
	"math/big"

	"github.com/tributary-go/tributary/internal/decimal"
)

// What refunds say of their tax and shipping. A refund that says nothing takes as
// large a part of the base as of the total. One that does takes its tax and its
// shipping off what is deducted, and the rest off the base: a refund of the tax alone
// leaves the commission as it is.
//
// Source: docs/money.md 2.

// record is a refund as it is stored, with both parts when it says one.
func (in *Refund) record(amount Amount, now Instant) RefundRecord {
	f := RefundRecord{ID: in.RefundID, Amount: amount, At: now}
	if !in.Tax.IsZero() || !in.Shipping.IsZero() {
		f.Tax, f.Shipping = Set(in.Tax.Or(Amount{})), Set(in.Shipping.Or(Amount{}))
	}
	return f
}

// named reports whether the fact says what of the refund is tax and shipping.
func (f *PaymentRefund) named() bool { return !f.Tax.IsZero() || !f.Shipping.IsZero() }

// refundParts are sums over the refunds that say what is in them.
type refundParts struct{ of, tax, shipping Amount }

// plus adds a refund, if it says what is in it.
func (s refundParts) plus(amount Amount, tax, shipping Opt[Amount]) (refundParts, error) {
	if tax.IsZero() && shipping.IsZero() {
		return s, nil
	}
	var err error
	for _, part := range []struct {
		sum *Amount
		add Amount
	}{{&s.of, amount}, {&s.tax, tax.Or(Amount{})}, {&s.shipping, shipping.Or(Amount{})}} {
		if err == nil {
			*part.sum, err = part.sum.Add(part.add)
		}
	}
	return s, err
}

// refundParts adds up the refunds of a sale that say what is in them.
func (r *SaleRecord) refundParts() (sum refundParts, err error) {
	for i := range r.Refunds {
		if f := &r.Refunds[i]; err == nil {
			sum, err = sum.plus(f.Amount, f.Tax, f.Shipping)
		}
	}
	return sum, err
}

// corrections are the refunds that change the sum of a sale, and what is named of it, to
// what its facts say; none: it is there. What came back is below zero, and comes last.
func (s refundParts) corrections(sale *SaleRecord, change Amount) (refunds []RefundRecord, err error) {
	has, err := sale.refundParts()
	if err != nil {
		return nil, err
	}
	if more := s.of.Scaled() - has.of.Scaled(); more != 0 {
		refunds = append(refunds, RefundRecord{
			Amount: AmountFromScaled(more), Tax: Set(AmountFromScaled(s.tax.Scaled() - has.tax.Scaled())), Shipping: Set(AmountFromScaled(s.shipping.Scaled() - has.shipping.Scaled())),
		})
		change = AmountFromScaled(change.Scaled() - more)
	}
	if change.Scaled() != 0 {
		refunds = append(refunds, RefundRecord{Amount: change})
	}
	if len(refunds) == 2 && refunds[0].Amount.Sign() < 0 {
		refunds[0], refunds[1] = refunds[1], refunds[0]
	}
	return refunds, nil
}

// parts are the refunds before a commission was set by hand.
func (h *HandSet) parts() refundParts { return refundParts{h.Named, h.Tax, h.Shipping} }

// keptBase is how much of the base of a sale is left, exactly, when this much of its
// total is kept and these refunds said what is in them. The rest of what was refunded
// takes the same part of what the named refunds left.
func (p *Program) keptBase(r *SaleRecord, base, kept Amount, named refundParts) *big.Rat {
	left, whole := base.Scaled(), r.TotalEarned.Scaled()
	if named != (refundParts{}) {
		tax, shipping := p.deducted(r)
		left -= named.of.Scaled() - min(named.tax.Scaled(), tax.Scaled()) - min(named.shipping.Scaled(), shipping.Scaled())
		whole -= named.of.Scaled()
		if left <= 0 || whole <= 0 || kept.Scaled() <= 0 {
			return new(big.Rat)
		}
	}
	rest := scaledRat(left)
	return rest.Mul(rest, big.NewRat(min(kept.Scaled(), whole), whole))
}

// earnedByParts is what a sale earns when refunds say what is in them, and false when
// none does.
func (p *Program) earnedByParts(r *SaleRecord) (Amount, bool, error) {
	named, err := r.refundParts()
	hand, _ := r.ByHand.Get()
	if err != nil || named == (refundParts{}) && hand.parts() == (refundParts{}) {
		return Amount{}, false, err
	}
	scaled := rounded(p.exact(r), p.cfg.Currency)
	scaled.Mul(scaled, big.NewRat(decimal.Scale, 1))
	if n := scaled.Num(); !n.IsInt64() {
		return Amount{}, true, ErrAmountRange
	}
	return AmountFromScaled(scaled.Num().Int64()), true, nil
}

// rounded is an amount rounded half away from zero to the digits of a currency.
func rounded(exact *big.Rat, c Currency) *big.Rat {
	unit := big.NewRat(c.Unit().Scaled(), decimal.Scale)
	units := new(big.Rat).Quo(exact, unit)
	half := big.NewRat(int64(units.Sign()), 2)
	units.Add(units, half)
	whole := new(big.Int).Quo(units.Num(), units.Denom()) // towards zero
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}
