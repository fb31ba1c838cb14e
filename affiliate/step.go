package affiliate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// A Job is work that grows with the program and is done in steps. It is one of
// [PruneJob], [RetainJob], [AssignTiersJob], [RecalculateJob], [EraseAffiliateJob]
// and [EraseReferralJob].
type Job interface{ job() }

// PruneJob is [Program.Prune] in steps.
type PruneJob struct {
	Before time.Time
}

// RetainJob is [Program.Retain] in steps.
type RetainJob struct {
	Retention
}

// AssignTiersJob is [Program.AssignTiers] in steps.
type AssignTiersJob struct{}

// RecalculateJob is [Program.RecalculateSales] in steps.
type RecalculateJob struct {
	SaleFilter
}

func (PruneJob) job()       {}
func (RetainJob) job()      {}
func (AssignTiersJob) job() {}
func (RecalculateJob) job() {}

// A Step says where a job goes on, and how far.
type Step struct {
	Cursor string // Progress.Cursor of the step before; empty: from the start
	Limit  int    // how many records are looked at: 1–10,000; zero: 2,000
}

// Progress is what a step has done.
type Progress struct {
	Done    bool   // the job is over
	Cursor  string // of the next step; empty when Done
	Looked  int64  // records that were looked at
	Changed int64  // records that were changed or deleted

	PayloadsPending int64    // payloads that wait for a delivery and still show a person
	Removed         Retained // of a PruneJob or a RetainJob
}

const (
	stepAtMost    = 10_000
	stepByDefault = 2_000
	stepBatch     = 512 // the most records of one transaction
)

// Step does a part of a job and says where the next step goes on. Call it until
// the progress is Done; each step may be another process:
//
//	for at := (affiliate.Step{}); ; {
//		done, err := p.Step(ctx, job, at)
//		if err != nil || done.Done {
//			return err
//		}
//		at.Cursor = done.Cursor
//	}
//
// A step has transactions of at most 512 records, so a sale waits for a few
// milliseconds at most. A step that is repeated, or was cut off in the middle,
// has no second effect. Records that are created meanwhile may be missed: run
// the job again. A cursor works only for the same program and the same job with
// the same fields.
//
// Errors: those of the job's method; [InvalidField] (cursor, limit). Earlier
// transactions of a step remain after an error.
//
// Effects: those of the job's method.
//
// Source: ours, because no request can wait for all records.
func (p *Program) Step(ctx context.Context, job Job, at Step) (_ Progress, err error) {
	defer p.begin(&ctx, "Step", writes).end(&err)
	w, err := p.work(job)
	if err != nil {
		return Progress{}, err
	}
	rq := request{name: "step." + w.name, input: []any{job, at}, refused: w.refused}
	if rq.refused == nil {
		rq.refused = first(stepLimitInvalid.when(at.Limit < 0 || at.Limit > stepAtMost))
	}
	sent, err := json.Marshal(job)
	if err != nil {
		return Progress{}, internal("encode job", err)
	}
	s := stepping{work: w, scope: fmt.Sprintf("step\x00%s\x00%s\x00%s", w.name, sent, p.cfg.ID), cursor: at.Cursor, left: cmp.Or(at.Limit, stepByDefault)}
	err = beforehand(p.op(ctx), rq, func() (err error) {
		if s, err = view(ctx, p, func(o *op) (stepping, error) { return s.open(o) }); err != nil {
			return err
		}
		for s.left > stepBatch || s.phase < len(s.phases)-1 && s.left > 0 {
			next, err := p.advanceStep(ctx, s, false)
			if err == errLastPart {
				return nil // it is the write itself, so that the receipt commits with it
			}
			if err != nil {
				return err
			}
			s = next
		}
		return nil
	})
	if err != nil && !worthKeeping(err) {
		return Progress{}, err
	}
	if err != nil {
		rq.refused = err
	}
	return p.lastPart(ctx, rq, s)
}

// lastPart is the last transaction of a step. Without a key, one that has nothing
// to write is none.
func (p *Program) lastPart(ctx context.Context, rq request, s stepping) (Progress, error) {
	if once := p.onceOf(rq.once); rq.refused == nil && once.Key == "" && once.Refused == nil {
		if s.left > 0 {
			var err error
			if s, err = p.advanceStep(ctx, s, true); err != nil {
				return Progress{}, err
			}
		}
		return s.progress(), nil
	}
	o := p.op(ctx)
	return write(o, rq, func() (Progress, error) {
		s, err := s.open(o)
		if err == nil && s.left > 0 {
			s, err = s.part(o, true)
		}
		return s.progress(), err
	})
}

// A work is a job as the engine does it: phases, one after another, that each
// walk records in the order of their ids.
type work struct {
	name    string
	refused error
	phases  []phase
	bound   func(o *op) (string, error) // the records that the job's texts name now; nil: it has none
}

// A phase looks at the next records after an id, n at most.
type phase func(o *op, after uuid.UUID, n int) (stretch, error)

// A stretch is what a phase did in one transaction.
type stretch struct {
	last            uuid.UUID // the record that was looked at last
	over            bool      // the phase is over
	looked, changed int
	pending         int64
	removed         Retained
}

// A stepping is how far a step has come.
type stepping struct {
	work
	scope  string
	cursor string // as it was sent
	opened bool   // the cursor was read
	phase  int
	after  uuid.UUID
	left   int // records to look at
	did    Progress
}

// errLastPart ends the transaction of a part that ends the job, so that the
// part's own transaction keeps the receipt too.
var errLastPart = errors.New("affiliate: the last part of a job")

// open reads the cursor of a step, once.
func (s stepping) open(o *op) (stepping, error) {
	if s.opened {
		return s, nil
	}
	s.opened = true
	if s.bound != nil {
		bound, err := s.bound(o)
		if err != nil {
			return s, err
		}
		s.scope += "\x00" + bound
	}
	if s.cursor == "" {
		return s, nil
	}
	for s.phase = range s.phases {
		if after, ok := openCursor(s.cursor, s.scopeNow()); ok {
			s.after = after
			return s, nil
		}
	}
	return s, stepCursorInvalid.Err()
}

// scopeNow is the scope of a cursor in the present phase.
func (s *stepping) scopeNow() string { return fmt.Sprint(s.scope, "\x00", s.phase) }

func (s *stepping) done() bool { return s.phase == len(s.phases) }

// progress is what the step has done.
func (s stepping) progress() Progress {
	if s.did.Done = s.done(); !s.did.Done {
		s.did.Cursor = sealCursor(s.after, s.scopeNow())
	}
	return s.did
}

// advanceStep does a part. It looks in a snapshot first, which delays nobody, and
// opens a transaction when there is something to write.
func (p *Program) advanceStep(ctx context.Context, s stepping, last bool) (stepping, error) {
	o := p.op(ctx)
	var next stepping
	err := o.snapshot(func() (err error) {
		next, err = s.part(o, last)
		return err
	})
	if !errors.Is(err, ErrReadOnly) {
		return next, err
	}
	o = p.op(ctx)
	return update(o, func() (stepping, error) { return s.part(o, last) })
}

// part does a part in the present transaction. The last part of the job is
// errLastPart unless it is wanted.
func (s stepping) part(o *op, last bool) (stepping, error) {
	got, err := s.phases[s.phase](o, s.after, min(s.left, stepBatch))
	if err != nil {
		return s, err
	}
	s.after = got.last
	if got.over {
		s.phase, s.after = s.phase+1, uuid.Nil
	}
	if s.done() && !last {
		return s, errLastPart
	}
	s.left -= got.looked
	s.did.Looked += int64(got.looked)
	s.did.Changed += int64(got.changed)
	s.did.PayloadsPending += got.pending
	s.did.Removed = s.did.Removed.plus(got.removed)
	return s, nil
}

// plus is the sum of two counts.
func (r Retained) plus(s Retained) Retained {
	return Retained{r.Events + s.Events, r.Receipts + s.Receipts, r.Deliveries + s.Deliveries, r.Clicks + s.Clicks, r.Payments + s.Payments}
}

// walk runs fn on the next records under a key, n at most, 0: all; fn reports whether
// it changed something. It reads the records first, because fn may change the index.
func walk[R Record[R]](t Table[R], key Key, after uuid.UUID, n int, fn func(R) (bool, error)) (stretch, error) {
	recs, err := gather(t, Query{Key: key, After: after, Limit: n})
	if err != nil {
		return stretch{}, internal("step", err)
	}
	done := stretch{last: after, over: n == 0 || len(recs) < n, looked: len(recs)}
	for i := range recs {
		changed, err := fn(recs[i])
		if err != nil {
			return stretch{}, err
		}
		if done.last = recs[i].RecordID(); changed {
			done.changed++
		}
	}
	return done, nil
}
