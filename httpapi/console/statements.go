package console

import (
	"fmt"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A monthSheet is an affiliate's statement of a month.
type monthSheet struct {
	affiliate.Statement
	Name, Month   string
	Before, After string // the months beside it
	Lines         []affiliate.StatementLine
	More          bool // there are more than the page shows
}

const monthLayout = "2006-01"

// statement reads the statement that the path names: an affiliate and a month.
func (v *visit) statement() (s affiliate.Statement, month time.Time, err error) {
	id, err := v.id(0)
	if err != nil {
		return s, month, err
	}
	month, err = time.ParseInLocation(monthLayout, v.args[1], v.Location)
	if err != nil {
		return s, month, affiliate.ErrNotFound
	}
	s, err = v.program.Statement(v.ctx(), id, month, month.AddDate(0, 1, 0))
	return s, month, err
}

// statementPage shows a statement.
func statementPage(v *visit) (view, error) {
	s, month, err := v.statement()
	if err != nil {
		return view{}, err
	}
	d := monthSheet{
		Statement: s, Month: v.args[1],
		Before: month.AddDate(0, -1, 0).Format(monthLayout), After: month.AddDate(0, 1, 0).Format(monthLayout),
	}
	if d.Name, err = v.payee(s.AffiliateID); err != nil {
		return view{}, err
	}
	d.Lines, d.More, err = page.FirstLines(s)
	return view{title: "Statement of " + month.Format("January 2006"), template: "statement", Data: &d}, err
}

// statementFile is a statement as CSV.
func statementFile(v *visit) error {
	s, _, err := v.statement()
	if err != nil {
		return err
	}
	return v.download(fmt.Sprintf("statement-%s-%s.csv", v.args[0], v.args[1]), s.WriteCSV)
}
