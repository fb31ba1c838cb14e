package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// Terms say what a sale earns. With the zero Terms, 0 %, sales are recorded,
// attributed and counted, and earn nothing. That is no error, because
// affiliates, tiers and plans may have rates of their own.
type Terms struct {
	// 0–100, or an amount for each payment, of 0 or more, of the flat type; zero pays nothing.
	Rate Percent `json:"commissionRate"`
	// What the rate is; not given: PERCENTAGE.
	Type CommissionType `json:"commissionType,omitzero"`
	// It pays for so many payments of a referral, without those refunded in full; not given: no
	// limit.
	MaxPayments int64 `json:"numberOfPayments,omitzero" wire:"positive"`
	// It pays for so many months of a customer; not given: no limit.
	//
	// See [RuleWhen].
	MaxMonths int64 `json:"numberOfMonths,omitzero" wire:"positive"`
	// Days of 24 hours until a payout may take the commission of a sale, 0–3,650; not given:
	// none.
	HoldDays int64 `json:"holdDays,omitzero" wire:"ranged"`
	// What some lines of some sales earn instead of the rate, at most 64; the first one that
	// holds decides about a line.
	Rules []Rule `json:"rules,omitempty"`
	// With what the months of a customer begin, here and in rules: the first payment, or the
	// referral; not given: PAYMENT.
	MonthsFrom MonthsFrom `json:"monthsFrom,omitzero"`

	// What a sale earns at most; not given: no cap.
	//
	// What a sale may earn is fixed when it is recorded: a refund makes room for later sales,
	// and never raises an earlier one. A rate that is given for one sale, and a commission that
	// is set by hand, have no cap; a sale without a customer has none of MaxPerCustomer.
	MaxPerSale Amount `json:"maxPerSale,omitzero"`
	// What all sales of a customer earn together at most, of all affiliates, without declined
	// commissions; not given: no cap.
	MaxPerCustomer Amount `json:"maxPerCustomer,omitzero"`

	// What sales earn together at most, at most 16; a commission is cut by the first, then by the
	// next. Two that count the same are refused.
	Budgets []Budget `json:"budgets,omitempty"`
	// What affiliates, and the customers they bring, get besides commissions, at most 16.
	Bonuses []Bonus `json:"bonuses,omitempty"`

	// The coupon that links give customers without a code: that of an affiliate before that of
	// its plan, and that before the program's. Not given: none.
	//
	// See [Order].Offer.
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
		Rate: Set(t.Rate), Type: Set(t.Type), MaxPayments: nullIfZero(t.MaxPayments),
		MaxMonths: nullIfZero(t.MaxMonths), HoldDays: Set(t.HoldDays), Rules: Null[[]Rule](),
		MonthsFrom: Set(t.MonthsFrom), MaxPerSale: nullIfZero(t.MaxPerSale),
		MaxPerCustomer: nullIfZero(t.MaxPerCustomer), OfferCouponID: nullIfZero(t.OfferCouponID),
		Budgets: Null[[]Budget](), Bonuses: Null[[]Bonus](),
	}
	if len(t.Budgets) > 0 {
		up.Budgets = Set(t.Budgets)
	}
	if len(t.Bonuses) > 0 {
		up.Bonuses = Set(t.Bonuses)
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
	ID uuid.UUID `json:"id"`
	// What the plan is called.
	Name string `json:"name"`
	// A percentage, or an amount on flat plans.
	CommissionRate Percent `json:"commissionRate"`
	// What the rate is.
	CommissionType CommissionType `json:"commissionType"`
	// It pays for so many payments of a referral; null: no stop.
	NumberOfPayments Opt[int64] `json:"numberOfPayments"`
	// It pays for so many months of a customer; null: no stop.
	NumberOfMonths Opt[int64] `json:"numberOfMonths"`
	// What it pays for.
	PaymentTrigger PaymentTrigger `json:"paymentTrigger"`
	// False: new commissions are ON_HOLD.
	AutoApproveRewards bool `json:"autoApproveRewards"`
	// What it pays in.
	RewardType RewardType `json:"rewardType"`
	// Days of 24 hours until a payout may take the commission of a sale.
	HoldDays int64 `json:"holdDays"`
	// What some lines of some sales earn instead of the rate; not there when there are none.
	Rules []Rule `json:"rules,omitempty"`
	// With what the months of a customer begin: the first payment, or the referral; not there:
	// PAYMENT.
	MonthsFrom MonthsFrom `json:"monthsFrom,omitzero"`
	// What a sale earns at most; not there: no cap.
	MaxPerSale Amount `json:"maxPerSale,omitzero"`
	// What all sales of a customer earn together at most; not there: no cap.
	MaxPerCustomer Amount `json:"maxPerCustomer,omitzero"`
	// What sales earn together at most; not there when nothing is.
	Budgets []Budget `json:"budgets,omitempty"`
	// What affiliates and customers get besides commissions; not there when they get nothing.
	Bonuses []Bonus `json:"bonuses,omitempty"`
	// The coupon that links give customers without a code; not there: none.
	OfferCouponID uuid.UUID `json:"offerCouponId,omitzero"`
	// The terms with their dates, oldest first; not there when they have none, and in events.
	Versions []DatedTerms `json:"versions,omitempty"`
	// When the record was made; not in events.
	CreatedAt Time `json:"createdAt,omitzero"`
	// When the record was last changed; not in events.
	UpdatedAt Time `json:"updatedAt,omitzero"`
}

// PlanParams is the input of Program.CreatePlan. Name is required.
type PlanParams struct {
	// What the plan is called, 1–255 characters; not unique.
	Name  string `json:"name" wire:"text"`
	Terms        // zero: 0 %
	// What it pays for; not given: PURCHASE.
	PaymentTrigger PaymentTrigger `json:"paymentTrigger,omitzero"`
	// False: new commissions are ON_HOLD until they are reviewed; not given: true.
	AutoApproveRewards Opt[bool] `json:"autoApproveRewards,omitzero"`
}

// PlanUpdate is the input of Program.UpdatePlan. A field that is not given
// stays as it is.
type PlanUpdate struct {
	Name Opt[string] `json:"name,omitzero" wire:"text"`
	TermsUpdate
	// What it pays for; of the plan, whatever from says.
	PaymentTrigger Opt[PaymentTrigger] `json:"paymentTrigger,omitzero"`
	// False: new commissions are ON_HOLD until they are reviewed; of the plan, whatever from
	// says.
	AutoApproveRewards Opt[bool] `json:"autoApproveRewards,omitzero"`
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
	Rate Opt[Percent]        `json:"commissionRate,omitzero"`
	Type Opt[CommissionType] `json:"commissionType,omitzero"`
	// It pays for so many payments of a referral, without those refunded in full, at least 1;
	// null: no limit.
	MaxPayments Opt[int64] `json:"numberOfPayments,omitzero" wire:"positive"`
	// It pays for so many months of a customer, at least 1; null: no limit.
	MaxMonths Opt[int64] `json:"numberOfMonths,omitzero" wire:"positive"`
	HoldDays  Opt[int64] `json:"holdDays,omitzero" wire:"ranged"`
	// What some lines of some sales earn instead of the rate, replaced as a whole; null: none.
	Rules      Opt[[]Rule]     `json:"rules,omitzero"`
	MonthsFrom Opt[MonthsFrom] `json:"monthsFrom,omitzero"`
	// What a sale earns at most; null: no cap.
	MaxPerSale Opt[Amount] `json:"maxPerSale,omitzero"`
	// What all sales of a customer earn together at most, of all affiliates, without declined
	// commissions; null: no cap.
	MaxPerCustomer Opt[Amount] `json:"maxPerCustomer,omitzero"`
	// What sales earn together at most, replaced as a whole; null: anything.
	Budgets Opt[[]Budget] `json:"budgets,omitzero"`
	// What affiliates and customers get besides commissions, replaced as a whole; null: nothing.
	// What was given stays. A bonus that has a name of the terms in force counts what that one does.
	Bonuses Opt[[]Bonus] `json:"bonuses,omitzero"`
	// The coupon that links give customers without a code; null: none.
	OfferCouponID Opt[uuid.UUID] `json:"offerCouponId,omitzero"`

	// The terms change from this instant on, which is later than now; a plain date is the
	// beginning of that day in the program's time zone. Not given: at once.
	From Opt[Date] `json:"from,omitzero"`
	// Takes the terms back that begin at this instant, or at the beginning of this day, and are
	// not in force yet, before all else.
	Withdraw Opt[Date] `json:"withdraw,omitzero"`
}

// DatedTerms are terms from a moment on, until the next ones, in an answer.
type DatedTerms struct {
	// When they begin; null: since always.
	From Opt[Time] `json:"from"`
	// True for one of them. Those before it are past, those after it are to come.
	InForce bool `json:"inForce"`
	ProgramTerms
}

// StoredTerms are [DatedTerms] as a record keeps them.
type StoredTerms struct {
	From  Instant
	Terms Terms
}

// A Rule gives some lines of some sales another commission than the rate of the
// terms. For each line of a sale the first rule of the terms that holds decides; one that
// pays nothing comes before all others. A sale without lines is one line with its product.
//
// A rule of type NONE decides before all rates too. The other rules come after the
// rate of the sale, of the affiliate and of the tier, and before the rate of the plan or
// the program; one that is Firm comes before the rates of affiliate and tier.
//
// Source: docs/terms.md.
type Rule struct {
	// What it is called, 1–100 characters; unique among the rules of the terms.
	Name string `json:"name"`
	// For which lines it holds: those that meet every condition. Without a condition it holds
	// for all.
	When RuleWhen `json:"when,omitzero"`
	// What it pays.
	Pay RulePay `json:"pay"`
	// True: it also holds for affiliates with a rate of their own or of their tier.
	Firm bool `json:"firm,omitzero"`
}

// RuleWhen says for which lines a rule holds: those that meet every condition. A condition
// that is not set is met. Lists have at most 100 distinct entries of 1–255 characters,
// which are compared exactly.
type RuleWhen struct {
	// The product of the line is one of these.
	Products []string `json:"products,omitempty"`
	// The plan of the line is one of these.
	Plans []string `json:"plans,omitempty"`
	// One of the line's categories is one of these.
	Categories []string `json:"categories,omitempty"`
	// The product of the line is none of these.
	NotProducts []string `json:"notProducts,omitempty"`
	// The plan of the line is none of these.
	NotPlans []string `json:"notPlans,omitempty"`
	// None of the line's categories is one of these.
	NotCategories []string `json:"notCategories,omitempty"`

	// From this payment of the customer on; the first is 1. Those that were refunded in full and
	// free orders do not count. It holds for no free order, and for no sale without a customer.
	PaymentFrom int64 `json:"paymentFrom,omitzero"`
	// Up to this payment of the customer, which is included.
	PaymentTo int64 `json:"paymentTo,omitzero"`

	// From this month of the customer on; the first is 1, and begins with the first payment, or
	// with the referral if MonthsFrom says so. A month ends on the day of its number in the zone
	// of the program: that day is the first of the next one. Not for a sale without a customer.
	MonthFrom int64 `json:"monthFrom,omitzero"`
	// Up to this month of the customer, which is included.
	MonthTo int64 `json:"monthTo,omitzero"`

	// NEW: this is the customer's first payment. RETURNING: there was an earlier one.
	Customer RuleCustomer `json:"customer,omitzero"`
	// What the sale is for is one of these.
	Triggers []PaymentTrigger `json:"paymentTriggers,omitempty"`

	// It is one of these conversions. Such a rule is for them alone: it pays FLAT or NONE, has
	// no other condition and is not firm. A rule without them is for sales alone.
	Conversions []string `json:"conversions,omitempty"`
}

// RuleCustomer says of which customers a [Rule] is.
type RuleCustomer string

// The customers of a rule. A sale without a customer is of neither.
const (
	CustomerNew       RuleCustomer = "NEW"       // this is the first payment
	CustomerReturning RuleCustomer = "RETURNING" // there was an earlier one
)

// RulePay is what a rule pays.
type RulePay struct {
	// PERCENTAGE of what is kept of the lines; FLAT: an amount for the sale, once for all its
	// lines that the rule decides; UNIT: an amount for each piece; NONE: nothing.
	Type RuleType `json:"commissionType"`
	// The percentage, 0–100, or the amount; with NONE 0, which may be left out.
	Rate Percent `json:"commissionRate"`
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

// Clone copies the terms with their rules and budgets.
func (t Terms) Clone() Terms {
	t.Rules, t.Budgets, t.Bonuses = slices.Clone(t.Rules), slices.Clone(t.Budgets), slices.Clone(t.Bonuses)
	for i := range t.Rules {
		w := &t.Rules[i].When
		for _, list := range []*[]string{&w.Products, &w.Plans, &w.Categories, &w.NotProducts,
			&w.NotPlans, &w.NotCategories, &w.Conversions} {
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
	ID uuid.UUID `json:"id"`
	// The rank, 1 lowest.
	Tier int64 `json:"tier"`
	// What the tier is called.
	Name string `json:"name"`
	// Its sign.
	Emoji Opt[string] `json:"emoji"`
	// Live referrals that it takes, with Per of those who came in the period.
	MinReferrals int64 `json:"minReferrals"`
	// Revenue that it takes: what is kept of live sales, with Per of what happened in the period.
	MinRevenue Amount `json:"minRevenue"`
	// The minimums are of each day, week, month, quarter or year of the program's time zone; not there:
	// of all time.
	Per Interval `json:"per,omitzero"`
	// For how many periods more it is kept by those who do not reach it; not there: none.
	GracePeriods int64 `json:"gracePeriods,omitzero"`
	// True: it is reached when a period ends, and not before; not there: false.
	AtPeriodEnd bool `json:"atPeriodEnd,omitzero"`
	// Whether it takes both minimums, or one.
	ConditionType ConditionType `json:"conditionType"`
	// The rate of the tier, of the program's commission type; null: none.
	CommissionRate Opt[Percent] `json:"commissionRate"`
	// When the record was made; not in events.
	CreatedAt Time `json:"createdAt,omitzero"`
	// When the record was last changed; not in events.
	UpdatedAt Time `json:"updatedAt,omitzero"`
}

// TierParams is the input of Program.CreateTier. Tier and Name are required.
type TierParams struct {
	// The rank, 1 lowest; ranks need not be unique.
	Tier int64 `json:"tier,omitzero"`
	// What the tier is called, 1–255 characters.
	Name string `json:"name" wire:"text"`
	// Its sign; not given: none.
	Emoji string `json:"emoji,omitzero"`
	// Live referrals that it takes, 0 or more.
	MinReferrals int64 `json:"minReferrals,omitzero"`
	// Revenue that it takes, 0 or more: what is kept of live sales.
	MinRevenue Amount `json:"minRevenue,omitzero"`
	// The minimums are of each day, week, month, quarter or year of the program's time zone: of who
	// came in it, and of its sales less its refunds, as reports have them. Not given: of all time.
	Per Interval `json:"per,omitzero"`
	// For how many periods more it is kept by those who do not reach it, 0–100; only with Per.
	GracePeriods int64 `json:"gracePeriods,omitzero"`
	// True: it is reached when a period ends, and not before; only with Per.
	AtPeriodEnd   bool          `json:"atPeriodEnd,omitzero"`
	ConditionType ConditionType `json:"conditionType,omitzero"`
	// A rate of the program's commission type: 0–100, or an amount of 0 or more; not given:
	// none.
	Rate Opt[Percent] `json:"commissionRate,omitzero"`
}

// TierUpdate is the input of Program.UpdateTier. A field that is not given
// stays as it is.
type TierUpdate struct {
	Tier Opt[int64]  `json:"tier,omitzero"`
	Name Opt[string] `json:"name,omitzero" wire:"text"`
	// Its sign; null: none.
	Emoji        Opt[string] `json:"emoji,omitzero"`
	MinReferrals Opt[int64]  `json:"minReferrals,omitzero"`
	MinRevenue   Opt[Amount] `json:"minRevenue,omitzero"`
	// Of which periods the minimums are; null: of all time, without grace.
	Per Opt[Interval] `json:"per,omitzero"`
	// For how many periods more it is kept; null: none.
	GracePeriods  Opt[int64]         `json:"gracePeriods,omitzero"`
	AtPeriodEnd   Opt[bool]          `json:"atPeriodEnd,omitzero"`
	ConditionType Opt[ConditionType] `json:"conditionType,omitzero"`
	// A rate of the program's commission type: 0–100, or an amount of 0 or more; null: none.
	Rate Opt[Percent] `json:"commissionRate,omitzero"`
}
