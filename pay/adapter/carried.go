package adapter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/pay"
)

// The keys of what a checkout carries. A configuration may rename them.
const (
	keyClick    = "tributary_click"
	keyCode     = "tributary_code"
	keyHold     = "tributary_hold"
	keyOffer    = "tributary_offer"
	keySlug     = "tributary_slug"
	keyOrder    = "tributary_order"
	keyCustomer = "tributary_customer"

	keyProgram   = "tributary_program"
	keySignature = "tributary_signature"
)

const (
	maxText  = 255 // characters of an id or a name that a program takes
	offered  = "true"
	maxClick = 19  // digits of a click's number
	maxSlug  = 100 // characters of a slug
	maxCodes = 5   // credits by code of the provider; the code, the click and the slug come after them
)

// Data is the host's data of an object and of the objects that it came from, the
// nearest first.
type Data struct {
	Names map[string]string  // how the host calls the keys; one that is missing keeps its name
	Read  func(Value) string // how a value is read
	From  []Value
}

// Get returns the first value of a key that can be used, without blanks around it; empty:
// there is none.
func (m Data) Get(key string) string {
	key = cmp.Or(m.Names[key], key)
	for _, from := range m.From {
		if text := strings.TrimSpace(m.Read(from.Get(key))); Usable(text) {
			return text
		}
	}
	return ""
}

// Codes lists the credits by the codes that the provider redeemed.
func Codes(codes iter.Seq[affiliate.Credit]) (tries []affiliate.Credit) {
	for code := range codes {
		if tries = append(tries, code); len(tries) == maxCodes {
			break
		}
	}
	return tries
}

// All returns the carried data: that of the nearest object with a valid signature, else
// that of the nearest that names a program, without the fields that need a signature.
func (m Data) All(keys pay.Keys) (carried pay.Carried) {
	forged, marked := false, false
	for _, from := range m.From {
		one := Data{m.Names, m.Read, []Value{from}}
		c, signature := one.values(), one.Get(keySignature)
		marked = marked || one.marked()
		if c.Signed = signature != "" && named(one) && keys.Verify(c, signature); c.Signed {
			c.Lost = !c.Marks() && marked
			return c
		}
		forged = forged || c.Offer || c.Code+c.Hold+c.Order+c.Customer != ""
		if carried.Program == uuid.Nil && carried.Click+carried.Slug == "" && named(one) {
			carried = pay.Carried{Program: c.Program, Click: c.Click, Slug: c.Slug}
		}
	}
	carried.Forged, carried.Lost = forged, !carried.Marks() && marked
	return carried
}

// silent are the keys that say nothing about who brought a visitor. The last one is of package
// stripe.
var silent = []string{keyOrder, keyCustomer, keyProgram, keySignature, "tributary_via"}

// marked reports whether there is something that may be meant to say who brought the visitor,
// also under a name that is not quite a key's.
func (m Data) marked() bool {
	for _, from := range m.From {
		if !from.IsObject() {
			continue
		}
		for name, raw := range jsontext.Members(from.raw) {
			value := from.with(raw)
			if wrapped.Match(raw) {
				return true
			}
			if !value.Given() || value.raw[0] == '"' && strings.TrimSpace(value.Loose()) == "" {
				continue
			}
			is := func(key string) bool { return spelt(string(name)) == spelt(cmp.Or(m.Names[key], key)) }
			if slices.ContainsFunc(marks, is) ||
				strings.HasPrefix(spelt(string(name)), "tributary") &&
					!slices.ContainsFunc(silent, is) {
				return true
			}
		}
	}
	return false
}

// marks are the keys that say who brought a visitor.
var marks = []string{keyClick, keySlug, keyCode, keyHold, keyOffer}

// wrapped finds a mark inside of another value: an object, a list, or a
// text with JSON.
var wrapped = regexp.MustCompile(`(?i)tributary[_-](click|slug|code|hold|offer)\b`)

// spelt is a name without what a form, a plugin or a page may change in it or put around it, as
// custom[tributary_slug], data-tributary-slug, or _tributary_slug, which shops hide.
func spelt(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '_'
		case unicode.Is(unicode.Cf, r): // has no width
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	return strings.Trim(name[max(0, strings.Index(name, "tributary")):], "_[]\"' \t\n")
}

// named reports whether an object names a program.
func named(m Data) bool {
	_, err := uuid.Parse(m.Get(keyProgram))
	return err == nil
}

// values returns all values as they came.
func (m Data) values() pay.Carried {
	program, _ := uuid.Parse(m.Get(keyProgram)) // see named
	return pay.Carried{
		Program: program, Click: firstOf(isClick, m.Get(keyClick)),
		Slug: firstOf(isSlug, m.Get(keySlug)), Code: m.Get(keyCode), Hold: m.Get(keyHold),
		Offer: m.Get(keyOffer) == offered, Order: m.Get(keyOrder), Customer: m.Get(keyCustomer),
	}
}

// carry returns the data that a checkout carries, under the names of the host: the click
// of a visitor, which may be empty, and what the host adds.
//
// Errors: [pay.ErrKeys]; a field that cannot be carried.
func carry(names map[string]string, keys pay.Keys, c pay.Carried) (map[string]string, error) {
	texts := map[string]string{keyClick: c.Click, keySlug: c.Slug, keyCode: c.Code, keyHold: c.Hold,
		keyOrder: c.Order, keyCustomer: c.Customer}
	if c.Offer {
		texts[keyOffer] = offered
	}
	carried := map[string]string{}
	for key, text := range texts {
		if text == "" {
			continue
		}
		if !Usable(text) || strings.TrimSpace(text) != text || key == keySlug && !isSlug(text) {
			return nil, fmt.Errorf("pay: %s cannot be carried", key)
		}
		carried[cmp.Or(names[key], key)] = text
	}
	if len(carried) == 0 {
		return carried, nil
	}
	if (c.Offer || c.Code+c.Hold != "") && c.Order == "" {
		return nil, errors.New("pay: a code or an offer is carried with an order, so that nobody uses it twice")
	}
	carried[cmp.Or(names[keyProgram], keyProgram)] = c.Program.String()
	if len(keys) == 0 && !c.Offer && c.Code+c.Hold+c.Order+c.Customer == "" {
		return carried, nil
	}
	signature, err := keys.Sign(c)
	if err != nil {
		return nil, err
	}
	carried[cmp.Or(names[keySignature], keySignature)] = signature
	return carried, nil
}

// byCode reports whether a credit is by a code.
func byCode(c affiliate.Credit) bool { return c.ReferralID == "" }

// Usable reports whether a program can look a text up: what a host carries may be
// longer than that.
func Usable(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= maxText &&
		strings.IndexFunc(text, unicode.IsControl) < 0
}

// firstOf returns the first text that is one of a kind; empty: none is.
func firstOf(is func(string) bool, texts ...string) string {
	for _, text := range texts {
		if is(text) {
			return text
		}
	}
	return ""
}

// Visit reads a click or a slug that names its program after an underscore.
func Visit(text string) (program uuid.UUID, click, slug string) {
	id, of, _ := strings.Cut(text, "_")
	program, err := uuid.Parse(of)
	if err != nil {
		return uuid.Nil, "", ""
	}
	return program, firstOf(isClick, id), firstOf(isSlug, id)
}

// isClick reports whether a text is the number of a click.
func isClick(text string) bool {
	return text != "" && len(text) <= maxClick && strings.Trim(text, "0123456789") == "" && text[0] != '0'
}

// isSlug reports whether a text is a slug, and not the id of an affiliate.
func isSlug(text string) bool {
	if text == "" || len(text) > maxSlug || strings.IndexFunc(text, notInSlug) >= 0 {
		return false
	}
	_, err := uuid.Parse(text)
	return err != nil
}

func notInSlug(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}

// Pairs returns a list of objects that have a name and a value each as one object, with the
// values as they are. Of a name that is there twice the first text or number counts. It is for
// data that is not the provider's: nothing in it is a fault.
func Pairs(list Value, name, value string) Value {
	pairs := map[string]json.RawMessage{}
	for pair := range list.Apart().Each() {
		if !pair.IsObject() {
			continue
		}
		key, one := pair.Get(name).Loose(), pair.Get(value)
		if known := pairs[key]; one.Given() && (known == nil || Value{raw: known}.Loose() == "") {
			pairs[key] = one.raw
		}
	}
	raw, err := json.Marshal(pairs)
	if err != nil { // what was read always becomes JSON
		return Value{}
	}
	return Value{doc: &document{paths: map[step]string{}}, raw: raw}
}

// maxPairs is the largest number of lines of which the data is read.
const maxPairs = 30

// PairsOf returns the pairs of an order, and those of its lines after them: some shops keep there
// what a page gave with a product. list names the field of the order, ofLine that of a line.
func PairsOf(order Value, list, ofLine, name, value string) []Value {
	all := []Value{Pairs(order.Get(list), name, value)}
	for line := range order.Apart().Get("line_items").Each() {
		if pairs := line.Get(ofLine); pairs.Given() {
			all = append(all, Pairs(pairs, name, value))
		}
		if len(all) > maxPairs {
			break
		}
	}
	return all
}
