package console

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// tierOptions returns the tiers to choose from.
func (v *visit) tierOptions() (all []option, err error) {
	list, err := v.program.Tiers(v.ctx(), affiliate.Page{Limit: listed})
	for _, tier := range list.Items {
		all = append(all, option{tier.ID.String(), fmt.Sprintf("%d, %s", tier.Tier, page.Text(tier.Name, page.InList))})
	}
	return all, err
}

// tierName returns the name of a tier; of none it is empty.
func (v *visit) tierName(id affiliate.Opt[uuid.UUID]) (string, error) {
	some, ok := id.Get()
	if !ok {
		return "", nil
	}
	tier, err := v.program.Tier(v.ctx(), some)
	if errors.Is(err, affiliate.ErrNotFound) {
		err = nil
	}
	return tier.Name, err
}

// tier returns the one that the path names.
func (v *visit) tier() (affiliate.Tier, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Tier{}, err
	}
	return v.program.Tier(v.ctx(), id)
}

func tierFields(t affiliate.Tier) []field {
	return []field{
		{Name: "tier", Label: "Rank", Hint: "1 is the lowest.", Type: "number", Required: true,
			Value: fmt.Sprint(max(1, t.Tier))},
		{Name: "name", Label: "Name", Required: true, Value: t.Name},
		{Name: "minReferrals", Label: "Customers it takes", Type: "number", Required: true,
			Value: fmt.Sprint(t.MinReferrals)},
		{Name: "minRevenue", Label: "Revenue it takes", Required: true, Value: t.MinRevenue.String()},
		{Name: "conditionType", Label: "It takes", Required: true, Value: string(t.ConditionType),
			Options: []option{{string(affiliate.ConditionAll), "Both"},
				{string(affiliate.ConditionSome), "One of them"}}},
		{Name: "commissionRate", Label: "Rate", Hint: "Empty: the tier has none.", Value: typed(t.CommissionRate)},
	}
}

// newTier makes a tier.
var newTier = &action{
	name: "tiers.create", object: "tier",
	done: "The tier was made. Assign the tiers now, or let a job do it.", names: "name",
	form: func(*visit) (form, error) {
		return form{
			Title: "New tier", Button: "Create", Back: "settings",
			Effects: []string{"A tier is a rank that affiliates reach by their results, with a rate of its own."},
			Fields:  tierFields(affiliate.Tier{ConditionType: affiliate.ConditionAll}),
		}, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		t := affiliate.TierParams{
			Tier: in.whole("tier").Or(0), Name: in.text("name"),
			MinReferrals:  in.whole("minReferrals").Or(0),
			MinRevenue:    in.amount("minRevenue").Or(affiliate.Amount{}),
			ConditionType: affiliate.ConditionType(in.Get("conditionType")),
			Rate:          in.percent("commissionRate"),
		}
		if in.err != nil {
			return "", in.err
		}
		_, err := p.CreateTier(v.ctx(), t)
		return "settings", err
	},
}

// editTier changes a tier.
var editTier = &action{
	name: "tiers.update", object: "tier", done: "The tier was changed.",
	form: func(v *visit) (form, error) {
		t, err := v.tier()
		return form{
			Title: "Edit the tier " + page.Named(t.Name), Button: "Save", Back: "settings",
			Edits: true, Fields: tierFields(t),
			Effects: []string{"Who is in it stays until the tiers are assigned again."},
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		up := affiliate.TierUpdate{
			Tier: in.whole("tier"), Name: in.words("name"), MinReferrals: in.whole("minReferrals"),
			MinRevenue:    in.amount("minRevenue"),
			ConditionType: choice[affiliate.ConditionType](in, "conditionType"),
			Rate:          in.percent("commissionRate"),
		}
		if err = errors.Join(err, in.err); err != nil {
			return "", err
		}
		_, err = p.UpdateTier(v.ctx(), id, up)
		return "settings", err
	},
}

// deleteTier deletes a tier that nobody is in.
var deleteTier = &action{
	name: "tiers.delete", object: "tier", done: "The tier was deleted.",
	form: func(v *visit) (form, error) {
		t, err := v.tier()
		return form{
			Title: "Delete the tier " + page.Named(t.Name), Button: "Delete", Danger: true,
			Back: "settings",
			Effects: []string{fmt.Sprintf("Its rank is %d. It takes %s, and a revenue of %s.",
				t.Tier, several(int(t.MinReferrals), "customer"), v.Money(t.MinRevenue)),
				"This is refused while somebody is in it."},
		}, err
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "settings", p.DeleteTier(v.ctx(), id)
	},
}

// assignTiers assigns affiliates to the tiers that they reach, step by step.
var assignTiers = &action{
	name: "tiers.assign", object: "program", done: "The tiers were assigned.",
	form: func(v *visit) (form, error) {
		f := form{
			Title: "Assign the tiers", Button: "Assign", Back: "settings",
			Effects: []string{"Every affiliate is put into the highest tier whose minimums they meet, but for those who are exempt.", toldEach},
		}
		f.goesOn(v, "tiers.assign", "Assign the tiers: there are more affiliates")
		return f, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		step, err := p.Step(v.ctx(), affiliate.AssignTiersJob{},
			affiliate.Step{Cursor: in.Get(paramCursor), Limit: stepLimit})
		return v.goOn("tiers/assign", "settings", step), err
	},
}

// stepLimit is the number of records that one click looks at.
const stepLimit = 5_000

// goOn returns the page that a step leads to: the form of the next, or what is done.
func (v *visit) goOn(path, done string, step affiliate.Progress) string {
	if step.Done {
		return done
	}
	return path + "?" + url.Values{paramCursor: {step.Cursor}}.Encode()
}
