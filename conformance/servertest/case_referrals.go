package servertest

import "strings"

// referralCases test /referrals.
func referralCases() []serverCase {
	const operation = "POST /referrals"
	var cases []serverCase
	no := func(rule, operation string, rows ...refusedCase) {
		cases = append(cases, refusals(rule, operation, rows...)...)
	}
	with := func(member string) string {
		return `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}",` + member + `}`
	}
	const fieldsRule = "contract 2.5, C: one of three identifiers, name, email and referredUserExternalId are required"
	no(fieldsRule, operation, refusedCase{"B332 no identifier", `{"name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, referralUnattributed}, refusedCase{"B332 {}", `{}`, referralUnattributed},
		refusedCase{"B333 no name", `{"affiliateId":"{{affiliate}}","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, nameRequired},
		refusedCase{"B334 no email", `{"affiliateId":"{{affiliate}}","name":"N","referredUserExternalId":"{{u}}"}`, emailRequired},
		refusedCase{"B334 email x", `{"affiliateId":"{{affiliate}}","name":"N","email":"x","referredUserExternalId":"{{u}}"}`, emailInvalid},
		refusedCase{"B335 no referredUserExternalId", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example"}`, externalUserRequired},
		refusedCase{`B335 referredUserExternalId ""`, `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":""}`, externalUserRequired},
		refusedCase{`B335 plan ""`, with(`"plan":""`), mustBe("plan", notEmpty)}, refusedCase{"B335 plan of 256", with(`"plan":"` + strings.Repeat("x", 256) + `"`), mustBe("plan", tooLong)},
		refusedCase{"B335 the id of another customer", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{run}} customer"}`, externalUserTaken},
		refusedCase{"B333 name 5", `{"affiliateId":"{{affiliate}}","name":5,"email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, mustBe("name", asString)},
		refusedCase{"B339 two affiliates", `{"affiliateId":"{{affiliate}}","affiliateEmail":"{{other.email}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, identifiersMismatch},
		refusedCase{"B340 promoCode unknown", `{"promoCode":"{{u}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`, codeNotFound},
		refusedCase{"B340 promoCode 5", `{"promoCode":5}`, mustBe("promoCode", asString)}, refusedCase{"B340 affiliateId true", `{"affiliateId":true}`, mustBe("affiliateId", asString)})
	for _, ident := range []string{`"{{unknown}}"`, `"{{u}}"`, "987654321987654321", `"987654321987654321"`} {
		cases = append(cases, serverCase{"B336 affiliateId " + ident, "contract 3.6: null when no affiliate could be resolved", func(x *exam) {
			x.do(operation, `{"affiliateId":`+ident+`,"name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`).null()
			x.get("/referrals?id={{u}}@conform.example").null()
		}})
	}
	cases = append(cases, serverCase{"B336 affiliateEmail unknown", "contract 3.6: null when no affiliate could be resolved", func(x *exam) {
		x.do(operation, `{"affiliateEmail":"{{u}}@conform.example","name":"N","email":"{{u}}-c@conform.example","referredUserExternalId":"{{u}}"}`).null()
	}})
	const target = "contract 3.6: referralId is required; unknown is 400 on PUT and the same message on DELETE"
	for _, method := range []string{"PUT", "DELETE"} {
		no(target, method+" /referrals", refusedCase{"B344 " + method + " no referralId", `{}`, referralIDRequired}, refusedCase{"B344 " + method + " referralId null", `{"referralId":null}`, referralIDRequired},
			refusedCase{"B352 " + method + ` referralId ""`, `{"referralId":""}`, referralIDRequired}, refusedCase{"B353 " + method + " referralId 5", `{"referralId":5}`, mustBe("referralId", asString)})
	}
	no(target, "DELETE /referrals", refusedCase{"B352 DELETE empty", "", referralIDRequired})
	no(target, "PUT /referrals", refusedCase{"B345 PUT unknown", `{"referralId":"{{unknown}}","name":"N"}`, referralNotFound}, refusedCase{"B345 PUT unknown email", `{"referralId":"{{u}}@conform.example"}`, referralNotFound},
		refusedCase{"B345 PUT text", `{"referralId":"not an id"}`, referralNotFound})
	for _, field := range []string{"totalRevenue", "createdAt", "submissionType", "referralMedium", "id", "affiliateEmail", "promoCode", "nmae"} {
		no("contract 3.6: unknown fields are refused on PUT /referrals", "PUT /referrals", refusedCase{"B346 PUT " + field, `{"referralId":"{{referral}}","` + field + `":null}`, unknownField(field)})
	}
	put := func(member string) string { return `{"referralId":"{{referral}}",` + member + `}` }
	no("contract 2.5, U: each field's own rule", "PUT /referrals", refusedCase{"B347 subscriptionStatus vip", put(`"subscriptionStatus":"vip"`), subscriptionUnknown},
		refusedCase{"B347 subscriptionStatus PAST_DUE", put(`"subscriptionStatus":"PAST_DUE"`), subscriptionUnknown}, refusedCase{"B347 subscriptionStatus active", put(`"subscriptionStatus":"active"`), subscriptionUnknown},
		refusedCase{"B347 subscriptionStatus null", put(`"subscriptionStatus":null`), mustBe("subscriptionStatus", notNull)}, refusedCase{"B349 email of another referral", put(`"email":"{{customer.email}}"`), referralEmailTaken},
		refusedCase{"B349 email x", put(`"email":"x"`), emailInvalid}, refusedCase{"B350 metadata x", put(`"metadata":"x"`), mustBe("metadata", asObject)}, refusedCase{"B350 metadata []", put(`"metadata":[]`), mustBe("metadata", asObject)},
		refusedCase{"B350 metadata of 16 KiB", put(`"metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}`), mustBe("metadata", tooLong)},
		refusedCase{"B350 metadata with NUL", put(`"metadata":{"a":"\u0000"}`), mustBe("metadata", badCharacter)},
		refusedCase{"B351 notes of 10,001", put(`"notes":"` + strings.Repeat("x", 10_001) + `"`), mustBe("notes", tooLong)}, refusedCase{"B351 notes with DEL", put(`"notes":"a\u007f"`), mustBe("notes", badCharacter)},
		refusedCase{"B349 email null", put(`"email":null`), mustBe("email", notNull)}, refusedCase{`B351 name ""`, put(`"name":""`), mustBe("name", notEmpty)})
	for _, value := range []string{"{{unknown}}", "{{u}}@conform.example", "not an id", strings.Repeat("x", 10<<10), "987654321987654321"} {
		cases = append(cases, successes(target, "DELETE /referrals", acceptedCase{"B354 DELETE " + clipTo(value, 24), `{"referralId":"` + value + `"}`, `{"message":"Referral deleted successfully"}`})...)
	}
	return append(cases, customerCases()...)
}

func customerCases() []serverCase {
	own := func(name, rule string, run func(x *exam)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}-a@conform.example","affiliateLink":"{{u}}"}`).as("a", "link:affiliateLinks.0.id")
			x.do("POST /referrals", `{"affiliateId":"{{u}}","name":"Tom","email":" {{u}}@CONFORM.example","referredUserExternalId":"{{u}} Ext","status":"vip","subscriptionStatus":"DECLINED"}`).as("r")
			run(x)
		}}
	}
	put := func(x *exam, member string) *answer {
		return x.do("PUT /referrals", `{"referralId":"{{r}}",`+member+`}`)
	}
	return []serverCase{
		own("B342 the least referral", "contract 2.5: defaults; status and subscriptionStatus are ignored on POST", func(x *exam) {
			a := x.get("/referrals?id={{r}}").has(`{"id":"{{r}}","affiliateId":"{{a}}","name":"Tom","email":"{{u}}@conform.example","referredUserExternalId":"{{u}} Ext","plan":"N/A",
				"subscriptionStatus":"ACTIVE","status":"ACTIVE","submissionType":"AUTOMATIC","referralMedium":"LINK","source":"API","integrationReferralSource":null,
				"totalRevenue":0,"totalCommission":0,"initialLandingPage":null,"notes":null,"metadata":null,"affiliateLinkId":"{{a.link}}"}`)
			x.get("/referrals?id={{u}}@conform.EXAMPLE").bytes(a.body)
			for _, target := range []string{"affiliateId={{a}}", "affiliateEmail={{u}}-a@conform.example", "externalId={{u}}+Ext"} {
				x.get("/referrals?" + target).bytes([]byte("[" + string(a.body) + "]"))
			}
			x.get("/referrals?externalId={{u}}+ext").has("[]")
			x.get("/affiliates?id={{a}}").has(`{"numberOfReferredUsers":1}`)
		}),
		own("B338 a known email, with another affiliate and with a bad code", "rule 4.6: a known email answers the existing referral, unmoved", func(x *exam) {
			a := x.get("/referrals?id={{r}}")
			x.do("POST /referrals", `{"affiliateId":"{{affiliate}}","name":"Other","email":"{{u}}@conform.example","referredUserExternalId":"other"}`).bytes(a.body)
			x.do("POST /referrals", `{"promoCode":"{{u}}-none","name":"Other","email":"{{u}}@conform.example","referredUserExternalId":"other"}`).bytes(a.body)
		}),
		own("B336 each way to name the affiliate", "contract 1.5, affiliateId on POST /referrals: affiliate id, slug; affiliateEmail", func(x *exam) {
			for i, ident := range []string{`"affiliateId":"{{a}}"`, `"affiliateEmail":"{{u}}-A@conform.example"`, `"affiliateId":"` + strings.ToUpper(x.unique) + `"`} {
				email := x.unique + string(rune('a'+i)) + "x@conform.example"
				x.do("POST /referrals", `{`+ident+`,"name":"N","email":"`+email+`","referredUserExternalId":"`+email+`","plan":"Monthly"}`).has(`{"affiliateId":"{{a}}","plan":"Monthly"}`)
			}
			x.get("/affiliates?id={{a}}").has(`{"numberOfReferredUsers":4}`)
		}),
		own("B341 by code", "rule 3.3: promoCode on POST /referrals attributes and counts nothing", func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{a}}","maxRedemptions":1}`).as("k")
			for _, letter := range []string{"x", "y", "z"} {
				x.do("POST /referrals", `{"promoCode":" {{u}} ","affiliateId":"{{other}}","name":"N","email":"{{u}}`+letter+`@conform.example","referredUserExternalId":"{{u}}`+letter+`"}`).
					has(`{"affiliateId":"{{a}}","referralMedium":"COUPON","affiliateLinkId":null}`)
			}
			x.get("/promotional-codes?id={{k}}").has(`{"timesRedeemed":0}`)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":false}`).ok()
			x.do("POST /referrals", `{"promoCode":"{{u}}","name":"N","email":"{{u}}q@conform.example","referredUserExternalId":"{{u}}"}`).refused(codeInactive)
			x.get("/referrals?id={{u}}q@conform.example").null()
		}),
		own("B340 limitToAffiliate", "contract 3.5, row 12: the request names another affiliate", func(x *exam) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{a}}","limitToAffiliate":true}`).ok()
			body := func(ident string) string {
				return `{"promoCode":"{{u}}",` + ident + `"name":"N","email":"{{u}}q@conform.example","referredUserExternalId":"{{u}}"}`
			}
			x.do("POST /referrals", body(`"affiliateId":"{{other}}",`)).refused(wrongAffiliate)
			x.do("POST /referrals", body(`"affiliateEmail":"{{other.email}}",`)).refused(wrongAffiliate)
			x.do("POST /referrals", body(`"affiliateId":"{{a}}",`)).has(`{"affiliateId":"{{a}}"}`)
		}),
		own("B348 PUT", "contract 3.6, PUT: null clears; metadata is replaced as a whole; contract 8: status is an alias", func(x *exam) {
			put(x, `"name":"Tim","plan":"Yearly","notes":"a\nb\t","metadata":{"b":[1.50,"<x>"],"a":{}},"referredUserExternalId":"{{u}} e2"`).
				has(`{"name":"Tim","plan":"Yearly","notes":"a\nb\t","metadata":{"a":{},"b":[1.50,"<x>"]},"referredUserExternalId":"{{u}} e2"}`)
			put(x, `"metadata":{"c":null}`).has(`{"metadata":{"c":null},"name":"Tim"}`)
			put(x, `"subscriptionStatus":"SUBMITTED"`).has(`{"subscriptionStatus":"SUBMITTED","status":"SUBMITTED"}`)
			put(x, `"status":"vip"`).has(`{"subscriptionStatus":"SUBMITTED"}`)
			put(x, `"status":"Inactive"`).has(`{"subscriptionStatus":"ACTIVE"}`)
			put(x, `"status":"active","subscriptionStatus":"DECLINED"`).has(`{"subscriptionStatus":"DECLINED"}`)
			put(x, `"name":null,"plan":null,"notes":null,"metadata":null,"referredUserExternalId":null`).
				has(`{"name":null,"plan":null,"notes":null,"metadata":null,"referredUserExternalId":null}`)
			put(x, `"notes":""`).has(`{"notes":""}`)
		}),
		own("B348 PUT by email", "contract 1.5, referralId: referral id, else customer email", func(x *exam) {
			a := x.do("PUT /referrals", `{"referralId":" {{u}}@CONFORM.example ","email":"{{u}}-new@conform.example"}`).has(`{"id":"{{r}}","email":"{{u}}-new@conform.example"}`)
			put(x, `"email":"{{u}}-NEW@conform.example"`).bytes(a.body)
			x.do("PUT /referrals", `{"referralId":"{{r}}"}`).bytes(a.body)
			x.get("/referrals?id={{u}}@conform.example").null()
		}),
		own("B355 DELETE twice", "contract 3.6: the same response when nothing matches; its sales go with it", func(x *exam) {
			x.do("POST /sales", `{"referralId":"{{r}}","totalEarned":10}`).as("s")
			x.do("DELETE /referrals", `{"referralId":"{{r}}"}`).refused(moneyOwed("2 USD"))
			a := x.do("DELETE /referrals", `{"referralId":"{{r}}","more":1,"forfeit":true}`).has(`{"message":"Referral deleted successfully"}`)
			x.do("DELETE /referrals", `{"referralId":"{{r}}"}`).bytes(a.body)
			x.do("DELETE /referrals?referralId={{unknown}}", "").bytes(a.body)
			x.get("/referrals?id={{r}}").null()
			x.get("/sales?id={{s}}").null()
			x.get("/affiliates?id={{a}}").has(`{"numberOfReferredUsers":0,"totalRevenue":0,"totalCommissionEarned":0}`)
		}),
		own("B356 DELETE by email", "contract 1.5, referralId: referral id, else customer email", func(x *exam) {
			x.do("DELETE /referrals", `{"referralId":"{{u}}@CONFORM.EXAMPLE"}`).ok()
			x.get("/referrals?id={{r}}").null()
		}),
	}
}
