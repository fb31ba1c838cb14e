package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// The records of what is paid out: payouts, and adjustments beside commissions.
// Those of payout runs are in record_run.go.

// PayoutRecord is a stored [Payout].
type PayoutRecord struct {
	ID            uuid.UUID
	AffiliateID   uuid.UUID
	Amount        Amount
	Status        PayoutStatus
	PaymentMethod PaymentMethod
	PeriodStart   Instant
	PeriodEnd     Instant
	ExternalID    string
	ManuallyPaid  bool
	PaidAt        Instant
	FailedReason  string
	PayeeName     string       `json:",omitzero"`  // of the affiliate when the payout was created, as PaymentMethod and PayeeEmail are
	PayeeEmail    string       `json:",omitzero"`  // the payout email
	CanceledAt    Instant      `json:",omitzero"`  // zero: it is not canceled
	Items         []PayoutItem `json:",omitempty"` // what it took, oldest first
	Commissions   []int64      // the same in records older than Items: numbers of commissions
	CreatedAt     Instant
	UpdatedAt     Instant
	RunID         uuid.UUID `json:",omitzero"` // zero: no run made it

	ReturnedAt     Instant `json:",omitzero"` // zero: it did not come back
	ReturnedReason string  `json:",omitzero"`
}

// PayoutItem is one entry that a payout took: a commission by its number, with
// the number of its sale, or an adjustment. Both: the commission of a sale that was
// given to another affiliate since, which the adjustment stands for.
type PayoutItem struct {
	Sale       int64     `json:",omitzero"`
	Commission int64     `json:",omitzero"`
	Adjustment uuid.UUID `json:",omitzero"`
}

// commissions are the numbers of the commissions that the payout took.
func (r *PayoutRecord) commissions() []int64 {
	if len(r.Items) == 0 {
		return r.Commissions
	}
	numbers := make([]int64, 0, len(r.Items))
	for _, item := range r.Items {
		if item.Commission != 0 {
			numbers = append(numbers, item.Commission)
		}
	}
	return numbers
}

// adjustments are the adjustments that the payout took.
func (r *PayoutRecord) adjustments() []uuid.UUID {
	ids := []uuid.UUID{}
	for _, item := range r.Items {
		if item.Commission == 0 {
			ids = append(ids, item.Adjustment)
		}
	}
	return ids
}

// live reports whether the payout holds what it took.
func (r *PayoutRecord) live() bool { return r.Status != PayoutCanceled && r.Status != PayoutReturned }

// RecordID is the payout's id.
func (r PayoutRecord) RecordID() uuid.UUID { return r.ID }

// Clone copies the record with its lists.
func (r PayoutRecord) Clone() PayoutRecord {
	r.Items = slices.Clone(r.Items)
	r.Commissions = slices.Clone(r.Commissions)
	return r
}

// AppendKeys appends OfAffiliate, OfState and OfRun.
func (r PayoutRecord) AppendKeys(dst []Key) []Key {
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	return appendID(appendText(dst, OfState, string(r.Status)), OfRun, r.RunID)
}

// AdjustmentRecord is a stored [Adjustment].
type AdjustmentRecord struct {
	ID          uuid.UUID
	AffiliateID uuid.UUID
	Sale        int64 // the number of its sale, which it may outlive; zero: none
	Kind        AdjustmentKind
	Amount      Amount
	Reason      string
	ExternalID  string
	Reverses    uuid.UUID // the adjustment that it takes back; zero: none
	ReversedBy  uuid.UUID // the adjustment that takes it back; zero: none
	PayoutID    uuid.UUID // zero: in no payout
	CreatedAt   Instant
}

// RecordID is the adjustment's id.
func (r AdjustmentRecord) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r AdjustmentRecord) Clone() AdjustmentRecord { return r }

// AppendKeys appends ByExternalID, OfAffiliate, OfPayable and OfPayout.
func (r AdjustmentRecord) AppendKeys(dst []Key) []Key {
	dst = appendText(dst, ByExternalID, r.ExternalID)
	dst = append(dst, Key{Index: OfAffiliate, ID: r.AffiliateID})
	if r.PayoutID == uuid.Nil {
		return append(dst, Key{Index: OfPayable, ID: r.AffiliateID})
	}
	return append(dst, Key{Index: OfPayout, ID: r.PayoutID})
}

// isMoved reports whether the movement of a sale that was given to another affiliate
// booked the adjustment, so that it has none of its own.
func (r *AdjustmentRecord) isMoved() bool { return r.Kind == AdjustMove && r.Reverses == uuid.Nil }
