package servertest

import (
	"net/http"
	"slices"
	"strings"
)

const (
	keyRule    = "contract 1.2: exactly one Authorization line, the scheme in any letter case, one space, a key of 1–256 visible ASCII characters"
	pathRule   = "contract 1.1: paths match exactly; anything else is 404"
	methodRule = "contract 1.1: every other method is 405 with Allow, sorted and with HEAD where GET is"
	headRule   = "contract 1.1: HEAD wherever GET is, with the same status and headers and no body"
	checkRule  = "contract 1.9: path, method, key, content type, size, JSON, identifier, unknown fields, fields, look-ups: the first failure is answered"
)

func accessCases() []serverCase {
	var cases []serverCase
	key := func(name string, want denial, lines func(x *exam) []string) {
		cases = append(cases, serverCase{"K " + name, keyRule, func(x *exam) {
			x.send(call("GET /coupons", "").with("Authorization", lines(x)...)).refused(want)
		}})
	}
	line := func(before, after string) func(x *exam) []string {
		return func(x *exam) []string { return []string{before + x.server.Key + after} }
	}
	fixed := func(lines ...string) func(*exam) []string { return func(*exam) []string { return lines } }
	key("no Authorization", unauthorized, fixed())
	key("the key without a scheme", unauthorized, line("", ""))
	key("another scheme", unauthorized, line("Basic ", ""))
	key("the scheme alone", unauthorized, fixed("Bearer"))
	key("two spaces", unauthorized, line("Bearer  ", ""))
	key("a tab", unauthorized, line("Bearer\t", ""))
	key("a comma", unauthorized, line("Bearer,", ""))
	key("more after the key", unauthorized, line("Bearer ", " more"))
	key("an umlaut", unauthorized, fixed("Bearer kéy"))
	key("257 characters", unauthorized, fixed("Bearer "+strings.Repeat("k", 257)))
	key("256 characters", invalidToken, fixed("Bearer "+strings.Repeat("k", 256)))
	key("a key that nobody has", invalidToken, fixed("Bearer conformance-no-such-key"))
	key("one character more", invalidToken, line("Bearer ", "x"))
	key("one character less", invalidToken, func(x *exam) []string { return []string{"Bearer x" + x.server.Key[1:] + "x"} })
	key("two lines", unauthorized, func(x *exam) []string { return []string{"Bearer " + x.server.Key, "Bearer " + x.server.Key} })
	for _, scheme := range []string{"bearer", "BEARER", "bEaReR"} {
		cases = append(cases, serverCase{"K scheme " + scheme, keyRule, func(x *exam) {
			x.send(call("GET /links?limit=1", "").with("Authorization", scheme+" "+x.server.Key)).ok()
		}})
	}
	cases = append(cases, serverCase{"K the key in the query", "contract 1.2: a key in the query string or the body is never read", func(x *exam) {
		for _, name := range []string{"key", "api_key", "access_token", "Authorization"} {
			x.send(request{method: "GET", target: "/coupons?" + name + "=" + x.server.Key, header: http.Header{"Authorization": nil}}).refused(unauthorized)
		}
	}})
	for _, r := range routes() {
		cases = append(cases, serverCase{"K " + r.operation + " without a key", keyRule, func(x *exam) {
			x.send(call(r.operation, r.body).with("Authorization")).refused(unauthorized)
		}})
	}
	for _, l := range lookups() {
		cases = append(cases, serverCase{"K GET " + l.path + " without a key", keyRule, func(x *exam) {
			x.send(call("GET "+l.path, "").with("Authorization")).refused(unauthorized)
		}})
	}
	return append(cases, precedenceCases()...)
}

// precedenceCases have two errors each. They show which of the checks before an
// operation comes first.
func precedenceCases() []serverCase {
	big := strings.Repeat("x", 2<<20)
	anonymous := func(operation, body string) request { return call(operation, body).with("Authorization") }
	return []serverCase{
		{"B096 unknown path without a key", checkRule, func(x *exam) { x.send(anonymous("GET /nothing", "")).refused(notFound) }},
		{"B097 wrong method without a key", checkRule, func(x *exam) { x.send(anonymous("PATCH /coupons", "{}")).refused(methodNotAllowed) }},
		{"B099 no key and 2 MiB", checkRule, func(x *exam) { x.send(anonymous("POST /coupons", big)).refused(unauthorized) }},
		{"B100 text/plain of 2 MiB", checkRule, func(x *exam) {
			x.send(call("POST /coupons", big).with("Content-Type", "text/plain")).refused(wrongMediaType)
		}},
		{"B101 2 MiB of garbage", checkRule, func(x *exam) { x.do("POST /coupons", big).refused(bodyTooLarge) }},
		{"B101 garbage and a bad key", checkRule, func(x *exam) {
			x.send(call("POST /coupons", "x").with("Idempotency-Key", "a b")).refused(invalidJSON)
		}},
		{"B101 a bad key and no field", checkRule, func(x *exam) {
			x.send(call("POST /coupons", "{}").with("Idempotency-Key", "a b")).refused(badKey)
		}},
		{"B102 no couponId and an unknown field", checkRule, func(x *exam) { x.do("PUT /coupons", `{"percentof":10}`).refused(couponIDRequired) }},
		{"B103 an unknown couponId and an unknown field", checkRule, func(x *exam) {
			x.do("PUT /coupons", `{"couponId":"{{unknown}}","percentof":10}`).refused(unknownField("percentof"))
		}},
		{"B104 an unknown couponId and percentOff 500", checkRule, func(x *exam) {
			x.do("PUT /coupons", `{"couponId":"{{unknown}}","percentOff":500}`).refused(percentOffRange)
		}},
		{"B104 an unknown couponId and a bad type", checkRule, func(x *exam) {
			x.do("PUT /coupons", `{"couponId":"{{unknown}}","couponType":"PERCENT"}`).refused(couponTypeUnknown)
		}},
		{"B104 an unknown code and maxRedemptions 0", checkRule, func(x *exam) {
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{unknown}}","maxRedemptions":0}`).refused(redemptionsNotPositive)
		}},
		{"B104 an unknown referral and a bad email", checkRule, func(x *exam) {
			x.do("PUT /referrals", `{"referralId":"{{unknown}}","email":"x"}`).refused(emailInvalid)
		}},
		{"B104 an unknown sale and totalEarned 0", checkRule, func(x *exam) {
			x.do("PUT /sales", `{"saleId":9007199254740993,"totalEarned":0}`).refused(totalNotPositive)
		}},
		{"B104 an unknown link and a bad slug", checkRule, func(x *exam) {
			x.do("PUT /links", `{"id":"{{unknown}}","newLink":"a b"}`).refused(slugSyntax.on("newLink"))
		}},
		{"B104 an unknown affiliate and a bad email", checkRule, func(x *exam) {
			x.do("PUT /affiliates", `{"affiliateId":"{{unknown}}","email":"x"}`).refused(emailInvalid)
		}},
		{"B104 an unknown sale and a refund of 0", checkRule, func(x *exam) {
			x.do("PATCH /sales", `{"saleId":9007199254740993,"amount":0}`).refused(refundNotPositive)
		}},
		{"B104 an unknown endpoint and a bad url", checkRule, func(x *exam) {
			x.do("PUT /webhooks", `{"webhookId":"{{unknown}}","url":"ftp://x"}`).refused(urlNotHTTPS)
		}},
		{"B105 a bad total and an unknown code", checkRule, func(x *exam) {
			x.do("POST /sales", `{"promoCode":"{{u}}","email":"x","totalEarned":-1}`).refused(totalNotPositive)
		}},
		{"B105 two bad fields: the table's order decides", checkRule, func(x *exam) {
			x.do("POST /coupons", `{"redeemBy":"x","percentOff":500,"name":"n"}`).refused(percentOffRange)
			x.do("POST /affiliates", `{"email":"x","lastName":"","firstName":"A"}`).refused(lastNameRequired)
			x.do("POST /affiliates", `{"email":5,"lastName":"","firstName":"A"}`).refused(lastNameRequired)
			x.do("POST /affiliates", `{"email":"x","lastName":5,"firstName":"A"}`).refused(mustBe("lastName", asString))
		}},
	}
}

// allowed returns the methods of each path.
func allowed() map[string][]string {
	paths := map[string][]string{}
	for _, r := range routes() {
		method, path, _ := strings.Cut(r.operation, " ")
		paths[path] = append(paths[path], method)
	}
	for _, l := range lookups() {
		paths[l.path] = append(paths[l.path], http.MethodGet, http.MethodHead)
	}
	paths["/holds"] = append(paths["/holds"], http.MethodGet, http.MethodHead)
	paths["/program"] = []string{http.MethodGet, http.MethodHead, http.MethodPut}
	paths["/attention"] = []string{http.MethodGet, http.MethodHead}
	paths["/verify"] = []string{http.MethodGet, http.MethodHead}
	paths["/openapi.json"] = []string{http.MethodGet, http.MethodHead}
	for _, methods := range paths {
		slices.Sort(methods)
	}
	return paths
}

func methodCases() []serverCase {
	var cases []serverCase
	for _, path := range sortedKeys(allowed()) {
		methods := allowed()[path]
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"} {
			if slices.Contains(methods, method) {
				continue
			}
			cases = append(cases, serverCase{"M " + method + " " + path, methodRule, func(x *exam) {
				a := x.send(request{method: method, target: path}).headed("Allow", strings.Join(methods, ", "))
				if method != http.MethodHead {
					a.refused(methodNotAllowed)
				}
			}})
		}
	}
	for _, l := range lookups() {
		cases = append(cases, headCases(l)...)
	}
	for _, target := range []string{
		"/", "/nothing", "/coupon", "/Coupons", "/COUPONS", "/coupons/", "/coupons/1", "/%63oupons", "/coupons%2F", "/coupons;a=b", "/coupons.json",
		"/promotional_codes", "/promotional-codes/Validate", "/webhooks/deliveries/", "/sales/5107", "/affiliates%00",
	} {
		cases = append(cases, serverCase{"P " + target, pathRule, func(x *exam) { x.get(target).refused(notFound) }})
	}
	return append(cases, serverCase{"P /openapi.json", "contract 4.3: the OpenAPI 3.1 document; needs a key", func(x *exam) {
		a := x.get("/openapi.json")
		if version := a.text("openapi"); !strings.HasPrefix(version, "3.1") {
			a.wants("OpenAPI 3.1")
		}
		for _, r := range routes() {
			method, path, _ := strings.Cut(r.operation, " ")
			if administers(path) && slices.Contains(x.server.Skip, "admin") {
				continue
			}
			paths, _ := a.at("paths").(map[string]any)
			item, _ := paths["/api/v1"+path].(map[string]any)
			if _, there := item[strings.ToLower(method)]; !there {
				a.wants("the operation %s", r.operation)
			}
		}
		x.send(call("GET /openapi.json", "").with("Authorization")).refused(unauthorized)
	}}, serverCase{"P X-HTTP-Method-Override", "contract 1.1: X-HTTP-Method-Override is not read", func(x *exam) {
		x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
		x.send(call("POST /coupons", `{"couponId":"{{c}}"}`).with("X-Http-Method-Override", "DELETE")).refused(nameRequired)
		x.get("/coupons?id={{c}}").has(`{"id":"{{c}}"}`)
	}})
}

func headCases(l lookup) []serverCase {
	same := func(x *exam, target string) {
		get, head := x.get(target), x.do("HEAD "+target, "")
		if get.status != head.status || len(head.body) > 0 {
			head.wants("%d without a body", get.status)
		}
		for _, name := range []string{"Content-Type", "Cache-Control", "X-Content-Type-Options", "Link", "Error-Code", "Error-Field"} {
			head.headed(name, get.header.Get(name))
		}
	}
	first := l.params[0]
	return []serverCase{
		{"M HEAD " + l.path, headRule, func(x *exam) { same(x, l.ask("limit=1")) }},
		{"M HEAD " + l.path + " of an error", headRule, func(x *exam) { same(x, l.ask(first+"=")) }},
		{"M HEAD " + l.path + " of a miss", headRule, func(x *exam) { same(x, l.ask(first+"={{unknown}}")) }},
	}
}
