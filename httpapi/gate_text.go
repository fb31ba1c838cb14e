package httpapi

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote is the text of a string that has passed the gate.
func unquote(raw []byte) string { return string(content(raw)) }

// content is unquote without a copy, unless raw has an escape.
func content(raw []byte) []byte {
	raw = raw[1 : len(raw)-1]
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
		if utf16.IsSurrogate(r) { // the gate has seen the other half
			r = utf16.DecodeRune(r, hex4(raw[2:6]))
			raw = raw[6:]
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// unescaped is the character that a letter after a backslash stands for.
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

// hex4 is the value of four hexadecimal digits. It is negative when one of them
// is not a digit.
func hex4(digits []byte) (r rune) {
	for _, c := range digits {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}

// hexDigit is the value of a hexadecimal digit, or -1 for any other character.
func hexDigit(c byte) int {
	switch low := c | 0x20; {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= low && low <= 'f':
		return int(low-'a') + 10
	}
	return -1
}
