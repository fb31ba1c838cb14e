package engine

import (
	"math/big"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
)

// Refunds that name their tax and shipping. A refund that names neither takes the same
// share of the base as of the total. One that does takes its tax and shipping off the
// deductions, and the rest off the base: a refund of the tax alone leaves the commission
// as it is.
//
// Source: docs/money.md 2.

// refundRecord returns a refund in its stored form, with both parts when it names one.
func refundRecord(in *affiliate.Refund, amount affiliate.Amount, now affiliate.Instant) record.Refund {
	f := record.Refund{ID: in.RefundID, Amount: amount, At: now}
	if !in.Tax.IsZero() || !in.Shipping.IsZero() || len(in.Lines) > 0 {
		f.Tax, f.Shipping = affiliate.Set(in.Tax.Or(affiliate.Amount{})),
			affiliate.Set(in.Shipping.Or(affiliate.Amount{}))
	}
	return f
}

// named reports whether the fact says what of the refund is tax and shipping.
func named(f *affiliate.PaymentRefund) bool { return !f.Tax.IsZero() || !f.Shipping.IsZero() }

// refundParts are sums over the refunds that name their parts.
type refundParts struct{ Of, Tax, Shipping affiliate.Amount }

// plus adds a refund, if it says what is in it.
func (s refundParts) plus(amount affiliate.Amount, tax, shipping affiliate.Opt[affiliate.Amount]) (refundParts, error) {
	if tax.IsZero() && shipping.IsZero() {
		return s, nil
	}
	var err error
	for _, part := range []struct {
		sum *affiliate.Amount
		add affiliate.Amount
	}{{&s.Of, amount}, {&s.Tax, tax.Or(affiliate.Amount{})}, {&s.Shipping, shipping.Or(affiliate.Amount{})}} {
		if err == nil {
			*part.sum, err = part.sum.Add(part.add)
		}
	}
	return s, err
}

// RefundPartsOf adds up the refunds of a sale that say what is in them.
func RefundPartsOf(r *record.Sale) (sum refundParts, err error) {
	for i := range r.Refunds {
		if f := &r.Refunds[i]; err == nil {
			sum, err = sum.plus(f.Amount, f.Tax, f.Shipping)
		}
	}
	return sum, err
}

// corrections returns the refunds that bring the refunded sum of a sale, and its named
// parts, to what the facts say; empty when they agree. A refund for returned money is
// negative, and comes last.
func (s refundParts) corrections(sale *record.Sale, change affiliate.Amount) (refunds []record.Refund, err error) {
	has, err := RefundPartsOf(sale)
	if err != nil {
		return nil, err
	}
	if more := s.Of.Scaled() - has.Of.Scaled(); more != 0 {
		refunds = append(refunds, record.Refund{
			Amount:   affiliate.AmountFromScaled(more),
			Tax:      affiliate.Set(affiliate.AmountFromScaled(s.Tax.Scaled() - has.Tax.Scaled())),
			Shipping: affiliate.Set(affiliate.AmountFromScaled(s.Shipping.Scaled() - has.Shipping.Scaled())),
		})
		change = affiliate.AmountFromScaled(change.Scaled() - more)
	}
	if change.Scaled() != 0 {
		refunds = append(refunds, record.Refund{Amount: change})
	}
	if len(refunds) == 2 && refunds[0].Amount.Sign() < 0 {
		refunds[0], refunds[1] = refunds[1], refunds[0]
	}
	return refunds, nil
}

// parts returns the named refunds from before a commission was set by hand.
func parts(h *record.HandSet) refundParts { return refundParts{h.Named, h.Tax, h.Shipping} }

// keptBase returns exactly how much of the base of a sale is left, when this much of its
// total is kept and these refunds named their parts. All other refunds take the same share
// of what the named refunds left.
func (p *Program) keptBase(r *record.Sale, base, kept affiliate.Amount, named refundParts) *big.Rat {
	left, whole := base.Scaled(), r.TotalEarned.Scaled()
	if named != (refundParts{}) {
		tax, shipping := p.Deducted(r)
		left -= named.Of.Scaled() - min(named.Tax.Scaled(), tax.Scaled()) - min(named.Shipping.Scaled(), shipping.Scaled())
		whole -= named.Of.Scaled()
		if left <= 0 || whole <= 0 || kept.Scaled() <= 0 {
			return new(big.Rat)
		}
	}
	rest := scaledRat(left)
	return rest.Mul(rest, big.NewRat(min(kept.Scaled(), whole), whole))
}

// earnedExactly returns what a sale earns when refunds named their parts, rules decide
// about its lines, it is a conversion or was charged in another currency, and false when none
// is so.
func (p *Program) earnedExactly(r *record.Sale) (affiliate.Amount, bool, error) {
	named, err := RefundPartsOf(r)
	hand, _ := r.ByHand.Get()
	if err != nil || named == (refundParts{}) && parts(&hand) == (refundParts{}) && !Ruled(r) &&
		r.Conversion == "" && len(r.Charged) == 0 {
		return affiliate.Amount{}, false, err
	}
	if earned, ok := p.earnedWhole(r); ok {
		return earned, true, nil
	}
	scaled := rounded(p.exact(r), p.Cfg.Currency)
	scaled.Mul(scaled, big.NewRat(decimal.Scale, 1))
	if n := scaled.Num(); !n.IsInt64() {
		return affiliate.Amount{}, true, affiliate.ErrAmountRange
	}
	return affiliate.AmountFromScaled(scaled.Num().Int64()), true, nil
}

// rounded returns an amount rounded half away from zero to the digits of a currency.
func rounded(exact *big.Rat, c affiliate.Currency) *big.Rat {
	unit := big.NewRat(c.Unit().Scaled(), decimal.Scale)
	units := new(big.Rat).Quo(exact, unit)
	half := big.NewRat(int64(units.Sign()), 2)
	units.Add(units, half)
	whole := new(big.Int).Quo(units.Num(), units.Denom()) // towards zero
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}

// Exact returns what a sale earns before rounding: the rate on the base, or the amount of
// a flat rate or of one that was set by hand, times the kept part; with rules, what they
// pay for the lines.
func (p *Program) Exact(r *record.Sale) *big.Rat {
	if len(r.Commissions) == 0 {
		return new(big.Rat)
	}
	return p.exact(AsCharged(r))
}

// exact is Exact also for a sale that has no entry yet.
func (p *Program) exact(r *record.Sale) *big.Rat {
	if r.Conversion != "" {
		if hand, ok := r.ByHand.Get(); ok {
			part := p.keptPart(r)
			return part.Mul(part, scaledRat(hand.Earned.Scaled()))
		}
		return p.exactOfLines(r)
	}
	kept, err := KeptOf(r)
	named, unknown := RefundPartsOf(r)
	if err != nil || unknown != nil || kept.Sign() <= 0 {
		return new(big.Rat)
	}
	base, err := p.Base(r)
	if err != nil || r.TotalEarned.Sign() <= 0 {
		return new(big.Rat)
	}
	rate, _ := r.Rate.Get()
	hand, byHand := r.ByHand.Get()
	left, whole, earned := p.keptBase(r, base, kept, named),
		p.keptBase(r, base, r.TotalEarned, refundParts{}), scaledRat(rate.Scaled())
	switch {
	case byHand:
		earned, whole = scaledRat(hand.Earned.Scaled()), p.keptBase(r, base, hand.Kept, parts(&hand))
		if whole.Sign() == 0 {
			left, whole = scaledRat(kept.Scaled()), scaledRat(hand.Kept.Scaled())
		}
	case Ruled(r):
		return p.exactOfLines(r)
	case r.RateType.Is(affiliate.CommissionFlat) && base.Sign() <= 0:
		left, whole = scaledRat(kept.Scaled()), scaledRat(r.TotalEarned.Scaled())
	case !r.RateType.Is(affiliate.CommissionFlat):
		return worth(r, left.Mul(left, big.NewRat(rate.Scaled(), 100*decimal.Scale)))
	}
	if whole.Sign() == 0 {
		return new(big.Rat)
	}
	return earned.Mul(earned, left.Quo(left, whole))
}

// exactOfLines returns what the lines of a sale earn together.
func (p *Program) exactOfLines(r *record.Sale) *big.Rat {
	sum := new(big.Rat)
	if len(r.Lines) == 0 { // a conversion for which nothing is paid
		return sum
	}
	shares, err := p.lineShares(r)
	if err != nil {
		return sum
	}
	for i := range shares {
		sum.Add(sum, shares[i].Earns)
	}
	return sum
}

// worth turns a share of what was charged for a sale into the program's currency.
func worth(r *record.Sale, x *big.Rat) *big.Rat {
	if len(r.Charged) == 0 {
		return x
	}
	return x.Mul(x, big.NewRat(r.Charged[0].ExchangeRate.Scaled(), decimal.FineScale))
}

// scaledRat returns an amount as a fraction.
func scaledRat(scaled int64) *big.Rat { return big.NewRat(scaled, decimal.Scale) }
