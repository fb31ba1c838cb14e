package affiliate

import (
	"context"
	"errors"
	"iter"

	"github.com/google/uuid"
)

// A Transfer is what somebody who pays needs of a payout. Package payfile writes
// transfers into the files of payment providers.
//
// Source: docs/money.md 7.
type Transfer struct {
	PayoutID uuid.UUID
	Status   PayoutStatus
	Amount   Amount
	Currency Currency
	Method   PaymentMethod // with Name and Email: of the affiliate when the payout was created; may be empty
	Name     string
	Email    string
	Note     string // to the payee; empty here, the caller's to fill
}

// transfersAtOnce is how many payouts one View of Transfers reads.
const transfersAtOnce = 512

// Transfers yields the payouts that a filter selects as transfers, in the order of
// their ids, which is that of their creation. It reads them in pieces, so it
// costs little memory; a payout that is created or changed meanwhile is yielded
// as it was or as it is.
//
// Errors: [InvalidQuery] (status, method), and those of the store; each ends the walk.
//
// Source: docs/money.md 7.
func (p *Program) Transfers(ctx context.Context, f PayoutFilter) iter.Seq2[Transfer, error] {
	return func(yield func(Transfer, error) bool) {
		if err := f.check(); err != nil {
			yield(Transfer{}, err)
			return
		}
		for after, more := uuid.Nil, true; more; {
			recs, err := view(ctx, p, func(o *op) ([]PayoutRecord, error) {
				c := o.choosePayouts(f)
				if c.err != nil {
					return nil, c.err
				}
				return gather(c.in(o.tx.Payouts), Query{Key: c.key, After: after, Limit: transfersAtOnce})
			})
			if errors.Is(err, ErrNotFound) {
				return // the filter names nobody
			}
			if err != nil {
				yield(Transfer{}, err)
				return
			}
			for i := range recs {
				if !yield(p.transfer(&recs[i]), nil) {
					return
				}
				after = recs[i].ID
			}
			more = len(recs) == transfersAtOnce
		}
	}
}

func (p *Program) transfer(rec *PayoutRecord) Transfer {
	return Transfer{
		PayoutID: rec.ID, Status: rec.Status, Amount: rec.Amount, Currency: p.cfg.Currency,
		Method: rec.PaymentMethod, Name: rec.PayeeName, Email: rec.PayeeEmail,
	}
}
