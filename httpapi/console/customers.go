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

var subscriptionStatuses = []affiliate.SubscriptionStatus{
	affiliate.SubscriptionActive, affiliate.SubscriptionSubmitted, affiliate.SubscriptionPastDue,
	affiliate.SubscriptionCancelled, affiliate.SubscriptionDeclined,
}

// A customerRow is a customer with the name of the affiliate who brought them.
type customerRow struct {
	affiliate.Referral
	By string
}

// customersAsked reads the filter of the list of customers from the address.
func (v *visit) customersAsked() (affiliate.ReferralQuery, error) {
	q := affiliate.ReferralQuery{Status: affiliate.SubscriptionStatus(v.query.Get("status")), Search: v.search()}
	var err error
	if q.AffiliateID, err = v.queryID(paramAffiliate); err != nil {
		return q, err
	}
	if q.OldestFirst, err = v.queryOldest(); err != nil {
		return q, err
	}
	q.Since, q.Until, err = v.queryDays()
	return q, err
}

// customers lists referrals: the customers whom affiliates brought.
func customers(v *visit) (view, error) {
	q, err := v.customersAsked()
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Referrals(v.Ctx(), q, v.Page50())
	if err != nil {
		return view{}, err
	}
	var rows []customerRow
	for _, r := range list.Items {
		by, err := v.payeeOnce(r.AffiliateID)
		if err != nil {
			return view{}, err
		}
		rows = append(rows, customerRow{r, by})
	}
	return view{title: "Customers", template: "customers", next: list.Next, Data: rows}, nil
}

// search returns the search text of the query.
func (v *visit) search() (text affiliate.Opt[string]) {
	if q := strings.TrimSpace(v.query.Get("q")); q != "" {
		text = affiliate.Set(q)
	}
	return text
}

// queryID returns a parameter of the query that is an id, if it is there.
func (v *visit) queryID(name string) (o affiliate.Opt[uuid.UUID], err error) {
	text := v.query.Get(name)
	if text == "" {
		return o, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return o, badQuery("The parameter " + name + " is not an id.")
	}
	return affiliate.Set(id), nil
}

type customerSheet struct {
	affiliate.Referral
	By, PlanName string
	Sales        []affiliate.Sale
	Because      string           // why it is them who brought the customer
	First        affiliate.SaleID // the sale that says so; zero: none
}

// notSaid is the plan of a customer of whom nobody has said what they bought.
const notSaid = "N/A"

// Bought returns what the customer has bought; empty: nobody has said.
func (s *customerSheet) Bought() string {
	if plan := s.Plan.Or(""); plan != notSaid {
		return plan
	}
	return ""
}

// because says why the affiliate of a customer is credited: by the customer's first sale, where it is theirs.
func (s *customerSheet) because(v *visit) error {
	switch {
	case s.Moves() != nil:
		s.Because = "Somebody gave them the customer"
		return nil
	case s.SubmissionType == affiliate.SubmissionManual:
		s.Because = "Somebody added the customer by hand"
	case s.ReferralMedium == affiliate.MediumCoupon:
		s.Because = "A promotional code of theirs"
	default:
		s.Because = "A link of theirs, or the shop named them"
	}
	first, err := v.program.Sales(v.Ctx(),
		affiliate.SaleQuery{ReferralID: affiliate.Set(s.ID.String()), OldestFirst: true},
		affiliate.Page{Limit: 1})
	if err != nil || len(first.Items) == 0 || first.Items[0].AffiliateID != s.AffiliateID {
		return err
	}
	why, err := v.program.ExplainSale(v.Ctx(), first.Items[0].ID)
	switch why.Credit.By {
	case "", affiliate.CreditReferral, affiliate.CreditEmail, affiliate.CreditCustomer, affiliate.CreditBrought: // they were theirs before
	default:
		s.Because, s.First = (&saleSheet{Why: why}).Credited(), first.Items[0].ID
	}
	return err
}

// customerPage shows a customer.
func customerPage(v *visit) (view, error) {
	r, err := ofCustomer.named(v)
	if err != nil {
		return view{}, err
	}
	who, err1 := v.payee(r.AffiliateID)
	plan, err2 := v.planName(r.CommissionPlanID)
	sales, err3 := v.program.Sales(v.Ctx(),
		affiliate.SaleQuery{ReferralID: affiliate.Set(r.ID.String())}, affiliate.Page{Limit: 20})
	d := customerSheet{Referral: r, By: who, PlanName: plan, Sales: sales.Items}
	return view{title: page.Named(calledBy(r)), template: "customer", Data: &d},
		errors.Join(err1, err2, err3, d.because(v))
}

// buyer returns the name of a customer.
func (v *visit) buyer(id uuid.UUID) (string, error) {
	r, err := v.program.Referral(v.Ctx(), id.String())
	return calledBy(r), err
}

// Moves returns when the customer was given from one affiliate to another, and why.
func (s *customerSheet) Moves() []move { return movesIn(s.Metadata) }

// calledBy returns what a customer is called by: their name, else their email.
func calledBy(r affiliate.Referral) string { return cmp.Or(r.Name.Or(""), r.Email) }

var ofCustomer = noun[affiliate.Referral]{"customers/",
	func(v *visit, id uuid.UUID) (affiliate.Referral, error) {
		return v.program.Referral(v.Ctx(), id.String())
	}}

func updateReferral(p *tributary.Program, ctx context.Context, id uuid.UUID,
	up affiliate.ReferralUpdate) (affiliate.Referral, error) {
	return p.UpdateReferral(ctx, id.String(), up)
}

var moveCustomer = &action{
	name: "customers.move", object: "referral", done: "The customer was given to another affiliate.",
	form: ofCustomer.form(func(v *visit, r affiliate.Referral) (form, error) {
		by, err1 := v.program.Affiliate(v.Ctx(), r.AffiliateID.String())
		fields, err2 := v.moveFields()
		return form{
			Title: "Give " + page.Named(calledBy(r)) + " to another affiliate", Button: "Give",
			Effects: []string{
				"The customer is of " + page.Text(by.Name, page.InList) + " now.",
				"Future sales credit the new affiliate. Recorded sales stay: give each of them by itself. The event referral.updated is sent.",
			},
			Fields: fields, State: string(r.Metadata.Or(nil)),
		}, errors.Join(err1, err2)
	}),
	do: ofCustomer.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		r, err := v.program.Referral(v.Ctx(), id.String())
		if err != nil {
			return err
		}
		to, err := v.affiliateTyped(in, fieldAffiliate)
		if err != nil {
			return err
		}
		p = in.because(p)
		metadata, err := v.moved(in, r.Metadata, r.AffiliateID)
		if err == nil {
			_, err = updateReferral(p, v.Ctx(), id,
				affiliate.ReferralUpdate{AffiliateID: affiliate.Set(to.ID), Metadata: metadata})
		}
		return err
	}),
}

var editCustomer = &action{
	name: "customers.update", object: "referral", done: "The customer was changed.",
	form: ofCustomer.form(func(v *visit, r affiliate.Referral) (form, error) {
		if r.Plan.Or("") == notSaid {
			r.Plan = affiliate.Null[string]()
		}
		return form{
			Title: "Edit " + page.Named(calledBy(r)), Button: "Save", Edits: true,
			Effects: []string{"The event referral.updated is sent."},
			Fields: v.filled(r, []field{
				{Name: "name", Label: "Name"},
				{Name: "email", Label: "Email", Type: "email", Required: true},
				{Name: "referredUserExternalId", Label: "Your id"},
				{Name: "plan", Label: "What they have bought"},
				{Name: "notes", Label: "Notes", Hint: "For you alone.", Type: "textarea"},
			}...),
		}, nil
	}),
	do: update(ofCustomer, updateReferral),
}

var customerStatus = &action{
	name: "customers.status", object: "referral", done: "The status was changed.",
	form: ofCustomer.form(func(_ *visit, r affiliate.Referral) (form, error) {
		return form{
			Title: "Status of " + page.Named(calledBy(r)), Button: "Save", Edits: true,
			Effects: []string{"The event referral.updated is sent when it changes."},
			Fields: []field{{Name: "subscriptionStatus", Label: "Status", Required: true,
				Value: string(r.SubscriptionStatus), Options: options(subscriptionStatuses...)}},
		}, nil
	}),
	do: ofCustomer.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		_, err := p.PushReferralStatus(v.Ctx(), id.String(), affiliate.SubscriptionStatus(in.Get("subscriptionStatus")))
		return err
	}),
}

// customerPlan puts a customer on a plan of their own.
var customerPlan = &action{
	name: "customers.plan", object: "referral", done: "The plan was changed.",
	form: ofCustomer.form(func(v *visit, r affiliate.Referral) (form, error) {
		plans, err := v.planOptions()
		return form{
			Title: "Plan of " + page.Named(calledBy(r)), Button: "Save", Edits: true,
			Effects: []string{"Their sales from now on earn by it. Sales that exist stay as they are."},
			Fields: []field{{Name: "commissionPlanId", Label: "Plan",
				Value: typed(r.CommissionPlanID), Options: orNone("That of the affiliate", plans)}},
		}, err
	}),
	do: ofCustomer.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		plan := in.id("commissionPlanId")
		if in.err != nil {
			return in.err
		}
		_, err := p.SetReferralPlan(v.Ctx(), plan, id)
		return err
	}),
}

var deleteCustomer = &action{
	name: "customers.delete", object: "referral", done: "The customer was deleted.",
	form: ofCustomer.form(func(v *visit, r affiliate.Referral) (form, error) {
		owed, err := v.owedFor(r.ID)
		return form{
			Title: "Delete " + page.Named(calledBy(r)), Button: "Delete", Danger: true, Fields: v.givenUp(owed),
			Effects: []string{"They have a revenue of " + v.Money(r.TotalRevenue) +
				", and a commission of " + v.Money(r.TotalCommission) + " was earned by it.",
				"Their sales are deleted with them. Where a payout has one of these this is refused.",
				"The event referral.deleted is sent."},
		}, err
	}),
	do: doThen("customers", func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		return in.givesUp(p).DeleteReferral(v.Ctx(), id.String())
	}),
}

// owedFor returns what is owed for the sales of a customer and is in no payout.
func (v *visit) owedFor(id uuid.UUID) (owed affiliate.Amount, err error) {
	of := affiliate.SaleQuery{ReferralID: affiliate.Set(id.String())}
	for sale, err := range affiliate.All(v.Ctx(), v.program.Sales, of) {
		if err != nil {
			return owed, err
		}
		for _, c := range sale.Commissions {
			if c.PayoutCreated || c.ApprovalStatus == affiliate.ApprovalDeclined {
				continue
			}
			if owed, err = owed.Add(c.CommissionEarned); err != nil {
				return owed, err
			}
		}
	}
	return owed, nil
}
