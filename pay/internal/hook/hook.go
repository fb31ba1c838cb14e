package hook

import (
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

// A Hook is the endpoint of one provider. It answers only after the commit.
type Hook struct {
	Header  string // the name of the signature header
	Scheme  Scheme
	Check   Check
	OK      int           // the status of an answer
	Limit   time.Duration // for bringing an event into its program; zero: none but the request's
	Wait    time.Duration // how long a renewal waits for the first payment; zero: 1 h
	MaxBody int64         // zero: 1 MiB

	Map func(body []byte) (pay.Action, error)
	// Complete asks the host for what the event does not have, outside of a transaction; nil:
	// nothing is asked for. After an error the event comes again.
	Complete func(ctx context.Context, body []byte, a pay.Action) (pay.Action, error)
	Program  func(ctx context.Context, account string) (*tributary.Program, error) // nil program: the account is not ours
	OnResult func(context.Context, pay.Result)                                     // after the commit; nil: not called
	Logger   *slog.Logger                                                          // nil: slog.Default()

	warned *warnings
}

// New checks an endpoint.
//
// Errors: [ErrConfig].
func New(h Hook) (*Hook, error) {
	if err := h.Check.Validate(); err != nil {
		return nil, err
	}
	if h.Wait < 0 || h.MaxBody < 0 {
		return nil, fmt.Errorf("%w: a negative time or size", ErrConfig)
	}
	if h.Logger == nil {
		h.Logger = slog.Default()
	}
	h.warned = &warnings{logger: h.Logger, now: h.Check.Time, of: map[string]*warning{}, looked: map[uuid.UUID]time.Time{}}
	return &h, nil
}

// An answer is a status with the reason, which is logged and not sent.
type answer struct {
	status int
	err    error
}

// ServeHTTP receives one event.
func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := h.guarded(w, r)
	switch a.status {
	case h.OK:
		w.WriteHeader(h.OK)
		return
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
	}
	h.log(r.Context(), a)
	http.Error(w, textOf(a.status), a.status)
}

// textOf returns what a sender learns: the same for everything that was refused.
func textOf(status int) string {
	if status == http.StatusBadRequest || status == http.StatusUnauthorized {
		return "the request was refused"
	}
	return http.StatusText(status)
}

func (h *Hook) log(ctx context.Context, a answer) {
	level := slog.LevelWarn
	if a.status >= http.StatusInternalServerError && !errors.Is(a.err, pay.ErrLater) {
		level = slog.LevelError
	}
	h.Logger.Log(ctx, level, "payment event", "status", a.status, "error", a.err)
}

// guarded is serve with its panics as answers.
func (h *Hook) guarded(w http.ResponseWriter, r *http.Request) (a answer) {
	defer func() {
		if v := recover(); v != nil {
			h.Logger.ErrorContext(r.Context(), "payment event: panic", "stack", string(debug.Stack()))
			a = answer{http.StatusInternalServerError, errors.New("pay: a function panicked")}
		}
	}()
	return h.serve(w, r)
}

func (h *Hook) serve(w http.ResponseWriter, r *http.Request) answer {
	body, a := h.verified(w, r)
	if a.status != 0 {
		return a
	}
	action, err := h.Map(body)
	if err != nil {
		return answer{http.StatusBadRequest, err}
	}
	result, err := h.apply(r.Context(), body, action)
	if err != nil {
		return answer{http.StatusServiceUnavailable, fmt.Errorf("%s: %w", action.Event.ID, err)}
	}
	h.report(r.Context(), result)
	return answer{status: h.OK}
}

// verified returns the body of a request, or the answer to one that is not accepted. What
// the header shows to be wrong is refused before the body is read.
func (h *Hook) verified(w http.ResponseWriter, r *http.Request) ([]byte, answer) {
	if r.Method != http.MethodPost {
		return nil, answer{http.StatusMethodNotAllowed, errors.New("pay: not a POST")}
	}
	if !inbound.PlainJSON(r.Header) {
		return nil, answer{http.StatusUnsupportedMediaType, errors.New("pay: not plain JSON")}
	}
	lines := r.Header.Values(h.Header)
	if len(lines) != 1 {
		return nil, answer{http.StatusBadRequest, fmt.Errorf("%w: not given once", ErrHeader)}
	}
	signed, err := h.Scheme.open(lines[0], h.Check)
	if err != nil {
		return nil, refused(err)
	}
	limit := h.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	body, err := inbound.Body(w, r, limit, bodyTime)
	if errors.Is(err, inbound.ErrTooLarge) {
		return nil, answer{http.StatusRequestEntityTooLarge, errors.New("pay: body too large")}
	}
	if err != nil {
		return nil, answer{http.StatusBadRequest, errors.New("pay: the body broke off, or took too long")}
	}
	if err := signed.verify(body); err != nil {
		return nil, refused(err)
	}
	return body, answer{}
}

// refused returns the answer to a request that is not verified.
func refused(err error) answer {
	switch {
	case errors.Is(err, ErrSignature):
		return answer{http.StatusUnauthorized, err}
	case errors.Is(err, ErrHeader):
		return answer{http.StatusBadRequest, err}
	}
	return answer{http.StatusInternalServerError, err}
}

// apply brings an action into its program.
func (h *Hook) apply(ctx context.Context, body []byte, a pay.Action) (pay.Result, error) {
	if a.Kind == pay.KindIgnored && (a.Reason == pay.OtherAccount || a.Reason == pay.TestMode || a.Reason == pay.LiveMode) {
		return pay.Result{Action: a}, nil
	}
	if h.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.Limit)
		defer cancel()
	}
	p, err := h.Program(ctx, a.Event.Account)
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
	wait := h.Wait
	if wait == 0 {
		wait = DefaultWait
	}
	now := h.Check.Time()
	if now.After(a.Event.At.Add(wait)) {
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
func (h *Hook) report(ctx context.Context, result pay.Result) {
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
			h.Logger.ErrorContext(ctx, "payment event: OnResult panicked", "event", a.Event.ID, "stack", string(debug.Stack()))
		}
	}()
	h.OnResult(ctx, result)
}
