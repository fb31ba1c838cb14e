package stripe_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// answer is the status of a request.
func (s *shop) answer(header string, body []byte) int {
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, signedWith(header, body))
	return w.Code
}

// TestSignature: checks 79 to 82.
func TestSignature(t *testing.T) {
	run(t, []check{
		{79, "single bits", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			header := []byte(stripe.Sign(secret, s.Now, body))
			random := rand.New(rand.NewPCG(1, 2))
			for range 1000 {
				h, b := bytes.Clone(header), bytes.Clone(body)
				if n := random.IntN(len(h) + len(b)); n < len(h) {
					h[n] ^= 1 << random.IntN(8)
				} else {
					b[n-len(h)] ^= 1 << random.IntN(8)
				}
				if got := s.answer(string(h), b); got != 400 && got != 401 {
					t.Fatalf("status %d for %q", got, h)
				}
			}
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			shoptest.Same(t, "answer to the right one", s.answer(string(header), body), 204)
		}},
		{80, "the time", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			for seconds, want := range map[int]int{-301: 401, 301: 401, -300: 204, 300: 204, 0: 204} {
				at := s.Now.Add(time.Duration(seconds) * time.Second)
				shoptest.Same(t, strconv.Itoa(seconds)+" s", s.answer(stripe.Sign(secret, at, body), body), want)
			}
		}},
		{81, "malformed headers", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			right := stripe.Sign(secret, s.Now, body)
			at, signature, _ := strings.Cut(right, ",")
			for name, header := range map[string]string{
				"v0 only": at + "," + strings.Replace(signature, "v1", "v0", 1), "two times": at + "," + right, "no time": signature,
				"commas": strings.Repeat(",", 4096), "long": right + "," + strings.Repeat("x=y,", 2000), "empty": "", "no value": "t",
				"upper case": at + ",v1=" + strings.ToUpper(signature[3:]), "short": right[:len(right)-1], "longer": right + "0",
				"sign of the time": "t=+" + right[2:], "space": "t= " + right[2:], "no signature": at,
				"eleven": at + strings.Repeat(",v1="+strings.Repeat("0", 64), 10) + "," + signature,
			} {
				if got := s.answer(header, body); got != 400 && got != 401 {
					t.Errorf("%s: status %d", name, got)
				}
			}
			nine := at + strings.Repeat(",v1="+strings.Repeat("0", 64), 9) + "," + signature + ",v0=x"
			shoptest.Same(t, "the tenth", s.answer(nine, body), 204)
		}},
		{82, "rotation", func(t *testing.T) {
			s := newShop(t)
			body := s.first().JSON()
			both, old := configAt(s), configAt(s)
			both.Secrets, old.Secrets = []string{"whsec_new", secret}, []string{"whsec_new"}
			s.Hook = handler(t, s.Program, both)
			shoptest.Same(t, "the second secret", s.answer(stripe.Sign(secret, s.Now, body), body), 204)
			s.Hook = handler(t, s.Program, old)
			shoptest.Same(t, "after it was removed", s.answer(stripe.Sign(secret, s.Now, body), body), 401)
		}},
	})
}

// TestSecretAtEachPosition: each of ten secrets is tried.
func TestSecretAtEachPosition(t *testing.T) {
	s := newShop(t)
	body := s.first().JSON()
	for i := range 10 {
		cfg := configAt(s)
		cfg.Secrets = nil
		for n := range 10 {
			cfg.Secrets = append(cfg.Secrets, "whsec_"+hex.EncodeToString([]byte{byte(n)}))
		}
		if err := stripe.Verify(headers(stripe.Sign(cfg.Secrets[i], s.Now, body)), body, cfg); err != nil {
			t.Errorf("secret %d: %v", i, err)
		}
	}
}

// TestAnswers: checks 83 to 87.
func TestAnswers(t *testing.T) {
	run(t, []check{
		{83, "a large body", func(t *testing.T) {
			s := newShop(t)
			for size, want := range map[int]int{1 << 20: 204, 1<<20 + 1: 413} {
				body := s.load("customer", "id", "cus_X").JSON()
				body = append(body, bytes.Repeat([]byte(" "), size-len(body))...)
				shoptest.Same(t, strconv.Itoa(size), s.answer(stripe.Sign(secret, s.Now, body), body), want)
			}
		}},
		{84, "events of no use", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.load("customer", "/type", "payout.paid"))
			s.Ignored(pay.UnknownEvent)
			thin := shoptest.Decode(t, []byte(`{"id": "evt_test_1", "object": "v2.core.event", "type": "v1.billing.meter.error_report_triggered",
				"created": "2026-01-01T00:00:00.000Z", "livemode": true, "related_object": {"id": "mtr_1", "type": "billing.meter"}}`))
			s.Send(thin)
			s.Ignored(pay.ThinEvent)
		}},
		{85, "the store is down", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Hook = handler(t, s.With(conformance.FailAt(s.Store, 1)), configAt(s))
			w := httptest.NewRecorder()
			s.Hook.ServeHTTP(w, signed(e.JSON(), s.Now))
			shoptest.Same(t, "status", w.Code, 503)
			shoptest.Same(t, "Retry-After", w.Header().Get("Retry-After"), "30")
			s.Hook = handler(t, s.Program, configAt(s))
			s.Send(e)
			s.Sale()
			s.Want(s.Mara, "20.00")
		}},
		{86, "the answer is lost", func(t *testing.T) {
			s := newShop(t)
			e := s.first()
			s.Hook = handler(t, s.With(conformance.LoseAnswer(s.Store, 1)), configAt(s))
			shoptest.Same(t, "status", s.Status(e), 503)
			s.Hook = handler(t, s.Program, configAt(s))
			s.Send(e)
			s.Sale()
			s.Want(s.Mara, "20.00")
		}},
		{87, "panics of the host", func(t *testing.T) {
			s := newShop(t)
			cfg := configAt(s)
			cfg.Accounts = func(context.Context, string) (*tributary.Program, error) { panic("Accounts of " + secret) }
			cfg.OnResult = func(context.Context, pay.Result) { panic("OnResult of tomas@example.com") }
			cfg.Logger = s.Logger()
			s.Hook = handler(t, s.Program, cfg)
			shoptest.Same(t, "Accounts", s.Status(s.first("/account", "acct_1")), 500)
			shoptest.Same(t, "OnResult", s.Status(s.first()), 204)
			s.Want(s.Mara, "20.00")
			s.discreet()
		}},
		{88, "in the host's transaction", func(t *testing.T) {
			s := newShop(t)
			action := shoptest.Must(stripe.Map(s.first().JSON(), configAt(s)))
			rolledBack := errors.New("the host changed its mind")
			fired := s.Fired("")
			err := s.Store.Update(t.Context(), s.Config().ID, func(tx *record.Tx) error {
				result, err := pay.Apply(t.Context(), s.With(storeInTx{tx}), action)
				if err != nil || !result.Done || result.Outcome != affiliate.SaleRecorded {
					t.Errorf("%+v, %v", result, err)
				}
				return rolledBack
			})
			shoptest.Same(t, "error", err, rolledBack)
			shoptest.Same(t, "sales", len(s.AllSales()), 0)
			shoptest.Same(t, "events", s.Fired(""), fired)
			_, err = s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1")
			shoptest.Same(t, "payment", err, affiliate.ErrNotFound)
			payer := shoptest.Must(s.Payments().Payer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_T"}))
			shoptest.Same(t, "payer", payer.Referral.IsNull(), true)
			s.Send(s.first())
			s.Want(s.Mara, "20.00")
		}},
		{89, "logs", func(t *testing.T) {
			s := newShop(t)
			s.Send(s.first(), s.first("currency", "eur"), s.refund("re_1", "pi_1", 3000), s.refund("re_1", "pi_1", 4000), s.dispute("du_1", "lost", 100),
				s.load("customer"), s.status("sub_1", "past_due"), s.session("pi_2", 0),
				s.invoice("in_1", "subscription_create", 2900, "customer", "cus_N", "customer_email", "nobody@example.com"))
			shoptest.Same(t, "wrong type", s.Status(s.first("amount_total", "tomas@example.com")), 400)
			shoptest.Same(t, "wrong secret", s.answer(stripe.Sign("whsec_other", s.Now, []byte("{}")), []byte("{}")), 401)
			s.Hook = handler(t, s.With(conformance.FailAt(s.Store, 3)), stripe.Config{Config: adapter.Config{Secrets: []string{secret}, Now: s.Config().Now, Logger: s.Logger()}})
			shoptest.Same(t, "failing store", s.Status(s.session("pi_3", 100, "metadata.tributary_click", "1")), 503)
			s.discreet()
		}},
	})
}

// discreet requires that the logs have lines, and no personal data, secret or
// body in them.
func (s *shop) discreet() {
	s.T.Helper()
	logs := s.Logs.String()
	if !strings.Contains(logs, "payment event") {
		s.T.Error("nothing was logged")
	}
	for _, text := range []string{"tomas", "Tomas", "example.com", "whsec_", "amount_total\"", "Lisboa"} {
		if strings.Contains(logs, text) {
			s.T.Errorf("the logs have %q:\n%s", text, logs)
		}
	}
}

// storeInTx is a store inside a transaction of the host.
type storeInTx struct{ tx *record.Tx }

func (w storeInTx) View(_ context.Context, _ uuid.UUID, fn func(*record.Tx) error) error {
	return fn(w.tx)
}

func (w storeInTx) Update(_ context.Context, _ uuid.UUID, fn func(*record.Tx) error) error {
	return fn(w.tx)
}

// TestRefusedRequests: requests that are no events of the provider.
func TestRefusedRequests(t *testing.T) {
	s := newShop(t)
	body := s.first().JSON()
	for name, row := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a GET":        {func(r *http.Request) { r.Method = http.MethodGet }, 405},
		"a form":       {func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
		"gzip":         {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		"no header":    {func(r *http.Request) { r.Header.Del("Stripe-Signature") }, 400},
		"two headers":  {func(r *http.Request) { r.Header.Add("Stripe-Signature", "t=1") }, 400},
		"another body": {func(r *http.Request) { r.Body = http.NoBody }, 401},
	} {
		r := signed(body, s.Now)
		row.change(r)
		w := httptest.NewRecorder()
		s.Hook.ServeHTTP(w, r)
		shoptest.Same(t, name, w.Code, row.want)
		if row.want == 405 {
			shoptest.Same(t, "Allow", w.Header().Get("Allow"), "POST")
		}
	}
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, signedWith("t=1,v1=00", body))
	malformed := httptest.NewRecorder()
	s.Hook.ServeHTTP(malformed, signedWith("nonsense", body))
	shoptest.Same(t, "text", w.Body.String(), malformed.Body.String())
}

// TestHandlerRefuses: configurations that cannot work.
func TestHandlerRefuses(t *testing.T) {
	s := newShop(t)
	for name, change := range map[string]func(*stripe.Config){
		"no secret":          func(cfg *stripe.Config) { cfg.Secrets = nil },
		"eleven secrets":     func(cfg *stripe.Config) { cfg.Secrets = make([]string, 11) },
		"an API key":         func(cfg *stripe.Config) { cfg.Secrets = []string{"sk_live_1"} },
		"a space":            func(cfg *stripe.Config) { cfg.Secrets = []string{"whsec_1 "} },
		"negative tolerance": func(cfg *stripe.Config) { cfg.Tolerance = -1 },
		"negative wait":      func(cfg *stripe.Config) { cfg.Wait = -1 },
		"negative size":      func(cfg *stripe.Config) { cfg.MaxBody = -1 },
	} {
		cfg := configAt(s)
		change(&cfg)
		if _, err := stripe.Handler(s.Program, cfg); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := stripe.Handler(nil, configAt(s)); !errors.Is(err, adapter.ErrConfig) {
		t.Errorf("no program: %v", err)
	}
}
