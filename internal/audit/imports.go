package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// readImports notes which records an import made. The ledger may name them
// several times, by several refs.
func (a *audit) readImports() {
	a.brought = map[uuid.UUID]*record.Import{}
	for r := range a.imports.records() {
		if !r.Adopted {
			a.brought[r.Object] = r
		}
	}
}

// verifyImports checks the ledger of imports, and the sales that it names.
func (a *audit) verifyImports() {
	for r := range a.imports.records() {
		name := named("import", r.ID)
		listed(a, name, "kind", r.Kind, engine.ImportKinds...)
		if plaintext.Blank(r.Ref) || r.Object == uuid.Nil || a.isOther(r) {
			a.breach("I79", name, "its ref names no %s, but %s", r.Kind, r.Object)
		}
		if made := a.brought[r.Object]; !r.Adopted && made != r {
			a.breach("I79", name, "%s was imported by %s too", r.Object, made.ID)
		}
		a.instants("import", r.ID, r.CreatedAt, r.UpdatedAt)
		if sale := a.sales.get(r.Object); sale != nil && !r.Adopted {
			a.verifyImportedSale(r, sale)
		}
	}
	unique(a, "I79", "import", &a.imports, record.ByRef)
}

// isOther reports whether what a row names is a record of another kind. It may
// be gone.
func (a *audit) isOther(r *record.Import) bool {
	for _, table := range [...]struct {
		kind imported.Kind
		has  bool
	}{
		{record.ImportedAsAffiliate, a.affiliates.has(r.Object)}, {record.ImportedAsLink, a.links.has(r.Object)}, {record.ImportedAsCoupon, a.coupons.has(r.Object)},
		{record.ImportedAsCode, a.codes.has(r.Object)}, {record.ImportedAsReferral, a.referrals.has(r.Object)}, {record.ImportedAsSale, a.sales.has(r.Object)},
		{record.ImportedAsBonus, a.adjusted.has(r.Object)}, {record.ImportedAsPayout, a.payouts.has(r.Object)},
	} {
		if table.has {
			return table.kind != r.Kind
		}
	}
	return false
}

// verifyImportedSale checks that a sale earns what was imported, less what was
// refunded since. If people have set another amount, there are events of it.
func (a *audit) verifyImportedSale(r *record.Import, sale *record.Sale) {
	hand, _ := sale.ByHand.Get()
	kept, err := r.Figures.Sales.Sub(r.Figures.Refunds)
	if hand.Earned != r.Figures.Commission || hand.Kept != kept || err != nil {
		if sale.Revision == 0 {
			a.breach("I80", numbered("sale", sale.Number), "it was imported with %v on %v, and has %v on %v", r.Figures.Commission, kept, hand.Earned, hand.Kept)
		}
		return
	}
	now := minus(fraction(sale.TotalEarned), fraction(sale.Refunded))
	if now.Sign() <= 0 {
		return // I41 checks that nothing is earned
	}
	want := nearest(times(fraction(r.Figures.Commission), per(now, fraction(kept))), a.Cfg.Currency)
	if sum := entriesOf(sale); sum.Cmp(want) != 0 {
		a.breach("I80", numbered("sale", sale.Number), "it earns %s, and %s of what was imported", figure(sum), figure(want))
	}
}
