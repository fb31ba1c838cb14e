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

// shownDays is the number of days in the overview, including today.
const shownDays = 30

// A summary is the content of the overview.
type summary struct {
	Days                []affiliate.Bucket
	Bars                []page.Bar
	Width, Height       int
	Sales, Clicks       int64
	Conversions         int64
	Referrals           int64
	Revenue, Commission affiliate.Amount
	Refunds             affiliate.Amount
	Recent              []affiliate.Sale
	NoBooks             bool
	Concerns            []concern
}

// overview shows what happened in the last days, and what needs somebody.
func overview(v *visit) (view, error) {
	s := summary{Width: page.ChartWidth, Height: page.ChartHeight}
	if err := s.fill(v); err != nil {
		return view{}, err
	}
	return view{title: "Overview", template: "overview", Data: &s}, nil
}

func (s *summary) fill(v *visit) error {
	days, err := v.days.read(v.ctx(), v.program, v.now().In(v.program.Config().Location))
	if errors.Is(err, affiliate.BooksNotOpen) {
		s.NoBooks, err = true, nil
	}
	if err != nil {
		return err
	}
	if err := s.add(v, days); err != nil {
		return err
	}
	recent, err := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{}, affiliate.Page{Limit: 8})
	if err != nil {
		return err
	}
	s.Recent = recent.Items
	s.Concerns, err = concerns(v)
	return err
}

// add sums the days up and draws them.
func (s *summary) add(v *visit, days []affiliate.Bucket) (err error) {
	s.Days = days
	values, labels := make([]int64, len(days)), make([]string, len(days))
	for i, d := range days {
		s.Sales += d.Sales
		s.Conversions += d.Conversions
		s.Clicks += d.Clicks.Or(0)
		s.Referrals += d.Referrals.Or(0)
		for _, sum := range []struct {
			to   *affiliate.Amount
			more affiliate.Amount
		}{{&s.Revenue, d.Revenue}, {&s.Commission, d.Commission}, {&s.Refunds, d.Refunds}} {
			if *sum.to, err = sum.to.Add(sum.more); err != nil {
				return err
			}
		}
		values[i], labels[i] = d.Revenue.Scaled(), v.Day(d.Start)+": "+v.Money(d.Revenue)
	}
	if len(days) > 0 {
		s.Bars = page.Bars(values, labels)
	}
	return nil
}

// keptDays are the finished days of the report, which do not change: movements
// are only added at the end.
type keptDays struct {
	mu   sync.Mutex
	days map[affiliate.Time]affiliate.Bucket
}

// maxKept is the number of days that are kept. settled is the time after the end
// of a day until everything that began in it is certainly over.
const (
	maxKept = 400
	settled = time.Hour
)

// read returns the last days. It reads those that are not kept.
func (k *keptDays) read(ctx context.Context, p *tributary.Program, now time.Time) ([]affiliate.Bucket, error) {
	year, month, day := now.Date()
	from := time.Date(year, month, day-shownDays+1, 0, 0, 0, 0, now.Location())
	to := time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []affiliate.Bucket
	for from.Before(to) {
		b, known := k.days[affiliate.TimeOf(from)]
		if !known {
			break
		}
		all, from = append(all, b), b.End.Time().In(now.Location())
	}
	fresh, err := p.Report(ctx, affiliate.ReportQuery{From: from, To: to, By: affiliate.IntervalDay}, affiliate.Page{Limit: shownDays})
	if err != nil {
		return nil, err
	}
	if k.days == nil || len(k.days) > maxKept-shownDays {
		k.days = map[affiliate.Time]affiliate.Bucket{}
	}
	for _, b := range fresh.Items {
		if b.End.Time().Add(settled).Before(now) {
			k.days[b.Start] = b
		}
	}
	return append(all, fresh.Items...), nil
}
