package record

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Run is a stored payout run: its settings, and how far it has come.
type Run struct {
	ID           uuid.UUID
	ExternalID   string
	SentUntil    affiliate.Instant // as it was sent; zero: the moment of the first call
	Until        affiliate.Instant
	Minimum      affiliate.Amount
	Methods      []affiliate.PaymentMethod
	NoDetails    bool
	AffiliateIDs []uuid.UUID
	ExceptIDs    []uuid.UUID
	Status       affiliate.RunStatus
	Cursor       uuid.UUID           // all affiliates up to this one were examined
	Counts       affiliate.RunCounts // of all its lines, when it is DONE
	StartedAt    affiliate.Instant
	FinishedAt   affiliate.Instant // zero: it is RUNNING
}

// RecordID returns the run's id.
func (r Run) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r Run) Clone() Run {
	r.Methods = slices.Clone(r.Methods)
	r.AffiliateIDs = slices.Clone(r.AffiliateIDs)
	r.ExceptIDs = slices.Clone(r.ExceptIDs)
	return r
}

// AppendKeys appends ByExternalID.
func (r Run) AppendKeys(dst []Key) []Key { return AppendText(dst, ByExternalID, r.ExternalID) }

// Line is a stored [affiliate.PayoutLine] of a run. The ids of a run's lines are in
// the order of the affiliates.
type Line struct {
	ID          uuid.UUID
	RunID       uuid.UUID
	AffiliateID uuid.UUID // may outlive the affiliate
	Amount      affiliate.Amount
	PayoutID    uuid.UUID            // zero: nothing was paid
	Skipped     affiliate.SkipReason // empty: it was paid
	SoFar       affiliate.RunCounts  // of the run's lines up to this one
}

// RecordID returns the line's identity in the store.
func (r Line) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Line) Clone() Line { return r }

// AppendKeys appends ByLine and OfRun.
func (r Line) AppendKeys(dst []Key) []Key {
	dst = AppendText(dst, ByLine, r.RunID.String()+r.AffiliateID.String())
	return append(dst, Key{Index: OfRun, ID: r.RunID})
}
