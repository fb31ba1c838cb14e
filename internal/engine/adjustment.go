package engine

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// adjustmentKinds lists the kinds that callers can record.
var adjustmentKinds = []affiliate.AdjustmentKind{affiliate.AdjustBonus, affiliate.AdjustCorrection, affiliate.AdjustDisputeWon, affiliate.AdjustChargebackFee}

var AllAdjustmentKinds = append(slices.Clone(adjustmentKinds), affiliate.AdjustMove)

// AdjustsSale reports whether an adjustment of the kind belongs to a sale.
func AdjustsSale(k affiliate.AdjustmentKind) bool {
	return k == affiliate.AdjustDisputeWon || k == affiliate.AdjustChargebackFee || k == affiliate.AdjustMove
}

// CheckAdjusted refuses an amount with a sign that the kind does not have.
func CheckAdjusted(k affiliate.AdjustmentKind, amount affiliate.Amount) *affiliate.Error {
	switch {
	case (k == affiliate.AdjustCorrection || k == affiliate.AdjustMove) && amount.IsZero():
		return refusal.AdjustmentZero.Err()
	case k == affiliate.AdjustChargebackFee && amount.Sign() >= 0:
		return refusal.AdjustmentNotNegative.Err()
	case (k == affiliate.AdjustBonus || k == affiliate.AdjustDisputeWon) && amount.Sign() <= 0:
		return refusal.AdjustmentNotPositive.Err()
	}
	return nil
}

// CheckAdjustments refuses a kind that does not exist. On the wire the filter is a query,
// so its errors are of the query.
func CheckAdjustments(f affiliate.AdjustmentFilter) error {
	return refusal.First(InQuery(refusal.OneOfOrNone("kind", f.Kind, AllAdjustmentKinds)))
}

func AdjustmentOf(rec record.Adjustment) affiliate.Adjustment {
	a := affiliate.Adjustment{
		ID: rec.ID, AffiliateID: rec.AffiliateID, SaleID: OrNull(affiliate.SaleID(rec.Sale)), Kind: rec.Kind, Amount: rec.Amount,
		Reason: rec.Reason, BonusReason: affiliate.Null[string](), ExternalID: OrNull(rec.ExternalID), ReversesID: OrNull(rec.Reverses),
		ReversedByID: OrNull(rec.ReversedBy), PayoutCreated: rec.PayoutID != uuid.Nil, PayoutID: OrNull(rec.PayoutID),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
	}
	if rec.Kind == affiliate.AdjustBonus {
		a.BonusReason = affiliate.Set(rec.Reason)
	}
	return a
}
