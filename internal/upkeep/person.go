package upkeep

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/uuid7"
)

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
		if as := who.appearsAs(raw); as == itself || as == itselfCustomer || as == payee {
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
	return engine.SameMailbox(s, who.email) || s != "" && s == who.customer && (key == "customerId" || key == "referredUserExternalId")
}

// An appearance is the way in which an object shows a person.
type appearance uint8

const (
	elsewhere      appearance = iota // not itself; an object inside it may be the person
	ofSale                           // a sale of the person
	itself                           // the person
	itselfCustomer                   // the person, as a referral
	payee                            // a payout to the person, or an adjustment
)

// appearsAs finds out how an object shows the person.
func (who person) appearsAs(object []byte) appearance {
	var id, email, referral, paid string
	as, payout := itself, false
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
		}
	}
	switch person := who.id.String(); {
	case id == person && email != "":
		return as
	case payout && paid == person:
		return payee
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
	case "firstName", "lastName", "note":
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
