package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Report is [tributary.Program.Report].
func (c *Client) Report(ctx context.Context, q affiliate.ReportQuery, pg affiliate.Page) (affiliate.List[affiliate.Bucket], error) {
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
func (c *Client) Breakdown(ctx context.Context, q affiliate.BreakdownQuery, pg affiliate.Page) (affiliate.List[affiliate.BreakdownRow], error) {
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
