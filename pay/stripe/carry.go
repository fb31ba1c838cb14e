package stripe

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// What a client_reference_id of ours begins with. The click or the slug, an
// underscore and the id of the program follow. Any other one is the host's.
const (
	clickReference = "trib_c_"
	slugReference  = "trib_s_"
)

// keyVia is the key of the way of a payment.
const keyVia = "tributary_via"

// Carry returns the metadata that tells an event what brought the visitor: the
// way of the payment, the click that [httpapi.Attribution] has noted in a cookie of
// the request, and what the host adds, signed with Config.CarryKeys. Put it into the
// metadata of the Checkout session and also into subscription_data.metadata or
// payment_intent_data.metadata; with [ViaInvoice] into that of the subscription, with
// [ViaIntent] into that of the payment intent. A host that calls RecordSale itself
// carries the Order, so that both are one sale. Do not change what is returned: then
// the signature is wrong. r may be nil: then there is no click.
//
// Errors: [pay.ErrKeys], for a code, an order or a customer without a key; one for a
// text that cannot be carried, and for a Code without an Order.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-stripe.md.
func (cfg Config) Carry(p *tributary.Program, r *http.Request, via Via, c pay.Carried) (map[string]string, error) {
	carried, err := cfg.Config.Carry(p, r, c)
	if err != nil {
		return nil, err
	}
	carried[cmp.Or(cfg.Names[keyVia], keyVia)] = string(via)
	return carried, nil
}

// Reference returns a client_reference_id that tells which click of which program
// brought the visitor, for Payment Links and buy buttons, which take no metadata. It
// is empty when no click did. A host that knows a slug only may use "trib_s_", the
// slug, "_" and the id of the program. It is not signed, because it names neither an
// order nor a customer.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-stripe.md.
func Reference(p *tributary.Program, r *http.Request) string {
	if click := httpapi.ClickFrom(p, r); click != "" {
		return clickReference + click + "_" + p.Config().ID.String()
	}
	return ""
}

// referred adds the click or the slug of a reference to what was carried. What was
// carried comes first.
func referred(c pay.Carried, reference string) pay.Carried {
	reference = strings.TrimSpace(reference)
	program, click, _ := adapter.Visit(after(reference, clickReference))
	slug := ""
	if click == "" {
		program, _, slug = adapter.Visit(after(reference, slugReference))
	}
	switch given := click+slug != ""; {
	case given && c.Click+c.Slug == "" && !c.Signed:
		c.Program, c.Click, c.Slug, c.Lost = program, click, slug, false
	case given && c.Program == program:
		c.Click, c.Slug = cmp.Or(c.Click, click), cmp.Or(c.Slug, slug)
	default:
		c.Lost = c.Lost || !c.Marks() && strings.HasPrefix(strings.ToLower(reference), "trib_")
	}
	return c
}

// after returns the rest of a text behind a prefix; empty: it has another one.
func after(text, prefix string) string {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return ""
	}
	return rest
}
