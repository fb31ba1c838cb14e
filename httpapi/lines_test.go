package httpapi_test

import (
	"encoding/json"
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

// jsonOf returns a value as JSON, with sorted names.
func jsonOf(v any) string { return string(must(json.Marshal(v))) }

// The lines of a preview are those of its sale, to the last digit; what a line does not
// know is ignored. A refund names lines, and the explanation says what is left of them.
func TestLines(t *testing.T) {
	w := newGoods(t)
	const lines = `"lines":[
		{"id":"1","productId":"a","planId":"y","name":"Beans","categories":["food","gifts"],"quantity":2,"amount":100.0001,"discount":1e1,"color":"red"},
		{"id":"2","productId":"b","amount":50.0,"quantity":null,"discount":null,"categories":null}]`
	const answered = `[{"amount":100.0001,"categories":["food","gifts"],"codeDiscount":18,"discount":10,"id":"1","name":"Beans","planId":"y","productId":"a","quantity":2,"refundedAmount":0,"rule":null},` +
		`{"amount":50,"categories":[],"codeDiscount":0,"discount":0,"id":"2","name":null,"planId":null,"productId":"b","quantity":1,"refundedAmount":0,"rule":null}]`
	seen := w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ada20",`+lines+`}`)
	equal(t, `[true,[],18,122.0001]`, jsonOf([]any{seen["valid"], seen["unverified"], seen["discount"], seen["total"]}))
	equal(t, answered, jsonOf(seen["lines"]))

	sale := w.ok("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":122.0001,`+lines+`}`)
	equal(t, `[150.0001,24.4]`, jsonOf([]any{sale["subtotal"], sale["commissionEarned"]}))
	equal(t, answered, jsonOf(sale["lines"]))
	equal(t, answered, jsonOf(w.ok("GET", "/api/v1/sales?id=1", "")["lines"]))

	w.ok("PATCH", "/api/v1/sales", `{"saleId":1,"amount":50,"lines":[{"id":"2","amount":50}]}`)
	equal(t, `14.4`, jsonOf(w.ok("GET", "/api/v1/sales?id=1", "")["commissionEarned"]))
	w.verify()

	without := w.ok("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":10,"lines":[]}`)
	null := w.ok("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":10,"lines":null}`)
	for _, sale := range []map[string]any{without, null} {
		if _, there := sale["lines"]; there {
			t.Error("a sale without lines answers some")
		}
	}
}

// Lines that are none are refused by name, and nothing is changed.
func TestLinesRefused(t *testing.T) {
	w := newGoods(t)
	w.ok("POST", "/api/v1/sales", `{"promoCode":"ada20","totalEarned":100,"lines":[{"id":"1","amount":60},{"id":"2","amount":40}]}`)
	many := "[" + strings.Repeat(`{"amount":1},`, 500) + `{"amount":1}]`

	seventeen := make([]string, 17)
	for i := range seventeen {
		seventeen[i] = strconv.Itoa(i)
	}
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
		{`[{"amount":100000000001}]`, "lines[0].amount is too large [lines[0].amount]"},
		{`[{"amount":-1}]`, "lines[0].amount must be at least 0 [lines[0].amount]"},
		{`[{"amount":1,"discount":2}]`, "lines[0].discount is too large [lines[0].discount]"},
		{`[{"amount":1,"discount":-2}]`, "lines[0].discount must be at least 0 [lines[0].discount]"},
		{`[{"amount":1,"quantity":0}]`, "lines[0].quantity must be greater than zero [lines[0].quantity]"},
		{`[{"amount":1,"quantity":"2"}]`, "lines[0].quantity must be a number [lines[0].quantity]"},
		{`[{"amount":1,"id":""}]`, "lines[0].id must not be empty [lines[0].id]"},
		{`[{"amount":1,"id":7}]`, "lines[0].id must be a string [lines[0].id]"},
		{`[{"amount":1,"productId":"` + strings.Repeat("x", 256) + `"}]`, "lines[0].productId is too long [lines[0].productId]"},
		{`[{"amount":1,"planId":"a\u0000"}]`, "lines[0].planId contains invalid characters [lines[0].planId]"},
		{`[{"amount":1,"name":5}]`, "lines[0].name must be a string [lines[0].name]"},
		{`[{"amount":1,"categories":"food"}]`, "lines[0].categories must be an array of strings [lines[0].categories]"},
		{`[{"amount":1,"categories":[null]}]`, "lines[0].categories must be an array of strings [lines[0].categories]"},
		{`[{"amount":1,"categories":["a",""]}]`, "lines[0].categories must not be empty [lines[0].categories]"},
		{`[{"amount":1,"categories":["a","a"]}]`, "lines[0].categories must have distinct entries [lines[0].categories]"},
		{`[{"amount":1,"categories":` + jsonOf(seventeen) + `}]`, "lines[0].categories must have at most 16 entries [lines[0].categories]"},
		{`[{"id":"x","amount":1},{"id":"x","amount":1}]`, "lines must have distinct entries [lines]"},
		{many, "lines must have at most 500 entries [lines]"},
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
		{`"totalEarned":1,"product":{"productId":"a"},"lines":[{"amount":1}]`, "product must not be sent [product]"},
		{`"totalEarned":1,"subtotal":2,"lines":[{"amount":1}]`, "subtotal must be the sum of what it is made of [subtotal]"},
		{`"totalEarned":"1","lines":[{"amount":"1"}]`, "totalEarned must be a number [totalEarned]"},
		{`"totalEarned":2,"tax":"1","lines":[{"amount":-1}]`, "lines[0].amount must be at least 0 [lines[0].amount]"},
		{`"totalEarned":2,"shipping":"1","lines":[{"amount":1}]`, "shipping must be a number [shipping]"},
		{`"totalEarned":2,"lines":[{"amount":1}]`, "Subtotal must not be less than the total amount earned without tax and shipping [subtotal]"},
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
		{`"lines":[{"id":"1","amount":5},{"id":"1","amount":5}]`, "lines must have distinct entries [lines]"},
		{`"lines":[{"id":"1","amount":11}]`, "The refunded lines must add up to the refund amount without its tax and shipping [lines]"},
		{`"lines":[{"id":"1","amount":11},{"id":"2","amount":"1"}]`, "lines[1].amount must be a number [lines[1].amount]"},
		{`"lines":[{"id":"3","amount":10}]`, "lines[0].id must be the id of a line of the sale [lines[0].id]"},
		{`"lines":` + many, "lines must have at most 500 entries [lines]"},
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

// Rules of a plan, from the wire to the commission of a sale.
func TestRules(t *testing.T) {
	w := newGoods(t)
	const plans = "/api/v1/commission-plans"
	const rules = `[{"name":"gift cards","when":{"categories":["gift-card"]},"pay":{"commissionType":"NONE"}},` +
		`{"name":"new","firm":true,"when":{"customer":"NEW","products":["a","b"],"monthTo":12,"notPlans":[],"paymentTriggers":["PURCHASE"],"plans":null},"pay":{"commissionType":"UNIT","commissionRate":2.5}}]`
	const answered = `[{"name":"gift cards","pay":{"commissionRate":0,"commissionType":"NONE"},"when":{"categories":["gift-card"]}},` +
		`{"firm":true,"name":"new","pay":{"commissionRate":2.5,"commissionType":"UNIT"},"when":{"customer":"NEW","monthTo":12,"paymentTriggers":["PURCHASE"],"products":["a","b"]}}]`
	plan := w.ok("POST", plans, `{"name":"Gold","commissionRate":30,"rules":`+rules+`,"monthsFrom":"REFERRAL"}`)
	equal(t, answered, jsonOf(plan["rules"]))
	equal[any](t, "REFERRAL", plan["monthsFrom"])
	id := plan["id"].(string)
	change := func(body string) map[string]any {
		return w.ok("PUT", plans, `{"commissionPlanId":"`+id+`",`+body+`}`)
	}
	equal(t, answered, jsonOf(change(`"name":"Gold+"`)["rules"]))

	ada := w.ok("GET", "/api/v1/affiliates?id=ada", "")["id"].(string)
	w.ok("POST", "/api/v1/affiliates/plan", `{"affiliateIds":["`+ada+`"],"commissionPlanId":"`+id+`"}`)
	sale := w.ok("POST", "/api/v1/sales", `{"referralId":"ada","email":"kim@example.net","name":"Kim","totalEarned":100,"lines":[
		{"id":"1","productId":"a","quantity":4,"amount":40},{"id":"2","productId":"c","amount":10},{"id":"3","productId":"a","categories":["gift-card"],"amount":50}]}`)
	equal[any](t, 13.0, sale["commissionEarned"]) // 4 pieces at 2.5, and 30 % of 10
	why := w.ok("GET", "/api/v1/sales/explain?id=1", "")
	equal(t, `[{"base":40,"commissionRate":2.5,"commissionType":"UNIT","exact":"10","id":"1","kept":"40","rule":"new"},`+
		`{"base":10,"commissionRate":30,"commissionType":"PERCENTAGE","exact":"3","id":"2","kept":"10","rule":null},`+
		`{"base":50,"commissionRate":null,"commissionType":"NONE","exact":"0","id":"3","kept":"50","rule":"gift cards"}]`, jsonOf(why["lines"]))
	equal[any](t, 1.0, why["terms"].(map[string]any)["month"])

	equal[any](t, nil, change(`"rules":[]`)["rules"])
	equal(t, answered, jsonOf(change(`"rules":` + rules)["rules"]))
	cleared := change(`"rules":null,"monthsFrom":"PAYMENT"`)
	for _, key := range []string{"rules", "monthsFrom"} {
		if v, there := cleared[key]; there {
			t.Errorf("%s is %v", key, v)
		}
	}
}

// Caps of a plan, from the wire to the commission of a sale.
func TestCaps(t *testing.T) {
	w := newGoods(t)
	const plans = "/api/v1/commission-plans"
	plan := w.ok("POST", plans, `{"name":"Gold","commissionRate":50,"maxPerSale":30.5,"maxPerCustomer":40}`)
	equal(t, `[30.5,40]`, jsonOf([]any{plan["maxPerSale"], plan["maxPerCustomer"]}))
	id := plan["id"].(string)
	ada := w.ok("GET", "/api/v1/affiliates?id=ada", "")["id"].(string)
	w.ok("POST", "/api/v1/affiliates/plan", `{"affiliateIds":["`+ada+`"],"commissionPlanId":"`+id+`"}`)
	for _, want := range []float64{30.5, 9.5, 0} {
		sale := w.ok("POST", "/api/v1/sales", `{"referralId":"ada","email":"kim@example.net","name":"Kim","totalEarned":100}`)
		equal[any](t, want, sale["commissionEarned"])
	}
	why := w.ok("GET", "/api/v1/sales/explain?id=2", "")["arithmetic"].(map[string]any)
	equal(t, `{"byHand":null,"cap":9.5,"exact":"50","rounded":9.5}`, jsonOf(why))
	cleared := w.ok("PUT", plans, `{"commissionPlanId":"`+id+`","maxPerSale":null,"maxPerCustomer":0}`)
	for _, key := range []string{"maxPerSale", "maxPerCustomer"} {
		if v, there := cleared[key]; there {
			t.Errorf("%s is %v", key, v)
		}
	}
	w.refuses("400 invalid_field: maxPerSale must be at least 0 [maxPerSale]", "PUT", plans, `{"commissionPlanId":"`+id+`","maxPerSale":-1}`)
	w.refuses("400 invalid_field: maxPerCustomer must be a number [maxPerCustomer]", "POST", plans, `{"name":"p","commissionRate":1,"maxPerCustomer":"40"}`)
}

// Rules that are none, and those that can never hold, are refused by name.
func TestRulesRefused(t *testing.T) {
	w := newGoods(t)
	const plans = "/api/v1/commission-plans"
	plan := w.ok("POST", plans, `{"name":"Gold","commissionRate":30}`)["id"].(string)
	const pay = `"pay":{"commissionType":"FLAT","commissionRate":1}`
	many := "[" + strings.Repeat(`{"name":"r",`+pay+`},`, 64) + `{"name":"r",` + pay + `}]`
	for _, row := range []struct{ rules, want string }{
		{`{}`, "rules must be an array of objects [rules]"},
		{`[null]`, "rules must be an array of objects [rules]"},
		{many, "rules must have at most 64 entries [rules]"},
		{`[{` + pay + `}]`, "rules[0].name is required [rules[0].name]"},
		{`[{"name":5,` + pay + `}]`, "rules[0].name must be a string [rules[0].name]"},
		{`[{"name":"` + strings.Repeat("x", 101) + `",` + pay + `}]`, "rules[0].name is too long [rules[0].name]"},
		{`[{"name":"r","firm":"yes",` + pay + `}]`, "rules[0].firm must be a boolean [rules[0].firm]"},
		{`[{"name":"r"}]`, "rules[0].pay.commissionType must be one of PERCENTAGE, FLAT, UNIT, NONE [rules[0].pay.commissionType]"},
		{`[{"name":"r","pay":5}]`, "rules[0].pay must be an object [rules[0].pay]"},
		{`[{"name":"r","pay":{"commissionType":"BONUS","commissionRate":1}}]`, "rules[0].pay.commissionType must be one of PERCENTAGE, FLAT, UNIT, NONE [rules[0].pay.commissionType]"},
		{`[{"name":"r","pay":{"commissionType":"FLAT"}}]`, "rules[0].pay.commissionRate is required [rules[0].pay.commissionRate]"},
		{`[{"name":"r","pay":{"commissionType":"FLAT","commissionRate":"1"}}]`, "rules[0].pay.commissionRate must be a number [rules[0].pay.commissionRate]"},
		{`[{"name":"r","pay":{"commissionType":"FLAT","commissionRate":-1}}]`, "Commission rate must not be negative [rules[0].pay.commissionRate]"},
		{`[{"name":"r","pay":{"commissionType":"PERCENTAGE","commissionRate":101}}]`, "Commission rate must be between 0 and 100 [rules[0].pay.commissionRate]"},
		{`[{"name":"r","pay":{"commissionType":"NONE","commissionRate":1}}]`, "rules[0].pay.commissionRate must not be sent [rules[0].pay.commissionRate]"},
		{`[{"name":"r","when":[],` + pay + `}]`, "rules[0].when must be an object [rules[0].when]"},
		{`[{"name":"r","when":{"products":"a"},` + pay + `}]`, "rules[0].when.products must be an array of strings [rules[0].when.products]"},
		{`[{"name":"r","when":{"products":["a","a"]},` + pay + `}]`, "rules[0].when.products must have distinct entries [rules[0].when.products]"},
		{`[{"name":"r","when":{"paymentFrom":0},` + pay + `}]`, "rules[0].when.paymentFrom must be at least 1 [rules[0].when.paymentFrom]"},
		{`[{"name":"r","when":{"monthFrom":1.5},` + pay + `}]`, "rules[0].when.monthFrom must be an integer [rules[0].when.monthFrom]"},
		{`[{"name":"r","when":{"monthFrom":9223372036854775808},` + pay + `}]`, "rules[0].when.monthFrom is too large [rules[0].when.monthFrom]"},
		{`[{"name":"r","when":{"paymentFrom":3,"paymentTo":2},` + pay + `}]`, "rules[0].when.paymentTo must be after from [rules[0].when.paymentTo]"},
		{`[{"name":"r","when":{"customer":"OLD"},` + pay + `}]`, "rules[0].when.customer must be one of NEW, RETURNING [rules[0].when.customer]"},
		{`[{"name":"r","when":{"paymentTriggers":["X"]},` + pay + `}]`, "rules[0].when.paymentTriggers must be one of SIGNUP, PURCHASE, BONUS, CONTENT_REWARD [rules[0].when.paymentTriggers]"},
		{`[{"name":"r",` + pay + `},{"name":"r","when":{"products":["a"]},` + pay + `}]`, "rules must have distinct entries [rules]"},
		{`[{"name":"r","when":{"customer":"NEW","paymentFrom":2},` + pay + `}]`, "The conditions of a rule contradict each other, so that it can never hold [rules[0]]"},
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
