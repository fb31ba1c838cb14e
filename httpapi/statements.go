package httpapi

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 9, 10, 17.

// A statement is the answer with the statement of a period and a page of its
// lines.
type statement struct {
	affiliate.Statement
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
		s, err := c.p.Statement(c.r.Context(), affiliate.AffiliateRef{ID: idOf(id), Email: email}, from, to)
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
