package console

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

type affiliateList struct {
	Items        []affiliate.Affiliate
	Plans, Tiers []option
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
	list, err1 := v.program.Affiliates(v.Ctx(), q, v.Page50())
	plans, err2 := v.planOptions()
	tiers, err3 := v.tierOptions()
	return view{title: "Affiliates", template: "affiliates", next: list.Next,
		Data: &affiliateList{list.Items, plans, tiers}}, errors.Join(err1, err2, err3)
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
	Budgets    []*affiliate.BudgetUse
	Bonuses    []affiliate.BonusProgress
}

// Waits reports whether they wait for approval, and Due whether something can be paid to them now.
func (p *portrait) Waits() bool { return p.Status == affiliate.AffiliateInactive }
func (p *portrait) Due() bool {
	return p.Status == affiliate.AffiliateActive && p.Balance.Payable.Sign() > 0
}

// affiliatePage shows an affiliate.
func affiliatePage(v *visit) (view, error) {
	a, err := ofAffiliate.named(v)
	if err != nil {
		return view{}, err
	}
	d := portrait{Affiliate: a, CanMove: movesFrom(a.Status), CanReturn: canReturn(a.Status),
		Month: v.now().In(v.Location).Format(monthLayout)}
	of := affiliate.Set(a.ID)
	links, err1 := v.program.Links(v.Ctx(), affiliate.LinkQuery{AffiliateID: of}, affiliate.Page{Limit: 50})
	codes, err2 := v.program.Codes(v.Ctx(), affiliate.CodeQuery{AffiliateID: of, Usability: true},
		affiliate.Page{Limit: 20})
	sales, err3 := v.program.Sales(v.Ctx(), affiliate.SaleQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	customers, err4 := v.program.Referrals(v.Ctx(), affiliate.ReferralQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	balance, err5 := v.program.Balance(v.Ctx(), affiliate.AffiliateRef{ID: a.ID})
	d.Links, d.Codes, d.Sales, d.Customers, d.Balance, d.Books = links.Items, codes.Items,
		sales.Items, customers.Items, balance, err5 == nil
	if errors.Is(err5, affiliate.BooksNotOpen) {
		err5 = nil
	}
	plan, err6 := v.planName(a.CommissionPlanID)
	tier, err7 := v.tierName(a.CommissionTierID)
	answers, err8 := v.program.Answers(v.Ctx(), a.ID)
	events, err9 := v.program.Events(v.Ctx(),
		affiliate.EventQuery{ObjectID: affiliate.Set(a.ID.String())}, affiliate.Page{Limit: 10})
	budgets, err10 := v.program.Budgets(v.Ctx(), affiliate.BudgetQuery{AffiliateID: of, Current: true}, affiliate.Page{Limit: 16})
	for i := range budgets.Items {
		d.Budgets = append(d.Budgets, &budgets.Items[i])
	}
	var err11 error
	d.Bonuses, err11 = v.program.Bonuses(v.Ctx(), affiliate.AffiliateRef{ID: a.ID})
	d.Plan, d.Tier, d.Answers, d.Events = plan, tier, answers, events.Items
	return view{title: page.Named(a.Name), template: "affiliate", Data: &d},
		errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11)
}

var ofAffiliate = noun[affiliate.Affiliate]{"affiliates/",
	func(v *visit, id uuid.UUID) (affiliate.Affiliate, error) {
		return v.program.Affiliate(v.Ctx(), id.String())
	}}

// Question returns the label of a signup question.
func (v *visit) Question(id uuid.UUID) string {
	return page.Text(cmp.Or(v.cfg.Questions[id], id.String()), page.InDetail)
}

// payee returns the name of an affiliate, or their id when they are gone.
func (v *visit) payee(id uuid.UUID) (string, error) {
	a, err := v.program.Affiliate(v.Ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return a.Name, err
}

func several(n int, noun string) string { return page.Several(int64(n), noun) }

// newAffiliate adds an affiliate, and inviteAffiliate one who has to accept first.
var (
	newAffiliate = addAffiliate("affiliates.create", "Add an affiliate", "Add",
		"The affiliate was added.",
		"They are active at once, unless the program approves affiliates by hand.",
		(*tributary.Program).CreateAffiliate)
	inviteAffiliate = addAffiliate("affiliates.invite", "Invite an affiliate", "Invite",
		"The affiliate was invited.",
		"They are invited until your site says that they have accepted. A server with mail sends them a link, and they accept by signing in. Where the program approves by hand, they then wait for that.",
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
				Fields: append(personFields(), field{Name: "affiliateLink", Label: "Link",
					Hint: "The end of their URL. Empty: it is made from the email."}),
			}, nil
		},
		do: create(call, func(a affiliate.Affiliate) string { return "affiliates/" + a.ID.String() }),
	}
}

// personFields are the fields of who an affiliate is.
func personFields() []field {
	return []field{
		{Name: "firstName", Label: "First name", Required: true},
		{Name: "lastName", Label: "Last name", Required: true},
		{Name: "email", Label: "Email", Type: "email", Required: true},
		{Name: "externalId", Label: "Your own id of them",
			Hint: "The user, account or tenant of your application. Empty: none."},
		{Name: "language", Label: "Language", Hint: "In which mails are written to them, such as de or pt-BR. Empty: not known."},
	}
}

// editAffiliate changes the name, the email, the host's id and the rate of an affiliate.
var editAffiliate = &action{
	name: "affiliates.update", object: "affiliate", done: "The affiliate was changed.",
	form: ofAffiliate.form(func(v *visit, a affiliate.Affiliate) (form, error) {
		rate := field{Name: "commissionRate", Label: "Rate of their own",
			Hint: "Empty: that of their tier, their plan or the program."}
		if !a.UseCommissionPlanCommissionRate {
			rate.Value = a.CommissionRate.String()
		}
		a.CommissionRate = affiliate.Percent{}
		return form{
			Title: "Edit " + page.Named(a.Name), Button: "Save", Edits: true,
			Effects: []string{
				"Sales from now on earn by the rate. Sales that exist stay as they are.",
				"The event affiliate.updated is sent."},
			Fields: v.filled(a, append(personFields(), rate,
				offerField("Empty: that of their plan or the program."),
				field{Name: "note", Label: "Note", Type: "textarea",
					Hint: "For the people of the program: the affiliate and webhooks never get it."},
			)...),
		}, nil
	}),
	do: update(ofAffiliate, updateAffiliate),
}

func updateAffiliate(p *tributary.Program, ctx context.Context, id uuid.UUID,
	up affiliate.AffiliateUpdate) (int, error) {
	return p.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, up)
}

// takeBack makes an affiliate active again.
var takeBack = &action{
	name: "affiliates.take-back", object: "affiliate", done: "They are active again.",
	form: ofAffiliate.form(func(_ *visit, a affiliate.Affiliate) (form, error) {
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
	do: ofAffiliate.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		p = in.because(p)
		if in.err != nil {
			return in.err
		}
		_, err := updateAffiliate(p, v.Ctx(), id,
			affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")})
		return err
	}),
}

// tierExempt says whether the assignment of tiers leaves an affiliate alone.
var tierExempt = &action{
	name: "affiliates.tier-exempt", object: "affiliate", done: "This was saved.",
	form: ofAffiliate.form(func(_ *visit, a affiliate.Affiliate) (form, error) {
		return form{
			Title: "Tiers of " + page.Named(a.Name), Button: "Save", Edits: true,
			Effects: []string{"Who is exempt stays in their tier, whatever their results are.",
				"The event affiliate.updated is sent when this changes."},
			Fields: []field{box("exempt", "Exempt from the assignment of tiers",
				a.ExemptFromCommissionTierChanges)},
		}, nil
	}),
	do: ofAffiliate.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		_, err := p.SetTierExempt(v.Ctx(), in.yes("exempt"), id)
		return err
	}),
}

var paymentMethods = page.PaymentMethods

var payoutDetails = &action{
	name: "affiliates.payout-details", object: "affiliate", done: "The payout details were changed.",
	form: ofAffiliate.form(func(_ *visit, a affiliate.Affiliate) (form, error) {
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
	do: ofAffiliate.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		a, err := v.program.Affiliate(v.Ctx(), id.String())
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
		_, err = p.SetPayoutDetails(v.Ctx(), id, d)
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
	form: ofAffiliate.form(func(v *visit, a affiliate.Affiliate) (form, error) {
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
		booked, err := v.program.Adjustments(v.Ctx(),
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
		a, err := ofAffiliate.named(v)
		if err != nil {
			return form{}, err
		}
		sum := in.amount("amount").Or(affiliate.Amount{})
		return form{Effects: []string{page.Words(in.Get("kind")) + " of " + v.Money(sum) + " for " +
			v.Short(a.Name) + ".", "Reason: " + v.Short(in.text(fieldReason))}}, nil
	},
	do: ofAffiliate.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		sum := in.amount("amount")
		if in.err != nil {
			return in.err
		}
		_, err := p.RecordAdjustment(v.Ctx(),
			affiliate.AdjustmentParams{AffiliateID: id,
				Kind: affiliate.AdjustmentKind(in.Get("kind")), Amount: sum.Or(affiliate.Amount{}),
				Reason: in.Get(fieldReason)})
		return err
	}),
}

var deleteAffiliate = &action{
	name: "affiliates.delete", object: "affiliate", done: "The affiliate was deleted.",
	form: ofAffiliate.form(func(v *visit, a affiliate.Affiliate) (form, error) {
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
	do: doThen("affiliates", func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		return in.givesUp(p).DeleteAffiliate(v.Ctx(), affiliate.AffiliateRef{ID: id})
	}),
}

const fieldForfeit = "forfeit"

// owedTo returns what is owed to an affiliate and is in no payout; nothing when the books are not open.
func (v *visit) owedTo(id uuid.UUID) (owed affiliate.Amount, err error) {
	b, err := v.program.Balance(v.Ctx(), affiliate.AffiliateRef{ID: id})
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
			a, err := in.because(p).MergeAffiliates(v.Ctx(), affiliate.Merge{From: id.String(), Into: into.ID.String()})
			return "affiliates/" + a.ID.String(), err
		},
	}
	mergeCustomer = &action{
		name: "customers.merge", object: "referral", done: "The two are one customer.",
		form: ofCustomer.form(func(_ *visit, r affiliate.Referral) (form, error) {
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
			r, err := in.because(p).MergeReferrals(v.Ctx(), affiliate.Merge{From: id.String(), Into: into.ID.String()})
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
