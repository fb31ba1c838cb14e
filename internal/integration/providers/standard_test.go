package providers_test

import (
	"encoding/base64"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/polar"
)

// TestStandardWebhooks: what the library of Standard Webhooks signs, this module verifies, for
// reports, for Dodo Payments and, with the key that Polar makes of its secret, for Polar; and both
// refuse the same changes of it.
func TestStandardWebhooks(t *testing.T) {
	const polarSecret, secret = "whsec_interopinteropinteropinteropinterop0000001", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	now := time.Now() // the library has no clock of its own
	cfg := polar.Config{Secrets: adapter.Secrets{"polar_whs_anotheranotheranotheranother", polarSecret}, Now: func() time.Time { return now }}
	for name, sides := range map[string]struct {
		secret string // as the library takes it
		verify func(http.Header, []byte) error
	}{
		"polar": {base64.StdEncoding.EncodeToString([]byte(polarSecret)), func(h http.Header, body []byte) error { return polar.Verify(h, body, cfg) }},
		"dodo": {secret, func(h http.Header, body []byte) error {
			return dodo.Verify(h, body, dodo.Config{Secrets: adapter.Secrets{"whsec_c2hvcHNob3BzaG9wc2hvcHNob3BzaG9w", secret}, Now: func() time.Time { return now }})
		}},
		"generic": {secret, func(h http.Header, body []byte) error {
			return adapter.StandardWebhooks(adapter.Secrets{secret}, 0).Verify(h, body, now)
		}},
	} {
		theirs, err := standard.NewWebhook(sides.secret)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(5, 6))
		for i := range 200 {
			body := make([]byte, 1+random.IntN(4096))
			for n := range body {
				body[n] = byte(random.Uint32())
			}
			at := now.Add(time.Duration(random.IntN(500)-250) * time.Second)
			signature, err := theirs.Sign("msg_1", at, body)
			if err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for key, value := range map[string]string{"webhook-id": "msg_1", "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": signature} {
				h.Set(key, value)
			}
			if err := sides.verify(h, body); err != nil || theirs.Verify(body, h) != nil {
				t.Fatalf("%s %d: %v", name, i, err)
			}
			body[random.IntN(len(body))] ^= 1 << random.IntN(8)
			if err := sides.verify(h, body); err == nil || theirs.Verify(body, h) == nil {
				t.Fatalf("%s %d: a changed body is accepted", name, i)
			}
		}
	}
}
