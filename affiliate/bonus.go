package affiliate

// A Bonus is what an affiliate, or the customer whom they bring, gets besides commissions, each
// time when so many customers sign up, pay, or have paid so much.
//
// A [GrantBonusesJob] compares what everybody has with what they should have, gives what is missing
// as an [Adjustment] of the kind BONUS, and takes the last ones back when refunds and the like undo
// what they were for.
//
// Exactly one of SignUps, Customers and Revenue is given. A sale whose commission is on hold or
// declined does not count, and neither does what was imported as past.
//
// Source: docs/rewards.md 5.
type Bonus struct {
	// What it is called, 1–100 characters; unique among the bonuses of the terms. Everybody who gets
	// it reads it. Another name is another bonus, which counts for itself.
	Name string `json:"name"`
	// Who gets it; not given: AFFILIATE.
	To BonusTo `json:"to,omitzero"`
	// What happened from then on counts; required. A plain date is the beginning of that day in the
	// program's time zone.
	From Date `json:"from"`
	// It is counted anew for each day, week, month, quarter or year of the program's time zone; not
	// given: once for all time. A sale belongs to the period in which it was paid, a customer to that
	// in which they signed up.
	Per Interval `json:"per,omitzero"`
	// Each time when so many customers signed up, which is when there is a referral; 1 for the customer.
	SignUps int64 `json:"signUps,omitzero" wire:"positive"`
	// Each time when so many customers who signed up since From have paid; 1 for the customer.
	Customers int64 `json:"customers,omitzero" wire:"positive"`
	// What each of Customers must have paid at least, less refunds; not given: anything.
	MinSpend Amount `json:"minSpend,omitzero"`
	// Each time when customers have paid so much, less refunds.
	Revenue Amount `json:"revenue,omitzero"`
	// Days of 24 hours until a payment or a sign-up counts, 0–3,650; not given: none.
	HoldDays int64 `json:"holdDays,omitzero" wire:"ranged"`
	// How often an affiliate gets it at most, in each period if there are any, 1–10,000; not given: 10,000.
	Times int64 `json:"times,omitzero" wire:"positive"`
	// What is given each time, above zero, in the program's currency, rounded to its digits.
	Amount Amount `json:"amount"`
}

// BonusTo says who gets a [Bonus].
type BonusTo string

// Who gets a bonus.
const (
	BonusToAffiliate BonusTo = "AFFILIATE"
	// The customer: the affiliate who has the customer's ReferredUserExternalID as ExternalID. Until
	// there is one, and when it is the affiliate who brought them, nobody gets it.
	BonusToCustomer BonusTo = "CUSTOMER"
)

// BonusesTo returns who may get a bonus.
func BonusesTo() []BonusTo { return []BonusTo{BonusToAffiliate, BonusToCustomer} }

// A BonusProgress is how far an affiliate is with a bonus of their terms that affiliates get.
type BonusProgress struct {
	Bonus
	// When the present period began; null: it has none.
	PeriodFrom Opt[Time] `json:"periodFrom"`
	// The sign-ups, the customers or the revenue that count by now, in the present period.
	Reached Amount `json:"reached"`
	// How often it was given for that, less what was taken back.
	Given int64 `json:"given"`
	// How much has to be reached for the next one; null: there is none.
	Next Opt[Amount] `json:"next"`
}
