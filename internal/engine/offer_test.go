package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// linkShop is a program with coupons that links may give.
type linkShop struct {
	*scene.World
	ada, eve  affiliate.Affiliate
	ten, five affiliate.Coupon // 10 %, 5 USD
}

func newLinkShop(t testing.TB, change ...func(*tributary.Config)) *linkShop {
	w := scene.New(t, change...)
	s := &linkShop{World: w, ada: w.Join("ada"), eve: w.Join("eve")}
	s.ten = scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Ten", PercentOff: scene.Percent("10")}))
	s.five = scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Five", CouponType: affiliate.CouponFlat, AmountOff: scene.Amount("5"), Currency: affiliate.Set(affiliate.Currency("USD")),
	}))
	return s
}

// gives makes a coupon what the program's links give.
func (s *linkShop) gives(c affiliate.Coupon) {
	s.T.Helper()
	scene.Must(s.SetTerms(s.T.Context(), affiliate.TermsUpdate{OfferCouponID: affiliate.Set(c.ID)}))
}

// says previews the offer of whoever sends the id.
func (s *linkShop) says(referralID, email string) affiliate.Evaluation {
	s.T.Helper()
	return scene.Must(s.Evaluate(s.T.Context(), affiliate.Order{ReferralID: referralID, Email: email, Subtotal: scene.Amount("100"), Offer: true}))
}

func (s *linkShop) buys(referralID, email string) (affiliate.SaleResult, error) {
	return s.RecordSale(s.T.Context(), affiliate.SaleParams{
		ReferralID: referralID, Email: email, Name: email, TotalEarned: affiliate.MustAmount("90"), Subtotal: scene.Amount("100"), Offer: true,
	})
}

// TestOfferOfWhom: the own offer of an affiliate is before that of its plan, and that before the program's; it is given to
// who comes by a click, a link or the affiliate, and to customers whom no code brought.
func TestOfferOfWhom(t *testing.T) {
	s := newLinkShop(t)
	ctx := t.Context()
	none := s.says("ada", "tomas@example.net")
	scene.Equal(t, []affiliate.Failure{{Reason: affiliate.NoOffer, Message: "The link gives no discount"}}, none.Reasons)
	scene.Equal(t, false, none.Offer)

	s.gives(s.ten)
	seen := s.says("ada", "")
	scene.Equal(t, fmt.Sprint("true true 10 90 Ten ", s.ada.ID, " null"), fmt.Sprint(seen.Valid, " ", seen.Offer, " ", seen.Discount.Or(affiliate.Amount{}), " ", seen.Total.Or(affiliate.Amount{}),
		" ", seen.Coupon.Or(affiliate.Coupon{}).Name, " ", seen.Affiliate.Or(affiliate.AffiliateContact{}).ID, " ", scene.JSON(seen.Code)))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "P", Terms: affiliate.Terms{OfferCouponID: s.five.ID}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.ada.ID))
	scene.Equal(t, scene.Amount("5"), s.says("ada", "").Discount)
	scene.Equal(t, scene.Amount("10"), s.says("eve", "").Discount)
	own := affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(s.ten.ID)}
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.ID}, own))
	scene.Equal(t, s.ten.ID, scene.Must(s.Affiliate(ctx, s.ada.ID.String())).OfferCouponID)
	scene.Equal(t, scene.Amount("10"), s.says(s.ada.ID.String(), "").Discount)
	own.OfferCouponID = affiliate.Null[uuid.UUID]()
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.ID}, own))
	click := scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Offer: true}))
	shown, _ := click.Offer.Get()
	scene.Equal(t, "Five 5", fmt.Sprint(shown.Name, " ", shown.AmountOff.Or(affiliate.Amount{})))
	scene.Equal(t, scene.Amount("5"), s.says(fmt.Sprint(click.ID), "").Discount)
	if c := scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"})); !c.Offer.IsZero() {
		t.Error("a click that did not ask is told an offer")
	}

	// Customers keep the offer of their link; those of a code have none, unless they come by a link.
	scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "eve", Email: "lou@example.net", Name: "Lou", TotalEarned: affiliate.MustAmount("1")}))
	scene.Equal(t, scene.Amount("10"), s.says("", "lou@example.net").Discount)
	scene.Equal(t, scene.Amount("5"), s.says("ada", "lou@example.net").Discount)
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.ten.ID, Code: "EVE", AffiliateID: s.eve.ID}))
	scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "EVE", Email: "kim@example.net", TotalEarned: affiliate.MustAmount("1")}))
	scene.Equal(t, affiliate.NoOffer, s.says("", "kim@example.net").Reasons[0].Reason)
	scene.Equal(t, affiliate.NoOffer, s.says("", "nobody@example.net").Reasons[0].Reason)
	scene.Equal(t, scene.Amount("10"), s.says("eve", "kim@example.net").Discount)
	s.Verifies()
}

// TestOfferedSale: a sale with an offer counts on the coupon alone, and credits by the link.
func TestOfferedSale(t *testing.T) {
	s := newLinkShop(t, func(c *tributary.Config) { c.HouseCodes = true })
	ctx := t.Context()
	scene.WantReason(t, "no offer", affiliate.NoOffer, scene.ErrOf(s.buys("ada", "a@x.example")))
	s.gives(scene.Must(s.UpdateCoupon(ctx, s.ten.ID, affiliate.CouponUpdate{
		MaxRedemptions: affiliate.Set(int64(3)), MaxRedemptionsPerCustomer: affiliate.Set(int64(1)), RestoreOnRefund: affiliate.Set(true), MaxDiscountTotal: scene.Amount("100"),
	})))
	scene.WantReason(t, "nobody", affiliate.NoOffer, scene.ErrOf(s.buys("", "a@x.example")))
	sale := scene.Must(s.buys("ada", "a@x.example")).Sale.Or(affiliate.Sale{})
	scene.Equal(t, fmt.Sprint(s.ada.ID, " true null"), fmt.Sprint(sale.Affiliate.ID, " ", sale.Offer, " ", scene.JSON(sale.PromotionalCodeID)))
	used := func(want string) {
		t.Helper()
		c := scene.Must(s.Coupon(ctx, affiliate.CouponRef{ID: s.ten.ID}))
		scene.Equal(t, want, fmt.Sprint(c.TimesRedeemed, " ", c.DiscountTotal.Or(affiliate.Amount{})))
	}
	used("1 10")
	why := scene.Must(s.ExplainSale(ctx, sale.ID))
	offer, _ := why.Offer.Get()
	scene.Equal(t, fmt.Sprint(affiliate.CreditLink, " Ten 10 ", s.ten.ID), fmt.Sprint(why.Credit.By, " ", offer.Name.Or(""), " ", offer.Discount, " ", offer.CouponID))
	scene.WantReason(t, "again", affiliate.CustomerLimit, scene.ErrOf(s.buys("ada", "A+1@x.example")))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	used("0 0")
	s.Verifies()
	again := scene.Must(s.buys("ada", "a@x.example")).Sale.Or(affiliate.Sale{})
	scene.Must(0, s.RestoreRedemption(ctx, affiliate.SaleRef{ID: again.ID}))
	used("0 0")

	// A typed code is before the offer, also one that is refused.
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.five.ID, Code: "EVE", AffiliateID: s.eve.ID}))
	for code, want := range map[string]affiliate.Reason{"EVE": "", "NONE": affiliate.CodeNotFound} {
		order := affiliate.Order{PromoCode: code, ReferralID: "ada", Email: "b@x.example", Subtotal: scene.Amount("100"), Offer: true}
		e := scene.Must(s.Evaluate(ctx, order))
		scene.Equal(t, false, e.Offer)
		res, err := s.RecordSale(ctx, affiliate.SaleParams{PromoCode: code, ReferralID: "ada", Email: "b@x.example", TotalEarned: affiliate.MustAmount("95"), Subtotal: order.Subtotal, Offer: true})
		if want != "" {
			scene.WantReason(t, code, want, err)
		}
		typed, _ := res.Sale.Get()
		scene.Equal(t, false, typed.Offer)
	}
	used("0 0")
	s.Verifies()

	// The coupon cannot go while links give it.
	scene.WantReason(t, "terms", affiliate.CouponInUse, scene.ErrOf(s.DeleteCoupon(ctx, s.ten.ID)))
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.ID}, affiliate.AffiliateUpdate{OfferCouponID: affiliate.Set(s.ten.ID)}))
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{OfferCouponID: affiliate.Null[uuid.UUID]()}))
	scene.WantReason(t, "affiliate", affiliate.CouponInUse, scene.ErrOf(s.DeleteCoupon(ctx, s.ten.ID)))
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.ID}, affiliate.AffiliateUpdate{OfferCouponID: affiliate.Null[uuid.UUID]()}))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "P"}))
	from := affiliate.Set(affiliate.Day(2040, time.January, 1))
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{OfferCouponID: affiliate.Set(s.ten.ID), From: from}}))
	scene.WantReason(t, "plan to come", affiliate.CouponInUse, scene.ErrOf(s.DeleteCoupon(ctx, s.ten.ID)))
	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: from}}))
	scene.Must(s.DeleteCoupon(ctx, s.ten.ID))
	offer, _ = scene.Must(s.ExplainSale(ctx, sale.ID)).Offer.Get()
	scene.Equal(t, affiliate.Null[string](), offer.Name)
	s.Verifies()

	gone := affiliate.Set(s.ten.ID)
	_, err := s.SetTerms(ctx, affiliate.TermsUpdate{OfferCouponID: gone})
	scene.WantReason(t, "terms", affiliate.CouponNotFound, err)
	scene.WantReason(t, "plan", affiliate.CouponNotFound, scene.ErrOf(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{OfferCouponID: gone, From: from}})))
	scene.WantReason(t, "new plan", affiliate.CouponNotFound, scene.ErrOf(s.CreatePlan(ctx, affiliate.PlanParams{Name: "Q", Terms: affiliate.Terms{OfferCouponID: s.ten.ID}})))
	scene.WantReason(t, "affiliate", affiliate.CouponNotFound, scene.ErrOf(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.ID}, affiliate.AffiliateUpdate{OfferCouponID: gone})))
	scene.WantReason(t, "new affiliate", affiliate.CouponNotFound, scene.ErrOf(s.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "N", LastName: "N", Email: "n@example.org", OfferCouponID: s.ten.ID,
	})))
}

// TestHeldOffer: a hold keeps a place of an offer, and its coupon also when the link gives another one since.
func TestHeldOffer(t *testing.T) {
	s := newLinkShop(t)
	ctx := t.Context()
	s.gives(scene.Must(s.UpdateCoupon(ctx, s.ten.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set(int64(1))})))
	in := affiliate.HoldParams{ID: "h", Until: s.Now.Add(time.Hour), Order: affiliate.Order{ReferralID: "ada", Email: "a@x.example", Subtotal: scene.Amount("100"), Offer: true}}
	held := scene.Must(s.HoldRedemption(ctx, in))
	scene.Equal(t, "null 10", fmt.Sprint(scene.JSON(held.PromotionalCode), " ", held.Discount.Or(affiliate.Amount{})))
	scene.Equal(t, affiliate.CouponExhausted, s.says("ada", "b@x.example").Reasons[0].Reason)
	s.Verifies()
	s.gives(s.five)
	sale := affiliate.SaleParams{HoldID: "h", ReferralID: "ada", Email: "a@x.example", Name: "A", TotalEarned: affiliate.MustAmount("90"), PromoCode: "TYPED"}
	scene.WantReason(t, "a code with the hold of an offer", affiliate.HoldOfAnotherCode, scene.ErrOf(s.RecordSale(ctx, sale)))
	sale.PromoCode = ""
	got := scene.Must(s.RecordSale(ctx, sale)).Sale.Or(affiliate.Sale{})
	scene.Equal(t, "true 100", fmt.Sprint(got.Offer, " ", got.Subtotal.Or(affiliate.Amount{})))
	scene.Equal(t, int64(1), scene.Must(s.Coupon(ctx, affiliate.CouponRef{ID: s.ten.ID})).TimesRedeemed)
	scene.Equal(t, int64(0), scene.Must(s.Coupon(ctx, affiliate.CouponRef{ID: s.five.ID})).TimesRedeemed)
	s.Verifies()
}

// TestOfferIsTheSale: what a preview says of an offer, a sale and a hold do.
func TestOfferIsTheSale(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newLinkShop(t, func(c *tributary.Config) {
			c.RefuseSuspended = rapid.Bool().Draw(rt, "refuseSuspended")
			c.RequireCustomer = rapid.Bool().Draw(rt, "requireCustomer")
			if rapid.Bool().Draw(rt, "keep") {
				c.Attribution.Customer = affiliate.CreditKeptCustomer
			}
		})
		ctx := t.Context()
		some := func(name string) affiliate.Opt[int64] {
			if rapid.Bool().Draw(rt, name) {
				return affiliate.Set(rapid.Int64Range(1, 2).Draw(rt, name+" is"))
			}
			return affiliate.Null[int64]()
		}
		up := affiliate.CouponUpdate{MaxRedemptions: some("limit"), MaxRedemptionsPerCustomer: some("per customer"), Valid: affiliate.Set(rapid.IntRange(0, 5).Draw(rt, "valid") > 0)}
		if rapid.Bool().Draw(rt, "products") {
			up.LimitToProducts, up.ProductIDs = affiliate.Set(true), affiliate.Set([]string{"beans"})
		}
		if rapid.Bool().Draw(rt, "budget") {
			up.MaxDiscountTotal = scene.Amount("15")
		}
		for _, c := range []affiliate.Coupon{s.ten, s.five} {
			scene.Must(s.UpdateCoupon(ctx, c.ID, up))
		}
		offers := []affiliate.Opt[uuid.UUID]{affiliate.Null[uuid.UUID](), affiliate.Set(s.ten.ID), affiliate.Set(s.five.ID)}
		scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{OfferCouponID: rapid.SampledFrom(offers).Draw(rt, "program")}))
		for _, a := range []affiliate.Affiliate{s.ada, s.eve} {
			scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{OfferCouponID: rapid.SampledFrom(offers).Draw(rt, a.FirstName)}))
		}
		scene.Must(s.SetAffiliateStatus(ctx, rapid.SampledFrom([]affiliate.AffiliateStatus{affiliate.AffiliateActive, affiliate.AffiliateBanned}).Draw(rt, "eve is"), s.eve.ID))
		scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.ten.ID, Code: "EVE", AffiliateID: s.eve.ID}))
		for i := range rapid.IntRange(1, 6).Draw(rt, "orders") {
			order := affiliate.Order{
				ReferralID: rapid.SampledFrom([]string{"ada", "eve", s.eve.ID.String(), "", "nobody"}).Draw(rt, "by"),
				Email:      rapid.SampledFrom([]string{"a@x.example", "b@x.example", "a+b@x.example"}).Draw(rt, "who"),
				Lines: []affiliate.Line{
					{ProductID: "beans", Amount: affiliate.MustAmount("30")}, {ProductID: rapid.SampledFrom([]string{"", "mug"}).Draw(rt, "other"), Amount: affiliate.MustAmount("12.5")},
				},
				PromoCode: rapid.SampledFrom([]string{"", "", "", "EVE"}).Draw(rt, "code"), Offer: true,
			}
			before := s.redeemed()
			seen := scene.Must(s.Evaluate(ctx, order))
			sale := affiliate.SaleParams{
				PromoCode: order.PromoCode, ReferralID: order.ReferralID, Email: order.Email, Name: "N", Lines: order.Lines, Offer: true,
				TotalEarned: seen.Total.Or(affiliate.MustAmount("42.5")), Subtotal: scene.Amount("42.5"),
			}
			if rapid.Bool().Draw(rt, "held") {
				_, err := s.HoldRedemption(ctx, affiliate.HoldParams{Order: order, ID: fmt.Sprint("h", i), Until: s.Now.Add(time.Minute)})
				if (err == nil) != seen.Valid {
					rt.Fatalf("the preview says %v, the hold %v", seen.Reasons, err)
				}
				s.Pass(2 * time.Minute)
			}
			res, err := s.RecordSale(ctx, sale)
			scene.Equal(t, before+len(res.Sale.Or(affiliate.Sale{}).Lines)/2, s.redeemed())
			if !seen.Valid {
				refused, _ := err.(*affiliate.Error)
				if refused == nil || scene.JSON(refused.Failures) != scene.JSON(seen.Reasons) {
					rt.Fatalf("the preview says %v, the sale %v", scene.JSON(seen.Reasons), err)
				}
				continue
			}
			got, recorded := res.Sale.Get()
			if !recorded || got.Offer != seen.Offer || got.Offer == (order.PromoCode != "") || scene.JSON(got.Affiliate.ID) != scene.JSON(seen.Affiliate.Or(affiliate.AffiliateContact{}).ID) {
				rt.Fatalf("the preview %s, the sale %s %v", scene.JSON(seen), scene.JSON(res), err)
			}
			for i, l := range got.Lines {
				scene.Equal(t, seen.Lines[i].CodeDiscount, l.CodeDiscount)
			}
		}
		s.Verifies()
	})
}

// redeemed returns how many redemptions both coupons count.
func (s *linkShop) redeemed() (n int) {
	for _, c := range []affiliate.Coupon{s.ten, s.five} {
		n += int(scene.Must(s.Coupon(s.T.Context(), affiliate.CouponRef{ID: c.ID})).TimesRedeemed)
	}
	return n
}
