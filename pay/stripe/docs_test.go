package stripe_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// The blocks of docs/payments.md and docs/payments-stripe.md.

func mountStripe(mux *http.ServeMux, program *tributary.Program, cfg stripe.Config) error {
	hook, err := stripe.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/stripe", hook)
	return nil
}

func checkoutMetadata(program *tributary.Program, r *http.Request, cfg stripe.Config, order string) (map[string]string, error) {
	return cfg.Carry(program, r, stripe.ViaSession, pay.Carried{Order: order})
}

func platform(programs map[string]*tributary.Program, secret string) (http.Handler, error) {
	return stripe.Handler(nil, stripe.Config{
		Config: adapter.Config{Secrets: adapter.Secrets{secret}},
		Accounts: func(_ context.Context, account string) (*tributary.Program, error) {
			return programs[account], nil
		},
	})
}

func receive(ctx context.Context, program *tributary.Program, h http.Header, body []byte, cfg stripe.Config) (pay.Result, error) {
	if err := stripe.Verify(h, body, cfg); err != nil {
		return pay.Result{}, err
	}
	action, err := stripe.Map(body, cfg)
	if err != nil {
		return pay.Result{}, err
	}
	if time.Since(action.Event.At) > time.Hour {
		action.Wait = false // the first payment of this customer will not come
	}
	return pay.Apply(ctx, program, action)
}

func withLines(cfg stripe.Config, api *http.Client) stripe.Config {
	cfg.Lines = func(ctx context.Context, _, id string) ([]byte, error) {
		path := "https://api.stripe.com/v1/invoices/" + id + "/lines?limit=100"
		if strings.HasPrefix(id, "cs_") {
			path = "https://api.stripe.com/v1/checkout/sessions/" + id + "/line_items?limit=100"
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		answer, err := api.Do(r) // it adds the key, and gives up after a few seconds
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return nil, errors.New("Stripe answered " + answer.Status)
		}
		return io.ReadAll(io.LimitReader(answer.Body, 4<<20))
	}
	return cfg
}

// transport answers requests.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestDocsLines: the look-up of the guide gives a session its lines.
func TestDocsLines(t *testing.T) {
	status := http.StatusTooManyRequests
	api := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		w.WriteHeader(status)
		if r.URL.Path == "/v1/checkout/sessions/cs_pi_1/line_items" {
			_, _ = w.WriteString(`{"data":[{"id":"li_a","quantity":1,"amount_subtotal":12000,"amount_total":12000,"price":{"id":"price_a","product":"prod_a"}}],"has_more":false}`)
		}
		return w.Result(), nil
	})}
	s := newShopWith(t, ruled, func(cfg *stripe.Config) { *cfg = withLines(*cfg, api) })
	e := s.session("pi_1", 12000, "metadata.tributary_click", "1")
	shoptest.Same(t, "status of a failure", s.Status(e), http.StatusServiceUnavailable)
	status = http.StatusOK
	s.Send(e)
	s.Want(s.Mara, "60.00")
}

// TestDocsBlocks: the blocks of the guide do what it says.
func TestDocsBlocks(t *testing.T) {
	s := newShop(t)
	visit := httptest.NewRequest(http.MethodPost, "/checkout", nil)
	visit.AddCookie(&http.Cookie{Name: "tributary_click_" + strings.ReplaceAll(shoptest.ID.String(), "-", ""), Value: "1"})
	metadata := shoptest.Must(checkoutMetadata(s.Program, visit, configAt(s), "order-7"))
	e := s.first("metadata", metadata)
	result := shoptest.Must(receive(t.Context(), s.Program, headers(stripe.Sign(secret, s.Now, e.JSON())), e.JSON(), configAt(s)))
	shoptest.Same(t, "outcome", result.Outcome, affiliate.SaleRecorded)
	shoptest.Same(t, "externalId", s.Sale().ExternalID, affiliate.Set("order-7"))
	if _, err := receive(t.Context(), s.Program, headers(stripe.Sign("whsec_other", s.Now, e.JSON())), e.JSON(), configAt(s)); err == nil {
		t.Error("another secret is accepted")
	}

	mux := http.NewServeMux()
	if err := mountStripe(mux, s.Program, stripe.Config{Config: adapter.Config{Secrets: []string{secret}, CarryKeys: shoptest.CarryKeys}}); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	refund := s.refund("re_1", "pi_1", 3000).With("account", "acct_1").JSON()
	for path, h := range map[string]http.Handler{
		"/webhooks/stripe": mux, "/": shoptest.Must(platform(map[string]*tributary.Program{"acct_1": s.Program}, secret)),
	} {
		r := signedWith(stripe.Sign(secret, at, refund), refund)
		r.URL.Path = path
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		shoptest.Same(t, path, w.Code, http.StatusNoContent)
	}
	s.Want(s.Mara, "15.00") // by the platform; the other endpoint ignores connected accounts
}

// TestDocsLists: the guide names each event, each reason and each currency with decimals of
// its own, and the guide of all providers each reason and each key of the metadata.
func TestDocsLists(t *testing.T) {
	page, shared := "payments-stripe.md", "payments.md"
	shoptest.Named(t, page, stripe.Events(), 6, `"([A-Z]{3})"`, "currency.go")
	shoptest.Named(t, page, nil, 6, `Reason += "(\w+)"`, "../action.go")
	shoptest.Named(t, shared, nil, 6, `Reason += "(\w+)"`, "../action.go")
	shoptest.Named(t, shared, nil, 6, `= "(tributary_\w+)"`, "../adapter/carried.go")
}
