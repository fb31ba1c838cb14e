package audit_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/audit"
	"github.com/tributary-go/tributary/internal/engine"
)

// TestFamilies: the audit has a whole row for each family of events.
func TestFamilies(t *testing.T) {
	for _, typ := range affiliate.EventTypes() {
		if !slices.ContainsFunc(audit.Families, func(f audit.Family) bool { return f.Name == typ.Family() }) {
			t.Errorf("the audit does not know the family of %s", typ)
		}
	}
	for _, f := range audit.Families { // Verify calls the functions of every row
		if f.Noun == "" || f.BodyKeys == nil {
			t.Errorf("the row of %s has gaps", f.Name)
		}
	}
}

// TestFitsNumber: a frozen sale fits only an event of its own number.
func TestFitsNumber(t *testing.T) {
	rec := record.Sale{ID: record.NumberID(7)}
	event := &record.Event{Type: affiliate.SaleUpdated, ObjectID: rec.ID, Number: 5}
	for number, want := range map[int64]bool{5: true, 4: false, 0: false} {
		rec.Number = number
		if got := audit.Fits(&engine.Frozen{Body: &engine.SaleBody{Rec: rec}}, event); got != want {
			t.Errorf("a body of number %d fits an event of 5: %v", number, got)
		}
	}
}

// A body fits an event of its own kind and object, and no other.
func TestFrozenFits(t *testing.T) {
	id, other := uuid.UUID{1}, uuid.UUID{2}
	const number = 7
	bodies := map[affiliate.EventType]func(id uuid.UUID, number int64) []any{
		affiliate.AffiliateUpdated: func(id uuid.UUID, _ int64) []any {
			return []any{engine.AffiliateEvent{AffiliateBody: affiliate.AffiliateBody{Affiliate: affiliate.Affiliate{ID: id}}}}
		},
		affiliate.ReferralUpdated: func(id uuid.UUID, _ int64) []any {
			return []any{affiliate.ReferralBody{Referral: affiliate.Referral{ID: id}}}
		},
		affiliate.CouponUpdated:    func(id uuid.UUID, _ int64) []any { return []any{engine.CouponBody{Coupon: affiliate.Coupon{ID: id}}} },
		affiliate.PromocodeUpdated: func(id uuid.UUID, _ int64) []any { return []any{engine.CodeBody{Code: record.Code{ID: id}}} },
		affiliate.SaleUpdated: func(id uuid.UUID, n int64) []any {
			return []any{&engine.SaleBody{Rec: record.Sale{ID: id, Number: n}}}
		},
		affiliate.CouponDeleted: func(id uuid.UUID, _ int64) []any { return []any{affiliate.DeletedBody{ID: id}} },
		affiliate.SaleDeleted:   func(_ uuid.UUID, n int64) []any { return []any{affiliate.DeletedSaleBody{ID: affiliate.SaleID(n)}} },
	}
	kept := func(typ affiliate.EventType) *record.Event {
		rec := &record.Event{Type: typ, ObjectID: id}
		if typ.Family() == "sale" {
			rec.Number = number
		}
		return rec
	}
	for typ, of := range bodies {
		for _, body := range of(id, number) {
			if f := (&engine.Frozen{Body: body}); !audit.Fits(f, kept(typ)) {
				t.Errorf("%T does not fit %s", body, typ)
			}
			for _, another := range affiliate.EventTypes() {
				f := &engine.Frozen{Body: body}
				same := another.Family() == typ.Family() || typ == affiliate.CouponDeleted && another.Family() != "sale"
				same = same && engine.EndsObject(another) == engine.EndsObject(typ)
				if got := audit.Fits(f, kept(another)); got != same {
					t.Errorf("%T of %s, in %s: %v", body, typ, another, got)
				}
			}
		}
		for _, body := range of(other, number+1) {
			if f := (&engine.Frozen{Body: body}); audit.Fits(f, kept(typ)) {
				t.Errorf("%T of another object fits %s", body, typ)
			}
		}
	}
	for _, body := range []any{&engine.SaleBody{Rec: record.Sale{ID: other, Number: number}}, &engine.SaleBody{Rec: record.Sale{ID: id, Number: number + 1}}} {
		if f := (&engine.Frozen{Body: body}); audit.Fits(f, kept(affiliate.SaleUpdated)) {
			t.Errorf("%+v fits", body)
		}
	}
	if f := (&engine.Frozen{Body: struct{}{}}); audit.Fits(f, kept(affiliate.CouponUpdated)) {
		t.Error("an unknown body fits")
	}
}
