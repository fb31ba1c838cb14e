package audit

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// clickKey is the key of the number of a click.
func (a *audit) clickKey(n int64) print {
	return a.keyed(a.clicks.kind, record.Key{Index: record.ByNumber, ID: record.NumberID(n)})
}

// clickNumbers returns the clicks by their numbers.
func (a *audit) clickNumbers() map[int64]*record.Click {
	clicks := map[int64]*record.Click{}
	for r := range a.clicks.records() {
		if a.picks(a.clickKey(r.Number)) {
			kept := *r
			clicks[r.Number] = &kept
		}
	}
	return clicks
}

// verifyClicked checks the click of a sale, if it was picked and is there.
func (a *audit) verifyClicked(r *record.Sale, clicks map[int64]*record.Click) {
	n := r.Why.Click
	if !a.picks(a.clickKey(n)) {
		return
	}
	if click := clicks[n]; click != nil && (click.CreatedAt.After(r.CreatedAt) || click.AffiliateID != r.AffiliateID) {
		a.breach("I74", numbered("sale", r.Number), "its click %d is of affiliate %s and %v", n, click.AffiliateID, click.CreatedAt)
	}
}

// needsCode reports whether only a sale with a code is credited so; takesCode, whether a
// sale with a code may be; takesClick, whether a click may have credited it.
func needsCode(by affiliate.CreditedBy) bool {
	return by == affiliate.CreditCode || by == affiliate.CreditBrought
}

func takesCode(by affiliate.CreditedBy) bool {
	return needsCode(by) || by == affiliate.CreditAffiliate || by == affiliate.CreditCustomer
}

func takesClick(by affiliate.CreditedBy) bool {
	return by == affiliate.CreditClick || by == affiliate.CreditFirstClick || by == affiliate.CreditBrought
}

// verifyWhy checks what a sale says about its origin, its terms and its
// commission. Sales older than these fields pass.
func (a *audit) verifyWhy(r *record.Sale) {
	w, name := &r.Why, numbered("sale", r.Number)
	if w.By.Is("") {
		return
	}
	code := r.CodeID != uuid.Nil
	if needsCode(w.By.Value()) && !code || code && !takesCode(w.By.Value()) || w.Click != 0 && !takesClick(w.By.Value()) {
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

// siftOrigin notes the click that a sale names.
func (a *audit) siftOrigin(r *record.Sale) {
	if r.Why.Click == 0 {
		return
	}
	k := a.clickKey(r.Why.Click)
	if !a.here(k) {
		return
	}
	fact := k.num(isClicked).id(r.AffiliateID)
	first, pair := a.learn(k, k.num(isClicked)), a.learn(k, fact)
	if a.full {
		return
	}
	if !first && pair {
		a.pick(inSales, k) // of another affiliate
	}
	at := r.CreatedAt.Time().UnixMicro()
	if sold := a.value(fact); pair || at < *sold {
		*sold = at
	}
}
