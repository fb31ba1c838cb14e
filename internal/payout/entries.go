package payout

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// PayoutEntries implements tributary.Program.PayoutEntries.
func PayoutEntries(ctx context.Context, p *engine.Program, id uuid.UUID,
	pg affiliate.Page) (_ affiliate.List[affiliate.PayoutEntry], err error) {
	defer p.Begin(&ctx, "PayoutEntries", engine.Reads).End(&err)
	return PayoutEntriesIn(ctx, p, id, uuid.Nil, pg)
}

// PayoutEntriesIn is PayoutEntries for payouts of one affiliate; zero: of any.
func PayoutEntriesIn(ctx context.Context, p *engine.Program, id, of uuid.UUID,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutEntry], error) {
	if pg.Limit == 0 {
		pg.Limit = affiliate.PageSize
	}
	if pg.Limit < 1 || pg.Limit > engine.MaxPage {
		return affiliate.List[affiliate.PayoutEntry]{}, refusal.RefuseLimit.Err()
	}
	from := 0
	if pg.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(pg.Cursor); err != nil || from < 1 || strconv.Itoa(from) != pg.Cursor {
			return affiliate.List[affiliate.PayoutEntry]{}, refusal.CursorInvalid.Err()
		}
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.PayoutEntry], error) {
		rec, err := o.Tx.Payouts.Get(id)
		if err == nil && of != uuid.Nil && rec.AffiliateID != of {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return affiliate.List[affiliate.PayoutEntry]{}, err
		}
		items, err := o.ItemsOf(&rec)
		if err != nil {
			return affiliate.List[affiliate.PayoutEntry]{}, err
		}
		list := affiliate.List[affiliate.PayoutEntry]{Items: []affiliate.PayoutEntry{}}
		to := min(from+pg.Limit, len(items))
		for _, item := range items[min(from, len(items)):to] {
			entry, err := entryOf(o, item)
			if err != nil {
				return affiliate.List[affiliate.PayoutEntry]{}, err
			}
			list.Items = append(list.Items, entry)
		}
		if to < len(items) {
			list.Next = strconv.Itoa(to)
		}
		return list, nil
	})
}

// entryOf returns an item of a payout as it is now.
func entryOf(o *engine.Op, item affiliate.PayoutItem) (affiliate.PayoutEntry, error) {
	e := affiliate.PayoutEntry{
		SaleID:       engine.OrNull(affiliate.SaleID(item.Sale)),
		CommissionID: engine.OrNull(affiliate.CommissionID(item.Commission)),
		AdjustmentID: engine.OrNull(item.Adjustment),
		Kind:         affiliate.Null[affiliate.AdjustmentKind](), Reason: affiliate.Null[string](),
		Amount: affiliate.Null[affiliate.Amount](), At: affiliate.Null[affiliate.Time](),
	}
	if item.Adjustment != uuid.Nil {
		rec, err := o.Tx.Adjustments.Get(item.Adjustment)
		if err != nil {
			return e, engine.IgnoreMissing(err)
		}
		e.SaleID, e.Kind, e.Reason = engine.OrNull(affiliate.SaleID(rec.Sale)),
			affiliate.Set(rec.Kind), engine.OrNull(rec.Reason)
		e.Amount, e.At = affiliate.Set(rec.Amount), affiliate.Set(affiliate.TimeOf(rec.CreatedAt.Time()))
		return e, nil
	}
	sale, err := o.SaleByNumber(affiliate.SaleID(item.Sale))
	if err != nil {
		return e, engine.IgnoreMissing(err)
	}
	for i := range sale.Commissions {
		if c := &sale.Commissions[i]; c.Number == item.Commission {
			e.Amount, e.At = affiliate.Set(c.Earned), affiliate.Set(affiliate.TimeOf(engine.EntryTime(&sale, c).Time()))
		}
	}
	return e, nil
}

// AdjustmentReasons implements tributary.Program.AdjustmentReasons.
func AdjustmentReasons(ctx context.Context, p *engine.Program, ids ...uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer p.Begin(&ctx, "AdjustmentReasons", engine.Reads).End(&err)
	return AdjustmentReasonsIn(ctx, p, uuid.Nil, ids)
}

// AdjustmentReasonsIn is AdjustmentReasons for one affiliate; zero: for any.
func AdjustmentReasonsIn(ctx context.Context, p *engine.Program, of uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) > refusal.MaxProducts {
		return nil, refusal.FieldOver1000Entries.Of("adjustmentIds")
	}
	reasons := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return reasons, nil
	}
	return engine.View(ctx, p, func(o *engine.Op) (map[uuid.UUID]string, error) {
		for _, id := range ids {
			rec, err := o.Tx.Adjustments.Get(id)
			switch {
			case errors.Is(err, affiliate.ErrNotFound):
			case err != nil:
				return nil, refusal.Internal("read an adjustment", err)
			case rec.Reason != "" && (of == uuid.Nil || of == rec.AffiliateID):
				reasons[id] = rec.Reason
			}
		}
		return reasons, nil
	})
}
