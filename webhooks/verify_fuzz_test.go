package webhooks_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// FuzzVerify: no headers cause a panic, and a request is verified only when it
// was signed with the secret: one of the entries is the signature of exactly
// this id, timestamp and body, which the test computes itself.
func FuzzVerify(f *testing.F) {
	seed := func(h http.Header, body string) {
		f.Add(strings.Join(h["Webhook-Id"], "\n"), strings.Join(h["Webhook-Timestamp"], "\n"), strings.Join(h["Webhook-Signature"], "\n"), false, []byte(body))
	}
	seed(headers(), vectorBody)
	seed(headers("webhook-signature", newerV1+" "+vectorV1), vectorBody)
	seed(lines("webhook-signature", "v1a,x", vectorV1), vectorBody)
	seed(headers("webhook-signature", newerV1+", "+vectorV1), vectorBody)
	seed(headers("webhook-id", "-"), "{}")
	seed(headers("webhook-timestamp", "+1773487458"), "")
	f.Add("evt_test_0001", strconv.Itoa(vectorTime), vectorV1, true, []byte(vectorBody))

	keys := []string{"tributary-webhooks-test-key-0002", "0123456789abcdef0123456789abcdef"}
	v := verifier(newerSecret, vectorSecret)
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, svix bool, body []byte) {
		h := http.Header{}
		for name, value := range map[string]string{"Webhook-Id": id, "Webhook-Timestamp": timestamp, "Webhook-Signature": signature} {
			if value != "" {
				h[name] = strings.Split(value, "\n")
			}
		}
		if svix {
			h = asSvix(h)
		}
		before := bytes.Clone(body)
		proof, err := v.Verify(h, body)
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		if err != nil {
			if !refused(err) || proof != (webhooks.Proof{}) {
				t.Fatalf("got %+v, %v", proof, err)
			}
			return
		}
		sum := hmac.New(sha256.New, []byte(keys[proof.Secret]))
		sum.Write([]byte(id + "." + timestamp + "." + string(body)))
		want := "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
		if !strings.Contains(signature, want) {
			t.Fatalf("verified %q without %q", h, want)
		}
		if proof.ID != id || strconv.FormatInt(proof.At.Unix(), 10) != timestamp {
			t.Fatalf("proof %+v of %q", proof, h)
		}
	})
}

// FuzzSign: a signed request is verified, and it is refused when one bit of it
// changes.
func FuzzSign(f *testing.F) {
	f.Add("evt_test_0001", int64(vectorTime), []byte(vectorBody), uint(3))
	f.Add("", int64(-1), []byte{}, uint(0))
	f.Add("a.b", int64(1e11), []byte("x"), uint(1000))
	f.Fuzz(func(t *testing.T, id string, seconds int64, body []byte, bit uint) {
		at := time.Unix(seconds, 0)
		h, err := webhooks.Sign([]affiliate.Secret{vectorSecret}, id, at, body)
		if err != nil {
			if errors.Is(err, webhooks.ErrIDSyntax) || errors.Is(err, webhooks.ErrTimestampSyntax) && (seconds < 0 || seconds > 99_999_999_999) {
				return
			}
			t.Fatal(err)
		}
		v := &webhooks.Verifier{Secrets: []affiliate.Secret{vectorSecret}, Now: func() time.Time { return at }}
		if _, err := v.Verify(h, body); err != nil {
			t.Fatalf("%q: %v", h, err)
		}
		if len(body) == 0 {
			return
		}
		body[bit/8%uint(len(body))] ^= 1 << (bit % 8)
		if _, err := v.Verify(h, body); err != webhooks.ErrSignature {
			t.Fatalf("a changed body: %v", err)
		}
	})
}

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
