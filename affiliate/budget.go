package affiliate

import "github.com/google/uuid"

// A Budget is the most that some sales earn together, in commission, in number, or both. A
// commission that does not fit is cut to what is left, when it is recorded and whenever it
// rises. A commission on hold counts; a refund, a decline and a deletion give room back, but
// what was cut stays cut.
//
// A commission that is set by hand counts too, and is never cut. Sales that were recorded
// before the terms had the budget, and imported ones, do not count. When another amount, number
// or Whole is set, what was used stays used.
//
// Source: docs/rewards.md.
type Budget struct {
	// Whose sales share it; required.
	Of BudgetOf `json:"of"`
	// It begins again with each day, week, month, quarter or year of the program's time zone; not
	// given: it never does.
	Per Interval `json:"per,omitzero"`
	// Only sales with this coupon, by a code or by what a link gives; not given: all.
	CouponID uuid.UUID `json:"couponId,omitzero"`
	// Only sales whose landing page has this utm_campaign, 1–255 characters, compared exactly;
	// not given: all.
	UTMCampaign string `json:"utmCampaign,omitzero"`
	// What the sales earn together at most, in the program's currency; not given: any amount.
	MaxCommission Amount `json:"maxCommission,omitzero"`
	// How many of them earn something at most; not given: any number.
	MaxRewards int64 `json:"maxRewards,omitzero" wire:"positive"`
	// True: a commission that does not fit whole is nothing.
	Whole bool `json:"whole,omitzero"`
}

// BudgetOf says whose sales share a [Budget].
type BudgetOf string

// Whose sales share a budget.
const (
	BudgetOfAffiliate BudgetOf = "AFFILIATE" // those of one affiliate: each has it whole
	BudgetOfAll       BudgetOf = "ALL"       // those of everybody by these terms
)

// BudgetsOf returns whose sales may share a budget.
func BudgetsOf() []BudgetOf { return []BudgetOf{BudgetOfAffiliate, BudgetOfAll} }

// A BudgetUse is how much of a budget is used in one of its periods. There is one as soon as a
// sale earns something of it.
type BudgetUse struct {
	ID uuid.UUID `json:"id"`
	// As the terms had it by which the last sale took something.
	Budget
	// The plan that has it; null: the program's terms.
	CommissionPlanID Opt[uuid.UUID] `json:"commissionPlanId"`
	// Whose sales share it; null: everybody's.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId"`
	From        Opt[Time]      `json:"from"`       // When the period begins, inclusive; null: it has none.
	To          Opt[Time]      `json:"to"`         // When it ends, exclusive; null: it has none.
	Commission  Amount         `json:"commission"` // What the sales earned, without what was declined.
	Rewards     int64          `json:"rewards"`    // How many of them earned something.
	Status      BudgetStatus   `json:"status"`     // Whether there is something left.
}

// BudgetStatus says how much of a budget is left.
type BudgetStatus string

// The states of a budget, by its commission or its rewards, whichever is used more.
const (
	BudgetOpen   BudgetStatus = "OPEN"
	BudgetLow    BudgetStatus = "LOW" // four fifths are used, or more
	BudgetUsedUp BudgetStatus = "SPENT"
)

// BudgetStatuses returns the states of budgets.
func BudgetStatuses() []BudgetStatus { return []BudgetStatus{BudgetOpen, BudgetLow, BudgetUsedUp} }

// BudgetQuery selects the budgets that match every field that is set; without a field it selects
// all. An id or an email that is set to null or to zero selects nothing.
type BudgetQuery struct {
	// Those that this affiliate has whole.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// Those that the affiliate with this email has whole.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// Those in this status; not given: any.
	Status BudgetStatus `json:"status,omitzero"`
	// Those that one affiliate has whole, or those that everybody shares; not given: any.
	Of BudgetOf `json:"of,omitzero"`
	// True: only those whose period is not over, and those without one.
	Current bool `json:"current,omitzero"`
}

// An ExplainedBudget is a budget in which a sale counts.
type ExplainedBudget struct {
	Budget
	From Opt[Time] `json:"from"` // When its period began; null: it has none.
	// What was left of its commission for the sale when the budget cut it; null: it did not, or the
	// budget is of rewards alone.
	Left Opt[Amount] `json:"left"`
	// What the sale may earn at most since then; null: it was not cut.
	Most Opt[Amount] `json:"most"`
}
