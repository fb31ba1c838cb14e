package servertest

import (
	"fmt"
	"slices"
	"strings"
)

// endpoint makes an endpoint of the case's own. It is deleted when the case
// ends.
func (x *exam) endpoint(member string) *answer {
	a := x.do("POST /webhooks", `{"url":"https://hooks.conform.example/{{u}}",`+member+`}`)
	if a.status == 200 {
		id := a.id()
		x.later(func() { deleteWebhook(x, id)(x.ctx) })
	}
	return a
}

// endpointCases test /webhooks and the paths below it.
func endpointCases() []serverCase {
	return slices.Concat(endpointURLCases(), addressCases(), endpointEventsCases(), endpointFieldCases(),
		endpointIDCases(), endpointChangeCases(), rotationCases(), testCases(), ownEndpointCases())
}

func endpointURLCases() []serverCase {
	const rule = "contract 2.12, url: https, port 443 or 1024 and above, no user info, no fragment; addresses by the host's policy"
	const host = "https://hooks.conform.example/"
	with := func(url string) string { return `{"events":["*"],"url":"` + url + `"}` }
	rows := []refusedCase{
		{"B446 url missing", `{"events":["*"]}`, urlRequired},
		{"B446 url null", `{"url":null,"events":["*"]}`, urlRequired},
		{`B446 url ""`, with(""), urlRequired},
		{"B446 url 5", `{"url":5,"events":["*"]}`, mustBe("url", asString)},
		{"B441 url of 2,049 bytes", with(host + strings.Repeat("x", 2049-len(host))), mustBe("url", tooLong)},
	}
	for _, u := range []string{
		"ftp://hooks.conform.example/", "javascript:alert(1)", "file:///etc/passwd", "hooks.conform.example/x", "//hooks.conform.example/", "https://", "https:///x", "https:hooks.conform.example",
		"https://user:pass@hooks.conform.example/", "https://user@hooks.conform.example/", "https://hooks.conform.example/#x", "https://hooks.conform.example:99999/", "https://a b/", `https://hooks.conform.example/\u0000`,
		"HTTPS//x", "https://[::1", "x",
	} {
		rows = append(rows, refusedCase{"B439 url " + u, with(u), urlNotHTTPS})
	}
	return refusals(rule, "POST /webhooks", rows...)
}

func endpointEventsCases() []serverCase {
	const rule = "contract 2.12, events: 1–15 distinct event types"
	with := func(list string) string {
		return `{"url":"https://hooks.conform.example/{{u}}","events":` + list + `}`
	}
	rows := []refusedCase{
		{"B446 events missing", `{"url":"https://hooks.conform.example/{{u}}"}`, eventsRequired},
		{"B446 events []", with("[]"), eventsRequired},
		{"B446 events null", with("null"), eventsRequired},
		{"B448 events with a duplicate", with(`["sale.created","coupon.created","sale.created"]`), duplicateEvent("sale.created")},
		{"B449 events as text", with(`"sale.created"`), mustBe("events", asStrings)},
		{"B449 events [1]", with(`[1]`), mustBe("events", asStrings)},
		{"B449 events {}", with(`{}`), mustBe("events", asStrings)},
	}
	for _, typ := range []string{"promotional_code.created", "coupon.*", "Coupon.created", "coupon.created.x", "payout.created", "", "click.created", "link.updated", " sale.created", "sale"} {
		rows = append(rows, refusedCase{fmt.Sprintf("B447 events %q", typ), with(`["` + typ + `"]`), unknownEvent("events", typ)})
	}
	return refusals(rule, "POST /webhooks", rows...)
}

func endpointFieldCases() []serverCase {
	with := func(member string) string {
		return `{"url":"https://hooks.conform.example/","events":["*"],` + member + `}`
	}
	return refusals("contract 2.12: each field's own rule", "POST /webhooks",
		refusedCase{"B451 active yes", with(`"active":"yes"`), mustBe("active", asBoolean)},
		refusedCase{"B451 svixHeaders 1", with(`"svixHeaders":1`), mustBe("svixHeaders", asBoolean)},
		refusedCase{"B451 headers a list", with(`"headers":["X-Key: k"]`), mustBe("headers", asTexts)},
		refusedCase{"B451 headers of numbers", with(`"headers":{"X-Key":5}`), mustBe("headers", asTexts)},
		refusedCase{"B451 a header that the sender sets", with(`"headers":{"webhook-id":"x"}`), mustBe("headers", "must not have the name webhook-id")},
		refusedCase{"B451 a header of two lines", with(`"headers":{"X-Key":"a\r\nX-Admin: yes"}`), mustBe("headers", "must have 1 to 4096 printable ASCII characters as the value of X-Key")},
		refusedCase{`B451 description ""`, with(`"description":""`), mustBe("description", notEmpty)},
		refusedCase{"B451 description of 256", with(`"description":"` + strings.Repeat("x", 256) + `"`), mustBe("description", tooLong)},
	)
}

// endpointIDCases test webhookId on every operation that takes one.
func endpointIDCases() []serverCase {
	const rule = "contract 4.2: webhookId is required; unknown is 404"
	var cases []serverCase
	for _, operation := range []string{"PUT /webhooks", "DELETE /webhooks", "POST /webhooks/rotate-secret", "POST /webhooks/test"} {
		more := ""
		if operation == "POST /webhooks/test" {
			more = `,"event":"sale.created"`
		}
		cases = append(cases, refusals(rule, operation,
			refusedCase{"B452 " + operation + " no webhookId", `{"x":1` + more + `}`, webhookIDRequired},
			refusedCase{"B452 " + operation + " webhookId null", `{"webhookId":null` + more + `}`, webhookIDRequired},
			refusedCase{"B452 " + operation + " webhookId 5", `{"webhookId":5` + more + `}`, mustBe("webhookId", asString)},
			refusedCase{"B453 " + operation + " unknown", `{"webhookId":"{{unknown}}"` + more + `}`, webhookNotFound},
			refusedCase{"B453 " + operation + " text", `{"webhookId":"x"` + more + `}`, webhookNotFound},
		)...)
	}
	return cases
}

// endpointChangeCases test what PUT /webhooks refuses.
func endpointChangeCases() []serverCase {
	const operation = "PUT /webhooks"
	with := func(member string) string { return `{"webhookId":"{{webhook}}",` + member + `}` }
	var unknown, nulls []refusedCase
	for _, field := range []string{"secret", "status", "id", "disabledReason", "activ"} {
		unknown = append(unknown, refusedCase{"B452 PUT " + field, with(`"` + field + `":null`), unknownField(field)})
	}
	for _, field := range []string{"url", "events", "active", "svixHeaders"} {
		nulls = append(nulls, refusedCase{"B452 PUT " + field + " null", with(`"` + field + `":null`), mustBe(field, notNull)})
	}
	return slices.Concat(
		refusals("contract 1.3: unknown fields are refused on PUT /webhooks", operation, unknown...),
		refusals("contract 1.3: null is 400 where it cannot clear", operation, nulls...),
		refusals("contract 4.2, PUT: the rows of POST", operation,
			refusedCase{`B452 PUT url ""`, with(`"url":""`), mustBe("url", notEmpty)},
			refusedCase{"B452 PUT url ftp", with(`"url":"ftp://x"`), urlNotHTTPS},
			refusedCase{"B452 PUT url of a metadata service", with(`"url":"https://169.254.169.254/"`), urlNotAllowed},
			refusedCase{"B452 PUT events []", with(`"events":[]`), eventsRequired},
			refusedCase{"B452 PUT events unknown", with(`"events":["x"]`), unknownEvent("events", "x")},
		))
}

func rotationCases() []serverCase {
	var rows []refusedCase
	for _, n := range []string{"-1", "604801", "1.5", `"5"`, "true", "1e3"} {
		rows = append(rows, refusedCase{"B454 gracePeriodSeconds " + n, `{"webhookId":"{{webhook}}","gracePeriodSeconds":` + n + `}`, gracePeriodRange})
	}
	return refusals("contract 4.2, gracePeriodSeconds: an integer 0–604800", "POST /webhooks/rotate-secret", rows...)
}

func testCases() []serverCase {
	with := func(event string) string { return `{"webhookId":"{{webhook}}","event":` + event + `}` }
	return refusals("contract 4.2, event: one of the fifteen types", "POST /webhooks/test",
		refusedCase{"B455 event missing", `{"webhookId":"{{webhook}}"}`, eventRequired},
		refusedCase{"B455 event null", with("null"), eventRequired},
		refusedCase{"B455 event unknown", with(`"sale.refunded"`), unknownEvent("event", "sale.refunded")},
		refusedCase{"B455 event *", with(`"*"`), unknownEvent("event", "*")},
		refusedCase{"B455 event 5", with("5"), mustBe("event", asString)},
	)
}

// ownEndpointCases make an endpoint of their own.
func ownEndpointCases() []serverCase {
	return []serverCase{
		{"B451 the least endpoint", "contract 2.12: defaults, the secret on creation only; what the server gives is ignored", leastEndpoint},
		{"B452 PUT an endpoint", "contract 2.12, active: false is manual; true enables again", changedEndpoint},
		{"B453 DELETE twice", "contract 4.2: DELETE names what it deleted, then 404", deletedEndpoint},
		{"B454 rotation", "contract 4.2: the new secret, and when the old one ends; null when the grace period is 0", rotatedSecret},
		{"B459 no secret in GET", "contract 2.12, secret: POST and rotate only", noSecretInGet},
		{"B427 a secret is replayed", onceRule, replayedSecret},
		{"B450 the 51st endpoint", "contract 2.12: at most 50 endpoints per program", tooManyEndpoints},
		{"B451 the list", "contract 4.2: endpoints, newest first", newestEndpointFirst},
	}
}

func leastEndpoint(x *exam) {
	a := x.endpoint(`"events":["*"],"secret":"whsec_AAAA","status":"disabled","id":"{{unknown}}"`).as("w")
	a.has(`{"url":"https://hooks.conform.example/{{u}}","description":null,"active":true,"svixHeaders":false,"headerNames":[],"status":"enabled","disabledReason":null,"disabledAt":null,"firstFailureAt":null,
		"lastSuccessAt":null,"pausedUntil":null,"previousSecretExpiresAt":null,"events":["` + strings.Join(eventTypes(), `","`) + `"]}`)
	secret := a.text("secret")
	if secret == "whsec_AAAA" || a.id() == x.fill("{{unknown}}") || !strings.HasSuffix(secret, a.text("secretHint")) {
		a.wants("an id, a secret and a hint of the server's own")
	}
	x.get("/webhooks?webhookId={{w}}").has(`{"id":"{{w}}","secretHint":"` + a.text("secretHint") + `"}`)
}

func changedEndpoint(x *exam) {
	x.endpoint(`"events":["sale.created"],"description":"d"`).as("w")
	put := func(member string) *answer { return x.do("PUT /webhooks", `{"webhookId":"{{w}}",`+member+`}`) }
	a := put(`"active":false`).has(`{"active":false,"status":"disabled","disabledReason":"manual"}`)
	if a.at("disabledAt") == nil {
		a.wants("disabledAt")
	}
	put(`"active":true`).has(`{"active":true,"status":"enabled","disabledReason":null,"disabledAt":null}`)
	put(`"url":"https://other.conform.example:8443/x?y=z","events":["coupon.created","sale.deleted"],"description":null,"svixHeaders":true`).
		has(`{"url":"https://other.conform.example:8443/x?y=z","events":["coupon.created","sale.deleted"],"description":null,"svixHeaders":true}`)
	put(`"headers":{"authorization":"Basic dTpw"}`).has(`{"headerNames":["Authorization"]}`)
	put(`"url":"https://third.conform.example/"`).refused(mustBe("headers", "must be given again when url leads to another host"))
	put(`"headers":null`).has(`{"headerNames":[]}`)
	put(`"events":["*"]`).has(`{"events":["` + strings.Join(eventTypes(), `","`) + `"]}`)
	put(`"events":["sale.created","sale.created"]`).refused(duplicateEvent("sale.created"))
}

func deletedEndpoint(x *exam) {
	x.endpoint(`"events":["*"]`).as("w")
	x.do("DELETE /webhooks?webhookId={{w}}", "").has(`{"message":"Webhook endpoint deleted successfully","deletedWebhook":{"id":"{{w}}","url":"https://hooks.conform.example/{{u}}"}}`)
	x.do("DELETE /webhooks", `{"webhookId":"{{w}}"}`).refused(webhookNotFound)
	x.get("/webhooks?webhookId={{w}}").null()
}

func rotatedSecret(x *exam) {
	first := x.endpoint(`"events":["*"],"active":false`).as("w").text("secret")
	a := x.do("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}"}`).has(`{"id":"{{w}}"}`)
	if a.at("previousSecretExpiresAt") == nil || a.text("secret") == first || !strings.HasSuffix(a.text("secret"), a.text("secretHint")) {
		a.wants("another secret and the end of the old one")
	}
	x.do("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}","gracePeriodSeconds":0}`).has(`{"previousSecretExpiresAt":null}`)
	x.do("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}","gracePeriodSeconds":604800}`).ok()
}

func noSecretInGet(x *exam) {
	secret := x.endpoint(`"events":["*"],"active":false`).as("w").text("secret")
	rotated := x.do("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}"}`).text("secret")
	for _, a := range []*answer{x.get("/webhooks"), x.get("/webhooks?webhookId={{w}}"), x.do("PUT /webhooks", `{"webhookId":"{{w}}","description":"d"}`)} {
		if strings.Contains(string(a.ok().body), secret) || strings.Contains(string(a.body), rotated) || strings.Contains(string(a.body), `"secret"`) {
			a.wants("no secret")
		}
	}
}

func replayedSecret(x *exam) {
	body := `{"url":"https://hooks.conform.example/{{u}}","events":["*"],"active":false}`
	first := x.send(keyed("POST /webhooks", body, x.unique)).as("w")
	x.later(func() { deleteWebhook(x, x.names["w"])(x.ctx) })
	x.send(keyed("POST /webhooks", body, x.unique)).ok().bytes(first.body).headed("Idempotent-Replayed", "true")
	rotated := x.send(keyed("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}"}`, x.unique+"r")).ok()
	x.send(keyed("POST /webhooks/rotate-secret", `{"webhookId":"{{w}}"}`, x.unique+"r")).ok().bytes(rotated.body).headed("Idempotent-Replayed", "true")
}

func tooManyEndpoints(x *exam) {
	for range 51 {
		a := x.endpoint(`"events":["sale.created"],"active":false`)
		if a.status != 200 {
			a.refused(webhookLimitReached)
			return
		}
	}
	x.fail(Failure{"POST /webhooks, 51 times", webhookLimitReached.String(), "51 endpoints"})
}

func newestEndpointFirst(x *exam) {
	x.endpoint(`"events":["sale.created"],"active":false`).as("one")
	x.endpoint(`"events":["sale.created"],"active":false`).as("two")
	var got []string
	for _, id := range x.walk("/webhooks?limit=1", nil) {
		if id == x.names["one"] || id == x.names["two"] {
			got = append(got, id)
		}
	}
	x.sameIDs("/webhooks", []string{x.names["two"], x.names["one"]}, got)
}

// deliveryCases test /webhooks/deliveries, /test and /replay.
func deliveryCases() []serverCase {
	const operation = "POST /webhooks/replay"
	const replay = "contract 4.2: deliveryId, or webhookId with since"
	cases := refusals(replay, operation,
		refusedCase{"B457 nothing", `{}`, replayTargetRequired},
		refusedCase{"B457 webhookId alone", `{"webhookId":"{{webhook}}"}`, replayTargetRequired},
		refusedCase{"B457 since alone", `{"since":"2031-01-01"}`, replayTargetRequired},
		refusedCase{"B457 since long ago", `{"webhookId":"{{webhook}}","since":"2020-01-01"}`, sinceTooOld},
		refusedCase{"B457 since x", `{"webhookId":"{{webhook}}","since":"x"}`, mustBe("since", asDate)},
		refusedCase{"B457 unknown delivery", `{"deliveryId":"{{unknown}}"}`, deliveryNotFound},
		refusedCase{"B457 deliveryId 5", `{"deliveryId":5}`, mustBe("deliveryId", asString)},
		refusedCase{"B457 unknown endpoint", `{"webhookId":"{{unknown}}","since":"2099-01-01"}`, webhookNotFound},
		refusedCase{"B458 a disabled endpoint", `{"webhookId":"{{webhook}}","since":"2099-01-01"}`, webhookDisabled},
	)
	for _, row := range []struct {
		name, query string
		want        denial
	}{
		{"state dead", "state=dead", badParameter("state", "must be one of pending, delivered, failed, skipped, canceled")},
		{"since x", "since=x", badParameter("since", asDate)}, {"until 2026-02-30", "until=2026-02-30", badParameter("until", asDate)},
	} {
		cases = append(cases, serverCase{"B456 " + row.name, "contract 4.2: a bad filter is invalid_query with the field error's text", func(x *exam) {
			x.get("/webhooks/deliveries?" + row.query).refused(row.want)
		}})
	}
	return append(cases,
		serverCase{"B456 event y", "contract 4.2: a bad filter is invalid_query with the field error's text", func(x *exam) {
			x.get("/webhooks/deliveries?event=y").refused(badParameter("event", "must be one of "+strings.Join(eventTypes(), ", ")))
		}},
		serverCase{"B111 deliveries of nobody", missRule, func(x *exam) {
			x.get("/webhooks/deliveries?webhookId={{unknown}}").has("[]")
			x.get("/webhooks/deliveries?webhookId=x&state=failed&since=2020-01-01&until=2099-01-01T00:00:00Z").has("[]")
		}},
		serverCase{"B458 filters are combined", "contract 1.5, 4.2: all given filters combined, newest first", func(x *exam) {
			x.listen()
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			x.do("PUT /coupons", `{"couponId":"{{c}}","percentOff":20}`).ok()
			base := "/webhooks/deliveries?webhookId={{hook}}"
			x.get(base + "&event=coupon.updated").has(`[{"event":"coupon.updated","state":"skipped","attemptCount":0,"nextAttemptAt":null,"attempts":[],"webhookId":"{{hook}}"}]`)
			x.get(base + "&state=skipped").has(`[{"event":"coupon.updated"},{"event":"coupon.created"}]`)
			x.get(base + "&state=pending").has("[]")
			x.get(base + "&until=2020-01-01").has("[]")
			x.get(base + "&since=2020-01-01&event=coupon.created").has(`[{"event":"coupon.created"}]`)
			if got := x.walk(base+"&limit=1", nil); len(got) != 2 {
				x.fail(Failure{"GET " + x.fill(base), "2 deliveries", fmt.Sprint(got)})
			}
		}},
		serverCase{"B458 replay of a disabled endpoint's delivery", replay, func(x *exam) {
			x.listen()
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).ok()
			id := x.get("/webhooks/deliveries?webhookId={{hook}}").text("0.id")
			x.do(operation, `{"deliveryId":"`+id+`"}`).refused(webhookDisabled)
			x.do("DELETE /webhooks", `{"webhookId":"{{hook}}"}`).ok()
		}},
		serverCase{"B455 a test", "contract 4.2: one request at once, whatever comes of it is 200", func(x *exam) {
			x.endpoint(`"events":["sale.created"],"active":false`).as("w")
			a := x.do("POST /webhooks/test", `{"webhookId":"{{w}}","event":"coupon.deleted"}`).ok()
			if a.at("delivered") == true && a.at("statusCode") == nil {
				a.wants("a statusCode")
			}
			x.get("/webhooks/deliveries?webhookId={{w}}").has("[]")
		}},
	)
}
