package partner

import (
	"context"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/reading"
)

// ExplainSale implements tributary.Partner.ExplainSale.
func (v Partner) ExplainSale(ctx context.Context, id affiliate.SaleID) (_ partner.Explanation, err error) {
	defer v.p.Begin(&ctx, "PartnerExplainSale", engine.Reads).End(&err)
	return engine.View(ctx, v.p, func(o *engine.Op) (out partner.Explanation, err error) {
		rec, err := o.SaleByNumber(id)
		if err == nil && rec.AffiliateID != v.id {
			err = affiliate.ErrNotFound
		}
		if err != nil {
			return out, err
		}
		e, err := reading.Explain(o, &rec)
		if err != nil {
			return out, err
		}
		out = v.explanationOf(&e)
		out.Sale, err = partnerSale(o, rec)
		return out, err
	})
}

// explanationOf returns an explanation as the affiliate sees it.
func (v Partner) explanationOf(e *affiliate.Explanation) partner.Explanation {
	out := partner.Explanation{
		By: e.Credit.By, ClickAt: e.Credit.ClickAt, CustomerSince: e.Credit.ReferralAt,
		CommissionType: e.Terms.CommissionType, CommissionRate: e.Terms.CommissionRate, RateFrom: e.Terms.RateFrom, Payment: e.Terms.Payment, Over: e.Terms.Over,
		Base: e.Base, Arithmetic: e.Arithmetic, Lines: []affiliate.ExplainedLine{}, Entries: []partner.Entry{}, Changes: []partner.Change{},
	}
	for _, l := range e.Lines {
		l.ID, l.Rule = affiliate.Null[string](), affiliate.Null[string]() // the program's own words
		out.Lines = append(out.Lines, l)
	}
	for i := range e.Commissions {
		c := &e.Commissions[i]
		out.Entries = append(out.Entries, partner.Entry{
			Amount: c.CommissionEarned, ApprovalStatus: c.ApprovalStatus, HoldReason: engine.OrNull(told(c.HoldReason.Or(""))),
			PayableAt: c.PayableAt, PayoutID: c.PayoutID, AfterPayout: c.ClawBack,
		})
	}
	for i := range slices.Backward(e.Movements) {
		if m := &e.Movements[i]; m.AffiliateID == v.id { // others are from before the sale was theirs
			out.Changes = append(out.Changes, partner.Change{At: m.At, Cause: m.Cause, From: m.From, To: m.To, Amount: m.Amount})
		}
	}
	return out
}
