package payment

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A payerChange is a payer before and after an operation.
type payerChange struct{ Old, Rec record.Payer }

// PayerOf finds a payer; one that is not known is a new record.
func PayerOf(o *engine.Op, provider, id string) (payerChange, error) {
	none := payerChange{Rec: record.Payer{Provider: provider, PayerID: id}}
	if id == "" {
		return none, nil
	}
	rec, err := o.Tx.Payers.Find(record.OfProvider(record.ByPayer, provider, id))
	if errors.Is(err, affiliate.ErrNotFound) {
		return none, nil
	}
	return payerChange{rec, rec.Clone()}, err
}

// proves reports whether the host's id of the customer shows that a payer is that customer, and not only an email
// that the payer may have typed.
func proves(f affiliate.PayerFact, ref *record.Referral) bool {
	return ref.CustomerID != "" && ref.CustomerID == f.CustomerID
}

// customerOf finds the customer of a payer: by the provider's id of the payer, by the host's id of the customer, or by
// the email alone. The zero referral: there is none.
func customerOf(o *engine.Op, rec *record.Payer, f affiliate.PayerFact) (c engine.Customer, err error) {
	if rec.ReferralID != uuid.Nil && (!rec.ByEmail || f.CustomerID == "") {
		if c.Referral, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return c, refusal.Internal("referral of a payer", err)
		}
		c.ByEmail = rec.ByEmail
		return c, nil
	}
	if f.CustomerID != "" {
		if c, err = o.CustomerByHostID(f.CustomerID); err != nil || c.Referral.ID != uuid.Nil {
			return c, err
		}
	}
	c, err = o.CustomerByEmail(cmp.Or(f.Email, rec.Email))
	c.ByEmail = true
	return c, err
}

// takeBack takes back what was decided about a payer's orders before their email or their first payment was told, and
// returns it, so that they are decided about anew with that: the email may be that of a customer,
// of somebody who used a
// code before, or of the affiliate. What a payout holds or a person changed stays, and so does its
// customer, who gets the
// email.
func (r *Payment) takeBack(c *payerChange, parked []record.Payment) (map[uuid.UUID]engine.Unbooked, error) {
	ref, err := r.Tx.Referrals.Get(c.Rec.ReferralID)
	if err != nil {
		return nil, refusal.Internal("referral of a payer", err)
	}
	if !ref.Erased.IsZero() {
		return nil, nil
	}
	done, moved := map[uuid.UUID]engine.Unbooked{}, false
	for i := range parked {
		rec := &parked[i]
		sale, err := SaleIfThere(r.Op, rec.Sale)
		if err != nil {
			return nil, err
		}
		moved = moved || sale.CreatedAt == ref.CreatedAt && sale.AffiliateID != ref.AffiliateID
		open, err := r.Decidable(&sale)
		if err != nil {
			return nil, err
		}
		if len(rec.Waiting) == 0 || !open && !rec.Waiting[0].Nothing {
			continue
		}
		if done[rec.ID], err = r.Unbook(&sale, rec.ID); err != nil {
			return nil, err
		}
		rec.Sale = uuid.Nil
		if err := r.Tx.Payments.Replace(*rec); err != nil {
			return nil, refusal.Internal("take a payment back", err)
		}
	}
	kept, err := engine.Holds(r.Tx.Sales, record.Key{Index: record.OfReferral, ID: ref.ID})
	if err != nil {
		return nil, err
	}
	switch {
	case !kept && !moved:
		c.Rec.ReferralID, c.Rec.Early = uuid.Nil, false
		return done, r.Revive(ref)
	case ref.Email == "" && c.Rec.Email != "":
		c.Rec.Early = false
		c.Rec.ReferralID, err = r.TellEmail(ref, c.Rec.Email, c.Rec.Name)
	}
	return done, err
}

// SavePayer writes a payer that has changed.
func SavePayer(o *engine.Op, c *payerChange) error {
	if c.Rec.PayerID == "" || engine.Same(c.Old, c.Rec) {
		return nil
	}
	if err := o.HidePayer(&c.Rec); err != nil {
		return err
	}
	if engine.Same(c.Old, c.Rec) {
		return nil
	}
	c.Rec.UpdatedAt = engine.Later(o.Now, c.Rec.UpdatedAt)
	if c.Old.ID == uuid.Nil {
		c.Rec.ID, c.Rec.CreatedAt = o.NewID(), o.Now
	}
	if err := engine.Put(o.Tx.Payers, c.Old, c.Rec); err != nil {
		return refusal.Internal("write payer", err)
	}
	return nil
}

// maxRetried is the largest number of a payer's parked payments that one
// ReportPayer tries again.
const maxRetried = 100

// ReportPayer implements tributary.Payments.ReportPayer.
func ReportPayer(ctx context.Context, p *engine.Program, provider string, f affiliate.PayerFact) (err error) {
	defer p.Begin(&ctx, "ReportPayer", engine.Writes).End(&err)
	rq := engine.Request{Name: "payer.report", Input: []any{provider, f},
		Refused: refusal.First(CheckProvider(provider), NeededText("payer.id", f.ID),
			payerFactCheck(&f))}
	clean(&f)
	r := &Payment{Op: p.From(affiliate.SourceIntegration).Op(ctx),
		Fact: affiliate.PaymentFact{Provider: provider, Payer: f}}
	_, err = engine.Write(r.Op, rq, func() (struct{}, error) { return struct{}{}, r.reportPayer(f) })
	return err
}

// Payer implements tributary.Payments.Payer.
func Payer(ctx context.Context, p *engine.Program, provider string,
	f affiliate.PayerFact) (_ affiliate.Payer, err error) {
	defer p.Begin(&ctx, "Payer", engine.Reads).End(&err)
	if err := refusal.First(CheckProvider(provider), payerFactCheck(&f)); err != nil {
		return affiliate.Payer{}, err
	}
	clean(&f)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.Payer, error) {
		none := affiliate.Payer{Referral: affiliate.Null[affiliate.Referral]()}
		payer, err := PayerOf(o, provider, f.ID)
		if err != nil {
			return none, err
		}
		c, err := customerOf(o, &payer.Rec, f)
		if err != nil {
			return none, err
		}
		if c.Referral.ID == uuid.Nil {
			none.Known, err = hasParked(o, provider, f.ID)
			return none, err
		}
		ref, err := o.ReferralOf(c.Referral)
		return affiliate.Payer{Referral: affiliate.Set(ref), Known: true}, err
	})
}

// hasParked reports whether a payment of a payer is parked.
func hasParked(o *engine.Op, provider, payer string) (bool, error) {
	if payer == "" {
		return false, nil
	}
	for rec, err := range o.Tx.Payments.List(record.Query{Key: record.OfProvider(record.OfPayer, provider, payer)}) {
		if err != nil || rec.Sale == uuid.Nil && !rec.Untold() {
			return err == nil, err
		}
	}
	return false, nil
}

// openOf returns payments of a payer that are parked, or have a sale that can be decided about anew.
func openOf(o *engine.Op, provider, payer string) ([]record.Payment, error) {
	open, err := engine.Gather(o.Tx.Payments,
		record.Query{Key: record.OfProvider(record.OfPayer, provider, payer), Limit: maxRetried})
	if err != nil {
		return nil, refusal.Internal("read open payments", err)
	}
	return open, nil
}

// reportPayer is the transaction of ReportPayer.
func (r *Payment) reportPayer(f affiliate.PayerFact) error {
	payer, err := PayerOf(r.Op, r.Fact.Provider, f.ID)
	if err != nil {
		return err
	}
	payer.Rec.Email, payer.Rec.Name = cmp.Or(f.Email, payer.Rec.Email), cmp.Or(f.Name, payer.Rec.Name)
	open, err := openOf(r.Op, r.Fact.Provider, f.ID)
	if err != nil {
		return err
	}
	var undone map[uuid.UUID]engine.Unbooked
	if meets(&payer) {
		if undone, err = r.takeBack(&payer, open); err != nil {
			return err
		}
	}
	c, err := customerOf(r.Op, &payer.Rec, f)
	if err != nil {
		return err
	}
	if !proves(f, &c.Referral) {
		payer.seems(c.Referral.ID)
	} else if err := payer.Pays(r.Op, c.Referral.ID); err != nil {
		return err
	}
	return r.decideAnew(&payer, open, undone)
}

// decideAnew decides about payments of a payer again, of which some were taken back, and writes the payer.
func (r *Payment) decideAnew(c *payerChange, open []record.Payment, undone map[uuid.UUID]engine.Unbooked) error {
	slices.SortStableFunc(open, func(a, b record.Payment) int { // renewals come last, and those first that were sales, as they came
		return cmp.Or(renewal(&a)-renewal(&b), cmp.Compare(undone[a.ID].Order(), undone[b.ID].Order()))
	})
	unknown := c.Rec.ReferralID == uuid.Nil
	for _, rec := range open {
		if len(rec.Waiting) == 0 || rec.Gross.IsZero() {
			continue // what was agreed is not paid yet
		}
		if err := r.Rebook(undone[rec.ID], func() error { return r.retry(rec, c) }); err != nil {
			return err
		}
	}
	if unknown && c.Rec.ReferralID != uuid.Nil { // by one of them: the others are their customer's
		rest, err := openOf(r.Op, r.Fact.Provider, c.Rec.PayerID)
		if err != nil {
			return err
		}
		return r.decideAnew(c,
			slices.DeleteFunc(rest, func(rec record.Payment) bool { return rec.Sale != uuid.Nil }),
			nil)
	}
	if err := SavePayer(r.Op, c); err != nil {
		return err
	}
	return r.Forsake(c.Rec.ReferralID)
}

// renewal is 1 for a payment that is one.
func renewal(r *record.Payment) int {
	if len(r.Waiting) > 0 && r.Waiting[0].Renewal {
		return 1
	}
	return 0
}

// comesFirst takes back what renewals have earned that were told before this payment, the first one of its payer, which
// says whose customer that is. A payment that was paid after one of them is not the first.
func (r *Payment) comesFirst() error {
	w, c := &r.Rec.Waiting[0], &r.payer
	if w.Renewal || !c.Rec.Early || c.Rec.ReferralID == uuid.Nil || r.Rec.Sale != uuid.Nil {
		return nil
	}
	open, err := openOf(r.Op, r.Rec.Provider, c.Rec.PayerID)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(rec record.Payment) bool { return rec.Sale == uuid.Nil })
	if slices.ContainsFunc(open, func(rec record.Payment) bool { return rec.Waiting[0].PaidAt.Before(w.PaidAt) }) {
		return nil
	}
	r.undone, err = r.takeBack(c, open)
	c.Rec.Early = false
	return err
}

// resume decides about what the payment took back, and about what waits for its payer, who is a
// customer by it. It writes
// the payer.
func (r *Payment) resume() error {
	mine, fact := r.paymentState, r.Fact
	if mine.undone == nil && (!mine.expected || mine.payer.Rec.ReferralID == uuid.Nil) {
		if mine.Rec.ID == uuid.Nil || !r.payerKept() {
			return nil
		}
		return SavePayer(r.Op, &r.payer)
	}
	open, err := openOf(r.Op, fact.Provider, mine.payer.Rec.PayerID)
	if err != nil {
		return err
	}
	r.Fact = affiliate.PaymentFact{Provider: fact.Provider, Payer: fact.Payer} // it says nothing of other payments
	err = r.decideAnew(&mine.payer, open, mine.undone)
	if r.paymentState, r.Fact = mine, fact; err != nil || mine.Rec.ID == uuid.Nil {
		return err
	}
	if r.Rec, err = r.Tx.Payments.Get(mine.Rec.ID); err != nil {
		return refusal.Internal("read payment", err)
	}
	if r.sale, err = SaleIfThere(r.Op, r.Rec.Sale); mine.Rec.Sale == uuid.Nil && r.sale.ID != uuid.Nil {
		r.result.Outcome = affiliate.SaleRecorded
	}
	r.body = nil
	return err
}

// meets reports whether the email of a payer who is a customer already was just told for the first time.
func meets(c *payerChange) bool {
	return c.Old.Email == "" && c.Rec.Email != "" && !c.Rec.Erased && c.Rec.ReferralID != uuid.Nil && !c.Rec.ByEmail
}

// retry tries to make the sale of a parked payment.
func (r *Payment) retry(rec record.Payment, payer *payerChange) error {
	r.paymentState = paymentState{payer: *payer}
	for _, step := range []func() error{func() error { return r.own(rec) }, r.tryWaiting, r.follow, r.leave} {
		if err := step(); err != nil {
			return err
		}
	}
	*payer = r.payer
	return r.SavePayment(r.Old, &r.Rec)
}

// MaxSubs is the number of subscriptions that are kept of a payer.
const MaxSubs = 20

// ProviderStatuses lists the states of a subscription. At the same moment a later
// one wins over an earlier one.
var ProviderStatuses = []affiliate.SubscriptionStatus{affiliate.SubscriptionPastDue,
	affiliate.SubscriptionActive, affiliate.SubscriptionCancelled}

// ReportSubscription implements tributary.Payments.ReportSubscription.
func ReportSubscription(ctx context.Context, p *engine.Program,
	f affiliate.SubscriptionFact) (_ affiliate.Referral, err error) {
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
