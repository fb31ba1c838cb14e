package affiliate

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// UpdateSale changes a sale; a field that is not given stays as it is. When
// TotalEarned or CommissionRate is given and CommissionEarned is not, the
// commission is calculated again on the kept amount of the sale. A TotalEarned
// makes an ordinary sale of a free order. CommissionRate
// null sets the rate of the current terms. A total that equals the refunded
// amount refunds the sale in full.
//
// Errors: [MissingField], [InvalidField], [SaleNotFound],
// [SaleExternalIDTaken], [SaleInvoiceIDTaken]; [ReferralErased] for what shows an
// erased customer; for a change of money or another affiliate [InPayout] (not with
// ClawBack) and [SaleHasBeenRefunded]; for another affiliate [AffiliateNotFound].
//
// Effects: the sale, its commissions, the totals and the ledgers of both
// affiliates; of the former one adjustments, if payouts hold commissions of the sale;
// sale.updated when something changed.
//
// Source: docs/contract.md 3.7; docs/money.md 2.
func (p *Program) UpdateSale(ctx context.Context, id SaleID, up SaleUpdate) (_ Sale, err error) {
	defer p.begin(&ctx, "UpdateSale", writes).end(&err)
	rq := request{name: "sale.update", input: []any{id, up}, refused: first(RefuseNoSaleID.when(id == 0))}
	if rq.refused == nil {
		rq.refused = p.normalizeSaleUpdate(&up)
	}
	o := p.op(ctx)
	return write(o, rq, func() (Sale, error) {
		before, err := o.saleByNumber(id)
		if err != nil {
			return Sale{}, saleNotFound.ifMissing(err)
		}
		rec := before.Clone()
		err = o.mergeSale(&before, &rec, up)
		if err == nil {
			err = o.refuseErased(&before, &rec)
		}
		if err != nil {
			return Sale{}, err
		}
		cause := CauseUpdate
		if rec.AffiliateID != before.AffiliateID {
			cause = CauseMove
			if err := o.keepPaid(&before); err != nil {
				return Sale{}, err
			}
		}
		return o.saveWithFacts(before, rec, cause)
	})
}

// normalizeSaleUpdate checks what is given and brings it into canonical form.
func (p *Program) normalizeSaleUpdate(up *SaleUpdate) error {
	trimGiven(&up.Name)
	if email, ok := up.Email.Get(); ok {
		if err := first(notBlank("email", up.Email), normalizeEmail("email", &email)); err != nil {
			return err
		}
		up.Email = Set(email)
	}
	if total, ok := up.TotalEarned.Get(); ok && total.Sign() <= 0 {
		return totalNotPositive.Err()
	}
	err := first(
		notCleared("totalEarned", up.TotalEarned),
		boundOfSale("totalEarned", up.TotalEarned.Or(Amount{})),
		p.ownCurrency(&up.Currency),
		given("name", up.Name, maxName),
		given("externalId", up.ExternalID, maxName),
		given("externalInvoiceId", up.ExternalInvoiceID, maxName),
		checkSubtotal(up.Subtotal),
		notCleared("commissionEarned", up.CommissionEarned),
		notCleared("affiliateId", up.AffiliateID),
	)
	if err != nil {
		return err
	}
	if earned, ok := up.CommissionEarned.Get(); ok && earned.Sign() < 0 {
		return commissionNegative.Err()
	}
	if metadata, ok := up.Metadata.Get(); ok {
		raw := []byte(metadata)
		if err := normalizeMetadata("metadata", &raw); err != nil {
			return err
		}
		up.Metadata = Set(json.RawMessage(raw))
	}
	return nil
}

// mergeSale puts an update into the record, a copy of original, checks the merged sale and
// calculates its commission.
func (o *op) mergeSale(original, rec *SaleRecord, up SaleUpdate) error {
	if to, ok := up.AffiliateID.Get(); ok && to != rec.AffiliateID {
		if err := o.moveTo(rec, to, up.ClawBack); err != nil {
			return err
		}
	}
	before := rec.Clone() // after the move: what is sent beside it changes it further
	setText(&rec.Email, up.Email)
	setText(&rec.Name, up.Name)
	setText(&rec.ExternalID, up.ExternalID)
	setText(&rec.InvoiceID, up.ExternalInvoiceID)
	if !up.Metadata.IsZero() {
		rec.Metadata, _ = up.Metadata.Get()
	}
	rec.TotalEarned = up.TotalEarned.Or(rec.TotalEarned)
	if !up.Subtotal.IsZero() {
		rec.Subtotal = unlessNull(up.Subtotal)
	}
	if err := o.applyRate(rec, up.CommissionRate); err != nil {
		return err
	}
	if err := rec.settleFree(up); err != nil {
		return err
	}
	if err := rec.checkAmounts(up); err != nil {
		return err
	}
	if err := o.refuseTakenSaleIDs(&before, rec); err != nil {
		return err
	}
	if err := o.applyCommission(&before, rec, up); err != nil {
		return err
	}
	if original.sameMoney(rec) {
		return nil
	}
	if before.inPayout() && !up.ClawBack {
		return saleInPayout.Err()
	}
	if before.Status.Is(SaleRefunded) {
		return saleRefunded.Err()
	}
	if rec.Free {
		return nil // nothing is kept of it, but nothing was refunded
	}
	return o.closeIfRefunded(rec)
}

// checkAmounts checks the amounts of a merged sale against each other. The
// error is on the field that was sent.
func (r *SaleRecord) checkAmounts(up SaleUpdate) error {
	paid := r.charge()
	if err := paid.check("totalEarned"); err != nil {
		return err
	}
	field := "subtotal"
	if !up.TotalEarned.IsZero() {
		field = "totalEarned"
	}
	if err := paid.checkSubtotal(r.Subtotal, field); err != nil {
		return err
	}
	if r.TotalEarned.Cmp(r.Refunded) < 0 {
		return totalBelowRefunded.Err()
	}
	return nil
}

// applyRate sets or clears the sale's own rate.
func (o *op) applyRate(rec *SaleRecord, given Opt[Percent]) error {
	if rate, ok := given.Get(); ok {
		rec.Rate, rec.RateFixed = Set(rate), true
		rec.Why.RateFrom, rec.Why.TierID = EnumOf(RateOfSale), uuid.Nil
		return checkRate(rate, rec.RateType.Value())
	}
	if given.IsNull() {
		rec.RateFixed = false
		return o.applyTerms(rec)
	}
	return nil
}

// applyTerms gives a sale the rate of the current terms, unless it has a rate
// of its own.
func (o *op) applyTerms(rec *SaleRecord) error {
	if rec.RateFixed {
		return nil
	}
	d, _, err := o.dealOf(rec)
	rec.Rate, rec.RateType = Set(d.Rate), EnumOf(d.Type)
	rec.Why.sources(&d)
	return err
}

// dealOf finds the current terms for a stored sale, and its customer.
func (o *op) dealOf(rec *SaleRecord) (d deal, ref ReferralRecord, err error) {
	aff, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return d, ref, internal("affiliate of a sale", err)
	}
	if rec.ReferralID != uuid.Nil {
		if ref, err = o.tx.Referrals.Get(rec.ReferralID); err != nil {
			return d, ref, internal("referral of a sale", err)
		}
	}
	d, err = o.dealFor(&aff, &ref)
	return d, ref, err
}

// applyCommission sets the commission directly, or calculates it again when
// what it rests on was sent. A sale whose money is settled takes what it has
// already.
func (o *op) applyCommission(before, rec *SaleRecord, up SaleUpdate) error {
	if rec.Free {
		return nil
	}
	paid := before.Free && !before.Status.Is(SaleRefunded)
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
	sent := !up.TotalEarned.IsZero() || !up.CommissionRate.IsZero()
	settled := before.inPayout() && !up.ClawBack || before.Status.Is(SaleRefunded)
	if before.sameGround(rec) && (settled || !sent) {
		return nil
	}
	rec.ByHand = Opt[HandSet]{}
	return o.recompute(rec)
}

// setCommission makes the entries of a sale add up to this much, rounded. The
// same amount on the same ground changes nothing.
func (o *op) setCommission(before, rec *SaleRecord, earned Amount) error {
	earned, err := earned.Round(o.cfg.Currency)
	if err != nil {
		return tooLargeFor("commissionEarned", err)
	}
	has := len(rec.Commissions) > 0
	sum, err := rec.commissionEarned()
	if err != nil || has && sum == earned && before.sameGround(rec) {
		return err
	}
	if err := rec.setByHand(earned); err != nil {
		return err
	}
	if has {
		return o.recompute(rec)
	}
	d, _, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	return o.reward(rec, d)
}

// setByHand notes what the sale earns, on what is kept of it now.
func (r *SaleRecord) setByHand(earned Amount) error {
	kept, err := r.kept()
	if err != nil {
		return err
	}
	named, err := r.refundParts()
	if err != nil {
		return err
	}
	r.ByHand = Set(HandSet{Earned: earned, Kept: kept, Named: named.of, Tax: named.tax, Shipping: named.shipping})
	return nil
}

// refuseTakenSaleIDs refuses external ids that another live sale has.
func (o *op) refuseTakenSaleIDs(before, rec *SaleRecord) error {
	for _, id := range [...]struct {
		index    Index
		old, new string
		taken    Refusal
	}{
		{ByExternalID, before.ExternalID, rec.ExternalID, saleExternalIDTaken},
		{ByInvoice, before.InvoiceID, rec.InvoiceID, saleInvoiceIDTaken},
	} {
		if id.new == "" || id.new == id.old {
			continue
		}
		_, err := o.tx.Sales.Find(textKey(id.index, id.new))
		if err := id.taken.ifFound(err); err != nil {
			return err
		}
	}
	return nil
}

// sameGround reports whether what a commission rests on is the same.
func (r *SaleRecord) sameGround(q *SaleRecord) bool {
	return r.TotalEarned == q.TotalEarned && r.Rate == q.Rate && r.RateType == q.RateType
}

// sameMoney reports whether total, rate and commissions are the same.
func (r *SaleRecord) sameMoney(q *SaleRecord) bool {
	return r.sameGround(q) && r.ByHand == q.ByHand &&
		slices.EqualFunc(r.Commissions, q.Commissions, func(a, b CommissionRecord) bool { return a.Earned == b.Earned })
}
