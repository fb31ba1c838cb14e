package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyAdjustments checks adjustments by themselves and against those that they
// reverse.
func (a *audit) verifyAdjustments() {
	moved := map[leaving]affiliate.Amount{}
	for r := range a.adjusted.records() {
		name := named("adjustment", r.ID)
		if !a.affiliates.has(r.AffiliateID) {
			a.breach("I36", name, "its affiliate %s does not exist", r.AffiliateID)
		}
		listed(a, name, "kind", r.Kind, engine.AllAdjustmentKinds...)
		if engine.AdjustsSale(r.Kind) && r.Sale == 0 {
			a.breach("I44", name, "it is %s of no sale", r.Kind)
		}
		if exact := fraction(r.Amount); nearest(exact, a.Cfg.Currency).Cmp(exact) != 0 || r.Amount.IsZero() || r.Reverses == uuid.Nil && engine.CheckAdjusted(r.Kind, r.Amount) != nil {
			a.breach("I44", name, "it is %s of %v", r.Kind, r.Amount)
		}
		if r.Reverses != uuid.Nil {
			a.verifyReversal(r)
		}
		if by := a.adjusted.get(r.ReversedBy); r.ReversedBy != uuid.Nil && (by == nil || by.Reverses != r.ID) {
			a.breach("I73", name, "it is not reversed by %s", r.ReversedBy)
		}
		a.instants("adjustment", r.ID, r.CreatedAt, r.CreatedAt)
		if key := (leaving{r.Sale, r.AffiliateID}); engine.IsMoved(r) {
			moved[key], _ = moved[key].Add(r.Amount) // an overflow is another sum
		}
	}
	for key, sum := range moved {
		if !sum.IsZero() {
			a.breach("I73", numbered("sale", key.sale), "the adjustments of affiliate %s, whom it was taken from, add up to %v", key.former, sum)
		}
	}
	unique(a, "I43", "adjustment", &a.adjusted, record.ByExternalID)
}

// A leaving is a sale with an affiliate that it was moved away from.
type leaving struct {
	sale   int64
	former uuid.UUID
}

// verifyReversal checks that a reversal is the opposite of one adjustment, and
// the only one.
func (a *audit) verifyReversal(r *record.Adjustment) {
	was := a.adjusted.get(r.Reverses)
	if was == nil {
		a.breach("I73", named("adjustment", r.ID), "it reverses %s, which does not exist", r.Reverses)
		return
	}
	opposite, err := affiliate.Amount{}.Sub(was.Amount)
	if err != nil || opposite != r.Amount || was.ReversedBy != r.ID || was.Reverses != uuid.Nil ||
		was.Kind != r.Kind || was.AffiliateID != r.AffiliateID || was.Sale != r.Sale {
		a.breach("I73", named("adjustment", r.ID), "it is not the opposite of %s", was.ID)
	}
}
