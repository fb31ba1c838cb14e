package payout

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreatePayout implements tributary.Program.CreatePayout.
func CreatePayout(ctx context.Context, p *engine.Program, in affiliate.PayoutParams) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "CreatePayout", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "payout.create", Refused: refusal.First(
		refusal.RefuseNoOwner.When(in.AffiliateID == uuid.Nil && in.AffiliateEmail == ""),
		refusal.Optional("externalId", in.ExternalID, refusal.MaxName),
		refusal.FieldNotAtLeastZero.About("minimum").When(in.Minimum.Sign() < 0),
		p.OwnCurrency(&in.Currency),
	)}
	rq.Input = in
	return engine.Write(o, rq, func() (affiliate.Payout, error) {
		aff, err := o.AffiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return affiliate.Payout{}, refusal.RefuseNoAffiliate.IfMissing(err)
		}
		if aff.Status.Unapproved() {
			return affiliate.Payout{}, refusal.AffiliateNotApproved.Err()
		}
		until := o.Now
		if !in.Until.IsZero() {
			until = affiliate.InstantOf(in.Until)
		}
		open, err := open(o, aff.ID)
		if err != nil {
			return affiliate.Payout{}, err
		}
		t, err := take(open, until, o.Now)
		switch {
		case err != nil:
			return affiliate.Payout{}, err
		case t.sum.Sign() <= 0:
			return affiliate.Payout{}, refusal.NothingPayable.Err()
		case t.sum.Cmp(in.Minimum) < 0:
			return affiliate.Payout{}, refusal.BelowPayoutMinimum.Err()
		}
		return pay(o, &aff, record.Payout{ExternalID: in.ExternalID, ManuallyPaid: in.ManuallyPaid}, t)
	})
}

// pay completes and stores a payout of what was taken.
func pay(o *engine.Op, aff *record.Affiliate, rec record.Payout, t entrySelection) (affiliate.Payout, error) {
	rec.ID, rec.AffiliateID, rec.Amount, rec.Items = o.NewID(), aff.ID, t.sum, t.items
	rec.PaymentMethod, rec.PayeeName, rec.PayeeEmail = aff.PaymentMethod, engine.NameOf(*aff), aff.PayoutEmail
	rec.PeriodStart, rec.PeriodEnd, rec.CreatedAt, rec.UpdatedAt = t.start, t.end, o.Now, o.Now
	rec.Status = affiliate.PayoutPending
	if rec.ManuallyPaid {
		rec.Status, rec.PaidAt = affiliate.PayoutPaid, o.Now
	}
	if err := o.Tx.Payouts.Insert(rec); err != nil {
		return affiliate.Payout{}, refusal.Internal("write payout", err)
	}
	if err := bookPaying(o, &rec); err != nil {
		return affiliate.Payout{}, err
	}
	taken := make(map[int64]bool, len(rec.Items))
	for _, item := range rec.Items {
		taken[item.Commission] = true
	}
	if err := markAdjustments(o, &rec, rec.ID); err != nil {
		return affiliate.Payout{}, err
	}
	return payoutOf(o, rec), markEntries(o, &rec, func(c *record.Commission) bool { return taken[c.Number] }, func(c *record.Commission) {
		c.PayoutID, c.ManuallyPaid, c.Frozen = rec.ID, rec.ManuallyPaid, true
	})
}

// bookPaying books a new payout and, when it was created as PAID, its payment.
func bookPaying(o *engine.Op, rec *record.Payout) error {
	err := o.Enter(rec.AffiliateID,
		engine.BookPayout(rec, affiliate.CausePayoutCreated, affiliate.AccountPayable,
			affiliate.AccountInPayout))
	if err == nil && rec.Status == affiliate.PayoutPaid {
		err = o.Enter(rec.AffiliateID,
			engine.BookPayout(rec, affiliate.CausePayoutPaid, affiliate.AccountInPayout,
				affiliate.AccountPaid))
	}
	return err
}
