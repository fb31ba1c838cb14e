package lemonsqueezy_test

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

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

const secret = "shop-secret"

type event = shoptest.Event

// sign signs as Lemon Squeezy does.
func sign(h http.Header, body []byte, _ time.Time) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	h.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
}

func signed(body []byte, now time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/lemonsqueezy", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	sign(r.Header, body, now)
	return r
}

func configOf(cfg adapter.Config) lemonsqueezy.Config {
	cfg.Secrets = adapter.Secrets{secret}
	return lemonsqueezy.Config{Config: cfg}
}

func config(s *shoptest.Shop) lemonsqueezy.Config {
	return configOf(adapter.Config{CarryKeys: shoptest.CarryKeys, Now: func() time.Time { return s.Now }, Logger: s.Logger(), OnResult: s.OnResult})
}

// newShop opens a shop behind Lemon Squeezy's handler.
func newShop(t testing.TB) *shoptest.Shop {
	t.Helper()
	s := shoptest.New(t)
	h, err := lemonsqueezy.Handler(s.Program, config(s))
	if err != nil {
		t.Fatal(err)
	}
	s.Hook, s.Request, s.OK = h, signed, http.StatusOK
	return s
}

// load reads a recorded event and gives it the time of the shop, and other fields of its
// attributes. A path that begins with / is one of the event itself.
func load(s *shoptest.Shop, name string, changes ...any) event {
	s.T.Helper()
	stamp := s.Now.Format("2006-01-02T15:04:05.000000Z07:00")
	pairs := []any{"data.attributes.created_at", stamp, "data.attributes.updated_at", stamp}
	for i := 0; i < len(changes); i += 2 {
		path, at := strings.CutPrefix(changes[i].(string), "/")
		if !at {
			path = "data.attributes." + path
		}
		pairs = append(pairs, path, changes[i+1])
	}
	return shoptest.Load(s.T, "testdata/"+name+".json").With(pairs...).Carried(s.Config().ID)
}

func mapped(t testing.TB, e event) pay.Action {
	t.Helper()
	a, err := lemonsqueezy.Map(e.JSON(), configOf(adapter.Config{CarryKeys: shoptest.CarryKeys}))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
