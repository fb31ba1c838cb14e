package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/audit"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	stepAtMost    = 10_000
	stepByDefault = 2_000
	stepBatch     = 512 // the most records of one transaction
	runBatch      = 100 // the same of Run, which nobody waits for
)

// Step implements tributary.Program.Step.
func Step(ctx context.Context, p *engine.Program, job affiliate.Job,
	at affiliate.Step) (_ affiliate.Progress, err error) {
	defer p.Begin(&ctx, "Step", engine.Writes).End(&err)
	if job == (affiliate.VerifyJob{}) {
		return verify(ctx, p)
	}
	w, err := workIn(p, job)
	if err != nil {
		return affiliate.Progress{}, err
	}
	rq := engine.Request{Name: "step." + w.name, Input: []any{job, at}, Refused: w.refused}
	if rq.Refused == nil {
		rq.Refused = refusal.First(refusal.StepLimitInvalid.When(at.Limit < 0 || at.Limit > stepAtMost))
	}
	sent, err := json.Marshal(job)
	if err != nil {
		return affiliate.Progress{}, refusal.Internal("encode job", err)
	}
	s := stepProgress{work: w, scope: fmt.Sprintf("step\x00%s\x00%s\x00%s", w.name, sent, p.Cfg.ID),
		cursor: at.Cursor, left: cmp.Or(at.Limit, stepByDefault)}
	err = engine.Beforehand(p.Op(ctx), rq, func() (err error) {
		if s, err = engine.View(ctx, p, func(o *engine.Op) (stepProgress, error) { return s.open(o) }); err != nil {
			return err
		}
		for s.left > stepBatch || s.phase < len(s.phases)-1 && s.left > 0 {
			next, err := advanceStep(ctx, p, s, false)
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
	if err != nil && !engine.WorthKeeping(err) {
		return affiliate.Progress{}, err
	}
	if err != nil {
		rq.Refused = err
	}
	return lastPart(ctx, p, rq, s)
}

// Run implements tributary.Program.Run.
func Run(ctx context.Context, p *engine.Program, job affiliate.Job) (_ affiliate.Progress, err error) {
	defer p.Begin(&ctx, "Run", engine.Writes).End(&err)
	if job == (affiliate.VerifyJob{}) {
		return verify(ctx, p)
	}
	w, err := workIn(p, job)
	if err != nil {
		return affiliate.Progress{}, err
	}
	rq := engine.Request{Name: "run." + w.name, Input: job, Refused: w.refused}
	return engine.WriteAround(p.Op(ctx), rq, nil, func() (affiliate.Progress, error) {
		s, err := engine.View(ctx, p, func(o *engine.Op) (stepProgress, error) { return stepProgress{work: w}.open(o) })
		for err == nil && !s.done() {
			s.left = runBatch
			var next stepProgress
			if next, err = advanceStep(ctx, p, s, true); err == nil {
				s = next
			}
		}
		s.did.Done = err == nil
		return s.did, err
	})
}

// verify checks the books, which is one step.
func verify(ctx context.Context, p *engine.Program) (affiliate.Progress, error) {
	v, err := audit.Report(ctx, p)
	if err != nil {
		return affiliate.Progress{}, err
	}
	return affiliate.Progress{Done: true, Looked: v.Records, Verification: v}, nil
}

// lastPart is the last transaction of a step. Without a key, one that has nothing
// to write is none.
func lastPart(ctx context.Context, p *engine.Program, rq engine.Request, s stepProgress) (affiliate.Progress, error) {
	if once := p.OnceOf(rq.Once); rq.Refused == nil && once.Key == "" && once.Refused == nil {
		if s.left > 0 {
			var err error
			if s, err = advanceStep(ctx, p, s, true); err != nil {
				return affiliate.Progress{}, err
			}
		}
		return s.progress(), nil
	}
	o := p.Op(ctx)
	return engine.Write(o, rq, func() (affiliate.Progress, error) {
		s, err := s.open(o)
		if err == nil && s.left > 0 {
			s, err = s.part(o, true)
		}
		return s.progress(), err
	})
}

// A work is a job as the engine runs it: phases, one after another, that each walk
// records in the order of their ids.
type work struct {
	name    string
	refused error
	phases  []phase
	bound   func(o *engine.Op) (string, error) // the records that the job's texts name at this time; nil: it names none
}

// A phase looks at the next records after an id, n at most.
type phase func(o *engine.Op, after uuid.UUID, n int) (stretch, error)

// A stretch is the result of a phase in one transaction.
type stretch struct {
	last            uuid.UUID // the record that was looked at last
	over            bool      // the phase is over
	looked, changed int
	pending         int64
	removed         affiliate.Retained
}

// A stepProgress is the progress of a step.
type stepProgress struct {
	work
	scope  string
	cursor string // as it was sent
	opened bool   // the cursor was read
	phase  int
	after  uuid.UUID
	left   int // records to look at
	did    affiliate.Progress
}

// errLastPart ends the transaction of a part that ends the job, so that the
// part's own transaction keeps the receipt too.
var errLastPart = errors.New("affiliate: the last part of a job")

// open reads the cursor of a step, once.
func (s stepProgress) open(o *engine.Op) (stepProgress, error) {
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
		if after, ok := engine.OpenCursor(s.cursor, s.scopeNow()); ok {
			s.after = after
			return s, nil
		}
	}
	return s, refusal.StepCursorInvalid.Err()
}

// scopeNow returns the scope of a cursor in the present phase.
func (s *stepProgress) scopeNow() string { return fmt.Sprint(s.scope, "\x00", s.phase) }

func (s *stepProgress) done() bool { return s.phase == len(s.phases) }

// progress returns what the step has done.
func (s stepProgress) progress() affiliate.Progress {
	if s.did.Done = s.done(); !s.did.Done {
		s.did.Cursor = engine.SealCursor(s.after, s.scopeNow())
	}
	return s.did
}

// advanceStep does a part. It looks in a snapshot first, which delays nobody, and
// opens a transaction when there is something to write.
func advanceStep(ctx context.Context, p *engine.Program, s stepProgress, last bool) (stepProgress, error) {
	o := p.Op(ctx)
	var next stepProgress
	err := o.Snapshot(func() (err error) {
		next, err = s.part(o, last)
		return err
	})
	if !errors.Is(err, record.ErrReadOnly) {
		return next, err
	}
	o = p.Op(ctx)
	return engine.Update(o, func() (stepProgress, error) { return s.part(o, last) })
}

// part runs a part in the present transaction. When it is the last part of the job and
// last is false, it returns errLastPart.
func (s stepProgress) part(o *engine.Op, last bool) (stepProgress, error) {
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
	s.did.Removed = plus(s.did.Removed, got.removed)
	return s, nil
}

// plus returns the sum of two counts.
func plus(r affiliate.Retained, s affiliate.Retained) affiliate.Retained {
	return affiliate.Retained{Events: r.Events + s.Events, Receipts: r.Receipts + s.Receipts,
		Deliveries: r.Deliveries + s.Deliveries, Clicks: r.Clicks + s.Clicks,
		Payments: r.Payments + s.Payments, Holds: r.Holds + s.Holds}
}

// walk runs fn on the next records under a key, n at most, 0: all; fn reports whether
// it changed something. It reads the records first, because fn may change the index.
func walk[R record.Record[R]](t record.Table[R], key record.Key, after uuid.UUID, n int, fn func(R) (bool, error)) (stretch, error) {
	recs, err := engine.Gather(t, record.Query{Key: key, After: after, Limit: n})
	if err != nil {
		return stretch{}, refusal.Internal("step", err)
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

// eraseAffiliate erases an affiliate.
func eraseAffiliate(j affiliate.EraseAffiliateJob) work {
	find := func(o *engine.Op) (subject, error) { return affiliateSubject(o, j.ID) }
	return work{
		name: "erase-affiliate", refused: refusal.First(refusal.RefuseNoAffiliateID.When(j.ID == uuid.Nil)),
		bound:  func(o *engine.Op) (string, error) { _, err := find(o); return "", err },
		phases: append([]phase{settling(find, j.Forfeit)}, erasing(find, affiliateHoldings())...),
	}
}

// eraseReferral erases a customer.
func eraseReferral(j affiliate.EraseReferralJob) work {
	find := func(o *engine.Op) (subject, error) { return customerSubject(o, j.Ref) }
	return work{
		name: "erase-referral", refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(j.Ref))),
		bound: func(o *engine.Op) (string, error) {
			who, err := find(o)
			return string(who.id[:]), err
		},
		phases: erasing(find, customerHoldings()),
	}
}

// erasing returns the phases of an erasure.
func erasing(find func(*engine.Op) (subject, error), held []personalRecords) []phase {
	phases := []phase{starting(find), blankingReceipts(find)}
	for _, h := range held {
		phases = append(phases, func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
			who, err := find(o)
			if err != nil {
				return stretch{}, err
			}
			return h.erase(o, &who, after, n)
		})
	}
	return append(phases, blankingEvents(find))
}

// settling returns the phase after which nothing is owed to an affiliate.
func settling(find func(*engine.Op) (subject, error), gives bool) phase {
	return func(o *engine.Op, _ uuid.UUID, _ int) (stretch, error) {
		who, err := find(o)
		if err == nil {
			err = settle(o, &who, gives)
		}
		return stretch{over: true}, err
	}
}

// starting returns the phase after which nothing more is stored of a customer.
func starting(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, _ uuid.UUID, _ int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		done := stretch{over: true}
		changed, err := startErasing(o, &who)
		if changed {
			done.looked, done.changed = 1, 1
		}
		return done, err
	}
}

// replaced writes a record that has changed.
func replaced[R record.Record[R]](t record.Table[R], rec R, changed bool) (bool, error) {
	if !changed {
		return false, nil
	}
	if err := t.Replace(rec); err != nil {
		return false, refusal.Internal("erase", err)
	}
	return true, nil
}

// blankingReceipts returns the phase that blanks the person in stored answers.
func blankingReceipts(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		return walk(o.Tx.Receipts, record.Key{}, after, n, func(rec record.Receipt) (bool, error) {
			changed, err := eraseReceipt(o, rec, &who)
			if err != nil {
				err = refusal.Internal("erase receipt", err)
			}
			return changed, err
		})
	}
}

// blankingEvents returns the phase that removes the person from events. The
// transaction that handles the last of them also blanks the person.
func blankingEvents(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		pending := int64(0)
		done, err := walk(o.Tx.Events, record.Key{}, after, n, func(e record.Event) (bool, error) {
			changed, waits, err := eraseEvent(o, &who, e, who.in(e.Payload.Bytes()))
			if err != nil {
				return false, refusal.Internal("erase event", err)
			}
			if waits {
				pending++
			}
			return changed, nil
		})
		if done.pending = pending; err != nil || !done.over {
			return done, err
		}
		return done, endErasing(o, &who)
	}
}
