package otelaffiliate_test

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/otelaffiliate"
)

// A lab is a program that is watched, with what its watcher has recorded.
type lab struct {
	*tributary.Program
	store  *tracedStore
	spans  *tracetest.InMemoryExporter
	reader *sdkmetric.ManualReader
	tp     *sdktrace.TracerProvider
	mp     *sdkmetric.MeterProvider
	now    time.Time
}

// A tracedStore makes a span for each transaction, like a traced database, and
// fails when it is told to.
type tracedStore struct {
	record.Store
	tracer trace.Tracer
	err    error
}

func (s *tracedStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	ctx, span := s.tracer.Start(ctx, "store")
	defer span.End()
	if s.err != nil {
		return s.err
	}
	return s.Store.View(ctx, id, fn)
}

func (s *tracedStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	ctx, span := s.tracer.Start(ctx, "store")
	defer span.End()
	if s.err != nil {
		return s.err
	}
	return s.Store.Update(ctx, id, fn)
}

func newLab(t *testing.T, cfg otelaffiliate.Config) *lab {
	t.Helper()
	l := &lab{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader(), now: time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)}
	l.tp = sdktrace.NewTracerProvider(sdktrace.WithSyncer(l.spans))
	l.mp = sdkmetric.NewMeterProvider(sdkmetric.WithReader(l.reader))
	l.store = &tracedStore{Store: memstore.New(), tracer: l.tp.Tracer("store")}
	observer, err := otelaffiliate.Observer(l.tp, l.mp, cfg)
	if err != nil {
		t.Fatal(err)
	}
	l.Program, err = tributary.New(l.store, tributary.Config{
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Observer: observer, Now: func() time.Time { return l.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	l.spans.Reset()
	return l
}

func (l *lab) sell(ctx context.Context) error {
	_, err := l.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "tim@example.com", Name: "Tim", TotalEarned: affiliate.MustAmount("100")})
	return err
}

// span is the only span with a name.
func (l *lab) span(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range l.spans.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %q", len(found), name)
	}
	return found[0]
}

func attrs(all []attribute.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range all {
		out[string(kv.Key)] = kv.Value.String()
	}
	return out
}

// TestPolls: a poll that finds nothing leaves no span, neither its own nor the store's, and
// ends no span around it. One that finds something, or fails, has its span.
func TestPolls(t *testing.T) {
	l := newLab(t, otelaffiliate.Config{})
	polls := func(ctx context.Context) (errs error) {
		_, err := l.Webhooks().ClaimDeliveries(ctx, 4, time.Minute)
		errs = errors.Join(errs, err)
		_, err = l.Webhooks().Backlog(ctx)
		return errors.Join(errs, err)
	}
	if err := polls(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, request := l.tp.Tracer("http").Start(t.Context(), "request")
	if err := polls(ctx); err != nil {
		t.Fatal(err)
	}
	if found := l.spans.GetSpans(); len(found) != 0 {
		t.Errorf("%d spans, the first is %s", len(found), found[0].Name)
	}
	if err := l.sell(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := l.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://shop.example/hook", Events: []affiliate.EventType{affiliate.SaleCreated}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.sell(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.spans.Reset()
	before := time.Now()
	if claims, err := l.Webhooks().ClaimDeliveries(ctx, 4, time.Minute); err != nil || len(claims) != 1 {
		t.Fatal(claims, err)
	}
	request.End()
	found := l.span(t, "tributary ClaimDeliveries")
	if found.Parent.SpanID() != request.SpanContext().SpanID() || found.StartTime.Before(before) || found.EndTime.Before(found.StartTime) {
		t.Errorf("the span of a poll: %v", found)
	}
	l.spans.Reset()
	l.store.err = errors.New("down")
	if err := polls(t.Context()); err == nil {
		t.Fatal("the store does not fail")
	}
	if span := l.span(t, "tributary Backlog"); span.Status.Code != codes.Error {
		t.Errorf("the span of a poll that failed: %v", span.Status)
	}
}

// The span of an operation is the child of the request's span and the parent of
// the store's.
// It is console check 70.
func TestSpansNest(t *testing.T) {
	l := newLab(t, otelaffiliate.Config{})
	ctx, request := l.tp.Tracer("http").Start(t.Context(), "request")
	if err := l.sell(ctx); err != nil {
		t.Fatal(err)
	}
	request.End()
	op, store := l.span(t, "tributary RecordSale"), l.span(t, "store")
	if op.Parent.SpanID() != request.SpanContext().SpanID() || store.Parent.SpanID() != op.SpanContext.SpanID() {
		t.Error("the spans are not nested")
	}
	if op.SpanKind != trace.SpanKindInternal || op.Status.Code != codes.Unset {
		t.Errorf("kind %v, status %v", op.SpanKind, op.Status)
	}
	got := attrs(op.Attributes)
	for name, want := range map[string]string{
		"tributary.operation": "RecordSale", "tributary.outcome": "recorded", "tributary.runs": "1", "tributary.events": "2",
		"tributary.program.id": uuid.Nil.String(),
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, s := range l.spans.GetSpans() {
		for name, value := range attrs(s.Attributes) {
			if strings.Contains(value, "@") || strings.Contains(value, "ada") && name != "tributary.program.id" {
				t.Errorf("%s has %q", name, value)
			}
		}
	}
}

// A refusal is no error of the program; a failure has its class.
func TestSpanStatus(t *testing.T) {
	for _, row := range []struct {
		err          error
		code         codes.Code
		outcome, typ string
		reason       affiliate.Reason
	}{
		{err: nil, code: codes.Unset, outcome: "refused", reason: affiliate.CodeNotFound},
		{err: errors.New("disk"), code: codes.Error, outcome: "failed", typ: "store"},
		{err: context.DeadlineExceeded, code: codes.Error, outcome: "failed", typ: "timeout"},
		{err: context.Canceled, code: codes.Error, outcome: "canceled", typ: "canceled"},
	} {
		l := newLab(t, otelaffiliate.Config{})
		l.store.err = row.err
		in := affiliate.SaleParams{ReferralID: "ada", Email: "tim@example.com", Name: "Tim", TotalEarned: affiliate.MustAmount("100")}
		if row.err == nil {
			in.PromoCode = "NONE"
		}
		if _, err := l.RecordSale(t.Context(), in); err == nil {
			t.Fatal("the sale was recorded")
		}
		span := l.span(t, "tributary RecordSale")
		got := attrs(span.Attributes)
		if span.Status.Code != row.code || got["tributary.outcome"] != row.outcome || got["error.type"] != row.typ || got["tributary.reason"] != string(row.reason) {
			t.Errorf("%v: status %v, %v", row.err, span.Status, got)
		}
	}
}

// Deliveries have spans, and the metrics have the day's figures.
func TestMetrics(t *testing.T) {
	l := newLab(t, otelaffiliate.Config{})
	ctx := t.Context()
	if _, err := otelaffiliate.ObserveBacklog(l.mp, otelaffiliate.Config{}, l.Program); err != nil {
		t.Fatal(err)
	}
	ep, err := l.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/x", Events: []affiliate.EventType{affiliate.SaleCreated}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.sell(ctx); err != nil {
		t.Fatal(err)
	}
	l.now = l.now.Add(3 * time.Second)
	if got := l.gauge(t, "tributary.delivery.oldest_due"); got != 3 {
		t.Errorf("the oldest waits for %v s, want 3", got)
	}
	claims, err := l.Webhooks().ClaimDeliveries(ctx, 4, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("%d claims: %v", len(claims), err)
	}
	c := claims[0]
	done := affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: l.now, URL: c.URL, Status: 503, Took: 40 * time.Millisecond}
	if err := l.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{done}); err != nil {
		t.Fatal(err)
	}
	span := l.span(t, "tributary deliver")
	got := attrs(span.Attributes)
	if got["tributary.endpoint.id"] != ep.ID.String() || got["http.response.status_code"] != "503" || got["error.type"] != "503" ||
		span.EndTime.Sub(span.StartTime) != 40*time.Millisecond || span.Status.Code != codes.Error {
		t.Errorf("span of %v, status %v: %v", span.EndTime.Sub(span.StartTime), span.Status, got)
	}
	if got := l.gauge(t, "tributary.delivery.oldest_due"); got != 0 {
		t.Errorf("the oldest waits for %v s, want 0", got)
	}
	series := l.series(t)
	for _, want := range []string{
		"tributary.operation.duration{tributary.operation=RecordSale,tributary.outcome=recorded} 1",
		"tributary.operation.duration{tributary.operation=SettleDeliveries,tributary.outcome=ok} 1",
		"tributary.events{tributary.event=sale.created} 1",
		"tributary.events{tributary.event=referral.created} 1",
		"tributary.delivery.lag{tributary.delivery.state=pending} 1",
		"tributary.delivery.duration{error.type=503,tributary.delivery.state=pending} 1",
	} {
		if !slices.Contains(series, want) {
			t.Errorf("no %s in:\n%s", want, strings.Join(series, "\n"))
		}
	}
}

// The program is in the metrics only where it is wanted.
func TestProgramInMetrics(t *testing.T) {
	for _, in := range []bool{false, true} {
		l := newLab(t, otelaffiliate.Config{ProgramInMetrics: in})
		if err := l.sell(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, s := range l.series(t) {
			if strings.Contains(s, "tributary.program.id="+uuid.Nil.String()) != in {
				t.Errorf("ProgramInMetrics %v: %s", in, s)
			}
		}
	}
}

// A brokenProvider makes tracers that panic.
type brokenProvider struct{ trace.TracerProvider }

func (b brokenProvider) Tracer(name string, _ ...trace.TracerOption) trace.Tracer {
	return brokenTracer{b.TracerProvider.Tracer(name)}
}

type brokenTracer struct{ trace.Tracer }

func (brokenTracer) Start(context.Context, string, ...trace.SpanStartOption) (context.Context, trace.Span) {
	panic("no tracer")
}

// Where no span could be made, the span of the host is left alone.
func TestForeignSpan(t *testing.T) {
	l := newLab(t, otelaffiliate.Config{})
	o, err := otelaffiliate.Observer(brokenProvider{l.tp}, nil, otelaffiliate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, request := l.tp.Tracer("http").Start(t.Context(), "request")
	program, err := tributary.New(memstore.New(), tributary.Config{Observer: o, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{}); err != nil {
		t.Error(err)
	}
	if !request.IsRecording() {
		t.Error("the span of the host was ended")
	}
	request.End()
}

// Without providers there is no observer.
func TestNothing(t *testing.T) {
	o, err := otelaffiliate.Observer(nil, nil, otelaffiliate.Config{})
	if err != nil || o.Begin != nil || o.End != nil || o.Delivery != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

// Check 70: the package needs the API only; the SDK is for its tests.
func TestNeedsNoSDK(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "go.opentelemetry.io/otel/sdk") || !strings.Contains(string(out), "go.opentelemetry.io/otel/trace") {
		t.Errorf("the package depends on:\n%s", out)
	}
}

func (l *lab) collect(t *testing.T) (all []metricdata.Metrics) {
	t.Helper()
	var got metricdata.ResourceMetrics
	if err := l.reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	for _, scope := range got.ScopeMetrics {
		all = append(all, scope.Metrics...)
	}
	return all
}

func (l *lab) gauge(t *testing.T, name string) float64 {
	t.Helper()
	for _, m := range l.collect(t) {
		if g, ok := m.Data.(metricdata.Gauge[float64]); ok && m.Name == name && len(g.DataPoints) == 1 {
			return g.DataPoints[0].Value
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// series are the names, attributes and counts of all but the gauge.
func (l *lab) series(t *testing.T) (out []string) {
	t.Helper()
	line := func(name string, set attribute.Set, n uint64) {
		var parts []string
		for _, kv := range set.ToSlice() {
			parts = append(parts, string(kv.Key)+"="+kv.Value.String())
		}
		out = append(out, name+"{"+strings.Join(parts, ",")+"} "+strconv.FormatUint(n, 10))
	}
	for _, m := range l.collect(t) {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				line(m.Name, p.Attributes, p.Count)
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				line(m.Name, p.Attributes, uint64(p.Value))
			}
		}
	}
	return out
}
