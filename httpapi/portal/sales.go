package portal

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// The sales of an affiliate, and why one earned what it did.

// sales lists the sales.
func sales(v *visit) (view, error) {
	list, err := v.partner().Sales(v.Ctx(), v.Page50())
	return view{title: "Sales", template: "sales", next: list.Next, Data: list.Items}, err
}

// sale shows why a sale earned what it did.
func sale(v *visit) (view, error) {
	n, err := strconv.ParseInt(v.Args[0], 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v.Args[0] {
		return view{}, affiliate.ErrNotFound
	}
	e, err := v.partner().ExplainSale(v.Ctx(), affiliate.SaleID(n))
	return view{title: "Sale " + v.Args[0], template: "sale", Data: &e}, err
}

// Credited says why a sale is the affiliate's.
func (v *view) Credited(e *partner.Explanation) string {
	switch e.By {
	case affiliate.CreditCode:
		return "The customer used your code"
	case affiliate.CreditClick:
		return "The customer clicked on your link"
	case affiliate.CreditFirstClick:
		return "The first click of this visitor was on your link"
	case affiliate.CreditLink:
		return "The shop says that the customer came by your link"
	case affiliate.CreditAffiliate:
		return "The shop says that you brought the customer"
	case affiliate.CreditReferral, affiliate.CreditEmail, affiliate.CreditCustomer:
		return "You have brought this customer before"
	case affiliate.CreditBrought:
		return "You have brought this customer before; the code only gave its discount"
	}
	return "The program has recorded it for you"
}

// RateFrom says whose the rate of a sale is.
func (v *view) RateFrom(e *partner.Explanation) string {
	switch e.RateFrom {
	case affiliate.RateOfSale:
		return "Rate of this sale"
	case affiliate.RateOfAffiliate:
		return "Your own rate"
	case affiliate.RateOfTier:
		return "Rate of your level"
	}
	return "Rate of your terms"
}

// Rate returns what the rate of a sale pays.
func (v *view) Rate(e *partner.Explanation) string {
	return v.Pays(affiliate.RulePay{Type: affiliate.RuleType(e.CommissionType),
		Rate: e.CommissionRate.Or(affiliate.Percent{})})
}

// LinePays returns what decides about a line pays.
func (v *view) LinePays(l affiliate.ExplainedLine) string {
	return v.Pays(affiliate.RulePay{Type: l.Type, Rate: l.Rate.Or(affiliate.Percent{})})
}

// Over says which limit of the terms a sale exceeded; empty: none.
func (v *view) Over(e *partner.Explanation) string {
	switch e.Over.Or("") {
	case affiliate.OverPayments:
		return "Your terms pay for fewer payments of a customer"
	case affiliate.OverMonths:
		return "Your terms pay for fewer months of a customer"
	}
	return ""
}

// Exactly returns a number or a fraction with four digits at most.
func (v *view) Exactly(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(4), "0"), ".")
}

// Account names an account of the books for its affiliate.
func (v *view) Account(a affiliate.Account) string {
	switch a {
	case affiliate.AccountAccrual:
		return "The program"
	case affiliate.AccountHeld:
		return "On hold"
	case affiliate.AccountPayable:
		return "Owed to you"
	case affiliate.AccountInPayout:
		return "In a payout"
	case affiliate.AccountPaid:
		return "Paid"
	}
	return v.Words(a)
}

// Nth returns the number of what has an index.
func (v *view) Nth(i int) int { return i + 1 }
