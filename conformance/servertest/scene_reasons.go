package servertest

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneReasons makes calls that are refused, one for each reason that a caller
// of the wire can get.
func sceneReasons(s *scene) {
	mara, other, coupon := s.join("mara"), s.join("other"), s.coupon()
	s.taken(mara, other, coupon)
	code := do(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, Code: s.slug("C"), AffiliateID: mara.ID, ExternalID: s.slug("code")})
	tom := do(s, "CreateReferral", s.CreateReferral, affiliate.NewReferral{AffiliateID: mara.ID.String(), Name: "Tom", Email: s.email("tom"), ReferredUserExternalID: "1"})
	kim := do(s, "CreateReferral", s.CreateReferral, affiliate.NewReferral{AffiliateID: mara.ID.String(), Name: "Kim", Email: s.email("kim"), ReferredUserExternalID: "2"})
	sale := s.sell(affiliate.NewSale{Email: tom.Email, TotalEarned: amount("10"), ExternalID: s.slug("e"), ExternalInvoiceID: s.slug("i")})
	later := s.sell(affiliate.NewSale{Email: tom.Email, TotalEarned: amount("10")})
	nobody := uuid.New()
	percent := given(affiliate.MustPercent("20"))

	updateCoupon := func(ctx context.Context, up affiliate.CouponUpdate) (affiliate.Coupon, error) {
		return s.UpdateCoupon(ctx, nobody, up)
	}
	updateCode := func(ctx context.Context, up affiliate.CodeUpdate) (affiliate.Code, error) {
		return s.UpdateCode(ctx, nobody, up)
	}
	updateReferral := func(ctx context.Context, up affiliate.ReferralUpdate) (affiliate.Referral, error) {
		return s.UpdateReferral(ctx, kim.Email, up)
	}
	updateNobody := func(ctx context.Context, up affiliate.ReferralUpdate) (affiliate.Referral, error) {
		return s.UpdateReferral(ctx, s.email("nobody"), up)
	}
	updateSale := func(ctx context.Context, up affiliate.SaleUpdate) (affiliate.Sale, error) {
		return s.UpdateSale(ctx, later.ID, up)
	}
	updateAffiliate := func(ctx context.Context, up affiliate.AffiliateUpdate) (int, error) {
		return s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}, up)
	}
	rename := func(ctx context.Context, slug string) (affiliate.Link, error) {
		return s.RenameLink(ctx, affiliate.LinkRef{Slug: s.slug("mara")}, slug)
	}
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{LastName: "L", Email: s.email("x")}, firstNameRequired)
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: "x"}, emailInvalid)
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: mara.Email}, affiliateEmailTaken)
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: s.email("x"), AffiliateLink: "a b"}, slugSyntax.on("affiliateLink"))
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: s.email("x"), AffiliateLink: s.slug("MARA")}, requestedSlugTaken)
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: s.email("x"), CommissionPlanID: nobody}, planNotFound)
	no(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{FirstName: "F", LastName: "L", Email: s.email("x"), AffiliateGroupID: given("g")}, groupNotFound)
	no(s, "UpdateAffiliate", updateAffiliate, affiliate.AffiliateUpdate{AffiliateStatus: given("vip")}, affiliateStatusUnknown)
	no(s, "UpdateAffiliate", updateAffiliate, affiliate.AffiliateUpdate{AffiliateLink: given(s.slug("other"))}, requestedSlugTaken)
	no(s, "CreateLink", s.CreateLink, affiliate.NewLink{Link: s.slug("other"), AffiliateID: mara.ID}, slugTaken)
	no(s, "CreateLink", s.CreateLink, affiliate.NewLink{Link: s.slug("n"), AffiliateID: nobody}, ownerNotFound)
	no(s, "CreateLink", s.CreateLink, affiliate.NewLink{Link: s.slug("n"), AffiliateID: mara.ID, AffiliateEmail: other.Email}, identifiersMismatch)
	no(s, "RenameLink", rename, s.slug("OTHER"), slugTaken.on("newLink"))
	no(s, "RenameLink", rename, "", newLinkRequired)
	no(s, "DeleteLink", s.DeleteLink, affiliate.LinkRef{ID: nobody}, linkNotFound)
	no(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{PercentOff: percent}, nameRequired)
	no(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{Name: "n", PercentOff: given(affiliate.MustPercent("0.5"))}, percentOffRange)
	no(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{Name: "n", PercentOff: percent, ExternalID: s.slug("coupon")}, couponExternalIDTaken)
	no(s, "UpdateCoupon", updateCoupon, affiliate.CouponUpdate{Valid: given(true)}, couponNotFound)
	no(s, "DeleteCoupon", s.DeleteCoupon, nobody, couponNotFound)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: nobody, Code: s.slug("n")}, couponNotFound.on("couponId"))
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, Code: s.slug("n"), AffiliateID: nobody}, affiliateNotFound)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, Code: "a b"}, codeSyntax)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, Code: s.slug("c")}, codeTaken)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, Code: s.slug("n"), ExternalID: s.slug("code")}, codeExternalIDTaken)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, IsAutoGenerated: true, AffiliateID: mara.ID, CodeStructure: given(affiliate.CodeStructure{})}, structureEmpty)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, IsAutoGenerated: true, AffiliateID: mara.ID, Prefix: "=", CodeStructure: given(affiliate.CodeStructure{Email: true})}, generatedInvalid)
	no(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, IsAutoGenerated: true, AffiliateID: mara.ID, CodeStructure: given(affiliate.CodeStructure{Email: true})}, generatedTaken)
	no(s, "UpdateCode", updateCode, affiliate.CodeUpdate{Active: given(true)}, codeIDNotFound)
	no(s, "CreateReferral", s.CreateReferral, affiliate.NewReferral{Name: "N", Email: s.email("x"), ReferredUserExternalID: "1"}, referralUnattributed)
	no(s, "CreateReferral", s.CreateReferral, affiliate.NewReferral{PromoCode: s.slug("none"), Name: "N", Email: s.email("x"), ReferredUserExternalID: "1"}, codeNotFound)
	no(s, "UpdateReferral", updateReferral, affiliate.ReferralUpdate{Email: given(tom.Email)}, referralEmailTaken)
	no(s, "UpdateReferral", updateNobody, affiliate.ReferralUpdate{Name: given("N")}, referralNotFound)
	no(s, "RecordSale", s.RecordSale, affiliate.NewSale{TotalEarned: amount("1")}, saleUnattributed)
	no(s, "RecordSale", s.RecordSale, affiliate.NewSale{Email: tom.Email}, totalRequired)
	over := amount("100000000000.0001")
	no(s, "RecordSale", s.RecordSale, affiliate.NewSale{Email: tom.Email, TotalEarned: over}, mustBe("totalEarned", tooLarge))
	no(s, "UpdateSale", updateSale, affiliate.SaleUpdate{TotalEarned: given(over)}, mustBe("totalEarned", tooLarge))
	no(s, "Evaluate", s.Evaluate, affiliate.Order{PromoCode: "x", TotalEarned: given(over)}, mustBe("totalEarned", tooLarge))
	no(s, "RecordSale", s.RecordSale, affiliate.NewSale{ReferralID: s.slug("mara"), TotalEarned: amount("1")}, emailRequired)
	no(s, "UpdateSale", updateSale, affiliate.SaleUpdate{ExternalID: given(s.slug("e"))}, saleExternalIDTaken)
	no(s, "UpdateSale", updateSale, affiliate.SaleUpdate{ExternalInvoiceID: given(s.slug("i"))}, saleExternalInvoice)
	no(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: sale.ID, Amount: given(amount("10.01"))}, refundExceedsSale)
	no(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: 987654321987654321}, saleNotFound)
	no(s, "Evaluate", s.Evaluate, affiliate.Order{}, promoCodeRequired)
	no(s, "CreateEndpoint", s.CreateEndpoint, affiliate.NewEndpoint{URL: "ftp://x", Events: []affiliate.EventType{affiliate.SaleCreated}}, urlNotHTTPS)
	no(s, "CreateEndpoint", s.CreateEndpoint, affiliate.NewEndpoint{URL: "https://169.254.169.254/", Events: []affiliate.EventType{affiliate.SaleCreated}}, urlNotAllowed)
	no(s, "CreateEndpoint", s.CreateEndpoint, affiliate.NewEndpoint{URL: "https://hooks.conform.example/", Events: []affiliate.EventType{"x"}}, unknownEvent("events", "x"))
	no(s, "DeleteEndpoint", s.DeleteEndpoint, nobody, webhookNotFound)
	no(s, "Replay", s.Replay, affiliate.ReplayRange{DeliveryID: nobody}, deliveryNotFound)
	s.codeReasons(code, tom, kim, later)
}

// taken makes the records that other calls clash with.
func (s *scene) taken(mara, other affiliate.Affiliate, coupon affiliate.Coupon) {
	do(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{Name: s.unique, PercentOff: given(affiliate.MustPercent("20")), ExternalID: s.slug("coupon")})
	do(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, IsAutoGenerated: true, AffiliateID: mara.ID, CodeStructure: given(affiliate.CodeStructure{Email: true})})
	do(s, "CreateLink", s.CreateLink, affiliate.NewLink{Link: s.slug("more"), AffiliateID: other.ID})
}

// codeReasons uses a code that is refused for one reason after another.
func (s *scene) codeReasons(code affiliate.Code, tom, kim affiliate.Referral, later affiliate.Sale) {
	buy := affiliate.NewSale{PromoCode: code.Code, TotalEarned: amount("10"), Email: tom.Email, Product: given(affiliate.Product{ProductID: "q"})}
	sold := func(want refusal) { no(s, "RecordSale", s.RecordSale, buy, want) }
	change := func(up affiliate.CodeUpdate) { do2(s, "UpdateCode", s.UpdateCode, code.ID, up) }
	coupon := func(up affiliate.CouponUpdate) { do2(s, "UpdateCoupon", s.UpdateCoupon, code.CouponID, up) }

	coupon(affiliate.CouponUpdate{ProductIDs: given([]string{"p"}), LimitToProducts: given(true)})
	sold(wrongProduct)
	change(affiliate.CodeUpdate{CustomerID: given(kim.Email), LimitToCustomers: given(true)})
	sold(wrongCustomer)
	change(affiliate.CodeUpdate{MinimumAmount: given(amount("5")), MinimumAmountCurrency: given(affiliate.Currency("JPY"))})
	sold(wrongCurrency)
	change(affiliate.CodeUpdate{MinimumAmount: given(amount("10.01")), MinimumAmountCurrency: given(affiliate.Currency("USD"))})
	sold(belowMinimum)
	change(affiliate.CodeUpdate{FirstTimeOrder: given(true)})
	sold(notFirstOrder)
	past := affiliate.Day(2020, 1, 2)
	coupon(affiliate.CouponUpdate{RedeemBy: given(past)})
	sold(couponExpired)
	change(affiliate.CodeUpdate{ExpiresAt: given(past)})
	sold(codeExpired)
	coupon(affiliate.CouponUpdate{Valid: given(false)})
	sold(couponInvalid)
	change(affiliate.CodeUpdate{Active: given(false)})
	sold(codeInactive)

	do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: later.ID})
	no(s, "UpdateSale", func(ctx context.Context, up affiliate.SaleUpdate) (affiliate.Sale, error) {
		return s.UpdateSale(ctx, later.ID, up)
	}, affiliate.SaleUpdate{TotalEarned: given(amount("20"))}, saleRefunded)
}
