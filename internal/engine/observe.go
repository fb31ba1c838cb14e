package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/unseen"
)

// operations reports whether somebody watches operations.
func operations(o *affiliate.Observer) bool { return o.Begin != nil || o.End != nil }

// observerComplete fills in the clock, which is not needed when nobody watches.
func observerComplete(o *affiliate.Observer) {
	if operations(o) && o.Clock == nil {
		o.Clock = time.Now
	}
}

// Whether an operation can write, for the Observer.
const (
	Reads  = false
	Writes = true
)

// A sighting is one operation that an Observer watches. It travels in the
// context from the method to its transactions. Nil: nobody watches.
type sighting struct {
	program *Program
	host    context.Context // of Begin: what functions of the host get
	op      affiliate.Operation
	start   time.Time

	over     atomic.Bool // End was called
	open     bool        // a transaction has begun and has not returned
	failed   bool        // a transaction has failed
	replayed bool
	outcome  affiliate.Outcome // instead of OutcomeOK
	runs     int               // of the present transaction
	events   [15]uint32
	res      affiliate.Result
}

type sightingKey struct{}

// Begin is the first line of every exported method that takes a context:
//
//	defer p.begin(&ctx, "Sales", reads).end(&err)
func (p *Program) Begin(ctx *context.Context, name string, write bool) *sighting {
	if !operations(&p.Cfg.Observer) {
		return nil
	}
	return p.sight(ctx, name, write)
}

// sight begins a sighting. When one method calls another, that call belongs to the
// same sighting.
func (p *Program) sight(ctx *context.Context, name string, write bool) *sighting {
	if p.Sighted(*ctx) != nil || unseen.Is(*ctx) {
		return nil
	}
	s := &sighting{program: p,
		op:    affiliate.Operation{Name: name, Program: p.Cfg.ID, Write: write, Poll: polls(name)},
		start: p.watchTime(*ctx)}
	s.host = s.begun(*ctx)
	*ctx = context.WithValue(s.host, sightingKey{}, s)
	return s
}

// polls reports whether an operation looks for work again and again.
func polls(name string) bool {
	return name == "ClaimDeliveries" || name == "Follow" || name == "Backlog"
}

// watchTime reads the Observer's clock; zero: it panicked.
func (p *Program) watchTime(ctx context.Context) (t time.Time) {
	defer p.Recovered(ctx, "Observer")
	return p.Cfg.Observer.Clock()
}

// begun calls Begin and returns its context.
func (s *sighting) begun(ctx context.Context) (out context.Context) {
	begin := s.program.Cfg.Observer.Begin
	if begin == nil {
		return ctx
	}
	out = ctx
	defer s.program.Recovered(ctx, "Observer")
	if with := begin(ctx, s.op); with != nil {
		out = with
	}
	return out
}

// End is deferred by the method. It passes a panic on.
func (s *sighting) End(err *error) {
	if s == nil {
		return
	}
	v := recover()
	s.over.Store(true)
	s.classify(*err, v != nil)
	if ended := s.program.watchTime(s.host); !s.start.IsZero() && !ended.IsZero() {
		s.res.Took = max(0, ended.Sub(s.start))
	}
	s.tell()
	if v != nil {
		panic(v)
	}
}

func (s *sighting) tell() {
	end := s.program.Cfg.Observer.End
	if end == nil {
		return
	}
	defer s.program.Recovered(s.host, "Observer")
	end(s.host, s.op, s.res)
}

// classify gives the result its outcome. A transaction that is still open was
// left by a panic or by runtime.Goexit.
func (s *sighting) classify(err error, panicked bool) {
	refusal, refused := errors.AsType[*affiliate.Error](err)
	switch {
	case panicked || s.open:
		s.res.Outcome, s.res.Failure = affiliate.OutcomeFailed, affiliate.FailureOther
	case err == nil && s.replayed:
		s.res.Outcome = affiliate.OutcomeReplayed
	case err == nil:
		s.res.Outcome = cmp.Or(s.outcome, affiliate.OutcomeOK)
	case refused && refusal.Kind != affiliate.KindInternal:
		s.res.Outcome, s.res.Reason = affiliate.OutcomeRefused, refusal.Reason
		if refusal.Kind == affiliate.KindNotFound {
			s.res.Outcome = affiliate.OutcomeNotFound
		}
	case errors.Is(err, affiliate.ErrNotFound):
		s.res.Outcome = affiliate.OutcomeNotFound
	case errors.Is(err, context.Canceled):
		s.res.Outcome, s.res.Failure = affiliate.OutcomeCanceled, affiliate.FailureCanceled
	case errors.Is(err, context.DeadlineExceeded):
		s.res.Outcome, s.res.Failure = affiliate.OutcomeFailed, affiliate.FailureTimeout
	case s.failed:
		s.res.Outcome, s.res.Failure = affiliate.OutcomeFailed, affiliate.FailureStore
	default:
		s.res.Outcome, s.res.Failure = affiliate.OutcomeFailed, affiliate.FailureOther
	}
}

// Sighted returns the sighting of this program's operation in ctx, or nil: a store
// may call another program with its context.
func (p *Program) Sighted(ctx context.Context) *sighting {
	if !operations(&p.Cfg.Observer) {
		return nil
	}
	s, _ := ctx.Value(sightingKey{}).(*sighting)
	if s == nil || s.op.Program != p.Cfg.ID || s.over.Load() { // an iterator may be used after its method has ended
		return nil
	}
	return s
}

// opened records that a transaction begins.
func (s *sighting) opened() {
	if s != nil {
		s.open, s.runs = true, 0
	}
}

// ran records that the store runs the transaction, for the first time or again.
func (s *sighting) ran() {
	if s != nil {
		s.runs++
		s.events = [15]uint32{}
	}
}

// closed records that the transaction has returned. Its events count when it was
// committed.
func (s *sighting) closed(err error) {
	if s == nil {
		return
	}
	s.open, s.failed = false, err != nil
	s.res.Runs = max(s.res.Runs, s.runs)
	if err != nil {
		return
	}
	for i, n := range s.events {
		s.res.Events[i] += n
	}
}

// wrote counts an event of the present run.
func (s *sighting) wrote(typ affiliate.EventType) {
	if s == nil {
		return
	}
	if i := slices.Index(observedTypes, typ); i >= 0 {
		s.events[i]++
	}
}

// observedTypes are the types in the order of Result.Events.
var observedTypes = affiliate.EventTypes()

// Polled records that the poll in ctx found nothing.
func (p *Program) Polled(ctx context.Context, nothing bool) {
	if nothing {
		p.Sighted(ctx).Said(affiliate.OutcomeIdle)
	}
}

// Said records the outcome that the method itself reports.
func (s *sighting) Said(outcome affiliate.Outcome) {
	if s != nil {
		s.outcome = outcome
	}
}

// answered records that the answer is that of an earlier call.
func (s *sighting) answered() {
	if s != nil {
		s.replayed = true
	}
}

// HostContext returns the context for functions of the host: they may call the
// program, and such a call is an operation of its own.
func (o *Op) HostContext() context.Context {
	if o.Seen != nil {
		return o.Seen.host
	}
	return o.Ctx
}

// Recovered is deferred around a function of the host that is called after the
// commit. It logs a panic of that function, so that the caller still gets the
// result of the change.
func (p *Program) Recovered(ctx context.Context, function string) {
	v := recover()
	if v == nil {
		return
	}
	log := p.Cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	log.ErrorContext(context.WithoutCancel(ctx), "affiliate: a function of the host panicked",
		"function", function, "cause", v, "stack", string(debug.Stack()))
}

// errOpenPanicked stands for a panic in Config.Open.
var errOpenPanicked = errors.New("affiliate: Config.Open panicked")

// tellEvents calls Config.OnEvents.
func (o *Op) tellEvents() {
	if o.Cfg.OnEvents == nil {
		return
	}
	defer o.Recovered(o.Ctx, "OnEvents")
	o.Cfg.OnEvents()
}

// Send calls Config.Send. A panic counts as a failed attempt.
func (o *Op) Send(c affiliate.Claim) (a affiliate.Attempt) {
	a = affiliate.Attempt{URL: c.URL, Err: affiliate.FailedInternal}
	defer o.Recovered(o.Ctx, "Send")
	return o.Cfg.Send(o.HostContext(), c)
}

// open calls Config.Open. It turns a panic into an error, so that one bad
// secret does not stop the deliveries to other endpoints.
func (p *Program) open(ctx context.Context, sealed, boundTo []byte) (data []byte, err error) {
	err = errOpenPanicked
	defer p.Recovered(ctx, "Open")
	return p.Cfg.Open(sealed, boundTo)
}

// errRatePanicked stands for a panic in Config.Rate.
var errRatePanicked = errors.New("affiliate: Config.Rate panicked")

// saidRate calls Config.Rate. A panic fails the call. Its context is the host's, which may
// call the program.
func (p *Program) saidRate(ctx context.Context, c affiliate.Currency,
	at time.Time) (rate affiliate.ExchangeRate, err error) {
	err = errRatePanicked
	defer p.Recovered(ctx, "Rate")
	if s := p.Sighted(ctx); s != nil {
		ctx = s.host
	}
	return p.Cfg.Rate(ctx, c, at)
}
