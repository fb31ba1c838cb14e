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

// maxRetried is the largest number of a payer's parked payments that one
// ReportPayer tries again.
const maxRetried = 100

// ReportPayer implements tributary.Program.ReportPayer.
func ReportPayer(ctx context.Context, p *engine.Program, provider string, f affiliate.PayerFact) (err error) {
	defer p.Begin(&ctx, "ReportPayer", engine.Writes).End(&err)
	rq := engine.Request{Name: "payer.report", Input: []any{provider, f}, Refused: refusal.First(CheckProvider(provider), NeededText("payer.id", f.ID), payerFactCheck(&f))}
	clean(&f)
	r := &Payment{Op: p.From(affiliate.SourceIntegration).Op(ctx), Fact: affiliate.PaymentFact{Provider: provider, Payer: f}}
	_, err = engine.Write(r.Op, rq, func() (struct{}, error) { return struct{}{}, r.reportPayer(f) })
	return err
}

// Payer implements tributary.Program.Payer.
func Payer(ctx context.Context, p *engine.Program, provider string, f affiliate.PayerFact) (_ affiliate.Payer, err error) {
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
	open, err := engine.Gather(o.Tx.Payments, record.Query{Key: record.OfProvider(record.OfPayer, provider, payer), Limit: maxRetried})
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
		return r.decideAnew(c, slices.DeleteFunc(rest, func(rec record.Payment) bool { return rec.Sale != uuid.Nil }), nil)
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

// resume decides about what the payment took back, and about what waits for its payer, who is a customer by it. It writes
// the payer.
func (r *Payment) resume() error {
	mine, fact := r.known, r.Fact
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
	if r.known, r.Fact = mine, fact; err != nil || mine.Rec.ID == uuid.Nil {
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
	r.known = known{payer: *payer}
	for _, step := range []func() error{func() error { return r.own(rec) }, r.tryWaiting, r.follow, r.leave} {
		if err := step(); err != nil {
			return err
		}
	}
	*payer = r.payer
	return r.SavePayment(r.Old, &r.Rec)
}
