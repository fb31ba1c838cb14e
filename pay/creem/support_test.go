package creem_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// secret has the form of one that Creem makes. Its key is the whole text.
const secret = "whsec_shopShopshopShopshop00"

type event = shoptest.Event

// sign signs as Creem does.
func sign(h http.Header, body []byte, _ time.Time) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h.Set("creem-signature", hex.EncodeToString(mac.Sum(nil)))
}

func signed(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/creem", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, body, now)
	return r
}

func configOf(cfg adapter.Config) creem.Config {
	cfg.Secrets = adapter.Secrets{secret}
	return creem.Config{Config: cfg}
}

func config(s *shoptest.Shop) creem.Config {
	return configOf(adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult})
}

// newShop opens a shop behind Creem's handler.
func newShop(t testing.TB, change ...func(*tributary.Config)) *shoptest.Shop {
	t.Helper()
	s := shoptest.New(t, change...)
	h, err := creem.Handler(s.Program, config(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, signed, http.StatusOK
	return s
}

// load reads a recorded event and gives it the time of the shop, and other fields of its
// object. A path that begins with / is one of the event itself.
func load(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	pairs := []any{"created_at", s.Now.UnixMilli()}
	switch name {
	case "paid":
		pairs = append(pairs, "object.created_at", s.Now.Format(time.RFC3339Nano), "object.last_transaction.created_at", s.Now.Add(5*time.Second).UnixMilli())
	case "renewal":
		pairs = append(pairs, "object.created_at", s.Now.AddDate(0, -1, 0).Format(time.RFC3339Nano), "object.last_transaction.created_at", s.Now.UnixMilli())
	case "checkout":
		pairs = append(pairs, "object.order.updated_at", s.Now.Format(time.RFC3339Nano))
	}
	for i := 0; i < len(changes); i += 2 {
		path, at := strings.CutPrefix(changes[i].(string), "/")
		if !at {
			path = "object." + path
		}
		pairs = append(pairs, path, changes[i+1])
	}
	return shoptest.Load(s.T, "testdata/"+name+".json").With(pairs...).Carried(s.Config().ID)
}

func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	a, err := creem.Map(e.JSON(), configOf(adapter.Config{CarryKeys: shoptest.CarryKeys}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
