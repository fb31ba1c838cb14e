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

// listed is the number of plans and tiers that can be selected.
const listed = 200

// planOptions returns the plans to choose from.
func (v *visit) planOptions() (all []option, err error) {
	list, err := v.program.Plans(v.ctx(), affiliate.Page{Limit: listed})
	for _, plan := range list.Items {
		all = append(all, option{plan.ID.String(), page.Text(plan.Name, page.InList)})
	}
	return all, err
}

// planName returns the name of a plan; of none it is empty.
func (v *visit) planName(id affiliate.Opt[uuid.UUID]) (string, error) {
	some, ok := id.Get()
	if !ok {
		return "", nil
	}
	plan, err := v.program.Plan(v.ctx(), some)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = nil
	}
	return plan.Name, err
}

// plan returns the one that the path names.
func (v *visit) plan() (affiliate.Plan, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Plan{}, err
	}
	return v.program.Plan(v.ctx(), id)
}

var commissionTypes = []affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}

// termFields are the fields of terms, but for their rules.
func termFields(t affiliate.ProgramTerms) []field {
	return []field{
		{Name: "commissionType", Label: "Kind", Required: true, Value: string(t.CommissionType),
			Options: options(commissionTypes...)},
		{Name: "commissionRate", Label: "Rate",
			Hint: "In percent, or an amount for each payment when it is flat.", Required: true,
			Value: t.CommissionRate.String()},
		{Name: "numberOfPayments", Label: "Payments of a customer that earn", Hint: "Empty: all.",
			Type: "number", Value: typed(t.NumberOfPayments)},
		{Name: "numberOfMonths", Label: "Months of a customer that earn", Hint: "Empty: all.",
			Type: "number", Value: typed(t.NumberOfMonths)},
		{Name: "monthsFrom", Label: "The months of a customer begin with", Required: true, Value: string(cmp.Or(t.MonthsFrom, affiliate.MonthsFromPayment)),
			Options: []option{{string(affiliate.MonthsFromPayment), "the first payment"}, {string(affiliate.MonthsFromReferral), "the referral"}}},
		{Name: "maxPerSale", Label: "The most that a sale earns", Hint: "Empty: no cap.",
			Value: amountOrNone(t.MaxPerSale)},
		{Name: "maxPerCustomer", Label: "The most that all sales of a customer earn",
			Hint: "Empty: no cap.", Value: amountOrNone(t.MaxPerCustomer)},
		offerField(t.OfferCouponID, "Empty: none."),
		{Name: "holdDays", Label: "Days until it can be paid", Hint: "From the sale.",
			Type: "number", Required: true, Value: typed(affiliate.Set(t.HoldDays))},
	}
}

// offerField is the coupon that links give customers.
func offerField(coupon uuid.UUID, none string) field {
	f := field{Name: "offerCouponId", Label: "Coupon that links give customers",
		Hint: "The id of a coupon, which whoever comes by a link gets without a code. " + none}
	if coupon != uuid.Nil {
		f.Value = coupon.String()
	}
	return f
}

// terms reads terms, but for their rules.
func (in *input) terms() affiliate.Terms {
	rate, given := in.percent("commissionRate").Get()
	if !given {
		in.wrong("commissionRate", "Enter a number, such as 12.5.")
	}
	return affiliate.Terms{
		Type: affiliate.CommissionType(in.text("commissionType")), Rate: rate,
		MaxPayments: in.atLeastOne("numberOfPayments"), MaxMonths: in.atLeastOne("numberOfMonths"),
		MonthsFrom:     affiliate.MonthsFrom(in.text("monthsFrom")),
		HoldDays:       in.whole("holdDays").Or(0),
		MaxPerSale:     in.amount("maxPerSale").Or(affiliate.Amount{}),
		MaxPerCustomer: in.amount("maxPerCustomer").Or(affiliate.Amount{}),
		OfferCouponID:  in.couponID("offerCouponId").Or(uuid.Nil),
	}
}

// planFields are the fields of a plan beside its terms.
func planFields(p affiliate.Plan) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: p.Name},
		{Name: "hold", Label: "Commissions wait until somebody accepts them", Type: "checkbox",
			Value: ticked(!p.AutoApproveRewards)},
	}
}

// amountOrNone writes an amount of which zero is none.
func amountOrNone(a affiliate.Amount) string {
	if a.IsZero() {
		return ""
	}
	return a.String()
}

// newPlan makes a plan.
var newPlan = &action{
	name: "plans.create", object: "plan",
	done: "The plan was made. Put affiliates on it on the page of affiliates.", names: "name",
	form: func(*visit) (form, error) {
		return form{
			Title: "New plan", Button: "Create", Back: "settings",
			Effects: []string{"A plan is terms that affiliates or customers are put on. Everybody else earns by the terms of the program."},
			Fields: append(planFields(affiliate.Plan{AutoApproveRewards: true}),
				termFields(affiliate.ProgramTerms{CommissionType: affiliate.CommissionPercentage})...),
		}, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		terms := in.terms()
		if in.err != nil {
			return "", in.err
		}
		_, err := p.CreatePlan(v.ctx(),
			affiliate.PlanParams{Name: in.text("name"), Terms: terms,
				AutoApproveRewards: affiliate.Set(!in.yes("hold"))})
		return "settings", err
	},
}

// atLeastOne reads a number whose absence means no limit, so that 0 is wrong.
func (in *input) atLeastOne(name string) int64 {
	n, given := in.whole(name).Get()
	if given && n < 1 {
		in.wrong(name, "Enter 1 or more, or leave it empty.")
	}
	return n
}

// editPlan changes what a plan has beside its terms.
var editPlan = &action{
	name: "plans.update", object: "plan", done: "The plan was changed.",
	form: func(v *visit) (form, error) {
		p, err := v.plan()
		return form{
			Title: "Edit the plan " + page.Named(p.Name), Button: "Save",
			Back: "plans/" + p.ID.String(), Edits: true, Fields: planFields(p),
			Effects: []string{"Sales from now on are decided by it. Sales that exist stay as they are.", "What it pays is changed with its terms, at once or from a day on."},
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		up := affiliate.PlanUpdate{Name: in.words("name")}
		if in.changed("hold") {
			up.AutoApproveRewards = affiliate.Set(!in.yes("hold"))
		}
		if err = errors.Join(err, in.err); err != nil {
			return "", err
		}
		_, err = p.UpdatePlan(v.ctx(), id, up)
		return "plans/" + id.String(), err
	},
}

// deletePlan deletes a plan that nobody is on.
var deletePlan = &action{
	name: "plans.delete", object: "plan", done: "The plan was deleted.",
	form: func(v *visit) (form, error) {
		p, err := v.plan()
		return form{
			Title: "Delete the plan " + page.Named(p.Name), Button: "Delete", Danger: true,
			Back: "settings",
			Effects: []string{"Its rate is " + p.CommissionRate.String() + ", " +
				strings.ToLower(page.Words(p.CommissionType)) + ".",
				"This is refused while somebody is on it."},
		}, err
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "settings", p.DeletePlan(v.ctx(), id)
	},
}
