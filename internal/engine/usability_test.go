package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestUsability: a code and a coupon say what Evaluate says of every order, also where nothing of them was changed since they stopped working.
func TestUsability(t *testing.T) {
	one := affiliate.Set[int64](1)
	sold := func(s *scene.OnceShop) {
		scene.Must(s.RecordSale(s.T.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("10")}))
	}
	code := func(s *scene.OnceShop, up affiliate.CodeUpdate) {
		scene.Must(s.UpdateCode(s.T.Context(), s.ADA20.ID, up))
	}
	coupon := func(s *scene.OnceShop, up affiliate.CouponUpdate) {
		scene.Must(s.UpdateCoupon(s.T.Context(), s.Autumn.ID, up))
	}
	later := func(s *scene.OnceShop) { s.Now = s.Now.Add(48 * time.Hour) }
	for name, row := range map[string]struct {
		do   func(*scene.OnceShop)
		code []affiliate.Reason
		hold affiliate.HoldReason
	}{
		"works":        {func(*scene.OnceShop) {}, nil, ""},
		"switched off": {func(s *scene.OnceShop) { code(s, affiliate.CodeUpdate{Active: affiliate.Set(false)}) }, []affiliate.Reason{affiliate.CodeInactive}, ""},
		"coupon off":   {func(s *scene.OnceShop) { coupon(s, affiliate.CouponUpdate{Valid: affiliate.Set(false)}) }, []affiliate.Reason{affiliate.CouponInvalid}, ""},
		"expired": {func(s *scene.OnceShop) {
			code(s, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(s.Now))})
			later(s)
		}, []affiliate.Reason{affiliate.CodeExpired}, ""},
		"coupon expired": {func(s *scene.OnceShop) {
			coupon(s, affiliate.CouponUpdate{RedeemBy: affiliate.Set(affiliate.At(s.Now))})
			later(s)
		}, []affiliate.Reason{affiliate.CouponExpired}, ""},
		"used up":        {func(s *scene.OnceShop) { code(s, affiliate.CodeUpdate{MaxRedemptions: one}); sold(s) }, []affiliate.Reason{affiliate.CodeExhausted}, ""},
		"coupon used up": {func(s *scene.OnceShop) { coupon(s, affiliate.CouponUpdate{MaxRedemptions: one}); sold(s) }, []affiliate.Reason{affiliate.CouponExhausted}, ""},
		"nobody's":       {func(s *scene.OnceShop) { code(s, affiliate.CodeUpdate{AffiliateEmail: affiliate.Null[string]()}) }, []affiliate.Reason{affiliate.CodeUnassigned}, ""},
		"foreign minimum": {func(s *scene.OnceShop) {
			code(s, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(affiliate.MustAmount("100")), MinimumAmountCurrency: affiliate.Set(affiliate.Currency("EUR"))})
		}, []affiliate.Reason{affiliate.WrongCurrency}, ""},
		"banned": {func(s *scene.OnceShop) {
			scene.Must(s.SetAffiliateStatus(s.T.Context(), affiliate.AffiliateBanned, s.Person.ID))
		}, nil, affiliate.HoldAffiliateBanned},
		"deactivated": {func(s *scene.OnceShop) {
			scene.Must(s.SetAffiliateStatus(s.T.Context(), affiliate.AffiliateDeactivated, s.Person.ID))
		}, nil, affiliate.HoldAffiliateDeactivated},
		"two of them": {func(s *scene.OnceShop) {
			code(s, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			coupon(s, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
		}, []affiliate.Reason{affiliate.CodeInactive, affiliate.CouponInvalid}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			made := scene.NewOnceShop(t, memstore.New())
			s := &made
			ctx := t.Context()
			row.do(s)
			said := scene.Must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", TotalEarned: affiliate.Set(affiliate.MustAmount("10"))}))
			var ofCoupon []affiliate.Reason
			for _, r := range row.code {
				if r == affiliate.CouponInvalid || r == affiliate.CouponExpired || r == affiliate.CouponExhausted {
					ofCoupon = append(ofCoupon, r)
				}
			}
			filter := affiliate.CodeQuery{AffiliateID: affiliate.Set(s.Person.ID), Usability: true}
			if slices.Contains(row.code, affiliate.CodeUnassigned) {
				filter = affiliate.CodeQuery{Usability: true}
			}
			for at, c := range map[string]affiliate.Code{
				"by affiliate": scene.Must(s.Codes(ctx, filter, affiliate.Page{})).Items[0],
				"by its text":  scene.Must(s.Codes(ctx, affiliate.CodeQuery{Search: affiliate.Set("ada20")}, affiliate.Page{})).Items[0],
			} {
				got := c.Usability.Or(affiliate.Usability{})
				if diff := cmp.Diff(row.code, whyNot(got)); diff != "" || got.Usable != (row.code == nil) || got.Hold.Or("") != row.hold {
					t.Errorf("%s: %v, hold %v: %s", at, got.Usable, got.Hold, diff)
				}
				if diff := cmp.Diff(said.Reasons, got.Reasons); diff != "" {
					t.Errorf("%s differs from Evaluate (-it +usability):\n%s", at, diff)
				}
			}
			for at, c := range map[string]affiliate.Coupon{
				"all":       scene.Must(s.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{})).Items[0],
				"by its id": scene.Must(s.Coupons(ctx, affiliate.CouponQuery{ID: affiliate.Set(s.Autumn.ID)}, affiliate.Page{})).Items[0],
			} {
				got := c.Usability.Or(affiliate.Usability{})
				if diff := cmp.Diff(ofCoupon, whyNot(got)); diff != "" || got.Usable != (ofCoupon == nil) {
					t.Errorf("coupon, %s: %v %s", at, got.Usable, diff)
				}
			}
			usable := scene.Must(s.Codes(ctx, affiliate.CodeQuery{State: affiliate.CodeUsable}, affiliate.Page{})).Items
			if len(usable) == 1 != (row.code == nil) {
				t.Errorf("%d usable codes", len(usable))
			}
			mine := scene.Must(s.Partner(s.Person.ID).Codes(ctx, affiliate.Page{})).Items
			if len(mine) == 1 && (mine[0].Usable != (row.code == nil) || cmp.Diff(emptied(row.code), mine[0].Reasons) != "") {
				t.Errorf("its affiliate sees %v %v", mine[0].Usable, mine[0].Reasons)
			}
		})
	}
}

func whyNot(u affiliate.Usability) (all []affiliate.Reason) {
	for _, f := range u.Reasons {
		all = append(all, f.Reason)
	}
	return all
}

func emptied[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
