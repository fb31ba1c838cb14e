package httpapi

import "strings"

// resembles reports whether a name is another one misspelt: in other letter case, with other
// separators, or, from five letters on, with one letter that is wrong, missing, too many, or
// in the place of its neighbour. External_ID and extrnalId resemble externalId; its plural is
// another name.
//
// Source: docs/contract.md 1.3.
func resembles(name, known string) bool {
	if len(name) > 2*len(known) {
		return false
	}
	a, b := bareName(name), bareName(known)
	switch {
	case a == b:
		return true
	case len(b) < 5 || len(a) < len(b)-1 || len(a) > len(b)+1 || a == b+"s":
		return false
	case len(a) > len(b):
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// bareName returns the letters and digits of a name, in lower case.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		}
		return r
	}, name)
}
