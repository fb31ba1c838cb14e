package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/inbound"
	"github.com/tributary-go/tributary/pay"
)

const (
	defaultMaxBody = 1 << 20
	retryAfter     = "30" // seconds

	// bodyTime is the longest time in which a body may arrive. Providers send it at once.
	bodyTime = 10 * time.Second

	// ahead is the largest distance into the future for facts. A program would refuse
	// later ones, and the payment would be lost; when the event comes again, a clock that
	// is behind has caught up.
	ahead = 5 * time.Minute
)

// DefaultWait is the time that an event waits for another one.
const DefaultWait = time.Hour

var errPanicked = errors.New("pay: a function panicked")

// An Endpoint receives the events of one provider. It answers only after the commit.
type Endpoint struct {
	Config // Wait, MaxBody, Now, CarryKeys, OnResult and Logger are read here, the rest by Scheme and Map

	Scheme Scheme
	Map    func(body []byte) (pay.Action, error) // a pure function of a verified body; its error is the sender's fault
	OK     int                                   // the status of a good answer; zero: 204
	Limit  time.Duration                         // for bringing an event into its program; zero: none but the request's

	// Answer writes the answer to what was committed, ignored or refused; nil: OK, without a
	// body. Another status than 2xx asks most senders for a repeat, which changes nothing.
	Answer func(http.ResponseWriter, pay.Result)

	// Complete asks the host for what the event does not have, outside of a transaction; nil:
	// nothing is asked for. After an error the event comes again.
	Complete func(ctx context.Context, body []byte, a pay.Action) (pay.Action, error)

	// Accounts returns the program of the account of an event; nil, nil: the account is not
	// ours. Nil: every event is of the handler's program.
	Accounts func(ctx context.Context, account string) (*tributary.Program, error)
}

// Handler returns the endpoint of a program, which may be nil when Accounts is set: then
// events without an account are ignored. The order of its checks: method, content type,
// what the scheme sees in the headers; then the body, of MaxBody at most and within 10
// seconds: size, signature, JSON. Its answers:
//
//   - OK: committed; also for an event that is ignored, parked or refused, because a
//     repeat would change nothing
//   - 400, 401: malformed; or of the wrong time, or not signed with a secret
//   - 405, 413, 415: not a POST; too large; not plain JSON
//   - 503 with Retry-After: the store or Complete failed or took longer than Limit, the
//     context ended, or a renewal came before its first payment
//   - 500: something panicked, and nothing was committed
//
// Errors: [ErrConfig].
//
// Concurrency: safe for concurrent use; it starts no goroutine.
func (e Endpoint) Handler(p *tributary.Program) (http.Handler, error) {
	if p == nil && e.Accounts == nil {
		return nil, fmt.Errorf("%w: neither a program nor Accounts", ErrConfig)
	}
	if err := e.CarryKeys.Check(); err != nil {
		return nil, fmt.Errorf("%w: CarryKeys: %w", ErrConfig, err)
	}
	if _, err := e.Scheme(nil, e.Time()); errors.Is(err, ErrConfig) {
		return nil, err
	}
	if e.Wait < 0 || e.MaxBody < 0 {
		return nil, fmt.Errorf("%w: a negative time or size", ErrConfig)
	}
	return e.hook(p), nil
}

// hook completes an endpoint.
func (e Endpoint) hook(p *tributary.Program) *hook {
	e.OK, e.Wait, e.MaxBody = cmp.Or(e.OK, http.StatusNoContent), cmp.Or(e.Wait, DefaultWait),
		cmp.Or(e.MaxBody, defaultMaxBody)
	if e.Logger == nil {
		e.Logger = slog.Default()
	}
	warned := &warnings{logger: e.Logger, now: e.Time, of: map[string]*warning{}, looked: map[uuid.UUID]time.Time{}}
	return &hook{e, p, warned}
}

// A hook is a complete endpoint.
type hook struct {
	Endpoint
	own    *tributary.Program
	warned *warnings
}

// program returns the program of an account; nil: the account is not ours.
func (h *hook) program(ctx context.Context, account string) (*tributary.Program, error) {
	if account == "" || h.Accounts == nil {
		return h.own, nil
	}
	return h.Accounts(ctx, account)
}

// An answer is a status with the reason, which is logged and not sent.
type answer struct {
	status int
	err    error
	result *pay.Result // of one that is OK
}

// ServeHTTP receives one event.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := h.guarded(w, r)
	switch a.status {
	case h.OK:
		if h.Answer != nil && a.result != nil {
			h.Answer(w, *a.result)
			return
		}
		w.WriteHeader(h.OK)
		return
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
	}
	h.log(r.Context(), a)
	http.Error(w, a.text(), a.status)
}

// text returns what a sender learns: who is verified, which field is wrong, and everybody else
// the same for everything that was refused.
func (a answer) text() string {
	switch {
	case errors.Is(a.err, ErrPayload):
		return a.err.Error()
	case a.status == http.StatusBadRequest, a.status == http.StatusUnauthorized:
		return "the request was refused"
	}
	return http.StatusText(a.status)
}

func (h *hook) log(ctx context.Context, a answer) {
	level := slog.LevelWarn
	if a.status >= http.StatusInternalServerError && !errors.Is(a.err, pay.ErrLater) {
		level = slog.LevelError
	}
	h.Logger.Log(ctx, level, "payment event", "status", a.status, "error", a.err)
}

// guarded is serve with its panics as answers.
func (h *hook) guarded(w http.ResponseWriter, r *http.Request) (a answer) {
	defer func() {
		if v := recover(); v != nil {
			h.Logger.ErrorContext(r.Context(), "payment event: panic", "stack", string(debug.Stack()))
			a = answer{status: http.StatusInternalServerError, err: errPanicked}
		}
	}()
	return h.serve(w, r)
}

func (h *hook) serve(w http.ResponseWriter, r *http.Request) answer {
	body, a := h.verified(w, r)
	if a.status != 0 {
		return a
	}
	action, err := h.Map(body)
	if err != nil {
		return answer{status: http.StatusBadRequest, err: err}
	}
	result, err := h.apply(r.Context(), body, action)
	if err != nil {
		return answer{status: http.StatusServiceUnavailable, err: fmt.Errorf("%s: %w", action.Event.ID, err)}
	}
	h.report(r.Context(), result)
	return answer{status: h.OK, result: &result}
}

// verified returns the body of a request, or the answer to one that is not accepted. What
// the header shows to be wrong is refused before the body is read.
func (h *hook) verified(w http.ResponseWriter, r *http.Request) ([]byte, answer) {
	if r.Method != http.MethodPost {
		return nil, answer{status: http.StatusMethodNotAllowed, err: errors.New("pay: not a POST")}
	}
	if !inbound.PlainJSON(r.Header) {
		return nil, answer{status: http.StatusUnsupportedMediaType, err: errors.New("pay: not plain JSON")}
	}
	verify, err := h.Scheme(r.Header, h.Time())
	if err != nil {
		return nil, refused(err)
	}
	body, err := inbound.Body(w, r, h.MaxBody, bodyTime)
	if errors.Is(err, inbound.ErrTooLarge) {
		return nil, answer{status: http.StatusRequestEntityTooLarge, err: errors.New("pay: body too large")}
	}
	if err != nil {
		return nil, answer{status: http.StatusBadRequest, err: errors.New("pay: the body broke off, or took too long")}
	}
	if err := verify(body); err != nil {
		return nil, refused(err)
	}
	return body, answer{}
}

// refused returns the answer to a request that is not verified.
func refused(err error) answer {
	switch {
	case errors.Is(err, ErrSignature):
		return answer{status: http.StatusUnauthorized, err: err}
	case errors.Is(err, ErrHeader):
		return answer{status: http.StatusBadRequest, err: err}
	}
	return answer{status: http.StatusInternalServerError, err: err}
}

// elsewhere reports whether an action is of no program here.
func elsewhere(a *pay.Action) bool {
	return a.Kind == pay.KindIgnored && (a.Reason == pay.OtherAccount || a.Reason == pay.TestMode || a.Reason == pay.LiveMode)
}

// apply brings an action into its program.
func (h *hook) apply(ctx context.Context, body []byte, a pay.Action) (pay.Result, error) {
	if elsewhere(&a) {
		return pay.Result{Action: a}, nil
	}
	if h.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.Limit)
		defer cancel()
	}
	p, err := h.program(ctx, a.Event.Account)
	if err != nil {
		return pay.Result{}, err
	}
	if p == nil {
		return pay.Result{Action: pay.Action{Kind: pay.KindIgnored, Reason: pay.OtherAccount, Event: a.Event}}, nil
	}
	if h.Complete != nil {
		if a, err = h.Complete(ctx, body, a); err != nil {
			return pay.Result{}, err
		}
	}
	now := h.Time()
	if now.After(a.Event.At.Add(h.Wait)) {
		a.Wait = false
	}
	if a.Kind != pay.KindIgnored && a.Event.At.After(now.Add(ahead)) {
		return pay.Result{}, fmt.Errorf("the event is from the future, is the clock right? %w", pay.ErrLater)
	}
	result, err := pay.Apply(ctx, p, a)
	if err == nil {
		h.warned.look(ctx, p)
		if a.NoLines == pay.LinesMissing && result.Outcome == affiliate.SaleRecorded && ruled(ctx, p) {
			h.warned.say(ctx, saysUnlisted, &result)
		}
	}
	return result, err
}

// report calls the host's function. What was committed stays, whatever that function
// does.
func (h *hook) report(ctx context.Context, result pay.Result) {
	a := result.Action
	h.Logger.DebugContext(ctx, "payment event", "event", a.Event.ID, "type", a.Event.Type, "kind", string(a.Kind),
		"reason", string(a.Reason), "outcome", string(result.Outcome), "done", result.Done)
	if a.Carried.Forged && a.Kind != pay.KindIgnored {
		h.warned.say(ctx, saysForged, &result)
	}
	if text := warningOf(&result); text != "" {
		h.warned.say(ctx, text, &result)
	}
	if h.OnResult == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			h.Logger.ErrorContext(ctx, "payment event: OnResult panicked", "event", a.Event.ID,
				"stack", string(debug.Stack()))
		}
	}()
	h.OnResult(ctx, result)
}
