package webhooks_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// vectorClock always returns the time of the test vector.
func vectorClock() time.Time { return time.Unix(vectorTime, 0) }

// verifier has the secrets, and its clock is at the time of the test vector.
func verifier(secrets ...affiliate.Secret) *webhooks.Verifier {
	return &webhooks.Verifier{Secrets: secrets, Now: vectorClock}
}

// signed are the headers of a body that is signed at the time of the vector.
func signed(t testing.TB, body string, secrets ...affiliate.Secret) http.Header {
	t.Helper()
	return signedAt(t, vectorTime, body, secrets...)
}

func signedAt(t testing.TB, seconds int64, body string, secrets ...affiliate.Secret) http.Header {
	t.Helper()
	if len(secrets) == 0 {
		secrets = []affiliate.Secret{vectorSecret}
	}
	h := must(webhooks.Sign(secrets, "evt_test_0001", time.Unix(seconds, 0), []byte(body)))
	return h
}

// headers are those of the vector, changed by pairs of name and value. The
// value "-" removes a header.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", "evt_test_0001")
	h.Set("webhook-timestamp", strconv.Itoa(vectorTime))
	h.Set("webhook-signature", vectorV1)
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "-" {
			h.Del(pairs[i])
		}
	}
	return h
}

// lines are the headers of the vector with several lines of one header.
func lines(name string, values ...string) http.Header {
	h := headers()
	h[http.CanonicalHeaderKey(name)] = values
	return h
}

// asSvix renames the webhook-* headers to svix-*.
func asSvix(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		out[strings.Replace(name, "Webhook-", "Svix-", 1)] = values
	}
	return out
}

// both is the union of two sets of headers.
func both(a, b http.Header) http.Header {
	out := a.Clone()
	for name, values := range b {
		out[name] = values
	}
	return out
}
