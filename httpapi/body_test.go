package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/internal/atlength"
)

const (
	notJSON     = "400 invalid_json: Invalid JSON body"
	notObject   = "400 invalid_json: Request body must be a JSON object"
	trailing    = "400 invalid_json: Unexpected data after JSON body"
	tooDeep     = "400 invalid_json: JSON is nested too deeply"
	notUTF8     = "400 invalid_json: Request body is not valid UTF-8"
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

// TestBodies is the bad-input corpus 3.C on POST /coupons: bodies that are
// refused, and odd bodies that are accepted.
func TestBodies(t *testing.T) {
	for _, c := range []struct{ row, body, want string }{
		{"B050", "", needsBody},
		{"B051", "  \n\t", notJSON},
		{"B052", "null", notObject},
		{"B053", "[]", notObject},
		{"B053", "[{}]", notObject},
		{"B054", `"x"`, notObject},
		{"B055", "1", notObject},
		{"B055", "true", notObject},
		{"B056", `{"name":"a",}`, notJSON},
		{"B057", `{'name':'a'}`, notJSON},
		{"B058", `{name:"a"}`, notJSON},
		{"B059", `{"name":"a"`, notJSON},
		{"B059", `{"name":"a`, notJSON},
		{"B059", `{"name"`, notJSON},
		{"B060", `{"name":"a" /* c */}`, notJSON},
		{"B060", "// c\n" + fullBody, notJSON},
		{"B061", `{"name":"a"}{"name":"b"}`, trailing},
		{"B062", `{"name":"a"} x`, trailing},
		{"B063", `{"name":"a"}]`, trailing},
		{"B064", `{"name":"a"}` + "\x00", trailing},
		{"B065", fullBody + strings.Repeat(" ", mebibyte), tooLarge},
		{"B066", padded(mebibyte + 1), tooLarge},
		{"B066", padded(mebibyte), "200"},
		{"B068", `{"name":"a","name":"b"}`, "400 duplicate_field: Duplicate field: name [name]"},
		{"B069", `{"name":"a","n\u0061me":"b"}`, "400 duplicate_field: Duplicate field: name [name]"},
		{"B070", `{"metadata":{"a":{"k":1,"k":2}}}`, "400 duplicate_field: Duplicate field: metadata.a.k [metadata.a.k]"},
		{"B071", `{"NAME":"a","percentOff":10}`, "400 unknown_field: Unknown field: NAME [NAME]"},
		{"B072", `{"name":"a","NAME":"b","percentOff":10}`, "200"},
		{"B073", `{"name":"a","percentOff":10,"productId` + "\u017f" + `":[""]}`, "200"},
		{"B074", `{"name":"a","percentof":10}`, "400 unknown_field: Unknown field: percentof [percentof]"},
		{"B075", `{"name":"a","percentOff":10,"__proto__":{},"constructor":1,"$where":"1"}`, "200"},
		{"B076", `{"name":"a","percentOff":10,"x":` + nested(32) + `}`, tooDeep},
		{"B076", `{"name":"a","percentOff":10,"x":` + nested(31) + `}`, "200"},
		{"B077", nested(10_000), tooDeep},
		{"B077", nested(1_000_000), tooLarge},
		{"B077", strings.Repeat("[", 1_000_000), tooDeep},
		{"B078", "\ufeff" + fullBody, notJSON},
		{"B079", "{\"name\":\"\xff\"}", notUTF8},
		{"B080", "{\"name\":\"\xc0\xaf\"}", notUTF8},
		{"B080", "{\"name\":\"\xed\xa0\x80\"}", notUTF8},
		{"B081", `{"name":"\ud800"}`, notUTF8},
		{"B081", `{"name":"\udc00"}`, notUTF8},
		{"B081", `{"name":"\ud800x"}`, notUTF8},
		{"B082", `{"name":"a\u0000"}`, "400 invalid_field: name contains invalid characters [name]"},
		{"B083", "{\"name\":\"\x00\"}", notJSON},
		{"B083", "{\"name\":\"\n\"}", notJSON},
		{"B084", "{\x00\"\x00}\x00", notJSON},
		{"B084", "\xff\xfe{\x00}\x00", notUTF8},
		{"B089", `{"percentOff":01}`, notJSON},
		{"B089", `{"percentOff":.5}`, notJSON},
		{"B089", `{"percentOff":5.}`, notJSON},
		{"B089", `{"percentOff":+5}`, notJSON},
		{"B089", `{"percentOff":0x10}`, notJSON},
		{"B089", `{"percentOff":NaN}`, notJSON},
		{"B089", `{"percentOff":Infinity}`, notJSON},
		{"B089", `{"percentOff":-}`, notJSON},
		{"B090", `{"name":"a","percentOff":` + strings.Repeat("1", mebibyte) + `}`, tooLarge},
		{"B091", `{"name":"a","percentOff":` + strings.Repeat("1", 60_000) + `}`, "400 invalid_field: percentOff is too large [percentOff]"},
		{"B091", `{"name":"a","percentOff":1e999999999}`, "400 invalid_field: percentOff is too large [percentOff]"},
		{"B092", `{"name":"a","percentOff":1e-999999999}`, "400 invalid_field: percentOff must have at most 4 decimal places [percentOff]"},
		{"B093", `{"name":"a","percentOff":10,"productIds":[` + texts(1001) + `]}`, "400 invalid_field: productIds must have at most 1000 entries [productIds]"},
		{"B093", `{"name":"a","percentOff":10,"productIds":[` + texts(1000) + `]}`, "200"},
		{"B094", `{"name":"` + strings.Repeat("n", 60<<10) + `"}`, "400 invalid_field: name is too long [name]"},
		{"B095", `{"name":"a","percentOff":10,` + members(5000) + `}`, "200"},
	} {
		w := newWorld(t)
		if c.want != "200" {
			w.refuses(c.want, "POST", couponsPath, c.body, "Content-Type: application/json")
			continue
		}
		got := w.ok("POST", couponsPath, c.body)
		if got["name"] != "a" || len(got["productIds"].([]any)) != strings.Count(c.body, `"t`) {
			t.Errorf("%s: %v", c.row, got)
		}
	}
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func texts(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = `"t` + strconv.Itoa(i) + `"`
	}
	return strings.Join(all, ",")
}

func members(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = `"k` + strconv.Itoa(i) + `":` + strconv.Itoa(i)
	}
	return strings.Join(all, ",")
}

// TestContentTypes: B085 to B088 and B024.
func TestContentTypes(t *testing.T) {
	for headers, want := range map[string]string{
		"Content-Type: application/json":                            "200",
		"Content-Type: application/json; charset=utf-8":             "200",
		"Content-Type: application/json;charset=UTF-8":              "200",
		`Content-Type: application/json; charset="utf-8"`:           "200",
		"Content-Type: Application/JSON":                            "200",
		"Content-Type:  application/json ":                          "200",
		"Content-Type: application/json; version=2":                 "200",
		"Content-Type: application/json|Content-Encoding: identity": "200",
		"Content-Type: application/json|Content-Encoding: Identity": "200",
		"Content-Type:":                                                                     wrongType,
		"Content-Type: text/plain":                                                          wrongType,
		"Content-Type: application/x-www-form-urlencoded":                                   wrongType,
		"Content-Type: multipart/form-data; boundary=x":                                     wrongType,
		"Content-Type: application/jsonp":                                                   wrongType,
		"Content-Type: application/json+x":                                                  wrongType,
		"Content-Type: text/json":                                                           wrongType,
		"Content-Type: application/json, application/json":                                  wrongType,
		"Content-Type: application/json; charset=utf-16":                                    wrongType,
		"Content-Type: application/json; charset=latin1":                                    wrongType,
		"Content-Type: application/json; charset":                                           wrongType,
		"Content-Type: application/json; charset=utf-8; charset=utf-16":                     wrongType,
		"Content-Type: application/json|+Content-Type: text/plain":                          wrongType,
		"Content-Type: application/json|+Content-Type: application/json":                    wrongType,
		"Content-Type: application/json|Content-Encoding: gzip":                             wrongType,
		"Content-Type: application/json|Content-Encoding: identity, gzip":                   wrongType,
		"Content-Type: application/json|Content-Encoding: identity|+Content-Encoding: gzip": wrongType,
	} {
		r := request("POST", couponsPath, fullBody)
		for _, h := range strings.Split(headers, "|") {
			name, value, _ := strings.Cut(h, ":")
			switch {
			case value == "":
				r.Header.Del(name)
			case name[0] == '+':
				r.Header.Add(name[1:], value[1:])
			default:
				r.Header.Set(name, value[1:])
			}
		}
		w := newWorld(t)
		if got := w.send(r); got.refusal() != want {
			t.Errorf("%s: %s, want %s", headers, got.refusal(), want)
		}
	}
}

// TestGateOnEveryRoute: every operation with a body runs all checks of the
// gate, in the contract's order.
func TestGateOnEveryRoute(t *testing.T) {
	w := newWorld(t)
	for i, op := range w.fill().operations() {
		if op.method == "GET" || i%4 != 0 && !atlength.On() {
			continue
		}
		inside := func(s string) string { return strings.TrimSuffix(op.body, "}") + s }
		for _, c := range []struct{ body, want string }{
			{"null", notObject},
			{"[" + op.body + "]", notObject},
			{"  ", notJSON},
			{"\ufeff" + op.body, notJSON},
			{inside(",}"), notJSON},
			{op.body[:len(op.body)-1], notJSON},
			{op.body + op.body, trailing},
			{op.body + "\x00", trailing},
			{inside(`,"x":"\ud800"}`), notUTF8},
			{inside(",\"x\":\"\xff\"}"), notUTF8},
			{inside(`,"x":` + nested(32) + `}`), tooDeep},
			{inside(`,"x":1,"x":2}`), "400 duplicate_field: Duplicate field: x [x]"},
			{inside(`,"x":{"y":1,"y":2}}`), "400 duplicate_field: Duplicate field: x.y [x.y]"},
			{op.body + strings.Repeat(" ", mebibyte), tooLarge},
		} {
			w.refuses(c.want, op.method, op.target, c.body)
		}
		if op.method != "DELETE" {
			w.refuses(needsBody, op.method, op.target, "")
		}
		w.refuses(wrongType, op.method, op.target, op.body, "Content-Type: text/plain")
		w.refuses(wrongType, op.method, op.target, op.body, "Content-Type:")
		w.refuses(wrongType, op.method, op.target, op.body+strings.Repeat(" ", mebibyte), "Content-Encoding: gzip") // B100
		w.refuses(tooLarge, op.method, op.target, strings.Repeat("#", 2*mebibyte))                                  // B101
	}
}

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
			r.Body, r.ContentLength = untouchable{t}, 2*mebibyte
			if got := strconv.Itoa(w.send(r).status); got != c.want {
				t.Errorf("%s %s with %s: %s", c.method, c.target, c.header, got)
			}
		}
	}
}

// untouchable is a body that nobody may read.
type untouchable struct{ t testing.TB }

// Read fails the test.
func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// Close is what a server does.
func (u untouchable) Close() error { return nil }
