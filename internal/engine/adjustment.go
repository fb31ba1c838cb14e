package engine

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// adjustmentKinds lists the kinds that callers can record.
var adjustmentKinds = []affiliate.AdjustmentKind{affiliate.AdjustBonus, affiliate.AdjustCorrection,
	affiliate.AdjustDisputeWon, affiliate.AdjustChargebackFee}

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
func CheckAdjustments(f affiliate.AdjustmentQuery) error {
	return refusal.First(InQuery(refusal.OneOfOrNone("kind", f.Kind, AllAdjustmentKinds)))
}

func AdjustmentOf(rec record.Adjustment) affiliate.Adjustment {
	a := affiliate.Adjustment{
		ID: rec.ID, AffiliateID: rec.AffiliateID, SaleID: OrNull(affiliate.SaleID(rec.Sale)),
		Kind: rec.Kind, Amount: rec.Amount, Reason: rec.Reason,
		BonusReason: affiliate.Null[string](), ExternalID: OrNull(rec.ExternalID),
		ReversesID: OrNull(rec.Reverses), ReversedByID: OrNull(rec.ReversedBy),
		PayoutCreated: rec.PayoutID != uuid.Nil, PayoutID: OrNull(rec.PayoutID),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
	}
	if rec.Kind == affiliate.AdjustBonus {
		a.BonusReason = affiliate.Set(rec.Reason)
	}
	return a
}

// What is owed, by whom ever, is lost with an affiliate or a customer only when the caller says
// so. Source: docs/money.md M13a.

// Forfeiting implements tributary.Program.Forfeiting.
func (p *Program) Forfeiting() *Program {
	q := *p
	q.gives = true
	return &q
}

// lose returns the cause under which an amount that is owed goes, which it refuses unless the caller
// gives it up. Below zero, the affiliate owes it.
func (o *Op) lose(owed affiliate.Amount, gives bool) (affiliate.Cause, error) {
	switch {
	case owed.IsZero():
		return affiliate.CauseDeletion, nil
	case gives:
		return affiliate.CauseForfeit, nil
	case owed.Sign() < 0:
		return "", refusal.DebtOwed.Of(owed.Neg().String() + " " + string(o.Cfg.Currency))
	}
	return "", refusal.MoneyOwed.Of(owed.String() + " " + string(o.Cfg.Currency))
}

// owedBy returns what is open of the commissions of sales with a key: on hold, maturing or
// payable, and in no payout.
func (o *Op) owedBy(key record.Key) (sum affiliate.Amount, err error) {
	for sale, err := range o.Tx.Sales.List(record.Query{Key: key}) {
		if err != nil {
			return sum, refusal.Internal("read sales", err)
		}
		for i := range sale.Commissions {
			c := &sale.Commissions[i]
			if c.PayoutID != uuid.Nil || c.Approval.Is(affiliate.ApprovalDeclined) {
				continue
			}
			if sum, err = sum.Add(c.Earned); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// owedTo returns what is owed to an affiliate, in no payout; below zero: what the affiliate owes.
func (o *Op) owedTo(id uuid.UUID) (affiliate.Amount, error) {
	key := record.Key{Index: record.OfAffiliate, ID: id}
	sum, err := o.owedBy(key)
	if err != nil {
		return sum, err
	}
	for rec, err := range o.Tx.Adjustments.List(record.Query{Key: key}) {
		if err != nil {
			return sum, refusal.Internal("read adjustments", err)
		}
		if rec.PayoutID != uuid.Nil {
			continue
		}
		if sum, err = sum.Add(rec.Amount); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// GiveUp takes back what is owed to an affiliate who stays without a name, or by them, or refuses.
func (o *Op) GiveUp(id uuid.UUID, gives bool) error {
	owed, err := o.owedTo(id)
	if err != nil || owed.IsZero() {
		return err
	}
	cause, err := o.lose(owed, gives || o.gives)
	if err != nil {
		return err
	}
	rec := record.Adjustment{ID: o.NewID(), AffiliateID: id, Kind: affiliate.AdjustCorrection,
		Amount: owed.Neg(), Reason: "forfeited", CreatedAt: o.Now}
	return o.enterAdjustment(rec, cause)
}

// enterAdjustment writes an adjustment, and books it.
func (o *Op) enterAdjustment(rec record.Adjustment, cause affiliate.Cause) error {
	if err := o.Tx.Adjustments.Insert(rec); err != nil {
		return refusal.Internal("write adjustment", err)
	}
	return o.Enter(rec.AffiliateID, BookAdjustment(&rec, cause, rec.Amount))
}
