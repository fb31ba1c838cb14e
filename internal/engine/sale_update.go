package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// UpdateSale implements tributary.Program.UpdateSale.
func (p *Program) UpdateSale(ctx context.Context, id affiliate.SaleID,
	up affiliate.SaleUpdate) (_ affiliate.Sale, err error) {
	defer p.Begin(&ctx, "UpdateSale", Writes).End(&err)
	rq := Request{Name: "sale.update", Input: []any{id, up},
		Refused: refusal.First(refusal.RefuseNoSaleID.When(id == 0))}
	if rq.Refused == nil {
		rq.Refused = p.normalizeSaleUpdate(&up)
	}
	o := p.Op(ctx)
	return Write(o, rq, func() (affiliate.Sale, error) {
		before, err := o.SaleByNumber(id)
		if err != nil {
			return affiliate.Sale{}, refusal.SaleNotFound.IfMissing(err)
		}
		rec := before.Clone()
		err = o.mergeSale(&before, &rec, up)
		if err == nil {
			err = o.refuseErased(&before, &rec)
		}
		if err != nil {
			return affiliate.Sale{}, err
		}
		cause := affiliate.CauseUpdate
		if rec.AffiliateID != before.AffiliateID {
			cause = affiliate.CauseMove
			if err := o.keepPaid(&before); err != nil {
				return affiliate.Sale{}, err
			}
		}
		return o.saveWithFacts(before, rec, cause)
	})
}

// normalizeSaleUpdate checks what is given and brings it into canonical form.
func (p *Program) normalizeSaleUpdate(up *affiliate.SaleUpdate) error {
	trimGiven(&up.Name)
	if email, ok := up.Email.Get(); ok {
		if err := refusal.First(NotBlank("email", up.Email), refusal.NormalizeEmail("email", &email)); err != nil {
			return err
		}
		up.Email = affiliate.Set(email)
	}
	if total, ok := up.TotalEarned.Get(); ok && total.Sign() <= 0 {
		return refusal.TotalNotPositive.Err()
	}
	err := refusal.First(
		refusal.NotCleared("totalEarned", up.TotalEarned),
		refusal.BoundOfSale("totalEarned", up.TotalEarned.Or(affiliate.Amount{})),
		p.priced(&up.Currency, affiliate.ExchangeRate{}),
		refusal.Given("name", up.Name, refusal.MaxName),
		refusal.Given("externalId", up.ExternalID, refusal.MaxName),
		refusal.Given("externalInvoiceId", up.ExternalInvoiceID, refusal.MaxName),
		checkSubtotal(up.Subtotal),
		refusal.NotCleared("commissionEarned", up.CommissionEarned),
		refusal.NotCleared("affiliateId", up.AffiliateID),
	)
	if err != nil {
		return err
	}
	if earned, ok := up.CommissionEarned.Get(); ok && earned.Sign() < 0 {
		return refusal.CommissionNegative.Err()
	}
	if metadata, ok := up.Metadata.Get(); ok {
		raw := []byte(metadata)
		if err := refusal.NormalizeMetadata("metadata", &raw); err != nil {
			return err
		}
		up.Metadata = affiliate.Set(json.RawMessage(raw))
	}
	return nil
}

// mergeSale puts an update into the record, a copy of original, checks the merged sale and
// calculates its commission.
func (o *Op) mergeSale(original, rec *record.Sale, up affiliate.SaleUpdate) error {
	if to, ok := up.AffiliateID.Get(); ok && to != rec.AffiliateID {
		if err := o.moveTo(rec, to, up.ClawBack); err != nil {
			return err
		}
	}
	if err := refuseOfConversion(rec, &up); err != nil {
		return err
	}
	before := rec.Clone() // as of after the move, which the other fields then change further
	refusal.SetText(&rec.Email, up.Email)
	refusal.SetText(&rec.Name, up.Name)
	refusal.SetText(&rec.ExternalID, up.ExternalID)
	refusal.SetText(&rec.InvoiceID, up.ExternalInvoiceID)
	if !up.Metadata.IsZero() {
		rec.Metadata, _ = up.Metadata.Get()
	}
	if err := refusal.First(o.chargedIn(rec, up.Currency, !up.TotalEarned.IsZero() || !up.Subtotal.IsZero())); err != nil {
		return err
	}
	charged := *AsCharged(rec)
	charged.TotalEarned = up.TotalEarned.Or(charged.TotalEarned)
	if !up.Subtotal.IsZero() {
		charged.Subtotal = refusal.UnlessNull(up.Subtotal)
	}
	if err := o.setCharged(rec, &charged); err != nil {
		return err
	}
	if err := o.applyRate(rec, up.CommissionRate); err != nil {
		return err
	}
	if err := settleFree(rec, up); err != nil {
		return err
	}
	if err := checkAmounts(AsCharged(rec), up); err != nil {
		return err
	}
	if err := o.checkLinesRefunded(AsCharged(rec)); err != nil {
		return err
	}
	if err := o.refuseTakenSaleIDs(&before, rec); err != nil {
		return err
	}
	if err := o.applyCommission(&before, rec, up); err != nil {
		return err
	}
	if err := o.fit(original, rec); err != nil || sameMoney(original, rec) {
		return err
	}
	if inPayout(&before) && !up.ClawBack {
		return refusal.SaleInPayout.Err()
	}
	if before.Status.Is(affiliate.SaleRefunded) {
		return refusal.SaleRefunded.Err()
	}
	if ofNothing(rec) {
		return nil // nothing of it is kept, but nothing was refunded
	}
	return o.closeIfRefunded(rec)
}

// checkAmounts checks the amounts of a merged sale against each other. The
// error is on the field that was sent.
func checkAmounts(r *record.Sale, up affiliate.SaleUpdate) error {
	paid := charge(r)
	if err := paid.Check("totalEarned"); err != nil {
		return err
	}
	field := "subtotal"
	if !up.TotalEarned.IsZero() {
		field = "totalEarned"
	}
	if err := paid.checkSubtotal(r.Subtotal, field); err != nil {
		return err
	}
	if err := checkSumOfLines(r); err != nil {
		return err
	}
	if r.TotalEarned.Cmp(r.Refunded) < 0 {
		return refusal.TotalBelowRefunded.Err()
	}
	return nil
}

// checkSumOfLines refuses a subtotal that is not the sum of the lines of the sale.
func checkSumOfLines(r *record.Sale) error {
	if len(r.Lines) == 0 || r.Lines[0].Whole {
		return nil
	}
	var sum int64
	for i := range r.Lines {
		sum += r.Lines[i].Amount.Scaled()
	}
	if r.Subtotal.Or(affiliate.Amount{}).Scaled() != sum {
		return refusal.FieldNotTheSum.Of("subtotal")
	}
	return nil
}

// checkLinesRefunded refuses a total that leaves a line less than refunds named of it.
func (o *Op) checkLinesRefunded(r *record.Sale) error {
	if !slices.ContainsFunc(r.Lines, func(l affiliate.StoredLine) bool { return !l.Refunded.IsZero() }) {
		return nil
	}
	base, err := o.Base(r)
	if err != nil {
		return err
	}
	for i, b := range lineBases(r, base) {
		if r.Lines[i].Refunded.Scaled() > b {
			return refusal.TotalBelowRefunded.Err()
		}
	}
	return nil
}

// applyRate sets or clears the sale's own rate.
func (o *Op) applyRate(rec *record.Sale, given affiliate.Opt[affiliate.Percent]) error {
	if rate, ok := given.Get(); ok {
		rec.Rate, rec.RateFixed = affiliate.Set(rate), true
		rec.Why.RateFrom, rec.Why.TierID = affiliate.EnumOf(affiliate.RateOfSale), uuid.Nil
		rec.Cap = affiliate.Opt[affiliate.Amount]{}
		if !rec.Why.Over.Is("") {
			if err := o.decideOwn(rec); err != nil {
				return err
			}
		}
		for i := range rec.Lines { // only a rule that pays nothing comes before it
			if l := &rec.Lines[i]; l.Pay.Type != affiliate.RuleNone {
				l.Rule, l.Pay = "", affiliate.RulePay{}
			}
		}
		dropWhole(rec)
		return CheckRate(rate, rec.RateType.Value())
	}
	if given.IsNull() {
		rec.RateFixed = false
		return o.applyTerms(rec)
	}
	return nil
}

// applyTerms gives a sale the rate of the current terms, unless it has a rate
// of its own.
func (o *Op) applyTerms(rec *record.Sale) error {
	if rec.RateFixed {
		stopped := !rec.Why.Over.Is("")
		if err := o.decideOwn(rec); err != nil || !stopped || rec.Free || len(rec.Commissions) > 0 {
			return err
		}
		return o.rewardOwn(rec)
	}
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	setRate(rec, &d)
	sources(&rec.Why, &d)
	return o.decideAgain(rec, &d, &ref)
}

// decideAgain lets the limits, rules and caps of other terms decide about a stored sale, whose
// payment keeps its number. A free order, and an older sale that has no commission and does not
// say why, stay as they are.
func (o *Op) decideAgain(rec *record.Sale, d *deal, ref *record.Referral) error {
	earns := len(rec.Commissions) > 0
	if rec.Free || !earns && rec.Why.Over.Is("") {
		return nil
	}
	s, err := o.StageOf(&d.Terms, ref, rec)
	if err != nil {
		return err
	}
	s.note(&rec.Why)
	if !rec.Why.By.Is("") { // an older sale does not say where its customer stood
		rec.Why.Over = affiliate.EnumOf(OverTerms(&d.Terms, s))
	}
	if !rec.Why.Over.Is("") {
		stop(rec)
		return nil
	}
	DecideLines(rec, &d.Terms, d.rateFrom, s)
	own, err := tally(rec)
	if err != nil {
		return err
	}
	if err := cmp.Or(o.limit(rec, &d.Terms, own.Commission), o.DrawAgain(rec, &d.Terms)); err != nil || earns {
		return err
	}
	return o.reward(rec, *d)
}

// stop leaves a sale nothing to earn that is free, or beyond a limit of its terms: no rule
// decides about it, and a commission that it has is capped at nothing.
func stop(rec *record.Sale) {
	DecideLines(rec, &affiliate.Terms{}, "", Stage{})
	rec.Cap = affiliate.Opt[affiliate.Amount]{}
	if len(rec.Commissions) > 0 {
		rec.Cap = affiliate.Set(affiliate.Amount{})
	}
}

// decideOwn lets the rules of the current terms that come before its own rate decide about a
// sale. No limit stops it.
func (o *Op) decideOwn(rec *record.Sale) error {
	if rec.Free {
		return nil
	}
	d, ref, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	s, err := o.StageOf(&d.Terms, &ref, rec)
	if err != nil {
		return err
	}
	s.note(&rec.Why)
	rec.Why.Over, rec.Why.PlanFrom, rec.Why.PlanID = affiliate.Enum[affiliate.OverLimit]{},
		affiliate.EnumOf(d.planFrom), d.planID
	DecideLines(rec, &d.Terms, affiliate.RateOfSale, s)
	return o.DrawAgain(rec, &d.Terms)
}

// stageOf returns where the customer of a stored sale stood, as the sale says.
func stageOf(rec *record.Sale) Stage {
	return Stage{rec.Why.Payment, int64(rec.Why.Month), rec.Why.Referred}
}

// StageOf returns where the customer of a stored sale stood: as it was recorded, and the
// month as of now when the terms did not ask for it then, or count it from elsewhere.
func (o *Op) StageOf(t *affiliate.Terms, ref *record.Referral, rec *record.Sale) (Stage, error) {
	s := stageOf(rec)
	known := s.Month > 0 && s.referred == (t.MonthsFrom == affiliate.MonthsFromReferral)
	if rec.ReferralID == uuid.Nil || known || rec.Conversion != "" {
		return s, nil
	}
	err := o.month(&s, t, ref, PaidOf(rec))
	return s, err
}

// dealOf finds the terms of a stored sale, those of the moment when it was paid, and its customer.
func (o *Op) dealOf(rec *record.Sale) (d deal, ref record.Referral, err error) {
	aff, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return d, ref, refusal.Internal("affiliate of a sale", err)
	}
	if rec.ReferralID != uuid.Nil {
		if ref, err = o.Tx.Referrals.Get(rec.ReferralID); err != nil {
			return d, ref, refusal.Internal("referral of a sale", err)
		}
	}
	if d, err = o.dealFor(&aff, &ref, PaidOf(rec)); rec.Conversion != "" {
		d.unearned()
	}
	return d, ref, err
}

// setRate gives a sale the rate of a deal; a conversion has none.
func setRate(rec *record.Sale, d *deal) {
	rec.Rate, rec.RateType = affiliate.Set(d.Rate), affiliate.EnumOf(d.Type)
	if rec.Conversion != "" {
		rec.Rate = affiliate.Null[affiliate.Percent]()
	}
}

// applyCommission sets the commission directly, or calculates it again when a field that
// it depends on was sent. A sale whose money is settled accepts the values that it already
// has.
func (o *Op) applyCommission(before, rec *record.Sale, up affiliate.SaleUpdate) error {
	if rec.Free {
		return nil
	}
	paid := before.Free && !before.Status.Is(affiliate.SaleRefunded)
	if earned, ok := up.CommissionEarned.Get(); ok {
		if paid {
			if _, err := o.notePayment(rec); err != nil {
				return err
			}
		}
		return o.setCommission(before, rec, earned)
	}
	if paid {
		return o.rewardPaid(rec)
	}
	freed := !before.Why.Over.Is("") && rec.Why.Over.Is("") // by a rate of its own
	if freed && len(rec.Commissions) == 0 && !before.Status.Is(affiliate.SaleRefunded) {
		return o.rewardOwn(rec)
	}
	sent := !up.TotalEarned.IsZero() || !up.CommissionRate.IsZero()
	settled := inPayout(before) && !up.ClawBack || before.Status.Is(affiliate.SaleRefunded)
	if sameGround(before, rec) && (settled || !sent) {
		return nil
	}
	rec.ByHand = affiliate.Opt[record.HandSet]{}
	return o.Recompute(rec)
}

// setCommission makes the entries of a sale add up to this amount, rounded. The same
// amount on the same basis changes nothing.
func (o *Op) setCommission(before, rec *record.Sale, earned affiliate.Amount) error {
	earned, err := earned.Round(o.Cfg.Currency)
	if err != nil {
		return TooLargeFor("commissionEarned", err)
	}
	has := len(rec.Commissions) > 0
	sum, err := CommissionEarned(rec)
	if err != nil || has && sum == earned && sameGround(before, rec) {
		return err
	}
	if err := setByHand(rec, earned); err != nil {
		return err
	}
	if has {
		return o.Recompute(rec)
	}
	if err := o.rewardOwn(rec); err != nil || rec.Why.Over.Is("") || rec.RateFixed {
		return err
	}
	stop(rec) // the limit holds again as soon as the amount is dropped
	return nil
}

// rewardOwn adds the commission of a sale that had none, and is paid by a rate or an amount of its own.
func (o *Op) rewardOwn(rec *record.Sale) error {
	d, _, err := o.dealOf(rec)
	if err == nil {
		err = o.DrawAgain(rec, &d.Terms)
	}
	if err != nil {
		return err
	}
	return o.reward(rec, d)
}

// setByHand records what the sale earns, and how much of it is kept at this time.
func setByHand(r *record.Sale, earned affiliate.Amount) error {
	kept, err := KeptOf(AsCharged(r))
	if err != nil {
		return err
	}
	named, err := RefundPartsOf(r)
	if err != nil {
		return err
	}
	r.ByHand = affiliate.Set(record.HandSet{Earned: earned, Kept: kept, Named: named.Of,
		Tax: named.Tax, Shipping: named.Shipping})
	return nil
}

// refuseTakenSaleIDs refuses external ids that another live sale has.
func (o *Op) refuseTakenSaleIDs(before, rec *record.Sale) error {
	for _, id := range [...]struct {
		key      record.Key
		old, new string
		taken    refusal.Refusal
	}{
		{record.ExternalKey(rec.Conversion, rec.ExternalID), before.ExternalID, rec.ExternalID,
			refusal.SaleExternalIDTaken},
		{record.TextKey(record.ByInvoice, rec.InvoiceID), before.InvoiceID, rec.InvoiceID, refusal.SaleInvoiceIDTaken},
	} {
		if id.new == "" || id.new == id.old {
			continue
		}
		_, err := o.Tx.Sales.Find(id.key)
		if err := id.taken.IfFound(err); err != nil {
			return err
		}
	}
	return nil
}

// sameGround reports whether what a commission rests on is the same.
func sameGround(r *record.Sale, q *record.Sale) bool {
	paid := func(a, b affiliate.StoredLine) bool { return a.Rule == b.Rule && a.Pay == b.Pay }
	return AsCharged(r).TotalEarned == AsCharged(q).TotalEarned && r.Rate == q.Rate &&
		r.RateType == q.RateType && r.Cap == q.Cap && slices.Equal(r.Budgets, q.Budgets) &&
		slices.EqualFunc(r.Lines, q.Lines, paid)
}

// sameMoney reports whether total, rate and commissions are the same.
func sameMoney(r *record.Sale, q *record.Sale) bool {
	return sameGround(r, q) && r.ByHand == q.ByHand && sameEntries(r, q)
}

// sameEntries reports whether the commissions have the same amounts.
func sameEntries(r *record.Sale, q *record.Sale) bool {
	return slices.EqualFunc(r.Commissions, q.Commissions,
		func(a, b record.Commission) bool { return a.Earned == b.Earned && a.Approval == b.Approval })
}

// DeleteSale implements tributary.Program.DeleteSale.
func (p *Program) DeleteSale(ctx context.Context, id affiliate.SaleID) (err error) {
	defer p.Begin(&ctx, "DeleteSale", Writes).End(&err)
	o := p.Op(ctx)
	_, err = Write(o, Request{Name: "sale.delete", Input: id}, func() (struct{}, error) {
		rec, err := o.findSale(affiliate.SaleRef{ID: id})
		if errors.Is(err, affiliate.ErrNotFound) {
			return struct{}{}, nil
		}
		if err == nil {
			err = o.deleteSale(rec)
		}
		return struct{}{}, err
	})
	return err
}

// ReverseSale implements tributary.Program.ReverseSale.
func (p *Program) ReverseSale(ctx context.Context, ref affiliate.SaleRef,
	how affiliate.Reversal) (_ affiliate.ReversedSale, err error) {
	defer p.Begin(&ctx, "ReverseSale", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.reverse", Input: []any{ref, how}, Refused: cmp.Or(
		checkSaleRef(ref), refusal.First(refusal.Optional("refundId", how.RefundID, refusal.MaxName)),
	)}
	return Write(o, rq, func() (affiliate.ReversedSale, error) {
		rec, err := o.findSale(ref)
		if err != nil {
			return affiliate.ReversedSale{}, refusal.SaleNotFound.IfMissing(err)
		}
		if how.ClawBack && stays(&rec) {
			_, err = o.refundOnce(rec, affiliate.Refund{RefundID: how.RefundID, ClawBack: true})
		} else {
			err = o.deleteSale(rec)
		}
		return affiliate.ReversedSale{ID: affiliate.SaleID(rec.Number)}, err
	})
}

// stays reports whether a reversal with ClawBack keeps the sale: a payout holds
// one of its commissions, or it was reversed in this way before.
func stays(r *record.Sale) bool {
	return inPayout(r) || SaleFrozen(r) && r.Status.Is(affiliate.SaleRefunded)
}

// deleteSale removes a sale and fires its event.
func (o *Op) deleteSale(rec record.Sale) error {
	if inPayout(&rec) {
		return refusal.SaleInPayout.Err()
	}
	if err := o.removeSale(rec, affiliate.CauseDeletion); err != nil || rec.DeletedFired {
		return err
	}
	return o.emitDeleted(affiliate.SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
}

// dropSale removes a sale as part of its referral's or affiliate's removal. The
// caller has checked that no payout holds it.
func (o *Op) dropSale(cause affiliate.Cause) func(record.Sale) error {
	return func(rec record.Sale) error {
		if err := o.removeSale(rec, cause); err != nil || rec.DeletedFired {
			return err
		}
		return o.cascade(affiliate.SaleDeleted, rec.ID, rec.Number, rec.Revision+1)
	}
}

// removeSale removes a sale from the records and from the totals. Its redemption
// and its movements stay.
func (o *Op) removeSale(rec record.Sale, cause affiliate.Cause) error {
	if err := o.moveSale(&rec, nil, cause); err != nil {
		return err
	}
	pay, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: rec.ID})
	if pay.Left != "" { // whether the sale was right is no question any more
		pay.Left = ""
		err = o.Tx.Payments.Replace(pay)
	}
	if IgnoreMissing(err) != nil {
		return refusal.Internal("payment of a sale", err)
	}
	return o.Tx.Sales.Delete(rec.ID)
}
