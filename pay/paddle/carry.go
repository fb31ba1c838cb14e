package paddle

import (
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pay"
)

// Carry returns the custom data that tells an event what brought the visitor: the
// click that [github.com/tributary-go/tributary/httpapi.Attribution] has noted in a cookie of the request, and what the
// host adds, signed with Config.CarryKeys. Give it to the checkout as customData, or
// to a transaction that the host makes as custom_data; Paddle hands it on to the
// subscription and its renewals. A host that calls RecordSale itself carries the
// Order, so that both are one sale. Do not change what is returned: the payer's
// browser can, and then the signature is wrong. r may be nil: then there is no click.
// The map is empty when nothing is carried.
//
// Errors: [pay.ErrKeys], for a code, an order or a customer without a key; one for a
// text that cannot be carried, and for a Code without an Order.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-paddle.md.
func (cfg Config) Carry(p *tributary.Program, r *http.Request, c pay.Carried) (map[string]string, error) {
	return cfg.common().Carry(p, r, c)
}
