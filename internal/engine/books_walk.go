package engine

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// booksPiece is the number of affiliates that a job over the books reads at
// once.
const booksPiece = 500

// eachBooks runs fn in a transaction of its own on the totals of each affiliate
// that wants it, and returns how many fn has changed. It reads a piece of the
// affiliates in a View, and keeps no more than that.
func (p *Program) eachBooks(ctx context.Context, wants func(*Op, record.Totals) (bool, error), fn func(*Op, record.Totals) (bool, error)) (changed int, err error) {
	for after := uuid.Nil; ; {
		wanted, last, err := p.bookPiece(ctx, after, wants)
		if err != nil {
			return changed, err
		}
		for _, id := range wanted {
			o := p.Op(ctx)
			did, err := Update(o, func() (bool, error) { return o.changeBooks(id, wants, fn) })
			if err != nil {
				return changed, err
			}
			if did {
				changed++
			}
		}
		if after = last; after == uuid.Nil {
			return changed, nil
		}
	}
}

// changeBooks runs fn on the totals of an affiliate, if they still want it.
func (o *Op) changeBooks(id uuid.UUID, wants, fn func(*Op, record.Totals) (bool, error)) (bool, error) {
	if _, err := o.Tx.Affiliates.Get(id); errors.Is(err, affiliate.ErrNotFound) {
		return false, nil // deleted since the piece was read
	} else if err != nil {
		return false, refusal.Internal("read affiliate", err)
	}
	totals, err := o.Totals(id)
	if err != nil {
		return false, refusal.Internal("read totals", err)
	}
	if wants, err := wants(o, totals); err != nil || !wants {
		return false, err
	}
	return fn(o, totals)
}

// bookPiece lists the affiliates after one that want it, and the last one that
// was read; zero when there are no more.
func (p *Program) bookPiece(ctx context.Context, after uuid.UUID, wants func(*Op, record.Totals) (bool, error)) (wanted []uuid.UUID, last uuid.UUID, err error) {
	wanted, err = View(ctx, p, func(o *Op) (ids []uuid.UUID, err error) {
		last = uuid.Nil
		read, err := Gather(o.Tx.Affiliates, record.Query{After: after, Limit: booksPiece})
		if err != nil {
			return nil, refusal.Internal("read affiliates", err)
		}
		if len(read) == booksPiece {
			last = read[booksPiece-1].ID
		}
		for i := range read {
			totals, err := o.Totals(read[i].ID)
			if err != nil {
				return nil, refusal.Internal("read totals", err)
			}
			if yes, err := wants(o, totals); err != nil {
				return nil, err
			} else if yes {
				ids = append(ids, read[i].ID)
			}
		}
		return ids, nil
	})
	return wanted, last, err
}

// PutTotals writes totals that may not be stored yet.
func (o *Op) PutTotals(rec record.Totals) error {
	err := o.Tx.Totals.Replace(rec)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = o.Tx.Totals.Insert(rec)
	}
	return err
}
