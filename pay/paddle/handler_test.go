package paddle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/paddle"
)

// TestSignature: a signature that was made by openssl dgst -sha256 -hmac is verified, until it is old.
func TestSignature(t *testing.T) {
	const right = "ts=1767225600;h1=2fc8fe504598643acc0ef8e90dd06a8abfb4c2e0cc3f5960dce8ac1dfb1ca65c"
	s, body := newShop(t), []byte(`{"id":"evt_1"}`)
	for seconds, want := range map[int]error{-300: nil, 300: nil, 301: adapter.ErrSignature} {
		cfg := s.config()
		cfg.Now = func() time.Time { return time.Unix(int64(1767225600+seconds), 0) }
		if err := paddle.Verify(http.Header{paddle.HeaderName: {right}}, body, cfg); !errors.Is(err, want) {
			t.Errorf("%d seconds: %v", seconds, err)
		}
	}
}

// TestAnswers: each answer of the handler that is not 200.
func TestAnswers(t *testing.T) {
	s := newShopWith(t, func(cfg *paddle.Config) { cfg.MaxBody = 4096 })
	signedText := func(text string) int { return s.answer(paddle.Sign(secret, s.Now, []byte(text)), []byte(text)) }
	for name, text := range map[string]string{
		"no JSON": "{", "a list": "[]", "twice": `{"event_id":"a","event_id":"b"}`, "no id": `{"event_type":"customer.created","occurred_at":"2026-01-01T00:00:00Z"}`,
		"no time": `{"event_id":"a","event_type":"customer.created"}`, "a wrong time": `{"event_id":"a","event_type":"customer.created","occurred_at":"today"}`,
		"a wrong type":  `{"event_id":"a","event_type":"customer.created","occurred_at":"2026-01-01T00:00:00Z","data":{"id":5}}`,
		"no total":      `{"event_id":"a","event_type":"transaction.completed","occurred_at":"2026-01-01T00:00:00Z","data":{"id":"txn","currency_code":"USD"}}`,
		"no currency":   `{"event_id":"a","event_type":"transaction.completed","occurred_at":"2026-01-01T00:00:00Z","data":{"id":"txn","details":{"totals":{"grand_total":"5"}}}}`,
		"a fraction":    `{"event_id":"a","event_type":"transaction.completed","occurred_at":"2026-01-01T00:00:00Z","data":{"id":"txn","currency_code":"USD","details":{"totals":{"grand_total":"5.5"}}}}`,
		"out of range":  `{"event_id":"a","event_type":"transaction.completed","occurred_at":"2026-01-01T00:00:00Z","data":{"id":"txn","currency_code":"USD","details":{"totals":{"grand_total":"9223372036854775807"}}}}`,
		"no id of it":   `{"event_id":"a","event_type":"adjustment.created","occurred_at":"2026-01-01T00:00:00Z","data":{"action":"refund","transaction_id":"txn","currency_code":"USD","totals":{"total":"5"}}}`,
		"no payment":    `{"event_id":"a","event_type":"adjustment.created","occurred_at":"2026-01-01T00:00:00Z","data":{"action":"refund","id":"adj","currency_code":"USD","totals":{"total":"5"}}}`,
		"no id of who":  `{"event_id":"a","event_type":"customer.created","occurred_at":"2026-01-01T00:00:00Z","data":{"email":"a@example.com"}}`,
		"invalid UTF-8": "{\"event_id\":\"\xff\"}",
	} {
		shoptest.Same(t, name, signedText(text), 400)
	}
	shoptest.Same(t, "too large", signedText(strings.Repeat(" ", 4097)), 413)
	shoptest.Same(t, "unknown", signedText(`{"event_id":"a","event_type":"payout.paid","occurred_at":"2026-01-01T00:00:00Z","data":{}}`), 200)
	s.Ignored(pay.UnknownEvent)
	shoptest.Same(t, "the future", signedText(fmt.Sprintf(`{"event_id":"a","event_type":"customer.created","occurred_at":%q,"data":{"id":"ctm"}}`, stamp(s.Now.Add(time.Hour)))), 503)

	get := httptest.NewRecorder()
	s.Hook.ServeHTTP(get, httptest.NewRequest(http.MethodGet, "/", nil))
	shoptest.Same(t, "a GET", get.Code, 405)
	form := signedWith(paddle.Sign(secret, s.Now, []byte("{}")), []byte("{}"))
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, form)
	shoptest.Same(t, "a form", w.Code, 415)
	if logs := s.Logs.String(); strings.Contains(logs, "example.com") || strings.Contains(logs, secret) {
		t.Errorf("the logs have an email or a secret:\n%s", logs)
	}
}

// A hangingStore answers when the context has ended.
type hangingStore struct{ record.Store }

func (hangingStore) Update(ctx context.Context, _ uuid.UUID, _ func(*record.Tx) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestStoreDown: the handler asks for the event again, also when the store does
// not answer, and before Paddle's 5 seconds are over.
func TestStoreDown(t *testing.T) {
	s := newShop(t)
	s.Hook = handler(t, s.With(conformance.FailAt(s.Store, 1)), s.config())
	shoptest.Same(t, "a store that is down", s.Status(s.customer()), 503)
	synctest.Test(t, func(t *testing.T) {
		s.Hook = handler(t, s.With(hangingStore{s.Store}), s.config())
		began := time.Now()
		shoptest.Same(t, "a store that hangs", s.Status(s.customer()), 503)
		if took := time.Since(began); took >= 5*time.Second {
			t.Errorf("answered after %v", took)
		}
	})
}

// TestConfig: what cannot be used is refused before the first event.
func TestConfig(t *testing.T) {
	p := newShop(t).Program
	right := adapter.Config{Secrets: []string{secret}}
	for name, cfg := range map[string]paddle.Config{
		"no secret": {}, "an API key": {Config: adapter.Config{Secrets: []string{"pdl_live_apikey_01"}}}, "other totals": {Config: right, Totals: "gross"},
	} {
		if _, err := paddle.Handler(p, cfg); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := paddle.Handler(nil, paddle.Config{Config: right}); !errors.Is(err, adapter.ErrConfig) {
		t.Errorf("no program: %v", err)
	}
}

// FuzzMap: no payload makes it panic, and what it takes gives a fact that a
// program can read.
func FuzzMap(f *testing.F) { provider.Fuzz(f, "transaction", "adjustment", "subscription", "customer") }
