package payment

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MaxSubs is the number of subscriptions that are kept of a payer.
const MaxSubs = 20

// ProviderStatuses lists the states of a subscription. At the same moment a later
// one wins over an earlier one.
var ProviderStatuses = []affiliate.SubscriptionStatus{affiliate.SubscriptionPastDue, affiliate.SubscriptionActive, affiliate.SubscriptionCancelled}

// ReportSubscription implements tributary.Program.ReportSubscription.
func ReportSubscription(ctx context.Context, p *engine.Program, f affiliate.SubscriptionFact) (_ affiliate.Referral, err error) {
	defer p.Begin(&ctx, "ReportSubscription", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "subscription.report", Input: f, Refused: refusal.First(
		CheckProvider(f.Provider), NeededText("payer.id", f.Payer.ID), NeededText("subscription", f.Subscription),
		refusal.OneOf("status", f.Status, ProviderStatuses), checkAt(f.At, o.Now),
	)}
	ref, err := engine.Write(o, rq, func() (affiliate.Referral, error) { return reportSubscription(o, f) })
	if err == nil && ref.ID == uuid.Nil {
		return affiliate.Referral{}, affiliate.ErrNotFound
	}
	return ref, err
}

// reportSubscription is the transaction of ReportSubscription. The zero referral
// means that there is none.
func reportSubscription(o *engine.Op, f affiliate.SubscriptionFact) (affiliate.Referral, error) {
	payer, err := PayerOf(o, f.Provider, f.Payer.ID)
	if err != nil || payer.Old.ID == uuid.Nil {
		return affiliate.Referral{}, err
	}
	addSub(&payer.Rec, affiliate.Subscription{ID: f.Subscription, Status: f.Status, At: affiliate.InstantOf(f.At)})
	if payer.Rec.ReferralID == uuid.Nil || payer.Rec.ByEmail {
		return affiliate.Referral{}, SavePayer(o, &payer)
	}
	ref, err := followSubs(o, &payer, payer.Old.Subs)
	if err != nil {
		return affiliate.Referral{}, err
	}
	return ref, SavePayer(o, &payer)
}

// addSub adds the state of a subscription.
func addSub(r *record.Payer, s affiliate.Subscription) {
	i := slices.IndexFunc(r.Subs, func(known affiliate.Subscription) bool { return known.ID == s.ID })
	if i < 0 {
		r.Subs = append(r.Subs, s)
	} else if cmp.Or(s.At.Compare(r.Subs[i].At), rank(s)-rank(r.Subs[i])) > 0 {
		r.Subs[i] = s
	}
	if len(r.Subs) <= MaxSubs {
		return
	}
	goes := slices.MinFunc(r.Subs, func(a, b affiliate.Subscription) int {
		return cmp.Or(closed(a)-closed(b), a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	r.Subs = slices.DeleteFunc(r.Subs, func(s affiliate.Subscription) bool { return s.ID == goes.ID })
}

func rank(s affiliate.Subscription) int { return slices.Index(ProviderStatuses, s.Status) }

// closed sorts closed subscriptions first.
func closed(s affiliate.Subscription) int {
	if s.Status == affiliate.SubscriptionCancelled {
		return -1
	}
	return 0
}

// followSubs sets the status of a payer's referral to the one that follows from
// the subscriptions of all its payers, if that has changed.
func followSubs(o *engine.Op, c *payerChange, before []affiliate.Subscription) (affiliate.Referral, error) {
	ref, err := o.Tx.Referrals.Get(c.Rec.ReferralID)
	if err != nil {
		return affiliate.Referral{}, refusal.Internal("referral of a payer", err)
	}
	payers, err := engine.Gather(o.Tx.Payers, record.Query{Key: record.Key{Index: record.OfReferral, ID: ref.ID}})
	if err != nil {
		return affiliate.Referral{}, refusal.Internal("read payers", err)
	}
	was, is := slices.Clone(before), slices.Clone(c.Rec.Subs)
	for i := range payers {
		if payers[i].ID != c.Rec.ID && !payers[i].ByEmail {
			was, is = append(was, payers[i].Subs...), append(is, payers[i].Subs...)
		}
	}
	status := engine.StatusOf(is)
	if status == engine.StatusOf(was) {
		return o.ReferralOf(ref)
	}
	c.Rec.ByHand = false
	for _, rec := range payers {
		if rec.ID == c.Rec.ID || !rec.ByHand {
			continue
		}
		rec.ByHand = false
		if err := o.Tx.Payers.Replace(rec); err != nil {
			return affiliate.Referral{}, refusal.Internal("write payer", err)
		}
	}
	after := ref.Clone()
	if !engine.IsRefused(ref.Status) {
		after.Status = status
	}
	return o.SaveReferral(ref, after)
}

// seems records whom the payer pays for, when the only evidence is an email that
// the payer may have typed. It credits, and does not change the status of the
// customer.
func (c *payerChange) seems(referral uuid.UUID) {
	if c.Rec.PayerID != "" && c.Rec.ReferralID == uuid.Nil && referral != uuid.Nil {
		c.Rec.ReferralID, c.Rec.ByEmail = referral, true
	}
}

// Pays records whom the payer pays for. The first customer stays, unless only an
// email pointed to that one.
func (c *payerChange) Pays(o *engine.Op, referral uuid.UUID) error {
	if c.Rec.PayerID == "" || c.Rec.ReferralID != uuid.Nil && !c.Rec.ByEmail || referral == uuid.Nil {
		return nil
	}
	c.Rec.ReferralID, c.Rec.ByEmail = referral, false
	if len(c.Rec.Subs) == 0 {
		return nil
	}
	_, err := followSubs(o, c, nil)
	return err
}
