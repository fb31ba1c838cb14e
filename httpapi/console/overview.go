package console

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// shownDays is the number of days in the overview, including today, and recentSales that of its sales.
const (
	shownDays   = 30
	recentSales = 8
)

// A summary is the content of the overview.
type summary struct {
	Days  []affiliate.Bucket
	Chart *page.Chart
	affiliate.Activity
	Recent   []affiliate.Sale
	NoBooks  bool
	Concerns []concern
	Steps    []Step
}

// overview shows what happened in the last days, and what needs somebody.
func overview(v *visit) (view, error) {
	s := summary{}
	now := v.now().In(v.Location)
	days, err := v.days.read(v.Ctx(), v.program, dayAt(now, 1-shownDays), dayAt(now, 1), now)
	if errors.Is(err, affiliate.BooksNotOpen) {
		s.NoBooks, err = true, nil
	}
	if err == nil {
		s.Activity, err = sumOf(days)
	}
	if err != nil {
		return view{}, err
	}
	s.Days, s.Chart = days, v.drawn("Revenue of each of the last 30 days", affiliate.FigureRevenue, days, nil)
	recent, err1 := v.program.Sales(v.Ctx(), affiliate.SaleQuery{}, affiliate.Page{Limit: recentSales})
	concerns, err2 := concerns(v)
	s.Recent, s.Concerns = recent.Items, concerns
	var err3 error
	s.Steps, err3 = firstSteps(v, &s)
	return view{title: "Overview", template: "overview", Data: &s}, errors.Join(err1, err2, err3)
}

// sumOf adds up what happened in buckets.
func sumOf(buckets []affiliate.Bucket) (sum affiliate.Activity, err error) {
	for i := range buckets {
		b := &buckets[i]
		sum.Clicks = affiliate.Set(sum.Clicks.Or(0) + b.Clicks.Or(0))
		sum.Referrals = affiliate.Set(sum.Referrals.Or(0) + b.Referrals.Or(0))
		sum.Sales, sum.DeletedSales, sum.Conversions = sum.Sales+b.Sales,
			sum.DeletedSales+b.DeletedSales, sum.Conversions+b.Conversions
		for _, add := range []struct {
			to   *affiliate.Amount
			more affiliate.Amount
		}{{&sum.Revenue, b.Revenue}, {&sum.Commission, b.Commission}, {&sum.Refunds, b.Refunds}, {&sum.Adjustments, b.Adjustments}} {
			if *add.to, err = add.to.Add(add.more); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// drawn draws a figure of buckets, and of the time before as a line.
func (v *visit) drawn(title string, f affiliate.Figure, buckets, before []affiliate.Bucket) *page.Chart {
	points, earlier := make([]page.Point, len(buckets)), make([]int64, len(before))
	say := page.Count
	if sum, _ := figureOf(f, &affiliate.Bucket{}); sum {
		say = func(n int64) string { return v.Money(affiliate.AmountFromScaled(n)) }
	}
	for i := range buckets {
		_, n := figureOf(f, &buckets[i])
		points[i] = page.Point{Name: v.Day(buckets[i].Start), Said: say(n), Value: n}
	}
	for i := range before {
		_, earlier[i] = figureOf(f, &before[i])
	}
	return page.NewChart(title, points, earlier, say)
}

// figureOf returns a figure of a bucket: a scaled sum of money, or a number.
func figureOf(f affiliate.Figure, b *affiliate.Bucket) (sum bool, n int64) {
	switch f {
	case affiliate.FigureCommission:
		return true, b.Commission.Scaled()
	case affiliate.FigureRefunds:
		return true, b.Refunds.Scaled()
	case affiliate.FigureSales:
		return false, b.Sales
	case affiliate.FigureClicks:
		return false, b.Clicks.Or(0)
	case affiliate.FigureReferrals:
		return false, b.Referrals.Or(0)
	}
	return true, b.Revenue.Scaled()
}

// dayAt returns the beginning of the day of a time, or of another day so many later.
func dayAt(t time.Time, later int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day+later, 0, 0, 0, 0, t.Location())
}

// dayCache holds the finished days of the report, which do not change: movements
// are only added at the end.
type dayCache struct {
	mu   sync.Mutex
	days map[affiliate.Time]affiliate.Bucket
}

// maxKept is the number of days that are kept. settled is the time after the end
// of a day until everything that began in it is certainly over.
const (
	maxKept = 2_000
	settled = time.Hour
	maxDays = 1_000 // of a report
)

// read returns the days of a period. It reads those that are not kept.
func (k *dayCache) read(ctx context.Context, p *tributary.Program, from, to,
	now time.Time) (all []affiliate.Bucket, err error) {
	k.mu.Lock()
	for from.Before(to) {
		b, known := k.days[affiliate.TimeOf(from)]
		if !known {
			break
		}
		all, from = append(all, b), b.End.Time().In(now.Location())
	}
	k.mu.Unlock()
	if !from.Before(to) {
		return all, nil
	}
	fresh, err := p.Report(ctx,
		affiliate.ReportQuery{From: from, To: to, By: affiliate.IntervalDay},
		affiliate.Page{Limit: maxDays})
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.days == nil || len(k.days)+len(fresh.Items) > maxKept {
		k.days = map[affiliate.Time]affiliate.Bucket{}
	}
	for _, b := range fresh.Items {
		if b.End.Time().Add(settled).Before(now) {
			k.days[b.Start] = b
		}
	}
	return append(all, fresh.Items...), nil
}
