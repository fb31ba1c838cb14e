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
	return view{title: v.T("Sales"), template: "sales", next: list.Next, Data: list.Items}, err
}

// sale shows why a sale earned what it did.
func sale(v *visit) (view, error) {
	n, err := strconv.ParseInt(v.Args[0], 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v.Args[0] {
		return view{}, affiliate.ErrNotFound
	}
	e, err := v.partner().ExplainSale(v.Ctx(), affiliate.SaleID(n))
	return view{title: v.T("Sale %s", v.Args[0]), template: "sale", Data: &e}, err
}

// Credited says why a sale is the affiliate's.
func (v *view) Credited(e *partner.Explanation) string {
	switch e.By {
	case affiliate.CreditCode:
		return v.T("The customer used your code")
	case affiliate.CreditClick:
		return v.T("The customer clicked on your link")
	case affiliate.CreditFirstClick:
		return v.T("The first click of this visitor was on your link")
	case affiliate.CreditLink:
		return v.T("The shop says that the customer came by your link")
	case affiliate.CreditAffiliate:
		return v.T("The shop says that you brought the customer")
	case affiliate.CreditReferral, affiliate.CreditEmail, affiliate.CreditCustomer:
		return v.T("You have brought this customer before")
	case affiliate.CreditBrought:
		return v.T("You have brought this customer before; the code only gave its discount")
	}
	return v.T("The program has recorded it for you")
}

// RateFrom says whose the rate of a sale is.
func (v *view) RateFrom(e *partner.Explanation) string {
	switch e.RateFrom {
	case affiliate.RateOfSale:
		return v.T("Rate of this sale")
	case affiliate.RateOfAffiliate:
		return v.T("Your own rate")
	case affiliate.RateOfTier:
		return v.T("Rate of your level")
	}
	return v.T("Rate of your terms")
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
		return v.T("Your terms pay for fewer payments of a customer")
	case affiliate.OverMonths:
		return v.T("Your terms pay for fewer months of a customer")
	}
	return ""
}

// Exactly returns a number or a fraction with four digits at most.
func (v *view) Exactly(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return ""
	}
	return v.Number(strings.TrimSuffix(strings.TrimRight(r.FloatString(4), "0"), "."))
}

// Account names an account of the books for its affiliate.
func (v *view) Account(a affiliate.Account) string {
	switch a {
	case affiliate.AccountAccrual:
		return v.T("The program")
	case affiliate.AccountHeld:
		return v.T("On hold")
	case affiliate.AccountPayable:
		return v.T("Owed to you")
	case affiliate.AccountInPayout:
		return v.T("In a payout")
	case affiliate.AccountPaid:
		return v.T("Paid")
	}
	return v.Words(a)
}

// Nth returns the number of what has an index.
func (v *view) Nth(i int) int { return i + 1 }
