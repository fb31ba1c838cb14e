package affiliate

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
)

// A PayoutEntry is something that a payout took: a commission or an adjustment.
type PayoutEntry struct {
	SaleID       Opt[SaleID]         `json:"saleId"`       // of a commission, and of an adjustment that belongs to a sale
	CommissionID Opt[CommissionID]   `json:"commissionId"` // null: it is an adjustment
	AdjustmentID Opt[uuid.UUID]      `json:"adjustmentId"` // null: it is a commission; with one: see [AdjustMove]
	Kind         Opt[AdjustmentKind] `json:"kind"`
	Reason       Opt[string]         `json:"reason"` // of the adjustment
	Amount       Opt[Amount]         `json:"amount"` // as it is now; null: it was deleted since the payout let it go
	At           Opt[Time]           `json:"at"`     // of the sale, or of the entry when it came later
}

// PayoutEntries lists what a payout took, oldest first, a hundred without a limit.
//
// Errors: [ErrNotFound]; [InvalidQuery] for a bad page.
//
// Source: docs/money.md 4.
func (p *Program) PayoutEntries(ctx context.Context, id uuid.UUID, pg Page) (_ List[PayoutEntry], err error) {
	defer p.begin(&ctx, "PayoutEntries", reads).end(&err)
	return p.payoutEntries(ctx, id, uuid.Nil, pg)
}

// payoutEntries is PayoutEntries of a payout of an affiliate; zero: of anybody.
func (p *Program) payoutEntries(ctx context.Context, id, of uuid.UUID, pg Page) (List[PayoutEntry], error) {
	if pg.Limit == 0 {
		pg.Limit = cursorPage
	}
	if pg.Limit < 1 || pg.Limit > maxPage {
		return List[PayoutEntry]{}, RefuseLimit.Err()
	}
	from := 0
	if pg.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(pg.Cursor); err != nil || from < 1 || strconv.Itoa(from) != pg.Cursor {
			return List[PayoutEntry]{}, cursorInvalid.Err()
		}
	}
	return view(ctx, p, func(o *op) (List[PayoutEntry], error) {
		rec, err := o.tx.Payouts.Get(id)
		if err == nil && of != uuid.Nil && rec.AffiliateID != of {
			err = ErrNotFound
		}
		if err != nil {
			return List[PayoutEntry]{}, err
		}
		items, err := o.itemsOf(&rec)
		if err != nil {
			return List[PayoutEntry]{}, err
		}
		list := List[PayoutEntry]{Items: []PayoutEntry{}}
		to := min(from+pg.Limit, len(items))
		for _, item := range items[min(from, len(items)):to] {
			entry, err := o.entryOf(item)
			if err != nil {
				return List[PayoutEntry]{}, err
			}
			list.Items = append(list.Items, entry)
		}
		if to < len(items) {
			list.Next = strconv.Itoa(to)
		}
		return list, nil
	})
}

// itemsOf is what a payout took, also one from before its items were kept.
func (o *op) itemsOf(rec *PayoutRecord) ([]PayoutItem, error) {
	if len(rec.Items) > 0 {
		return rec.Items, nil
	}
	sales := map[int64]int64{}
	err := o.eachSaleIn(rec, func(sale SaleRecord) error {
		for i := range sale.Commissions {
			sales[sale.Commissions[i].Number] = sale.Number
		}
		return nil
	})
	items := make([]PayoutItem, 0, len(rec.Commissions))
	for _, n := range rec.Commissions {
		items = append(items, PayoutItem{Sale: sales[n], Commission: n})
	}
	return items, err
}

// entryOf is an item of a payout as it is now.
func (o *op) entryOf(item PayoutItem) (PayoutEntry, error) {
	e := PayoutEntry{
		SaleID: orNull(SaleID(item.Sale)), CommissionID: orNull(CommissionID(item.Commission)), AdjustmentID: orNull(item.Adjustment),
		Kind: Null[AdjustmentKind](), Reason: Null[string](), Amount: Null[Amount](), At: Null[Time](),
	}
	if item.Adjustment != uuid.Nil {
		rec, err := o.tx.Adjustments.Get(item.Adjustment)
		if err != nil {
			return e, ignoreMissing(err)
		}
		e.SaleID, e.Kind, e.Reason = orNull(SaleID(rec.Sale)), Set(rec.Kind), orNull(rec.Reason)
		e.Amount, e.At = Set(rec.Amount), Set(TimeOf(rec.CreatedAt.Time()))
		return e, nil
	}
	sale, err := o.saleByNumber(SaleID(item.Sale))
	if err != nil {
		return e, ignoreMissing(err)
	}
	for i := range sale.Commissions {
		if c := &sale.Commissions[i]; c.Number == item.Commission {
			e.Amount, e.At = Set(c.Earned), Set(TimeOf(sale.entryTime(c).Time()))
		}
	}
	return e, nil
}

// AdjustmentReasons are the reasons of adjustments by their ids, at most 1,000: what the
// lines of a statement, which keeps ids alone, are about. It leaves out those that are
// not there, and those whose reason was erased.
//
// Errors: [InvalidField] (adjustmentIds).
//
// Source: docs/money.md 9.
func (p *Program) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer p.begin(&ctx, "AdjustmentReasons", reads).end(&err)
	return p.adjustmentReasons(ctx, uuid.Nil, ids)
}

// adjustmentReasons is AdjustmentReasons of an affiliate; zero: of anybody.
func (p *Program) adjustmentReasons(ctx context.Context, of uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) > maxProducts {
		return nil, FieldOver1000Entries.Of("adjustmentIds")
	}
	reasons := make(map[uuid.UUID]string, len(ids))
	if len(ids) == 0 {
		return reasons, nil
	}
	return view(ctx, p, func(o *op) (map[uuid.UUID]string, error) {
		for _, id := range ids {
			rec, err := o.tx.Adjustments.Get(id)
			switch {
			case errors.Is(err, ErrNotFound):
			case err != nil:
				return nil, internal("read an adjustment", err)
			case rec.Reason != "" && (of == uuid.Nil || of == rec.AffiliateID):
				reasons[id] = rec.Reason
			}
		}
		return reasons, nil
	})
}
