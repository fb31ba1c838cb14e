package httpapi

import (
	"context"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 8, 17.

// balanceOf looks the balance of one affiliate up, which the query names by id,
// by email or by both.
func balanceOf(name string) lookup {
	return lookup{name: name, single: true, answer: affiliate.Balance{}, run: func(c *call, q query, _ string) error {
		return one(name, func(p *tributary.Program, ctx context.Context, _ string) (affiliate.Balance, error) {
			return p.Balance(ctx, refOf(q))
		}).run(c, q, "")
	}}
}

// refOf is the affiliate whom a query names.
func refOf(q query) affiliate.AffiliateRef {
	id, _ := q.get("affiliateId")
	email, _ := q.get("affiliateEmail")
	return affiliate.AffiliateRef{ID: idOf(id), Email: email}
}

// asOf is the parameter of balances of the past; a plain date is the end of that day.
var asOf = []string{"at"}

// totalBalance answers what everybody is owed.
func totalBalance() lookup {
	return lookup{single: true, filters: asOf, answer: affiliate.TotalBalance{}, run: func(c *call, q query, _ string) error {
		at, err := q.after("at")
		if err != nil {
			return err
		}
		total, err := c.p.TotalBalance(c.r.Context(), at)
		if err != nil {
			return err
		}
		return c.answer(&total)
	}}
}

// rankedBalances answers what each affiliate is owed, the most first.
func rankedBalances() lookup {
	return lookup{filters: asOf, paged: true, answer: affiliate.Balance{}, run: func(c *call, q query, _ string) error {
		at, err := q.after("at")
		if err != nil {
			return err
		}
		return answerList(c, q, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
			return c.p.RankedBalances(c.r.Context(), at, pg)
		})
	}}
}

// Source: docs/money.md 9, 10, 17.

// statement is a period of the ledger of an affiliate, and a page of its lines. That of a
// closed period never changes.
type statement struct {
	affiliate.Statement
	// What changed what is owed, oldest first: a page of it.
	Lines []affiliate.StatementLine `json:"lines"`
}

// statementParams are the parameters that name a statement, in their order.
var statementParams = []string{"affiliateId", "affiliateEmail", "from", "to"}

func statements() lookup {
	return lookup{filters: statementParams, paged: true, single: true, answer: statement{}, run: func(c *call, q query, _ string) error {
		id, _ := q.get("affiliateId")
		email, _ := q.get("affiliateEmail")
		if id == "" && email == "" {
			return refusal.RefuseNoOwner.Err()
		}
		from, to, err := q.period(c.p.Config().Location)
		if err != nil {
			return err
		}
		s, err := c.p.Statement(c.r.Context(), refOf(q), from, to)
		if err != nil {
			return err
		}
		lines, err := s.Page(q.page)
		if err != nil {
			return err
		}
		c.link(q, lines.Next)
		return c.encode(&statement{s, lines.Items})
	}}
}

// needs returns the last lookup of a GET that cannot do without a parameter.
func needs(name string, missing refusal.Refusal) lookup {
	return lookup{run: func(*call, query, string) error {
		refused := missing.Err()
		refused.Field = name
		return refused
	}}
}

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
