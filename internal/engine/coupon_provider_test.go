package engine_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// What a coupon is at a payment provider can be said later, by Go calls only.
func TestCouponAtProvider(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Taken", PercentOff: scene.Percent("5"), ExternalID: "co_1"}))
	id := scene.Must(w.CreateCoupon(ctx, goodCoupon())).ID
	at := func(external affiliate.Opt[string], kind affiliate.Opt[affiliate.IntegrationType]) affiliate.CouponUpdate {
		return affiliate.CouponUpdate{ExternalID: external, IntegrationType: kind}
	}
	stripe, polar := affiliate.Set[affiliate.IntegrationType]("STRIPE"), affiliate.Set[affiliate.IntegrationType]("POLAR")

	taken := affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.CouponExternalIDTaken, Field: "externalId", Message: "A coupon with this external ID already exists"}
	for _, c := range []struct {
		up   affiliate.CouponUpdate
		want affiliate.Error
	}{
		{at(affiliate.Set("co_2"), affiliate.Set[affiliate.IntegrationType]("stripe")), scene.FieldError(affiliate.InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")},
		{at(affiliate.Set(strings.Repeat("x", 256)), stripe), scene.FieldError(affiliate.InvalidField, "externalId", "externalId is too long")},
		{at(affiliate.Set("co_1"), stripe), taken},
	} {
		w.Refused(c.want, func() error { _, err := w.UpdateCoupon(ctx, id, c.up); return err })
	}

	got := scene.Must(w.UpdateCoupon(ctx, id, at(affiliate.Set("co_2"), stripe)))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("set: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = scene.Must(w.UpdateCoupon(ctx, id, affiliate.CouponUpdate{Name: affiliate.Set("Renamed")}))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("not given: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = scene.Must(w.UpdateCoupon(ctx, id, at(affiliate.Null[string](), affiliate.Null[affiliate.IntegrationType]())))
	if !got.ExternalID.IsNull() || !got.IntegrationType.IsNull() {
		t.Errorf("cleared: %v %v", got.ExternalID, got.IntegrationType)
	}

	keyed := w.Keyed(affiliate.Once{Key: "k"})
	scene.Must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	scene.Must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	reused := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
	w.Refused(reused, func() error { _, err := keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), polar)); return err })
}
