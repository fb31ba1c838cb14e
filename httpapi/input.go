package httpapi

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// An input is the body of a request while it is read into an input of the
// engine. Fields are read in the order of the contract's tables, and that order
// decides which of several errors is answered: see [input.refusal].
//
// A field of the wrong type is noted and read as some value, so that the engine
// does not report it as missing.
type input struct {
	members []member
	query   url.Values // the source of the members when the request has no body
	update  bool       // null clears a field; otherwise null means absent
	strict  bool       // all unknown fields are refused
	quoted  bool       // a number may be a string
	outer   string     // the object around a nested one, with its dot

	call    *call // finds affiliates by their external ids; nil: no request
	fields  []field
	targets int // how many of the fields name the target
	bad     *affiliate.Error
	badAt   int  // the index of the bad field in fields
	isEmpty bool // bad is an empty text: the engine may report the field as missing
}

// A field is one name that an operation reads. The order of errors, the check
// of unknown fields and the OpenAPI document use it.
type field struct {
	name string // dotted when nested
	kind kind
}

// kind is the type of a field's value.
type kind string

const (
	kindText    kind = "string"
	kindIdent   kind = "ident"  // text, or an integer that is taken as its digits
	kindUUID    kind = "uuid"   // an id as it was given out
	kindSaleID  kind = "saleId" // an integer, or text of digits
	kindNumber  kind = "number"
	kindInteger kind = "integer"
	kindBool    kind = "boolean"
	kindDate    kind = "date"
	kindTexts   kind = "strings"
	kindSaleIDs kind = "saleIds" // ids of sales
	kindAnswers kind = "answers" // signup answers
	kindLines   kind = "lines"   // of a sale
	kindParts   kind = "parts"   // of a refund: lines of its sale
	kindRules   kind = "rules"   // of terms
	kindBudgets kind = "budgets" // of terms
	kindBonuses kind = "bonuses" // of terms
	kindHeaders kind = "headers" // an object of texts
	kindObject  kind = "object"
	kindLength  kind = "length" // a boolean, or the length of what it turns on
	kindAny     kind = "any"
)

// Values that no record has. They stand for input that must not match.
const (
	notASlug     = "_" // for an empty slug
	notACode     = " " // for an empty code
	standIn      = "x" // for a text of the wrong type
	unknownSale  = affiliate.SaleID(-1)
	outsideRange = -1 // for an integer of the wrong type, where the engine's text covers both
)

// unknownID stands for a text that is not an id. Such a text is not a syntax
// error: the record is not found.
var unknownID = uuid.Max

// fromQuery is the input of a DELETE without a body.
func (in *input) fromQuery(values url.Values) {
	in.query = values
	for name, texts := range values {
		raw, _ := json.Marshal(texts[0]) // text always has JSON
		in.members = append(in.members, member{[]byte(name), raw})
	}
}

// queryError returns the error of a parameter that was read as a field.
func (in *input) queryError() error {
	for _, f := range in.fields {
		if err := checkParameter(in.query, f.name); err != nil {
			return err
		}
	}
	return nil
}

// find returns the value of a field, and notes that the field is known. A nil
// value means absent, and so does null unless the input is an update.
func (in *input) find(name string, k kind) (value json.RawMessage, isNull bool) {
	in.fields = append(in.fields, field{in.outer + name, k})
	if value = in.value(name); value == nil {
		return nil, false
	}
	if value[0] != 'n' {
		return value, false
	}
	return nil, in.update
}

// has reports whether a field is given and not null.
func (in *input) has(name string) bool {
	value := in.value(name)
	return value != nil && value[0] != 'n'
}

// value returns the JSON of a field; nil when it is absent.
func (in *input) value(name string) json.RawMessage {
	for i := range in.members {
		if string(in.members[i].name) == name {
			return in.members[i].value
		}
	}
	return nil
}

// aliased reads a field by its name or, when that is absent, by its old name.
func aliased[T any](in *input, name, old string, read func(name string) T) T {
	v := read(name)
	if in.has(name) {
		in.also(old)
		return v
	}
	return read(old)
}

// also notes that the field that was read last is known by an old name, too.
func (in *input) also(old string) {
	in.fields = append(in.fields, field{in.outer + old, in.fields[len(in.fields)-1].kind})
}

// fault notes an error of the field that was read last. The first error stays.
func (in *input) fault(f refusal.Refusal) {
	if in.bad == nil {
		in.badAt = len(in.fields) - 1
		in.bad, in.isEmpty = f.Of(in.fields[in.badAt].name), f == refusal.FieldEmpty
	}
}

// faultOf notes an error of a field that was read. An error of an earlier field stays.
func (in *input) faultOf(name string, f refusal.Refusal) {
	if at := in.place(name); in.bad == nil || in.badAt > at {
		in.bad, in.badAt, in.isEmpty = f.Of(name), at, f == refusal.FieldEmpty
	}
}

// faultyAt reports whether the first fault is in a field.
func (in *input) faultyAt(name string) bool { return in.bad != nil && in.fields[in.badAt].name == name }

// faulty reports whether the first fault is in the field that was read last.
func (in *input) faulty() bool { return in.bad != nil && in.badAt == len(in.fields)-1 }

// targeted marks the end of the fields that name the target.
func (in *input) targeted() { in.targets = len(in.fields) }

// refusal returns the first error of the input itself, which is found without the
// engine, and its place in the order of checks; nil when the input has none.
// Unknown fields come after the target and before the other fields.
func (in *input) refusal() (*affiliate.Error, int) {
	if in.bad != nil && in.badAt < in.targets {
		return in.bad, in.badAt
	}
	for _, m := range in.members {
		if in.refuses(string(m.name)) {
			return refusal.RefuseUnknownField.Of(string(m.name)), in.targets
		}
	}
	return in.bad, in.badAt
}

// refuses reports whether a member is refused because no field has its name. An input that is not
// strict refuses what is nearly the name of a field that is not there: without the externalId
// that was meant, a repeated sale would count twice.
func (in *input) refuses(name string) bool {
	misspelt := false
	for _, f := range in.fields {
		known, here := strings.CutPrefix(f.name, in.outer)
		if here && known == name {
			return false
		}
		misspelt = misspelt || here && resembles(name, known) && in.value(known) == nil
	}
	return in.strict || misspelt
}

// outranks reports whether an error of the engine comes before a refusal at the
// given place.
func (in *input) outranks(e *affiliate.Error, place int) bool {
	at := in.place(e.Field)
	return at < place || at == place && in.isEmpty && e.Reason == affiliate.MissingField
}

// place returns the position of a field in the order of checks. An error without a
// field comes first, a field that the operation does not have comes last.
func (in *input) place(name string) int {
	if name == "" {
		return -1
	}
	at := func(name string) int {
		return slices.IndexFunc(in.fields, func(f field) bool { return f.name == name })
	}
	if i := at(name); i >= 0 {
		return i
	}
	list, _, isEntry := strings.Cut(name, "[")
	entry, _, _ := strings.Cut(name, ".")
	if i := at(list); isEntry && i >= 0 && !(in.bad != nil && strings.HasPrefix(in.fields[in.badAt].name, entry)) {
		return i // of another entry than the refused one, so of an earlier one
	}
	return len(in.fields)
}

// opt turns a value that was read into an Opt: not given, null, or set.
func opt[T any](value json.RawMessage, isNull bool, read func(json.RawMessage) T) affiliate.Opt[T] {
	switch {
	case isNull:
		return affiliate.Null[T]()
	case value == nil:
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(read(value))
}

// maxIDs is the largest number of records that one request changes.
const maxIDs = 1000

// ids reads the ids of the records that an operation changes: 1 to 1,000, all
// different. none refuses an empty list.
func (in *input) ids(name string, none refusal.Refusal) []uuid.UUID {
	ids := in.someIDs(name)
	if len(ids) == 0 {
		in.fault(none)
	}
	return ids
}

// someIDs reads up to 1,000 ids, all different; nil when there are none.
func (in *input) someIDs(name string) []uuid.UUID {
	ids, again := in.listOfIDs(name)
	switch {
	case len(ids) > maxIDs:
		in.fault(refusal.FieldOver1000Entries)
	case again:
		in.fault(refusal.FieldNotDistinct)
	}
	return ids
}

// listOfIDs reads an array of ids, nil when there are none, and whether one is there
// again. A text that is not an id is an unknown one.
func (in *input) listOfIDs(name string) (ids []uuid.UUID, again bool) {
	list := texts[string](in, name).Or(nil)
	seen := make(map[string]bool, len(list))
	for _, text := range list {
		again = again || seen[text]
		seen[text] = true
		id := in.call.idOf(text)
		if text == "" {
			id = unknownID
		}
		ids = append(ids, id)
	}
	return ids, again
}

// idList reads an array of ids, which may be there again.
func (in *input) idList(name string) []uuid.UUID {
	ids, _ := in.listOfIDs(name)
	return ids
}

// idOrNull reads an id that null takes away. It must be there: absent refuses a
// body without it.
func (in *input) idOrNull(name string, absent refusal.Refusal) uuid.UUID {
	id := in.id(name)
	if in.value(name) == nil {
		in.fault(absent)
	}
	return id
}

// answers reads an array of signup answers.
func (in *input) answers(name string) (list []affiliate.Answer) {
	value, _ := in.find(name, kindAnswers)
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		in.fault(refusal.FieldNotObjects)
		return nil
	}
	for element := range jsontext.Elements(value) {
		if element[0] != '{' {
			in.fault(refusal.FieldNotObjects)
			return nil
		}
		list = append(list, in.signupAnswer(name, split(element)))
	}
	return list
}

// signupAnswer reads one answer. Its fields are checked where the list is.
func (in *input) signupAnswer(name string, members []member) (a affiliate.Answer) {
	inner := input{outer: name + ".", members: members, strict: true}
	text := inner.text("questionId")
	if id := idOf(text); id.String() == text {
		a.QuestionID = id
	}
	a.Answer = inner.text("answer")
	inner.onlyKnown()
	if in.bad == nil && inner.bad != nil {
		in.bad, in.badAt = inner.bad, len(in.fields)-1
	}
	return a
}

// Arrays of objects of an input: the lines of sales and refunds, the rules of terms.
// Source: docs/contract.md 2.6, 2.9.

// An entries describes an array of objects.
type entries[T any] struct {
	kind  kind
	most  int
	over  refusal.Refusal // of more entries
	read  func(*input) T
	spoil func(*T) // so that the engine refuses it by a check of the last of its fields
}

// objects reads an array of objects field by field. It ends with the first entry that has
// a fault. That entry is spoiled, so that the engine, when it is asked for earlier
// errors, finds those of the entries before and nothing that depends on all of them, such
// as their sum.
func objects[T any](in *input, name string, of entries[T]) affiliate.Opt[[]T] {
	value, isNull := in.find(name, of.kind)
	return opt(value, isNull, func(v json.RawMessage) (list []T) {
		if v[0] != '[' {
			in.fault(refusal.FieldNotObjects)
			return nil
		}
		for element := range jsontext.Elements(v) {
			switch {
			case element[0] != '{':
				in.fault(refusal.FieldNotObjects)
				return nil
			case len(list) == of.most:
				in.fault(of.over)
				return nil
			}
			inner := in.within(name + "[" + strconv.Itoa(len(list)) + "]")
			inner.members, inner.bad = split(element), nil
			list = append(list, of.read(&inner))
			inner.onlyKnown()
			if inner.bad == nil {
				continue // without its fields: the place of the list is enough for what is sound
			}
			if in.bad == nil {
				in.resume(inner)
			}
			of.spoil(&list[len(list)-1])
			return list
		}
		return list
	})
}

// required notes that a field is missing.
func required[T any](in *input, o affiliate.Opt[T]) affiliate.Opt[T] {
	if o.IsZero() || o.IsNull() {
		in.fault(refusal.FieldMissing)
	}
	return o
}

// linesOf reads the lines of a sale or a preview.
func linesOf(in *input, name string) []affiliate.Line {
	return objects(in, name, entries[affiliate.Line]{
		kind: kindLines, most: refusal.MaxLines, over: refusal.FieldOver500Entries,
		spoil: func(l *affiliate.Line) { l.Discount = affiliate.AmountFromScaled(math.MaxInt64) },
		read: func(in *input) affiliate.Line {
			return affiliate.Line{
				ID:         in.optional("id"),
				ProductID:  in.optional("productId"),
				PlanID:     in.optional("planId"),
				Name:       in.text("name"), // one that is none refuses no paid order
				Categories: texts[string](in, "categories").Or(nil),
				Quantity:   in.amount("quantity"),
				Amount:     required(in, in.amount("amount")).Or(affiliate.Amount{}),
				Discount:   in.amount("discount").Or(affiliate.Amount{}),
			}
		},
	}).Or(nil)
}

// refundLines reads the lines of a refund.
func refundLines(in *input, name string) []affiliate.RefundLine {
	return objects(in, name, entries[affiliate.RefundLine]{
		kind: kindParts, most: refusal.MaxLines, over: refusal.FieldOver500Entries,
		spoil: func(l *affiliate.RefundLine) { l.Amount = affiliate.Amount{} },
		read: func(in *input) affiliate.RefundLine {
			return affiliate.RefundLine{
				ID:     in.optional("id"),
				Amount: required(in, in.amount("amount")).Or(affiliate.Amount{}),
			}
		},
	}).Or(nil)
}

// rules reads the rules of terms.
func rules(in *input, name string) affiliate.Opt[[]affiliate.Rule] {
	return objects(in, name, entries[affiliate.Rule]{
		kind: kindRules, most: refusal.MaxRules, over: refusal.FieldOver64Entries,
		spoil: func(r *affiliate.Rule) {
			r.Pay = affiliate.RulePay{Type: affiliate.RuleNone, Rate: affiliate.PercentFromScaled(1)}
		},
		read: func(in *input) affiliate.Rule {
			return affiliate.Rule{
				Name: in.text("name"),
				Firm: in.flag("firm"),
				When: nested(in, "when", readWhen).Or(affiliate.RuleWhen{}),
				Pay:  nested(in, "pay", readPay).Or(affiliate.RulePay{}),
			}
		},
	})
}

// budgets reads the budgets of terms.
func budgets(in *input, name string) affiliate.Opt[[]affiliate.Budget] {
	return objects(in, name, entries[affiliate.Budget]{
		kind: kindBudgets, most: refusal.MaxBudgets, over: refusal.FieldOver16Entries,
		spoil: func(b *affiliate.Budget) { b.MaxCommission, b.MaxRewards = affiliate.Amount{}, 0 },
		read: func(in *input) affiliate.Budget {
			return affiliate.Budget{
				Of:            enum[affiliate.BudgetOf](in, "of").Or(""),
				Per:           enum[affiliate.Interval](in, "per").Or(""),
				CouponID:      in.optID("couponId").Or(uuid.Nil),
				UTMCampaign:   in.optional("utmCampaign"),
				MaxRewards:    in.positive("maxRewards").Or(0),
				Whole:         in.flag("whole"),
				MaxCommission: in.amount("maxCommission").Or(affiliate.Amount{}), // the last that is checked
			}
		},
	})
}

// bonuses reads the bonuses of terms.
func bonuses(in *input, name string) affiliate.Opt[[]affiliate.Bonus] {
	return objects(in, name, entries[affiliate.Bonus]{
		kind: kindBonuses, most: refusal.MaxBonuses, over: refusal.FieldOver16Entries,
		spoil: func(b *affiliate.Bonus) { b.Amount = affiliate.Amount{} },
		read: func(in *input) affiliate.Bonus {
			return affiliate.Bonus{
				Name:      in.text("name"),
				To:        enum[affiliate.BonusTo](in, "to").Or(""),
				From:      in.date("from").Or(affiliate.Date{}),
				Per:       enum[affiliate.Interval](in, "per").Or(""),
				SignUps:   in.positive("signUps").Or(0),
				Customers: in.positive("customers").Or(0),
				MinSpend:  in.amount("minSpend").Or(affiliate.Amount{}),
				Revenue:   in.amount("revenue").Or(affiliate.Amount{}),
				HoldDays:  in.ranged("holdDays").Or(0),
				Times:     in.positive("times").Or(0),
				Amount:    in.amount("amount").Or(affiliate.Amount{}), // the last that is checked
			}
		},
	})
}

func readWhen(in *input) affiliate.RuleWhen {
	list := func(name string) []string { return texts[string](in, name).Or(nil) }
	return affiliate.RuleWhen{
		Products:      list("products"),
		Plans:         list("plans"),
		Categories:    list("categories"),
		NotProducts:   list("notProducts"),
		NotPlans:      list("notPlans"),
		NotCategories: list("notCategories"),
		PaymentFrom:   in.positive("paymentFrom").Or(0),
		PaymentTo:     in.positive("paymentTo").Or(0),
		MonthFrom:     in.positive("monthFrom").Or(0),
		MonthTo:       in.positive("monthTo").Or(0),
		Customer:      enum[affiliate.RuleCustomer](in, "customer").Or(""),
		Triggers:      texts[affiliate.PaymentTrigger](in, "paymentTriggers").Or(nil),
		Conversions:   list("conversions"),
	}
}

func readPay(in *input) affiliate.RulePay {
	pay := affiliate.RulePay{Type: enum[affiliate.RuleType](in, "commissionType").Or("")}
	rate := in.percent("commissionRate")
	if pay.Type != affiliate.RuleNone {
		required(in, rate)
	}
	pay.Rate = rate.Or(affiliate.Percent{})
	return pay
}

// resembles reports whether a name is another one misspelt: in other letter case, with other
// separators, or, from five letters on, with one letter that is wrong, missing, too many, or
// in the place of its neighbour. External_ID and extrnalId resemble externalId; its plural is
// another name.
//
// Source: docs/contract.md 1.3.
func resembles(name, known string) bool {
	if len(name) > 2*len(known) {
		return false
	}
	var one, other [64]byte // a request may have thousands of names
	a, b := bareName(one[:0], name), bareName(other[:0], known)
	switch {
	case bytes.Equal(a, b):
		return true
	case len(b) < 5 || len(a) < len(b)-1 || len(a) > len(b)+1 || len(a) > len(b) && a[len(b)] == 's' && bytes.HasPrefix(a, b):
		return false
	case len(a) > len(b):
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return bytes.Equal(a[i:], b[i+1:])
	}
	return bytes.Equal(a[i+1:], b[i+1:]) || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && bytes.Equal(a[i+2:], b[i+2:])
}

// bareName appends a name in lower case, without its separators.
func bareName(dst []byte, name string) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == ' ':
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+('a'-'A'))
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
