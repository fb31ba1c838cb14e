package affiliate

import (
	"cmp"
	"errors"
	"strconv"
)

// settlePayment brings the sale of a payment to what the facts say. First it takes from
// the sale what the facts took at the most so far. Then, because a refund is
// never undone, one adjustment makes up for what came back. So what the affiliate
// has in the end depends on the facts and on the host's own refunds alone.
func (o *op) settlePayment(pay *PaymentRecord, sale *SaleRecord, s shift) error {
	to, err := pay.aim(sale, o.cfg.Currency)
	if err != nil {
		return err
	}
	pay.Peak = to.taken
	if sale.Refunded.Cmp(to.goal) < 0 {
		if err := o.takeForFacts(pay, sale, to.goal, s); err != nil {
			return err
		}
	}
	wanted, err := o.makeUpFor(sale, to.kept)
	if err != nil {
		return err
	}
	change, err := wanted.Sub(pay.Adjusted)
	if err != nil || change.IsZero() {
		return err
	}
	return o.adjustFor(pay, sale, change, s)
}

// takeForFacts refunds the sale up to a sum.
func (o *op) takeForFacts(pay *PaymentRecord, sale *SaleRecord, goal Amount, s shift) error {
	amount, err := goal.Sub(sale.Refunded)
	if err != nil {
		return err
	}
	before := sale.Clone()
	id := unusedRefundID(sale, cmp.Or(s.id, pay.ID.String()))
	if err := o.giveBack(sale, RefundRecord{ID: id, Amount: amount, At: o.now, Fact: true}); err != nil {
		return err
	}
	if _, err := o.saveSale(before, *sale, before.refundCause()); err != nil {
		return err
	}
	*sale, err = o.tx.Sales.Get(sale.ID)
	return err
}

// unusedRefundID is an id that no refund of the sale has yet.
func unusedRefundID(sale *SaleRecord, id string) string {
	free := id
	for n := 2; sale.hasRefund(free); n++ {
		free = id + ":" + strconv.Itoa(n)
	}
	return free
}

func (r *SaleRecord) hasRefund(id string) bool {
	for i := range r.Refunds {
		if r.Refunds[i].ID == id {
			return true
		}
	}
	return false
}

// makeUpFor is what adjustments have to add to the commission of a sale, so that
// both give what is earned on the kept amount. A commission that is on hold or
// declined gets nothing: adjustments are payable at once.
func (p *Program) makeUpFor(sale *SaleRecord, kept Amount) (Amount, error) {
	if len(sale.Commissions) == 0 || !sale.Commissions[0].Approval.Is(ApprovalAccepted) {
		return Amount{}, nil
	}
	has, err := p.earned(sale)
	if err != nil {
		return Amount{}, err
	}
	other := *sale
	if other.Refunded, err = sale.TotalEarned.Sub(kept); err != nil {
		return Amount{}, err
	}
	wanted, err := p.earned(&other)
	if err != nil {
		return Amount{}, tooLargeFor("commissionEarned", err)
	}
	return wanted.Sub(has)
}

// adjustFor records an adjustment of the payment.
func (o *op) adjustFor(pay *PaymentRecord, sale *SaleRecord, change Amount, s shift) error {
	rec := AdjustmentRecord{
		ID: o.newID(), AffiliateID: sale.AffiliateID, Sale: sale.Number, Kind: AdjustCorrection, Amount: change,
		Reason: "The sale was changed", CreatedAt: o.now,
	}
	if s.won && change.Sign() > 0 {
		rec.Kind = AdjustDisputeWon
	}
	if s.id != "" {
		rec.Reason = pay.Provider + " " + s.id + ": " + s.state
		id, err := o.unusedAdjustmentID(pay.Provider + ":" + s.id + ":" + s.state)
		if err != nil {
			return err
		}
		rec.ExternalID = id
	}
	if err := o.tx.Adjustments.Insert(rec); err != nil {
		return internal("write adjustment", err)
	}
	var err error
	if pay.Adjusted, err = pay.Adjusted.Add(change); err != nil {
		return err
	}
	pay.Adjustments = append(pay.Adjustments, rec.ID)
	return o.enter(rec.AffiliateID, bookAdjustment(&rec, CauseAdjustment, rec.Amount))
}

// unusedAdjustmentID is an external id that no adjustment has yet: a dispute can
// be won twice.
func (o *op) unusedAdjustmentID(id string) (string, error) {
	free := id
	for n := 2; ; n++ {
		_, err := o.tx.Adjustments.Find(textKey(ByExternalID, free))
		if errors.Is(err, ErrNotFound) {
			return free, nil
		}
		if err != nil {
			return "", internal("read adjustment", err)
		}
		free = id + ":" + strconv.Itoa(n)
	}
}

// saveWithFacts is saveSale for a change that the host makes: the payment of the
// sale, if it has one, is settled again, because the host's refunds and the
// sale's terms are part of what its facts come to.
func (o *op) saveWithFacts(old, rec SaleRecord, cause Cause) (Sale, error) {
	answer, err := o.saveSale(old, rec, cause)
	if err != nil || same(old, rec) {
		return answer, err
	}
	pay, err := o.tx.Payments.Find(Key{Index: BySale, ID: rec.ID})
	if errors.Is(err, ErrNotFound) {
		return answer, nil
	}
	if err != nil {
		return Sale{}, err
	}
	sale, err := o.tx.Sales.Get(rec.ID)
	if err != nil {
		return Sale{}, internal("read sale", err)
	}
	before, refunds := pay.Clone(), len(sale.Refunds)
	if err := o.settlePayment(&pay, &sale, shift{}); err != nil {
		return Sale{}, err
	}
	if err := o.savePayment(before, &pay); err != nil {
		return Sale{}, err
	}
	if len(sale.Refunds) == refunds {
		return answer, nil
	}
	return o.saleOf(sale)
}
