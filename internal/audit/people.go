package audit

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// verifyPeople checks affiliates, links, clicks and referrals, without their
// totals.
func (a *audit) verifyPeople() {
	for r := range a.affiliates.records() {
		a.verifyAffiliate(r)
	}
	for r := range a.links.records() {
		a.verifyLink(r)
	}
	for r := range a.clicks.records() {
		a.verifyClick(r)
	}
	for r := range a.referrals.records() {
		a.verifyReferral(r)
	}
	for r := range a.erasures.records() {
		a.refers("I83", "erasure", r.ID, "referral", r.ReferralID, a.referrals.has(r.ReferralID))
	}
	unique(a, "I35", "affiliate", &a.affiliates, record.ByEmail)
	unique(a, "I35", "referral", &a.referrals, record.ByEmail)
	unique(a, "I25", "link", &a.links, record.BySlug)
	a.verifyAliases()
	unique(a, "I53", "click", &a.clicks, record.ByNumber)
	unique(a, "I57", "receipt", &a.receipts, record.ByRequest)
}

func (a *audit) verifyAffiliate(r *record.Affiliate) {
	a.verifyEmail("affiliate", r.ID, r.Email)
	a.refers("I36", "affiliate", r.ID, "plan", r.PlanID, a.plans.has(r.PlanID))
	a.refers("I36", "affiliate", r.ID, "tier", r.TierID, a.tiers.has(r.TierID))
	listed(a, named("affiliate", r.ID), "status", r.Status, affiliateStatuses...)
	a.instants("affiliate", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyEmail checks that an email is canonical, or erased.
func (a *audit) verifyEmail(kind string, id uuid.UUID, email string) {
	if email == "" {
		return
	}
	if canonical, ok := mailbox.Canonical(email); !ok || canonical != email {
		a.breach("I35", named(kind, id), "its email is not canonical")
	}
}

func (a *audit) verifyLink(r *record.Link) {
	if !refusal.ValidSlug(r.Slug) || len(r.Slug) > refusal.MaxSlug {
		a.breach("I25", named("link", r.ID), "%q is not a slug", r.Slug)
	}
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I27", named("link", r.ID), "its owner %s does not exist", r.AffiliateID)
	}
	a.instants("link", r.ID, r.CreatedAt, r.UpdatedAt)
}

// verifyHidden checks that a record does not show its customer after the erasure of
// the customer has ended.
func (a *audit) verifyHidden(customer uuid.UUID, kind string, id uuid.UUID, shows bool) {
	if !shows || customer == uuid.Nil {
		return
	}
	if ref := a.referrals.get(customer); ref != nil && !ref.Erased.IsZero() && ref.Email == "" {
		a.breach("I83", named(kind, id), "it shows customer %s, who was erased", customer)
	}
}

// verifyAliases checks that aliases lead to links that name them.
func (a *audit) verifyAliases() {
	named := map[uuid.UUID]int{}
	for r := range a.aliases.records() {
		link := a.links.get(r.LinkID)
		if alias, ok := engine.AliasOf(r.Alias); !ok || alias != r.Alias || link == nil || !slices.Contains(link.Aliases, r.Alias) {
			a.breach("I84", "alias "+r.ID.String(), "%q does not lead to a link that names it", r.Alias)
		}
		named[r.LinkID]++
	}
	for r := range a.links.records() {
		if len(r.Aliases) != named[r.ID] {
			a.breach("I84", "link "+r.ID.String(), "it names %d aliases, %d lead to it", len(r.Aliases), named[r.ID])
		}
	}
	unique(a, "I84", "alias", &a.aliases, record.BySlug)
}

// owned checks that the link of a click, a referral or a sale is its affiliate's.
func (a *audit) owned(object string, link, affiliate uuid.UUID) {
	if l := a.links.get(link); l != nil && l.AffiliateID != affiliate && a.affiliates.has(affiliate) {
		a.breach("I27", object, "its link %s is of affiliate %s, it is of %s", link, l.AffiliateID, affiliate)
	}
}

func (a *audit) verifyClick(r *record.Click) {
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I36", numbered("click", r.Number), "its affiliate %s does not exist", r.AffiliateID)
	}
	a.refers("I29", "click", r.ID, "link", r.LinkID, a.links.has(r.LinkID))
	a.owned(numbered("click", r.Number), r.LinkID, r.AffiliateID)
	a.refers("I37", "click", r.ID, "referral", r.ReferralID, a.referrals.has(r.ReferralID))
	a.verifyHidden(r.ReferralID, "click", r.ID, *r != engine.BlankedClick(*r))
}

func (a *audit) verifyReferral(r *record.Referral) {
	a.verifyEmail("referral", r.ID, r.Email)
	a.verifyHidden(r.ID, "referral", r.ID, !engine.Same(*r, engine.BlankedReferral(*r)))
	if a.erasures.n > 0 && r.Erased.IsZero() && r.Email != "" && a.erasures.has(a.Cfg.ErasureID(r.Email)) {
		a.breach("I83", named("referral", r.ID), "its email was erased")
	}
	if !a.affiliates.has(r.AffiliateID) {
		a.breach("I36", named("referral", r.ID), "its affiliate %s does not exist", r.AffiliateID)
	}
	a.refers("I29", "referral", r.ID, "link", r.LinkID, a.links.has(r.LinkID))
	a.owned(named("referral", r.ID), r.LinkID, r.AffiliateID)
	a.refers("I36", "referral", r.ID, "plan", r.PlanID, a.plans.has(r.PlanID))
	listed(a, named("referral", r.ID), "status", r.Status, subscriptionStatuses...)
	a.instants("referral", r.ID, r.CreatedAt, r.UpdatedAt)
}
