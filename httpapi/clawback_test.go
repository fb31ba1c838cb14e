package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestClawBack: checks 3–5, 8, 9, 12, 13 and 31 of docs/money.md over the wire.
// Payouts are made by Go calls.
func TestClawBack(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	ada := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "L", Email: "ada@example.org", AffiliateLink: "ada", CommissionRate: affiliate.Set(affiliate.MustPercent("20")),
	}))
	payout := func() affiliate.Payout { return must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID})) }
	sell := func(total string) string {
		sale := w.ok("POST", "/api/v1/sales", `{"referralId":"ada","email":"t@x.example","name":"T","totalEarned":`+total+`}`)
		return fmt.Sprint(sale["id"])
	}
	refund := func(member string) string { return w.do("PATCH", "/api/v1/sales", `{"saleId":`+member+`}`).body }
	entries := func(id string) (earned []any) {
		for _, c := range w.ok("GET", "/api/v1/sales?id="+id, "")["commissions"].([]any) {
			earned = append(earned, c.(map[string]any)["commissionEarned"], c.(map[string]any)["clawback"])
		}
		return earned
	}
	s1 := sell("100")
	p1 := payout()
	w.refuses("400 included_in_payout_batch: Sale is included in a payout", "PATCH", "/api/v1/sales", `{"saleId":`+s1+`,"amount":60}`)
	equal(t, `{"success":true,"alreadyRefunded":false,"reason":"partially_refunded"}`, refund(s1+`,"amount":60,"clawback":true,"refundId":"r1"`))
	equal(t, []any{20.0, false, -12.0, true}, entries(s1))
	equal(t, `{"success":true,"alreadyRefunded":true,"reason":"already_refunded"}`, refund(s1+`,"amount":60,"clawback":true,"refundId":"r1"`))
	must(w.SetPayoutStatus(ctx, p1.ID, affiliate.PayoutPaid))
	w.refuses("400 already_paid: Sale has already been paid out", "PATCH", "/api/v1/sales", `{"saleId":`+s1+`,"amount":40}`)
	equal(t, `{"success":true,"alreadyRefunded":false,"reason":"refunded"}`, refund(s1+`,"clawback":true`))
	equal(t, []any{20.0, false, -12.0, true, -8.0, true}, entries(s1))

	s2 := sell("150")
	equal(t, "10", payout().Amount.String())
	w.refuses("400 in_payout: Sale is part of a payout", "DELETE", "/api/v1/sales", `{"saleId":`+s1+`}`)
	w.refuses("400 in_payout: Sale is part of a payout", "PUT", "/api/v1/sales", `{"saleId":`+s2+`,"totalEarned":200}`)
	up := w.ok("PUT", "/api/v1/sales", `{"saleId":`+s2+`,"totalEarned":200,"clawback":true}`)
	equal[any](t, 40.0, up["commissionEarned"])
	equal(t, []any{30.0, false, 10.0, true}, entries(s2))

	bob := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Bob", LastName: "H", Email: "bob@example.org", CommissionRate: affiliate.Set(affiliate.MustPercent("50")),
	})).ID.String()
	w.refuses("400 in_payout: Sale is part of a payout", "PUT", "/api/v1/sales", `{"saleId":`+s2+`,"affiliateId":"`+bob+`"}`)
	moved := w.ok("PUT", "/api/v1/sales", `{"saleId":`+s2+`,"affiliateId":"`+bob+`","clawback":true}`)
	equal[any](t, bob, moved["affiliateId"])
	equal(t, []any{100.0, false}, entries(s2))
	equal[any](t, -30.0, w.ok("GET", "/api/v1/balances?affiliateId="+ada.ID.String(), "")["payable"])

	for _, method := range []string{"PATCH", "PUT"} {
		w.refuses("400 invalid_field: clawback must be a boolean [clawback]", method, "/api/v1/sales", `{"saleId":`+s2+`,"clawback":"yes"}`)
		w.refuses("400 invalid_field: clawback must not be null [clawback]", method, "/api/v1/sales", `{"saleId":`+s2+`,"clawback":null}`)
	}
	w.verify()
}
