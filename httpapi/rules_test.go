package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// Rules of the engine as the wire and the typed client show them.

// client is a typed client of the world's handler.
func (w *world) client() *client.Client {
	return must(client.New("http://tributary.test", testKey, client.Config{Handler: w.api}))
}

// TestSaleOfEndedSubscription: a payment of a customer who is past due or
// cancelled is recorded, over the wire and for the client (B397).
func TestSaleOfEndedSubscription(t *testing.T) {
	for _, status := range []affiliate.SubscriptionStatus{affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled} {
		w := newWorld(t)
		w.fill()
		must(w.PushReferralStatus(t.Context(), "kim@example.net", status))
		a := w.do("POST", "/api/v1/sales", `{"email":"kim@example.net","totalEarned":5}`)
		equal(t, "recorded", a.header.Get("Sale-Outcome"))
		got := must(w.client().RecordSale(t.Context(), affiliate.NewSale{Email: "kim@example.net", TotalEarned: affiliate.MustAmount("5")}))
		sale, _ := got.Sale.Get()
		customer, _ := sale.Referral.Get()
		equal(t, fmt.Sprint(affiliate.SaleRecorded, status), fmt.Sprint(got.Outcome, customer.SubscriptionStatus))
		w.verify()
	}
}
