package affiliate

import "slices"

// A Line is one line of an order: what was bought, how much of it, and what it cost
// before tax and shipping.
//
// Source: docs/contract.md 2.6.
type Line struct {
	ID         string      `json:"id,omitzero"`        // the host's, unique among the lines of the sale; a refund names the line by it
	ProductID  string      `json:"productId,omitzero"` // ID, ProductID, PlanID and each category: 1–255 characters when given, compared exactly
	PlanID     string      `json:"planId,omitzero"`    // the plan or price at the host or its payment provider
	Name       string      `json:"name,omitzero"`
	Categories []string    `json:"categories,omitempty"` // at most 16, distinct
	Quantity   Opt[Amount] `json:"quantity,omitzero"`    // > 0; not given: 1
	Amount     Amount      `json:"amount"`               // ≥ 0: of all pieces together, before any discount
	Discount   Amount      `json:"discount,omitzero"`    // ≥ 0, at most Amount: what others than PromoCode took off
}

// A SaleLine is a [Line] of a recorded sale.
type SaleLine struct {
	ID           Opt[string] `json:"id"`
	ProductID    Opt[string] `json:"productId"`
	PlanID       Opt[string] `json:"planId"`
	Name         Opt[string] `json:"name"`
	Categories   []string    `json:"categories"`
	Quantity     Amount      `json:"quantity"`
	Amount       Amount      `json:"amount"`
	Discount     Amount      `json:"discount"`
	CodeDiscount Amount      `json:"codeDiscount"`   // what the sale's promotional code took off the line
	Refunded     Amount      `json:"refundedAmount"` // by refunds that named the line; the others are shared by all lines
	Rule         Opt[string] `json:"rule"`           // the rule of the terms that decides what the line earns; null: the rate of the sale does
}

// A RefundLine says how much of a line was refunded.
type RefundLine struct {
	ID     string `json:"id"`     // of the line
	Amount Amount `json:"amount"` // > 0, without tax and shipping
}

// An ExplainedLine is the part of a line in the commission of its sale.
type ExplainedLine struct {
	ID    Opt[string]  `json:"id"` // null also for the one part of a sale without lines
	Base  Amount       `json:"base"`
	Kept  string       `json:"kept"` // of Base, after the refunds: a number or a fraction in lowest terms
	Rule  Opt[string]  `json:"rule"` // null: the terms of the sale
	Type  RuleType     `json:"commissionType"`
	Rate  Opt[Percent] `json:"commissionRate"` // null with NONE
	Exact string       `json:"exact"`          // what the line earns, like Kept
}

// StoredLine is a [SaleLine] as a store keeps it, with what its rule pays.
type StoredLine struct {
	ID           string
	ProductID    string
	PlanID       string
	Name         string
	Categories   []string
	Quantity     Amount
	Amount       Amount
	Discount     Amount
	CodeDiscount Amount
	Refunded     Amount
	Rule         string  // empty: the sale's rate
	Pay          RulePay // of Rule
	Whole        bool    // the sale has no lines, and a rule decided about all of it
}

// CloneLines copies lines with their categories.
func CloneLines(lines []StoredLine) []StoredLine {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Categories = slices.Clone(lines[i].Categories)
	}
	return lines
}
