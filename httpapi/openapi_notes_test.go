package httpapi

import (
	"encoding/json"

	"github.com/tributary-go/tributary/affiliate"
)

// The notes say what the tables of the handler do not: what things are for, and
// the limits that the engine sets. Each resource has one file. The test fails
// when a note has no field or operation, and when a field or operation has no
// note.

// described holds the notes of one resource.
type described struct {
	name, text string                       // of its tag
	main       string                       // the schema whose texts its bodies share
	answers    map[string]map[string]string // texts by schema and field; the text of the schema itself is under ""
	bodies     map[string]note              // by name, dotted when nested
	operations map[string]about             // by method and path below /api/v1
}

// A note describes a field of a body. Without a text of its own it has the text
// of the same field in the answer.
type note struct {
	text   string
	limits []limit
}

type limit func(*schema)

// about describes an operation.
type about struct {
	id, summary, text string

	params   map[string]string // of the query of a GET
	required []string          // of the body
	oneOf    []string          // of the body: at least one
	forms    []schema          // of the body, beside oneOf: it has at least one of these forms
	clears   []string          // of an update: what null clears
	misses   bool              // a write that may answer null
	limits   map[string]limit  // where the operation has its own
	headers  []string          // of a 200, beside those that all have
	refused  refused
}

// refused are the codes of an operation by status, beside those that all have.
type refused struct {
	invalid  []affiliate.Reason // 400
	notFound []affiliate.Reason // 404
}

// resourceNotes are the resources in the document's order.
func resourceNotes() []described {
	return []described{
		affiliateNotes(), linkNotes(), couponNotes(), codeNotes(), holdNotes(), referralNotes(), saleNotes(), paymentNotes(),
		payoutNotes(), payoutRunNotes(), adjustmentNotes(), ledgerNotes(), statementNotes(), explanationNotes(),
		programNotes(), attentionNotes(), verificationNotes(), planNotes(), termsNotes(), tierNotes(), clickNotes(), storedEventNotes(),
		partnerNotes(), upkeepNotes(), webhookNotes(), documentNotes(), trackingNotes(), eventNotes(),
	}
}

// documentNotes are the notes of the document itself.
func documentNotes() described {
	return described{
		name: "Document", text: "This document.",
		operations: map[string]about{
			"GET /openapi.json": {id: "getDocument", summary: "This document"},
		},
	}
}

// commonTexts are the texts of fields that mean the same everywhere.
func commonTexts() map[string]string {
	return map[string]string{
		"id":                 "The id. It never changes.",
		"createdAt":          "When the record was made.",
		"updatedAt":          "When the record was last changed.",
		"affiliateProgramId": "The program.",
		"programId":          "The program.",
		"message":            "What was done, for people.",
	}
}

func plain(text string, limits ...limit) note { return note{text, limits} }
func limited(limits ...limit) note            { return note{"", limits} }

// allOf applies several limits.
func allOf(limits ...limit) limit {
	return func(s *schema) {
		for _, l := range limits {
			l(s)
		}
	}
}

func chars(least, most json.Number) limit {
	return func(s *schema) { s.MinLength, s.MaxLength = least, most }
}

func atLeast(n json.Number) limit { return func(s *schema) { s.Minimum = n } }
func atMost(n json.Number) limit  { return func(s *schema) { s.Maximum = n } }
func above(n json.Number) limit   { return func(s *schema) { s.ExclusiveMinimum = n } }
func atMostMembers(n json.Number) limit {
	return func(s *schema) { s.MaxProperties = n }
}
func matches(re string) limit { return func(s *schema) { s.Pattern = re } }
func byDefault(v any) limit   { return func(s *schema) { s.Default = v } }
func onlyNull(s *schema)      { *s = schema{Type: types{"null"}, Description: s.Description} }

// values allows the values of an enumeration of the engine.
func values[T ~string]() limit {
	return func(s *schema) { s.enum = enumName[T]() }
}

// only allows the listed values.
func only(list ...any) limit { return func(s *schema) { s.Enum = list } }

// distinct requires a list of least to most different entries.
func distinct(least, most json.Number) limit {
	return func(s *schema) { s.MinItems, s.MaxItems, s.UniqueItems = least, most, true }
}

// each applies limits to the entries of a list.
func each(limits ...limit) limit {
	return func(s *schema) { allOf(limits...)(s.Items) }
}

// The limits of values that several resources have.

func slugText(s *schema)     { s.Pattern = "^[A-Za-z0-9-]{1,100}$" }
func codeText(s *schema)     { s.MinLength, s.Pattern = "1", `^\s*[!-~]{1,100}\s*$` }
func emailText(s *schema)    { s.Format, s.Pattern = "email", `^\s*[^\s@]+@[^\s@]+\s*$` }
func emailIdent(s *schema)   { s.MinLength, s.Format = "1", "email" } // any other text is an unknown one
func nameText(s *schema)     { s.MinLength, s.MaxLength = "1", "100" }
func externalText(s *schema) { s.MinLength, s.MaxLength = "1", "255" }
func identText(s *schema)    { s.MinLength = "1" }
func optionalID(s *schema)   { anyText(s); s.MaxLength = "255" } // an empty text is none
func currencyText(s *schema) { s.Pattern = "^[A-Za-z]{3}$" }
func dateText(s *schema)     { s.AnyOf = []schema{{Format: "date-time"}, {Format: "date"}} }

// anyText drops all limits of a text.
func anyText(s *schema) { s.MinLength, s.MaxLength, s.Pattern, s.Format = "", "", "", "" }

// dateParameter repeats the type in each form, because some readers of
// parameters only look there.
func dateParameter(s *schema) {
	dateText(s)
	for i := range s.AnyOf {
		s.AnyOf[i].Type = s.Type
	}
}
