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
		sum := sums[r.RunID]
		if err := payout.AddLine(&sum, r); err != nil || sum != r.SoFar {
			a.breach("I69", named("payout line", r.ID), "the lines so far are %+v, it says %+v", sum, r.SoFar)
		}
		sums[r.RunID], of[r.PayoutID] = sum, true
		a.verifyLine(r)
	}
	for r := range a.runs.records() {
		a.verifyRun(r, sums[r.ID])
	}
	for r := range a.payouts.records() {
		if r.RunID != uuid.Nil && !of[r.ID] {
			a.breach("I69", named("payout", r.ID), "no line of run %s names it", r.RunID)
		}
	}
}

// verifyLine checks a line by itself and against its payout. A canceled payout
// is deleted with its affiliate, and the line stays.
func (a *audit) verifyLine(r *record.Line) {
	name := named("payout line", r.ID)
	if !a.runs.has(r.RunID) {
		a.breach("I69", name, "its run %s does not exist", r.RunID)
	}
	if paid := r.PayoutID != uuid.Nil; paid == (r.Skipped != "") {
		a.breach("I69", name, "payout %s, skipped %q", r.PayoutID, r.Skipped)
	}
	if r.Skipped != "" {
		listed(a, name, "skipped", r.Skipped, skipReasons...)
		return
	}
	payout := a.payouts.get(r.PayoutID)
	switch {
	case payout == nil && a.affiliates.has(r.AffiliateID):
		a.breach("I69", name, "its payout %s does not exist", r.PayoutID)
	case payout != nil && (payout.RunID != r.RunID || payout.AffiliateID != r.AffiliateID || payout.Amount != r.Amount):
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
	} else if done && r.Counts != lines {
		a.breach("I69", name, "its lines are %+v, it says %+v", lines, r.Counts)
	}
	if r.StartedAt.IsZero() || !r.FinishedAt.IsZero() && r.FinishedAt.Before(r.StartedAt) {
		a.breach("I54", name, "started %v, finished %v", r.StartedAt, r.FinishedAt)
	}
}
