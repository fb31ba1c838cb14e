package client

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Balance is [tributary.Program.Balance].
//
// Errors: [affiliate.ErrNotFound] for an unknown affiliate.
func (c *Client) Balance(ctx context.Context, of affiliate.AffiliateRef) (affiliate.Balance, error) {
	rq := fetch("/balances", named(of))
	if len(rq.query) == 0 {
		return affiliate.Balance{}, affiliate.ErrNotFound
	}
	rq.oneName(of)
	return find[affiliate.Balance](ctx, c, rq)
}

// named are the parameters that name an affiliate.
func named(of affiliate.AffiliateRef) url.Values {
	q := firstOf("affiliateId", nameOf(of))
	if of.Email != "" {
		q.Set("affiliateEmail", of.Email)
	}
	return q
}

// Balances is [tributary.Program.Balances].
func (c *Client) Balances(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	return selected[affiliate.Balance](ctx, c, "/balances", filter{}, pg)
}

// TotalBalance is [tributary.Program.TotalBalance].
func (c *Client) TotalBalance(ctx context.Context, at time.Time) (affiliate.TotalBalance, error) {
	return send[affiliate.TotalBalance](ctx, c, fetch("/balances/total", firstOf("at", textOfTime(at))))
}

// RankedBalances is [tributary.Program.RankedBalances].
func (c *Client) RankedBalances(ctx context.Context, at time.Time,
	pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
	var q filter
	q.word("at", textOfTime(at))
	return selected[affiliate.Balance](ctx, c, "/balances/ranked", q, pg)
}

// Movements is [tributary.Program.Movements]. Movement.Sales is not on the wire.
func (c *Client) Movements(ctx context.Context, f affiliate.MovementQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
	return selected[affiliate.Movement](ctx, c, "/movements", filterOf(f), pg)
}

// textOfTime returns an instant in a query; empty when it is zero.
func textOfTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return affiliate.At(t).String()
}

// statement is a statement on the wire, with a page of its lines.
type statement struct {
	affiliate.Statement
	Lines []affiliate.StatementLine `json:"lines"`
}

// Statement is [tributary.Program.Statement]. The first lines come with it, and the
// others are read as they are asked for.
func (c *Client) Statement(ctx context.Context, of affiliate.AffiliateRef, from,
	to time.Time) (affiliate.Statement, error) {
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
		return got.Statement,
			affiliate.List[affiliate.StatementLine]{Items: got.Lines,
				Next: nextCursor(a.last.header.Values("Link"))}, nil
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

// Report is [tributary.Program.Report].
func (c *Client) Report(ctx context.Context, q affiliate.ReportQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) {
	var f filter
	f.word("from", affiliate.At(q.From).String())
	f.word("to", affiliate.At(q.To).String())
	f.word("by", string(q.By))
	for name, id := range map[string]affiliate.Opt[uuid.UUID]{
		"affiliateId": q.AffiliateID, "promotionalCodeId": q.CodeID, "linkId": q.LinkID,
	} {
		if !id.IsZero() {
			f.word(name, id.Or(uuid.Nil).String()) // the zero id is nobody's: zeros
		}
	}
	return selected[affiliate.Bucket](ctx, c, "/reports", f, pg)
}

// Breakdown is [tributary.Program.Breakdown].
func (c *Client) Breakdown(ctx context.Context, q affiliate.BreakdownQuery,
	pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
	var f filter
	f.word("from", affiliate.At(q.From).String())
	f.word("to", affiliate.At(q.To).String())
	f.word("by", string(q.By))
	f.word("sort", string(q.Sort))
	if !q.AffiliateID.IsZero() {
		f.word("affiliateId", q.AffiliateID.Or(uuid.Nil).String()) // the zero id is nobody's: no rows
	}
	return selected[affiliate.BreakdownRow](ctx, c, "/reports/breakdown", f, pg)
}
