package console

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A monthSheet is an affiliate's statement of a month.
type monthSheet struct {
	affiliate.Statement
	Name, Month   string
	Before, After string // the months beside it; empty: none since the affiliate has joined, and until now
	Lines         []affiliate.StatementLine
	Goes          bool         // it goes on from the page before
	Reasons       page.Reasons // of the adjustments in the lines
}

const monthLayout = "2006-01"

// statementOf returns the affiliate and the month that the path names.
func (v *visit) statementOf() (id uuid.UUID, month time.Time, err error) {
	id, err = v.id(0)
	if err != nil {
		return id, month, err
	}
	month, err = time.ParseInLocation(monthLayout, v.Args[1], v.Location)
	if err != nil {
		return id, month, affiliate.ErrNotFound
	}
	return id, month, nil
}

// statementPage shows a statement.
func statementPage(v *visit) (view, error) {
	id, month, err := v.statementOf()
	if err != nil {
		return view{}, err
	}
	s, err := v.program.Statement(v.Ctx(), affiliate.AffiliateRef{ID: id}, month, month.AddDate(0, 1, 0))
	if err != nil {
		return view{}, err
	}
	lines, err := s.Page(v.Page(page.StatementLines))
	if err != nil {
		return view{}, err
	}
	d := monthSheet{
		Statement: s, Month: v.Args[1], Lines: lines.Items, Goes: v.query.Get(paramCursor) != "",
	}
	a, err := v.program.Affiliate(v.Ctx(), id.String())
	if err != nil {
		return view{}, err
	}
	if month.After(a.CreatedAt.Time()) {
		d.Before = month.AddDate(0, -1, 0).Format(monthLayout)
	}
	if next := month.AddDate(0, 1, 0); !next.After(v.now()) {
		d.After = next.Format(monthLayout)
	}
	var err1, err2 error
	d.Reasons, err1 = v.program.AdjustmentReasons(v.Ctx(), page.AdjustmentsIn(lines.Items)...)
	d.Name, err2 = v.payee(s.AffiliateID)
	return view{title: "Statement of " + month.Format("January 2006"), template: "statement",
		Data: &d, next: lines.Next}, errors.Join(err1, err2)
}

// statementFile returns a statement as CSV.
func statementFile(v *visit) error {
	id, month, err := v.statementOf()
	if err != nil {
		return err
	}
	s, err := v.program.Statement(v.Ctx(), affiliate.AffiliateRef{ID: id}, month, month.AddDate(0, 1, 0))
	if err != nil {
		return err
	}
	return v.download(fmt.Sprintf("statement-%s-%s.csv", v.Args[0], v.Args[1]), page.Marked(s.WriteCSV))
}
