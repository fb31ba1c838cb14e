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
