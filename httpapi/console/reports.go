package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// reportParams are the parameters of the page of reports.
var reportParams = []string{paramPeriod, paramSince, paramUntil, paramBy, paramSort, paramChart, paramCursor}

const (
	paramPeriod = "period"
	paramSince  = "since"
	paramUntil  = "until"
	paramBy     = "by"
	paramSort   = "sort"
	paramChart  = "chart"
)

var periods = []option{
	{"", "This month"}, {"last-month", "Last month"}, {"quarter", "This quarter"},
	{"last-quarter", "Last quarter"}, {"year", "This year"}, {"last-year", "Last year"},
	{"days", "From … to …"},
}

// The dimensions of a report and the figures that it is ranked by. The first are those of
// a report that names none.
var (
	dimensions = []option{
		{string(affiliate.DimensionAffiliate), "Affiliate"},
		{string(affiliate.DimensionLink), "Link"}, {string(affiliate.DimensionCode), "Code"},
		{string(affiliate.DimensionCoupon), "Coupon"},
		{string(affiliate.DimensionProduct), "Product"},
		{string(affiliate.DimensionPlan), "Plan"},
		{string(affiliate.DimensionLandingPage), "Landing page"},
		{string(affiliate.DimensionUTMSource), "Source (utm_source)"},
		{string(affiliate.DimensionUTMMedium), "Medium (utm_medium)"},
		{string(affiliate.DimensionUTMCampaign), "Campaign (utm_campaign)"},
		{string(affiliate.DimensionSub), "Sub-id (sub)"},
	}
	rankings = []rankColumn{
		{affiliate.FigureRevenue, "Revenue"}, {affiliate.FigureCommission, "Commission"},
		{affiliate.FigureSales, "Sales"},
		{affiliate.FigureRefunds, "Refunds"}, {affiliate.FigureClicks, "Clicks"},
		{affiliate.FigureReferrals, "Customers"},
	}
)

// A rankColumn is a column by which the rows of a report can be ranked.
type rankColumn struct {
	Figure affiliate.Figure
	Name   string
}

// maxReport is the number of days of the longest report.
const maxReport = 732

// reportPeriods is the period of a report and the one before it, with which it is compared.
type reportPeriods struct {
	from, to             time.Time
	fromBefore, toBefore time.Time
}

// reportedAt returns the period that a name says at a moment. A period that goes on is
// compared with as many days of the one before.
func reportedAt(name string, now time.Time) (reportPeriods, bool) {
	year, month, _ := now.Date()
	first := func(months int) time.Time {
		return time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, now.Location())
	}
	inQuarter, inYear := int(month-1)%3, int(month-1)
	length, begins := 0, 0
	switch name {
	case "", "last-month":
		length = 1
	case "quarter", "last-quarter":
		length, begins = 3, -inQuarter
	case "year", "last-year":
		length, begins = 12, -inYear
	default:
		return reportPeriods{}, false
	}
	if name == "last-month" || name == "last-quarter" || name == "last-year" {
		begins -= length
		return reportPeriods{first(begins), first(begins + length), first(begins - length), first(begins)}, true
	}
	r := reportPeriods{from: first(begins), to: dayAt(now, 1), fromBefore: first(begins - length)}
	r.toBefore = dayAt(r.fromBefore, daysOf(r.from, r.to))
	if r.toBefore.After(r.from) {
		r.toBefore = r.from
	}
	return r, true
}

// Periods are the lists of what happened in a named period.
func (v *visit) Periods() (all []tab) {
	for _, p := range periods[:4] {
		at, _ := reportedAt(p.Value, v.now().In(v.Location))
		days := v.asked()
		days.Set(paramSince, at.from.Format(time.DateOnly))
		days.Set(paramUntil, dayAt(at.to, -1).Format(time.DateOnly))
		all = append(all, tab{Name: p.Text, To: "?" + days.Encode(), Current: days.Encode() == v.asked().Encode()})
	}
	return all
}

// daysOf returns the number of days of a period that begins and ends with one.
func daysOf(from, to time.Time) int {
	return int(to.Add(12*time.Hour).Sub(from) / (24 * time.Hour)) // days on which clocks change are longer or shorter
}

// reported reads the period that the query asks for.
func (v *visit) reported() (r reportPeriods, err error) {
	name := v.query.Get(paramPeriod)
	if r, known := reportedAt(name, v.now().In(v.Location)); known {
		return r, nil
	}
	if name != "days" {
		return r, badQuery("There is no such period.")
	}
	var first, last affiliate.Date
	for param, date := range map[string]*affiliate.Date{paramSince: &first, paramUntil: &last} {
		if *date, err = affiliate.ParseDate(v.query.Get(param)); err != nil {
			return r, badQuery("Enter both dates, as 2026-03-31.")
		}
	}
	r.from, r.to = dayAt(first.FirstInstant(v.Location).In(v.Location), 0),
		dayAt(last.FirstInstant(v.Location).In(v.Location), 1)
	days := daysOf(r.from, r.to)
	if days < 1 {
		return r, badQuery("The last day is before the first.")
	}
	if days > maxReport {
		return r, badQuery("A report covers at most two years.")
	}
	r.fromBefore, r.toBefore = dayAt(r.from, -days), r.from
	return r, nil
}

// A reportSheet is the page of reports.
type reportSheet struct {
	Periods, Dimensions []option
	Since, Until        affiliate.Time // the first and the last day
	SinceBefore         affiliate.Time
	UntilBefore         affiliate.Time
	Dated               bool // the dates were typed
	Figures             []figureComparison
	Chart               *page.Chart
	Charted             string // the name of what it draws
	Charts              []tab  // what it can draw
	Each                string // day, week or month
	Buckets             []affiliate.Bucket
	By                  string
	by                  affiliate.Dimension
	charted             affiliate.Figure
	First, Last         string // Since and Until, as a date field has them
	Rankings            []rankColumn
	Sort                affiliate.Figure
	Visits              bool // the rows have clicks and customers
	Rows                []affiliate.BreakdownRow
	NoBooks             bool
}

// A figureComparison is a figure and what it was in the period before.
type figureComparison struct{ Name, Value, Before, Change string }

// reports shows how a period went, and who or what brought the most.
func reports(v *visit) (view, error) {
	r, err := v.reported()
	if err != nil {
		return view{}, err
	}
	q := v.ranked(r)
	d := reportSheet{
		Periods: periods, Dimensions: dimensions, Rankings: rankings,
		By: textOf(dimensions, string(q.By)), Sort: q.Sort,
		Dated: v.query.Get(paramPeriod) == "days",
		Since: affiliate.TimeOf(r.from), Until: affiliate.TimeOf(dayAt(r.to, -1)),
		SinceBefore: affiliate.TimeOf(r.fromBefore),
		UntilBefore: affiliate.TimeOf(dayAt(r.toBefore, -1)),
	}
	if err := d.chart(v); err != nil {
		return view{}, err
	}
	d.by, d.First, d.Last = q.By, v.dateOf(d.Since), v.dateOf(d.Until)
	shown := view{title: "Reports", template: "reports", Data: &d}
	rows, err := v.program.Breakdown(v.Ctx(), q, v.Page50())
	if err != nil {
		return view{}, err
	}
	d.Rows, shown.next = rows.Items, rows.Next
	d.Visits = len(d.Rows) > 0 && !d.Rows[0].Clicks.IsNull()
	if !d.Visits {
		d.Rankings = slices.DeleteFunc(slices.Clone(rankings), func(r rankColumn) bool {
			return r.Figure == affiliate.FigureClicks || r.Figure == affiliate.FigureReferrals
		})
	}
	err = d.compare(v, r)
	if errors.Is(err, affiliate.BooksNotOpen) {
		d.NoBooks, err = true, nil
	}
	return shown, err
}

// chart reads which figure is drawn: without one it is the revenue.
func (d *reportSheet) chart(v *visit) error {
	d.charted = cmp.Or(affiliate.Figure(v.query.Get(paramChart)), affiliate.FigureRevenue)
	for _, r := range rankings {
		q := v.asked()
		q.Set(paramChart, string(r.Figure))
		t := tab{Name: r.Name, To: "reports?" + q.Encode(), Current: r.Figure == d.charted}
		if d.Charts = append(d.Charts, t); t.Current {
			d.Charted = r.Name
		}
	}
	if d.Charted == "" {
		return badQuery("There is no such figure to draw.")
	}
	return nil
}

// ranked is the ranking that the query asks for.
func (v *visit) ranked(r reportPeriods) affiliate.BreakdownQuery {
	q := affiliate.BreakdownQuery{From: r.from, To: r.to,
		By:   affiliate.Dimension(v.query.Get(paramBy)),
		Sort: affiliate.Figure(v.query.Get(paramSort))}
	if q.By == "" {
		q.By = affiliate.DimensionAffiliate
	}
	if q.Sort == "" {
		q.Sort = affiliate.FigureRevenue
	}
	return q
}

// asked returns what the address says about the report, without its page.
func (v *visit) asked() url.Values { return without(without(v.query, paramDone), paramCursor) }

// textOf returns the text of an option.
func textOf(all []option, value string) string {
	for _, o := range all {
		if o.Value == value {
			return o.Text
		}
	}
	return value
}

// compare adds the figures of the two periods, and draws them.
func (d *reportSheet) compare(v *visit, r reportPeriods) error {
	now := v.now().In(v.Location)
	days, err1 := v.days.read(v.Ctx(), v.program, r.from, r.to, now)
	earlier, err2 := v.days.read(v.Ctx(), v.program, r.fromBefore, r.toBefore, now)
	is, err3 := sumOf(days)
	was, err4 := sumOf(earlier)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	d.Figures = v.figures(&is, &was)
	each := eachDay
	switch n := len(days); {
	case n > 200:
		each = eachMonth
	case n > 62:
		each = eachWeek
	}
	d.Each = each.name
	buckets, err1 := v.together(days, each)
	before, err2 := v.together(earlier, each)
	d.Buckets = buckets
	d.Chart = v.drawn(d.Charted+" of each "+each.name+", and of the period before as a line",
		d.charted, buckets, before)
	return errors.Join(err1, err2)
}

// figures compares what happened in two periods.
func (v *visit) figures(is, was *affiliate.Activity) []figureComparison {
	money := func(name string, is, was affiliate.Amount) figureComparison {
		return figureComparison{name, v.Money(is), v.Money(was), change(is.Scaled(), was.Scaled())}
	}
	count := func(name string, is, was int64) figureComparison {
		return figureComparison{name, page.Count(is), page.Count(was), change(is, was)}
	}
	all := []figureComparison{
		money("Revenue", is.Revenue, was.Revenue),
		money("Commission", is.Commission, was.Commission), count("Sales", is.Sales, was.Sales),
		money("Refunded", is.Refunds, was.Refunds),
		count("Clicks", is.Clicks.Or(0), was.Clicks.Or(0)),
		count("New customers", is.Referrals.Or(0), was.Referrals.Or(0)),
		{Name: "Conversion rate", Value: percent(is.Referrals.Or(0), is.Clicks.Or(0)),
			Before: percent(was.Referrals.Or(0), was.Clicks.Or(0))},
		{Name: "Commission per click (EPC)", Value: v.perClick(is), Before: v.perClick(was)},
	}
	if is.Conversions != 0 || was.Conversions != 0 {
		all = append(all, count("Conversions", is.Conversions, was.Conversions))
	}
	return all
}

// change says by how much a figure grew or fell, in whole percent; empty: there was none.
func change(is, was int64) string {
	if was <= 0 {
		return ""
	}
	grown := (is - was) / was * 100
	if diff := is - was; diff < 1<<55 && diff > -1<<55 {
		grown = diff * 100 / was
	}
	switch {
	case grown > 0:
		return "+" + page.Count(grown) + " %"
	case grown < 0:
		return page.Count(grown) + " %"
	}
	return "±0 %"
}

// percent returns a part in percent, with one decimal.
func percent(n, of int64) string {
	if of <= 0 {
		return "–"
	}
	tenths := n * 1000 / of
	return page.Count(tenths/10) + "." + strconv.FormatInt(tenths%10, 10) + " %"
}

// perClick returns what a click earned.
func (v *visit) perClick(a *affiliate.Activity) string {
	clicks := a.Clicks.Or(0)
	if clicks <= 0 {
		return "–"
	}
	each := affiliate.AmountFromScaled(a.Commission.Scaled() / clicks)
	if rounded, err := each.Round(v.Currency); err == nil {
		each = rounded
	}
	return v.Money(each)
}

// A barLength is the length of the bars of a chart: it tells to which a day belongs.
type barLength struct {
	name string
	of   func(time.Time) [2]int
}

var (
	eachDay   = barLength{"day", func(t time.Time) [2]int { return [2]int{t.Year(), t.YearDay()} }}
	eachWeek  = barLength{"week", func(t time.Time) [2]int { y, w := t.ISOWeek(); return [2]int{y, w} }}
	eachMonth = barLength{"month", func(t time.Time) [2]int { return [2]int{t.Year(), int(t.Month())} }}
)

// together adds up days that belong together.
func (v *visit) together(days []affiliate.Bucket, by barLength) (all []affiliate.Bucket, err error) {
	of := func(b affiliate.Bucket) [2]int { return by.of(b.Start.Time().In(v.Location)) }
	for from := 0; from < len(days); {
		to := from + 1
		for to < len(days) && of(days[to]) == of(days[from]) {
			to++
		}
		b := affiliate.Bucket{Start: days[from].Start, End: days[to-1].End}
		if b.Activity, err = sumOf(days[from:to]); err != nil {
			return nil, err
		}
		all, from = append(all, b), to
	}
	return all, nil
}

// SortedBy returns the address of the page ranked by another figure.
func (v *view) SortedBy(by affiliate.Figure) string {
	q := v.asked()
	q.Set(paramSort, string(by))
	return "reports?" + q.Encode()
}

// SalesOf returns where the sales of a row of a report are, or what the row is about;
// empty: nowhere.
func (d *reportSheet) SalesOf(r affiliate.BreakdownRow) string {
	if r.Value == "" || r.Name.IsNull() {
		return ""
	}
	var of string
	switch d.by {
	case affiliate.DimensionAffiliate:
		of = paramAffiliate
	case affiliate.DimensionCode:
		of = paramCode
	case affiliate.DimensionLink:
		of = paramLink
	case affiliate.DimensionCoupon:
		return "coupons/" + r.Value
	case affiliate.DimensionPlan:
		return "plans/" + r.Value
	default:
		return ""
	}
	return "sales?" + url.Values{of: {r.Value}, paramSince: {d.First}, paramUntil: {d.Last}}.Encode()
}

// dateOf returns the day of a time, as a date field has it.
func (v *visit) dateOf(t affiliate.Time) string { return t.Time().In(v.Location).Format(time.DateOnly) }

// reportFile returns all rows of a report.
func reportFile(v *visit) error {
	r, err := v.reported()
	if err != nil {
		return err
	}
	q := v.ranked(r)
	name := fmt.Sprintf("report-%s-%s.csv", v.dateOf(affiliate.TimeOf(r.from)),
		v.dateOf(affiliate.TimeOf(dayAt(r.to, -1))))
	head := []string{string(q.By), "name", "clicks", "customers", "sales", "deletedSales",
		"conversions", "revenue", "refunds", "commission", "adjustments", "currency"}
	return listFile(v, name, head, func(pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
		pg.Limit = rankedPage
		return v.program.Breakdown(v.Ctx(), q, pg)
	}, func(row affiliate.BreakdownRow) ([]string, error) {
		return []string{
			row.Value, typed(row.Name), typed(row.Clicks), typed(row.Referrals), whole(row.Sales),
			whole(row.DeletedSales), whole(row.Conversions),
			row.Revenue.String(), row.Refunds.String(), row.Commission.String(), row.Adjustments.String(), v.currency(),
		}, nil
	})
}

// rankedPage is the limit of a page of a ranking that is read to its end: all rows. They are
// 100,000 at most, and every page would rank all of them anew.
const rankedPage = 0
