package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MergeReferrals implements tributary.Program.MergeReferrals.
func (p *Program) MergeReferrals(ctx context.Context, in affiliate.Merge) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "MergeReferrals", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "referral.merge", Input: in, Refused: checkMerge(&in)}
	return Write(o, rq, func() (affiliate.Referral, error) {
		keep, err := o.FindReferral(in.Into)
		if err != nil {
			return affiliate.Referral{}, refusal.ReferralNotFound.IfMissing(err)
		}
		goes, err := o.FindReferral(in.From)
		if err != nil {
			return affiliate.Referral{}, refusal.ReferralNotFound.IfMissing(err)
		}
		switch {
		case goes.ID == keep.ID && o.isName(&keep, in.From):
			return affiliate.Referral{}, refusal.MergeItself.Err()
		case goes.ID == keep.ID: // it was merged before
			return o.ReferralOf(keep)
		case isErased(&goes) || isErased(&keep):
			return affiliate.Referral{}, refusal.ReferralErased.Err()
		}
		if _, err := o.JoinReferrals(goes, keep); err != nil {
			return affiliate.Referral{}, err
		}
		keep, err = o.Tx.Referrals.Get(keep.ID)
		if err != nil {
			return affiliate.Referral{}, refusal.Internal("read referral", err)
		}
		return o.ReferralOf(keep)
	})
}

func checkMerge(in *affiliate.Merge) error {
	return refusal.First(
		refusal.RefuseNoFrom.When(plaintext.Blank(in.From)),
		refusal.RefuseNoInto.When(plaintext.Blank(in.Into)),
	)
}

// isName reports whether a text is a name of a referral itself, and not one that it has from a
// merge.
func (o *Op) isName(r *record.Referral, text string) bool {
	return r.ID.String() == text || affiliate.SameMailbox(r.Email, plaintext.Bare(text))
}

// JoinReferrals makes one customer of two. All that goes has becomes that of keep: sales, clicks,
// payers, places of codes, and its names, by which keep is found from then on. keep stays with its
// affiliate, plan and time, and gets the email, the name and the host's id that it does not have. No
// sale changes whom it credits or what it earns. When keep was erased, nothing of what
// comes to it shows the person. It fires sale.updated for each sale, referral.deleted and
// referral.updated, and returns keep as it is then.
func (o *Op) JoinReferrals(goes, keep record.Referral) (record.Referral, error) {
	j := joining{Op: o, goes: &goes, keep: keep.Clone(), hide: isErased(&keep), key: record.Key{Index: record.OfReferral, ID: goes.ID}}
	for _, step := range []func() error{j.totals, j.remove, j.rename, j.places, j.records} {
		if err := step(); err != nil {
			return keep, err
		}
	}
	if err := o.emitDeleted(affiliate.ReferralDeleted, goes.ID, 0, goes.Revision+1); err != nil {
		return keep, err
	}
	rec := j.keep
	rec.Revision++ // also when only its sales are more
	if _, err := o.SaveReferral(keep, rec); err != nil {
		return keep, err
	}
	if err := Each(o.Tx.Sales, j.key, j.sale); err != nil {
		return keep, err
	}
	return o.Tx.Referrals.Get(keep.ID)
}

// joining is the state of JoinReferrals.
type joining struct {
	*Op
	goes *record.Referral
	keep record.Referral // as it will be
	hide bool
	key  record.Key // of what belongs to goes
}

// totals adds the totals, which sales and clicks then leave as they are.
func (j *joining) totals() error {
	t, err := j.Totals(j.goes.ID)
	if err != nil {
		return err
	}
	return j.Count(j.keep.ID, Tally{
		Clicks: t.Clicks, Pruned: t.PrunedClicks, Sales: t.Sales, Conversions: t.Conversions, Free: t.Free, Revenue: t.Revenue, Commission: t.Commission,
	})
}

// remove removes the referral and its totals.
func (j *joining) remove() error {
	for _, owner := range [...]uuid.UUID{j.goes.AffiliateID, j.goes.LinkID} {
		if err := j.uncount(owner, Tally{Referrals: 1}); err != nil {
			return err
		}
	}
	if err := j.forget(j.goes.ID); err != nil {
		return err
	}
	return j.Tx.Referrals.Delete(j.goes.ID)
}

// rename makes the names of goes names of keep.
func (j *joining) rename() error {
	err := Each(j.Tx.Erasures, j.key, func(rec record.Erasure) error {
		rec.ReferralID, rec.Alias = j.keep.ID, rec.Alias && !j.hide
		return j.Tx.Erasures.Replace(rec)
	})
	names := []string{j.goes.ID.String()}
	if j.keep.Email == "" && !j.hide {
		j.keep.Email = j.goes.Email
	} else {
		names = append(names, j.goes.Email)
	}
	if j.keep.CustomerID == "" && !j.hide {
		j.keep.CustomerID = j.goes.CustomerID
	} else {
		names = append(names, hostName(j.goes.CustomerID))
	}
	if !j.hide {
		j.keep.Name = cmp.Or(j.keep.Name, j.goes.Name)
	}
	for _, name := range names {
		if err == nil && name != "" {
			err = j.keepName(j.Cfg.ErasureID(name), j.keep.ID, !j.hide)
		}
	}
	if err != nil {
		return refusal.Internal("rename referral", err)
	}
	return nil
}

// places gives keep the places of codes that goes has.
func (j *joining) places() error {
	mine := j.Cfg.digest('r', string(j.keep.ID[:]))
	for _, id := range j.knownBy(&Customer{Email: j.goes.Email, Referral: *j.goes}) {
		err := Each(j.Tx.Uses, record.Key{Index: record.OfUser, ID: id}, func(use record.Use) error {
			who, err := j.usesFor(use.RedemptionID)
			if err != nil || slices.ContainsFunc(who, func(u record.Use) bool { return u.Customer == mine }) {
				return err
			}
			use.ID, use.Customer = j.NewID(), mine
			return j.Tx.Uses.Insert(use)
		})
		if err != nil {
			return refusal.Internal("merge places", err)
		}
	}
	return nil
}

// records moves clicks and payers.
func (j *joining) records() error {
	err := Each(j.Tx.Clicks, j.key, func(rec record.Click) error {
		if rec.ReferralID = j.keep.ID; j.hide {
			rec = BlankedClick(rec)
		}
		return j.Tx.Clicks.Replace(rec)
	})
	if err != nil {
		return refusal.Internal("merge clicks", err)
	}
	err = Each(j.Tx.Payers, j.key, func(rec record.Payer) error {
		if rec.ReferralID = j.keep.ID; j.hide {
			rec = BlankedPayer(rec)
		}
		return j.Tx.Payers.Replace(rec)
	})
	if err != nil {
		return refusal.Internal("merge payers", err)
	}
	return j.status()
}

// status follows the subscriptions of all payers, unless a person has set the status.
func (j *joining) status() error {
	payers, err := Gather(j.Tx.Payers, record.Query{Key: record.Key{Index: record.OfReferral, ID: j.keep.ID}})
	if err != nil {
		return refusal.Internal("read payers", err)
	}
	var subs []affiliate.Subscription
	for i := range payers {
		if payers[i].ByHand {
			return nil
		}
		if !payers[i].ByEmail {
			subs = append(subs, payers[i].Subs...)
		}
	}
	if status := StatusOf(subs); status != "" && !IsRefused(j.keep.Status) {
		j.keep.Status = status
	}
	return nil
}

// sale moves a sale. What the customer had twice of a conversion stays.
func (j *joining) sale(old record.Sale) error {
	rec := old.Clone()
	rec.ReferralID = j.keep.ID
	if rec.Conversion != "" && !rec.Again {
		_, err := j.Tx.Sales.Find(record.ConversionKey(j.keep.ID, rec.Conversion))
		if rec.Again = err == nil; err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
	}
	if j.hide {
		rec = BlankedSale(rec)
	}
	_, err := j.SaveSale(old, rec, "")
	return err
}
