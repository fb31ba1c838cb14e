package webhooks_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// FuzzReceiver: any request of a sender with the secret is answered 204 after
// one call at most, or 400 without a call. A sender without the secret is
// always refused.
func FuzzReceiver(f *testing.F) {
	for _, e := range engineEvents(f) {
		f.Add(e.Payload, "application/json", "v1,x")
	}
	f.Add([]byte(vectorBody), "text/plain; a=\"", vectorV1)
	f.Add([]byte(`{"event":"a.b","body":{}}`), "application/json; charset=utf-8", "")
	f.Fuzz(func(t *testing.T, payload []byte, contentType, signature string) {
		r := newReached()
		req := httptest.NewRequest("POST", "/", bytes.NewReader(payload))
		req.Header = signed(t, string(payload))
		req.Header.Set("Content-Type", "application/json")
		w := r.answer(req)
		if done := w.Code == 204; !done && w.Code != 400 || len(r.calls) > 1 || !done && len(r.calls) > 0 || done == (len(r.errs) == 1) {
			t.Fatalf("answered %d, called %q, told %v", w.Code, r.calls, r.errs)
		}

		r = newReached()
		req = httptest.NewRequest("POST", "/", bytes.NewReader(payload))
		req.Header = signed(t, string(payload), affiliate.Secret(secretOf(32)))
		req.Header.Set("Content-Type", contentType)
		req.Header.Add("Webhook-Signature", signature)
		w = r.answer(req)
		if stranger := !strings.Contains(signature, vectorV1); stranger && (w.Code != 400 && w.Code != 401 && w.Code != 415 || len(r.calls) > 0) {
			t.Fatalf("answered a stranger %d, called %q", w.Code, r.calls)
		}
	})
}
