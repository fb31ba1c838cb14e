package lemonsqueezy_test

import (
	"encoding/hex"
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
)

const secret = "shop-secret"

type event = shoptest.Event

var provider = shoptest.Provider[lemonsqueezy.Config]{
	Secret: secret, OK: http.StatusOK, Object: "data.attributes.", Times: shoptest.Stamps("created_at", "updated_at"),
	Handler: lemonsqueezy.Handler, Map: lemonsqueezy.Map,
	Config: func(cfg adapter.Config) lemonsqueezy.Config { return lemonsqueezy.Config{Config: cfg} },
	Sign:   shoptest.SignHMAC("X-Signature", secret, hex.EncodeToString),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	sign, load              = provider.Sign, provider.Load
)

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
