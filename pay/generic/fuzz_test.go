package generic_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/generic"
)

// FuzzMap: a report is refused as one, or is an action that can be applied.
func FuzzMap(f *testing.F) {
	for _, block := range []string{
		`{"id":"r1","type":"payment","at":"2026-01-01T00:00:00Z","provider":"acmepay","ids":["p1"],"currency":"USD","customer":{"id":"c1","email":"a@b.example"},"paid":{"amount":"12","tax":2,"renewal":true,"credit":[{"code":"MARA20"},{"click":1}],"lines":[{"amount":"10","quantity":2}]}}`,
		`{"id":"r2","type":"payment","at":"2026-01-01T00:00:00Z","provider":"acmepay","ids":["p1"],"currency":"USD","refunds":[{"id":"x","amount":1,"state":"failed"}],"refunded":3,"disputes":[{"id":"d","amount":2,"state":"won"}]}`,
		`{"id":"r3","type":"subscription","at":"2026-01-01T00:00:00Z","provider":"acmepay","customer":{"id":"c1"},"subscription":{"id":"s1","status":"past_due"}}`,
		`{"id":"r4","type":"customer","at":"2026-01-01T00:00:00Z","provider":"acmepay","customer":{"id":"c1","externalId":"17"}}`,
	} {
		f.Add([]byte(block))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := generic.Map(body, generic.Config{})
		if err != nil {
			if !errors.Is(err, adapter.ErrPayload) {
				t.Fatalf("%v", err)
			}
			return
		}
		if a.Kind == "" || a.Event.ID == "" || (a.Kind == pay.KindIgnored) != (a.Reason != "") {
			t.Fatalf("%+v", a)
		}
		if _, err := pay.Apply(t.Context(), newShop(t).Program, a); err != nil && !errors.Is(err, pay.ErrLater) {
			t.Fatalf("%v", err)
		}
	})
}
