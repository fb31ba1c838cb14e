package webhooks_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
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

func TestVerifyHeaders(t *testing.T) {
	const ts = "1773487458"
	junk := "v1," + strings.Repeat("A", 43) + "="
	sig := vectorV1[3:]
	raw := must(base64.StdEncoding.DecodeString(sig))
	rawString := hmac.New(sha256.New, []byte(vectorSecret))
	rawString.Write([]byte("evt_test_0001." + ts + "." + vectorBody))
	v1 := func(mac string) http.Header { return headers("webhook-signature", "v1,"+mac) }
	id := func(id string) http.Header { return headers("webhook-id", id) }
	at := func(ts string) http.Header { return headers("webhook-timestamp", ts) }

	for _, tt := range []struct {
		name string
		h    http.Header
		want error
	}{
		{"W003 timestamp replaced", at("1773487459"), webhooks.ErrSignature},
		{"W004 milliseconds", at(ts + "000"), webhooks.ErrTimestampSyntax},
		{"W004 zero", at("0"), webhooks.ErrTooOld},
		{"W004 negative", at("-1"), webhooks.ErrTimestampSyntax},
		{"W004 text", at("now"), webhooks.ErrTimestampSyntax},
		{"W004 11 digits", at("99999999999"), webhooks.ErrTooNew},
		{"W004 12 digits", at("100000000000"), webhooks.ErrTimestampSyntax},
		{"W004 20 digits", at(strings.Repeat("1", 20)), webhooks.ErrTimestampSyntax},
		{"W004 2^63-1", at("9223372036854775807"), webhooks.ErrTimestampSyntax},
		{"W004 2^63 times 10", at("92233720368547758080"), webhooks.ErrTimestampSyntax},
		{"W004 underscore", at("1_773487458"), webhooks.ErrTimestampSyntax},
		{"W005 letters after", at(ts + "abc"), webhooks.ErrTimestampSyntax},
		{"W005 fraction", at(ts + ".9"), webhooks.ErrTimestampSyntax},
		{"W005 plus", at("+" + ts), webhooks.ErrTimestampSyntax},
		{"W005 leading zero", at("0" + ts), webhooks.ErrTimestampSyntax},
		{"W005 space before", at(" " + ts), webhooks.ErrTimestampSyntax},
		{"W005 space after", at(ts + " "), webhooks.ErrTimestampSyntax},
		{"W005 comma joined", at(ts + ", " + ts), webhooks.ErrTimestampSyntax},
		{"W005 NUL", at(ts + "\x00"), webhooks.ErrTimestampSyntax},
		{"W005 exponent", at("1e9"), webhooks.ErrTimestampSyntax},
		{"W005 other digits", at("\u0661\u0667\u0667"), webhooks.ErrTimestampSyntax},
		{"W006 the secret's text as the key", v1(base64.StdEncoding.EncodeToString(rawString.Sum(nil))), webhooks.ErrSignature},
		{"W008 only v2", headers("webhook-signature", "v2,"+sig), webhooks.ErrSignature},
		{"W008 v1a", headers("webhook-signature", "v1a,"+sig), webhooks.ErrSignature},
		{"W008 V1", headers("webhook-signature", "V1,"+sig), webhooks.ErrSignature},
		{"W008 no version", headers("webhook-signature", sig), webhooks.ErrSignature},
		{"W008 empty version", headers("webhook-signature", ","+sig), webhooks.ErrSignature},
		{"W008 empty value", v1(""), webhooks.ErrSignature},
		{"W008 equals sign", headers("webhook-signature", "v1="+sig), webhooks.ErrSignature},
		{"W009 hex", v1(hex.EncodeToString(raw)), webhooks.ErrSignature},
		{"W009 truncated", v1(sig[:40]), webhooks.ErrSignature},
		{"W009 unpadded", v1(strings.TrimRight(sig, "=")), webhooks.ErrSignature},
		{"W009 padded twice", v1(sig + "="), webhooks.ErrSignature},
		{"W009 URL-safe", v1(base64.URLEncoding.EncodeToString(raw)), webhooks.ErrSignature},
		{"W009 loose last bits", v1(sig[:42] + "1="), webhooks.ErrSignature},
		{"W009 junk after a comma", v1(sig + ",junk"), webhooks.ErrSignature},
		{"W009 comma at the end", v1(sig + ","), webhooks.ErrSignature},
		{"W009 31 bytes", v1(base64.StdEncoding.EncodeToString(raw[:31])), webhooks.ErrSignature},
		{"W009 newline inside", v1(sig[:20] + "\n" + sig[20:]), webhooks.ErrSignature},
		{"W009 space inside", v1(" " + sig), webhooks.ErrSignature},
		{"W009 tab before", headers("webhook-signature", "\t"+vectorV1), webhooks.ErrSignature},
		{"W009 tab between", headers("webhook-signature", junk+"\t"+vectorV1), webhooks.ErrSignature},
		{"W009 NUL after", v1(sig + "\x00"), webhooks.ErrSignature},
		{"W009 quoted", headers("webhook-signature", `"`+vectorV1+`"`), webhooks.ErrSignature},
		{"W009 spaces around", headers("webhook-signature", "  "+vectorV1+"  "), nil},
		{"W010 no id", headers("webhook-id", "-"), webhooks.ErrIDMissing},
		{"W010 no timestamp", headers("webhook-timestamp", "-"), webhooks.ErrTimestampMissing},
		{"W010 no signature", headers("webhook-signature", "-"), webhooks.ErrSignatureMissing},
		{"W010 none", http.Header{}, webhooks.ErrIDMissing},
		{"W010 nil", nil, webhooks.ErrIDMissing},
		{"W010 id empty", id(""), webhooks.ErrIDMissing},
		{"W010 timestamp empty", at(""), webhooks.ErrTimestampMissing},
		{"W010 signature empty", headers("webhook-signature", ""), webhooks.ErrSignatureMissing},
		{"W010 signature lines empty", lines("webhook-signature", "", ""), webhooks.ErrSignatureMissing},
		{"W010 key without a value", lines("webhook-id"), webhooks.ErrIDMissing},
		{"W011 two ids", lines("webhook-id", "evt_test_0001", "evt_test_0002"), webhooks.ErrIDRepeated},
		{"W011 one id twice", lines("webhook-id", "evt_test_0001", "evt_test_0001"), webhooks.ErrIDRepeated},
		{"W011 two timestamps", lines("webhook-timestamp", ts, "1773487459"), webhooks.ErrTimestampRepeated},
		{"W011 an empty timestamp first", lines("webhook-timestamp", "", ts), webhooks.ErrTimestampRepeated},
		{"W012 good line second", lines("webhook-signature", junk, vectorV1), nil},
		{"W012 empty line first", lines("webhook-signature", "", vectorV1), nil},
		{"W012 merged, good one first", headers("webhook-signature", vectorV1+", "+junk), nil},
		{"W012 merged, good one last", headers("webhook-signature", junk+", "+vectorV1), nil},
		{"W012 merged without a space", headers("webhook-signature", junk+","+vectorV1), webhooks.ErrSignature},
		{"W013 20 before the good one", headers("webhook-signature", strings.Repeat(junk+" ", 20)+vectorV1), nil},
		{"W013 99 before it", headers("webhook-signature", strings.Repeat(junk+" ", 99)+vectorV1), webhooks.ErrSignatureLong},
		{"W013 1 MiB", headers("webhook-signature", strings.Repeat("v", 1<<20)), webhooks.ErrSignatureLong},
		{"W013 exactly 1 KiB", headers("webhook-signature", vectorV1+strings.Repeat(" ", 1024-len(vectorV1))), nil},
		{"W013 one byte more", headers("webhook-signature", vectorV1+strings.Repeat(" ", 1025-len(vectorV1))), webhooks.ErrSignatureLong},
		{"W013 1 KiB over two lines", lines("webhook-signature", strings.Repeat("v", 600), strings.Repeat("v", 600)), webhooks.ErrSignatureLong},
		{"W013 a million empty lines", lines("webhook-signature", make([]string, 1e6)...), webhooks.ErrSignatureLong},
		{"W014 dotted id", id("evt.test"), webhooks.ErrIDSyntax},
		{"W014 65 bytes", id(strings.Repeat("a", 65)), webhooks.ErrIDSyntax},
		{"W014 64 bytes", id(strings.Repeat("a", 64)), webhooks.ErrSignature},
		{"W014 700 bytes", id(strings.Repeat("a", 700)), webhooks.ErrIDSyntax},
		{"W014 CR LF", id("evt\r\nx"), webhooks.ErrIDSyntax},
		{"W014 space", id("evt_test_0001 "), webhooks.ErrIDSyntax},
		{"W014 not ASCII", id("evt_t\u00e9st"), webhooks.ErrIDSyntax},
		{"W014 NUL", id("evt_test_0001\x00"), webhooks.ErrIDSyntax},
		{"W014 comma joined", id("evt_test_0001, evt_test_0002"), webhooks.ErrIDSyntax},
		{"W014 boundary shifted", headers("webhook-id", "evt_test_0001."+ts, "webhook-timestamp", "1"), webhooks.ErrIDSyntax},
		{"W019 svix alone", asSvix(headers()), nil},
		{"W019 id of one, rest of the other", both(asSvix(headers()), http.Header{"Webhook-Id": {"evt_test_0001"}}), webhooks.ErrTimestampMissing},
		{"W019 signature of the other", both(headers("webhook-signature", "-"), asSvix(headers())), webhooks.ErrSignatureMissing},
		{"W019 both, equal", both(headers(), asSvix(headers())), nil},
		{"W019 both, only svix valid", both(v1(junk[3:]), asSvix(headers())), webhooks.ErrSignature},
		{"W019 only the timestamp beside svix", both(asSvix(headers()), http.Header{"Webhook-Timestamp": {ts}}), webhooks.ErrIDMissing},
		{"W019 only the signature beside svix", both(asSvix(headers()), http.Header{"Webhook-Signature": {vectorV1}}), webhooks.ErrIDMissing},
		{"W019 webhook-id empty beside svix", both(asSvix(headers()), http.Header{"Webhook-Id": {""}}), webhooks.ErrIDMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := verifier(vectorSecret).Verify(tt.h, []byte(vectorBody))
			if err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// The secret and the body of the contract's test vector (V3).
const (
	vectorSecret affiliate.Secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	newerSecret  affiliate.Secret = "whsec_dHJpYnV0YXJ5LXdlYmhvb2tzLXRlc3Qta2V5LTAwMDI="
	vectorBody                    = `{"event":"sale.deleted","eventId":"evt_test_0001","occurredAt":"2026-03-14T11:24:17.250Z","programId":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01","revision":3,"body":{"id":5107}}`
	vectorTime                    = 1773487458
	vectorV1                      = "v1,HWsrC7a4/RqdAnifd9BoNMF6i9Z9RJVQb+0l2twcMh0="
	newerV1                       = "v1,jbWdzOuTtaSwiCizCNTMIWpSvpO4mbxXko9xpeHog38="
)

func TestSignVectors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		secrets []affiliate.Secret
		id      string
		at      int64
		body    string
		want    string
	}{
		{"V1", []affiliate.Secret{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, `{"test": 2432232314}`, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
		{"V2", []affiliate.Secret{"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}, "msg_test_0001", vectorTime, `{"event":"sale.deleted","body":{"id":8241}}`, "v1,0ddqBYqUKyA2261gRJlLBnGh8fVHBFBEv39L9dloDXI="},
		{"V3", []affiliate.Secret{vectorSecret}, "evt_test_0001", vectorTime, vectorBody, vectorV1},
		{"V4", []affiliate.Secret{newerSecret, vectorSecret}, "evt_test_0001", vectorTime, vectorBody, newerV1 + " " + vectorV1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := must(webhooks.Sign(tt.secrets, tt.id, time.Unix(tt.at, 999_999_999), []byte(tt.body)))
			want := http.Header{}
			want.Set("webhook-id", tt.id)
			want.Set("webhook-timestamp", strconv.FormatInt(tt.at, 10))
			want.Set("webhook-signature", tt.want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			signer := &webhooks.Signer{Secrets: tt.secrets}
			for range 2 { // with a new hash and with a reused one
				line, err := signer.AppendSignatures([]byte("x: "), tt.id, time.Unix(tt.at, 0), []byte(tt.body))
				if string(line) != "x: "+tt.want || err != nil {
					t.Errorf("Signer gave %q, %v", line, err)
				}
			}
		})
	}
}

func TestSignRefused(t *testing.T) {
	good := []affiliate.Secret{vectorSecret}
	for _, tt := range []struct {
		name    string
		secrets []affiliate.Secret
		id      string
		at      int64
		want    error
	}{
		{"ErrIDEmpty", good, "", vectorTime, webhooks.ErrIDSyntax},
		{"ErrIDDotted", good, "a.b", vectorTime, webhooks.ErrIDSyntax},
		{"ErrIDLineBreak", good, "a\r\nx-evil: 1", vectorTime, webhooks.ErrIDSyntax},
		{"ErrIDLong", good, strings.Repeat("a", 65), vectorTime, webhooks.ErrIDSyntax},
		{"ErrBefore1970", good, "a", -1, webhooks.ErrTimestampSyntax},
		{"ErrTwelveDigits", good, "a", 100_000_000_000, webhooks.ErrTimestampSyntax},
		{"ErrNoSecret", nil, "a", vectorTime, webhooks.ErrSecretCount},
		{"ErrElevenSecrets", make([]affiliate.Secret, 11), "a", vectorTime, webhooks.ErrSecretCount},
		{"ErrSecret", []affiliate.Secret{vectorSecret, "whsec_"}, "a", vectorTime, webhooks.ErrSecret},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := webhooks.Sign(tt.secrets, tt.id, time.Unix(tt.at, 0), nil)
			if h != nil || !errors.Is(err, tt.want) {
				t.Errorf("Sign gave %q, %v", h, err)
			}
			signer := &webhooks.Signer{Secrets: tt.secrets}
			line, err := signer.AppendSignatures([]byte("x"), tt.id, time.Unix(tt.at, 0), nil)
			if string(line) != "x" || !errors.Is(err, tt.want) {
				t.Errorf("Signer gave %q, %v", line, err)
			}
		})
	}
	for _, at := range []int64{0, 99_999_999_999} { // the limits
		if _, err := webhooks.Sign(good, strings.Repeat("-", 64), time.Unix(at, 0), nil); err != nil {
			t.Errorf("%d: %v", at, err)
		}
	}
}

func TestSignerAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector pools drop at random")
	}
	signer := &webhooks.Signer{Secrets: []affiliate.Secret{newerSecret, vectorSecret}}
	body, line := make([]byte, 1024), make([]byte, 0, 128)
	n := testing.AllocsPerRun(1000, func() {
		var err error
		if line, err = signer.AppendSignatures(line[:0], "evt_test_0001", vectorClock(), body); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	small := testing.AllocsPerRun(100, func() { must(webhooks.Sign(signer.Secrets, "a", vectorClock(), nil)) })
	large := testing.AllocsPerRun(100, func() { must(webhooks.Sign(signer.Secrets, "a", vectorClock(), make([]byte, 1<<20))) })
	if large > small+1 { // a copy of the body would be more
		t.Errorf("Sign: %v allocations without a body, %v with one", small, large)
	}
}

func secretOf(n int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, n))
}

func TestParseSecret(t *testing.T) { // W017
	good := string(vectorSecret)
	for _, tt := range []struct {
		name, in, want string
	}{
		{"as it is", good, good},
		{"trailing newline", good + "\n", good},
		{"white space around", "\t\r\n " + good + " \v\f\r\n", good},
		{"no prefix", strings.TrimPrefix(good, "whsec_"), good},
		{"24 bytes", secretOf(24), secretOf(24)},
		{"64 bytes", secretOf(64), secretOf(64)},
		{"ErrEmpty", "", ""},
		{"ErrPrefixAlone", "whsec_", ""},
		{"Err8Bytes", secretOf(8), ""},
		{"Err23Bytes", secretOf(23), ""},
		{"Err65Bytes", secretOf(65), ""},
		{"ErrURLSafe", strings.NewReplacer("+", "-", "/", "_").Replace(secretOf(32)), ""},
		{"ErrSigningKey", "whsk_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrPublicKey", "whpk_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrInnerNewline", good[:20] + "\n" + good[20:], ""},
		{"ErrInnerCarriageReturn", good[:20] + "\r" + good[20:], ""},
		{"ErrInnerSpace", good[:20] + " " + good[20:], ""},
		{"ErrSpaceAfterPrefix", "whsec_ " + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrUnpadded", strings.TrimRight(good, "="), ""},
		{"ErrLooseLastBits", strings.Replace(good, "WY=", "WZ=", 1), ""},
		{"ErrPrefixTwice", "whsec_" + good, ""},
		{"ErrPrefixUpper", "WHSEC_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrNUL", good + "\x00", ""},
		{"ErrNoBreakSpace", good + "\u00a0", ""},
		{"ErrMasked", vectorSecret.String(), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "ErrLooseLastBits" && tt.in == good {
				t.Fatal("the row changes nothing")
			}
			got, err := webhooks.ParseSecret(tt.in)
			if got.Reveal() != tt.want || errors.Is(err, webhooks.ErrSecret) != (tt.want == "") {
				t.Errorf("got %q, %v; want %q", got.Reveal(), err, tt.want)
			}
			v := verifier(affiliate.Secret(tt.in)) // a Verifier has the same rule for a secret that was not parsed
			if _, err := v.Verify(headers(), []byte(vectorBody)); errors.Is(err, webhooks.ErrSecret) != (tt.want == "") {
				t.Errorf("Verify: %v", err)
			}
		})
	}
}

func TestNewSecret(t *testing.T) {
	got, err := webhooks.NewSecret(strings.NewReader("0123456789abcdef0123456789abcdef"))
	if got != vectorSecret || err != nil {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
	broken := errors.New("no randomness")
	for _, r := range []interface{ Read([]byte) (int, error) }{iotest.ErrReader(broken), strings.NewReader("too short")} {
		if got, err := webhooks.NewSecret(r); got != "" || err == nil {
			t.Errorf("got %q, %v", got.Reveal(), err)
		}
	}
}

// FuzzParseSecret: an accepted secret has one spelling and 24 to 64 bytes, and
// it verifies its own signatures.
func FuzzParseSecret(f *testing.F) {
	for _, s := range []string{string(vectorSecret), "whsec_", "", " " + secretOf(24) + "\n", secretOf(64), "whsk_AAAA", secretOf(65)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		secret, err := webhooks.ParseSecret(s)
		if err != nil {
			if !errors.Is(err, webhooks.ErrSecret) || secret != "" {
				t.Fatalf("got %q, %v", secret.Reveal(), err)
			}
			return
		}
		again, err := webhooks.ParseSecret(secret.Reveal())
		key, decodeErr := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
		if again != secret || err != nil || decodeErr != nil || len(key) < 24 || len(key) > 64 {
			t.Fatalf("%q became %q: %v, %v", s, secret.Reveal(), err, decodeErr)
		}
		h := signed(t, "{}", affiliate.Secret(s))
		must(verifier(secret).Verify(h, []byte("{}")))
	})
}

func TestSecretsNeverPrinted(t *testing.T) { // W023
	v := verifier(vectorSecret, newerSecret)
	must(v.Verify(headers(), []byte(vectorBody)))
	r := &webhooks.Receiver{Verifier: v}
	var out strings.Builder
	logger := slog.New(slog.NewTextHandler(&out, nil))
	jsonLogger := slog.New(slog.NewJSONHandler(&out, nil))
	shown := []any{vectorSecret, v.Secrets, v, r, *r, []*webhooks.Verifier{v, nil}, struct{ S *webhooks.Signer }{&webhooks.Signer{Secrets: v.Secrets}}}
	for _, s := range []string{"whsec_", secretOf(8), string(vectorSecret) + "x", "whsk_" + string(vectorSecret), string(vectorSecret[:20]) + "\n" + string(vectorSecret[20:])} {
		_, err := webhooks.ParseSecret(s)
		_, verifyErr := verifier(affiliate.Secret(s)).Verify(headers(), nil)
		_, signErr := webhooks.Sign([]affiliate.Secret{affiliate.Secret(s)}, "evt", time.Now(), nil)
		shown = append(shown, err, verifyErr, signErr)
	}
	for _, x := range shown {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t", "%c"} {
			fmt.Fprintf(&out, verb+"\n", x)
		}
		logger.Info("x", "x", x)
		jsonLogger.Info("x", "x", x)
		if raw, err := json.Marshal(x); err == nil {
			out.Write(raw)
		}
	}
	for _, key := range []string{"MDEyMzQ1Njc4", "dHJpYnV0YXJ5", "0123456789abcdef0123456789abcdef", "tributary-webhooks", "30313233343536373839", "48 49 50 51"} {
		if at := strings.Index(out.String(), key); at >= 0 {
			t.Errorf("%q is printed: …%s…", key, out.String()[max(0, at-40):at+40])
		}
	}
	if !strings.Contains(out.String(), "whsec_***") {
		t.Error("nothing was printed at all")
	}
}
