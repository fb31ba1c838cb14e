package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"time"
)

// An account is Stripe in this process: it has events, sends them as webhooks, and lists them in its API.
type account struct{ events []event }

// An event is one, as Stripe has it.
type event struct {
	at   time.Time
	body json.RawMessage
}

func (a *account) add(at time.Time, kind string, object map[string]any) {
	body, err := json.Marshal(map[string]any{
		"id": fmt.Sprintf("evt_%d", len(a.events)+1), "object": "event", "type": kind, "livemode": true,
		"created": at.Unix(), "api_version": "2026-02-25.clover", "data": map[string]any{"object": object}})
	if err != nil {
		panic(err) // it has texts and numbers
	}
	a.events = append(a.events, event{at, body})
}

// paid is a checkout that was paid, with what it carried.
func (a *account) paid(at time.Time, id, customer string, cents int64, carried map[string]string) {
	a.add(at, "checkout.session.completed", map[string]any{
		"id": "cs_" + id, "object": "checkout.session", "mode": "payment", "status": "complete", "payment_status": "paid",
		"payment_intent": "pi_" + id, "customer": "cus_" + customer, "currency": "usd", "created": at.Unix(),
		"customer_details": map[string]any{"email": customer + "@customers.example", "name": customer},
		"amount_total":     cents, "amount_subtotal": cents, "metadata": carried,
		"total_details": map[string]any{"amount_tax": 0, "amount_discount": 0, "amount_shipping": 0}})
}

// refunded is a refund of a part of a payment.
func (a *account) refunded(at time.Time, id string, cents int64) {
	a.add(at, "refund.created", map[string]any{"id": "re_" + id, "object": "refund", "payment_intent": "pi_" + id,
		"amount": cents, "currency": "usd", "status": "succeeded", "created": at.Unix()})
}

// serve is the API: its list of events, the newest first. It is busy now and then.
func (a *account) serve() *httptest.Server {
	n := 0
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n%50 == 7 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		q := r.URL.Query()
		from, _ := strconv.ParseInt(q.Get("created[gte]"), 10, 64)
		to, _ := strconv.ParseInt(q.Get("created[lt]"), 10, 64)
		data := []json.RawMessage{}
		for _, e := range slices.Backward(a.events) {
			if at := e.at.Unix(); from <= at && at < to { // never more than a page of 100 in this shop
				data = append(data, e.body)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "has_more": false})
	}))
}
