package affiliate

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// PersonalData is everything that a program holds of one person: what an access
// request asks for. Look at it before handing it out: texts that people wrote and
// answers of receivers may be about others too.
//
// Source: docs/retention.md.
type PersonalData struct {
	ID       Opt[uuid.UUID]   `json:"id"`       // of the affiliate or the referral; null: no referral has the email
	ErasedAt Opt[Time]        `json:"erasedAt"` // of a customer; null: not erased
	Records  []PersonalRecord `json:"records"`  // the person's own first; never nil
}

// A PersonalRecord is what one record says of the person.
type PersonalRecord struct {
	Kind      string          `json:"kind"` // affiliate, referral, clicks, sales …: an open list
	ID        string          `json:"id"`
	CreatedAt Time            `json:"createdAt"`
	Data      json.RawMessage `json:"data"` // an object; of an event or a stored answer, a list of the objects in it that show the person
}

// AffiliateData returns everything that the program holds of an affiliate: what
// [Program.EraseAffiliate] erases, and what stays: links, codes, commissions,
// payouts and adjustments.
//
// It reads every event and receipt of the program in one snapshot, and keeps what
// is about the person in memory.
//
// Errors: [MissingField] (affiliateId), [AffiliateNotFound].
//
// Source: docs/retention.md.
func (p *Program) AffiliateData(ctx context.Context, id uuid.UUID) (_ PersonalData, err error) {
	defer p.begin(&ctx, "AffiliateData", reads).end(&err)
	if id == uuid.Nil {
		return PersonalData{}, RefuseNoAffiliateID.Err()
	}
	return view(ctx, p, func(o *op) (PersonalData, error) {
		who, err := o.affiliateSubject(id)
		if err != nil {
			return PersonalData{}, err
		}
		return o.personalData(&who)
	})
}

// ReferralData returns everything that the program holds of a customer, who is
// named by referral id or email: what [Program.EraseReferral] erases, and what
// stays. An email may be one that no referral has: then it is whatever shows it.
//
// It reads every record that may show a customer in one snapshot, and keeps what is
// about the person in memory.
//
// Errors: [MissingField] (referralId), [ReferralNotFound], also for an email that
// nothing shows.
//
// Source: docs/retention.md.
func (p *Program) ReferralData(ctx context.Context, ident string) (_ PersonalData, err error) {
	defer p.begin(&ctx, "ReferralData", reads).end(&err)
	if plaintext.Blank(ident) {
		return PersonalData{}, referralIDRequired.Err()
	}
	return view(ctx, p, func(o *op) (PersonalData, error) {
		who, err := o.customerSubject(ident)
		if err != nil {
			return PersonalData{}, err
		}
		return o.personalData(&who)
	})
}

// personalData reads what is held of a person, by the list of what is erased.
func (o *op) personalData(who *subject) (PersonalData, error) {
	data := PersonalData{ID: Null[uuid.UUID](), ErasedAt: Null[Time](), Records: []PersonalRecord{}}
	add := func(kind, id string, at Instant, v any) {
		raw, _ := json.Marshal(v) // texts, numbers and times always have JSON
		data.Records = append(data.Records, PersonalRecord{Kind: kind, ID: id, CreatedAt: TimeOf(at.Time()), Data: raw})
	}
	switch {
	case !who.isCustomer():
		data.ID = Set(who.id)
		add("affiliate", who.id.String(), who.affiliate.CreatedAt, who.affiliate.profile())
	case !who.isUnnamed():
		data.ID, data.ErasedAt = Set(who.id), moment(who.referral.Erased)
		add("referral", who.id.String(), who.referral.CreatedAt, who.referral.profile())
	default:
		gone, err := o.erasure(who.email)
		if ignoreMissing(err) != nil {
			return data, err
		}
		data.ErasedAt = moment(gone.CreatedAt)
	}
	for _, h := range append(holdingsOf(who), paymentsOfSales, payloads, answers) {
		err := h.read(o, who, func(id string, at Instant, v any) { add(h.name, id, at, v) })
		if err != nil {
			return data, internal("read "+h.name, err)
		}
	}
	if who.isUnnamed() && data.ErasedAt.IsNull() && len(data.Records) == 0 {
		return data, referralNotFound.Err()
	}
	return data, nil
}

// paymentsOfSales are what providers reported of the customer's sales. Nothing of
// it is erased.
var paymentsOfSales = holding{name: "payments", read: func(o *op, who *subject, found func(string, Instant, any)) error {
	key, ok := ofTheirs(who)
	if !ok || !who.isCustomer() {
		return nil
	}
	return each(o.tx.Sales, key, func(sale SaleRecord) error {
		rec, err := o.tx.Payments.Find(Key{Index: BySale, ID: sale.ID})
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err == nil {
			at, data := rec.facts()
			found(rec.ID.String(), at, data)
		}
		return err
	})
}}

// payloads are the events that show the person, with what receivers answered.
var payloads = holding{name: "events", read: func(o *op, who *subject, found func(string, Instant, any)) error {
	for rec, err := range o.tx.Events.List(Query{}) {
		if err != nil {
			return err
		}
		if !who.in(rec.Payload.Bytes()) {
			continue
		}
		parts := who.partsOf(nil, rec.Payload.Bytes())
		err := each(o.tx.Deliveries, Key{Index: OfEvent, ID: rec.ID}, func(d DeliveryRecord) error {
			for _, a := range d.Attempts {
				if a.Response != "" {
					parts = append(parts, map[string]any{"response": a.Response})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		found(rec.ID.String(), rec.OccurredAt, parts)
	}
	return nil
}}

// answers are the stored answers that show the person.
var answers = holding{name: "answers", read: func(o *op, who *subject, found func(string, Instant, any)) error {
	for rec, err := range o.tx.Receipts.List(Query{}) {
		if err != nil {
			return err
		}
		if answer := rec.Answer.Bytes(); who.in(answer) {
			found(rec.ID.String(), rec.CreatedAt, who.partsOf(nil, answer))
		}
	}
	return nil
}}

// partsOf are the objects in JSON that show the person, with the members that an
// erasure blanks in them.
func (who person) partsOf(parts []any, raw []byte) []any {
	switch jsontext.First(raw) {
	case '{':
		as, part := who.appearsAs(raw), map[string]any{}
		for name, value := range jsontext.Members(raw) {
			key, text := string(name), jsontext.Text(value)
			switch {
			case as.erased(key) != "", who.named(key, text), jsontext.First(value) == '"' && names(text, who.email):
				part[key] = json.RawMessage(value)
			default:
				parts = who.partsOf(parts, value)
			}
		}
		if len(part) > 0 {
			parts = append(parts, part)
		}
	case '[':
		for value := range jsontext.Elements(raw) {
			parts = who.partsOf(parts, value)
		}
	}
	return parts
}
