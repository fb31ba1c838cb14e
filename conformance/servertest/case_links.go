package servertest

import (
	"fmt"
	"strings"
)

// linkCases test /links.
func linkCases() []serverCase {
	const slug = "contract 2.4, link: required, letters, digits, hyphens, at most 100"
	with := func(link string) string { return `{"affiliateId":"{{affiliate}}","link":` + link + `}` }
	cases := refusals(slug, "POST /links", refusedCase{"B308 no link", `{"affiliateId":"{{affiliate}}"}`, linkRequired}, refusedCase{"B308 link null", with("null"), linkRequired},
		refusedCase{`B308 link ""`, with(`""`), linkRequired}, refusedCase{"B308 link 5", with("5"), mustBe("link", asString)}, refusedCase{"B313 link of 101", with(`"` + strings.Repeat("a", 101) + `"`), slugTooLong},
		refusedCase{"B314 a link that is taken", with(`"{{affiliate.slug}}"`), slugTaken}, refusedCase{"B314 a link of another owner", with(`"{{other.slug}}"`), slugTaken})
	for _, s := range []string{"a b", "a_b", "é", "-😀", "a.b", `a\n`, "a/b", "а", " a"} {
		cases = append(cases, refusals(slug, "POST /links", refusedCase{"B312 link " + s, with(`"` + s + `"`), slugSyntax})...)
	}
	const owner = "contract 3.2, POST: affiliateId or affiliateEmail names the owner; unknown is 400"
	cases = append(cases, refusals(owner, "POST /links", refusedCase{"B309 no owner", `{"link":"{{u}}"}`, ownerRequired}, refusedCase{"B310 affiliateId unknown", `{"link":"{{u}}","affiliateId":"{{unknown}}"}`, ownerNotFound},
		refusedCase{"B310 affiliateId x", `{"link":"{{u}}","affiliateId":"x"}`, ownerNotFound}, refusedCase{"B310 affiliateEmail unknown", `{"link":"{{u}}","affiliateEmail":"{{u}}@conform.example"}`, ownerNotFound},
		refusedCase{"B311 two owners", `{"link":"{{u}}","affiliateId":"{{affiliate}}","affiliateEmail":"{{other.email}}"}`, identifiersMismatch},
		refusedCase{"B311 one of the two unknown", `{"link":"{{u}}","affiliateId":"{{affiliate}}","affiliateEmail":"{{u}}@conform.example"}`, identifiersMismatch})...)
	const target = "contract 3.2, PUT and DELETE: id or link names the target"
	for _, method := range []string{"PUT", "DELETE"} {
		more := map[string]string{"PUT": `,"newLink":"{{u}}"`}[method]
		cases = append(cases, refusals(target, method+" /links", refusedCase{map[string]string{"PUT": "B317 ", "DELETE": "B325 "}[method] + method + " no target", `{"x":1` + more + `}`, linkIDRequired},
			refusedCase{"B317 " + method + " id null", `{"id":null,"link":""` + more + `}`, linkIDRequired}, refusedCase{"B317 " + method + " id 5", `{"id":5` + more + `}`, mustBe("id", asString)},
			refusedCase{"B320 " + method + " unknown id", `{"id":"{{unknown}}"` + more + `}`, linkNotFound}, refusedCase{"B320 " + method + " unknown slug", `{"link":"{{u}}"` + more + `}`, linkNotFound},
			refusedCase{"B326 " + method + " not a UUID", `{"id":"not-a-uuid"` + more + `}`, linkNotFound}, refusedCase{"B324 " + method + " id and link of two", `{"id":"{{affiliate.link}}","link":"{{other.slug}}"` + more + `}`, identifiersMismatch},
			refusedCase{"B324 " + method + " one of the two unknown", `{"id":"{{affiliate.link}}","link":"{{u}}"` + more + `}`, identifiersMismatch})...)
	}
	cases = append(cases, refusals("contract 3.2, PUT: newLink is a slug", "PUT /links", refusedCase{"B318 no newLink", `{"id":"{{affiliate.link}}"}`, newLinkRequired},
		refusedCase{`B318 newLink ""`, `{"id":"{{affiliate.link}}","newLink":""}`, newLinkRequired}, refusedCase{"B318 newLink 5", `{"id":"{{affiliate.link}}","newLink":5}`, mustBe("newLink", asString)},
		refusedCase{"B319 newLink a b", `{"id":"{{affiliate.link}}","newLink":"a b"}`, slugSyntax.on("newLink")},
		refusedCase{"B319 newLink of 101", `{"id":"{{affiliate.link}}","newLink":"` + strings.Repeat("a", 101) + `"}`, slugTooLong.on("newLink")},
		refusedCase{"B322 newLink of another link", `{"id":"{{affiliate.link}}","newLink":"{{other.slug}}"}`, slugTaken.on("newLink")})...)
	return append(cases, ownedLinkCases()...)
}

func ownedLinkCases() []serverCase {
	own := func(name, rule string, run func(x *exam)) serverCase {
		return serverCase{name, rule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"Ada","lastName":"Byron","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).as("a", "link:affiliateLinks.0.id")
			run(x)
		}}
	}
	return []serverCase{
		own("B330 a new link", "contract 2.4: counters 0, owner and program; what the server gives is ignored", func(x *exam) {
			a := x.do("POST /links", `{"affiliateEmail":" {{u}}@CONFORM.example","link":"{{u}}-N","clicks":5,"sales":5,"totalRevenue":5,"fullURLs":[],"id":"{{unknown}}"}`).as("l")
			a.has(`{"id":"{{l}}","link":"{{u}}-N","affiliate":{"id":"{{a}}","name":"Ada Byron","email":"{{u}}@conform.example"},"clicks":0,"referrals":0,"sales":0,"totalRevenue":0}`)
			for _, target := range []string{"id={{l}}", "link={{u}}-n", "link={{u}}-N"} {
				x.get("/links?" + target).bytes([]byte("[" + string(a.body) + "]"))
			}
			x.get("/links?affiliateId={{a}}").has(`[{"id":"{{l}}"},{"id":"{{a.link}}"}]`)
			x.get("/affiliates?id={{a}}").has(`{"affiliateLinks":[{"id":"{{a.link}}"},{"id":"{{l}}"}]}`)
		}),
		own("B331 fullURLs", "contract 2.4, fullURLs: one for each destination, with the slug in its query", func(x *exam) {
			a := x.get("/links?link={{u}}")
			for i := range a.at("0.fullURLs").([]any) {
				base, full := a.text(fmt.Sprintf("0.fullURLs.%d.baseUrl", i)), a.text(fmt.Sprintf("0.fullURLs.%d.fullUrl", i))
				path, _, _ := strings.Cut(base, "#")
				if !strings.HasPrefix(full, path) || !strings.Contains(full[len(path):], "="+x.unique) {
					a.wants("%s with the slug", base)
				}
			}
		}),
		own("B314 a slug in another letter case", "contract 1.4, slug: unique without regard to case", func(x *exam) {
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"`+strings.ToUpper(x.unique)+`"}`).refused(slugTaken)
			x.do("POST /links", `{"affiliateId":"{{affiliate}}","link":"`+strings.ToUpper(x.unique)+`"}`).refused(slugTaken)
		}),
		own("B315 a slug of a deleted link", "rule 4.3: a slug that was somebody's comes to nobody else; its owner may have it again", func(x *exam) {
			x.do("DELETE /links", `{"link":"{{u}}"}`).ok()
			x.get("/affiliates?id={{u}}").null()
			x.do("POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`).refused(slugWasAnothers)
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"{{u}}"}`).has(`{"clicks":0,"affiliate":{"id":"{{a}}"}}`)
			x.do("DELETE /links", `{"link":"{{u}}"}`).ok()
			x.do("POST /links/release", `{"link":"{{u}}"}`).has(`{"releasedLink":{"link":"{{u}}","affiliateId":"{{a}}"}}`)
			x.do("POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`).has(`{"clicks":0,"affiliate":{"id":"{{affiliate}}"}}`)
		}),
		own("B315 POST /links/release says what is wrong with its input", "contract 3.2: only a former slug is released", func(x *exam) {
			x.do("POST /links/release", `{}`).refused(linkRequired)
			x.do("POST /links/release", `{"link":"{{u}}"}`).refused(slugTaken)
			x.do("POST /links/release", `{"link":"{{u}}-none"}`).refused(linkNotFound)
		}),
		own("B321 PUT to the slug it has", "contract 3.2, PUT: an identical one changes nothing; another letter case is no clash", func(x *exam) {
			before := x.get("/links?id={{a.link}}")
			x.do("PUT /links", `{"id":"{{a.link}}","newLink":"{{u}}"}`).bytes([]byte(strings.Trim(string(before.body), "[]\n")))
			x.do("PUT /links", `{"id":"{{a.link}}","newLink":"`+strings.ToUpper(x.unique)+`","more":1}`).has(`{"id":"{{a.link}}","link":"` + strings.ToUpper(x.unique) + `"}`)
		}),
		own("B322 PUT renames", "contract 3.2, PUT: keeps id, owner and history; the old slug goes on leading to the link", func(x *exam) {
			x.do("POST /referrals", `{"affiliateId":"{{u}}","name":"N","email":"{{u}}-c@conform.example","referredUserExternalId":"{{u}}"}`).has(`{"affiliateLinkId":"{{a.link}}"}`)
			x.do("PUT /links", `{"link":"{{u}}","newLink":"{{u}}-new"}`).has(`{"id":"{{a.link}}","link":"{{u}}-new","referrals":1,"affiliate":{"id":"{{a}}"}}`)
			x.get("/links?link={{u}}").has(`[{"id":"{{a.link}}","link":"{{u}}-new","aliases":["{{u}}"]}]`)
			x.get("/affiliates?id={{u}}").has(`{"id":"{{a}}"}`)
			x.do("POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`).refused(slugTaken)
			x.get("/affiliates?id={{u}}-new").has(`{"id":"{{a}}"}`)
		}),
		own("B323 PUT swaps two slugs", "contract 3.2, PUT: unique in the program", func(x *exam) {
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"{{u}}-2"}`).as("l")
			x.do("PUT /links", `{"link":"{{u}}","newLink":"{{u}}-2"}`).refused(slugTaken.on("newLink"))
			x.do("PUT /links", `{"id":"{{l}}","newLink":"{{u}}"}`).refused(slugTaken.on("newLink"))
		}),
		own("B327 DELETE of the last link", "contract 3.2: referrals and sales stay with their link cleared; rule 4.3: the last link may go", func(x *exam) {
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"N","totalEarned":10}`).as("s", "referralId").has(`{"affiliateLinkId":"{{a.link}}"}`)
			x.do("DELETE /links", `{"id":"{{a.link}}","link":"{{u}}"}`).has(`{"message":"Affiliate link deleted successfully","deletedLink":{"id":"{{a.link}}","link":"{{u}}"}}`)
			x.get("/affiliates?id={{a}}").has(`{"affiliateLinks":[],"numberOfReferredUsers":1,"totalRevenue":10}`)
			x.get("/sales?id={{s}}").has(`{"affiliateLinkId":null,"affiliateId":"{{a}}"}`)
			x.get("/referrals?id={{s.referralId}}").has(`{"affiliateLinkId":null,"affiliateId":"{{a}}"}`)
			x.get("/links?affiliateId={{a}}").has("[]")
			x.do("DELETE /links", `{"id":"{{a.link}}"}`).refused(linkNotFound)
		}),
		own("B326 DELETE by the query", "contract 1.3: the query counts when the body is empty", func(x *exam) {
			x.do("DELETE /links?link={{u}}", "").has(`{"deletedLink":{"id":"{{a.link}}"}}`)
		}),
		own("B328 statistics", "contract 2.4: live referrals and live sales of this link, their totalEarned", func(x *exam) {
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"{{u}}-2"}`).ok()
			x.do("POST /sales", `{"referralId":"{{u}}-2","email":"{{u}}-c@conform.example","name":"N","totalEarned":10.5}`).as("s")
			x.do("POST /sales", `{"email":"{{u}}-c@conform.example","totalEarned":5}`).ok()
			x.get("/links?affiliateId={{a}}").has(`[{"referrals":1,"sales":2,"totalRevenue":15.5},{"referrals":0,"sales":0,"totalRevenue":0}]`)
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.get("/links?link={{u}}-2").has(`[{"sales":1,"totalRevenue":5}]`)
		}),
	}
}
