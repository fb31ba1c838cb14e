package paddle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
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

// TestSignature: what was not signed, is not of now, or was changed on its way is
// refused and changes nothing.
func TestSignature(t *testing.T) {
	s := newShop(t)
	s.Send(s.customer())
	body := s.first().JSON()
	right := paddle.Sign(secret, s.Now, body)
	t.Run("single bits", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			h, b := []byte(right), bytes.Clone(body)
			if n := random.IntN(len(h) + len(b)); n < len(h) {
				h[n] ^= 1 << random.IntN(8)
			} else {
				b[n-len(h)] ^= 1 << random.IntN(8)
			}
			if got := s.answer(string(h), b); got != 400 && got != 401 {
				t.Fatalf("status %d for %q", got, h)
			}
		}
	})
	t.Run("headers", func(t *testing.T) {
		at, signature, _ := strings.Cut(right, ";")
		for name, header := range map[string]string{
			"no time": signature, "no signature": at, "two times": at + ";" + right, "empty": "", "commas": strings.Replace(right, ";", ",", 1),
			"upper case": at + ";h1=" + strings.ToUpper(signature[3:]), "another scheme": at + ";" + strings.Replace(signature, "h1", "h2", 1),
			"another secret": paddle.Sign("pdl_ntfset_another", s.Now, body), "long": right + strings.Repeat(";x=y", 2000),
			"eleven": at + strings.Repeat(";h1="+strings.Repeat("0", 64), 10) + ";" + signature,
		} {
			if got := s.answer(header, body); got != 400 && got != 401 {
				t.Errorf("%s: status %d", name, got)
			}
		}
	})
	t.Run("times", func(t *testing.T) {
		for seconds, want := range map[int]int{-301: 401, 301: 401} {
			at := s.Now.Add(time.Duration(seconds) * time.Second)
			shoptest.Same(t, strconv.Itoa(seconds)+" s", s.answer(paddle.Sign(secret, at, body), body), want)
		}
	})
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
	at, signature, _ := strings.Cut(right, ";")
	shoptest.Same(t, "the second of two signatures", s.answer(at+";h1="+strings.Repeat("0", 64)+";"+signature, body), 200)
	s.Want(s.Mara, "20.00")

	old := newShopWith(t, func(cfg *paddle.Config) { cfg.Secrets = []string{"pdl_ntfset_new", secret} })
	old.Send(old.customer())
	shoptest.Same(t, "200 s old", old.answer(paddle.Sign(secret, old.Now.Add(-300*time.Second), body), body), 200)
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

// TestConfig: what cannot be used is refused before the first event, and secrets
// are never printed.
func TestConfig(t *testing.T) {
	p := newShop(t).Program
	for name, cfg := range map[string]adapter.Config{
		"no secret": {}, "an API key": {Secrets: []string{"pdl_live_apikey_01"}}, "white space": {Secrets: []string{secret + " "}},
		"eleven":             {Secrets: strings.Split(strings.Repeat(secret+" ", 11), " ")[:11]},
		"negative tolerance": {Secrets: []string{secret}, Tolerance: -1}, "negative wait": {Secrets: []string{secret}, Wait: -1}, "negative size": {Secrets: []string{secret}, MaxBody: -1},
	} {
		if _, err := paddle.Handler(p, paddle.Config{Config: cfg}); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cfg := paddle.Config{Config: adapter.Config{Secrets: []string{secret, secret}}, Totals: "gross"}
	if _, err := paddle.Handler(p, cfg); !errors.Is(err, adapter.ErrConfig) {
		t.Errorf("other totals: %v", err)
	}
	cfg.Totals = ""
	if _, err := paddle.Handler(nil, cfg); !errors.Is(err, adapter.ErrConfig) {
		t.Errorf("no program: %v", err)
	}
	if err := paddle.Verify(http.Header{paddle.HeaderName: {"ts=1;h1=x"}}, nil, paddle.Config{}); !errors.Is(err, adapter.ErrConfig) {
		t.Error(err)
	}
	text := fmt.Sprintf("%v %+v %#v %s %q", cfg.Secrets, cfg.Secrets, cfg.Secrets, cfg.Secrets, cfg.Secrets) + string(shoptest.Must(json.Marshal(struct{ Secrets adapter.Secrets }{cfg.Secrets}))) + cfg.Secrets.LogValue().String()
	if strings.Contains(text, "shopshop") || !strings.Contains(text, "*** ***") {
		t.Error(text)
	}
}

// TestAtOnce: a sale and its refund at the same moment, for 50 payments.
func TestAtOnce(t *testing.T) {
	s := newShopWith(t, func(cfg *paddle.Config) { cfg.OnResult = nil; cfg.Logger = nil })
	s.Send(s.customer())
	var all sync.WaitGroup
	for i := range 50 {
		id := fmt.Sprint("txn_", i)
		sale := s.transaction(id, 12000, 2000, "custom_data.tributary_click", "1").JSON()
		refund := s.adjusted("adj_"+id, "refund", id, 3000).JSON()
		for _, body := range [][]byte{sale, refund, sale} {
			all.Go(func() {
				if got := s.answer(paddle.Sign(secret, s.Now, body), body); got != 200 {
					t.Errorf("status %d", got)
				}
			})
		}
	}
	all.Wait()
	s.Want(s.Mara, "750.00")
}

// TestPure: the same payload gives the same action.
func TestPure(t *testing.T) {
	for _, name := range []string{"transaction", "adjustment", "subscription", "customer"} {
		body := shoptest.Load(t, "testdata/"+name+".json").JSON()
		a, b := shoptest.Must(paddle.Map(body, paddle.Config{})), shoptest.Must(paddle.Map(body, paddle.Config{}))
		if fmt.Sprint(a) != fmt.Sprint(b) || a.Kind == pay.KindIgnored {
			t.Errorf("%s: %+v, %+v", name, a, b)
		}
	}
}

// FuzzMap: no payload makes it panic, and what it takes gives a fact that a
// program can read.
func FuzzMap(f *testing.F) { provider.Fuzz(f, "transaction", "adjustment", "subscription", "customer") }
