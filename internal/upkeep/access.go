package upkeep

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// AffiliateData implements tributary.Program.AffiliateData.
func AffiliateData(ctx context.Context, p *engine.Program, id uuid.UUID) (_ affiliate.PersonalData, err error) {
	defer p.Begin(&ctx, "AffiliateData", engine.Reads).End(&err)
	if id == uuid.Nil {
		return affiliate.PersonalData{}, refusal.RefuseNoAffiliateID.Err()
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.PersonalData, error) {
		who, err := affiliateSubject(o, id)
		if err != nil {
			return affiliate.PersonalData{}, err
		}
		return personalData(o, &who)
	})
}

// ReferralData implements tributary.Program.ReferralData.
func ReferralData(ctx context.Context, p *engine.Program, ident string) (_ affiliate.PersonalData, err error) {
	defer p.Begin(&ctx, "ReferralData", engine.Reads).End(&err)
	if plaintext.Blank(ident) {
		return affiliate.PersonalData{}, refusal.ReferralIDRequired.Err()
	}
	return engine.View(ctx, p, func(o *engine.Op) (affiliate.PersonalData, error) {
		who, err := customerSubject(o, ident)
		if err != nil {
			return affiliate.PersonalData{}, err
		}
		return personalData(o, &who)
	})
}

// personalData reads what is held of a person, by the list of what is erased.
func personalData(o *engine.Op, who *subject) (affiliate.PersonalData, error) {
	data := affiliate.PersonalData{ID: affiliate.Null[uuid.UUID](),
		ErasedAt: affiliate.Null[affiliate.Time](), Records: []affiliate.PersonalRecord{}}
	add := func(kind, id string, at affiliate.Instant, v any) {
		raw, _ := json.Marshal(v) // texts, numbers and times always have JSON
		data.Records = append(data.Records,
			affiliate.PersonalRecord{Kind: kind, ID: id, CreatedAt: affiliate.TimeOf(at.Time()),
				Data: raw})
	}
	switch {
	case !who.isCustomer():
		data.ID = affiliate.Set(who.id)
		add("affiliate", who.id.String(), who.affiliate.CreatedAt, profile(&who.affiliate))
	case !who.isUnnamed():
		data.ID, data.ErasedAt = affiliate.Set(who.id), moment(who.referral.Erased)
		add("referral", who.id.String(), who.referral.CreatedAt, referralProfile(&who.referral))
	default:
		gone, err := o.Erasure(who.email)
		if engine.IgnoreMissing(err) != nil {
			return data, err
		}
		data.ErasedAt = moment(gone.CreatedAt)
	}
	for _, name := range who.former {
		if name.Name != "" {
			add("name", name.ID.String(), name.CreatedAt, map[string]any{"name": name.Name})
		}
	}
	for _, h := range append(holdingsOf(who), paymentsOfSales, events, answers) {
		err := h.read(o, who, func(id string, at affiliate.Instant, v any) { add(h.name, id, at, v) })
		if err != nil {
			return data, refusal.Internal("read "+h.name, err)
		}
	}
	if who.isUnnamed() && data.ErasedAt.IsNull() && len(data.Records) == 0 {
		return data, refusal.ReferralNotFound.Err()
	}
	return data, nil
}

// paymentsOfSales holds what providers reported of the customer's sales. Nothing of
// it is erased.
var paymentsOfSales = personalRecords{name: "payments", read: func(o *engine.Op, who *subject, found func(string, affiliate.Instant, any)) error {
	key, ok := ofTheirs(who)
	if !ok || !who.isCustomer() {
		return nil
	}
	return engine.Each(o.Tx.Sales, key, func(sale record.Sale) error {
		rec, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: sale.ID})
		if errors.Is(err, affiliate.ErrNotFound) {
			return nil
		}
		if err == nil {
			at, data := facts(&rec)
			found(rec.ID.String(), at, data)
		}
		return err
	})
}}

// events holds those that show the person, with their reasons and the answers of receivers.
var events = personalRecords{name: "events", read: func(o *engine.Op, who *subject, found func(string, affiliate.Instant, any)) error {
	for rec, err := range o.Tx.Events.List(record.Query{}) {
		if err != nil {
			return err
		}
		shown := who.in(rec.Payload.Bytes())
		var parts []any
		if rec.Reason != who.reasonWithout(&rec, shown) {
			parts = append(parts, map[string]any{"reason": rec.Reason})
		}
		if shown {
			if parts, err = toldParts(o, who, &rec, parts); err != nil {
				return err
			}
		}
		if shown || len(parts) > 0 {
			found(rec.ID.String(), rec.OccurredAt, parts)
		}
	}
	return nil
}}

// toldParts appends what the payload of an event shows of the person, and what its receivers
// have answered.
func toldParts(o *engine.Op, who *subject, rec *record.Event, parts []any) ([]any, error) {
	parts = who.parts(parts, rec.Payload.Bytes())
	err := engine.Each(o.Tx.Deliveries, record.Key{Index: record.OfEvent, ID: rec.ID}, func(d record.Delivery) error {
		for _, a := range d.Attempts {
			if a.Response != "" {
				parts = append(parts, map[string]any{"response": a.Response})
			}
		}
		return nil
	})
	return parts, err
}

// answers holds the stored answers that show the person.
var answers = personalRecords{name: "answers", read: func(o *engine.Op, who *subject, found func(string, affiliate.Instant, any)) error {
	for rec, err := range o.Tx.Receipts.List(record.Query{}) {
		if err != nil {
			return err
		}
		if answer := rec.Answer.Bytes(); who.in(answer) {
			found(rec.ID.String(), rec.CreatedAt, who.parts(nil, answer))
		}
	}
	return nil
}}

// parts is partsOf for all names of the subject.
func (who *subject) parts(parts []any, raw []byte) []any {
	for _, face := range who.faces() {
		parts = face.partsOf(parts, raw)
	}
	return parts
}

// partsOf returns the JSON objects that show the person, with the members that an
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
