package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// PayoutRun returns the payout run with an external id.
//
// Errors: [ErrNotFound].
//
// Source: docs/money.md 6.
func (p *Program) PayoutRun(ctx context.Context, externalID string) (_ PayoutRunResult, err error) {
	defer p.begin(&ctx, "PayoutRun", reads).end(&err)
	return view(ctx, p, func(o *op) (PayoutRunResult, error) {
		run, err := findText(o.tx.Runs, ByExternalID, externalID)
		if err != nil {
			return PayoutRunResult{}, err
		}
		return o.runOf(run)
	})
}

// PayoutRuns lists payout runs, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PayoutRuns(ctx context.Context, pg Page) (_ List[PayoutRunResult], err error) {
	defer p.begin(&ctx, "PayoutRuns", reads).end(&err)
	l, err := p.listing(pg, "payout-runs", nil)
	if err != nil {
		return List[PayoutRunResult]{}, err
	}
	return view(ctx, p, func(o *op) (List[PayoutRunResult], error) { return collect(o.tx.Runs, l, o.runOf) })
}

// PayoutLines lists what a payout run did for each affiliate with something open,
// oldest affiliate first. An unknown run has no lines.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/money.md 6.
func (p *Program) PayoutLines(ctx context.Context, externalID string, pg Page) (_ List[PayoutLine], err error) {
	defer p.begin(&ctx, "PayoutLines", reads).end(&err)
	l, err := p.listing(pg, "payout-lines", externalID)
	if err != nil {
		return List[PayoutLine]{}, err
	}
	l.query.Desc = false
	return view(ctx, p, func(o *op) (List[PayoutLine], error) {
		var c choice[LineRecord]
		run, err := findText(o.tx.Runs, ByExternalID, externalID)
		c.fail(err)
		c.byID(OfRun, Set(run.ID), func(r *LineRecord) uuid.UUID { return r.RunID })
		return chosen(o.tx.Lines, c, l, func(rec LineRecord) (PayoutLine, error) { return lineOf(rec), nil })
	})
}
