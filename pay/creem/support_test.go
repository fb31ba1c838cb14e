package creem_test

import (
	"encoding/hex"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// secret has the form of one that Creem makes. Its key is the whole text.
const secret = "whsec_shopShopshopShopshop00"

type event = shoptest.Event

var provider = shoptest.Provider[creem.Config]{
	Secret: secret, OK: http.StatusOK, Object: "object.", Times: times,
	Handler: creem.Handler, Map: creem.Map,
	Config: func(cfg adapter.Config) creem.Config { return creem.Config{Config: cfg} },
	Sign:   shoptest.SignHMAC("creem-signature", secret, hex.EncodeToString),
}

var (
	newShop, config, mapped = provider.Shop, provider.At, provider.Mapped
	load                    = provider.Load
)

// times are those of a recorded event.
func times(name string, now time.Time) []any {
	pairs := []any{"/created_at", now.UnixMilli()}
	switch name {
	case "paid":
		return append(pairs, "created_at", now.Format(time.RFC3339Nano), "last_transaction.created_at", now.Add(5*time.Second).UnixMilli())
	case "renewal":
		return append(pairs, "created_at", now.AddDate(0, -1, 0).Format(time.RFC3339Nano), "last_transaction.created_at", now.UnixMilli())
	case "checkout":
		return append(pairs, "order.updated_at", now.Format(time.RFC3339Nano))
	}
	return pairs
}

func amount(text string) affiliate.Amount { return affiliate.MustAmount(text) }
