// Package decimal reckons with numbers of four decimals. A number is an int64
// that counts ten-thousandths, from -math.MaxInt64 to math.MaxInt64. Results
// that have no room in that range are ErrRange, never a wrapped number.
package decimal

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

const (
	Digits = 4      // decimals of a number
	Scale  = 10_000 // 10^Digits: the number 1

	FineDigits = 12                // decimals of a rate of exchange
	FineScale  = 1_000_000_000_000 // 10^FineDigits
)

// The errors of this package. They hold no input, which may be long.
var (
	ErrSyntax   = errors.New("affiliate: not a number such as 12.50")
	ErrDecimals = errors.New("affiliate: more than 4 decimal places")
	ErrRange    = errors.New("affiliate: amount out of range")

	ErrFineDecimals = errors.New("affiliate: more than 12 decimal places")
)

// Append appends n as a JSON number, without exponent and trailing zeros.
func Append(dst []byte, n int64) []byte {
	if n < 0 {
		dst = append(dst, '-')
	}
	m := magnitude(n)
	return appendDecimals(strconv.AppendUint(dst, m/Scale, 10), m%Scale, Scale/10)
}

// AppendFine is Append for what [ParseFine] returns.
func AppendFine(dst []byte, n int64) []byte {
	if n < 0 {
		dst = append(dst, '-')
	}
	m := magnitude(n)
	return appendDecimals(strconv.AppendUint(dst, m/FineScale, 10), m%FineScale, FineScale/10)
}

// appendDecimals appends the decimals of a number; the first one counts units of this size.
func appendDecimals(dst []byte, frac, unit uint64) []byte {
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	for ; frac > 0; unit /= 10 {
		dst = append(dst, byte('0'+frac/unit))
		frac %= unit
	}
	return dst
}

// A Ratio is Num ÷ Den.
type Ratio struct{ Num, Den int64 }

// Mul returns a × r rounded half away from zero to a multiple of step, a power
// of ten. The product has 128 bits and is rounded once.
//
// Errors: ErrRange, also when r.Den is zero.
func Mul(a int64, r Ratio, step int64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(r.Num))
	divisor := magnitude(r.Den)
	if hi >= divisor {
		return 0, ErrRange
	}
	quo, rem := bits.Div64(hi, lo, divisor)
	if quo > math.MaxInt64 {
		return 0, ErrRange
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
		return 0, ErrRange
	}
	if (a < 0) != (r.Num < 0) != (r.Den < 0) {
		return -int64(quo), nil
	}
	return int64(quo), nil
}

// MulTwice returns a × part × rate, rounded once as by Mul: rounding between the
// two would move a result that lies just below a half. No argument is negative,
// part is at most 1, and rate.Den × step is even and has room in an int64.
//
// Errors: ErrRange, also when part.Den is zero.
func MulTwice(a int64, part, rate Ratio, step int64) (int64, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(part.Num))
	divisor := uint64(part.Den)
	if hi >= divisor {
		return 0, ErrRange
	}
	quo, rem := bits.Div64(hi, lo, divisor)

	// a × part is quo + rem/divisor. Its product with the rate is cut to a
	// whole number, which changes nothing: half of what it is then rounded to
	// is whole as well.
	hi, lo = bits.Mul64(rem, uint64(rate.Num))
	rest, _ := bits.Div64(hi, lo, divisor) // rem < divisor: there is room
	hi, lo = bits.Mul64(quo, uint64(rate.Num))
	unit := uint64(rate.Den) * uint64(step)
	lo, carry := bits.Add64(lo, rest+unit/2, 0)
	if hi += carry; hi >= unit {
		return 0, ErrRange
	}
	quo, _ = bits.Div64(hi, lo, unit)
	if quo > math.MaxInt64/uint64(step) {
		return 0, ErrRange
	}
	return int64(quo) * step, nil
}

// magnitude returns |n|, math.MinInt64 included.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
