package affiliate

import "time"

// A Job is work that grows with the program and is done in steps: [PruneJob],
// [RetainJob], [AssignTiersJob], [RecalculateJob], [EraseAffiliateJob] or
// [EraseReferralJob].
type Job interface{ job() }

// PruneJob is Program.Prune in steps.
type PruneJob struct {
	Before time.Time
}

// RetainJob is Program.Retain in steps.
type RetainJob struct {
	Retention
}

// AssignTiersJob is Program.AssignTiers in steps.
type AssignTiersJob struct{}

// RecalculateJob is Program.RecalculateSales in steps.
type RecalculateJob struct {
	SaleFilter
}

func (PruneJob) job()       {}
func (RetainJob) job()      {}
func (AssignTiersJob) job() {}
func (RecalculateJob) job() {}

// A Step says where a job continues, and how much it does.
type Step struct {
	Cursor string // Progress.Cursor of the step before; empty: from the start
	Limit  int    // how many records to look at: 1–10,000; zero: 2,000
}

// Progress is the result of a step.
type Progress struct {
	Done    bool   // the job is over
	Cursor  string // of the next step; empty when Done
	Looked  int64  // records that were looked at
	Changed int64  // records that were changed or deleted

	PayloadsPending int64    // payloads that still show a person because they wait for a delivery
	Removed         Retained // of a PruneJob or a RetainJob
}
