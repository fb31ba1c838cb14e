package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// clickNumbers are the clicks by their numbers.
func (a *audit) clickNumbers() map[int64]*ClickRecord {
	clicks := make(map[int64]*ClickRecord, a.clicks.n)
	for r := range a.clicks.records() {
		clicks[r.Number] = r
	}
	return clicks
}

// verifyWhy checks what a sale says about its origin, its terms and its
// commission. Sales older than these fields pass.
func (a *audit) verifyWhy(r *SaleRecord, clicks map[int64]*ClickRecord) {
	w, name := &r.Why, numbered("sale", r.Number)
	if click := clicks[w.Click]; click != nil && (click.CreatedAt.After(r.CreatedAt) || click.AffiliateID != r.AffiliateID) {
		a.breach("I74", name, "its click %d is of affiliate %s and %v", w.Click, click.AffiliateID, click.CreatedAt)
	}
	if w.By.Is("") {
		return
	}
	code := r.CodeID != uuid.Nil
	if w.By.Is(CreditCode) && !code || code && !w.By.Is(CreditCode) && !w.By.Is(CreditAffiliate) || w.Click != 0 && !w.By.Is(CreditClick) {
		a.breach("I70", name, "it is credited by %s, with code %s and click %d", w.By, r.CodeID, w.Click)
	}
	plan, tier := w.PlanID != uuid.Nil, w.TierID != uuid.Nil
	if plan == w.PlanFrom.Is(PlanOfProgram) || tier != w.RateFrom.Is(RateOfTier) || r.RateFixed != w.RateFrom.Is(RateOfSale) ||
		w.RateFrom.Is(RateOfPlan) && !plan || w.RateFrom.Is(RateOfProgram) && plan || !slices.Contains(rateSources, w.RateFrom.Value()) {
		a.breach("I70", name, "its rate is from %s, its plan %s from %s, its tier %s", w.RateFrom, w.PlanID, w.PlanFrom, w.TierID)
	}
	if len(r.Commissions) == 0 && w.Over.Is("") && !r.Free {
		a.breach("I70", name, "it has no commission, and no reason for that")
	}
}
