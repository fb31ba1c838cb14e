package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// The lists of a partner. Each is newest first, of a hundred without a limit, and
// looks at no more than 5,000 records for a page: a page may be short or empty
// although more follow. Next says so.

// Links lists the links of the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Links(ctx context.Context, pg Page) (List[PartnerLink], error) {
	if pg == (Page{}) {
		pg.Limit = cursorPage
	}
	links, err := v.p.Links(ctx, LinkFilter{AffiliateID: Set(v.id)}, pg)
	return shownTo(links, err, func(l Link) (PartnerLink, error) {
		return PartnerLink{
			ID: l.ID, Link: l.Link, FullURLs: l.FullURLs, Clicks: l.Clicks, Referrals: l.Referrals, Sales: l.Sales,
			TotalRevenue: l.TotalRevenue, CreatedAt: l.CreatedAt,
		}, nil
	})
}

// Codes lists the codes of the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Codes(ctx context.Context, pg Page) (_ List[PartnerCode], err error) {
	defer v.p.begin(&ctx, "PartnerCodes", reads).end(&err)
	now := v.p.now()
	q := CodeQuery{AffiliateID: Set(v.id)}
	return found(ctx, v.p, hunt{pg, "partner-codes", q}, func(o *op, exactly bool) *seeker[CodeRecord, PartnerCode] {
		return &seeker[CodeRecord, PartnerCode]{
			choice: o.chooseSearchedCodes(q, exactly), table: o.tx.Codes, costs: 1,
			item: func(rec CodeRecord) (PartnerCode, error) { return o.partnerCode(rec, now) },
		}
	})
}

// partnerCode is a code as its affiliate sees it.
func (o *op) partnerCode(rec CodeRecord, now Instant) (PartnerCode, error) {
	parent, err := o.parentOf(&rec)
	if err != nil {
		return PartnerCode{}, err
	}
	c, coupon := codeOf(rec, Opt[Coupon]{}, Opt[AffiliateContact]{}), o.couponOf(parent)
	return PartnerCode{
		ID: c.ID, Code: c.Code, Usable: CodeUsable.of(&rec, &parent, now), ExpiresAt: earlier(c.ExpiresAt, coupon.RedeemBy),
		CouponType: coupon.CouponType, PercentOff: coupon.PercentOff, AmountOff: coupon.AmountOff, Currency: coupon.Currency,
		MinimumAmount: c.MinimumAmount, MinimumAmountCurrency: c.MinimumAmountCurrency, FirstTimeOrder: c.FirstTimeOrder,
		TimesRedeemed: c.TimesRedeemed, MaxRedemptions: c.MaxRedemptions,
	}, nil
}

// earlier is the earlier of two ends; null is none.
func earlier(a, b Opt[Time]) Opt[Time] {
	one, has := a.Get()
	other, hasOther := b.Get()
	if !has || hasOther && other.Time().Before(one.Time()) {
		return b
	}
	return a
}

// Referrals lists the customers of the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Referrals(ctx context.Context, pg Page) (List[PartnerReferral], error) {
	referrals, err := v.p.SearchReferrals(ctx, ReferralQuery{AffiliateID: Set(v.id)}, pg)
	return shownTo(referrals, err, func(r Referral) (PartnerReferral, error) {
		return PartnerReferral{
			ID: r.ID, Customer: MaskEmail(r.Email, r.ID), SubscriptionStatus: r.SubscriptionStatus,
			TotalRevenue: r.TotalRevenue, TotalCommission: r.TotalCommission, CreatedAt: r.CreatedAt,
		}, nil
	})
}

// Sales lists the sales that credit the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Sales(ctx context.Context, pg Page) (List[PartnerSale], error) {
	sales, err := v.p.SearchSales(ctx, SaleQuery{AffiliateID: Set(v.id)}, pg)
	codes := map[uuid.UUID]Opt[string]{}
	return shownTo(sales, err, func(s Sale) (PartnerSale, error) {
		shown := PartnerSale{
			ID: s.ID, Customer: MaskEmail(s.Email.Or(""), s.ReferralID.Or(uuid.Nil)), TotalEarned: s.TotalEarned, RefundedAmount: s.RefundedAmount,
			CommissionEarned: s.CommissionEarned, Status: s.Status, ApprovalStatus: Null[ApprovalStatus](), PromoCode: Null[string](), Link: s.linkOfOwner(), CreatedAt: s.CreatedAt,
		}
		if len(s.Commissions) > 0 {
			shown.ApprovalStatus, shown.PayoutCreated = Set(s.Commissions[0].ApprovalStatus), s.Commissions[0].PayoutCreated
		}
		id, byCode := s.PromotionalCodeID.Get()
		if !byCode {
			return shown, nil
		}
		if _, known := codes[id]; !known {
			code, err := v.p.Code(ctx, CodeRef{ID: id})
			if err != nil && !errors.Is(err, ErrNotFound) {
				return shown, err
			}
			codes[id] = orNull(code.Code)
		}
		shown.PromoCode = codes[id]
		return shown, nil
	})
}

// linkOfOwner is the slug of the link of a sale, when it is the affiliate's own.
func (s *Sale) linkOfOwner() Opt[string] {
	id, byLink := s.AffiliateLinkID.Get()
	for _, l := range s.Affiliate.AffiliateLinks {
		if byLink && l.ID == id {
			return Set(l.Link)
		}
	}
	return Null[string]()
}

// shownTo makes the items of a list those that a partner sees.
func shownTo[A, B any](all List[A], err error, show func(A) (B, error)) (List[B], error) {
	shown := List[B]{Items: make([]B, 0, len(all.Items)), Next: all.Next}
	for _, item := range all.Items {
		if err != nil {
			break
		}
		var one B
		one, err = show(item)
		shown.Items = append(shown.Items, one)
	}
	if err != nil {
		return List[B]{}, err
	}
	return shown, nil
}
