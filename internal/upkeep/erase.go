package upkeep

import (
	"context"

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
		who    person
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
		return finding{who: who.person, events: events}, err
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
		if who.person != found.who { // the person changed in between
			known = nil
		}
		if _, err := startErasing(o, &who); err != nil {
			return struct{}{}, err
		}
		if err := erasePayloads(o, &who, known); err != nil {
			return struct{}{}, refusal.Internal("erase payloads", err)
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

// erasePayloads empties the payloads that show a person, except those with a
// pending delivery. shown has the known events of the earlier snapshot.
func erasePayloads(o *engine.Op, who *subject, shown map[uuid.UUID]bool) error {
	events, err := engine.Gather(o.Tx.Events, record.Query{})
	for _, rec := range events {
		in, known := shown[rec.ID]
		if !known {
			in = who.in(rec.Payload.Bytes())
		}
		if !in {
			continue
		}
		if err := noteShown(o, who); err != nil {
			return err
		}
		if _, err := erasePayload(o, rec); err != nil {
			return err
		}
	}
	return err
}

// erasePayload empties a payload and the stored answers of its receivers,
// unless a delivery is pending. It reports whether it did.
func erasePayload(o *engine.Op, rec record.Event) (bool, error) {
	deliveries, err := engine.Gather(o.Tx.Deliveries, record.Query{Key: record.Key{Index: record.OfEvent, ID: rec.ID}})
	if err != nil {
		return false, err
	}
	for _, d := range deliveries {
		if d.State == affiliate.DeliveryPending {
			return false, nil
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
	rec.Payload = record.Payload{}
	return true, o.Tx.Events.Replace(rec)
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
	rec.Answer = record.RawPayload(who.blankIn(answer))
	return true, o.Tx.Receipts.Replace(rec)
}
