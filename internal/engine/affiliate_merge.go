package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MergeAffiliates implements tributary.Program.MergeAffiliates.
func (p *Program) MergeAffiliates(ctx context.Context, in affiliate.Merge) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "MergeAffiliates", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "affiliate.merge", Input: in, Refused: checkMerge(&in)}
	return Write(o, rq, func() (affiliate.Affiliate, error) {
		keep, _, err := o.namedAffiliate(in.Into)
		if err != nil {
			return affiliate.Affiliate{}, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		goes, own, err := o.namedAffiliate(in.From)
		switch {
		case err != nil:
			return affiliate.Affiliate{}, refusal.RefuseNoAffiliate.IfMissing(err)
		case goes.ID == keep.ID && own:
			return affiliate.Affiliate{}, refusal.MergeItself.Err()
		case goes.ID == keep.ID: // it was merged before
			return o.affiliateOf(keep)
		}
		m := mergingAffiliates{Op: o, goes: goes, keep: keep, key: record.Key{Index: record.OfAffiliate, ID: goes.ID}}
		return m.merge()
	})
}

// namedAffiliate finds an affiliate by id, email or external id; own: by its own name, and not by
// one from a merge.
func (o *Op) namedAffiliate(ident string) (rec record.Affiliate, own bool, err error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		rec, err = o.affiliateByExternalID(id)
		return rec, rec.ExternalID == id, err
	}
	if id, ok := exactID(ident); ok {
		rec, err = o.affiliateByID(id)
		return rec, rec.ID == id, err
	}
	rec, err = o.FindAffiliateByEmail(ident)
	return rec, affiliate.SameEmail(rec.Email, ident), err
}

// sellerName is a name of an affiliate among the names that are kept by their digests.
func sellerName(name string) string { return "affiliate:" + name }

// mergedSeller finds the affiliate into which one with a name was merged.
func (o *Op) mergedSeller(name string) (record.Affiliate, error) {
	rec, err := o.otherName(sellerName(name))
	if err != nil {
		return record.Affiliate{}, err
	}
	return o.Tx.Affiliates.Get(rec.ReferralID)
}

// affiliateByID finds an affiliate by its id, or by that of one that was merged into it.
func (o *Op) affiliateByID(id uuid.UUID) (record.Affiliate, error) {
	rec, err := o.Tx.Affiliates.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.mergedSeller(id.String())
	}
	return rec, err
}

// ForgetSellerNames forgets the names that an affiliate has from merges.
func (o *Op) ForgetSellerNames(id uuid.UUID) error {
	return Each(o.Tx.Erasures, record.Key{Index: record.OfReferral, ID: id}, func(rec record.Erasure) error { return o.Tx.Erasures.Delete(rec.ID) })
}

// mergingAffiliates is the state of MergeAffiliates. All that goes has becomes that of keep. What was
// booked of it leaves the ledger of goes and enters that of keep, each entry by itself, with the cause
// MERGE. goes has nothing then, and is deleted.
type mergingAffiliates struct {
	*Op
	goes, keep record.Affiliate
	key        record.Key // of what belongs to goes
}

func (m *mergingAffiliates) merge() (affiliate.Affiliate, error) {
	for _, step := range []func() error{
		m.openPayouts, m.openBooks, m.links, m.totals, m.names,
		func() error { return m.emitDeleted(affiliate.AffiliateDeleted, m.goes.ID, 0, m.goes.Revision+1) },
		m.survivor,
		func() error { return Each(m.Tx.Codes, m.key, m.code) },
		func() error { return Each(m.Tx.Referrals, m.key, m.referral) },
		func() error { return Each(m.Tx.Sales, m.key, m.sale) },
		func() error { return Each(m.Tx.Adjustments, m.key, m.adjustment) },
		func() error { return Each(m.Tx.Payouts, m.key, m.payout) },
		func() error { return m.forget(m.goes.ID) },
	} {
		if err := step(); err != nil {
			return affiliate.Affiliate{}, err
		}
	}
	keep, err := m.Tx.Affiliates.Get(m.keep.ID)
	if err != nil {
		return affiliate.Affiliate{}, refusal.Internal("read affiliate", err)
	}
	return m.affiliateOf(keep)
}

// openPayouts refuses a payout that is on its way: it may be in a file of the bank, under the name of
// goes.
func (m *mergingAffiliates) openPayouts() error {
	return Each(m.Tx.Payouts, m.key, func(rec record.Payout) error {
		if IsLive(&rec) && rec.Status != affiliate.PayoutPaid {
			return refusal.AffiliateToBePaid.Err()
		}
		return nil
	})
}

// openBooks opens books that are not open, so that what is moved was booked.
func (m *mergingAffiliates) openBooks() error {
	for _, id := range [...]uuid.UUID{m.goes.ID, m.keep.ID} {
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

// links moves links with their aliases, and clicks.
func (m *mergingAffiliates) links() error {
	err := Each(m.Tx.Links, m.key, func(rec record.Link) error {
		rec.AffiliateID, rec.UpdatedAt = m.keep.ID, Later(m.Now, rec.UpdatedAt)
		return m.Tx.Links.Replace(rec)
	})
	if err == nil {
		err = Each(m.Tx.Clicks, m.key, func(rec record.Click) error {
			rec.AffiliateID = m.keep.ID
			return m.Tx.Clicks.Replace(rec)
		})
	}
	if err != nil {
		return refusal.Internal("merge links", err)
	}
	return nil
}

// totals adds the totals that no sale changes.
func (m *mergingAffiliates) totals() error {
	t, err := m.Totals(m.goes.ID)
	if err != nil {
		return err
	}
	return m.Count(m.keep.ID, Tally{Clicks: t.Clicks, Pruned: t.PrunedClicks, Referrals: t.Referrals})
}

// names removes goes, and makes its names names of keep.
func (m *mergingAffiliates) names() error {
	err := m.Tx.Affiliates.Delete(m.goes.ID)
	if err != nil {
		return refusal.Internal("merge affiliate", err)
	}
	err = Each(m.Tx.Erasures, record.Key{Index: record.OfReferral, ID: m.goes.ID}, func(rec record.Erasure) error {
		rec.ReferralID = m.keep.ID
		return m.Tx.Erasures.Replace(rec)
	})
	names := []string{m.goes.ID.String(), m.goes.Email}
	if m.keep.ExternalID != "" && m.goes.ExternalID != "" {
		names = append(names, affiliate.External(m.goes.ExternalID))
	}
	for _, name := range names {
		if err == nil && name != "" {
			err = m.keepName(m.Cfg.ErasureID(sellerName(name)), m.keep.ID, true)
		}
	}
	return err
}

// survivor saves keep with what it gets.
func (m *mergingAffiliates) survivor() error {
	rec := touched(m.keep.Clone())
	rec.OpeningClicks += m.goes.OpeningClicks
	if rec.ExternalID == "" {
		rec.ExternalID = m.goes.ExternalID
	}
	_, err := m.SaveAffiliate(m.keep, rec)
	return err
}

func (m *mergingAffiliates) code(old record.Code) error {
	rec := old
	rec.AffiliateID = m.keep.ID
	_, err := m.saveCode(old, rec)
	return err
}

func (m *mergingAffiliates) referral(old record.Referral) error {
	rec := old.Clone()
	rec.AffiliateID = m.keep.ID
	_, err := m.SaveReferral(old, rec)
	return err
}

// sale moves a sale as it is: what it earned, and what payouts hold of it.
func (m *mergingAffiliates) sale(old record.Sale) error {
	rec := old.Clone()
	rec.AffiliateID = m.keep.ID
	for i := range rec.Commissions {
		rec.Commissions[i].AffiliateID = m.keep.ID
	}
	_, err := m.SaveSale(old, rec, affiliate.CauseMerge)
	return err
}

func (m *mergingAffiliates) adjustment(rec record.Adjustment) error {
	rec.AffiliateID = m.keep.ID
	if err := m.Tx.Adjustments.Replace(rec); err != nil {
		return refusal.Internal("merge adjustment", err)
	}
	if IsMoved(&rec) { // the movement of its sale booked it
		return nil
	}
	if err := m.Enter(m.goes.ID, BookAdjustment(&rec, affiliate.CauseMerge, rec.Amount.Neg())); err != nil {
		return err
	}
	return m.Enter(m.keep.ID, BookAdjustment(&rec, affiliate.CauseMerge, rec.Amount))
}

func (m *mergingAffiliates) payout(rec record.Payout) error {
	rec.AffiliateID = m.keep.ID
	if err := m.Tx.Payouts.Replace(rec); err != nil {
		return refusal.Internal("merge payout", err)
	}
	if rec.Status != affiliate.PayoutPaid {
		return nil
	}
	if err := m.Enter(m.goes.ID, BookPayout(&rec, affiliate.CauseMerge, affiliate.AccountPaid, affiliate.AccountPayable)); err != nil {
		return err
	}
	return m.Enter(m.keep.ID, BookPayout(&rec, affiliate.CauseMerge, affiliate.AccountPayable, affiliate.AccountPaid))
}
