package console

import (
	"cmp"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// maxChoices is the number of plans and tiers that can be selected.
const maxChoices = 200

// planOptions returns the plans to choose from.
func (v *visit) planOptions() (all []option, err error) {
	list, err := v.program.Plans(v.Ctx(), affiliate.Page{Limit: maxChoices})
	for _, plan := range list.Items {
		all = append(all, option{plan.ID.String(), page.Text(plan.Name, page.InList)})
	}
	return all, err
}

// nameIn returns the name of what an id names; of none it is empty.
func nameIn[T any](v *visit, n noun[T], id affiliate.Opt[uuid.UUID],
	name func(T) string) (string, error) {
	some, ok := id.Get()
	if !ok {
		return "", nil
	}
	one, err := n.get(v, some)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = nil
	}
	return name(one), err
}

func (v *visit) planName(id affiliate.Opt[uuid.UUID]) (string, error) {
	return nameIn(v, ofPlan, id, func(p affiliate.Plan) string { return p.Name })
}

var ofPlan = noun[affiliate.Plan]{"plans/", func(v *visit, id uuid.UUID) (affiliate.Plan, error) {
	return v.program.Plan(v.Ctx(), id)
}}

var commissionTypes = []affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}

// termFields are the fields of terms, but for their rules.
var termFields = []field{
	{Name: "commissionType", Label: "Kind", Required: true, Options: options(commissionTypes...)},
	{Name: "commissionRate", Label: "Rate", Required: true,
		Hint: "In percent, or an amount for each payment when it is flat."},
	{Name: "numberOfPayments", Label: "Payments of a customer that earn", Hint: "Empty: all.",
		Type: "number"},
	{Name: "numberOfMonths", Label: "Months of a customer that earn", Hint: "Empty: all.",
		Type: "number"},
	{Name: "monthsFrom", Label: "The months of a customer begin with", Required: true,
		Options: []option{{string(affiliate.MonthsFromPayment), "the first payment"},
			{string(affiliate.MonthsFromReferral), "the referral"}}},
	{Name: "maxPerSale", Label: "The most that a sale earns", Hint: "Empty: no cap."},
	{Name: "maxPerCustomer", Label: "The most that all sales of a customer earn",
		Hint: "Empty: no cap."},
	offerField("Empty: none."),
	{Name: "holdDays", Label: "Days until it can be paid", Hint: "From the sale.",
		Type: "number", Required: true},
}

// termsFilled are the fields of terms.
func (v *visit) termsFilled(t affiliate.ProgramTerms) []field {
	t.MonthsFrom = cmp.Or(t.MonthsFrom, affiliate.MonthsFromPayment)
	return v.filled(t, termFields...)
}

// offerField is the coupon that links give customers.
func offerField(none string) field {
	return field{Name: "offerCouponId", Label: "Coupon that links give customers",
		Hint: "The id of a coupon, which whoever comes by a link gets without a code. " + none}
}

// terms reads terms, but for their rules.
func (in *input) terms() (t affiliate.Terms) {
	in.fieldsInto(&t, termFields)
	return t
}

// planFields are the fields of a plan beside its terms.
func planFields(p affiliate.Plan) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: p.Name},
		ownBox("hold", "Commissions wait until somebody accepts them", !p.AutoApproveRewards),
	}
}

var newPlan = &action{
	name: "plans.create", object: "plan",
	done: "The plan was made. Put affiliates on it on the page of affiliates.", names: "name",
	form: func(v *visit) (form, error) {
		return form{
			Title: "New plan", Button: "Create", Back: "settings",
			Effects: []string{"A plan is terms that affiliates or customers are put on. Everybody else earns by the terms of the program."},
			Fields: append(planFields(affiliate.Plan{AutoApproveRewards: true}),
				v.termsFilled(affiliate.ProgramTerms{CommissionType: affiliate.CommissionPercentage})...),
		}, nil
	},
	do: create((*tributary.Program).CreatePlan, settingsPage,
		func(_ *visit, in *input, plan *affiliate.PlanParams) error {
			plan.AutoApproveRewards = affiliate.Set(!in.yes("hold"))
			return nil
		}),
}

// editPlan changes what a plan has beside its terms.
var editPlan = &action{
	name: "plans.update", object: "plan", done: "The plan was changed.",
	form: ofPlan.form(func(_ *visit, p affiliate.Plan) (form, error) {
		return form{
			Title: "Edit the plan " + page.Named(p.Name), Button: "Save",
			Edits: true, Fields: planFields(p),
			Effects: []string{
				"Sales from now on are decided by it. Sales that exist stay as they are.",
				"What it pays is changed with its terms, at once or from a day on."},
		}, nil
	}),
	do: update(ofPlan, (*tributary.Program).UpdatePlan,
		func(_ *visit, in *input, up *affiliate.PlanUpdate) error {
			if in.changed("hold") {
				up.AutoApproveRewards = affiliate.Set(!in.yes("hold"))
			}
			return nil
		}),
}

var deletePlan = &action{
	name: "plans.delete", object: "plan", done: "The plan was deleted.",
	form: ofPlan.form(func(_ *visit, p affiliate.Plan) (form, error) {
		return form{
			Title: "Delete the plan " + page.Named(p.Name), Button: "Delete", Danger: true,
			Back: "settings",
			Effects: []string{"Its rate is " + p.CommissionRate.String() + ", " +
				strings.ToLower(page.Words(p.CommissionType)) + ".",
				"This is refused while somebody is on it."},
		}, nil
	}),
	do: doThen("settings", func(v *visit, p *tributary.Program, id uuid.UUID, _ *input) error {
		return p.DeletePlan(v.Ctx(), id)
	}),
}
