package affiliate

import "github.com/google/uuid"

// TermsUpdate is the input of Program.SetTerms. A field that is not given stays as it is.
//
// Terms have versions, each from a moment on, and a sale takes the one that was in force
// when it was paid. Without From, the version in force changes, at once. With From, the
// change begins then: it is a version that starts as the one before it, or the one that
// begins at just this moment, changed.
//
// Source: docs/terms.md 7.
type TermsUpdate struct {
	Rate           Opt[Percent]        `json:"commissionRate,omitzero"`
	Type           Opt[CommissionType] `json:"commissionType,omitzero"`
	MaxPayments    Opt[int64]          `json:"numberOfPayments,omitzero" wire:"positive"` // ≥ 1; null: no limit
	MaxMonths      Opt[int64]          `json:"numberOfMonths,omitzero" wire:"positive"`   // ≥ 1; null: no limit
	HoldDays       Opt[int64]          `json:"holdDays,omitzero" wire:"ranged"`
	Rules          Opt[[]Rule]         `json:"rules,omitzero"` // replaced as a whole; null: none
	MonthsFrom     Opt[MonthsFrom]     `json:"monthsFrom,omitzero"`
	MaxPerSale     Opt[Amount]         `json:"maxPerSale,omitzero"`     // null: no cap
	MaxPerCustomer Opt[Amount]         `json:"maxPerCustomer,omitzero"` // null: no cap
	OfferCouponID  Opt[uuid.UUID]      `json:"offerCouponId,omitzero"`  // null: none

	From     Opt[Date] `json:"from,omitzero"`     // later than now; a plain date: the beginning of that day in the zone of the program
	Withdraw Opt[Date] `json:"withdraw,omitzero"` // takes back the version that begins then and is not in force yet, before all else
}

// DatedTerms are, in an answer, terms from a moment on. They hold until the next ones.
type DatedTerms struct {
	From    Opt[Time] `json:"from"`    // null: since always
	InForce bool      `json:"inForce"` // those before are past, those after are to come
	ProgramTerms
}

// StoredTerms are [DatedTerms] as a record keeps them.
type StoredTerms struct {
	From  Instant
	Terms Terms
}
