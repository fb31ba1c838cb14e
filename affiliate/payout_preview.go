package affiliate

import (
	"context"
	"iter"
)

// PreviewPayouts yields the lines that [Program.RunPayouts] with these settings
// would write, oldest affiliate first, and changes nothing. Each piece of 500
// affiliates is read by itself, so the preview costs little memory; on a program
// that does not change it equals the run.
//
// Errors: [InvalidField] as of RunPayouts, and those of the store. Each ends the
// walk.
//
// Source: docs/money.md 6.
func (p *Program) PreviewPayouts(ctx context.Context, in PayoutRun) iter.Seq2[PayoutLine, error] {
	return func(yield func(PayoutLine, error) bool) {
		w := p.previewOf(&in)
		for w.next(ctx) {
			for _, line := range w.lines {
				if !yield(line, nil) {
					return
				}
			}
		}
		if w.err != nil {
			yield(PayoutLine{}, w.err)
		}
	}
}

// previewedPieces is how many pieces of affiliates one page of a preview looks
// at.
const previewedPieces = 10

// PayoutPreview is a page of [Program.PreviewPayouts]: with a limit, at most so
// many lines, of at most 5,000 affiliates. So a page may be short, or empty, and
// Next says whether there are more. Whether a commission is past its holding
// period is judged by each page at its own time.
//
// Errors: those of PreviewPayouts, and [InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PayoutPreview(ctx context.Context, in PayoutRun, pg Page) (_ List[PayoutLine], err error) {
	defer p.begin(&ctx, "PayoutPreview", reads).end(&err)
	w := p.previewOf(&in)
	if w.err != nil {
		return List[PayoutLine]{}, w.err
	}
	l, err := p.listing(pg, "payout-preview", in)
	if err == nil {
		l, err = l.open()
	}
	if err != nil {
		return List[PayoutLine]{}, err
	}
	list := List[PayoutLine]{Items: []PayoutLine{}}
	limit, pieces := l.query.Limit, 0
	for w.last = l.query.After; (limit == 0 || len(list.Items) <= limit && pieces < previewedPieces) && w.next(ctx); pieces++ {
		list.Items = append(list.Items, w.lines...)
	}
	if w.err != nil {
		return List[PayoutLine]{}, w.err
	}
	switch {
	case limit > 0 && len(list.Items) > limit:
		list.Items = list.Items[:limit]
		list.Next = sealCursor(list.Items[limit-1].AffiliateID, l.scope)
	case !w.over:
		list.Next = sealCursor(w.last, l.scope)
	}
	return list, nil
}

// A previewWalk is a walk over the affiliates of a preview, piece by piece.
type previewWalk struct {
	p   *Program
	run RunRecord
	err error
	examination
}

func (p *Program) previewOf(in *PayoutRun) *previewWalk {
	return &previewWalk{p: p, run: in.record(p.now()), err: p.checkRun(in, optional("externalId", in.ExternalID, maxName))}
}

// next reads a piece and reports whether there was one.
func (w *previewWalk) next(ctx context.Context) bool {
	if w.over || w.err != nil {
		return false
	}
	var e examination
	e, w.err = view(ctx, w.p, func(o *op) (examination, error) { return o.examine(&w.run, w.last, affiliatesAtOnce) })
	w.examination = e
	return w.err == nil
}
