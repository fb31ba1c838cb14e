package dodo_test

import (
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// secret has the form of one that Dodo makes. The key is what it is the base64 of.
const secret = "whsec_c2hvcHNob3BzaG9wc2hvcHNob3BzaG9w"

type event = shoptest.Event

var provider = shoptest.Provider[dodo.Config]{
	Secret: secret, OK: http.StatusNoContent, Object: "data.", Times: shoptest.Stamps("/timestamp", "created_at"),
	Handler: dodo.Handler, Map: dodo.Map,
	Config: func(cfg adapter.Config) adapter.Config { return cfg },
	Sign:   shoptest.SignStandard("msg_37beansbeansbeansbeansbeans", "shopshopshopshopshopshop"),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	sign, load              = provider.Sign, provider.Load
)

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
