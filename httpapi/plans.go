package httpapi

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
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

// bonusesOf looks up how far an affiliate is, whom the query names by id, by email or by both.
func bonusesOf(name string) lookup {
	return lookup{name: name, single: true, answer: []affiliate.BonusProgress{}, run: func(c *call, q query, _ string) error {
		return one(name, func(p *tributary.Program, ctx context.Context, _ string) ([]affiliate.BonusProgress, error) {
			return p.Bonuses(ctx, refOf(q))
		}).run(c, q, "")
	}}
}

var simulatedTerms = bodyOf[affiliate.Terms]()

// A simulationRequest has terms that are tried out on the sales of some days.
type simulationRequest struct {
	affiliate.Terms
	plan uuid.UUID // zero: the program
	days int64     // 0: all
	how  affiliate.Opt[affiliate.Attribution]
}

// simulationOf reads terms that are tried out on the sales of a plan, or of the program, or whom all sales
// would credit. A rate of 0 has to be said.
func simulationOf(in *input) simulationRequest {
	q := simulationRequest{simulatedTerms(in), in.optID("commissionPlanId").Or(uuid.Nil), in.days("days"), attribution(in, "attribution")}
	if _, credits := q.how.Get(); !credits && !in.has("commissionRate") {
		in.faultOf("commissionRate", refusal.RefuseNoRate)
	}
	return q
}

// simulation is what other terms would have changed, for all affiliates.
type simulation struct {
	Sales       int64            `json:"sales"`       // That the terms would decide about.
	Conversions int64            `json:"conversions"` // Likewise.
	Changed     int64            `json:"changed"`     // Those of them that would earn another amount.
	Fixed       int64            `json:"fixed"`       // Those of them that stay as they are, whatever the terms.
	Moved       int64            `json:"moved"`       // Those of them that would credit another affiliate.
	Was         affiliate.Amount `json:"was"`         // What they earn.
	Would       affiliate.Amount `json:"would"`       // What they would earn.
	Difference  affiliate.Amount `json:"difference"`  // Would less was.
	// Whom it would change most, at most 100.
	Affiliates []simulatedOne `json:"affiliates"`
}

// simulatedOne is what it would have changed for an affiliate.
type simulatedOne struct {
	AffiliateID uuid.UUID        `json:"affiliateId"` // Who.
	Lost        int64            `json:"lost"`        // Sales of theirs that would be another's.
	Won         int64            `json:"won"`         // Sales of others that would be theirs.
	Was         affiliate.Amount `json:"was"`         // What their sales earn.
	Would       affiliate.Amount `json:"would"`       // What they would earn.
	Difference  affiliate.Amount `json:"difference"`  // Would less was.
}

const simulatedMost = 100

func simulateTerms(p *tributary.Program, c *call, in simulationRequest) error {
	c.takesLong()
	s, err := simulated(c.r.Context(), p, in)
	if err != nil {
		return err
	}
	return c.answer(&s)
}

func simulated(ctx context.Context, p *tributary.Program, in simulationRequest) (s simulation, err error) {
	q := affiliate.SimulateQuery{PlanID: in.plan, Terms: in.Terms, Attribution: in.how}
	if in.days > 0 {
		q.From = p.Config().Now().AddDate(0, 0, -int(in.days))
	}
	var sum affiliate.Difference
	all := []simulatedOne{}
	for d, err := range p.Simulate(ctx, q) {
		if err == nil {
			err = sum.Add(d)
		}
		if err != nil {
			return s, err
		}
		if !d.Difference.IsZero() || d.Lost+d.Won > 0 {
			all = append(all, simulatedOne{d.AffiliateID, d.Lost, d.Won, d.Was, d.Would, d.Difference})
		}
	}
	slices.SortStableFunc(all, func(a, b simulatedOne) int {
		return cmp.Compare(magnitude(b.Difference), magnitude(a.Difference))
	})
	return simulation{sum.Sales, sum.Conversions, sum.Changed, sum.Kept, sum.Lost, sum.Was, sum.Would, sum.Difference,
		all[:min(len(all), simulatedMost)]}, nil
}

func magnitude(a affiliate.Amount) int64 { return max(a.Scaled(), -a.Scaled()) }

// positive reads an integer of at least 1.
func (in *input) positive(name string) affiliate.Opt[int64] {
	o := in.integer(name)
	if n, there := o.Get(); there && n < 1 {
		in.fault(refusal.FieldNotAtLeastOne)
	}
	return o
}
