package polar_test

import (
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/polar"
)

// secret has the form of one that Polar makes. The key is its text.
const secret = "whsec_shopshopshopshopshopshopshopshopshop0shop1"

type event = shoptest.Event

var provider = shoptest.Provider[polar.Config]{
	Secret: secret, OK: http.StatusNoContent, Object: "data.", Times: shoptest.Stamps("/timestamp", "created_at"),
	Handler: polar.Handler, Map: polar.Map,
	Config: func(cfg adapter.Config) adapter.Config { return cfg },
	Sign:   shoptest.SignStandard("3f0a9d1c-5b7e-4c2d-8a6f-1e2d3c4b5a69", secret),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	sign, load              = provider.Sign, provider.Load
)

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
