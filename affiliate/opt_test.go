package affiliate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

func TestOptStates(t *testing.T) {
	type facts struct {
		Value        string
		OK           bool
		Or           string
		Null, Absent bool
		JSON         string
	}
	for _, tt := range []struct {
		name string
		opt  affiliate.Opt[string]
		want facts
	}{
		{"NotGiven", affiliate.Opt[string]{}, facts{Or: "def", Absent: true, JSON: `null`}},
		{"Null", affiliate.Null[string](), facts{Or: "def", Null: true, JSON: `null`}},
		{"Value", affiliate.Set("a"), facts{Value: "a", OK: true, Or: "a", JSON: `"a"`}},
		{"ZeroValue", affiliate.Set(""), facts{OK: true, JSON: `""`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, ok := tt.opt.Get()
			b, err := json.Marshal(tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			got := facts{v, ok, tt.opt.Or("def"), tt.opt.IsNull(), tt.opt.IsZero(), string(b)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A sliceBox has an Equal method for which nil and empty are the same.
type sliceBox struct{ s []int }

func (b sliceBox) Equal(c sliceBox) bool {
	return cmp.Equal(append([]int{}, b.s...), append([]int{}, c.s...))
}

func TestOptEqual(t *testing.T) {
	here := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	there := here.In(time.FixedZone("", 3600))
	for _, tt := range []struct {
		name string
		got  bool
		want bool
	}{
		{"BothNotGiven", affiliate.Opt[int]{}.Equal(affiliate.Opt[int]{}), true},
		{"BothNull", affiliate.Null[int]().Equal(affiliate.Null[int]()), true},
		{"NullNotGiven", affiliate.Null[int]().Equal(affiliate.Opt[int]{}), false},
		{"ZeroNull", affiliate.Set(0).Equal(affiliate.Null[int]()), false},
		{"ZeroNotGiven", affiliate.Set(0).Equal(affiliate.Opt[int]{}), false},
		{"Same", affiliate.Set(1).Equal(affiliate.Set(1)), true},
		{"Other", affiliate.Set(1).Equal(affiliate.Set(2)), false},
		{"Slices", affiliate.Set([]int{1}).Equal(affiliate.Set([]int{1})), true},
		{"OtherSlices", affiliate.Set([]int{1}).Equal(affiliate.Set([]int{2})), false},
		{"Maps", affiliate.Set(map[string]int{"a": 1}).Equal(affiliate.Set(map[string]int{"a": 1})), true},
		{"OwnEqual", affiliate.Set(sliceBox{}).Equal(affiliate.Set(sliceBox{s: []int{}})), true},
		{"OwnEqualTime", affiliate.Set(here).Equal(affiliate.Set(there)), true},
		{"OwnEqualAmount", affiliate.Set(affiliate.MustAmount("1")).Equal(affiliate.Set(affiliate.MustAmount("1.0"))), true},
		{"NilInterfaces", affiliate.Set[any](nil).Equal(affiliate.Set[any](nil)), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("Equal = %v, want %v", tt.got, tt.want)
			}
		})
	}
}

type optBody struct {
	Name affiliate.Opt[string]            `json:"name,omitzero"`
	Tags affiliate.Opt[[]string]          `json:"tags,omitzero"`
	Rate affiliate.Opt[affiliate.Percent] `json:"rate,omitzero"`
	Max  affiliate.Opt[int64]             `json:"max,omitzero"`
}

func TestOptInStruct(t *testing.T) {
	for _, tt := range []struct {
		name string
		json string
		want optBody
	}{
		{"NotGiven", `{}`, optBody{}},
		{"Null", `{"name":null,"max":null}`, optBody{Name: affiliate.Null[string](), Max: affiliate.Null[int64]()}},
		{"Zero", `{"name":"","rate":0,"max":0}`, optBody{Name: affiliate.Set(""), Rate: affiliate.Set(affiliate.Percent{}), Max: affiliate.Set(int64(0))}},
		{"Value", `{"name":"a","tags":["x"],"rate":12.5,"max":9007199254740993}`,
			optBody{affiliate.Set("a"), affiliate.Set([]string{"x"}), affiliate.Set(affiliate.MustPercent("12.5")), affiliate.Set(int64(9007199254740993))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got optBody
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			back, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.json, string(back)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptRefused(t *testing.T) {
	got := affiliate.Set(int64(7))
	if err := json.Unmarshal([]byte(`"x"`), &got); err == nil {
		t.Error("a string was read into Opt[int64]")
	}
	if !got.Equal(affiliate.Set(int64(7))) {
		t.Errorf("a refused value changed the Opt to %v", got)
	}
	if _, err := json.Marshal(affiliate.Set(func() {})); err == nil {
		t.Error("a func was written")
	}
}

func TestOptHTMLIsTheEncodersChoice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		escape bool
		want   string
	}{
		{"Escaped", true, `"a\u0026b"` + "\n"},
		{"Plain", false, `"a&b"` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(tt.escape)
			if err := enc.Encode(affiliate.Set("a&b")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(
			rapid.Just(affiliate.Opt[[]string]{}),
			rapid.Just(affiliate.Null[[]string]()),
			rapid.Map(rapid.SliceOf(rapid.String()), affiliate.Set[[]string]),
		).Draw(t, "opt")
		b, err := json.Marshal(optBody{Tags: want})
		if err != nil {
			t.Fatal(err)
		}
		var got optBody
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if v, ok := want.Get(); ok && v == nil {
			want = affiliate.Null[[]string]() // a nil slice is null in JSON
		}
		if diff := cmp.Diff(want, got.Tags); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestOptPrints: an Opt prints as its value with every verb, and not as its
// fields.
func TestOptPrints(t *testing.T) {
	id := uuid.MustParse("0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01")
	noon := affiliate.TimeOf(time.Date(2026, 3, 11, 9, 24, 18, 442e6, time.UTC))
	for _, tt := range []struct{ got, want string }{
		{fmt.Sprint(affiliate.Set(id)), "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"},
		{fmt.Sprint(affiliate.Set(noon)), "2026-03-11T09:24:18.442Z"},
		{fmt.Sprint(affiliate.Set(affiliate.MustAmount("12.5"))), "12.5"},
		{affiliate.Set(affiliate.MustAmount("12.5")).String(), "12.5"},
		{fmt.Sprint(affiliate.Null[uuid.UUID]()), "null"},
		{affiliate.Null[uuid.UUID]().String(), "null"},
		{fmt.Sprint(affiliate.Opt[string]{}), "not given"},
		{fmt.Sprintf("%q", affiliate.Set("a b")), `"a b"`},
		{fmt.Sprintf("%05d|%-5s|%5s", affiliate.Set(int64(42)), affiliate.Set("ab"), affiliate.Null[string]()), "00042|ab   | null"},
		{fmt.Sprintf("%+v", affiliate.SaleUpdate{Name: affiliate.Set("Tomas")}.Name), "Tomas"},
		{fmt.Sprintf("%+v", struct{ A, B, C affiliate.Opt[int] }{affiliate.Set(1), affiliate.Null[int](), affiliate.Opt[int]{}}), "{A:1 B:null C:not given}"},
		{fmt.Sprintf("%#v", affiliate.Set("a")), `affiliate.Set("a")`},
		{fmt.Sprintf("%#v", affiliate.Null[int64]()), "affiliate.Null[int64]()"},
		{fmt.Sprintf("%#v", affiliate.Opt[uuid.UUID]{}), "affiliate.Opt[uuid.UUID]{}"},
		{fmt.Sprint(affiliate.Set(affiliate.Secret("whsec_secret"))), "whsec_***"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// TestOptLogs: a log shows the value, or null as nothing, and leaves out fields
// that were not given.
func TestOptLogs(t *testing.T) {
	attrs := []any{
		"value", affiliate.Set(affiliate.MustAmount("12.5")), "null", affiliate.Null[string](), "none", affiliate.Opt[string]{},
		"secret", affiliate.Set(affiliate.Secret("whsec_secret")),
	}
	var out bytes.Buffer
	plain := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(slog.NewTextHandler(&out, plain)).Info("m", attrs...)
	slog.New(slog.NewJSONHandler(&out, plain)).Info("m", attrs...)
	want := []string{
		`msg=m value=12.5 null=<nil> secret=whsec_***`,
		`{"msg":"m","value":12.5,"null":null,"secret":"whsec_***"}`,
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Error(diff)
	}
}

// A stored enumeration has the JSON of its text, and takes one byte.
func TestEnum(t *testing.T) {
	for _, v := range []affiliate.SaleStatus{"", affiliate.SaleActive, affiliate.SaleRefunded} {
		e := affiliate.EnumOf(v)
		raw, err := json.Marshal(e)
		want, _ := json.Marshal(v)
		back := affiliate.EnumOf(affiliate.SaleActive)
		if err2 := json.Unmarshal(raw, &back); err != nil || err2 != nil || string(raw) != string(want) || back != e {
			t.Errorf("%q: %s, want %s; back %q; %v, %v", v, raw, want, back, err, err2)
		}
		if e.Value() != v || !e.Is(v) || e.Is("x") || e.String() != string(v) || !e.Equal(back) {
			t.Errorf("%q became %q", v, e)
		}
	}
	var e affiliate.Enum[affiliate.SaleStatus]
	if err := json.Unmarshal([]byte(`"GONE"`), &e); err == nil || e != affiliate.EnumOf(affiliate.SaleStatus("GONE")) {
		t.Errorf("an unknown text became %q, %v", e, err)
	}
	if got := unsafe.Sizeof(e); got != 1 {
		t.Errorf("%d bytes", got)
	}
}

// TestEventTypes: every declared type of event is listed and known, and nothing else is.
func TestEventTypes(t *testing.T) {
	src, err := os.ReadFile("family.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []affiliate.EventType
	for _, m := range regexp.MustCompile(`EventType = "(.*)"`).FindAllStringSubmatch(string(src), -1) {
		declared = append(declared, affiliate.EventType(m[1]))
	}
	listed := affiliate.EventTypes()
	if len(listed) < 15 || !slices.Equal(declared, listed) {
		t.Errorf("declared are %v, listed %v", declared, listed)
	}
	for _, typ := range listed {
		if !typ.Known() {
			t.Errorf("%s is not known", typ)
		}
	}
	for _, typ := range []affiliate.EventType{"", ".", "tier.created", "promo", "promocode", "promocodes.created"} {
		if typ.Known() {
			t.Errorf("%q is known", typ)
		}
	}
}
