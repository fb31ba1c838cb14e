package main

import (
	"regexp"
	"strconv"
)

// A goal is one figure of one gate: a metric of a benchmark, and its bound. A
// goal without a metric holds when its test passes.
type goal struct {
	gate, what string
	bench
	metric string // the unit in the benchmark's output
	minus  string // the unit that is taken off; empty: none
	in     string // matches the names of the sub-benchmarks that count; empty: all
	limit  float64
	aim    float64
	least  bool // the figure must be at least limit, otherwise at most

	// known is the bound within which it is known not to hold, and why says for what reason, and
	// what it means to who waits.
	known float64
	why   string
}

// judge returns the worst figure that a benchmark printed for the goal, as text,
// and whether it is within the gate.
func (g goal) judge(out output) (measured string, holds bool) {
	if out.err != nil {
		return "failed: " + out.err.Error(), false
	}
	if g.metric == "" {
		return "passed", true
	}
	name, worst, found := regexp.MustCompile(g.in), 0.0, false
	for _, l := range out.lines {
		value, has := l.metrics[g.metric]
		if !has || !name.MatchString(l.name) {
			continue
		}
		value -= l.metrics[g.minus]
		if !found || g.least && value < worst || !g.least && value > worst {
			worst, found = value, true
		}
	}
	if !found {
		return "not measured", false
	}
	if g.least {
		return number(worst), worst >= g.limit
	}
	return number(worst), worst <= g.limit
}

// isKnown reports whether a goal that does not hold is within what is known of it.
func (g goal) isKnown(out output) bool {
	g.limit = g.known
	_, holds := g.judge(out)
	return g.why != "" && holds
}

// bound writes what the figure has to be, and what it should become.
func (g goal) bound() string {
	switch {
	case g.metric == "":
		return "passes"
	case g.least:
		return "≥ " + number(g.limit) + " (" + number(g.aim) + ")"
	}
	return "≤ " + number(g.limit) + " (" + number(g.aim) + ")"
}

// number writes a figure with at most three digits after the point, and no more
// digits than say something.
func number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
