package affiliate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// maxSubs is how many subscriptions of a payer are kept.
const maxSubs = 20

// providerStatuses are the states of a subscription, from the lowest to the
// highest at one moment.
var providerStatuses = []SubscriptionStatus{SubscriptionPastDue, SubscriptionActive, SubscriptionCancelled}

// ReportSubscription takes in the state of one subscription, as a payment
// provider reports it. Of one subscription the state with the latest At counts;
// at one moment PAST_DUE < ACTIVE < CANCELLED. The customer is ACTIVE if any
// subscription is, else PAST_DUE if any is, else CANCELLED. What a person set
// stays until that changes, and SUBMITTED and DECLINED stay for good. The last 20
// subscriptions of a payer are kept; closed ones go first.
//
// Errors: [InvalidField]; [ErrNotFound] when no referral is known of the payer,
// who is found by its id alone.
//
// Effects: the payer; the status of the referral, and referral.updated when it
// changed.
//
// Source: docs/payments.md.
func (p *Program) ReportSubscription(ctx context.Context, f SubscriptionFact) (_ Referral, err error) {
	defer p.begin(&ctx, "ReportSubscription", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "subscription.report", input: f, refused: first(
		checkProvider(f.Provider), neededText("payer.id", f.Payer.ID), neededText("subscription", f.Subscription),
		oneOf("status", f.Status, providerStatuses), checkAt(f.At, o.now),
	)}
	ref, err := write(o, rq, func() (Referral, error) { return o.reportSubscription(f) })
	if err == nil && ref.ID == uuid.Nil {
		return Referral{}, ErrNotFound
	}
	return ref, err
}

// reportSubscription is the transaction of ReportSubscription. The zero referral
// means that there is none.
func (o *op) reportSubscription(f SubscriptionFact) (Referral, error) {
	payer, err := o.payerOf(f.Provider, f.Payer.ID)
	if err != nil || payer.old.ID == uuid.Nil {
		return Referral{}, err
	}
	payer.rec.addSub(Subscription{ID: f.Subscription, Status: f.Status, At: InstantOf(f.At)})
	if payer.rec.ReferralID == uuid.Nil || payer.rec.ByEmail {
		return Referral{}, o.savePayer(&payer)
	}
	ref, err := o.followSubs(&payer, payer.old.Subs)
	if err != nil {
		return Referral{}, err
	}
	return ref, o.savePayer(&payer)
}

// addSub adds the state of a subscription.
func (r *PayerRecord) addSub(s Subscription) {
	i := slices.IndexFunc(r.Subs, func(known Subscription) bool { return known.ID == s.ID })
	if i < 0 {
		r.Subs = append(r.Subs, s)
	} else if cmp.Or(s.At.Compare(r.Subs[i].At), s.rank()-r.Subs[i].rank()) > 0 {
		r.Subs[i] = s
	}
	if len(r.Subs) <= maxSubs {
		return
	}
	goes := slices.MinFunc(r.Subs, func(a, b Subscription) int {
		return cmp.Or(a.closed()-b.closed(), a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	r.Subs = slices.DeleteFunc(r.Subs, func(s Subscription) bool { return s.ID == goes.ID })
}

func (s Subscription) rank() int { return slices.Index(providerStatuses, s.Status) }

// closed sorts closed subscriptions first.
func (s Subscription) closed() int {
	if s.Status == SubscriptionCancelled {
		return -1
	}
	return 0
}

// statusOf is the status of a customer with these subscriptions; empty: none.
func statusOf(subs []Subscription) (status SubscriptionStatus) {
	for _, s := range subs {
		switch {
		case s.Status == SubscriptionActive:
			return SubscriptionActive
		case s.Status == SubscriptionPastDue:
			status = SubscriptionPastDue
		case status == "":
			status = s.Status
		}
	}
	return status
}

// followSubs gives the referral of a payer the status that follows from the
// subscriptions of all its payers, when they say something else than before.
func (o *op) followSubs(c *payerChange, before []Subscription) (Referral, error) {
	ref, err := o.tx.Referrals.Get(c.rec.ReferralID)
	if err != nil {
		return Referral{}, internal("referral of a payer", err)
	}
	payers, err := gather(o.tx.Payers, Query{Key: Key{Index: OfReferral, ID: ref.ID}})
	if err != nil {
		return Referral{}, internal("read payers", err)
	}
	was, is := slices.Clone(before), slices.Clone(c.rec.Subs)
	for i := range payers {
		if payers[i].ID != c.rec.ID && !payers[i].ByEmail {
			was, is = append(was, payers[i].Subs...), append(is, payers[i].Subs...)
		}
	}
	status := statusOf(is)
	if status == statusOf(was) {
		return o.referralOf(ref)
	}
	c.rec.ByHand = false
	for _, rec := range payers {
		if rec.ID == c.rec.ID || !rec.ByHand {
			continue
		}
		rec.ByHand = false
		if err := o.tx.Payers.Replace(rec); err != nil {
			return Referral{}, internal("write payer", err)
		}
	}
	after := ref.Clone()
	if !ref.Status.refused() {
		after.Status = status
	}
	return o.saveReferral(ref, after)
}

// seems notes whom the payer pays for, as an email says that the payer can have
// typed. It credits, and does not change the status of the customer.
func (c *payerChange) seems(referral uuid.UUID) {
	if c.rec.PayerID != "" && c.rec.ReferralID == uuid.Nil && referral != uuid.Nil {
		c.rec.ReferralID, c.rec.ByEmail = referral, true
	}
}

// pays notes whom the payer pays for. The first one stays, unless an email alone
// said so.
func (c *payerChange) pays(o *op, referral uuid.UUID) error {
	if c.rec.PayerID == "" || c.rec.ReferralID != uuid.Nil && !c.rec.ByEmail || referral == uuid.Nil {
		return nil
	}
	c.rec.ReferralID, c.rec.ByEmail = referral, false
	if len(c.rec.Subs) == 0 {
		return nil
	}
	_, err := o.followSubs(c, nil)
	return err
}

// statusByHand notes that a person set the status of a referral.
func (o *op) statusByHand(referral uuid.UUID) error {
	err := each(o.tx.Payers, Key{Index: OfReferral, ID: referral}, func(rec PayerRecord) error {
		if len(rec.Subs) == 0 || rec.ByHand {
			return nil
		}
		rec.ByHand = true
		return o.tx.Payers.Replace(rec)
	})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return internal("write payers", err)
	}
	return nil
}
