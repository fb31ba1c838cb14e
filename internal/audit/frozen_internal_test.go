package audit

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// An event that a store keeps in its unencoded form is compared with the record
// without reading its bytes. Each part of it is compared.
func TestVerifyFrozen(t *testing.T) {
	id, object := uuid.UUID{1}, uuid.UUID{2}
	at := affiliate.InstantOf(time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC))
	p := &engine.Program{Cfg: &engine.Config{ID: uuid.UUID{9}}}
	type parts struct {
		rec record.Event
		f   *engine.Frozen
	}
	for name, change := range map[string]func(*parts){
		"OK":               func(*parts) {},
		"type":             func(p *parts) { p.f.Typ = affiliate.CouponCreated },
		"id":               func(p *parts) { p.f.ID = object },
		"program":          func(p *parts) { p.f.Program = id },
		"revision":         func(p *parts) { p.f.Revision++ },
		"time":             func(p *parts) { p.f.OccurredAt = at.Add(time.Microsecond) },
		"test":             func(p *parts) { p.f.Test = true },
		"revision, record": func(p *parts) { p.rec.Revision = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			x := &parts{
				rec: record.Event{ID: id, ObjectID: object, Type: affiliate.CouponDeleted, Revision: 2, OccurredAt: at},
				f:   &engine.Frozen{Typ: affiliate.CouponDeleted, ID: id, Program: p.Cfg.ID, OccurredAt: at, Revision: 2, Body: affiliate.DeletedBody{ID: object}},
			}
			change(x)
			x.rec.Payload = record.LatePayload(x.f)
			a := &audit{Program: p}
			a.verifyEvent(&x.rec)
			if fine := name[:2] == "OK"; fine != (len(a.breaches) == 0) {
				t.Errorf("breaches: %v", a.breaches)
			}
		})
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
			if f := (&engine.Frozen{Body: body}); !fits(f, kept(typ)) {
				t.Errorf("%T does not fit %s", body, typ)
			}
			for _, another := range affiliate.EventTypes() {
				f := &engine.Frozen{Body: body}
				same := another.Family() == typ.Family() || typ == affiliate.CouponDeleted && another.Family() != "sale"
				same = same && engine.EndsObject(another) == engine.EndsObject(typ)
				if got := fits(f, kept(another)); got != same {
					t.Errorf("%T of %s, in %s: %v", body, typ, another, got)
				}
			}
		}
		for _, body := range of(other, number+1) {
			if f := (&engine.Frozen{Body: body}); fits(f, kept(typ)) {
				t.Errorf("%T of another object fits %s", body, typ)
			}
		}
	}
	for _, body := range []any{&engine.SaleBody{Rec: record.Sale{ID: other, Number: number}}, &engine.SaleBody{Rec: record.Sale{ID: id, Number: number + 1}}} {
		if f := (&engine.Frozen{Body: body}); fits(f, kept(affiliate.SaleUpdated)) {
			t.Errorf("%+v fits", body)
		}
	}
	if f := (&engine.Frozen{Body: struct{}{}}); fits(f, kept(affiliate.CouponUpdated)) {
		t.Error("an unknown body fits")
	}
}
