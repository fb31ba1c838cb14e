package jsontext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// TestRead: the faults that each kind of reader finds.
func TestRead(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	lax, strict := jsontext.Reader{MaxDepth: 3}, jsontext.Reader{MaxDepth: 3, Strict: true, NoZero: true}
	for _, tt := range []struct {
		text        string
		lax, strict jsontext.Fault
	}{
		{`{"a":1}`, jsontext.OK, jsontext.OK},
		{" [ true , null ] \n", jsontext.OK, jsontext.OK},
		{`-0.5e+10`, jsontext.OK, jsontext.OK},
		{``, jsontext.Syntax, jsontext.Syntax},
		{` `, jsontext.Syntax, jsontext.Syntax},
		{`{"a":1,}`, jsontext.Syntax, jsontext.Syntax},
		{`[1,]`, jsontext.Syntax, jsontext.Syntax},
		{`[01]`, jsontext.Syntax, jsontext.Syntax},
		{`"\x"`, jsontext.Syntax, jsontext.Syntax},
		{`"\u12g4"`, jsontext.Syntax, jsontext.Syntax},
		{`"a`, jsontext.Syntax, jsontext.Syntax},
		{`{} {}`, jsontext.Trailing, jsontext.Trailing},
		{`nullx`, jsontext.Trailing, jsontext.Trailing},
		{deep(3), jsontext.OK, jsontext.OK},
		{deep(4), jsontext.Depth, jsontext.Depth},
		{strings.Repeat(`{"a":`, 4), jsontext.Depth, jsontext.Depth},
		{`"\ud83d\ude00"`, jsontext.OK, jsontext.OK},
		{`"\ud83d"`, jsontext.OK, jsontext.Escape},
		{`"\ude00\ud83d"`, jsontext.OK, jsontext.Escape},
		{`"\ud83d\u12"`, jsontext.Syntax, jsontext.Syntax},
		{`"\u0000"`, jsontext.OK, jsontext.Escape},
		{`"\\u0000"`, jsontext.OK, jsontext.OK},
		{`{"a":1,"a":2}`, jsontext.OK, jsontext.Twice},
		{`{"a":1,"\u0061":2}`, jsontext.OK, jsontext.Twice},
		{`{"a":{"b":1},"b":{"b":2}}`, jsontext.OK, jsontext.OK},
	} {
		if got := lax.Read([]byte(tt.text), nil); got != tt.lax {
			t.Errorf("%s: %v, want %v", tt.text, got, tt.lax)
		}
		if got := strict.Read([]byte(tt.text), nil); got != tt.strict {
			t.Errorf("%s, strictly: %v, want %v", tt.text, got, tt.strict)
		}
	}
}

func TestTwice(t *testing.T) {
	r := jsontext.Reader{MaxDepth: 9, Strict: true}
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:                       "a",
		`{"a":{"b":{"c":1,"c":2}}}`:           "a.b.c",
		`{"a":[[{"b":1,"b":2}]]}`:             "a.b",
		`{"x":{"y":1},"":{"a":1,"\u0061":2}}`: "a",
	} {
		if fault := r.Read([]byte(text), nil); fault != jsontext.Twice || r.Twice() != want {
			t.Errorf("%s: %v of %q, want %q", text, fault, r.Twice(), want)
		}
	}
}

// TestTwiceAmongMany: a duplicate name is found among any number of names, also
// by a reader that is used again.
func TestTwiceAmongMany(t *testing.T) {
	r := jsontext.Reader{MaxDepth: 2, Strict: true}
	for _, n := range []int{1, 15, 16, 17, 18, 1000, 100} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(`"k%d":0`, i))
		}
		text := "{" + strings.Join(names, ",")
		if fault := r.Read([]byte(text+"}"), nil); fault != jsontext.OK {
			t.Errorf("%d names: %v", n, fault)
		}
		for _, again := range []int{0, n / 2, n - 1} {
			twice := fmt.Sprintf(`%s,"k%d":0}`, text, again)
			if fault := r.Read([]byte(twice), nil); fault != jsontext.Twice || r.Twice() != fmt.Sprint("k", again) {
				t.Errorf("%d names, %d again: %v of %q", n, again, fault, r.Twice())
			}
		}
	}
	if r.Room() == 0 {
		t.Error("the reader kept no memory")
	}
}

func TestMembers(t *testing.T) {
	text := ` { "a" : 1.50 , "b":"x\"}", "\u0063":{ "d" : [ 1 , 2 ] },"e":null ,"a":[ "]" ] } `
	want := []string{"a=1.50", `b="x\"}"`, `c={ "d" : [ 1 , 2 ] }`, "e=null", `a=[ "]" ]`}
	var got, read []string
	for name, value := range jsontext.Members([]byte(text)) {
		got = append(got, string(name)+"="+string(value))
	}
	r := jsontext.Reader{MaxDepth: 3}
	r.Read([]byte(text), func(name, value []byte) { read = append(read, string(name)+"="+string(value)) })
	if diff := cmp.Diff(want, got) + cmp.Diff(want, read); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]int{"": 0, " ": 0, "{}": 0, "[]": 0, "1": 0, `{"a":1,`: 1, `{"a":1,"b"`: 1, `{"a":`: 0} {
		n := 0
		for range jsontext.Members([]byte(text)) {
			n++
		}
		if n != want {
			t.Errorf("%q: %d members, want %d", text, n, want)
		}
	}
}

func TestElements(t *testing.T) {
	var got []string
	for value := range jsontext.Elements([]byte(` [ 1 , "a,b" , [ ] ,{ "c" : [2] } ] `)) {
		got = append(got, string(value))
	}
	if diff := cmp.Diff([]string{"1", `"a,b"`, "[ ]", `{ "c" : [2] }`}, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "[]", "{}", "1", "[", "[ ]"} {
		for value := range jsontext.Elements([]byte(text)) {
			t.Errorf("%q has the element %q", text, value)
		}
	}
}

func TestFirst(t *testing.T) {
	for text, want := range map[string]byte{"": 0, " \t\r\n": 0, " {": '{', "x": 'x'} {
		if got := jsontext.First([]byte(text)); got != want {
			t.Errorf("%q starts with %q, want %q", text, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for value, want := range map[string]string{`"a\u0062\n\ud83d"`: "ab\n\ufffd", `""`: "", "12": "", "null": "", "": "", `{"a":1}`: ""} {
		if got := jsontext.Text([]byte(value)); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func TestScanNumber(t *testing.T) {
	for text, want := range map[string]jsontext.Number{
		"0": {1, 1, 1}, "-0": {2, 2, 2}, "12.50": {2, 5, 5}, "1e5": {1, 1, 3}, "-1.5E-10x": {2, 4, 8}, "7,": {1, 1, 1},
	} {
		if got, ok := jsontext.ScanNumber(text); !ok || got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "-", "x", "+1", ".5", "01", "-01", "1.", "1.e5", "1e", "1e+", "--1"} {
		if got, ok := jsontext.ScanNumber([]byte(text)); ok {
			t.Errorf("%q is the number %v", text, got)
		}
	}
}

// TestAppendString: the bytes are those of encoding/json.
func TestAppendString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("\x00\b\t\n\f\r\x1f \"\\/<>&\u007f\u2027\u2028\u2029\u202a\ufffd")))).Draw(t, "s")
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := jsontext.AppendString([]byte("x"), s); string(got) != "x"+string(want) {
			t.Errorf("%s, want %s", got, want)
		}
		if got := jsontext.Unquote(want); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	})
}

// FuzzRead: a reader that is not strict accepts the same texts as encoding/json
// and splits them into the same parts.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `{"a":[1,-2.5e+3,"b\u00e9\ud83d\ude00\ud83d",true,{"c":null}],"a":0}`, `"\ud83d\ud83d\ude00"`, `[1,]`, `01`,
		"\"\x1f\"", `{"a"}`, `"\u12g4"`, `1.`, `-`, "\"\u2028\"",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return
		}
		r := jsontext.Reader{MaxDepth: 10_000}
		fault := r.Read(text, nil)
		if (fault == jsontext.OK) != json.Valid(text) {
			t.Fatalf("fault %v, encoding/json says %v", fault, json.Valid(text))
		}
		if fault == jsontext.OK {
			takeApart(t, text)
		}
	})
}

// takeApart compares the parts of valid JSON with those of encoding/json.
func takeApart(t *testing.T, text []byte) {
	switch jsontext.First(text) {
	case '{':
		want, got := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		for name, value := range jsontext.Members(text) {
			got[string(name)] = value
			takeApart(t, value)
		}
		if err := json.Unmarshal(text, &want); err != nil || !cmp.Equal(want, got) {
			t.Fatalf("%v\n%s", err, cmp.Diff(want, got))
		}
	case '[':
		want, got := []json.RawMessage{}, []json.RawMessage{}
		for value := range jsontext.Elements(text) {
			got = append(got, value)
			takeApart(t, value)
		}
		if err := json.Unmarshal(text, &want); err != nil || !slices.EqualFunc(want, got, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%v\n%s", err, cmp.Diff(want, got))
		}
	case '"':
		var want string
		if err := json.Unmarshal(text, &want); err != nil || jsontext.Unquote(bytes.TrimSpace(text)) != want {
			t.Fatalf("%v: %q, want %q", err, jsontext.Unquote(bytes.TrimSpace(text)), want)
		}
	}
}
