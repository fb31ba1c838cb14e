package upkeep

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// EraseAffiliate implements tributary.Program.EraseAffiliate.
func EraseAffiliate(ctx context.Context, p *engine.Program, id uuid.UUID) (err error) {
	defer p.Begin(&ctx, "EraseAffiliate", engine.Writes).End(&err)
	rq := engine.Request{Name: "affiliate.erase", Input: id,
		Refused: refusal.First(refusal.RefuseNoAffiliateID.When(id == uuid.Nil))}
	return erase(ctx, p, rq, func(o *engine.Op) (subject, error) { return affiliateSubject(o, id) })
}

// EraseReferral implements tributary.Program.EraseReferral.
func EraseReferral(ctx context.Context, p *engine.Program, ident string) (err error) {
	defer p.Begin(&ctx, "EraseReferral", engine.Writes).End(&err)
	rq := engine.Request{Name: "referral.erase", Input: ident,
		Refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(ident)))}
	return erase(ctx, p, rq, func(o *engine.Op) (subject, error) { return customerSubject(o, ident) })
}

// erase finds a person and the payloads that show them in a snapshot, and then
// blanks both in a transaction. The transaction finds the person again and
// reads only the events since the snapshot.
func erase(ctx context.Context, p *engine.Program, rq engine.Request, find func(*engine.Op) (subject, error)) error {
	type erasureSearch struct {
		who    subject
		events []record.Event
	}
	found, err := engine.View(ctx, p, func(o *engine.Op) (erasureSearch, error) {
		if rq.Refused != nil {
			return erasureSearch{}, rq.Refused
		}
		who, err := find(o)
		if err != nil {
			return erasureSearch{}, err
		}
		events, err := engine.Gather(o.Tx.Events, record.Query{})
		return erasureSearch{who: who, events: events}, err
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

// A person describes how JSON shows somebody: as an object with their id, which has an
// email until it is erased, or anywhere as their email or external id.
type person struct {
	id       uuid.UUID // of an affiliate, of a referral, or of the erasure of an email without a referral
	email    string    // empty once erased
	customer string    // the host's own id of a customer; may be empty
}

// in reports whether JSON shows the person. JSON without their ids and emails
// is not parsed.
func (who person) in(raw []byte) bool { return who.mayBeIn(raw) && who.within(raw) }

// mayBeIn searches the text for the person's names. An email may have any
// spelling there.
func (who person) mayBeIn(raw []byte) bool {
	folded := bytes.ToLower(raw)
	for _, s := range [...]string{who.id.String(), who.email} {
		if inJSON(folded, s) {
			return true
		}
	}
	return inJSON(raw, who.customer)
}

// inJSON reports whether the text of a string stands in JSON.
func inJSON(raw []byte, s string) bool {
	quoted := jsontext.AppendString(nil, s)
	return s != "" && bytes.Contains(raw, quoted[1:len(quoted)-1])
}

func (who person) within(raw []byte) bool {
	switch jsontext.First(raw) {
	case '{':
		if who.appearsAs(raw) > ofSale {
			return true
		}
		for name, value := range jsontext.Members(raw) {
			if who.named(string(name), jsontext.Text(value)) || who.within(value) {
				return true
			}
		}
	case '[':
		for value := range jsontext.Elements(raw) {
			if who.within(value) {
				return true
			}
		}
	case '"':
		return names(jsontext.Text(raw), who.email)
	}
	return false
}

// names reports whether an email stands in a text of somebody's own words.
func names(text, email string) bool { return withoutEmail(text, email) != text }

// withoutEmail returns the text with nothing in place of the email, in any letter case.
func withoutEmail(text, email string) string {
	if email == "" || len(text) < len(email) {
		return text
	}
	kept, from := "", 0
	for i := 0; i+len(email) <= len(text); i++ {
		end := i + len(email)
		if !strings.EqualFold(text[i:end], email) || ofEmail(text[:i], true) || ofEmail(text[end:], false) {
			continue
		}
		kept += text[from:i]
		from, i = end, end-1
	}
	return kept + text[from:]
}

// ofEmail reports whether the text next to an email makes it another one: a letter,
// a digit or a mark that emails have. A dot at the end of a sentence does not.
func ofEmail(beside string, before bool) bool {
	if beside == "" {
		return false
	}
	next := beside[0]
	if before {
		next = beside[len(beside)-1]
	} else if next == '.' && len(beside) > 1 {
		next = beside[1]
	}
	switch {
	case next >= '0' && next <= '9', next >= 'a' && next <= 'z', next >= 'A' && next <= 'Z', next >= utf8.RuneSelf:
		return true
	case next == '-' || next == '_':
		return true
	}
	return before && (next == '.' || next == '+')
}

// named reports whether a string under a key names the person.
func (who person) named(key, s string) bool {
	return engine.SameMailbox(s, who.email) || s != "" && s == who.customer &&
		(key == "customerId" || key == "referredUserExternalId")
}

// An appearance is the way in which an object shows a person.
type appearance uint8

const (
	elsewhere      appearance = iota // not itself; an object inside it may be the person
	ofSale                           // a sale of the person
	itself                           // the person
	itselfCustomer                   // the person, as a referral
	payee                            // a payout to the person, or an adjustment
	asking                           // a case of the person
)

// appearsAs finds out how an object shows the person.
func (who person) appearsAs(object []byte) appearance {
	var id, email, referral, paid string
	as, payout, question := itself, false, false
	for name, value := range jsontext.Members(object) {
		switch string(name) {
		case "id":
			id = jsontext.Text(value)
		case "email":
			email = jsontext.Text(value)
		case "referralId":
			referral = jsontext.Text(value)
		case "referredUserExternalId":
			as = itselfCustomer
		case "affiliateId":
			paid = jsontext.Text(value)
		case "payeeName", "payeeEmail":
			payout = payout || jsontext.Text(value) != ""
		case "reversedById": // of an adjustment, whose reason may be about anybody
			payout = true
		case "answeredAt":
			question = true
		}
	}
	switch person := who.id.String(); {
	case id == person && email != "":
		return as
	case payout && paid == person:
		return payee
	case question && paid == person:
		return asking
	case referral == person || engine.SameMailbox(email, who.email):
		return ofSale
	}
	return elsewhere
}

// erased returns the JSON of a member after the erasure; empty: the member stays.
func (as appearance) erased(key string) string {
	const blank, null = `""`, "null"
	if as == elsewhere {
		return ""
	}
	if as == payee {
		switch key {
		case "payeeName", "payeeEmail", "bonusReason":
			return null
		case "reason":
			return blank
		}
		return ""
	}
	if as == asking {
		switch key {
		case "text":
			return blank
		case "externalId", "answer":
			return null
		}
		return ""
	}
	switch key {
	case "metadata":
		return null
	case "name", "email":
		if as == ofSale || as == itselfCustomer && key == "name" {
			return null
		}
		return blank
	}
	if as == ofSale {
		return ""
	}
	switch key {
	case "firstName", "lastName", "note", "language":
		return blank
	case "payoutEmail", "referredUserExternalId", "initialLandingPage", "notes":
		return null
	}
	return ""
}

// blankIn returns the JSON of an answer in which the person is shown as erased. The
// keys keep their order.
func (who person) blankIn(raw []byte) []byte {
	switch jsontext.First(raw) {
	case '{':
		return who.blankObject(raw)
	case '[':
		return who.blankList(raw)
	case '"':
		if text := jsontext.Text(raw); !engine.SameMailbox(text, who.email) && names(text, who.email) {
			return jsontext.AppendString(nil, withoutEmail(text, who.email))
		}
	}
	return raw
}

func (who person) blankList(array []byte) []byte {
	dst := []byte{'['}
	for item := range jsontext.Elements(array) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, who.blankIn(item)...)
	}
	return append(dst, ']')
}

// blankObject writes an object: the person, a sale of the person, or another
// object, in which a code may be limited to the person.
func (who person) blankObject(object []byte) []byte {
	as := who.appearsAs(object)
	dst := []byte{'{'}
	for name, value := range jsontext.Members(object) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		key := string(name)
		dst = append(jsontext.AppendString(dst, key), ':')
		switch erased := as.erased(key); {
		case erased != "":
			dst = append(dst, erased...)
		case key == "customerId" && who.named(key, jsontext.Text(value)):
			dst = uuid7.AppendJSON(dst, who.id)
		default:
			dst = append(dst, who.blankIn(value)...)
		}
	}
	return append(dst, '}')
}

// in reports whether JSON shows the subject by one of its names.
func (who *subject) in(raw []byte) bool {
	return slices.ContainsFunc(who.faces(), func(face *subject) bool { return face.person.in(raw) })
}

// without is blankIn for all names of the subject.
func (who *subject) without(raw []byte) []byte {
	for _, face := range who.faces() {
		raw = face.blankIn(raw)
	}
	return raw
}
