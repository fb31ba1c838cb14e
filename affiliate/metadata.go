package affiliate

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxMetadata      = 16_384 // bytes in compact form
	maxMetadataDepth = 32
)

// validMetadata returns raw without white space, and the field error, if any,
// that keeps it from being a JSON object that every store keeps unchanged:
// valid UTF-8, no lone surrogates, no U+0000, no key twice in one object
// (compared after unescaping), at most 32 levels deep. The limit of maxMetadata
// has a message of its own and is not checked here.
func validMetadata(raw []byte) (compact []byte, bad Refusal) {
	var b bytes.Buffer
	if !utf8.Valid(raw) || json.Compact(&b, raw) != nil {
		return nil, FieldNotAnObject
	}
	compact = b.Bytes()
	if compact[0] != '{' {
		return nil, FieldNotAnObject
	}
	if bad = wrongLevels(compact); bad != (Refusal{}) {
		return nil, bad
	}
	return compact, Refusal{}
}

// wrongLevels checks strings, keys and depth of doc, which is JSON in compact
// form: there a string is a key if and only if a colon follows it.
func wrongLevels(doc []byte) Refusal {
	var open []map[string]bool // the keys seen so far, for each object and array that is open
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '{', '[':
			open = append(open, nil)
			if len(open) > maxMetadataDepth {
				return FieldNotAnObject
			}
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			end := stringEnd(doc, i)
			text := doc[i:end]
			if !validEscapes(text) {
				return fieldBadCharacters
			}
			if end < len(doc) && doc[end] == ':' && !addKey(&open[len(open)-1], text) {
				return FieldNotAnObject
			}
			i = end - 1
		}
	}
	return Refusal{}
}

// stringEnd returns the index after the JSON string that starts at i.
func stringEnd(doc []byte, i int) int {
	for i++; doc[i] != '"'; i++ {
		if doc[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// addKey adds the JSON string text to keys; it is false when the same key is
// there.
func addKey(keys *map[string]bool, text []byte) bool {
	var key string
	if err := json.Unmarshal(text, &key); err != nil || (*keys)[key] {
		return false
	}
	if *keys == nil {
		*keys = make(map[string]bool)
	}
	(*keys)[key] = true
	return true
}

// validEscapes reports whether the JSON string text names no U+0000 and no
// surrogate outside a pair.
func validEscapes(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] != 'u' {
			continue
		}
		r := codeUnit(text[i-1:])
		i += len("0000")
		if r == 0 {
			return false
		}
		if !utf16.IsSurrogate(r) {
			continue
		}
		if utf16.DecodeRune(r, codeUnit(text[i+1:])) == utf8.RuneError {
			return false
		}
		i += len(`\u0000`)
	}
	return true
}

// codeUnit returns the code unit of the \u escape that text starts with, or
// U+FFFD.
func codeUnit(text []byte) rune {
	if len(text) < len(`\u0000`) || text[0] != '\\' || text[1] != 'u' {
		return utf8.RuneError
	}
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16) // four hex digits: text is JSON
	return rune(n)
}
