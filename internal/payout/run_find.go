package payout

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// PayoutRun implements tributary.Program.PayoutRun.
func PayoutRun(ctx context.Context, p *engine.Program, externalID string) (_ affiliate.PayoutRunResult, err error) {
	defer p.Begin(&ctx, "PayoutRun", engine.Reads).End(&err)
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.PayoutRunResult, error) {
		run, err := refusal.FindText(o.Tx.Runs, record.ByExternalID, externalID)
		if err != nil {
			return affiliate.PayoutRunResult{}, err
		}
		return runOf(o, run)
	})
}

// PayoutRuns implements tributary.Program.PayoutRuns.
func PayoutRuns(ctx context.Context, p *engine.Program, pg affiliate.Page) (_ affiliate.List[affiliate.PayoutRunResult], err error) {
	defer p.Begin(&ctx, "PayoutRuns", engine.Reads).End(&err)
	l, err := p.Listing(pg, "payout-runs", nil)
	if err != nil {
		return affiliate.List[affiliate.PayoutRunResult]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.PayoutRunResult], error) {
		return engine.Collect(o.Tx.Runs, l, func(run record.Run) (affiliate.PayoutRunResult, error) { return runOf(o, run) })
	})
}

// PayoutLines implements tributary.Program.PayoutLines.
func PayoutLines(ctx context.Context, p *engine.Program, externalID string, pg affiliate.Page) (_ affiliate.List[affiliate.PayoutLine], err error) {
	defer p.Begin(&ctx, "PayoutLines", engine.Reads).End(&err)
	l, err := p.Listing(pg, "payout-lines", externalID)
	if err != nil {
		return affiliate.List[affiliate.PayoutLine]{}, err
	}
	l.Query.Desc = false
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.PayoutLine], error) {
		var c engine.Choice[record.Line]
		run, err := refusal.FindText(o.Tx.Runs, record.ByExternalID, externalID)
		c.Fail(err)
		c.ByID(record.OfRun, affiliate.Set(run.ID), func(r *record.Line) uuid.UUID { return r.RunID })
		return engine.Chosen(o.Tx.Lines, c, l, func(rec record.Line) (affiliate.PayoutLine, error) { return lineOf(rec), nil })
	})
}
