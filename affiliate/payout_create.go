package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// CreatePayout collects what is payable to an affiliate: the accepted
// commissions of its sales and its adjustments until NewPayout.Until that are in
// no payout and past their holding period, less all that are negative, whatever
// their time. When that is not more than zero, or is below the minimum, nothing is written and everything
// stays open for the next payout.
//
// Payment method, payout email and name of the affiliate are kept with the
// payout. They do not follow later changes.
//
// Errors: [MissingField] (affiliateId), [InvalidField] (externalId, minimum),
// [AffiliateNotFound], [IdentifiersMismatch], [AffiliateNotApproved] while the
// affiliate is INACTIVE, INVITED or DECLINED, [NothingPayable], [BelowPayoutMinimum].
//
// Effects: the payout; payoutCreated and payoutId of what it takes, until the
// payout is canceled; sale.updated once for each sale, except for those whose
// sale.deleted was fired.
//
// Source: docs/rules.md 5.6; docs/money.md 4, 5.
func (p *Program) CreatePayout(ctx context.Context, in NewPayout) (_ Payout, err error) {
	defer p.begin(&ctx, "CreatePayout", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "payout.create", refused: first(
		RefuseNoOwner.when(in.AffiliateID == uuid.Nil && in.AffiliateEmail == ""),
		optional("externalId", in.ExternalID, maxName),
		fieldNotAtLeastZero.about("minimum").when(in.Minimum.Sign() < 0),
		p.ownCurrency(&in.Currency),
	)}
	rq.input = in
	return write(o, rq, func() (Payout, error) {
		aff, err := o.affiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return Payout{}, RefuseNoAffiliate.ifMissing(err)
		}
		if aff.Status.unapproved() {
			return Payout{}, affiliateNotApproved.Err()
		}
		until := o.now
		if !in.Until.IsZero() {
			until = InstantOf(in.Until)
		}
		open, err := o.open(aff.ID)
		if err != nil {
			return Payout{}, err
		}
		t, err := take(open, until, o.now)
		switch {
		case err != nil:
			return Payout{}, err
		case t.sum.Sign() <= 0:
			return Payout{}, nothingPayable.Err()
		case t.sum.Cmp(in.Minimum) < 0:
			return Payout{}, belowPayoutMinimum.Err()
		}
		return o.pay(&aff, PayoutRecord{ExternalID: in.ExternalID, ManuallyPaid: in.ManuallyPaid}, t)
	})
}

// pay completes and stores a payout of what was taken.
func (o *op) pay(aff *AffiliateRecord, rec PayoutRecord, t taking) (Payout, error) {
	rec.ID, rec.AffiliateID, rec.Amount, rec.Items = o.newID(), aff.ID, t.sum, t.items
	rec.PaymentMethod, rec.PayeeName, rec.PayeeEmail = aff.PaymentMethod, aff.name(), aff.PayoutEmail
	rec.PeriodStart, rec.PeriodEnd, rec.CreatedAt, rec.UpdatedAt = t.start, t.end, o.now, o.now
	rec.Status = PayoutPending
	if rec.ManuallyPaid {
		rec.Status, rec.PaidAt = PayoutPaid, o.now
	}
	if err := o.tx.Payouts.Insert(rec); err != nil {
		return Payout{}, internal("write payout", err)
	}
	if err := o.bookPaying(&rec); err != nil {
		return Payout{}, err
	}
	taken := make(map[int64]bool, len(rec.Items))
	for _, item := range rec.Items {
		taken[item.Commission] = true
	}
	if err := o.markAdjustments(&rec, rec.ID); err != nil {
		return Payout{}, err
	}
	return o.payoutOf(rec), o.markEntries(&rec, func(c *CommissionRecord) bool { return taken[c.Number] }, func(c *CommissionRecord) {
		c.PayoutID, c.ManuallyPaid, c.Frozen = rec.ID, rec.ManuallyPaid, true
	})
}

// bookPaying books that a payout was created, and that it was paid when it was
// created as paid.
func (o *op) bookPaying(rec *PayoutRecord) error {
	err := o.enter(rec.AffiliateID, bookPayout(rec, CausePayoutCreated, AccountPayable, AccountInPayout))
	if err == nil && rec.Status == PayoutPaid {
		err = o.enter(rec.AffiliateID, bookPayout(rec, CausePayoutPaid, AccountInPayout, AccountPaid))
	}
	return err
}
