package affiliate_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// What a coupon is at a payment provider can be said later, by Go calls only.
func TestCouponAtProvider(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	must(w.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Taken", PercentOff: percent("5"), ExternalID: "co_1"}))
	id := must(w.CreateCoupon(ctx, goodCoupon())).ID
	at := func(external affiliate.Opt[string], kind affiliate.Opt[affiliate.IntegrationType]) affiliate.CouponUpdate {
		return affiliate.CouponUpdate{ExternalID: external, IntegrationType: kind}
	}
	stripe, polar := affiliate.Set[affiliate.IntegrationType]("STRIPE"), affiliate.Set[affiliate.IntegrationType]("POLAR")

	taken := affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.CouponExternalIDTaken, Field: "externalId", Message: "A coupon with this external ID already exists"}
	for _, c := range []struct {
		up   affiliate.CouponUpdate
		want affiliate.Error
	}{
		{at(affiliate.Set("co_2"), affiliate.Set[affiliate.IntegrationType]("stripe")), fieldError(affiliate.InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")},
		{at(affiliate.Set(strings.Repeat("x", 256)), stripe), fieldError(affiliate.InvalidField, "externalId", "externalId is too long")},
		{at(affiliate.Set("co_1"), stripe), taken},
	} {
		w.refused(c.want, func() error { _, err := w.UpdateCoupon(ctx, id, c.up); return err })
	}

	got := must(w.UpdateCoupon(ctx, id, at(affiliate.Set("co_2"), stripe)))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("set: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = must(w.UpdateCoupon(ctx, id, affiliate.CouponUpdate{Name: affiliate.Set("Renamed")}))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("not given: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = must(w.UpdateCoupon(ctx, id, at(affiliate.Null[string](), affiliate.Null[affiliate.IntegrationType]())))
	if !got.ExternalID.IsNull() || !got.IntegrationType.IsNull() {
		t.Errorf("cleared: %v %v", got.ExternalID, got.IntegrationType)
	}

	keyed := w.Keyed(affiliate.Once{Key: "k"})
	must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	reused := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
	w.refused(reused, func() error { _, err := keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), polar)); return err })
}
