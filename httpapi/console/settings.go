package console

import "github.com/tributary-go/tributary/affiliate"

type programSheet struct {
	affiliate.Settings
	Next  *affiliate.DatedTerms // nil: no change is planned
	Plans []affiliate.Plan
	Tiers []affiliate.Tier
}

// settings shows the program, its plans and its tiers.
func settings(v *visit) (view, error) {
	s, err := v.program.Settings(v.ctx())
	if err != nil {
		return view{}, err
	}
	terms, err := v.program.Terms(v.ctx())
	if err != nil {
		return view{}, err
	}
	plans, err := v.program.Plans(v.ctx(), affiliate.Page{Limit: listed})
	if err != nil {
		return view{}, err
	}
	tiers, err := v.program.Tiers(v.ctx(), affiliate.Page{Limit: listed})
	return view{title: "Settings", template: "settings", Data: &programSheet{s, nextOf(terms), plans.Items, tiers.Items}}, err
}
