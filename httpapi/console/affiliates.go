package console

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var affiliateStatuses = []affiliate.AffiliateStatus{
	affiliate.AffiliateActive, affiliate.AffiliateInactive, affiliate.AffiliateInvited,
	affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned,
}

type affiliateList struct {
	Items                  []affiliate.Affiliate
	Statuses, Plans, Tiers []option
}

// affiliatesAsked reads the filter of the list of affiliates from the address.
func (v *visit) affiliatesAsked() (affiliate.AffiliateQuery, error) {
	plan, err1 := v.queryID("plan")
	tier, err2 := v.queryID("tier")
	first, err3 := v.queryOldest()
	return affiliate.AffiliateQuery{Status: affiliate.AffiliateStatus(v.query.Get("status")),
			Search: v.search(), PlanID: plan, TierID: tier, OldestFirst: first},
		errors.Join(err1, err2, err3)
}

// affiliates lists affiliates.
func affiliates(v *visit) (view, error) {
	q, err := v.affiliatesAsked()
	if err != nil {
		return view{}, err
	}
	d := affiliateList{Statuses: options(affiliateStatuses...)}
	list, err := v.program.Affiliates(v.ctx(), q, v.page50())
	if err != nil {
		return view{}, err
	}
	d.Items = list.Items
	if d.Plans, err = v.planOptions(); err != nil {
		return view{}, err
	}
	d.Tiers, err = v.tierOptions()
	return view{title: "Affiliates", template: "affiliates", next: list.Next, Data: &d}, err
}

// A portrait is the page of an affiliate.
type portrait struct {
	affiliate.Affiliate
	Links      []affiliate.Link
	Codes      []affiliate.Code
	Sales      []affiliate.Sale
	Customers  []affiliate.Referral
	Balance    affiliate.Balance
	Books      bool // the balance is known
	CanMove    []option
	CanReturn  bool
	Plan, Tier string // empty: on none
	Month      string // of the newest statement
	Answers    []affiliate.Answer
	Events     []affiliate.Event // the newest
}

// Waits reports whether they wait for approval, and Due whether something can be paid to them now.
func (p *portrait) Waits() bool { return p.Status == affiliate.AffiliateInactive }
func (p *portrait) Due() bool {
	return p.Status == affiliate.AffiliateActive && p.Balance.Payable.Sign() > 0
}

// affiliatePage shows an affiliate.
func affiliatePage(v *visit) (view, error) {
	a, err := v.affiliate()
	if err != nil {
		return view{}, err
	}
	d := portrait{Affiliate: a, CanMove: movesFrom(a.Status), CanReturn: canReturn(a.Status),
		Month: v.now().In(v.Location).Format(monthLayout)}
	of := affiliate.Set(a.ID)
	links, err1 := v.program.Links(v.ctx(), affiliate.LinkQuery{AffiliateID: of}, affiliate.Page{Limit: 50})
	codes, err2 := v.program.Codes(v.ctx(), affiliate.CodeQuery{AffiliateID: of, Usability: true},
		affiliate.Page{Limit: 20})
	sales, err3 := v.program.Sales(v.ctx(), affiliate.SaleQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	customers, err4 := v.program.Referrals(v.ctx(), affiliate.ReferralQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	balance, err5 := v.program.Balance(v.ctx(), affiliate.AffiliateRef{ID: a.ID})
	d.Links, d.Codes, d.Sales, d.Customers, d.Balance, d.Books = links.Items, codes.Items,
		sales.Items, customers.Items, balance, err5 == nil
	if errors.Is(err5, affiliate.BooksNotOpen) {
		err5 = nil
	}
	plan, err6 := v.planName(a.CommissionPlanID)
	tier, err7 := v.tierName(a.CommissionTierID)
	answers, err8 := v.program.Answers(v.ctx(), a.ID)
	events, err9 := v.program.Events(v.ctx(),
		affiliate.EventQuery{ObjectID: affiliate.Set(a.ID.String())}, affiliate.Page{Limit: 10})
	d.Plan, d.Tier, d.Answers, d.Events = plan, tier, answers, events.Items
	return view{title: page.Named(a.Name), template: "affiliate", Data: &d},
		errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9)
}

// affiliate returns the one that the path names.
func (v *visit) affiliate() (affiliate.Affiliate, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return v.program.Affiliate(v.ctx(), id.String())
}

// affiliateForm returns a form about the affiliate of the path.
func affiliateForm(fill func(*visit, affiliate.Affiliate) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		a, err := v.affiliate()
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, a)
		f.Back = "affiliates/" + a.ID.String()
		return f, err
	}
}

// ofAffiliate returns a function that runs do for the affiliate of the path, and
// redirects to its page.
func ofAffiliate(do func(*visit, *tributary.Program, uuid.UUID, *input) error) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "affiliates/" + id.String(), do(v, p, id, in)
	}
}

// Question returns the label of a signup question.
func (v *visit) Question(id uuid.UUID) string {
	return page.Text(cmp.Or(v.cfg.Questions[id], id.String()), page.InDetail)
}

// payee returns the name of an affiliate, or their id when they are gone.
func (v *visit) payee(id uuid.UUID) (string, error) {
	a, err := v.program.Affiliate(v.ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return a.Name, err
}

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
		a, err := v.program.Affiliate(v.ctx(), id.String())
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, err
}

// ofChosen returns a function that runs do for the affiliates of the query, and
// redirects to the one affiliate or to the list.
func ofChosen(do func(*visit, *tributary.Program, []uuid.UUID, *input) error) func(*visit, *tributary.Program, *input) (string, error) {
	return func(v *visit, p *tributary.Program, in *input) (string, error) {
		ids, err := picked(v, "affiliates", uuid.Parse)
		if err != nil {
			return "", err
		}
		return v.backTo(ids), do(v, p, ids, in)
	}
}

// backTo returns the page of the affiliates of the query: the list in which they were
// ticked, or the one affiliate.
func (v *visit) backTo(ids []uuid.UUID) string {
	if len(ids) == 1 && !v.query.Has(paramList) {
		return "affiliates/" + ids[0].String()
	}
	return v.listOf("affiliates")
}

// membership completes the form of a plan or a tier. For several affiliates nothing
// is selected at first, so that an untouched form changes nobody.
func (v *visit) membership(all []affiliate.Affiliate, f form,
	now func(affiliate.Affiliate) affiliate.Opt[uuid.UUID]) form {
	f.Button, f.Edits = "Save", true
	ids := make([]uuid.UUID, len(all))
	choice := &f.Fields[0]
	for i, a := range all {
		ids[i] = a.ID
		choice.Value = typed(now(a))
		f.Effects = append(f.Effects, page.Text(a.Name, page.InList)+": "+choice.chosen(choice.Value))
	}
	f.Back = v.backTo(ids)
	if len(all) > 1 {
		choice.Value, choice.Required = noChoice, true
		choice.Options = append([]option{{noChoice, "Choose one…"}}, choice.Options...)
	}
	return f
}

// noChoice is the value of a selection that is still to be made.
const noChoice = "-"

// membership reads the choice of a plan or a tier.
func (in *input) membership(name string) uuid.UUID {
	if in.text(name) == noChoice {
		in.wrong(name, "Choose one, or the one that takes it away.")
		return uuid.Nil
	}
	return in.id(name)
}

// whom returns the affiliates for the list of what a form does.
func whom(all []affiliate.Affiliate) (names []string) {
	for _, a := range all {
		names = append(names, page.Text(a.Name, page.InList)+", now "+strings.ToLower(page.Words(a.Status)))
	}
	return names
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return page.Count(int64(n)) + " " + noun + "s"
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
			why.More = m.to == affiliate.AffiliateActive
			return form{Title: m.verb + " " + several(len(all), "affiliate"), Button: m.verb,
				Danger: m.to == affiliate.AffiliateBanned, Back: v.listOf("affiliates"),
				Effects: append(whom(all), m.means, toldEach), Fields: []field{why}}, nil
		}
		return form{}, badQuery("Choose what to do.")
	},
	do: ofChosen(func(v *visit, p *tributary.Program, ids []uuid.UUID, in *input) error {
		p = in.because(p)
		if in.err != nil {
			return in.err
		}
		for _, m := range moves {
			if string(m.to) == v.query.Get("to") {
				_, err := p.SetAffiliateStatus(v.ctx(), m.to, ids...)
				return err
			}
		}
		return badQuery("Choose what to do.")
	}),
}

// affiliatesPlan puts the affiliates of the query on a plan.
var affiliatesPlan = &action{
	name: "affiliates.plan", object: "affiliate", done: "The plan was changed.",
	form: func(v *visit) (form, error) {
		all, err := v.chosen()
		if err != nil {
			return form{}, err
		}
		plans, err := v.planOptions()
		return v.membership(all, form{
			Title:   "Plan of " + several(len(all), "affiliate"),
			Effects: []string{"Sales from now on earn by it, where an affiliate has no rate of their own and no tier with one. Sales that exist stay as they are.", toldEach},
			Fields: []field{{Name: "commissionPlanId", Label: "Plan",
				Options: orNone("The program's own terms", plans)}},
		}, func(a affiliate.Affiliate) affiliate.Opt[uuid.UUID] { return a.CommissionPlanID }), err
	},
	do: ofChosen(func(v *visit, p *tributary.Program, ids []uuid.UUID, in *input) error {
		plan := in.membership("commissionPlanId")
		if in.err != nil {
			return in.err
		}
		_, err := p.SetAffiliatePlan(v.ctx(), plan, ids...)
		return err
	}),
}

// affiliatesTier puts the affiliates of the query into a tier.
var affiliatesTier = &action{
	name: "affiliates.tier", object: "affiliate", done: "The tier was changed.",
	form: func(v *visit) (form, error) {
		all, err := v.chosen()
		if err != nil {
			return form{}, err
		}
		tiers, err := v.tierOptions()
		return v.membership(all, form{
			Title:   "Tier of " + several(len(all), "affiliate"),
			Effects: []string{"The next assignment of tiers puts them where their results belong, unless they are exempt from it.", toldEach},
			Fields:  []field{{Name: "commissionTierId", Label: "Tier", Options: orNone("None", tiers)}},
		}, func(a affiliate.Affiliate) affiliate.Opt[uuid.UUID] { return a.CommissionTierID }), err
	},
	do: ofChosen(func(v *visit, p *tributary.Program, ids []uuid.UUID, in *input) error {
		tier := in.membership("commissionTierId")
		if in.err != nil {
			return in.err
		}
		_, err := p.SetAffiliateTier(v.ctx(), tier, ids...)
		return err
	}),
}

// newAffiliate adds an affiliate, and inviteAffiliate one who has to accept first.
var (
	newAffiliate = addAffiliate("affiliates.create", "Add an affiliate", "Add",
		"The affiliate was added.",
		"They are active at once, unless the program approves affiliates by hand.",
		(*tributary.Program).CreateAffiliate)
	inviteAffiliate = addAffiliate("affiliates.invite", "Invite an affiliate", "Invite",
		"The affiliate was invited.",
		"They are invited until your site says that they have accepted. No mail is sent from here.",
		(*tributary.Program).InviteAffiliate)
)

type createsAffiliate = func(*tributary.Program, context.Context,
	affiliate.AffiliateParams) (affiliate.Affiliate, error)

func addAffiliate(name, title, button, done, means string, call createsAffiliate) *action {
	return &action{
		name: name, object: "affiliate", done: done,
		form: func(*visit) (form, error) {
			return form{
				Title: title, Button: button, Back: "affiliates",
				Effects: []string{means, "The event affiliate.created is sent."},
				Fields: []field{
					{Name: "firstName", Label: "First name", Required: true},
					{Name: "lastName", Label: "Last name", Required: true},
					{Name: "email", Label: "Email", Type: "email", Required: true},
					{Name: "externalId", Label: "Your own id of them",
						Hint: "The user, account or tenant of your application. Empty: none."},
					{Name: "affiliateLink", Label: "Link",
						Hint: "The end of their URL. Empty: it is made from the email."},
				},
			}, nil
		},
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			a, err := call(p, v.ctx(), affiliate.AffiliateParams{
				FirstName: in.Get("firstName"), LastName: in.Get("lastName"),
				Email: in.Get("email"), ExternalID: in.Get("externalId"),
				AffiliateLink: in.Get("affiliateLink"),
			})
			if err != nil {
				return "", err // nobody was made
			}
			return "affiliates/" + a.ID.String(), nil
		},
	}
}

// editAffiliate changes the name, the email, the host's id and the rate of an affiliate.
var editAffiliate = &action{
	name: "affiliates.update", object: "affiliate", done: "The affiliate was changed.",
	form: affiliateForm(func(_ *visit, a affiliate.Affiliate) (form, error) {
		rate := ""
		if !a.UseCommissionPlanCommissionRate {
			rate = a.CommissionRate.String()
		}
		return form{
			Title: "Edit " + page.Named(a.Name), Button: "Save", Edits: true,
			Effects: []string{"Sales from now on earn by the rate. Sales that exist stay as they are.", "The event affiliate.updated is sent."},
			Fields: []field{
				{Name: "firstName", Label: "First name", Required: true, Value: a.FirstName},
				{Name: "lastName", Label: "Last name", Required: true, Value: a.LastName},
				{Name: "email", Label: "Email", Type: "email", Required: true, Value: a.Email},
				{Name: "externalId", Label: "Your own id of them",
					Hint:  "The user, account or tenant of your application. Empty: none.",
					Value: a.ExternalID},
				{Name: "commissionRate", Label: "Rate of their own",
					Hint: "Empty: that of their tier, their plan or the program.", Value: rate},
				offerField(a.OfferCouponID, "Empty: that of their plan or the program."),
				{Name: "note", Label: "Note",
					Hint: "For the people of the program: the affiliate and webhooks never get it.",
					Type: "textarea", Value: a.Note},
			},
		}, nil
	}),
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		up := affiliate.AffiliateUpdate{FirstName: in.words("firstName"),
			LastName: in.words("lastName"), Email: in.words("email"),
			ExternalID: in.words("externalId"), CommissionRate: in.percent("commissionRate"),
			OfferCouponID: in.couponID("offerCouponId"), Note: in.words("note")}
		if in.err != nil || up == (affiliate.AffiliateUpdate{}) {
			return in.err
		}
		_, err := p.UpdateAffiliate(v.ctx(), affiliate.AffiliateRef{ID: id}, up)
		return err
	}),
}

// takeBack makes an affiliate active again.
var takeBack = &action{
	name: "affiliates.take-back", object: "affiliate", done: "They are active again.",
	form: affiliateForm(func(_ *visit, a affiliate.Affiliate) (form, error) {
		if !canReturn(a.Status) {
			return form{}, notAllowed("They are " + strings.ToLower(page.Words(a.Status)) + ".")
		}
		return form{
			Title: "Take " + page.Named(a.Name) + " back", Button: "Take back",
			Effects: append(whom([]affiliate.Affiliate{a}),
				"They become active. Commissions that were held stay on hold until they are accepted.",
				"The event affiliate.updated is sent."),
			Fields: []field{whyField()},
		}, nil
	}),
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		p = in.because(p)
		if in.err != nil {
			return in.err
		}
		_, err := p.UpdateAffiliate(v.ctx(), affiliate.AffiliateRef{ID: id},
			affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")})
		return err
	}),
}

// tierExempt says whether the assignment of tiers leaves an affiliate alone.
var tierExempt = &action{
	name: "affiliates.tier-exempt", object: "affiliate", done: "This was saved.",
	form: affiliateForm(func(_ *visit, a affiliate.Affiliate) (form, error) {
		return form{
			Title: "Tiers of " + page.Named(a.Name), Button: "Save", Edits: true,
			Effects: []string{"Who is exempt stays in their tier, whatever their results are.",
				"The event affiliate.updated is sent when this changes."},
			Fields: []field{{Name: "exempt", Label: "Exempt from the assignment of tiers",
				Type: "checkbox", Value: ticked(a.ExemptFromCommissionTierChanges)}},
		}, nil
	}),
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		_, err := p.SetTierExempt(v.ctx(), in.yes("exempt"), id)
		return err
	}),
}

var paymentMethods = page.PaymentMethods

// payoutDetails changes how an affiliate is paid.
var payoutDetails = &action{
	name: "affiliates.payout-details", object: "affiliate", done: "The payout details were changed.",
	form: affiliateForm(func(_ *visit, a affiliate.Affiliate) (form, error) {
		return form{
			Title: "Payout details of " + page.Named(a.Name), Button: "Save", Edits: true,
			Effects: []string{"Payouts that are made from now on go there. Payouts that exist stay as they are."},
			Fields: []field{
				{Name: "payoutEmail", Label: "Payout email", Type: "email", Value: a.PayoutEmail.Or("")},
				{Name: "paymentMethod", Label: "Payment method",
					Value:   string(a.PaymentMethod.Or("")),
					Hint:    "By bank: no account is kept here. Ask them for it at the payout email.",
					Options: orNone("None", options(paymentMethods...))},
			},
		}, nil
	}),
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		a, err := v.program.Affiliate(v.ctx(), id.String())
		if err != nil {
			return err
		}
		d := affiliate.PayoutDetails{Email: a.PayoutEmail.Or(""), Method: a.PaymentMethod.Or("")}
		if in.changed("payoutEmail") {
			d.Email = in.text("payoutEmail")
		}
		if in.changed("paymentMethod") {
			d.Method = affiliate.PaymentMethod(in.text("paymentMethod"))
		}
		_, err = p.SetPayoutDetails(v.ctx(), id, d)
		return err
	}),
}

var adjustments = []affiliate.AdjustmentKind{affiliate.AdjustBonus, affiliate.AdjustCorrection}

// shownAdjustments is the number of earlier adjustments that the form of a new one
// shows, so that nobody books what somebody else has booked already.
const shownAdjustments = 5

// adjust books a bonus or a correction.
var adjust = &action{
	name: "affiliates.adjust", object: "affiliate", done: "The adjustment was booked.",
	form: affiliateForm(func(v *visit, a affiliate.Affiliate) (form, error) {
		f := form{
			Title: "Adjust what " + page.Named(a.Name) + " is owed", Button: "Book",
			Effects: []string{"The next payout has it. It shows on their statement with its reason."},
			Fields: []field{
				{Name: "kind", Label: "Kind", Required: true, Options: options(adjustments...)},
				{Name: "amount", Label: "Amount in " + string(v.Currency),
					Hint: "A correction may be below zero.", Required: true},
				{Name: fieldReason, Label: "Reason", Required: true},
			},
		}
		booked, err := v.program.Adjustments(v.ctx(),
			affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(a.ID)},
			affiliate.Page{Limit: shownAdjustments})
		for _, b := range booked.Items {
			f.Effects = append(f.Effects,
				"Booked before, on "+v.Day(b.CreatedAt)+": "+page.Words(b.Kind)+" of "+
					v.Money(b.Amount)+", "+v.Short(b.Reason))
		}
		return f, err
	}),
	repeat: func(v *visit, in *input) (form, error) {
		a, err := v.affiliate()
		if err != nil {
			return form{}, err
		}
		sum := in.amount("amount").Or(affiliate.Amount{})
		return form{Effects: []string{page.Words(in.Get("kind")) + " of " + v.Money(sum) + " for " +
			v.Short(a.Name) + ".", "Reason: " + v.Short(in.text(fieldReason))}}, nil
	},
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		sum := in.amount("amount")
		if in.err != nil {
			return in.err
		}
		_, err := p.RecordAdjustment(v.ctx(),
			affiliate.AdjustmentParams{AffiliateID: id,
				Kind: affiliate.AdjustmentKind(in.Get("kind")), Amount: sum.Or(affiliate.Amount{}),
				Reason: in.Get(fieldReason)})
		return err
	}),
}

// deleteAffiliate deletes an affiliate.
var deleteAffiliate = &action{
	name: "affiliates.delete", object: "affiliate", done: "The affiliate was deleted.",
	form: affiliateForm(func(v *visit, a affiliate.Affiliate) (form, error) {
		owed, err := v.owedTo(a.ID)
		return form{
			Title: "Delete " + page.Named(a.Name), Button: "Delete", Danger: true, Fields: v.givenUp(owed),
			Effects: []string{
				"They have " + several(int(a.NumberOfReferredUsers), "customer") +
					" and a revenue of " + v.Money(a.TotalRevenue) + ".",
				"Their links, customers, sales and canceled payouts are deleted with them. Their codes stay, with nobody.",
				"Where another payout has something of theirs this is refused: deactivate them instead.",
				"The event affiliate.deleted is sent.",
			},
		}, err
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		return "affiliates", in.givesUp(p).DeleteAffiliate(v.ctx(), affiliate.AffiliateRef{ID: id})
	},
}

const fieldForfeit = "forfeit"

// owedTo returns what is owed to an affiliate and is in no payout; nothing when the books are not open.
func (v *visit) owedTo(id uuid.UUID) (owed affiliate.Amount, err error) {
	b, err := v.program.Balance(v.ctx(), affiliate.AffiliateRef{ID: id})
	if errors.Is(err, affiliate.BooksNotOpen) {
		return owed, nil
	}
	if err == nil {
		owed, err = b.Held.Add(b.Maturing)
	}
	if err == nil {
		owed, err = owed.Add(b.Payable)
	}
	return owed, err
}

// givenUp is the field by which what is owed is given up; none when nothing is.
func (v *visit) givenUp(owed affiliate.Amount) []field {
	box := field{Name: fieldForfeit, Label: v.Money(owed) + " is owed, and is forfeited",
		Type: "checkbox", Hint: "Otherwise pay it first. The ledger says that it was forfeited."}
	switch {
	case owed.IsZero():
		return nil
	case owed.Sign() < 0:
		box.Label, box.Hint = "They owe "+v.Money(owed.Neg())+", and it is given up",
			"Otherwise correct it first. The ledger says that it was forfeited."
	}
	return []field{box}
}

// givesUp returns the program that gives up what is owed, if the form says so.
func (in *input) givesUp(p *tributary.Program) *tributary.Program {
	if in.yes(fieldForfeit) {
		return p.Forfeiting()
	}
	return p
}

// eraseAffiliate and eraseCustomer blank personal data, step by step.
var (
	eraseAffiliate = erase("affiliates", "affiliate", "the affiliate", (*visit).payee, func(id uuid.UUID, in *input) affiliate.Job {
		return affiliate.EraseAffiliateJob{ID: id, Forfeit: in.yes(fieldForfeit)}
	})
	eraseCustomer = erase("customers", "referral", "the customer", (*visit).buyer,
		func(id uuid.UUID, _ *input) affiliate.Job { return affiliate.EraseReferralJob{Ref: id.String()} })
)

func erase(section, object, whom string, who func(*visit, uuid.UUID) (string, error),
	job func(uuid.UUID, *input) affiliate.Job) *action {
	return &action{
		name: section + ".erase", object: object,
		done: "Personal data erased. Undelivered webhooks still contain it; erase again after delivery.",
		form: func(v *visit) (form, error) {
			id, err := v.id(0)
			if err != nil {
				return form{}, err
			}
			who, err := who(v, id)
			f := form{
				Title: "Erase " + whom + " " + page.Named(who), Button: "Erase", Danger: true,
				Back:    section + "/" + id.String(),
				Effects: []string{"Names, emails and notes are blanked for good, here, in stored answers and in the payloads of events. Sales, money and totals stay.", "This cannot be taken back."},
			}
			if object == "affiliate" && err == nil {
				var owed affiliate.Amount
				owed, err = v.owedTo(id)
				f.Fields = v.givenUp(owed)
			}
			f.goesOn(v, section+".erase", "Erase "+whom+": there is more to look at")
			return f, err
		},
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			id, err := v.id(0)
			if err != nil {
				return "", err
			}
			step, err := p.Step(v.ctx(), job(id, in), affiliate.Step{Cursor: in.Get(paramCursor), Limit: stepLimit})
			return v.goOn(section+"/"+id.String()+"/erase", section+"/"+id.String(), step), err
		},
	}
}

// mergeAffiliate and mergeCustomer make one of two.
var (
	mergeAffiliate = &action{
		name: "affiliates.merge", object: "affiliate", done: "The two are one affiliate.",
		form: func(v *visit) (form, error) {
			id, err1 := v.id(0)
			who, err2 := v.payee(id)
			into, err3 := v.picker(field{Name: fieldInto, Label: "Into",
				Hint: "Who stays, with their terms and payout details.", Required: true})
			return mergeForm("affiliates/"+id.String(), who, into,
				"Links, codes, customers, sales, payouts and what is owed become those of who stays. Both ledgers say so."), errors.Join(err1, err2, err3)
		},
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			id, err1 := v.id(0)
			into, err2 := v.affiliateTyped(in, fieldInto)
			if err := errors.Join(err1, err2); err != nil {
				return "", err
			}
			a, err := in.because(p).MergeAffiliates(v.ctx(), affiliate.Merge{From: id.String(), Into: into.ID.String()})
			return "affiliates/" + a.ID.String(), err
		},
	}
	mergeCustomer = &action{
		name: "customers.merge", object: "referral", done: "The two are one customer.",
		form: customerForm(func(_ *visit, r affiliate.Referral) (form, error) {
			into := field{Name: fieldInto, Label: "Into",
				Hint:     "Who stays, with their affiliate: email, or id, or ext: and your own id.",
				Required: true}
			return mergeForm("", calledBy(r), into,
					"Sales, payers and redemptions become those of who stays. Every sale keeps its affiliate and what it earned."),
				nil
		}),
		do: func(v *visit, p *tributary.Program, in *input) (string, error) {
			id, err := v.id(0)
			if err != nil {
				return "", err
			}
			into, err := v.customerTyped(in.text(fieldInto))
			if errors.Is(err, affiliate.ErrNotFound) {
				err = wrongField(fieldInto, "No customer is called this.")
			}
			if err != nil {
				return "", err
			}
			r, err := in.because(p).MergeReferrals(v.ctx(), affiliate.Merge{From: id.String(), Into: into.ID.String()})
			return "customers/" + r.ID.String(), err
		},
	}
)

const fieldInto = "into"

// mergeForm is the form of a merge.
func mergeForm(back, who string, into field, effect string) form {
	return form{
		Title: "Merge " + page.Named(who) + " into another", Button: "Merge", Danger: true, Back: back,
		Effects: []string{effect, "Their email and ids lead to who stays from now on. This cannot be taken back."},
		Fields:  []field{into, whyField()},
	}
}
