package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

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

// PlanParams is the input of Program.CreatePlan. Name is required.
type PlanParams struct {
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

// A Tier is a rank that affiliates reach by their results.
//
// Source: docs/contract.md 2.10.
type Tier struct {
	ID             uuid.UUID     `json:"id"`
	Tier           int64         `json:"tier"` // rank, 1 lowest
	Name           string        `json:"name"`
	Emoji          Opt[string]   `json:"emoji"`
	MinReferrals   int64         `json:"minReferrals"` // live ones
	MinRevenue     Amount        `json:"minRevenue"`   // of what is kept of live sales
	ConditionType  ConditionType `json:"conditionType"`
	CommissionRate Opt[Percent]  `json:"commissionRate"`     // of the program's commission type; null: no rate
	CreatedAt      Time          `json:"createdAt,omitzero"` // not in events
	UpdatedAt      Time          `json:"updatedAt,omitzero"` // not in events
}

// TierParams is the input of Program.CreateTier. Tier and Name are required.
type TierParams struct {
	Tier          int64         `json:"tier,omitzero"`         // rank, 1 lowest; ranks need not be unique
	Name          string        `json:"name" wire:"text"`      // 1–255 characters
	Emoji         string        `json:"emoji,omitzero"`        // empty: none
	MinReferrals  int64         `json:"minReferrals,omitzero"` // live referrals, ≥ 0
	MinRevenue    Amount        `json:"minRevenue,omitzero"`   // of what is kept of live sales, ≥ 0
	ConditionType ConditionType `json:"conditionType,omitzero"`
	Rate          Opt[Percent]  `json:"commissionRate,omitzero"` // not given: no rate
}

// TierUpdate is the input of Program.UpdateTier. A field that is not given
// stays as it is.
type TierUpdate struct {
	Tier          Opt[int64]         `json:"tier,omitzero"`
	Name          Opt[string]        `json:"name,omitzero" wire:"text"`
	Emoji         Opt[string]        `json:"emoji,omitzero"` // null: none
	MinReferrals  Opt[int64]         `json:"minReferrals,omitzero"`
	MinRevenue    Opt[Amount]        `json:"minRevenue,omitzero"`
	ConditionType Opt[ConditionType] `json:"conditionType,omitzero"`
	Rate          Opt[Percent]       `json:"commissionRate,omitzero"` // null: no rate
}
