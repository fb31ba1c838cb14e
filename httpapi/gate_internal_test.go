package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// Bodies that the gate accepts, and bodies that it refuses. The lists are
// ordered as in the usual parser suites: structure, numbers, strings, escapes,
// Unicode, text after the value.

func accepted() []string {
	return []string{
		// structure
		`{}`, " \t\r\n{ }\n", `{"a":1}`, `{"a":{}}`, `{"a":[]}`, `{"":0}`, `{"a":[[],[[]],{}]}`, `{"a":[1,"b",null,true,false,{"c":[]}]}`,
		"{\n\"a\"\t:\r1 ,\"b\" : 2\n}", `{"a":null,"A":null}`, `{"a":{"x":1},"b":{"x":1}}`, `{"a":[{"x":1},{"x":1}]}`,
		`{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`, strings.Repeat(`{"a":`, 31) + `{}` + strings.Repeat("}", 31),
		// numbers
		`{"a":0}`, `{"a":-0}`, `{"a":10}`, `{"a":-1.5}`, `{"a":1e5}`, `{"a":1E+5}`, `{"a":0e-0}`, `{"a":0.0e00}`, `{"a":1e999999999}`,
		`{"a":123456789012345678901234567890}`, `{"a":1.00000000000000000000000000001}`, `{"a":[-0.0,1e-1]}`,
		// strings and escapes
		`{"a":""}`, `{"a":"\"\\\/\b\f\n\r\t"}`, `{"a":"\u0041\u00e9\u20ac"}`, `{"a":"\u0000"}`, `{"a":"\u001F"}`, `{"a":"\uABCD\uabcd"}`,
		`{"a":"\ud83d\ude00"}`, `{"a":"\uD83D\uDE00x"}`, `{"a":"\\ud800"}`, `{"a":"\\\\u"}`, `{"\u0061":1,"b":2}`, `{"\"":1}`, `{"a\nb":1}`,
		"{\"a\":\"\x7f\"}", `{"a":"/"}`, `{"a":"'"}`, `{"a":"// no comment /* at all */"}`,
		// Unicode
		`{"a":"é"}`, `{"a":"😀"}`, `{"é":1,"e\u0301":2}`, "{\"a\":\"\u2028\u2029\ufeff\"}", `{"productIds":1,"productId` + "\u017f" + `":2}`,
		"{\"a\":\"\U0010FFFF\"}", "{\"a\":\"\uffff\"}",
	}
}

// refused lists bodies by the text of their refusal.
func refusedBodies() map[string][]string {
	return map[string][]string{
		"Invalid JSON body": {
			// structure
			" ", "{", "}", "[", "]", "{]", "[}", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a":1,,"b":2}`, `{,"a":1}`, `{"a" 1}`, `{"a"::1}`,
			`{"a":1 "b":2}`, `{"a":1;"b":2}`, `{a:1}`, `{'a':1}`, `{1:1}`, `{null:1}`, `{[]:1}`, `{"a":[1,]}`, `{"a":[,1]}`, `{"a":[1 2]}`, `{"a":[1,,2]}`, `{"a":[`,
			`{"a":[1}`, `{"a":{"b":1]}`, `{"a":}`, `{"a":,"b":1}`, `["x"`, `[1,`, `{"a":1 /* c */}`, `// c` + "\n{}", `/**/{}`, `{"a":#}`, `<a/>`, `a`, `'x'`, `(`,
			// words
			`{"a":True}`, `{"a":nul}`, `{"a":tru`, `{"a":nan}`, `{"a":undefined}`, `{"a":nULL}`, `tru`, `TRUE`, `{"a":nullx}`, `{"a":truefalse}`,
			// numbers
			`{"a":01}`, `{"a":-01}`, `{"a":00}`, `{"a":.5}`, `{"a":5.}`, `{"a":-.5}`, `{"a":+5}`, `{"a":0x10}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":-Infinity}`, `{"a":-}`,
			`{"a":--1}`, `{"a":1e}`, `{"a":1e+}`, `{"a":1E-}`, `{"a":1.e5}`, `{"a":1.5e}`, `{"a":1_000}`, `{"a":1 000}`, `{"a":1,5}`, `{"a":1e1.5}`, `{"a":-a}`, `{"a":１}`, `{"a":1e++5}`,
			// strings
			`{"a":"`, `{"a":"b`, `{"a":"b}`, `{"a":b"}`, `{"a":'b'}`, "{\"a\":\"\n\"}", "{\"a\":\"\t\"}", "{\"a\":\"\x00\"}", "{\"a\":\"\x1f\"}", `{"a":"\`, `{"a":"\"}`,
			// escapes
			`{"a":"\x41"}`, `{"a":"\a"}`, `{"a":"\'"}`, `{"a":"\u"}`, `{"a":"\u12"}`, `{"a":"\u123"}`, `{"a":"\u123g"}`, `{"a":"\U0041"}`, `{"a":"\u{41}"}`, `{"a":"\0"}`,
			`{"a":"\ud83d\u"}`, `{"a":"\ud83d\u12"}`, `{"a":"\ud83d\ug000"}`, `{"a":"\u 041"}`, `{"a":"\` + "\n" + `"}`,
			// Unicode
			"\ufeff{}", "\ufeff", "{\u00a0}", "{\u2003}", "{\"a\"\u0085:1}", "{\v}", "{\f}", "\x00{}", "{\x00}",
		},
		"Request body must be a JSON object": {
			`null`, `true`, `false`, `1`, `-1.5e3`, `"x"`, `""`, `[]`, `[{}]`, ` null `, "[[[]]]", `["a",{"b":1}]`, `"\ud83d\ude00"`,
		},
		"Unexpected data after JSON body": {
			`{}{}`, `{} {}`, `{}x`, `{}]`, `{}}`, `{},`, "{}\x00", `{"a":1}{"b":2}`, `{}null`, `{}//`, `{}"`, "{}\u00a0", "{}\ufeff", `null null`, `1 2`, `[]{}`, `truefalse`, `1x`, `nullx`,
		},
		"JSON is nested too deeply": {
			`{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, strings.Repeat(`{"a":`, 33), strings.Repeat("[", 10_000), strings.Repeat("[", 1_000_000),
			`{"a":` + strings.Repeat(`[{"b":`, 16) + `1`, strings.Repeat(`{"a":`, 100_000),
		},
		"Request body is not valid UTF-8": {
			"{\"a\":\"\xff\"}", "{\"\xff\":1}", "\xff", "{}\xfe", "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xf4\x90\x80\x80\"}", "{\"a\":\"\xe2\x82\"}", "{\"a\":\"\x80\"}",
			"\xff\xfe{\x00}\x00", `{"a":"\ud800"}`, `{"a":"\udc00"}`, `{"a":"\ud800x"}`, `{"a":"\ud800\n"}`, `{"a":"\ud800\ud800"}`, `{"a":"\udbff\u0041"}`, `{"\ud800":1}`, `{"a":"\uDFFF\uD800"}`,
		},
	}
}

func TestGateAccepts(t *testing.T) {
	for _, body := range accepted() {
		if _, err := scan(new(jsontext.Reader), []byte(body), nil); err != nil {
			t.Errorf("%.80q: %v", body, err)
		}
		if err := reference([]byte(body)); err != nil {
			t.Errorf("the reference refuses %.80q: %v", body, err)
		}
	}
}

func TestGateRefuses(t *testing.T) {
	for want, bodies := range refusedBodies() {
		for _, body := range bodies {
			_, err := scan(new(jsontext.Reader), []byte(body), nil)
			if err == nil || err.Message != want {
				t.Errorf("%.80q: %v, want %q", body, err, want)
			}
			if reference([]byte(body)) == nil {
				t.Errorf("the reference accepts %.80q", body)
			}
		}
	}
}

// TestGateDuplicates: a name may occur once in each object; a name with escapes
// is the same name.
func TestGateDuplicates(t *testing.T) {
	many := func(n int, more string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		return "{" + b.String() + more + "}"
	}
	for body, want := range map[string]string{
		`{"a":1,"a":2}`:                           "a",
		`{"a":1,"\u0061":2}`:                      "a",
		`{"\u0061":1,"b":2,"\u0061":3}`:           "a",
		`{"":1,"":2}`:                             "",
		`{"a":{"b":1,"b":2}}`:                     "a.b",
		`{"a":{"b":{"c":1,"d":{"c":0},"c":2}}}`:   "a.b.c",
		`{"a":[{"b":1,"b":2}]}`:                   "a.b",
		`{"a":[[{"b":1}],{"c":[{"d":1,"d":2}]}]}`: "a.c.d",
		`{"x":{"y":1},"a":{"b":1,"b":2}}`:         "a.b",
		`{"a":1,"a\u0001":2,"a\u0001":3}`:         `a\x01`,
		`{"a":{"p":1},"b":1,"a":3}`:               "a",
		many(5000, `"k0":1`):                      "k0",
		many(5000, `"k4999":1`):                   "k4999",
		many(16, `"k3":1`):                        "k3",
		many(17, `"k16":1`):                       "k16",
		`{"a` + strings.Repeat("b", 100) + `":1,"a` + strings.Repeat("b", 100) + `":2}`: "a" + strings.Repeat("b", 63),
	} {
		_, err := scan(new(jsontext.Reader), []byte(body), nil)
		if err == nil || err.Reason != "duplicate_field" || err.Field != want || err.Message != "Duplicate field: "+want {
			t.Errorf("%.80q: %+v, want %q", body, err, want)
		}
	}
}

// TestGateMembers: the members that the gate returns are those that a decoder
// sees.
func TestGateMembers(t *testing.T) {
	body := ` { "a" : 1.50 , "b":"x\"}", "\u0063":{ "d" : [ 1 , 2 ] },"e":null ,"f":[ "]" ] } `
	got, err := scan(new(jsontext.Reader), []byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []member{
		{[]byte("a"), []byte("1.50")}, {[]byte("b"), []byte(`"x\"}"`)}, {[]byte("c"), []byte(`{ "d" : [ 1 , 2 ] }`)}, {[]byte("e"), []byte("null")}, {[]byte("f"), []byte(`[ "]" ]`)},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(member{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]member{{[]byte("d"), []byte("[ 1 , 2 ]")}}, split(got[2].value), cmp.AllowUnexported(member{})); diff != "" {
		t.Errorf("split (-want +got):\n%s", diff)
	}
}

// TestGateMemory: for any body of 1 MiB, the gate keeps only a small multiple
// of that memory.
func TestGateMemory(t *testing.T) {
	const size = 1 << 20
	for name, body := range map[string]string{
		"brackets": strings.Repeat("[", size),
		"text":     `{"a":"` + strings.Repeat("x", size) + `"}`,
		"escapes":  `{"a":"` + strings.Repeat(`\n`, size/2) + `"}`,
		"digits":   `{"a":` + strings.Repeat("1", size) + `}`,
		"numbers":  `{"a":[` + strings.Repeat("1,", size/2) + `1]}`,
		"objects":  `{"a":[` + strings.Repeat("{},", size/3) + `1]}`,
		"one name": `{"` + strings.Repeat("x", size) + `":1}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		scan(new(jsontext.Reader), []byte(body), nil)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 3*size {
			t.Errorf("%s: %d bytes", name, used)
		}
	}
}

// FuzzStrictJSON: the gate accepts exactly what the slow reference accepts, and
// its members are what encoding/json decodes.
func FuzzStrictJSON(f *testing.F) {
	for _, body := range accepted() {
		f.Add([]byte(body))
	}
	for _, bodies := range refusedBodies() {
		for _, body := range bodies {
			if len(body) < 1000 {
				f.Add([]byte(body))
			}
		}
	}
	f.Add([]byte(`{"a":{"b":1,"b":2}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		members, refusal := scan(new(jsontext.Reader), body, nil)
		want := reference(body)
		if (refusal == nil) != (want == nil) {
			t.Fatalf("the gate says %v, the reference %v", refusal, want)
		}
		if refusal != nil {
			return
		}
		var decoded map[string]json.RawMessage
		if err := json.Unmarshal(body, &decoded); err != nil {
			t.Fatal(err)
		}
		if len(decoded) != len(members) {
			t.Fatalf("%d members, want %d", len(members), len(decoded))
		}
		for _, m := range members {
			if !bytes.Equal(decoded[string(m.name)], m.value) {
				t.Fatalf("%q is %s, want %s", m.name, m.value, decoded[string(m.name)])
			}
		}
	})
}

// reference refuses the same bodies as the gate, slowly and by other means: the
// decoder of the standard library and a check of every escape.
func reference(body []byte) error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return errors.New("not JSON")
	}
	if err := surrogates(body); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	first, err := dec.Token()
	if err != nil || first != json.Delim('{') {
		return errors.New("no object")
	}
	if err := walk(dec, '{', 1); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more follows")
	}
	return nil
}

// walk reads the rest of an object or array at a depth.
func walk(dec *json.Decoder, open json.Delim, depth int) error {
	if depth > 32 {
		return errors.New("too deep")
	}
	seen := map[string]bool{}
	for isName := open == '{'; ; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '}' || v == ']' {
				return nil
			}
			if err := walk(dec, v, depth+1); err != nil {
				return err
			}
		case string:
			if isName {
				if seen[v] {
					return fmt.Errorf("%q twice", v)
				}
				seen[v] = true
				isName = false
				continue
			}
		}
		isName = open == '{'
	}
}

// surrogates refuses a surrogate without its other half in valid JSON.
func surrogates(body []byte) error {
	text := string(body)
	high := false // the escape before was the first half of a pair
	for i := 0; i < len(text); {
		var unit uint32
		if strings.HasPrefix(text[i:], `\u`) {
			fmt.Sscanf(text[i+2:i+6], "%04x", &unit)
		}
		isLow := unit >= 0xDC00 && unit <= 0xDFFF
		if high != isLow {
			return errors.New("half a pair")
		}
		high = unit >= 0xD800 && unit <= 0xDBFF
		switch {
		case strings.HasPrefix(text[i:], `\u`):
			i += 6
		case text[i] == '\\':
			i += 2
		default:
			i++
		}
	}
	return nil
}

// TestTextsOfCost: an array of other values needs no more memory than its text.
func TestTextsOfCost(t *testing.T) {
	array := json.RawMessage("[" + strings.Repeat("1,", 1<<19) + "1]")
	if n := testing.AllocsPerRun(1, func() {
		in := input{members: []member{{[]byte("list"), array}}}
		if texts[string](&in, "list"); in.bad == nil {
			t.Error("numbers passed for texts")
		}
	}); n > 100 {
		t.Errorf("%v allocations", n)
	}
}
