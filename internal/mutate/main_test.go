package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// Every mutant of a small package is found and tried, and exactly those live that its
// tests cannot tell from the package: one that means the same, and one that no test
// looks at.
func TestMutants(t *testing.T) {
	const same, unseen = "testdata/rules/rules.go Left: left < 0 => <=", "testdata/rules/rules.go Count: *n++ => left out"
	const dead = "testdata/rules/rules.go Left: left < 0 => not so"
	var totals, log bytes.Buffer
	o := options{folders: []string{"testdata/rules"}, files: []string{"testdata/rules/rules.go"}, workers: 2, out: &totals, log: &log, reasons: map[string]string{same: "0 is 0", dead: "it was so", "other.go F: x => y": "not tried"}}
	err := run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), unseen) || strings.Contains(err.Error(), same) || strings.Count(err.Error(), "without a reason") != 1 {
		t.Errorf("survivors: %v\n%s", err, &log)
	}
	if err == nil || strings.Count(err.Error(), "does not survive") != 1 || !strings.Contains(err.Error(), dead) {
		t.Errorf("what is listed and dead: %v", err)
	}
	if got := strings.Count(log.String(), "survived"); got != 2 {
		t.Errorf("%d survived:\n%s", got, &log)
	}
	const row, sum = "| testdata/rules/rules.go | 19 | 17 | 2 |", "Of 19 in 1 files 17 were killed, 89.5 per cent."
	if !strings.Contains(log.String(), row) || !strings.HasPrefix(totals.String(), sum) || strings.Contains(totals.String(), "|") {
		t.Errorf("%s\n%s", &totals, &log)
	}
}

// TestMutantsOfOneFunction: the mutants of other functions are not tried, and what is listed
// of those is not missed. A pattern chooses the tests.
func TestMutantsOfOneFunction(t *testing.T) {
	const unseen = "testdata/rules/rules.go Count: *n++ => left out"
	var totals, log bytes.Buffer
	o := options{folders: []string{"testdata/rules:^TestNone$"}, files: []string{"testdata/rules/rules.go"}, funcs: []string{"Count"}, workers: 2,
		out: &totals, log: &log, reasons: map[string]string{"testdata/rules/rules.go Left: left < 0 => not so": "it was so"}}
	err := run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), unseen) || strings.Contains(err.Error(), "Left") {
		t.Errorf("%v\n%s", err, &log)
	}
}

// A package whose tests fail without a mutant says nothing about mutants.
func TestMutantsOfFailingTests(t *testing.T) {
	var log bytes.Buffer
	o := options{folders: []string{"testdata/rules"}, files: []string{"testdata/rules/rules.go"}, workers: 2, flags: []string{"-no.such.flag"}, out: &log, log: &log}
	if err := run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "fail without a mutant") {
		t.Errorf("with tests that cannot run: %v\n%s", err, &log)
	}
}

// TestSurvivors: each line of the list has a key and a reason.
func TestSurvivors(t *testing.T) {
	lines := 0
	for line := range strings.Lines(survivorsText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			lines++
		}
	}
	if got := survivors(survivorsText); len(got) != lines || lines == 0 {
		t.Errorf("%d lines, %d reasons", lines, len(got))
	}
}

// TestRuleFiles: every file of the list is there.
func TestRuleFiles(t *testing.T) {
	for _, file := range ruleFiles {
		if _, err := os.Stat("../../" + file); err != nil {
			t.Error(err)
		}
	}
}
