package httpapi

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 16, 17.

// reportParameters are the parameters of a report, in their order.
var reportParameters = []string{"from", "to", "by", "affiliateId", "promotionalCodeId", "linkId"}

// report answers the buckets of a report, page by page.
func report() lookup {
	return lookup{filters: reportParameters, paged: true, answer: affiliate.Bucket{}, run: func(c *call, q query, _ string) error {
		r, err := reportQueryOf(q, c.p.Config().Location)
		if err != nil {
			return err
		}
		return answerList(c, q, func(pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) {
			return c.p.Report(c.r.Context(), r, pg)
		})
	}}
}

func reportQueryOf(q query, zone *time.Location) (r affiliate.ReportQuery, err error) {
	if r.From, r.To, err = q.period(zone); err != nil {
		return r, err
	}
	by, _ := q.get("by")
	r.By = affiliate.Interval(by)
	r.AffiliateID, r.CodeID, r.LinkID = q.id("affiliateId"), q.id("promotionalCodeId"), q.id("linkId")
	return r, nil
}

// breakdownParameters are the parameters of a breakdown, in their order.
var breakdownParameters = []string{"from", "to", "by", "sort", "affiliateId"}

// breakdown answers the rows of a breakdown, page by page.
func breakdown() lookup {
	return lookup{filters: breakdownParameters, paged: true, answer: affiliate.BreakdownRow{}, run: func(c *call, q query, _ string) error {
		var r affiliate.BreakdownQuery
		var err error
		if r.From, r.To, err = q.period(c.p.Config().Location); err != nil {
			return err
		}
		by, _ := q.get("by")
		sort, _ := q.get("sort")
		r.By, r.Sort, r.AffiliateID = affiliate.Dimension(by), affiliate.Figure(sort), q.id("affiliateId")
		return answerList(c, q, func(pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
			return c.p.Breakdown(c.r.Context(), r, pg)
		})
	}}
}

// period reads from and to, which are required. A plain date is a day in the zone
// of the program: from is its first instant, and to includes it.
func (q query) period(zone *time.Location) (from, to time.Time, err error) {
	for _, end := range []struct {
		name    string
		at      *time.Time
		instant func(affiliate.Date, *time.Location) time.Time
		missing refusal.Refusal
	}{
		{"from", &from, affiliate.Date.FirstInstant, refusal.RefuseNoFrom},
		{"to", &to, affiliate.Date.End, refusal.RefuseNoTo},
	} {
		date, err := q.date(end.name)
		if err != nil {
			return from, to, err
		}
		d, there := date.Get()
		if !there {
			return from, to, end.missing.Err()
		}
		*end.at = end.instant(d, zone)
	}
	return from, to, nil
}
