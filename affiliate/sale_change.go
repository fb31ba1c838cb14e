package affiliate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// UpdateSale changes a sale; what is not given stays. When TotalEarned or
// CommissionRate is given and CommissionEarned is not, the commission is
// calculated again on what is kept of the sale. CommissionRate null goes back
// to the rate of today's terms. A total that equals what was refunded refunds
// the sale in full.
//
// Errors: [MissingField], [InvalidField], [SaleNotFound],
// [SaleExternalIDTaken], [SaleInvoiceIDTaken]; [InPayout] and
// [SaleHasBeenRefunded] for a change of money.
//
// Effects: the sale, its commission, totals; sale.updated when something
// changed.
//
// Source: contract 3.7.
func (p *Program) UpdateSale(ctx context.Context, id SaleID, up SaleUpdate) (Sale, error) {
	if id == 0 {
		return Sale{}, saleIDRequired.err()
	}
	if err := checkSaleUpdate(&up); err != nil {
		return Sale{}, err
	}
	o := p.op(ctx)
	return update(o, func() (Sale, error) {
		before, err := o.saleByNumber(id)
		if err != nil {
			return Sale{}, saleNotFound.orOther(err)
		}
		rec := before.Clone()
		if err := o.applySale(&rec, up); err != nil {
			return Sale{}, err
		}
		if before.equal(&rec) {
			return o.saleOf(before)
		}
		return o.saveSale(before, rec)
	})
}

// checkSaleUpdate checks what is given and brings it into canonical form.
func checkSaleUpdate(up *SaleUpdate) error {
	if email, ok := up.Email.Get(); ok {
		if err := checkEmail("email", &email); err != nil {
			return err
		}
		up.Email = Set(email)
	}
	if total, ok := up.TotalEarned.Get(); ok && total.Sign() <= 0 {
		return totalNotPositive.err()
	}
	err := first(
		notCleared("totalEarned", up.TotalEarned),
		given("name", up.Name, maxName),
		given("externalId", up.ExternalID, maxName),
		given("externalInvoiceId", up.ExternalInvoiceID, maxName),
		notCleared("commissionEarned", up.CommissionEarned),
	)
	if err != nil {
		return err
	}
	if earned, ok := up.CommissionEarned.Get(); ok && earned.Sign() < 0 {
		return commissionNegative.err()
	}
	if metadata, ok := up.Metadata.Get(); ok {
		raw := []byte(metadata)
		if err := checkMetadata("metadata", &raw); err != nil {
			return err
		}
		up.Metadata = Set(json.RawMessage(raw))
	}
	return nil
}

// applySale puts an update into the record, checks the merged sale and
// calculates its commission.
func (o *op) applySale(rec *SaleRecord, up SaleUpdate) error {
	before := rec.Clone()
	setText(&rec.Email, up.Email)
	setText(&rec.Name, up.Name)
	setText(&rec.ExternalID, up.ExternalID)
	setText(&rec.InvoiceID, up.ExternalInvoiceID)
	if !up.Metadata.IsZero() {
		rec.Metadata, _ = up.Metadata.Get()
	}
	rec.TotalEarned = up.TotalEarned.Or(rec.TotalEarned)
	if err := o.applyRate(rec, up.CommissionRate); err != nil {
		return err
	}
	if err := checkDeductions(rec.TotalEarned, rec.Tax, rec.Shipping, "totalEarned"); err != nil {
		return err
	}
	if rec.TotalEarned.Cmp(rec.Refunded) < 0 {
		return totalBelowRefunded.err()
	}
	if err := o.freeSaleIDs(&before, rec); err != nil {
		return err
	}
	if err := o.applyCommission(&before, rec, up); err != nil {
		return err
	}
	if before.sameMoney(rec) {
		return nil
	}
	if before.payoutID() != uuid.Nil {
		return saleInPayout.err()
	}
	if before.Status == SaleRefunded {
		return saleRefunded.err()
	}
	return o.closeIfRefunded(rec)
}

// applyRate sets or clears the sale's own rate.
func (o *op) applyRate(rec *SaleRecord, given Opt[Percent]) error {
	if rate, ok := given.Get(); ok {
		rec.Rate, rec.RateFixed = Set(rate), true
		return checkRate(rate, rec.RateType)
	}
	if given.IsNull() {
		rec.RateFixed = false
		return o.applyTerms(rec)
	}
	return nil
}

// applyTerms gives a sale the rate of today's terms, unless it has one of its
// own.
func (o *op) applyTerms(rec *SaleRecord) error {
	if rec.RateFixed {
		return nil
	}
	d, err := o.dealOf(rec)
	rec.Rate, rec.RateType = Set(d.Rate), d.Type
	return err
}

// dealOf finds the terms of today for a stored sale.
func (o *op) dealOf(rec *SaleRecord) (deal, error) {
	aff, err := o.tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return deal{}, internal("affiliate of a sale", err)
	}
	var ref ReferralRecord
	if rec.ReferralID != uuid.Nil {
		if ref, err = o.tx.Referrals.Get(rec.ReferralID); err != nil {
			return deal{}, internal("referral of a sale", err)
		}
	}
	return o.dealFor(&aff, &ref)
}

// applyCommission sets the commission directly, or calculates it again when
// what it rests on was sent. A sale whose money is settled takes what it has
// already.
func (o *op) applyCommission(before, rec *SaleRecord, up SaleUpdate) error {
	if earned, ok := up.CommissionEarned.Get(); ok {
		return o.setCommission(before, rec, earned)
	}
	sent := !up.TotalEarned.IsZero() || !up.CommissionRate.IsZero()
	settled := before.payoutID() != uuid.Nil || before.Status == SaleRefunded
	if before.sameGround(rec) && (settled || !sent) {
		return nil
	}
	rec.ByHand = Opt[HandSet]{}
	return o.recompute(rec)
}

// setCommission makes the credited affiliate's entry earn this much, rounded.
// The same amount on the same ground changes nothing.
func (o *op) setCommission(before, rec *SaleRecord, earned Amount) error {
	earned, err := earned.Round(o.cfg.Currency)
	if err != nil {
		return tooLargeFor("commissionEarned", err)
	}
	i := rec.credited()
	if i >= 0 && rec.Commissions[i].Earned == earned && before.sameGround(rec) {
		return nil
	}
	kept, err := rec.kept()
	if err != nil {
		return err
	}
	rec.ByHand = Set(HandSet{Earned: earned, Kept: kept})
	if i >= 0 {
		return o.recompute(rec)
	}
	d, err := o.dealOf(rec)
	if err != nil {
		return err
	}
	return o.reward(rec, d)
}

// freeSaleIDs refuses external ids that another live sale has.
func (o *op) freeSaleIDs(before, rec *SaleRecord) error {
	for _, id := range [...]struct {
		index    Index
		old, new string
		taken    refusal
	}{
		{ByExternalID, before.ExternalID, rec.ExternalID, saleExternalIDTaken},
		{ByInvoice, before.InvoiceID, rec.InvoiceID, saleInvoiceIDTaken},
	} {
		if id.new == "" || id.new == id.old {
			continue
		}
		_, err := o.tx.Sales.Find(textKey(id.index, id.new))
		if err := id.taken.unlessFree(err); err != nil {
			return err
		}
	}
	return nil
}

// sameGround tells whether what a commission rests on is the same.
func (r *SaleRecord) sameGround(q *SaleRecord) bool {
	return r.TotalEarned == q.TotalEarned && r.Rate == q.Rate && r.RateType == q.RateType
}

// sameMoney tells whether total, rate and commissions are the same.
func (r *SaleRecord) sameMoney(q *SaleRecord) bool {
	return r.sameGround(q) && r.ByHand == q.ByHand &&
		slices.EqualFunc(r.Commissions, q.Commissions, func(a, b CommissionRecord) bool { return a.Earned == b.Earned })
}

func (r *SaleRecord) equal(q *SaleRecord) bool {
	return r.sameMoney(q) && r.Email == q.Email && r.Name == q.Name && r.ExternalID == q.ExternalID &&
		r.InvoiceID == q.InvoiceID && r.RateFixed == q.RateFixed && r.Status == q.Status &&
		slices.Equal(r.Commissions, q.Commissions) && bytes.Equal(r.Metadata, q.Metadata)
}

// closeIfRefunded ends a sale of which nothing is left.
func (o *op) closeIfRefunded(rec *SaleRecord) error {
	kept, err := rec.kept()
	if err != nil || kept.Sign() > 0 {
		return err
	}
	rec.Status, rec.RefundedAt = SaleRefunded, o.now
	return nil
}

// RefundSale refunds a sale in full, or in part with Amount. The commission
// follows what is kept; nothing kept is exactly nothing earned, and the sale is
// REFUNDED for good. A repeat of a RefundID, or of a full refund, does nothing
// and says so. Redemption counters do not change.
//
// Errors: [MissingField], [InvalidField], [SaleNotFound],
// [OutsideRefundWindow], [ManuallyPaid], [AlreadyPaid], [IncludedInPayout],
// [RefundExceedsSale].
//
// Effects: the sale, its commission, totals; sale.updated for a part,
// sale.deleted for the whole (Seed: "reversed, refunded, disputed or removed"),
// after which nothing is fired for that sale.
//
// Source: rule 5.5, contract 3.7.
func (p *Program) RefundSale(ctx context.Context, in Refund) (RefundResult, error) {
	if in.SaleID == 0 {
		return RefundResult{}, saleIDRequired.err()
	}
	if amount, ok := in.Amount.Get(); ok && amount.Sign() <= 0 {
		return RefundResult{}, refundNotPositive.err()
	}
	if err := first(optional("refundId", in.RefundID, maxName)); err != nil {
		return RefundResult{}, err
	}
	o := p.op(ctx)
	return update(o, func() (RefundResult, error) {
		before, err := o.saleByNumber(in.SaleID)
		if err != nil {
			return RefundResult{}, saleNotFound.orOther(err)
		}
		if before.refundedBy(in.RefundID) {
			return RefundResult{Success: true, AlreadyRefunded: true, Reason: RefundedAlready}, nil
		}
		rec := before.Clone()
		if err := o.refund(&rec, in); err != nil {
			return RefundResult{}, err
		}
		if _, err := o.saveSale(before, rec); err != nil {
			return RefundResult{}, err
		}
		reason := RefundedInPart
		if rec.Status == SaleRefunded {
			reason = RefundedInFull
		}
		return RefundResult{Success: true, Reason: reason}, nil
	})
}

// refundedBy tells whether a refund was applied before, or nothing is left.
func (r *SaleRecord) refundedBy(id string) bool {
	known := func(f RefundRecord) bool { return id != "" && f.ID == id }
	return r.Status == SaleRefunded || slices.ContainsFunc(r.Refunds, known)
}

// refund checks a refund and puts it into the record.
func (o *op) refund(rec *SaleRecord, in Refund) error {
	if err := o.refundable(rec); err != nil {
		return err
	}
	left, err := rec.kept()
	if err != nil {
		return err
	}
	amount := in.Amount.Or(left)
	if amount.Cmp(left) > 0 {
		return refundExceedsSale.err()
	}
	if rec.Refunded, err = rec.Refunded.Add(amount); err != nil {
		return err
	}
	rec.Refunds = append(rec.Refunds, RefundRecord{ID: in.RefundID, Amount: amount, At: o.now})
	if err := o.recompute(rec); err != nil {
		return err
	}
	return o.closeIfRefunded(rec)
}

// refundable refuses refunds that come too late or would undo a payout.
func (o *op) refundable(rec *SaleRecord) error {
	if window := o.cfg.RefundWindow; window > 0 && o.now.After(rec.CreatedAt.Add(window)) {
		return outsideRefundWindow.err()
	}
	for i := range rec.Commissions {
		if rec.Commissions[i].ManuallyPaid {
			return manuallyPaid.err()
		}
	}
	id := rec.payoutID()
	if id == uuid.Nil {
		return nil
	}
	payout, err := o.tx.Payouts.Get(id)
	if err != nil {
		return internal("payout of a sale", err)
	}
	if payout.Status == PayoutPaid {
		return alreadyPaid.err()
	}
	return includedInPayout.err()
}

// DeleteSale removes a sale with its commissions. Nothing there: nil.
//
// Errors: [MissingField], [InPayout].
//
// Effects: sale and totals; redemption counters stay; sale.deleted, unless the
// full refund has fired it.
//
// Source: Seed: DELETE /sales; rules 3.2 and 5.5.
func (p *Program) DeleteSale(ctx context.Context, id SaleID) error {
	err := p.deleteSale(ctx, SaleRef{ID: id})
	if errors.Is(err, SaleNotFound) {
		return nil
	}
	return err
}

// ReverseSale removes a sale that a payment provider or shop reports as
// reversed, disputed, or cancelled with its order. It is [Program.DeleteSale]
// for callers that know the payment by another id and want to hear that it was
// not there.
//
// Errors: [MissingField], [SaleNotFound], [InPayout].
//
// Effects: those of [Program.DeleteSale].
//
// Source: Seed: sale.deleted; rule 5.5.
func (p *Program) ReverseSale(ctx context.Context, ref SaleRef) error {
	return p.deleteSale(ctx, ref)
}

func (p *Program) deleteSale(ctx context.Context, ref SaleRef) error {
	o := p.op(ctx)
	_, err := update(o, func() (struct{}, error) {
		rec, err := o.findSale(ref)
		if err != nil {
			return struct{}{}, saleNotFound.orOther(err)
		}
		if rec.payoutID() != uuid.Nil {
			return struct{}{}, saleInPayout.err()
		}
		if err := o.removeSale(rec); err != nil || rec.DeletedFired {
			return struct{}{}, err
		}
		return struct{}{}, o.emitNumbered(SaleDeleted, rec.ID, rec.Number, rec.Revision+1, DeletedSaleBody{SaleID(rec.Number)})
	})
	return err
}

// dropSale removes a sale as part of its referral's or affiliate's removal. The
// caller has seen to it that no payout holds it.
func (o *op) dropSale(rec SaleRecord) error {
	if err := o.removeSale(rec); err != nil || rec.DeletedFired {
		return err
	}
	return o.cascade(SaleDeleted, rec.ID, rec.Number, rec.Revision+1, DeletedSaleBody{SaleID(rec.Number)})
}

// removeSale removes a sale from the records and from the totals. The ledger
// and the counters of its code stay.
func (o *op) removeSale(rec SaleRecord) error {
	was, err := rec.tally()
	if err != nil {
		return err
	}
	if err := o.moveSale(&rec, was, tally{}); err != nil {
		return err
	}
	return o.tx.Sales.Delete(rec.ID)
}

// RecalculateSales calculates the commissions of the selected sales again under
// the terms of today and returns how many changed. Sales in a payout and
// refunded sales stay, and so do commissions that were set by hand and a rate
// of the sale's own. A sale beyond its plan's limits stays without a
// commission. A filter that names nobody selects nothing.
//
// Errors: [InvalidField] (totalEarned) when a total has no room.
//
// Effects: the sales, their totals; sale.updated for each that changed.
//
// Source: Seed: sale.updated.
func (p *Program) RecalculateSales(ctx context.Context, f SaleFilter) (int, error) {
	o := p.op(ctx)
	return update(o, func() (int, error) {
		key, err := o.saleKey(f)
		if errors.Is(err, ErrNotFound) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		changed := 0
		err = o.eachSale(key, func(before SaleRecord) error {
			if before.payoutID() != uuid.Nil || before.Status == SaleRefunded {
				return nil
			}
			if _, byHand := before.ByHand.Get(); byHand {
				return nil
			}
			rec := before.Clone()
			if err := o.applyTerms(&rec); err != nil {
				return err
			}
			if err := o.recompute(&rec); err != nil {
				return err
			}
			if before.sameMoney(&rec) {
				return nil
			}
			changed++
			_, err := o.saveSale(before, rec)
			return err
		})
		return changed, err
	})
}

// eachSale runs fn on the sales that hold the key: one, many, or all.
func (o *op) eachSale(key Key, fn func(SaleRecord) error) error {
	if !key.Index.Unique() {
		return each(o.tx.Sales, key, fn)
	}
	rec, err := o.tx.Sales.Find(key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fn(rec)
}

// ReviewCommissions accepts, holds or declines the commissions of sales, all or
// nothing. Declined ones do not count in the totals.
//
// Errors: [InvalidField] (approvalStatus), [SaleNotFound], [InPayout].
//
// Effects: the commissions, totals; sale.updated for each sale that changed.
//
// Source: contract 2.7.
func (p *Program) ReviewCommissions(ctx context.Context, status ApprovalStatus, ids ...SaleID) ([]Sale, error) {
	if err := oneOf("approvalStatus", status, approvalStatuses); err != nil {
		return nil, err
	}
	o := p.op(ctx)
	return update(o, func() ([]Sale, error) {
		for _, id := range ids {
			if _, _, err := o.reviewed(id, status); err != nil {
				return nil, err
			}
		}
		return eachOf(ids, func(id SaleID) (Sale, error) {
			before, after, err := o.reviewed(id, status)
			if err != nil {
				return Sale{}, err
			}
			if before.equal(&after) {
				return o.saleOf(before)
			}
			return o.saveSale(before, after)
		})
	})
}

// reviewed is a sale before and after a review.
func (o *op) reviewed(id SaleID, status ApprovalStatus) (before, after SaleRecord, err error) {
	if before, err = o.saleByNumber(id); err != nil {
		return before, after, saleNotFound.orOther(err)
	}
	after = before.Clone()
	for i := range after.Commissions {
		after.Commissions[i].review(status, o.now)
	}
	if before.payoutID() != uuid.Nil && !before.equal(&after) {
		return before, after, saleInPayout.err()
	}
	return before, after, nil
}
