package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestReviewOverTheWire: sales that are held are found and decided about. Its
// first part is money check 43, with a sale that a review rule held.
func TestReviewOverTheWire(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	sale := k.ask("POST", "/sales", `{"referralId":"ada","email":"ada+shop@example.org","name":"A","totalEarned":100}`)
	k.ids["S"] = text(sale["id"])
	k.sell("S2", "50")
	k.fired()
	held := k.list("/sales/search?approvalStatus=ON_HOLD")
	equal(t, []any{sale["id"]}, []any{held[0]["id"]})
	equal(t, 1, len(held))
	k.balance(object{"held": 20.0, "payable": 10.0})
	k.ask("POST", "/sales/review", `{"saleIds":["{S}"],"approvalStatus":"ACCEPTED"}`)
	k.balance(object{"held": 0.0, "payable": 30.0})
	k.has(k.commissions("S")[0], object{"approvalStatus": "ACCEPTED", "holdReason": nil, "riskReasons": []any{"self_referral"}})
	k.fires("sale.updated S")
	equal(t, 0, len(k.list("/sales/search?approvalStatus=ON_HOLD")))
	equal(t, 2, len(k.list("/sales/search?affiliateId="+k.ada+"&since=2026-03-11&until=2026-03-11")))

	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	k.no("400 invalid_field: saleIds must have at most 100 entries [saleIds]", "POST", "/sales/review", `{"saleIds":[`+strings.Join(many, ",")+`],"approvalStatus":"DECLINED"}`)
	k.no("404 sale_not_found: Sale not found", "POST", "/sales/review", `{"saleIds":[{S},"x","y"],"approvalStatus":"DECLINED"}`)
	k.pay("P1", "")
	seen := k.ask("POST", "/promotional-codes/validate", `{"promoCode":"ADA20","email":"ada+shop@example.org","subtotal":60}`)
	equal(t, []any{true, []any{"self_referral"}}, []any{seen["valid"], seen["risks"]})
	answer := k.do("POST", "/api/v1/sales/review", k.named(`{"saleIds":[{S2},{S}],"approvalStatus":"ACCEPTED"}`), idem+"r")
	if strings.Index(answer.body, `"id":`+k.ids["S2"]) > strings.Index(answer.body, `"id":`+k.ids["S"]+",") || answer.status != 200 {
		t.Errorf("not in the order of the ids: %s", answer.body)
	}
	again := k.do("POST", "/api/v1/sales/review", k.named(`{"saleIds":[{S2},{S}],"approvalStatus":"ACCEPTED"}`), idem+"r")
	equal(t, answer.body, again.body)
	k.verify()
}
