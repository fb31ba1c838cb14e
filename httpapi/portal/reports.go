package portal

import (
	"errors"

	"github.com/tributary-go/tributary/affiliate"
)

// A tab is a choice of a report.
type tab struct {
	Path, Name string
	Current    bool
}

// tabs are the subjects of a report, by the words of the addresses.
var tabs = []struct {
	word, name string
	by         affiliate.Dimension
}{
	{"links", "Links", affiliate.DimensionLink}, {"codes", "Codes", affiliate.DimensionCode},
	{"pages", "Landing pages", affiliate.DimensionLandingPage},
	{"sources", "Sources", affiliate.DimensionUTMSource},
	{"campaigns", "Campaigns", affiliate.DimensionUTMCampaign},
	{"sub-ids", "Sub-ids", affiliate.DimensionSub},
}

// A reportSheet shows the sources of the affiliate's activity in a month.
type reportSheet struct {
	Month, By     string
	Word          string
	Before, After string // the months beside it; empty: none since the affiliate has joined, and until now
	Tabs          []tab
	Visits        bool
	Rows          []affiliate.BreakdownRow
	NoBooks       bool
}

// reports shows the report of this month by links.
func reports(v *visit) (view, error) {
	now := v.now().In(v.Location)
	v.Args = []string{now.Format(monthLayout), tabs[0].word}
	return report(v)
}

// report shows by what means the affiliate brought what happened in a month.
func report(v *visit) (view, error) {
	from, to, err := v.month()
	if err != nil {
		return view{}, err
	}
	d := reportSheet{Month: v.Month(from), Word: v.Args[1]}
	if from.After(v.profile.CreatedAt.Time()) {
		d.Before = from.AddDate(0, -1, 0).Format(monthLayout)
	}
	if !to.After(v.now()) {
		d.After = to.Format(monthLayout)
	}
	by := affiliate.Dimension("")
	for _, t := range tabs {
		current := t.word == d.Word
		if current {
			by, d.By = t.by, v.T(t.name)
		}
		d.Tabs = append(d.Tabs, tab{"reports/" + v.Args[0] + "/" + t.word, v.T(t.name), current})
	}
	if by == "" || v.Args[0] != from.Format(monthLayout) {
		return view{}, affiliate.ErrNotFound
	}
	shown := view{title: v.T("Report of %s", d.Month), template: "report", Data: &d}
	rows, err := v.partner().Breakdown(v.Ctx(), from, to, by, v.Page50())
	if errors.Is(err, affiliate.BooksNotOpen) {
		d.NoBooks = true
		return shown, nil
	}
	d.Rows, shown.next = rows.Items, rows.Next
	d.Visits = by != affiliate.DimensionCode
	return shown, err
}
