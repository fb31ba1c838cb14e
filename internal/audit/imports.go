package audit

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// broughtBy returns the import that made a picked record. The ledger may name it several
// times, by several refs.
func (a *audit) broughtBy(id uuid.UUID) *record.Import {
	if a.brought == nil {
		a.brought = map[uuid.UUID]*record.Import{}
		for r := range a.imports.walk() {
			if !r.Adopted && (a.mine(r.Object) || a.asked[r.Object]) {
				kept := *r
				a.brought[r.Object] = &kept
			}
		}
	}
	return a.brought[id]
}

// verifyImports checks the ledger of imports, and the sales that it names.
func (a *audit) verifyImports() {
	for r := range a.imports.records() {
		if !a.mine(r.Object) {
			continue
		}
		a.verifyImport(r)
		if sale := a.sales.get(r.Object); sale != nil && !r.Adopted {
			a.verifyImportedSale(r, sale)
		}
	}
	unique(a, "I79", "import", &a.imports, record.ByRef)
}

// verifyImport checks a row by itself, and that it is the only one of its object.
func (a *audit) verifyImport(r *record.Import) {
	name := named("import", r.ID)
	listed(a, name, "kind", r.Kind, engine.ImportKinds...)
	if plaintext.Blank(r.Ref) || r.Object == uuid.Nil || !a.sifting && a.isOther(r) {
		a.breach("I79", name, "its ref names no %s, but %s", r.Kind, r.Object)
	}
	if !a.sifting && !r.Adopted {
		if made := a.broughtBy(r.Object); made.ID != r.ID {
			a.breach("I79", name, "%s was imported by %s too", r.Object, made.ID)
		}
	}
	a.instants("import", r.ID, r.CreatedAt, r.UpdatedAt)
}

// isOther reports whether what a row names is a record of another kind. It may
// be gone.
func (a *audit) isOther(r *record.Import) bool {
	for _, table := range [...]struct {
		kind imported.Kind
		has  bool
	}{
		{record.ImportedAsAffiliate, a.affiliates.has(r.Object)},
		{record.ImportedAsLink, a.links.has(r.Object)},
		{record.ImportedAsCoupon, a.coupons.has(r.Object)},
		{record.ImportedAsCode, a.codes.has(r.Object)},
		{record.ImportedAsReferral, a.referrals.has(r.Object)},
		{record.ImportedAsSale, a.sales.has(r.Object)},
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
			a.breach("I80", numbered("sale", sale.Number),
				"it was imported with %v on %v, and has %v on %v", r.Figures.Commission, kept,
				hand.Earned, hand.Kept)
		}
		return
	}
	now := minus(fraction(sale.TotalEarned), fraction(sale.Refunded))
	if now.Sign() <= 0 {
		return // I41 checks that nothing is earned
	}
	want := nearest(times(fraction(r.Figures.Commission), per(now, fraction(kept))), a.Cfg.Currency)
	if sum := entriesOf(sale); sum.Cmp(want) != 0 {
		a.breach("I80", numbered("sale", sale.Number), "it earns %s, and %s of what was imported",
			figure(sum), figure(want))
	}
}

// siftImports notes what imports made. The first time it checks them, too.
func (a *audit) siftImports(first bool) bool {
	n := a.records
	some := sift(a, &a.imports, func(r *record.Import) {
		k := a.key(r.Object)
		kept, err := r.Figures.Sales.Sub(r.Figures.Refunds)
		twice := !r.Adopted && !a.learn(k, k.num(isBrought))
		other := !a.learn(k, k.num(isImported)) && a.here(k) && !a.knows(k, k.num(isImported).text(string(r.Kind)))
		a.learn(k, k.num(isImported).text(string(r.Kind)))
		a.learn(k, k.num(isFigures).num(r.Figures.Commission.Scaled()).num(kept.Scaled()))
		if !first {
			return
		}
		if twice || other || err != nil {
			a.pick(inImports, k)
		}
		a.about(inImports, k)
		a.verifyImport(r)
		siftKeys(a, inImports, &a.imports, r)
	})
	if !first {
		a.records = n
	}
	return some
}

// siftImported picks an object that was imported as one of another kind.
func (a *audit) siftImported(id uuid.UUID, kind imported.Kind) {
	if k := a.key(id); a.knows(k, k.num(isImported)) {
		a.expect(inImports, k, k.num(isImported).text(string(kind)))
	}
}

// siftBrought checks that an imported sale has the figures of its import.
func (a *audit) siftBrought(r *record.Sale) {
	k := a.key(r.ID)
	hand, _ := r.ByHand.Get()
	if !a.knows(k, k.num(isFigures).num(hand.Earned.Scaled()).num(hand.Kept.Scaled())) {
		if r.Revision == 0 {
			a.pick(inImports, k)
		}
		return
	}
	a.about(inImports, k)
	made := record.Import{Figures: imported.Figures{Sales: hand.Kept, Commission: hand.Earned}}
	a.verifyImportedSale(&made, r)
}
