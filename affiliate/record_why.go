package affiliate

// CreditedBy says what credited the affiliate with a sale.
type CreditedBy string

// The sources of a credit: a promotional code; what referralId named: a click,
// a slug, an affiliate id, or a referral by its id or email; otherwise the
// referral with the customer's email.
const (
	CreditCode      CreditedBy = "CODE"
	CreditClick     CreditedBy = "CLICK"
	CreditLink      CreditedBy = "LINK"
	CreditAffiliate CreditedBy = "AFFILIATE"
	CreditReferral  CreditedBy = "REFERRAL"
	CreditEmail     CreditedBy = "EMAIL"

	// What only programs with an [Attribution] of their own have.
	CreditFirstClick CreditedBy = "FIRST_CLICK" // the first click of the visitor whose later one was named
	CreditCustomer   CreditedBy = "CUSTOMER"    // the customer's referral, although the sale named a code or somebody else
	CreditBrought    CreditedBy = "BROUGHT"     // what referralId named, although the sale had a code

	CreditUnknown CreditedBy = "UNKNOWN" // the sale is older than this field
)

// RateSource says whose rate a sale has.
type RateSource string

// The sources of a rate: the sale itself, the affiliate, the tier, the plan or
// the program.
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

// The sources of a plan: none, so that the program's terms hold; the affiliate;
// the customer.
const (
	PlanOfProgram   PlanSource = "PROGRAM"
	PlanOfAffiliate PlanSource = "AFFILIATE"
	PlanOfCustomer  PlanSource = "CUSTOMER"
	PlanUnknown     PlanSource = "UNKNOWN" // the sale is older than this field
)

// OverLimit says which limit of the terms a sale exceeded. Empty: none.
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
	creditors = []CreditedBy{CreditCode, CreditClick, CreditLink, CreditAffiliate, CreditReferral,
		CreditEmail, CreditFirstClick, CreditCustomer, CreditBrought}
	rateSources = []RateSource{RateOfSale, RateOfAffiliate, RateOfTier, RateOfPlan, RateOfProgram}
	planSources = []PlanSource{PlanOfProgram, PlanOfAffiliate, PlanOfCustomer}
	overLimits  = []OverLimit{OverPayments, OverMonths}
	deductions  = []Deduction{DeductNothing, DeductTax, DeductShipping, DeductBoth}
)
