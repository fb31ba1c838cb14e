package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `goos: linux
BenchmarkSale/hot-2         	       1	      8959 ns/op	      5.453 x-floor	    3943 B/op	      27 allocs/op
BenchmarkSale/spread-2      	       1	      9000 ns/op	      6 x-floor	    3943 B/op	      25 allocs/op	  20 floor-allocs/op
PASS
`

func TestParse(t *testing.T) {
	got := fmt.Sprint(parse(strings.NewReader(printed)))
	want := fmt.Sprint([]line{
		{"BenchmarkSale/hot-2", map[string]float64{"ns/op": 8959, "x-floor": 5.453, "B/op": 3943, "allocs/op": 27}},
		{"BenchmarkSale/spread-2", map[string]float64{"ns/op": 9000, "x-floor": 6, "B/op": 3943, "allocs/op": 25, "floor-allocs/op": 20}},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJudge(t *testing.T) {
	out := output{lines: parse(strings.NewReader(printed))}
	for _, c := range []struct {
		name     string
		goal     goal
		out      output
		measured string
		holds    bool
	}{
		{"the worst of all counts", goal{metric: "x-floor", limit: 5.9}, out, "6", false},
		{"the bound itself holds", goal{metric: "x-floor", limit: 6}, out, "6", true},
		{"some sub-benchmarks only", goal{metric: "x-floor", in: "/hot-", limit: 5.9}, out, "5.45", true},
		{"at least: the smallest counts", goal{metric: "x-floor", limit: 5.5, least: true}, out, "5.45", false},
		{"at least, and it is", goal{metric: "x-floor", limit: 5, least: true}, out, "5.45", true},
		{"a difference", goal{metric: "allocs/op", in: "spread", minus: "floor-allocs/op", limit: 5}, out, "5", true},
		{"no such metric", goal{metric: "x-redis", limit: 5}, out, "not measured", false},
		{"nothing ran", goal{metric: "x-floor", limit: 5}, output{}, "not measured", false},
		{"it failed", goal{metric: "x-floor", limit: 9}, output{err: errors.New("exit status 1")}, "failed: exit status 1", false},
		{"a test passed", goal{}, output{}, "passed", true},
		{"a test failed", goal{}, output{err: errors.New("exit status 1")}, "failed: exit status 1", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if measured, holds := c.goal.judge(c.out); measured != c.measured || holds != c.holds {
				t.Errorf("%q, %t; want %q, %t", measured, holds, c.measured, c.holds)
			}
		})
	}
}

// TestKnown: a goal that does not hold stands below the table with its reason, and all are held to
// what is known of it.
func TestKnown(t *testing.T) {
	b := bench{name: "BenchmarkX"}
	results := map[bench]output{b: {lines: parse(strings.NewReader(printed))}}
	missed := goal{gate: "P1", what: "sale", bench: b, metric: "x-floor", limit: 5}
	for _, c := range []struct {
		known float64
		why   string
		held  bool
		says  string
	}{
		{6, "It does more.", true, "- P1, sale: It does more.\n"},
		{5.9, "It does more.", false, "- P1, sale: this is worse than what is known (5.90): It does more.\n"},
		{6, "", false, "- P1, sale: nobody knows why.\n"},
	} {
		g := missed
		g.known, g.why = c.known, c.why
		var out strings.Builder
		if held := report(&out, []goal{g}, results); held != c.held || !strings.Contains(out.String(), "**6**") || !strings.HasSuffix(out.String(), c.says) {
			t.Errorf("%+v: %t\n%s", c, held, out.String())
		}
	}
	missed.limit = 6
	var out strings.Builder
	if held := report(&out, []goal{missed}, results); !held || strings.Contains(out.String(), "does not hold") {
		t.Errorf("it holds: %t\n%s", held, out.String())
	}
}

// Every gate has a row, and P16 is a part of the others.
func TestGoalsWhole(t *testing.T) {
	for _, g := range goals {
		worse := g.known > g.limit
		if g.least {
			worse = g.known < g.limit
		}
		if g.why != "" && !worse || g.why == "" && g.known != 0 {
			t.Errorf("%s, %s is known up to %v of %v: %q", g.gate, g.what, g.known, g.limit, g.why)
		}
	}
	for n := 1; n <= 26; n++ {
		name := fmt.Sprintf("P%d", n)
		if rows := choose(goals, name); len(rows) == 0 && name != "P16" {
			t.Errorf("%s has no row", name)
		}
	}
}

// Every benchmark and test of the table is in the folder that the table names.
func TestGoalsExist(t *testing.T) {
	for _, b := range benchesOf(goals) {
		if b == suite {
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", "..", b.dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d test files, %v", b.dir, len(files), err)
		}
		if !declared(t, files, b.name) {
			t.Errorf("%s has no %s", b.dir, b.name)
		}
	}
}

func declared(t *testing.T, files []string, name string) bool {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\nfunc "+name+"(")) {
			return true
		}
	}
	return false
}

func TestReport(t *testing.T) {
	b := bench{dir: "affiliate", name: "BenchmarkSale"}
	chosen := []goal{
		{gate: "P1", what: "a sale", bench: b, metric: "x-floor", limit: 6, aim: 1.5},
		{gate: "P2", what: "its allocations", bench: b, metric: "allocs/op", limit: 20, aim: 8},
	}
	var text bytes.Buffer
	if report(&text, chosen, map[bench]output{b: {lines: parse(strings.NewReader(printed))}}) {
		t.Error("27 allocations were not too many")
	}
	want := `| gate | goal | measured | bound (aim) |
|---|---|---|---|
| P1 | a sale | 6 | ≤ 6 (1.50) |
| P2 | its allocations | **27** | ≤ 20 (8) |

What does not hold, and why:
- P2, its allocations: nobody knows why.
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}
