package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Referral implements tributary.Program.Referral.
func (p *Program) Referral(ctx context.Context, ident string) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "Referral", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Referral, error) {
		rec, err := o.FindReferral(ident)
		if err != nil {
			return affiliate.Referral{}, err
		}
		return o.ReferralOf(rec)
	})
}

// Referrals implements tributary.Program.Referrals.
func (p *Program) Referrals(ctx context.Context, q affiliate.ReferralQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Referral], err error) {
	defer p.Begin(&ctx, "Referrals", Reads).End(&err)
	indexed := affiliate.ReferralQuery{AffiliateID: q.AffiliateID, AffiliateEmail: q.AffiliateEmail,
		ReferredUserExternalID: q.ReferredUserExternalID}
	if pg.Bounded || q != indexed {
		return p.searchReferrals(ctx, q, pg)
	}
	l, err := p.Listing(pg, "referrals", q)
	if err != nil {
		return affiliate.List[affiliate.Referral]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Referral], error) {
		return Chosen(o.Tx.Referrals, o.chooseReferrals(q, true), l, o.ReferralOf)
	})
}

// FindReferral finds a referral by id, else by email. Those of somebody who was merged find who stayed.
func (o *Op) FindReferral(ident string) (record.Referral, error) {
	if id, ok := exactID(ident); ok {
		rec, err := o.ReferralByID(id)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return rec, err
		}
	}
	return o.referralByEmail(ident)
}

// referralByEmail finds the referral whose mailbox an email leads to.
func (o *Op) referralByEmail(email string) (record.Referral, error) {
	c, err := o.CustomerByEmail(email)
	if err == nil && (c.Referral.ID == uuid.Nil || c.Gone != uuid.Nil) {
		return record.Referral{}, affiliate.ErrNotFound
	}
	return c.Referral, err
}

// searchReferrals reads a page of a search.
func (p *Program) searchReferrals(ctx context.Context, q affiliate.ReferralQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
	if err := p.checkReferralQuery(q); err != nil {
		return affiliate.List[affiliate.Referral]{}, err
	}
	made := p.period(q.Since, q.Until, q.OldestFirst)
	return Found(ctx, p, p.hunt(pg, "referrals-search", q, made), func(o *Op, exactly bool) *Seeker[record.Referral, affiliate.Referral] {
		return &Seeker[record.Referral, affiliate.Referral]{
			Choice: o.chooseReferrals(q, exactly), Table: o.Tx.Referrals, Item: o.ReferralOf,
			over: func(r *record.Referral) bool { return made.over(p, r.CreatedAt) },
			keep: func(r *record.Referral) (bool, error) { return made.has(r.CreatedAt), nil },
		}
	})
}

// checkReferralQuery checks what is no look-up.
func (p *Program) checkReferralQuery(q affiliate.ReferralQuery) error {
	return refusal.First(
		InQuery(refusal.OneOfOrNone("subscriptionStatus", q.Status, subscriptionStatuses)),
		InQuery(refusal.FieldNotADate.About("since").When(!p.ValidDate(q.Since))),
		InQuery(refusal.FieldNotADate.About("until").When(!p.ValidDate(q.Until))),
		checkSearch(q.Search),
	)
}

// chooseReferrals turns the query into a choice, but for its period.
func (o *Op) chooseReferrals(q affiliate.ReferralQuery, exactly bool) (c Choice[record.Referral]) {
	c.ByOwner(o, q.AffiliateID, q.AffiliateEmail, func(r *record.Referral) uuid.UUID { return r.AffiliateID })
	if id := q.ReferredUserExternalID.Or(""); id != "" {
		switch who, err := o.CustomerByHostID(id); {
		case err != nil:
			c.Fail(err)
		case who.Referral.CustomerID != "": // also of somebody who was merged into them
			q.ReferredUserExternalID = affiliate.Set(who.Referral.CustomerID)
		}
	}
	c.ByText(record.OfCustomer, q.ReferredUserExternalID, func(r *record.Referral) string { return r.CustomerID })
	if q.Status != "" {
		c.Fits = append(c.Fits, func(r *record.Referral) bool { return r.Status == q.Status })
	}
	text, set := Wanted(&c, q.Search)
	if !set || exactly && o.chooseNamedReferrals(&c, text) {
		return c
	}
	part := partOf(text)
	c.Fits = append(c.Fits, func(r *record.Referral) bool { return part.in(r.Name, r.Email) })
	return c
}

// chooseNamedReferrals selects the referral whose id or email a text is, or those
// with the text as the host's own id of the customer. It reports whether there
// are any.
func (o *Op) chooseNamedReferrals(c *Choice[record.Referral], text string) bool {
	rec, err := o.FindReferral(text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		c.Fail(err)
		c.one(affiliate.Set(rec.ID))
		return true
	}
	key, err := refusal.SentKey(record.OfCustomer, text)
	if err != nil {
		return false // a text that no customer can have
	}
	there, err := Holds(o.Tx.Referrals, key)
	if c.Fail(err); there {
		c.ByText(record.OfCustomer, affiliate.Set(text), func(r *record.Referral) string { return r.CustomerID })
		c.Bound += string(record.OfCustomer) // its cursors are not those of a part
	}
	return there || err != nil
}

// referralBody is the body of the referral's events.
func (o *Op) referralBody(rec record.Referral) (body affiliate.ReferralBody, err error) {
	if body.Referral, err = o.ReferralOf(rec); err != nil {
		return body, err
	}
	aff, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return body, refusal.Internal("affiliate of a referral", err)
	}
	summary, err := o.summary(aff)
	if err != nil {
		return body, err
	}
	body.Affiliate = SummaryInEvent(summary)
	body.CommissionPlan = affiliate.Null[affiliate.Plan]()
	if rec.PlanID != uuid.Nil {
		plan, err := o.Tx.Plans.Get(rec.PlanID)
		if err != nil {
			return body, refusal.Internal("plan of a referral", err)
		}
		body.CommissionPlan = affiliate.Set(planOf(&plan, o.Now))
	}
	return body, nil
}

// ReferralOf returns the referral as the wire shows it.
func (o *Op) ReferralOf(rec record.Referral) (affiliate.Referral, error) {
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Referral{}, err
	}
	return ReferralWith(o.Cfg.ID, rec, totals), nil
}

func ReferralWith(program uuid.UUID, rec record.Referral, totals record.Totals) affiliate.Referral {
	return affiliate.Referral{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Name: OrNull(rec.Name), Email: rec.Email,
		ReferredUserExternalID: OrNull(rec.CustomerID), Plan: OrNull(rec.Plan),
		SubscriptionStatus: rec.Status, Status: rec.Status, SubmissionType: rec.SubmissionType,
		ReferralMedium: rec.Medium, Source: rec.Source,
		IntegrationReferralSource: OrNull(rec.Integration), TotalRevenue: totals.Revenue,
		TotalCommission: totals.Commission, InitialLandingPage: OrNull(rec.LandingPage),
		Notes: refusal.NothingOrNull(rec.Notes), Metadata: metadataOf(rec.Metadata),
		AffiliateProgramID: program, AffiliateLinkID: OrNull(rec.LinkID),
		CommissionPlanID: OrNull(rec.PlanID), CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
}

// metadataOf returns a copy of stored metadata, or null.
func metadataOf(raw json.RawMessage) affiliate.Opt[json.RawMessage] {
	if raw == nil {
		return affiliate.Null[json.RawMessage]()
	}
	return affiliate.Set(slices.Clone(raw))
}
