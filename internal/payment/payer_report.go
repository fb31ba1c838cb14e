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
	parked, err := engine.Gather(o.Tx.Payments, record.Query{Key: record.OfProvider(record.OfPayer, provider, payer), Limit: maxRetried})
	return slices.ContainsFunc(parked, func(rec record.Payment) bool { return !rec.Untold() }), err
}

// reportPayer is the transaction of ReportPayer.
func (r *Payment) reportPayer(f affiliate.PayerFact) error {
	payer, err := PayerOf(r.Op, r.Fact.Provider, f.ID)
	if err != nil {
		return err
	}
	payer.Rec.Email, payer.Rec.Name = cmp.Or(f.Email, payer.Rec.Email), cmp.Or(f.Name, payer.Rec.Name)
	parked, err := engine.Gather(r.Tx.Payments, record.Query{Key: record.OfProvider(record.OfPayer, r.Fact.Provider, f.ID), Limit: maxRetried})
	if err != nil {
		return refusal.Internal("read parked payments", err)
	}
	var undone map[uuid.UUID]engine.Unbooked
	if meets(&payer) {
		if undone, err = r.undone(&payer, parked); err != nil {
			return err
		}
	}
	slices.SortStableFunc(parked, func(a, b record.Payment) int { // those that were sales come first, as they came
		return cmp.Compare(undone[a.ID].Order(), undone[b.ID].Order())
	})
	c, err := customerOf(r.Op, &payer.Rec, f)
	if err != nil {
		return err
	}
	if !proves(f, &c.Referral) {
		payer.seems(c.Referral.ID)
	} else if err := payer.Pays(r.Op, c.Referral.ID); err != nil {
		return err
	}
	for _, rec := range parked {
		if len(rec.Waiting) == 0 || rec.Gross.IsZero() {
			continue // what was agreed is not paid yet
		}
		if err := r.Rebook(undone[rec.ID], func() error { return r.retry(rec, &payer) }); err != nil {
			return err
		}
	}
	if err := SavePayer(r.Op, &payer); err != nil {
		return err
	}
	return r.Forsake(payer.Rec.ReferralID)
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
