package audit

import (
	"math/big"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// The terms of sales, a second time: the rate and the cap of a sale are those of the version
// in which it was paid. That can be judged of terms that were not changed since. Source:
// docs/terms.md 7.

// settled is how long before a sale its terms must be unchanged: servers have clocks of
// their own.
const settled = 24 * time.Hour

// keepTerms keeps the terms of a plan, or of the program, for the sales that have them.
func (a *audit) keepTerms(r *record.Plan) {
	if a.terms == nil {
		a.terms = map[uuid.UUID]record.Plan{}
	}
	kept := record.Plan{UpdatedAt: r.UpdatedAt, Terms: r.Terms, Versions: r.Versions}
	a.terms[r.ID] = kept.Clone()
}

// verifySaleTerms compares a sale with its terms.
func (a *audit) verifySaleTerms(r *record.Sale) {
	w, id := &r.Why, r.Why.PlanID
	if id == uuid.Nil {
		id = uuid.Max
	}
	of, known := a.terms[id]
	if !known || r.Past || w.By.Is("") || w.RateFrom.Is("") || r.Conversion != "" || !of.UpdatedAt.Add(settled).Before(r.CreatedAt) {
		return
	}
	paid, t := engine.PaidOf(r), &of.Terms
	for i := range of.Versions {
		if !paid.Before(of.Versions[i].From) {
			t = &of.Versions[i].Terms
		}
	}
	rate, _ := r.Rate.Get()
	if w.RateFrom.Is(affiliate.RateOfPlan) || w.RateFrom.Is(affiliate.RateOfProgram) {
		if rate != t.Rate || !r.RateType.Is(t.Type) {
			a.breach("I40", numbered("sale", r.Number), "its rate is %s %v, that of its terms %s %v", r.RateType, rate, t.Type, t.Rate)
		}
	}
	a.verifyCap(r, t)
}

// verifyCap compares the cap of a sale with those of its terms.
func (a *audit) verifyCap(r *record.Sale, t *affiliate.Terms) {
	earlier, known := r.Why.Earlier.Get()
	if r.RateFixed || r.Free || len(r.Commissions) == 0 || !r.ByHand.IsZero() || t.MaxPerCustomer.Sign() > 0 && !known {
		return
	}
	var most *big.Rat
	if t.MaxPerSale.Sign() > 0 {
		most = fraction(t.MaxPerSale)
	}
	if t.MaxPerCustomer.Sign() > 0 {
		room := minus(fraction(t.MaxPerCustomer), fraction(earlier))
		if room.Sign() < 0 {
			room = new(big.Rat)
		}
		if most == nil || room.Cmp(most) < 0 {
			most = room
		}
	}
	if !r.Why.Over.Is("") { // a limit stops it
		most = new(big.Rat)
	}
	limit, capped := r.Cap.Get()
	if capped != (most != nil) || capped && fraction(limit).Cmp(most) != 0 {
		a.breach("I40", numbered("sale", r.Number), "it may earn at most %v, by its terms %v a sale and %v a customer, who had earned %v", r.Cap, t.MaxPerSale, t.MaxPerCustomer, r.Why.Earlier)
	}
}
