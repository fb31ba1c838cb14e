package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// deduction returns what the program deducts.
func (p *Program) deduction() affiliate.Deduction {
	switch tax, shipping := !p.Cfg.CommissionOnTax, !p.Cfg.CommissionOnShipping; {
	case tax && shipping:
		return affiliate.DeductBoth
	case tax:
		return affiliate.DeductTax
	case shipping:
		return affiliate.DeductShipping
	}
	return affiliate.DeductNothing
}

// Deducted returns what is deducted from the total of a sale: as recorded with it,
// or for an old sale without that, what the program deducts.
func (p *Program) Deducted(r *record.Sale) (tax, shipping affiliate.Amount) {
	how := r.Why.Deduct.Value()
	if how == "" {
		how = p.deduction()
	}
	if how == affiliate.DeductTax || how == affiliate.DeductBoth {
		tax = r.Tax
	}
	if how == affiliate.DeductShipping || how == affiliate.DeductBoth {
		shipping = r.Shipping
	}
	return tax, shipping
}

// sources records the source of a deal's rate.
func sources(w *record.Why, d *deal) {
	w.RateFrom, w.PlanFrom = affiliate.EnumOf(d.rateFrom), affiliate.EnumOf(d.planFrom)
	w.PlanID, w.TierID = d.planID, d.tierID
}
