package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
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
	added := []string{"/api/v1/commission-plans", "/api/v1/terms", "/api/v1/commission-tiers", "/api/v1/affiliates/", "/api/v1/referrals/", "/api/v1/clicks", "/api/v1/promotional-codes/generate", "/api/v1/promotional-codes/compare", "/api/v1/sales/re", "/api/v1/sales/accept", "/api/v1/partner/token", "/api/v1/payments/decide", "/api/v1/prune", "/api/v1/holds", "/api/v1/links/release"} // console 9, check 5
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
