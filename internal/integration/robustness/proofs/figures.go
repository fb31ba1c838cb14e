package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// An event is a line of go test -json.
type event struct {
	Action, Test, Key, Value, Output string
}

// figures are what the tests counted: the attributes of each kind, in the order
// of the tests.
type figures struct {
	histories, planted, exactly []attribute
	servers                     []string                     // what is broken: what became of it
	faults                      map[string]map[string]string // of the tests of faults, by what they count
	told                        map[string]bool              // the tests that counted something, or said that they are skipped
}

// An attribute is what one test counted.
type attribute struct {
	test  string // without its first part
	value map[string]string
}

// read collects the attributes of passed tests.
func read(r io.Reader) (figures, error) {
	f := figures{faults: map[string]map[string]string{}, told: map[string]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if what, ok := strings.CutPrefix(lines.Text(), "SKIPPED: "); ok { // a script says so
			f.servers = append(f.servers, "SKIPPED: "+what)
			f.told[script] = true
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return f, fmt.Errorf("no event of a test: %.80q", lines.Text())
		}
		if e.Action == "fail" {
			return f, fmt.Errorf("%s failed", e.Test)
		}
		top, test, _ := strings.Cut(e.Test, "/")
		if _, why, ok := strings.Cut(e.Output, "SKIPPED: "); ok && e.Action == "output" {
			f.servers = append(f.servers, "SKIPPED: "+e.Test+": "+strings.TrimSpace(why))
		}
		if e.Action == "attr" || e.Action == "skip" {
			f.told[top] = true
		}
		if e.Action != "attr" {
			continue
		}
		a := attribute{strings.ReplaceAll(test, "_", " "), map[string]string{}}
		for _, field := range strings.Fields(e.Value) {
			name, value, _ := strings.Cut(field, "=")
			a.value[name] = value
		}
		switch e.Key {
		case "histories":
			f.histories = append(f.histories, a)
		case "planted":
			f.planted = append(f.planted, a)
		case "exactly":
			f.exactly = append(f.exactly, a)
		case "faults", "slow", "lost", "pairs":
			f.faults[e.Key] = a.value
		case "server":
			f.servers = append(f.servers, e.Value)
		}
	}
	return f, lines.Err()
}

// script stands for the tests of a script that says SKIPPED.
const script = "a script"

// missing are those of the tests that counted nothing and did not say why. A test
// that was renamed, or that nothing selects, must not leave a table without its row.
func (f figures) missing(tests []string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(test string) bool { return f.told[test] })
}

// tell writes the output of the tests.
func tell(r io.Reader, w io.Writer) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Action == "output" && !strings.HasPrefix(e.Output, "=== ") {
			fmt.Fprint(w, e.Output)
		}
	}
}

// tables returns the figures in Markdown.
func (f figures) tables() string {
	var b strings.Builder
	f.historyTable(&b)
	f.plantTable(&b)
	f.exactTable(&b)
	f.faultText(&b)
	f.serverTable(&b)
	return b.String()
}

func (f figures) faultText(b *strings.Builder) {
	fmt.Fprintf(b, "**Faults.** %s operations; %s faults at the calls of their store; %s calls that took too long; "+
		"%s answers of writes lost after the commit; %s times two faults in turn, %s ordered pairs of kinds, of %s writes. "+
		"0 left anything behind, 0 counted twice, 0 kept others from their turn.\n",
		f.faults["faults"]["operations"], f.faults["faults"]["faults"], f.faults["slow"]["calls"],
		f.faults["lost"]["answers"],
		f.faults["pairs"]["pairs"], f.faults["pairs"]["kinds"], f.faults["pairs"]["operations"])
}

func (f figures) serverTable(b *strings.Builder) {
	if len(f.servers) == 0 {
		return // not at length
	}
	b.WriteString("\n**Servers that die.**\n\n| What | Figure |\n|---|---|\n")
	var rows []alike
	for _, line := range slices.Sorted(slices.Values(f.servers)) {
		what, figure, _ := strings.Cut(line, ": ")
		rows = join(rows, what, figure)
	}
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(row.what, "; "), row.figure)
	}
}

// alike are those that have the same figure.
type alike struct {
	what   []string
	figure string
}

// join adds one to those of its figure.
func join(rows []alike, what, figure string) []alike {
	i := slices.IndexFunc(rows, func(row alike) bool { return row.figure == figure })
	if i < 0 {
		return append(rows, alike{[]string{what}, figure})
	}
	if !slices.Contains(rows[i].what, what) {
		rows[i].what = append(rows[i].what, what)
	}
	return rows
}

// counted are what histories count, with the heads of their columns. What is zero
// everywhere is no column.
var counted = []struct{ key, head string }{
	{"histories", "Histories"}, {"operations", "Calls"}, {"illegal", "Illegal"},
	{"unknown", "Unknown"}, {"unverified", "Refused"},
	{"unanswered", "Unanswered"}, {"overlaps", "Overlaps"}, {"least", "Least"}, {"refusals", "Refusals"},
}

func (f figures) historyTable(b *strings.Builder) {
	total, places := map[string]int{}, map[string]map[string]int{}
	for _, a := range f.histories {
		where := a.test[:max(0, strings.LastIndex(a.test, "/"))]
		if places[where] == nil {
			places[where] = map[string]int{"least": number(a.value["least"])}
		}
		for _, c := range counted {
			n := number(a.value[c.key])
			total[c.key] += n
			if c.key == "least" {
				places[where][c.key] = min(places[where][c.key], n)
			} else {
				places[where][c.key] += n
			}
		}
	}
	fmt.Fprintf(b, "**Histories** of all models: %d illegal (not linearizable), %d unknown (not decided), %d refused (`Verify` found something, or an event was missing). "+
		"Unanswered: calls whose answer was lost. Overlaps: pairs of calls at once by two clients, in all, and in the history with the fewest. "+
		"Refusals: something was used up, taken or settled.\n\n", total["illegal"], total["unknown"], total["unverified"])
	head, rule, last := "| Where |", "|---|", "| **all** |"
	for _, c := range counted {
		if total[c.key] == 0 {
			continue
		}
		head, rule = head+" "+c.head+" |", rule+"---|"
		if c.key == "least" {
			last += " |"
		} else {
			last += fmt.Sprintf(" **%d** |", total[c.key])
		}
	}
	fmt.Fprintf(b, "%s\n%s\n", head, rule)
	for _, where := range slices.Sorted(maps.Keys(places)) {
		fmt.Fprintf(b, "| %s |", where)
		for _, c := range counted {
			if total[c.key] > 0 {
				fmt.Fprintf(b, " %d |", places[where][c.key])
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "%s\n\n", last)
}

func (f figures) plantTable(b *strings.Builder) {
	type row struct {
		places, byHistory, byBooks, most int
	}
	rows := map[string]*row{}
	for _, a := range f.planted {
		bug := a.test[:max(0, strings.LastIndex(a.test, " on "))]
		if rows[bug] == nil {
			rows[bug] = new(row)
		}
		r := rows[bug]
		r.places++
		r.most = max(r.most, number(a.value["histories"]))
		if a.value["by"] == "history" {
			r.byHistory++
		} else {
			r.byBooks++
		}
	}
	b.WriteString("**Planted bugs.** Each is made on purpose wherever it fits, and must be caught within 200 histories.\n\n" +
		"| Planted bugs | Places of each | By a history | By `Verify` or a missing event | Histories, at most |\n|---|---|---|---|---|\n")
	var bugs []alike
	for _, bug := range slices.Sorted(maps.Keys(rows)) {
		r := rows[bug]
		bugs = join(bugs, bug, fmt.Sprintf("%d | %d | %d | %d", r.places, r.byHistory, r.byBooks, r.most))
	}
	for _, row := range bugs {
		fmt.Fprintf(b, "| %s | %s |\n", strings.Join(row.what, "; "), row.figure)
	}
	b.WriteString("\n")
}

func (f figures) exactTable(b *strings.Builder) {
	b.WriteString("**Exactly L of N.** 24 callers at once want what is there once, or L times; exactly so many get one, and `Verify` passes.\n\n" +
		"| Where | Scarce things | Rounds | Callers | Too many or too few |\n|---|---|---|---|---|\n")
	var rows []alike
	for _, a := range f.exactly {
		rows = join(rows, a.test,
			fmt.Sprintf("%s | %s | %s | 0", a.value["things"], a.value["rounds"],
				a.value["callers"]))
	}
	for _, row := range rows {
		fmt.Fprintf(b, "| each of %s | %s |\n", strings.Join(row.what, "; "), row.figure)
	}
	b.WriteString("\n")
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n) // not a number: 0
	return n
}
