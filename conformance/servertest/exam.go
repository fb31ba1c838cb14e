package servertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An exam is one run of a case. It collects failures, as a testing.TB does, and
// several goroutines may use it.
type exam struct {
	*suite
	ctx    context.Context
	unique string            // {{u}}
	names  map[string]string // what the case has made, by the name in a template

	mu       sync.Mutex
	failures []Failure
	cleanups []func()
}

// enough is the number of failures of one case that are reported.
const enough = 3

func (u *suite) newExam(ctx context.Context, number int) *exam {
	return &exam{suite: u, ctx: ctx, unique: u.run + strconv.FormatInt(int64(number+1000), 36), names: map[string]string{}}
}

// attempt runs fn in a goroutine of its own, because fatal ends the goroutine.
func (x *exam) attempt(fn func()) {
	var wg sync.WaitGroup
	wg.Go(fn)
	wg.Wait()
}

// later runs fn after the case.
func (x *exam) later(fn func()) { x.cleanups = append(x.cleanups, fn) }

func (x *exam) cleanUp() {
	for _, f := range slices.Backward(x.cleanups) {
		x.attempt(f)
	}
}

// fail records a failure. The case goes on.
func (x *exam) fail(f Failure) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.failures) < enough {
		x.failures = append(x.failures, Failure{clip(f.Request), clip(f.Want), clip(f.Got)})
	}
}

// fatal records a failure and ends the case.
func (x *exam) fatal(f Failure) {
	x.fail(f)
	runtime.Goexit()
}

// clip shortens a text for a report.
func clip(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:most], ""), len(s))
}

// send makes a request, reads its answer and checks the rules for every answer.
func (x *exam) send(r request) *answer {
	r.target, r.body = x.fill(r.target), x.fill(r.body)
	a, err := x.try(r)
	if err != nil {
		x.fatal(Failure{r.String(), "an answer", err.Error()})
	}
	x.observe(a)
	return a
}

// do is send for an operation and a body.
func (x *exam) do(operation, body string) *answer { return x.send(call(operation, body)) }

// get is do for a GET.
func (x *exam) get(target string) *answer { return x.do("GET "+target, "") }

// try makes a request. When the connection breaks while a long body is sent, it
// tries again: a server may refuse before it has read everything.
func (x *exam) try(r request) (*answer, error) {
	const long, most = 64 << 10, 3
	for attempt := 1; ; attempt++ {
		a, err := x.once(r)
		if err == nil || len(r.body) < long || attempt == most {
			return a, err
		}
	}
}

func (x *exam) once(r request) (*answer, error) {
	path, fromRoot := strings.CutPrefix(r.target, "^")
	if !fromRoot {
		path = "/api/v1" + path
	}
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	if r.stream {
		body = io.MultiReader(body) // hides its length
	}
	req, err := http.NewRequestWithContext(x.ctx, r.method, x.base+path, body)
	if err != nil {
		return nil, errors.New("the request cannot be made")
	}
	req.Header.Set("Authorization", "Bearer "+x.server.Key)
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		if len(values) == 0 {
			delete(req.Header, name)
			continue
		}
		req.Header[name] = values
	}
	x.requests.Add(1)
	resp, err := x.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &answer{x: x, request: r, status: resp.StatusCode, header: resp.Header, body: raw}, nil
}

// atOnce makes n requests at the same moment.
func (x *exam) atOnce(n int, of func(i int) request) []*answer {
	var wg sync.WaitGroup
	start, got := make(chan struct{}), make([]*answer, n)
	for i := range n {
		r := of(i)
		r.target, r.body = x.fill(r.target), x.fill(r.body)
		wg.Go(func() {
			<-start
			got[i] = x.send(r)
		})
	}
	close(start)
	wg.Wait()
	if slices.Contains(got, nil) {
		runtime.Goexit() // send has said why
	}
	return got
}

var template = regexp.MustCompile(`\{\{([A-Za-z0-9.]+)\}\}`)

// fill replaces the names in a template by their values.
func (x *exam) fill(text string) string {
	return template.ReplaceAllStringFunc(text, func(m string) string {
		name := m[2 : len(m)-2]
		if name == "u" {
			return x.unique
		}
		if value, there := x.names[name]; there {
			return value
		}
		return x.shared(name)
	})
}
