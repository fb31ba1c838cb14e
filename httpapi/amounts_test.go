package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const asStrings = "Amounts: string"

// A paper is a document of the API, or a part of it, as JSON.
type paper map[string]any

func (p paper) in(names ...string) paper {
	for _, name := range names {
		p, _ = p[name].(map[string]any)
	}
	return p
}

// follow returns the schema to which one points.
func (p paper) follow(schema paper) paper {
	if ref, is := schema["$ref"].(string); is {
		return p.in("components", "schemas", ref[strings.LastIndexByte(ref, '/')+1:])
	}
	return schema
}

// has reports whether a schema allows a type.
func (p paper) has(word string) bool {
	list, _ := p["type"].([]any)
	return p["type"] == word || slices.Contains(list, any(word))
}

func (w *world) paper(headers ...string) paper {
	var p paper
	must(0, json.Unmarshal([]byte(w.do("GET", "/api/v1/openapi.json", "", headers...).body), &p))
	return p
}

func (p paper) of(op operation) paper { return p.in("paths", op.path(), strings.ToLower(op.method)) }

func (p paper) answerOf(op operation) paper {
	return p.of(op).in("responses", "200", "content", "application/json", "schema")
}

// texts returns a value of a schema with every number of the document as a string, and adds
// how many there are.
func (p paper) texts(schema paper, value any, n *int) any {
	schema = p.follow(schema)
	if options, is := schema["oneOf"].([]any); is {
		for _, one := range options {
			if one := p.follow(one.(map[string]any)); reflect.ValueOf(value).IsValid() && one.fits(value) {
				return p.texts(one, value, n)
			}
		}
		return value
	}
	switch v := value.(type) {
	case json.Number:
		if schema.has("number") {
			*n++
			return v.String()
		}
	case []any:
		out := []any{}
		for _, element := range v {
			out = append(out, p.texts(schema.in("items"), element, n))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = p.texts(schema.in("properties", name), member, n)
		}
		return out
	}
	return value
}

// fits reports whether a value is of the JSON type of a schema, and has its properties.
func (p paper) fits(value any) bool {
	switch v := value.(type) {
	case []any:
		return p.has("array")
	case map[string]any:
		for name := range v {
			if p.in("properties", name) == nil {
				return false
			}
		}
		return p.has("object")
	case json.Number:
		return p.has("number") || p.has("integer")
	}
	return false
}

func exactly(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestAmountsAsStrings: every operation, asked with amounts as strings, does the same as with
// numbers, and answers the same, digit by digit; so do repeats, in the form that the repeat
// asks for.
func TestAmountsAsStrings(t *testing.T) {
	numbers, texts := newWorld(t), newWorld(t)
	doc, sent, got := numbers.paper(), 0, 0
	theirs := texts.fill().operations()
	for i, op := range numbers.fill().operations() {
		key, body := idem+"key-"+strconv.Itoa(i), theirs[i].body
		if body != "" {
			schema := doc.of(op).in("requestBody", "content", "application/json", "schema")
			before := sent
			if texts := doc.texts(schema, exactly(t, body), &sent); sent > before {
				body = string(must(json.Marshal(texts)))
			}
		}
		for _, form := range []string{asStrings, "Amounts: number", asStrings} {
			plain := numbers.do(op.method, op.target, op.body, key)
			text := texts.do(op.method, theirs[i].target, body, key, form)
			if plain.status != http.StatusOK || text.status != http.StatusOK && form == asStrings {
				t.Errorf("%s: %s, %s", op, plain.refusal(), text.refusal())
			}
			if op.path() == "/api/v1/openapi.json" || op.path() == "/api/v1/partner/token" || text.status != http.StatusOK {
				continue // it is another text, or without a key for a repeat, strings are refused
			}
			if form != asStrings {
				if text.body != plain.body {
					t.Errorf("%s: a repeat with numbers: %s\nwant %s", op, text.body, plain.body)
				}
				continue
			}
			want := doc.texts(doc.answerOf(op), exactly(t, plain.body), &got)
			if diff := cmp.Diff(want, exactly(t, text.body)); diff != "" {
				t.Errorf("%s (-numbers as strings +strings):\n%s", op, diff)
			}
			length := text.header.Get("Content-Length")
			if op.method == "GET" {
				length = texts.do("HEAD", theirs[i].target, "", asStrings).header.Get("Content-Length")
			}
			if length != strconv.Itoa(len(text.body)) {
				t.Errorf("%s: Content-Length %q of %d bytes", op, length, len(text.body))
			}
		}
	}
	if sent < 15 || got < 200 {
		t.Errorf("%d amounts were sent and %d were answered", sent, got)
	}
	t.Logf("%d amounts were sent and %d were answered", sent, got)
}

// TestAmountsHeader: what the header may be, and what it leaves alone.
func TestAmountsHeader(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	const wrong = "400 amounts_invalid: Amounts must be number or string"
	sale := "/api/v1/sales?id=" + s.sale
	for _, value := range []string{"strings", "String", "text", "string, number", "decimal"} {
		w.refuses(wrong, "GET", sale, "", "Amounts: "+value)
	}
	r := request("GET", sale, "")
	r.Header["Amounts"] = []string{"string", "string"}
	if got := w.send(r).refusal(); got != wrong {
		t.Errorf("two lines: %s", got)
	}
	r.Header["Amounts"] = []string{""}
	if got := w.send(r).refusal(); got != wrong {
		t.Errorf("an empty line: %s", got)
	}
	w.refuses("401 unauthorized: Unauthorized", "GET", sale, "", "Amounts: x", "Authorization:")
	w.refuses(wrong, "POST", "/api/v1/sales", "x", "Amounts: x") // before the body
	equal(t, w.do("GET", sale, ""), w.do("GET", sale, "", "Amounts: number"), cmp.AllowUnexported(answer{}))

	for body, want := range map[string]string{
		`"0.3"`: "200", `"1e1"`: "200", `0.3`: "200",
		`"0.30000000000000004"`: "400 invalid_field: totalEarned must have at most 4 decimal places [totalEarned]",
		`""`:                    "400 invalid_field: totalEarned must be a number [totalEarned]",
		`" 1"`:                  "400 invalid_field: totalEarned must be a number [totalEarned]",
		`"+1"`:                  "400 invalid_field: totalEarned must be a number [totalEarned]",
		`"01"`:                  "400 invalid_field: totalEarned must be a number [totalEarned]",
		`"1."`:                  "400 invalid_field: totalEarned must be a number [totalEarned]",
		`"1,5"`:                 "400 invalid_field: totalEarned must be a number [totalEarned]",
		`"NaN"`:                 "400 invalid_field: totalEarned must be a number [totalEarned]",
		`true`:                  "400 invalid_field: totalEarned must be a number [totalEarned]",
	} {
		full := `{"promoCode":"ADA20","email":"kim@example.net","totalEarned":` + body + `}`
		if got := w.do("POST", "/api/v1/sales", full, asStrings).refusal(); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
		if got := w.do("POST", "/api/v1/sales", full).status; body[0] == '"' && got != http.StatusBadRequest {
			t.Errorf("%s without the header: %d", body, got)
		}
	}
	for _, nested := range []string{
		`POST sales {"promoCode":"ADA20","email":"kim@example.net","totalEarned":"6","lines":[{"id":"1","productId":"p","quantity":"2","amount":"7.5","discount":"1.5"}]}`,
		`POST sales {"promoCode":"ADA20","email":"kim@example.net","totalEarned":"6","product":{"productId":"p","quantity":"2","price":"3"}}`,
		`PUT terms {"commissionRate":"15","maxPerSale":"5","from":"2099-01-01","rules":[{"name":"r","when":{"products":["p"]},"pay":{"commissionRate":"3.5","commissionType":"PERCENTAGE"}}]}`,
	} {
		method, rest, _ := strings.Cut(nested, " ")
		path, full, _ := strings.Cut(rest, " ")
		w.ok(method, "/api/v1/"+path, full, asStrings)
	}
	w.refuses("400 invalid_field: limit must be an integer from 1 to 10000 [limit]", "POST", "/api/v1/bonuses/grant", `{"limit":"5"}`, asStrings)
}

// TestAmountsOfOthers: what looks like an amount in a text, or in JSON of the host, stays byte
// for byte.
func TestAmountsOfOthers(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	doc := w.paper()
	const metadata = `{"amount":1,"a":[{"totalEarned":2.50,"x":-1e3}],"\"amount\":":3,"metadata":{"paid":4},"z":"\\"}`
	w.ok("PUT", "/api/v1/referrals", `{"referralId":"`+s.referral.String()+`","notes":"\",\"amount\":1,\"commission\":2","metadata":`+metadata+`}`)
	w.ok("PUT", "/api/v1/sales", `{"saleId":`+s.sale+`,"metadata":`+metadata+`}`)
	for _, target := range []string{"/referrals?id=" + s.referral.String(), "/sales?id=" + s.sale, "/sales", "/sales/search", "/referrals/search", "/events", "/webhooks/deliveries?deliveryId=" + s.delivery.String()} {
		plain := w.do("GET", "/api/v1"+target, "").body
		text := w.do("GET", "/api/v1"+target, "", asStrings).body
		op, n := operation{"GET", "/api/v1" + target, ""}, 0
		want := doc.texts(doc.answerOf(op), exactly(t, plain), &n)
		if diff := cmp.Diff(want, exactly(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
		if n := strings.Count(plain, metadata); n != strings.Count(text, metadata) || n == 0 && !strings.Contains(target, "deliveries") {
			t.Errorf("%s: the metadata is there %d times, then %d:\n%s", target, n, strings.Count(text, metadata), text)
		}
		for name, value := range map[string]string{"notes": `"\",\"amount\":1,\"commission\":2"`, "payload": `{"id":`} {
			member := `"` + name + `":` + value
			if strings.Count(plain, member) != strings.Count(text, member) {
				t.Errorf("%s: %s differs: %s", target, name, text)
			}
		}
	}
	if events := w.do("GET", "/api/v1/events", "", asStrings).body; !strings.Contains(events, `"totalEarned":129.5,`) || strings.Contains(events, `"totalEarned":"`) {
		t.Error("a payload has changed: ", events)
	}
}

// TestAmountsOfLongLists: a list that is sent in parts is as good as one that is not.
func TestAmountsOfLongLists(t *testing.T) {
	w := newWorld(t)
	w.fill()
	for range 150 {
		w.ok("POST", "/api/v1/sales", `{"promoCode":"ADA20","email":"kim@example.net","totalEarned":129.5}`)
	}
	doc, n, op := w.paper(), 0, operation{"GET", "/api/v1/sales", ""}
	plain, text := w.do(op.method, op.target, ""), w.do(op.method, op.target, "", asStrings)
	want := doc.texts(doc.answerOf(op), exactly(t, plain.body), &n)
	if diff := cmp.Diff(want, exactly(t, text.body)); diff != "" || n < 1000 {
		t.Errorf("%d amounts; -want +got\n%s", n, diff)
	}
	if plain.header.Get("Content-Length") != "" {
		t.Errorf("the list has %d bytes, and is sent at once", len(plain.body))
	}
}

// TestAmountsInDocument: the document for strings is the other one but for its numbers,
// examples and webhooks.
func TestAmountsInDocument(t *testing.T) {
	w := newWorld(t)
	numbers, n := w.paper(), 0
	var change func(any) any
	change = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = change(v[i])
			}
		case map[string]any:
			p := paper(v)
			delete(v, "examples")
			if p.has("number") {
				n++
				v["format"] = "decimal"
				for _, limit := range []string{"minimum", "maximum", "exclusiveMinimum"} {
					delete(v, limit)
				}
				if v["default"] != nil {
					v["default"] = "0"
				}
				if v["type"] == "number" {
					v["type"] = "string"
				} else {
					v["type"] = []any{"string", "null"}
				}
			}
			for name := range v {
				v[name] = change(v[name])
			}
		}
		return v
	}
	change(map[string]any(numbers))
	delete(numbers, "webhooks")
	if diff := cmp.Diff(numbers, w.paper(asStrings)); diff != "" || n < 200 {
		t.Errorf("%d numbers; -want +got\n%s", n, diff)
	}
}
