package affiliate

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// RestoreRedemption takes the redemption of a sale by code back: the counts of
// its code and its coupon fall by one, if they still exist. Counts fall in no
// other way. It works once for each sale, also for a refunded or deleted one.
//
// Errors: [MissingField] (saleId); [RedemptionNotFound] when the sale is unknown or was not by code,
// [RedemptionRestored].
//
// Effects: both counts, the ledger; no event.
//
// Source: docs/rules.md 3.2.
func (p *Program) RestoreRedemption(ctx context.Context, sale SaleID) (err error) {
	defer p.begin(&ctx, "RestoreRedemption", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "sale.restore-redemption", input: sale, refused: first(RefuseNoSaleID.when(sale == 0))}
	_, err = write(o, rq, func() (struct{}, error) {
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
