package httpapi

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 2.9, 4.6.

var planTerms = bodyOf[affiliate.PlanParams]()

// newPlan reads a plan. A rate of 0 has to be said.
func newPlan(in *input) affiliate.PlanParams {
	n := planTerms(in)
	if !in.has("commissionRate") {
		in.faultOf("commissionRate", refusal.RefuseNoRate)
	}
	return n
}

// terms answers the versions of the program's own terms.
func terms() lookup {
	return lookup{single: true, answer: []affiliate.DatedTerms{}, run: func(c *call, _ query, _ string) error {
		all, err := c.p.Terms(c.r.Context())
		if err != nil {
			return err
		}
		return c.answer(&all)
	}}
}

// positive reads an integer of at least 1.
func (in *input) positive(name string) affiliate.Opt[int64] {
	o := in.integer(name)
	if n, there := o.Get(); there && n < 1 {
		in.fault(refusal.FieldNotAtLeastOne)
	}
	return o
}
