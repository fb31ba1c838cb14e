package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// RestoreRedemption gives the redemption of a sale by code back: the counts of
// its code and its coupon fall by one, those of them that still exist. It is
// the only way in which a count falls, and works once for each sale, also for
// one that was refunded or deleted.
//
// Errors: [RedemptionNotFound] when the sale is unknown or was not by code,
// [RedemptionRestored].
//
// Effects: both counts, the ledger; no event.
//
// Source: docs/rules.md 3.2.
func (p *Program) RestoreRedemption(ctx context.Context, sale SaleID) error {
	o := p.op(ctx)
	_, err := write(o, request{name: "sale.restore-redemption", input: sale}, func() (struct{}, error) {
		entry, err := o.tx.Redemptions.Get(numberID(int64(sale)))
		if err != nil {
			return struct{}{}, redemptionNotFound.ifMissing(err)
		}
		if !entry.RestoredAt.IsZero() {
			return struct{}{}, redemptionRestored.Err()
		}
		if err := o.uncountCode(entry.CodeID); err != nil {
			return struct{}{}, err
		}
		if err := o.uncountCoupon(entry.CouponID); err != nil {
			return struct{}{}, err
		}
		entry.RestoredAt = o.now
		return struct{}{}, o.tx.Redemptions.Replace(entry)
	})
	return err
}

// uncountCode takes one redemption from a code, unless it is deleted.
func (o *op) uncountCode(id uuid.UUID) error {
	rec, err := o.tx.Codes.Get(id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	rec.TimesRedeemed--
	return o.tx.Codes.Replace(rec)
}

// uncountCoupon takes one redemption from a coupon, unless it is deleted.
func (o *op) uncountCoupon(id uuid.UUID) error {
	rec, err := o.tx.Coupons.Get(id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	rec.TimesRedeemed--
	return o.tx.Coupons.Replace(rec)
}
