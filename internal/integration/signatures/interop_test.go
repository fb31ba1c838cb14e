package signatures_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	svix "github.com/svix/svix-webhooks/go"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// A verifier is the verification of one library.
type verifier func(secret string, h http.Header, body []byte) error

func ours(secret string, h http.Header, body []byte) error {
	v := &webhooks.Verifier{Secrets: []affiliate.Secret{affiliate.Secret(secret)}}
	_, err := v.Verify(h, body)
	return err
}

func standard(secret string, h http.Header, body []byte) error {
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return wh.Verify(body, h)
}

func svixGo(secret string, h http.Header, body []byte) error {
	wh, err := svix.NewWebhook(secret)
	if err != nil {
		return err
	}
	return wh.Verify(body, h)
}

// TestVerdicts: which library accepts which request. Where the libraries
// differ, the table says what each of them does, so that the test notices a new
// version of one.
func TestVerdicts(t *testing.T) {
	for _, r := range append(requests(time.Now()), flips(time.Now())...) {
		t.Run(r.name, func(t *testing.T) {
			for name, side := range map[string]struct {
				verify verifier
				want   bool
			}{
				"ours":          {ours, r.want.ours},
				"standard (Go)": {standard, r.want.standard},
				"svix (Go)":     {svixGo, r.want.svix},
			} {
				if err := side.verify(r.secret, r.headers, r.body); (err == nil) != side.want {
					t.Errorf("%s: verified %t (%v), want %t", name, err == nil, err, side.want)
				}
			}
		})
	}
}

// TestTheirSignature: their signature has the same text as ours, and we verify
// it.
func TestTheirSignature(t *testing.T) {
	now := time.Now()
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := wh.Sign(messageID, now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	sx, err := svix.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	also, err := sx.Sign(messageID, now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h, err := webhooks.Sign([]affiliate.Secret{secret}, messageID, now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if mine := h.Get("webhook-signature"); mine != theirs || mine != also {
		t.Errorf("ours %s, standard %s, svix %s", mine, theirs, also)
	}
	h.Set("webhook-signature", theirs)
	if err := ours(secret, h, []byte(body)); err != nil {
		t.Error(err)
	}
}

// payloads are those of an engine, with texts that JSON encoders write
// differently.
func payloads(t testing.TB) [][]byte {
	t.Helper()
	ctx := context.Background()
	p, err := tributary.New(memstore.New(), tributary.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("12.5")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"</script><b>&", "line\u2028separator\u2029", "\U0001f33b \u00e9\u0301", "\u200b\ufeff\ufffd"} {
		mail := string(rune('a'+i)) + "@example.com"
		a, err := p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "Moss", Email: mail})
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.CreateCoupon(ctx, affiliate.CouponParams{
			Name: name, PercentOff: affiliate.Set(affiliate.MustPercent("20")), MaxRedemptions: affiliate.Set(int64(1<<53 + 1)),
		})
		if err != nil {
			t.Fatal(err)
		}
		code := strings.Repeat("A", i+3)
		if _, err := p.CreateCode(ctx, affiliate.CodeParams{CouponID: c.ID, Code: code, AffiliateID: a.ID}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: code, Name: name, Email: "kim" + mail, TotalEarned: affiliate.MustAmount("99999999999.5807"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	events, err := p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, e := range events.Items {
		out = append(out, e.Payload)
	}
	return out
}

// TestEnginePayloads: a payload of the engine is signed with the old and the
// new secret. Every library verifies it with either secret. None verifies it
// with another secret, or with one byte changed. W050.
func TestEnginePayloads(t *testing.T) {
	all := payloads(t)
	if len(all) < 16 {
		t.Fatalf("only %d payloads", len(all))
	}
	for _, payload := range all {
		e, err := webhooks.Parse(payload)
		if err != nil {
			t.Fatal(err)
		}
		h, err := webhooks.Sign([]affiliate.Secret{newer, secret}, e.ID, time.Now(), payload)
		if err != nil {
			t.Fatal(err)
		}
		for name, verify := range map[string]verifier{"ours": ours, "standard": standard, "svix": svixGo} {
			for _, s := range []string{secret, newer} {
				if err := verify(s, h, payload); err != nil {
					t.Errorf("%s: %s: %v", name, e.Type, err)
				}
			}
			if verify("whsec_"+strings.Repeat("A", 32), h, payload) == nil || verify(secret, h, payload[:len(payload)-1]) == nil {
				t.Errorf("%s: %s: verified what was not signed", name, e.Type)
			}
		}
	}
}
