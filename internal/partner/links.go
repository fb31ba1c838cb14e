package partner

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Links implements tributary.Partner.Links.
func (v Partner) Links(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Link], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = affiliate.PageSize
	}
	links, err := v.p.Links(ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(links, err, linkOf)
}

// Link implements tributary.Partner.Link.
func (v Partner) Link(ctx context.Context, id uuid.UUID) (partner.Link, error) {
	links, err := v.p.Links(ctx,
		affiliate.LinkQuery{ID: affiliate.Set(id), AffiliateID: affiliate.Set(v.id)},
		affiliate.Page{})
	if err == nil && len(links.Items) == 0 {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return partner.Link{}, err
	}
	return linkOf(links.Items[0]), nil
}

func linkOf(l affiliate.Link) partner.Link {
	return partner.Link{
		ID: l.ID, Link: l.Link, FullURLs: l.FullURLs, Clicks: l.Clicks, Referrals: l.Referrals, Sales: l.Sales,
		TotalRevenue: l.TotalRevenue, CreatedAt: l.CreatedAt,
	}
}

// AddLink implements tributary.Partner.AddLink.
func (v Partner) AddLink(ctx context.Context, slug string, most int) (_ partner.Link, err error) {
	defer v.p.Begin(&ctx, "PartnerAddLink", engine.Writes).End(&err)
	rq := engine.Request{Name: "partner.link.add", Input: []any{v.id, slug, most}}
	if slug != "" {
		rq.Refused = refusal.First(refusal.CheckSlug("link", slug))
	}
	random := engine.RandomSlug(v.p.IDs.Fresh())
	o := v.self().Op(ctx)
	return engine.Write(o, rq, func() (partner.Link, error) {
		owner, err := v.active(o)
		if err != nil {
			return partner.Link{}, err
		}
		have, err := engine.CountUpTo(o.Tx.Links, record.Key{Index: record.OfAffiliate, ID: v.id}, max(most, 1))
		if err == nil {
			err = refusal.First(refusal.LinkLimitReached.When(have >= most))
		}
		if err != nil {
			return partner.Link{}, err
		}
		free := slug
		if free == "" {
			if free, err = o.UnusedSlug(engine.SlugBase(owner.Email), random); err != nil {
				return partner.Link{}, err
			}
		}
		link, err := o.AddLink(owner, free)
		return linkOf(link), err
	})
}

// RenameLink implements tributary.Partner.RenameLink.
func (v Partner) RenameLink(ctx context.Context, id uuid.UUID, slug string) (_ partner.Link, err error) {
	defer v.p.Begin(&ctx, "PartnerRenameLink", engine.Writes).End(&err)
	rq := engine.Request{Name: "partner.link.rename", Input: []any{v.id, id, slug},
		Refused: refusal.First(refusal.NewLinkRequired.When(slug == ""),
			refusal.CheckSlug("newLink", slug))}
	o := v.self().Op(ctx)
	return engine.Write(o, rq, func() (partner.Link, error) {
		if _, err := v.active(o); err != nil {
			return partner.Link{}, err
		}
		rec, err := o.Tx.Links.Get(id)
		if err == nil && rec.AffiliateID != v.id {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return partner.Link{}, refusal.LinkNotFound.IfMissing(err)
		}
		link, err := o.SetSlug(rec, slug)
		return linkOf(link), err
	})
}

// active returns the affiliate, who must be ACTIVE.
func (v Partner) active(o *engine.Op) (record.Affiliate, error) {
	rec, err := o.Tx.Affiliates.Get(v.id)
	if err == nil {
		err = refusal.First(refusal.StatusNotAllowed.When(rec.Status != affiliate.AffiliateActive))
	}
	return rec, err
}

// The lists of a partner: newest first. A page looks
// at no more than 5,000 records, so it may be short or empty although more
// follow: Next says so.

// Codes implements tributary.Partner.Codes.
func (v Partner) Codes(ctx context.Context, pg affiliate.Page) (_ affiliate.List[partner.Code], err error) {
	defer v.p.Begin(&ctx, "PartnerCodes", engine.Reads).End(&err)
	now := v.p.Now()
	q := affiliate.CodeQuery{AffiliateID: affiliate.Set(v.id)}
	return engine.Found(ctx, v.p, engine.Hunt{Page: pg, Operation: "partner-codes", Query: q}, func(o *engine.Op, exactly bool) *engine.Seeker[record.Code, partner.Code] {
		o.Now = now
		return &engine.Seeker[record.Code, partner.Code]{
			Choice: o.ChooseCodes(q, exactly), Table: o.Tx.Codes, Costs: 1,
			Item: func(rec record.Code) (partner.Code, error) { return partnerCode(o, rec) },
		}
	})
}

// partnerCode returns a code as its affiliate sees it.
func partnerCode(o *engine.Op, rec record.Code) (partner.Code, error) {
	parent, err := o.ParentOf(&rec)
	if err != nil {
		return partner.Code{}, err
	}
	hold, err := o.RefusedHold(&rec)
	if err != nil {
		return partner.Code{}, err
	}
	u, err := o.UsabilityOf(&rec, &parent, hold)
	if err != nil {
		return partner.Code{}, err
	}
	reasons := make([]affiliate.Reason, 0, len(u.Reasons))
	for _, f := range u.Reasons {
		reasons = append(reasons, f.Reason)
	}
	c, coupon := engine.CodeOf(rec, affiliate.Opt[affiliate.Coupon]{},
		affiliate.Opt[affiliate.AffiliateContact]{}), o.CouponOf(parent)
	out := partner.Code{
		ID: c.ID, Code: c.Code, Usable: u.Usable, Reasons: reasons,
		ExpiresAt: earlier(c.ExpiresAt, coupon.RedeemBy), CouponType: coupon.CouponType,
		PercentOff: coupon.PercentOff, AmountOff: coupon.AmountOff, Currency: coupon.Currency,
		MinimumAmount: c.MinimumAmount, MinimumAmountCurrency: c.MinimumAmountCurrency,
		FirstTimeOrder: c.FirstTimeOrder, TimesRedeemed: c.TimesRedeemed,
		MaxRedemptions: c.MaxRedemptions, StartsAt: later(c.StartsAt, coupon.StartsAt),
		MinimumQuantity: c.MinimumQuantity, MaxDiscount: coupon.MaxDiscount,
		MaxRedemptionsPerCustomer: lower(c.MaxRedemptionsPerCustomer, coupon.MaxRedemptionsPerCustomer),
	}
	return out, setLeft(o, &out, &rec, &parent)
}

// setLeft sets how many places are held, and what is left of the budget.
func setLeft(o *engine.Op, c *partner.Code, rec *record.Code, parent *record.Coupon) (err error) {
	if c.Held, _, err = o.OpenHolds(record.Key{Index: record.OfCode, ID: rec.ID}, rec.Held, affiliate.Amount{}); err == nil {
		c.BudgetLeft, err = o.BudgetLeft(parent)
	}
	return err
}

// later returns the later of two starts, of which either may be absent.
func later(a, b affiliate.Opt[affiliate.Time]) affiliate.Opt[affiliate.Time] {
	one, has := a.Get()
	other, hasOther := b.Get()
	if !has || hasOther && other.Time().After(one.Time()) {
		return b
	}
	return a
}

// lower returns the lower of two limits, of which either may be absent.
func lower(a, b affiliate.Opt[int64]) affiliate.Opt[int64] {
	one, has := a.Get()
	other, hasOther := b.Get()
	if !has || hasOther && other < one {
		return b
	}
	return a
}

// earlier returns the earlier of two ends; null is none.
func earlier(a, b affiliate.Opt[affiliate.Time]) affiliate.Opt[affiliate.Time] {
	one, has := a.Get()
	other, hasOther := b.Get()
	if !has || hasOther && other.Time().Before(one.Time()) {
		return b
	}
	return a
}

// Referrals implements tributary.Partner.Referrals.
func (v Partner) Referrals(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Referral], error) {
	referrals, err := v.p.Referrals(ctx, affiliate.ReferralQuery{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(referrals, err, func(r affiliate.Referral) partner.Referral {
		return partner.Referral{
			ID: r.ID, Customer: affiliate.MaskEmail(r.Email, r.ID), SubscriptionStatus: r.SubscriptionStatus,
			TotalRevenue: r.TotalRevenue, TotalCommission: r.TotalCommission, CreatedAt: r.CreatedAt,
		}
	})
}

// Sales implements tributary.Partner.Sales.
func (v Partner) Sales(ctx context.Context, pg affiliate.Page) (_ affiliate.List[partner.Sale], err error) {
	defer v.p.Begin(&ctx, "PartnerSales", engine.Reads).End(&err)
	q := affiliate.SaleQuery{AffiliateID: affiliate.Set(v.id)}
	return engine.Found(ctx, v.p, engine.Hunt{Page: pg, Operation: "partner-sales", Query: q}, func(o *engine.Op, _ bool) *engine.Seeker[record.Sale, partner.Sale] {
		return &engine.Seeker[record.Sale, partner.Sale]{Choice: o.ChooseSales(q, false),
			Table: o.Tx.Sales,
			Item:  func(rec record.Sale) (partner.Sale, error) { return partnerSale(o, rec) }}
	})
}

// partnerSale returns a sale as the affiliate sees it whom it credits.
func partnerSale(o *engine.Op, rec record.Sale) (partner.Sale, error) {
	s := partner.Sale{
		ID: affiliate.SaleID(rec.Number), TotalEarned: rec.TotalEarned,
		RefundedAmount: rec.Refunded, ApprovalStatus: affiliate.Null[affiliate.ApprovalStatus](),
		HoldReason: affiliate.Null[affiliate.HoldReason](), Status: rec.Status.Value(),
		PromoCode: affiliate.Null[string](), Link: affiliate.Null[string](),
		Conversion: rec.Conversion, CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
	}
	s.CommissionEarned, _ = engine.CommissionEarned(&rec) // its sum was checked when the sale was stored
	if len(rec.Commissions) > 0 {
		c := &rec.Commissions[0]
		s.ApprovalStatus, s.HoldReason, s.PayoutCreated = affiliate.Set(c.Approval.Value()),
			engine.OrNull(told(c.HoldReason.Value())), c.PayoutID != uuid.Nil
	}
	if rec.Email != "" || rec.ReferralID != uuid.Nil {
		s.Customer = affiliate.MaskEmail(rec.Email, rec.ReferralID)
	}
	code, err1 := o.Tx.Codes.Get(rec.CodeID)
	if err1 == nil && code.AffiliateID == rec.AffiliateID { // otherwise it has moved to another affiliate and may have another text
		s.PromoCode = affiliate.Set(code.Code)
	}
	link, err2 := o.Tx.Links.Get(rec.LinkID)
	if err2 == nil && link.AffiliateID == rec.AffiliateID {
		s.Link = affiliate.Set(link.Slug)
	}
	for _, err := range [...]error{err1, err2} {
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return partner.Sale{}, refusal.Internal("read how a sale came", err)
		}
	}
	return s, nil
}

// shownTo makes the items of a list those that a partner sees.
func shownTo[A, B any](all affiliate.List[A], err error, show func(A) B) (affiliate.List[B], error) {
	if err != nil {
		return affiliate.List[B]{}, err
	}
	shown := affiliate.List[B]{Items: make([]B, 0, len(all.Items)), Next: all.Next}
	for _, item := range all.Items {
		shown.Items = append(shown.Items, show(item))
	}
	return shown, nil
}
