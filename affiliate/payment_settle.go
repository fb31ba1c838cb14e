package affiliate

import (
	"cmp"
	"errors"
	"strconv"
)

// settlePayment brings the sale of a payment to what the facts say. What they take
// is a refund of the sale. What came back, because a dispute was won or a refund
// failed, is a refund below zero: the sale counts again. So what the affiliate has
// in the end depends on the facts and on the host's own refunds alone.
func (o *op) settlePayment(pay *PaymentRecord, sale *SaleRecord, s shift) error {
	goal, named, err := pay.goal(sale, o.cfg.Currency)
	if err != nil {
		return err
	}
	if err := o.takeBackAdjusted(pay, sale); err != nil {
		return err
	}
	change, err := goal.Sub(sale.Refunded)
	if err != nil {
		return err
	}
	refunds, err := named.corrections(sale, change)
	if err != nil || len(refunds) == 0 {
		return err
	}
	before, cause := sale.Clone(), sale.refundCause()
	if change.Sign() <= 0 {
		cause = CauseUpdate
	}
	for i := range refunds {
		refunds[i].ID, refunds[i].At, refunds[i].Fact = unusedRefundID(sale, cmp.Or(string(s), pay.ID.String())), o.now, true
		sale.Refunds = append(sale.Refunds, refunds[i])
	}
	if err := o.giveBack(sale, change); err != nil {
		return err
	}
	if _, err := o.saveSale(before, *sale, cause); err != nil {
		return err
	}
	*sale, err = o.tx.Sales.Get(sale.ID)
	return err
}

// takeBackAdjusted takes back the adjustments that made up for what came back,
// before a sale could count again.
func (o *op) takeBackAdjusted(pay *PaymentRecord, sale *SaleRecord) error {
	back, err := Amount{}.Sub(pay.Adjusted)
	pay.Peak, pay.Adjusted, pay.Adjustments = Amount{}, Amount{}, nil
	if err != nil || back.IsZero() {
		return err
	}
	rec := AdjustmentRecord{
		ID: o.newID(), AffiliateID: sale.AffiliateID, Sale: sale.Number, Kind: AdjustCorrection, Amount: back,
		Reason: "The sale counts again", CreatedAt: o.now,
	}
	if err := o.tx.Adjustments.Insert(rec); err != nil {
		return internal("write adjustment", err)
	}
	return o.enter(rec.AffiliateID, bookAdjustment(&rec, CauseAdjustment, rec.Amount))
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
	if err := o.settlePayment(&pay, &sale, ""); err != nil {
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
