package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A Payout is a record of commissions and adjustments that are paid together.
// The engine moves no money.
//
// Source: docs/contract.md 2.8.
type Payout struct {
	ID uuid.UUID `json:"id"`
	// Who is paid.
	AffiliateID uuid.UUID `json:"affiliateId"`
	// The sum of what it took; above 0.
	Amount Amount `json:"amount"`
	// The currency of the program.
	Currency Currency `json:"currency"`
	// CANCELED and RETURNED are final: such a payout has let go what it took.
	Status PayoutStatus `json:"status"`
	// How the affiliate was paid when the payout was made.
	PaymentMethod Opt[PaymentMethod] `json:"paymentMethod"`
	// The affiliate's name when the payout was made.
	PayeeName Opt[string] `json:"payeeName"`
	// The affiliate's payout email when the payout was made.
	PayeeEmail Opt[string] `json:"payeeEmail"`
	// The time of the oldest of what it took.
	PeriodStart Opt[Time] `json:"periodStart"`
	// The time of the newest of what it took.
	PeriodEnd Opt[Time] `json:"periodEnd"`
	// The caller's own id of the payment; not unique.
	ExternalID Opt[string] `json:"externalId"`
	// True when it was PAID from the start.
	ManuallyPaid bool `json:"manuallyPaid"`
	// When it became PAID; also of one that is RETURNED.
	PaidAt Opt[Time] `json:"paidAt"`
	// Why it is FAILED.
	FailedReason Opt[string] `json:"failedReason"`
	// When it became CANCELED.
	CanceledAt Opt[Time] `json:"canceledAt"`
	// When it became RETURNED: when it was said that the money came back.
	ReturnedAt Opt[Time] `json:"returnedAt"`
	// Why the money came back.
	ReturnedReason Opt[string] `json:"returnedReason"`
	// The commissions that it took, oldest first; once it is CANCELED or RETURNED they are free
	// again, and some may be gone.
	CommissionIDs []CommissionID `json:"commissionIds"`
	// The adjustments that it took, oldest first; as of CommissionIDs.
	AdjustmentIDs []uuid.UUID `json:"adjustmentIds"`
	// The payout run that made it; null: none.
	RunID     Opt[uuid.UUID] `json:"runId"`
	CreatedAt Time           `json:"createdAt"`
	UpdatedAt Time           `json:"updatedAt"`
}

// PayoutParams is the input of Program.CreatePayout. It names the affiliate by id
// or by email.
type PayoutParams struct {
	// Who is paid: the id, the email or both.
	AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
	// The email of who is paid.
	AffiliateEmail string `json:"affiliateEmail,omitzero"`
	// What is positive is taken until then, inclusive, by the millisecond of the sale; a plain
	// date is its last millisecond. Not given: now. What is negative is taken whatever its time.
	Until      time.Time `json:"until,omitzero" wire:"end"`
	ExternalID string    `json:"externalId,omitzero"`
	// True when it is paid already: the payout starts as PAID.
	ManuallyPaid bool `json:"manuallyPaid,omitzero"`
	// Nothing is paid below it; 0 or more.
	Minimum Amount `json:"minimum,omitzero"`
	// The currency of the minimum, in any letter case: the program's, which is also meant when
	// it is not given. Another one is refused.
	Currency Currency `json:"currency,omitzero"`
}

// PayoutQuery selects the payouts that match every field that is set; without
// a field it selects all. A field that is set to null or to a zero value
// selects nothing.
//
// Source: docs/contract.md 2.8; docs/money.md 4.
type PayoutQuery struct {
	// The payouts of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The payouts of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// The payouts in this status; not given: any.
	Status PayoutStatus `json:"status,omitzero"`
	// The payouts of this payout run.
	RunID Opt[uuid.UUID] `json:"runId,omitzero"`
	// The payouts that are paid in this way, as was kept with them; not given: any or none.
	Method PaymentMethod `json:"method,omitzero"`
}

// PayoutSums are what the payouts that fit a query add up to, in all and by status.
type PayoutSums struct {
	All        PayoutSum `json:"all"`        // All that fit.
	Pending    PayoutSum `json:"pending"`    // Those that are PENDING.
	Processing PayoutSum `json:"processing"` // Those that are PROCESSING.
	Paid       PayoutSum `json:"paid"`       // Those that are PAID.
	Failed     PayoutSum `json:"failed"`     // Those that are FAILED.
	Canceled   PayoutSum `json:"canceled"`   // Those that are CANCELED.
	Returned   PayoutSum `json:"returned"`   // Those that are RETURNED.
}

// A PayoutSum is how many payouts there are, and what they add up to.
type PayoutSum struct {
	Count  int64  `json:"count"`  // How many they are.
	Amount Amount `json:"amount"` // The sum of their amounts.
}

// Next returns the statuses that a payout with this status can get. A final
// status has none.
//
// Source: docs/money.md 4.
func (s PayoutStatus) Next() []PayoutStatus {
	switch s {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutPaid:
		return []PayoutStatus{PayoutReturned}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing, PayoutCanceled}
	}
	return nil
}

// A PayoutEntry is something that a payout took: a commission or an adjustment.
type PayoutEntry struct {
	SaleID       Opt[SaleID]         `json:"saleId"`       // of a commission, and of an adjustment that belongs to a sale
	CommissionID Opt[CommissionID]   `json:"commissionId"` // null: it is an adjustment
	AdjustmentID Opt[uuid.UUID]      `json:"adjustmentId"` // null: it is a commission; with one: see [AdjustMove]
	Kind         Opt[AdjustmentKind] `json:"kind"`
	Reason       Opt[string]         `json:"reason"` // of the adjustment
	Amount       Opt[Amount]         `json:"amount"` // as it is now; null: it was deleted since the payout let it go
	At           Opt[Time]           `json:"at"`     // of the sale, or of the entry when it came later
}

// A Transfer is what a payer needs to know of a payout. Package payfile writes
// transfers into the files of payment providers.
//
// Source: docs/money.md 7.
type Transfer struct {
	PayoutID uuid.UUID
	Status   PayoutStatus
	Amount   Amount
	Currency Currency
	Method   PaymentMethod // as Name and Email, the affiliate's when the payout was created; may be empty
	Name     string
	Email    string
	Note     string // to the payee; empty here, for the caller to fill
}

// PayoutRun is the input of Program.RunPayouts and Program.PreviewPayouts:
// the settings of a run that pays every affiliate to whom enough is due.
//
// Source: docs/money.md 6.
type PayoutRun struct {
	// The caller's own id, 1–255 characters; the run is known by it. A preview needs none.
	ExternalID string `json:"externalId,omitzero" wire:"name"`
	// What is positive is taken until then; a plain date is its last millisecond. Not given: the
	// moment at which the run is begun.
	Until time.Time `json:"until,omitzero" wire:"end"`
	// An affiliate to whom less is due is paid nothing; 0 or more. Not given: the payout minimum
	// of the program when the run is begun.
	Minimum Opt[Amount] `json:"minimum,omitzero"`
	// The currency of the minimum, in any letter case: the program's, which is also meant when
	// it is not given. Another one is refused.
	Currency Currency `json:"currency,omitzero"`
	// Only affiliates who are paid in one of these ways; empty: all.
	Methods []PaymentMethod `json:"methods,omitempty"`
	// Pay affiliates without a payment method or a payout email too.
	NoDetails bool `json:"noDetails,omitzero"`
	// Only these affiliates, at most 10,000; empty: all.
	AffiliateIDs []uuid.UUID `json:"affiliateIds,omitempty"`
	// None of these affiliates, at most 10,000. One whom nobody knows is refused.
	ExceptIDs []uuid.UUID `json:"exceptIds,omitempty"`

	// How many affiliates this call examines; of a preview, how many lines a page has.
	//
	// Of RunPayouts 0–1,000; zero: all of them. It is no setting of the run, and PreviewPayouts
	// ignores it.
	Limit int `json:"limit,omitzero"`
}

// PayoutRunResult is a payout run with its results, or with those so far while it
// is RUNNING.
type PayoutRunResult struct {
	ID         uuid.UUID `json:"id"`
	ExternalID string    `json:"externalId"` // The caller's own id; the run is known by it.
	Status     RunStatus `json:"status"`     // RUNNING until every affiliate was examined.
	Until      Time      `json:"until"`      // What is positive is taken until then.
	Created    int64     `json:"created"`    // How many payouts it made.
	// How many affiliates with something open were paid nothing.
	Skipped int64  `json:"skipped"`
	Total   Amount `json:"total"` // The sum of the payouts.
	// When it was begun. Holding periods are judged at this time.
	StartedAt  Time      `json:"startedAt"`
	FinishedAt Opt[Time] `json:"finishedAt"` // When it became DONE.
}

// A PayoutLine is the result of a run for one affiliate with something open. In a
// preview PayoutID is null.
type PayoutLine struct {
	AffiliateID uuid.UUID `json:"affiliateId"` // Whose it is.
	Amount      Amount    `json:"amount"`      // What is paid, or not paid for the reason.
	// The payout; null when there is none, as in every preview.
	PayoutID Opt[uuid.UUID]  `json:"payoutId"`
	Skipped  Opt[SkipReason] `json:"skipped"` // Why nothing is paid; null when it is.
}

// PayoutItem is one entry that a payout took: a commission by its number, with the
// number of its sale, or an adjustment. It has both when the sale has moved to
// another affiliate since: then the adjustment replaces the commission.
type PayoutItem struct {
	Sale       int64     `json:",omitzero"`
	Commission int64     `json:",omitzero"`
	Adjustment uuid.UUID `json:",omitzero"`
}

// RunCounts sums up lines of a payout run.
type RunCounts struct {
	Created int64
	Skipped int64
	Total   Amount // of the payouts
}
