package console

import "github.com/tributary-go/tributary/affiliate"

type codeList struct {
	Items  []affiliate.Code
	States []option
}

// codes lists promotional codes.
func codes(v *visit) (view, error) {
	q := affiliate.CodeQuery{State: affiliate.CodeState(v.query.Get("state")), Search: v.search()}
	list, err := v.program.SearchCodes(v.ctx(), q, v.page50())
	states := options[affiliate.CodeState]("usable", "exhausted", "expired")
	return view{title: "Codes", template: "codes", next: list.Next, Data: &codeList{list.Items, states}}, err
}

// Owner is the name of a code's affiliate.
func (*codeList) Owner(c affiliate.Code) string {
	a := c.Affiliate.Or(affiliate.AffiliateContact{})
	return a.FirstName + " " + a.LastName
}
