package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

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
func (p *Program) saidRate(ctx context.Context, c affiliate.Currency, at time.Time) (rate affiliate.ExchangeRate, err error) {
	err = errRatePanicked
	defer p.Recovered(ctx, "Rate")
	if s := p.Sighted(ctx); s != nil {
		ctx = s.host
	}
	return p.Cfg.Rate(ctx, c, at)
}
