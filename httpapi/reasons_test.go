package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestErrorReasons: when a code is refused, the header lists every rule that
// fails, with its data, as the preview does. The body has a single field. A
// repeat with the same key says the same, whatever happened to the code since.
// Every answer of the tests is checked for this: only such a refusal has the
// header.
func TestErrorReasons(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","active":false,"expiresAt":"2026-01-01","maxRedemptions":1,"minimumAmount":50}`)
	for _, op := range []operation{
		{"POST", "/api/v1/sales", `{"promoCode":"ADA20","totalEarned":5}`},
		{"POST", "/api/v1/referrals", `{"promoCode":"ADA20","name":"N","email":"n@example.net","referredUserExternalId":"n"}`},
	} {
		first := w.do(op.method, op.target, op.body, idem+"k"+op.target)
		equal(t, "400 code_inactive: Promo code is not active", first.refusal())
		preview := w.do("POST", "/api/v1/promotional-codes/validate", op.body)
		var want struct{ Reasons json.RawMessage }
		must(0, json.Unmarshal([]byte(preview.body), &want))
		equal(t, string(want.Reasons), first.header.Get("Error-Reasons"))
		w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","expiresAt":null}`)
		w.replays(first, op, idem+"k"+op.target)
		w.receiptsThroughJSON()
		w.replays(first, op, idem+"k"+op.target)
		w.ok("PUT", "/api/v1/promotional-codes", `{"promotionalCodeId":"`+s.code.String()+`","expiresAt":"2026-01-01"}`)
	}
}

// checkReasons is part of the check of every answer.
func (a answer) checkReasons(t testing.TB, what string) {
	t.Helper()
	lines := a.header.Values("Error-Reasons")
	e := affiliate.Error{Reason: affiliate.Reason(a.code())}
	if !e.CodeRefused() {
		if len(lines) > 0 {
			t.Errorf("%s: %s with Error-Reasons %q", what, e.Reason, lines)
		}
		return
	}
	if len(lines) != 1 {
		t.Errorf("%s: %s with %d Error-Reasons", what, e.Reason, len(lines))
		return
	}
	for _, c := range []byte(lines[0]) {
		if c < ' ' || c > '~' {
			t.Errorf("%s: Error-Reasons holds the byte %q", what, c)
		}
	}
	var failures []affiliate.Failure
	if err := json.Unmarshal([]byte(lines[0]), &failures); err != nil || len(failures) == 0 || failures[0].Reason != e.Reason {
		t.Errorf("%s: %s with Error-Reasons %s, %v", what, e.Reason, lines[0], err)
	}
}
