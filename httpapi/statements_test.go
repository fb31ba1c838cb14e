package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// statement asks for a statement of Ada and returns the bytes of the answer.
func (k *till) statement(query string) string {
	k.t.Helper()
	got := k.do("GET", "/api/v1/statements?affiliateId="+k.ada+"&"+query, "")
	if got.status != 200 {
		k.t.Fatalf("%s: %s", query, got.refusal())
	}
	return got.body
}

const mayAndJune, may, june = "from=2026-05-01&to=2026-06-30", "from=2026-05-01&to=2026-05-31", "from=2026-06-01&to=2026-06-30"

// TestStatements: checks 21 and 22 of docs/money.md, example E.
func TestStatements(t *testing.T) {
	k := newTill(t)
	figures := func(payable string) string {
		return `{"held":0,"payable":` + payable + `,"inPayout":0,"owed":` + payable + `,"paid":0}`
	}
	head := func(from, to, opening, closing string) string {
		return `{"affiliateId":"` + k.ada + `","currency":"USD","from":"` + from + `T00:00:00.000Z","to":"` + to + `T00:00:00.000Z",` +
			`"opening":` + figures(opening) + `,"closing":` + figures(closing) + `,"closed":true,"lines":`
	}
	line := func(number, at, cause, amount, owed string) string {
		entry := k.commissions("S")[0]
		return fmt.Sprintf(`[{"number":%s,"at":"%s","cause":"%s","saleId":%s,"commissionId":%s,"payoutId":null,"adjustmentId":null,"amount":%s,"owed":%s}]}`,
			number, at, cause, k.ids["S"], text(entry["id"]), amount, owed)
	}
	var first string
	t.Run("check 21", func(t *testing.T) {
		k.on(t)
		k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
		k.sell("S", "200")
		k.now = time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
		first = k.statement(may)
		equal(t, head("2026-05-01", "2026-06-01", "0", "40")+line("1", "2026-05-10T12:00:00.000Z", "SALE", "40", "40"), first)
		k.now = time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
		k.ask("PATCH", "/sales", `{"saleId":{S},"amount":60}`)
		k.now = time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)
		equal(t, first, k.statement(may))
		equal(t, head("2026-06-01", "2026-07-01", "40", "28")+line("2", "2026-06-03T09:00:00.000Z", "REFUND", "-12", "28"), k.statement(june))
		equal(t, first, k.statement("from=2026-05-01T00:00:00Z&to=2026-06-01T02:00:00%2B02:00"))
		byEmail := k.do("GET", "/api/v1/statements?affiliateEmail=ADA@example.org&"+may, "").body
		equal(t, first, byEmail)
	})
	t.Run("check 22", func(t *testing.T) {
		k.on(t)
		k.ask("PUT", "/links", `{"link":"ada","newLink":"ada-2"}`)
		equal(t, first, k.statement(may))
		must(0, k.Forfeiting().EraseAffiliate(t.Context(), uuid.MustParse(k.ada)))
		equal(t, first, k.statement(may))
		k.verify()
	})
}

// TestStatementPagesOverTheWire: check 49 for statements: without a limit there are
// 100 lines and a Link. All pages have the lines that were there when the first was
// read.
func TestStatementPagesOverTheWire(t *testing.T) {
	k := newTill(t)
	k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	bonus := func() {
		k.ask("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":1.5,"reason":"r"}`)
	}
	for range 101 {
		bonus()
		k.pass(time.Minute)
	}
	k.ask("POST", "/payouts", `{"affiliateId":"`+k.ada+`"}`) // changes nothing that is owed
	for _, limit := range []string{"", "&limit=1", "&limit=7", "&limit=100", "&limit=101", "&limit=1000"} {
		next, lines, owed := "affiliateId="+k.ada+"&"+mayAndJune+limit, 0, 0.0
		for pages := 1; next != ""; pages++ {
			got := k.do("GET", "/api/v1/statements?"+next, "")
			var page struct {
				Closing struct{ Owed float64 }
				Lines   []struct{ Amount, Owed float64 }
			}
			if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != 200 {
				t.Fatalf("%s: %s", next, got.refusal())
			}
			lines += len(page.Lines)
			if pages == 1 {
				owed = page.Closing.Owed
				bonus() // the period goes on
			}
			if limit == "" && pages == 1 && len(page.Lines) != 100 {
				t.Errorf("%d lines without a limit", len(page.Lines))
			}
			link := got.header.Get("Link")
			if link == "" {
				if last := page.Lines[len(page.Lines)-1]; last.Owed != owed {
					t.Errorf("%s: the last line says %v is owed, the statement %v", limit, last.Owed, owed)
				}
				break
			}
			ref, _, _ := strings.Cut(strings.TrimPrefix(link, "<?"), ">")
			next = ref
		}
		if float64(lines)*1.5 != owed {
			t.Errorf("%s: %d lines do not add up to %v", limit, lines, owed)
		}
	}
	got := k.do("GET", "/api/v1/statements?affiliateId="+k.ada+"&"+may+"&limit=1", "")
	ref, _, _ := strings.Cut(strings.TrimPrefix(got.header.Get("Link"), "<?"), ">")
	_, cursor, _ := strings.Cut(ref, "cursor=")
	k.no(badCursor, "GET", "/statements?affiliateId="+k.ada+"&"+june+"&cursor="+cursor, "")
	k.no(badCursor, "GET", "/statements?affiliateId="+k.ada+"&"+may+"&cursor=9"+cursor, "")
	k.verify()
}

// TestHoldDaysOverTheWire: checks 24 and 25 of docs/money.md.
func TestHoldDaysOverTheWire(t *testing.T) {
	held := func(t *testing.T) *till {
		k := newTill(t, func(s *setup) { s.engine.Terms.HoldDays = 30 })
		k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
		sale := k.sell("S", "100")
		k.has(k.commissions("S")[0], object{"payableAt": "2026-06-09T12:00:00.000Z", "approvalStatus": "ACCEPTED"})
		k.has(sale, object{"commissionEarned": 20.0})
		k.fired()
		return k
	}
	nothing := "400 nothing_payable: Nothing is payable to this affiliate"
	t.Run("check 24", func(t *testing.T) {
		k := held(t)
		k.now = time.Date(2026, 6, 9, 11, 59, 59, 0, time.UTC)
		k.balance(object{"maturing": 20.0, "payable": 0.0, "earned": 20.0})
		k.no(nothing, "POST", "/payouts", `{"affiliateId":"`+k.ada+`"}`)
		k.now = time.Date(2026, 6, 9, 12, 0, 0, 0, time.UTC)
		k.balance(object{"maturing": 0.0, "payable": 20.0, "earned": 20.0})
		k.fires()
		k.has(k.pay("P", ""), object{"amount": 20.0})
		k.verify()
	})
	t.Run("check 25", func(t *testing.T) {
		k := held(t)
		k.ask("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"CORRECTION","amount":-12,"reason":"r"}`)
		k.no(nothing, "POST", "/payouts", `{"affiliateId":"`+k.ada+`"}`)
		k.balance(object{"held": 0.0, "maturing": 20.0, "payable": -12.0, "inPayout": 0.0, "paid": 0.0, "earned": 8.0})
		k.verify()
	})
}

// explained are members of the explanation of a sale.
func (k *till) explained(sale string) (credit, terms, base, arithmetic map[string]any) {
	k.t.Helper()
	e := k.ask("GET", "/sales/explain?id={"+sale+"}", "")
	part := func(name string) map[string]any { return e[name].(map[string]any) }
	return part("credit"), part("terms"), part("base"), part("arithmetic")
}

// TestExplain: checks 45 and 46 of docs/money.md.
func TestExplain(t *testing.T) {
	k := newTill(t)
	t.Run("check 45", func(t *testing.T) {
		k.on(t)
		sale := k.ask("POST", "/sales", `{"promoCode":"ada20","email":"t@x.example","totalEarned":129.50,"tax":9.50}`)
		k.ids["S"] = text(sale["id"])
		credit, terms, base, arithmetic := k.explained("S")
		k.has(credit, object{"by": "CODE", "promotionalCodeId": sale["promotionalCodeId"], "clickId": nil, "clickAt": nil, "referralId": sale["referralId"]})
		k.has(terms, object{
			"commissionType": "PERCENTAGE", "commissionRate": 20.0, "rateFrom": "PROGRAM", "planFrom": "PROGRAM", "commissionPlanId": nil,
			"commissionTierId": nil, "holdDays": 0.0, "over": nil,
		})
		equal(t, object{"totalEarned": 129.5, "taxDeducted": 9.5, "shippingDeducted": 0.0, "refunded": 0.0, "kept": 129.5, "base": 120.0}, base)
		equal(t, object{"byHand": nil, "exact": "24", "rounded": 24.0}, arithmetic)
		whole := k.ask("GET", "/sales/explain?id={S}", "")
		equal(t, sale["commissions"], whole["commissions"])
		var moved any
		must(0, json.Unmarshal([]byte(k.do("GET", k.named("/api/v1/movements?saleId={S}"), "").body), &moved))
		equal(t, moved, whole["movements"])
		for _, id := range []string{"999", "x", "0", "-1", "01", k.ada} {
			equal(t, "null", k.do("GET", "/api/v1/sales/explain?id="+id, "").body)
		}
		k.no("400 missing_field: Sale ID is required [id]", "GET", "/sales/explain", "")
		k.no("400 invalid_query: Query parameter id must not be empty [id]", "GET", "/sales/explain?id=", "")
		k.no("400 invalid_query: Unknown query parameter: saleId [saleId]", "GET", "/sales/explain?saleId={S}", "")
		k.ask("PUT", "/affiliates", `{"affiliateId":"`+k.bo+`","commissionRate":15}`)
		k.ids["B"] = text(k.ask("POST", "/sales", `{"referralId":"bo","email":"b@x.example","name":"B","totalEarned":19.99}`)["id"])
		_, _, _, arithmetic = k.explained("B")
		equal(t, object{"byHand": nil, "exact": "5997/2000", "rounded": 3.0}, arithmetic)
	})
	t.Run("check 46", func(t *testing.T) {
		k.on(t)
		k.ask("PUT", "/affiliates", `{"affiliateId":"`+k.ada+`","commissionRate":25}`)
		k.sell("A", "100")
		credit, terms, _, _ := k.explained("A")
		k.has(credit, object{"by": "LINK"})
		k.has(terms, object{"rateFrom": "AFFILIATE", "commissionRate": 25.0})
		k.ids["R"] = text(k.ask("POST", "/sales", `{"referralId":"ada","email":"t@x.example","totalEarned":100,"commissionRate":5}`)["id"])
		_, terms, _, _ = k.explained("R")
		k.has(terms, object{"rateFrom": "SALE", "commissionRate": 5.0})
		plan := must(k.CreatePlan(t.Context(), affiliate.PlanParams{Name: "vip", Terms: affiliate.Terms{Rate: affiliate.MustPercent("9"), HoldDays: 14}}))
		customer := k.ask("GET", "/referrals?id=b@x.example", "")
		must(k.SetReferralPlan(t.Context(), plan.ID, uuid.MustParse(customer["id"].(string))))
		k.ask("PUT", "/affiliates", `{"affiliateId":"`+k.bo+`","commissionRate":null}`)
		k.ids["C"] = text(k.ask("POST", "/sales", `{"email":"b@x.example","totalEarned":100}`)["id"])
		credit, terms, _, _ = k.explained("C")
		k.has(credit, object{"by": "EMAIL", "referralId": customer["id"]})
		k.has(terms, object{"planFrom": "CUSTOMER", "rateFrom": "PLAN", "commissionRate": 9.0, "commissionPlanId": plan.ID.String(), "holdDays": 14.0, "payment": 2.0})
	})
	k.on(t).verify()
}

// TestBooksNotOpen: the part of check 60 of docs/money.md over the wire, with a
// program that has sales from before there were movements.
func TestBooksNotOpen(t *testing.T) {
	k := newTill(t)
	k.sell("S1", "100")
	k.pay("P1", "")
	k.ask("PATCH", "/payouts", `{"payoutId":"{P1}","status":"PAID"}`)
	k.sell("S2", "50")
	before := func(tx *record.Tx) error {
		for rec, err := range tx.Movements.List(record.Query{}) {
			if err == nil {
				err = tx.Movements.Delete(rec.ID)
			}
			if err != nil {
				return err
			}
		}
		for rec, err := range tx.Totals.List(record.Query{}) {
			rec.Books = record.Books{}
			if err == nil {
				err = tx.Totals.Replace(rec)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	must(0, k.store.Store.Update(t.Context(), k.Config().ID, before))
	k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60,"clawback":true}`)
	closed := "400 books_not_open: The books of this affiliate are not open yet"
	k.no(closed, "GET", "/balances?affiliateId="+k.ada, "")
	k.no(closed, "GET", "/statements?affiliateId="+k.ada+"&"+may, "")
	if open := k.list("/balances"); len(open) != 1 || open[0]["affiliateId"] != k.bo {
		t.Errorf("balances before the books are open: %v", open)
	}
	k.has(k.ask("POST", "/payouts/run", `{"externalId":"may","minimum":1}`), object{"status": "DONE", "created": 0.0, "skipped": 1.0})
	k.pass(time.Hour)
	equal(t, 1, must(k.Run(t.Context(), affiliate.OpenBooksJob{})).Changed)
	k.balance(object{"payable": -2.0, "inPayout": 0.0, "paid": 20.0, "earned": 18.0})
	k.no(closed, "GET", "/statements?affiliateId="+k.ada+"&from=2026-03-01&to=2026-03-31", "")
	equal(t, true, strings.Contains(k.statement("from="+wire(k.now)+"&to=2026-03-31"), `"closing":{"held":0,"payable":-2,"inPayout":0,"owed":-2,"paid":20}`))
	equal(t, 0, must(k.Run(t.Context(), affiliate.OpenBooksJob{})).Changed)
	k.verify()
}
