package httpapi_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// newGoods is a world with an affiliate ada, and her code ADA20 for 20 % of the product a.
func newGoods(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org","affiliateLink":"ada"}`)["id"].(string)
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "20", PercentOff: affiliate.Set(affiliate.MustPercent("20")), LimitToProducts: true, ProductIDs: []string{"a"},
	})).ID.String()
	w.ok("POST", "/api/v1/promotional-codes", `{"couponId":"`+coupon+`","code":"ADA20","affiliateId":"`+ada+`"}`)
	return w
}

// Lines that are none are refused by name, and nothing is changed.
func TestLinesRefused(t *testing.T) {
	w := newGoods(t)
	w.ok("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":100,"lines":[{"id":"1","amount":60},{"id":"2","amount":40}]}`)
	for _, row := range []struct{ lines, want string }{
		{`5`, "lines must be an array of objects [lines]"},
		{`{}`, "lines must be an array of objects [lines]"},
		{`"[]"`, "lines must be an array of objects [lines]"},
		{`[null]`, "lines must be an array of objects [lines]"},
		{`[{"amount":1},[]]`, "lines must be an array of objects [lines]"},
		{`[{}]`, "lines[0].amount is required [lines[0].amount]"},
		{`[{"amount":null}]`, "lines[0].amount is required [lines[0].amount]"},
		{`[{"amount":1},{"amount":"1"}]`, "lines[1].amount must be a number [lines[1].amount]"},
		{`[{"amount":{"a":[[[[[[[[1]]]]]]]]}}]`, "lines[0].amount must be a number [lines[0].amount]"},
		{`[{"amount":0.00001}]`, "lines[0].amount must have at most 4 decimal places [lines[0].amount]"},
		{`[{"amount":1e99}]`, "lines[0].amount is too large [lines[0].amount]"},
		{`[{"amount":-1}]`, "lines[0].amount must be at least 0 [lines[0].amount]"},
		{`[{"amount":1,"quantity":"2"}]`, "lines[0].quantity must be a number [lines[0].quantity]"},
		{`[{"amount":1,"id":7}]`, "lines[0].id must be a string [lines[0].id]"},
		{`[{"amount":1,"name":5}]`, "lines[0].name must be a string [lines[0].name]"},
		{`[{"amount":1,"categories":"food"}]`, "lines[0].categories must be an array of strings [lines[0].categories]"},
		{`[{"amount":1,"categories":[null]}]`, "lines[0].categories must be an array of strings [lines[0].categories]"},
		// The first of several errors is answered, whoever finds it.
		{`[{"amount":-1},{"amount":"1"}]`, "lines[0].amount must be at least 0 [lines[0].amount]"},
		{`[{"amount":1,"quantity":0},{"amount":"1"}]`, "lines[0].quantity must be greater than zero [lines[0].quantity]"},
		{`[{"quantity":0,"amount":"1"}]`, "lines[0].quantity must be greater than zero [lines[0].quantity]"},
		{`[{"quantity":"0","amount":-1}]`, "lines[0].quantity must be a number [lines[0].quantity]"},
		{`[{"amount":"1"},{"amount":-1}]`, "lines[0].amount must be a number [lines[0].amount]"},
		{`[{"id":"x","amount":1},{"id":"x","amount":"1"}]`, "lines[1].amount must be a number [lines[1].amount]"},
	} {
		want := "400 invalid_field: " + row.want
		w.refuses(want, "POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":1,"subtotal":1,"lines":`+row.lines+`}`)
		w.refuses(want, "POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ada20","subtotal":1,"lines":`+row.lines+`}`)
	}
	for _, row := range []struct{ body, want string }{
		{`"totalEarned":"1","lines":[{"amount":"1"}]`, "totalEarned must be a number [totalEarned]"},
		{`"totalEarned":2,"tax":"1","lines":[{"amount":-1}]`, "lines[0].amount must be at least 0 [lines[0].amount]"},
		{`"totalEarned":2,"shipping":"1","lines":[{"amount":1}]`, "shipping must be a number [shipping]"},
	} {
		w.refuses("400 invalid_field: "+row.want, "POST", "/api/v1/sales", `{"promoCode":"ada20",`+row.body+`}`)
	}
	deep := `{"promoCode":"ada20","totalEarned":1,"lines":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`
	w.refuses("400 invalid_json: JSON is nested too deeply", "POST", "/api/v1/sales", deep)
	w.refuses("400 duplicate_field: Duplicate field: lines.amount [lines.amount]", "POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":1,"lines":[{"amount":1,"amount":2}]}`)

	for _, row := range []struct{ body, want string }{
		{`"lines":null`, "lines must not be null [lines]"},
		{`"lines":[5]`, "lines must be an array of objects [lines]"},
		{`"lines":[{"id":"1"}]`, "lines[0].amount is required [lines[0].amount]"},
		{`"lines":[{"amount":10}]`, "lines[0].id is required [lines[0].id]"},
		{`"lines":[{"amount":"10"}]`, "lines[0].id is required [lines[0].id]"},
		{`"lines":[{"id":"1","amount":"10"}]`, "lines[0].amount must be a number [lines[0].amount]"},
		{`"lines":[{"id":"1","amount":0},{"id":1}]`, "lines[0].amount must be greater than zero [lines[0].amount]"},
		{`"lines":[{"id":"1","amount":11},{"id":"2","amount":"1"}]`, "lines[1].amount must be a number [lines[1].amount]"},
	} {
		w.refuses("400 invalid_field: "+row.want, "PATCH", "/api/v1/sales", `{"saleId":1,"amount":10,`+row.body+`}`)
	}
	w.refuses("400 unknown_field: Unknown field: lines[0].tax [lines[0].tax]", "PATCH", "/api/v1/sales", `{"saleId":1,"amount":10,"lines":[{"id":"1","amount":10,"tax":1}]}`)
	w.refuses("400 invalid_field: amount is required [amount]", "PATCH", "/api/v1/sales", `{"saleId":1,"lines":[{"id":"1","amount":10}]}`)
	w.refuses("400 refund_exceeds_sale: Refunded lines[0].amount exceeds what the sale has left of it [lines[0].amount]", "PATCH", "/api/v1/sales", `{"saleId":1,"amount":61,"lines":[{"id":"1","amount":61}]}`)
}

// A name that is none refuses no payment. The header says so once.
func TestLineNames(t *testing.T) {
	w := newGoods(t)
	lines := strings.TrimSuffix(strings.Repeat(`{"amount":1,"name":"\n"},`, 400), ",")
	a := w.do("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":1,"lines":[{"amount":1,"name":"Beans"},`+lines+`]}`)
	equal(t, "200 lines[1].name", strconv.Itoa(a.status)+" "+a.header.Get("Sale-Ignored"))
}

// Rules that are none, and those that can never hold, are refused by name.
func TestRulesRefused(t *testing.T) {
	w := newGoods(t)
	const plans = "/api/v1/commission-plans"
	plan := w.ok("POST", plans, `{"name":"Gold","commissionRate":30}`)["id"].(string)
	const pay = `"pay":{"commissionType":"FLAT","commissionRate":1}`
	for _, row := range []struct{ rules, want string }{
		{`{}`, "rules must be an array of objects [rules]"},
		{`[null]`, "rules must be an array of objects [rules]"},
		{`[{"name":5,` + pay + `}]`, "rules[0].name must be a string [rules[0].name]"},
		{`[{"name":"` + strings.Repeat("x", 101) + `",` + pay + `}]`, "rules[0].name is too long [rules[0].name]"},
		{`[{"name":"r","firm":"yes",` + pay + `}]`, "rules[0].firm must be a boolean [rules[0].firm]"},
		{`[{"name":"r"}]`, "rules[0].pay.commissionType must be one of PERCENTAGE, FLAT, UNIT, NONE [rules[0].pay.commissionType]"},
		{`[{"name":"r","pay":5}]`, "rules[0].pay must be an object [rules[0].pay]"},
		{`[{"name":"r","pay":{"commissionType":"BONUS","commissionRate":1}}]`, "rules[0].pay.commissionType must be one of PERCENTAGE, FLAT, UNIT, NONE [rules[0].pay.commissionType]"},
		{`[{"name":"r","pay":{"commissionType":"FLAT"}}]`, "rules[0].pay.commissionRate is required [rules[0].pay.commissionRate]"},
		{`[{"name":"r","pay":{"commissionType":"FLAT","commissionRate":"1"}}]`, "rules[0].pay.commissionRate must be a number [rules[0].pay.commissionRate]"},
		{`[{"name":"r","when":[],` + pay + `}]`, "rules[0].when must be an object [rules[0].when]"},
		{`[{"name":"r","when":{"products":"a"},` + pay + `}]`, "rules[0].when.products must be an array of strings [rules[0].when.products]"},
		{`[{"name":"r","when":{"monthFrom":1.5},` + pay + `}]`, "rules[0].when.monthFrom must be an integer [rules[0].when.monthFrom]"},
		{`[{"name":"r","when":{"monthFrom":9223372036854775808},` + pay + `}]`, "rules[0].when.monthFrom is too large [rules[0].when.monthFrom]"},
		{`[{"name":"{r}",` + pay + `},{"name":"q","when":{"products":["a"]},` + pay + `}]`, "Rule q can never hold, because rule {r} decides before it [rules[1]]"},
		// What depends on all rules comes after the faults of each.
		{`[{"name":"r",` + pay + `},{"name":"q","pay":{"commissionType":"FLAT","commissionRate":"1"}}]`, "rules[1].pay.commissionRate must be a number [rules[1].pay.commissionRate]"},
		{`[{"name":"r",` + pay + `},{"name":"q","pay":7}]`, "rules[1].pay must be an object [rules[1].pay]"},
	} {
		want := "400 invalid_field: " + row.want
		w.refuses(want, "POST", plans, `{"name":"p","commissionRate":1,"rules":`+row.rules+`}`)
		w.refuses(want, "PUT", plans, `{"commissionPlanId":"`+plan+`","rules":`+row.rules+`}`)
	}
	w.refuses("400 invalid_field: rules[0].name is too long [rules[0].name]", "POST", plans,
		`{"name":"p","commissionRate":1,"rules":[{"name":"`+strings.Repeat("x", 101)+`",`+pay+`},{"name":5}]}`)
	for _, body := range []string{
		`[{"name":"r","x":1,` + pay + `}]:rules[0].x`, `[{"name":"r","when":{"product":["a"]},` + pay + `}]:rules[0].when.product`,
		`[{"name":"r","pay":{"commissionType":"NONE","rate":1}}]:rules[0].pay.rate`,
	} {
		at := strings.LastIndex(body, ":")
		w.refuses("400 unknown_field: Unknown field: "+body[at+1:]+" ["+body[at+1:]+"]", "POST", plans, `{"name":"p","commissionRate":1,"rules":`+body[:at]+`}`)
	}
	w.refuses("400 invalid_field: monthsFrom must be one of PAYMENT, REFERRAL [monthsFrom]", "POST", plans, `{"name":"p","commissionRate":1,"monthsFrom":"X"}`)
	w.refuses("400 invalid_field: monthsFrom must not be null [monthsFrom]", "PUT", plans, `{"commissionPlanId":"`+plan+`","monthsFrom":null}`)
}
