package affiliate

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
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
	return p.erase(ctx, rq, func(o *op) (person, func() error, error) {
		rec, err := o.tx.Affiliates.Get(id)
		if err != nil {
			return person{}, nil, RefuseNoAffiliate.ifMissing(err)
		}
		return person{id: id, email: rec.Email}, func() error { return o.blankAffiliate(rec) }, nil
	})
}

// EraseReferral blanks the personal data of a customer, who is named by
// referral id or email: name, email, external id, notes, metadata and landing
// page of the referral; name, email and metadata of the customer's sales; the
// visitor's data of the clicks; name and email of the payers; and every stored
// payload that shows them. A
// code that is limited to the customer then names the referral's id. Otherwise
// it is like [Program.EraseAffiliate].
//
// Errors: [MissingField] (referralId), [ReferralNotFound].
//
// Effects: the referral, its clicks, sales and codes, payloads and receipts;
// referral.updated when the referral changed, and no other event.
//
// Source: docs/rules.md 4.7.
func (p *Program) EraseReferral(ctx context.Context, ident string) (err error) {
	defer p.begin(&ctx, "EraseReferral", writes).end(&err)
	rq := request{name: "referral.erase", input: ident, refused: first(referralIDRequired.when(plaintext.Blank(ident)))}
	return p.erase(ctx, rq, func(o *op) (person, func() error, error) {
		rec, err := o.findReferral(ident)
		if err != nil {
			return person{}, nil, referralNotFound.ifMissing(err)
		}
		who := person{id: rec.ID, email: rec.Email, customer: rec.CustomerID}
		return who, func() error { return o.blankReferral(rec) }, nil
	})
}

// erase finds a person and the payloads that show them in a snapshot, and then
// blanks both in a transaction. The transaction finds the person again and
// reads only the events that came since.
func (p *Program) erase(ctx context.Context, rq request, find func(*op) (person, func() error, error)) error {
	type finding struct {
		who    person
		events []EventRecord
	}
	found, err := view(ctx, p, func(o *op) (finding, error) {
		if rq.refused != nil {
			return finding{}, rq.refused
		}
		who, _, err := find(o)
		if err != nil {
			return finding{}, err
		}
		events, err := gather(o.tx.Events, Query{})
		return finding{who, events}, err
	})
	if err != nil && !worthKeeping(err) {
		return err
	}
	rq.refused = err // with a key this may be a repeat, whose email was erased
	shown := make(map[uuid.UUID]bool, len(found.events))
	for _, rec := range found.events {
		shown[rec.ID] = found.who.in(rec.Payload.Bytes())
	}
	o := p.op(ctx)
	_, err = write(o, rq, func() (struct{}, error) {
		now, blank, err := find(o)
		if err != nil {
			return struct{}{}, err
		}
		known := shown
		if now != found.who { // the person changed in between
			known = nil
		}
		if err := o.erasePayloads(now, known); err != nil {
			return struct{}{}, internal("erase payloads", err)
		}
		if err := o.eraseReceipts(now); err != nil {
			return struct{}{}, internal("erase receipts", err)
		}
		return struct{}{}, blank()
	})
	return err
}

// blankAffiliate stores the affiliate and its payouts without personal data.
func (o *op) blankAffiliate(rec AffiliateRecord) error {
	err := each(o.tx.Payouts, Key{Index: OfAffiliate, ID: rec.ID}, func(payout PayoutRecord) error {
		return o.tx.Payouts.Replace(payout.blanked())
	})
	if err == nil {
		err = each(o.tx.Adjustments, Key{Index: OfAffiliate, ID: rec.ID}, func(adjustment AdjustmentRecord) error {
			return o.tx.Adjustments.Replace(adjustment.without(&rec))
		})
	}
	if err != nil {
		return internal("erase payouts", err)
	}
	_, err = o.saveAffiliate(rec, rec.blanked())
	return err
}

// blankReferral stores the referral and the records that belong to it without
// personal data. The referral comes last, so that its event shows none.
func (o *op) blankReferral(rec ReferralRecord) error {
	if err := o.blankClicks(rec.ID); err != nil {
		return internal("erase clicks", err)
	}
	if err := o.blankSales(rec); err != nil {
		return internal("erase sales", err)
	}
	if err := o.blankCodes(rec); err != nil {
		return internal("erase codes", err)
	}
	if err := o.blankPayers(rec.ID); err != nil {
		return internal("erase payers", err)
	}
	_, err := o.saveReferral(rec, rec.blanked())
	return err
}

func (o *op) blankClicks(referral uuid.UUID) error {
	clicks, err := gather(o.tx.Clicks, Query{Key: Key{Index: OfReferral, ID: referral}})
	for _, rec := range clicks {
		if err := o.tx.Clicks.Replace(rec.blanked()); err != nil {
			return err
		}
	}
	return err
}

// blankSales blanks the sales of a referral, and the sales that an update gave
// the referral's email.
func (o *op) blankSales(ref ReferralRecord) error {
	sales, err := gather(o.tx.Sales, Query{Key: Key{Index: OfReferral, ID: ref.ID}})
	if err == nil && ref.Email != "" {
		var more []SaleRecord
		more, err = gather(o.tx.Sales, Query{Key: textKey(OfCustomer, ref.Email)})
		sales = append(sales, more...)
	}
	for _, rec := range sales {
		if err := o.tx.Sales.Replace(rec.blanked()); err != nil {
			return err
		}
	}
	return err
}

// blankCodes makes codes that are limited to the customer name the referral's
// id instead. It walks all codes, because no index finds them by customer.
func (o *op) blankCodes(ref ReferralRecord) error {
	codes, err := gather(o.tx.Codes, Query{})
	for _, rec := range codes {
		if !rec.isLimitedTo(ref) {
			continue
		}
		if err := o.tx.Codes.Replace(rec.limitedTo(ref)); err != nil {
			return err
		}
	}
	return err
}

// isLimitedTo reports whether a code names a customer by what is erased.
func (r CodeRecord) isLimitedTo(ref ReferralRecord) bool {
	return r.CustomerID != "" && (r.CustomerID == ref.CustomerID || sameEmail(r.CustomerID, ref.Email))
}

// limitedTo is a code that names the customer by the id of the referral.
func (r CodeRecord) limitedTo(ref ReferralRecord) CodeRecord {
	r.CustomerID = ref.ID.String()
	return r
}

// erasePayloads empties the payloads that show a person, except those with a
// pending delivery. shown has the known events of the earlier snapshot.
func (o *op) erasePayloads(who person, shown map[uuid.UUID]bool) error {
	events, err := gather(o.tx.Events, Query{})
	for _, rec := range events {
		in, known := shown[rec.ID]
		if !known {
			in = who.in(rec.Payload.Bytes())
		}
		if !in {
			continue
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
func (o *op) eraseReceipts(who person) error {
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
func (o *op) eraseReceipt(rec ReceiptRecord, who person) (bool, error) {
	answer := rec.Answer.Bytes()
	if !who.in(answer) {
		return false, nil
	}
	rec.Answer = StoredAnswer{raw: who.blankIn(answer)}
	return true, o.tx.Receipts.Replace(rec)
}

// The records without the personal data. TestErasureKnowsEveryText lists the
// texts that stay, with the reason.

func (r AffiliateRecord) blanked() AffiliateRecord {
	r.FirstName, r.LastName, r.Email, r.PayoutEmail, r.Answers = "", "", "", "", nil
	return r
}

func (r PayoutRecord) blanked() PayoutRecord {
	r.PayeeName, r.PayeeEmail = "", ""
	return r
}

// without blanks the reason if it shows the affiliate.
func (r AdjustmentRecord) without(aff *AffiliateRecord) AdjustmentRecord {
	reason := strings.ToLower(r.Reason)
	for _, name := range [...]string{aff.FirstName, aff.LastName, aff.Email, aff.PayoutEmail} {
		if name != "" && strings.Contains(reason, strings.ToLower(name)) {
			r.Reason = ""
		}
	}
	return r
}

func (r ReferralRecord) blanked() ReferralRecord {
	r.Name, r.Email, r.CustomerID, r.LandingPage = "", "", "", ""
	r.Notes, r.Metadata = Opt[string]{}, nil
	return r
}

func (r SaleRecord) blanked() SaleRecord {
	r.Name, r.Email, r.Metadata = "", "", nil
	return r
}

func (r ClickRecord) blanked() ClickRecord {
	r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent = "", "", "", ""
	return r
}
