package payout

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// RunPayouts implements tributary.Program.RunPayouts.
func RunPayouts(ctx context.Context, p *engine.Program, in affiliate.PayoutRun) (_ affiliate.PayoutRunResult, err error) {
	defer p.Begin(&ctx, "RunPayouts", engine.Writes).End(&err)
	rq := engine.Request{Name: "payout.run", Input: in}
	limit := in.Limit
	if limit < 0 || limit > engine.MaxPage {
		rq.Refused = refusal.RefuseLimit.Err()
	}
	if err := checkRun(p, &in, refusal.Required("externalId", in.ExternalID, refusal.RefuseNoExternalID, refusal.MaxName)); err != nil {
		rq.Refused = err
	}
	return engine.WriteAround(p.Op(ctx), rq, nil, func() (affiliate.PayoutRunResult, error) {
		run, err := beginRun(ctx, p, &in)
		for left := limit; err == nil && run.Status == affiliate.RunRunning && (limit == 0 || left > 0); left -= affiliatesAtOnce {
			n := affiliatesAtOnce
			if limit > 0 {
				n = min(n, left)
			}
			run, err = goOn(ctx, p, run, n)
		}
		if err != nil {
			return affiliate.PayoutRunResult{}, err
		}
		return engine.View(ctx, p, func(o *engine.Op) (affiliate.PayoutRunResult, error) { return runOf(o, run) })
	})
}

// beginRun finds the run, or stores a new one.
func beginRun(ctx context.Context, p *engine.Program, in *affiliate.PayoutRun) (record.Run, error) {
	o := p.Op(ctx)
	return engine.Update(o, func() (record.Run, error) {
		run, err := refusal.FindText(o.Tx.Runs, record.ByExternalID, in.ExternalID)
		least := o.Cfg.PayoutMinimum
		if err == nil { // a run that has begun keeps its minimum
			least = run.Minimum
		}
		fresh := payoutRunRecord(in, o.Now, least)
		if err == nil && !sameSettings(&run, &fresh) {
			was := run // some may have been merged since
			if err := cmp.Or(heirs(o, &was), heirs(o, &fresh)); err != nil {
				return record.Run{}, err
			}
			if !sameSettings(&was, &fresh) {
				return record.Run{}, refusal.PayoutRunMismatch.Err()
			}
		}
		if !errors.Is(err, affiliate.ErrNotFound) {
			return run, err
		}
		if err := known(o, &fresh); err != nil {
			return record.Run{}, err
		}
		fresh.ID = o.NewID()
		if err := o.Tx.Runs.Insert(fresh); err != nil {
			return record.Run{}, refusal.Internal("write payout run", err)
		}
		return fresh, nil
	})
}

// goOn examines the next affiliates of a run in a snapshot, n at most, and books
// those with something open, each in a transaction. It returns the run in its new
// state.
func goOn(ctx context.Context, p *engine.Program, run record.Run, n int) (record.Run, error) {
	e, err := engine.View(ctx, p, func(o *engine.Op) (examination, error) {
		return examine(o, &run, reach{after: run.Cursor, affiliates: n})
	})
	if err != nil {
		return run, err
	}
	for i := range e.lines {
		if err := bookLine(ctx, p, run.ID, e.lines[i].AffiliateID); err != nil {
			return run, err
		}
	}
	o := p.Op(ctx)
	return engine.Update(o, func() (record.Run, error) { return advance(o, run.ID, &e) })
}

// bookLine decides again about an affiliate, and writes the line and the payout,
// unless the affiliate was examined in between.
func bookLine(ctx context.Context, p *engine.Program, runID, affiliateID uuid.UUID) error {
	o := p.Op(ctx)
	_, err := engine.Update(o, func() (struct{}, error) {
		for _, table := range []string{"sales", "adjustments"} {
			o.Soon(table, record.Key{Index: record.OfPayable, ID: affiliateID})
		}
		o.Soon("affiliates", record.Key{ID: affiliateID})
		run, last, err := lastLine(o, runID)
		if err != nil || run.Status == affiliate.RunDone || examined(affiliateID, run.Cursor) || examined(affiliateID, last.AffiliateID) {
			return struct{}{}, err
		}
		aff, err := o.Tx.Affiliates.Get(affiliateID)
		if errors.Is(err, affiliate.ErrNotFound) {
			return struct{}{}, nil // deleted meanwhile
		}
		if err != nil {
			return struct{}{}, err
		}
		d, ok, err := dueTo(o, &aff, &run)
		if err != nil || !ok {
			return struct{}{}, err
		}
		return struct{}{}, writeLine(o, &aff, &d, runID, last)
	})
	return err
}

// examined reports whether a walk in the order of the ids has come as far as an
// affiliate.
func examined(affiliate, last uuid.UUID) bool { return bytes.Compare(affiliate[:], last[:]) <= 0 }

// lastLine returns a run with its last line, which is zero when it has none.
func lastLine(o *engine.Op, id uuid.UUID) (run record.Run, last record.Line, err error) {
	if run, err = o.Tx.Runs.Get(id); err != nil {
		return run, last, refusal.Internal("payout run", err)
	}
	last, err = engine.Head(o.Tx.Lines, record.Query{Key: record.Key{Index: record.OfRun, ID: id}, Desc: true})
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return run, last, refusal.Internal("read payout lines", err)
	}
	return run, last, nil
}

// writeLine writes the line of an affiliate behind the last one, with its payout.
func writeLine(o *engine.Op, aff *record.Affiliate, d *dueLine, run uuid.UUID, last record.Line) error {
	rec := record.Line{ID: engine.Above(o.NewID(), last.ID), RunID: run, AffiliateID: aff.ID, Amount: d.Amount, SoFar: last.SoFar}
	if rec.Skipped = d.Skipped.Or(""); rec.Skipped == "" {
		payout, err := pay(o, aff, record.Payout{RunID: run}, d.entrySelection)
		if err != nil {
			return err
		}
		rec.PayoutID = payout.ID
	}
	if err := AddLine(&rec.SoFar, &rec); err != nil {
		return err
	}
	if err := o.Tx.Lines.Insert(rec); err != nil {
		return refusal.Internal("write payout line", err)
	}
	return nil
}

// advance stores how far a run has come, and ends it after its last affiliate. It
// can be repeated: a run never goes back.
func advance(o *engine.Op, id uuid.UUID, e *examination) (record.Run, error) {
	run, last, err := lastLine(o, id)
	if err != nil || run.Status == affiliate.RunDone || !e.over && examined(e.last, run.Cursor) {
		return run, err
	}
	if !examined(e.last, run.Cursor) {
		run.Cursor = e.last
	}
	if e.over {
		run.Status, run.Counts, run.FinishedAt = affiliate.RunDone, last.SoFar, engine.Later(o.Now, run.StartedAt)
	}
	if err := o.Tx.Runs.Replace(run); err != nil {
		return run, refusal.Internal("write payout run", err)
	}
	return run, nil
}

// runOf returns a run as callers see it, with the counts so far.
func runOf(o *engine.Op, run record.Run) (affiliate.PayoutRunResult, error) {
	if run.Status == affiliate.RunDone {
		return result(&run, run.Counts), nil
	}
	_, last, err := lastLine(o, run.ID)
	return result(&run, last.SoFar), err
}
