package servertest

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// scenePages reads every list that has filters, page by page.
func scenePages(s *scene) {
	mara, coupon := s.join("mara"), s.coupon()
	var links, codes, referrals, sales []string
	links = append(links, mara.AffiliateLinks[0].ID.String())
	for i := range 5 {
		end := fmt.Sprint("p", i)
		links = append(links, do(s, "CreateLink", s.CreateLink, affiliate.LinkParams{Link: s.slug(end), AffiliateID: mara.ID}).ID.String())
		code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{CouponID: coupon.ID, Code: s.slug(end), AffiliateID: mara.ID})
		codes = append(codes, code.ID.String())
		sale := s.sell(affiliate.SaleParams{PromoCode: code.Code, Email: s.email(end), TotalEarned: amount("1")})
		sales = append(sales, fmt.Sprint(sale.ID))
		referrals = append(referrals, sale.ReferralID.Or(uuid.Nil).String())
	}
	for size := 1; size <= 7; size += 2 {
		walked(s, "Links", links, size, func(pg affiliate.Page) (affiliate.List[affiliate.Link], error) {
			return s.Links(s.ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(mara.ID)}, pg)
		}, func(l affiliate.Link) string { return l.ID.String() })
		walked(s, "Codes", codes, size, func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) {
			return s.Codes(s.ctx, affiliate.CodeQuery{CouponID: affiliate.Set(coupon.ID)}, pg)
		}, func(c affiliate.Code) string { return c.ID.String() })
		walked(s, "Referrals", referrals, size, func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return s.Referrals(s.ctx, affiliate.ReferralQuery{AffiliateEmail: affiliate.Set(mara.Email)}, pg)
		}, func(r affiliate.Referral) string { return r.ID.String() })
		walked(s, "Sales", sales, size, func(pg affiliate.Page) (affiliate.List[affiliate.Sale], error) {
			return s.Sales(s.ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(mara.ID)}, pg)
		}, func(sale affiliate.Sale) string { return fmt.Sprint(sale.ID) })
	}
	whole := do2(s, "Links", s.Links, affiliate.LinkQuery{AffiliateID: affiliate.Set(mara.ID)}, affiliate.Page{})
	same(s, "a whole list has no next page", "", whole.Next)
	same(s, "the length of a whole list", len(links), len(whole.Items))
}

// walked compares a list, read page by page, with the ids that were made, oldest
// first.
func walked[T any](s *scene, name string, made []string, size int, list func(affiliate.Page) (affiliate.List[T], error), id func(T) string) {
	var got []string
	for item, err := range affiliate.Each(size, list) {
		if err != nil {
			s.fatal(Failure{name, "no error", err.Error()})
		}
		got = append([]string{id(item)}, got...)
	}
	same(s, fmt.Sprintf("%s in pages of %d", name, size), made, got)
}

// scenePreviews asks for a preview before each sale.
func scenePreviews(s *scene) {
	mara, coupon := s.join("mara"), s.coupon()
	code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{
		CouponID: coupon.ID, Code: s.slug("C"), AffiliateID: mara.ID, MinimumAmount: given(amount("25")), FirstTimeOrder: true, LimitToAffiliate: true,
	})
	preview := func(o affiliate.Order) affiliate.Evaluation {
		o.PromoCode = code.Code
		return do(s, "Evaluate", s.Evaluate, o)
	}
	good := preview(affiliate.Order{TotalEarned: given(amount("99.99")), Email: s.email("tomas")})
	same(s, "a good code", true, good.Valid)
	same(s, "20 percent of 99.99", affiliate.Set(amount("20")), good.Discount)
	same(s, "what was not sent", []affiliate.Reason{affiliate.WrongAffiliate}, good.Unverified)
	same(s, "whose code it is", mara.ID, good.Affiliate.Or(affiliate.AffiliateContact{}).ID)
	s.sell(affiliate.SaleParams{PromoCode: code.Code, Email: s.email("tomas"), TotalEarned: amount("99.99")})

	other := s.join("other")
	retired := do2(s, "UpdateCode", s.UpdateCode, code.ID, affiliate.CodeUpdate{Active: given(false), ExpiresAt: given(affiliate.Day(2020, 1, 2))})
	same(s, "a code that is not active", false, retired.Active)
	order := affiliate.Order{TotalEarned: given(amount("24.9999")), Email: s.email("tomas"), ReferralID: other.ID.String()}
	bad := preview(order)
	var reasons []affiliate.Reason
	for _, f := range bad.Reasons {
		reasons = append(reasons, f.Reason)
	}
	want := []affiliate.Reason{affiliate.CodeInactive, affiliate.CodeExpired, affiliate.NotFirstOrder, affiliate.BelowMinimum, affiliate.WrongAffiliate}
	same(s, "every failing rule", want, reasons)
	denied(s, "RecordSale", s.RecordSale, affiliate.SaleParams{PromoCode: code.Code, TotalEarned: amount("24.9999"), Email: order.Email, ReferralID: order.ReferralID}, affiliate.CodeInactive)
	same(s, "a preview counts nothing", int64(1), do(s, "Code", s.Code, affiliate.CodeRef{ID: code.ID}).TimesRedeemed)
	none := do(s, "Evaluate", s.Evaluate, affiliate.Order{PromoCode: s.slug("none"), TotalEarned: given(amount("1"))})
	same(s, "a code that is not there", []affiliate.Failure{{Reason: affiliate.CodeNotFound, Message: codeNotFound.text}}, none.Reasons)
}

// sceneUpdates changes one field of a record of each kind, and clears another.
func sceneUpdates(s *scene) {
	mara := s.join("mara")
	n := do2(s, "UpdateAffiliate", s.UpdateAffiliate, affiliate.AffiliateRef{ID: mara.ID}, affiliate.AffiliateUpdate{FirstName: given("Maria"), AffiliateLink: given(s.slug("second"))})
	same(s, "affiliates that matched", 1, n)
	n = do2(s, "UpdateAffiliate", s.UpdateAffiliate, affiliate.AffiliateRef{Email: s.email("nobody")}, affiliate.AffiliateUpdate{FirstName: given("x")})
	same(s, "affiliates that matched", 0, n)
	changed := do(s, "Affiliate", s.Affiliate, mara.Email)
	same(s, "the name", "Maria Lindqvist", changed.Name)
	same(s, "the links", 2, len(changed.AffiliateLinks))

	coupon := do(s, "CreateCoupon", s.CreateCoupon, affiliate.CouponParams{Name: s.unique, PercentOff: given(affiliate.MustPercent("12.5")), MaxRedemptions: given(int64(5)), ProductIDs: []string{"b", "a"}})
	flat := do2(s, "UpdateCoupon", s.UpdateCoupon, coupon.ID, affiliate.CouponUpdate{
		CouponType: given(affiliate.CouponFlat), AmountOff: given(amount("7.5")), Currency: given(affiliate.Currency("USD")), MaxRedemptions: affiliate.Null[int64](),
	})
	same(s, "a coupon that became flat", affiliate.Set(amount("7.5")), flat.AmountOff)
	same(s, "percentOff of a flat coupon", affiliate.Null[affiliate.Percent](), flat.PercentOff)
	same(s, "a limit that was cleared", affiliate.Null[int64](), flat.MaxRedemptions)
	same(s, "what was not given", []string{"b", "a"}, flat.ProductIDs)
	same(s, "the stored coupon", flat, do(s, "Coupon", s.Coupon, affiliate.CouponRef{Name: s.unique}))

	other := s.join("other")
	code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{CouponID: coupon.ID, Code: s.slug("code"), AffiliateID: mara.ID})
	code = do2(s, "UpdateCode", s.UpdateCode, code.ID, affiliate.CodeUpdate{AffiliateID: given(other.ID)})
	same(s, "a code that was given to another", other.ID, code.AffiliateID.Or(mara.ID))
	code = do2(s, "UpdateCode", s.UpdateCode, code.ID, affiliate.CodeUpdate{AffiliateEmail: given(mara.Email)})
	same(s, "a code that was given back", mara.ID, code.AffiliateID.Or(other.ID))
	code = do2(s, "UpdateCode", s.UpdateCode, code.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()})
	same(s, "a code that was taken away", true, code.AffiliateID.IsNull() && code.Affiliate.IsNull())

	r := do(s, "CreateReferral", s.CreateReferral, affiliate.ReferralParams{AffiliateEmail: mara.Email, Name: "Tom", Email: s.email("tom"), ReferredUserExternalID: s.email("tom"), Plan: "Monthly"})
	meta := json.RawMessage(`{"a":[1.50,"x"]}`)
	r = do2(s, "UpdateReferral", s.UpdateReferral, r.Email, affiliate.ReferralUpdate{Plan: affiliate.Null[string](), Notes: given("two\nlines"), Metadata: given(meta), SubscriptionStatus: given(affiliate.SubscriptionDeclined)})
	same(s, "a plan that was cleared", affiliate.Null[string](), r.Plan)
	same(s, "metadata", affiliate.Set(meta), r.Metadata)
	same(s, "a customer who is DECLINED", affiliate.SaleInactiveCustomer, do(s, "RecordSale", s.RecordSale, affiliate.SaleParams{Email: r.Email, TotalEarned: amount("1")}).Outcome)
	do2(s, "UpdateReferral", s.UpdateReferral, r.ID.String(), affiliate.ReferralUpdate{SubscriptionStatus: given(affiliate.SubscriptionActive)})

	sale := s.sell(affiliate.SaleParams{Email: r.Email, TotalEarned: amount("100"), ExternalID: s.slug("1"), Product: given(affiliate.Product{ProductID: "p", Quantity: given(amount("1.5"))})})
	same(s, "what was bought", []string{"p"}, sale.ProductsBought)
	sale = do2(s, "UpdateSale", s.UpdateSale, sale.ID, affiliate.SaleUpdate{TotalEarned: given(amount("50")), ExternalID: affiliate.Null[string]()})
	same(s, "the commission is calculated again", amount("10"), sale.CommissionEarned)
	same(s, "an external id that was cleared", affiliate.Null[string](), sale.ExternalID)
	same(s, "the stored sale", sale, do(s, "Sale", s.Sale, sale.ID))
	same(s, "nothing changes", sale, do2(s, "UpdateSale", s.UpdateSale, sale.ID, affiliate.SaleUpdate{}))
}

// sceneRepeats repeats creates with their idempotency keys.
func sceneRepeats(s *scene) {
	once := affiliate.Once{Key: s.slug("once")}
	in := affiliate.CouponParams{Once: once, Name: s.unique, PercentOff: given(affiliate.MustPercent("20"))}
	coupon := do(s, "CreateCoupon", s.CreateCoupon, in)
	same(s, "the same coupon again", coupon, do(s, "CreateCoupon", s.CreateCoupon, in))
	in.Name = "another"
	denied(s, "CreateCoupon", s.CreateCoupon, in, affiliate.IdempotencyKeyReused)

	mara := s.join("mara")
	code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{CouponID: coupon.ID, Code: s.slug("C"), AffiliateID: mara.ID, MaxRedemptions: given(int64(1))})
	buy := affiliate.SaleParams{Once: affiliate.Once{Key: s.slug("buy")}, PromoCode: code.Code, TotalEarned: amount("10")}
	sale := s.sell(buy)
	same(s, "the same sale again", sale, s.sell(buy))
	buy.Once = affiliate.Once{Key: s.slug("buy-2")}
	denied(s, "RecordSale", s.RecordSale, buy, affiliate.CodeExhausted)
	do2(s, "UpdateCode", s.UpdateCode, code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Null[int64]()})
	denied(s, "RecordSale", s.RecordSale, buy, affiliate.CodeExhausted)
}

// sceneMisses looks for records that do not exist.
func sceneMisses(s *scene) {
	nobody, mail := uuid.New(), s.email("nobody")
	miss(s, "Affiliate", s.Affiliate, nobody.String())
	miss(s, "Affiliate", s.Affiliate, s.slug("nobody"))
	miss(s, "Affiliate", s.Affiliate, mail)
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{ID: nobody})
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{ExternalID: s.unique})
	miss(s, "Coupon", s.Coupon, affiliate.CouponRef{Name: s.unique})
	miss(s, "Code", s.Code, affiliate.CodeRef{ID: nobody})
	miss(s, "Code", s.Code, affiliate.CodeRef{Code: s.unique})
	miss(s, "Code", s.Code, affiliate.CodeRef{ExternalID: s.unique})
	miss(s, "Referral", s.Referral, mail)
	miss(s, "Referral", s.Referral, nobody.String())
	miss(s, "Sale", s.Sale, affiliate.SaleID(987654321987654321))
	miss(s, "Payout", s.Payout, nobody)
	miss(s, "Adjustment", s.Adjustment, nobody)
	miss(s, "Endpoint", s.Endpoint, nobody)
	miss(s, "Delivery", s.Delivery, nobody)
	miss(s, "CreateReferral", s.CreateReferral, affiliate.ReferralParams{AffiliateID: s.slug("nobody"), Name: "N", Email: mail, ReferredUserExternalID: mail})
	same(s, "a sale that nobody earned", affiliate.SaleUnattributed,
		do(s, "RecordSale", s.RecordSale, affiliate.SaleParams{Email: mail, TotalEarned: amount("1")}).Outcome)

	none := map[string]int{
		"Links":       len(do2(s, "Links", s.Links, affiliate.LinkQuery{Slug: affiliate.Set(s.unique)}, affiliate.Page{}).Items),
		"Codes":       len(do2(s, "Codes", s.Codes, affiliate.CodeQuery{AffiliateEmail: affiliate.Set(mail)}, affiliate.Page{}).Items),
		"Referrals":   len(do2(s, "Referrals", s.Referrals, affiliate.ReferralQuery{AffiliateID: affiliate.Set(nobody)}, affiliate.Page{Limit: 5}).Items),
		"Sales":       len(do2(s, "Sales", s.Sales, affiliate.SaleQuery{ExternalID: affiliate.Set(s.unique)}, affiliate.Page{}).Items),
		"Deliveries":  len(do2(s, "Deliveries", s.Deliveries, affiliate.DeliveryQuery{WebhookID: affiliate.Set(nobody)}, affiliate.Page{}).Items),
		"Payouts":     len(do2(s, "Payouts", s.Payouts, affiliate.PayoutQuery{AffiliateEmail: affiliate.Set(mail)}, affiliate.Page{}).Items),
		"Adjustments": len(do2(s, "Adjustments", s.Adjustments, affiliate.AdjustmentQuery{PayoutID: affiliate.Set(nobody)}, affiliate.Page{Limit: 5}).Items),
	}
	same(s, "lists that find nothing", map[string]int{"Links": 0, "Codes": 0, "Referrals": 0, "Sales": 0, "Deliveries": 0, "Payouts": 0, "Adjustments": 0}, none)
	done(s, "DeleteReferral", s.DeleteReferral, mail)
	done(s, "DeleteSale", s.DeleteSale, affiliate.SaleID(987654321987654321))
	done(s, "DeleteAffiliate", s.DeleteAffiliate, affiliate.AffiliateRef{ID: nobody})
}
