package client

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// statement is a statement on the wire, with a page of its lines.
type statement struct {
	affiliate.Statement
	Lines []affiliate.StatementLine `json:"lines"`
}

// Statement is [tributary.Program.Statement]. The first lines come with it, and
// Lines reads the others as they are asked for.
func (c *Client) Statement(ctx context.Context, id uuid.UUID, from, to time.Time) (affiliate.Statement, error) {
	page := func(pg affiliate.Page) (s statement, next string, err error) {
		query := url.Values{"from": {affiliate.At(from).String()}, "to": {affiliate.At(to).String()}}
		if id != uuid.Nil {
			query.Set("affiliateId", id.String())
		}
		addPage(query, pg)
		s, a, err := do[statement](ctx, c, fetch("/statements", query))
		if err == errNull {
			err = a.unreadable(err)
		}
		if err != nil {
			return statement{}, "", err
		}
		return s, nextCursor(a.last.header.Values("Link")), nil
	}
	first, next, err := page(affiliate.Page{})
	if err != nil {
		return affiliate.Statement{}, err
	}
	return first.Statement.WithLines(affiliate.Each(0, func(pg affiliate.Page) (affiliate.List[affiliate.StatementLine], error) {
		if pg.Cursor == "" {
			return affiliate.List[affiliate.StatementLine]{Items: first.Lines, Next: next}, nil
		}
		s, next, err := page(pg)
		return affiliate.List[affiliate.StatementLine]{Items: s.Lines, Next: next}, err
	})), nil
}
