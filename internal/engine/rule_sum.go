package engine

import (
	"math/bits"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
)

// earnedWhole returns the rounded commission of the lines of a sale of which nothing was refunded.
// Most sales are such when they are recorded, and whole numbers are enough for them. It
// returns false where they are not: then the fractions decide.
func (p *Program) earnedWhole(r *record.Sale) (affiliate.Amount, bool) {
	if len(r.Charged) > 0 || len(r.Refunds) > 0 || !r.Refunded.IsZero() || !r.ByHand.IsZero() || len(r.Lines) == 0 {
		return affiliate.Amount{}, false
	}
	base, err := p.Base(r)
	if err != nil {
		return affiliate.Amount{}, false
	}
	var sum wideSum // in parts of a percentage of 1/10,000
	rate, _ := r.Rate.Get()
	for i, b := range lineBases(r, base) {
		l, pay := &r.Lines[i], r.Lines[i].Pay
		if l.Rule == "" {
			pay = payOfRate(r, rate)
		}
		switch pay.Type {
		case affiliate.RulePercentage:
			sum.addProduct(b, pay.Rate.Scaled(), 1)
		case affiliate.RuleFlat: // once for all its lines
			if !slices.ContainsFunc(r.Lines[:i], func(q affiliate.StoredLine) bool { return q.Rule == l.Rule }) {
				sum.addProduct(pay.Rate.Scaled(), percentParts, 1)
			}
		case affiliate.RuleUnit:
			sum.addProduct(pay.Rate.Scaled(), l.Quantity.Scaled(), percentParts/decimal.Scale)
		}
	}
	return sum.rounded(p.Cfg.Currency)
}

// percentParts is the number of units of a stored percentage in a whole.
const percentParts = 100 * decimal.Scale

// payOfRate returns what the rate of a sale pays for the lines that no rule decides.
func payOfRate(r *record.Sale, rate affiliate.Percent) affiliate.RulePay {
	if r.RateType.Is(affiliate.CommissionFlat) {
		return affiliate.RulePay{Type: affiliate.RuleFlat, Rate: rate}
	}
	return affiliate.RulePay{Type: affiliate.RulePercentage, Rate: rate}
}

// A wideSum is a sum of 128 bits, which is not negative.
type wideSum struct {
	hi, lo uint64
	over   bool // it does not fit
}

// addProduct adds the product of three numbers; times is small.
func (w *wideSum) addProduct(a, b, times int64) {
	if a < 0 || b < 0 {
		w.over = true
		return
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	more, lo := bits.Mul64(lo, uint64(times))
	top, hi := bits.Mul64(hi, uint64(times))
	hi, carry := bits.Add64(hi, more, 0)
	w.over = w.over || top > 0 || carry > 0
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi, carry = bits.Add64(w.hi, hi, carry)
	w.over = w.over || carry > 0
}

// rounded returns the sum in units of a currency, rounded half away from zero.
func (w *wideSum) rounded(c affiliate.Currency) (affiliate.Amount, bool) {
	unit := uint64(c.Unit().Scaled())
	whole := percentParts * unit // of the sum that is one unit
	if w.over || w.hi >= whole {
		return affiliate.Amount{}, false
	}
	units, rest := bits.Div64(w.hi, w.lo, whole)
	if rest >= whole-rest {
		units++
	}
	hi, scaled := bits.Mul64(units, unit)
	if hi > 0 || scaled > 1<<63-1 {
		return affiliate.Amount{}, false
	}
	return affiliate.AmountFromScaled(int64(scaled)), true
}
