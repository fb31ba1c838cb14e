package adapter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

const document = ` {"text": "a\u00e9", "number": -12, "yes": true, "nothing": null,
	"short": "pi_1", "long": {"id": "pi_2", "more": 1}, "list": [1, null, 3], "in": {"in": {"n": 7}}}`

func read(t *testing.T, text string) adapter.Value {
	t.Helper()
	v, err := adapter.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValues(t *testing.T) {
	v := read(t, document)
	var sum int64
	for element := range v.Get("list").Each() {
		sum += element.Integer()
	}
	for name, ok := range map[string]bool{
		"text":      v.Get("text").Text() == "aé",
		"number":    v.Get("number").Integer() == -12,
		"boolean":   v.Get("yes").True(),
		"null":      !v.Get("nothing").Given() && v.Get("nothing").Text() == "" && v.Get("nothing", "deep").Integer() == 0,
		"missing":   !v.Get("missing").Given() && !v.Get("missing").True() && v.Get("missing").Ref() == "",
		"id":        v.Get("short").Ref() == "pi_1",
		"expanded":  v.Get("long").Ref() == "pi_2",
		"elements":  sum == 4 && v.Get("list").First().Integer() == 1,
		"no list":   !v.Get("missing").First().Given(),
		"path":      v.Get("in", "in", "n").Integer() == 7,
		"zero":      !adapter.Value{}.Get("x").Given(),
		"no faults": v.Err() == nil,
	} {
		if !ok {
			t.Errorf("%s is not read", name)
		}
	}
}

// TestWrongTypes: a field of another type is a fault that names it, and only when
// it is read.
func TestWrongTypes(t *testing.T) {
	for name, ask := range map[string]func(adapter.Value){
		"number is not a string":      func(v adapter.Value) { v.Get("number").Text() },
		"text is not an integer":      func(v adapter.Value) { v.Get("text").Integer() },
		"text is not a boolean":       func(v adapter.Value) { v.Get("text").True() },
		"text is not an object":       func(v adapter.Value) { v.Get("text", "id").Text() },
		"number is not an array":      func(v adapter.Value) { v.Get("number").First() },
		"list is not a string":        func(v adapter.Value) { v.Get("list").Ref() },
		"long.more is not a string":   func(v adapter.Value) { v.Get("long", "more").Text() },
		"in.in.n is not an object":    func(v adapter.Value) { v.Get("in", "in", "n", "x").Given() },
		"list.* is not a string":      func(v adapter.Value) { each(v.Get("list"), 2).Text() },
		"number is out of this world": func(v adapter.Value) { v.Get("number").Fail("is out of this world") },
	} {
		v := read(t, document)
		ask(v)
		if err := v.Err(); !errors.Is(err, adapter.ErrPayload) || !strings.HasSuffix(err.Error(), ": "+name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

func each(v adapter.Value, n int) (element adapter.Value) {
	for element = range v.Each() {
		if n--; n < 0 {
			break
		}
	}
	return element
}

// TestFirstFault: a document has one fault, the first.
func TestFirstFault(t *testing.T) {
	v := read(t, document)
	v.Get("text").Integer()
	v.Get("number").Text()
	if err := v.Err(); !strings.Contains(err.Error(), "text is not an integer") {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"array":         "[]",
		"string":        `"x"`,
		"two objects":   "{}{}",
		"no end":        `{"a": 1`,
		"twice":         `{"a": {"b": 1, "b": 2}}`,
		"twice escaped": `{"a": 1, "\u0061": 2}`,
		"not UTF-8":     "{\"a\": \"\xff\"}",
		"half a pair":   `{"a": "\ud800"}`,
		"too deep":      strings.Repeat(`{"a":`, 64) + "{}" + strings.Repeat("}", 64),
		"trailing":      "{} x",
		"leading zero":  `{"a": 01}`,
	} {
		if _, err := adapter.Read([]byte(text)); !errors.Is(err, adapter.ErrPayload) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := adapter.Read([]byte(strings.Repeat(`{"a":`, 63) + "{}" + strings.Repeat("}", 63))); err != nil {
		t.Errorf("64 levels: %v", err)
	}
	for _, n := range []string{"1.0", "1e3", "9223372036854775808", "-"} {
		v, err := adapter.Read([]byte(`{"n": ` + n + `}`))
		if err == nil {
			v.Get("n").Integer()
			err = v.Err()
		}
		if !errors.Is(err, adapter.ErrPayload) {
			t.Errorf("%s: %v", n, err)
		}
	}
}

// TestPairs: a list of names and values is an object of its texts and numbers, the first of each
// name, and nothing in it is a fault.
func TestPairs(t *testing.T) {
	root, err := adapter.Read([]byte(`{"list":[{"name":"a","value":"1"},{"name":"a","value":"2"},{"name":"n","value":7},
		{"name":"o","value":{"x":1}},{"name":"e","value":""},{"name":null,"value":"z"},"text",null,[]],"no":"list"}`))
	if err != nil {
		t.Fatal(err)
	}
	pairs := adapter.Pairs(root.Get("list"), "name", "value")
	for name, want := range map[string]string{"a": "1", "n": "7", "o": "", "e": "", "b": ""} {
		if got := pairs.Get(name).Loose(); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, list := range []adapter.Value{root.Get("no"), root.Get("missing"), {}} {
		if pairs := adapter.Pairs(list, "name", "value"); !pairs.IsObject() {
			t.Error("it is no object")
		}
	}
	if root.Err() != nil {
		t.Error(root.Err())
	}
}

// TestLinesKeepMoney: what lines cost is what their payment cost, whatever they give back; no
// discount is above its amount, and all are whole units.
func TestLinesKeepMoney(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(rt, name) }
		of := adapter.Whole{Unit: rapid.SampledFrom([]int64{10, 100, 10_000}).Draw(rt, "unit")}
		var parts []adapter.Part
		net, sold := int64(0), int64(0)
		for i := range number("lines", 1, 8) {
			p := adapter.Part{ID: fmt.Sprint("l", i), Of: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "of")}
			if p.Gross = number("gross", -1000, 9000); p.Gross < 0 {
				p.Net = p.Gross + number("tax given back", 0, -p.Gross)
			} else {
				p.Off = number("off", 0, p.Gross)
				p.Net = number("net", 0, p.Gross-p.Off)
				sold += p.Net
			}
			for _, n := range []*int64{&p.Gross, &p.Off, &p.Net} {
				*n *= of.Unit
			}
			parts, net, of.Gross = append(parts, p), net+p.Net, of.Gross+p.Gross
		}
		of.Net = net
		lines, why := adapter.Lines(parts, of)
		if net < 0 || sold == 0 {
			if net < 0 && why != pay.LinesUnclear {
				rt.Fatalf("%d is given back, and the lines are %v", -net, lines)
			}
			return
		}
		if why != "" {
			rt.Fatalf("no lines: %s", why)
		}
		for _, l := range lines {
			if l.Discount.Sign() < 0 || l.Discount.Cmp(l.Amount) > 0 || l.Amount.Scaled()%of.Unit != 0 || l.Discount.Scaled()%of.Unit != 0 {
				rt.Fatalf("line %v", l)
			}
			net -= l.Amount.Scaled() - l.Discount.Scaled()
		}
		if net != 0 {
			rt.Fatalf("%s is lost", affiliate.AmountFromScaled(net))
		}
	})
}
