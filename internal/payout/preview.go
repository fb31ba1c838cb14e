package payout

import (
	"context"
	"iter"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// PreviewPayouts implements tributary.Program.PreviewPayouts.
func PreviewPayouts(ctx context.Context, p *engine.Program, in affiliate.PayoutRun) iter.Seq2[affiliate.PayoutLine, error] {
	return func(yield func(affiliate.PayoutLine, error) bool) {
		w := previewOf(p, &in)
		for w.next(ctx) {
			for _, line := range w.lines {
				if !yield(line, nil) {
					return
				}
			}
		}
		if w.err != nil {
			yield(affiliate.PayoutLine{}, w.err)
		}
	}
}

// previewedPieces is the number of pieces of affiliates that one page of a
// preview looks at.
const previewedPieces = 10

// PayoutPreview implements tributary.Program.PayoutPreview.
func PayoutPreview(ctx context.Context, p *engine.Program, in affiliate.PayoutRun, pg affiliate.Page) (_ affiliate.List[affiliate.PayoutLine], err error) {
	defer p.Begin(&ctx, "PayoutPreview", engine.Reads).End(&err)
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
	limit, pieces := l.Query.Limit, 0
	for w.last = l.Query.After; (limit == 0 || len(list.Items) <= limit && pieces < previewedPieces) && w.next(ctx); pieces++ {
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

// next reads a piece and reports whether there was one.
func (w *previewWalk) next(ctx context.Context) bool {
	if w.over || w.err != nil {
		return false
	}
	var e examination
	e, w.err = engine.View(ctx, w.p, func(o *engine.Op) (examination, error) { return examine(o, &w.run, w.last, affiliatesAtOnce) })
	w.examination = e
	return w.err == nil
}
