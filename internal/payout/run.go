package payout

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	maxRunAffiliates = 10_000 // ids of a run's settings
	affiliatesAtOnce = 500    // that a run examines in one View
)

// checkRun checks the settings. Only a run needs an external id.
func checkRun(p *engine.Program, in *affiliate.PayoutRun, externalID *affiliate.Error) error {
	return refusal.First(
		externalID,
		refusal.FieldNotAtLeastZero.About("minimum").When(in.Minimum.Or(affiliate.Amount{}).Sign() < 0),
		p.OwnCurrency(&in.Currency),
		checkMethods(in),
		refusal.RunAffiliatesTooMany.When(len(in.AffiliateIDs) > maxRunAffiliates),
		refusal.RunExceptTooMany.When(len(in.ExceptIDs) > maxRunAffiliates),
	)
}

func checkMethods(in *affiliate.PayoutRun) *affiliate.Error {
	for _, method := range in.Methods {
		if err := refusal.OneOf("methods", method, affiliate.PaymentMethods()); err != nil {
			return err
		}
	}
	return nil
}

// payoutRunRecord returns a run with these settings that begins now. least is its minimum when it
// names none.
func payoutRunRecord(in *affiliate.PayoutRun, now affiliate.Instant, least affiliate.Amount) record.Run {
	run := record.Run{
		ExternalID: in.ExternalID, Until: now, Minimum: in.Minimum.Or(least), Methods: in.Methods, NoDetails: in.NoDetails,
		AffiliateIDs: in.AffiliateIDs, ExceptIDs: in.ExceptIDs, Status: affiliate.RunRunning, StartedAt: now,
	}
	if !in.Until.IsZero() {
		run.SentUntil = affiliate.InstantOf(in.Until)
		run.Until = run.SentUntil
	}
	return run
}

// sameSettings reports whether two runs were sent the same settings.
func sameSettings(r *record.Run, s *record.Run) bool {
	return r.SentUntil == s.SentUntil && r.Minimum == s.Minimum && r.NoDetails == s.NoDetails &&
		slices.Equal(r.Methods, s.Methods) && slices.Equal(r.AffiliateIDs, s.AffiliateIDs) &&
		slices.Equal(r.ExceptIDs, s.ExceptIDs)
}

// result returns the run as callers see it; counts are of its lines.
func result(r *record.Run, counts affiliate.RunCounts) affiliate.PayoutRunResult {
	return affiliate.PayoutRunResult{
		ID: r.ID, ExternalID: r.ExternalID, Status: r.Status, Until: affiliate.TimeOf(r.Until.Time()),
		Created: counts.Created, Skipped: counts.Skipped, Total: counts.Total,
		StartedAt: affiliate.TimeOf(r.StartedAt.Time()), FinishedAt: refusal.TimeOrNull(r.FinishedAt),
	}
}

func lineOf(rec record.Line) affiliate.PayoutLine {
	return affiliate.PayoutLine{AffiliateID: rec.AffiliateID, Amount: rec.Amount,
		PayoutID: engine.OrNull(rec.PayoutID), Skipped: engine.OrNull(rec.Skipped)}
}

// AddLine counts a line.
func AddLine(c *affiliate.RunCounts, rec *record.Line) (err error) {
	if rec.Skipped != "" {
		c.Skipped++
		return nil
	}
	c.Created++
	c.Total, err = c.Total.Add(rec.Amount)
	return err
}

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
func PayoutRuns(ctx context.Context, p *engine.Program,
	pg affiliate.Page) (_ affiliate.List[affiliate.PayoutRunResult], err error) {
	defer p.Begin(&ctx, "PayoutRuns", engine.Reads).End(&err)
	l, err := p.Listing(pg, "payout-runs", nil)
	if err != nil {
		return affiliate.List[affiliate.PayoutRunResult]{}, err
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.List[affiliate.PayoutRunResult], error) {
		return engine.Collect(o.Tx.Runs, l,
			func(run record.Run) (affiliate.PayoutRunResult, error) { return runOf(o, run) })
	})
}

// PayoutLines implements tributary.Program.PayoutLines.
func PayoutLines(ctx context.Context, p *engine.Program, externalID string,
	pg affiliate.Page) (_ affiliate.List[affiliate.PayoutLine], err error) {
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
		return engine.Chosen(o.Tx.Lines, c, l,
			func(rec record.Line) (affiliate.PayoutLine, error) { return lineOf(rec), nil })
	})
}
