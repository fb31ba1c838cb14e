package app

import "strings"

// A call is a request that the page shows as a line of curl.
type call struct {
	Says         string
	method, path string
	body         string // JSON; empty: none
	open         bool   // takes no key
}

// A caller writes lines of curl for one reader.
type caller struct {
	base string // http://127.0.0.1:8080
	key  string // empty: the line takes it from a variable of the shell
}

// curl returns the call as a line for the shell.
func (c caller) curl(call call) string {
	words := []string{"curl"}
	if call.method != "GET" && (call.method != "POST" || call.body == "") {
		words = append(words, "-X", call.method)
	}
	words = append(words, quote(c.base+call.path))
	switch {
	case call.open:
	case c.key == "":
		words = append(words, "-H", `"Authorization: Bearer $`+keyVariable+`"`)
	default:
		words = append(words, "-H", quote("Authorization: Bearer "+c.key))
	}
	if call.body != "" {
		words = append(words, "-H", quote("Content-Type: application/json"), "-d", quote(call.body))
	}
	return strings.Join(words, " ")
}

// quote makes any text one word of the shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// calls returns what a reader may try, in an order that works.
func calls(t tenant, set settings) []call {
	const api = "/api/v1"
	code, answer := "NOBODY20", "a code that nobody issued, and why it is refused"
	if set.demo {
		code, answer = "INES15", "what a code would take off, without using it up"
	}
	list := []call{
		{Says: "an affiliate joins", method: "POST", path: api + "/affiliates",
			body: `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`},
		{Says: "her links, with where they lead and what they brought", method: "GET", path: api + "/links?affiliateEmail=ada@example.com"},
		{Says: "a visit through one of them; browsers report it, so it takes no key", method: "POST", path: "/api/affiliates/add-click",
			body: `{"programId":"` + t.Config().ID.String() + `","referralCode":"ada"}`, open: true},
		{Says: "the visitor buys", method: "POST", path: api + "/sales",
			body: `{"referralId":"ada","email":"tomas@example.net","name":"Tomas Berg","totalEarned":49.90,"externalId":"order-2001"}`},
		{Says: "the last sales", method: "GET", path: api + "/sales?limit=2"},
		{Says: answer, method: "POST", path: api + "/promotional-codes/validate", body: `{"promoCode":"` + code + `","subtotal":40}`},
	}
	if set.private {
		list = append(list, call{Says: "a receiver on this machine is told of sales; the answer has its secret", method: "POST", path: api + "/webhooks",
			body: `{"url":"http://127.0.0.1:9090/","events":["sale.created","sale.deleted"]}`})
	}
	return list
}
