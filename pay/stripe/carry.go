package stripe

import (
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay/internal/draft"
)

// What a client_reference_id of ours begins with. Any other one is the host's.
const (
	clickReference = "trib_c_"
	slugReference  = "trib_s_"
)

// Carry returns the metadata that tells an event what brought the visitor: the
// way of the payment, and the click that [httpapi.Attribution] has noted in a
// cookie of the request. Put it into the metadata of the Checkout session and
// also into subscription_data.metadata or payment_intent_data.metadata; with
// [ViaInvoice] into that of the subscription, with [ViaIntent] into that of the
// payment intent. Keys that the host may add, each optional:
//
//   - tributary_code: a promotional code that was entered on the host's own page
//   - tributary_slug: the slug of a link
//   - tributary_order: the host's id of the order, the externalId of the sale. A host
//     that calls RecordSale itself needs it, so that both are one sale
//   - tributary_customer: the host's id of the customer, referredUserExternalId
//
// Config.Metadata must name the keys that the host renames.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-stripe.md.
func Carry(p *affiliate.Program, r *http.Request, via Via) map[string]string {
	carried := map[string]string{draft.KeyVia: string(via)}
	if click := httpapi.ClickFrom(p, r); click != "" {
		carried[draft.KeyClick] = click
	}
	return carried
}

// Reference returns a client_reference_id that tells which click brought the
// visitor, for Payment Links and buy buttons, which take no metadata. It is empty
// when no click did. A host that knows a slug only may use "trib_s_" and the slug.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-stripe.md.
func Reference(p *affiliate.Program, r *http.Request) string {
	if click := httpapi.ClickFrom(p, r); click != "" {
		return clickReference + click
	}
	return ""
}

// after is the rest of a text behind a prefix; empty: it has another one.
func after(text, prefix string) string {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return ""
	}
	return rest
}
