package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RestoreRedemption implements tributary.Program.RestoreRedemption.
func (p *Program) RestoreRedemption(ctx context.Context, ref affiliate.SaleRef) (err error) {
	defer p.Begin(&ctx, "RestoreRedemption", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.restore-redemption", Input: ref, Refused: checkSaleRef(ref)}
	_, err = Write(o, rq, func() (struct{}, error) {
		entry, err := o.RedemptionOf(ref)
		if err != nil {
			return struct{}{}, refusal.RedemptionNotFound.IfMissing(err)
		}
		if !entry.RestoredAt.IsZero() {
			return struct{}{}, refusal.RedemptionRestored.Err()
		}
		return struct{}{}, o.restore(entry)
	})
	return err
}

// AcceptRedemption implements tributary.Program.AcceptRedemption.
func (p *Program) AcceptRedemption(ctx context.Context, ref affiliate.SaleRef) (err error) {
	defer p.Begin(&ctx, "AcceptRedemption", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.accept-redemption", Input: ref, Refused: checkSaleRef(ref)}
	_, err = Write(o, rq, func() (struct{}, error) {
		entry, err := o.RedemptionOf(ref)
		if err != nil {
			return struct{}{}, refusal.RedemptionNotFound.IfMissing(err)
		}
		if !entry.Over || !entry.SeenAt.IsZero() {
			return struct{}{}, nil
		}
		entry.SeenAt = o.Now
		return struct{}{}, o.Tx.Redemptions.Replace(entry)
	})
	return err
}

// RedeemAlone writes the redemption of an order by a house code that nobody is credited with. Its id is that of the
// payment of the order, if a payment told of it.
func (o *Op) RedeemAlone(id uuid.UUID, in *affiliate.SaleParams, d *Decision) error {
	if in.ExternalID == "" {
		return refusal.RefuseNoExternalID.Err()
	}
	if err := o.setDiscount(&record.Sale{Lines: StoredLines(in.Lines)}, in, d); err != nil {
		return err
	}
	return o.redeem(record.Redemption{ID: id, ExternalID: in.ExternalID}, d, 0)
}

// aloneOf returns the redemption of an order without a sale; the zero record: there is none.
func (o *Op) aloneOf(externalID string) (record.Redemption, error) {
	if !o.Cfg.HouseCodes || externalID == "" {
		return record.Redemption{}, nil
	}
	entry, err := o.Tx.Redemptions.Find(record.TextKey(record.ByExternalID, externalID))
	return entry, IgnoreMissing(err)
}

// A soleRedemption is the redemption of an order that nobody was credited with, while the order is decided about anew.
type soleRedemption struct {
	entry record.Redemption
	uses  []record.Use
}

// ForgetAlone removes the redemption of an order that nobody was credited with, so that the order is decided
// about anew, and returns it; the zero record: there is none. RememberAlone puts it back.
func (o *Op) ForgetAlone(externalID string) (record.Redemption, error) {
	if o.again == nil {
		o.alone = nil
	}
	entry, err := o.aloneOf(externalID)
	if err != nil || entry.ID == uuid.Nil {
		return entry, err
	}
	a := soleRedemption{entry: entry}
	if entry.RestoredAt.IsZero() {
		if a.uses, err = o.usesFor(entry.ID); err == nil {
			err = o.unredeem(&entry)
		}
	}
	if err == nil {
		err = o.Tx.Redemptions.Delete(entry.ID)
	}
	o.alone = &a
	return entry, err
}

// RememberAlone puts back what ForgetAlone took, when still nobody is credited. Its id is another one when it
// belongs to another payment from then on.
func (o *Op) RememberAlone(id uuid.UUID) error {
	a := o.alone
	if a.entry.ID = id; a.entry.RestoredAt.IsZero() {
		if err := o.recount(&a.entry, 1); err != nil {
			return err
		}
	}
	for i := range a.uses {
		a.uses[i].RedemptionID = id
		if err := o.Tx.Uses.Insert(a.uses[i]); err != nil {
			return refusal.Internal("write use", err)
		}
	}
	return o.Tx.Redemptions.Insert(a.entry)
}

// SettleAlone gives the redemption of an order without a sale back when its payment is lost in full, and takes it
// again when that holds no more, as settlePlace does for a sale.
func (o *Op) SettleAlone(pay *record.Payment, externalID string, buyer func() (Customer, error)) error {
	entry, err := o.aloneOf(externalID)
	if err != nil || entry.ID != pay.ID {
		return err
	}
	lost, err := LostOf(pay)
	if err != nil {
		return err
	}
	gross := pay.Gross.Or(affiliate.Amount{})
	return o.settleEntry(entry, gross.Sign() > 0 && lost.Cmp(gross) >= 0,
		func() (record.Payment, error) { return *pay, nil }, buyer)
}

// RedeemedAlone returns when the order of a payment was redeemed without a sale; zero: it was not.
func (o *Op) RedeemedAlone(pay *record.Payment, externalID string) (affiliate.Instant, error) {
	entry, err := o.aloneOf(externalID)
	if entry.ID != pay.ID {
		return affiliate.Instant{}, err
	}
	return entry.CreatedAt, err
}

// redeem writes the ledger row of a sale by code, if there is one, or of an order, raises the counters, and confirms
// the hold of the order. The code and the coupon get no event and no new updatedAt (rule 3.4).
func (o *Op) redeem(row record.Redemption, d *Decision, sale int64) error {
	v := &d.verdict
	if v.limitsCustomers() {
		own := uuid.Nil
		if d.hold != nil {
			own = d.hold.ID
		}
		var err error
		if v.customer, err = o.customerOf(&d.Customer, own); err != nil { // who may be new
			return err
		}
	}
	row.CodeID, row.CouponID, row.Discount, row.Over, row.CreatedAt = v.code.ID, v.coupon.ID, v.discount, v.over, o.Now
	if h := d.hold; h != nil {
		if o.alone != nil && o.alone.entry.HoldID == h.HoldID {
			row.Over = o.alone.entry.Over // it had its place
		}
		held := *h
		row.HoldID, held.Number = h.HoldID, sale
		if err := o.endHold(&held, affiliate.HoldConfirmed, v); err != nil {
			return err
		}
	}
	if err := o.Tx.Redemptions.Insert(row); err != nil {
		return refusal.Internal("write redemption", err)
	}
	v.code.TimesRedeemed++
	v.coupon.TimesRedeemed++
	total, err := v.coupon.DiscountTotal.Add(v.discount)
	if err != nil {
		return TooLargeFor("subtotal", err)
	}
	v.coupon.DiscountTotal = total
	if err := o.takePlace(row.ID, v, affiliate.Instant{}); err != nil {
		return err
	}
	return o.count(v)
}

// RedemptionOf returns the redemption of a sale, which may be gone when it is named by its number, or of an order
// without one.
func (o *Op) RedemptionOf(ref affiliate.SaleRef) (record.Redemption, error) {
	if ref.ID != 0 {
		return o.Tx.Redemptions.Get(record.NumberID(int64(ref.ID)))
	}
	sale, err := o.EarlierRecord(ref.ExternalID, ref.InvoiceID)
	if err != nil {
		return record.Redemption{}, err
	}
	if sale.ID != uuid.Nil || ref.ExternalID == "" {
		return o.Tx.Redemptions.Get(record.NumberID(sale.Number))
	}
	return o.Tx.Redemptions.Find(record.TextKey(record.ByExternalID, ref.ExternalID))
}

// restore gives a redemption back: code, coupon, budget and customer have its place again. A code
// or a coupon that was deleted is left out.
func (o *Op) restore(entry record.Redemption) error {
	if err := o.unredeem(&entry); err != nil {
		return err
	}
	entry.RestoredAt = o.Now
	return o.Tx.Redemptions.Replace(entry)
}

// unredeem takes the place of a redemption from the code, the coupon and the customer.
func (o *Op) unredeem(entry *record.Redemption) error {
	if err := o.recount(entry, -1); err != nil {
		return err
	}
	return o.leavePlace(entry.ID)
}

// recount counts a redemption of a code and its coupon by 1 more or less.
func (o *Op) recount(entry *record.Redemption, by int64) error {
	if entry.CodeID != uuid.Nil {
		if err := changeIn(o.Tx.Codes, entry.CodeID, func(c *record.Code) { c.TimesRedeemed += by }); err != nil {
			return err
		}
	}
	return changeIn(o.Tx.Coupons, entry.CouponID, func(c *record.Coupon) {
		c.TimesRedeemed += by
		c.DiscountTotal = affiliate.AmountFromScaled(c.DiscountTotal.Scaled() + by*entry.Discount.Scaled())
	})
}

// settlePlace gives the redemption of a sale back that is refunded in full, if its coupon says so and no dispute
// about its payment is lost, and takes it again when that holds no more. pay is the payment of the sale, if it is
// known.
func (o *Op) settlePlace(sale *record.Sale, pay *record.Payment) error {
	if sale.Conversion != "" || sale.CodeID == uuid.Nil && !sale.Offer {
		return nil
	}
	entry, err := o.Tx.Redemptions.Get(record.NumberID(sale.Number))
	if err != nil {
		return IgnoreMissing(err)
	}
	paid := func() (record.Payment, error) {
		if pay != nil {
			return *pay, nil
		}
		found, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: sale.ID})
		return found, IgnoreMissing(err)
	}
	buyer := func() (c Customer, err error) {
		c.Email = sale.Email
		if sale.ReferralID != uuid.Nil {
			c.Referral, err = o.Tx.Referrals.Get(sale.ReferralID)
		}
		return c, IgnoreMissing(err)
	}
	return o.settleEntry(entry, sale.Status.Is(affiliate.SaleRefunded), paid, buyer)
}

// settleEntry gives a redemption back whose order is refunded in full, or takes it again. What is only needed
// then is read then: the payment, zero for an order without one, and the customer.
func (o *Op) settleEntry(entry record.Redemption, full bool, paid func() (record.Payment, error),
	buyer func() (Customer, error)) error {
	if !entry.RestoredAt.IsZero() && !entry.Refunded || !full && !entry.Refunded {
		return nil
	}
	coupon, err := o.Tx.Coupons.Get(entry.CouponID)
	if err = IgnoreMissing(err); err != nil || !entry.Refunded && !coupon.RestoreOnRefund {
		return err
	}
	pay, err := paid()
	if err != nil {
		return err
	}
	back := full && !disputed(&pay)
	if back == entry.Refunded {
		return nil
	}
	if entry.Refunded = back; back {
		return o.restore(entry)
	}
	c, err := buyer()
	if err != nil {
		return err
	}
	defer func(was string) { o.Payer = was }(o.Payer)
	o.Payer = cmp.Or(PayerOf(pay.Provider, pay.PayerID), o.Payer)
	return o.redeemAgain(entry, &c, &coupon)
}

// disputed reports whether the customer has won a dispute about a payment.
func disputed(pay *record.Payment) bool {
	return slices.ContainsFunc(pay.Disputes,
		func(d affiliate.PaymentDispute) bool { return d.State == affiliate.DisputeLost })
}

// redeemAgain counts a redemption again that was given back when its order was refunded. It is over
// no limit: it was there before those that came since.
func (o *Op) redeemAgain(entry record.Redemption, buyer *Customer, coupon *record.Coupon) error {
	entry.RestoredAt = affiliate.Instant{}
	if err := o.recount(&entry, 1); err != nil {
		return err
	}
	v := verdict{coupon: *coupon}
	code, err := o.Tx.Codes.Get(entry.CodeID)
	if err = IgnoreMissing(err); err != nil {
		return err
	}
	if v.code = code; v.limitsCustomers() {
		v.code.ID = entry.CodeID
		if v.customer, err = o.knownBy(buyer); err != nil {
			return err
		}
		if err := o.takePlace(entry.ID, &v, affiliate.Instant{}); err != nil {
			return err
		}
	}
	return o.Tx.Redemptions.Replace(entry)
}

// checkSaleRef checks what names a sale.
func checkSaleRef(ref affiliate.SaleRef) error {
	return refusal.First(
		refusal.RefuseNoSaleID.When(ref == affiliate.SaleRef{}),
		refusal.Optional("externalId", ref.ExternalID, refusal.MaxName),
		refusal.Optional("externalInvoiceId", ref.InvoiceID, refusal.MaxName),
	)
}
