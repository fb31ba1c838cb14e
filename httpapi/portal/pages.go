package portal

import (
	"errors"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// shownDays is the number of days in the overview, including today.
const shownDays = 30

// shownLinks is the number of links in the overview, the newest.
const shownLinks = 5

// A summary holds what the overview shows.
type summary struct {
	Profile       partner.Profile
	Balance       affiliate.Balance
	NoBooks       bool
	Links         []linkLine
	More          bool              // there are more links
	Given         []affiliate.Offer // what the links give customers: one, or none
	Days          []affiliate.Bucket
	Months        []monthOf // the one before, and this one
	Chart         *page.Chart
	Clicks, Sales int64
	Conversions   int64
	Commission    affiliate.Amount
}

// overview shows what is owed, the results of the last days, and the links.
func overview(v *visit) (view, error) {
	s := summary{Profile: v.profile}
	links, err := v.partner().Links(v.Ctx(), affiliate.Page{Limit: shownLinks})
	if err != nil {
		return view{}, err
	}
	s.Links, s.More = v.lines(links.Items), links.Next != ""
	if s.Given, err = v.given(); err != nil {
		return view{}, err
	}
	if s.Balance, err = v.partner().Balance(v.Ctx()); err == nil {
		year, month, day := v.now().In(v.Location).Date()
		from := time.Date(year, month, day-shownDays+1, 0, 0, 0, 0, v.Location)
		to := time.Date(year, month, day+1, 0, 0, 0, 0, v.Location)
		s.Days, err = v.partner().Report(v.Ctx(), from, to, affiliate.IntervalDay)
		if err == nil {
			s.Months, err = v.twoMonths(year, month)
		}
	}
	if errors.Is(err, affiliate.BooksNotOpen) {
		s.NoBooks, err = true, nil
	}
	if err == nil {
		err = s.add(v)
	}
	return view{title: v.T("Overview"), template: "overview", Data: &s}, err
}

// A monthOf is the activity of a month.
type monthOf struct {
	Name string
	affiliate.Bucket
}

// twoMonths returns a month after the one before it.
func (v *visit) twoMonths(year int, m time.Month) (two []monthOf, err error) {
	from, to := time.Date(year, m-1, 1, 0, 0, 0, 0, v.Location), time.Date(year, m+1, 1, 0, 0, 0, 0, v.Location)
	buckets, err := v.partner().Report(v.Ctx(), from, to, affiliate.IntervalMonth)
	for _, b := range buckets {
		two = append(two, monthOf{v.T(b.Start.Time().In(v.Location).Month().String()), b})
	}
	return two, err
}

// add sums the days up and draws them.
func (s *summary) add(v *visit) (err error) {
	points := make([]page.Point, len(s.Days))
	for i, d := range s.Days {
		s.Clicks, s.Sales, s.Conversions = s.Clicks+d.Clicks.Or(0), s.Sales+d.Sales, s.Conversions+d.Conversions
		if s.Commission, err = s.Commission.Add(d.Commission); err != nil {
			return err
		}
		points[i] = page.Point{Name: v.Day(d.Start), Said: v.Money(d.Commission), Value: d.Commission.Scaled()}
	}
	s.Chart = page.NewChart(v.T("Commission of each of the last 30 days"), points, nil,
		func(n int64) string { return v.Money(affiliate.AmountFromScaled(n)) })
	if s.Chart != nil {
		s.Chart.Language = v.Language
	}
	return nil
}

// customers lists the customers.
func customers(v *visit) (view, error) {
	list, err := v.partner().Referrals(v.Ctx(), v.Page50())
	return view{title: v.T("Customers"), template: "customers", next: list.Next, Data: list.Items}, err
}

const monthLayout = "2006-01"

// maxMonths is the number of months in the list of statements.
const maxMonths = 120

// A month is one of the list of statements.
type month struct{ Path, Name string }

// statements lists the months since the affiliate has joined, the newest first.
func statements(v *visit) (view, error) {
	var all []month
	now, joined := v.now().In(v.Location), v.profile.CreatedAt.Time().In(v.Location)
	for at := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, v.Location); len(all) < maxMonths; at = at.AddDate(0, -1, 0) {
		all = append(all, month{at.Format(monthLayout), v.Month(at)})
		if !at.After(joined) {
			break
		}
	}
	return view{title: v.T("Statements"), template: "statements", Data: all}, nil
}

// A monthSheet is the statement of a month.
type monthSheet struct {
	affiliate.Statement
	Month   string
	Payer   []string // who pays, in lines; empty: the name of the program is above the page
	Lines   []affiliate.StatementLine
	Goes    bool         // it goes on from the page before
	Reasons page.Reasons // of the adjustments in the lines
}

// month returns the month that the path names, from its beginning to its end.
func (v *visit) month() (from, to time.Time, err error) {
	from, err = time.ParseInLocation(monthLayout, v.Args[0], v.Location)
	if err != nil {
		return from, to, affiliate.ErrNotFound
	}
	return from, from.AddDate(0, 1, 0), nil
}

// statement shows the statement of a month.
func statement(v *visit) (view, error) {
	from, to, err := v.month()
	if err != nil {
		return view{}, err
	}
	s, err := v.partner().Statement(v.Ctx(), from, to)
	if err != nil {
		return view{}, err
	}
	lines, err := s.Page(v.Page(page.StatementLines))
	if err != nil {
		return view{}, err
	}
	d := monthSheet{Statement: s, Month: v.Args[0], Lines: lines.Items, Goes: v.Cursor() != "",
		Payer: strings.FieldsFunc(v.program.Config().Company, func(r rune) bool { return r == '\n' })}
	if d.Reasons, err = v.partner().AdjustmentReasons(v.Ctx(), page.AdjustmentsIn(lines.Items)...); err != nil {
		return view{}, err
	}
	return view{title: v.T("Statement of %s", v.Month(from)), template: "statement",
		Data: &d, next: lines.Next}, nil
}
