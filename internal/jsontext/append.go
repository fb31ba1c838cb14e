package jsontext

import "unicode/utf8"

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
