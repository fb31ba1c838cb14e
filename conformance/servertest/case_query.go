package servertest

import (
	"net/http"
	"slices"
	"strings"
)

const (
	queryRule  = "contract 1.7: a query that is malformed, or a known parameter twice or empty, is 400; unknown ones are ignored, or refused where a list always comes in pages"
	firstRule  = "contract 1.5: of several identifiers in a query the first in the operation's table decides"
	missRule   = "contract 1.6: a single look-up that misses is null, a list that finds nothing is []"
	limitRule  = "contract 1.7: limit 1–1000"
	cursorRule = "contract 1.7: a cursor is good for its own operation and filters only"
	pagesRule  = "contract 1.7: newest first; while more follows there is a Link; each lasting record is in exactly one page"
)

// queryCases test the query of every GET.
func queryCases() []serverCase {
	var cases []serverCase
	refused := func(name, target string, want denial) {
		cases = append(cases, serverCase{name, queryRule, func(x *exam) { x.get(target).refused(want) }})
	}
	for _, l := range lookups() {
		for _, p := range l.params {
			refused("B109 "+l.path+" "+p+" empty", l.ask(p+"="), emptyParameter(p))
			refused("B109 "+l.path+" "+p+" without =", l.ask(p), emptyParameter(p))
			refused("B108 "+l.path+" "+p+" twice", l.ask(p+"=A&"+p+"=A"), repeatedParameter(p))
			if p != l.params[0] && (p == "link" || p == "code" || p == "name" || p == "email" || strings.HasSuffix(p, "Id") || strings.HasSuffix(p, "Email")) {
				cases = append(cases, serverCase{"B111 " + l.path + " odd values of " + p, missRule, func(x *exam) {
					for _, value := range []string{"%00", "a%00b", "%F0%9F%98%80", "-1", "01", strings.Repeat("x", 2000), "%27%20OR%201=1%20--"} {
						l.misses(x.get(l.ask(p+"="+value)), p)
					}
				}})
			}
		}
		for _, p := range []string{"limit", "cursor"} {
			refused("B117 "+l.path+" "+p+" empty", l.ask(p+"="), emptyParameter(p))
			refused("B108 "+l.path+" "+p+" twice", l.ask(p+"=1&"+p+"=2"), repeatedParameter(p))
		}
		for _, limit := range []string{"0", "1001", "-1", "1.5", "abc", "%2B5", "05x", "05", "1e2", "0x10", "%20", strings.Repeat("9", 30)} {
			cases = append(cases, serverCase{"B116 " + l.path + " limit " + limit, limitRule, func(x *exam) {
				x.get(l.ask("limit=" + limit)).refused(badLimit)
			}})
		}
		for _, cursor := range []string{"garbage", "%00", "e30", "AAAAAAAAAAAAAAAAAAAAAA", "{}", strings.Repeat("a", 5000)} {
			cases = append(cases, serverCase{"B118 " + l.path + " cursor " + clipTo(cursor, 24), cursorRule, func(x *exam) {
				x.get(l.ask("cursor=" + cursor)).refused(badCursor)
			}})
		}
		first := l.params[0]
		refused("B106 "+l.path+" %zz", l.ask(first+"=%zz"), badQuery)
		refused("B107 "+l.path+" semicolon", l.ask("a=1;"+first+"=x"), badQuery)
		refused("B112 "+l.path+" %ff", l.ask(first+"=%ff"), badQuery)
		refused("B112 "+l.path+" an unknown parameter that is no UTF-8", l.ask("x=%ff"), badQuery)
		if l.only {
			for _, p := range []string{"Id", "page", "order", "_"} {
				refused("B110 "+l.path+" "+p, l.ask("limit=1&"+p+"=A"), unknownParameter(p))
			}
		}
		cases = append(cases, serverCase{"B110 " + l.path + " unknown parameters", queryRule, func(x *exam) {
			if l.only {
				x.get(l.ask("x=1&b=2")).refused(unknownParameter("b"))
				return
			}
			x.get(l.ask("limit=1&Id=A&ID=A&page=2&_=123&order=x&order=y&z=")).list()
		}})
		if first == "id" || strings.HasSuffix(first, "Id") {
			cases = append(cases, missCases(l, first)...)
		}
	}
	cases = append(cases, serverCase{"B113 20,000 parameters", queryRule, manyParameters})
	return append(cases, identifierCases()...)
}

// manyParameters sends a query of 40 kB. A host may refuse such a long line
// before the API sees the request.
func manyParameters(x *exam) {
	a, err := x.try(call("GET /coupons?"+strings.Repeat("a&", 20_000), ""))
	if err != nil {
		x.fatal(Failure{"GET /coupons with 20,000 parameters", "an answer", err.Error()})
	}
	if a.status == http.StatusRequestURITooLong || a.status == http.StatusRequestHeaderFieldsTooLarge {
		return
	}
	x.observe(a)
	a.refused(badQuery)
}

func clipTo(s string, n int) string { return s[:min(n, len(s))] }

// missCases test ids that no record has.
func missCases(l lookup, id string) []serverCase {
	var cases []serverCase
	for _, value := range []string{
		"{{unknown}}", "%00", "%0a", "abc", strings.Repeat("9", 30), "%2B3", "1_000", "0x10", "%D9%A3", "-1", "1.0", "0", "00000000-0000-0000-0000-000000000000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff", "%7B{{unknown}}%7D", "urn:uuid:{{unknown}}", "%20{{unknown}}", "..%2F..", "'%20OR%201=1", strings.Repeat("x", 3000),
	} {
		cases = append(cases, serverCase{"B111 " + l.path + " " + id + " " + clipTo(value, 40), missRule, func(x *exam) {
			l.misses(x.get(l.ask(id+"="+value)), id)
		}})
	}
	for _, p := range l.listing {
		cases = append(cases, serverCase{"B257 " + l.path + " " + p + " of nobody", missRule, func(x *exam) {
			x.get(l.path + "?" + p + "={{unknown}}").has("[]")
		}})
	}
	return cases
}

// misses expects what the GET answers when no record has the value of a parameter.
func (l lookup) misses(a *answer, param string) {
	switch {
	case l.path == "/reports" && param == "promotionalCodeId":
		a.has(`[{"sales":0,"clicks":null},{"sales":0,"clicks":null}]`)
	case l.path == "/reports":
		a.has(`[{"sales":0,"clicks":0},{"sales":0,"clicks":0}]`)
	case l.path == "/links" || l.path == "/events" || strings.HasSuffix(l.path, "/search") || l.path == "/movements" || l.path == "/reports/breakdown",
		slices.Contains(l.listing, param), l.path == "/webhooks/deliveries" && param != "deliveryId":
		a.has("[]")
	default:
		a.null()
	}
}

func identifierCases() []serverCase {
	same := func(name, of, target string) serverCase {
		return serverCase{name, firstRule, func(x *exam) { x.get(target).has(`{"id":"` + of + `"}`) }}
	}
	return []serverCase{
		{"B114 id of link 1 and slug of link 2", firstRule, func(x *exam) {
			x.get("/links?link={{other.slug}}&id={{affiliate.link}}").has(`[{"id":"{{affiliate.link}}"}]`)
		}},
		same("B295 id and email of two affiliates", "{{affiliate}}", "/affiliates?email={{other.email}}&id={{affiliate}}"),
		same("B114 id and name of two coupons", "{{coupon}}", "/coupons?name={{run}}+flat&id={{coupon}}"),
		same("B114 couponId and externalId of two coupons", "{{flat}}", "/coupons?externalId={{run}}+coupon&couponId={{flat}}"),
		{"B114 id of nobody and a name", firstRule, func(x *exam) { x.get("/coupons?id={{unknown}}&name={{run}}+coupon").null() }},
		{"B114 code before couponId", firstRule, func(x *exam) {
			x.get("/promotional-codes?couponId={{unknown}}&code={{code.code}}").has(`{"id":"{{code}}"}`)
		}},
		{"B115 a GET with a body", "contract 1.3: a GET may carry a Content-Type and a body; both are ignored", func(x *exam) {
			x.send(call("GET /coupons?id={{coupon}}", "not JSON").with("Content-Type", "text/plain")).has(`{"id":"{{coupon}}"}`)
			x.send(call("GET /coupons?id={{coupon}}", "").with("Content-Type", "application/json")).has(`{"id":"{{coupon}}"}`)
		}},
		{"B121 limit and cursor beside an id", "contract 1.7: ignored where the query names a single record", func(x *exam) {
			x.get("/coupons?id={{coupon}}&limit=0&cursor=x").has(`{"id":"{{coupon}}"}`)
			x.get("/affiliates?email={{affiliate.email}}&limit=x").has(`{"id":"{{affiliate}}"}`)
			x.get("/links?link={{affiliate.slug}}&limit=5000").has(`[{"id":"{{affiliate.link}}"}]`)
		}},
		{"B187 an id in upper case", "contract 1.4: an id matches exactly as it was given out", func(x *exam) {
			x.get("/coupons?id=" + strings.ToUpper(x.fill("{{coupon}}"))).null()
			x.get("/coupons?id=" + strings.ReplaceAll(x.fill("{{coupon}}"), "-", "")).null()
		}},
	}
}
