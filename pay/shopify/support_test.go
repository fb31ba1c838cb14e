package shopify_test

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
	"github.com/tributary-go/tributary/pay/shopify"
)

const secret = "shpss_0123456789abcdef0123456789abcdef"

type event = shoptest.Event

// sign signs as Shopify does.
func sign(h http.Header, body []byte, _ time.Time) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h.Set("X-Shopify-Hmac-SHA256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func signed(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/shopify", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, body, now)
	return r
}

func configOf(cfg adapter.Config) shopify.Config {
	cfg.Secrets = adapter.Secrets{secret}
	return shopify.Config{Config: cfg}
}

func config(s *shoptest.Shop) shopify.Config {
	return configOf(adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult})
}

// newShop opens a shop behind Shopify's handler.
func newShop(t testing.TB, change ...func(*tributary.Config)) *shoptest.Shop {
	t.Helper()
	s := shoptest.New(t, change...)
	h, err := shopify.Handler(s.Program, config(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, signed, http.StatusOK
	return s
}

// load reads a recorded event and gives it the time of the shop, and other fields.
func load(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	stamp := s.Now.Format(time.RFC3339)
	e := shoptest.Load(s.T, "testdata/"+name+".json")
	for _, field := range []string{"created_at", "updated_at", "processed_at"} {
		if e[field] != nil {
			e[field] = stamp
		}
	}
	return e.With(changes...)
}

// carrying adds what a cart carried.
func carrying(e event, data map[string]string) event {
	list := []any{}
	for name, value := range data {
		list = append(list, map[string]any{"name": name, "value": value})
	}
	return e.With("note_attributes", list)
}

// brought is an event of the visitor of an affiliate.
func brought(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	return carrying(load(s, name, changes...), shoptest.Must(config(s).Carry(s.Program, nil, pay.Carried{Slug: "mara"})))
}

func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	a, err := shopify.Map(e.JSON(), configOf(adapter.Config{CarryKeys: shoptest.CarryKeys}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
