package httpapi_test

import (
	"strings"
	"testing"
)

// TestNote: keys write and read the note of an affiliate; a repeat of an answer that has it is the same; the
// events that are listed have it no more than webhooks.
func TestNote(t *testing.T) {
	w := newWorld(t)
	ada := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@example.org"}`)
	id := ada["id"].(string)
	if _, there := ada["note"]; there {
		t.Errorf("a new affiliate has the note %v", ada["note"])
	}
	w.ok("PUT", "/api/v1/affiliates", `{"affiliateId":"`+id+`","note":"asks often\n<b>"}`)
	equal(t, "asks often\n<b>", w.ok("GET", "/api/v1/affiliates?id="+id, "")["note"].(string))
	pay := operation{"POST", "/api/v1/affiliates/payout-details", `{"affiliateId":"` + id + `","payoutEmail":"ada@pay.example","paymentMethod":"PAYPAL"}`}
	first := w.do(pay.method, pay.target, pay.body, idem+"pay")
	if first.status != 200 || !strings.Contains(first.body, `"note":"asks often\n`) {
		t.Errorf("%d %s", first.status, first.body)
	}
	w.ok("PUT", "/api/v1/affiliates", `{"affiliateId":"`+id+`","note":null}`)
	w.replays(first, pay, idem+"pay")
	if _, there := w.ok("GET", "/api/v1/affiliates?id="+id, "")["note"]; there {
		t.Error("null leaves the note")
	}
	if events := w.do("GET", "/api/v1/events", ""); events.status != 200 || strings.Contains(events.body, "asks") || strings.Count(events.body, "affiliate.updated") < 2 {
		t.Errorf("%d %s", events.status, events.body)
	}
	w.verify()
}
