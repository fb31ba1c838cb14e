package servertest

import (
	"fmt"
	"strings"
)

const (
	emptyRule     = "contract 1.3, empty body: POST, PUT, PATCH need one"
	shapeRule     = "contract 1.3, shape: one JSON object, valid UTF-8, nesting ≤ 32, no duplicate key, nothing after it"
	mediaTypeRule = "contract 1.3, content type: a body needs application/json, charset utf-8, identity encoding"
	sizeRule      = "contract 1.3, size: the whole body is counted; over the limit 413"
	keysRule      = "contract 1.3, keys: matched exactly, letter case included; unknown ones ignored on POST"
	numbersRule   = "contract 1.4: a number is read from its text"
)

// garbledBody is a body that is not a JSON object, for every operation.
type garbledBody struct {
	name, body string
	want       denial
}

func garbled() []garbledBody {
	return []garbledBody{
		{"B052 null", "null", notAnObject},
		{"B053 []", "[]", notAnObject},
		{"B053 [{}]", "[{}]", notAnObject},
		{"B054 a string", `"x"`, notAnObject},
		{"B055 1", "1", notAnObject},
		{"B055 true", "true", notAnObject},
		{"B056 trailing comma", `{"name":"a",}`, invalidJSON},
		{"B059 cut short", `{"name":"a"`, invalidJSON},
		{"B061 a second object", `{"name":"a"}{"name":"b"}`, trailingData},
		{"B062 a word behind", `{"name":"a"} x`, trailingData},
		{"B068 a key twice", `{"name":"a","name":"b"}`, duplicateField("name")},
		{"B076 nesting of 33", deep(33), nestedTooDeeply},
		{"B078 byte-order mark", "\ufeff" + `{"name":"a"}`, invalidJSON},
		{"B079 byte 0xFF", "{\"name\":\"\xff\"}", notUTF8},
		{"B081 lone surrogate", `{"name":"\ud800"}`, notUTF8},
	}
}

// deep returns an object with n levels of nesting.
func deep(n int) string {
	return `{"x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
}

// bodyCases test the form of a body, on every operation that has one.
func bodyCases() []serverCase {
	var cases []serverCase
	for _, r := range routes() {
		add := func(name, rule string, run func(x *exam)) {
			number, what, _ := strings.Cut(name, " ")
			cases = append(cases, serverCase{number + " " + r.operation + " " + what, rule, run})
		}
		for _, g := range garbled() {
			add(g.name, shapeRule, func(x *exam) { x.do(r.operation, g.body).refused(g.want) })
		}
		if !strings.HasPrefix(r.operation, "DELETE") {
			add("B050 empty", emptyRule, func(x *exam) { x.do(r.operation, "").refused(bodyRequired) })
			add("B051 white space", emptyRule, func(x *exam) { x.do(r.operation, " \n\t ").refused(invalidJSON) })
		}
		add("B085 text/plain", mediaTypeRule, func(x *exam) {
			x.send(call(r.operation, r.body).with("Content-Type", "text/plain")).refused(wrongMediaType)
		})
		add("B086 no Content-Type", mediaTypeRule, func(x *exam) {
			x.send(call(r.operation, r.body).with("Content-Type")).refused(wrongMediaType)
		})
		add("B066 over the limit", sizeRule, func(x *exam) {
			x.do(r.operation, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`).refused(bodyTooLarge)
		})
	}
	return cases
}

// gateCases returns the whole list of bad bodies, on POST /coupons.
func gateCases() []serverCase {
	const operation = "POST /coupons"
	syntax := func(name string, bodies ...string) []serverCase {
		var rows []refusedCase
		for i, body := range bodies {
			rows = append(rows, refusedCase{numberedName(name, i, len(bodies)), body, invalidJSON})
		}
		return refusals(shapeRule, operation, rows...)
	}
	percent := func(number string) string { return `{"name":"{{u}}","percentOff":` + number + `}` }
	cases := syntax("B057 single quotes", `{'name':'a'}`)
	cases = append(cases, syntax("B058 bare key", `{name:"a"}`)...)
	cases = append(cases, syntax("B059 cut in a token", `{"name":"a`, `{"name"`, `{`, `{"name":`, `{"a":tru}`)...)
	cases = append(cases, syntax("B060 comment", `{"name":"a" /* c */}`, "// c\n{}")...)
	cases = append(cases, refusals(shapeRule, operation,
		refusedCase{"B063 a bracket behind", `{"name":"a"}]`, trailingData},
		refusedCase{"B064 NUL behind", `{"name":"a"}` + "\x00", trailingData},
		refusedCase{"B069 a key twice by escape", `{"name":"a","n\u0061me":"b"}`, duplicateField("name")},
		refusedCase{"B076 nesting of 33 by objects", strings.Repeat(`{"a":`, 32) + "{}" + strings.Repeat("}", 32), nestedTooDeeply},
		refusedCase{"B077 nesting of 10,000", deep(10_000), nestedTooDeeply},
		refusedCase{"B077 nesting of 1,000,000", `{"x":` + strings.Repeat("[", 1_000_000), nestedTooDeeply},
		refusedCase{"B080 overlong", "{\"name\":\"\xc0\xaf\"}", notUTF8},
		refusedCase{"B080 encoded surrogate", "{\"name\":\"\xed\xa0\x80\"}", notUTF8},
		refusedCase{"B081 low surrogate alone", `{"name":"\udc00"}`, notUTF8},
		refusedCase{"B081 surrogate and a letter", `{"name":"\ud800x"}`, notUTF8},
		refusedCase{"B081 surrogate in a key", `{"\ud800":"x"}`, notUTF8},
		refusedCase{"B082 escaped NUL", `{"name":"a\u0000","percentOff":10}`, mustBe("name", badCharacter)},
	)...)
	cases = append(cases, syntax("B083 raw control", "{\"name\":\"\x00\"}", "{\"name\":\"a\nb\"}")...)
	cases = append(cases, serverCase{"B084 UTF-16", shapeRule, func(x *exam) {
		a := x.do(operation, "{\x00}\x00")
		if a.header.Get("Error-Code") != "invalid_json" {
			a.refused(invalidJSON)
		}
	}})
	cases = append(cases, syntax("B089 number", percent("01"), percent(".5"), percent("5."), percent("+5"), percent("0x10"), percent("NaN"),
		percent("Infinity"), percent("-"), percent("1e"), percent("1e+"), percent("--1"), percent("1_0"))...)
	cases = append(cases, nestedDuplicates()...)
	cases = append(cases, mediaTypes()...)
	cases = append(cases, sizes()...)
	return append(cases, keyNames()...)
}

func numberedName(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s %d", name, i+1)
}

func nestedDuplicates() []serverCase {
	return []serverCase{
		{"B070 a key twice in codeStructure", shapeRule, func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","codeStructure":{"email":true,"email":false}}`).refused(duplicateField("codeStructure.email"))
		}},
		{"B070 a key twice in product", shapeRule, func(x *exam) {
			x.do("POST /sales", `{"email":"{{referral.email}}","totalEarned":1,"product":{"name":"a","name":"b"}}`).refused(duplicateField("product.name"))
		}},
		{"B070 a key twice in metadata", shapeRule, func(x *exam) {
			x.do("PUT /referrals", `{"referralId":"{{referral}}","metadata":{"a":{"b":1,"b":2}}}`).refused(duplicateField("metadata.a.b"))
		}},
		{"B070 a key twice in what nobody reads", shapeRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"x":{"a":1,"a":2}}`).refused(duplicateField("x.a"))
		}},
	}
}

func mediaTypes() []serverCase {
	const body = `{"name":"{{u}}","percentOff":10}`
	var cases []serverCase
	for _, typ := range []string{
		"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "application/json5", "text/json",
		"application/problem+json", "*/*", "json", "application/json; charset=utf-16", "application/json; charset=iso-8859-1",
		"application/json+x", "application/json, application/json", "application/json; charset", "application/json; charset=utf-8; charset=utf-16",
	} {
		cases = append(cases, serverCase{"B085 " + typ, mediaTypeRule, func(x *exam) {
			x.send(call("POST /coupons", body).with("Content-Type", typ)).refused(wrongMediaType)
		}})
	}
	for _, typ := range []string{"application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON", `application/json; charset="utf-8"`, "application/json; version=2"} {
		cases = append(cases, serverCase{"B088 " + typ, mediaTypeRule, func(x *exam) {
			x.send(call("POST /coupons", body).with("Content-Type", typ)).has(`{"name":"{{u}}"}`)
		}})
	}
	for _, encoding := range []string{"gzip", "deflate", "br", "identity, gzip"} {
		cases = append(cases, serverCase{"B087 Content-Encoding " + encoding, mediaTypeRule, func(x *exam) {
			x.send(call("POST /coupons", body).with("Content-Encoding", encoding)).refused(wrongMediaType)
		}})
	}
	for _, second := range []string{"text/plain", "application/json"} {
		cases = append(cases, serverCase{"B085 two Content-Types, " + second, mediaTypeRule, func(x *exam) {
			x.send(call("POST /coupons", body).with("Content-Type", "application/json", second)).refused(wrongMediaType)
		}})
	}
	return append(cases, serverCase{"B088 Content-Encoding identity", mediaTypeRule, func(x *exam) {
		x.send(call("POST /coupons", body).with("Content-Encoding", "identity")).has(`{"name":"{{u}}"}`)
	}})
}

func sizes() []serverCase {
	const limit = 1 << 20
	padded := func(x *exam, size int) string {
		head := x.fill(`{"name":"{{u}}","percentOff":10`)
		return head + strings.Repeat(" ", size-len(head)-1) + "}"
	}
	return []serverCase{
		{"B065 1 MiB of spaces behind", sizeRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`+strings.Repeat(" ", limit)).refused(bodyTooLarge)
		}},
		{"B066 1,048,577 bytes", sizeRule, func(x *exam) { x.do("POST /coupons", padded(x, limit+1)).refused(bodyTooLarge) }},
		{"B066 1,048,576 bytes", sizeRule, func(x *exam) { x.do("POST /coupons", padded(x, limit)).has(`{"name":"{{u}}"}`) }},
		{"B067 no length, over the limit", sizeRule, func(x *exam) {
			x.send(request{method: "POST", target: "/coupons", body: padded(x, limit+1), stream: true}).refused(bodyTooLarge)
		}},
		{"B067 no length, at the limit", sizeRule, func(x *exam) {
			x.send(request{method: "POST", target: "/coupons", body: padded(x, limit), stream: true}).has(`{"name":"{{u}}"}`)
		}},
		{"B090 1 MiB of digits", sizeRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"n","percentOff":`+strings.Repeat("1", limit)+`}`).refused(bodyTooLarge)
		}},
		{"B378 promoCode of 1 MiB", sizeRule, func(x *exam) {
			x.do("POST /sales", `{"totalEarned":1,"promoCode":"`+strings.Repeat("A", limit)+`"}`).refused(bodyTooLarge)
		}},
		{"B091 60,000 digits", numbersRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"n","percentOff":`+strings.Repeat("1", 60_000)+`}`).refused(mustBe("percentOff", tooLarge))
		}},
		{"B091 1e999999999", numbersRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"n","percentOff":1e999999999}`).refused(mustBe("percentOff", tooLarge))
		}},
		{"B092 1e-999999999", numbersRule, func(x *exam) {
			x.do("POST /coupons", `{"name":"n","percentOff":1e-999999999}`).refused(mustBe("percentOff", fourDecimals))
		}},
		{"B093 1,001 productIds", "contract 1.4: productIds ≤ 1,000 distinct entries", func(x *exam) {
			x.do("POST /coupons", `{"name":"n","percentOff":10,"productIds":[`+entries(1001)+`]}`).refused(mustBe("productIds", atMost1000))
		}},
		{"B093 1,000 productIds", "contract 1.4: productIds ≤ 1,000 distinct entries", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"productIds":[`+entries(1000)+`]}`).has(`{"productIds":[` + entries(1000) + `]}`)
		}},
		{"B094 name of 60 KiB", "contract 1.4: name 1–255 characters", func(x *exam) {
			x.do("POST /coupons", `{"percentOff":10,"name":"`+strings.Repeat("x", 60<<10)+`"}`).refused(mustBe("name", tooLong))
		}},
	}
}

// entries returns n distinct elements of an array.
func entries(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"p%d"`, i)
	}
	return strings.Join(all, ",")
}

func keyNames() []serverCase {
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `"k%d":1,`, i)
	}
	return append(refusals(keysRule, "POST /coupons",
		refusedCase{"B071 NAME", `{"NAME":"a","percentOff":10}`, unknownField("NAME")},
		refusedCase{"B074 percentof", `{"name":"a","percentof":10}`, unknownField("percentof")},
	), successes(keysRule, "POST /coupons",
		acceptedCase{"B072 name and NAME", `{"name":"{{u}}","NAME":"b","percentOff":10}`, `{"name":"{{u}}"}`},
		acceptedCase{"B073 a key with a long s", `{"name":"{{u}}","percentOff":10,"productId\u017f":["a"]}`, `{"productIds":[]}`},
		acceptedCase{"B075 __proto__", `{"name":"{{u}}","percentOff":10,"__proto__":{"a":1},"constructor":1,"$where":"x"}`, `{"name":"{{u}}"}`},
		acceptedCase{"B076 nesting of 32", `{"name":"{{u}}","percentOff":10,"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`, `{"name":"{{u}}"}`},
		acceptedCase{"B069 an escaped key", `{"n\u0061me":"{{u}}","percentOff":10}`, `{"name":"{{u}}"}`},
		acceptedCase{"B095 5,000 unknown keys", `{` + many.String() + `"name":"{{u}}","percentOff":10}`, `{"name":"{{u}}"}`},
		acceptedCase{"B128 null is absent on POST", `{"name":"{{u}}","percentOff":10,"valid":null,"maxRedemptions":null,"productIds":null,"duration":null,"couponType":null,"redeemBy":null,"externalId":null}`,
			`{"valid":true,"maxRedemptions":null,"productIds":[],"duration":"forever","couponType":"PERCENTAGE","redeemBy":null,"externalId":null}`},
	)...)
}
