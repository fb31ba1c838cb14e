package affiliate

import (
	"math"
	"strconv"
	"strings"
)

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

// unmarshalScaled reads what another program wrote: decimals beyond the fourth
// are the noise of floating point, and rounded away.
func unmarshalScaled(data []byte, n *int64) error {
	if string(data) == "null" {
		return nil
	}
	num, ok := scanNumber(string(data))
	if !ok {
		return ErrAmountSyntax
	}
	v, err := num.scaled()
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
	if num.digits != "" && num.low < -amountDigits {
		return 0, ErrAmountDecimals
	}
	return num.scaled()
}

// jsonNumber is a JSON number taken apart.
type jsonNumber struct {
	negative  bool
	digits    string // from the first digit that is not 0 to the last, a point among them; "" for zero
	high, low int64  // powers of ten that the first and the last of these digits count
}

// scaled returns the value in ten-thousandths, rounded half away from zero.
func (num *jsonNumber) scaled() (int64, error) {
	const maxHigh = 14 // the first digit of 922337203685477
	if num.digits == "" {
		return 0, nil
	}
	if num.high > maxHigh {
		return 0, ErrAmountRange
	}

	// 19 digits have room in a uint64, so nothing below can wrap.
	var m uint64
	left := num.high + amountDigits // powers of ten below the next digit
	for i := 0; i < len(num.digits) && left >= 0; i++ {
		if c := num.digits[i]; c != '.' {
			m = m*10 + uint64(c-'0')
			left--
		}
	}
	for ; left >= 0; left-- {
		m *= 10
	}
	if num.low < -amountDigits && num.digitAt(-amountDigits-1) >= '5' {
		m++
	}
	if m > math.MaxInt64 {
		return 0, ErrAmountRange
	}
	if num.negative {
		return -int64(m), nil
	}
	return int64(m), nil
}

// digitAt returns the digit that counts a power of ten not below low.
func (num *jsonNumber) digitAt(power int64) byte {
	i := num.high - power
	if i < 0 {
		return '0'
	}
	if point := strings.IndexByte(num.digits, '.'); point >= 0 && int64(point) <= i {
		i++
	}
	return num.digits[i]
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
