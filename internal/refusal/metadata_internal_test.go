package refusal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidMetadata(t *testing.T) {
	nested := func(open, inner, end string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for _, tt := range []struct {
		name, in, want string // "" is refused
	}{
		{"Empty", `{}`, `{}`},
		{"Compacted", " { \"a\" : [ 1 , null ,\t\"x y\" ] }\n", `{"a":[1,null,"x y"]}`},
		{"NumbersKeepTheirText", `{"a":1.50,"b":1E400}`, `{"a":1.50,"b":1E400}`},
		{"HTMLKept", `{"a":"<&>"}`, `{"a":"<&>"}`},
		{"LineSeparatorKept", "{\"a\":\"\u2028\"}", "{\"a\":\"\u2028\"}"},
		{"ControlEscapes", `{"a":"\u0001\n\t\u001f\u007f"}`, `{"a":"\u0001\n\t\u001f\u007f"}`},
		{"SurrogatePair", `{"a":"\ud83d\uDE00"}`, `{"a":"\ud83d\uDE00"}`},
		{"TwoPairs", `{"a":"\ud83d\ude00\ud83d\ude00"}`, `{"a":"\ud83d\ude00\ud83d\ude00"}`},
		{"EscapedBackslashU", `{"a":"\\u0000\\ud800"}`, `{"a":"\\u0000\\ud800"}`},
		{"EscapedQuote", `{"a\"":1,"a":":{[\""}`, `{"a\"":1,"a":":{[\""}`},
		{"SameKeyApart", `{"a":{"a":1},"b":{"a":1},"c":[{"a":1},{"a":1}]}`, `{"a":{"a":1},"b":{"a":1},"c":[{"a":1},{"a":1}]}`},
		{"KeyAsValue", `{"a":"a","b":"a"}`, `{"a":"a","b":"a"}`},
		{"KeysDifferInCase", `{"a":1,"A":2}`, `{"a":1,"A":2}`},
		{"EmptyKey", `{"":1}`, `{"":1}`},
		{"Depth32", nested(`{"a":`, `1`, `}`, 32), nested(`{"a":`, `1`, `}`, 32)},
		{"Depth32Arrays", `{"a":` + nested(`[`, ``, `]`, 31) + `}`, `{"a":` + nested(`[`, ``, `]`, 31) + `}`},
		{"WideNotDeep", `{"a":[` + strings.Repeat(`[],`, 100) + `[]]}`, `{"a":[` + strings.Repeat(`[],`, 100) + `[]]}`},

		{"Nothing", ``, ""},
		{"Space", ` `, ""},
		{"Null", `null`, ""},
		{"Array", `[]`, ""},
		{"String", `"x"`, ""},
		{"Number", `1`, ""},
		{"Open", `{"a":1`, ""},
		{"OpenString", `{"a`, ""},
		{"Unbalanced", `{"a":[}]`, ""},
		{"TrailingComma", `{"a":1,}`, ""},
		{"TrailingData", `{}{}`, ""},
		{"TrailingNUL", "{}\x00", ""},
		{"Comment", `{} // c`, ""},
		{"ByteOrderMark", "\ufeff{}", ""},
		{"BadNumber", `{"a":01}`, ""},
		{"BadEscape", `{"a":"\x"}`, ""},
		{"ShortEscape", `{"a":"\u12"}`, ""},
		{"RawControl", "{\"a\":\"\x01\"}", ""},
		{"BadUTF8", "{\"a\":\"\xff\"}", ""},
		{"BadUTF8Key", "{\"\xff\":1}", ""},
		{"EncodedSurrogate", "{\"a\":\"\xed\xa0\x80\"}", ""},
		{"LoneHigh", `{"a":"\ud800"}`, ""},
		{"LoneHighThenText", `{"a":"\ud800xxxxxx"}`, ""},
		{"LoneHighThenLikeness", `{"a":"\ud800xudc00"}`, ""},
		{"LoneHighThenEscape", `{"a":"\ud800\n\n\n\n"}`, ""},
		{"LoneHighThenHigh", `{"a":"\ud800\ud800"}`, ""},
		{"LoneHighThenOther", `{"a":"\ud800\u0041"}`, ""},
		{"LoneLow", `{"a":"\udc00"}`, ""},
		{"WrongOrder", `{"a":"\udc00\ud800"}`, ""},
		{"LoneInKey", `{"\ud800":1}`, ""},
		{"LoneInArray", `{"a":[1,["\ud800"]]}`, ""},
		{"EscapedNUL", `{"a":"\u0000"}`, ""},
		{"EscapedNULKey", `{"\u0000":1}`, ""},
		{"SameKey", `{"a":1,"a":2}`, ""},
		{"SameKeyByEscape", `{"a":1,"\u0061":2}`, ""},
		{"SameKeyByPair", `{"\ud83d\ude00":1,"😀":2}`, ""},
		{"SameKeyNested", `{"b":[{"a":1,"a":1}]}`, ""},
		{"SameKeyAfterNested", `{"a":{"b":1},"a":2}`, ""},
		{"SameEmptyKey", `{"":1,"":2}`, ""},
		{"Depth33", nested(`{"a":`, `1`, `}`, 33), ""},
		{"Depth33Arrays", `{"a":` + nested(`[`, ``, `]`, 32) + `}`, ""},
		{"DepthMillion", `{"a":` + nested(`[`, ``, `]`, 1_000_000) + `}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, bad := validMetadata([]byte(tt.in))
			ok := bad == (Refusal{})
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || ok != (tt.want != "") {
				t.Errorf("%v %s", ok, diff)
			}
		})
	}
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{
		`{}`, ` {"a" : [1, {"b":null}]} `, `{"a":1,"\u0061":2}`, `{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\u0000"}`,
		`["x"`, `{"a\"":1}`, `{"a":{"a":1}}`, strings.Repeat(`{"a":`, 33) + `1` + strings.Repeat(`}`, 33),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		compact, bad := validMetadata(raw)
		ok := bad == (Refusal{})
		if !bytes.Equal(before, raw) {
			t.Fatal("the input changed")
		}
		if want := slowMetadata(raw); ok != want {
			t.Fatalf("validMetadata(%q) = %v, the reference says %v", raw, ok, want)
		}
		if !ok {
			return
		}
		again, bad := validMetadata(compact)
		if bad != (Refusal{}) || !bytes.Equal(compact, again) {
			t.Fatalf("%q becomes %q, %q", compact, again, bad.Message)
		}
		var a, b any
		if json.Unmarshal(raw, &a) == nil && json.Unmarshal(compact, &b) == nil && !cmp.Equal(a, b) {
			t.Fatalf("%q and %q differ", raw, compact)
		}
	})
}

// slowMetadata reads tokens. The decoder turns a lone surrogate into U+FFFD, so
// it compares the number of written escapes of U+FFFD.
func slowMetadata(raw []byte) bool {
	if !json.Valid(raw) || !bytes.Equal(raw, bytes.ToValidUTF8(raw, nil)) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	replaced := bytes.Count(raw, []byte("\ufffd")) + writtenOut(raw)
	return slowLevel(dec, true, 1, &replaced) && replaced == 0
}

// writtenOut counts the escapes \ufffd in the JSON document raw.
func writtenOut(raw []byte) int {
	n := 0
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i+6 <= len(raw) && strings.EqualFold(string(raw[i:i+6]), `\ufffd`) {
			n++
		}
		i++
	}
	return n
}

func slowLevel(dec *json.Decoder, object bool, depth int, replaced *int) bool {
	keys := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil || !slowText(token, replaced) {
			return false
		}
		if object {
			key := token.(string)
			if keys[key] {
				return false
			}
			keys[key] = true
			if token, err = dec.Token(); err != nil || !slowText(token, replaced) {
				return false
			}
		}
		if d, ok := token.(json.Delim); ok && (depth == 32 || !slowLevel(dec, d == '{', depth+1, replaced)) {
			return false
		}
	}
	_, err := dec.Token()
	return err == nil
}

func slowText(token json.Token, replaced *int) bool {
	s, ok := token.(string)
	if !ok {
		return true
	}
	*replaced -= strings.Count(s, "\ufffd")
	return !strings.ContainsRune(s, 0)
}
