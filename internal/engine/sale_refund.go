package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// closeIfRefunded ends a sale that is refunded in full, and opens it again when
// something of the refund came back.
func (o *Op) closeIfRefunded(rec *record.Sale) error {
	kept, err := KeptOf(AsCharged(rec))
	switch {
	case err != nil:
		return err
	case kept.Sign() <= 0:
		rec.Status, rec.RefundedAt = affiliate.EnumOf(affiliate.SaleRefunded), o.Now
	case rec.Status.Is(affiliate.SaleRefunded):
		rec.Status, rec.RefundedAt = affiliate.EnumOf(affiliate.SaleActive), affiliate.Instant{}
	}
	return nil
}

// RefundSale implements tributary.Program.RefundSale.
func (p *Program) RefundSale(ctx context.Context, in affiliate.Refund) (_ affiliate.RefundResult, err error) {
	defer p.Begin(&ctx, "RefundSale", Writes).End(&err)
	amount, part := in.Amount.Get()
	o := p.Op(ctx)
	rq := Request{Name: "sale.refund", Refused: refusal.First(
		refusal.RefuseNoSaleID.When(in.SaleID == 0),
		refusal.NotCleared("amount", in.Amount), // never taken as the whole sale
		refusal.RefundNotPositive.When(part && amount.Sign() <= 0),
		p.priced(&in.Currency, affiliate.ExchangeRate{}),
		refusal.Optional("refundId", in.RefundID, refusal.MaxName),
		CheckRefundParts(&in),
	)}
	rq.Input = in
	return Write(o, rq, func() (affiliate.RefundResult, error) {
		before, err := o.SaleByNumber(in.SaleID)
		if err != nil {
			return affiliate.RefundResult{}, refusal.SaleNotFound.IfMissing(err)
		}
		return o.refundOnce(before, in)
	})
}

// refundOnce refunds a sale, unless the same refund was made before.
func (o *Op) refundOnce(before record.Sale, in affiliate.Refund) (affiliate.RefundResult, error) {
	if refundedBy(&before, in.RefundID) {
		return affiliate.RefundResult{Success: true, AlreadyRefunded: true, Reason: affiliate.RefundedAlready}, nil
	}
	rec := before.Clone()
	if err := o.refund(&rec, in); err != nil {
		return affiliate.RefundResult{}, err
	}
	if _, err := o.saveWithFacts(before, rec, refundCause(&before)); err != nil {
		return affiliate.RefundResult{}, err
	}
	reason := affiliate.RefundedInPart
	if rec.Status.Is(affiliate.SaleRefunded) {
		reason = affiliate.RefundedInFull
	}
	return affiliate.RefundResult{Success: true, Reason: reason}, nil
}

// refundCause returns the cause of a movement by a refund of the sale.
func refundCause(r *record.Sale) affiliate.Cause {
	if SaleFrozen(r) {
		return affiliate.CauseClawBack
	}
	return affiliate.CauseRefund
}

// refundedBy reports whether a refund was applied before, or the sale is
// refunded in full.
func refundedBy(r *record.Sale, id string) bool {
	known := func(f record.Refund) bool { return id != "" && f.ID == id }
	return r.Status.Is(affiliate.SaleRefunded) || slices.ContainsFunc(r.Refunds, known)
}

// refund checks a refund and puts it into the record.
func (o *Op) refund(rec *record.Sale, in affiliate.Refund) error {
	if window := o.Cfg.RefundWindow; window > 0 && o.Now.After(rec.CreatedAt.Add(window)) {
		return refusal.OutsideRefundWindow.Err()
	}
	if !in.ClawBack {
		if err := o.refusePaidOut(rec); err != nil {
			return err
		}
	}
	charged := AsCharged(rec)
	left, err := KeptOf(charged)
	if err == nil {
		err = refusal.First(o.chargedIn(rec, in.Currency, !in.Amount.IsZero()))
	}
	if err != nil {
		return err
	}
	amount := in.Amount.Or(left)
	if amount.Cmp(left) > 0 {
		return refusal.RefundExceedsSale.Err()
	}
	if err := checkParts(charged, in); err != nil {
		return err
	}
	if err := o.refundLines(charged, in.Lines); err != nil {
		return err
	}
	if len(rec.Refunds) >= o.Cfg.Limits.Refunds && amount.Cmp(left) < 0 {
		return refusal.RefundLimitReached.Err()
	}
	rec.Refunds = append(rec.Refunds, refundRecord(&in, amount, o.Now))
	return o.giveBack(rec, amount)
}

// giveBack changes the refunded sum by refunds that are already in the record. sum is at
// most what is left; it is negative when part of earlier refunds came back.
func (o *Op) giveBack(rec *record.Sale, sum affiliate.Amount) (err error) {
	charged := *AsCharged(rec)
	if charged.Refunded, err = charged.Refunded.Add(sum); err != nil {
		return err
	}
	if err := o.setCharged(rec, &charged); err != nil {
		return err
	}
	if err := o.Recompute(rec); err != nil {
		return err
	}
	return o.closeIfRefunded(rec)
}

// CheckRefundParts checks the tax and shipping of a refund by themselves. A refund of all
// that is left must not name them: it takes what is left of both.
func CheckRefundParts(in *affiliate.Refund) *affiliate.Error {
	tax, shipping := in.Tax.Or(affiliate.Amount{}), in.Shipping.Or(affiliate.Amount{})
	sum, err := tax.Add(shipping)
	amount, part := in.Amount.Get()
	named := !in.Tax.IsZero() || !in.Shipping.IsZero()
	return cmp.Or(
		refusal.NotCleared("tax", in.Tax), refusal.NotCleared("shipping", in.Shipping),
		refusal.TaxNegative.When(tax.Sign() < 0), refusal.ShippingNegative.When(shipping.Sign() < 0),
		refusal.RefundAmountRequired.When(named && !part),
		refusal.RefundPartsExceed.When(named && (err != nil || sum.Cmp(amount) > 0)),
		refusal.FieldMissing.About("amount").When(len(in.Lines) > 0 && !part),
		checkRefundLines(in.Lines, amount, sum),
	)
}

// checkRefundLines checks the lines of a refund by themselves: they are all of it but its
// tax and shipping.
func checkRefundLines(lines []affiliate.RefundLine, amount, parts affiliate.Amount) *affiliate.Error {
	if len(lines) == 0 {
		return nil
	}
	if len(lines) > refusal.MaxLines {
		return refusal.FieldOver500Entries.Of("lines")
	}
	goods, err := amount.Sub(parts)
	for i, l := range lines {
		in := fmt.Sprintf("lines[%d].", i)
		if bad := cmp.Or(
			refusal.FieldMissing.About(in+"id").When(plaintext.Blank(l.ID)),
			refusal.FieldNotPositive.About(in+"amount").When(l.Amount.Sign() <= 0),
			refusal.FieldNotDistinct.About("lines").When(slices.ContainsFunc(lines[:i],
				func(q affiliate.RefundLine) bool { return q.ID == l.ID })),
		); bad != nil {
			return bad
		}
		if err == nil {
			goods, err = goods.Sub(l.Amount)
		}
	}
	return refusal.RefundLinesNotSum.When(err != nil || !goods.IsZero())
}

// checkParts refuses a refund of more tax or shipping than the sale has left.
func checkParts(r *record.Sale, in affiliate.Refund) error {
	named, err := RefundPartsOf(r)
	if err == nil {
		named, err = named.plus(in.Amount.Or(affiliate.Amount{}), in.Tax, in.Shipping)
	}
	if err != nil {
		return err
	}
	return refusal.First(
		refusal.RefundPartExceedsSale.About("tax").When(named.Tax.Cmp(r.Tax) > 0 && !in.Tax.IsZero()),
		refusal.RefundPartExceedsSale.About("shipping").When(named.Shipping.Cmp(r.Shipping) > 0 &&
			!in.Shipping.IsZero()),
	)
}

// refundLines takes a refund off the lines that it names. It refuses a line that the sale
// does not have, and more than the line brought.
func (o *Op) refundLines(r *record.Sale, lines []affiliate.RefundLine) error {
	if len(lines) == 0 {
		return nil
	}
	base, err := o.Base(r)
	if err != nil {
		return err
	}
	var bases []int64
	if len(r.Lines) > 0 {
		bases = lineBases(r, base)
	}
	for i, l := range lines {
		at := slices.IndexFunc(r.Lines, func(q affiliate.StoredLine) bool { return q.ID == l.ID })
		if at < 0 {
			return refusal.FieldNotALine.Of(fmt.Sprintf("lines[%d].id", i))
		}
		of := &r.Lines[at]
		if l.Amount.Scaled() > bases[at]-of.Refunded.Scaled() {
			return refusal.RefundPartExceedsSale.Of(fmt.Sprintf("lines[%d].amount", i))
		}
		of.Refunded = affiliate.AmountFromScaled(of.Refunded.Scaled() + l.Amount.Scaled())
	}
	return nil
}

// refusePaidOut refuses the refund of a sale when a payout holds one of its commissions. It
// says manually paid rather than paid, and paid rather than included.
func (o *Op) refusePaidOut(rec *record.Sale) error {
	var denied error
	for i := range rec.Commissions {
		c := &rec.Commissions[i]
		if c.ManuallyPaid {
			return refusal.ManuallyPaid.Err()
		}
		if c.PayoutID == uuid.Nil {
			continue
		}
		payout, err := o.Tx.Payouts.Get(c.PayoutID)
		if err != nil {
			return refusal.Internal("payout of a sale", err)
		}
		switch {
		case payout.Status == affiliate.PayoutPaid:
			denied = refusal.AlreadyPaid.Err()
		case denied == nil:
			denied = refusal.IncludedInPayout.Err()
		}
	}
	return denied
}
