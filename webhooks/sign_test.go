package webhooks_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

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
