package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

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
	if accounts(&t.books) != (record.Books{}) || t.count.Sales != 0 || t.count.Conversions != 0 || kept != (affiliate.Amount{}) {
		a.breach("I91", named("books", id), "it was merged, and its movements lead to %s, %d sales, %d conversions, revenue %v",
			figures(&t.books), t.count.Sales, t.count.Conversions, kept)
	}
}
