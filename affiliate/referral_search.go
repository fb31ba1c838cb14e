package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// ReferralQuery selects the referrals that match every field that is set. A
// field that is set to null or to a zero value selects nothing.
//
// Source: docs/contract.md 4.6.
type ReferralQuery struct {
	AffiliateID Opt[uuid.UUID]     `json:",omitzero"`
	Status      SubscriptionStatus `json:",omitzero"` // empty: any
	Since       Opt[Date]          `json:",omitzero"` // created then or later; a plain date is its first millisecond
	Until       Opt[Date]          `json:",omitzero"` // created then or earlier; a plain date is its last millisecond
	Search      Opt[string]        `json:",omitzero"` // 1–100 characters: exactly an id, email or external id; else a part of a name or email
}

// SearchReferrals lists referrals, newest first, a hundred without a limit. A
// search text that is exactly an id, an email or the host's own id of a customer
// finds only what it names. It looks at no more than 5,000 referrals for a page,
// so a page may be short or empty although more follow: Next says so.
//
// Errors: [InvalidQuery] (subscriptionStatus, since, until, search, a bad page).
//
// Source: docs/contract.md 4.6.
func (p *Program) SearchReferrals(ctx context.Context, q ReferralQuery, pg Page) (_ List[Referral], err error) {
	defer p.begin(&ctx, "SearchReferrals", reads).end(&err)
	if err := p.checkReferralQuery(q); err != nil {
		return List[Referral]{}, err
	}
	made := p.period(q.Since, q.Until)
	return found(ctx, p, hunt{pg, "referrals-search", q}, func(o *op, exactly bool) *seeker[ReferralRecord, Referral] {
		return &seeker[ReferralRecord, Referral]{
			choice: o.chooseSearchedReferrals(q, exactly), table: o.tx.Referrals, item: o.referralOf,
			over: func(r *ReferralRecord) bool { return made.over(r.CreatedAt) },
			keep: func(r *ReferralRecord) (bool, error) { return made.has(r.CreatedAt), nil },
		}
	})
}

// checkReferralQuery checks what is no look-up.
func (p *Program) checkReferralQuery(q ReferralQuery) error {
	return first(
		inQuery(oneOfOrNone("subscriptionStatus", q.Status, subscriptionStatuses)),
		inQuery(FieldNotADate.about("since").when(!p.validDate(q.Since))),
		inQuery(FieldNotADate.about("until").when(!p.validDate(q.Until))),
		checkSearch(q.Search),
	)
}

// chooseSearchedReferrals turns the query into a choice.
func (o *op) chooseSearchedReferrals(q ReferralQuery, exactly bool) choice[ReferralRecord] {
	c := o.chooseReferrals(ReferralFilter{AffiliateID: q.AffiliateID})
	if q.Status != "" {
		c.fits = append(c.fits, func(r *ReferralRecord) bool { return r.Status == q.Status })
	}
	text, set := wanted(&c, q.Search)
	if !set || exactly && o.chooseNamedReferrals(&c, text) {
		return c
	}
	part := partOf(text)
	c.fits = append(c.fits, func(r *ReferralRecord) bool { return part.in(r.Name, r.Email) })
	return c
}

// chooseNamedReferrals selects the referral whose id or email a text is, or those
// with the text as the host's own id of the customer. It reports whether there
// are any.
func (o *op) chooseNamedReferrals(c *choice[ReferralRecord], text string) bool {
	rec, err := o.findReferral(text)
	if !errors.Is(err, ErrNotFound) {
		c.fail(err)
		c.one(Set(rec.ID))
		return true
	}
	key, err := sentKey(OfCustomer, text)
	if err != nil {
		return false // a text that no customer can have
	}
	there, err := holds(o.tx.Referrals, key)
	if c.fail(err); there {
		c.byText(OfCustomer, Set(text), func(r *ReferralRecord) string { return r.CustomerID })
		c.bound += string(OfCustomer) // its cursors are not those of a part
	}
	return there || err != nil
}
