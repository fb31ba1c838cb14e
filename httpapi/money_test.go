package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
)

// What checks of docs/money.md over the wire need, and those that stand alone.

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
		for _, e := range must(k.Events(context.Background(), affiliate.EventFilter{}, affiliate.Page{})).Items {
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
	events := must(k.Events(k.t.Context(), affiliate.EventFilter{}, affiliate.Page{})).Items
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

// entries are the amounts of a sale's commissions.
func (k *till) entries(sale string) (amounts []float64) {
	k.t.Helper()
	for _, c := range k.commissions(sale) {
		amounts = append(amounts, c["commissionEarned"].(float64))
	}
	return amounts
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

// wire is an instant as an answer has it.
func wire(t time.Time) string { return affiliate.TimeOf(t).String() }

// TestMoneyLookups are checks 29 to 31: what is not there, scopes, fields.
func TestMoneyLookups(t *testing.T) {
	k := newTill(t, withScopes, func(s *setup) { s.api.APIKeys = []string{testKey} })
	k.sell("S1", "100")
	k.pay("P1", "")
	t.Run("check 29", func(t *testing.T) {
		k.on(t)
		for _, target := range []string{"/payouts?id=none", "/adjustments?id=none", "/payouts?id={S1}", "/payouts/runs?externalId=none", "/sales/explain?id=none"} {
			equal(t, "null", k.do("GET", "/api/v1"+k.named(target), "").body)
		}
		equal(t, 0, len(k.list("/payouts/lines?externalId=none")))
		k.no("400 missing_field: External ID is required [externalId]", "POST", "/payouts/run", `{"minimum":1}`)
		k.no("400 missing_field: External ID is required [externalId]", "POST", "/payouts/run", `{"externalId":" ","limit":0}`)
	})
	t.Run("check 30", func(t *testing.T) {
		k.on(t)
		as := func(scope httpapi.Scope) string { return "Authorization: Bearer " + scoped[scope] }
		for method, target := range map[string]string{"GET": "/payouts", "POST": "/payouts", "PATCH": "/payouts"} {
			k.refuses(tooNarrow, method, "/api/v1"+target, "", as(httpapi.ScopeIntegration))
		}
		k.refuses(tooNarrow, "POST", "/api/v1/adjustments", "", as(httpapi.ScopeIntegration))
		for _, path := range []string{"/payouts/run", "/payouts/preview"} {
			k.refuses(tooNarrow, "POST", "/api/v1"+path, `{"externalId":"may"}`, as(httpapi.ScopeIntegration))
			k.refuses(tooNarrow, "POST", "/api/v1"+path, `{"externalId":"may"}`, as(httpapi.ScopeRead))
		}
		for _, target := range []string{"/balances", "/movements", "/payouts/runs", "/payouts/lines?externalId=may", "/sales/explain?id={S1}", "/statements?affiliateId=" + k.ada + "&from=2026-03-01&to=2026-03-31"} {
			k.refuses(tooNarrow, "GET", "/api/v1"+k.named(target), "", as(httpapi.ScopeIntegration))
			equal(t, "200", k.do("GET", "/api/v1"+k.named(target), "", as(httpapi.ScopeRead)).refusal())
		}
		k.refuses(tooNarrow, "POST", "/api/v1/payouts", "", as(httpapi.ScopeRead))
		equal(t, "200", k.do("GET", "/api/v1/payouts", "", as(httpapi.ScopeRead)).refusal())
		k.ok("PATCH", "/api/v1/sales", k.named(`{"saleId":{S1},"amount":1,"clawback":true}`), as(httpapi.ScopeIntegration))
	})
	t.Run("check 31", func(t *testing.T) {
		k.on(t)
		patch := func(want, members string) {
			t.Helper()
			k.no(want, "PATCH", "/payouts", `{`+members+`}`)
		}
		k.no("400 invalid_field: clawback must be a boolean [clawback]", "PATCH", "/sales", `{"saleId":{S1},"clawback":"yes"}`)
		patch("400 unknown_field: Unknown field: foo [foo]", `"payoutId":"{P1}","status":"PAID","foo":1`)
		patch("400 invalid_field: failedReason is only for the status FAILED [failedReason]", `"payoutId":"{P1}","status":"PAID","failedReason":"x"`)
		patch("400 missing_field: Payout ID is required [payoutId]", `"foo":1`)
		patch("400 missing_field: Payout ID is required [payoutId]", `"payoutId":"","status":"PAID"`)
		patch("400 missing_field: Status is required [status]", `"payoutId":"{P1}","failedReason":"x"`)
		patch("400 missing_field: Status is required [status]", `"payoutId":"{P1}","status":""`)
		patch("400 invalid_field: status must not be null [status]", `"payoutId":"{P1}","status":null`)
		patch("400 invalid_field: status must be one of PENDING, PROCESSING, PAID, FAILED, CANCELED, RETURNED [status]", `"payoutId":"{P1}","status":"paid","failedReason":"x"`)
		patch("400 invalid_field: failedReason must not be empty [failedReason]", `"payoutId":"{P1}","status":"FAILED","failedReason":" "`)
		patch("400 invalid_field: returnedReason is only for the status RETURNED [returnedReason]", `"payoutId":"{P1}","status":"FAILED","failedReason":"x","returnedReason":"x"`)
		patch("400 invalid_field: returnedReason must not be empty [returnedReason]", `"payoutId":"{P1}","status":"RETURNED","returnedReason":" "`)
		patch("400 invalid_field: returnedReason must not be null [returnedReason]", `"payoutId":"{P1}","status":"RETURNED","returnedReason":null`)
		patch("400 invalid_field: failedReason must not be null [failedReason]", `"payoutId":"{P1}","status":"FAILED","failedReason":null`)
		patch("400 invalid_field: failedReason must be a string [failedReason]", `"payoutId":"{P1}","status":"PAID","failedReason":1`)
		patch("400 invalid_field: failedReason is too long [failedReason]", `"payoutId":"{P1}","status":"FAILED","failedReason":"`+strings.Repeat("x", 10_001)+`"`)
		patch("404 payout_not_found: Payout not found", `"payoutId":"nothing","status":"PAID"`)
	})
	k.on(t).verify()
}

// TestMoneyQueries: filters are combined, and what a GET does not know is
// refused.
func TestMoneyQueries(t *testing.T) {
	k := newTill(t)
	k.sell("S1", "100")
	k.ids["P1"] = k.id("POST", "/payouts", `{"affiliateId":"`+k.ada+`","until":"2026-03-11"}`)
	k.ids["B1"] = k.id("POST", "/adjustments", `{"affiliateId":"`+k.bo+`","kind":"BONUS","amount":1.005,"reason":"r"}`)
	k.ids["B2"] = k.id("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"CHARGEBACK_FEE","amount":-1,"reason":"r","saleId":"{S1}"}`)
	for query, want := range map[string]string{
		"/payouts": "P1", "/payouts?affiliateId=" + k.ada: "P1", "/payouts?affiliateId=" + k.bo: "", "/payouts?affiliateId=x": "",
		"/payouts?affiliateEmail=ADA@example.org&status=PENDING": "P1", "/payouts?affiliateEmail=ada@example.org&status=PAID": "",
		"/payouts?affiliateEmail=bo@example.org&affiliateId=" + k.ada: "",
		"/adjustments": "B2 B1", "/adjustments?kind=BONUS": "B1", "/adjustments?saleId={S1}": "B2", "/adjustments?saleId=x": "", "/adjustments?saleId=0": "",
		"/adjustments?kind=BONUS&saleId={S1}": "", "/adjustments?payoutId={P1}": "", "/adjustments?payoutId=x": "",
		"/adjustments?affiliateEmail=nobody@example.org": "",
	} {
		var got []string
		for _, item := range k.list(query) {
			for name, id := range k.ids {
				if id == text(item["id"]) {
					got = append(got, name)
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	k.no("400 invalid_query: status must be one of PENDING, PROCESSING, PAID, FAILED, CANCELED, RETURNED [status]", "GET", "/payouts?status=paid", "")
	k.no("400 invalid_query: kind must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE, MOVE [kind]", "GET", "/adjustments?kind=x", "")
	k.no("400 invalid_query: Unknown query parameter: kind [kind]", "GET", "/payouts?kind=BONUS", "")
	k.no("400 invalid_query: Unknown query parameter: x [x]", "GET", "/payouts?id={P1}&x", "")

	k.no("400 missing_field: Affiliate ID or email is required [affiliateId]", "POST", "/payouts", `{"until":"x"}`)
	k.no("400 invalid_field: until must be an ISO 8601 date [until]", "POST", "/payouts", `{"affiliateId":"`+k.ada+`","until":"x"}`)
	k.no("400 invalid_field: minimum must be at least 0 [minimum]", "POST", "/payouts", `{"affiliateId":"`+k.ada+`","minimum":-1}`)
	k.no("400 identifiers_mismatch: The identifiers do not name the same record", "POST", "/payouts", `{"affiliateId":"`+k.ada+`","affiliateEmail":"bo@example.org"}`)
	k.no("404 affiliate_not_found: Affiliate not found", "POST", "/payouts", `{"affiliateId":"`+k.ids["P1"]+`"}`)
	for _, early := range []string{"2026-03-10", "0001-01-01T00:00:00Z"} {
		k.no("400 nothing_payable: Nothing is payable to this affiliate", "POST", "/payouts", `{"affiliateId":"`+k.bo+`","until":"`+early+`"}`)
	}
	k.has(k.ask("POST", "/payouts", `{"affiliateId":"`+k.bo+`","affiliateEmail":"bo@example.org","until":"2026-03-11","unknown":1}`), object{"amount": 1.01})
	k.verify()
}

// TestMoneyPages is the part of check 49 about lists that exist: without a limit
// a page has 100 records and a Link.
func TestMoneyPages(t *testing.T) {
	k := newTill(t)
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.bo+`","kind":"BONUS","amount":1,"reason":"r"}`)
		k.id("POST", "/payouts", `{"affiliateId":"`+k.bo+`"}`)
	}
	for _, target := range []string{"payouts", "adjustments", "payouts?affiliateId=" + k.bo + "&status=PENDING"} {
		first := k.do("GET", "/api/v1/"+target, "")
		if n := strings.Count(first.body, `"id"`); n != 100 || !strings.Contains(first.header.Get("Link"), "limit=100&cursor=") {
			t.Errorf("%s: %d records, Link %q", target, n, first.header.Get("Link"))
		}
		all := k.pages(target, "100")
		if n := strings.Count(all, `"id"`); n != 101 || all != k.pages(target, "7") {
			t.Errorf("%s: %d records in pages", target, n)
		}
	}
}

// TestMoneyOnce is check 55: a write with a key is carried out once.
func TestMoneyOnce(t *testing.T) {
	k := newTill(t)
	k.sell("S1", "100")
	twice := func(method, path, body string) {
		t.Helper()
		key := idem + method + path
		first := k.do(method, path, body, key)
		before := k.dump()
		again := k.do(method, path, body, key)
		if first.status != 200 || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s %s: %s, then %s %v", method, path, first.body, again.body, again.header)
		}
		equal(t, before, k.dump())
	}
	twice("POST", "/api/v1/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":25,"reason":"spring"}`)
	equal(t, 1, len(k.list("/adjustments")))
	twice("POST", "/api/v1/payouts", `{"affiliateId":"`+k.ada+`"}`)
	k.ids["P1"] = text(k.list("/payouts")[0]["id"])
	twice("PATCH", "/api/v1/payouts", k.named(`{"payoutId":"{P1}","status":"PAID"}`))
	k.verify()
}

// TestMoneyByHand is check 53: a payout that was made as paid.
func TestMoneyByHand(t *testing.T) {
	k := newTill(t)
	k.sell("S1", "100")
	k.has(k.pay("P1", `,"manuallyPaid":true`), object{"status": "PAID", "manuallyPaid": true, "paidAt": wire(k.now)})
	k.no("400 manually_paid: Sale has been marked as manually paid", "PATCH", "/sales", `{"saleId":{S1},"amount":60}`)
	made := k.list("/movements?payoutId={P1}")
	equal(t, []any{"PAYOUT_PAID", "PAYOUT_CREATED"}, []any{made[0]["cause"], made[1]["cause"]})
	for _, m := range made {
		k.has(m, object{"amount": 20.0, "at": wire(k.now)})
	}
	k.pass(time.Hour)
	k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":60,"clawback":true}`)
	equal(t, []float64{20, -12}, k.entries("S1"))
	equal(t, 2, len(k.list("/movements?payoutId={P1}")))
	k.verify()
}
