package stripe_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// FuzzMap: a payload is an action or refused, always the same; what it says about
// a sale can be told to a program.
func FuzzMap(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.json")
	for _, path := range paths {
		f.Add(shoptest.Load(f, path).JSON(), false)
		f.Add(shoptest.Load(f, path).With("data.object.metadata", map[string]any{"tributary_via": "invoice", "tributary_click": "1"}).JSON(), true)
	}
	f.Fuzz(func(t *testing.T, payload []byte, invoices bool) {
		cfg := stripe.Config{OneOffInvoices: invoices}
		if invoices {
			cfg.First = stripe.FromInvoice
		}
		a, err := stripe.Map(payload, cfg)
		b, again := stripe.Map(payload, cfg)
		if (err == nil) != (again == nil) || !cmp.Equal(a, b, exact) {
			t.Fatalf("%v, %v", a, b)
		}
		switch {
		case err != nil:
			if !errors.Is(err, adapter.ErrPayload) || a.Kind != "" {
				t.Fatalf("%v with %v", err, a)
			}
			return
		case (a.Kind == pay.KindIgnored) != (a.Reason != "") && !(a.Kind == pay.KindSale && a.Reason == pay.FirstFromSession):
			t.Fatalf("%s with reason %q", a.Kind, a.Reason)
		}
		fact := a.Payment
		if paid, ok := fact.Sale.Get(); ok && (len(paid.Tries) > 8 || paid.GrossCurrency == "" && paid.Gross != paid.TotalEarned || paid.Free != paid.Gross.IsZero()) {
			t.Fatalf("%+v", paid)
		}
		if len(fact.Keys) > 6 || a.Event.ID == "" || a.Event.Type == "" {
			t.Fatalf("%+v", a)
		}
	})
}

// FuzzVerify: no header and no body but those that were signed are accepted.
func FuzzVerify(f *testing.F) {
	body := []byte(`{"id": "evt_1"}`)
	right := stripe.Sign(secret, shoptest.Start, body)
	f.Add(right, body)
	f.Add(strings.Replace(right, "v1", "v0", 1), body)
	f.Add(right+","+right, body)
	f.Add("t=1,v1="+strings.Repeat("0", 64), []byte{})
	cfg := stripe.Config{Config: adapter.Config{Secrets: []string{secret}, Now: func() time.Time { return shoptest.Start }}}
	f.Fuzz(func(t *testing.T, header string, payload []byte) {
		err := stripe.Verify(headers(header), payload, cfg)
		if err != nil && !errors.Is(err, adapter.ErrHeader) && !errors.Is(err, adapter.ErrSignature) {
			t.Fatal(err)
		}
		if err == nil && !contains(header, payload) {
			t.Fatalf("%q is accepted for %q", header, payload)
		}
	})
}

// contains reports whether a header has the right signature of its time.
func contains(header string, payload []byte) bool {
	for seconds := -300; seconds <= 300; seconds++ {
		at, signature, _ := strings.Cut(stripe.Sign(secret, shoptest.Start.Add(time.Duration(seconds)*time.Second), payload), ",")
		if strings.Contains(header, at) && strings.Contains(header, signature) {
			return true
		}
	}
	return false
}
