package woocommerce_test

import (
	"encoding/base64"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

const secret = "a secret & <one>"

type event = shoptest.Event

var provider = shoptest.Provider[woocommerce.Config]{
	Secret: secret, OK: http.StatusOK,
	Handler: woocommerce.Handler, Map: woocommerce.Map,
	Config: func(cfg adapter.Config) woocommerce.Config { return woocommerce.Config{Config: cfg} },
	Sign:   shoptest.SignHMAC("X-WC-Webhook-Signature", secret, base64.StdEncoding.EncodeToString),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	sign, signed            = provider.Sign, provider.Request
)

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

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
