package affiliate

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// EraseAffiliate blanks the personal data of an affiliate: names, emails and
// signup answers, name and email in its payouts, the reason of an adjustment that
// contains one of them, and every stored payload that shows them. Money, totals,
// counters and links stay as they are; the email is free again. Slugs and codes
// stay too, because they are in use outside. If one contains a name, rename or
// delete it first.
//
//   - A payload is blanked only when none of its deliveries is pending, and
//     then it cannot be replayed. If one is pending, erase again later: a
//     second call changes nothing else.
//   - Receipts keep their answers without the personal data, so a request that
//     is repeated with its old key is not carried out again. The keys belong to
//     the host and stay.
//   - It reads every event and receipt of the program, the events outside the
//     transaction. So run it as a job, not in a request.
//
// Errors: [MissingField] (affiliateId), [AffiliateNotFound].
//
// Effects: the affiliate, its payouts and adjustments, payloads and receipts; affiliate.updated when the
// affiliate changed.
//
// Source: docs/rules.md 4.7.
func (p *Program) EraseAffiliate(ctx context.Context, id uuid.UUID) (err error) {
	defer p.begin(&ctx, "EraseAffiliate", writes).end(&err)
	rq := request{name: "affiliate.erase", input: id, refused: first(RefuseNoAffiliateID.when(id == uuid.Nil))}
	return p.erase(ctx, rq, func(o *op) (subject, error) { return o.affiliateSubject(id) })
}

// EraseReferral blanks the personal data of a customer, who is named by
// referral id or email: name, email, external id, notes, metadata and landing
// page of the referral; name, email and metadata of the customer's sales; the
// visitor's data of the clicks; name and email of the payers; the email in
// reasons of adjustments and payouts and in notes; and every stored payload that
// shows them. A code that is limited to the customer, and a payment that waits for
// them, then name an id. Sales and payers are found by the email too, also when no
// referral has it. An affiliate with that email stays. Otherwise it is like
// [Program.EraseAffiliate].
//
// Erased customers stay erased: later payments and imports are theirs, and store
// neither name nor email; what would write one is [ReferralErased]. That an email
// was erased is kept as a digest with Config.ErasureKey. [Program.CreateReferral],
// and an [Program.UpdateReferral] of another customer, make somebody with the email
// a customer again.
//
// Errors: [MissingField] (referralId), [ReferralNotFound], also for an email that
// nothing shows.
//
// Effects: the referral, its clicks, sales and codes, payers, payments that wait,
// payloads and receipts; referral.updated when the referral changed, and no other
// event.
//
// Source: docs/rules.md 4.7.
func (p *Program) EraseReferral(ctx context.Context, ident string) (err error) {
	defer p.begin(&ctx, "EraseReferral", writes).end(&err)
	rq := request{name: "referral.erase", input: ident, refused: first(referralIDRequired.when(plaintext.Blank(ident)))}
	return p.erase(ctx, rq, func(o *op) (subject, error) { return o.customerSubject(ident) })
}

// erase finds a person and the payloads that show them in a snapshot, and then
// blanks both in a transaction. The transaction finds the person again and
// reads only the events that came since.
func (p *Program) erase(ctx context.Context, rq request, find func(*op) (subject, error)) error {
	type finding struct {
		who    person
		events []EventRecord
	}
	found, err := view(ctx, p, func(o *op) (finding, error) {
		if rq.refused != nil {
			return finding{}, rq.refused
		}
		who, err := find(o)
		if err != nil {
			return finding{}, err
		}
		events, err := gather(o.tx.Events, Query{})
		return finding{who.person, events}, err
	})
	if err != nil && !worthKeeping(err) {
		return err
	}
	rq.refused = err // with a key this may be a repeat
	shown := make(map[uuid.UUID]bool, len(found.events))
	for _, rec := range found.events {
		shown[rec.ID] = found.who.in(rec.Payload.Bytes())
	}
	o := p.op(ctx)
	_, err = write(o, rq, func() (struct{}, error) {
		who, err := find(o)
		if err != nil {
			return struct{}{}, err
		}
		known := shown
		if who.person != found.who { // the person changed in between
			known = nil
		}
		if _, err := o.startErasing(&who); err != nil {
			return struct{}{}, err
		}
		if err := o.erasePayloads(&who, known); err != nil {
			return struct{}{}, internal("erase payloads", err)
		}
		if err := o.eraseReceipts(&who); err != nil {
			return struct{}{}, internal("erase receipts", err)
		}
		if err := o.eraseHoldings(&who); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, o.endErasing(&who)
	})
	return err
}

// erasePayloads empties the payloads that show a person, except those with a
// pending delivery. shown has the known events of the earlier snapshot.
func (o *op) erasePayloads(who *subject, shown map[uuid.UUID]bool) error {
	events, err := gather(o.tx.Events, Query{})
	for _, rec := range events {
		in, known := shown[rec.ID]
		if !known {
			in = who.in(rec.Payload.Bytes())
		}
		if !in {
			continue
		}
		if err := o.noteShown(who); err != nil {
			return err
		}
		if _, err := o.erasePayload(rec); err != nil {
			return err
		}
	}
	return err
}

// erasePayload empties a payload and the stored answers of its receivers,
// unless a delivery is pending. It reports whether it did.
func (o *op) erasePayload(rec EventRecord) (bool, error) {
	deliveries, err := gather(o.tx.Deliveries, Query{Key: Key{Index: OfEvent, ID: rec.ID}})
	if err != nil {
		return false, err
	}
	for _, d := range deliveries {
		if d.State == DeliveryPending {
			return false, nil
		}
	}
	for _, d := range deliveries {
		d = d.Clone()
		for i := range d.Attempts {
			d.Attempts[i].Response = ""
		}
		if err := o.tx.Deliveries.Replace(d); err != nil {
			return false, err
		}
	}
	rec.Payload = Payload{}
	return true, o.tx.Events.Replace(rec)
}

// eraseReceipts blanks the person in stored answers. A request that is repeated
// with its key still finds its answer and is not carried out again. Refusals
// show no person.
func (o *op) eraseReceipts(who *subject) error {
	receipts, err := gather(o.tx.Receipts, Query{})
	for _, rec := range receipts {
		if _, err := o.eraseReceipt(rec, who); err != nil {
			return err
		}
	}
	return err
}

// eraseReceipt blanks the person in one stored answer, and reports whether they
// were in it.
func (o *op) eraseReceipt(rec ReceiptRecord, who *subject) (bool, error) {
	answer := rec.Answer.Bytes()
	if !who.in(answer) {
		return false, nil
	}
	if err := o.noteShown(who); err != nil {
		return false, err
	}
	rec.Answer = answerOf(who.blankIn(answer))
	return true, o.tx.Receipts.Replace(rec)
}
