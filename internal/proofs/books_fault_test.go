package proofs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

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
