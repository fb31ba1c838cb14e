package shopify_test

import (
	"encoding/base64"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/shopify"
)

const secret = "shpss_0123456789abcdef0123456789abcdef"

type event = shoptest.Event

var provider = shoptest.Provider[shopify.Config]{
	Secret: secret, OK: http.StatusOK,
	Handler: shopify.Handler, Map: shopify.Map,
	Config: func(cfg adapter.Config) shopify.Config { return shopify.Config{Config: cfg} },
	Sign:   shoptest.SignHMAC("X-Shopify-Hmac-SHA256", secret, base64.StdEncoding.EncodeToString),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	sign, signed            = provider.Sign, provider.Request
)

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

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
