package otelaffiliate

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// scope is the name of the instrumentation.
const scope = "github.com/tributary-go/tributary/otelaffiliate"

// Config holds what a host decides. The zero Config is usable.
type Config struct {
	// ProgramInMetrics adds tributary.program.id to every metric. Set it only
	// where programs are few: each one multiplies the series.
	ProgramInMetrics bool
}

// Observer returns an observer that makes spans with tp and metrics with mp.
// Either may be nil; then there are no spans or no metrics.
//
// Errors: those of mp when it makes the instruments.
//
// Concurrency: safe for concurrent use.
func Observer(tp trace.TracerProvider, mp metric.MeterProvider, cfg Config) (affiliate.Observer, error) {
	w := &watch{cfg: cfg}
	if tp != nil {
		w.tracer = tp.Tracer(scope)
	}
	if mp != nil {
		var err error
		if w.instruments, err = newInstruments(mp.Meter(scope)); err != nil {
			return affiliate.Observer{}, err
		}
	}
	if tp == nil && mp == nil {
		return affiliate.Observer{}, nil
	}
	return affiliate.Observer{Begin: w.begin, End: w.end, Delivery: w.delivery}, nil
}

// A watch is an Observer.
type watch struct {
	cfg         Config
	tracer      trace.Tracer // nil: no spans
	instruments *instruments // nil: no metrics
}

// pollKey is for when a poll began: its span is made at its end, if it found
// something or failed.
type pollKey struct{}

// spanKey is for the span that begin has made: where it made none, the span of
// the context is the host's, which ends it itself.
type spanKey struct{}

func (w *watch) begin(ctx context.Context, op affiliate.Operation) context.Context {
	if w.tracer == nil {
		return ctx
	}
	if op.Poll {
		within := context.WithValue(unsampled(ctx), spanKey{},
			nil) // that of an operation around this one is not ours to end
		return context.WithValue(within, pollKey{}, poll{ctx, time.Now()})
	}
	return w.start(ctx, op)
}

// A poll is the context and the beginning of a poll.
type poll struct {
	ctx   context.Context
	began time.Time
}

// unsampled returns a context in which a sampler that follows its parent records
// nothing: the spans of the store in a poll that finds nothing.
func unsampled(ctx context.Context) context.Context {
	parent := trace.SpanContextFromContext(ctx)
	if !parent.IsValid() {
		parent = trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	}
	return trace.ContextWithSpanContext(ctx, parent.WithTraceFlags(parent.TraceFlags().WithSampled(false)))
}

// start begins the span of an operation.
func (w *watch) start(ctx context.Context, op affiliate.Operation, options ...trace.SpanStartOption) context.Context {
	ctx, span := w.tracer.Start(ctx, "tributary "+op.Name, append(options, trace.WithAttributes(
		attribute.String("tributary.operation", op.Name),
		attribute.String("tributary.program.id", op.Program.String()),
	))...)
	return context.WithValue(ctx, spanKey{}, span)
}

func (w *watch) end(ctx context.Context, op affiliate.Operation, res affiliate.Result) {
	if p, ok := ctx.Value(pollKey{}).(poll); ok && op.Poll && res.Outcome != affiliate.OutcomeIdle {
		ctx = w.start(p.ctx, op, trace.WithTimestamp(p.began))
	}
	if span, _ := ctx.Value(spanKey{}).(trace.Span); span != nil {
		endSpan(span, res)
	}
	if w.instruments != nil {
		w.instruments.operation(ctx, w.cfg, op, res)
	}
}

// endSpan ends the span of an operation. A refusal is no error of the program.
func endSpan(span trace.Span, res affiliate.Result) {
	attrs := []attribute.KeyValue{
		attribute.String("tributary.outcome", string(res.Outcome)),
		attribute.Int("tributary.runs", res.Runs),
		attribute.Int64("tributary.events", total(res.Events)),
	}
	if res.Reason != "" {
		attrs = append(attrs, attribute.String("tributary.reason", string(res.Reason)))
	}
	if res.Failure != "" {
		typ := errorType(res.Failure)
		attrs = append(attrs, attribute.String("error.type", typ))
		span.SetStatus(codes.Error, typ)
	}
	span.SetAttributes(attrs...)
	span.End()
}

// errorType returns the value of error.type for a failure.
func errorType(f affiliate.FailureClass) string {
	if f == affiliate.FailureOther {
		return "_OTHER"
	}
	return string(f)
}

func total(events [15]uint32) (sum int64) {
	for _, n := range events {
		sum += int64(n)
	}
	return sum
}

// delivery makes the span of an attempt, which is over.
func (w *watch) delivery(ctx context.Context, d affiliate.DeliverySeen) {
	if w.tracer != nil {
		w.deliverySpan(ctx, d)
	}
	if w.instruments != nil {
		w.instruments.delivery(ctx, w.cfg, d)
	}
}

func (w *watch) deliverySpan(ctx context.Context, d affiliate.DeliverySeen) {
	attrs := []attribute.KeyValue{
		attribute.String("tributary.program.id", d.Program.String()),
		attribute.String("tributary.endpoint.id", d.Endpoint.String()),
		attribute.String("tributary.event", string(d.Event)),
		attribute.Int("tributary.attempt", d.Attempt),
		attribute.String("tributary.delivery.state", string(d.State)),
	}
	if d.Status != 0 {
		attrs = append(attrs, attribute.Int("http.response.status_code", d.Status))
	}
	_, span := w.tracer.Start(ctx, "tributary deliver", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(d.Started), trace.WithAttributes(attrs...))
	if typ := deliveryError(d); typ != "" {
		span.SetAttributes(attribute.String("error.type", typ))
		span.SetStatus(codes.Error, typ)
	}
	span.End(trace.WithTimestamp(d.Started.Add(d.Took)))
}

// deliveryError returns the class of a failed attempt, or the status of the answer.
func deliveryError(d affiliate.DeliverySeen) string {
	switch {
	case d.Err != "":
		return d.Err
	case d.Status < 200 || d.Status > 299:
		return strconv.Itoa(d.Status)
	}
	return ""
}

// ObserveBacklog makes the metric tributary.delivery.oldest_due: for how many
// seconds the oldest due delivery of a program has been waiting. It reads the
// queues when metrics are collected. With several programs it is the longest
// wait of all, unless cfg has ProgramInMetrics. Unregister ends it.
//
// Errors: those of mp. A store that fails is an error of the collection, and
// nothing is recorded for its program.
func ObserveBacklog(mp metric.MeterProvider, cfg Config, programs ...*tributary.Program) (metric.Registration, error) {
	meter := mp.Meter(scope)
	gauge, err := meter.Float64ObservableGauge("tributary.delivery.oldest_due", metric.WithUnit("s"),
		metric.WithDescription("For how long the oldest due delivery has been waiting"))
	if err != nil {
		return nil, err
	}
	return meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		var longest time.Duration
		var failed error
		for _, p := range programs {
			wait, err := p.Webhooks().Backlog(ctx)
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			if cfg.ProgramInMetrics {
				o.ObserveFloat64(gauge, wait.Seconds(),
					metric.WithAttributes(attribute.String("tributary.program.id",
						p.Config().ID.String())))
			}
			longest = max(longest, wait)
		}
		if !cfg.ProgramInMetrics && (failed == nil || longest > 0) {
			o.ObserveFloat64(gauge, longest.Seconds())
		}
		return failed
	}, gauge)
}
