package httpapi

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/unseen"
)

// Texts of an input, and the ids among them.

// text reads a text. The engine decides what an empty text means.
func (in *input) text(name string) string { return in.optText(name).Or("") }

func (in *input) optText(name string) affiliate.Opt[string] {
	value, isNull := in.find(name, kindText)
	return opt(value, isNull, in.readText)
}

// optional reads a text that must not be empty when it is given.
func (in *input) optional(name string) string { return in.optOptional(name).Or("") }

func (in *input) optOptional(name string) affiliate.Opt[string] {
	o := in.optText(name)
	in.notBlank(o)
	return o
}

// notBlank refuses a text of white space.
func (in *input) notBlank(o affiliate.Opt[string]) {
	if s, ok := o.Get(); ok && blank(s) {
		in.fault(refusal.FieldEmpty)
	}
}

// blank reports whether a text is empty or has only white space, which counts
// as empty.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// name reads a text that names a record. An empty text names no record, and the
// engine may report it as missing.
func (in *input) name(field string) string {
	s := in.optional(field)
	if blank(s) {
		return ""
	}
	return s
}

func (in *input) readText(value json.RawMessage) string {
	if value[0] != '"' {
		in.fault(refusal.FieldNotAString)
		return standIn
	}
	return jsontext.Unquote(value)
}

// sent reads a text that the engine takes as absent when it is empty. When a
// caller sends an empty text, sent returns the value empty instead: the engine
// refuses it with the same error as an empty text.
func (in *input) sent(name, empty string) string {
	o := in.optText(name)
	if s, there := o.Get(); there && s == "" {
		return empty
	}
	return o.Or("")
}

// enum reads a value of an enumeration.
func enum[T ~string](in *input, name string) affiliate.Opt[T] {
	o := in.optOptional(name)
	if s, ok := o.Get(); ok {
		return affiliate.Set(T(s))
	}
	if o.IsNull() {
		return affiliate.Null[T]()
	}
	return affiliate.Opt[T]{}
}

// ident reads a text that names a record in one of several ways. An integer is
// taken as its digits.
func (in *input) ident(name string) string {
	value, _ := in.find(name, kindIdent)
	if value == nil {
		return ""
	}
	if isInteger(value) && value[0] != '-' {
		return string(value)
	}
	s := in.readText(value)
	in.notBlank(affiliate.Set(s))
	return s
}

// id reads the id of a record; zero when it is absent.
func (in *input) id(name string) uuid.UUID { return in.optID(name).Or(uuid.Nil) }

// optID reads the id of a record; an update may clear it with null. An empty
// text is noted as an error and read as absent.
func (in *input) optID(name string) affiliate.Opt[uuid.UUID] {
	value, isNull := in.find(name, kindUUID)
	o := opt(value, isNull, in.readID)
	if id, ok := o.Get(); ok && id == uuid.Nil {
		in.fault(refusal.FieldEmpty)
		return affiliate.Opt[uuid.UUID]{}
	}
	return o
}

// readID returns the id that a value is; zero for an empty text.
func (in *input) readID(value json.RawMessage) uuid.UUID {
	if value[0] != '"' {
		in.fault(refusal.FieldNotAString)
		return unknownID
	}
	s := jsontext.Unquote(value)
	if blank(s) {
		return uuid.Nil
	}
	return in.call.idOf(s)
}

// idOf returns the id that a text is, or that of the affiliate whose external id it is.
func (c *call) idOf(s string) uuid.UUID {
	if _, external := affiliate.ExternalIn(s); !external || c == nil {
		return idOf(s)
	}
	found, err := c.p.Affiliate(unseen.Context(c.r.Context()), s)
	switch {
	case err == nil:
		return found.ID
	case !errors.Is(err, affiliate.ErrNotFound) && c.lost == nil:
		c.lost = err
	}
	return unknownID
}

// affiliateRef reads an id or an external id of an affiliate.
func (in *input) affiliateRef(name string) affiliate.AffiliateRef {
	if value := in.value(name); value != nil && value[0] == '"' {
		if external, ok := affiliate.ExternalIn(jsontext.Unquote(value)); ok && external != "" {
			in.find(name, kindUUID)
			return affiliate.AffiliateRef{ExternalID: external}
		}
	}
	return affiliate.AffiliateRef{ID: in.id(name)}
}

// idOf returns the id that a text is; zero when the text is empty.
func idOf(s string) uuid.UUID {
	if s == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(s)
	if err != nil || id.String() != s || id == uuid.Nil {
		return unknownID
	}
	return id
}

// saleID reads the id of a sale: an integer, or text of digits.
func (in *input) saleID(name string) affiliate.SaleID {
	in.fields = append(in.fields, field{in.outer + name, kindSaleID})
	value := in.value(name)
	if value == nil || value[0] == 'n' {
		return 0
	}
	id, ok := readSaleID(value)
	if !ok {
		in.fault(refusal.FieldNotAnInteger)
	}
	return id
}

// saleIDs reads an array of ids of sales.
func (in *input) saleIDs(name string) (ids []affiliate.SaleID) {
	value, _ := in.find(name, kindSaleIDs)
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		in.fault(refusal.FieldNotIntegers)
		return nil
	}
	for element := range jsontext.Elements(value) {
		id, ok := readSaleID(element)
		if !ok {
			in.fault(refusal.FieldNotIntegers)
		}
		ids = append(ids, id)
	}
	return ids
}

// readSaleID returns the id that a value is: zero for an empty text, and not ok for a
// value that is neither an integer nor a text.
func readSaleID(value json.RawMessage) (id affiliate.SaleID, ok bool) {
	switch {
	case value[0] == '"':
		s := jsontext.Unquote(value)
		if blank(s) {
			return 0, true
		}
		return saleIDOf(s), true
	case isInteger(value):
		return saleIDOf(string(value)), true
	}
	return unknownSale, false
}

// saleIDOf returns the id that a text is; zero when the text is empty.
func saleIDOf(s string) affiliate.SaleID {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != s {
		return unknownSale
	}
	return affiliate.SaleID(n)
}
