// Package idn writes domain names with letters of any script in ASCII, as IDNA
// 2008 does (RFC 5891) with the encoding of RFC 3492.
//
// It is small because it refuses what it would have to guess. golang.org/x/net/idna
// maps and composes with tables of its own; the standard library has none of them
// that can be imported. So a name with letters that have another spelling in
// Unicode, such as a decomposed umlaut or a ligature, is not a name here.
package idn

import (
	"strings"
	"unicode"
)

// maxLabel is the longest label in ASCII. Source: RFC 1035.
const maxLabel = 63

// ASCII returns a domain name with each label that is not ASCII as its A-label, in
// lower case: bücher.example is xn--bcher-kva.example. The dots of CJK and letters
// of full width are taken for those of ASCII. A name in ASCII stays as it is. ok is
// false for a label that cannot be written.
func ASCII(domain string) (_ string, ok bool) {
	if isASCII(domain) {
		return domain, true
	}
	labels := strings.Split(strings.Map(fold, domain), ".")
	for i, label := range labels {
		if isASCII(label) {
			continue
		}
		if !valid(label) {
			return "", false
		}
		if labels[i] = "xn--" + encode([]rune(label)); len(labels[i]) > maxLabel {
			return "", false
		}
	}
	return strings.Join(labels, "."), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// fold returns a character in lower case, of the usual width.
func fold(r rune) rune {
	switch {
	case r == 0x3002 || r == 0xFF61: // full stops of CJK
		return '.'
	case 0xFF01 <= r && r <= 0xFF5E: // ASCII in full width
		return unicode.ToLower(r - 0xFF01 + '!')
	case r == 0x130, unicode.Is(respelt, r): // refused: the small letter is two characters, or another one
		return r
	}
	return unicode.ToLower(r)
}

// valid reports whether a label has only letters, marks, digits and inner hyphens
// that have no other spelling.
func valid(label string) bool {
	runes := []rune(label)
	last := len(runes) - 1
	if runes[0] == '-' || runes[last] == '-' || unicode.IsMark(runes[0]) || last > 2 &&
		runes[2] == '-' && runes[3] == '-' {
		return false
	}
	for _, r := range runes {
		plain := r == '-' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r)
		if !plain || unicode.IsUpper(r) || unicode.IsTitle(r) || unicode.Is(respelt, r) {
			return false
		}
	}
	return true
}

// respelt has the blocks whose characters are, or compose to, others: marks of
// Latin, Greek and Cyrillic, jamo, voice marks, letterlike symbols, superscripts,
// ligatures, presentation and half-width forms, mathematical letters.
var respelt = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xAA, 0xAA, 1}, {0xBA, 0xBA, 1}, {0x132, 0x133, 1}, {0x149, 0x149, 1}, {0x17F, 0x17F, 1},
		{0x1C4, 0x1CC, 1}, {0x1F1, 0x1F3, 1},
		{0x2B0, 0x2B8, 1}, {0x2E0, 0x2E4, 1}, {0x300, 0x36F, 1}, {0x3D0, 0x3D6, 1},
		{0x1100, 0x11FF, 1}, {0x1D2C, 0x1DBF, 1}, {0x2071, 0x209C, 1},
		{0x2100, 0x214F, 1}, {0x3099, 0x309A, 1}, {0x309F, 0x309F, 1}, {0x30FF, 0x30FF, 1},
		{0x3131, 0x318E, 1}, {0xF900, 0xFAFF, 1},
		{0xFB00, 0xFDFF, 1}, {0xFE70, 0xFEFF, 1}, {0xFF00, 0xFFEF, 1},
	},
	R32: []unicode.Range32{{0x1D400, 0x1D7FF, 1}, {0x2F800, 0x2FA1F, 1}},
}

// The parameters of Punycode. Source: RFC 3492, 5.
const (
	base, tMin, tMax     = 36, 1, 26
	skew, damp           = 38, 700
	firstBias, firstCode = 72, 0x80
)

// encode is Punycode. Source: RFC 3492, 6.3.
func encode(label []rune) string {
	var out []byte
	for _, r := range label {
		if r < firstCode {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(firstCode), 0, firstBias
	for done := basic; done < len(label); n, delta = n+1, delta+1 {
		next := unicode.MaxRune
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta, n = delta+int(next-n)*(done+1), next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			out = appendVariable(out, delta, bias)
			bias = adapt(delta, done+1, done == basic)
			delta, done = 0, done+1
		}
	}
	return string(out)
}

// appendVariable writes a number of variable length.
func appendVariable(out []byte, q, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := base; ; k += base {
		t := min(max(k-bias, tMin), tMax)
		if q < t {
			return append(out, digits[q])
		}
		out = append(out, digits[t+(q-t)%(base-t)])
		q = (q - t) / (base - t)
	}
}

// adapt returns the bias of the next number. Source: RFC 3492, 6.1.
func adapt(delta, points int, first bool) int {
	if delta /= 2; first {
		delta = delta * 2 / damp
	}
	delta += delta / points
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}
