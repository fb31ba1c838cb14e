package httpapi_test

import (
	"strings"
	"testing"
)

// TestKeyOfAnotherTime: a write is repeated with its key after another caller
// has changed or replaced the same record. The repeat gets the first answer,
// and the change in between stays (B437).
func TestKeyOfAnotherTime(t *testing.T) {
	const api = "/api/v1/"
	for _, c := range []struct {
		name      string
		op        operation
		meanwhile []operation
		stays     operation // a GET
		shows     string
	}{
		{
			"a code is switched off in between",
			operation{"PUT", api + "promotional-codes", `{"promotionalCodeId":"{code}","active":true}`},
			[]operation{{"PUT", api + "promotional-codes", `{"promotionalCodeId":"{code}","active":false}`}},
			operation{"GET", api + "promotional-codes?code=ADA20", ""}, `"active":false`,
		},
		{
			"an affiliate with the same email",
			operation{"DELETE", api + "affiliates", `{"affiliateId":"ada@example.com","forfeit":true}`},
			[]operation{
				{"POST", api + "affiliates", `{"firstName":"Eda","lastName":"M","email":"ada@example.com","affiliateLink":"eda"}`},
				{"POST", api + "sales", `{"referralId":"eda","email":"new@example.net","name":"N","totalEarned":5,"externalId":"of-eda"}`},
			},
			operation{"GET", api + "sales?saleExternalId=of-eda", ""}, `"externalId":"of-eda"`,
		},
		{
			"the same email, named in the query",
			operation{"DELETE", api + "affiliates?affiliateId=ada@example.com&forfeit=true", ""},
			[]operation{{"POST", api + "affiliates", `{"firstName":"Eda","lastName":"M","email":"ada@example.com","affiliateLink":"eda"}`}},
			operation{"GET", api + "affiliates?email=ada@example.com", ""}, `"firstName":"Eda"`,
		},
		{
			"a customer with the same email",
			operation{"DELETE", api + "referrals", `{"referralId":"kim@example.net","forfeit":true}`},
			[]operation{{"POST", api + "referrals", `{"affiliateId":"ada","name":"K2","email":"kim@example.net","referredUserExternalId":"2"}`}},
			operation{"GET", api + "referrals?id=kim@example.net", ""}, `"name":"K2"`,
		},
		{
			"a link with the same slug",
			operation{"DELETE", api + "links", `{"link":"ada"}`},
			[]operation{{"POST", api + "links", `{"affiliateEmail":"ada@example.com","link":"ada"}`}},
			operation{"GET", api + "links?link=ada", ""}, `"link":"ada"`,
		},
		{
			"a refund in part",
			operation{"PATCH", api + "sales", `{"saleId":{sale},"amount":10}`}, nil,
			operation{"GET", api + "sales?id={sale}", ""}, `"refundedAmount":10,`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			s := w.fill()
			names := strings.NewReplacer("{code}", s.code.String(), "{sale}", s.sale)
			named := func(op operation) operation {
				return operation{op.method, names.Replace(op.target), names.Replace(op.body)}
			}
			op := named(c.op)
			first := w.do(op.method, op.target, op.body, idem+"k")
			if first.status != 200 {
				t.Fatalf("%s: %s", op, first.refusal())
			}
			for _, other := range c.meanwhile {
				other = named(other)
				w.ok(other.method, other.target, other.body)
			}
			w.replays(first, op, idem+"k")
			look := named(c.stays)
			if got := w.do(look.method, look.target, ""); !strings.Contains(got.body, c.shows) {
				t.Errorf("%s: %s, want %s", look, got.body, c.shows)
			}
			w.verify()
		})
	}
}

// TestKeyOfQuery: the query identifies a DELETE without a body (B429).
func TestKeyOfQuery(t *testing.T) {
	w := newWorld(t)
	w.fill()
	op := operation{"DELETE", "/api/v1/links?link=ada", ""}
	first := w.do(op.method, op.target, "", idem+"k")
	w.replays(first, op, idem+"k")
	w.refuses(keyReused, "DELETE", "/api/v1/links?link=ada-2", "", idem+"k")
	w.refuses(keyReused, "DELETE", "/api/v1/links", `{"link":"ada"}`, idem+"k")
	w.refuses("400 invalid_query: Query parameter link was given more than once [link]", "DELETE", "/api/v1/links?link=a&link=b", "", idem+"fresh")
	w.refuses("404 link_not_found: Affiliate link not found", "DELETE", "/api/v1/links?link=a", "", idem+"fresh")
}
