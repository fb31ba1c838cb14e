package servertest

import "strings"

const (
	runsRule      = "contract 4.4: a payout run is known by its externalId, and pays an affiliate at most once; money 6"
	statementRule = "contract 4.4: a statement adds up from what was owed before; money 9"
	explainRule   = "contract 4.4: how a commission came about; money 10"
)

// runCases test the routes below /payouts. Runs name their affiliates: the cases of
// a suite run at once on one program.
func runCases() []serverCase {
	cases := refusals(runsRule, "POST /payouts/run",
		refusedCase{"M31 no externalId", `{"minimum":1}`, RefuseNoExternalID}, refusedCase{"M31 externalId empty", `{"externalId":""}`, RefuseNoExternalID},
		refusedCase{"M31 externalId of 256", `{"externalId":"` + strings.Repeat("x", 256) + `","limit":0}`, mustBe("externalId", tooLong)},
		refusedCase{"M31 externalId 5", `{"externalId":5}`, mustBe("externalId", asString)})
	for _, operation := range []string{"M31 POST /payouts/run", "M36 POST /payouts/preview"} {
		number, operation, _ := strings.Cut(operation, " ")
		with := func(members string) string { return `{"externalId":"{{u}}",` + members + `}` }
		cases = append(cases, refusals(runsRule, operation,
			refusedCase{number + " settings: until x", with(`"until":"x","minimum":-1`), mustBe("until", asDate)}, refusedCase{number + " settings: minimum -1", with(`"minimum":-1`), mustBe("minimum", "must be at least 0")},
			refusedCase{number + " settings: minimum as text", with(`"minimum":"1"`), mustBe("minimum", asNumber)}, refusedCase{number + " settings: methods as text", with(`"methods":"PAYPAL"`), mustBe("methods", asStrings)},
			refusedCase{number + " settings: methods paypal", with(`"methods":["paypal"]`), mustBe("methods", "must be one of WISE, WISE_BANK, PAYPAL, BANK, CREDITS, COUPON, REFERLY")},
			refusedCase{number + " settings: noDetails 1", with(`"noDetails":1`), mustBe("noDetails", asBoolean)}, refusedCase{number + " settings: affiliateIds 5", with(`"affiliateIds":[5]`), mustBe("affiliateIds", asStrings)}, refusedCase{number + " settings: exceptIds 5", with(`"exceptIds":[5]`), mustBe("exceptIds", asStrings)},
			refusedCase{number + " settings: limit 0", with(`"limit":0`), mustBe("limit", "must be an integer from 1 to 1000")}, refusedCase{number + " settings: limit 1001", with(`"limit":1001`), mustBe("limit", "must be an integer from 1 to 1000")},
			refusedCase{number + " settings: limit as text", with(`"limit":"1"`), mustBe("limit", "must be an integer from 1 to 1000")})...)
	}
	cases = append(cases, refusals(runsRule, "POST /payouts/preview",
		refusedCase{"M36 a cursor of nothing", `{"cursor":"garbage"}`, invalid("cursor", "Invalid cursor")}, refusedCase{"M36 cursor empty", `{"cursor":""}`, mustBe("cursor", notEmpty)})...)
	return append(cases, []serverCase{
		{"M33 a run, repeated", runsRule, func(x *exam) {
			payee(x)
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"BONUS","amount":12.5,"reason":"r"}`).as("b")
			const settings = `"affiliateIds":["{{a}}","x"],"minimum":10`
			x.do("POST /payouts/preview", `{`+settings+`}`).has(`{"lines":[{"affiliateId":"{{a}}","amount":12.5,"payoutId":null,"skipped":"no_payout_method"}],"next":null}`)
			x.do("POST /payouts/preview", `{"affiliateIds":["{{a}}"],"noDetails":true,"minimum":12.51}`).has(`{"lines":[{"amount":12.5,"skipped":"below_minimum"}]}`)
			x.do("POST /payouts/preview", `{"affiliateIds":["{{a}}"],"exceptIds":["{{a}}"]}`).has(`{"lines":[]}`)
			x.do("POST /payouts/preview", `{"affiliateIds":["{{a}}"],"noDetails":true,"methods":["WISE"]}`).has(`{"lines":[]}`)
			x.do("POST /payouts/preview", `{"affiliateIds":["{{a}}"],"noDetails":true,"until":"2001-01-01"}`).has(`{"lines":[{"amount":0,"skipped":"nothing_matured"}]}`)
			x.get("/payouts/runs?externalId={{u}}").null()
			x.get("/payouts/lines?externalId={{u}}").has(`[]`)
			for range 2 {
				x.do("POST /payouts/run", `{"externalId":"{{u}}","noDetails":true,`+settings+`}`).as("r").
					has(`{"id":"{{r}}","externalId":"{{u}}","status":"DONE","created":1,"skipped":0,"total":12.5}`)
			}
			x.do("POST /payouts/run", `{"externalId":"{{u}}",`+settings+`}`).refused(payoutRunMismatch)
			x.get("/payouts/runs?externalId={{u}}").has(`{"id":"{{r}}","status":"DONE"}`)
			x.get("/payouts?runId={{r}}").has(`[{"affiliateId":"{{a}}","amount":12.5,"runId":"{{r}}","adjustmentIds":["{{b}}"]}]`)
			x.get("/payouts/lines?externalId={{u}}").has(`[{"affiliateId":"{{a}}","amount":12.5,"skipped":null}]`)
			x.get("/payouts?runId={{r}}&status=PAID").has(`[]`)
			x.get("/payouts?runId={{r}}&method=WISE").has(`[]`)
			x.get("/payouts?runId={{a}}").has(`[]`)
		}},
		{"M35 a run that pays nobody", runsRule, func(x *exam) {
			payee(x)
			x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"CORRECTION","amount":-3,"reason":"r"}`)
			x.do("POST /payouts/run", `{"externalId":"{{u}}","affiliateIds":["{{a}}","{{unknown}}"]}`).has(`{"status":"DONE","created":0,"skipped":1,"total":0}`)
			x.get("/payouts/lines?externalId={{u}}").has(`[{"affiliateId":"{{a}}","amount":-3,"payoutId":null,"skipped":"negative"}]`)
		}},
		{"M89 lines of no run", runsRule, func(x *exam) {
			x.get("/payouts/lines").refused(RefuseNoExternalID)
			x.get("/payouts/lines?externalId=").refused(emptyParameter("externalId"))
			x.get("/payouts/lines?externalId={{u}}&limit=0").refused(badLimit)
			x.get("/payouts/lines?externalId={{u}}&cursor=x").refused(badCursor)
			x.get("/payouts/lines?externalId={{u}}&runId=x").refused(unknownParameter("runId"))
		}},
		{"M36 a key of a preview is ignored", runsRule, func(x *exam) {
			for _, body := range []string{`{"affiliateIds":["{{unknown}}"]}`, `{"affiliateIds":["x"]}`} {
				x.send(keyed("POST /payouts/preview", body, x.unique)).has(`{"lines":[],"next":null}`).headed("Idempotent-Replayed", "")
			}
		}},
	}...)
}

// ledgerCases test statements and explanations: money check 23.
func ledgerCases() []serverCase {
	const period = "&from=2001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z"
	return []serverCase{
		{"M51 a statement", statementRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s", "entry:commissions.0.id")
			x.do("POST /payouts", `{"affiliateId":"{{a}}"}`).as("p")
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":60,"clawback":true}`).ok()
			x.do("PATCH /payouts", `{"payoutId":"{{p}}","status":"PAID"}`).ok()
			const figures = `"opening":{"held":0,"payable":0,"inPayout":0,"owed":0,"paid":0},"closing":{"held":0,"payable":-12,"inPayout":0,"owed":-12,"paid":20},"closed":false`
			x.get("/statements?affiliateId={{a}}" + period).has(`{"affiliateId":"{{a}}","from":"2001-01-01T00:00:00.000Z","to":"9999-01-01T00:00:00.000Z",` + figures + `,"lines":[` +
				`{"number":1,"cause":"SALE","saleId":{{s}},"commissionId":{{s.entry}},"payoutId":null,"adjustmentId":null,"amount":20,"owed":20},` +
				`{"number":3,"cause":"CLAW_BACK","saleId":{{s}},"amount":-12,"owed":8},{"number":4,"cause":"PAYOUT_PAID","saleId":null,"payoutId":"{{p}}","amount":-20,"owed":-12}]}`)
			x.get("/statements?affiliateEmail={{u}}@conform.example&from=2001-01-01&to=2001-12-31").has(`{"closed":true,"lines":[]}`)
			x.get("/statements?affiliateId={{a}}&limit=2" + period).has(`{"lines":[{"number":1},{"number":3}]}`)
		}},
		{"M89 bad statements", statementRule, func(x *exam) {
			x.get("/statements?from=2001-01-01&to=2001-01-02").refused(ownerRequired)
			x.get("/statements?affiliateId={{affiliate}}&to=2001-01-02").refused(fromRequired)
			x.get("/statements?affiliateId={{affiliate}}&from=2001-01-02").refused(toRequired)
			x.get("/statements?affiliateId={{affiliate}}&from=x&to=2001-01-02").refused(badParameter("from", asDate))
			x.get("/statements?affiliateId={{affiliate}}&from=2001-01-02&to=2001-01-01").refused(badParameter("to", "must be after from"))
			x.get("/statements?affiliateId={{unknown}}" + period).refused(affiliateNotFound)
			x.get("/statements?affiliateId=x" + period).refused(affiliateNotFound)
			x.get("/statements?affiliateEmail={{u}}@conform.example" + period).refused(affiliateNotFound)
			x.get("/statements?affiliateId={{affiliate}}&affiliateEmail={{other.email}}" + period).refused(identifiersMismatch)
			x.get("/statements?affiliateId={{affiliate}}&limit=0" + period).refused(badLimit)
			x.get("/statements?affiliateId={{affiliate}}&cursor=x" + period).refused(badCursor)
			x.get("/statements?affiliateId={{affiliate}}&id=x" + period).refused(unknownParameter("id"))
		}},
		{"M59 an explanation", explainRule, func(x *exam) {
			payee(x)
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":129.5,"tax":9.5,"commissionRate":15}`).as("s", "entry:commissions.0.id")
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":29.5}`).ok()
			x.get("/sales/explain?id={{s}}").has(`{"saleId":{{s}},"credit":{"by":"LINK","promotionalCodeId":null},"terms":{"commissionType":"PERCENTAGE","commissionRate":15,"rateFrom":"SALE"},` +
				`"base":{"totalEarned":129.5,"taxDeducted":9.5,"shippingDeducted":0,"refunded":29.5,"kept":100,"base":120},"arithmetic":{"byHand":null,"exact":"3600/259","rounded":13.9},` +
				`"commissions":[{"id":{{s.entry}}}],"movements":[{"cause":"REFUND"},{"cause":"SALE","amount":18}]}`)
			for _, id := range []string{"9007199254740993", "x", "-1", "{{affiliate}}"} {
				x.get("/sales/explain?id=" + id).null()
			}
			x.get("/sales/explain").refused(RefuseNoSaleID.on("id"))
			x.get("/sales/explain?id=").refused(emptyParameter("id"))
			x.get("/sales/explain?id={{s}}&x=1").refused(unknownParameter("x"))
		}},
	}
}
