package jsontext

// A Number says where the parts of a JSON number end, as offsets into its text.
// Equal offsets: the part is missing.
type Number struct {
	Whole    int // the sign and the digits before the point
	Mantissa int // these, the point and the digits behind it
	End      int // these and the exponent
}

// ScanNumber reads the number that a text starts with. It is not ok when the
// text does not start with a number, or breaks off within one.
func ScanNumber[T ~string | ~[]byte](s T) (n Number, ok bool) {
	start := 0
	if len(s) > 0 && s[0] == '-' {
		start = 1
	}
	n.Whole = digitsEnd(s, start)
	n.Mantissa, n.End = n.Whole, n.Whole
	if n.Whole == start || n.Whole > start+1 && s[start] == '0' {
		return n, false
	}
	if n.End < len(s) && s[n.End] == '.' {
		n.End = digitsEnd(s, n.Whole+1)
		n.Mantissa = n.End
		if n.End == n.Whole+1 {
			return n, false
		}
	}
	if n.End < len(s) && s[n.End]|0x20 == 'e' {
		start = n.End + 1
		if start < len(s) && (s[start] == '+' || s[start] == '-') {
			start++
		}
		n.End = digitsEnd(s, start)
		return n, n.End > start
	}
	return n, true
}

// digitsEnd returns the offset after the digits that start at i.
func digitsEnd[T ~string | ~[]byte](s T, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}
