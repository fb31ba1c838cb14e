package httpapi

import (
	"context"

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
