package payout

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// previewedPieces is how many pieces of affiliates one page of a preview looks
// at.
const previewedPieces = 10

// PreviewPayouts implements tributary.Program.PreviewPayouts.
func PreviewPayouts(ctx context.Context, p *engine.Program, in affiliate.PayoutRun, pg affiliate.Page) (_ affiliate.List[affiliate.PayoutLine], err error) {
	defer p.Begin(&ctx, "PreviewPayouts", engine.Reads).End(&err)
	in.Limit = 0 // it is of a run
	w := previewOf(p, &in)
	if w.err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, w.err
	}
	l, err := p.Listing(pg, "payout-preview", in)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, err
	}
	list := affiliate.List[affiliate.PayoutLine]{Items: []affiliate.PayoutLine{}}
	limit, pieces, lines := l.Query.Limit, 0, 0
	for w.last = l.Query.After; limit == 0 || len(list.Items) <= limit && pieces < previewedPieces; pieces++ {
		if limit > 0 {
			lines = limit + 1 - len(list.Items) // one more shows whether there is a next page
		}
		if !w.next(ctx, lines) {
			break
		}
		list.Items = append(list.Items, w.lines...)
	}
	if w.err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, w.err
	}
	switch {
	case limit > 0 && len(list.Items) > limit:
		list.Items = list.Items[:limit]
		list.Next = engine.SealCursor(list.Items[limit-1].AffiliateID, l.Scope)
	case !w.over:
		list.Next = engine.SealCursor(w.last, l.Scope)
	}
	return list, nil
}

// A previewWalk is a walk over the affiliates of a preview, piece by piece.
type previewWalk struct {
	p   *engine.Program
	run record.Run
	err error
	examination
}

func previewOf(p *engine.Program, in *affiliate.PayoutRun) *previewWalk {
	return &previewWalk{p: p, run: payoutRunRecord(in, p.Now()), err: checkRun(p, in, refusal.Optional("externalId", in.ExternalID, refusal.MaxName))}
}

// next reads a piece, up to so many lines, and reports whether there was one.
func (w *previewWalk) next(ctx context.Context, lines int) bool {
	if w.over || w.err != nil {
		return false
	}
	var e examination
	e, w.err = engine.View(ctx, w.p, func(o *engine.Op) (examination, error) {
		if w.last == uuid.Nil {
			if err := known(o, &w.run); err != nil {
				return examination{}, err
			}
		}
		return examine(o, &w.run, reach{w.last, affiliatesAtOnce, lines})
	})
	w.examination = e
	return w.err == nil
}
