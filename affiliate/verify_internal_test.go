package affiliate

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// An event that a store keeps in its unencoded form is compared with the record
// without reading its bytes. Each part of it is compared.
func TestVerifyFrozen(t *testing.T) {
	id, object := uuid.UUID{1}, uuid.UUID{2}
	at := InstantOf(time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC))
	p := &Program{cfg: &Config{ID: uuid.UUID{9}}}
	type parts struct {
		rec EventRecord
		f   *frozen
	}
	for name, change := range map[string]func(*parts){
		"OK":               func(*parts) {},
		"type":             func(p *parts) { p.f.typ = CouponCreated },
		"id":               func(p *parts) { p.f.id = object },
		"program":          func(p *parts) { p.f.program = id },
		"revision":         func(p *parts) { p.f.revision++ },
		"time":             func(p *parts) { p.f.occurredAt = at.Add(time.Microsecond) },
		"test":             func(p *parts) { p.f.test = true },
		"revision, record": func(p *parts) { p.rec.Revision = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			x := &parts{
				EventRecord{ID: id, ObjectID: object, Type: CouponDeleted, Revision: 2, OccurredAt: at},
				&frozen{typ: CouponDeleted, id: id, program: p.cfg.ID, occurredAt: at, revision: 2, body: DeletedBody{ID: object}},
			}
			change(x)
			x.rec.Payload = Payload{late: x.f}
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
	bodies := map[EventType]func(id uuid.UUID, number int64) []any{
		AffiliateUpdated: func(id uuid.UUID, _ int64) []any {
			return []any{affiliateEvent{AffiliateBody: AffiliateBody{Affiliate: Affiliate{ID: id}}}}
		},
		ReferralUpdated:  func(id uuid.UUID, _ int64) []any { return []any{ReferralBody{Referral: Referral{ID: id}}} },
		CouponUpdated:    func(id uuid.UUID, _ int64) []any { return []any{couponBody{coupon: Coupon{ID: id}}} },
		PromocodeUpdated: func(id uuid.UUID, _ int64) []any { return []any{codeBody{code: CodeRecord{ID: id}}} },
		SaleUpdated: func(id uuid.UUID, n int64) []any {
			return []any{&saleBody{rec: SaleRecord{ID: id, Number: n}}}
		},
		CouponDeleted: func(id uuid.UUID, _ int64) []any { return []any{DeletedBody{ID: id}} },
		SaleDeleted:   func(_ uuid.UUID, n int64) []any { return []any{DeletedSaleBody{ID: SaleID(n)}} },
	}
	record := func(typ EventType) *EventRecord {
		rec := &EventRecord{Type: typ, ObjectID: id}
		if typ.Family() == "sale" {
			rec.Number = number
		}
		return rec
	}
	for typ, of := range bodies {
		for _, body := range of(id, number) {
			if f := (&frozen{body: body}); !fits(f, record(typ)) {
				t.Errorf("%T does not fit %s", body, typ)
			}
			for _, another := range EventTypes() {
				f := &frozen{body: body}
				same := another.Family() == typ.Family() || typ == CouponDeleted && another.Family() != "sale"
				same = same && another.ends() == typ.ends()
				if got := fits(f, record(another)); got != same {
					t.Errorf("%T of %s, in %s: %v", body, typ, another, got)
				}
			}
		}
		for _, body := range of(other, number+1) {
			if f := (&frozen{body: body}); fits(f, record(typ)) {
				t.Errorf("%T of another object fits %s", body, typ)
			}
		}
	}
	for _, body := range []any{&saleBody{rec: SaleRecord{ID: other, Number: number}}, &saleBody{rec: SaleRecord{ID: id, Number: number + 1}}} {
		if f := (&frozen{body: body}); fits(f, record(SaleUpdated)) {
			t.Errorf("%+v fits", body)
		}
	}
	if f := (&frozen{body: struct{}{}}); fits(f, record(CouponUpdated)) {
		t.Error("an unknown body fits")
	}
}
