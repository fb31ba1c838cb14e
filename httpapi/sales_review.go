package httpapi

import (
	"context"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.5.

type review struct {
	ids    []affiliate.SaleID
	status affiliate.ApprovalStatus
}

// maxReviewed is the largest number of sales that one request reviews.
const maxReviewed = 100

func reviewOf(in *input) review {
	r := review{ids: in.saleIDs("saleIds")}
	seen, again := make(map[affiliate.SaleID]bool, len(r.ids)), false
	for _, id := range r.ids {
		again = again || seen[id]
		seen[id] = id != unknownSale // which stands for several texts
	}
	switch {
	case len(r.ids) == 0:
		in.fault(refusal.RefuseNoSaleIDs)
	case len(r.ids) > maxReviewed:
		in.fault(refusal.FieldOver100Entries)
	case again:
		in.fault(refusal.FieldNotDistinct)
	}
	in.targeted()
	r.status = enum[affiliate.ApprovalStatus](in, "approvalStatus").Or("")
	return r
}

func reviewSales(p *tributary.Program, ctx context.Context, in review) ([]affiliate.Sale, error) {
	return p.ReviewCommissions(ctx, in.status, in.ids...)
}
