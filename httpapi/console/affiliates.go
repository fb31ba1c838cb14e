package console

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var affiliateStatuses = []affiliate.AffiliateStatus{
	affiliate.AffiliateActive, affiliate.AffiliateInactive, affiliate.AffiliateInvited,
	affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned,
}

type affiliateList struct {
	Items    []affiliate.Affiliate
	Statuses []option
}

// affiliates lists affiliates.
func affiliates(v *visit) (view, error) {
	q := affiliate.AffiliateQuery{Status: affiliate.AffiliateStatus(v.query.Get("status")), Search: v.search()}
	list, err := v.program.SearchAffiliates(v.ctx(), q, v.page50())
	return view{
		title: "Affiliates", template: "affiliates", next: list.Next,
		Data: &affiliateList{list.Items, options(affiliateStatuses...)},
	}, err
}

// A portrait is the page of an affiliate.
type portrait struct {
	affiliate.Affiliate
	Links   []affiliate.Link
	Codes   []affiliate.Code
	Sales   []affiliate.Sale
	Balance affiliate.Balance
	Books   bool // the balance is known
	CanMove []option
	Month   string // of the newest statement
}

// affiliatePage shows an affiliate.
func affiliatePage(v *visit) (view, error) {
	a, err := v.affiliate()
	if err != nil {
		return view{}, err
	}
	d := portrait{Affiliate: a, CanMove: movesFrom(a.Status), Month: v.now().In(v.location()).Format(monthLayout)}
	of := affiliate.Set(a.ID)
	links, err1 := v.program.Links(v.ctx(), affiliate.LinkFilter{AffiliateID: of}, affiliate.Page{Limit: 50})
	codes, err2 := v.program.Codes(v.ctx(), affiliate.CodeFilter{AffiliateID: of}, affiliate.Page{Limit: 20})
	sales, err3 := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{AffiliateID: of}, affiliate.Page{Limit: 10})
	balance, err4 := v.program.Balance(v.ctx(), a.ID)
	d.Links, d.Codes, d.Sales, d.Balance, d.Books = links.Items, codes.Items, sales.Items, balance, err4 == nil
	if refused(err4, affiliate.BooksNotOpen) {
		err4 = nil
	}
	return view{title: a.Name, template: "affiliate", Data: &d}, errors.Join(err1, err2, err3, err4)
}

// affiliate is the one that the path names.
func (v *visit) affiliate() (affiliate.Affiliate, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	return v.program.Affiliate(v.ctx(), id.String())
}

// moves are the statuses that people give, and what they are called.
var moves = []struct {
	to          affiliate.AffiliateStatus
	verb, means string
	from        []affiliate.AffiliateStatus
	call        func(*affiliate.Program, *visit, []uuid.UUID) error
}{
	{affiliate.AffiliateActive, "Approve", "They become active: their links and codes earn from now on.", []affiliate.AffiliateStatus{affiliate.AffiliateInactive, affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated, affiliate.AffiliateInvited},
		func(p *affiliate.Program, v *visit, ids []uuid.UUID) error {
			_, err := p.ApproveAffiliates(v.ctx(), ids...)
			return err
		}},
	{affiliate.AffiliateDeclined, "Decline", "They are told that the program does not take them.", []affiliate.AffiliateStatus{affiliate.AffiliateInactive},
		func(p *affiliate.Program, v *visit, ids []uuid.UUID) error {
			_, err := p.DeclineAffiliates(v.ctx(), ids...)
			return err
		}},
	{affiliate.AffiliateDeactivated, "Deactivate", "Their links and codes earn nothing from now on. What they have earned stays.", []affiliate.AffiliateStatus{affiliate.AffiliateActive},
		func(p *affiliate.Program, v *visit, ids []uuid.UUID) error {
			_, err := p.DeactivateAffiliates(v.ctx(), ids...)
			return err
		}},
	{affiliate.AffiliateBanned, "Ban", "They are out for good, and no payout is made to them. This cannot be taken back.", []affiliate.AffiliateStatus{affiliate.AffiliateActive, affiliate.AffiliateInactive, affiliate.AffiliateDeactivated, affiliate.AffiliateDeclined, affiliate.AffiliateInvited},
		func(p *affiliate.Program, v *visit, ids []uuid.UUID) error {
			_, err := p.BanAffiliates(v.ctx(), ids...)
			return err
		}},
}

// movesFrom are the changes that a status allows.
func movesFrom(status affiliate.AffiliateStatus) (all []option) {
	for _, m := range moves {
		for _, from := range m.from {
			if from == status {
				all = append(all, option{string(m.to), m.verb})
			}
		}
	}
	return all
}

// affiliateStatus changes the status of the affiliates of the query.
var affiliateStatus = &action{
	name: "affiliates.status", object: "affiliate", done: "The status was changed.",
	form: func(v *visit) (form, error) {
		for _, m := range moves {
			if string(m.to) != v.query.Get("to") {
				continue
			}
			names, ids, err := v.chosen(m.to)
			f := form{Title: m.verb + " " + several(len(ids), "affiliate"), Button: m.verb, Back: "affiliates"}
			f.Effects = append(names, m.means, "The event affiliate.updated is sent for each whose status changes.")
			return f, err
		}
		return form{}, badQuery("Choose what to do.")
	},
	do: func(v *visit, p *affiliate.Program, _ url.Values) (string, error) {
		ids, err := v.ids()
		if err != nil {
			return "", err
		}
		to := "affiliates"
		if len(ids) == 1 {
			to += "/" + ids[0].String()
		}
		for _, m := range moves {
			if string(m.to) == v.query.Get("to") {
				return to, m.call(p, v, ids)
			}
		}
		return "", badQuery("Choose what to do.")
	},
}

// ids are the ids of the query.
func (v *visit) ids() (ids []uuid.UUID, err error) {
	for _, text := range v.query[paramID] {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, badQuery("An id is wrong.")
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 || len(ids) > 50 {
		return nil, badQuery("Tick 1 to 50 affiliates first.")
	}
	return ids, nil
}

// chosen are the names and ids of the affiliates of the query, who can all get a
// status or have it.
func (v *visit) chosen(to affiliate.AffiliateStatus) (names []string, ids []uuid.UUID, err error) {
	if ids, err = v.ids(); err != nil {
		return nil, nil, err
	}
	f := view{visit: v}
	for _, id := range ids {
		a, err := v.program.Affiliate(v.ctx(), id.String())
		if err != nil {
			return nil, nil, err
		}
		if a.Status != to && !slices.ContainsFunc(movesFrom(a.Status), func(o option) bool { return o.Value == string(to) }) {
			return nil, nil, notAllowed(f.Short(a.Name) + " is " + strings.ToLower(words(a.Status)) + " and cannot become " + strings.ToLower(words(to)) + ".")
		}
		names = append(names, f.Short(a.Name)+", now "+strings.ToLower(words(a.Status)))
	}
	return names, ids, nil
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return page.Count(int64(n)) + " " + noun + "s"
}

// newAffiliate adds an affiliate.
var newAffiliate = &action{
	name: "affiliates.create", object: "affiliate", done: "The affiliate was added.",
	form: func(*visit) (form, error) {
		return form{
			Title: "Add an affiliate", Button: "Add", Back: "affiliates",
			Effects: []string{"The event affiliate.created is sent."},
			Fields: []field{
				{Name: "firstName", Label: "First name", Type: "text", Required: true},
				{Name: "lastName", Label: "Last name", Type: "text", Required: true},
				{Name: "email", Label: "Email", Type: "email", Required: true},
				{Name: "affiliateLink", Label: "Link", Hint: "The end of their URL. Empty: it is made from the email.", Type: "text"},
			},
		}, nil
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		a, err := p.CreateAffiliate(v.ctx(), affiliate.NewAffiliate{
			FirstName: sent.Get("firstName"), LastName: sent.Get("lastName"), Email: sent.Get("email"), AffiliateLink: sent.Get("affiliateLink"),
		})
		if err != nil {
			return "", err // nobody was made
		}
		return "affiliates/" + a.ID.String(), nil
	},
}

var paymentMethods = []affiliate.PaymentMethod{"PAYPAL", "WISE", "WISE_BANK", "BANK", "CREDITS", "COUPON"}

// payoutDetails changes how an affiliate is paid.
var payoutDetails = &action{
	name: "affiliates.payout-details", object: "affiliate", done: "The payout details were changed.",
	form: func(v *visit) (form, error) {
		a, err := v.affiliate()
		return form{
			Title: "Payout details of " + page.Text(a.Name, page.InList), Button: "Save", Back: "affiliates/" + a.ID.String(),
			Effects: []string{"Payouts that are made from now on go there. Payouts that exist stay as they are."},
			Fields: []field{
				{Name: "payoutEmail", Label: "Payout email", Type: "email", Value: a.PayoutEmail.Or("")},
				{Name: "paymentMethod", Label: "Payment method", Type: "select", Value: string(a.PaymentMethod.Or("")), Options: append([]option{{"", "None"}}, options(paymentMethods...)...)},
			},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.SetPayoutDetails(v.ctx(), id, affiliate.PayoutDetails{Email: sent.Get("payoutEmail"), Method: affiliate.PaymentMethod(sent.Get("paymentMethod"))})
		return "affiliates/" + id.String(), err
	},
}

// affiliateRate gives an affiliate a commission rate of their own.
var affiliateRate = &action{
	name: "affiliates.rate", object: "affiliate", done: "The commission rate was changed.",
	form: func(v *visit) (form, error) {
		a, err := v.affiliate()
		return form{
			Title: "Commission rate of " + page.Text(a.Name, page.InList), Button: "Save", Back: "affiliates/" + a.ID.String(),
			Effects: []string{"Sales from now on earn by this rate. Sales that exist stay as they are."},
			Fields:  []field{{Name: "commissionRate", Label: "Rate", Hint: "In percent, 0 to 100.", Type: "text", Required: true, Value: a.CommissionRate.String()}},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		rate, err := affiliate.ParsePercent(strings.TrimSpace(sent.Get("commissionRate")))
		if err != nil {
			return "", wrongField("commissionRate", "Enter a number, such as 12.5.")
		}
		_, err = p.UpdateAffiliate(v.ctx(), affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(rate)})
		return "affiliates/" + id.String(), err
	},
}

var adjustments = []affiliate.AdjustmentKind{affiliate.AdjustBonus, affiliate.AdjustCorrection}

// adjust books a bonus or a correction.
var adjust = &action{
	name: "affiliates.adjust", object: "affiliate", done: "The adjustment was booked.",
	form: func(v *visit) (form, error) {
		a, err := v.affiliate()
		return form{
			Title: "Adjust what " + page.Text(a.Name, page.InList) + " is owed", Button: "Book", Back: "affiliates/" + a.ID.String(),
			Effects: []string{"The next payout has it. It shows on their statement with its reason."},
			Fields: []field{
				{Name: "kind", Label: "Kind", Type: "select", Required: true, Options: options(adjustments...)},
				{Name: "amount", Label: "Amount", Hint: "A correction may be below zero.", Type: "text", Required: true},
				{Name: "reason", Label: "Reason", Type: "text", Required: true},
			},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		sum, err := amount(sent, "amount")
		if err != nil {
			return "", err
		}
		kind, _ := oneOf(sent, "kind", adjustments...)
		_, err = p.RecordAdjustment(v.ctx(), affiliate.NewAdjustment{AffiliateID: id, Kind: kind, Amount: sum, Reason: sent.Get("reason")})
		return "affiliates/" + id.String(), err
	},
}
