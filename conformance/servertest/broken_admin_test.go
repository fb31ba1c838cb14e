package servertest

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// brokenAdmin returns servers that administer a program wrong, one for each story
// of administration (console check 24).
func brokenAdmin() []brokenServer {
	at := func(path string, do func(next http.Handler, r *http.Request, body []byte, a *reply)) middleware {
		return after(func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if r.URL.Path == "/api/v1"+path {
				do(next, r, body, a)
			}
		})
	}
	replacing := func(path, pattern, with string) middleware {
		return at(path, func(_ http.Handler, _ *http.Request, _ []byte, a *reply) { a.replace(pattern, with) })
	}
	forgives := func(path, answer string) middleware {
		return at(path, func(_ http.Handler, _ *http.Request, _ []byte, a *reply) {
			if a.status >= 400 {
				*a = reply{http.StatusOK, http.Header{}, []byte(answer)}
			}
		})
	}
	return []brokenServer{
		{"approves those of a list that it knows", []string{"admin/A4"}, at("/affiliates/status", func(next http.Handler, r *http.Request, body []byte, a *reply) {
			if first, _, two := strings.Cut(string(body), `","`); two && a.status == http.StatusNotFound {
				serve(next, r, http.MethodPost, r.URL.Path, []byte(first+`"],"status":"ACTIVE"}`))
			}
		})},
		{"keeps the payout email that is cleared", []string{"admin/A5"}, replacing("/affiliates/payout-details", `"payoutEmail":null`, `"payoutEmail":"pay@conform.example"`)},
		{"accepts an invitation twice", []string{"admin/A7"}, forgives("/affiliates/accept-invite", `{}`)},
		{"resets the terms that a change does not name", []string{"admin/A10"}, replacing("/commission-plans", `"holdDays":7`, `"holdDays":0`)},
		{"deletes a tier in use", []string{"admin/A11"}, forgives("/commission-tiers", `{"message":"Tier deleted successfully"}`)},
		{"ignores parameters of the program", []string{"admin/A12"}, at("/program", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if r.URL.RawQuery != "" {
				*a = *serve(next, r, http.MethodGet, r.URL.Path, nil)
			}
		})},
		{"never says that a job is over", []string{"admin/A41"}, replacing("/sales/recalculate", `"done":true`, `"done":false`)},
		{"opens pages for a second", []string{"admin/A42"}, replacing("/partner/token", `from 30 to 3600`, `from 1 to 3600`)},
		{"erases nobody and does not say whom it wants", []string{"admin/A43"}, replacing("/affiliates/erase", `Affiliate ID is required`, `ID is required`)},
		{"prunes what nobody has named", []string{"admin/A44"}, replacing("/prune", `Either before or retention`, `A date`)},
		{"shows nothing that waits", []string{"admin/A45"}, replacing("/attention", `"items":\[.*?\]`, `"items":[]`)},
		{"lists no payments that wait", []string{"admin/A47"}, replacing("/attention", `,"paymentConflicts":\{.*?\]\}`, "")},
		{"takes any word for a decision", []string{"admin/A46"}, replacing("/payments/decide", `one of same, own, dismiss`, "a word")},
		{"says that the books do not hold", []string{"admin/A40"}, replacing("/verify", `"holds":true`, `"holds":false`)},
		{"knows three statuses of a referral", []string{"admin/A18"}, replacing("/referrals/status", `PAST_DUE|CANCELLED`, "DECLINED")},
		{"keeps the plan of a referral", []string{"admin/A19"}, replacing("/referrals/plan", `"commissionPlanId":null`, `"commissionPlanId":"0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"`)},
		{"answers a click of nobody like the page's endpoint", []string{"admin/A20"}, replacing("/clicks", `^null$`, `{"exists":false}`)},
		{"makes the codes that it should check", []string{"admin/A21"}, at("/promotional-codes/generate", func(next http.Handler, r *http.Request, body []byte, _ *reply) {
			serve(next, r, http.MethodPost, r.URL.Path, []byte(strings.Replace(string(body), `,"checkOnly":true`, "", 1)))
		})},
		{"reverses nothing without an error", []string{"admin/A22"}, forgives("/sales/reverse", `{"message":"Sale reversed successfully","reversedSale":{"id":1}}`)},
		{"lists coupons that are not valid with the others", []string{"admin/A28"}, at("/coupons/summaries", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if page, _, two := strings.Cut(r.URL.RawQuery, "&valid="); two {
				*a = *serve(next, r, http.MethodGet, r.URL.Path+"?"+page, nil)
			}
		})},
		{"begins with the event that it should go on after", []string{"admin/A29"}, at("/events", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if strings.Contains(r.URL.RawQuery, "after=evt") {
				*a = *serve(next, r, http.MethodGet, r.URL.Path+"?after=start&limit=1", nil)
			}
		})},
		{"forgets a filter of a search", []string{"admin/A25"}, at("/affiliates/search", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if part, _, two := strings.Cut(r.URL.RawQuery, "&status="); two {
				*a = *serve(next, r, http.MethodGet, r.URL.Path+"?"+part, nil)
			}
		})},
		{"takes an unknown parameter for none", []string{"admin/A24"}, at("/affiliates/search", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if a.status >= 400 {
				*a = *serve(next, r, http.MethodGet, r.URL.Path, nil)
			}
		})},
		{"finds no customer by its own id", []string{"admin/A26"}, at("/referrals/search", func(_ http.Handler, r *http.Request, _ []byte, a *reply) {
			if strings.HasSuffix(r.URL.RawQuery, "-x") {
				a.body = []byte("[]")
			}
		})},
		{"takes a code at its limit for usable", []string{"admin/A27"}, at("/promotional-codes/search", func(next http.Handler, r *http.Request, _ []byte, a *reply) {
			if part, _, two := strings.Cut(r.URL.RawQuery, "&state=usable"); two {
				*a = *serve(next, r, http.MethodGet, r.URL.Path+"?"+part, nil)
			}
		})},
		{"says that every code works", []string{"admin/A27"}, replacing("/promotional-codes/search", `"usable":false`, `"usable":true`)},
		{"opens codes before their start", []string{"admin/H2"}, replacing("/promotional-codes/validate", `"reason":"not_started"`, `"reason":"code_expired"`)},
		{"takes off more than a cap", []string{"admin/H3"}, replacing("/promotional-codes/validate", `"discount":15,"total":85`, `"discount":20,"total":80`)},
		{"forgets what a budget spent", []string{"admin/H4"}, replacing("/coupons", `"discountTotal":40`, `"discountTotal":20`)},
		{"counts no pieces", []string{"admin/H5"}, replacing("/promotional-codes/validate", `"unverified":\["below_quantity"\]`, `"unverified":[]`)},
		{"takes a tag for another customer", []string{"admin/H6"}, replacing("/promotional-codes/validate", `"reason":"customer_limit".*?"used":1`, `"reason":"customer_limit","limit":1,"used":0`)},
		{"keeps the redemption of a refunded sale", []string{"admin/H7"}, replacing("/promotional-codes", `"timesRedeemed":0`, `"timesRedeemed":1`)},
		{"holds without a time", []string{"admin/H8"}, replacing("/holds", `until is required`, `a time is required`)},
		{"says that a confirmed hold is open", []string{"admin/H9"}, replacing("/holds", `"CONFIRMED"`, `"HELD"`)},
		{"does not give a place back", []string{"admin/H10"}, replacing("/holds", `"RELEASED"`, `"HELD"`)},
		{"holds no price", []string{"admin/H11"}, replacing("/holds", `"total":80`, `"total":100`)},
		{"lets a customer hold any number", []string{"admin/H12"}, forgives("/holds", `{"id":"x"}`)},
		{"forgets that a redemption was accepted", []string{"admin/H13"}, forgetting},
		{"restores a redemption twice", []string{"admin/A23"}, forgives("/sales/restore-redemption", `{"message":"Redemption restored successfully"}`)},
	}
}

// forgetting answers that a redemption over a limit is accepted, and does nothing.
func forgetting(next http.Handler) http.Handler {
	sale := regexp.MustCompile(`"saleId":(\d+)`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // it is in memory
		r.Body = io.NopCloser(bytes.NewReader(body))
		if id := sale.FindSubmatch(body); id != nil && strings.HasSuffix(r.URL.Path, "/sales/accept-redemption") {
			known := serve(next, r, http.MethodGet, "/api/v1/sales/explain?id="+string(id[1]), nil)
			if known.status == http.StatusOK && string(bytes.TrimSpace(known.body)) != "null" {
				known.body = []byte(`{"message":"Redemption accepted successfully"}`)
				known.send(w)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
