package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// RunRecord is a stored payout run: its settings, and how far it has come.
type RunRecord struct {
	ID           uuid.UUID
	ExternalID   string
	SentUntil    Instant // as it was sent; zero: the moment of the first call
	Until        Instant
	Minimum      Amount
	Methods      []PaymentMethod
	NoDetails    bool
	AffiliateIDs []uuid.UUID
	Status       RunStatus
	Cursor       uuid.UUID // every affiliate as far as this one was examined
	Counts       RunCounts // of all its lines, when it is DONE
	StartedAt    Instant
	FinishedAt   Instant // zero: it is RUNNING
}

// RunCounts sums up lines of a payout run.
type RunCounts struct {
	Created int64
	Skipped int64
	Total   Amount // of the payouts
}

// RecordID is the run's id.
func (r RunRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r RunRecord) Clone() RunRecord {
	r.Methods = slices.Clone(r.Methods)
	r.AffiliateIDs = slices.Clone(r.AffiliateIDs)
	return r
}

// AppendKeys appends ByExternalID.
func (r RunRecord) AppendKeys(dst []Key) []Key { return appendText(dst, ByExternalID, r.ExternalID) }

// LineRecord is a stored [PayoutLine] of a run. The ids of a run's lines are in
// the order of the affiliates.
type LineRecord struct {
	ID          uuid.UUID
	RunID       uuid.UUID
	AffiliateID uuid.UUID // may outlive the affiliate
	Amount      Amount
	PayoutID    uuid.UUID  // zero: nothing was paid
	Skipped     SkipReason // empty: it was paid
	SoFar       RunCounts  // of the run's lines up to this one
}

// RecordID is the line's identity in the store.
func (r LineRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r LineRecord) Clone() LineRecord { return r }

// AppendKeys appends ByLine and OfRun.
func (r LineRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByLine, r.RunID.String()+r.AffiliateID.String())
	return append(dst, Key{Index: OfRun, ID: r.RunID})
}
