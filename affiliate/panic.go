package affiliate

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
)

// recovered is deferred around a function of the host that is called when the
// change is committed. Its panic ends neither the caller's request, which is to
// be answered with what happened, nor the process: it is logged.
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

// send calls Config.Send. A panic is an attempt that failed.
func (o *op) send(c Claim) (a Attempt) {
	a = Attempt{URL: c.URL, Err: FailedInternal}
	defer o.recovered(o.ctx, "Send")
	return o.cfg.Send(o.ctx, c)
}

// open calls Config.Open. It is asked for many endpoints at once, and one secret
// that it cannot take is not to keep the others back.
func (p *Program) open(ctx context.Context, sealed, boundTo []byte) (data []byte, err error) {
	err = errOpenPanicked
	defer p.recovered(ctx, "Open")
	return p.cfg.Open(sealed, boundTo)
}
