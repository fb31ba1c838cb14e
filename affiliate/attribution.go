package affiliate

// Attribution says whom a sale and a new customer credit. The zero value is the default of
// each of the three.
//
// Source: docs/rules.md 5.8.
type Attribution struct {
	Touch    Touch          `json:"touch,omitzero"`     // empty: LAST
	Customer CustomerCredit `json:"customer,omitzero"`  // empty: EACH_ORDER
	Code     CodeCredit     `json:"promoCode,omitzero"` // empty: ALWAYS
}

// Touch says which of a visitor's clicks credits, of those that are not too old.
type Touch string

// The touches.
const (
	TouchLast  Touch = "LAST"  // the click that the order names
	TouchFirst Touch = "FIRST" // the visitor's first one, as [NewClick].Earlier tells
)

// CustomerCredit says whom the orders of a known customer credit.
type CustomerCredit string

// The credits of customers.
const (
	CreditEachOrder    CustomerCredit = "EACH_ORDER" // whom the order names, else the affiliate of the customer
	CreditKeptCustomer CustomerCredit = "KEEP"       // the affiliate of the customer, whatever the order names
)

// CodeCredit says when a promotional code credits its affiliate. Its discount is given in
// any case.
type CodeCredit string

// The credits of codes.
const (
	CodeAlways    CodeCredit = "ALWAYS"    // before a link and before the customer's affiliate
	CodeUnbrought CodeCredit = "UNBROUGHT" // when neither what the order names nor the customer's referral leads to an affiliate
)
