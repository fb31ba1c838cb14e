package partner

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payout"
)

// Payouts implements tributary.Partner.Payouts.
func (v Partner) Payouts(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Payout], error) {
	if pg == (affiliate.Page{}) {
		pg.Limit = affiliate.PageSize
	}
	payouts, err := payout.Payouts(ctx, v.p, affiliate.PayoutFilter{AffiliateID: affiliate.Set(v.id)}, pg)
	return shownTo(payouts, err, v.payoutOf)
}

// Payout implements tributary.Partner.Payout.
func (v Partner) Payout(ctx context.Context, id uuid.UUID) (partner.Payout, error) {
	p, err := payout.Payout(ctx, v.p, id)
	if err == nil && p.AffiliateID != v.id {
		err = affiliate.ErrNotFound
	}
	if err != nil {
		return partner.Payout{}, err
	}
	return v.payoutOf(p), nil
}

func (v Partner) payoutOf(p affiliate.Payout) partner.Payout {
	out := partner.Payout{
		ID: p.ID, Amount: p.Amount, Currency: p.Currency, Status: p.Status, PaymentMethod: p.PaymentMethod, PayeeEmail: affiliate.Null[string](),
		PeriodStart: p.PeriodStart, PeriodEnd: p.PeriodEnd, PaidAt: p.PaidAt, FailedReason: p.FailedReason,
		ReturnedAt: p.ReturnedAt, ReturnedReason: p.ReturnedReason, CreatedAt: p.CreatedAt,
	}
	if email, known := p.PayeeEmail.Get(); known {
		out.PayeeEmail = affiliate.Set(affiliate.MaskEmail(email, v.id))
	}
	return out
}

// PayoutEntries implements tributary.Partner.PayoutEntries.
func (v Partner) PayoutEntries(ctx context.Context, id uuid.UUID, pg affiliate.Page) (_ affiliate.List[affiliate.PayoutEntry], err error) {
	defer v.p.Begin(&ctx, "PartnerPayoutEntries", engine.Reads).End(&err)
	return payout.PayoutEntriesIn(ctx, v.p, id, v.id, pg)
}

// AdjustmentReasons implements tributary.Partner.AdjustmentReasons.
func (v Partner) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer v.p.Begin(&ctx, "PartnerAdjustmentReasons", engine.Reads).End(&err)
	return payout.AdjustmentReasonsIn(ctx, v.p, v.id, ids)
}

// told returns a reason of a hold as the affiliate sees it, which does not reveal that a
// rule suspects the sale.
func told(h affiliate.HoldReason) affiliate.HoldReason {
	if h == affiliate.HoldFraudPrevention {
		return affiliate.HoldProgramSettings
	}
	return h
}
