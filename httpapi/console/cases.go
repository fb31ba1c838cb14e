package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What affiliates ask, and the answers.

// casesPath is the list of cases.
const casesPath = "affiliates/cases"

// countedCases is the number of open cases that the navigation counts.
const countedCases = 20

var ofCase = noun[affiliate.Case]{casesPath + "/", func(v *visit, id uuid.UUID) (affiliate.Case, error) {
	return v.program.Case(v.Ctx(), id)
}}

// openCases returns the newest cases that wait for an answer.
func (v *visit) openCases() (affiliate.Waiting[affiliate.Case], error) {
	l, err := v.program.Cases(v.Ctx(), affiliate.CaseQuery{Status: affiliate.CaseOpen},
		affiliate.Page{Limit: countedCases})
	return affiliate.Waiting[affiliate.Case]{Items: l.Items, Count: len(l.Items),
		More: l.Next != ""}, err
}

// countCases counts the cases that wait, for the navigation of the section that is shown. What
// answers a form is not counted for: it would fail after the deed.
func (v *view) countCases() error {
	i := slices.IndexFunc(v.Groups(), group.Current)
	if !v.Reads() || i < 0 || !slices.ContainsFunc(groups[i].Sections, func(s section) bool { return s.Path == casesPath }) {
		return nil
	}
	open, err := v.openCases()
	switch {
	case open.More:
		v.openCount = fmt.Sprint(open.Count, "+")
	case open.Count > 0:
		v.openCount = strconv.Itoa(open.Count)
	}
	return err
}

// A caseRow is a case in a list, with the name of its affiliate.
type caseRow struct {
	affiliate.Case
	Who string
}

// cases lists cases, the newest first.
func cases(v *visit) (view, error) {
	list, err := v.program.Cases(v.Ctx(),
		affiliate.CaseQuery{Status: affiliate.CaseStatus(v.query.Get("status"))}, v.Page50())
	rows := make([]caseRow, len(list.Items))
	for i, c := range list.Items {
		if rows[i].Case = c; err == nil {
			rows[i].Who, err = v.payeeOnce(c.AffiliateID)
		}
	}
	return view{title: "Cases", template: "cases", next: list.Next, Data: rows}, err
}

// Subject says in a few words what a case is about.
func (*view) Subject(c affiliate.Case) string { return subject(c, inList) }

// subject is Subject with the number of an order as shown says it.
func subject(c affiliate.Case, shown func(string) string) string {
	switch c.Kind {
	case affiliate.SaleClaim:
		return "Order " + shown(c.ExternalID.Or("")) + " is missing"
	case affiliate.SaleQuestion:
		return fmt.Sprint("About sale ", c.SaleID.Or(0))
	case affiliate.PayoutRequest:
		return "To be paid now"
	}
	return page.Words(c.Kind)
}

func inList(s string) string { return page.Text(s, page.InList) }

// A caseSheet is a case, with what is known of what it is about.
type caseSheet struct {
	affiliate.Case
	Who     affiliate.Affiliate
	Sales   []saleSheet
	Waiting []searchResult // payments without a sale
	Payable affiliate.Opt[affiliate.Amount]
}

// Open reports whether it waits for an answer.
func (c *caseSheet) Open() bool { return c.Status == affiliate.CaseOpen }

// Untold reports whether nothing is known of what the case is about.
func (c *caseSheet) Untold() bool {
	return c.Kind != affiliate.PayoutRequest && len(c.Sales)+len(c.Waiting) == 0
}

// ByHand returns the query of the form that records the order of a claim.
func (c *caseSheet) ByHand() string {
	return "?" + url.Values{paramAffiliate: {c.Who.Email}, paramOrder: {c.ExternalID.Or("")}}.Encode()
}

// paramCase names the case that a form was opened for.
const paramCase = "case"

// ToThem returns the query of the form that gives a sale to who asks, and leads back.
func (c *caseSheet) ToThem() string {
	return "?" + url.Values{paramAffiliate: {c.Who.Email}, paramCase: {c.ID.String()}}.Encode()
}

// caseOr returns the page of the case that the form was opened for, else another one.
func (v *visit) caseOr(other string) string {
	if id, err := uuid.Parse(v.query.Get(paramCase)); err == nil {
		return ofCase.page + id.String()
	}
	return other
}

// caseSheet finds out what is known of a case.
func (v *visit) caseSheet(c affiliate.Case) (d caseSheet, err error) {
	d.Case = c
	if d.Who, err = v.program.Affiliate(v.Ctx(), c.AffiliateID.String()); err != nil {
		return d, err
	}
	var sales []affiliate.Sale
	switch c.Kind {
	case affiliate.SaleClaim:
		order := c.ExternalID.Or("")
		if sales, err = v.ordered(order); err == nil && order != "" {
			var waiting searchResults
			waiting, err = findPayments(v, order)
			d.Waiting = waiting.Hits
		}
	case affiliate.SaleQuestion:
		var sale affiliate.Sale
		if sale, err = v.program.Sale(v.Ctx(), c.SaleID.Or(0)); err == nil {
			sales = []affiliate.Sale{sale}
		} else if errors.Is(err, affiliate.ErrNotFound) {
			err = nil // it was deleted
		}
	case affiliate.PayoutRequest:
		var b affiliate.Balance
		b, err = v.program.Balance(v.Ctx(), affiliate.AffiliateRef{ID: c.AffiliateID})
		d.Payable = affiliate.Set(b.Payable)
	}
	for i := 0; i < len(sales) && err == nil; i++ {
		sheet := saleSheet{Sale: sales[i], All: sales[i].Status == affiliate.SaleRefunded}
		sheet.Why, err = v.program.ExplainSale(v.Ctx(), sales[i].ID)
		d.Sales = append(d.Sales, sheet)
	}
	return d, err
}

// casePage shows a case.
func casePage(v *visit) (view, error) {
	c, err := ofCase.named(v)
	if err != nil {
		return view{}, err
	}
	d, err := v.caseSheet(c)
	return view{title: subject(c, page.Named), template: "case", Data: &d}, err
}

// said returns what the page of a case says, for the form of the answer.
func (c *caseSheet) said(v *visit) (lines []string) {
	lines = []string{fmt.Sprintf("%s asked on %s: %s.", v.Short(c.Who.Name), v.Day(c.CreatedAt), subject(c.Case, inList))}
	if c.Text != "" {
		lines = append(lines, "“"+page.Text(c.Text, page.InDetail)+"”")
	}
	for i := range c.Sales {
		s := &c.Sales[i]
		lines = append(lines, fmt.Sprintf("Sale %v of %s earns %s for %s. %s.", s.ID,
			v.Money(s.TotalEarned), v.Money(s.CommissionEarned), v.Short(s.Affiliate.Name), s.Credited()))
	}
	if owed, asked := c.Payable.Get(); asked {
		lines = append(lines, v.Money(owed)+" is payable to them.")
	}
	return append(lines, "They see the answer on their pages, and are told by mail when the program sends mails.")
}

// answerCase answers a case.
var answerCase = &action{
	name: "cases.answer", object: "case", done: "The answer was saved. The affiliate sees it.",
	form: ofCase.form(func(v *visit, c affiliate.Case) (form, error) {
		if c.Status != affiliate.CaseOpen {
			return form{}, notAllowed("It was answered meanwhile.")
		}
		d, err := v.caseSheet(c)
		return form{Title: "Answer: " + subject(c, page.Named), Button: "Answer", Effects: d.said(v),
			Fields: []field{{Name: "answer", Label: "Answer", Type: "textarea", Required: true}}}, err
	}),
	do: update(ofCase, (*tributary.Program).AnswerCase),
}
