package console

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// tierOptions returns the tiers to choose from.
func (v *visit) tierOptions() (all []option, err error) {
	list, err := v.program.Tiers(v.Ctx(), affiliate.Page{Limit: maxChoices})
	for _, tier := range list.Items {
		all = append(all, option{tier.ID.String(), fmt.Sprintf("%d, %s", tier.Tier, page.Text(tier.Name, page.InList))})
	}
	return all, err
}

func (v *visit) tierName(id affiliate.Opt[uuid.UUID]) (string, error) {
	return nameIn(v, ofTier, id, func(t affiliate.Tier) string { return t.Name })
}

var ofTier = noun[affiliate.Tier]{"settings", func(v *visit, id uuid.UUID) (affiliate.Tier, error) {
	return v.program.Tier(v.Ctx(), id)
}}

var tierFields = []field{
	{Name: "tier", Label: "Rank", Hint: "1 is the lowest.", Type: "number", Required: true},
	{Name: "name", Label: "Name", Required: true},
	{Name: "minReferrals", Label: "Customers it takes", Type: "number", Required: true},
	{Name: "minRevenue", Label: "Revenue it takes", Required: true},
	{Name: "per", Label: "In each", Options: orNone("of all time", options(affiliate.Intervals()...)),
		Hint: "What somebody does in the present period counts, and what they did in the one before it."},
	{Name: "gracePeriods", Label: "Periods more for which it is kept", Type: "number", Hint: "Empty: none."},
	{Name: "atPeriodEnd", Label: "It is reached when a period ends, and not before", Type: "checkbox"},
	{Name: "conditionType", Label: "It takes", Required: true,
		Options: []option{{string(affiliate.ConditionAll), "Both"},
			{string(affiliate.ConditionSome), "One of them"}}},
	{Name: "commissionRate", Label: "Rate", Hint: "Empty: the tier has none."},
}

var newTier = &action{
	name: "tiers.create", object: "tier",
	done: "The tier was made. Assign the tiers now, or let a job do it.", names: "name",
	form: func(v *visit) (form, error) {
		return form{
			Title: "New tier", Button: "Create", Back: "settings",
			Effects: []string{"A tier is a rank that affiliates reach by their results, with a rate of its own."},
			Fields: v.filled(affiliate.Tier{Tier: 1, ConditionType: affiliate.ConditionAll},
				tierFields...),
		}, nil
	},
	do: create((*tributary.Program).CreateTier, settingsPage),
}

var editTier = &action{
	name: "tiers.update", object: "tier", done: "The tier was changed.",
	form: ofTier.form(func(v *visit, t affiliate.Tier) (form, error) {
		return form{
			Title: "Edit the tier " + page.Named(t.Name), Button: "Save",
			Edits: true, Fields: v.filled(t, tierFields...),
			Effects: []string{"Who is in it stays until the tiers are assigned again."},
		}, nil
	}),
	do: update(ofTier, (*tributary.Program).UpdateTier),
}

var deleteTier = &action{
	name: "tiers.delete", object: "tier", done: "The tier was deleted.",
	form: ofTier.form(func(v *visit, t affiliate.Tier) (form, error) {
		return form{
			Title: "Delete the tier " + page.Named(t.Name), Button: "Delete", Danger: true,
			Effects: []string{fmt.Sprintf("Its rank is %d. It takes %s, and a revenue of %s.",
				t.Tier, several(int(t.MinReferrals), "customer"), v.Money(t.MinRevenue)),
				"This is refused while somebody is in it."},
		}, nil
	}),
	do: doThen("settings", func(v *visit, p *tributary.Program, id uuid.UUID, _ *input) error {
		return p.DeleteTier(v.Ctx(), id)
	}),
}
