package webhooks_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// badBody panics when it is read.
type badBody struct{}

func (badBody) Read([]byte) (int, error) { panic("read") }
func (badBody) Close() error             { return nil }

// A panic in the transport is a failed attempt, also in a test of an endpoint.
// The sender continues, and the log has the stack but not the text of the
// panic.
func TestTransportPanics(t *testing.T) {
	for name, trip := range map[string]roundTrip{
		"Value":    func(r *http.Request) (*http.Response, error) { panic("cannot call " + r.URL.String()) },
		"Error":    func(*http.Request) (*http.Response, error) { panic(errors.New("s3cret")) },
		"Runtime":  func(*http.Request) (*http.Response, error) { return nil, []error{}[len("s3cret")-6] },
		"NoAnswer": func(*http.Request) (*http.Response, error) { return nil, nil },
		"Body": func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: badBody{}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var good atomic.Int64
				p := gauged(t, &gauge{}, 0)
				p.sender.Logger = slog.New(slog.NewTextHandler(&log, nil))
				p.sender.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/good" {
						good.Add(1)
						return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
					}
					return trip(r)
				})
				bad := p.hook("http://127.0.0.1:8080/s3cret")
				p.hook("http://127.0.0.1:8080/good")
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- p.sender.Run(ctx) }()
				p.join(3)
				synctest.Wait()
				if good.Load() != 3 {
					t.Errorf("%d of 3 arrived at the good one", good.Load())
				}
				got, err := p.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: bad.ID, Event: affiliate.SaleCreated})
				if want := affiliate.Set(affiliate.FailedInternal); err != nil || got.Delivered || got.Error != want {
					t.Errorf("the test: %+v, %v", got, err)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				failed := 0
				for _, d := range p.deliveries() {
					if d.WebhookID == bad.ID && d.State == affiliate.DeliveryPending && d.AttemptCount == 1 &&
						d.Attempts[0].Error == affiliate.Set(affiliate.FailedInternal) {
						failed++
					}
				}
				if failed != 3 {
					t.Errorf("%d of 3 attempts count as failed", failed)
				}
				if lines := log.String(); strings.Count(lines, "request panicked") != 4 || !strings.Contains(lines, "panic_test.go") && name != "NoAnswer" || strings.Contains(lines, "s3cret") {
					t.Errorf("the log: %s", lines)
				}
				p.verify()
			})
		})
	}
}

// A panickyOutbox Outbox panics in its first calls.
type panickyOutbox struct {
	webhooks.Outbox
	claims, settles atomic.Int64 // how many calls still panic
}

func (o *panickyOutbox) ClaimDeliveries(ctx context.Context, n int, lease time.Duration) ([]affiliate.Claim, error) {
	if o.claims.Add(-1) >= 0 {
		panic("claim")
	}
	return o.Outbox.ClaimDeliveries(ctx, n, lease)
}

func (o *panickyOutbox) SettleDeliveries(ctx context.Context, done []affiliate.Attempt) error {
	if o.settles.Add(-1) >= 0 {
		panic("settle")
	}
	return o.Outbox.SettleDeliveries(ctx, done)
}

// A panic in the Outbox is treated as its error: Run logs it and continues, and
// Drain returns it.
func TestOutboxPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := gauged(t, &gauge{wait: func(*http.Request) time.Duration { return 0 }}, 0)
		p.hook("http://127.0.0.1:8080/")
		outbox := &panickyOutbox{Outbox: p.Webhooks()}
		p.sender.Outbox, p.sender.Logger = outbox, slog.New(slog.NewTextHandler(&log, nil))
		outbox.claims.Store(1)
		outbox.settles.Store(2)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		p.join(5)
		go func() { ended <- p.sender.Run(ctx) }()
		time.Sleep(10 * time.Second)
		for _, d := range p.deliveries() {
			if d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
				t.Errorf("%+v", d)
			}
		}
		cancel()
		<-ended
		if lines := log.String(); strings.Count(lines, "panic: ") != 3 || !strings.Contains(lines, "panic_test.go") {
			t.Errorf("the log: %s", lines)
		}
		outbox.claims.Store(1)
		_, err := p.sender.Drain(t.Context())
		if panicked, ok := errors.AsType[*webhooks.PanicError](err); !ok || panicked.Value != "claim" {
			t.Errorf("Drain: %v", err)
		}
	})
}

// A panic in OnNotice stops neither deliveries nor other notices.
func TestOnNoticePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told atomic.Int64
		p := newPost(t, func(c *tributary.Config) {
			c.Now, c.Logger = time.Now, slog.New(slog.NewTextHandler(&log, nil))
			c.OnNotice = func(affiliate.Notice) {
				told.Add(1)
				panic("no pager")
			}
		})
		p.sender.Now, p.sender.Logger = time.Now, slog.New(slog.NewTextHandler(io.Discard, nil))
		p.sender.Transport = &gauge{wait: func(*http.Request) time.Duration { return 0 }}
		p.hook("http://127.0.0.1:8080/")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.sender.Run(ctx) }()
		p.join(5)
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for _, d := range p.deliveries() {
			if d.State != affiliate.DeliveryDelivered || d.AttemptCount != 1 {
				t.Errorf("%+v", d)
			}
		}
		if lines := log.String(); told.Load() != 5 || strings.Count(lines, "no pager") != 5 || !strings.Contains(lines, "panic_test.go") {
			t.Errorf("%d notices; the log: %s", told.Load(), lines)
		}
	})
}
