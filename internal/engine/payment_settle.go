package engine

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// PaymentBefore reports whether r stays when it is joined with another payment.
func PaymentBefore(r *record.Payment, other *record.Payment) bool {
	if (r.Sale != uuid.Nil) != (other.Sale != uuid.Nil) {
		return r.Sale != uuid.Nil
	}
	return bytes.Compare(r.ID[:], other.ID[:]) < 0
}

// SavePayment writes a payment that has changed.
func (o *Op) SavePayment(old record.Payment, rec *record.Payment) error {
	if rec.Sale != uuid.Nil { // a payment that has its sale waits for no decision of which it is
		if rec.Conflict = uuid.Nil; !doubts(rec.Left) {
			rec.Left = ""
		}
	}
	if Same(old, *rec) {
		return nil
	}
	rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
	if rec.ID == uuid.Nil {
		rec.ID = o.NewID()
	}
	if old.ID == uuid.Nil {
		rec.CreatedAt = o.Now
	}
	if err := Put(o.Tx.Payments, old, *rec); err != nil {
		return refusal.Internal("write payment", err)
	}
	return nil
}

// SettlePayment brings the sale of a payment to the state that the facts describe.
// Lost money is a refund of the sale. Money that came back, because a dispute was
// won or a refund failed, is a negative refund: the sale counts again. So the
// affiliate's result depends only on the facts and on the host's own refunds.
func (o *Op) SettlePayment(pay *record.Payment, sale *record.Sale, s Shift) error {
	if err := o.settle(pay, sale, s); err != nil {
		return err
	}
	pay.Left = doubtOf(pay, sale)
	return o.settlePlace(sale, pay)
}

// Seen is what a person decided about a payment whose sale is right as it is.
const Seen = "seen"

// doubts reports whether a reason is about the sale that a payment has.
func doubts(left string) bool {
	return left == string(affiliate.SaleRevoked) || left == string(affiliate.SaleDiffers)
}

// doubtOf returns why the sale of a payment may be wrong, if nobody has said that it is right; empty: nothing says so.
func doubtOf(pay *record.Payment, sale *record.Sale) string {
	switch {
	case pay.Decided == Seen || sale.Status.Is(affiliate.SaleRefunded):
		return ""
	case isRevoked(pay):
		return string(affiliate.SaleRevoked)
	case !pay.Raised.IsZero():
		return string(affiliate.SaleDiffers)
	}
	return ""
}

// isRevoked reports whether a payment was last said to be cancelled or failed.
func isRevoked(pay *record.Payment) bool {
	return !pay.Revoked.IsZero() && !pay.Revoked.Before(pay.Stands)
}

// AddStanding adds whether a payment stands, as a report of a moment says.
func AddStanding(r *record.Payment, revoked bool, at affiliate.Instant) {
	was, last := isRevoked(r), &r.Stands
	if revoked {
		last = &r.Revoked
	}
	if *last = Later(at, *last); isRevoked(r) != was {
		unsee(r)
	}
}

// AddRaised adds what a payment was told to be besides.
func AddRaised(r *record.Payment, gross affiliate.Amount) {
	if was, told := r.Raised.Get(); !told || was.Cmp(gross) < 0 {
		r.Raised = affiliate.Set(gross)
		unsee(r)
	}
}

// unsee forgets that a person has seen a payment, of which something else was told since.
func unsee(r *record.Payment) {
	if r.Decided == Seen {
		r.Decided = ""
	}
}

// settle is SettlePayment but for the redemption.
func (o *Op) settle(pay *record.Payment, sale *record.Sale, s Shift) error {
	charged := AsCharged(sale)
	goal, named, err := o.goal(pay, charged)
	if err != nil {
		return err
	}
	if err := o.takeBackAdjusted(pay, sale); err != nil {
		return err
	}
	change, err := goal.Sub(charged.Refunded)
	if err != nil {
		return err
	}
	refunds, err := named.corrections(sale, change)
	if err != nil || len(refunds) == 0 {
		return err
	}
	before, cause := sale.Clone(), refundCause(sale)
	if change.Sign() <= 0 {
		cause = affiliate.CauseUpdate
	}
	for i := range refunds {
		refunds[i].ID, refunds[i].At, refunds[i].Fact = unusedRefundID(sale, cmp.Or(string(s), pay.ID.String())), o.Now, true
		sale.Refunds = append(sale.Refunds, refunds[i])
	}
	if err := o.giveBack(sale, change); err != nil {
		return err
	}
	if _, err := o.SaveSale(before, *sale, cause); err != nil {
		return err
	}
	*sale, err = o.Tx.Sales.Get(sale.ID)
	return err
}

// takeBackAdjusted reverses the adjustments by which earlier versions made up for
// returned money, when a sale could not count again.
func (o *Op) takeBackAdjusted(pay *record.Payment, sale *record.Sale) error {
	back, err := affiliate.Amount{}.Sub(pay.Adjusted)
	pay.Peak, pay.Adjusted, pay.Adjustments = affiliate.Amount{}, affiliate.Amount{}, nil
	if err != nil || back.IsZero() {
		return err
	}
	rec := record.Adjustment{
		ID: o.NewID(), AffiliateID: sale.AffiliateID, Sale: sale.Number, Kind: affiliate.AdjustCorrection, Amount: back,
		Reason: "The sale counts again", CreatedAt: o.Now,
	}
	if err := o.Tx.Adjustments.Insert(rec); err != nil {
		return refusal.Internal("write adjustment", err)
	}
	return o.Enter(rec.AffiliateID, BookAdjustment(&rec, affiliate.CauseAdjustment, rec.Amount))
}

// unusedRefundID returns an id that no refund of the sale has yet.
func unusedRefundID(sale *record.Sale, id string) string {
	free := id
	for n := 2; hasRefund(sale, free); n++ {
		free = id + ":" + strconv.Itoa(n)
	}
	return free
}

func hasRefund(r *record.Sale, id string) bool {
	for i := range r.Refunds {
		if r.Refunds[i].ID == id {
			return true
		}
	}
	return false
}

// saveWithFacts is SaveSale for a change by the host: the payment of the sale, if
// it has one, is settled again, because its result also depends on the host's
// refunds and the sale's terms.
func (o *Op) saveWithFacts(old, rec record.Sale, cause affiliate.Cause) (affiliate.Sale, error) {
	answer, err := o.SaveSale(old, rec, cause)
	if err != nil || Same(old, rec) {
		return answer, err
	}
	pay, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: rec.ID})
	if errors.Is(err, affiliate.ErrNotFound) {
		return answer, nil
	}
	if err != nil {
		return affiliate.Sale{}, err
	}
	sale, err := o.Tx.Sales.Get(rec.ID)
	if err != nil {
		return affiliate.Sale{}, refusal.Internal("read sale", err)
	}
	before, refunds := pay.Clone(), len(sale.Refunds)
	if pay.Left == string(affiliate.SaleDiffers) && old.TotalEarned != rec.TotalEarned {
		pay.Decided = Seen // it was corrected
	}
	if err := o.SettlePayment(&pay, &sale, ""); err != nil {
		return affiliate.Sale{}, err
	}
	if err := o.SavePayment(before, &pay); err != nil {
		return affiliate.Sale{}, err
	}
	if len(sale.Refunds) == refunds {
		return answer, nil
	}
	return o.saleOf(sale)
}
