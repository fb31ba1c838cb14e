package affiliate

import (
	"errors"

	"github.com/google/uuid"
)

// What an affiliate sees. Only these functions make it, so nothing is shown that
// is not a field here.

// profileOf is an affiliate as they see themselves.
func (p *Program) profileOf(a *Affiliate) PartnerProfile {
	return PartnerProfile{
		ID: a.ID, Name: a.Name, Email: a.Email, Status: a.Status, CommissionRate: a.CommissionRate,
		PayoutEmail: a.PayoutEmail, PaymentMethod: a.PaymentMethod, DetailsComplete: a.DetailsComplete,
		NumberOfClicks: a.NumberOfClicks, NumberOfReferredUsers: a.NumberOfReferredUsers,
		TotalRevenue: a.TotalRevenue, TotalCommissionEarned: a.TotalCommissionEarned, CreatedAt: a.CreatedAt,
		Program: PartnerProgram{p.cfg.Name, p.cfg.Currency},
	}
}

func (o *op) partnerLink(rec LinkRecord) (PartnerLink, error) {
	totals, err := o.totals(rec.ID)
	if err != nil {
		return PartnerLink{}, internal("read totals", err)
	}
	return PartnerLink{
		ID: rec.ID, Link: rec.Slug, FullURLs: o.fullURLs(rec.Slug), Clicks: totals.Clicks, Referrals: totals.Referrals,
		Sales: totals.Sales, TotalRevenue: totals.Revenue, CreatedAt: TimeOf(rec.CreatedAt.Time()),
	}, nil
}

func (o *op) partnerCode(rec CodeRecord) (PartnerCode, error) {
	stored, err := o.parentOf(&rec)
	if err != nil {
		return PartnerCode{}, err
	}
	coupon := o.couponOf(stored)
	code := codeOf(rec, Set(coupon), Null[AffiliateContact]())
	ends := code.ExpiresAt
	if until, set := coupon.RedeemBy.Get(); set && (ends.IsNull() || until.Time().Before(ends.Or(Time{}).Time())) {
		ends = coupon.RedeemBy
	}
	return PartnerCode{
		ID: code.ID, Code: code.Code, Usable: CodeUsable.of(&rec, &stored, o.now), ExpiresAt: ends,
		CouponType: coupon.CouponType, PercentOff: coupon.PercentOff, AmountOff: coupon.AmountOff, Currency: coupon.Currency,
		MinimumAmount: code.MinimumAmount, MinimumAmountCurrency: code.MinimumAmountCurrency, FirstTimeOrder: code.FirstTimeOrder,
		TimesRedeemed: code.TimesRedeemed, MaxRedemptions: code.MaxRedemptions,
	}, nil
}

func (o *op) partnerReferral(rec ReferralRecord) (PartnerReferral, error) {
	totals, err := o.totals(rec.ID)
	if err != nil {
		return PartnerReferral{}, internal("read totals", err)
	}
	return PartnerReferral{
		ID: rec.ID, Customer: maskedCustomer(rec.ID, rec.Email), SubscriptionStatus: rec.Status,
		TotalRevenue: totals.Revenue, TotalCommission: totals.Commission, CreatedAt: TimeOf(rec.CreatedAt.Time()),
	}, nil
}

func (o *op) partnerSale(rec SaleRecord) (PartnerSale, error) {
	out := PartnerSale{
		ID: SaleID(rec.Number), TotalEarned: rec.TotalEarned, RefundedAmount: rec.Refunded, Status: rec.Status.Value(),
		ApprovalStatus: Null[ApprovalStatus](), PromoCode: Null[string](), Link: Null[string](), CreatedAt: TimeOf(rec.CreatedAt.Time()),
	}
	out.CommissionEarned, _ = rec.commissionEarned() // its sum was checked when the sale was stored
	if len(rec.Commissions) > 0 {
		first := &rec.Commissions[0]
		out.ApprovalStatus, out.PayoutCreated = Set(first.Approval.Value()), first.PayoutID != uuid.Nil
	}
	var err error
	if out.Customer, err = o.customerOfSale(&rec); err != nil {
		return PartnerSale{}, err
	}
	code, err1 := o.tx.Codes.Get(rec.CodeID)
	if err1 == nil && code.AffiliateID == rec.AffiliateID { // it may have been given to somebody else
		out.PromoCode = Set(code.Code)
	}
	link, err2 := o.tx.Links.Get(rec.LinkID)
	if err2 == nil && link.AffiliateID == rec.AffiliateID {
		out.Link = Set(link.Slug)
	}
	for _, err := range [...]error{err1, err2} {
		if err != nil && !errors.Is(err, ErrNotFound) {
			return PartnerSale{}, internal("read how a sale came", err)
		}
	}
	return out, nil
}

// customerOfSale is who bought, masked: by the email of the sale, else of the
// referral.
func (o *op) customerOfSale(rec *SaleRecord) (string, error) {
	if rec.Email != "" || rec.ReferralID == uuid.Nil {
		return maskedCustomer(uuid.Nil, rec.Email), nil
	}
	ref, err := o.tx.Referrals.Get(rec.ReferralID)
	if err != nil {
		return "", internal("referral of a sale", err)
	}
	return maskedCustomer(ref.ID, ref.Email), nil
}
