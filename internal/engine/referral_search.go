package engine

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SearchReferrals implements tributary.Program.SearchReferrals.
func (p *Program) SearchReferrals(ctx context.Context, q affiliate.ReferralQuery, pg affiliate.Page) (_ affiliate.List[affiliate.Referral], err error) {
	defer p.Begin(&ctx, "SearchReferrals", Reads).End(&err)
	if err := p.checkReferralQuery(q); err != nil {
		return affiliate.List[affiliate.Referral]{}, err
	}
	made := p.period(q.Since, q.Until, q.OldestFirst)
	return Found(ctx, p, p.hunt(pg, "referrals-search", q, made), func(o *Op, exactly bool) *Seeker[record.Referral, affiliate.Referral] {
		return &Seeker[record.Referral, affiliate.Referral]{
			Choice: o.chooseSearchedReferrals(q, exactly), Table: o.Tx.Referrals, Item: o.ReferralOf,
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

// chooseSearchedReferrals turns the query into a choice.
func (o *Op) chooseSearchedReferrals(q affiliate.ReferralQuery, exactly bool) Choice[record.Referral] {
	c := o.chooseReferrals(affiliate.ReferralFilter{AffiliateID: q.AffiliateID})
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
