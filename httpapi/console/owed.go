package console

import (
	"fmt"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// What everybody is owed, now or at the end of a day.

const paramAt = "at"

// An owedSheet is the page of what everybody is owed.
type owedSheet struct {
	affiliate.TotalBalance
	Day    string // as the date field has it; empty: now
	Said   string // the same, as people read it
	ToCome bool   // the day is not over
	Ends   []monthEnd
	Rows   []owedRow
}

// A monthEnd is the last day of a month.
type monthEnd struct{ Name, Day string }

// Month returns the month, as addresses have it.
func (e monthEnd) Month() string { return e.Day[:len(monthLayout)] }

// An owedRow is the balance of one affiliate.
type owedRow struct {
	affiliate.Balance
	Name string
	Gone bool // the affiliate was deleted since
	Owed affiliate.Amount
}

// atAsked returns the end of the day that the query names; the zero time: now.
func (v *visit) atAsked() (day string, at time.Time, err error) {
	day = v.query.Get(paramAt)
	if day == "" {
		return "", at, nil
	}
	date, err := affiliate.ParseDate(day)
	if err != nil || len(day) != len(time.DateOnly) {
		return day, at, badQuery("Enter the day as 2026-03-31.")
	}
	return day, date.End(v.Location), nil
}

// monthEnds returns the ends of the last months, the newest first, none of them before there was an affiliate.
func (v *visit) monthEnds(n int) (all []monthEnd, err error) {
	first, err := v.program.Affiliates(v.Ctx(), affiliate.AffiliateQuery{OldestFirst: true}, affiliate.Page{Limit: 1})
	if err != nil || len(first.Items) == 0 {
		return nil, err
	}
	begun := first.Items[0].CreatedAt.Time().In(v.Location).Format(time.DateOnly)
	now := v.now().In(v.Location)
	for i := range n {
		last := time.Date(now.Year(), now.Month()-time.Month(i), 0, 0, 0, 0, 0, time.UTC)
		if day := last.Format(time.DateOnly); day >= begun {
			all = append(all, monthEnd{last.Format("January 2006"), day})
		}
	}
	return all, nil
}

func owedPage(v *visit) (view, error) {
	day, at, err := v.atAsked()
	if err != nil {
		return view{}, err
	}
	d := owedSheet{Day: day}
	if d.Ends, err = v.monthEnds(3); err != nil {
		return view{}, err
	}
	shown := view{title: "What we owe", template: "owed", Data: &d}
	rows, err := v.program.RankedBalances(v.Ctx(), at, v.Page50())
	if err != nil {
		return view{}, err
	}
	shown.next = rows.Next
	for _, b := range rows.Items {
		r, err := v.owedRow(b)
		if err != nil {
			return view{}, err
		}
		d.Rows = append(d.Rows, r)
	}
	if day != "" {
		d.Said, d.ToCome = v.Day(affiliate.TimeOf(at.Add(-time.Millisecond))), at.After(v.now())
	}
	d.TotalBalance, err = v.program.TotalBalance(v.Ctx(), at)
	return shown, err
}

// Due reports whether a payout run may pay somebody.
func (r owedRow) Due() bool { return r.Payable.Sign() > 0 && !r.Gone }

// owedRow names the affiliate of a balance.
func (v *visit) owedRow(b affiliate.Balance) (r owedRow, err error) {
	r.Balance = b
	if r.Owed, err = b.Earned.Sub(b.Paid); err == nil {
		r.Name, err = v.payeeOnce(b.AffiliateID)
	}
	r.Gone = r.Name == b.AffiliateID.String()
	return r, err
}

// owedFile returns what everybody is owed as a file.
func owedFile(v *visit) error {
	day, at, err := v.atAsked()
	if err != nil {
		return err
	}
	if day == "" {
		day = v.today()
	}
	head := []string{"affiliateId", "affiliate", "held", "notYetDue", "due", "inPayouts", "owed",
		"paid", "currency", "at"}
	return listFile(v, fmt.Sprintf("owed-%s.csv", day), head, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
		pg.Limit = rankedPage
		return v.program.RankedBalances(v.Ctx(), at, pg)
	}, func(b affiliate.Balance) ([]string, error) {
		r, err := v.owedRow(b)
		return []string{
			b.AffiliateID.String(), r.Name, b.Held.String(), b.Maturing.String(),
			b.Payable.String(), b.InPayout.String(), r.Owed.String(), b.Paid.String(),
			v.currency(), b.At.String(),
		}, err
	})
}
