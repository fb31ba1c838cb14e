package woocommerce_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

const secret = "a secret & <one>"

type event = shoptest.Event

// sign signs as WooCommerce does.
func sign(h http.Header, body []byte, _ time.Time) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h.Set("X-WC-Webhook-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func signed(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/woocommerce", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, body, now)
	return r
}

func configOf(cfg adapter.Config) woocommerce.Config {
	cfg.Secrets = adapter.Secrets{secret}
	return woocommerce.Config{Config: cfg}
}

func config(s *shoptest.Shop) woocommerce.Config {
	return configOf(adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult})
}

// newShop opens a shop behind WooCommerce's handler.
func newShop(t testing.TB, change ...func(*tributary.Config)) *shoptest.Shop {
	t.Helper()
	s := shoptest.New(t, change...)
	h, err := woocommerce.Handler(s.Program, config(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, signed, http.StatusOK
	return s
}

// stamp is a time as WooCommerce writes it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05") }

// load reads a recorded event and gives it the time of the shop, and other fields.
func load(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	e := shoptest.Load(s.T, "testdata/"+name+".json")
	for _, field := range []string{"date_created_gmt", "date_modified_gmt", "date_paid_gmt"} {
		if e[field] != nil {
			e[field] = stamp(s.Now)
		}
	}
	return e.With(changes...)
}

// carrying adds what an order carried to its other meta data.
func carrying(e event, data map[string]string) event {
	list := append([]any{}, e["meta_data"].([]any)...)
	for key, value := range data {
		list = append(list, map[string]any{"id": 9900 + len(list), "key": key, "value": value})
	}
	return e.With("meta_data", list)
}

// brought is an event of the visitor of an affiliate.
func brought(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	return carrying(load(s, name, changes...), shoptest.Must(config(s).Carry(s.Program, nil, pay.Carried{Slug: "mara"})))
}

func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	a, err := woocommerce.Map(e.JSON(), configOf(adapter.Config{CarryKeys: shoptest.CarryKeys}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
