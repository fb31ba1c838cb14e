package affiliate_test

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
)

// Every call of an operation fails once. The error is returned, and nothing has
// changed. Only Prune, which works in several transactions, may have deleted
// something.
func TestBooksFaults(t *testing.T) {
	ctx := context.Background()
	ops := map[string]func(b *booksLedger, p *tributary.Program) error{
		"CreateEndpoint": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.CreateEndpoint(ctx, affiliate.NewEndpoint{URL: hookURL, Events: []affiliate.EventType{"*"}})
			return err
		},
		"UpdateEndpoint": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.UpdateEndpoint(ctx, b.endpoint.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			return err
		},
		"DeleteEndpoint": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.DeleteEndpoint(ctx, b.endpoint.ID)
			return err
		},
		"RotateSecret": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.RotateSecret(ctx, affiliate.Rotation{WebhookID: b.endpoint.ID})
			return err
		},
		"fan-out": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.CreateCoupon(ctx, affiliate.NewCoupon{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5"))})
			return err
		},
		"Endpoint": func(b *booksLedger, p *tributary.Program) error { _, err := p.Endpoint(ctx, b.endpoint.ID); return err },
		"Deliveries": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{})
			return err
		},
		"Delivery": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.Delivery(ctx, must(b.Deliveries(ctx, affiliate.DeliveryFilter{}, affiliate.Page{Limit: 1})).Items[0].ID)
			return err
		},
		"Events": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.Events(ctx, affiliate.EventFilter{ObjectID: affiliate.Set("3")}, affiliate.Page{})
			return err
		},
		"EraseAffiliate": func(b *booksLedger, p *tributary.Program) error { return p.EraseAffiliate(ctx, b.affiliate.ID) },
		"EraseReferral":  func(b *booksLedger, p *tributary.Program) error { return p.EraseReferral(ctx, b.referral.Email) },
		"Verify":         func(b *booksLedger, p *tributary.Program) error { return p.Verify(ctx) },
		"VerifyReport":   func(_ *booksLedger, p *tributary.Program) error { _, err := p.VerifyReport(ctx); return err },
		"Retain": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.Retain(ctx, affiliate.Retention{Events: 1, Receipts: 24 * time.Hour, Deliveries: 1, Clicks: 60 * 24 * time.Hour})
			return err
		},
		"Prune": func(b *booksLedger, p *tributary.Program) error {
			_, err := p.Prune(ctx, b.now.Add(-time.Hour))
			return err
		},
	}
	step := int64(5)
	if atlength.On() {
		step = 1
	}
	for name, call := range ops {
		t.Run(name, func(t *testing.T) {
			b := newBooksLedger(t)
			if name != "UpdateEndpoint" && name != "DeleteEndpoint" {
				b.settle()
			}
			in := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "once@example.com"}
			in.Once.Key = "k"
			must(b.CreateAffiliate(ctx, in))
			b.pass(48 * time.Hour)
			for n := int64(1); ; n += step {
				s := &probe{Store: b.store, failAt: n}
				before := b.dump()
				err := call(b, b.With(s))
				if s.ops.Load() < n {
					if err != nil || n == 1 {
						t.Errorf("without a fault, after %d: %v", n-1, err)
					}
					break
				}
				if !errors.Is(err, errBoom) {
					t.Errorf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, b.dump()); diff != "" && name != "Prune" && name != "Retain" {
					t.Errorf("call %d changed records:\n%s", n, diff)
				}
				b.verify()
			}
			b.verify()
		})
	}
}

// Verify accepts the payloads of a store that keeps bytes.
func TestVerifyStoredPayloads(t *testing.T) {
	b := newBooksLedger(t)
	must(b.UpdateCoupon(t.Context(), b.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("x")}))
	must(b.UpdateReferral(t.Context(), b.referral.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("x")}))
	must(b.DeleteCode(t.Context(), b.code.ID))
	b.raw(func(tx *record.Tx) error {
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
	b.verify()
}

// A store whose unique indexes allow duplicates.
func TestVerifyUnique(t *testing.T) {
	b := newBooksLedger(t)
	must(b.CreateCoupon(t.Context(), affiliate.NewCoupon{Once: affiliate.Once{Key: "k"}, Name: "x", ExternalID: "ext", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	must(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "EXT", ExternalID: "ext"}))
	must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{ExternalInvoiceID: affiliate.Set("in-5")}))
	err := b.With(&probe{Store: b.store, double: true}).Verify(t.Context())
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
	w := newBooksLedger(b)
	n := 0
	for _, rows := range w.dump() {
		n += len(rows)
	}
	for b.Loop() {
		w.verify()
	}
	b.ReportMetric(float64(n), "records")
}
