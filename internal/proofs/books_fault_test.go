package proofs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// Every call of an operation fails once. The error is returned, and nothing has
// changed. Only Prune, which works in several transactions, may have deleted
// something.
func TestBooksFaults(t *testing.T) {
	ctx := context.Background()
	ops := map[string]func(b *scene.Ledger, p *tributary.Program) error{
		"CreateEndpoint": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.CreateEndpoint(ctx, affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}})
			return err
		},
		"UpdateEndpoint": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.UpdateEndpoint(ctx, b.Hooked.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			return err
		},
		"DeleteEndpoint": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.DeleteEndpoint(ctx, b.Hooked.ID)
			return err
		},
		"RotateSecret": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.RotateSecret(ctx, affiliate.Rotation{WebhookID: b.Hooked.ID})
			return err
		},
		"fan-out": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.CreateCoupon(ctx, affiliate.CouponParams{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5"))})
			return err
		},
		"Endpoint": func(b *scene.Ledger, p *tributary.Program) error { _, err := p.Endpoint(ctx, b.Hooked.ID); return err },
		"Deliveries": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{})
			return err
		},
		"Delivery": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.Delivery(ctx, scene.Must(b.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{Limit: 1})).Items[0].ID)
			return err
		},
		"Events": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.Events(ctx, affiliate.EventFilter{ObjectID: affiliate.Set("3")}, affiliate.Page{})
			return err
		},
		"EraseAffiliate": func(b *scene.Ledger, p *tributary.Program) error {
			return p.Forfeiting().EraseAffiliate(ctx, b.Person.ID)
		},
		"EraseReferral": func(b *scene.Ledger, p *tributary.Program) error { return p.EraseReferral(ctx, b.Customer.Email) },
		"Verify":        func(b *scene.Ledger, p *tributary.Program) error { return p.Verify(ctx) },
		"VerifyJob": func(_ *scene.Ledger, p *tributary.Program) error {
			_, err := p.Run(ctx, affiliate.VerifyJob{})
			return err
		},
		"Retain": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Events: 1, Receipts: 24 * time.Hour, Deliveries: 1, Clicks: 60 * 24 * time.Hour}})
			return err
		},
		"Prune": func(b *scene.Ledger, p *tributary.Program) error {
			_, err := p.Run(ctx, affiliate.PruneJob{Before: b.Now.Add(-time.Hour)})
			return err
		},
	}
	step := int64(5)
	if atlength.On() {
		step = 1
	}
	for name, call := range ops {
		t.Run(name, func(t *testing.T) {
			b := scene.NewLedger(t)
			if name != "UpdateEndpoint" && name != "DeleteEndpoint" {
				b.Settle()
			}
			in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "once@example.com"}
			in.Once.Key = "k"
			scene.Must(b.CreateAffiliate(ctx, in))
			b.Pass(48 * time.Hour)
			for n := int64(1); ; n += step {
				s := &scene.Probe{Store: b.Store, FailAt: n}
				before := b.Dump()
				err := call(b, b.With(s))
				if s.Ops.Load() < n {
					if err != nil || n == 1 {
						t.Errorf("without a fault, after %d: %v", n-1, err)
					}
					break
				}
				if !errors.Is(err, scene.ErrBoom) {
					t.Errorf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, b.Dump()); diff != "" && name != "Prune" && name != "Retain" {
					t.Errorf("call %d changed records:\n%s", n, diff)
				}
				b.Verifies()
			}
			b.Verifies()
		})
	}
}

// Verify accepts the payloads of a store that keeps bytes.
func TestVerifyStoredPayloads(t *testing.T) {
	b := scene.NewLedger(t)
	scene.Must(b.UpdateCoupon(t.Context(), b.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set("x")}))
	scene.Must(b.UpdateReferral(t.Context(), b.Customer.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("x")}))
	scene.Must(b.DeleteCode(t.Context(), b.ADA20.ID))
	b.Raw(func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{}) {
			if err != nil {
				return err
			}
			rec.Payload = record.PayloadOf(rec.Payload.Bytes())
			if err := tx.Events.Replace(rec); err != nil {
				return err
			}
		}
		return nil
	})
	b.Verifies()
}

// A store whose unique indexes allow duplicates.
func TestVerifyUnique(t *testing.T) {
	b := scene.NewLedger(t)
	scene.Must(b.CreateCoupon(t.Context(), affiliate.CouponParams{Once: affiliate.Once{Key: "k"}, Name: "x", ExternalID: "ext", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "EXT", ExternalID: "ext"}))
	scene.Must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{ExternalInvoiceID: affiliate.Set("in-5")}))
	err := b.With(&scene.Probe{Store: b.Store, Double: true}).Verify(t.Context())
	found := map[string]bool{}
	for _, line := range strings.Split(err.Error(), "\n") {
		words := strings.Fields(line) // affiliate: I20: coupon ID: its by_external_id is held by ID too
		if key := slices.Index(words, "its"); key > 0 && key+1 < len(words) {
			found[words[1]+" "+words[2]+" "+words[key+1]] = true
		}
	}
	for _, want := range []string{
		"I20: coupon by_external_id", "I20: code by_external_id", "I21: code by_code", "I25: link by_slug", "I35: affiliate by_email", "I35: referral by_email",
		"I43: sale by_external_id", "I43: sale by_invoice", "I53: sale by_number", "I53: click by_number", "I53: commission number", "I57: receipt by_request",
	} {
		if !found[want] {
			t.Errorf("no %q in %v", want, found)
		}
	}
}

// It runs after every step of a state machine.
func BenchmarkVerify(b *testing.B) {
	w := scene.NewLedger(b)
	n := 0
	for _, rows := range w.Dump() {
		n += len(rows)
	}
	for b.Loop() {
		w.Verifies()
	}
	b.ReportMetric(float64(n), "records")
}
