package webhooks

import (
	"encoding/json"
	"iter"
)

// members yields the unescaped keys of a JSON object with the JSON of their
// values, in the order of the text. The values share memory with object, which
// must be valid JSON.
func members(object []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := skipSpace(object, skipSpace(object, 0)+1) // the first key, or the end
		for object[i] == '"' {
			end := stringEnd(object, i)
			key := unquote(object[i:end])
			start := skipSpace(object, skipSpace(object, end)+1) // after the colon
			end = valueEnd(object, start)
			if !yield(key, json.RawMessage(object[start:end:end])) {
				return
			}
			i = skipSpace(object, end)
			if object[i] == ',' {
				i = skipSpace(object, i+1)
			}
		}
	}
}

// unquote is the text of a valid JSON string.
func unquote(quoted []byte) string {
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic("webhooks: a valid string does not decode: " + err.Error())
	}
	return s
}

// skipSpace is the index of the first byte from i on that is not white space.
func skipSpace(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\t' || doc[i] == '\n' || doc[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is the index after the JSON string that starts at i, or the end of
// the text when the string is incomplete.
func stringEnd(doc []byte, i int) int {
	for i++; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(doc)
}

// valueEnd is the index after the JSON value that starts at i.
func valueEnd(doc []byte, i int) int {
	level := 0
	for i < len(doc) {
		switch doc[i] {
		case '"':
			if i = stringEnd(doc, i); level == 0 {
				return i
			}
			continue
		case '{', '[':
			level++
		case '}', ']':
			if level--; level <= 0 {
				return i + level + 1 // a closing bracket of an outer object or array ends a number or word before it
			}
		case ',', ' ', '\t', '\n', '\r':
			if level == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// depth is the deepest level of objects and arrays in a text, valid or not.
func depth(doc []byte) int {
	level, deepest := 0, 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			i = stringEnd(doc, i) - 1
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		}
	}
	return deepest
}
