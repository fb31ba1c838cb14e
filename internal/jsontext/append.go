package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends a string as json.Marshal of Go 1.26 encodes it: it
// escapes quotes, backslashes, control characters, the special characters of
// HTML, U+2028 and U+2029. A byte that is not UTF-8 becomes the escape of
// U+FFFD; Go 1.27 writes the character itself there.
func AppendString[T ~string](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' && b != '<' && b != '>' && b != '&' {
				i++
				continue
			}
			dst = appendEscape(append(dst, s[start:i]...), b)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:]))
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&15])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// appendEscape appends the escape of an ASCII character.
func appendEscape(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
}

// str reads a string and returns it with its quotes.
func (r *Reader) str() ([]byte, Fault) {
	start := r.pos
	if !r.take('"') {
		return nil, Syntax
	}
	text, pos := r.text, r.pos
	for pos < len(text) {
		switch c := text[pos]; {
		case c == '"':
			r.pos = pos + 1
			return text[start:r.pos], OK
		case c == '\\':
			r.pos = pos
			if fault := r.escape(); fault != OK {
				return nil, fault
			}
			pos = r.pos
		case c < ' ':
			return nil, Syntax
		default:
			pos++
		}
	}
	return nil, Syntax
}

// escape reads an escape sequence, or both of a surrogate pair.
func (r *Reader) escape() Fault {
	r.pos++
	if r.pos == len(r.text) {
		return Syntax
	}
	c := r.text[r.pos]
	if c != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), c) < 0 {
			return Syntax
		}
		r.pos++
		return OK
	}
	unit, ok := r.unit()
	switch {
	case !ok:
		return Syntax
	case unit == 0 && r.NoZero:
		return Escape
	case utf16.IsSurrogate(unit) && r.Strict:
		return r.otherHalf(unit)
	}
	return OK
}

// otherHalf reads the second half of a surrogate pair.
func (r *Reader) otherHalf(first rune) Fault {
	if first >= 0xDC00 || !bytes.HasPrefix(r.text[r.pos:], []byte(`\u`)) {
		return Escape
	}
	r.pos++
	second, ok := r.unit()
	if !ok {
		return Syntax
	}
	if utf16.DecodeRune(first, second) == utf8.RuneError {
		return Escape
	}
	return OK
}

// unit reads the letter u and four hexadecimal digits.
func (r *Reader) unit() (unit rune, ok bool) {
	if len(r.text)-r.pos < 5 {
		return 0, false
	}
	if unit = hex4(r.text[r.pos+1 : r.pos+5]); unit < 0 {
		return 0, false
	}
	r.pos += 5
	return unit, true
}

// Unquote returns the text of a valid JSON string. Half a surrogate pair
// becomes U+FFFD, as in encoding/json.
func Unquote(quoted []byte) string { return string(content(quoted)) }

// Text returns the text of a JSON string, and the empty text for any other
// value. The value must be valid, without white space around it.
func Text(value []byte) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	return Unquote(value)
}

// content is Unquote; it shares the memory of quoted when there is no escape.
func content(quoted []byte) []byte {
	raw := quoted[1 : len(quoted)-1]
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return raw
	}
	out := append(make([]byte, 0, len(raw)), raw[:at]...)
	for raw = raw[at:]; len(raw) > 0; {
		if raw[0] != '\\' {
			out, raw = append(out, raw[0]), raw[1:]
			continue
		}
		if raw[1] != 'u' {
			out, raw = append(out, unescaped(raw[1])), raw[2:]
			continue
		}
		r := hex4(raw[2:6])
		raw = raw[6:]
		if pair := pairOf(r, raw); pair != utf8.RuneError {
			r, raw = pair, raw[6:]
		}
		out = utf8.AppendRune(out, r) // U+FFFD for half a pair
	}
	return out
}

// pairOf returns the character of a surrogate pair whose second half begins
// rest; U+FFFD: there is no pair.
func pairOf(first rune, rest []byte) rune {
	if !utf16.IsSurrogate(first) || len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return utf8.RuneError
	}
	return utf16.DecodeRune(first, hex4(rest[2:6]))
}

// unescaped returns the character that a letter after a backslash stands for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // itself: a quote, a backslash or a slash
}

// hex4 returns the value of four hexadecimal digits; negative: one of them is
// not a digit.
func hex4(digits []byte) (r rune) {
	for _, c := range digits {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}

// hexDigit returns the value of a hexadecimal digit; -1: it is not one.
func hexDigit(c byte) int {
	switch low := c | 0x20; {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= low && low <= 'f':
		return int(low-'a') + 10
	}
	return -1
}

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
