package affiliate

import (
	"cmp"
	"fmt"

	"github.com/tributary-go/tributary/internal/decimal"
)

// Percent is an exact rate in per cent: 12.5 is twelve and a half per cent. Its
// representation, range and JSON are those of an Amount; the zero value is 0 %.
// Which rates are allowed is a rule of the field that holds it. Under a FLAT
// plan the same number is an amount of money: Percent.Amount.
//
// Source: docs/rules.md 1.2.
type Percent struct{ n int64 }

// ParsePercent reads a number as ParseAmount does, with the same errors. A per
// cent sign is refused.
func ParsePercent(s string) (Percent, error) {
	n, err := decimal.Parse(s)
	return Percent{n}, err
}

// MustPercent is ParsePercent for constants and tests. It panics when s is not
// a percentage.
func MustPercent(s string) Percent {
	p, err := ParsePercent(s)
	if err != nil {
		panic(fmt.Sprintf("MustPercent(%.40q): %v", s, err))
	}
	return p
}

// PercentFromScaled returns n ten-thousandths of a per cent: 125000 is 12.5 %.
// Scaled is its inverse, except for math.MinInt64 as in AmountFromScaled.
func PercentFromScaled(n int64) Percent {
	return Percent(AmountFromScaled(n))
}

// Scaled returns the rate as a count of ten-thousandths of a per cent.
func (p Percent) Scaled() int64 { return p.n }

// Of returns p per cent of a, rounded once, half away from zero, to the minor
// digits of c: 20 % of 199.99 USD is 40. It returns ErrAmountRange when the
// result does not fit.
//
// Source: docs/rules.md 1.3.
func (p Percent) Of(a Amount, c Currency) (Amount, error) {
	n, err := decimal.Mul(a.n, p.ratio(), c.step())
	return Amount{n}, err
}

// OfPortion returns p per cent of a × part ÷ whole, rounded once, as in Of:
// rounding the portion first could push a result from just below a half over
// it. No argument may be negative, and part is at most whole.
func (p Percent) OfPortion(a, part, whole Amount, c Currency) (Amount, error) {
	n, err := decimal.MulTwice(a.n, decimal.Ratio{Num: part.n, Den: whole.n}, p.ratio(), c.step())
	return Amount{n}, err
}

// ratio returns the rate as a part of one.
func (p Percent) ratio() decimal.Ratio { return decimal.Ratio{Num: p.n, Den: hundredPercent} }

// Amount returns a FLAT rate as an amount of money: a rate of 5 pays 5 per
// sale.
func (p Percent) Amount() Amount { return Amount(p) }

// Cmp returns -1 when p is less than q, 0 when they are equal and 1 when p is
// greater.
func (p Percent) Cmp(q Percent) int { return cmp.Compare(p.n, q.n) }

// Equal reports whether p and q are the same rate.
func (p Percent) Equal(q Percent) bool { return p == q }

// Sign returns -1, 0 or 1 for a rate below, equal to or above zero.
func (p Percent) Sign() int { return cmp.Compare(p.n, 0) }

// IsZero reports whether the rate is 0 %.
func (p Percent) IsZero() bool { return p.n == 0 }

// String returns the rate as it stands in JSON, without a per cent sign:
// "12.5".
func (p Percent) String() string { return string(p.AppendJSON(nil)) }

// AppendJSON appends the rate as a JSON number to dst and returns the extended
// slice.
func (p Percent) AppendJSON(dst []byte) []byte { return decimal.Append(dst, p.n) }

// MarshalJSON writes the rate as a JSON number.
func (p Percent) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON reads a JSON number like that of an Amount: it rounds decimals
// beyond the fourth and has the same errors; null changes nothing.
func (p *Percent) UnmarshalJSON(data []byte) error {
	return (*Amount)(p).UnmarshalJSON(data)
}
