package servertest

import (
	"fmt"
	"strings"
)

// An Outcome is the result of a case in one word.
type Outcome string

// The outcomes.
const (
	Passed     Outcome = "passed"
	Failed     Outcome = "failed"
	Known      Outcome = "known"      // it failed, as expected
	Unexpected Outcome = "unexpected" // it passed, although it is known to fail
)

// A Report is the result of a run.
type Report struct {
	URL      string   `json:"url"`
	Requests int      `json:"requests"` // the number of requests
	Results  []Result `json:"results"`  // in the order of the contract
}

// Count returns the number of results with an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// OK reports whether every case passed, except those that are known to fail.
func (r Report) OK() bool { return r.Count(Failed) == 0 && r.Count(Unexpected) == 0 }

func (r Report) counts() string {
	return fmt.Sprintf("%d passed, %d failed, %d known to fail, %d known to fail that passed",
		r.Count(Passed), r.Count(Failed), r.Count(Known), r.Count(Unexpected))
}

// String returns the report as text: every failure, then the counts.
func (r Report) String() string {
	var b strings.Builder
	for _, result := range r.Results {
		if result.Outcome == Failed || result.Outcome == Unexpected {
			fmt.Fprintf(&b, "%s\n\n", result)
		}
	}
	fmt.Fprintf(&b, "%s: %d cases, %d requests\n%s\n", r.URL, len(r.Results), r.Requests, r.counts())
	return b.String()
}

// A Result is the result of one case.
type Result struct {
	Name     string    `json:"name"`
	Rule     string    `json:"rule"` // that the case defends
	Outcome  Outcome   `json:"outcome"`
	Failures []Failure `json:"failures,omitempty"`
}

// String returns the result as text.
func (r Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n  rule:    %s", strings.ToUpper(string(r.Outcome)), r.Name, r.Rule)
	if r.Outcome == Unexpected {
		b.WriteString("\n  it is on the list of known failures, and passes")
	}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "\n  request: %s\n  want:    %s\n  got:     %s", f.Request, f.Want, f.Got)
	}
	return b.String()
}

// A Failure is one difference from the contract.
type Failure struct {
	Request string `json:"request"`
	Want    string `json:"want"`
	Got     string `json:"got"`
}
