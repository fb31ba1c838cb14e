package console

import (
	"net/url"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Jobs that go on step by step: each click is a step.

// stepLimit is the number of records that one click looks at.
const stepLimit = 5_000

// stepwise completes an action with its job. The form of a step after the first has the title
// more; the last step leads to the page done, as [visit.pageOf] has it.
func stepwise(a action, more, done string, job func(*visit, *input) (affiliate.Job, error)) *action {
	first := a.form
	a.form = func(v *visit) (form, error) {
		f, err := first(v)
		cursor := ""
		if did, _ := v.did(); did == a.name {
			cursor = v.query.Get(paramCursor)
		}
		if cursor != "" {
			f.Title, f.Button = more, "Go on"
		}
		f.Fields = append(f.Fields, field{Name: paramCursor, Type: "hidden", Value: cursor})
		return f, err
	}
	a.do = func(v *visit, p *tributary.Program, in *input) (string, error) {
		of, err := job(v, in)
		if err != nil {
			return "", err
		}
		step, err := p.Step(v.Ctx(), of,
			affiliate.Step{Cursor: in.Get(paramCursor), Limit: stepLimit})
		if step.Done {
			return v.pageOf(done), err
		}
		return v.Path + "?" + url.Values{paramCursor: {step.Cursor}}.Encode(), err
	}
	return &a
}

// assignTiers assigns affiliates to the tiers that they reach.
var assignTiers = stepwise(action{
	name: "tiers.assign", object: "program", done: "The tiers were assigned.",
	form: func(*visit) (form, error) {
		return form{
			Title: "Assign the tiers", Button: "Assign", Back: "settings",
			Effects: []string{"Every affiliate is put into the highest tier whose minimums they " +
				"meet, but for those who are exempt.", toldEach},
		}, nil
	},
}, "Assign the tiers: there are more affiliates", "settings",
	func(*visit, *input) (affiliate.Job, error) { return affiliate.AssignTiersJob{}, nil })

// recalculateAffiliate and recalculateCustomer calculate commissions again.
var (
	recalculateAffiliate = recalculate("affiliates", "affiliate", func(id uuid.UUID) affiliate.Job {
		return affiliate.RecalculateJob{AffiliateID: affiliate.Set(id)}
	})
	recalculateCustomer = recalculate("customers", "referral", func(id uuid.UUID) affiliate.Job {
		return affiliate.RecalculateJob{ReferralID: affiliate.Set(id.String())}
	})
)

func recalculate(section, object string, of func(uuid.UUID) affiliate.Job) *action {
	return stepwise(action{
		name: section + ".recalculate", object: object, done: "Their sales were calculated anew.",
		form: func(v *visit) (form, error) {
			id, err := v.id(0)
			return form{
				Title: "Calculate their sales anew", Button: "Calculate",
				Back: section + "/" + id.String(),
				Effects: []string{"Each commission that no payout has is computed by the rates of " +
					"today. The event sale.updated is sent for each that changes."},
			}, err
		},
	}, "Calculate their sales anew: there are more", section+"/",
		func(v *visit, _ *input) (affiliate.Job, error) {
			id, err := v.id(0)
			return of(id), err
		})
}

// eraseAffiliate and eraseCustomer blank personal data.
var (
	eraseAffiliate = erase("affiliates", "affiliate", "the affiliate", (*visit).payee, func(id uuid.UUID, in *input) affiliate.Job {
		return affiliate.EraseAffiliateJob{ID: id, Forfeit: in.yes(fieldForfeit)}
	})
	eraseCustomer = erase("customers", "referral", "the customer", (*visit).buyer,
		func(id uuid.UUID, _ *input) affiliate.Job { return affiliate.EraseReferralJob{Ref: id.String()} })
)

func erase(section, object, whom string, who func(*visit, uuid.UUID) (string, error),
	of func(uuid.UUID, *input) affiliate.Job) *action {
	return stepwise(action{
		name: section + ".erase", object: object,
		done: "Personal data erased. Undelivered webhooks still contain it; erase again after delivery.",
		form: func(v *visit) (form, error) {
			id, err := v.id(0)
			if err != nil {
				return form{}, err
			}
			name, err := who(v, id)
			f := form{
				Title: "Erase " + whom + " " + page.Named(name), Button: "Erase", Danger: true,
				Back: section + "/" + id.String(),
				Effects: []string{"Names, emails and notes are blanked for good, here, in stored " +
					"answers and in the payloads of events. Sales, money and totals stay.",
					"This cannot be taken back."},
			}
			if object == "affiliate" && err == nil {
				var owed affiliate.Amount
				owed, err = v.owedTo(id)
				f.Fields = v.givenUp(owed)
			}
			return f, err
		},
	}, "Erase "+whom+": there is more to look at", section+"/",
		func(v *visit, in *input) (affiliate.Job, error) {
			id, err := v.id(0)
			return of(id, in), err
		})
}
