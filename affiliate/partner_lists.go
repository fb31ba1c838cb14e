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
	return shownTo(links, err, func(l Link) PartnerLink {
		return PartnerLink{
			ID: l.ID, Link: l.Link, FullURLs: l.FullURLs, Clicks: l.Clicks, Referrals: l.Referrals, Sales: l.Sales,
			TotalRevenue: l.TotalRevenue, CreatedAt: l.CreatedAt,
		}
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
		o.now = now
		return &seeker[CodeRecord, PartnerCode]{
			choice: o.chooseSearchedCodes(q, exactly), table: o.tx.Codes, costs: 1, item: o.partnerCode,
		}
	})
}

// partnerCode is a code as its affiliate sees it.
func (o *op) partnerCode(rec CodeRecord) (PartnerCode, error) {
	parent, err := o.parentOf(&rec)
	if err != nil {
		return PartnerCode{}, err
	}
	hold, err := o.refusedHold(&rec)
	if err != nil {
		return PartnerCode{}, err
	}
	u := o.usabilityOf(&rec, &parent, hold)
	reasons := make([]Reason, 0, len(u.Reasons))
	for _, f := range u.Reasons {
		reasons = append(reasons, f.Reason)
	}
	c, coupon := codeOf(rec, Opt[Coupon]{}, Opt[AffiliateContact]{}), o.couponOf(parent)
	return PartnerCode{
		ID: c.ID, Code: c.Code, Usable: u.Usable, Reasons: reasons, ExpiresAt: earlier(c.ExpiresAt, coupon.RedeemBy),
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
	return shownTo(referrals, err, func(r Referral) PartnerReferral {
		return PartnerReferral{
			ID: r.ID, Customer: MaskEmail(r.Email, r.ID), SubscriptionStatus: r.SubscriptionStatus,
			TotalRevenue: r.TotalRevenue, TotalCommission: r.TotalCommission, CreatedAt: r.CreatedAt,
		}
	})
}

// Sales lists the sales that credit the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Sales(ctx context.Context, pg Page) (_ List[PartnerSale], err error) {
	defer v.p.begin(&ctx, "PartnerSales", reads).end(&err)
	q := SaleQuery{AffiliateID: Set(v.id)}
	return found(ctx, v.p, hunt{pg, "partner-sales", q}, func(o *op, _ bool) *seeker[SaleRecord, PartnerSale] {
		return &seeker[SaleRecord, PartnerSale]{choice: o.chooseSearched(q, false), table: o.tx.Sales, item: o.partnerSale}
	})
}

// partnerSale is a sale as the affiliate sees it whom it credits.
func (o *op) partnerSale(rec SaleRecord) (PartnerSale, error) {
	s := PartnerSale{
		ID: SaleID(rec.Number), TotalEarned: rec.TotalEarned, RefundedAmount: rec.Refunded, ApprovalStatus: Null[ApprovalStatus](), HoldReason: Null[HoldReason](),
		Status: rec.Status.Value(), PromoCode: Null[string](), Link: Null[string](), CreatedAt: TimeOf(rec.CreatedAt.Time()),
	}
	s.CommissionEarned, _ = rec.commissionEarned() // its sum was checked when the sale was stored
	if len(rec.Commissions) > 0 {
		c := &rec.Commissions[0]
		s.ApprovalStatus, s.HoldReason, s.PayoutCreated = Set(c.Approval.Value()), orNull(c.HoldReason.Value().told()), c.PayoutID != uuid.Nil
	}
	if rec.Email != "" || rec.ReferralID != uuid.Nil {
		s.Customer = MaskEmail(rec.Email, rec.ReferralID)
	}
	code, err1 := o.tx.Codes.Get(rec.CodeID)
	if err1 == nil && code.AffiliateID == rec.AffiliateID { // it may have been given to somebody else, with another text
		s.PromoCode = Set(code.Code)
	}
	link, err2 := o.tx.Links.Get(rec.LinkID)
	if err2 == nil && link.AffiliateID == rec.AffiliateID {
		s.Link = Set(link.Slug)
	}
	for _, err := range [...]error{err1, err2} {
		if err != nil && !errors.Is(err, ErrNotFound) {
			return PartnerSale{}, internal("read how a sale came", err)
		}
	}
	return s, nil
}

// shownTo makes the items of a list those that a partner sees.
func shownTo[A, B any](all List[A], err error, show func(A) B) (List[B], error) {
	if err != nil {
		return List[B]{}, err
	}
	shown := List[B]{Items: make([]B, 0, len(all.Items)), Next: all.Next}
	for _, item := range all.Items {
		shown.Items = append(shown.Items, show(item))
	}
	return shown, nil
}
