package affiliate

import (
	"bytes"
	"context"
	"errors"

	"github.com/google/uuid"
)

// RunPayouts pays every affiliate to whom enough is due, and returns when the run
// is DONE. A run is known by its ExternalID. It goes on where it stopped: call it
// again after an error or a crash, in as many processes as you like, and each
// affiliate is examined once and paid at most once. A run that is DONE answers
// what it did.
//
// What a run pays is judged by the moment of its first call: a commission whose
// holding period ends later waits for the next run. Each affiliate has a
// transaction of its own, and a line that says what was paid, or why not:
// [Program.PayoutLines].
//
// Errors: [MissingField] and [InvalidField] (externalId, minimum, methods,
// affiliateIds), [PayoutRunMismatch] when the run was begun with other settings;
// those of the store, after which a part of the run is done.
//
// Effects: the run, its lines and its payouts, each as by
// [Program.CreatePayout].
//
// Source: docs/money.md 6.
func (p *Program) RunPayouts(ctx context.Context, in PayoutRun) (_ PayoutRunResult, err error) {
	defer p.begin(&ctx, "RunPayouts", writes).end(&err)
	return p.runPayouts(ctx, request{name: "payout.run", input: in}, in, 0)
}

// StepPayouts is [Program.RunPayouts] for a caller that has little time: it
// examines at most limit affiliates (1–1,000; zero: 500) and returns the run,
// which is RUNNING when there are more.
//
// Errors: those of RunPayouts; [InvalidQuery] (limit).
//
// Effects: those of RunPayouts.
//
// Source: docs/money.md 6.
func (p *Program) StepPayouts(ctx context.Context, in PayoutRun, limit int) (_ PayoutRunResult, err error) {
	defer p.begin(&ctx, "StepPayouts", writes).end(&err)
	rq := request{name: "payout.step", input: []any{in, limit}}
	if limit < 0 || limit > maxPage {
		rq.refused = RefuseLimit.Err()
	}
	if limit == 0 {
		limit = affiliatesAtOnce
	}
	return p.runPayouts(ctx, rq, in, limit)
}

// runPayouts examines so many affiliates; zero: all.
func (p *Program) runPayouts(ctx context.Context, rq request, in PayoutRun, limit int) (PayoutRunResult, error) {
	if err := p.checkRun(&in, required("externalId", in.ExternalID, RefuseNoExternalID, maxName)); err != nil {
		rq.refused = err
	}
	return writeAround(p.op(ctx), rq, nil, func() (PayoutRunResult, error) {
		run, err := p.beginRun(ctx, &in)
		for left := limit; err == nil && run.Status == RunRunning && (limit == 0 || left > 0); left -= affiliatesAtOnce {
			n := affiliatesAtOnce
			if limit > 0 {
				n = min(n, left)
			}
			run, err = p.goOn(ctx, run, n)
		}
		if err != nil {
			return PayoutRunResult{}, err
		}
		return view(ctx, p, func(o *op) (PayoutRunResult, error) { return o.runOf(run) })
	})
}

// beginRun finds the run, or stores a new one.
func (p *Program) beginRun(ctx context.Context, in *PayoutRun) (RunRecord, error) {
	o := p.op(ctx)
	return update(o, func() (RunRecord, error) {
		fresh := in.record(o.now)
		run, err := findText(o.tx.Runs, ByExternalID, in.ExternalID)
		if err == nil && !run.sameSettings(&fresh) {
			return RunRecord{}, payoutRunMismatch.Err()
		}
		if !errors.Is(err, ErrNotFound) {
			return run, err
		}
		fresh.ID = o.newID()
		if err := o.tx.Runs.Insert(fresh); err != nil {
			return RunRecord{}, internal("write payout run", err)
		}
		return fresh, nil
	})
}

// goOn examines the next affiliates of a run in a snapshot, n at most, and books
// those with something open, each in a transaction. It returns the run as it is
// then.
func (p *Program) goOn(ctx context.Context, run RunRecord, n int) (RunRecord, error) {
	e, err := view(ctx, p, func(o *op) (examination, error) { return o.examine(&run, run.Cursor, n) })
	if err != nil {
		return run, err
	}
	for i := range e.lines {
		if err := p.bookLine(ctx, run.ID, e.lines[i].AffiliateID); err != nil {
			return run, err
		}
	}
	o := p.op(ctx)
	return update(o, func() (RunRecord, error) { return o.advance(run.ID, &e) })
}

// bookLine decides again about an affiliate, and writes the line and the payout,
// unless the affiliate was examined in between.
func (p *Program) bookLine(ctx context.Context, runID, affiliate uuid.UUID) error {
	o := p.op(ctx)
	_, err := update(o, func() (struct{}, error) {
		for _, table := range []string{"sales", "adjustments"} {
			o.soon(table, Key{Index: OfPayable, ID: affiliate})
		}
		o.soon("affiliates", Key{ID: affiliate})
		run, last, err := o.lastLine(runID)
		if err != nil || run.Status == RunDone || examined(affiliate, run.Cursor) || examined(affiliate, last.AffiliateID) {
			return struct{}{}, err
		}
		aff, err := o.tx.Affiliates.Get(affiliate)
		if errors.Is(err, ErrNotFound) {
			return struct{}{}, nil // deleted meanwhile
		}
		if err != nil {
			return struct{}{}, err
		}
		d, ok, err := o.dueTo(&aff, &run)
		if err != nil || !ok {
			return struct{}{}, err
		}
		return struct{}{}, o.writeLine(&aff, &d, runID, last)
	})
	return err
}

// examined reports whether a walk in the order of the ids has come as far as an
// affiliate.
func examined(affiliate, last uuid.UUID) bool { return bytes.Compare(affiliate[:], last[:]) <= 0 }

// lastLine is a run with its last line, which is zero when it has none.
func (o *op) lastLine(id uuid.UUID) (run RunRecord, last LineRecord, err error) {
	if run, err = o.tx.Runs.Get(id); err != nil {
		return run, last, internal("payout run", err)
	}
	last, err = head(o.tx.Lines, Query{Key: Key{Index: OfRun, ID: id}, Desc: true})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return run, last, internal("read payout lines", err)
	}
	return run, last, nil
}

// writeLine writes the line of an affiliate behind the last one, with its payout.
func (o *op) writeLine(aff *AffiliateRecord, d *due, run uuid.UUID, last LineRecord) error {
	rec := LineRecord{ID: above(o.newID(), last.ID), RunID: run, AffiliateID: aff.ID, Amount: d.Amount, SoFar: last.SoFar}
	if rec.Skipped = d.Skipped.Or(""); rec.Skipped == "" {
		payout, err := o.pay(aff, PayoutRecord{RunID: run}, d.taking)
		if err != nil {
			return err
		}
		rec.PayoutID = payout.ID
	}
	if err := rec.SoFar.add(&rec); err != nil {
		return err
	}
	if err := o.tx.Lines.Insert(rec); err != nil {
		return internal("write payout line", err)
	}
	return nil
}

// advance notes how far a run has come, and ends it behind its last affiliate. It
// can be repeated: nothing takes a run back.
func (o *op) advance(id uuid.UUID, e *examination) (RunRecord, error) {
	run, last, err := o.lastLine(id)
	if err != nil || run.Status == RunDone || !e.over && examined(e.last, run.Cursor) {
		return run, err
	}
	if !examined(e.last, run.Cursor) {
		run.Cursor = e.last
	}
	if e.over {
		run.Status, run.Counts, run.FinishedAt = RunDone, last.SoFar, later(o.now, run.StartedAt)
	}
	if err := o.tx.Runs.Replace(run); err != nil {
		return run, internal("write payout run", err)
	}
	return run, nil
}

// runOf is a run as callers see it, with the counts so far.
func (o *op) runOf(run RunRecord) (PayoutRunResult, error) {
	if run.Status == RunDone {
		return run.result(run.Counts), nil
	}
	_, last, err := o.lastLine(run.ID)
	return run.result(last.SoFar), err
}
