package servertest

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// shopYear is a year of a small shop.
func shopYear(s *scene) {
	mara, other := s.join("mara"), s.join("other")
	coupon := s.coupon()
	code := do(s, "CreateCode", s.CreateCode, affiliate.CodeParams{CouponID: coupon.ID, Code: s.slug("MARA20"), AffiliateID: mara.ID, MaxRedemptions: given(int64(2))})
	link := do(s, "CreateLink", s.CreateLink, affiliate.LinkParams{Link: s.slug("autumn"), AffiliateEmail: mara.Email})
	same(s, "the links of a new affiliate", 1, len(mara.AffiliateLinks))

	// Spring: a customer comes through a link and buys twice.
	tomas := do(s, "CreateReferral", s.CreateReferral, affiliate.ReferralParams{AffiliateID: link.Link, Name: "Tomas Berg", Email: s.email("tomas"), ReferredUserExternalID: s.email("tomas")})
	same(s, "the link of a referral", affiliate.Set(link.ID), tomas.AffiliateLinkID)
	first := s.sell(affiliate.SaleParams{Email: tomas.Email, TotalEarned: amount("199.99"), ExternalID: s.slug("order-1")})
	same(s, "20 percent of 199.99", amount("40"), first.CommissionEarned)
	second := s.sell(affiliate.SaleParams{ReferralID: tomas.ID.String(), TotalEarned: amount("100"), Tax: amount("8"), Shipping: amount("2"), ExternalID: s.slug("order-2")})
	same(s, "20 percent without tax and shipping", amount("18"), second.CommissionEarned)
	again := do(s, "RecordSale", s.RecordSale, affiliate.SaleParams{Email: tomas.Email, TotalEarned: amount("1"), ExternalID: s.slug("order-2")})
	same(s, "a payment that is reported twice", affiliate.SaleDuplicate, again.Outcome)

	// Summer: the code, until it is used up.
	byCode := s.sell(affiliate.SaleParams{PromoCode: " " + s.slug("mara20"), Email: s.email("ines"), TotalEarned: amount("50"), CommissionRate: given(affiliate.MustPercent("10"))})
	same(s, "the code of a sale", affiliate.Set(code.ID), byCode.PromotionalCodeID)
	same(s, "its own rate", amount("5"), byCode.CommissionEarned)
	s.sell(affiliate.SaleParams{PromoCode: code.Code, TotalEarned: amount("10"), ReferralID: other.ID.String()})
	denied(s, "RecordSale", s.RecordSale, affiliate.SaleParams{PromoCode: code.Code, TotalEarned: amount("10")}, affiliate.CodeExhausted)
	same(s, "the count of the code", int64(2), do(s, "Code", s.Code, affiliate.CodeRef{Code: code.Code}).TimesRedeemed)
	same(s, "the count of the coupon", int64(2), do(s, "Coupon", s.Coupon, affiliate.CouponRef{ID: coupon.ID}).TimesRedeemed)
	s.totals(mara.ID, 2, "359.99", "65")

	s.autumn(mara, link, tomas, first, second)
}

// autumn refunds and deletes sales.
func (s *scene) autumn(mara affiliate.Affiliate, link affiliate.Link, tomas affiliate.Referral, first, second affiliate.Sale) {
	part := affiliate.Refund{SaleID: first.ID, Amount: given(amount("99.99")), RefundID: "r1"}
	same(s, "a part of a sale", affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInPart}, do(s, "RefundSale", s.RefundSale, part))
	same(s, "the same part again", affiliate.RefundResult{Success: true, AlreadyRefunded: true, Reason: affiliate.RefundedAlready}, do(s, "RefundSale", s.RefundSale, part))
	same(s, "the commission follows what is kept", amount("20"), do(s, "Sale", s.Sale, first.ID).CommissionEarned)
	same(s, "all that is left", affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInFull}, do(s, "RefundSale", s.RefundSale, affiliate.Refund{SaleID: first.ID}))
	full := do(s, "Sale", s.Sale, first.ID)
	same(s, "the status of a sale that went back", affiliate.SaleRefunded, full.Status)
	same(s, "its commission", affiliate.Amount{}, full.CommissionEarned)

	renamed := do2(s, "RenameLink", s.RenameLink, affiliate.LinkRef{Slug: link.Link}, s.slug("winter"))
	same(s, "a renamed link keeps its sales, those that stand", int64(1), renamed.Sales)
	same(s, "and their revenue", amount("100"), renamed.TotalRevenue)
	same(s, "a deleted link", affiliate.DeletedLink{ID: link.ID, Link: s.slug("winter")}, do(s, "DeleteLink", s.DeleteLink, affiliate.LinkRef{ID: link.ID}))
	same(s, "a sale stays without its link", affiliate.Null[uuid.UUID](), do(s, "Sale", s.Sale, second.ID).AffiliateLinkID)
	s.totals(mara.ID, 2, "160", "25")

	done(s, "DeleteSale", s.DeleteSale, second.ID)
	done(s, "DeleteSale", s.DeleteSale, second.ID)
	s.totals(mara.ID, 2, "60", "7")
	done(s, "DeleteReferral", s.DeleteReferral, tomas.Email)
	done(s, "DeleteReferral", s.DeleteReferral, tomas.Email)
	s.totals(mara.ID, 1, "60", "7")
	miss(s, "Sale", s.Sale, first.ID)

	do(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{AffiliateID: mara.ID, Kind: affiliate.AdjustCorrection, Amount: amount("-7"), Reason: "what is owed"})
	done(s, "DeleteAffiliate", s.DeleteAffiliate, affiliate.AffiliateRef{ID: mara.ID})
	miss(s, "Affiliate", s.Affiliate, mara.ID.String())
	denied(s, "RecordSale", s.RecordSale, affiliate.SaleParams{PromoCode: s.slug("MARA20"), TotalEarned: amount("10")}, affiliate.CodeExhausted)
	same(s, "a deleted coupon", s.unique, do(s, "DeleteCoupon", s.DeleteCoupon, s.couponOf("MARA20")).Name)
	denied(s, "RecordSale", s.RecordSale, affiliate.SaleParams{PromoCode: s.slug("MARA20"), TotalEarned: amount("10")}, affiliate.CodeNotFound)
}

func (s *scene) couponOf(code string) uuid.UUID {
	return do(s, "Code", s.Code, affiliate.CodeRef{Code: s.slug(code)}).CouponID
}

// totals compares the totals of an affiliate.
func (s *scene) totals(id uuid.UUID, referred int64, revenue, commission string) {
	a := do(s, "Affiliate", s.Affiliate, id.String())
	got := fmt.Sprint(a.NumberOfReferredUsers, a.TotalRevenue, a.TotalCommissionEarned)
	same(s, "customers, revenue and commission of the affiliate", fmt.Sprint(referred, amount(revenue), amount(commission)), got)
}
