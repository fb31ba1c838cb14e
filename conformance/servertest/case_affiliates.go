package servertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// affiliateCases test POST and GET /affiliates.
func affiliateCases() []serverCase {
	return slices.Concat(
		personNameCases(),
		emailCases(),
		affiliateLinkCases(),
		affiliateTermsCases(),
		joinedCases(),
	)
}

// affiliateWith returns an affiliate with one more member.
func affiliateWith(member string) string {
	return `{"firstName":"Ada","lastName":"Byron","email":"{{u}}@conform.example",` + member + `}`
}

func personNameCases() []serverCase {
	const rule = "contract 2.3, firstName, lastName: required, 1–100 characters"
	t := table{operation: "POST /affiliates"}
	for _, row := range []struct {
		number, field, other string
		want                 denial
	}{{"B261 ", "firstName", "lastName", firstNameRequired}, {"B262 ", "lastName", "firstName", lastNameRequired}} {
		number, field, want := row.number, row.field, row.want
		body := func(value string) string {
			return `{"` + row.other + `":"X","email":"{{u}}@conform.example","` + field + `":` + value + `}`
		}
		t.no(rule, refusedCase{number + field + " missing", strings.Replace(body("1"), `,"`+field+`":1`, "", 1), want}, refusedCase{number + field + " null", body("null"), want},
			refusedCase{number + field + ` ""`, body(`""`), want}, refusedCase{number + field + " blank", body(`"  "`), want}, refusedCase{number + field + " 5", body("5"), mustBe(field, asString)},
			refusedCase{"B275 " + field + " with a newline", body(`"a\nb"`), mustBe(field, badCharacter)}, refusedCase{"B275 " + field + " with DEL", body(`"a\u007f"`), mustBe(field, badCharacter)},
			refusedCase{"B275 " + field + " of 101", body(`"` + strings.Repeat("x", 101) + `"`), mustBe(field, tooLong)})
		for i, s := range []string{`=HYPERLINK(\"x\")`, "<script>", "' OR 1=1 --", "%", "a\u200cb", "😀e\u0301", strings.Repeat("é", 100)} {
			t.yes(rule, acceptedCase{fmt.Sprintf("R28 %s trimmed %d", field, i+1), body(`"\u3000` + s + `\u200e "`), `{"` + field + `":"` + s + `"}`})
			t.yes(rule, acceptedCase{fmt.Sprintf("B276 %s verbatim %d", field, i+1), body(`"` + s + `"`), `{"` + field + `":"` + s + `"}`})
		}
	}
	return t.cases
}

func emailCases() []serverCase {
	const rule = "contract 1.4, email: one ASCII address of at most 254 bytes, trimmed and in lower case"
	t := table{operation: "POST /affiliates"}
	mailed := func(email string) string { return `{"firstName":"Ada","lastName":"Byron","email":` + email + `}` }
	t.no(rule, refusedCase{"B263 email missing", `{"firstName":"A","lastName":"B"}`, emailRequired}, refusedCase{"B263 email null", mailed("null"), emailRequired}, refusedCase{`B263 email ""`, mailed(`""`), emailRequired},
		refusedCase{"B263 email 5", mailed("5"), mustBe("email", asString)})
	for _, row := range []string{
		"B264 a", "B264 a@", "B264 @b.co", "B264 a@b..co", "B264 .a@b.co", "B264 a.@b.co", "B264 a b@c.co", "B264 a@@b.co", "B264 a@-b.co", "B264 a@b-.co", "B264 a@b_c.co", "B264 mailto:a@b.co",
		"B265 Bob <a@b.co>", "B265 <a@b.co>", "B265 a@b.co (x)", `B267 a@b.co\r\nBcc: x@y.z`, `B267 a\u0000@b.co`, "B268 a@b.co, c@d.co", "B269 " + strings.Repeat("a", 243) + "@example.com",
		"B270 a@[127.0.0.1]", `B270 \"a b\"@c.co`, "B271 ä@b.co", "B271 a@😀.example",
	} {
		number, s := rowOf(row)
		t.no(rule, refusedCase{number + " email " + clipTo(s, 24), mailed(`"` + s + `"`), emailInvalid})
	}
	t.yes(rule, acceptedCase{"B266 email in upper case with spaces", mailed(`" {{u}}@CONFORM.Example "`), `{"email":"{{u}}@conform.example"}`},
		acceptedCase{"R28 email with a domain of other letters", mailed(`"{{u}}@Bücher.conform.example"`), `{"email":"{{u}}@xn--bcher-kva.conform.example"}`},
		acceptedCase{"R28 email with what nobody sees", mailed(`"\ufeff{{u}}\u200b@conform.example\u00a0"`), `{"email":"{{u}}@conform.example"}`},
		acceptedCase{"B266 email with a plus", mailed(`"{{u}}+tag!#$%&'*/=?^_{|}~-@conform.example"`), `{"email":"{{u}}+tag!#$%&'*/=?^_{|}~-@conform.example"}`})
	return t.cases
}

func affiliateLinkCases() []serverCase {
	const rule = "contract 1.4, slug: letters, digits, hyphens, at most 100; unique without regard to case"
	t := table{operation: "POST /affiliates"}
	for _, s := range []string{"my slug", "a_b", "ü", "а", "a/b", "a%2Fb", "../x", "٣", "a.", " a", "a\u200b", `a\n`, ""} {
		t.no(rule, refusedCase{"B279 affiliateLink " + fmt.Sprintf("%q", s), affiliateWith(`"affiliateLink":"` + s + `"`), slugSyntax.on("affiliateLink")})
	}
	t.no(rule, refusedCase{"B281 affiliateLink of 101", affiliateWith(`"affiliateLink":"` + strings.Repeat("a", 101) + `"`), slugTooLong.on("affiliateLink")},
		refusedCase{"B282 affiliateLink 5", affiliateWith(`"affiliateLink":5`), mustBe("affiliateLink", asString)},
		refusedCase{"B278 affiliateLink that is taken", affiliateWith(`"affiliateLink":"{{affiliate.slug}}"`), requestedSlugTaken})
	t.yes(rule, acceptedCase{"B281 affiliateLink of 100", affiliateWith(`"affiliateLink":"{{u}}` + strings.Repeat("-", 85) + `"`), `{"link":null,"affiliateLink":null}`})
	return t.cases
}

func affiliateTermsCases() []serverCase {
	const rule = "contract 2.3, commissionRate: 0–100 on percentage plans; commissionPlanId, affiliateGroupId: unknown is 400"
	t := table{operation: "POST /affiliates"}
	t.no(rule, refusedCase{"B284 commissionRate -1", affiliateWith(`"commissionRate":-1`), rateOutOfRange}, refusedCase{"B284 commissionRate 100.5", affiliateWith(`"commissionRate":100.5`), rateOutOfRange},
		refusedCase{`B284 commissionRate "20"`, affiliateWith(`"commissionRate":"20"`), mustBe("commissionRate", asNumber)},
		refusedCase{"B284 commissionRate 12.34567", affiliateWith(`"commissionRate":12.34567`), mustBe("commissionRate", fourDecimals)},
		refusedCase{"B285 commissionPlanId unknown", affiliateWith(`"commissionPlanId":"{{unknown}}"`), planNotFound}, refusedCase{"B285 commissionPlanId x", affiliateWith(`"commissionPlanId":"x"`), planNotFound},
		refusedCase{"B286 affiliateGroupId", affiliateWith(`"affiliateGroupId":"{{unknown}}"`), groupNotFound}, refusedCase{"B286 affiliateGroupId 5", affiliateWith(`"affiliateGroupId":5`), groupNotFound},
		refusedCase{"B286 sendWelcomeEmail yes", affiliateWith(`"sendWelcomeEmail":"yes"`), mustBe("sendWelcomeEmail", asBoolean)},
		refusedCase{"B287 affiliateStatus 5", affiliateWith(`"affiliateStatus":5`), mustBe("affiliateStatus", asString)})
	t.yes(rule, acceptedCase{"B284 commissionRate 0", affiliateWith(`"commissionRate":0`), `{"commissionRate":0,"useCommissionPlanCommissionRate":false}`},
		acceptedCase{"B284 commissionRate 100", affiliateWith(`"commissionRate":100.0`), `{"commissionRate":100}`}, acceptedCase{"B284 commissionRate 12.3456", affiliateWith(`"commissionRate":12.3456`), `{"commissionRate":12.3456}`},
		acceptedCase{"B287 affiliateStatus vip", affiliateWith(`"affiliateStatus":"vip"`), `{"status":"ACTIVE"}`}, acceptedCase{"B287 affiliateStatus INACTIVE", affiliateWith(`"affiliateStatus":"INACTIVE"`), `{"status":"INACTIVE"}`},
		acceptedCase{"B287 affiliateStatus Active", affiliateWith(`"affiliateStatus":"Active"`), `{"status":"ACTIVE"}`},
		acceptedCase{"B288 what the server gives is ignored", affiliateWith(`"affiliateLinks":[{"link":"x"}],"status":"BANNED","id":"{{unknown}}","programId":"{{unknown}}","createdAt":"2001-01-01","password":"x","sendWelcomeEmail":true`),
			`{"status":"ACTIVE","email":"{{u}}@conform.example"}`})
	return t.cases
}

func joinedCases() []serverCase {
	const generated = "rule 4.2: the email's local part in lower case, other runs one hyphen, trimmed; on collision -2, -3"
	slugOf := func(x *exam, email, want string) {
		x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"`+email+`"}`).has(`{"affiliateLinks":[{"link":"` + want + `"}]}`)
	}
	return []serverCase{
		{"B266 the least affiliate", "contract 2.3: defaults", func(x *exam) {
			a := x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}@conform.example","affiliateLink":"{{u}}-X"}`).as("a", "link:affiliateLinks.0.id")
			a.has(`{"firstName":"Ada","lastName":"Byron","name":"Ada Byron","email":"{{u}}@conform.example","affiliateLink":null,"link":null,"status":"ACTIVE","source":"API",
				"affiliateLinks":[{"id":"{{a.link}}","link":"{{u}}-X","userId":"{{a}}"}],"useCommissionPlanCommissionRate":true,"exemptFromCommissionTierChanges":false,
				"commissionTierId":null,"affiliateGroupId":null,"payoutEmail":null,"paymentMethod":null,"detailsComplete":false,"emailVerified":null,"image":null,
				"numberOfReferredUsers":0,"numberOfClicks":0,"totalRevenue":0,"totalCommissionEarned":0}`)
			for _, by := range []string{"id={{a}}", "email={{u}}@conform.example", "email=%20{{u}}@CONFORM.EXAMPLE", "id={{u}}-x", "id={{u}}-X"} {
				x.get("/affiliates?" + by).bytes(a.body)
			}
		}},
		{"B269 email of 254 bytes", "contract 1.4, email: at most 254 bytes", func(x *exam) {
			email := strings.Repeat("a", 254-len("@"+x.unique+".example")) + "@" + x.unique + ".example"
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"`+email+`"}`).has(`{"email":"` + email + `"}`)
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"a`+email+`"}`).refused(emailInvalid)
		}},
		{"B272 email of another affiliate", "rule 1.7, emails: unique among the live affiliates, in lower case", func(x *exam) {
			const body = `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`
			x.do("POST /affiliates", body).as("a")
			x.do("POST /affiliates", body).refused(affiliateEmailTaken)
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":" {{u}}@CONFORM.example"}`).refused(affiliateEmailTaken)
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}"}`).ok()
			x.do("POST /affiliates", body).ok()
		}},
		{"B278 slug of another affiliate", "contract 1.4, slug: unique without regard to case; seed, letter for letter", func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).ok()
			for _, slug := range []string{"{{u}}", strings.ToUpper(x.unique)} {
				x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}2@conform.example","affiliateLink":"`+slug+`"}`).refused(requestedSlugTaken)
			}
			x.get("/affiliates?email={{u}}2@conform.example").null()
		}},
		{"B283 a generated slug", generated, func(x *exam) {
			slugOf(x, "{{u}}.Mara__L+x@conform.example", x.unique+"-mara-l-x")
			slugOf(x, "{{u}}-mara-l-x@conform.example", x.unique+"-mara-l-x-2")
			slugOf(x, "{{u}}.mara.l.x@conform.example", x.unique+"-mara-l-x-3")
		}},
		{"B283 a slug is generated from anything", "rule 4.2: a slug is generated from the email, until an unused one is found", func(x *exam) {
			for _, local := range []string{"+++" + "@", "---@", strings.Repeat("a", 60) + "." + x.unique + "@", "_@"} {
				a := x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"`+local+`{{u}}.example"}`).ok()
				if slug := a.text("affiliateLinks.0.link"); !regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`).MatchString(slug) {
					a.wants("a slug")
				}
			}
		}},
		{"B289 look-ups that miss", missRule, func(x *exam) {
			for _, target := range []string{"id={{u}}", "id={{unknown}}", "email={{u}}@conform.example", "id=987654321987654321", "id={{affiliate.email}}", "email={{affiliate}}", "email=x"} {
				x.get("/affiliates?" + target).null()
			}
		}},
	}
}

// affiliateChangeCases test PUT and DELETE /affiliates.
func affiliateChangeCases() []serverCase {
	own := func(name, rule string, run func(x *exam, put func(member string) *answer)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}@conform.example","affiliateLink":"{{u}}","commissionRate":30}`).as("a", "email")
			run(x, func(member string) *answer { return x.do("PUT /affiliates", `{"affiliateId":"{{a}}",`+member+`}`) })
		}}
	}
	const update = "contract 1.3, update: absent stays, null clears what may be null and is 400 on any other"
	one := `{"count":1}`
	cases := refusals("contract 3.1, PUT: the target", "PUT /affiliates", refusedCase{"B296 no target", `{"firstName":"A"}`, affiliateOrEmailMissing},
		refusedCase{"B296 target null", `{"affiliateId":null,"emailAddress":null}`, affiliateOrEmailMissing}, refusedCase{"B296 affiliateId 5", `{"affiliateId":5}`, mustBe("affiliateId", asString)},
		refusedCase{"B298 affiliateId and emailAddress of two", `{"affiliateId":"{{affiliate}}","emailAddress":"{{other.email}}","firstName":"A"}`, identifiersMismatch},
		refusedCase{"B298 one of the two unknown", `{"affiliateId":"{{affiliate}}","emailAddress":"{{u}}@conform.example"}`, identifiersMismatch})
	cases = append(cases, successes("contract 3.1, PUT: nothing matched is count 0", "PUT /affiliates", acceptedCase{"B297 unknown", `{"affiliateId":"{{unknown}}","firstName":"A"}`, `{"count":0}`},
		acceptedCase{"B297 unknown email", `{"emailAddress":"{{u}}@conform.example"}`, `{"count":0}`}, acceptedCase{"B297 a slug as affiliateId", `{"affiliateId":"{{affiliate.slug}}"}`, `{"count":0}`})...)
	cases = append(cases, refusals("contract 3.1, DELETE: affiliateId is required", "DELETE /affiliates", refusedCase{"B304 no affiliateId", `{}`, affiliateIDRequired},
		refusedCase{"B304 empty", ``, affiliateIDRequired}, refusedCase{"B304 affiliateId null", `{"affiliateId":null}`, affiliateIDRequired}, refusedCase{`B304 affiliateId ""`, `{"affiliateId":""}`, affiliateIDRequired},
		refusedCase{"B304 affiliateId 5", `{"affiliateId":5}`, mustBe("affiliateId", asString)})...)
	cases = append(cases, successes("contract 3.1, DELETE: the same message when nothing matched", "DELETE /affiliates",
		acceptedCase{"B305 unknown", `{"affiliateId":"{{unknown}}"}`, `{"message":"Affiliate deleted successfully"}`}, acceptedCase{"B305 unknown email", `{"affiliateId":"{{u}}@conform.example"}`, `{"message":"Affiliate deleted successfully"}`},
		acceptedCase{"B305 no id at all", `{"affiliateId":"not an id"}`, `{"message":"Affiliate deleted successfully"}`})...)
	for _, field := range []string{"firstName", "lastName", "email"} {
		cases = append(cases, own("B302 PUT "+field+" null", update, func(_ *exam, put func(string) *answer) { put(`"` + field + `":null`).refused(mustBe(field, notNull)) }))
	}
	return append(cases,
		own("B299 PUT affiliateStatus", "contract 2.3, affiliateStatus: active or inactive in any case, others 400", func(x *exam, put func(string) *answer) {
			for _, s := range []string{"vip", "BANNED", "approved"} {
				put(`"affiliateStatus":"` + s + `"`).refused(affiliateStatusUnknown)
			}
			put(`"affiliateStatus":"inactive"`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"status":"INACTIVE"}`)
			put(`"affiliateStatus":"ACTIVE"`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"status":"ACTIVE"}`)
		}),
		own("B300 PUT email", "contract 3.1, PUT: email", func(x *exam, put func(string) *answer) {
			put(`"email":"{{other.email}}"`).refused(affiliateEmailTaken)
			put(`"email":"` + strings.ToUpper(x.fill("{{other.email}}")) + `"`).refused(affiliateEmailTaken)
			put(`"email":"x"`).refused(emailInvalid)
			put(`"email":"{{u}}@CONFORM.example"`).has(one)
			put(`"email":"{{u}}-new@conform.example"`).has(one)
			x.get("/affiliates?email={{u}}@conform.example").null()
			x.get("/affiliates?email={{u}}-new@conform.example").has(`{"id":"{{a}}"}`)
		}),
		own("B301 PUT affiliateLink", "contract 3.1, PUT: affiliateLink adds a link; one in use is 400, its own included", func(x *exam, put func(string) *answer) {
			put(`"affiliateLink":"{{affiliate.slug}}","firstName":"Changed"`).refused(requestedSlugTaken)
			put(`"affiliateLink":"{{u}}","firstName":"Changed"`).refused(requestedSlugTaken)
			put(`"affiliateLink":"a b"`).refused(slugSyntax.on("affiliateLink"))
			put(`"affiliateLink":"` + strings.Repeat("a", 101) + `"`).refused(slugTooLong.on("affiliateLink"))
			x.get("/affiliates?id={{a}}").has(`{"firstName":"Ada","affiliateLinks":[{"link":"{{u}}"}]}`)
			put(`"affiliateLink":"{{u}}-2"`).has(one)
			x.get("/affiliates?id={{u}}-2").has(`{"id":"{{a}}","affiliateLinks":[{"link":"{{u}}"},{"link":"{{u}}-2"}],"link":null,"affiliateLink":null}`)
		}),
		own("B303 PUT fields", "contract 3.1, PUT: unknown fields are ignored; absent ones stay", func(x *exam, put func(string) *answer) {
			put(`"firstName":"Augusta","status":"BANNED","color":"red"`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"firstName":"Augusta","lastName":"Byron","name":"Augusta Byron","status":"ACTIVE","commissionRate":30}`)
			put(`"commissionRate":101`).refused(rateOutOfRange)
			put(`"commissionRate":12.5`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"commissionRate":12.5,"useCommissionPlanCommissionRate":false}`)
			put(`"commissionRate":null`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"useCommissionPlanCommissionRate":true}`)
		}),
		own("B296 PUT by email and by id", "contract 3.1, 8: emailAddress names the target, id is an old name of affiliateId", func(x *exam, _ func(string) *answer) {
			x.do("PUT /affiliates", `{"emailAddress":" {{u}}@CONFORM.example","firstName":"One"}`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"firstName":"One"}`)
			x.do("PUT /affiliates", `{"id":"{{a}}","firstName":"Two"}`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"firstName":"Two"}`)
			x.do("PUT /affiliates", `{"id":"{{other}}","affiliateId":"{{a}}","firstName":"Three"}`).has(one)
			x.get("/affiliates?id={{a}}").has(`{"firstName":"Three"}`)
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","emailAddress":"{{u}}@conform.example","firstName":"Four"}`).has(one)
		}),
		own("B305 DELETE twice", "contract 3.1, DELETE: by id or email, the same message twice", func(x *exam, put func(string) *answer) {
			a := x.do("DELETE /affiliates", `{"affiliateId":"{{a}}"}`).has(`{"message":"Affiliate deleted successfully"}`)
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}"}`).bytes(a.body)
			x.do("DELETE /affiliates?affiliateId={{u}}@conform.example", "").bytes(a.body)
			put(`"firstName":"X"`).has(`{"count":0}`)
			x.get("/affiliates?id={{a}}").null()
			x.get("/affiliates?id={{u}}").null()
			x.get("/links?link={{u}}").has("[]")
		}),
		own("B305 DELETE by email", "contract 1.5, affiliateId on DELETE: id, else email; contract 8: id is its old name", func(x *exam, _ func(string) *answer) {
			x.do("DELETE /affiliates", `{"id":" {{u}}@CONFORM.example "}`).ok()
			x.get("/affiliates?id={{a}}").null()
		}),
		own("B307 DELETE with everything", "rule 4.7: links, referrals and sales go, codes stay unassigned, counters stay", func(x *exam, _ func(string) *answer) {
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{a}}"}`).as("k")
			x.do("POST /sales", `{"promoCode":"{{u}}","email":"{{u}}-c@conform.example","totalEarned":10}`).as("s", "referralId")
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}"}`).refused(moneyOwed("3 USD"))
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}","forfeit":true}`).ok()
			x.get("/sales?id={{s}}").null()
			x.get("/referrals?id={{s.referralId}}").null()
			x.get("/promotional-codes?id={{k}}").has(`{"affiliateId":null,"affiliate":null,"timesRedeemed":1,"active":true}`)
			x.do("POST /sales", `{"promoCode":"{{u}}","totalEarned":10}`).refused(x.unassigned())
		}),
	)
}
