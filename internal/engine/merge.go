package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MergeAffiliates implements tributary.Program.MergeAffiliates.
func (p *Program) MergeAffiliates(ctx context.Context, in affiliate.Merge) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "MergeAffiliates", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "affiliate.merge", Input: in, Refused: checkMerge(&in)}
	return Write(o, rq, func() (affiliate.Affiliate, error) {
		into, _, err := o.mergeable(in.Into)
		if err != nil {
			return affiliate.Affiliate{}, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		from, own, err := o.mergeable(in.From)
		switch {
		case err != nil:
			return affiliate.Affiliate{}, refusal.RefuseNoAffiliate.IfMissing(err)
		case from.ID == into.ID && own:
			return affiliate.Affiliate{}, refusal.MergeItself.Err()
		case from.ID == into.ID: // it was merged before
			return o.affiliateOf(into)
		case into.Email == "":
			return affiliate.Affiliate{}, refusal.MergeIntoErased.Err()
		}
		m := mergeState{Op: o, from: from, into: into, key: record.Key{Index: record.OfAffiliate, ID: from.ID}}
		return m.merge()
	})
}

// mergeable finds an affiliate by id, email or external id; own: by what its record has, and not by a name that
// leads to it.
func (o *Op) mergeable(ident string) (rec record.Affiliate, own bool, err error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		rec, err = o.affiliateByExternalID(id)
		return rec, rec.ExternalID == id, err
	}
	if id, ok := exactID(ident); ok {
		rec, err = o.AffiliateByID(id)
		return rec, rec.ID == id, err
	}
	rec, err = o.FindAffiliateByEmail(ident)
	email, _ := mailbox.Canonical(ident)
	return rec, rec.Email == email, err
}

// mergeState is the state of MergeAffiliates. All that from has becomes that of into. What was booked of it leaves the
// ledger of from and enters that of into, each entry by itself, with the cause MERGE.
type mergeState struct {
	*Op
	from, into record.Affiliate
	key        record.Key // of what belongs to from
}

func (m *mergeState) merge() (affiliate.Affiliate, error) {
	for _, step := range []func() error{
		func() error { return Each(m.Tx.Payouts, m.key, refuseOpen) },
		m.openBooks, m.links, m.totals,
		func() error { return Each(m.Tx.Codes, m.key, m.code) },
		m.referrals, m.sales,
		func() error { return Each(m.Tx.Adjustments, m.key, m.adjustment) },
		func() error { return Each(m.Tx.Payouts, m.key, m.payout) },
		func() error { return m.forget(m.from.ID) },
		func() error { return m.Tx.Affiliates.Delete(m.from.ID) },
		func() error { return m.emitDeleted(affiliate.AffiliateDeleted, m.from.ID, 0, m.from.Revision+1) },
	} {
		if err := step(); err != nil {
			return affiliate.Affiliate{}, refusal.Internal("merge affiliates", err)
		}
	}
	rec := touched(m.into.Clone())
	rec.Merged, rec.OpeningClicks = true, rec.OpeningClicks+m.from.OpeningClicks
	rec.ExternalID, rec.Language = cmp.Or(rec.ExternalID, m.from.ExternalID), cmp.Or(rec.Language, m.from.Language)
	if err := m.names(&rec); err != nil {
		return affiliate.Affiliate{}, refusal.Internal("merge names", err)
	}
	return m.SaveAffiliate(m.into, rec)
}

// refuseOpen refuses a payout that is on its way: a file for the bank may have it, under the name of who goes.
func refuseOpen(rec record.Payout) error {
	if IsLive(&rec) && rec.Status != affiliate.PayoutPaid {
		return refusal.AffiliateToBePaid.Of(rec.ID.String())
	}
	return nil
}

// openBooks opens books that are not open, so that all that moves was booked.
func (m *mergeState) openBooks() error {
	for _, id := range [...]uuid.UUID{m.from.ID, m.into.ID} {
		totals, err := m.Totals(id)
		if err != nil {
			return err
		}
		wants, err := m.WantsOpening(totals)
		if err == nil && wants {
			err = m.OpenBooks(totals)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// links moves links with their aliases, former slugs that lead to nobody, clicks and cases.
func (m *mergeState) links() error {
	err := change(m.Tx.Links, m.key,
		func(r *record.Link) { r.AffiliateID, r.UpdatedAt = m.into.ID, Later(m.Now, r.UpdatedAt) })
	if err == nil {
		err = change(m.Tx.Aliases, m.key, func(r *record.Alias) { r.AffiliateID = m.into.ID })
	}
	if err == nil {
		err = change(m.Tx.Cases, m.key, func(r *record.Case) { r.AffiliateID = m.into.ID })
	}
	if err == nil {
		err = change(m.Tx.Clicks, m.key, func(r *record.Click) { r.AffiliateID = m.into.ID })
	}
	return err
}

// totals adds the totals that no sale changes.
func (m *mergeState) totals() error {
	t, err := m.Totals(m.from.ID)
	if err != nil {
		return err
	}
	return m.Count(m.into.ID, Tally{Clicks: t.Clicks, Pruned: t.PrunedClicks, Referrals: t.Referrals})
}

func (m *mergeState) code(old record.Code) error {
	rec := old
	rec.AffiliateID = m.into.ID
	_, err := m.saveCode(old, rec)
	return err
}

func (m *mergeState) referral(old record.Referral) error {
	rec := old.Clone()
	rec.AffiliateID = m.into.ID
	_, err := m.SaveReferral(old, rec)
	return err
}

func (m *mergeState) referrals() error {
	all, err := Gather(m.Tx.Referrals, record.Query{Key: m.key})
	for i := range all {
		m.Soon("totals", record.Key{ID: all[i].ID})
	}
	for i := 0; err == nil && i < len(all); i++ {
		err = m.referral(all[i])
	}
	return err
}

func (m *mergeState) sales() error {
	all, err := Gather(m.Tx.Sales, record.Query{Key: m.key})
	if err == nil {
		err = m.shown(all, m.sale)
	}
	return err
}

// sale moves a sale as it is: what it earned, what is held of it, and what payouts hold.
func (m *mergeState) sale(old record.Sale) error {
	rec := old.Clone()
	rec.AffiliateID = m.into.ID
	for i := range rec.Commissions {
		rec.Commissions[i].AffiliateID = m.into.ID
	}
	_, err := m.SaveSale(old, rec, affiliate.CauseMerge)
	return err
}

func (m *mergeState) adjustment(rec record.Adjustment) error {
	rec.AffiliateID = m.into.ID
	if err := m.Tx.Adjustments.Replace(rec); err != nil || IsMoved(&rec) { // the movement of its sale booked it
		return err
	}
	if err := m.Enter(m.from.ID, BookAdjustment(&rec, affiliate.CauseMerge, rec.Amount.Neg())); err != nil {
		return err
	}
	return m.Enter(m.into.ID, BookAdjustment(&rec, affiliate.CauseMerge, rec.Amount))
}

func (m *mergeState) payout(rec record.Payout) error {
	rec.AffiliateID = m.into.ID
	if err := m.Tx.Payouts.Replace(rec); err != nil || rec.Status != affiliate.PayoutPaid {
		return err
	}
	if err := m.Enter(m.from.ID, BookPayout(&rec, affiliate.CauseMerge, affiliate.AccountPaid, affiliate.AccountPayable)); err != nil {
		return err
	}
	return m.Enter(m.into.ID, BookPayout(&rec, affiliate.CauseMerge, affiliate.AccountPayable, affiliate.AccountPaid))
}

// names makes the names of from lead to into.
func (m *mergeState) names(into *record.Affiliate) error {
	if err := change(m.Tx.Erasures, m.key, func(r *record.Erasure) { r.AffiliateID = into.ID }); err != nil {
		return err
	}
	return m.inherit(sellerNames(&m.from), sellerNames(into), record.Erasure{AffiliateID: into.ID})
}

// MergeReferrals implements tributary.Program.MergeReferrals.
func (p *Program) MergeReferrals(ctx context.Context, in affiliate.Merge) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "MergeReferrals", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "referral.merge", Input: in, Refused: checkMerge(&in)}
	return Write(o, rq, func() (affiliate.Referral, error) {
		into, err := o.FindReferral(in.Into)
		if err != nil {
			return affiliate.Referral{}, refusal.ReferralNotFound.IfMissing(err)
		}
		from, err := o.FindReferral(in.From)
		switch {
		case err != nil:
			return affiliate.Referral{}, refusal.ReferralNotFound.IfMissing(err)
		case from.ID == into.ID && ownName(&from, in.From):
			return affiliate.Referral{}, refusal.MergeItself.Err()
		case from.ID == into.ID: // it was merged before
			return o.ReferralOf(into)
		case isErased(&from) || isErased(&into):
			return affiliate.Referral{}, refusal.ReferralErased.Err()
		}
		return o.MergeCustomers(from, into)
	})
}

func checkMerge(in *affiliate.Merge) error {
	return refusal.First(refusal.RefuseNoFrom.When(plaintext.Blank(in.From)),
		refusal.RefuseNoInto.When(plaintext.Blank(in.Into)))
}

// MergeCustomers makes one customer of two: the sales, clicks, payers and names of from are into's, and from is
// removed. Every sale keeps its affiliate and what it earned. What into says of the customer stays, and what only
// from says is taken over. It fires sale.updated for each sale, referral.deleted and referral.updated.
func (o *Op) MergeCustomers(from, into record.Referral) (affiliate.Referral, error) {
	was, err := o.Totals(from.ID)
	if err != nil {
		return affiliate.Referral{}, err
	}
	before, of := into.Clone(), record.Key{Index: record.OfReferral, ID: from.ID}
	into = withMore(into, &from)
	for _, move := range []func() error{
		func() error { return o.moveSales(&from, &into) },
		func() error { return change(o.Tx.Clicks, of, func(r *record.Click) { *r = visitOf(*r, &into) }) },
		func() error { return change(o.Tx.Payers, of, func(r *record.Payer) { *r = payerOf(*r, &into) }) },
		func() error { return change(o.Tx.Erasures, of, func(r *record.Erasure) { *r = nameOf(*r, &into) }) },
		func() error { return o.Count(into.ID, Tally{Clicks: was.Clicks, Pruned: was.PrunedClicks}) },
		func() error { return o.dropCustomer(from) },
		func() error { return o.inherit(namesOf(&from), namesOf(&into), record.Erasure{ReferralID: into.ID}) },
		func() error { return o.followPayers(&into) },
	} {
		if err := move(); err != nil {
			return affiliate.Referral{}, refusal.Internal("merge customers", err)
		}
	}
	if isErased(&into) {
		if err := o.EraseNames(record.OfReferral, into.ID); err != nil {
			return affiliate.Referral{}, refusal.Internal("merge names", err)
		}
	}
	into.Merged = true
	into.Revision++ // its totals are others
	return o.SaveReferral(before, into)
}

// withMore returns a customer with what only another one says.
func withMore(into record.Referral, from *record.Referral) record.Referral {
	if isErased(&into) {
		return into
	}
	into.Name, into.Email = cmp.Or(into.Name, from.Name), cmp.Or(into.Email, from.Email)
	into.CustomerID, into.LandingPage = cmp.Or(into.CustomerID, from.CustomerID),
		cmp.Or(into.LandingPage, from.LandingPage)
	if into.Notes.IsZero() {
		into.Notes = from.Notes
	}
	if into.Metadata == nil {
		into.Metadata = from.Metadata
	}
	return into
}

func visitOf(r record.Click, ref *record.Referral) record.Click {
	if r.ReferralID = ref.ID; isErased(ref) {
		r = BlankedClick(r)
	}
	return r
}

func payerOf(r record.Payer, ref *record.Referral) record.Payer {
	if r.ReferralID = ref.ID; isErased(ref) {
		r = BlankedPayer(r)
	}
	return r
}

// nameOf gives a name to a customer. An email that was erased is not theirs, unless they are erased too.
func nameOf(r record.Erasure, ref *record.Referral) record.Erasure {
	if r.ReferralID = ref.ID; r.Name == "" && !isErased(ref) {
		r.ReferralID = uuid.Nil
	}
	return r
}

// followPayers gives a customer the status that the subscriptions of all their payers say, unless a person has set it.
func (o *Op) followPayers(ref *record.Referral) error {
	payers, err := Gather(o.Tx.Payers, record.Query{Key: record.Key{Index: record.OfReferral, ID: ref.ID}})
	var subs []affiliate.Subscription
	for i := range payers {
		if payers[i].ByHand {
			return nil
		}
		if !payers[i].ByEmail {
			subs = append(subs, payers[i].Subs...)
		}
	}
	if status := StatusOf(subs); status != "" && !IsRefused(ref.Status) {
		ref.Status = status
	}
	return err
}

// ownName reports whether a text names a customer by what their record has, and not by a name that leads to them.
func ownName(r *record.Referral, text string) bool {
	return r.ID.String() == text || affiliate.SameMailbox(r.Email, plaintext.Bare(text))
}

// dropCustomer removes a customer of whom nothing is left, and fires referral.deleted.
func (o *Op) dropCustomer(rec record.Referral) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.emitDeleted(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
}

// change changes the records with a key.
func change[R record.Record[R]](t record.Table[R], key record.Key, fn func(*R)) error {
	return Each(t, key, func(r R) error {
		fn(&r)
		return t.Replace(r)
	})
}

// moveSales gives the sales of a customer to another one. A conversion that the other one has too stays without a
// customer, who has one of each name.
func (o *Op) moveSales(from, into *record.Referral) error {
	sales, err := Gather(o.Tx.Sales, record.Query{Key: record.Key{Index: record.OfReferral, ID: from.ID}})
	if err != nil {
		return err
	}
	for _, before := range sales {
		after := before.Clone()
		after.ReferralID, after.Name, after.Email = into.ID, cmp.Or(after.Name, into.Name),
			cmp.Or(after.Email, into.Email)
		if isErased(into) {
			after = BlankedSale(after)
		}
		if before.Conversion != "" {
			switch _, err := o.Tx.Sales.Find(record.ConversionKey(into.ID, before.Conversion)); {
			case err == nil:
				after.ReferralID = uuid.Nil
			case !errors.Is(err, affiliate.ErrNotFound):
				return err
			}
		}
		if _, err := o.SaveSale(before, after, affiliate.CauseUpdate); err != nil {
			return err
		}
	}
	return nil
}
