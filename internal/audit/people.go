package audit

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
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
		a.verifyName(r)
	}
	for r := range a.cases.records() {
		a.verifyCase(r)
	}
	unique(a, "I35", "affiliate", &a.affiliates, record.ByEmail)
	unique(a, "I35", "affiliate", &a.affiliates, record.ByExternalID)
	unique(a, "I35", "referral", &a.referrals, record.ByEmail)
	unique(a, "I25", "link", &a.links, record.BySlug)
	a.verifyAliases()
	unique(a, "I53", "click", &a.clicks, record.ByNumber)
	unique(a, "I57", "receipt", &a.receipts, record.ByRequest)
}

func (a *audit) verifyAffiliate(r *record.Affiliate) {
	own := a.own(r.ID)
	if own {
		a.verifyEmail("affiliate", r.ID, r.Email)
	}
	refers(a, "I36", "affiliate", r.ID, "plan", r.PlanID, &a.plans)
	refers(a, "I36", "affiliate", r.ID, "tier", r.TierID, &a.tiers)
	if own {
		listed(a, named("affiliate", r.ID), "status", r.Status, affiliateStatuses...)
		a.instants("affiliate", r.ID, r.CreatedAt, r.UpdatedAt)
	}
}

// verifyCase checks that a case is of an affiliate, about what its kind says, and answered exactly
// when it has an answer. Of somebody who was erased it has no text.
func (a *audit) verifyCase(r *record.Case) {
	name := named("case", r.ID)
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I92", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	if !a.own(r.ID) {
		return
	}
	listed(a, name, "kind", r.Kind, affiliate.CaseKinds()...)
	listed(a, name, "status", r.Status, affiliate.CaseStatuses()...)
	erased := r.Text == "" && r.ExternalID == "" && r.Answer == ""
	if (r.Kind == affiliate.SaleQuestion) != (r.Sale != 0) || !erased &&
		(r.Kind == affiliate.SaleClaim) != (r.ExternalID != "") {
		a.breach("I92", name, "it is %s of sale %d and the order %q", r.Kind, r.Sale, r.ExternalID)
	}
	answered := r.Status == affiliate.CaseAnswered
	if answered == r.AnsweredAt.IsZero() || answered == (r.Answer == "") && !(answered && erased) ||
		!answered && r.Actor != "" {
		a.breach("I92", name, "it is %s, answered at %v by %q", r.Status, r.AnsweredAt, r.Actor)
	}
	changed := r.AnsweredAt
	if changed.IsZero() {
		changed = r.CreatedAt
	}
	a.instants("case", r.ID, r.CreatedAt, changed)
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
	own := a.own(r.ID)
	if own && (!refusal.ValidSlug(r.Slug) || len(r.Slug) > refusal.MaxSlug) {
		a.breach("I25", named("link", r.ID), "%q is not a slug", r.Slug)
	}
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I27", named("link", r.ID), "its owner %s does not exist", r.AffiliateID)
	}
	if own {
		a.instants("link", r.ID, r.CreatedAt, r.UpdatedAt)
	}
}

// verifyHidden checks that a record does not show its customer after the erasure of
// the customer has ended.
func (a *audit) verifyHidden(customer uuid.UUID, kind string, id uuid.UUID, shows func() bool) {
	if a.sifting {
		if k := a.key(customer); a.knows(k, k.num(isHidden)) {
			a.pick(a.now, k)
		}
		return
	}
	if customer == uuid.Nil || !a.mine(customer) {
		return
	}
	if ref := a.referrals.get(customer); ref != nil && hidden(ref) && shows() {
		a.breach("I83", named(kind, id), "it shows customer %s, who was erased", customer)
	}
}

// hidden reports whether the erasure of a customer has ended.
func hidden(r *record.Referral) bool { return !r.Erased.IsZero() && r.Email == "" }

// verifyAliases checks that aliases lead to links that name them, or to nobody, and that
// no slug leads to two.
func (a *audit) verifyAliases() {
	named := map[uuid.UUID]int{}
	for r := range a.aliases.records() {
		a.verifyNobodys(r)
		if r.LinkID == uuid.Nil || !a.mine(r.LinkID) {
			continue
		}
		link := a.links.get(r.LinkID)
		if alias, ok := engine.AliasOf(r.Alias); !ok || alias != r.Alias || link == nil || !slices.Contains(link.Aliases, r.Alias) {
			a.breach("I84", object{kind: "alias", id: r.ID}, "%q does not lead to a link that names it", r.Alias)
		}
		named[r.LinkID]++
	}
	for r := range a.links.records() {
		if a.mine(r.ID) && len(r.Aliases) != named[r.ID] {
			a.breach("I84", object{kind: "link", id: r.ID}, "it names %d aliases, %d lead to it",
				len(r.Aliases), named[r.ID])
		}
	}
	unique(a, "I84", "alias", &a.aliases, record.BySlug)
	held := map[uuid.UUID]bool{}
	hold := func(of object, slug uuid.UUID) {
		if a.mine(slug) && held[slug] {
			a.breach("I84", of, "its slug is, or was, that of another link too")
		}
		held[slug] = true
	}
	for r := range a.aliases.records() {
		hold(object{kind: "alias", id: r.ID}, a.slugOf(r))
	}
	for r := range a.links.records() {
		hold(object{kind: "link", id: r.ID}, a.Cfg.SlugDigest(r.Slug))
	}
}

// verifyNobodys checks a slug that leads to nobody.
func (a *audit) verifyNobodys(r *record.Alias) {
	if r.LinkID == uuid.Nil && a.own(r.ID) && (r.Alias != "" || r.AffiliateID == uuid.Nil) {
		a.breach("I84", object{kind: "alias", id: r.ID}, "it leads to nobody, but names a slug or nobody whose it was")
	}
}

// slugOf returns the digest of the slug that an alias keeps.
func (a *audit) slugOf(r *record.Alias) uuid.UUID {
	if r.LinkID == uuid.Nil {
		return r.ID
	}
	return a.Cfg.SlugDigest(r.Alias)
}

// siftSlug picks a slug that another link has, or had.
func (a *audit) siftSlug(slug uuid.UUID) {
	k := a.key(slug)
	a.repeated(inPeople, k, k)
}

// owned checks that the link of a click, a referral or a sale is its affiliate's.
func (a *audit) owned(of object, link, affiliate uuid.UUID) {
	if a.sifting {
		if k := a.key(link); link != uuid.Nil {
			a.expect(a.now, k, k.num(isOwned).id(affiliate))
		}
		return
	}
	if !a.mine(link) {
		return
	}
	if l := a.links.get(link); l != nil && l.AffiliateID != affiliate && a.affiliates.see(affiliate) != nil {
		a.breach("I27", of, "its link %s is of affiliate %s, it is of %s", link, l.AffiliateID, affiliate)
	}
}

func (a *audit) verifyClick(r *record.Click) {
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I36", numbered("click", r.Number), "its affiliate %s does not exist", r.AffiliateID)
	}
	refers(a, "I29", "click", r.ID, "link", r.LinkID, &a.links)
	a.owned(numbered("click", r.Number), r.LinkID, r.AffiliateID)
	refers(a, "I37", "click", r.ID, "referral", r.ReferralID, &a.referrals)
	a.verifyHidden(r.ReferralID, "click", r.ID, func() bool { return *r != engine.BlankedClick(*r) })
}

func (a *audit) verifyReferral(r *record.Referral) {
	own := a.own(r.ID)
	if own {
		a.verifyEmail("referral", r.ID, r.Email)
	}
	a.verifyHidden(r.ID, "referral", r.ID, func() bool { return !engine.Same(*r, engine.BlankedReferral(*r)) })
	a.verifyErased(r)
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I36", named("referral", r.ID), "its affiliate %s does not exist", r.AffiliateID)
	}
	refers(a, "I29", "referral", r.ID, "link", r.LinkID, &a.links)
	a.owned(named("referral", r.ID), r.LinkID, r.AffiliateID)
	refers(a, "I36", "referral", r.ID, "plan", r.PlanID, &a.plans)
	if own {
		listed(a, named("referral", r.ID), "status", r.Status, subscriptionStatuses...)
		a.instants("referral", r.ID, r.CreatedAt, r.UpdatedAt)
	}
}

// verifyErased checks that no email is stored that was erased.
func (a *audit) verifyErased(r *record.Referral) {
	if !a.erases || !r.Erased.IsZero() || r.Email == "" {
		return
	}
	id := a.Cfg.ErasureID(r.Email)
	if a.sifting {
		if k := a.key(id); a.knows(k, k.num(a.erasures.kind)) {
			a.pick(a.now, k)
		}
	} else if a.mine(id) && a.erasures.has(id) {
		a.breach("I83", named("referral", r.ID), "its email was erased")
	}
}

// siftPeople sifts affiliates, links and referrals.
func (a *audit) siftPeople() {
	sift(a, &a.affiliates, func(r *record.Affiliate) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.affiliates.kind))
		a.about(inRates, k)
		a.verifyOwnRate(r)
		a.about(inPeople, k)
		a.verifyAffiliate(r)
		siftKeys(a, inPeople, &a.affiliates, r)
		a.siftImported(r.ID, record.ImportedAsAffiliate)
		a.siftLive("affiliate", liveObject{id: r.ID, revision: r.Revision})
		a.total(ofClicks, r.OpeningClicks, r.ID)
	})
	sift(a, &a.links, func(r *record.Link) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.links.kind))
		a.learn(k, k.num(isOwned).id(r.AffiliateID))
		a.about(inPeople, k)
		a.verifyLink(r)
		siftKeys(a, inPeople, &a.links, r)
		a.siftImported(r.ID, record.ImportedAsLink)
		a.total(ofClicks, r.OpeningClicks, r.ID)
		for _, alias := range r.Aliases {
			a.add(inPeople, k, k.num(isAlias).text(alias), 1)
		}
		a.siftSlug(a.Cfg.SlugDigest(r.Slug))
	})
	sift(a, &a.aliases, func(r *record.Alias) {
		a.siftSlug(a.slugOf(r))
		if r.LinkID == uuid.Nil {
			a.about(inPeople, a.key(r.ID))
			a.verifyNobodys(r)
			return
		}
		k := a.key(r.LinkID)
		if alias, ok := engine.AliasOf(r.Alias); !ok || alias != r.Alias {
			a.pick(inPeople, k)
		}
		a.add(inPeople, k, k.num(isAlias).text(r.Alias), -1)
		siftKeys(a, inPeople, &a.aliases, r)
	})
	a.erases = sift(a, &a.erasures, func(r *record.Erasure) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.erasures.kind))
	})
	pays := a.payers.any()
	sift(a, &a.referrals, func(r *record.Referral) { a.siftReferral(r, pays) })
	sift(a, &a.cases, func(r *record.Case) {
		a.about(inPeople, a.key(r.ID))
		a.verifyCase(r)
	})
	a.about(inPeople, 0)
	for r := range a.erasures.walk() {
		a.verifyName(r)
	}
}

func (a *audit) siftReferral(r *record.Referral, pays bool) {
	k := a.key(r.ID)
	a.learn(k, k.num(a.referrals.kind))
	if hidden(r) {
		a.learn(k, k.num(isHidden))
	}
	if pays {
		a.learn(k, k.num(isStatus).text(string(r.Status)))
		if engine.IsRefused(r.Status) {
			a.learn(k, k.num(isStatus))
		}
	}
	a.about(inPeople, k)
	a.verifyReferral(r)
	siftKeys(a, inPeople, &a.referrals, r)
	a.siftImported(r.ID, record.ImportedAsReferral)
	came := r.Source == engine.ForReferral(affiliate.SourceImported)
	a.siftLive("referral", liveObject{id: r.ID, revision: r.Revision, silent: came && r.Revision == 0})
	if !came && a.here(k) && a.steps.saw(k.num(isSilent)) {
		a.pick(inEvents, k)
	}
	a.total(ofReferrals, 1, r.AffiliateID, r.LinkID)
}

// siftClick sifts a click. What names it has come before.
func (a *audit) siftClick(r *record.Click) {
	a.about(inPeople, a.key(r.ID))
	a.verifyClick(r)
	a.total(ofClicks, 1, r.AffiliateID, r.LinkID, r.ReferralID)
	k := a.clickKey(r.Number)
	a.given(inPeople, clickNumbers, k, r.Number)
	if r.Number == 0 { // what sales without a click name
		a.pick(inSales, k)
	}
	if !a.knows(k, k.num(isClicked)) {
		return
	}
	if sold := a.value(k.num(isClicked).id(r.AffiliateID)); sold == nil || r.CreatedAt.Time().UnixMicro() > *sold {
		a.pick(inSales, k)
	}
}

// heir returns the affiliate into whom one was merged, else the same one.
func (a *audit) heir(id uuid.UUID) uuid.UUID {
	if rec := a.erasures.see(a.Cfg.Digest(engine.Name{Kind: engine.NameAffiliate, Text: id.String()})); rec != nil {
		return rec.AffiliateID
	}
	return id
}

// verifyName checks that a name leads to one customer or affiliate, or, when it was erased, to
// nobody, and that it is kept under its digest.
func (a *audit) verifyName(r *record.Erasure) {
	name := object{kind: "name", id: r.ID}
	refers(a, "I83", "name", r.ID, "referral", r.ReferralID, &a.referrals)
	refers(a, "I91", "name", r.ID, "affiliate", r.AffiliateID, &a.affiliates)
	kinds := []engine.NameKind{engine.NameReferral, engine.NameMailbox, engine.NameCustomer}
	seller := r.AffiliateID != uuid.Nil
	if seller {
		kinds = []engine.NameKind{engine.NameAffiliate, engine.NameEmail, engine.NameExternal}
	}
	if r.Name == "" {
		if seller {
			a.breach("I91", name, "it leads to affiliate %s without a text", r.AffiliateID)
		}
		return
	}
	kept := false
	for _, kind := range kinds {
		kept = kept || r.ID == a.Cfg.Digest(engine.Name{Kind: kind, Text: r.Name})
	}
	to, who := a.affiliates.see(r.AffiliateID), a.referrals.see(r.ReferralID)
	if to != nil && !to.Merged || who != nil && !who.Merged {
		a.breach("I91", name, "it leads to somebody into whom nobody was merged")
	}
	if !kept || seller == (r.ReferralID != uuid.Nil) {
		a.breach("I91", name, "it is not kept under its digest, or leads to %s and %s", r.ReferralID, r.AffiliateID)
	}
	if id, err := uuid.Parse(r.Name); err == nil && (a.referrals.see(id) != nil || a.affiliates.see(id) != nil) {
		a.breach("I91", name, "who has the id %s was merged, and is there", id)
	}
}

// verifyMerged checks that nothing is left in the ledger of an affiliate who was merged.
func (a *audit) verifyMerged(id uuid.UUID, t *trail) {
	if t.bad || a.heir(id) == id {
		return
	}
	kept, _ := t.count.Revenue.Sub(t.count.Refunded)
	if accounts(&t.books) != (record.Books{}) || t.count.Sales != 0 || t.count.Conversions != 0 ||
		kept != (affiliate.Amount{}) {
		a.breach("I91", named("books", id), "it was merged, and its movements lead to %s, %d sales, %d conversions, revenue %v",
			figures(&t.books), t.count.Sales, t.count.Conversions, kept)
	}
}
