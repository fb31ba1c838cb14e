package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// What money checks over the wire need, and those that stand alone.

// A till is a program with two affiliates and a code, with the names that checks
// give to what they make.
type till struct {
	*world
	ada, bo string            // ids
	ids     map[string]string // "S1", "P1" …
	seen    int               // events so far
}

func newTill(t *testing.T, change ...func(*setup)) *till {
	t.Helper()
	k := &till{world: newWorld(t, change...), ids: map[string]string{}}
	join := func(first, slug string) string {
		return k.id("POST", "/affiliates", `{"firstName":"`+first+`","lastName":"X","email":"`+slug+`@example.org","affiliateLink":"`+slug+`"}`)
	}
	k.ada, k.bo = join("Ada", "ada"), join("Bo", "bo")
	must(k.SetPayoutDetails(t.Context(), uuid.MustParse(k.ada), affiliate.PayoutDetails{Method: "PAYPAL", Email: "ada@pay.example"}))
	coupon := k.id("POST", "/coupons", `{"name":"20 off","percentOff":20}`)
	k.id("POST", "/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+k.ada+`","minimumAmount":50}`)
	k.fired()
	t.Cleanup(func() { // check 58: nothing about money has an event of its own
		k.on(t)
		for _, e := range must(k.Events(context.Background(), affiliate.EventQuery{}, affiliate.Page{})).Items {
			if !slices.Contains(seedEvents, string(e.Type)) {
				t.Errorf("there is no event %s", e.Type)
			}
		}
	})
	return k
}

// seedEvents are the types of events that there are, and that money adds nothing
// to.
var seedEvents = strings.Fields(`
	affiliate.created affiliate.updated affiliate.deleted referral.created referral.updated referral.deleted
	sale.created sale.updated sale.deleted coupon.created coupon.updated coupon.deleted
	promocode.created promocode.updated promocode.deleted`)

// on makes failures those of a sub-test.
func (k *till) on(t *testing.T) *till {
	k.t = t
	return k
}

// ask makes a request that must succeed. {S1} in a body is what S1 is.
func (k *till) ask(method, target, body string) map[string]any {
	k.t.Helper()
	return k.ok(method, "/api/v1"+k.named(target), k.named(body))
}

// no makes a request that must be refused with this line, and that changes
// nothing.
func (k *till) no(want, method, target, body string) {
	k.t.Helper()
	k.refuses(want, method, "/api/v1"+k.named(target), k.named(body))
}

func (k *till) named(s string) string {
	for name, id := range k.ids {
		s = strings.ReplaceAll(s, "{"+name+"}", id)
	}
	return s
}

// id is the id of what a request makes.
func (k *till) id(method, target, body string) string {
	k.t.Helper()
	return text(k.ask(method, target, body)["id"])
}

// text is a value as it stands in an id: whole numbers without a fraction.
func text(v any) string {
	if n, ok := v.(float64); ok {
		return fmt.Sprint(int64(n))
	}
	return fmt.Sprint(v)
}

// list is the array that a GET answers.
func (k *till) list(target string) (items []map[string]any) {
	k.t.Helper()
	got := k.do("GET", "/api/v1"+k.named(target), "")
	if err := json.Unmarshal([]byte(got.body), &items); got.status != 200 || err != nil {
		k.t.Fatalf("%s: %s, %v", target, got.refusal(), err)
	}
	return items
}

// sell records a sale of Ada and calls it by a name.
func (k *till) sell(name, total string) map[string]any {
	k.t.Helper()
	sale := k.ask("POST", "/sales", `{"referralId":"ada","email":"t@x.example","name":"T","totalEarned":`+total+`}`)
	k.ids[name] = text(sale["id"])
	return sale
}

// pay makes a payout of Ada and calls it by a name.
func (k *till) pay(name, more string) map[string]any {
	k.t.Helper()
	payout := k.ask("POST", "/payouts", `{"affiliateEmail":"ada@example.org"`+more+`}`)
	k.ids[name] = text(payout["id"])
	return payout
}

// fired is the events since it was last asked, as the type and the id of the
// object: "sale.updated S1".
func (k *till) fired() (types []string) {
	k.t.Helper()
	events := must(k.Events(k.t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
	for _, e := range events[:len(events)-k.seen] {
		what := string(e.Type)
		for name, id := range k.ids {
			if e.ObjectID == id {
				what += " " + name
			}
		}
		types = append(types, what)
	}
	k.seen = len(events)
	slices.Sort(types)
	return types
}

// fires fails the test unless exactly these events came since fired was asked.
func (k *till) fires(want ...string) {
	k.t.Helper()
	equal(k.t, want, k.fired())
}

func (k *till) commissions(sale string) (list []map[string]any) {
	k.t.Helper()
	for _, c := range k.ask("GET", "/sales?id={"+sale+"}", "")["commissions"].([]any) {
		list = append(list, c.(map[string]any))
	}
	return list
}

// balance fails the test unless Ada's balance has these members.
func (k *till) balance(want map[string]any) {
	k.t.Helper()
	k.has(k.ask("GET", "/balances?affiliateEmail=ada@example.org", ""), want)
}

// has fails the test unless an object has these members.
func (k *till) has(object map[string]any, want map[string]any) {
	k.t.Helper()
	got := map[string]any{}
	for name := range want {
		value, there := object[name]
		if !there {
			value = "no such key"
		}
		got[name] = value
	}
	equal(k.t, want, got)
}

type object = map[string]any

// TestMoneyPages is the part of check 49 about lists that exist: without a limit
// a page has 100 records and a Link.
func TestMoneyPages(t *testing.T) {
	k := newTill(t)
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.bo+`","kind":"BONUS","amount":1,"reason":"r"}`)
		k.id("POST", "/payouts", `{"affiliateId":"`+k.bo+`"}`)
	}
	k.paged(`"id"`, "payouts", "adjustments", "payouts?affiliateId="+k.bo+"&status=PENDING")
}

// paged fails the test unless each of the lists has 101 records, of which a page without a limit
// has 100 and a Link. Each record has the key once.
func (k *till) paged(key string, targets ...string) {
	k.t.Helper()
	for _, target := range targets {
		first := k.do("GET", "/api/v1/"+target, "")
		if n := strings.Count(first.body, key); n != 100 || !strings.Contains(first.header.Get("Link"), "limit=100&cursor=") {
			k.t.Errorf("%s: %d records, Link %q", target, n, first.header.Get("Link"))
		}
		all := k.pages(target, "100")
		if n := strings.Count(all, key); n != 101 || all != k.pages(target, "7") {
			k.t.Errorf("%s: %d records in pages", target, n)
		}
	}
}

// TestLedgerPages is the part of check 49 about balances and movements: without
// a limit a page has 100 records and a Link.
func TestLedgerPages(t *testing.T) {
	k := newTill(t)
	for i := range 99 { // beside Ada and Bo
		must(k.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "N", LastName: "N", Email: fmt.Sprintf("n%d@example.org", i)}))
	}
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":1,"reason":"r"}`)
	}
	k.paged(`"affiliateId"`, "balances", "movements", "movements?affiliateId="+k.ada+"&cause=ADJUSTMENT")
}

const ()

// TestPayoutRunPages: check 49 for the lists of runs: without a limit a page has
// 100 records and a Link.
func TestPayoutRunPages(t *testing.T) {
	k := newTill(t)
	for i := range 101 {
		id := k.id("POST", "/affiliates", fmt.Sprintf(`{"firstName":"A","lastName":"B","email":"a%d@example.org"}`, i))
		k.ask("POST", "/adjustments", `{"affiliateId":"`+id+`","kind":"BONUS","amount":1,"reason":"r"}`)
		k.ask("POST", "/payouts/run", fmt.Sprintf(`{"externalId":"run-%d","affiliateIds":[]}`, i))
	}
	k.paged(`"externalId"`, "payouts/runs")
	k.paged(`"skipped"`, "payouts/lines?externalId=run-100")
	page := k.ask("POST", "/payouts/preview", `{}`)
	if n := len(page["lines"].([]any)); n != 100 || page["next"] == nil {
		t.Errorf("a page of the preview has %d lines, next %v", n, page["next"])
	}
	if runs := k.list("/payouts/runs?limit=1"); runs[0]["externalId"] != "run-100" {
		t.Errorf("the newest run is %v", runs[0])
	}
}

const mayAndJune, may, june = "from=2026-05-01&to=2026-06-30", "from=2026-05-01&to=2026-05-31", "from=2026-06-01&to=2026-06-30"

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

// buckets is what GET /reports answers.
func (k *till) buckets(query string) []map[string]any {
	k.t.Helper()
	return k.list("/reports?" + query)
}

// TestReportOverTheWire is money check 48: example E by month and by
// day.
func TestReportOverTheWire(t *testing.T) {
	k := newTill(t)
	k.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	k.sell("S1", "200")
	k.now = time.Date(2026, 6, 3, 9, 0, 0, 0, time.UTC)
	k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60}`)
	for _, of := range []string{"", "&affiliateId=" + k.ada} {
		months := k.buckets("by=month&from=2026-05-01&to=2026-06-30" + of)
		equal(t, 2, len(months))
		k.has(months[0], object{
			"start": "2026-05-01T00:00:00.000Z", "end": "2026-06-01T00:00:00.000Z", "clicks": 0.0, "referrals": 1.0,
			"sales": 1.0, "deletedSales": 0.0, "revenue": 200.0, "refunds": 0.0, "commission": 40.0, "adjustments": 0.0,
		})
		k.has(months[1], object{
			"start": "2026-06-01T00:00:00.000Z", "end": "2026-07-01T00:00:00.000Z", "clicks": 0.0, "referrals": 0.0,
			"sales": 0.0, "deletedSales": 0.0, "revenue": 0.0, "refunds": 60.0, "commission": -12.0, "adjustments": 0.0,
		})
		days := k.buckets("by=day&from=2026-05-01&to=2026-06-30" + of)
		equal(t, 61, len(days))
		sums := map[string]float64{}
		for _, day := range days {
			for name, value := range day {
				if n, ok := value.(float64); ok {
					sums[name] += n
				}
			}
		}
		for name, sum := range sums {
			equal(t, months[0][name].(float64)+months[1][name].(float64), sum)
		}
	}
	k.verify()
}

// gives makes a program with the code GIFT, which takes off everything, and the
// code FIRST for first orders.
func gives(t *testing.T, free bool, limit string) *world {
	w := newWorld(t, func(s *setup) { s.engine.FreeOrders = free })
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "all", PercentOff: affiliate.Set(affiliate.MustPercent("100"))})).ID.String()
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"GIFT","affiliateId":"`+ada+`"`+limit+`}`)
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"FIRST","affiliateId":"`+ada+`","firstTimeOrder":true}`)
	return w
}

// events are the types of all events, oldest first.
func (w *world) events() (types []string) {
	for _, e := range must(w.Program.Events(w.t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
		types = append(types, string(e.Type))
	}
	slices.Reverse(types)
	return types
}

// TestFreeOrders: money checks 35–37 over the wire.
func TestFreeOrders(t *testing.T) {
	const (
		order    = `{"promoCode":"gift","email":"t@x.example","totalEarned":0,"free":true,"subtotal":30}`
		required = "400 missing_field: Total Amount Earned is required [totalEarned]"
	)
	t.Run("35", func(t *testing.T) {
		gives(t, false, "").refuses(required, "POST", "/api/v1/sales", order)
		w := gives(t, true, "")
		before := len(w.events())
		seen := w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"gift","subtotal":30}`)
		equal(t, []any{true, 30.0, 0.0}, []any{seen["valid"], seen["discount"], seen["total"]})
		for _, body := range []string{order, strings.Replace(order, `"totalEarned":0,`, "", 1)} {
			sale := w.ok("POST", "/api/v1/sales", body)
			equal(t, []any{0.0, 30.0, 0.0, []any{}}, []any{sale["totalEarned"], sale["subtotal"], sale["commissionEarned"], sale["commissions"]})
		}
		equal(t, []string{"referral.created", "sale.created", "sale.created"}, w.events()[before:])
		code := w.ok("GET", "/api/v1/promotional-codes?code=GIFT", "")
		equal(t, []any{2.0, 2.0}, []any{code["timesRedeemed"], code["coupon"].(map[string]any)["timesRedeemed"]})
		w.refuses(required, "POST", "/api/v1/sales", strings.Replace(order, `"promoCode":"gift"`, `"referralId":"ada","name":"T"`, 1))
		w.refuses(required, "POST", "/api/v1/sales", strings.Replace(order, `,"subtotal":30`, "", 1))
		w.refuses("400 invalid_field: free must not be true when an amount was earned [free]", "POST", "/api/v1/sales", strings.Replace(order, `:0,`, `:5,`, 1))
		w.refuses("400 invalid_field: free must be a boolean [free]", "POST", "/api/v1/sales", `{"promoCode":"gift","totalEarned":5,"free":"yes"}`)
		w.verify()
	})
	t.Run("36", func(t *testing.T) {
		w := gives(t, true, `,"maxRedemptions":1`)
		var wg sync.WaitGroup
		answers := make([]string, 2)
		for i := range answers {
			wg.Go(func() { answers[i] = w.do("POST", "/api/v1/sales", order).refusal() })
		}
		wg.Wait()
		slices.Sort(answers)
		equal(t, []string{"200", "400 code_exhausted: Promo code has reached its redemption limit"}, answers)
		w.refuses("400 not_first_order: Promo code is only valid for a first order", "POST", "/api/v1/sales", strings.Replace(order, "gift", "first", 1))
		w.verify()
	})
	t.Run("37", func(t *testing.T) {
		w := gives(t, true, "")
		id := fmt.Sprint(w.ok("POST", "/api/v1/sales", order)["id"])
		w.refuses("400 refund_exceeds_sale: Refund amount exceeds the amount left on the sale [amount]", "PATCH", "/api/v1/sales", `{"saleId":`+id+`,"amount":1}`)
		before := len(w.events())
		equal(t, `{"success":true,"alreadyRefunded":false,"reason":"refunded"}`, w.do("PATCH", "/api/v1/sales", `{"saleId":`+id+`}`).body)
		equal(t, []string{"sale.deleted"}, w.events()[before:])
		sale := w.ok("GET", "/api/v1/sales?id="+id, "")
		equal(t, []any{"REFUNDED", 0.0}, []any{sale["status"], sale["refundedAmount"]})
		w.verify()
	})
}

// TestCurrencyOfAmounts: every request with an amount may name its currency, which is the
// program's. That of a sale and of a preview may be another one that has a rate.
func TestCurrencyOfAmounts(t *testing.T) {
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := w.ok("POST", "/api/v1/coupons", `{"name":"20","percentOff":20}`)["id"].(string)
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+ada+`"}`)
	w.ok("POST", "/api/v1/sales", `{"promoCode":"ADA20","totalEarned":100,"externalId":"o-1"}`)
	for _, rq := range []struct{ method, path, body string }{
		{"POST", "/sales", `{"promoCode":"ADA20","totalEarned":5000,"currency":"?"}`},
		{"PUT", "/sales", `{"saleId":1,"totalEarned":50,"currency":"?"}`},
		{"PATCH", "/sales", `{"saleId":1,"amount":5,"currency":"?"}`},
		{"POST", "/promotional-codes/validate", `{"promoCode":"ADA20","totalEarned":5000,"currency":"?"}`},
		{"POST", "/adjustments", `{"affiliateId":"` + ada + `","kind":"BONUS","amount":500,"reason":"thanks","currency":"?"}`},
		{"POST", "/payouts/preview", `{"minimum":1,"currency":"?"}`},
		{"POST", "/payouts/run", `{"externalId":"r1","minimum":1000,"currency":"?"}`},
		{"POST", "/payouts", `{"affiliateId":"` + ada + `","minimum":1,"currency":"?"}`},
	} {
		t.Run(rq.method+rq.path, func(t *testing.T) {
			priced := strings.Contains(rq.body, "5000")
			for _, other := range []string{"JPY", "eur", "XYZ", "$", "USD "} {
				want := "400 invalid_field: currency must be the currency of the program [currency]"
				switch known := len(other) == 3 && other != "XYZ"; {
				case priced && known:
					want = "400 missing_field: exchangeRate is required: the program has no rate for " + strings.ToUpper(other) + " [exchangeRate]"
				case !known && (priced || rq.path == "/sales"):
					want = "400 invalid_field: Currency must be an ISO 4217 code [currency]"
				}
				w.refuses(want, rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", other, 1))
			}
			w.refuses("400 invalid_field: currency must not be empty [currency]",
				rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", "", 1))
			w.refuses("400 invalid_field: currency must be a string [currency]",
				rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, `"?"`, "840", 1))
			w.ok(rq.method, "/api/v1"+rq.path, strings.Replace(rq.body, "?", "uSd", 1))
		})
	}
	w.verify()
}

// TestFieldsOfTheFullScope: what an affiliate earns, whom a sale or a customer credits, when a
// payment was made (a code that has expired works as of paidAt) and what a currency is worth are
// the owner's to say and to know: a key of a shop is refused with the field, and not without it.
func TestFieldsOfTheFullScope(t *testing.T) {
	w := newWorld(t, withScopes)
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.org"}))
	bob := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "L", Email: "bob@example.org"})).ID.String()
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID}))
	ref := must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: ada.ID.String(), Email: "c@example.org", Name: "C", ReferredUserExternalID: "c"})).ID.String()
	sale, _ := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ref, TotalEarned: affiliate.MustAmount("10")})).Sale.Get()
	at, day := w.now.Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z"), w.now.AddDate(0, 0, -1).UTC().Format(time.DateOnly)
	const order, preview = `"promoCode":"ADA20","totalEarned":10`, "POST promotional-codes/validate"
	for _, c := range []struct{ op, body, field, answered string }{
		{"PUT sales", fmt.Sprintf(`"saleId":%d,"name":"D"`, sale.ID), `"affiliateId":"` + bob + `"`, `"affiliateId":"` + bob + `"`},
		{"PUT referrals", `"referralId":"` + ref + `","name":"D"`, `"affiliateId":"` + bob + `"`, `"affiliateId":"` + bob + `"`},
		{"POST sales", order, `"paidAt":"` + at + `"`, `"paidAt":"` + at + `"`},
		{"POST sales", order, `"paidAt":"` + day + `"`, `"paidAt":"` + day + `T00:00:00.000Z"`},
		{"POST sales", order, `"currency":"EUR","exchangeRate":1.5`, `"exchangeRate":1.5`},
		{preview, order, `"currency":"EUR","exchangeRate":1.5`, `"total":8`},
		{preview, order, `"commission":true`, `"commission":`},
	} {
		send := func(scope httpapi.Scope, more string) answer {
			method, path, _ := strings.Cut(c.op, " ")
			return w.send(request(method, "/api/v1/"+path, `{`+c.body+more+`}`, "Authorization: Bearer "+scoped[scope]))
		}
		without := send(httpapi.ScopeIntegration, "")
		got := []any{send(httpapi.ScopeIntegration, ","+c.field).refusal(), without.refusal(), strings.Contains(send(httpapi.ScopeFull, ","+c.field).body, c.answered)}
		if diff := cmp.Diff([]any{tooNarrow, "200", true}, got); diff != "" {
			t.Errorf("%s with %s (-want +got):\n%s", c.op, c.field, diff)
		}
		if c.op != preview && strings.HasPrefix(c.op, "POST") || c.field == `"commission":true` {
			equal(t, false, strings.Contains(without.body, c.answered))
		}
	}
	equal(t, "200", w.send(request("POST", "/api/v1/promotional-codes/validate", `{`+order+`,"commission":false}`, "Authorization: Bearer "+scoped[httpapi.ScopeIntegration])).refusal())
	w.verify()
}

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
