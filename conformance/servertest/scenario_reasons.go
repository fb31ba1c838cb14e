package servertest

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneEndpoints is the life of an endpoint.
func sceneEndpoints(s *scene) {
	issued := do(s, "CreateEndpoint", s.CreateEndpoint, affiliate.NewEndpoint{
		URL: "https://hooks.conform.example/" + s.unique, Events: []affiliate.EventType{affiliate.CouponCreated, affiliate.CouponDeleted}, Description: "one", Active: given(false),
	})
	s.later(func() { _, _ = s.DeleteEndpoint(s.ctx, issued.ID) }) // it is gone when all went well
	same(s, "an endpoint that is switched off", affiliate.EndpointDisabled, issued.Status)
	same(s, "its hint", true, issued.SecretHint != "" && strings.HasSuffix(issued.Secret.Reveal(), issued.SecretHint))
	same(s, "the stored endpoint", issued.Endpoint, do(s, "Endpoint", s.Endpoint, issued.ID))

	rotated := do(s, "RotateSecret", s.RotateSecret, affiliate.Rotation{WebhookID: issued.ID, GracePeriodSeconds: given(int64(60))})
	same(s, "a new secret", false, rotated.Secret == issued.Secret)
	same(s, "the end of the old one", false, rotated.PreviousSecretExpiresAt.IsNull())

	coupon := s.coupon()
	do2(s, "UpdateCoupon", s.UpdateCoupon, coupon.ID, affiliate.CouponUpdate{Valid: given(false)})
	do(s, "DeleteCoupon", s.DeleteCoupon, coupon.ID)
	list := do2(s, "Deliveries", s.Deliveries, affiliate.DeliveryFilter{WebhookID: affiliate.Set(issued.ID), State: affiliate.DeliverySkipped}, affiliate.Page{})
	var events []affiliate.EventType
	for _, d := range list.Items {
		events = append(events, d.Event)
	}
	same(s, "what the endpoint would have heard, newest first", []affiliate.EventType{affiliate.CouponDeleted, affiliate.CouponCreated}, events)
	one := do(s, "Delivery", s.Delivery, list.Items[0].ID)
	payload, ok := one.Payload.Get()
	same(s, "the payload of a deletion", true, ok && strings.HasSuffix(string(payload), `"body":{"id":"`+coupon.ID.String()+`"}}`))
	denied(s, "Replay", s.Replay, affiliate.ReplayRange{DeliveryID: one.ID}, affiliate.WebhookDisabled)

	changed := do2(s, "UpdateEndpoint", s.UpdateEndpoint, issued.ID, affiliate.EndpointUpdate{Description: affiliate.Null[string](), SvixHeaders: given(true)})
	same(s, "a description that was cleared", affiliate.Null[string](), changed.Description)
	same(s, "a deleted endpoint", affiliate.DeletedEndpoint{ID: issued.ID, URL: issued.URL}, do(s, "DeleteEndpoint", s.DeleteEndpoint, issued.ID))
	miss(s, "Endpoint", s.Endpoint, issued.ID)
}

// sceneMisses looks for what is not there.
func sceneMisses(s *scene) {
	nobody, mail := uuid.New(), s.email("nobody")
	miss(s, "Affiliate", s.Affiliate, nobody.String())
	miss(s, "Affiliate", s.Affiliate, s.slug("nobody"))
	miss(s, "AffiliateByEmail", s.AffiliateByEmail, mail)
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{ID: nobody})
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{ExternalID: s.unique})
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{Name: s.unique})
	miss(s, "Code", s.Code, affiliate.CodeRef{ID: nobody})
	miss(s, "Code", s.Code, affiliate.CodeRef{Code: s.unique})
	miss(s, "Code", s.Code, affiliate.CodeRef{ExternalID: s.unique})
	miss(s, "Referral", s.Referral, mail)
	miss(s, "Referral", s.Referral, nobody.String())
	miss(s, "Sale", s.Sale, affiliate.SaleID(987654321987654321))
	miss(s, "Endpoint", s.Endpoint, nobody)
	miss(s, "Delivery", s.Delivery, nobody)
	miss(s, "CreateReferral", s.CreateReferral, affiliate.NewReferral{AffiliateID: s.slug("nobody"), Name: "N", Email: mail, ReferredUserExternalID: "1"})
	same(s, "a sale that nobody earned", affiliate.SaleUnattributed,
		do(s, "RecordSale", s.RecordSale, affiliate.NewSale{Email: mail, TotalEarned: amount("1")}).Outcome)

	none := map[string]int{
		"Links":      len(do2(s, "Links", s.Links, affiliate.LinkFilter{Slug: affiliate.Set(s.unique)}, affiliate.Page{}).Items),
		"Codes":      len(do2(s, "Codes", s.Codes, affiliate.CodeFilter{AffiliateEmail: affiliate.Set(mail)}, affiliate.Page{}).Items),
		"Referrals":  len(do2(s, "Referrals", s.Referrals, affiliate.ReferralFilter{AffiliateID: affiliate.Set(nobody)}, affiliate.Page{Limit: 5}).Items),
		"Sales":      len(do2(s, "Sales", s.Sales, affiliate.SaleFilter{ExternalID: affiliate.Set(s.unique)}, affiliate.Page{}).Items),
		"Deliveries": len(do2(s, "Deliveries", s.Deliveries, affiliate.DeliveryFilter{WebhookID: affiliate.Set(nobody)}, affiliate.Page{}).Items),
	}
	same(s, "lists that find nothing", map[string]int{"Links": 0, "Codes": 0, "Referrals": 0, "Sales": 0, "Deliveries": 0}, none)
	done(s, "DeleteReferral", s.DeleteReferral, mail)
	done(s, "DeleteSale", s.DeleteSale, affiliate.SaleID(987654321987654321))
	done(s, "DeleteAffiliate", s.DeleteAffiliate, affiliate.AffiliateRef{ID: nobody})
}

// no makes a call that must be refused, with the kind, field and text that the
// wire has.
func no[In, Out any](s *scene, name string, call func(context.Context, In) (Out, error), in In, want refusal) {
	e := denied(s, name, call, in, affiliate.Reason(want.code))
	got := refusal{e.Kind.Status(), string(e.Reason), e.Field, e.Message}
	same(s, step(name, in), fmt.Sprint(want), fmt.Sprint(got))
}

// sceneReasons is refused for every reason that a caller of the wire can meet.
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

// taken makes what calls clash with.
func (s *scene) taken(mara, other affiliate.Affiliate, coupon affiliate.Coupon) {
	do(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{Name: s.unique, PercentOff: given(affiliate.MustPercent("20")), ExternalID: s.slug("coupon")})
	do(s, "CreateCode", s.CreateCode, affiliate.NewCode{CouponID: coupon.ID, IsAutoGenerated: true, AffiliateID: mara.ID, CodeStructure: given(affiliate.CodeStructure{Email: true})})
	do(s, "CreateLink", s.CreateLink, affiliate.NewLink{Link: s.slug("more"), AffiliateID: other.ID})
}

// codeReasons is refused for every reason of a code, one after the other.
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
