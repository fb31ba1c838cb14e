package client_test

import (
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// searches is the part of the story in which people look for something.
func (s *teller) searches(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	text, day := affiliate.Set[string], affiliate.Set(affiliate.Day(2026, 3, 11))
	long := text(strings.Repeat("x", 101))
	for _, q := range []affiliate.AffiliateQuery{
		{}, {Status: affiliate.AffiliateActive}, {Status: "x"}, {PlanID: affiliate.Set(anID)}, {TierID: affiliate.Null[uuid.UUID]()}, {Search: text("ADA")}, {Search: text("example")},
		{Search: text(ada.ID.String()), Status: affiliate.AffiliateActive}, {Search: text(" ")}, {Search: text("")}, {Search: long}, {Search: text("a\x00")},
	} {
		told[affiliate.List[affiliate.Affiliate]](s, "affiliates")(c.SearchAffiliates(x, q, affiliate.Page{}))
		told[int](s, "affiliates in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error) {
			return c.SearchAffiliates(x, q, pg)
		}))
	}
	for _, q := range []affiliate.ReferralQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Status: affiliate.SubscriptionActive}, {Status: "x"}, {Since: day, Until: day}, {Since: affiliate.Set(affiliate.Day(2026, 3, 12))},
		{Search: text("kim@example.com")}, {Search: text("exa")}, {Search: long}, {AffiliateID: affiliate.Set(uuid.Nil)},
	} {
		told[affiliate.List[affiliate.Referral]](s, "referrals")(c.SearchReferrals(x, q, affiliate.Page{}))
		told[int](s, "referrals in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
			return c.SearchReferrals(x, q, pg)
		}))
	}
	for _, q := range []affiliate.CodeQuery{
		{}, {AffiliateID: affiliate.Set(ada.ID), Active: affiliate.Set(true)}, {Active: affiliate.Set(false)}, {Active: affiliate.Null[bool]()}, {State: affiliate.CodeUsable},
		{State: affiliate.CodeUsedUp, CouponID: affiliate.Set(anID)}, {State: "x"}, {Search: text("many")}, {Search: long},
	} {
		told[affiliate.List[affiliate.Code]](s, "codes")(c.SearchCodes(x, q, affiliate.Page{}))
		told[int](s, "codes in pages")(pages(func(pg affiliate.Page) (affiliate.List[affiliate.Code], error) { return c.SearchCodes(x, q, pg) }))
	}
}
