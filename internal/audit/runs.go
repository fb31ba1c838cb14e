package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/payout"
)

// verifyRuns checks payout runs against their lines, and lines against their
// payouts.
func (a *audit) verifyRuns() {
	unique(a, "I43", "payout run", &a.runs, record.ByExternalID)
	unique(a, "I69", "payout line", &a.lines, record.ByLine)
	sums, of := map[uuid.UUID]affiliate.RunCounts{}, map[uuid.UUID]bool{}
	for r := range a.lines.records() {
		if a.mine(r.RunID) {
			sum := sums[r.RunID]
			if err := payout.AddLine(&sum, r); err != nil || sum != r.SoFar {
				a.breach("I69", named("payout line", r.ID), "the lines so far are %+v, it says %+v", sum, r.SoFar)
			}
			sums[r.RunID] = sum
		}
		if a.mine(r.PayoutID) {
			of[r.PayoutID] = true
		}
		a.verifyLine(r)
	}
	for r := range a.runs.records() {
		if a.mine(r.ID) {
			a.verifyRun(r, sums[r.ID])
		}
	}
	for r := range a.payouts.records() {
		if r.RunID != uuid.Nil && a.mine(r.ID) && !of[r.ID] {
			a.breach("I69", named("payout", r.ID), "no line of run %s names it", r.RunID)
		}
	}
}

// verifyLine checks a line by itself and against its payout. A canceled payout
// is deleted with its affiliate, and the line stays.
func (a *audit) verifyLine(r *record.Line) {
	name, own := named("payout line", r.ID), a.own(r.RunID)
	if a.runs.lacks(r.RunID) {
		a.breach("I69", name, "its run %s does not exist", r.RunID)
	}
	if paid := r.PayoutID != uuid.Nil; own && paid == (r.Skipped != "") {
		a.breach("I69", name, "payout %s, skipped %q", r.PayoutID, r.Skipped)
	}
	if r.Skipped != "" && own {
		listed(a, name, "skipped", r.Skipped, skipReasons...)
	}
	if r.Skipped != "" || a.sifting || !a.mine(r.PayoutID) {
		return
	}
	payout := a.payouts.get(r.PayoutID)
	switch {
	case payout == nil && a.affiliates.see(r.AffiliateID) != nil:
		a.breach("I69", name, "its payout %s does not exist", r.PayoutID)
	case payout != nil && (payout.RunID != r.RunID || payout.AffiliateID != a.heir(r.AffiliateID) || payout.Amount != r.Amount):
		a.breach("I69", name, "%v, its payout %s is %v of another run or affiliate", r.Amount, r.PayoutID, payout.Amount)
	}
}

// verifyRun checks a run against the counts of its lines.
func (a *audit) verifyRun(r *record.Run, lines affiliate.RunCounts) {
	name := named("payout run", r.ID)
	a.titled(name, r.ExternalID)
	listed(a, name, "status", r.Status, affiliate.RunRunning, affiliate.RunDone)
	if done := r.Status == affiliate.RunDone; done == r.FinishedAt.IsZero() {
		a.breach("I69", name, "it is %s, finished at %v", r.Status, r.FinishedAt)
	} else if !a.sifting && done && r.Counts != lines {
		a.breach("I69", name, "its lines are %+v, it says %+v", lines, r.Counts)
	}
	if r.StartedAt.IsZero() || !r.FinishedAt.IsZero() && r.FinishedAt.Before(r.StartedAt) {
		a.breach("I54", name, "started %v, finished %v", r.StartedAt, r.FinishedAt)
	}
}

// siftRuns sifts payout runs and their lines.
func (a *audit) siftRuns() {
	soFar := func(k print, c affiliate.RunCounts) print {
		return k.num(isSoFar).num(c.Created).num(c.Skipped).num(c.Total.Scaled())
	}
	sift(a, &a.runs, func(r *record.Run) {
		k := a.key(r.ID)
		a.learn(k, k.num(a.runs.kind))
		a.about(inRuns, k)
		a.verifyRun(r, affiliate.RunCounts{})
		siftKeys(a, inRuns, &a.runs, r)
		if r.Status == affiliate.RunDone {
			a.add(inRuns, k, soFar(k, affiliate.RunCounts{}), 1)
			a.add(inRuns, k, soFar(k, r.Counts), -1)
		} else {
			a.pick(inRuns, k)
		}
	})
	sift(a, &a.lines, func(r *record.Line) {
		k := a.key(r.RunID)
		a.about(inRuns, k)
		a.verifyLine(r)
		siftKeys(a, inRuns, &a.lines, r)
		before, err := r.SoFar, error(nil)
		if r.Skipped != "" {
			before.Skipped--
		} else {
			before.Created--
			before.Total, err = before.Total.Sub(r.Amount)
		}
		if a.here(k) {
			a.learn(k, k.num(isSoFar))
			n := a.value(k.num(isSoFar))
			if n == nil {
				return // full
			}
			if *n++; err != nil || *n != r.SoFar.Created+r.SoFar.Skipped {
				a.pick(inRuns, k)
			}
		}
		a.add(inRuns, k, soFar(k, r.SoFar), 1)
		a.add(inRuns, k, soFar(k, before), -1)
		if r.PayoutID != uuid.Nil || r.Skipped == "" {
			p := a.key(r.PayoutID)
			a.add(inRuns, p, p.num(isLine).id(r.RunID).id(r.AffiliateID).num(r.Amount.Scaled()), 1)
		}
	})
}
