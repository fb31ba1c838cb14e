package webhooks_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// refused reports whether an error is a refusal of a request.
func refused(err error) bool {
	return errors.Is(err, webhooks.ErrHeader) || errors.Is(err, webhooks.ErrTimestamp) || errors.Is(err, webhooks.ErrSignature)
}

func TestVerifyVectors(t *testing.T) { // W001
	v3 := headers()
	v4 := headers("webhook-signature", newerV1+" "+vectorV1)
	for _, tt := range []struct {
		name    string
		secrets []affiliate.Secret
		headers http.Header
		at      int64
		body    string
		want    int
	}{
		{"V1", []affiliate.Secret{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, http.Header{
			"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
			"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		}, 1614265330, `{"test": 2432232314}`, 0},
		{"V2", []affiliate.Secret{"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}, http.Header{
			"Svix-Id": {"msg_test_0001"}, "Svix-Timestamp": {"1773487458"},
			"Svix-Signature": {"v1,0ddqBYqUKyA2261gRJlLBnGh8fVHBFBEv39L9dloDXI="},
		}, vectorTime, `{"event":"sale.deleted","body":{"id":8241}}`, 0},
		{"V3", []affiliate.Secret{vectorSecret}, v3, vectorTime, vectorBody, 0},
		{"V4 old secret alone", []affiliate.Secret{vectorSecret}, v4, vectorTime, vectorBody, 0},
		{"V4 new secret alone", []affiliate.Secret{newerSecret}, v4, vectorTime, vectorBody, 0},
		{"V4 both", []affiliate.Secret{newerSecret, vectorSecret}, v4, vectorTime, vectorBody, 0},
		{"V3 by the second secret", []affiliate.Secret{newerSecret, vectorSecret}, v3, vectorTime, vectorBody, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &webhooks.Verifier{Secrets: tt.secrets, Now: func() time.Time { return time.Unix(tt.at, 0) }}
			got := must(v.Verify(tt.headers, []byte(tt.body)))
			want := webhooks.Proof{ID: got.ID, At: time.Unix(tt.at, 0).UTC(), Secret: tt.want}
			if diff := cmp.Diff(want, got); diff != "" || got.ID == "" || !strings.Contains(fmt.Sprint(tt.headers), got.ID) {
				t.Errorf("proof of %q (-want +got):\n%s", got.ID, diff)
			}
		})
	}
}

func TestVerifyWindow(t *testing.T) { // W002
	for _, tt := range []struct {
		name      string
		tolerance time.Duration
		now       time.Duration // after the timestamp
		want      error
	}{
		{"300 s old", 0, 300 * time.Second, nil},
		{"300 s ahead", 0, -300 * time.Second, nil},
		{"301 s old", 0, 301 * time.Second, webhooks.ErrTooOld},
		{"301 s ahead", 0, -301 * time.Second, webhooks.ErrTooNew},
		{"300.9 s old, in whole seconds 300", 0, 300*time.Second + 900*time.Millisecond, nil},
		{"own tolerance", 10 * time.Second, 10 * time.Second, nil},
		{"over it", 10 * time.Second, 11 * time.Second, webhooks.ErrTooOld},
		{"under it", 10 * time.Second, -11 * time.Second, webhooks.ErrTooNew},
		{"widest tolerance", math.MaxInt64, 1e6 * time.Second, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := verifier(vectorSecret)
			v.Tolerance = tt.tolerance
			v.Now = func() time.Time { return time.Unix(vectorTime, 0).Add(tt.now) }
			if _, err := v.Verify(headers(), []byte(vectorBody)); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// Without Now a Verifier uses the wall clock.
func TestVerifyWallClock(t *testing.T) {
	v := &webhooks.Verifier{Secrets: []affiliate.Secret{vectorSecret}}
	if _, err := v.Verify(signedAt(t, time.Now().Unix(), "{}"), []byte("{}")); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(headers(), []byte(vectorBody)); err != webhooks.ErrTooOld {
		t.Errorf("the vector: got %v, want %v", err, webhooks.ErrTooOld)
	}
}

func TestVerifySecrets(t *testing.T) {
	third := affiliate.Secret("whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{3}, 32)))
	many := make([]affiliate.Secret, 11)
	for i := range many {
		many[i] = vectorSecret
	}
	for _, tt := range []struct {
		name string
		by   []affiliate.Secret // of the sender
		has  []affiliate.Secret // of the verifier
		want error
		used int
	}{
		{"W006 wrong", []affiliate.Secret{newerSecret}, []affiliate.Secret{vectorSecret}, webhooks.ErrSignature, 0},
		{"W007 two signatures, old secret", []affiliate.Secret{newerSecret, vectorSecret}, []affiliate.Secret{vectorSecret}, nil, 0},
		{"W007 two signatures, new secret", []affiliate.Secret{newerSecret, vectorSecret}, []affiliate.Secret{newerSecret}, nil, 0},
		{"W007 two signatures, neither", []affiliate.Secret{newerSecret, vectorSecret}, []affiliate.Secret{third}, webhooks.ErrSignature, 0},
		{"W007 three, the last right", []affiliate.Secret{newerSecret, third, vectorSecret}, []affiliate.Secret{vectorSecret}, nil, 0},
		{"W007 two secrets, one signature", []affiliate.Secret{vectorSecret}, []affiliate.Secret{newerSecret, vectorSecret}, nil, 1},
		{"W007 ten secrets, the last right", []affiliate.Secret{third}, append(many[:9:9], third), nil, 9},
		{"W018 none", []affiliate.Secret{vectorSecret}, nil, webhooks.ErrSecretCount, 0},
		{"W018 eleven", []affiliate.Secret{vectorSecret}, many, webhooks.ErrSecretCount, 0},
		{"W018 one malformed", []affiliate.Secret{vectorSecret}, []affiliate.Secret{vectorSecret, "whsec_"}, webhooks.ErrSecret, 0},
		{"W018 empty", []affiliate.Secret{vectorSecret}, []affiliate.Secret{""}, webhooks.ErrSecret, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proof, err := verifier(tt.has...).Verify(signed(t, vectorBody, tt.by...), []byte(vectorBody))
			if !errors.Is(err, tt.want) || proof.Secret != tt.used {
				t.Errorf("got secret %d, %v; want %d, %v", proof.Secret, err, tt.used, tt.want)
			}
		})
	}
	t.Run("W018 negative tolerance", func(t *testing.T) {
		v := verifier(vectorSecret)
		v.Tolerance = -1
		if _, err := v.Verify(headers(), []byte(vectorBody)); err != webhooks.ErrTolerance {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the zero Verifier", func(t *testing.T) {
		if _, err := new(webhooks.Verifier).Verify(headers(), []byte(vectorBody)); !errors.Is(err, webhooks.ErrSecretCount) {
			t.Errorf("got %v", err)
		}
	})
}

// When the secrets change between two calls, a removed secret stops working at
// once, and a new one works.
func TestVerifyChangedSecrets(t *testing.T) {
	v := verifier(vectorSecret)
	verify := func() error { _, err := v.Verify(headers(), []byte(vectorBody)); return err }
	must(0, verify())
	v.Secrets[0] = newerSecret
	if err := verify(); err != webhooks.ErrSignature {
		t.Errorf("the secret was replaced: %v", err)
	}
	v.Secrets = append(v.Secrets, vectorSecret)
	if err := verify(); err != nil {
		t.Errorf("the secret came back: %v", err)
	}
	v.Secrets = nil
	if err := verify(); !errors.Is(err, webhooks.ErrSecretCount) {
		t.Errorf("no secrets left: %v", err)
	}
}

func TestVerifyBodies(t *testing.T) {
	invalid := "{\"event\":\"sale.created\",\"body\":{\"name\":\"\xff\"}}"
	repaired := strings.ReplaceAll(invalid, "\xff", "\ufffd")
	html := `{"event":"a.b","body":{"name":"<b>"}}`
	for _, tt := range []struct {
		name           string
		signed, arrive string
		want           error
	}{
		{"W015 a space more", vectorBody, " " + vectorBody, webhooks.ErrSignature},
		{"W015 a newline more", vectorBody, vectorBody + "\n", webhooks.ErrSignature},
		{"W015 other key order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, webhooks.ErrSignature},
		{"W015 escaped anew", html, strings.ReplaceAll(html, "<", `\u003c`), webhooks.ErrSignature},
		{"W015 nothing", vectorBody, "", webhooks.ErrSignature},
		{"W016 signed repaired, arrives raw", repaired, invalid, webhooks.ErrSignature},
		{"W016 signed raw", invalid, invalid, nil},
		{"empty body", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := verifier(vectorSecret).Verify(signed(t, tt.signed), []byte(tt.arrive))
			if err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := webhooks.Parse([]byte(invalid)); !errors.Is(err, webhooks.ErrPayload) {
		t.Errorf("W016 parsed: %v", err)
	}
}

// flip changes one bit at random.
func flip(r *rand.Rand, s string) string {
	b := []byte(s)
	b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	return string(b)
}

func TestVerifyBitFlips(t *testing.T) { // W020
	r := rand.New(rand.NewPCG(20, 1))
	v := verifier(vectorSecret)
	for range 1000 {
		for name, h := range map[string]http.Header{
			"id":        headers("webhook-id", flip(r, "evt_test_0001")),
			"timestamp": headers("webhook-timestamp", flip(r, strconv.Itoa(vectorTime))),
			"signature": headers("webhook-signature", flip(r, vectorV1)),
		} {
			if _, err := v.Verify(h, []byte(vectorBody)); !refused(err) {
				t.Fatalf("%s: got %v for %q", name, err, h)
			}
		}
		if _, err := v.Verify(headers(), []byte(flip(r, vectorBody))); err != webhooks.ErrSignature { // W024: exactly this error
			t.Fatalf("body: got %v", err)
		}
	}
}

func TestVerifyConcurrently(t *testing.T) { // W021
	v := verifier(newerSecret, vectorSecret)
	var wg sync.WaitGroup
	for i := range 1000 {
		body := strings.Repeat(strconv.Itoa(i), i+1)
		good := signed(t, body)
		wg.Go(func() {
			if _, err := v.Verify(good, []byte(body)); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if _, err := v.Verify(good, []byte(body+"x")); err != webhooks.ErrSignature {
				t.Errorf("%d, another body: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestVerifyAllocations(t *testing.T) { // W022
	if raceEnabled {
		t.Skip("under the race detector pools drop at random")
	}
	body := []byte(vectorBody + strings.Repeat(" ", 1024-len(vectorBody)))
	good := signed(t, string(body), newerSecret, vectorSecret)
	svix := asSvix(good)
	merged := lines("webhook-signature", strings.Repeat(newerV1+", ", 9)+good.Get("webhook-signature"))
	for name, tt := range map[string]struct {
		h    http.Header
		want error
	}{
		"good": {good, nil}, "svix": {svix, nil}, "many": {merged, nil},
		"wrong signature": {headers(), webhooks.ErrSignature},
		"malformed":       {headers("webhook-id", "."), webhooks.ErrIDSyntax},
		"no header":       {nil, webhooks.ErrIDMissing},
		"too old":         {headers("webhook-timestamp", "1"), webhooks.ErrTooOld},
	} {
		v := verifier(vectorSecret)
		n := testing.AllocsPerRun(1000, func() {
			if _, err := v.Verify(tt.h, body); err != tt.want {
				t.Fatalf("%s: %v", name, err)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Every refusal has a text of its own and one class.
func TestErrorsDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, err := range []error{
		webhooks.ErrIDMissing, webhooks.ErrIDRepeated, webhooks.ErrIDSyntax,
		webhooks.ErrTimestampMissing, webhooks.ErrTimestampRepeated, webhooks.ErrTimestampSyntax,
		webhooks.ErrSignatureMissing, webhooks.ErrSignatureLong,
	} {
		if !errors.Is(err, webhooks.ErrHeader) || errors.Is(err, webhooks.ErrTimestamp) || seen[err.Error()] {
			t.Errorf("%v", err)
		}
		seen[err.Error()] = true
	}
	for _, err := range []error{webhooks.ErrTooOld, webhooks.ErrTooNew} {
		if !errors.Is(err, webhooks.ErrTimestamp) || errors.Is(err, webhooks.ErrHeader) || seen[err.Error()] {
			t.Errorf("%v", err)
		}
		seen[err.Error()] = true
	}
}
