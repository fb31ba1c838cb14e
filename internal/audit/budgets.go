package audit

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// verifyDraws checks the budgets that count a sale. Source: docs/rewards.md.
func (a *audit) verifyDraws(name object, r *record.Sale) {
	for i := range r.Budgets {
		d := &r.Budgets[i]
		if id := engine.BudgetID(d); d.ID != id {
			a.breach("I93", name, "it counts in the budget %s, which is %s", d.ID, id)
		}
		for j := range i {
			if r.Budgets[j].ID == d.ID {
				a.breach("I93", name, "it counts twice in the budget %s", d.ID)
			}
		}
		a.verifyBudgetTerms(name, &d.Budget, d.OwnerID, d.From)
		if most, cut := d.Most.Get(); most.Sign() < 0 || d.Left.Sign() < 0 || !cut && !d.Left.IsZero() {
			a.breach("I93", name, "of the budget %s it may earn at most %v, when %v was left", d.ID, d.Most, d.Left)
		}
	}
}

// verifyBudgetTerms checks whose a budget is, and that it has a limit.
func (a *audit) verifyBudgetTerms(name object, b *affiliate.Budget, owner uuid.UUID, from affiliate.Instant) {
	listed(a, name, "budget of", b.Of, affiliate.BudgetsOf()...)
	if (b.Of == affiliate.BudgetOfAll) != (owner == uuid.Nil) || (b.Per == "") != from.IsZero() {
		a.breach("I93", name, "a budget of %s for each %q is of %s, from %v", b.Of, b.Per, owner, from)
	}
	if b.MaxCommission.Sign() < 0 || b.MaxRewards < 0 || b.MaxCommission.IsZero() && b.MaxRewards == 0 {
		a.breach("I93", name, "a budget of at most %v and %d rewards", b.MaxCommission, b.MaxRewards)
	}
}

// siftDraws takes what a sale takes of budgets off what they say; commission is what it earns.
func (a *audit) siftDraws(r *record.Sale, commission int64) {
	if commission <= 0 {
		return
	}
	for i := range r.Budgets {
		k := a.key(r.Budgets[i].ID)
		a.add(inTotals, k, k.num(isSpent), -commission)
		a.add(inTotals, k, k.num(isRewarded), -1)
	}
}

func (a *audit) siftBudget(r *record.Budget) {
	k := a.key(r.ID)
	a.about(inTotals, k)
	a.verifyBudget(r)
	a.add(inTotals, k, k.num(isSpent), a.bounded(r.Commission))
	a.add(inTotals, k, k.num(isRewarded), r.Rewards)
	if over(r.Commission.Scaled(), r.MaxCommission.Scaled()) || over(r.Rewards, r.MaxRewards) {
		a.pick(inTotals, k)
	}
}

// over reports whether a limit, which may be none, is exceeded.
func over(used, most int64) bool { return most > 0 && used > most }

// verifyBudget checks a budget by itself.
func (a *audit) verifyBudget(r *record.Budget) {
	if !a.own(r.ID) {
		return
	}
	name := named("budget", r.ID)
	if id := engine.BudgetID(&record.Draw{PlanID: r.PlanID, OwnerID: r.OwnerID, From: r.From, Budget: r.Budget}); id != r.ID {
		a.breach("I93", name, "its fields are of %s", id)
	}
	a.verifyBudgetTerms(name, &r.Budget, r.OwnerID, r.From)
	status := affiliate.BudgetOpen
	for _, of := range [...][2]int64{{r.Commission.Scaled(), r.MaxCommission.Scaled()}, {r.Rewards, r.MaxRewards}} {
		switch used, most := of[0], of[1]; {
		case most > 0 && used >= most:
			status = affiliate.BudgetUsedUp
		case most > 0 && most-used <= most/5 && status == affiliate.BudgetOpen:
			status = affiliate.BudgetLow
		}
	}
	if r.Status != status || r.Commission.Sign() <= 0 || r.Rewards <= 0 {
		a.breach("I93", name, "%v and %d rewards of %v and %d, and it is %s", r.Commission, r.Rewards, r.MaxCommission, r.MaxRewards, r.Status)
	}
}

// A spending is what sales take of one budget.
type spending struct {
	commission, byHand affiliate.Amount
	rewards, handed    int64
	max                affiliate.Budget // the largest limits under which a sale was counted
	any, more          bool             // a sale was counted under no limit of the commission, of the rewards
}

// verifyBudgets recounts budgets, and checks that nothing exceeds them but what persons set by hand.
func (a *audit) verifyBudgets() {
	of := map[uuid.UUID]*spending{}
	for r := range a.sales.records() {
		for i := range r.Budgets {
			d := &r.Budgets[i]
			if !a.mine(d.ID) {
				continue
			}
			if of[d.ID] == nil {
				of[d.ID] = &spending{}
			}
			if err := of[d.ID].add(r, d); err != nil {
				a.breach("I44", numbered("sale", r.Number), "the budgets have no room for it")
			}
		}
	}
	for r := range a.budgets.records() {
		if !a.mine(r.ID) {
			continue
		}
		a.verifyBudget(r)
		s, name := of[r.ID], named("budget", r.ID)
		if s == nil {
			s = &spending{}
		}
		delete(of, r.ID)
		if s.commission != r.Commission || s.rewards != r.Rewards {
			a.breach("I93", name, "%v in %d sales, a recount says %v in %d", r.Commission, r.Rewards, s.commission, s.rewards)
		}
		if !s.any && s.commission.Scaled()-s.byHand.Scaled() > s.max.MaxCommission.Scaled() || !s.more && s.rewards-s.handed > s.max.MaxRewards {
			a.breach("I94", name, "%v in %d sales, of which %v in %d by hand, exceed %v in %d", s.commission, s.rewards,
				s.byHand, s.handed, s.max.MaxCommission, s.max.MaxRewards)
		}
	}
	for r := range a.sales.records() {
		for i := range r.Budgets {
			if s := of[r.Budgets[i].ID]; s != nil && s.rewards > 0 {
				a.breach("I93", numbered("sale", r.Number), "its budget %s is missing: %s", r.Budgets[i].ID, s)
				delete(of, r.Budgets[i].ID)
			}
		}
	}
}

func (s *spending) String() string { return fmt.Sprintf("%v in %d sales", s.commission, s.rewards) }

// add counts a sale in a budget, if it earns something.
func (s *spending) add(r *record.Sale, d *record.Draw) error {
	if r.Status.Is(affiliate.SaleRefunded) {
		return nil
	}
	var sum affiliate.Amount
	var err error
	for i := range r.Commissions {
		if c := &r.Commissions[i]; err == nil && !c.Approval.Is(affiliate.ApprovalDeclined) {
			sum, err = sum.Add(c.Earned)
		}
	}
	if sum.Sign() <= 0 || err != nil {
		return err
	}
	s.rewards++
	if s.commission, err = s.commission.Add(sum); err != nil {
		return err
	}
	if !r.ByHand.IsZero() {
		s.handed++
		s.byHand, err = s.byHand.Add(sum)
	}
	s.any, s.more = s.any || d.MaxCommission.IsZero(), s.more || d.MaxRewards == 0
	if d.MaxCommission.Cmp(s.max.MaxCommission) > 0 {
		s.max.MaxCommission = d.MaxCommission
	}
	s.max.MaxRewards = max(s.max.MaxRewards, d.MaxRewards)
	return err
}
