package servertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// listen makes an endpoint that subscribes to everything and is switched off.
// What it would have received is stored, and nothing is sent.
func (x *exam) listen() { x.endpoint(`"events":["*"],"active":false`).as("hook") }

// heard returns the deliveries since listen about records of the case, oldest
// first, with their payloads.
func (x *exam) heard() []*answer {
	var own []string
	for name, id := range x.names {
		if !strings.Contains(name, ".") {
			own = append(own, id)
		}
	}
	var all []*answer
	for _, id := range slices.Backward(x.get("/webhooks/deliveries?webhookId={{hook}}").ids()) {
		a := x.get("/webhooks/deliveries?deliveryId=" + id).ok()
		if slices.Contains(own, a.text("payload.body.id")) || strings.Contains(string(a.body), x.unique) {
			all = append(all, a)
		}
	}
	return all
}

// fired expects exactly these events since listen, in this order.
func (x *exam) fired(want ...string) []*answer {
	all := x.heard()
	var got []string
	for _, a := range all {
		got = append(got, a.text("event"))
	}
	if !slices.Equal(want, got) {
		x.fatal(Failure{x.fill("GET /api/v1/webhooks/deliveries?webhookId={{hook}}"), fmt.Sprintf("the events %q", want), fmt.Sprintf("%q", got)})
	}
	return all
}

// envelope expects an event whose body has a form.
func (x *exam) envelope(a *answer, revision int, body form) {
	keys := []string{"event", "eventId", "occurredAt", "programId", "revision", "body"}
	a.has(fmt.Sprintf(`{"eventId":%q,"event":%q,"payload":{"event":%q,"eventId":%q,"revision":%d}}`,
		a.text("eventId"), a.text("event"), a.text("event"), a.text("eventId"), revision))
	var outer struct{ Payload json.RawMessage }
	_ = json.Unmarshal(a.body, &outer) // it has been read before
	if got := memberNames(outer.Payload); !slices.Equal(got, keys) {
		a.wants("exactly the keys %q, in this order", keys)
	}
	frame := fields{"occurredAt": aDate, "programId": anID, "body": body}
	if wrong := frame.form(a.at("payload")); wrong != "" {
		a.wants("a payload as documented: %s", wrong)
	}
}

// memberNames returns the names of an object's members in their order.
func memberNames(object json.RawMessage) []string {
	dec := json.NewDecoder(strings.NewReader(string(object)))
	_, _ = dec.Token()
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(name))
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}

// justID returns the form of a deleted record's event: its id and nothing else.
func justID(id form) form {
	return func(v any) string {
		if object, ok := v.(map[string]any); !ok || len(object) != 1 {
			return "is not exactly an id"
		}
		return fields{"id": id}.form(v)
	}
}

// The bodies of events that have more than the answers of the API.
func affiliateEvent() form {
	more := affiliateForm()
	delete(more, "link")
	return more.and(fields{
		"link": orNull(aText), "commissionPlan": orNull(anObject), "commissionTier": orNull(anObject),
		"promotionalCodes": listOf(fields{"id": anID, "code": aText, "active": aBool, "expiresAt": orNull(aDate), "couponId": anID}.form),
		"questionAnswers":  listOf(fields{"id": anID, "questionId": aText, "answer": aText}.form),
	}).form
}

func referralEvent() form {
	return referralForm().and(fields{"affiliate": orNull(summaryForm().form), "commissionPlan": orNull(anObject)}).form
}

const eventRule = "contract 7.1: one event per change and object, written with the change; none for a refusal, a read, a null outcome, a repeat or a change of nothing"

// eventCases test which events an operation fires. They read the deliveries of
// an endpoint that is switched off.
func eventCases() []serverCase {
	return []serverCase{
		{"V coupon", eventRule, func(x *exam) {
			x.listen()
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}"}`).as("k")
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":1000}`).refused(percentOffRange)
			x.do("PUT /coupons", `{"couponId":"{{c}}","percentOff":10.0}`).ok()
			x.do("PUT /coupons", `{"couponId":"{{c}}","percentOff":20}`).ok()
			x.get("/coupons?id={{c}}").ok()
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).ok()
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).refused(couponNotFound)
			all := x.fired("coupon.created", "promocode.created", "coupon.updated", "coupon.deleted")
			x.envelope(all[0], 1, couponForm().form)
			x.envelope(all[1], 1, codeForm().form)
			x.envelope(all[2], 2, couponForm().form)
			x.envelope(all[3], 3, justID(anID))
			all[2].has(`{"payload":{"body":{"id":"{{c}}","percentOff":20,"promotionalCodes":[{"id":"{{k}}"}]}}}`)
			all[3].has(`{"payload":{"body":{"id":"{{c}}"}}}`)
		}},
		{"V promotional code", eventRule, func(x *exam) {
			x.listen()
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}","affiliateId":"{{affiliate}}"}`).as("k")
			x.do("POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}"}`).refused(codeTaken)
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":true}`).ok()
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","active":false}`).ok()
			x.do("PUT /promotional-codes", `{"promotionalCodeId":"{{k}}","code":"`+strings.ToUpper(x.unique)+`"}`).ok()
			x.do("DELETE /promotional-codes", `{"promotionalCodeId":"{{k}}"}`).ok()
			all := x.fired("promocode.created", "promocode.updated", "promocode.updated", "promocode.deleted")
			x.envelope(all[1], 2, codeForm().form)
			x.envelope(all[3], 4, justID(anID))
			all[0].has(`{"payload":{"body":{"coupon":{"name":"{{coupon.name}}"},"affiliate":{"id":"{{affiliate}}"}}}}`)
		}},
		{"V affiliate and links", eventRule, func(x *exam) {
			x.listen()
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).as("a")
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","firstName":"A"}`).has(`{"count":1}`)
			x.do("PUT /affiliates", `{"affiliateId":"{{a}}","firstName":"C","affiliateLink":"{{u}}-2"}`).ok()
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"{{u}}-3"}`).as("l")
			x.do("PUT /links", `{"id":"{{l}}","newLink":"{{u}}-3"}`).ok()
			x.do("PUT /links", `{"id":"{{l}}","newLink":"`+strings.ToUpper(x.unique)+`-3"}`).ok()
			x.do("DELETE /links", `{"id":"{{l}}"}`).ok()
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}","forfeit":true}`).ok()
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}","forfeit":true}`).ok()
			all := x.fired("affiliate.created", "affiliate.updated", "affiliate.updated", "affiliate.updated", "affiliate.updated", "affiliate.deleted")
			for i, a := range all[:5] {
				x.envelope(a, i+1, affiliateEvent())
			}
			x.envelope(all[5], 6, justID(anID))
			all[0].has(`{"payload":{"body":{"link":"{{u}}","affiliateLink":null,"affiliateLinks":[{"link":"{{u}}"}],"promotionalCodes":[],"questionAnswers":[]}}}`)
		}},
		{"V referral", eventRule, func(x *exam) {
			x.listen()
			body := `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`
			x.do("POST /referrals", body).as("r")
			x.do("POST /referrals", body).ok()
			x.do("PUT /referrals", `{"referralId":"{{r}}","name":"N"}`).ok()
			x.do("PUT /referrals", `{"referralId":"{{r}}","name":"M"}`).ok()
			x.do("POST /sales", `{"referralId":"{{r}}","totalEarned":10}`).as("s")
			x.do("DELETE /referrals", `{"referralId":"{{r}}","forfeit":true}`).ok()
			x.do("DELETE /referrals", `{"referralId":"{{r}}","forfeit":true}`).ok()
			all := x.fired("referral.created", "referral.updated", "sale.created", "referral.deleted")
			x.envelope(all[0], 1, referralEvent())
			x.envelope(all[1], 2, referralEvent())
			x.envelope(all[3], 3, justID(anID))
		}},
		{"V sale", eventRule, func(x *exam) {
			x.listen()
			sale := `{"referralId":"{{affiliate.slug}}","email":"{{u}}@conform.example","name":"N","totalEarned":10,"externalId":"{{u}}"}`
			x.do("POST /sales", sale).as("s", "referralId")
			x.do("POST /sales", sale).null()
			x.do("POST /sales", `{"email":"{{u}}-no@conform.example","totalEarned":10}`).null()
			x.do("PUT /sales", `{"saleId":{{s}},"totalEarned":10.0}`).ok()
			x.do("PUT /sales", `{"saleId":{{s}},"totalEarned":20}`).ok()
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":5,"refundId":"1"}`).ok()
			x.do("PATCH /sales", `{"saleId":{{s}},"amount":5,"refundId":"1"}`).ok()
			x.do("PATCH /sales", `{"saleId":{{s}}}`).ok()
			x.do("PATCH /sales", `{"saleId":{{s}}}`).ok()
			x.do("PUT /sales", `{"saleId":{{s}},"name":"M"}`).ok()
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			all := x.fired("referral.created", "sale.created", "sale.updated", "sale.updated", "sale.deleted")
			for i, a := range all[1:4] {
				x.envelope(a, i+1, saleForm().form)
			}
			x.envelope(all[4], 4, justID(anInteger))
			all[1].has(`{"payload":{"body":{"id":{{s}},"paymentTrigger":"PURCHASE","referral":{"id":"{{s.referralId}}"},"affiliate":{"id":"{{affiliate}}"},"commissions":[{"payoutCreated":false,"payoutId":null}]}}}`)
			all[3].has(`{"payload":{"body":{"refundedAmount":5,"status":"ACTIVE"}}}`)
		}},
		{"V sale by code", "rule 3.4: redeeming changes counters only: no coupon.updated, no promocode.updated", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			x.do("POST /promotional-codes", `{"couponId":"{{c}}","code":"{{u}}","affiliateId":"{{affiliate}}"}`).as("k")
			x.listen()
			x.do("POST /promotional-codes/validate", `{"promoCode":"{{u}}","totalEarned":5}`).ok()
			for range 2 {
				x.send(keyed("POST /sales", `{"promoCode":"{{u}}","totalEarned":5,"externalId":"{{u}}"}`, x.unique)).as("s")
			}
			x.do("DELETE /sales", `{"saleId":{{s}}}`).ok()
			x.fired("sale.created", "sale.deleted")
		}},
		{"V cascades", "rule 3.7, 4.7: a delete fires only the event that contract 7.1 names", func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).as("a")
			x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"N","totalEarned":10}`).as("s")
			x.listen()
			x.do("DELETE /affiliates", `{"affiliateId":"{{a}}","forfeit":true}`).ok()
			x.fired("affiliate.deleted")
		}},
		{"V subscription", "contract 4.2: filtering is applied at the endpoint; an endpoint hears what comes after its creation", func(x *exam) {
			x.do("POST /coupons", `{"name":"{{u}}","percentOff":10}`).as("c")
			x.endpoint(`"events":["coupon.deleted","sale.created"],"active":false`).as("hook")
			x.do("PUT /coupons", `{"couponId":"{{c}}","percentOff":20}`).ok()
			x.do("DELETE /coupons", `{"couponId":"{{c}}"}`).ok()
			x.fired("coupon.deleted")
		}},
	}
}
