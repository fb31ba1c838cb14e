package payment_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/leaf"
	"github.com/tributary-go/tributary/internal/payment"
)

// ofThePayment are the fields of a sale that a payment that waits does not keep, each with what
// says them when it becomes a sale.
var ofThePayment = map[string]string{
	"Once":      "a payment is known by its keys",
	"PromoCode": "its tries", "Offer": "its tries", "HoldID": "its tries", "ReferralID": "its tries",
	"ReferredUserExternalID": "the payer", "Email": "the payer", "Name": "the payer",
	"Currency": "it keeps it apart", "ExchangeRate": "the payment",
	"PaidAt": "it keeps when it was paid", "Integration": "the provider",
}

// TestWaitingSaleKeepsEachField: a payment that waits becomes the sale that it was told as. Of a
// product it keeps the id and the name.
func TestWaitingSaleKeepsEachField(t *testing.T) {
	for f := range reflect.TypeFor[affiliate.SaleParams]().Fields() {
		if ofThePayment[f.Name] != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var in affiliate.SaleParams
			v := reflect.ValueOf(&in).Elem().FieldByIndex(f.Index)
			if product, ok := v.Addr().Interface().(*affiliate.Opt[affiliate.Product]); ok {
				*product = affiliate.Set(affiliate.Product{ProductID: "p", Name: "n"})
			} else {
				for l := range leaf.Of(v, f.Name) {
					l.Set(1)
				}
			}
			w := payment.WaitingOf(&affiliate.Paid{SaleParams: in})
			if diff := cmp.Diff(in, payment.SaleOf(&w)); diff != "" {
				t.Errorf("add %s to WaitingSale, WaitingOf and SaleOf, or to ofThePayment with a reason "+
					"(-told +sale):\n%s", f.Name, diff)
			}
		})
	}
}
