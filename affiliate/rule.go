package affiliate

import "slices"

// A Rule gives some lines of some sales another commission than the rate of the
// terms. For each line of a sale the first rule of the terms that holds decides. A sale
// without lines is one line with its product.
//
// A rule of type NONE decides before all rates and rules. The other rules come after the
// rate of the sale, of the affiliate and of the tier, and before the rate of the plan or
// the program; one that is Firm comes before the rates of affiliate and tier.
//
// Source: docs/terms.md.
type Rule struct {
	Name string   `json:"name"` // 1–100 characters, unique in the terms
	When RuleWhen `json:"when,omitzero"`
	Pay  RulePay  `json:"pay"`
	Firm bool     `json:"firm,omitzero"` // also for affiliates with a rate of their own or of their tier
}

// RuleWhen says for which lines a [Rule] holds: those that meet every condition. A
// condition that is not set is met. Lists have at most 100 distinct entries of 1–255
// characters, which are compared exactly.
type RuleWhen struct {
	Products      []string `json:"products,omitempty"` // productId of the line is one of them
	Plans         []string `json:"plans,omitempty"`    // planId of the line is one of them
	Categories    []string `json:"categories,omitempty"`
	NotProducts   []string `json:"notProducts,omitempty"` // productId of the line is none of them
	NotPlans      []string `json:"notPlans,omitempty"`
	NotCategories []string `json:"notCategories,omitempty"`

	// The number of the payment of its customer, from 1: not those that were refunded in
	// full, and no free orders. A sale without a customer, and a free order, has no
	// number, and a rule with one of these two does not hold for it.
	PaymentFrom int64 `json:"paymentFrom,omitzero"`
	PaymentTo   int64 `json:"paymentTo,omitzero"` // inclusive

	// The month of the customer, from 1, which begins with the first payment, or with
	// the referral if Terms.MonthsFrom says so. A month ends on the day of its number in the
	// zone of the program: that day is the first of the next one. Not for a sale without a
	// customer.
	MonthFrom int64 `json:"monthFrom,omitzero"`
	MonthTo   int64 `json:"monthTo,omitzero"` // inclusive

	Customer RuleCustomer     `json:"customer,omitzero"`
	Triggers []PaymentTrigger `json:"paymentTriggers,omitempty"`

	// The names of conversions: the rule is for these alone, pays FLAT or NONE, has no
	// other condition and is not firm. Rules without them are for sales alone.
	Conversions []string `json:"conversions,omitempty"`
}

// RuleCustomer says of which customers a [Rule] is.
type RuleCustomer string

// The customers of a rule. A sale without a customer is of neither.
const (
	CustomerNew       RuleCustomer = "NEW"       // this is the first payment
	CustomerReturning RuleCustomer = "RETURNING" // there was an earlier one
)

// RulePay is what a [Rule] pays.
type RulePay struct {
	Type RuleType `json:"commissionType"`
	Rate Percent  `json:"commissionRate"` // PERCENTAGE: 0–100; FLAT, UNIT: an amount ≥ 0; NONE: zero
}

// RuleType says how a [Rule] pays.
type RuleType string

// The types of rules.
const (
	RulePercentage RuleType = "PERCENTAGE" // of what is kept of the lines
	RuleFlat       RuleType = "FLAT"       // an amount for the sale, once for all its lines that the rule decides
	RuleUnit       RuleType = "UNIT"       // an amount for each piece
	RuleNone       RuleType = "NONE"       // nothing
)

// MonthsFrom says when the months of a customer begin.
type MonthsFrom string

// The beginnings of the first month.
const (
	MonthsFromPayment  MonthsFrom = "PAYMENT"  // the customer's first payment
	MonthsFromReferral MonthsFrom = "REFERRAL" // when the customer was referred
)

// Clone copies the terms with their rules.
func (t Terms) Clone() Terms {
	t.Rules = slices.Clone(t.Rules)
	for i := range t.Rules {
		w := &t.Rules[i].When
		for _, list := range []*[]string{&w.Products, &w.Plans, &w.Categories, &w.NotProducts, &w.NotPlans, &w.NotCategories, &w.Conversions} {
			*list = slices.Clone(*list)
		}
		w.Triggers = slices.Clone(w.Triggers)
	}
	return t
}
