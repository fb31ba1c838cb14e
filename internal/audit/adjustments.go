package audit

import (
	"math"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyAdjustments checks adjustments by themselves and against those that they
// reverse.
func (a *audit) verifyAdjustments() {
	moved := map[movedSale]affiliate.Amount{}
	for r := range a.adjusted.records() {
		if a.verifyAdjustment(r); engine.IsMoved(r) && a.mine(record.NumberID(r.Sale)) {
			key := movedSale{r.Sale, r.AffiliateID}
			moved[key], _ = moved[key].Add(r.Amount) // an overflow is another sum
		}
	}
	for key, sum := range moved {
		if !sum.IsZero() {
			a.breach("I73", numbered("sale", key.sale),
				"the adjustments of affiliate %s, whom it was taken from, add up to %v", key.former,
				sum)
		}
	}
	unique(a, "I43", "adjustment", &a.adjusted, record.ByExternalID)
}

func (a *audit) verifyAdjustment(r *record.Adjustment) {
	name, own := named("adjustment", r.ID), a.own(r.ID)
	if a.affiliates.lacks(r.AffiliateID) {
		a.breach("I36", name, "its affiliate %s does not exist", r.AffiliateID)
	}
	if own {
		listed(a, name, "kind", r.Kind, engine.AllAdjustmentKinds...)
		if engine.AdjustsSale(r.Kind) && r.Sale == 0 {
			a.breach("I44", name, "it is %s of no sale", r.Kind)
		}
		if exact := fraction(r.Amount); nearest(exact, a.Cfg.Currency).Cmp(exact) != 0 || r.Amount.IsZero() || r.Reverses == uuid.Nil && engine.CheckAdjusted(r.Kind, r.Amount) != nil {
			a.breach("I44", name, "it is %s of %v", r.Kind, r.Amount)
		}
	}
	if r.Reverses != uuid.Nil && !a.sifting && a.mine(r.Reverses) {
		a.verifyReversal(r)
	}
	if !own {
		return
	}
	if r.ReversedBy != uuid.Nil && !a.sifting {
		if by := a.adjusted.get(r.ReversedBy); by == nil || by.Reverses != r.ID {
			a.breach("I73", name, "it is not reversed by %s", r.ReversedBy)
		}
	}
	a.instants("adjustment", r.ID, r.CreatedAt, r.CreatedAt)
}

// A movedSale is a sale with an affiliate that it was moved away from.
type movedSale struct {
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

func (a *audit) siftAdjustment(r *record.Adjustment) {
	k := a.key(r.ID)
	a.about(inAdjustments, k)
	a.verifyAdjustment(r)
	siftKeys(a, inAdjustments, &a.adjusted, r)
	a.siftImported(r.ID, record.ImportedAsBonus)
	reversal := func(k print, by uuid.UUID, amount int64) print {
		return k.num(isReversal).id(by).num(amount).text(string(r.Kind)).id(r.AffiliateID).num(r.Sale)
	}
	if r.Reverses != uuid.Nil {
		was := a.key(r.Reverses)
		if a.add(inAdjustments, was, reversal(was, r.ID, -r.Amount.Scaled()), 1); r.ReversedBy != uuid.Nil || r.Amount.Scaled() == math.MinInt64 {
			a.pick(inAdjustments, was)
			a.pick(inAdjustments, k)
		}
	}
	if r.ReversedBy != uuid.Nil {
		a.add(inAdjustments, k, reversal(k, r.ReversedBy, r.Amount.Scaled()), -1)
	}
	if engine.IsMoved(r) {
		sale := a.key(record.NumberID(r.Sale))
		a.add(inAdjustments, sale, sale.num(isLeaving).id(r.AffiliateID), r.Amount.Scaled())
	}
	if r.PayoutID != uuid.Nil {
		a.entry(r.PayoutID, entryKey{id: r.ID}, r.AffiliateID, r.Sale, r.Amount)
	} else {
		a.account(r.AffiliateID, affiliate.AccountPayable, r.Amount)
	}
}
