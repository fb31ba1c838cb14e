package signatures_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/webhooks"
)

// versus compares ours with the reference library.
func versus(b *testing.B, n int, reference, ours func()) {
	b.Helper()
	benchkit.Compare(b, n, benchkit.Each(ours), benchkit.Side{Name: "reference", Run: benchkit.Each(reference)})
}

func reference(b *testing.B) *standardwebhooks.Webhook {
	b.Helper()
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		b.Fatal(err)
	}
	return wh
}

// BenchmarkVerify compares with the Go library of Standard Webhooks, which does
// not check the timestamp here, while ours does. Bounds: 0.6 at 1 KiB and with
// ten entries, 0.7 at 64 KiB, and no allocation.
func BenchmarkVerify(b *testing.B) {
	for _, bc := range []struct {
		name    string
		size    int
		entries int
		n       int
	}{
		{"1KiB", 1 << 10, 1, 5000},
		{"64KiB", 64 << 10, 1, 300},
		{"1KiB, ten entries, last right", 1 << 10, 10, 5000},
	} {
		b.Run(bc.name, func(b *testing.B) {
			body := bytes.Repeat([]byte("a"), bc.size)
			h, err := webhooks.Sign([]affiliate.Secret{secret}, messageID, time.Now(), body)
			if err != nil {
				b.Fatal(err)
			}
			junk := strings.Repeat("v1,"+strings.Repeat("A", 43)+"= ", bc.entries-1)
			h.Set("webhook-signature", junk+h.Get("webhook-signature"))
			wh := reference(b)
			v := &webhooks.Verifier{Secrets: []affiliate.Secret{secret}}
			versus(b, bc.n, func() {
				if err := wh.VerifyIgnoringTimestamp(body, h); err != nil {
					b.Fatal(err)
				}
			}, func() {
				if _, err := v.Verify(h, body); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkSign compares with the signature of the same library, with a decoded
// key. Bound: 0.6 at 1 KiB, no allocation.
func BenchmarkSign(b *testing.B) {
	for _, bc := range []struct {
		name    string
		size, n int
	}{{"1KiB", 1 << 10, 5000}, {"64KiB", 64 << 10, 300}} {
		b.Run(bc.name, func(b *testing.B) {
			body, now := bytes.Repeat([]byte("a"), bc.size), time.Now()
			wh := reference(b)
			signer := &webhooks.Signer{Secrets: []affiliate.Secret{secret}}
			var dst []byte
			versus(b, bc.n, func() {
				if _, err := wh.Sign(messageID, now, body); err != nil {
					b.Fatal(err)
				}
			}, func() {
				var err error
				if dst, err = signer.AppendSignatures(dst[:0], messageID, now, body); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
