package otelaffiliate

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tributary-go/tributary/affiliate"
)

// instruments are the metrics that are recorded when something happens.
type instruments struct {
	operations metric.Float64Histogram
	events     metric.Int64Counter
	deliveries metric.Float64Histogram
	lag        metric.Float64Histogram
}

// Bounds of the histograms, in seconds: an operation takes from microseconds in
// memory to seconds on a database in trouble; a delivery can wait for days.
var (
	operationBounds = []float64{.00001, .00005, .0001, .0005, .001, .0025, .005, .01, .025, .05, .1,
		.25, .5, 1, 2.5, 5, 10}
	deliveryBounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}
	lagBounds      = []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300, 1800, 7200, 28800, 86400}
)

func newInstruments(m metric.Meter) (*instruments, error) {
	var in instruments
	var errs [4]error
	in.operations, errs[0] = m.Float64Histogram("tributary.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long operations take"), metric.WithExplicitBucketBoundaries(operationBounds...))
	in.events, errs[1] = m.Int64Counter("tributary.events", metric.WithUnit("{event}"),
		metric.WithDescription("Events that were committed"))
	in.deliveries, errs[2] = m.Float64Histogram("tributary.delivery.duration", metric.WithUnit("s"),
		metric.WithDescription("How long the requests of deliveries take"), metric.WithExplicitBucketBoundaries(deliveryBounds...))
	in.lag, errs[3] = m.Float64Histogram("tributary.delivery.lag", metric.WithUnit("s"),
		metric.WithDescription("From when an attempt was due to its start"), metric.WithExplicitBucketBoundaries(lagBounds...))
	return &in, errors.Join(errs[:]...)
}

// types are the types of events in the order of Result.Events.
var types = affiliate.EventTypes()

func (in *instruments) operation(ctx context.Context, cfg Config, op affiliate.Operation, res affiliate.Result) {
	program := cfg.program(op.Program.String())
	in.operations.Record(ctx, res.Took.Seconds(), metric.WithAttributes(append(program,
		attribute.String("tributary.operation", op.Name), attribute.String("tributary.outcome", string(res.Outcome)))...))
	for i, n := range res.Events {
		if n > 0 {
			in.events.Add(ctx, int64(n),
				metric.WithAttributes(append(program,
					attribute.String("tributary.event", string(types[i])))...))
		}
	}
}

func (in *instruments) delivery(ctx context.Context, cfg Config, d affiliate.DeliverySeen) {
	attrs := append(cfg.program(d.Program.String()), attribute.String("tributary.delivery.state", string(d.State)))
	in.lag.Record(ctx, d.Lag.Seconds(), metric.WithAttributes(attrs...))
	if typ := deliveryError(d); typ != "" {
		attrs = append(attrs, attribute.String("error.type", typ))
	}
	in.deliveries.Record(ctx, d.Took.Seconds(), metric.WithAttributes(attrs...))
}

// program returns the attribute of a metric's program, where it is wanted. Its
// capacity is its length, so appending to it twice is safe.
func (c Config) program(id string) []attribute.KeyValue {
	if !c.ProgramInMetrics {
		return nil
	}
	return []attribute.KeyValue{attribute.String("tributary.program.id", id)}
}
