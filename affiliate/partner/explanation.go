package partner

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Explanation says why a sale earned the affiliate what it did: an [affiliate.Explanation]
// without what would tell of the program's work or of other people.
type Explanation struct {
	Sale           Sale                               `json:"sale"`
	By             affiliate.CreditedBy               `json:"by"`            // what credited the affiliate
	ClickAt        affiliate.Opt[affiliate.Time]      `json:"clickAt"`       // of the click that did; null: none, or it was deleted
	CustomerSince  affiliate.Opt[affiliate.Time]      `json:"customerSince"` // when the customer was referred; null: nobody is known
	CommissionType affiliate.CommissionType           `json:"commissionType"`
	CommissionRate affiliate.Opt[affiliate.Percent]   `json:"commissionRate"` // the rate applied, where no rule decides
	RateFrom       affiliate.RateSource               `json:"rateFrom"`
	Payment        affiliate.Opt[int64]               `json:"payment"` // the customer's n-th payment; null: no customer, or no payment
	Over           affiliate.Opt[affiliate.OverLimit] `json:"over"`    // the limit of the terms that the sale exceeded; null: none
	Base           affiliate.ExplainedBase            `json:"base"`
	Arithmetic     affiliate.ExplainedArithmetic      `json:"arithmetic"`
	Lines          []affiliate.ExplainedLine          `json:"lines"`   // when rules decide about some of them, without their ids and the names of rules
	Entries        []Entry                            `json:"entries"` // what it earned, entry by entry
	Changes        []Change                           `json:"changes"` // of what it earned the affiliate, oldest first
}

// Entry is a commission of a sale.
type Entry struct {
	Amount         affiliate.Amount                    `json:"amount"`
	ApprovalStatus affiliate.ApprovalStatus            `json:"approvalStatus"`
	HoldReason     affiliate.Opt[affiliate.HoldReason] `json:"holdReason"`  // as in [Sale]
	PayableAt      affiliate.Opt[affiliate.Time]       `json:"payableAt"`   // from when a payout may take it; null: it is declined
	PayoutID       affiliate.Opt[uuid.UUID]            `json:"payoutId"`    // that has it
	AfterPayout    bool                                `json:"afterPayout"` // it is a change after a payout took an earlier entry; may be negative
}

// Change is a movement of what a sale earned between two accounts of the affiliate.
type Change struct {
	At     affiliate.Time    `json:"at"`
	Cause  affiliate.Cause   `json:"cause"`
	From   affiliate.Account `json:"from"`
	To     affiliate.Account `json:"to"`
	Amount affiliate.Amount  `json:"amount"` // > 0; 0 in a memo
}
