package polar_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/polar"
)

// secret has the form of one that Polar makes.
const secret = "whsec_shopshopshopshopshopshopshopshopshop0shop1"

type event = shoptest.Event

// sign signs as Polar does: the key is the text of the secret.
func sign(h http.Header, body []byte, at time.Time) {
	const id = "3f0a9d1c-5b7e-4c2d-8a6f-1e2d3c4b5a69"
	seconds := fmt.Sprint(at.Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", id, seconds, body)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", seconds)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func signed(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/polar", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, body, now)
	return r
}

// newShop opens a shop behind Polar's handler.
func newShop(t testing.TB, change ...func(*tributary.Config)) *shoptest.Shop {
	t.Helper()
	s := shoptest.New(t, change...)
	h, err := polar.Handler(s.Program, config(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, signed, http.StatusNoContent
	return s
}

func config(s *shoptest.Shop) polar.Config {
	return polar.Config{Secrets: adapter.Secrets{secret}, CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult}
}

// load reads a recorded event and gives it the time of the shop, and other fields of its object.
func load(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	pairs := []any{"timestamp", s.Now.Format("2006-01-02T15:04:05.000000Z07:00"), "data.created_at", s.Now.Format("2006-01-02T15:04:05.000000Z07:00")}
	for i := 0; i < len(changes); i += 2 {
		pairs = append(pairs, "data."+changes[i].(string), changes[i+1])
	}
	return shoptest.Load(s.T, "testdata/"+name+".json").With(pairs...).Carried(s.Config().ID)
}

func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	a, err := polar.Map(e.JSON(), polar.Config{CarryKeys: shoptest.CarryKeys})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
