package servertest

import (
	"fmt"
	"slices"
	"strings"
)

// couponCases test POST /coupons.
func couponCases() []serverCase {
	return slices.Concat(
		couponNameCases(),
		percentOffCases(),
		couponTypeCases(),
		flatCases(),
		currencyCases(),
		durationCases(),
		maxRedemptionsCases(),
		dateCases("B165", "POST /coupons", "redeemBy", couponWith),
		productIDsCases(),
		couponFlagCases(),
		couponExternalIDCases(),
		newCouponCases(),
	)
}

// couponWith returns a percentage coupon with one more member.
func couponWith(member string) string {
	return `{"name":"{{u}}","percentOff":10,` + member + `}`
}

// couponFlat returns a flat coupon with one more member.
func couponFlat(member string) string {
	return `{"name":"{{u}}","couponType":"FLAT","currency":"USD",` + member + `}`
}

func couponNameCases() []serverCase {
	const rule = "contract 2.1, name: required, 1–255 characters"
	t := table{operation: "POST /coupons"}
	named := func(n string) string { return `{"percentOff":10,"name":` + n + `}` }
	t.no(rule, refusedCase{"B122 {}", `{}`, nameRequired}, refusedCase{"B123 name null", named(`null`), nameRequired}, refusedCase{`B123 name ""`, named(`""`), nameRequired},
		refusedCase{"B123 name blank", named(`"   "`), nameRequired}, refusedCase{"B123 name of a no-break space", named(`"\u00a0"`), nameRequired},
		refusedCase{"B124 name 123", named(`123`), mustBe("name", asString)}, refusedCase{"B124 name [a]", named(`["a"]`), mustBe("name", asString)},
		refusedCase{"B124 name {}", named(`{}`), mustBe("name", asString)}, refusedCase{"B124 name true", named(`true`), mustBe("name", asString)},
		refusedCase{"B125 name of 256", named(`"` + strings.Repeat("x", 256) + `"`), mustBe("name", tooLong)},
		refusedCase{"B125 name of 256 of 4 bytes", named(`"` + strings.Repeat("😀", 256) + `"`), mustBe("name", tooLong)},
		refusedCase{"B126 name with a newline", named(`"a\nb"`), mustBe("name", badCharacter)}, refusedCase{"B126 name with a tab", named(`"a\tb"`), mustBe("name", badCharacter)},
		refusedCase{"B126 name with DEL", named(`"a\u007f"`), mustBe("name", badCharacter)}, refusedCase{"B126 name with U+0085", named(`"a\u0085b"`), mustBe("name", badCharacter)})
	t.yes(rule, acceptedCase{"B125 name of 255 of 4 bytes", named(`"` + strings.Repeat("😀", 255) + `"`), `{"name":"` + strings.Repeat("😀", 255) + `"}`},
		acceptedCase{"B127 name verbatim", named(`"{{u}} \u202e\u200b😀e\u0301"`), `{"name":"{{u}} \u202e\u200b😀e\u0301"}`},
		acceptedCase{"R28 name trimmed", named(`"\u2060 {{u}}\u3000"`), `{"name":"{{u}}"}`},
		acceptedCase{"B127 name that looks like markup", named(`"<b>&amp;\"\\{{u}}"`), `{"name":"<b>&amp;\"\\{{u}}"}`})
	return t.cases
}

func percentOffCases() []serverCase {
	const rule = "contract 2.1, percentOff: 1–100 inclusive, required when PERCENTAGE; contract 1.4: at most 4 decimals, read from its text"
	t := table{operation: "POST /coupons"}
	percent := func(n string) string { return `{"name":"{{u}}","percentOff":` + n + `}` }
	t.no(rule, refusedCase{"B128 neither couponType nor percentOff", `{"name":"{{u}}"}`, percentOffRequired},
		refusedCase{"B129 percentOff null", `{"name":"{{u}}","couponType":"PERCENTAGE","percentOff":null}`, percentOffRequired})
	for _, s := range []string{"B130 0", "B131 0.99", "B131 0.9999", "B132 100.01", "B132 100.0001", "B132 101", "B133 -5", "B134 -0", "B130 0.0", "B131 1e-4", "B132 1e3"} {
		number, n := rowOf(s)
		t.no(rule, refusedCase{number + " percentOff " + n, percent(n), percentOffRange})
	}
	t.no(rule, refusedCase{"B135 percentOff 1e400", percent("1e400"), mustBe("percentOff", tooLarge)})
	for _, s := range []string{"B136 1e-400", "B137 100.000000000000001", "B138 33.33333", "B138 1.00001", "B136 1e-5"} {
		number, n := rowOf(s)
		t.no(rule, refusedCase{number + " percentOff " + n, percent(n), mustBe("percentOff", fourDecimals)})
	}
	for _, s := range []string{`B139 "20"`, "B140 true", "B140 []", "B140 {}", `B139 ""`, "B140 [20]"} {
		number, n := rowOf(s)
		t.no(rule, refusedCase{number + " percentOff " + n, percent(n), mustBe("percentOff", asNumber)})
	}
	for _, n := range [][2]string{{"1e1", "10"}, {"10.00000", "10"}, {"1", "1"}, {"100", "100"}, {"33.3333", "33.3333"}, {"12.5", "12.5"}, {"0.1E2", "10"},
		{"99.9900", "99.99"}, {"5E+1", "50"}, {"1000e-1", "100"}} {
		t.yes(rule, acceptedCase{"B141 percentOff " + n[0], percent(n[0]), `{"percentOff":` + n[1] + `}`})
	}
	return t.cases
}

func couponTypeCases() []serverCase {
	const rule = "contract 2.1, couponType: PERCENTAGE or FLAT, exactly as written"
	t := table{operation: "POST /coupons"}
	for _, s := range []string{"percentage", "PERCENT", " FLAT", "FLAT ", "flat", "\u200bFLAT"} {
		t.no(rule, refusedCase{fmt.Sprintf("B142 couponType %q", s), couponWith(`"couponType":"` + s + `"`), couponTypeUnknown})
	}
	t.no(rule, refusedCase{"B143 couponType 1", couponWith(`"couponType":1`), mustBe("couponType", asString)},
		refusedCase{"B143 couponType empty", couponWith(`"couponType":""`), mustBe("couponType", notEmpty)})
	return t.cases
}

func flatCases() []serverCase {
	const rule = "contract 2.1, amountOff > 0 and currency: required when FLAT, null when PERCENTAGE"
	t := table{operation: "POST /coupons"}
	t.no(rule, refusedCase{"B144 FLAT without amountOff", `{"name":"{{u}}","couponType":"FLAT","currency":"USD"}`, amountOffRequired},
		refusedCase{"B144 FLAT with percentOff only", `{"name":"{{u}}","couponType":"FLAT","percentOff":5}`, amountOffRequired},
		refusedCase{"B145 FLAT without currency", `{"name":"{{u}}","couponType":"FLAT","amountOff":5}`, currencyRequired},
		refusedCase{"B146 amountOff 0", couponFlat(`"amountOff":0`), amountOffNotPositive}, refusedCase{"B146 amountOff -1", couponFlat(`"amountOff":-1`), amountOffNotPositive},
		refusedCase{"B146 amountOff -0", couponFlat(`"amountOff":-0`), amountOffNotPositive},
		refusedCase{"B147 amountOff 10.00005", couponFlat(`"amountOff":10.00005`), mustBe("amountOff", fourDecimals)},
		refusedCase{"B149 amountOff 1e19", couponFlat(`"amountOff":1e19`), mustBe("amountOff", tooLarge)},
		refusedCase{"B149 amountOff 922337203685477.5808", couponFlat(`"amountOff":922337203685477.5808`), mustBe("amountOff", tooLarge)},
		refusedCase{"B149 amountOff \"5\"", couponFlat(`"amountOff":"5"`), mustBe("amountOff", asNumber)},
		refusedCase{"B152 FLAT with percentOff 500", couponFlat(`"amountOff":5,"percentOff":500`), percentOffRange},
		refusedCase{"B152 PERCENTAGE with amountOff 0", couponWith(`"amountOff":0`), amountOffNotPositive},
		refusedCase{"B152 PERCENTAGE with currency ZZZ", couponWith(`"currency":"ZZZ"`), currencyUnknown})
	t.yes(rule, acceptedCase{"B148 amountOff 10.005", couponFlat(`"amountOff":10.005`), `{"amountOff":10.005,"currency":"USD"}`},
		acceptedCase{"B148 amountOff 10.5 JPY", `{"name":"{{u}}","couponType":"FLAT","currency":"JPY","amountOff":10.5}`, `{"amountOff":10.5,"currency":"JPY"}`},
		acceptedCase{"B150 amountOff 922337203685477.5807", couponFlat(`"amountOff":922337203685477.5807`), `{"amountOff":922337203685477.5807}`},
		acceptedCase{"B151 FLAT with percentOff 20", couponFlat(`"amountOff":5,"percentOff":20`), `{"couponType":"FLAT","amountOff":5,"percentOff":null}`},
		acceptedCase{"B153 PERCENTAGE with amountOff and currency", couponWith(`"amountOff":5,"currency":"USD"`), `{"couponType":"PERCENTAGE","amountOff":null,"currency":null}`})
	return t.cases
}

func currencyCases() []serverCase {
	const rule = "contract 1.4, currency: ISO 4217, upper-cased on input"
	t := table{operation: "POST /coupons"}
	for _, s := range []string{"US", "USDD", "U$D", "ＵＳＤ", "ZZZ", "US D", "123"} {
		t.no(rule, refusedCase{"B154 currency " + s, `{"name":"{{u}}","couponType":"FLAT","amountOff":5,"currency":"` + s + `"}`, currencyUnknown})
	}
	t.no(rule, refusedCase{"B154 currency 5", `{"name":"{{u}}","couponType":"FLAT","amountOff":5,"currency":5}`, mustBe("currency", asString)})
	t.yes(rule, acceptedCase{"B155 currency usd", `{"name":"{{u}}","couponType":"FLAT","amountOff":5,"currency":"usd"}`, `{"currency":"USD"}`})
	return t.cases
}

func durationCases() []serverCase {
	const rule = "contract 2.1, duration: once, forever, repeating; durationInMonths 1–1,200, required when repeating, otherwise null"
	t := table{operation: "POST /coupons"}
	for _, s := range []string{"monthly", "Once", "FOREVER", "repeat"} {
		t.no(rule, refusedCase{"B156 duration " + s, couponWith(`"duration":"` + s + `"`), durationUnknown})
	}
	t.no(rule, refusedCase{"B157 repeating without durationInMonths", couponWith(`"duration":"repeating"`), monthsRequired})
	for _, row := range []struct {
		n    string
		want denial
	}{
		{"B158 0", monthsNotPositive}, {"B158 -1", monthsNotPositive}, {"B159 1.5", mustBe("durationInMonths", asInteger)}, {"B159 1.0", mustBe("durationInMonths", asInteger)},
		{"B159 1e2", mustBe("durationInMonths", asInteger)}, {`B159 "3"`, mustBe("durationInMonths", asInteger)}, {"B159 true", mustBe("durationInMonths", asInteger)},
		{"B160 1201", mustBe("durationInMonths", tooLarge)}, {"B160 9223372036854775807", mustBe("durationInMonths", tooLarge)},
		{"B160 9223372036854775808", mustBe("durationInMonths", tooLarge)},
	} {
		number, n := rowOf(row.n)
		t.no(rule, refusedCase{number + " durationInMonths " + n, couponWith(`"duration":"repeating","durationInMonths":` + n), row.want})
	}
	t.yes(rule, acceptedCase{"B158 durationInMonths 1", couponWith(`"duration":"repeating","durationInMonths":1`), `{"duration":"repeating","durationInMonths":1}`},
		acceptedCase{"B158 durationInMonths 1200", couponWith(`"duration":"repeating","durationInMonths":1200`), `{"durationInMonths":1200}`},
		acceptedCase{"B161 durationInMonths with once", couponWith(`"duration":"once","durationInMonths":3`), `{"duration":"once","durationInMonths":null}`})
	return t.cases
}

func maxRedemptionsCases() []serverCase {
	const rule = "contract 2.1, maxRedemptions: an integer ≥ 1 up to 2^63−1, never through a float"
	t := table{operation: "POST /coupons"}
	t.no(rule, refusedCase{"B162 maxRedemptions 0", couponWith(`"maxRedemptions":0`), redemptionsNotPositive}, refusedCase{"B162 maxRedemptions -1", couponWith(`"maxRedemptions":-1`), redemptionsNotPositive},
		refusedCase{"B162 maxRedemptions 1.0", couponWith(`"maxRedemptions":1.0`), mustBe("maxRedemptions", asInteger)},
		refusedCase{"B162 maxRedemptions \"1\"", couponWith(`"maxRedemptions":"1"`), mustBe("maxRedemptions", asInteger)},
		refusedCase{"B164 maxRedemptions 2^63", couponWith(`"maxRedemptions":9223372036854775808`), mustBe("maxRedemptions", tooLarge)},
		refusedCase{"B164 maxRedemptions of 300 digits", couponWith(`"maxRedemptions":` + strings.Repeat("9", 300)), mustBe("maxRedemptions", tooLarge)})
	t.yes(rule, acceptedCase{"B163 maxRedemptions 2^53+1", couponWith(`"maxRedemptions":9007199254740993`), `{"maxRedemptions":9007199254740993}`},
		acceptedCase{"B163 maxRedemptions 2^63-1", couponWith(`"maxRedemptions":9223372036854775807`), `{"maxRedemptions":9223372036854775807}`})
	return t.cases
}

func productIDsCases() []serverCase {
	const rule = "contract 2.1, productIds: distinct texts; limitToProducts needs one"
	t := table{operation: "POST /coupons"}
	for _, s := range []string{`"x"`, "{}", "[1]", "[null]", `["a",null]`, `[["a"]]`, "5"} {
		t.no(rule, refusedCase{"B175 productIds " + s, couponWith(`"productIds":` + s), mustBe("productIds", asStrings)})
	}
	t.no(rule, refusedCase{`B176 productIds [""]`, couponWith(`"productIds":[""]`), mustBe("productIds", notEmpty)},
		refusedCase{`B177 productIds ["a","a"]`, couponWith(`"productIds":["a","a"]`), mustBe("productIds", distinctOnly)},
		refusedCase{"B178 limitToProducts without productIds", couponWith(`"limitToProducts":true`), productIDsRequired},
		refusedCase{"B178 limitToProducts with []", couponWith(`"limitToProducts":true,"productIds":[]`), productIDsRequired},
		refusedCase{"B175 productIds of 256 characters", couponWith(`"productIds":["` + strings.Repeat("x", 256) + `"]`), mustBe("productIds", tooLong)})
	t.yes(rule, acceptedCase{"B177 productIds in order", couponWith(`"limitToProducts":true,"productIds":["b","a","A"]`), `{"limitToProducts":true,"productIds":["b","a","A"]}`})
	return t.cases
}

func couponFlagCases() []serverCase {
	const rule = "contract 1.4, boolean: true or false"
	t := table{operation: "POST /coupons"}
	for _, f := range []string{"B179 limitToProducts", "B180 valid"} {
		_, field := rowOf(f)
		for _, s := range []string{`"false"`, "0", `"no"`, "1", "[]"} {
			t.no(rule, refusedCase{f + " " + s, couponWith(`"` + field + `":` + s), mustBe(field, asBoolean)})
		}
	}
	return t.cases
}

func couponExternalIDCases() []serverCase {
	const rule = "contract 2.1, externalId: 1–255, unique among live coupons, compared exactly; integrationType: an enumeration"
	t := table{operation: "POST /coupons"}
	t.no(rule, refusedCase{`B183 externalId ""`, couponWith(`"externalId":""`), mustBe("externalId", notEmpty)},
		refusedCase{"B183 externalId blank", couponWith(`"externalId":"  "`), mustBe("externalId", notEmpty)},
		refusedCase{"B183 externalId of 256", couponWith(`"externalId":"` + strings.Repeat("x", 256) + `"`), mustBe("externalId", tooLong)},
		refusedCase{"B183 externalId 5", couponWith(`"externalId":5`), mustBe("externalId", asString)},
		refusedCase{"B181 externalId of another coupon", couponWith(`"externalId":"{{coupon.externalId}}"`), couponExternalIDTaken},
		refusedCase{"B183 integrationType stripe", couponWith(`"integrationType":"stripe"`), integrationTypeUnknown})
	t.yes(rule, acceptedCase{"B183 externalId of 255", couponWith(`"externalId":"{{u}}` + strings.Repeat("x", 200) + `"`), `{"externalId":"{{u}}` + strings.Repeat("x", 200) + `"}`},
		acceptedCase{"B189 externalId in another letter case", couponWith(`"externalId":"{{run}} COUPON"`), `{"externalId":"{{run}} COUPON"}`})
	for _, s := range integrations() {
		t.yes(rule, acceptedCase{"B183 integrationType " + s, couponWith(`"integrationType":"` + s + `"`), `{"integrationType":"` + s + `"}`})
	}
	return t.cases
}

func newCouponCases() []serverCase {
	return []serverCase{
		{"B122 the least coupon", "contract 2.1: defaults; contract 3.3: name is the only required field beside the discount", func(x *exam) {
			a := x.do("POST /coupons", `{"name":"{{u}}","percentOff":20}`).as("c").has(`{"name":"{{u}}","couponType":"PERCENTAGE","percentOff":20,
				"amountOff":null,"currency":null,"duration":"forever","durationInMonths":null,"maxRedemptions":null,"timesRedeemed":0,"limitToProducts":false,
				"productIds":[],"collectionIds":[],"valid":true,"redeemBy":null,"externalId":null,"integrationType":null,"couponCategory":"CUSTOMER",
				"autoCouponRule":null,"promotionalCodes":[]}`)
			if a.text("createdAt") != a.text("updatedAt") {
				a.wants("createdAt and updatedAt to be the same")
			}
			for _, by := range []string{"id={{c}}", "couponId={{c}}", "name={{u}}"} {
				x.get("/coupons?" + by).bytes(a.body)
			}
		}},
		{"B184 what the server gives is ignored", "contract 1.3: response-only fields count as unknown and are ignored on POST", func(x *exam) {
			a := x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"id":"{{unknown}}","timesRedeemed":7,"promotionalCodes":[{"code":"x"}],
				"affiliateProgramId":"{{unknown}}","createdAt":"2001-01-01T00:00:00Z","collectionIds":["x"],"couponCategory":"PAYOUT"}`)
			a.has(`{"timesRedeemed":0,"promotionalCodes":[],"collectionIds":[],"couponCategory":"CUSTOMER"}`)
			if a.id() == x.fill("{{unknown}}") || a.text("affiliateProgramId") == x.fill("{{unknown}}") || strings.HasPrefix(a.text("createdAt"), "2001") {
				a.wants("an id, a program and a date of the server's own")
			}
		}},
		{"B182 externalId of a deleted coupon", "rule 1.10, uniqueness: a deleted record frees its key", func(x *exam) {
			const body = `{"name":"{{u}}","percentOff":10,"externalId":"{{u}}"}`
			x.do("POST /coupons", body).as("c")
			x.do("POST /coupons", body).refused(couponExternalIDTaken)
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).ok()
			x.do("POST /coupons", body).ok()
		}},
		{"B189 externalId is compared exactly", "contract 1.4: externalId is compared exactly", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"externalId":"{{u}}-Ext"}`).as("c")
			x.get("/coupons?externalId={{u}}-Ext").has(`{"id":"{{c}}"}`)
			x.get("/coupons?externalId={{u}}-EXT").null()
			x.get("/coupons?externalId={{u}}-Ext+").null()
		}},
		{"B188 a name that two coupons share", "contract 3.3: the newest when several share the name", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).ok()
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":20}`).as("new")
			x.get("/coupons?name={{u}}").has(`{"id":"{{new}}"}`)
			x.get("/coupons?name={{u}}x").null()
			x.get("/coupons?name=" + strings.ToUpper(x.unique)).null()
		}},
		{"B173 redeemBy in the past", "contract 2.1, redeemBy: a past value is accepted", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"redeemBy":"2001-02-03T04:05:06Z"}`).has(`{"redeemBy":"2001-02-03T04:05:06.000Z"}`)
		}},
	}
}

// couponChangeCases test PUT and DELETE /coupons.
func couponChangeCases() []serverCase {
	return append(couponTargetCases(), ownCouponCases()...)
}

// couponTargetCases test couponId.
func couponTargetCases() []serverCase {
	cases := refusals("contract 3.3: couponId is required", "PUT /coupons", refusedCase{"B190 no couponId", `{"name":"n"}`, couponIDRequired},
		refusedCase{"B190 couponId null", `{"couponId":null}`, couponIDRequired}, refusedCase{`B190 couponId ""`, `{"couponId":""}`, couponIDRequired},
		refusedCase{"B191 couponId 5", `{"couponId":5}`, mustBe("couponId", asString)}, refusedCase{"B191 couponId [x]", `{"couponId":["x"]}`, mustBe("couponId", asString)},
		refusedCase{"B192 couponId abc", `{"couponId":"abc"}`, couponNotFound}, refusedCase{"B192 couponId unknown", `{"couponId":"{{unknown}}","valid":false}`, couponNotFound})
	cases = append(cases, refusals("contract 3.3: couponId is required", "DELETE /coupons", refusedCase{"B203 {}", `{}`, couponIDRequired}, refusedCase{"B203 empty", ``, couponIDRequired},
		refusedCase{"B206 couponId 5 on DELETE", `{"couponId":5}`, mustBe("couponId", asString)}, refusedCase{"B207 DELETE of an unknown one", `{"couponId":"{{unknown}}"}`, couponNotFound},
		refusedCase{`B203 couponId "" on DELETE`, `{"couponId":""}`, couponIDRequired}, refusedCase{"B203 couponId null on DELETE", `{"couponId":null}`, couponIDRequired})...)
	return cases
}

// ownCouponCases make a coupon of their own and change it.
func ownCouponCases() []serverCase {
	own := func(rule, name string, run func(x *exam)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10,"maxRedemptions":5,"redeemBy":"2031-01-01T00:00:00Z","productIds":["a"]}`).as("c")
			run(x)
		}}
	}
	put := func(x *exam, member string) *answer { return x.do("PUT /coupons", `{"couponId":"{{c}}",`+member+`}`) }
	const update = "contract 1.3, update: absent stays, null clears what may be null and is 400 on any other; the merged object is validated"
	const target = "contract 1.4: ids match as given out; contract 3.3: Coupon not found"
	var cases []serverCase
	for _, field := range []string{"timesRedeemed", "externalId", "id", "promotionalCodes", "percentof", "createdAt", "couponCategory", "affiliateProgramId", "collectionIds", "integrationType", "COUPONID"} {
		cases = append(cases, own("contract 1.3: unknown fields are refused on PUT /coupons, response-only ones too", "B200 PUT "+field, func(x *exam) {
			put(x, `"`+field+`":1`).refused(unknownField(field))
			put(x, `"`+field+`":null,"percentOff":500`).refused(unknownField(field))
		}))
	}
	for _, field := range []string{"name", "couponType", "duration", "limitToProducts", "productIds", "valid"} {
		cases = append(cases, own(update, "B195 PUT "+field+" null", func(x *exam) { put(x, `"`+field+`":null`).refused(mustBe(field, notNull)) }))
	}
	return append(cases,
		own(update, "B194 PUT couponType FLAT", func(x *exam) {
			put(x, `"couponType":"FLAT"`).refused(amountOffRequired)
			put(x, `"couponType":"FLAT","amountOff":5`).refused(currencyRequired)
			put(x, `"couponType":"FLAT","amountOff":5,"currency":"EUR"`).has(`{"couponType":"FLAT","percentOff":null,"amountOff":5,"currency":"EUR"}`)
			put(x, `"couponType":"PERCENTAGE"`).refused(percentOffRequired)
		}),
		own(update, "B193 PUT percentOff on a FLAT coupon", func(x *exam) {
			a := put(x, `"couponType":"FLAT","amountOff":5,"currency":"EUR"`).ok()
			put(x, `"percentOff":20`).bytes(a.body)
			put(x, `"percentOff":500`).refused(percentOffRange)
		}),
		own(update, "B196 PUT percentOff null", func(x *exam) { put(x, `"percentOff":null`).refused(percentOffRequired) }),
		own(update, "B197 PUT redeemBy and maxRedemptions null", func(x *exam) {
			put(x, `"redeemBy":null,"maxRedemptions":null`).has(`{"redeemBy":null,"maxRedemptions":null}`)
		}),
		own(update, "B199 PUT valid no", func(x *exam) { put(x, `"valid":"no"`).refused(mustBe("valid", asBoolean)) }),
		own(update, "B195 PUT name empty", func(x *exam) {
			put(x, `"name":""`).refused(mustBe("name", notEmpty))
			put(x, `"name":"  "`).refused(mustBe("name", notEmpty))
			put(x, `"name":5`).refused(mustBe("name", asString))
		}),
		own(update, "B201 PUT limitToProducts without productIds", func(x *exam) {
			put(x, `"limitToProducts":true`).has(`{"limitToProducts":true,"productIds":["a"]}`)
			put(x, `"productIds":[]`).refused(productIDsRequired)
			put(x, `"productIds":[],"limitToProducts":false`).has(`{"productIds":[]}`)
			put(x, `"limitToProducts":true`).refused(productIDsRequired)
		}),
		own(update, "B202 PUT that changes nothing", func(x *exam) {
			a := x.get("/coupons?id={{c}}")
			x.do("PUT /coupons", `{"couponId":"{{c}}"}`).bytes(a.body)
			put(x, `"percentOff":10.0,"valid":true,"productIds":["a"],"name":"{{u}}"`).bytes(a.body)
		}),
		own(update, "B202 PUT duration", func(x *exam) {
			put(x, `"duration":"repeating"`).refused(monthsRequired)
			put(x, `"duration":"repeating","durationInMonths":3`).has(`{"durationInMonths":3}`)
			put(x, `"durationInMonths":null`).refused(monthsRequired)
			put(x, `"duration":"once"`).has(`{"duration":"once","durationInMonths":null}`)
		}),
		own(update, "B198 PUT every field", func(x *exam) {
			put(x, `"name":"{{u}}2","percentOff":12.5,"duration":"once","maxRedemptions":1,"limitToProducts":true,"productIds":["b"],"valid":false,"redeemBy":"2032-01-01T00:00:00Z"`).
				has(`{"id":"{{c}}","name":"{{u}}2","percentOff":12.5,"duration":"once","maxRedemptions":1,"limitToProducts":true,"productIds":["b"],"valid":false,
					"redeemBy":"2032-01-01T00:00:00.000Z"}`)
		}),
		own("contract 3.3: a change applies to every attached code", "B198 a change shows in the codes", func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}"}`).as("k")
			put(x, `"percentOff":55`).has(`{"promotionalCodes":[{"id":"{{k}}"}]}`)
			x.get("/promotional-codes?id={{k}}").has(`{"coupon":{"id":"{{c}}","percentOff":55}}`)
		}),
		own("contract 3.3: the query counts when the body is empty", "B204 DELETE by the query", func(x *exam) {
			x.do("DELETE /coupons?couponId={{c}}", "").has(`{"message":"Coupon deleted successfully","deletedCoupon":{"id":"{{c}}","name":"{{u}}"}}`)
		}),
		own("contract 1.3: the query counts only when the body is empty", "B205 DELETE {} with a query", func(x *exam) {
			x.do("DELETE /coupons?couponId={{c}}", "{}").refused(couponIDRequired)
			x.do("DELETE /coupons?couponId={{c}}&couponId={{c}}", "").refused(repeatedParameter("couponId"))
			x.do("DELETE /coupons?couponId=%zz", "").refused(badQuery)
			x.do("DELETE /coupons?couponId=", "").refused(emptyParameter("couponId"))
			x.get("/coupons?id={{c}}").has(`{"id":"{{c}}"}`)
		}),
		own("contract 3.3: DELETE /coupons removes the coupon and all its codes; "+target, "B207 DELETE twice", func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}","affiliateId":"{{affiliate}}"}`).as("k")
			x.do("DELETE /coupons", `{"couponId":"{{c}}","more":1}`).has(`{"message":"Coupon deleted successfully","deletedCoupon":{"id":"{{c}}","name":"{{u}}"}}`)
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).refused(couponNotFound)
			x.get("/coupons?id={{c}}").null()
			x.get("/promotional-codes?code={{u}}").null()
			put(x, `"valid":true`).refused(couponNotFound)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":true}`).refused(codeIDNotFound)
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}"}`).refused(couponNotFound.on("couponId"))
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":1}`).refused(codeNotFound)
		}),
	)
}
