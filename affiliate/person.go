package affiliate

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// A person is how JSON shows somebody: as an object with their id, which has an
// email until it is erased, or as their email or external id anywhere.
type person struct {
	id       uuid.UUID
	email    string // empty once erased
	customer string // the host's own id of a customer; may be empty
}

// in reports whether JSON shows the person. What names none of their ids and
// emails is not taken apart.
func (who person) in(raw []byte) bool {
	if !who.mayBeIn(raw) {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	return dec.Decode(&v) == nil && who.within(v)
}

// mayBeIn looks for the person's names in the text itself. An email stands
// there as somebody wrote it.
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
	quoted := appendString(nil, s)
	return s != "" && bytes.Contains(raw, quoted[1:len(quoted)-1])
}

func (who person) within(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if who.isObject(v["id"], v["email"]) {
			return true
		}
		for key, item := range v {
			if s, ok := item.(string); ok && who.named(key, s) || !ok && who.within(item) {
				return true
			}
		}
	case []any:
		if slices.ContainsFunc(v, who.within) {
			return true
		}
	}
	return false
}

// isObject reports whether an object with this id and email is the person itself.
func (who person) isObject(id, email any) bool {
	text, _ := email.(string)
	return text != "" && id == who.id.String()
}

// named reports whether a string under a key names the person.
func (who person) named(key, s string) bool {
	return sameEmail(s, who.email) || s != "" && s == who.customer && (key == "customerId" || key == "referredUserExternalId")
}

// sameEmail reports whether s is the canonical email in some spelling; the empty
// email matches nothing.
func sameEmail(s, email string) bool {
	if email == "" {
		return false
	}
	canonical, ok := canonicalEmail(s)
	return ok && canonical == email
}

// blankIn is the JSON of an answer with the person in the form in which an
// erased one is shown. The keys keep their order.
func (who person) blankIn(raw []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	first, err := dec.Token()
	if delim, ok := first.(json.Delim); err != nil || !ok {
		return raw // a text, a number, null
	} else if delim == '[' {
		return who.blankList(dec)
	}
	var members []member
	for dec.More() {
		var m member
		key, _ := dec.Token() // no error: the engine wrote this
		m.key, _ = key.(string)
		if err := dec.Decode(&m.value); err != nil {
			return raw
		}
		members = append(members, m)
	}
	return who.blankObject(members)
}

func (who person) blankList(dec *json.Decoder) []byte {
	dst := []byte{'['}
	for dec.More() {
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			break
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, who.blankIn(item)...)
	}
	return append(dst, ']')
}

// A member is a key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// blankObject writes an object: one that is the person, a sale of the person,
// or another one, in which a code may be limited to the person.
func (who person) blankObject(members []member) []byte {
	texts := make(map[string]string, len(members))
	customer := false // it is a referral
	for _, m := range members {
		var s string
		if json.Unmarshal(m.value, &s) == nil {
			texts[m.key] = s
		}
		customer = customer || m.key == "referredUserExternalId"
	}
	itself := who.isObject(texts["id"], texts["email"])
	sale := !itself && (texts["referralId"] == who.id.String() || sameEmail(texts["email"], who.email))
	dst := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, m.key), ':')
		switch {
		case itself && (m.key == "firstName" || m.key == "lastName" || m.key == "email" || m.key == "name" && !customer):
			dst = append(dst, `""`...)
		case itself && becomesNull(m.key), sale && (m.key == "name" || m.key == "email" || m.key == "metadata"):
			dst = append(dst, "null"...)
		case m.key == "customerId" && who.named(m.key, texts[m.key]):
			dst = appendUUID(dst, who.id)
		default:
			dst = append(dst, who.blankIn(m.value)...)
		}
	}
	return append(dst, '}')
}

// becomesNull tells which members of a person are null once it is erased.
func becomesNull(key string) bool {
	switch key {
	case "name", "payoutEmail", "referredUserExternalId", "initialLandingPage", "notes", "metadata":
		return true
	}
	return false
}
