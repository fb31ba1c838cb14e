package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What terms would have cost.

// The sales that are looked at, and for how long.
const (
	simulatedDays = 90
	simulatedFor  = 20 * time.Second
	namedMost     = 5
)

// whatTermsCost says what the sales of the last days would have earned by the terms that
// were typed.
func whatTermsCost(v *visit, in *input) ([]string, error) {
	h, err := v.holder()
	if err != nil {
		return nil, err
	}
	terms, rows := in.terms(), []int(nil)
	terms.Rules, rows = in.rules()
	if in.err != nil {
		return nil, in.err
	}
	q := affiliate.SimulateQuery{From: v.now().AddDate(0, 0, -simulatedDays), PlanID: h.Plan.ID, Terms: terms}
	ctx, done := context.WithTimeout(v.ctx(), simulatedFor)
	defer done()
	sum, all := affiliate.Difference{}, []affiliate.Difference{}
	for d, err := range v.program.Simulate(ctx, q) {
		if ctx.Err() != nil && v.ctx().Err() == nil {
			return nil, notAllowed("There are too many sales to look at on a page. Call Simulate for them.")
		}
		if err != nil {
			return nil, atRow(err, rows)
		}
		if err := addDifference(&sum, &d); err != nil {
			return nil, err
		}
		if !d.Difference.IsZero() {
			all = append(all, d)
		}
	}
	if sum.Sales+sum.Conversions == 0 {
		return []string{"No sale of the last 90 days was by the terms of " + h.who() + ". Nothing was saved."}, nil
	}
	said := []string{fmt.Sprintf("The last 90 days: %s earned %s, and would have earned %s by these terms%s. %s would have earned another amount. Nothing was saved.",
		salesAnd(&sum), v.Money(sum.Was), v.Money(sum.Would), v.moreOrLess(sum.Difference), several(int(sum.Changed), "sale"))}
	if sum.Kept > 0 {
		said = append(said, several(int(sum.Kept), "sale")+" would stay as they are whatever the terms say, such as those whose commission was set by hand.")
	}
	slices.SortStableFunc(all, func(a, b affiliate.Difference) int {
		return cmp.Compare(abs(b.Difference.Scaled()), abs(a.Difference.Scaled()))
	})
	for _, d := range all[:min(len(all), namedMost)] {
		name, err := v.nameOf(d.AffiliateID)
		if err != nil {
			return nil, err
		}
		said = append(said, name+": "+v.Money(d.Would)+" instead of "+v.Money(d.Was)+v.moreOrLess(d.Difference)+".")
	}
	if rest := len(all) - namedMost; rest > 0 {
		said = append(said, "And smaller differences of "+several(rest, "affiliate")+".")
	}
	return said, nil
}

// salesAnd returns how many sales and conversions were looked at.
func salesAnd(d *affiliate.Difference) string {
	if d.Conversions == 0 {
		return several(int(d.Sales), "sale")
	}
	return several(int(d.Sales), "sale") + " and " + several(int(d.Conversions), "conversion")
}

// nameOf returns the name of an affiliate; of one who was deleted meanwhile, the id.
func (v *visit) nameOf(id uuid.UUID) (string, error) {
	who, err := v.program.Affiliate(v.ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return page.Text(who.Name, page.InList), err
}

func addDifference(sum, d *affiliate.Difference) (err error) {
	sum.Sales, sum.Conversions, sum.Changed, sum.Kept = sum.Sales+d.Sales, sum.Conversions+d.Conversions, sum.Changed+d.Changed, sum.Kept+d.Kept
	if sum.Was, err = sum.Was.Add(d.Was); err != nil {
		return err
	}
	if sum.Would, err = sum.Would.Add(d.Would); err != nil {
		return err
	}
	sum.Difference, err = sum.Would.Sub(sum.Was)
	return err
}

func (v *visit) moreOrLess(d affiliate.Amount) string {
	switch {
	case d.Sign() > 0:
		return ", " + v.Money(d) + " more"
	case d.Sign() < 0:
		return ", " + v.Money(affiliate.AmountFromScaled(-d.Scaled())) + " less"
	}
	return ", the same"
}

func abs(n int64) int64 { return max(n, -n) }
