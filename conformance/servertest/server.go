package servertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// A Server is a server of the HTTP API that is to be tested.
//
// Its program has terms in percent, US dollars as its currency and the other
// options of [affiliate.Config] at their defaults, and the server takes bodies
// of 1 MiB. There is room for at least five more webhook endpoints. The program
// may hold data of any kind and be in use.
type Server struct {
	URL   string       // what stands before /api/v1
	Key   string       // of the program
	HTTP  *http.Client // nil: one of its own. Redirects are not followed
	Known []string     // cases that this server is known to fail, by name

	// PrivateAddresses says that the server delivers webhooks to addresses that
	// are not public, and perhaps over http: [affiliate.AddressPolicy]. Which of
	// them it opens is its own affair, but one must be open, every form of an
	// address counts as the address, and metadata services stay closed. False:
	// all are closed.
	PrivateAddresses bool
}

// TestServer runs the wire contract against a server: one sub-test for each
// case. A case that fails logs the rule that it defends, the request, what the
// contract says and what came.
//
// The cases make records of their own under names that no run has used before,
// and leave most of them behind; webhook endpoints are deleted. A case in
// s.Known must fail: one that passes, or does not exist, is an error.
//
// Source: docs/contract.md 1 to 4.
func TestServer(t *testing.T, s Server) {
	report, err := CheckServer(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Outcome == Failed || r.Outcome == Unexpected {
				t.Error(r)
			}
		})
	}
	t.Logf("%d cases, %d requests: %s", len(report.Results), report.Requests, report.counts())
}

// CheckServer is [TestServer] for programs: it runs the same cases and reports.
//
// Errors: a server that does not answer or does not take the key, a URL that is
// none, a known case that does not exist, the end of ctx.
func CheckServer(ctx context.Context, s Server) (Report, error) {
	u, err := newSuite(s)
	if err != nil {
		return Report{}, err
	}
	if err := u.knock(ctx); err != nil {
		return Report{}, err
	}
	return u.check(ctx, serverCases())
}

// An Outcome is what came of a case.
type Outcome string

// The outcomes.
const (
	Passed     Outcome = "passed"
	Failed     Outcome = "failed"
	Known      Outcome = "known"      // it failed, as it is known to
	Unexpected Outcome = "unexpected" // it passed, and is known to fail
)

// A Report is what came of a run.
type Report struct {
	URL      string   `json:"url"`
	Requests int      `json:"requests"` // that were made
	Results  []Result `json:"results"`  // in the order of the contract
}

// A Result is what came of one case.
type Result struct {
	Name     string    `json:"name"`
	Rule     string    `json:"rule"` // that the case defends
	Outcome  Outcome   `json:"outcome"`
	Failures []Failure `json:"failures,omitempty"`
}

// A Failure is one thing that was not as the contract says.
type Failure struct {
	Request string `json:"request"`
	Want    string `json:"want"`
	Got     string `json:"got"`
}

// Count is the number of results with an outcome.
func (r Report) Count(o Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == o {
			n++
		}
	}
	return n
}

// OK reports whether every case passed, those aside that are known to fail.
func (r Report) OK() bool { return r.Count(Failed) == 0 && r.Count(Unexpected) == 0 }

func (r Report) counts() string {
	return fmt.Sprintf("%d passed, %d failed, %d known to fail, %d known to fail that passed",
		r.Count(Passed), r.Count(Failed), r.Count(Known), r.Count(Unexpected))
}

// String is the report for people: every failure, then the counts.
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

// String is the result for people.
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

// A serverCase is one way to break the wire contract.
type serverCase struct {
	name string // begins with its number in the corpus of bad inputs, where it has one
	rule string // printed when the case fails
	run  func(x *exam)
}

// serverCases lists the cases in the order of the contract. Those over all
// answers of a run come last.
func serverCases() []serverCase {
	return slices.Concat(
		accessCases(), methodCases(), bodyCases(), gateCases(), queryCases(), pageCases(),
		couponCases(), couponChangeCases(), codeCases(), codeChangeCases(),
		affiliateCases(), affiliateChangeCases(), linkCases(), referralCases(),
		saleCases(), saleRefusalCases(), saleChangeCases(), previewCases(),
		onceCases(), changeCases(), endpointCases(), deliveryCases(), eventCases(), raceCases(), scenarioCases(),
		everyCases(),
	)
}

// check runs the cases one after the other.
func (u *suite) check(ctx context.Context, cases []serverCase) (Report, error) {
	for _, name := range u.server.Known {
		if !slices.ContainsFunc(cases, func(c serverCase) bool { return c.name == name }) {
			return Report{}, fmt.Errorf("servertest: there is no case %q", name)
		}
	}
	defer u.cleanUp(context.WithoutCancel(ctx))
	report := Report{URL: u.base}
	for i, c := range cases {
		result := u.judge(ctx, i, c)
		if ctx.Err() != nil {
			return Report{}, ctx.Err()
		}
		report.Results = append(report.Results, result)
	}
	report.Requests = int(u.requests.Load())
	return report, nil
}

// judge runs one case.
func (u *suite) judge(ctx context.Context, number int, c serverCase) Result {
	x := u.newExam(ctx, number)
	x.attempt(func() { c.run(x) })
	x.cleanUp()
	outcome := Passed
	known := slices.Contains(u.server.Known, c.name)
	switch failed := len(x.failures) > 0; {
	case failed && known:
		outcome = Known
	case failed:
		outcome = Failed
	case known:
		outcome = Unexpected
	}
	return Result{Name: c.name, Rule: c.rule, Outcome: outcome, Failures: x.failures}
}

// patience is how long a request may take.
const patience = 10 * time.Second

// newSuite checks what the caller says about the server.
func newSuite(s Server) (*suite, error) {
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.RawQuery != "" {
		return nil, fmt.Errorf("servertest: Server.URL is no URL of a server")
	}
	if s.Key == "" {
		return nil, errors.New("servertest: Server.Key is empty")
	}
	client := http.Client{Timeout: patience}
	if s.HTTP != nil {
		client = *s.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &suite{
		server: s, base: strings.TrimRight(s.URL, "/"), http: &client, run: newRun(), made: map[string]string{},
		every: map[string][]Failure{}, rules: everyRules(), operations: operations(),
	}, nil
}
