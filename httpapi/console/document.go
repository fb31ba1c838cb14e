package console

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

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
	m := monthSum{opening: s.Opening.Owed, closing: s.Closing.Owed}
	for _, b := range report.Items {
		m.sales, m.deleted, m.commission, m.adjustments = b.Sales, b.DeletedSales, b.Commission, b.Adjustments
	}
	if m.paid, err = s.Closing.Paid.Sub(s.Opening.Paid); err != nil {
		return view{}, err
	}
	d, err := v.document(a, month, &m)
	d.Closed = s.Closed
	return view{title: d.Title + " " + d.Number, template: "document", Data: &d}, err
}

// document is what an affiliate is given for a month, with the host's part.
func (v *visit) document(a affiliate.Affiliate, month time.Time, m *monthSum) (d documentSheet, err error) {
	d = documentSheet{
		ID: a.ID, Month: month.Format(monthLayout), First: affiliate.TimeOf(month),
		Last: affiliate.TimeOf(dayAt(month.AddDate(0, 1, 0), -1)), Closed: true,
		Sales: m.sales, Deleted: m.deleted,
		Opening: m.opening, Commission: m.commission, Adjustments: m.adjustments, Paid: m.paid, Closing: m.closing,
	}
	if v.cfg.Document != nil && !a.CreatedAt.IsZero() { // who was deleted is not known to the host
		if d.Document, err = v.cfg.Document(v.Ctx(), a, month); err != nil {
			return d, err
		}
	}
	d.fill(v, a)
	d.Other, err = m.other()
	return d, err
}

// shownDocuments is the number of documents on a page.
const shownDocuments = 100

// A documentsPage has the documents of a month.
type documentsPage struct {
	Month     string
	Documents []*documentSheet
}

// documents shows the documents of everybody for a month that is over, in the order of
// their ids, to be printed or kept as one PDF.
func documents(v *visit) (view, error) {
	from, to, err := v.monthOver()
	if err != nil {
		return view{}, err
	}
	sums, ids, err := v.sumsOf(from, to)
	if err != nil {
		return view{}, err
	}
	if cursor := v.query.Get(paramCursor); cursor != "" {
		after, err := uuid.Parse(cursor)
		if err != nil {
			return view{}, badQuery("There is no such page.")
		}
		ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return slices.Compare(id[:], after[:]) <= 0 })
	}
	d := documentsPage{Month: v.Args[0]}
	shown := view{title: "Documents of " + d.Month, template: "documents", Data: &d}
	if len(ids) > shownDocuments {
		ids = ids[:shownDocuments]
		shown.next = ids[len(ids)-1].String()
	}
	for _, id := range ids {
		a, err := v.program.Affiliate(v.Ctx(), id.String())
		if errors.Is(err, affiliate.ErrNotFound) { // deleted since
			a.ID = id
			a.Name, err = v.payeeOnce(id)
		}
		if err != nil {
			return view{}, err
		}
		one, err := v.document(a, from, sums[id])
		if err != nil {
			return view{}, err
		}
		d.Documents = append(d.Documents, &one)
	}
	return shown, nil
}

// fill puts what the host left empty.
func (d *documentSheet) fill(v *visit, a affiliate.Affiliate) {
	d.Title = cmp.Or(d.Title, "Statement")
	d.Number = cmp.Or(d.Number, d.Month+"-"+a.ID.String()[24:])
	is := v.program.Config()
	d.From = cmp.Or(d.From, is.Company, is.Name)
	d.To = cmp.Or(d.To, strings.TrimSpace(a.Name+"\n"+a.Email))
}
