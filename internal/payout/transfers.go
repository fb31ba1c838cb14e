package payout

import (
	"context"
	"errors"
	"iter"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// transfersAtOnce is the number of payouts that one View of Transfers reads.
const transfersAtOnce = 512

// Transfers implements tributary.Program.Transfers.
func Transfers(ctx context.Context, p *engine.Program, f affiliate.PayoutFilter) iter.Seq2[affiliate.Transfer, error] {
	return func(yield func(affiliate.Transfer, error) bool) {
		if err := check(f); err != nil {
			yield(affiliate.Transfer{}, err)
			return
		}
		for after, more := uuid.Nil, true; more; {
			recs, err := engine.View(ctx, p, func(o *engine.Op) ([]record.Payout, error) {
				c := choosePayouts(o, f)
				if c.Err != nil {
					return nil, c.Err
				}
				return engine.Gather(c.In(o.Tx.Payouts), record.Query{Key: c.Key, After: after, Limit: transfersAtOnce})
			})
			if errors.Is(err, affiliate.ErrNotFound) {
				return // the filter names nobody
			}
			if err != nil {
				yield(affiliate.Transfer{}, err)
				return
			}
			for i := range recs {
				if !yield(transfer(p, &recs[i]), nil) {
					return
				}
				after = recs[i].ID
			}
			more = len(recs) == transfersAtOnce
		}
	}
}

func transfer(p *engine.Program, rec *record.Payout) affiliate.Transfer {
	return affiliate.Transfer{
		PayoutID: rec.ID, Status: rec.Status, Amount: rec.Amount, Currency: p.Cfg.Currency,
		Method: rec.PaymentMethod, Name: rec.PayeeName, Email: rec.PayeeEmail,
	}
}
