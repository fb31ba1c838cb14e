package webhooks_test

import (
	"net/http"
	"strconv"
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
			got, err := webhooks.Sign(tt.secrets, tt.id, time.Unix(tt.at, 999_999_999), []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			want := http.Header{}
			want.Set("webhook-id", tt.id)
			want.Set("webhook-timestamp", strconv.FormatInt(tt.at, 10))
			want.Set("webhook-signature", tt.want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}
