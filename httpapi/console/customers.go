package console

import (
	"cmp"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

var subscriptionStatuses = []affiliate.SubscriptionStatus{
	affiliate.SubscriptionActive, affiliate.SubscriptionSubmitted, affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled, affiliate.SubscriptionDeclined,
}

type customerList struct {
	Items    []affiliate.Referral
	Statuses []option
}

// customers lists referrals: the customers whom affiliates brought.
func customers(v *visit) (view, error) {
	q := affiliate.ReferralQuery{Status: affiliate.SubscriptionStatus(v.query.Get("status")), Search: v.search()}
	list, err := v.program.SearchReferrals(v.ctx(), q, v.page50())
	return view{title: "Customers", template: "customers", next: list.Next, Data: &customerList{list.Items, options(subscriptionStatuses...)}}, err
}

// search is the search text of the query.
func (v *visit) search() (text affiliate.Opt[string]) {
	if q := strings.TrimSpace(v.query.Get("q")); q != "" {
		text = affiliate.Set(q)
	}
	return text
}

// customerPage shows a customer.
func customerPage(v *visit) (view, error) {
	id, err := v.id(0)
	if err != nil {
		return view{}, err
	}
	r, err := v.program.Referral(v.ctx(), id.String())
	if err != nil {
		return view{}, err
	}
	who, err := v.payee(r.AffiliateID)
	if err != nil {
		return view{}, err
	}
	sales, err := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{ReferralID: affiliate.Set(r.ID.String())}, affiliate.Page{Limit: 20})
	return view{title: cmp.Or(r.Name.Or(""), r.Email), template: "customer", Data: struct {
		affiliate.Referral
		Affiliate string
		Sales     []affiliate.Sale
	}{r, who, sales.Items}}, err
}
