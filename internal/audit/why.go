package audit

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// clickNumbers returns the clicks by their numbers.
func (a *audit) clickNumbers() map[int64]*record.Click {
	clicks := make(map[int64]*record.Click, a.clicks.n)
	for r := range a.clicks.records() {
		clicks[r.Number] = r
	}
	return clicks
}

// verifyWhy checks what a sale says about its origin, its terms and its
// commission. Sales older than these fields pass.
func (a *audit) verifyWhy(r *record.Sale, clicks map[int64]*record.Click) {
	w, name := &r.Why, numbered("sale", r.Number)
	if click := clicks[w.Click]; click != nil && (click.CreatedAt.After(r.CreatedAt) || click.AffiliateID != r.AffiliateID) {
		a.breach("I74", name, "its click %d is of affiliate %s and %v", w.Click, click.AffiliateID, click.CreatedAt)
	}
	if w.By.Is("") {
		return
	}
	code := r.CodeID != uuid.Nil
	if w.By.Is(affiliate.CreditCode) && !code || code && !w.By.Is(affiliate.CreditCode) && !w.By.Is(affiliate.CreditAffiliate) || w.Click != 0 && !w.By.Is(affiliate.CreditClick) {
		a.breach("I70", name, "it is credited by %s, with code %s and click %d", w.By, r.CodeID, w.Click)
	}
	plan, tier := w.PlanID != uuid.Nil, w.TierID != uuid.Nil
	if plan == w.PlanFrom.Is(affiliate.PlanOfProgram) || tier != w.RateFrom.Is(affiliate.RateOfTier) || r.RateFixed != w.RateFrom.Is(affiliate.RateOfSale) ||
		w.RateFrom.Is(affiliate.RateOfPlan) && !plan || w.RateFrom.Is(affiliate.RateOfProgram) && plan || !slices.Contains(rateSources, w.RateFrom.Value()) {
		a.breach("I70", name, "its rate is from %s, its plan %s from %s, its tier %s", w.RateFrom, w.PlanID, w.PlanFrom, w.TierID)
	}
	if len(r.Commissions) == 0 && w.Over.Is("") && !r.Free {
		a.breach("I70", name, "it has no commission, and no reason for that")
	}
}
