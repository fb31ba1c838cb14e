package affiliate

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// Errors of ParseAmount, ParsePercent and of the arithmetic on amounts. They
// hold no input, which may be long.
var (
	// ErrAmountSyntax says that a text is not a JSON number. A number in quotes
	// is not one.
	ErrAmountSyntax = errors.New("affiliate: not a JSON number")

	// ErrAmountDecimals says that a number has more than four decimals,
	// trailing zeros not counted.
	ErrAmountDecimals = errors.New("affiliate: more than 4 decimal places")

	// ErrAmountRange says that a number, or the result of a calculation, has no
	// room in an Amount.
	ErrAmountRange = errors.New("affiliate: amount out of range")
)

const (
	amountDigits   = 4      // decimals of an Amount and of a Percent
	amountScale    = 10_000 // 10^amountDigits
	hundredPercent = 100 * amountScale
)

// Amount is an exact sum of money in major units of the program's currency:
// 12.5 is twelve and a half dollars. It counts ten-thousandths, from
// -922337203685477.5807 to 922337203685477.5807; the zero value is 0. It is a
// struct so that + and * on amounts do not compile: Add, Sub, Round, Portion
// and Percent.Of check for overflow and answer ErrAmountRange, never a wrapped
// number.
//
// In JSON it is a number without exponent and without trailing zeros.
//
// Source: rule 1, Amounts.
type Amount struct{ n int64 }

// ParseAmount reads the text of a JSON number. Its value counts, not its
// spelling: 12.50000 is 12.5, 1e2 is 100 and -0 is 0. The time it takes is
// proportional to the length of s, whatever the exponent.
//
// Errors, in this order: ErrAmountSyntax, ErrAmountDecimals, ErrAmountRange.
func ParseAmount(s string) (Amount, error) {
	n, err := parseScaled(s)
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

// Round returns a rounded half away from zero to the minor digits of c: 10.005
// is 10.01 in USD and 10 in JPY. It answers ErrAmountRange when the rounded
// value has no room.
//
// Source: rule 1, Rounding.
func (a Amount) Round(c Currency) (Amount, error) {
	n, err := mulDiv(a.n, 1, 1, c.step())
	return Amount{n}, err
}

// Portion returns a × part ÷ whole, rounded once, half away from zero, to the
// minor digits of c: what becomes of a commission when part of a sale remains.
// It answers ErrAmountRange when the result has no room, and when whole is
// zero.
func (a Amount) Portion(part, whole Amount, c Currency) (Amount, error) {
	n, err := mulDiv(a.n, part.n, whole.n, c.step())
	return Amount{n}, err
}

// Cmp returns -1 when a is less than b, 0 when they are equal and 1 when a is
// greater.
func (a Amount) Cmp(b Amount) int { return cmpScaled(a.n, b.n) }

// Equal reports whether a and b are the same amount.
func (a Amount) Equal(b Amount) bool { return a == b }

// Sign returns -1, 0 or 1 for an amount below, equal to or above zero.
func (a Amount) Sign() int { return cmpScaled(a.n, 0) }

// IsZero reports whether the amount is 0.
func (a Amount) IsZero() bool { return a.n == 0 }

// String returns the amount as it stands in JSON: "40", "12.5", "-0.0001".
func (a Amount) String() string { return string(a.AppendJSON(nil)) }

// AppendJSON appends the amount as a JSON number to dst and returns the
// extended slice.
func (a Amount) AppendJSON(dst []byte) []byte { return appendScaled(dst, a.n) }

// MarshalJSON writes the amount as a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil), nil }

// UnmarshalJSON reads a JSON number as ParseAmount does, with the same errors.
// As encoding/json asks of every type, null changes nothing; where null has a
// meaning the field is an Opt[Amount].
func (a *Amount) UnmarshalJSON(data []byte) error {
	return unmarshalScaled(data, &a.n)
}

// Percent is an exact rate in per cent: 12.5 is twelve and a half per cent. Its
// representation, range and JSON are those of an Amount; the zero value is 0 %.
// Which rates are allowed is a rule of the field that holds it. Under a FLAT
// plan the same number is an amount of money: Percent.Amount.
//
// Source: rule 1, Rates and percentages.
type Percent struct{ n int64 }

// ParsePercent reads the text of a JSON number as ParseAmount does, with the
// same errors.
func ParsePercent(s string) (Percent, error) {
	n, err := parseScaled(s)
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
// Scaled is its inverse, with the exception that AmountFromScaled names.
func PercentFromScaled(n int64) Percent {
	return Percent(AmountFromScaled(n))
}

// Scaled returns the rate as a count of ten-thousandths of a per cent.
func (p Percent) Scaled() int64 { return p.n }

// Of returns p per cent of a, rounded once, half away from zero, to the minor
// digits of c: 20 % of 199.99 USD is 40. It answers ErrAmountRange when the
// result has no room.
//
// Source: rule 1, Rounding.
func (p Percent) Of(a Amount, c Currency) (Amount, error) {
	n, err := mulDiv(a.n, p.n, hundredPercent, c.step())
	return Amount{n}, err
}

// ofPortion returns p per cent of a × part ÷ whole, rounded once as by Of:
// rounding the portion first would move a result that lies just below a half.
// No argument is negative and part is at most whole.
func (p Percent) ofPortion(a, part, whole Amount, c Currency) (Amount, error) {
	hi, lo := bits.Mul64(magnitude(a.n), magnitude(part.n))
	divisor, rate := magnitude(whole.n), magnitude(p.n)
	if hi >= divisor {
		return Amount{}, ErrAmountRange
	}
	quo, rem := bits.Div64(hi, lo, divisor)

	// The portion is quo + rem/divisor. Its product with the rate is cut to a
	// whole number, which changes nothing: half of what it is then rounded to
	// is whole as well.
	hi, lo = bits.Mul64(rem, rate)
	rest, _ := bits.Div64(hi, lo, divisor) // rem < divisor: there is room
	hi, lo = bits.Mul64(quo, rate)
	unit := hundredPercent * uint64(c.step())
	lo, carry := bits.Add64(lo, rest+unit/2, 0)
	if hi += carry; hi >= unit {
		return Amount{}, ErrAmountRange
	}
	quo, _ = bits.Div64(hi, lo, unit)
	if quo > math.MaxInt64/uint64(c.step()) {
		return Amount{}, ErrAmountRange
	}
	return Amount{int64(quo) * c.step()}, nil
}

// Amount returns the number of a FLAT rate as the amount of money that it is: a
// rate of 5 pays 5 per sale.
func (p Percent) Amount() Amount { return Amount(p) }

// Cmp returns -1 when p is less than q, 0 when they are equal and 1 when p is
// greater.
func (p Percent) Cmp(q Percent) int { return cmpScaled(p.n, q.n) }

// Equal reports whether p and q are the same rate.
func (p Percent) Equal(q Percent) bool { return p == q }

// Sign returns -1, 0 or 1 for a rate below, equal to or above zero.
func (p Percent) Sign() int { return cmpScaled(p.n, 0) }

// IsZero reports whether the rate is 0 %.
func (p Percent) IsZero() bool { return p.n == 0 }

// String returns the rate as it stands in JSON, without a per cent sign:
// "12.5".
func (p Percent) String() string { return string(p.AppendJSON(nil)) }

// AppendJSON appends the rate as a JSON number to dst and returns the extended
// slice.
func (p Percent) AppendJSON(dst []byte) []byte { return appendScaled(dst, p.n) }

// MarshalJSON writes the rate as a JSON number.
func (p Percent) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON reads a JSON number as ParsePercent does, with the same errors;
// null changes nothing.
func (p *Percent) UnmarshalJSON(data []byte) error {
	return unmarshalScaled(data, &p.n)
}

// mulDiv returns a × b ÷ c rounded half away from zero to a multiple of step, a
// power of ten. The product has 128 bits and there is one rounding. It and
// ofPortion are the only multiplications of money. It answers ErrAmountRange
// when the result is beyond ±math.MaxInt64, and when c is zero.
func mulDiv(a, b, c, step int64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	divisor := magnitude(c)
	if hi >= divisor {
		return 0, ErrAmountRange
	}
	quo, rem := bits.Div64(hi, lo, divisor)
	if quo > math.MaxInt64 {
		return 0, ErrAmountRange
	}

	rest := quo % uint64(step)
	up := rest >= uint64(step)/2 // half of 10, 100, … is whole: what the division left decides nothing
	if step == 1 {
		up = rem >= divisor-rem
	}
	quo -= rest
	if up {
		quo += uint64(step)
	}
	if quo > math.MaxInt64 {
		return 0, ErrAmountRange
	}
	if (a < 0) != (b < 0) != (c < 0) {
		return -int64(quo), nil
	}
	return int64(quo), nil
}

// magnitude returns |n|, math.MinInt64 included.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func cmpScaled(a, b int64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

func appendScaled(dst []byte, n int64) []byte {
	if n < 0 {
		dst = append(dst, '-')
	}
	m := magnitude(n)
	dst = strconv.AppendUint(dst, m/amountScale, 10)
	frac := m % amountScale
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := uint64(amountScale / 10); frac > 0; unit /= 10 {
		dst = append(dst, byte('0'+frac/unit))
		frac %= unit
	}
	return dst
}

func unmarshalScaled(data []byte, n *int64) error {
	if string(data) == "null" {
		return nil
	}
	v, err := parseScaled(string(data))
	if err != nil {
		return err
	}
	*n = v
	return nil
}

// parseScaled returns the value of the JSON number s in ten-thousandths.
func parseScaled(s string) (int64, error) {
	num, ok := scanNumber(s)
	if !ok {
		return 0, ErrAmountSyntax
	}
	if num.digits == "" {
		return 0, nil
	}
	if num.low < -amountDigits {
		return 0, ErrAmountDecimals
	}
	// 19 digits have room in a uint64, so nothing below can wrap.
	const maxHigh = 14 // the first digit of 922337203685477
	if num.high > maxHigh {
		return 0, ErrAmountRange
	}

	var m uint64
	for i := range len(num.digits) {
		if c := num.digits[i]; c != '.' {
			m = m*10 + uint64(c-'0')
		}
	}
	for range num.low + amountDigits {
		m *= 10
	}
	if m > math.MaxInt64 {
		return 0, ErrAmountRange
	}
	if num.negative {
		return -int64(m), nil
	}
	return int64(m), nil
}

// jsonNumber is a JSON number taken apart.
type jsonNumber struct {
	negative  bool
	digits    string // from the first digit that is not 0 to the last, a point among them; "" for zero
	high, low int64  // powers of ten that the first and the last of these digits count
}

// scanNumber takes s apart by the grammar of RFC 8259; ok is false when s does
// not follow it.
func scanNumber(s string) (num jsonNumber, ok bool) {
	mantissa := s
	if mantissa != "" && mantissa[0] == '-' {
		num.negative = true
		mantissa = mantissa[1:]
	}
	point := digitsEnd(mantissa, 0)
	if point == 0 || point > 1 && mantissa[0] == '0' {
		return num, false
	}
	end := point
	if end < len(mantissa) && mantissa[end] == '.' {
		end = digitsEnd(mantissa, point+1)
		if end == point+1 {
			return num, false
		}
	}
	exp, ok := scanExponent(mantissa[end:])
	if !ok {
		return num, false
	}

	first, last := significant(mantissa[:end])
	if first < 0 {
		return num, true
	}
	num.digits = mantissa[first : last+1]
	num.high = exp + powerAt(first, point)
	num.low = exp + powerAt(last, point)
	return num, true
}

// scanExponent reads "", or e, an optional sign and digits. It stops counting
// at a size that no text can make up for with digits of its own.
func scanExponent(s string) (exp int64, ok bool) {
	if s == "" {
		return 0, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	sign := int64(1)
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || digitsEnd(s, 0) != len(s) {
		return 0, false
	}

	const enough = 1 << 50
	for i := range len(s) {
		exp = min(exp*10+int64(s[i]-'0'), enough)
	}
	return sign * exp, true
}

// digitsEnd returns the index after the run of digits that starts at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// significant returns the indexes of the first and the last digit other than 0,
// or -1 and -1.
func significant(s string) (first, last int) {
	first, last = -1, -1
	for i := range len(s) {
		if s[i] == '0' || s[i] == '.' {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	return first, last
}

// powerAt returns the power of ten that the digit at index i counts, with the
// decimal point at index point.
func powerAt(i, point int) int64 {
	if i < point {
		return int64(point - i - 1)
	}
	return int64(point - i)
}
