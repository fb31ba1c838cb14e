package affiliate

import "github.com/google/uuid"

// emit writes the event of a change with its deliveries: the one place that
// does. rec has the type, the object and its revision. The caller has raised
// that revision and stored the object; body shares no memory with anything that
// can change.
func (o *op) emit(rec EventRecord, body any) error {
	id, err := o.newEventID()
	if err != nil {
		return internal("number event", err)
	}
	f := frameOf(body)
	*f = frozen{typ: rec.Type, id: id, program: o.cfg.ID, occurredAt: o.now, revision: rec.Revision, body: body}
	rec.ID, rec.OccurredAt, rec.Payload = id, o.now, latePayload(f)
	if err := o.tx.Events.Insert(rec); err != nil {
		return internal("write event", err)
	}
	o.events++
	o.seen.wrote(rec.Type)
	if o.watches != nil {
		noted := rec // a copy: only a program with hooks pays for the allocation
		if err := o.watches.note(&noted); err != nil {
			return internal("read change", err)
		}
	}
	return o.fanOut(&rec)
}

// frameOf is where an event with the body is frozen. A sale brings the place
// along: it is one allocation less for each.
func frameOf(body any) *frozen {
	if sale, ok := body.(*saleBody); ok {
		return &sale.frozen
	}
	return new(frozen)
}

// emitDeleted writes the event of an object that is gone. The number is that of
// a sale; 0: it is none.
func (o *op) emitDeleted(typ EventType, id uuid.UUID, number, revision int64) error {
	return o.emit(EventRecord{Type: typ, ObjectID: id, Number: number, Revision: revision}, deletedBody(id, number))
}

// deletedBody is the body of a deletion; number is that of a sale, otherwise 0.
func deletedBody(id uuid.UUID, number int64) any {
	if number != 0 {
		return DeletedSaleBody{SaleID(number)}
	}
	return DeletedBody{id}
}

// objectOf is the object that a body shows: its family, its id and the number of
// a sale, otherwise 0. The family is empty when body is no body of a change.
func objectOf(body any) (family string, id uuid.UUID, number int64) {
	switch b := body.(type) {
	case affiliateEvent:
		return "affiliate", b.ID, 0
	case ReferralBody:
		return "referral", b.ID, 0
	case *saleBody:
		return "sale", b.rec.ID, b.rec.Number
	case couponBody:
		return "coupon", b.coupon.ID, 0
	case codeBody:
		return "promocode", b.code.ID, 0
	}
	return "", uuid.Nil, 0
}

// cascade is emitDeleted for an object that went with its parent: where the
// program asks for such events.
func (o *op) cascade(typ EventType, id uuid.UUID, number, revision int64) error {
	if !o.cfg.CascadeEvents {
		return nil
	}
	return o.emitDeleted(typ, id, number, revision)
}
