package servertest

import (
	"fmt"
	"slices"
	"strings"
)

const (
	payoutsRule     = "contract 4.4: what a payout takes, its statuses and its refusals; money 4"
	adjustmentsRule = "contract 4.4: kinds, signs, reversals and refusals of adjustments; money 3"
	reviewRule      = "contract 4.5: commissions that are held are found and decided about"
	combinedRule    = "contract 1.7: the filters of a list that always comes in pages are combined, a bad value is invalid_query"
)

// payee makes an affiliate {{a}} with the slug and email of the case.
func payee(x *exam) {
	x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}","commissionRate":20}`).as("a", "email")
}

// owed makes an affiliate {{a}} and a payout of a bonus.
func owed(x *exam, bonus int) *answer {
	payee(x)
	x.do("POST /adjustments", fmt.Sprintf(`{"affiliateId":"{{a}}","kind":"BONUS","amount":%d,"reason":"r"}`, bonus)).as("b")
	return x.do("POST /payouts", `{"affiliateId":"{{a}}"}`)
}

// moneyCases test /payouts and /adjustments: money checks 29 and 31.
func moneyCases() []serverCase {
	cases := refusals(payoutsRule, "POST /payouts",
		refusedCase{"M89 no affiliate", `{"until":"2026-01-01"}`, ownerRequired}, refusedCase{"M89 affiliateId null", `{"affiliateId":null}`, ownerRequired},
		refusedCase{"M89 an unknown affiliate", `{"affiliateId":"{{unknown}}"}`, affiliateNotFound}, refusedCase{"M89 affiliateId x", `{"affiliateId":"x"}`, affiliateNotFound},
		refusedCase{"M89 an unknown email", `{"affiliateEmail":"{{u}}@conform.example"}`, affiliateNotFound},
		refusedCase{"M89 two affiliates", `{"affiliateId":"{{affiliate}}","affiliateEmail":"{{other.email}}"}`, identifiersMismatch},
		refusedCase{"M89 until x", `{"affiliateId":"{{unknown}}","until":"x"}`, mustBe("until", asDate)}, refusedCase{"M89 minimum -1", `{"affiliateId":"{{unknown}}","minimum":-1}`, mustBe("minimum", "must be at least 0")},
		refusedCase{"R16 minimum in another currency", `{"affiliateId":"{{unknown}}","minimum":1,"currency":"EUR"}`, otherCurrency},
		refusedCase{"M89 minimum as text", `{"affiliateId":"{{unknown}}","minimum":"1"}`, mustBe("minimum", asNumber)},
		refusedCase{"M89 manuallyPaid 1", `{"affiliateId":"{{unknown}}","manuallyPaid":1}`, mustBe("manuallyPaid", asBoolean)},
		refusedCase{"M89 externalId empty", `{"affiliateId":"{{unknown}}","externalId":" "}`, mustBe("externalId", notEmpty)})
	cases = append(cases, refusals(payoutsRule, "PATCH /payouts",
		refusedCase{"M89 no payoutId", `{"status":"PAID"}`, payoutIDRequired}, refusedCase{"M89 no status", `{"payoutId":"{{unknown}}"}`, statusRequired},
		refusedCase{"M89 an unknown payout", `{"payoutId":"{{unknown}}","status":"PAID"}`, payoutNotFound}, refusedCase{"M89 payoutId x", `{"payoutId":"x","status":"PAID"}`, payoutNotFound},
		refusedCase{"M89 an unknown field", `{"payoutId":"{{unknown}}","status":"PAID","foo":1}`, unknownField("foo")},
		refusedCase{"M89 failedReason with PAID", `{"payoutId":"{{unknown}}","status":"PAID","failedReason":"x"}`, failedReasonOnly},
		refusedCase{"M89 returnedReason with PAID", `{"payoutId":"{{unknown}}","status":"PAID","returnedReason":"x"}`, returnedReasonOnly},
		refusedCase{"M89 returnedReason empty", `{"payoutId":"{{unknown}}","status":"RETURNED","returnedReason":""}`, mustBe("returnedReason", notEmpty)},
		refusedCase{"M89 failedReason empty", `{"payoutId":"{{unknown}}","status":"FAILED","failedReason":""}`, mustBe("failedReason", notEmpty)},
		refusedCase{"M89 status paid", `{"payoutId":"{{unknown}}","status":"paid"}`, mustBe("status", "must be one of PENDING, PROCESSING, PAID, FAILED, CANCELED, RETURNED")},
		refusedCase{"M89 status null", `{"payoutId":"{{unknown}}","status":null}`, mustBe("status", notNull)})...)
	cases = append(cases, refusals(reviewRule, "POST /sales/review",
		refusedCase{"M80 no saleIds", `{"approvalStatus":"ACCEPTED"}`, saleIDsRequired}, refusedCase{"M80 saleIds empty", `{"saleIds":[],"approvalStatus":"ACCEPTED"}`, saleIDsRequired},
		refusedCase{"M80 a sale twice", `{"saleIds":[1,1],"approvalStatus":"ACCEPTED"}`, mustBe("saleIds", distinctOnly)}, refusedCase{"M80 saleIds 5", `{"saleIds":5,"approvalStatus":"ACCEPTED"}`, mustBe("saleIds", "must be an array of integers")},
		refusedCase{"M80 an unknown field", `{"saleIds":[1],"approvalStatus":"ACCEPTED","x":1}`, unknownField("x")}, refusedCase{"M80 no approvalStatus", `{"saleIds":[1]}`, mustBe("approvalStatus", "must be one of ACCEPTED, ON_HOLD, DECLINED")},
		refusedCase{"M80 an unknown sale", `{"saleIds":[9007199254740993],"approvalStatus":"ACCEPTED"}`, saleNotFound})...)
	return slices.Concat(cases, adjustmentCases(), proposalCases(), askedCases(), payoutStories(), runCases(), ledgerCases())
}

// askedCases test /cases: rule 4.10.
func askedCases() []serverCase {
	const rule = "rule 4.10: what affiliates ask"
	with := func(members string) string { return `{"affiliateId":"{{affiliate}}",` + members + `}` }
	cases := append(refusals(rule, "POST /cases",
		refusedCase{"no affiliate", `{"kind":"PAYOUT_REQUEST"}`, ownerRequired}, refusedCase{"no kind", `{"affiliateId":"{{affiliate}}"}`, kindRequired},
		refusedCase{"kind claim", with(`"kind":"claim"`), mustBe("kind", "must be one of SALE_CLAIM, SALE_QUESTION, PAYOUT_REQUEST")},
		refusedCase{"a claim without an order", with(`"kind":"SALE_CLAIM","text":"t"`), RefuseNoExternalID},
		refusedCase{"a claim with a sale", with(`"kind":"SALE_CLAIM","text":"t","externalId":"o","saleId":1`), mustBe("saleId", "must not be sent")},
		refusedCase{"a claim without a text", with(`"kind":"SALE_CLAIM","externalId":"o"`), textRequired},
		refusedCase{"a question without a sale", with(`"kind":"SALE_QUESTION","text":"t"`), RefuseNoSaleID},
		refusedCase{"a question with an order", with(`"kind":"SALE_QUESTION","text":"t","saleId":1,"externalId":"o"`), mustBe("externalId", "must not be sent")},
		refusedCase{"a sale of another affiliate", `{"affiliateId":"{{other}}","kind":"SALE_QUESTION","text":"t","saleId":{{sale}}}`, saleNotFound},
		refusedCase{"an unknown affiliate", `{"affiliateId":"{{unknown}}","kind":"PAYOUT_REQUEST"}`, affiliateNotFound},
		refusedCase{"a long text", with(`"kind":"PAYOUT_REQUEST","text":"` + strings.Repeat("x", 2001) + `"`), mustBe("text", tooLong)},
	), refusals(rule, "POST /cases/answer",
		refusedCase{"no case", `{"answer":"a"}`, caseIDRequired}, refusedCase{"no answer", `{"caseId":"{{unknown}}"}`, answerRequired},
		refusedCase{"an unknown case", `{"caseId":"{{unknown}}","answer":"a"}`, caseNotFound})...)
	return marked(append(cases, serverCase{"/cases a claim and its answer", rule, func(x *exam) {
		payee(x)
		claim := `{"affiliateId":"{{a}}","kind":"SALE_CLAIM","externalId":"#7","text":"mine"}`
		x.do("POST /cases", claim).as("c").has(`{"status":"OPEN","answer":null,"answeredAt":null,"externalId":"#7","saleId":null}`)
		x.do("POST /cases", claim).refused(caseOpen)
		x.get("/cases?affiliateId={{a}}&status=OPEN&kind=SALE_CLAIM").has(`[{"id":"{{c}}"}]`)
		x.do("POST /cases/answer", `{"caseId":"{{c}}","answer":"It is"}`).has(`{"status":"ANSWERED","answer":"It is"}`)
		x.do("POST /cases/answer", `{"caseId":"{{c}}","answer":"It is"}`).refused(statusNotAllowed)
		x.get("/cases?id={{c}}").has(`{"text":"mine","status":"ANSWERED"}`)
		x.get("/cases?affiliateId={{a}}&status=OPEN").has(`[]`)
	}}))
}

// proposalCases test what waits for a person.
func proposalCases() []serverCase {
	const rule = "contract 4.8: it changes nothing until a person accepts it"
	with := func(members string) string { return `{"operation":"POST /adjustments",` + members + `}` }
	const bonus = `"body":{"affiliateId":"{{a}}","kind":"BONUS","amount":12.5,"reason":"r"},"why":"{{u}}"`
	cases := refusals(rule, "POST /proposals",
		refusedCase{"no operation", `{"body":{},"why":"w"}`, operationRequired}, refusedCase{"no body", with(`"why":"w"`), proposedBodyRequired},
		refusedCase{"no reason", with(`"body":{}`), whyRequired},
		refusedCase{"an operation for people only", `{"operation":"POST /affiliates/erase","body":{"affiliateId":"{{affiliate}}"},"why":"w"}`,
			mustBe("operation", "must be one of POST /sales/review, POST /affiliates/status, POST /adjustments, POST /payouts, POST /payments/decide, POST /cases/answer")},
		refusedCase{"what the operation refuses", with(`"body":{"affiliateId":"{{affiliate}}","kind":"BONUS","amount":-1,"reason":"r"},"why":"w"`), invalid("body.amount", "amount must be greater than zero")},
		refusedCase{"what nobody has", `{"operation":"POST /sales/review","body":{"saleIds":[9007199254740993],"approvalStatus":"DECLINED"},"why":"w"}`, saleNotFound},
	)
	return marked(append(cases, serverCase{"/proposals a bonus that waits", rule, func(x *exam) {
		payee(x)
		before := x.get("/balances?affiliateId={{a}}").ok()
		x.do("POST /proposals", with(bonus)).as("p").has(`{"status":"WAITING","operation":"POST /adjustments","body":{"amount":12.5},"why":"{{u}}","decidedBy":null,"decidedAt":null,"reason":null}`)
		x.do("POST /proposals", with(bonus)).has(`{"id":"{{p}}"}`)
		x.get("/proposals?limit=1").has(`[{"id":"{{p}}"}]`)
		x.get("/proposals?id={{p}}").has(`{"id":"{{p}}","status":"WAITING"}`)
		x.get("/adjustments?affiliateId={{a}}").has(`[]`)
		if after := x.get("/balances?affiliateId={{a}}").ok(); after.text("payable") != before.text("payable") {
			after.wants("the balance of before")
		}
	}}))
}

func adjustmentCases() []serverCase {
	with := func(members string) string { return `{"affiliateId":"{{affiliate}}","reason":"r",` + members + `}` }
	return append(refusals(adjustmentsRule, "POST /adjustments",
		refusedCase{"M18 no affiliate", `{"kind":"BONUS","amount":1,"reason":"r"}`, ownerRequired}, refusedCase{"M18 no kind", with(`"amount":1`), kindRequired},
		refusedCase{"M18 no amount", with(`"kind":"BONUS"`), amountRequired}, refusedCase{"M18 no reason", `{"affiliateId":"{{affiliate}}","kind":"BONUS","amount":1}`, reasonRequired},
		refusedCase{"M18 no sale", with(`"kind":"DISPUTE_WON","amount":1`), RefuseNoSaleID}, refusedCase{"M15 kind bonus", with(`"kind":"bonus","amount":1`), mustBe("kind", "must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE")},
		refusedCase{"M18 saleId empty", with(`"kind":"DISPUTE_WON","amount":5,"saleId":""`), RefuseNoSaleID}, refusedCase{"M18 saleId blank", with(`"kind":"BONUS","amount":5,"saleId":" "`), mustBe("saleId", notEmpty)},
		refusedCase{"M16 saleId x", with(`"kind":"BONUS","amount":5,"saleId":"x"`), saleNotFound}, refusedCase{"M18 two affiliates", with(`"affiliateEmail":"{{other.email}}","kind":"BONUS","amount":5`), identifiersMismatch},
		refusedCase{"R16 another currency", with(`"kind":"BONUS","amount":1,"currency":"EUR"`), otherCurrency},
		refusedCase{"M15 a bonus below zero", with(`"kind":"BONUS","amount":-1`), mustBe("amount", "must be greater than zero")},
		refusedCase{"M15 a fee above zero", with(`"kind":"CHARGEBACK_FEE","amount":1,"saleId":1`), mustBe("amount", "must be less than zero")},
		refusedCase{"M15 a correction of zero", with(`"kind":"CORRECTION","amount":0`), mustBe("amount", "must not be zero")},
		refusedCase{"M15 a correction that rounds to zero", with(`"kind":"CORRECTION","amount":-0.0049`), mustBe("amount", "must not be zero")},
		refusedCase{"M15 too much", with(`"kind":"BONUS","amount":100000000000.01`), mustBe("amount", tooLarge)}, refusedCase{"M15 amount as text", with(`"kind":"BONUS","amount":"1"`), mustBe("amount", asNumber)},
		refusedCase{"M16 an unknown sale", with(`"kind":"BONUS","amount":1,"saleId":9007199254740993`), saleNotFound}, refusedCase{"M16 a sale of another affiliate", `{"affiliateId":"{{other}}","reason":"r","kind":"BONUS","amount":1,"saleId":{{sale}}}`, identifiersMismatch},
		refusedCase{"M18 a reversal with an amount", `{"reversesId":"{{unknown}}","amount":1,"reason":"r"}`, mustBe("amount", "must not be sent")},
		refusedCase{"M18 a reversal of nothing", `{"reversesId":"{{unknown}}","reason":"r"}`, adjustmentNotFound}, refusedCase{"M18 a reversal of x", `{"reversesId":"x","reason":"r"}`, adjustmentNotFound},
	), []serverCase{
		{"M18 an adjustment and its reversal", adjustmentsRule, func(x *exam) {
			payee(x)
			x.do("POST /adjustments", `{"affiliateEmail":"{{u}}@conform.example","kind":"BONUS","amount":25,"reason":"spring","externalId":"{{u}}"}`).as("b").
				has(`{"id":"{{b}}","affiliateId":"{{a}}","saleId":null,"kind":"BONUS","amount":25,"reason":"spring","bonusReason":"spring","externalId":"{{u}}","reversesId":null,"reversedById":null,"payoutCreated":false,"payoutId":null}`)
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"BONUS","amount":1,"reason":"r","externalId":"{{u}}"}`).refused(adjustmentTaken)
			x.do("POST /adjustments", `{"reversesId":"{{b}}","reason":"typo"}`).as("r").has(`{"kind":"BONUS","amount":-25,"affiliateId":"{{a}}","reversesId":"{{b}}"}`)
			x.do("POST /adjustments", `{"reversesId":"{{b}}","reason":"typo"}`).refused(adjustmentReversed)
			x.do("POST /adjustments", `{"reversesId":"{{r}}","reason":"typo"}`).refused(adjustmentReversed)
			x.get("/adjustments?affiliateId={{a}}").has(`[{"id":"{{r}}"},{"id":"{{b}}","reversedById":"{{r}}"}]`)
			x.get("/adjustments?id={{b}}").has(`{"reversedById":"{{r}}"}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(nothingPayable)
		}},
		{"M89 combined filters of adjustments", combinedRule, func(x *exam) {
			payee(x)
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"BONUS","amount":25,"reason":"r"}`).as("b")
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"CORRECTION","amount":-1,"reason":"r"}`).as("c")
			x.get("/adjustments?affiliateEmail={{u}}@conform.example&kind=BONUS").has(`[{"id":"{{b}}"}]`)
			x.get("/adjustments?affiliateId={{a}}&kind=CHARGEBACK_FEE").has(`[]`)
			x.get("/adjustments?affiliateId={{affiliate}}&affiliateEmail={{u}}@conform.example").has(`[]`)
			x.get("/adjustments?kind=bonus").refused(badParameter("kind", "must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE, MOVE"))
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).as("p")
			x.get("/adjustments?payoutId={{p}}&kind=CORRECTION").has(`[{"id":"{{c}}","payoutCreated":true,"payoutId":"{{p}}"}]`)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s")
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"CHARGEBACK_FEE","amount":-1,"reason":"r","saleId":{{s}}}`).as("f")
			x.get("/adjustments?saleId={{s}}").has(`[{"id":"{{f}}"}]`)
		}},
	}...)
}

// payoutStories are stories of payouts, and of sales that are held: money check 43.
func payoutStories() []serverCase {
	move := func(x *exam, status string) *answer {
		return x.do("PATCH /payouts", `{"payoutId":"{{p}}","status":"`+status+`"}`)
	}
	return []serverCase{
		{"M80 a sale that is held and accepted", reviewRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s")
			x.do("POST /sales/review", `{"saleIds":["{{s}}"],"approvalStatus":"ON_HOLD"}`).has(`[{"id":{{s}},"commissions":[{"approvalStatus":"ON_HOLD"}]}]`)
			x.get("/sales/search?affiliateId={{a}}&approvalStatus=ON_HOLD").has(`[{"id":{{s}}}]`)
			x.get("/sales/search?affiliateId={{a}}&search={{u}}-C@conform").has(`[{"id":{{s}}}]`)
			x.get("/sales/sums?affiliateId={{a}}").has(`{"all":{"count":1,"totalEarned":100,"refundedAmount":0,"commissionEarned":20},"active":{"count":1},"onHold":{"count":1,"commissionEarned":20},"accepted":{"count":0,"totalEarned":0}}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(nothingPayable)
			x.do("POST /sales/review", `{"saleIds":[{{s}}],"approvalStatus":"ACCEPTED"}`).has(`[{"id":{{s}},"commissions":[{"approvalStatus":"ACCEPTED","holdReason":null}]}]`)
			x.get("/sales/search?affiliateId={{a}}&approvalStatus=ON_HOLD").has(`[]`)
			x.get("/sales/sums?affiliateId={{a}}&search={{u}}-C@conform").has(`{"all":{"count":1,"totalEarned":100},"onHold":{"count":0,"commissionEarned":0},"accepted":{"count":1}}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).has(`{"amount":20}`)
			x.do("POST /sales/review", `{"saleIds":[{{s}}],"approvalStatus":"DECLINED"}`).refused(inPayout)
			x.get("/sales/search?approvalStatus=held").refused(badParameter("approvalStatus", "must be one of ACCEPTED, ON_HOLD, DECLINED"))
			x.get("/sales/sums?approvalStatus=held").refused(badParameter("approvalStatus", "must be one of ACCEPTED, ON_HOLD, DECLINED"))
		}},
		{"M20 a payout and its minimum", payoutsRule, func(x *exam) {
			payee(x)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(nothingPayable)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s", "entry:commissions.0.id")
			x.do("POST /payouts", `{"affiliateId":"{{a}}","minimum":20.01}`).refused(belowPayoutMinimum)
			x.do("POST /payouts", `{"affiliateId":"{{a}}","until":"2001-01-01"}`).refused(nothingPayable)
			x.do("POST /payouts", `{"affiliateEmail":"{{u}}@conform.example","minimum":20,"externalId":"run 1"}`).as("p").
				has(`{"id":"{{p}}","affiliateId":"{{a}}","amount":20,"status":"PENDING","externalId":"run 1","manuallyPaid":false,"paidAt":null,"commissionIds":[{{s.entry}}],"adjustmentIds":[]}`)
			x.get("/sales?id={{s}}").has(`{"commissions":[{"payoutCreated":true,"payoutId":"{{p}}"}]}`)
			x.get("/payouts?id={{p}}").has(`{"id":"{{p}}"}`)
			x.get("/payouts?affiliateId={{a}}&status=PENDING").has(`[{"id":"{{p}}"}]`)
			x.get("/payouts?affiliateId={{a}}&status=PAID").has(`[]`)
			x.get("/payouts/sums?affiliateId={{a}}").has(`{"all":{"count":1,"amount":20},"pending":{"count":1,"amount":20},"paid":{"count":0,"amount":0}}`)
			x.get("/payouts?status=paid").refused(badParameter("status", "must be one of PENDING, PROCESSING, PAID, FAILED, CANCELED, RETURNED"))
		}},
		{"M23 every step of the statuses", payoutsRule, func(x *exam) {
			owed(x, 10).as("p")
			move(x, "PENDING").has(`{"status":"PENDING"}`)
			move(x, "PROCESSING").has(`{"status":"PROCESSING"}`)
			move(x, "CANCELED").refused(statusNotAllowed)
			move(x, "PENDING").refused(statusNotAllowed)
			x.do("PATCH /payouts", `{"payoutId":"{{p}}","status":"FAILED","failedReason":"closed"}`).has(`{"status":"FAILED","failedReason":"closed"}`)
			move(x, "PAID").refused(statusNotAllowed)
			move(x, "PROCESSING").has(`{"status":"PROCESSING","failedReason":null}`)
			move(x, "PAID").has(`{"status":"PAID"}`)
			for _, status := range []string{"PENDING", "PROCESSING", "FAILED", "CANCELED"} {
				move(x, status).refused(statusNotAllowed)
			}
			move(x, "PAID").has(`{"status":"PAID"}`)
		}},
		{"M35 nobody is paid before the approval", payoutsRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}","commissionRate":20,"affiliateStatus":"inactive"}`).as("a", "email")
			x.do("POST /affiliates/payout-details", `{"affiliateId":"{{a}}","payoutEmail":"{{u}}@conform.example","paymentMethod":"PAYPAL"}`).has(`{"status":"INACTIVE"}`)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s").
				has(`{"commissions":[{"approvalStatus":"ON_HOLD","holdReason":"AFFILIATE_NOT_APPROVED"}]}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(affiliateNotApproved)
			x.do("POST /payouts/preview", `{"affiliateIds":["{{a}}"]}`).has(`{"lines":[{"affiliateId":"{{a}}","amount":0,"payoutId":null,"skipped":"not_approved"}]}`)
			x.do("POST /affiliates/status", `{"affiliateIds":["{{a}}"],"status":"ACTIVE"}`).has(`[{"status":"ACTIVE"}]`)
			x.get("/sales?id={{s}}").has(`{"commissions":[{"approvalStatus":"ACCEPTED","holdReason":null}]}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).has(`{"amount":20}`)
		}},
		{"M24 a canceled payout lets go", payoutsRule, func(x *exam) {
			owed(x, 10).as("p").has(`{"amount":10,"adjustmentIds":["{{b}}"]}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(nothingPayable)
			move(x, "CANCELED").has(`{"status":"CANCELED","amount":10,"adjustmentIds":["{{b}}"]}`)
			x.get("/adjustments?id={{b}}").has(`{"payoutCreated":false,"payoutId":null}`)
			move(x, "CANCELED").has(`{"status":"CANCELED"}`)
			x.do("POST /payouts", `{"affiliateId":"{{a}}","manuallyPaid":true}`).has(`{"amount":10,"status":"PAID","manuallyPaid":true}`)
		}},
		{"M26 a paid payout that comes back", payoutsRule, func(x *exam) {
			owed(x, 10).as("p")
			move(x, "RETURNED").refused(statusNotAllowed)
			move(x, "PAID").has(`{"status":"PAID","returnedAt":null,"returnedReason":null}`)
			x.do("PATCH /payouts", `{"payoutId":"{{p}}","status":"RETURNED","returnedReason":"no such account"}`).
				has(`{"status":"RETURNED","amount":10,"returnedReason":"no such account","failedReason":null,"adjustmentIds":["{{b}}"]}`)
			x.get("/adjustments?id={{b}}").has(`{"payoutCreated":false,"payoutId":null}`)
			x.get("/balances?affiliateId={{a}}").has(`{"payable":10,"inPayout":0,"paid":0,"earned":10}`)
			x.get("/movements?affiliateId={{a}}&cause=PAYOUT_RETURNED").has(`[{"from":"PAID","to":"PAYABLE","amount":10,"payoutId":"{{p}}"}]`)
			move(x, "RETURNED").has(`{"status":"RETURNED","returnedReason":"no such account"}`)
			for _, status := range []string{"PENDING", "PROCESSING", "PAID", "FAILED", "CANCELED"} {
				move(x, status).refused(statusNotAllowed)
			}
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).has(`{"amount":10,"status":"PENDING"}`)
		}},
		{"M9a a refund of tax", payoutsRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-t@conform.example","name":"C","totalEarned":120,"tax":20}`).as("s")
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":20,"tax":21}`).refused(refundPartsExceed)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":20,"tax":20}`).has(`{"reason":"partially_refunded"}`)
			x.get("/sales?id={{s}}").has(`{"refundedAmount":20,"commissionEarned":20}`)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":1,"tax":1}`).refused(refundedTaxExceeds)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":50,"tax":0}`).has(`{"reason":"partially_refunded"}`)
			x.get("/sales?id={{s}}").has(`{"refundedAmount":70,"commissionEarned":10}`)
		}},
		{"M9 a refund after a payout", payoutsRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s")
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).as("p")
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":60}`).refused(includedInPayout)
			x.do("DELETE /sales", `{"saleId":{{s}}}`).refused(inPayout)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":60,"refundId":"1","clawback":true}`).has(`{"reason":"partially_refunded"}`)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":60,"refundId":"1","clawback":true}`).has(`{"reason":"already_refunded"}`)
			x.get("/balances?affiliateId={{a}}").has(`{"held":0,"maturing":0,"payable":-12,"inPayout":20,"paid":0,"earned":8}`)
			x.get("/movements?affiliateId={{a}}").has(`[{"number":3,"cause":"CLAW_BACK","amount":12},{"number":2,"cause":"PAYOUT_CREATED","amount":20},{"number":1,"cause":"SALE","amount":20}]`)
			x.get("/sales?id={{s}}").has(`{"commissionEarned":8,"commissions":[{"commissionEarned":20,"clawback":false},{"commissionEarned":-12,"clawback":true}]}`)
			move(x, "PAID").has(`{"amount":20}`)
			x.get("/movements?payoutId={{p}}").has(`[{"cause":"PAYOUT_PAID","amount":20},{"cause":"PAYOUT_CREATED","amount":20}]`)
			x.get("/movements?saleId={{s}}").has(`[{"cause":"CLAW_BACK","amount":12},{"cause":"SALE","amount":20}]`)
			x.get("/movements?saleId={{s}}&from=2001-01-01&to=2001-12-31").has(`[]`)
			x.get("/balances?affiliateId={{a}}&affiliateEmail={{other.email}}").refused(identifiersMismatch)
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":1}`).refused(alreadyPaid)
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).refused(nothingPayable)
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"CORRECTION","amount":15,"reason":"r"}`).as("b")
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).has(`{"amount":3,"adjustmentIds":["{{b}}"]}`)
		}},
	}
}
