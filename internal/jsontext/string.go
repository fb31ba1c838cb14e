package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

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
