package upkeep

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// EraseAffiliate implements tributary.Program.EraseAffiliate.
func EraseAffiliate(ctx context.Context, p *engine.Program, id uuid.UUID) (err error) {
	defer p.Begin(&ctx, "EraseAffiliate", engine.Writes).End(&err)
	rq := engine.Request{Name: "affiliate.erase", Input: id, Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
	return erase(ctx, p, rq, func(o *engine.Op) (subject, error) { return affiliateSubject(o, id) })
}

// EraseReferral implements tributary.Program.EraseReferral.
func EraseReferral(ctx context.Context, p *engine.Program, ident string) (err error) {
	defer p.Begin(&ctx, "EraseReferral", engine.Writes).End(&err)
	rq := engine.Request{Name: "referral.erase", Input: ident, Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
	return erase(ctx, p, rq, func(o *engine.Op) (subject, error) { return customerSubject(o, ident) })
}

// erase finds a person and the payloads that show them in a snapshot, and then
// blanks both in a transaction. The transaction finds the person again and
// reads only the events since the snapshot.
func erase(ctx context.Context, p *engine.Program, rq engine.Request, find func(*engine.Op) (subject, error)) error {
	type finding struct {
		who    subject
		events []record.Event
	}
	found, err := engine.View(ctx, p, func(o *engine.Op) (finding, error) {
		if rq.Refused != nil {
			return finding{}, rq.Refused
		}
		who, err := find(o)
		if err != nil {
			return finding{}, err
		}
		events, err := engine.Gather(o.Tx.Events, record.Query{})
		return finding{who: who, events: events}, err
	})
	if err != nil && !engine.WorthKeeping(err) {
		return err
	}
	rq.Refused = err // with a key this may be a repeat
	shown := make(map[uuid.UUID]bool, len(found.events))
	for _, rec := range found.events {
		shown[rec.ID] = found.who.in(rec.Payload.Bytes())
	}
	o := p.Op(ctx)
	_, err = engine.Write(o, rq, func() (struct{}, error) {
		who, err := find(o)
		if err != nil {
			return struct{}{}, err
		}
		known := shown
		if who.person != found.who.person || !slices.Equal(who.former, found.who.former) { // the person changed in between
			known = nil
		}
		if err := settle(o, &who, false); err != nil {
			return struct{}{}, err
		}
		if _, err := startErasing(o, &who); err != nil {
			return struct{}{}, err
		}
		if err := eraseEvents(o, &who, known); err != nil {
			return struct{}{}, refusal.Internal("erase events", err)
		}
		if err := eraseReceipts(o, &who); err != nil {
			return struct{}{}, refusal.Internal("erase receipts", err)
		}
		if err := eraseHoldings(o, &who); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, endErasing(o, &who)
	})
	return err
}

// eraseEvents removes a person from the events that show them, except the payloads
// with a pending delivery. shown has the known events of the earlier snapshot.
func eraseEvents(o *engine.Op, who *subject, shown map[uuid.UUID]bool) error {
	events, err := engine.Gather(o.Tx.Events, record.Query{})
	for _, rec := range events {
		in, known := shown[rec.ID]
		if !known {
			in = who.in(rec.Payload.Bytes())
		}
		if _, _, err := eraseEvent(o, who, rec, in); err != nil {
			return err
		}
	}
	return err
}

// eraseEvent removes a person from an event, whose payload shows them or not. The reason
// goes at once, because nobody else gets it. The payload, with the stored answers of its
// receivers, waits while a delivery is pending.
func eraseEvent(o *engine.Op, who *subject, rec record.Event, shown bool) (changed, pending bool, err error) {
	reason := who.reasonWithout(&rec, shown)
	if !shown && reason == rec.Reason {
		return false, false, nil
	}
	if err := noteShown(o, who); err != nil {
		return false, false, err
	}
	if shown {
		if pending, err = eraseResponses(o, rec.ID); err != nil {
			return false, false, err
		}
	}
	changed = reason != rec.Reason || shown && !pending
	if shown && !pending {
		rec.Payload = record.Payload{}
	}
	rec.Reason = reason
	_, err = replaced(o.Tx.Events, rec, changed)
	return changed, pending, err
}

// reasonWithout returns the reason of an event without the person: nothing of it where the
// event shows them or is of them, since it may say anything of them; of any other it loses
// their email.
func (who *subject) reasonWithout(rec *record.Event, shown bool) string {
	if shown || rec.ObjectID == who.id {
		return ""
	}
	reason := rec.Reason
	for _, face := range who.faces() {
		reason = withoutEmail(reason, face.email)
	}
	return reason
}

// eraseResponses empties what the receivers of an event have answered, unless a delivery
// is pending.
func eraseResponses(o *engine.Op, event uuid.UUID) (pending bool, err error) {
	deliveries, err := engine.Gather(o.Tx.Deliveries, record.Query{Key: record.Key{Index: record.OfEvent, ID: event}})
	if err != nil {
		return false, err
	}
	for _, d := range deliveries {
		if d.State == affiliate.DeliveryPending {
			return true, nil
		}
	}
	for _, d := range deliveries {
		d = d.Clone()
		for i := range d.Attempts {
			d.Attempts[i].Response = ""
		}
		if err := o.Tx.Deliveries.Replace(d); err != nil {
			return false, err
		}
	}
	return false, nil
}

// eraseReceipts blanks the person in stored answers. A request that is repeated
// with its key still finds its answer and is not carried out again. Refusals
// show no person.
func eraseReceipts(o *engine.Op, who *subject) error {
	receipts, err := engine.Gather(o.Tx.Receipts, record.Query{})
	for _, rec := range receipts {
		if _, err := eraseReceipt(o, rec, who); err != nil {
			return err
		}
	}
	return err
}

// eraseReceipt blanks the person in one stored answer, and reports whether they
// were in it.
func eraseReceipt(o *engine.Op, rec record.Receipt, who *subject) (bool, error) {
	answer := rec.Answer.Bytes()
	if !who.in(answer) {
		return false, nil
	}
	if err := noteShown(o, who); err != nil {
		return false, err
	}
	rec.Answer = record.RawPayload(who.without(answer))
	return true, o.Tx.Receipts.Replace(rec)
}
