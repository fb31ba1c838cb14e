package affiliate

import "github.com/google/uuid"

// Terms say what a sale earns. With the zero Terms, 0 %, sales are recorded,
// attributed and counted, and earn nothing. That is no error, because
// affiliates, tiers and plans may have rates of their own.
type Terms struct {
	Rate        Percent        `json:"commissionRate"`                            // 0–100; FLAT: an amount for each payment, ≥ 0; zero pays nothing
	Type        CommissionType `json:"commissionType,omitzero"`                   // zero: PERCENTAGE
	MaxPayments int64          `json:"numberOfPayments,omitzero" wire:"positive"` // per referral, without those refunded in full; 0: no limit
	MaxMonths   int64          `json:"numberOfMonths,omitzero" wire:"positive"`   // of the customer, see [RuleWhen]; 0: no limit
	HoldDays    int64          `json:"holdDays,omitzero" wire:"ranged"`           // 0–3,650: days of 24 hours from a sale until a payout may take its commission; 0: none
	Rules       []Rule         `json:"rules,omitempty"`                           // at most 64; the first one that holds decides about a line
	MonthsFrom  MonthsFrom     `json:"monthsFrom,omitzero"`                       // of MaxMonths and of the rules; zero: PAYMENT

	// What a sale, and all sales of a customer together, earn at most; zero: no cap. What a
	// sale may earn is fixed when it is recorded: a refund makes room for later sales, and
	// never raises an earlier one. A rate that is given for one sale, and a commission that
	// is set by hand, have no cap; a sale without a customer has none of MaxPerCustomer.
	MaxPerSale     Amount `json:"maxPerSale,omitzero"`
	MaxPerCustomer Amount `json:"maxPerCustomer,omitzero"` // of all affiliates, without declined commissions

	// OfferCouponID is the coupon that whoever comes by a link gets without typing a code: see
	// [Order].Offer. That of an affiliate is before that of its plan, and that before the program's; zero: none.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
}

// Update returns the update that replaces all terms by these.
func (t Terms) Update() TermsUpdate {
	if t.Type == "" {
		t.Type = CommissionPercentage
	}
	if t.MonthsFrom == "" {
		t.MonthsFrom = MonthsFromPayment
	}
	up := TermsUpdate{
		Rate: Set(t.Rate), Type: Set(t.Type), MaxPayments: nullIfZero(t.MaxPayments), MaxMonths: nullIfZero(t.MaxMonths),
		HoldDays: Set(t.HoldDays), Rules: Null[[]Rule](), MonthsFrom: Set(t.MonthsFrom),
		MaxPerSale: nullIfZero(t.MaxPerSale), MaxPerCustomer: nullIfZero(t.MaxPerCustomer), OfferCouponID: nullIfZero(t.OfferCouponID),
	}
	if len(t.Rules) > 0 {
		up.Rules = Set(t.Rules)
	}
	return up
}

func nullIfZero[T comparable](v T) Opt[T] {
	if v == *new(T) {
		return Null[T]()
	}
	return Set(v)
}

// A Plan is a set of terms that affiliates can be put on. Its own fields are the terms in
// force.
//
// Source: docs/contract.md 2.9.
type Plan struct {
	ID                 uuid.UUID      `json:"id"`
	Name               string         `json:"name"`
	CommissionRate     Percent        `json:"commissionRate"` // FLAT: an amount
	CommissionType     CommissionType `json:"commissionType"`
	NumberOfPayments   Opt[int64]     `json:"numberOfPayments"` // null: no limit
	NumberOfMonths     Opt[int64]     `json:"numberOfMonths"`   // null: no limit
	PaymentTrigger     PaymentTrigger `json:"paymentTrigger"`
	AutoApproveRewards bool           `json:"autoApproveRewards"` // false: new commissions are ON_HOLD
	RewardType         RewardType     `json:"rewardType"`
	HoldDays           int64          `json:"holdDays"`            // docs/money.md 5
	Rules              []Rule         `json:"rules,omitempty"`     // not there: none
	MonthsFrom         MonthsFrom     `json:"monthsFrom,omitzero"` // not there: PAYMENT
	MaxPerSale         Amount         `json:"maxPerSale,omitzero"` // of the commission; not there: no cap
	MaxPerCustomer     Amount         `json:"maxPerCustomer,omitzero"`
	OfferCouponID      uuid.UUID      `json:"offerCouponId,omitzero"` // not there: no offer of its own
	Versions           []DatedTerms   `json:"versions,omitempty"`     // oldest first; not there: the terms have no dates; not in events
	CreatedAt          Time           `json:"createdAt,omitzero"`     // not in events
	UpdatedAt          Time           `json:"updatedAt,omitzero"`     // not in events
}

// NewPlan is the input of Program.CreatePlan. Name is required.
type NewPlan struct {
	Name               string         `json:"name" wire:"text"` // 1–255 characters, not unique
	Terms                             // zero: 0 %
	PaymentTrigger     PaymentTrigger `json:"paymentTrigger,omitzero"`     // zero: PURCHASE
	AutoApproveRewards Opt[bool]      `json:"autoApproveRewards,omitzero"` // not given: true; false: new commissions are ON_HOLD until reviewed
}

// PlanUpdate is the input of Program.UpdatePlan. A field that is not given
// stays as it is.
type PlanUpdate struct {
	Name Opt[string] `json:"name,omitzero" wire:"text"`
	TermsUpdate
	PaymentTrigger     Opt[PaymentTrigger] `json:"paymentTrigger,omitzero"`     // of the plan, whatever From says
	AutoApproveRewards Opt[bool]           `json:"autoApproveRewards,omitzero"` // likewise
}
