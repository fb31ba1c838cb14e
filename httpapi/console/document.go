package console

import (
	"cmp"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A Document is the host's part of a printed statement: who gives it and who
// gets it, with addresses, and what the law asks for. Texts may have several lines; those
// that are empty are as said here.
type Document struct {
	Title  string // "Self-billing invoice"; empty: "Statement"
	Number string // of the document; empty: the month and the end of the affiliate's id
	From   string // name, address and tax number of who pays; empty: Config.Company, or the program's name
	To     string // those of the affiliate; empty: name and email
	Note   string // below the figures, such as why there is no VAT
}

// A documentSheet is a statement of a month as a document.
type documentSheet struct {
	Document
	ID                                               uuid.UUID
	Month                                            string
	First, Last                                      affiliate.Time
	Closed                                           bool
	Sales, Deleted                                   int64
	Opening, Commission, Adjustments, Other, Closing affiliate.Amount
	Paid                                             affiliate.Amount // less than zero when more came back
}

// Lines returns the lines of a text.
func (*documentSheet) Lines(text string) (lines []string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		lines = append(lines, page.Text(line, page.InDetail))
	}
	return lines
}

// documentPage shows a statement as a document, to be printed or kept as PDF.
func documentPage(v *visit) (view, error) {
	id, month, err := v.statementOf()
	if err != nil {
		return view{}, err
	}
	a, err := v.program.Affiliate(v.Ctx(), id.String())
	if err != nil {
		return view{}, err
	}
	to := month.AddDate(0, 1, 0)
	s, err := v.program.Statement(v.Ctx(), affiliate.AffiliateRef{ID: id}, month, to)
	if err != nil {
		return view{}, err
	}
	report, err := v.program.Report(v.Ctx(),
		affiliate.ReportQuery{From: month, To: to, By: affiliate.IntervalMonth,
			AffiliateID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
	if err != nil {
		return view{}, err
	}
	d := documentSheet{
		ID: id, Month: v.Args[1], First: affiliate.TimeOf(month),
		Last: affiliate.TimeOf(dayAt(to, -1)), Closed: s.Closed, Opening: s.Opening.Owed,
		Closing: s.Closing.Owed,
	}
	if v.cfg.Document != nil {
		if d.Document, err = v.cfg.Document(v.Ctx(), a, month); err != nil {
			return view{}, err
		}
	}
	d.fill(v, a)
	for _, b := range report.Items {
		d.Sales, d.Deleted, d.Commission, d.Adjustments = b.Sales, b.DeletedSales, b.Commission, b.Adjustments
	}
	if d.Paid, err = s.Closing.Paid.Sub(s.Opening.Paid); err != nil {
		return view{}, err
	}
	m := monthSum{opening: d.Opening, commission: d.Commission, adjustments: d.Adjustments,
		paid: d.Paid, closing: d.Closing}
	d.Other, err = m.other()
	return view{title: d.Title + " " + d.Number, template: "document", Data: &d}, err
}

// fill puts what the host left empty.
func (d *documentSheet) fill(v *visit, a affiliate.Affiliate) {
	d.Title = cmp.Or(d.Title, "Statement")
	d.Number = cmp.Or(d.Number, d.Month+"-"+a.ID.String()[24:])
	is := v.program.Config()
	d.From = cmp.Or(d.From, is.Company, is.Name)
	d.To = cmp.Or(d.To, a.Name+"\n"+a.Email)
}
