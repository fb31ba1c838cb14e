package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	notJSON     = "400 invalid_json: Invalid JSON body"
	tooLarge    = "413 body_too_large: Request body too large"
	wrongType   = "415 unsupported_media_type: Content-Type must be application/json"
	needsBody   = "400 body_required: Request body is required"
	needsName   = "400 missing_field: Name is required [name]"
	fullBody    = `{"name":"a","percentOff":10}`
	mebibyte    = 1 << 20
	couponsPath = "/api/v1/coupons"
)

// padded is a coupon in a body of the given size in bytes.
func padded(size int) string { return fullBody + strings.Repeat(" ", size-len(fullBody)) }

// TestMaxBody: the host sets the limit, and the whole body counts.
func TestMaxBody(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.api.MaxBody = 100 })
	w.refuses(tooLarge, "POST", couponsPath, padded(101))
	w.ok("POST", couponsPath, padded(100))
}

// TestUnknownFields: they are ignored on POST and DELETE and on two PUTs, and
// refused on the rest (contract 1.3).
func TestUnknownFields(t *testing.T) {
	w := newWorld(t)
	strict := []string{
		"PUT /api/v1/coupons", "PUT /api/v1/promotional-codes", "PUT /api/v1/referrals",
		"PUT /api/v1/sales", "PATCH /api/v1/sales", "POST /api/v1/sales/review", "PATCH /api/v1/payouts", "PUT /api/v1/webhooks",
	}
	added := []string{"/api/v1/program", "/api/v1/commission-plans", "/api/v1/terms", "/api/v1/bonuses", "/api/v1/commission-tiers", "/api/v1/affiliates/", "/api/v1/referrals/", "/api/v1/clicks", "/api/v1/promotional-codes/generate", "/api/v1/promotional-codes/compare", "/api/v1/sales/re", "/api/v1/sales/accept", "/api/v1/partner/token", "/api/v1/payments/decide", "/api/v1/prune", "/api/v1/holds", "/api/v1/cases", "/api/v1/links/release", "/api/v1/proposals"} // console 9, check 5
	for _, op := range w.fill().operations() {
		if op.method == "GET" {
			continue
		}
		body := strings.TrimSuffix(op.body, "}") + `,"unheard-of":{"a":1}}`
		isAdded := slices.ContainsFunc(added, func(path string) bool { return strings.HasPrefix(op.target, path) })
		if isAdded || slices.Contains(strict, op.String()) {
			w.refuses("400 unknown_field: Unknown field: unheard-of [unheard-of]", op.method, op.target, body)
			continue
		}
		w.ok(op.method, op.target, body)
	}
}

// TestMisspeltFields: what is nearly the name of a field that is not sent is refused by every
// operation, at every depth; what resembles no field, or one that is sent, is ignored.
func TestMisspeltFields(t *testing.T) {
	w := newWorld(t)
	stock := w.fill()
	sale := func(members string) string { return `{"promoCode":"ADA20","totalEarned":10,` + members + `}` }
	const salesPath = "/api/v1/sales"
	for _, name := range []string{"extrnalId", "externalID", "external_id", "External-Id", "externalIdx", "xternalId", "externlaId", "externalIf", "promocode2"} {
		if name == "promocode2" {
			w.ok("POST", salesPath, sale(`"`+name+`":"x","externalId":"o-0"`)) // promoCode is there
			continue
		}
		w.refuses("400 unknown_field: Unknown field: "+name+" ["+name+"]", "POST", salesPath, sale(`"`+name+`":"o-1"`))
	}
	w.refuses("400 unknown_field: Unknown field: product.productID [product.productID]", "POST", salesPath, sale(`"product":{"productID":"p"}`))
	w.refuses("400 unknown_field: Unknown field: lines[0].product_id [lines[0].product_id]", "POST", salesPath, sale(`"lines":[{"amount":10,"product_id":"p"}]`))
	w.refuses("400 unknown_field: Unknown field: affiliateId [affiliateId]", "POST", "/api/v1/payouts/run", `{"externalId":"r-1","affiliateId":"x"}`)
	for i, members := range []string{`"taxAmount":1`, `"id":5`, `"x":1`, `"tx":1`, `"externalId":"o-5","externalID":"o-5"`, `"commissions":[]`, `"externalIds":["o"]`, `"link":"ada"`} {
		w.ok("POST", salesPath, sale(members+`,"holdId":null,"name":"`+strconv.Itoa(i)+`"`))
	}
	for _, op := range stock.operations() {
		var members map[string]json.RawMessage
		if op.method == "GET" || json.Unmarshal([]byte(op.body), &members) != nil {
			continue
		}
		for name := range members {
			body := strings.Replace(op.body, `"`+name+`":`, `"`+name+`x":`, 1)
			if got := w.do(op.method, op.target, body); len(name) >= 5 && got.status != http.StatusBadRequest {
				t.Errorf("%s with %s: %d %s", op, body, got.status, got.refusal())
			}
		}
	}
}

// TestEchoedNames: the name of a field that is echoed is cut and made harmless,
// in the body and in the header.
func TestEchoedNames(t *testing.T) {
	w := newWorld(t)
	id := w.fill().coupon.String()
	for name, want := range map[string]string{
		strings.Repeat("n", 100):      strings.Repeat("n", 64),
		`a\r\nSet-Cookie: b`:          `a\r\nSet-Cookie: b`,
		`\u0000`:                      `\x00`,
		`a\"b\\c`:                     `a"b\\c`,
		`<script>`:                    `<script>`,
		"é" + strings.Repeat("x", 70): "é" + strings.Repeat("x", 63),
	} {
		got := w.do("PUT", couponsPath, `{"couponId":"`+id+`","`+name+`":1}`)
		if text := "400 unknown_field: Unknown field: " + want; !strings.HasPrefix(got.refusal(), text+" [") {
			t.Errorf("%q: %s, want %s", name, got.refusal(), text)
		}
		if field, want := got.header.Get("Error-Field"), strings.ReplaceAll(want, "é", `\u00e9`); field != want {
			t.Errorf("%q: Error-Field %q, want %q", name, field, want)
		}
	}
}

// TestBodyUnread: a request that is refused by its head does not have its body
// read.
func TestBodyUnread(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.api.Limit = limitBy("X-Limit") })
	for _, op := range w.fill().operations() {
		for _, c := range []struct{ method, target, header, want string }{
			{op.method, op.target + "/nope", "X-A: b", "404"},
			{"OPTIONS", op.path(), "X-A: b", "405"},
			{op.method, op.target, "X-Limit: 1s", "429"},
			{op.method, op.target, "Authorization:", "401"},
			{op.method, op.target, "Authorization: Bearer wrong", "401"},
		} {
			if c.want == "404" && op.path() != op.target {
				continue
			}
			r := request(c.method, c.target, "{}", c.header)
			r.Body, r.ContentLength = unreadableBody{t}, 2*mebibyte
			if got := strconv.Itoa(w.send(r).status); got != c.want {
				t.Errorf("%s %s with %s: %s", c.method, c.target, c.header, got)
			}
		}
	}
}

// unreadableBody is a body that nobody may read.
type unreadableBody struct{ t testing.TB }

// Read fails the test.
func (u unreadableBody) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// Close is what a server does.
func (u unreadableBody) Close() error { return nil }

// TestOrderOfFields: when a body has several errors, the first in the
// contract's order is answered, whether the handler or the engine finds it. The
// order is the target, unknown fields, then each field: required, type, its own
// rule (contract 1.9).
func TestOrderOfFields(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	id := strings.NewReplacer("COUPON", s.coupon.String(), "AFFILIATE", s.affiliate.String())
	for i, c := range []struct{ op, body, want string }{
		{"POST affiliates", `{"firstName":"","lastName":5}`, "missing_field: First name is required [firstName]"},
		{"POST affiliates", `{"firstName":5,"lastName":""}`, "invalid_field: firstName must be a string [firstName]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"x","affiliateLink":5}`, "invalid_field: Email is invalid [email]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","commissionRate":"x","affiliateLink":"a b"}`,
			"invalid_field: commissionRate must be a number [commissionRate]"},
		{"PUT affiliates", `{"affiliateId":"","firstName":5}`, "missing_field: Affiliate ID or email address is required [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":"AFFILIATE","firstName":null,"email":5}`, "invalid_field: firstName must not be null [firstName]"},
		{"PUT affiliates", `{"affiliateId":"x","affiliateStatus":"vip","firstName":5}`, "invalid_field: firstName must be a string [firstName]"},
		{"PUT affiliates", `{"affiliateId":" ","emailAddress":"ada@example.com"}`, "invalid_field: affiliateId must not be empty [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":"AFFILIATE","emailAddress":""}`, "invalid_field: emailAddress must not be empty [emailAddress]"},
		{"DELETE affiliates", `{"affiliateId":" "}`, "missing_field: Affiliate ID is required [affiliateId]"},
		{"POST links", `{"link":5,"affiliateId":""}`, "invalid_field: link must be a string [link]"},
		{"PUT links", `{"newLink":5}`, "missing_field: Link ID or link is required [id]"},
		{"PUT links", `{"id":"x","link":"","newLink":"a"}`, "invalid_field: link must not be empty [link]"},
		{"DELETE links", `{"id":" ","link":"ada"}`, "invalid_field: id must not be empty [id]"},
		{"POST coupons", `{"couponType":5}`, "missing_field: Name is required [name]"},
		{"POST coupons", `{"name":"a","couponType":5,"percentOff":500}`, "invalid_field: couponType must be a string [couponType]"},
		{"POST coupons", `{"name":"a","amountOff":"x"}`, "missing_field: Percent off is required when the coupon type is PERCENTAGE [percentOff]"},
		{"POST coupons", `{"name":"a","percentOff":500,"amountOff":"x"}`, "invalid_field: Percent off must be between 1 and 100 [percentOff]"},
		{"POST coupons", `{"name":"a","couponType":"FLAT","amountOff":1,"duration":5}`, "missing_field: Currency is required when the coupon type is FLAT [currency]"},
		{"POST coupons", `{"name":"a","percentOff":10,"duration":"repeating","durationInMonths":"3"}`, "invalid_field: durationInMonths must be an integer [durationInMonths]"},
		{"POST coupons", `{"name":"a","percentOff":10,"duration":"repeating","maxRedemptions":"3"}`,
			"missing_field: Duration in months is required when the duration is repeating [durationInMonths]"},
		{"POST coupons", `{"name":"a","percentOff":10,"limitToProducts":true,"productIds":5}`, "invalid_field: productIds must be an array of strings [productIds]"},
		{"POST coupons", `{"name":"a","percentOff":10,"limitToProducts":true,"valid":5}`, "missing_field: Product IDs are required when limitToProducts is true [productIds]"},
		{"POST coupons", `{"name":"a","percentOff":10,"redeemBy":"x","externalId":""}`, "invalid_field: redeemBy must be an ISO 8601 date [redeemBy]"},
		{"PUT coupons", `{"couponId":null,"x":1}`, "missing_field: Coupon ID is required [couponId]"},
		{"PUT coupons", `{"couponId":"x","x":1,"name":5}`, "unknown_field: Unknown field: x [x]"},
		{"PUT coupons", `{"couponId":"COUPON","percentOff":500,"valid":"no"}`, "invalid_field: Percent off must be between 1 and 100 [percentOff]"},
		{"PUT coupons", `{"couponId":"x","maxRedemptions":0,"valid":"no"}`, "invalid_field: maxRedemptions must be at least 1 [maxRedemptions]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A B","active":"x"}`, "code_syntax: Code contains invalid characters [code]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A","maxRedemptions":0,"minimumAmount":"x"}`, "invalid_field: maxRedemptions must be at least 1 [maxRedemptions]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"codeStructure":{"firstName":"yes"}}`,
			"missing_field: An affiliate is required when isAutoGenerated is true [affiliateId]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{"firstName":false,"randomChars":"x"}}`,
			"invalid_field: codeStructure.randomChars must be a boolean [codeStructure.randomChars]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":"x","prefix":5}`,
			"invalid_field: codeStructure must be an object [codeStructure]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{},"randomCharsCase":5}`,
			"code_structure_empty: Code structure has no part enabled [codeStructure]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","affiliateEmail":" ","code":"A B"}`, "code_syntax: Code contains invalid characters [code]"},
		{"POST promotional-codes", `{"couponId":"COUPON","code":"","isAutoGenerated":true,"affiliateId":"AFFILIATE","codeStructure":{"firstName":true}}`,
			"invalid_field: Code must not be sent when isAutoGenerated is true [code]"},
		{"POST promotional-codes/validate", `{"promoCode":"","code":"ADA20"}`, "missing_field: Promo code is required [promoCode]"},
		{"POST promotional-codes/validate", `{"promoCode":"A","totalEarned":0,"email":5}`, "invalid_field: Total Amount Earned must be greater than zero [totalEarned]"},
		{"POST promotional-codes/validate", `{"promoCode":"A","product":{"quantity":"1"}}`, "invalid_field: product.quantity must be a number [product.quantity]"},
		{"POST referrals", `{"name":5}`, "attribution_required: Affiliate ID, affiliate email, or Promo Code is required"},
		{"POST referrals", `{"affiliateId":-5,"name":""}`, "invalid_field: affiliateId must be a string [affiliateId]"},
		{"PUT referrals", `{"referralId":"x","subscriptionStatus":"vip","notes":5}`,
			"invalid_field: subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED [subscriptionStatus]"},
		{"PUT referrals", `{"referralId":"x","notes":5,"metadata":[]}`, "invalid_field: notes must be a string [notes]"},
		{"POST sales", `{"totalEarned":"x"}`, "attribution_required: Either Referral ID, email, or Promo Code is required"},
		{"POST sales", `{"promoCode":"","email":"a@b.co"}`, "invalid_field: promoCode must not be empty [promoCode]"},
		{"POST sales", `{"promoCode":"A","email":"x","totalEarned":"1"}`, "invalid_field: totalEarned must be a number [totalEarned]"}, // a paid order is not refused for its email
		{"POST sales", `{"promoCode":"nope","email":"x"}`, "missing_field: Total Amount Earned is required [totalEarned]"},             // B105
		{"POST sales", `{"promoCode":"A","totalEarned":-1,"name":5}`, "invalid_field: Total Amount Earned must be greater than zero [totalEarned]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"quantity":0,"price":"x"}}`, "invalid_field: product.quantity must be greater than zero [product.quantity]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"name":5},"tax":"x"}`, "invalid_field: product.name must be a string [product.name]"},
		{"POST sales", `{"promoCode":"A","totalEarned":10,"tax":20,"shipping":"x"}`, "invalid_field: shipping must be a number [shipping]"},
		{"POST sales", `{"promoCode":"A","totalEarned":10,"tax":"x","shipping":-1}`, "invalid_field: tax must be a number [tax]"},
		{"PUT sales", `{"saleId":1.5,"x":1}`, "invalid_field: saleId must be an integer [saleId]"},
		{"PUT sales", `{"saleId":99,"status":"x","email":5}`, "unknown_field: Unknown field: status [status]"},
		{"PATCH sales", `{"saleId":99,"amount":0,"refundId":5}`, "invalid_field: Refund amount must be greater than zero [amount]"},
		{"POST webhooks", `{"url":"https://a.example/","events":["x"],"description":5}`, "invalid_field: Unknown event type: x [events]"},
		{"POST webhooks/replay", `{"webhookId":"x","since":"2020-01-01","until":5}`, "invalid_field: since must be at most 14 days ago [since]"},
	} {
		method, path, _ := strings.Cut(c.op, " ")
		w.refuses("400 "+c.want, method, "/api/v1/"+path, id.Replace(c.body))
		for range 2 { // a key does not change what is found first, and the repeat is the same
			key := "Idempotency-Key: key-" + strconv.Itoa(i)
			w.refuses("400 "+c.want, method, "/api/v1/"+path, id.Replace(c.body), key)
		}
	}
}

// TestHostIDNamesTheCustomer: a sale, a preview, a hold and a conversion name their customer by
// the host's own id, which finds them after a change of email too.
func TestHostIDNamesTheCustomer(t *testing.T) {
	w := newWorld(t)
	w.fill()
	w.ok("POST", "/api/v1/referrals", `{"affiliateId":"ada","name":"Kim","email":"kin@example.net","referredUserExternalId":"user-8"}`)
	const who = `"referredUserExternalId":"user-8","email":"kin@elsewhere.example"`
	report := func(path, members string) {
		t.Helper()
		if got := w.do("POST", path, `{`+who+`,`+members+`}`); got.header.Get("Sale-Outcome") != "recorded" {
			t.Errorf("POST %s of user-8: %d %s %s", path, got.status, got.header.Get("Sale-Outcome"), got.body)
		}
	}
	report("/api/v1/sales", `"totalEarned":10`)
	report("/api/v1/sales", `"totalEarned":10,"referralId":"no-such-click"`)
	report("/api/v1/conversions", `"conversion":"signup"`)
}

// TestEmailThatIsNone: in a report of what has happened an email that was sent and is none, an empty text too, is left out and
// named, and refuses no paid order; where nothing has happened yet it is refused, and an empty one is not sent. Contract 3.7.
func TestEmailThatIsNone(t *testing.T) {
	w := newWorld(t)
	w.fill()
	for _, none := range []string{`"x"`, `""`, `" "`, `"\u200b"`, `"a@b@c.example"`} {
		for body, want := range map[string]string{
			`"referralId":"ada","name":"N","totalEarned":10`: "200 recorded",
			`"referralId":"ada","totalEarned":10`:            "200 recorded",
			`"promoCode":"ADA20","totalEarned":10`:           "200 recorded",
			`"totalEarned":10`:                               "200 unattributed",
			`"referralId":"nobody","totalEarned":10`:         "200 unattributed",
		} {
			got := w.do("POST", "/api/v1/sales", `{"email":`+none+`,`+body+`}`)
			if said := got.refusal() + " " + got.header.Get("Sale-Outcome"); said != want || got.header.Get("Sale-Ignored") != "email" {
				t.Errorf("a sale with the email %s and %s: %s, ignored %q", none, body, said, got.header.Get("Sale-Ignored"))
			}
		}
		got := w.do("POST", "/api/v1/conversions", `{"conversion":"signup","referralId":"ada","email":`+none+`}`)
		if got.refusal() != "400 missing_field: Email is required [email]" { // it has a customer, and is no payment
			t.Errorf("a conversion with the email %s: %s", none, got.refusal())
		}
		want, empty := "400 invalid_field: Email is invalid [email]", none == `""` || none == `" "` || none == `"\u200b"`
		for path, body := range map[string]string{
			"promotional-codes/validate": `"promoCode":"ADA20"`,
			"promotional-codes/compare":  `"promoCodes":["ADA20"]`,
			"holds":                      `"id":"h","promoCode":"ADA20","until":"` + w.now.Add(time.Minute).Format(time.RFC3339) + `"`,
		} {
			got := w.do("POST", "/api/v1/"+path, `{"email":`+none+`,`+body+`}`).refusal()
			if empty && got != "200" || !empty && got != want {
				t.Errorf("%s with the email %s: %s", path, none, got)
			}
		}
		for path, body := range map[string]string{
			"referrals":         `"affiliateId":"ada","name":"N","referredUserExternalId":"n"`,
			"affiliates":        `"firstName":"A","lastName":"B"`,
			"affiliates/invite": `"firstName":"A","lastName":"B"`,
			"affiliates/ensure": `"externalId":"e","firstName":"A","lastName":"B"`,
		} {
			want := want
			if empty {
				want = "400 missing_field: Email is required [email]"
			}
			w.refuses(want, "POST", "/api/v1/"+path, `{"email":`+none+`,`+body+`}`)
		}
	}
	for _, absent := range []string{``, `"email":null,`} {
		w.refuses("400 missing_field: Email is required [email]", "POST", "/api/v1/sales", `{`+absent+`"referralId":"ada","totalEarned":10}`)
		w.refuses("400 attribution_required: Either Referral ID, email, or Promo Code is required", "POST", "/api/v1/sales", `{`+absent+`"totalEarned":10}`)
	}
}

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
