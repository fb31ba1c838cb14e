package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RestoreRedemption implements tributary.Program.RestoreRedemption.
func (p *Program) RestoreRedemption(ctx context.Context, sale affiliate.SaleID) (err error) {
	defer p.Begin(&ctx, "RestoreRedemption", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.restore-redemption", Input: sale, Refused: refusal.First(refusal.RefuseNoSaleID.When(sale == 0))}
	_, err = Write(o, rq, func() (struct{}, error) {
		entry, err := o.Tx.Redemptions.Get(record.NumberID(int64(sale)))
		if err != nil {
			return struct{}{}, refusal.RedemptionNotFound.IfMissing(err)
		}
		if !entry.RestoredAt.IsZero() {
			return struct{}{}, refusal.RedemptionRestored.Err()
		}
		if err := o.uncountCode(entry.CodeID); err != nil {
			return struct{}{}, err
		}
		if err := o.uncountCoupon(entry.CouponID); err != nil {
			return struct{}{}, err
		}
		entry.RestoredAt = o.Now
		return struct{}{}, o.Tx.Redemptions.Replace(entry)
	})
	return err
}

// uncountCode takes one redemption from a code, unless the code was deleted.
func (o *Op) uncountCode(id uuid.UUID) error {
	rec, err := o.Tx.Codes.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	rec.TimesRedeemed--
	return o.Tx.Codes.Replace(rec)
}

// uncountCoupon takes one redemption from a coupon, unless the coupon was
// deleted.
func (o *Op) uncountCoupon(id uuid.UUID) error {
	rec, err := o.Tx.Coupons.Get(id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	rec.TimesRedeemed--
	return o.Tx.Coupons.Replace(rec)
}
