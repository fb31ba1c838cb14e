package affiliate

import (
	"context"

	"github.com/google/uuid"
)

// PartnerPayout is a payout of the affiliate.
type PartnerPayout struct {
	ID             uuid.UUID          `json:"id"`
	Amount         Amount             `json:"amount"`
	Currency       Currency           `json:"currency"`
	Status         PayoutStatus       `json:"status"`
	PaymentMethod  Opt[PaymentMethod] `json:"paymentMethod"`
	PayeeEmail     Opt[string]        `json:"payeeEmail"` // to which it was sent, as MaskEmail has it
	PeriodStart    Opt[Time]          `json:"periodStart"`
	PeriodEnd      Opt[Time]          `json:"periodEnd"`
	PaidAt         Opt[Time]          `json:"paidAt"`
	FailedReason   Opt[string]        `json:"failedReason"`
	ReturnedAt     Opt[Time]          `json:"returnedAt"`
	ReturnedReason Opt[string]        `json:"returnedReason"`
	CreatedAt      Time               `json:"createdAt"`
}

// Payouts lists the payouts of the affiliate.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) Payouts(ctx context.Context, pg Page) (List[PartnerPayout], error) {
	if pg == (Page{}) {
		pg.Limit = cursorPage
	}
	payouts, err := v.p.Payouts(ctx, PayoutFilter{AffiliateID: Set(v.id)}, pg)
	return shownTo(payouts, err, v.payoutOf)
}

// Payout returns a payout of the affiliate.
//
// Errors: [ErrNotFound], also for one of somebody else.
//
// Source: docs/contract.md 4.7.
func (v Partner) Payout(ctx context.Context, id uuid.UUID) (PartnerPayout, error) {
	p, err := v.p.Payout(ctx, id)
	if err == nil && p.AffiliateID != v.id {
		err = ErrNotFound
	}
	if err != nil {
		return PartnerPayout{}, err
	}
	return v.payoutOf(p), nil
}

func (v Partner) payoutOf(p Payout) PartnerPayout {
	out := PartnerPayout{
		ID: p.ID, Amount: p.Amount, Currency: p.Currency, Status: p.Status, PaymentMethod: p.PaymentMethod, PayeeEmail: Null[string](),
		PeriodStart: p.PeriodStart, PeriodEnd: p.PeriodEnd, PaidAt: p.PaidAt, FailedReason: p.FailedReason,
		ReturnedAt: p.ReturnedAt, ReturnedReason: p.ReturnedReason, CreatedAt: p.CreatedAt,
	}
	if email, known := p.PayeeEmail.Get(); known {
		out.PayeeEmail = Set(MaskEmail(email, v.id))
	}
	return out
}

// PayoutEntries is [Program.PayoutEntries] of a payout of the affiliate.
//
// Errors: [ErrNotFound], also for one of somebody else; [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 4.7.
func (v Partner) PayoutEntries(ctx context.Context, id uuid.UUID, pg Page) (_ List[PayoutEntry], err error) {
	defer v.p.begin(&ctx, "PartnerPayoutEntries", reads).end(&err)
	return v.p.payoutEntries(ctx, id, v.id, pg)
}

// AdjustmentReasons is [Program.AdjustmentReasons] of those of the affiliate.
//
// Errors: [InvalidField] (adjustmentIds).
//
// Source: docs/contract.md 4.7.
func (v Partner) AdjustmentReasons(ctx context.Context, ids ...uuid.UUID) (_ map[uuid.UUID]string, err error) {
	defer v.p.begin(&ctx, "PartnerAdjustmentReasons", reads).end(&err)
	return v.p.adjustmentReasons(ctx, v.id, ids)
}

// told is a reason of a hold as the affiliate is told it: that a rule suspects a sale
// is not said.
func (h HoldReason) told() HoldReason {
	if h == HoldFraudPrevention {
		return HoldProgramSettings
	}
	return h
}
