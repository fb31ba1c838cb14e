package affiliate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// TestUsability: a code and a coupon say what Evaluate says of every order, also where nothing of them was changed since they stopped working.
func TestUsability(t *testing.T) {
	one := affiliate.Set[int64](1)
	sold := func(s *onceShop) {
		must(s.RecordSale(s.t.Context(), affiliate.NewSale{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("10")}))
	}
	code := func(s *onceShop, up affiliate.CodeUpdate) { must(s.UpdateCode(s.t.Context(), s.code.ID, up)) }
	coupon := func(s *onceShop, up affiliate.CouponUpdate) {
		must(s.UpdateCoupon(s.t.Context(), s.coupon.ID, up))
	}
	later := func(s *onceShop) { s.now = s.now.Add(48 * time.Hour) }
	for name, row := range map[string]struct {
		do   func(*onceShop)
		code []affiliate.Reason
		hold affiliate.HoldReason
	}{
		"works":        {func(*onceShop) {}, nil, ""},
		"switched off": {func(s *onceShop) { code(s, affiliate.CodeUpdate{Active: affiliate.Set(false)}) }, []affiliate.Reason{affiliate.CodeInactive}, ""},
		"coupon off":   {func(s *onceShop) { coupon(s, affiliate.CouponUpdate{Valid: affiliate.Set(false)}) }, []affiliate.Reason{affiliate.CouponInvalid}, ""},
		"expired": {func(s *onceShop) {
			code(s, affiliate.CodeUpdate{ExpiresAt: affiliate.Set(affiliate.At(s.now))})
			later(s)
		}, []affiliate.Reason{affiliate.CodeExpired}, ""},
		"coupon expired": {func(s *onceShop) {
			coupon(s, affiliate.CouponUpdate{RedeemBy: affiliate.Set(affiliate.At(s.now))})
			later(s)
		}, []affiliate.Reason{affiliate.CouponExpired}, ""},
		"used up":        {func(s *onceShop) { code(s, affiliate.CodeUpdate{MaxRedemptions: one}); sold(s) }, []affiliate.Reason{affiliate.CodeExhausted}, ""},
		"coupon used up": {func(s *onceShop) { coupon(s, affiliate.CouponUpdate{MaxRedemptions: one}); sold(s) }, []affiliate.Reason{affiliate.CouponExhausted}, ""},
		"nobody's":       {func(s *onceShop) { code(s, affiliate.CodeUpdate{AffiliateEmail: affiliate.Null[string]()}) }, []affiliate.Reason{affiliate.CodeUnassigned}, ""},
		"foreign minimum": {func(s *onceShop) {
			code(s, affiliate.CodeUpdate{MinimumAmount: affiliate.Set(affiliate.MustAmount("100")), MinimumAmountCurrency: affiliate.Set(affiliate.Currency("EUR"))})
		}, []affiliate.Reason{affiliate.WrongCurrency}, ""},
		"banned":      {func(s *onceShop) { must(s.BanAffiliates(s.t.Context(), s.affiliate.ID)) }, nil, affiliate.HoldAffiliateBanned},
		"deactivated": {func(s *onceShop) { must(s.DeactivateAffiliates(s.t.Context(), s.affiliate.ID)) }, nil, affiliate.HoldAffiliateDeactivated},
		"two of them": {func(s *onceShop) {
			code(s, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			coupon(s, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
		}, []affiliate.Reason{affiliate.CodeInactive, affiliate.CouponInvalid}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			made := newOnceShop(t, memstore.New())
			s := &made
			ctx := t.Context()
			row.do(s)
			said := must(s.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20", TotalEarned: affiliate.Set(affiliate.MustAmount("10"))}))
			var ofCoupon []affiliate.Reason
			for _, r := range row.code {
				if r == affiliate.CouponInvalid || r == affiliate.CouponExpired || r == affiliate.CouponExhausted {
					ofCoupon = append(ofCoupon, r)
				}
			}
			filter := affiliate.CodeQuery{AffiliateID: affiliate.Set(s.affiliate.ID)}
			if slices.Contains(row.code, affiliate.CodeUnassigned) {
				filter = affiliate.CodeQuery{}
			}
			for at, c := range map[string]affiliate.Code{
				"by affiliate": must(s.SearchCodes(ctx, filter, affiliate.Page{})).Items[0],
				"by its text":  must(s.SearchCodes(ctx, affiliate.CodeQuery{Search: affiliate.Set("ada20")}, affiliate.Page{})).Items[0],
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
				"all":       must(s.CouponSummaries(ctx, affiliate.CouponQuery{}, affiliate.Page{})).Items[0],
				"by its id": must(s.CouponSummaries(ctx, affiliate.CouponQuery{ID: affiliate.Set(s.coupon.ID)}, affiliate.Page{})).Items[0],
			} {
				got := c.Usability.Or(affiliate.Usability{})
				if diff := cmp.Diff(ofCoupon, whyNot(got)); diff != "" || got.Usable != (ofCoupon == nil) {
					t.Errorf("coupon, %s: %v %s", at, got.Usable, diff)
				}
			}
			usable := must(s.SearchCodes(ctx, affiliate.CodeQuery{State: affiliate.CodeUsable}, affiliate.Page{})).Items
			if len(usable) == 1 != (row.code == nil) {
				t.Errorf("%d usable codes", len(usable))
			}
			mine := must(s.Partner(s.affiliate.ID).Codes(ctx, affiliate.Page{})).Items
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
