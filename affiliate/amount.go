package affiliate

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/tributary-go/tributary/internal/decimal"
)

// Errors of ParseAmount, ParsePercent and of the arithmetic on amounts. They do
// not contain the input, because it may be long.
var (
	// ErrAmountSyntax means that a text is not a number as ParseAmount reads
	// it. In JSON a number in quotes is not a number.
	ErrAmountSyntax = decimal.ErrSyntax

	// ErrAmountDecimals means that a number has more than four decimals, not
	// counting trailing zeros.
	ErrAmountDecimals = decimal.ErrDecimals

	// ErrAmountRange means that a number, or the result of a calculation, does
	// not fit into an Amount.
	ErrAmountRange = decimal.ErrRange
)

const (
	amountDigits   = decimal.Digits // decimals of an Amount and of a Percent
	amountScale    = decimal.Scale  // 10^amountDigits
	hundredPercent = 100 * amountScale
)

// Amount is an exact sum of money in major units of a currency, which is the program's unless
// the field says otherwise: 12.5 is twelve and a half dollars. It counts ten-thousandths, from
// -922337203685477.5807 to 922337203685477.5807; the zero value is 0. It is a
// struct so that + and * on amounts do not compile. Add, Sub, Round, Portion
// and Percent.Of check for overflow and return ErrAmountRange.
//
// In JSON it is a number without exponent and without trailing zeros, and it is
// printed in the same form: 12.00 is "12". Format writes it as people do.
//
// Source: docs/rules.md 1.1.
type Amount struct{ n int64 }

// ParseAmount reads a number in the syntax of JSON: digits, and optionally a
// minus sign, a decimal point and an exponent. White space, a plus sign, a
// decimal comma, thousands separators and currency signs are refused. Only the
// value matters: 12.50000 is 12.5, 1e2 is 100 and -0 is 0. The time is
// proportional to the length of s, also with a large exponent.
//
// Errors, in this order: ErrAmountSyntax, ErrAmountDecimals, ErrAmountRange.
func ParseAmount(s string) (Amount, error) {
	n, err := decimal.Parse(s)
	return Amount{n}, err
}

// MustAmount is ParseAmount for constants and tests. It panics when s is not an
// amount.
func MustAmount(s string) Amount {
	a, err := ParseAmount(s)
	if err != nil {
		panic(fmt.Sprintf("MustAmount(%.40q): %v", s, err))
	}
	return a
}

// AmountFromScaled returns n ten-thousandths of a major unit: 125000 is 12.5.
// Scaled is its inverse. math.MinInt64, the one int64 outside the range of an
// Amount, becomes the lowest amount.
func AmountFromScaled(n int64) Amount {
	return Amount{max(n, -math.MaxInt64)}
}

// AmountFromMinor returns n minor units of a currency, such as a database holds them: 1999 is 19.99 in
// USD, 1999 in JPY and 1.999 in KWD. See [Currency.Digits]; what providers count is theirs to say.
//
// Errors: [ErrAmountRange].
func AmountFromMinor(n int64, c Currency) (Amount, error) {
	step := c.step()
	if n > math.MaxInt64/step || n < -math.MaxInt64/step {
		return Amount{}, ErrAmountRange
	}
	return Amount{n * step}, nil
}

// Scaled returns the amount as a count of ten-thousandths.
func (a Amount) Scaled() int64 { return a.n }

// Add returns a + b, or ErrAmountRange.
func (a Amount) Add(b Amount) (Amount, error) {
	if b.n > 0 && a.n > math.MaxInt64-b.n || b.n < 0 && a.n < -math.MaxInt64-b.n {
		return Amount{}, ErrAmountRange
	}
	return Amount{a.n + b.n}, nil
}

// Sub returns a - b, or ErrAmountRange.
func (a Amount) Sub(b Amount) (Amount, error) {
	return a.Add(Amount{-b.n})
}

// Neg returns -a. It cannot overflow: the range of an Amount is symmetric.
func (a Amount) Neg() Amount { return Amount{-a.n} }

// Round returns a rounded half away from zero to the minor digits of c: 10.005
// is 10.01 in USD and 10 in JPY. It returns ErrAmountRange when the rounded
// value does not fit.
//
// Source: docs/rules.md 1.3.
func (a Amount) Round(c Currency) (Amount, error) {
	n, err := decimal.Mul(a.n, decimal.Ratio{Num: 1, Den: 1}, c.step())
	return Amount{n}, err
}

// Portion returns a × part ÷ whole, rounded once, half away from zero, to the
// minor digits of c. It gives the commission that remains when a part of a sale
// remains. It returns ErrAmountRange when the result does not fit, and when
// whole is zero.
func (a Amount) Portion(part, whole Amount, c Currency) (Amount, error) {
	n, err := decimal.Mul(a.n, decimal.Ratio{Num: part.n, Den: whole.n}, c.step())
	return Amount{n}, err
}

// Cmp returns -1 when a is less than b, 0 when they are equal and 1 when a is
// greater.
func (a Amount) Cmp(b Amount) int { return cmp.Compare(a.n, b.n) }

// Equal reports whether a and b are the same amount.
func (a Amount) Equal(b Amount) bool { return a == b }

// Sign returns -1, 0 or 1 for an amount below, equal to or above zero.
func (a Amount) Sign() int { return cmp.Compare(a.n, 0) }

// IsZero reports whether the amount is 0.
func (a Amount) IsZero() bool { return a.n == 0 }

// String returns the amount as it stands in JSON: "40", "12.5", "-0.0001".
func (a Amount) String() string { return string(a.AppendJSON(nil)) }

// Format returns the amount with the minor digits of c: "12.00" in USD, "12" in
// JPY, "12.000" in KWD. It does not round: an amount with more decimals shows
// them all. Currency sign and thousands separators depend on the reader's
// language, so the caller adds them.
func (a Amount) Format(c Currency) string {
	text := a.String()
	_, decimals, found := strings.Cut(text, ".")
	missing := c.Digits() - len(decimals)
	if missing <= 0 {
		return text
	}
	if !found {
		text += "."
	}
	return text + strings.Repeat("0", missing)
}

// AppendJSON appends the amount as a JSON number to dst and returns the
// extended slice.
func (a Amount) AppendJSON(dst []byte) []byte { return decimal.Append(dst, a.n) }

// MarshalJSON writes the amount as a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil), nil }

// UnmarshalJSON reads a JSON number as ParseAmount does, with one exception:
// decimals after the fourth are not an error but are rounded half away from
// zero. It is for answers and events of services that compute in floating
// point, where 86.34 is 86.33999999999999; input of callers is read with
// ParseAmount. As encoding/json requires, null changes nothing; a field in
// which null has a meaning is an Opt[Amount].
//
// Errors: ErrAmountSyntax, ErrAmountRange.
func (a *Amount) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	n, err := decimal.ParseRounded(string(data))
	if err != nil {
		return err
	}
	a.n = n
	return nil
}

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
