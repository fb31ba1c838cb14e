package affiliate

import (
	"context"
	"time"
)

// Profile returns the affiliate.
//
// Errors: [ErrNotFound].
//
// Source: docs/partner-pages.md 1.
func (v Partner) Profile(ctx context.Context) (_ PartnerProfile, err error) {
	p := v.program
	defer p.begin(&ctx, "Partner.Profile", reads).end(&err)
	a, err := view(ctx, p, func(o *op) (Affiliate, error) {
		rec, err := o.tx.Affiliates.Get(v.id)
		if err != nil {
			return Affiliate{}, err
		}
		return o.affiliateOf(rec)
	})
	if err != nil {
		return PartnerProfile{}, err
	}
	return p.profileOf(&a), nil
}

// Links lists the links of the affiliate, newest first. An unknown affiliate has
// none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Links(ctx context.Context, pg Page) (_ List[PartnerLink], err error) {
	p := v.program
	defer p.begin(&ctx, "Partner.Links", reads).end(&err)
	l, err := p.listing(pg, "partner-links", v.id)
	if err != nil {
		return List[PartnerLink]{}, err
	}
	return view(ctx, p, func(o *op) (List[PartnerLink], error) {
		return chosen(o.tx.Links, o.chooseLinks(LinkFilter{AffiliateID: Set(v.id)}), l, o.partnerLink)
	})
}

// Codes lists the codes of the affiliate, newest first. An unknown affiliate has
// none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Codes(ctx context.Context, pg Page) (_ List[PartnerCode], err error) {
	p := v.program
	defer p.begin(&ctx, "Partner.Codes", reads).end(&err)
	l, err := p.listing(pg, "partner-codes", v.id)
	if err != nil {
		return List[PartnerCode]{}, err
	}
	now := p.now()
	return view(ctx, p, func(o *op) (List[PartnerCode], error) {
		o.now = now
		return chosen(o.tx.Codes, o.chooseCodes(CodeFilter{AffiliateID: Set(v.id)}), l, o.partnerCode)
	})
}

// Referrals lists the customers of the affiliate, newest first. An unknown
// affiliate has none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Referrals(ctx context.Context, pg Page) (_ List[PartnerReferral], err error) {
	p := v.program
	defer p.begin(&ctx, "Partner.Referrals", reads).end(&err)
	l, err := p.listing(pg, "partner-referrals", v.id)
	if err != nil {
		return List[PartnerReferral]{}, err
	}
	return view(ctx, p, func(o *op) (List[PartnerReferral], error) {
		return chosen(o.tx.Referrals, o.chooseReferrals(ReferralFilter{AffiliateID: Set(v.id)}), l, o.partnerReferral)
	})
}

// Sales lists the sales that credit the affiliate, newest first. An unknown
// affiliate has none.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Sales(ctx context.Context, pg Page) (_ List[PartnerSale], err error) {
	p := v.program
	defer p.begin(&ctx, "Partner.Sales", reads).end(&err)
	l, err := p.listing(pg, "partner-sales", v.id)
	if err != nil {
		return List[PartnerSale]{}, err
	}
	return view(ctx, p, func(o *op) (List[PartnerSale], error) {
		return chosen(o.tx.Sales, o.chooseSales(SaleFilter{AffiliateID: Set(v.id)}), l, o.partnerSale)
	})
}

// SetPayoutDetails replaces how the affiliate is paid, as their own change: see
// [Program.SetPayoutDetails].
//
// Errors: those of that method.
//
// Effects: the affiliate; affiliate.updated when something changed.
//
// Source: docs/partner-pages.md 1.
func (v Partner) SetPayoutDetails(ctx context.Context, d PayoutDetails) (PartnerProfile, error) {
	a, err := v.program.From(SourceAffiliatePortal).SetPayoutDetails(ctx, v.id, d)
	if err != nil {
		return PartnerProfile{}, err
	}
	return v.program.profileOf(&a), nil
}

// Balance is [Program.Balance] of this affiliate.
//
// Errors: those of that method.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Balance(ctx context.Context) (Balance, error) {
	return v.program.Balance(ctx, v.id)
}

// Statement is [Program.Statement] of this affiliate.
//
// Errors: those of that method.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Statement(ctx context.Context, from, to time.Time) (Statement, error) {
	return v.program.Statement(ctx, v.id, from, to)
}

// Report is [Program.Report] about this affiliate, from ≤ t < to.
//
// Errors: those of that method.
//
// Source: docs/partner-pages.md 1.
func (v Partner) Report(ctx context.Context, from, to time.Time, by Interval) ([]Bucket, error) {
	return v.program.Report(ctx, ReportQuery{From: from, To: to, By: by, AffiliateID: Set(v.id)})
}
