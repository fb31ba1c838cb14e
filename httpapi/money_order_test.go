package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestMoneyInOrder has the checks of docs/money.md that run in order on one
// program, as sub-tests with their numbers.
func TestMoneyInOrder(t *testing.T) {
	k := newTill(t)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"check 1", func() {
			sale := k.sell("S1", "100")
			k.has(sale, object{"commissionEarned": 20.0, "subtotal": nil})
			entry := k.commissions("S1")
			equal(k.t, 1, len(entry))
			k.has(entry[0], object{"commissionEarned": 20.0, "clawback": false, "payableAt": sale["createdAt"], "riskReasons": []any{}, "payoutId": nil})
			k.fired()
		}},
		{"check 2", func() {
			p1 := k.pay("P1", "")
			entry := k.commissions("S1")[0]
			k.has(p1, object{
				"amount": 20.0, "currency": "USD", "status": "PENDING", "commissionIds": []any{entry["id"]}, "adjustmentIds": []any{},
				"paymentMethod": "PAYPAL", "payeeName": "Ada X", "payeeEmail": "ada@pay.example", "canceledAt": nil, "returnedAt": nil, "returnedReason": nil,
			})
			k.has(entry, object{"payoutId": p1["id"], "payoutCreated": true})
			k.fires("sale.updated S1")
		}},
		{"check 3", func() {
			k.no("400 included_in_payout_batch: Sale is included in a payout", "PATCH", "/sales", `{"saleId":{S1},"amount":60}`)
			k.fires()
		}},
		{"check 4", func() {
			k.has(k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60,"clawback":true,"refundId":"r1"}`), object{"alreadyRefunded": false, "reason": "partially_refunded"})
			equal(k.t, []float64{20, -12}, k.entries("S1"))
			k.has(k.ask("GET", "/sales?id={S1}", ""), object{"commissionEarned": 8.0, "refundedAmount": 60.0})
			k.has(k.ask("GET", "/payouts?id={P1}", ""), object{"amount": 20.0})
			k.fires("sale.updated S1")
		}},
		{"check 5", func() {
			k.has(k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60,"clawback":true,"refundId":"r1"}`), object{"alreadyRefunded": true, "reason": "already_refunded"})
			equal(k.t, []float64{20, -12}, k.entries("S1"))
			k.fires()
		}},
		{"check 6", func() {
			k.balance(object{"held": 0.0, "maturing": 0.0, "payable": -12.0, "inPayout": 20.0, "paid": 0.0, "earned": 8.0})
		}},
		{"check 7", func() {
			paid := k.ask("PATCH", "/payouts", `{"payoutId":"{P1}","status":"PAID"}`)
			k.has(paid, object{"status": "PAID", "paidAt": wire(k.now)})
			k.balance(object{"payable": -12.0, "inPayout": 0.0, "paid": 20.0, "earned": 8.0})
			k.fires("sale.updated S1")
		}},
		{"check 8", func() {
			k.no("400 already_paid: Sale has already been paid out", "PATCH", "/sales", `{"saleId":{S1},"amount":40}`)
		}},
		{"check 9", func() {
			k.has(k.ask("PATCH", "/sales", `{"saleId":{S1},"clawback":true}`), object{"reason": "refunded"})
			equal(k.t, []float64{20, -12, -8}, k.entries("S1"))
			k.has(k.ask("GET", "/sales?id={S1}", ""), object{"commissionEarned": 0.0, "status": "REFUNDED"})
			k.fires("sale.deleted S1")
			k.balance(object{"payable": -20.0, "paid": 20.0, "earned": 0.0})
			last := must(k.Events(k.t.Context(), affiliate.EventFilter{}, affiliate.Page{Limit: 1})).Items[0]
			if want := k.named(`"body":{"id":{S1}}}`); !strings.HasSuffix(string(last.Payload), want) {
				k.t.Errorf("%s, want %s", last.Payload, want)
			}
		}},
		{"check 10", func() {
			k.no("400 nothing_payable: Nothing is payable to this affiliate", "POST", "/payouts", `{"affiliateId":"`+k.ada+`"}`)
		}},
		{"check 11", func() {
			k.has(k.sell("S2", "150"), object{"commissionEarned": 30.0})
			k.fired()
			k.no("400 below_payout_minimum: The payable amount is below the payout minimum", "POST", "/payouts", `{"affiliateEmail":"ada@example.org","minimum":11}`)
			p2 := k.pay("P2", `,"minimum":10`)
			k.has(p2, object{"amount": 10.0})
			equal(k.t, 3, len(p2["commissionIds"].([]any)))
			k.fires("sale.updated S2")
		}},
		{"check 12", func() {
			for _, sale := range []string{"{S1}", "{S2}"} {
				k.no("400 in_payout: Sale is part of a payout", "DELETE", "/sales", `{"saleId":`+sale+`}`)
			}
		}},
		{"check 13", func() {
			k.no("400 in_payout: Sale is part of a payout", "PUT", "/sales", `{"saleId":{S2},"totalEarned":200}`)
			k.has(k.ask("PUT", "/sales", `{"saleId":{S2},"totalEarned":200,"clawback":true}`), object{"commissionEarned": 40.0})
			equal(k.t, []float64{30, 10}, k.entries("S2"))
			k.balance(object{"payable": 10.0, "inPayout": 10.0, "paid": 20.0, "earned": 40.0})
			k.fired()
		}},
		{"check 14", func() {
			notAllowed := "400 status_not_allowed: The present status does not allow this change"
			k.has(k.ask("PATCH", "/payouts", `{"payoutId":"{P2}","status":"PROCESSING"}`), object{"status": "PROCESSING"})
			k.no(notAllowed, "PATCH", "/payouts", `{"payoutId":"{P2}","status":"CANCELED"}`)
			k.has(k.ask("PATCH", "/payouts", `{"payoutId":"{P2}","status":"FAILED","failedReason":"x"}`), object{"status": "FAILED", "failedReason": "x"})
			k.fires()
			k.balance(object{"payable": 10.0, "inPayout": 10.0, "paid": 20.0, "earned": 40.0})
			k.has(k.commissions("S2")[0], object{"payoutCreated": true})
			p2 := k.ask("PATCH", "/payouts", `{"payoutId":"{P2}","status":"CANCELED"}`)
			k.has(p2, object{"status": "CANCELED", "canceledAt": wire(k.now), "amount": 10.0})
			equal(k.t, 3, len(p2["commissionIds"].([]any)))
			k.has(k.commissions("S2")[0], object{"payoutCreated": false, "payoutId": nil})
			k.balance(object{"payable": 20.0, "inPayout": 0.0})
			k.fires("sale.updated S2")
		}},
		{"check 15", func() {
			notAllowed := "400 status_not_allowed: The present status does not allow this change"
			k.has(k.ask("PATCH", "/payouts", `{"payoutId":"{P2}","status":"CANCELED"}`), object{"status": "CANCELED"})
			k.fires()
			k.no(notAllowed, "PATCH", "/payouts", `{"payoutId":"{P2}","status":"PAID"}`)
			k.no(notAllowed, "PATCH", "/payouts", `{"payoutId":"{P1}","status":"CANCELED"}`)
		}},
		{"check 16", func() {
			p3 := k.pay("P3", "")
			k.has(p3, object{"amount": 20.0})
			equal(k.t, 4, len(p3["commissionIds"].([]any)))
			equal(k.t, 3, len(k.list("/payouts?affiliateEmail=ada@example.org")))
			equal(k.t, k.ids["P3"], text(k.list("/payouts?status=PENDING&affiliateId=" + k.ada)[0]["id"]))
			k.fired()
		}},
		{"check 17", func() {
			b1 := k.ask("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":25,"reason":"spring","externalId":"b1"}`)
			k.ids["B1"] = text(b1["id"])
			k.has(b1, object{"affiliateId": k.ada, "amount": 25.0, "bonusReason": "spring", "payoutCreated": false, "payoutId": nil, "saleId": nil, "reversedById": nil})
			k.no("400 adjustment_external_id_taken: An adjustment with this external ID already exists [externalId]", "POST", "/adjustments",
				`{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":25,"reason":"spring","externalId":"b1"}`)
			k.balance(object{"payable": 25.0, "inPayout": 20.0, "paid": 20.0, "earned": 65.0})
			k.fires()
		}},
		{"check 18", func() {
			no := func(want, members string) {
				k.t.Helper()
				k.no(want, "POST", "/adjustments", `{"affiliateEmail":"ada@example.org","reason":"r",`+members+`}`)
			}
			no("400 invalid_field: amount must be greater than zero [amount]", `"kind":"BONUS","amount":-1`)
			no("400 invalid_field: amount must be less than zero [amount]", `"kind":"CHARGEBACK_FEE","amount":5,"saleId":{S2}`)
			no("400 invalid_field: amount must not be zero [amount]", `"kind":"CORRECTION","amount":0`)
			no("400 missing_field: Sale ID is required [saleId]", `"kind":"DISPUTE_WON","amount":5`)
			no("400 missing_field: Amount is required [amount]", `"kind":"CORRECTION"`)
			no("400 missing_field: Kind is required [kind]", `"amount":5`)
			no("400 invalid_field: kind must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE [kind]", `"kind":"bonus"`)
			no("400 missing_field: Kind is required [kind]", `"amount":null`)
			no("400 missing_field: Sale ID is required [saleId]", `"kind":"DISPUTE_WON","amount":5,"saleId":""`)
			no("400 invalid_field: saleId must not be empty [saleId]", `"kind":"BONUS","amount":5,"saleId":" "`)
			no("404 sale_not_found: Sale not found", `"kind":"BONUS","amount":5,"saleId":"nothing"`)
			mismatch := "400 identifiers_mismatch: The identifiers do not name the same record"
			no(mismatch, `"affiliateId":"`+k.bo+`","kind":"BONUS","amount":5`)
			k.no(mismatch, "POST", "/adjustments", `{"affiliateId":"`+k.bo+`","reason":"r","kind":"CORRECTION","amount":5,"saleId":{S2}}`)
		}},
		{"check 19", func() {
			back := k.ask("POST", "/adjustments", `{"reversesId":"{B1}","reason":"typo"}`)
			k.has(back, object{"amount": -25.0, "kind": "BONUS", "affiliateId": k.ada, "reversesId": k.ids["B1"]})
			reversed := "400 adjustment_reversed: Adjustment was already reversed"
			k.no(reversed, "POST", "/adjustments", `{"reversesId":"{B1}","reason":"typo"}`)
			k.no(reversed, "POST", "/adjustments", `{"reversesId":"`+text(back["id"])+`","reason":"typo"}`)
			k.no("400 invalid_field: amount must not be sent [amount]", "POST", "/adjustments", `{"reversesId":"{B1}","reason":"typo","amount":1}`)
			k.no("404 adjustment_not_found: Adjustment not found", "POST", "/adjustments", `{"reversesId":"b1","reason":"typo"}`)
			listed := k.list("/adjustments?affiliateId=" + k.ada + "&kind=BONUS")
			equal(k.t, []any{back["id"], k.ids["B1"]}, []any{listed[0]["id"], listed[1]["id"]})
			k.has(listed[1], object{"reversedById": back["id"]})
			k.balance(object{"payable": 0.0})
		}},
		{"check 20", func() {
			all := k.list("/movements?affiliateId=" + k.ada + "&from=2026-03-11&to=2026-03-11")
			equal(k.t, true, len(all) > 0)
			for i, m := range all {
				equal[any](k.t, float64(len(all)-i), m["number"])
			}
			moved := func(query string) (got []string) {
				for _, m := range k.list("/movements?" + query) {
					got = append(got, fmt.Sprint(m["cause"], " ", m["amount"]))
				}
				return got
			}
			equal(k.t, []string{"PAYOUT_PAID 20", "PAYOUT_CREATED 20"}, moved("payoutId={P1}"))
			equal(k.t, []string{"PAYOUT_CANCELED 10", "PAYOUT_CREATED 10"}, moved("payoutId={P2}"))
			equal(k.t, []string{"CLAW_BACK 8", "CLAW_BACK 12", "SALE 20"}, moved("saleId={S1}"))
			equal(k.t, 0, len(moved("to=2026-03-10")))
			k.no("400 identifiers_mismatch: The identifiers do not name the same record", "GET", "/balances?affiliateEmail=bo@example.org&affiliateId="+k.ada, "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k.on(t)
			c.run()
			k.verify()
		})
	}
}
