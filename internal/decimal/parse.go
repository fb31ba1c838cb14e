package decimal

import (
	"math"
	"strings"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// Parse returns the value of the JSON number s. Its value counts, not its
// spelling. The time it takes is proportional to the length of s, whatever the
// exponent.
//
// Errors, in this order: ErrSyntax, ErrDecimals, ErrRange.
func Parse(s string) (int64, error) { return parse(s, Digits, ErrDecimals) }

// ParseFine is Parse for a number of [FineDigits] decimals, with ErrFineDecimals in place of
// ErrDecimals. The result counts units of that size.
func ParseFine(s string) (int64, error) { return parse(s, FineDigits, ErrFineDecimals) }

// ParseRounded is Parse for what another program wrote: decimals beyond the
// fourth are the noise of floating point, and rounded half away from zero.
//
// Errors: ErrSyntax, ErrRange.
func ParseRounded(s string) (int64, error) { return parse(s, Digits, nil) }

// parse returns the value of s in units of so many decimals. Further ones are tooFine, or
// rounded where that is nil.
func parse(s string, decimals int64, tooFine error) (int64, error) {
	num, ok := scan(s)
	switch {
	case !ok:
		return 0, ErrSyntax
	case tooFine != nil && num.digits != "" && num.low < -decimals:
		return 0, tooFine
	}
	return num.scaled(decimals)
}

// A number is a JSON number taken apart.
type number struct {
	negative  bool
	digits    string // from the first digit that is not 0 to the last, a point among them; "" for zero
	high, low int64  // powers of ten that the first and the last of these digits count
}

// scaled returns the value in units of so many decimals, rounded half away from zero.
func (num *number) scaled(decimals int64) (int64, error) {
	maxHigh := 18 - decimals // the first digit of math.MaxInt64 units
	if num.digits == "" {
		return 0, nil
	}
	if num.high > maxHigh {
		return 0, ErrRange
	}

	// 19 digits have room in a uint64, so nothing below can wrap.
	var m uint64
	left := num.high + decimals // powers of ten below the next digit
	for i := 0; i < len(num.digits) && left >= 0; i++ {
		if c := num.digits[i]; c != '.' {
			m = m*10 + uint64(c-'0')
			left--
		}
	}
	for ; left >= 0; left-- {
		m *= 10
	}
	if num.low < -decimals && num.digitAt(-decimals-1) >= '5' {
		m++
	}
	if m > math.MaxInt64 {
		return 0, ErrRange
	}
	if num.negative {
		return -int64(m), nil
	}
	return int64(m), nil
}

// digitAt returns the digit that counts a power of ten not below low.
func (num *number) digitAt(power int64) byte {
	i := num.high - power
	if i < 0 {
		return '0'
	}
	if point := strings.IndexByte(num.digits, '.'); point >= 0 && int64(point) <= i {
		i++
	}
	return num.digits[i]
}

// scan takes s apart by the grammar of RFC 8259; ok is false when s does not
// follow it.
func scan(s string) (num number, ok bool) {
	parts, ok := jsontext.ScanNumber(s)
	if !ok || parts.End < len(s) {
		return num, false
	}
	num.negative = s[0] == '-'
	exp := exponent(s[parts.Mantissa:])
	first, last := significant(s[:parts.Mantissa])
	if first < 0 {
		return num, true
	}
	num.digits = s[first : last+1]
	num.high = exp + powerAt(first, parts.Whole)
	num.low = exp + powerAt(last, parts.Whole)
	return num, true
}

// exponent returns the value of an exponent with its e, and 0 of none. It stops
// counting at a size that no text can make up for with digits of its own.
func exponent(s string) (exp int64) {
	const enough = 1 << 50
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			exp = min(exp*10+int64(s[i]-'0'), enough)
		}
	}
	if len(s) > 1 && s[1] == '-' {
		return -exp
	}
	return exp
}

// significant returns the indexes of the first and the last digit other than 0,
// or -1 and -1.
func significant(s string) (first, last int) {
	first, last = -1, -1
	for i := range len(s) {
		if s[i] < '1' { // a zero, the point, or the sign
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
