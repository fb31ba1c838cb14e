package providers_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v84/webhook"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/stripe"
)

var signedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func verifying(secrets ...string) stripe.Config {
	return stripe.Config{Config: adapter.Config{Secrets: secrets, Now: func() time.Time { return signedAt }}}
}

// recorded are the bodies of the recorded events, by name.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../../pay/stripe/testdata/*.json")
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d events, %v", len(paths), err)
	}
	bodies := map[string][]byte{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if bodies[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return bodies
}

// TestStripeSigns: what stripe-go signs, this module verifies.
func TestStripeSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		body := make([]byte, random.IntN(4096))
		for n := range body {
			body[n] = byte(random.Uint32())
		}
		secret := fmt.Sprintf("whsec_%x", random.Uint64())
		at := signedAt.Add(time.Duration(random.IntN(601)-300) * time.Second)
		header := fmt.Sprintf("t=%d,v1=%x", at.Unix(), webhook.ComputeSignature(at, body, secret))
		if err := stripe.Verify(http.Header{stripe.HeaderName: {header}}, body, verifying("whsec_another", secret)); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	made := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte("{}"), Secret: "whsec_1", Timestamp: signedAt})
	if err := stripe.Verify(http.Header{stripe.HeaderName: {made.Header}}, made.Payload, verifying("whsec_1")); err != nil {
		t.Error(err)
	}
	test := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte("{}"), Secret: "whsec_1", Timestamp: signedAt, Scheme: "v0"})
	if err := stripe.Verify(http.Header{stripe.HeaderName: {test.Header}}, test.Payload, verifying("whsec_1")); !errors.Is(err, adapter.ErrHeader) {
		t.Errorf("v0: %v", err)
	}
}

// TestStripeVerifies: what this module signs, stripe-go verifies, and reads the
// same event in it.
func TestStripeVerifies(t *testing.T) {
	for name, body := range recorded(t) {
		header := stripe.Sign("whsec_1", signedAt, body)
		got, err := webhook.ConstructEventIgnoringTolerance(body, header, "whsec_1")
		if strings.Contains(string(body), "clover") != (err == nil) {
			t.Errorf("%s: %v", name, err) // stripe-go refuses other versions of the API
		}
		got, err = webhook.ConstructEventWithOptions(body, header, "whsec_1",
			webhook.ConstructEventOptions{IgnoreTolerance: true, IgnoreAPIVersionMismatch: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		a, err := stripe.Map(body, stripe.Config{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if e := a.Event; e.ID != got.ID || e.Type != string(got.Type) || e.At.Unix() != got.Created || e.Live != got.Livemode || e.Account != got.Account || e.APIVersion != got.APIVersion {
			t.Errorf("%s: %+v, stripe-go has %s %s %d %t %q %s", name, e, got.ID, got.Type, got.Created, got.Livemode, got.Account, got.APIVersion)
		}
		if _, err := webhook.ConstructEventIgnoringTolerance(body, header, "whsec_2"); err == nil {
			t.Errorf("%s: stripe-go takes another secret", name)
		}
	}
}

// TestNothingMore: of headers and bodies with a changed bit, a dropped or moved
// item, this module accepts none that stripe-go refuses, and of single bits none
// at all.
func TestNothingMore(t *testing.T) {
	body := recorded(t)["refund"]
	header := []byte(stripe.Sign("whsec_1", signedAt, body))
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		h, b := bytes.Clone(header), bytes.Clone(body)
		if n := random.IntN(2 * len(h)); n < len(h) {
			h[n] ^= 1 << random.IntN(8)
		} else {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
		if err := stripe.Verify(http.Header{stripe.HeaderName: {string(h)}}, b, verifying("whsec_1")); err == nil {
			t.Fatalf("%q is accepted", h)
		}
	}
	accepted := 0
	items := append(strings.Split(string(header), ","), "v0=00", "v1="+strings.Repeat("0", 64), "x=1", "", "v1=zz", "t=1", "v1=", "t=-1", "t=")
	for range 20_000 {
		var some []string
		for range 1 + random.IntN(5) {
			some = append(some, items[random.IntN(len(items))])
		}
		h := strings.Join(some, ",")
		ours := stripe.Verify(http.Header{stripe.HeaderName: {h}}, body, verifying("whsec_1"))
		theirs := webhook.ValidatePayloadIgnoringTolerance(body, h, "whsec_1")
		if ours == nil {
			accepted++
			if theirs != nil {
				t.Fatalf("%q is accepted, and by stripe-go not: %v", h, theirs)
			}
		}
	}
	if accepted < 100 {
		t.Errorf("%d headers were accepted: too few to compare", accepted)
	}
}

// TestTolerance: an event that stripe-go finds too old is too old here; this
// module looks into the future too.
func TestTolerance(t *testing.T) {
	body := []byte("{}")
	now := time.Now()
	cfg := stripe.Config{Config: adapter.Config{Secrets: []string{"whsec_1"}, Now: func() time.Time { return now }}}
	for age, want := range map[time.Duration]struct{ theirs, ours bool }{
		time.Minute: {true, true}, 10 * time.Minute: {false, false}, -10 * time.Minute: {true, false},
	} {
		header := stripe.Sign("whsec_1", now.Add(-age), body)
		theirs := webhook.ValidatePayloadWithTolerance(body, header, "whsec_1", 5*time.Minute)
		ours := stripe.Verify(http.Header{stripe.HeaderName: {header}}, body, cfg)
		if (theirs == nil) != want.theirs || (ours == nil) != want.ours {
			t.Errorf("%s: stripe-go %v, this module %v", age, theirs, ours)
		}
	}
}
