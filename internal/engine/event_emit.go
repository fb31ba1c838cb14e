package engine

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// emit writes the event of a change with its deliveries. Nothing else writes events.
// rec has the type, the object and its revision. The caller has raised that revision
// and stored the object; body shares no memory with anything that can change.
func (o *Op) emit(rec record.Event, body any) error {
	id, err := o.newEventID()
	if err != nil {
		return refusal.Internal("number event", err)
	}
	f := frameOf(body)
	*f = Frozen{Typ: rec.Type, ID: id, Program: o.Cfg.ID, OccurredAt: o.Now, Revision: rec.Revision, Body: body}
	rec.ID, rec.OccurredAt, rec.Actor, rec.Reason, rec.Payload = id, o.Now, o.actor, o.reason, record.LatePayload(f)
	if err := o.Tx.Events.Insert(rec); err != nil {
		return refusal.Internal("write event", err)
	}
	o.events++
	o.Seen.wrote(rec.Type)
	if o.watches != nil {
		noted := rec // a copy: only a program with hooks pays for the allocation
		if err := o.watches.note(&noted); err != nil {
			return refusal.Internal("read change", err)
		}
	}
	return o.fanOut(&rec)
}

// frameOf returns the memory in which an event with this body is frozen. A sale
// brings its own, which saves an allocation.
func frameOf(body any) *Frozen {
	if sale, ok := body.(*SaleBody); ok {
		return &sale.Frozen
	}
	return new(Frozen)
}

// emitDeleted writes the event of a deleted object. number is that of a sale; 0: it
// is no sale.
func (o *Op) emitDeleted(typ affiliate.EventType, id uuid.UUID, number, revision int64) error {
	return o.emit(record.Event{Type: typ, ObjectID: id, Number: number, Revision: revision}, DeletedBody(id, number))
}

// DeletedBody returns the body of a deletion; number is that of a sale, otherwise 0.
func DeletedBody(id uuid.UUID, number int64) any {
	if number != 0 {
		return affiliate.DeletedSaleBody{ID: affiliate.SaleID(number)}
	}
	return affiliate.DeletedBody{ID: id}
}

// ObjectOf returns the object that a body shows: its family, its id and the number of
// a sale, otherwise 0. The family is empty when body is not the body of a change.
func ObjectOf(body any) (family string, id uuid.UUID, number int64) {
	switch b := body.(type) {
	case AffiliateEvent:
		return "affiliate", b.ID, 0
	case affiliate.ReferralBody:
		return "referral", b.ID, 0
	case *SaleBody:
		return "sale", b.Rec.ID, b.Rec.Number
	case CouponBody:
		return "coupon", b.Coupon.ID, 0
	case CodeBody:
		return "promocode", b.Code.ID, 0
	}
	return "", uuid.Nil, 0
}

// cascade is emitDeleted for an object that was deleted with its parent, if the
// program wants such events.
func (o *Op) cascade(typ affiliate.EventType, id uuid.UUID, number, revision int64) error {
	if !o.Cfg.CascadeEvents {
		return nil
	}
	return o.emitDeleted(typ, id, number, revision)
}
