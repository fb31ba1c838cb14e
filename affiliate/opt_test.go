package affiliate_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
