package httpapi_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestDecidePaymentOverTheWire: a payment that names somebody else's order is listed
// under Attention with its ids and both amounts, until a key of the scope full decides.
func TestDecidePaymentOverTheWire(t *testing.T) {
	k := newTill(t)
	k.ids["S1"] = text(k.ask("POST", "/sales", `{"promoCode":"ADA20","email":"t@x.example","totalEarned":100,"externalId":"order-1"}`)["id"])
	report := func() {
		t.Helper()
		if res := must(k.Payments().ReportPayment(t.Context(), otherPayment("order-1"))); res.Outcome != affiliate.SaleConflict {
			t.Fatal(res.Outcome)
		}
	}
	waiting := func() []any {
		t.Helper()
		return k.ask("GET", "/attention", "")["paymentConflicts"].(object)["items"].([]any)
	}
	report()
	k.fired()
	list := waiting()
	if len(list) != 1 {
		t.Fatal(list)
	}
	got := list[0].(object)
	k.ids["P1"] = text(got["id"])
	delete(got, "createdAt")
	equal(t, object{
		"id": k.ids["P1"], "provider": "stripe", "keys": []any{"pi_1"}, "payerId": "cus_E", "outcome": "payment_conflict", "saleId": got["saleId"], "amount": 1.0, "currency": "USD",
	}, got)
	equal(t, k.ids["S1"], text(got["saleId"]))

	no := func(want, body string) { t.Helper(); k.no(want, "POST", "/payments/decide", body) }
	no("400 missing_field: Payment ID is required [paymentId]", `{}`)
	no("400 missing_field: Decision is required [decision]", `{"paymentId":"{P1}"}`)
	no("400 invalid_field: decision must be one of same, own, dismiss [decision]", `{"paymentId":"{P1}","decision":"OWN"}`)
	no("404 payment_not_found: No payment with this ID waits for a decision", `{"paymentId":"x","decision":"own"}`)
	no(unknownFieldX, `{"paymentId":"{P1}","decision":"own","x":1}`)
	equal(t, 1, len(waiting()))

	done := k.ask("POST", "/payments/decide", `{"paymentId":"{P1}","decision":"own"}`)
	sale := done["sale"].(object)
	equal(t, object{"paymentId": k.ids["P1"], "outcome": "recorded", "moved": 0.2, "refused": []any{}, "sale": sale}, done)
	equal(t, []any{1.0, 0.2, "pi_1"}, []any{sale["totalEarned"], sale["commissionEarned"], sale["externalId"]})
	equal(t, 0, len(waiting()))
	no("404 payment_not_found: No payment with this ID waits for a decision", `{"paymentId":"{P1}","decision":"own"}`)
	k.verify()
}

// TestDecidePaymentOfADeletedSale: a payment cannot be that of a sale that is gone.
func TestDecidePaymentOfADeletedSale(t *testing.T) {
	k := newTill(t)
	k.ids["S1"] = text(k.ask("POST", "/sales", `{"promoCode":"ADA20","email":"t@x.example","totalEarned":100,"externalId":"order-1"}`)["id"])
	k.ids["P1"] = must(k.Payments().ReportPayment(t.Context(), otherPayment("order-1"))).Payment.ID.String()
	k.ask("DELETE", "/sales", `{"saleId":{S1}}`)
	k.no("404 sale_not_found: Sale not found", "POST", "/payments/decide", `{"paymentId":"{P1}","decision":"same"}`)
	equal(t, nil, k.ask("POST", "/payments/decide", `{"paymentId":"{P1}","decision":"dismiss"}`)["sale"])
	k.verify()
}
