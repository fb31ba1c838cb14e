package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
)

func currency(s string) affiliate.Opt[affiliate.Currency] {
	return affiliate.Set(affiliate.Currency(s))
}

// The error is that of the first field in the contract's table: with all mistakes at once,
// then with the first of them mended, and so on.
func TestCreateCouponErrorOrder(t *testing.T) {
	w := scene.New(t)
	scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "first", PercentOff: scene.Percent("5"), ExternalID: "taken"}))
	in := affiliate.CouponParams{
		CouponType: "percentage", PercentOff: scene.Percent("0"), AmountOff: scene.Amount("0"), Currency: currency("ZZZ"), Duration: "Once",
		DurationInMonths: affiliate.Set[int64](0), MaxRedemptions: affiliate.Set[int64](0), ProductIDs: []string{""},
		RedeemBy: affiliate.Set(affiliate.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))), ExternalID: " ", IntegrationType: "stripe",
	}
	for _, step := range []struct {
		field string
		mend  func()
	}{
		{"name", func() { in.Name = "n" }},
		{"couponType", func() { in.CouponType = affiliate.CouponFlat }},
		{"percentOff", func() { in.PercentOff = affiliate.Opt[affiliate.Percent]{} }},
		{"amountOff", func() { in.AmountOff = scene.Amount("5") }},
		{"currency", func() { in.Currency = currency("USD") }},
		{"duration", func() { in.Duration = affiliate.DurationRepeating }},
		{"durationInMonths", func() { in.DurationInMonths = affiliate.Set[int64](1) }},
		{"maxRedemptions", func() { in.MaxRedemptions = affiliate.Set[int64](1) }},
		{"productIds", func() { in.ProductIDs = nil }},
		{"redeemBy", func() { in.RedeemBy = affiliate.Opt[affiliate.Date]{} }},
		{"externalId", func() { in.ExternalID = "taken" }},
		{"integrationType", func() { in.IntegrationType = "STRIPE" }},
		{"externalId", func() { in.ExternalID = "free" }},
	} {
		err := scene.ErrOf(w.CreateCoupon(t.Context(), in))
		if got, ok := errors.AsType[*affiliate.Error](err); !ok || got.Field != step.field {
			t.Fatalf("want a refusal of %q, got %v", step.field, err)
		}
		step.mend()
	}
	scene.Must(w.CreateCoupon(t.Context(), in))
}

func goodCoupon() affiliate.CouponParams {
	return affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}
}

// lastBody returns the body of the newest event.
func lastBody(w *scene.World) string {
	w.T.Helper()
	var payload []byte
	err := w.Store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{Desc: true, Limit: 1}) {
			if err != nil {
				return err
			}
			payload = rec.Payload.Bytes()
		}
		return nil
	})
	if err != nil {
		w.T.Fatal(err)
	}
	var envelope struct {
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(payload, &envelope); err != nil {
		w.T.Fatalf("payload %s: %v", payload, err)
	}
	return string(envelope.Body)
}

// The blanks around a new name do not count for its length.
func TestUpdateCouponNameTrimmed(t *testing.T) {
	w := scene.New(t)
	made := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "a", PercentOff: scene.Percent("20")}))
	long := strings.Repeat("a", 255)
	scene.Equal(t, long, scene.Must(w.UpdateCoupon(t.Context(), made.ID, affiliate.CouponUpdate{Name: affiliate.Set(" " + long + " ")})).Name)
}

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

// TestFirstInstantIsADate: the first instant of year 1 is a date.
func TestFirstInstantIsADate(t *testing.T) {
	w := scene.New(t)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Ancient", PercentOff: affiliate.Set(affiliate.MustPercent("5")),
		RedeemBy: affiliate.Set(affiliate.At(time.Time{})),
	}))
	if got, ok := c.RedeemBy.Get(); !ok || got.String() != "0001-01-01T00:00:00.000Z" {
		t.Errorf("redeemBy = %v, %v", got, ok)
	}
}

// manyCodes adds codes to a coupon.
func manyCodes(s scene.CodeShop, n int) {
	b := batch(s, n)
	b.CodeStructure = affiliate.Set(affiliate.CodeStructure{RandomChars: true})
	scene.Must(s.GenerateCodes(s.T.Context(), b))
}

// The event and the receipt of a coupon show 1,000 codes, and of one with more none. Its answers show all.
func TestCouponWithManyCodes(t *testing.T) {
	s := scene.NewCodeShop(t)
	manyCodes(s, 999) // beside ADA20
	rename := func(name string, once affiliate.Once) affiliate.Coupon {
		return scene.Must(s.Keyed(once).UpdateCoupon(t.Context(), s.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set(name)}))
	}
	if n := len(rename("all", affiliate.Once{}).PromotionalCodes); n != 1000 || strings.Count(lastBody(s.World), `"code":`) != n {
		t.Errorf("%d codes are answered, and %.300s", n, lastBody(s.World))
	}
	manyCodes(s, 1)
	told := ""
	once := affiliate.Once{Key: "k", Replayed: func(raw []byte) { told = string(raw) }}
	first := rename("none", once)
	if body := lastBody(s.World); strings.Contains(body, "promotionalCodes") || !strings.Contains(body, `"name":"none"`) || told != "" {
		t.Errorf("%.300s, told %.80q", body, told)
	}
	want := scene.Must(s.Coupon(t.Context(), affiliate.CouponRef{ID: s.Autumn.ID}))
	scene.Equal(t, 1001, len(want.PromotionalCodes))
	scene.Equal(t, want, first)
	scene.Equal(t, want, rename("none", once))
	scene.Equal(t, scene.Wire(want), told)
}

// Deleting a coupon with many codes ends it first, and goes on when it is repeated.
func TestDeleteCouponWithManyCodes(t *testing.T) {
	for n := 1; ; n++ {
		s := scene.NewCodeShop(t)
		before := s.Dump()
		manyCodes(s, 600)
		commits := conformance.Count(s.Store)
		_, err := s.With(conformance.LoseAnswer(commits, n)).DeleteCoupon(t.Context(), s.Autumn.ID)
		if commits.Commits() < n {
			if n < 4 {
				t.Errorf("601 codes were deleted in %d transactions", n-1)
			}
			break
		}
		if !errors.Is(err, conformance.ErrInjected) {
			t.Fatalf("answer %d is lost: %v", n, err)
		}
		s.Verifies()
		left, err := s.Coupon(t.Context(), affiliate.CouponRef{ID: s.Autumn.ID})
		if err == nil {
			codes := 601 - 250*n
			if left.Valid || len(left.PromotionalCodes) != codes || strings.Count(lastBody(s.World), `"valid":false`) != 1 {
				t.Errorf("after %d transactions: valid %t, %d codes", n, left.Valid, len(left.PromotionalCodes))
			}
			_, err = s.DeleteCoupon(t.Context(), s.Autumn.ID)
			scene.Equal(t, nil, err)
		}
		if got := s.Dump(); len(got["codes"]) != len(before["codes"])-1 || len(got["coupons"]) != len(before["coupons"])-1 {
			t.Errorf("%d codes and %d coupons are left", len(got["codes"]), len(got["coupons"]))
		}
		s.Verifies()
	}
}

// The event of an affiliate with more than 1,000 codes shows none of them.
func TestAffiliateWithManyCodes(t *testing.T) {
	s := scene.NewCodeShop(t)
	for _, row := range []struct {
		add, shown int
		name       string
	}{{1000, 1000, "Eva"}, {1, 0, "Evi"}} {
		manyCodes(s, row.add)
		scene.Must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Eve.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set(row.name)}))
		body := lastBody(s.World)
		if n := strings.Count(body, `"couponId":`); n != row.shown || strings.Contains(body, "promotionalCodes") != (n > 0) || !strings.Contains(body, row.name) {
			t.Errorf("%d codes are shown, want %d: %.300s", n, row.shown, body)
		}
	}
}
