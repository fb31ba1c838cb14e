package engine

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SaleSums implements tributary.Program.SaleSums.
func (p *Program) SaleSums(ctx context.Context, q affiliate.SaleQuery) (_ affiliate.SaleSums, err error) {
	defer p.Begin(&ctx, "SaleSums", Reads).End(&err)
	if err := p.checkSaleQuery(q); err != nil {
		return affiliate.SaleSums{}, err
	}
	var out affiliate.SaleSums
	err = AddUp(ctx, p, Adding[record.Sale]{
		Sum:    p.saleSum(q),
		Each:   !q.Search.IsZero(),
		Choose: func(o *Op) Choice[record.Sale] { return o.ChooseSales(q, true) },
		Read: func(pg affiliate.Page) (affiliate.List[record.Sale], error) {
			return foundSales(ctx, p, q, pg, func(*Op) func(record.Sale) (record.Sale, error) {
				return func(rec record.Sale) (record.Sale, error) { return rec, nil }
			})
		},
	}, func(rec *record.Sale, n int64) error { return addSale(&out, rec, n) })
	return out, err
}

// saleSum is the sum of sales that are chosen by what q asks.
func (p *Program) saleSum(q affiliate.SaleQuery) record.Sum {
	sum := record.Sum{Table: "sales", By: []string{"status", "approval_statuses"},
		Add: []string{"total_earned", "refunded_amount", "commission_earned"}}
	for _, by := range [...]struct {
		column string
		asked  bool
	}{
		{"affiliate_id", !q.AffiliateID.IsZero() || !q.AffiliateEmail.IsZero()},
		{"referral_id", !q.ReferralID.IsZero()},
		{"affiliate_link_id", !q.LinkID.IsZero()},
		{"promotional_code_id", !q.CodeID.IsZero()},
		{"charged_currency", q.Currency != ""},
	} {
		if by.asked {
			sum.By = append(sum.By, by.column)
		}
	}
	if code, set := q.CodeID.Get(); set {
		sum.Where = map[string]uuid.UUID{"promotional_code_id": code} // it has no index, and there may be many
	}
	p.madeIn(p.period(q.Since, q.Until, false), &sum)
	return sum
}

// addSale adds a sale, or the sum of n sales, to the sums to which it belongs.
func addSale(to *affiliate.SaleSums, r *record.Sale, n int64) error {
	earned, err := CommissionEarned(r)
	for _, part := range [...]struct {
		of *affiliate.SaleSum
		in bool
	}{
		{&to.All, true},
		{&to.Active, r.Status.Is(affiliate.SaleActive)},
		{&to.Refunded, r.Status.Is(affiliate.SaleRefunded)},
		{&to.Accepted, r.HasApproval(affiliate.ApprovalAccepted)},
		{&to.OnHold, r.HasApproval(affiliate.ApprovalOnHold)},
		{&to.Declined, r.HasApproval(affiliate.ApprovalDeclined)},
	} {
		if !part.in {
			continue
		}
		part.of.Count += n
		for _, sum := range [...]struct {
			to   *affiliate.Amount
			more affiliate.Amount
		}{
			{&part.of.TotalEarned, r.TotalEarned},
			{&part.of.RefundedAmount, r.Refunded},
			{&part.of.CommissionEarned, earned},
		} {
			if err == nil {
				*sum.to, err = sum.to.Add(sum.more)
			}
		}
	}
	if err != nil {
		return refusal.Internal("add up sales", err)
	}
	return nil
}
