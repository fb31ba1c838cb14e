package affiliate

import "github.com/google/uuid"

// Why is what decided a sale when it was recorded, so far as its other fields do
// not say it. The zero Why is that of a sale older than this field.
//
// Source: docs/money.md 10.
type Why struct {
	By       Enum[CreditedBy]
	RateFrom Enum[RateSource]
	PlanFrom Enum[PlanSource]
	Over     Enum[OverLimit] // empty: the terms gave a commission
	Deduct   Enum[Deduction]
	Click    int64     `json:",omitzero"` // the number of the click that credited the affiliate
	Payment  int64     `json:",omitzero"` // this was the customer's n-th payment; 0: nobody's, or no payment
	PlanID   uuid.UUID // zero: the program's terms
	TierID   uuid.UUID // the tier that gave the rate; zero: none did
}

// CreditedBy says what credited the affiliate with a sale.
type CreditedBy string

// What may credit an affiliate: a promotional code; of referralId a click, a
// slug, an affiliate id, or a referral by its id or email; else the referral
// with the customer's email.
const (
	CreditCode      CreditedBy = "CODE"
	CreditClick     CreditedBy = "CLICK"
	CreditLink      CreditedBy = "LINK"
	CreditAffiliate CreditedBy = "AFFILIATE"
	CreditReferral  CreditedBy = "REFERRAL"
	CreditEmail     CreditedBy = "EMAIL"
	CreditUnknown   CreditedBy = "UNKNOWN" // the sale is older than this field
)

// RateSource says whose rate a sale has.
type RateSource string

// The sources of a rate: it was given for the sale, or is the affiliate's own,
// their tier's, the plan's or the program's.
const (
	RateOfSale      RateSource = "SALE"
	RateOfAffiliate RateSource = "AFFILIATE"
	RateOfTier      RateSource = "TIER"
	RateOfPlan      RateSource = "PLAN"
	RateOfProgram   RateSource = "PROGRAM"
	RateUnknown     RateSource = "UNKNOWN" // the sale is older than this field
)

// PlanSource says whose plan a sale has.
type PlanSource string

// The sources of a plan: there is none, and the terms are the program's; it is
// the affiliate's; it was set for the customer.
const (
	PlanOfProgram   PlanSource = "PROGRAM"
	PlanOfAffiliate PlanSource = "AFFILIATE"
	PlanOfCustomer  PlanSource = "CUSTOMER"
	PlanUnknown     PlanSource = "UNKNOWN" // the sale is older than this field
)

// OverLimit says which limit of the terms a sale was beyond. Empty: none.
type OverLimit string

// The limits of [Terms]: MaxPayments and MaxMonths.
const (
	OverPayments OverLimit = "PAYMENTS"
	OverMonths   OverLimit = "MONTHS"
)

// Deduction says what was deducted from the total before the rate was applied.
type Deduction string

// The deductions.
const (
	DeductNothing  Deduction = "NONE"
	DeductTax      Deduction = "TAX"
	DeductShipping Deduction = "SHIPPING"
	DeductBoth     Deduction = "TAX_AND_SHIPPING"
)

func (CreditedBy) values() []CreditedBy { return creditors }
func (RateSource) values() []RateSource { return rateSources }
func (PlanSource) values() []PlanSource { return planSources }
func (OverLimit) values() []OverLimit   { return overLimits }
func (Deduction) values() []Deduction   { return deductions }

var (
	creditors   = []CreditedBy{CreditCode, CreditClick, CreditLink, CreditAffiliate, CreditReferral, CreditEmail}
	rateSources = []RateSource{RateOfSale, RateOfAffiliate, RateOfTier, RateOfPlan, RateOfProgram}
	planSources = []PlanSource{PlanOfProgram, PlanOfAffiliate, PlanOfCustomer}
	overLimits  = []OverLimit{OverPayments, OverMonths}
	deductions  = []Deduction{DeductNothing, DeductTax, DeductShipping, DeductBoth}
)

// deduction is what the program deducts.
func (p *Program) deduction() Deduction {
	switch tax, shipping := !p.cfg.CommissionOnTax, !p.cfg.CommissionOnShipping; {
	case tax && shipping:
		return DeductBoth
	case tax:
		return DeductTax
	case shipping:
		return DeductShipping
	}
	return DeductNothing
}

// deducted is what is deducted from the total of a sale: what was when it was
// recorded, and for a sale that does not say so, what the program deducts.
func (p *Program) deducted(r *SaleRecord) (tax, shipping Amount) {
	how := r.Why.Deduct.Value()
	if how == "" {
		how = p.deduction()
	}
	if how == DeductTax || how == DeductBoth {
		tax = r.Tax
	}
	if how == DeductShipping || how == DeductBoth {
		shipping = r.Shipping
	}
	return tax, shipping
}

// sources notes where the rate of a deal comes from.
func (w *Why) sources(d *deal) {
	w.RateFrom, w.PlanFrom = EnumOf(d.rateFrom), EnumOf(d.planFrom)
	w.PlanID, w.TierID = d.planID, d.tierID
}
