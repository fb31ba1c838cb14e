package paddle

import (
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay/internal/draft"
)

// Carry returns the custom data that tells an event what brought the visitor: the
// click that [httpapi.Attribution] has noted in a cookie of the request. Give it to
// the checkout as customData, or to a transaction that the host makes as
// custom_data; Paddle hands it on to the subscription and its renewals. Keys that
// the host may add, each optional:
//
//   - tributary_code: a promotional code that was entered on the host's own page
//   - tributary_slug: the slug of a link
//   - tributary_order: the host's id of the order, the externalId of the sale. A host
//     that calls RecordSale itself needs it, so that both are one sale
//   - tributary_customer: the host's id of the customer, referredUserExternalId
//
// Config.CustomData must name the keys that the host renames. The map is empty
// when no click brought the visitor.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-paddle.md.
func Carry(p *affiliate.Program, r *http.Request) map[string]string {
	carried := map[string]string{}
	if click := httpapi.ClickFrom(p, r); click != "" {
		carried[draft.KeyClick] = click
	}
	return carried
}
