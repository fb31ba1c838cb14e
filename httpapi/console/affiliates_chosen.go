package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What is done with the affiliates that were ticked in the list.

// picked returns the ids of the query, 1 to 50.
func picked[T any](v *visit, noun string, parse func(string) (T, error)) (ids []T, err error) {
	for _, text := range v.query[paramID] {
		id, err := parse(text)
		if err != nil {
			return nil, badQuery("An id is wrong.")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 || len(ids) > 50 {
		return nil, badQuery("Tick 1 to 50 " + noun + " first.")
	}
	return ids, nil
}

// chosen returns the affiliates of the query.
func (v *visit) chosen() (all []affiliate.Affiliate, err error) {
	ids, err := picked(v, "affiliates", uuid.Parse)
	for _, id := range ids {
		a, err := v.program.Affiliate(v.Ctx(), id.String())
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}

// doChosen does something with the affiliates of the query, and leads to the one affiliate or
// to the list.
func doChosen(work func(*visit, *tributary.Program, []uuid.UUID, *input) error) doer {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		ids, err := picked(v, "affiliates", uuid.Parse)
		if err != nil {
			return "", err
		}
		return backTo(v, "affiliates", ids), work(v, p, ids, in)
	}
}

// backTo returns the page of what the query names: the list in which it was ticked, or the one
// object.
func backTo[T any](v *visit, section string, ids []T) string {
	if len(ids) == 1 && !v.query.Has(paramList) {
		return fmt.Sprint(section, "/", ids[0])
	}
	return v.listOf(section)
}

// noChoice is the value of a selection that is still to be made.
const noChoice = "-"

// whom returns the affiliates for the list of what a form does.
func whom(all []affiliate.Affiliate) (names []string) {
	for _, a := range all {
		names = append(names, page.Text(a.Name, page.InList)+", now "+strings.ToLower(page.Words(a.Status)))
	}
	return names
}

// moves are the statuses that people can set, with their labels.
var moves = []struct {
	to          affiliate.AffiliateStatus
	verb, means string
}{
	{affiliate.AffiliateActive, "Approve", "They become active, and commissions that waited for it are accepted."},
	{affiliate.AffiliateDeclined, "Decline",
		"The program does not take them. What their sales earn stays on hold, and nothing is paid to them."},
	{affiliate.AffiliateDeactivated, "Deactivate",
		"Commissions of their later sales are on hold. What they have earned stays."},
	{affiliate.AffiliateBanned, "Ban",
		"Commissions of their later sales are on hold. What they have earned stays, and no payout run pays it while they are banned."},
}

// movesFrom returns the changes that a status allows.
func movesFrom(status affiliate.AffiliateStatus) (all []option) {
	for _, m := range moves {
		if slices.Contains(status.Next(), m.to) {
			all = append(all, option{string(m.to), m.verb})
		}
	}
	return all
}

// canReturn reports whether an affiliate is out, and can be taken back.
func canReturn(status affiliate.AffiliateStatus) bool {
	return status == affiliate.AffiliateDeclined || status == affiliate.AffiliateDeactivated ||
		status == affiliate.AffiliateBanned
}

const toldEach = "The event affiliate.updated is sent for each that changes."

// affiliateStatus changes the status of the affiliates of the query.
var affiliateStatus = &action{
	name: "affiliates.status", object: "affiliate", done: "The status was changed.",
	form: func(v *visit) (form, error) {
		for _, m := range moves {
			if string(m.to) != v.query.Get("to") {
				continue
			}
			all, err := v.chosen()
			if err != nil {
				return form{}, err
			}
			for _, a := range all {
				if a.Status != m.to && !slices.Contains(a.Status.Next(), m.to) {
					return form{}, notAllowed(page.Text(a.Name, page.InList) + " is " +
						strings.ToLower(page.Words(a.Status)) + " and cannot become " +
						strings.ToLower(page.Words(m.to)) + ".")
				}
			}
			why := whyField()
			if m.to == affiliate.AffiliateDeclined {
				why.Hint = "The history shows it, and the applicant is told it when the program sends mails."
			}
			why.More = m.to == affiliate.AffiliateActive
			return form{Title: m.verb + " " + several(len(all), "affiliate"), Button: m.verb,
				Danger: m.to == affiliate.AffiliateBanned, Back: v.listOf("affiliates"),
				Effects: append(whom(all), m.means, toldEach), Fields: []field{why}}, nil
		}
		return form{}, badQuery("Choose what to do.")
	},
	do: doChosen(func(v *visit, p *tributary.Program, ids []uuid.UUID, in *input) error {
		p = in.because(p)
		if in.err != nil {
			return in.err
		}
		for _, m := range moves {
			if string(m.to) == v.query.Get("to") {
				_, err := p.SetAffiliateStatus(v.Ctx(), m.to, ids...)
				return err
			}
		}
		return badQuery("Choose what to do.")
	}),
}

// A membership is what affiliates can be in: one of the plans, or one of the tiers.
type membership struct {
	word, label, none string
	means             string
	all               func(*visit) ([]option, error)
	now               func(affiliate.Affiliate) affiliate.Opt[uuid.UUID]
	set               func(*tributary.Program, context.Context, uuid.UUID,
		...uuid.UUID) ([]affiliate.Affiliate, error)
}

// affiliatesPlan puts the affiliates of the query on a plan, and affiliatesTier into a tier.
var (
	affiliatesPlan = (&membership{"plan", "Plan", "The program's own terms",
		"Sales from now on earn by it, where an affiliate has no rate of their own and no tier " +
			"with one. Sales that exist stay as they are.", (*visit).planOptions,
		func(a affiliate.Affiliate) affiliate.Opt[uuid.UUID] { return a.CommissionPlanID },
		(*tributary.Program).SetAffiliatePlan}).action()
	affiliatesTier = (&membership{"tier", "Tier", "None",
		"The next assignment of tiers puts them where their results belong, unless they are " +
			"exempt from it.", (*visit).tierOptions,
		func(a affiliate.Affiliate) affiliate.Opt[uuid.UUID] { return a.CommissionTierID },
		(*tributary.Program).SetAffiliateTier}).action()
)

func (m *membership) action() *action {
	name := "commission" + m.label + "Id"
	return &action{
		name: "affiliates." + m.word, object: "affiliate", done: "The " + m.word + " was changed.",
		form: func(v *visit) (form, error) {
			all, err := v.chosen()
			if err != nil {
				return form{}, err
			}
			choices, err := m.all(v)
			return m.form(v, all, field{Name: name, Label: m.label, Options: orNone(m.none, choices)}), err
		},
		do: doChosen(func(v *visit, p *tributary.Program, ids []uuid.UUID, in *input) error {
			if in.text(name) == noChoice {
				in.wrong(name, "Choose one, or the one that takes it away.")
			}
			to := in.id(name)
			if in.err != nil {
				return in.err
			}
			_, err := m.set(p, v.Ctx(), to, ids...)
			return err
		}),
	}
}

// form asks for one. For several affiliates nothing is selected at first, so that an untouched
// form changes nobody.
func (m *membership) form(v *visit, all []affiliate.Affiliate, choice field) form {
	f := form{Title: m.label + " of " + several(len(all), "affiliate"), Button: "Save", Edits: true,
		Effects: []string{m.means, toldEach}}
	ids := make([]uuid.UUID, len(all))
	for i, a := range all {
		ids[i] = a.ID
		choice.Value = typed(m.now(a))
		f.Effects = append(f.Effects, v.Short(a.Name)+": "+choice.chosen(choice.Value))
	}
	if len(all) > 1 {
		choice.Value, choice.Required = noChoice, true
		choice.Options = append([]option{{noChoice, "Choose one…"}}, choice.Options...)
	}
	f.Back, f.Fields = backTo(v, "affiliates", ids), []field{choice}
	return f
}
