package httpapi

import (
	"context"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/money.md 8, 17.

// balanceOf looks the balance of one affiliate up, which the query names by id,
// by email or by both.
func balanceOf(name string) lookup {
	return lookup{name: name, single: true, answer: affiliate.Balance{}, run: func(c *call, q query, _ string) error {
		return one(name, func(p *tributary.Program, ctx context.Context, _ string) (affiliate.Balance, error) {
			email, _ := q.get("affiliateEmail")
			id, _ := q.get("affiliateId")
			return p.Balance(ctx, affiliate.AffiliateRef{ID: idOf(id), Email: email})
		}).run(c, q, "")
	}}
}

// asOf is the parameter of balances of the past.
var asOf = []string{"at"}

// asOfIn reads the moment; a plain date is the end of that day.
func asOfIn(q query, zone *time.Location) (at time.Time, err error) {
	date, err := q.date("at")
	if day, there := date.Get(); err == nil && there {
		at = day.End(zone)
	}
	return at, err
}

// totalBalance answers what everybody is owed.
func totalBalance() lookup {
	return lookup{single: true, filters: asOf, answer: affiliate.TotalBalance{}, run: func(c *call, q query, _ string) error {
		at, err := asOfIn(q, c.p.Config().Location)
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
		at, err := asOfIn(q, c.p.Config().Location)
		if err != nil {
			return err
		}
		return answerList(c, q, func(pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
			return c.p.RankedBalances(c.r.Context(), at, pg)
		})
	}}
}

// movementFilters are the parameters that select movements, in their order.
var movementFilters = []string{"affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId", "cause", "from", "to"}

// A movementQuery is a filter whose ends may be plain dates, which are days in the
// zone of the program.
type movementQuery struct {
	affiliate.MovementFilter
	from, to affiliate.Opt[affiliate.Date]
}

func movementQueryOf(q query) (m movementQuery, err error) {
	cause, _ := q.get("cause")
	m.MovementFilter = affiliate.MovementFilter{
		AffiliateID: q.id("affiliateId"), AffiliateEmail: q.text("affiliateEmail"), SaleID: q.saleID("saleId"),
		PayoutID: q.id("payoutId"), AdjustmentID: q.id("adjustmentId"), Cause: affiliate.Cause(cause),
	}
	if m.from, err = q.date("from"); err == nil {
		m.to, err = q.date("to")
	}
	return m, err
}

func movements(p *tributary.Program, ctx context.Context, m movementQuery, pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
	zone := p.Config().Location
	if from, there := m.from.Get(); there {
		m.From = from.FirstInstant(zone)
	}
	if to, there := m.to.Get(); there {
		m.To = to.End(zone)
	}
	return p.Movements(ctx, m.MovementFilter, pg)
}
