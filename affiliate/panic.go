package affiliate

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
)

// recovered is deferred around a function of the host that is called after the
// commit. It logs a panic of that function, so that the caller still gets the
// result of the change.
func (p *Program) recovered(ctx context.Context, function string) {
	v := recover()
	if v == nil {
		return
	}
	log := p.cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	log.ErrorContext(context.WithoutCancel(ctx), "affiliate: a function of the host panicked",
		"function", function, "cause", v, "stack", string(debug.Stack()))
}

// errOpenPanicked stands for a panic in Config.Open.
var errOpenPanicked = errors.New("affiliate: Config.Open panicked")

// tellEvents calls Config.OnEvents.
func (o *op) tellEvents() {
	if o.cfg.OnEvents == nil {
		return
	}
	defer o.recovered(o.ctx, "OnEvents")
	o.cfg.OnEvents()
}

// send calls Config.Send. A panic counts as a failed attempt.
func (o *op) send(c Claim) (a Attempt) {
	a = Attempt{URL: c.URL, Err: FailedInternal}
	defer o.recovered(o.ctx, "Send")
	return o.cfg.Send(o.hostContext(), c)
}

// open calls Config.Open. It turns a panic into an error, so that one bad
// secret does not stop the deliveries to other endpoints.
func (p *Program) open(ctx context.Context, sealed, boundTo []byte) (data []byte, err error) {
	err = errOpenPanicked
	defer p.recovered(ctx, "Open")
	return p.cfg.Open(sealed, boundTo)
}
