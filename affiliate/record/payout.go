package record

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The records of what is paid out: payouts, and adjustments. Those of payout
// runs are in run.go.

// Payout is a stored [affiliate.Payout].
type Payout struct {
	ID            uuid.UUID
	AffiliateID   uuid.UUID
	Amount        affiliate.Amount
	Status        affiliate.PayoutStatus
	PaymentMethod affiliate.PaymentMethod
	PeriodStart   affiliate.Instant
	PeriodEnd     affiliate.Instant
	ExternalID    string
	ManuallyPaid  bool
	PaidAt        affiliate.Instant
	FailedReason  string
	PayeeName     string                 `json:",omitzero"`  // as PaymentMethod and PayeeEmail, the affiliate's when the payout was created
	PayeeEmail    string                 `json:",omitzero"`  // the payout email
	CanceledAt    affiliate.Instant      `json:",omitzero"`  // zero: it is not canceled
	Items         []affiliate.PayoutItem `json:",omitempty"` // what it took, oldest first
	Commissions   []int64                // in records older than Items: the numbers of the commissions
	CreatedAt     affiliate.Instant
	UpdatedAt     affiliate.Instant
	RunID         uuid.UUID `json:",omitzero"` // zero: no run made it

	ReturnedAt     affiliate.Instant `json:",omitzero"` // zero: it did not come back
	ReturnedReason string            `json:",omitzero"`
}

// RecordID returns the payout's id.
func (r Payout) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r Payout) Clone() Payout {
	r.Items = slices.Clone(r.Items)
	r.Commissions = slices.Clone(r.Commissions)
	return r
}

// AppendKeys appends OfAffiliate, OfState and OfRun.
func (r Payout) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	return AppendID(AppendText(dst, OfState, string(r.Status)), OfRun, r.RunID)
}

// Adjustment is a stored [affiliate.Adjustment].
type Adjustment struct {
	ID          uuid.UUID
	AffiliateID uuid.UUID
	Sale        int64 // the number of its sale, which may be deleted before it; zero: none
	Kind        affiliate.AdjustmentKind
	Amount      affiliate.Amount
	Reason      string
	ExternalID  string
	Reverses    uuid.UUID // the adjustment that it takes back; zero: none
	ReversedBy  uuid.UUID // the adjustment that takes it back; zero: none
	PayoutID    uuid.UUID // zero: in no payout
	CreatedAt   affiliate.Instant
}

// RecordID returns the adjustment's id.
func (r Adjustment) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Adjustment) Clone() Adjustment { return r }

// AppendKeys appends ByExternalID, OfAffiliate, OfPayable and OfPayout.
func (r Adjustment) AppendKeys(dst []Key) []Key {
	dst = AppendText(dst, ByExternalID, r.ExternalID)
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	if r.PayoutID == uuid.Nil {
		return append(dst, Key{Index: OfPayable, ID: r.AffiliateID})
	}
	return append(dst, Key{Index: OfPayout, ID: r.PayoutID})
}

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
