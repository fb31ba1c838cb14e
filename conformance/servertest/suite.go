package servertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A suite is one run of the cases against one server.
type suite struct {
	server   Server
	base     string
	http     *http.Client
	run      string // part of every name in this run
	requests atomic.Int64

	mu       sync.Mutex
	made     map[string]string    // the values that cases share, by their names in templates
	every    map[string][]Failure // failures of the rules about every answer, by rule
	cleanups []func(context.Context)
}

// patience is the limit for one request.
const patience = 10 * time.Second

// newRun returns a text that no other run has. It begins with a letter and has
// only letters and digits.
func newRun() string { return "r" + strings.ToLower(rand.Text()[:9]) }

// newSuite checks the caller's Server and prepares a run.
func newSuite(s Server) (*suite, error) {
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.RawQuery != "" {
		return nil, fmt.Errorf("servertest: Server.URL is no URL of a server")
	}
	if s.Key == "" {
		return nil, errors.New("servertest: Server.Key is empty")
	}
	for _, group := range s.Skip {
		if !slices.Contains(groups, group) {
			return nil, fmt.Errorf("servertest: there is no group %q", group)
		}
	}
	client := http.Client{Timeout: patience}
	if s.HTTP != nil {
		client = *s.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &suite{
		server: s, base: strings.TrimRight(s.URL, "/"), http: &client, run: newRun(), made: map[string]string{},
		every: map[string][]Failure{},
	}, nil
}

// knock checks that the server answers and accepts the key.
func (u *suite) knock(ctx context.Context) error {
	x := u.newExam(ctx, -1)
	a, err := x.try(request{method: http.MethodGet, target: "/links?limit=1"})
	if err != nil {
		return fmt.Errorf("servertest: the server does not answer: %w", err)
	}
	if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		return fmt.Errorf("servertest: the server does not take the key: %d", a.status)
	}
	clear(u.every)
	return nil
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

// cleanUp deletes the records that must not be left behind.
func (u *suite) cleanUp(ctx context.Context) {
	for _, f := range slices.Backward(u.cleanups) {
		f(ctx)
	}
}
