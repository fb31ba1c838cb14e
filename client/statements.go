package client

import (
	"context"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// statement is a statement on the wire, with a page of its lines.
type statement struct {
	affiliate.Statement
	Lines []affiliate.StatementLine `json:"lines"`
}

// Statement is [tributary.Program.Statement]. The first lines come with it, and the
// others are read as they are asked for.
func (c *Client) Statement(ctx context.Context, of affiliate.AffiliateRef, from, to time.Time) (affiliate.Statement, error) {
	read := func(pg affiliate.Page) (s affiliate.Statement, lines affiliate.List[affiliate.StatementLine], err error) {
		query := named(of)
		query.Set("from", affiliate.At(from).String())
		query.Set("to", affiliate.At(to).String())
		addPage(query, pg)
		rq := fetch("/statements", query)
		rq.oneName(of)
		got, a, err := do[statement](ctx, c, rq)
		if err == errNull {
			err = a.unreadable(err)
		}
		if err != nil {
			return s, lines, err
		}
		return got.Statement, affiliate.List[affiliate.StatementLine]{Items: got.Lines, Next: nextCursor(a.last.header.Values("Link"))}, nil
	}
	s, first, err := read(affiliate.Page{})
	if err != nil {
		return affiliate.Statement{}, err
	}
	page := func(pg affiliate.Page) (affiliate.List[affiliate.StatementLine], error) {
		if pg.Limit == affiliate.PageSize {
			pg.Limit = 0 // the server's own
		}
		if pg == (affiliate.Page{}) {
			return first, nil
		}
		_, lines, err := read(pg)
		return lines, err
	}
	return s.WithPages(func(pg affiliate.Page) (affiliate.List[affiliate.StatementLine], error) {
		if pg != (affiliate.Page{}) {
			return page(pg)
		}
		all := affiliate.List[affiliate.StatementLine]{Items: []affiliate.StatementLine{}}
		for line, err := range affiliate.Each(affiliate.PageSize, page) {
			if err != nil {
				return affiliate.List[affiliate.StatementLine]{}, err
			}
			all.Items = append(all.Items, line)
		}
		return all, nil
	}), nil
}
