package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Answers and errors: from the types that are answered and the table of refusals.

func (d *drafter) responses(r place, about about) named[response] {
	if r.method == http.MethodOptions {
		return preflightResponses()
	}
	out := named[response]{{"200", response{
		Description: "Done.",
		Headers:     doneHeaders(r, about),
		Content:     jsonContent(d.answer(r, about), d.examples(about.id, "response")),
	}}}
	invalid := commonInvalid(r)
	if about.required+about.oneOf != "" && !has(about.invalid, string(affiliate.MissingField)) {
		invalid = append(invalid, affiliate.MissingField)
	}
	invalid = append(invalid, codesOf(about.invalid)...)
	out = append(out, d.refusal(r, http.StatusBadRequest, "The request is refused and has changed nothing.", invalid))
	if !r.public() {
		notFound := append([]affiliate.Reason{affiliate.ProgramNotFound, affiliate.NotFound}, codesOf(about.notFound)...)
		out = append(out,
			entry[response]{"401", response{Ref: "#/components/responses/Unauthorized"}},
			entry[response]{"403", response{Ref: "#/components/responses/Forbidden"}},
			d.refusal(r, http.StatusNotFound, "What is named is not there.", notFound))
	}
	out = append(out, entry[response]{"405", response{Ref: "#/components/responses/MethodNotAllowed"}})
	if r.action.read != nil {
		out = append(out,
			entry[response]{"413", response{Ref: "#/components/responses/BodyTooLarge"}},
			entry[response]{"415", response{Ref: "#/components/responses/UnsupportedMediaType"}})
	}
	return append(out,
		entry[response]{"429", response{Ref: "#/components/responses/TooManyRequests"}},
		entry[response]{"500", response{Ref: "#/components/responses/InternalError"}})
}

// codesOf are the codes of a list.
func codesOf(list string) (reasons []affiliate.Reason) {
	for _, code := range strings.Fields(list) {
		if !slices.Contains(reasons, affiliate.Reason(code)) {
			reasons = append(reasons, affiliate.Reason(code))
		}
	}
	return reasons
}

// listOf is a list of codes.
func listOf(reasons []affiliate.Reason) (list string) {
	for _, code := range reasons {
		list += " " + string(code)
	}
	return list
}

// answer is the schema of a 200.
func (d *drafter) answer(r place, about about) schema {
	s := d.ownAnswer(r.route, about)
	if r.public() {
		return schema{OneOf: []schema{s, d.answerOf(shape{typ: reflect.TypeFor[absenceAnswer]()})}}
	}
	return s
}

// ownAnswer is the schema of the answer type that an action declares.
func (d *drafter) ownAnswer(r route, about about) schema {
	if r.action.lookups == nil && r.action.answer == nil {
		return schema{Type: types{"object"}, Description: "An OpenAPI 3.1 document.", AdditionalProperties: true}
	}
	if r.action.lookups == nil {
		s := d.answerOf(shape{typ: reflect.TypeOf(r.action.answer)})
		if about.misses {
			return orNull(s)
		}
		return s
	}
	var single, list []schema
	for _, l := range r.action.lookups {
		t := reflect.TypeOf(l.answer)
		switch {
		case l.answer == nil: // it answers an error
		case l.single && (l.name == "" || t == reflect.TypeFor[configurationAnswer]() || t == reflect.TypeFor[statement]()): // never null
			return d.answerOf(shape{typ: t})
		case l.single:
			single = []schema{d.answerOf(shape{typ: t}), {Type: types{"null"}}}
		default:
			list = []schema{arrayOf(d.answerOf(shape{t, l.parts || listedInPart(t)}))}
		}
	}
	if single == nil {
		return list[0]
	}
	return schema{OneOf: append(single, list...)}
}

// listedInPart reports whether a list shows a type without its fields with
// omitzero.
func listedInPart(t reflect.Type) bool { return t == reflect.TypeFor[affiliate.Delivery]() }

func (d *drafter) answerOf(s shape) schema {
	if s.typ.Kind() == reflect.Slice {
		return arrayOf(d.answerOf(shape{typ: s.typ.Elem()}))
	}
	return d.schemaRef(s)
}

// doneHeaders are the headers that a 200 of an operation may have.
func doneHeaders(r place, about about) named[header] {
	if r.public() {
		return trackingHeaders(r.route)
	}
	out := fixedHeaders()
	if slices.ContainsFunc(r.action.lookups, func(l lookup) bool { return l.paged }) {
		out = append(out, headerRef("Link"))
	}
	for _, name := range strings.Fields(about.headers) {
		out = append(out, headerRef(name))
	}
	if r.keyed() {
		out = append(out, headerRef("Idempotent-Replayed"))
	}
	return out
}

func headerRef(name string) entry[header] {
	return entry[header]{name, header{Ref: "#/components/headers/" + name}}
}

// refusal is the response of an error for which the operation has codes of its
// own.
func (d *drafter) refusal(r place, status int, text string, codes []affiliate.Reason) entry[response] {
	for _, code := range codes {
		d.known(status, code)
	}
	res := errorResponse(text, codes, "")
	if slices.ContainsFunc(codes, func(r affiliate.Reason) bool { return (&affiliate.Error{Reason: r}).CodeRefused() }) {
		res.Headers = append(res.Headers, headerRef("Error-Reasons"))
	}
	switch {
	case r.public():
		res.Headers = append(res.Headers, headerRef("Access-Control-Allow-Origin"))
	case r.keyed():
		res.Headers = append(res.Headers, headerRef("Idempotent-Replayed"))
	}
	return entry[response]{strconv.Itoa(status), res}
}

// errorResponse is an error with its codes.
func errorResponse(text string, codes []affiliate.Reason, message string) response {
	headers := append(fixedHeaders(),
		entry[header]{"Error-Code", header{
			Description: "What happened.", Required: true,
			Schema: schema{Type: types{"string"}, Enum: enumTexts(codes)},
		}},
		headerRef("Error-Field"))
	var examples named[example]
	if message != "" {
		raw, _ := plainJSON(map[string]string{"error": message})
		examples = named[example]{{string(codes[0]), example{Value: raw}}}
	}
	return response{Description: text, Headers: headers, Content: jsonContent(ref("Error"), examples)}
}

// commonInvalid are the codes of 400 that all operations of a kind have.
func commonInvalid(r place) []affiliate.Reason {
	var out []affiliate.Reason
	if !r.public() {
		out = append(out, affiliate.AmountsInvalid)
	}
	if r.action.read != nil {
		if r.method != http.MethodDelete {
			out = append(out, affiliate.BodyRequired)
		}
		out = append(out, affiliate.InvalidJSON, affiliate.DuplicateField, affiliate.InvalidField)
	}
	if r.refusesUnknown() {
		out = append(out, affiliate.UnknownField)
	}
	if r.method == http.MethodGet || r.method == http.MethodDelete {
		out = append(out, affiliate.InvalidQuery)
	}
	if r.keyed() {
		out = append(out, affiliate.IdempotencyKeyInvalid, affiliate.IdempotencyKeyReused)
	}
	return out
}

// refusesUnknown reports whether there is a body with an unknown field that is refused. Where
// unknown fields are ignored, only one that is another field misspelt is; when the target is
// the only field, that it is missing comes first.
func (p place) refusesUnknown() bool {
	if p.action.read == nil {
		return false
	}
	fields, _ := recorded(p.action)
	return p.action.strict || len(fields) > 1
}

// codeRefusals are the reasons for which a promotional code is refused, in the
// order of the rules.
//
// Source: docs/contract.md 3.5.
func codeRefusals() []affiliate.Reason {
	return []affiliate.Reason{
		affiliate.CodeNotFound, affiliate.CodeInactive, affiliate.CouponInvalid, affiliate.CodeExpired,
		affiliate.CouponExpired, affiliate.CodeExhausted, affiliate.CouponExhausted, affiliate.CodeUnassigned,
		affiliate.NotFirstOrder, affiliate.BelowMinimum, affiliate.WrongCurrency, affiliate.WrongAffiliate,
		affiliate.WrongCustomer, affiliate.WrongProduct, affiliate.AffiliateSuspended,
		affiliate.CouponOtherCurrency, affiliate.CodeNotStarted, affiliate.BudgetSpent, affiliate.BelowQuantity,
		affiliate.CustomerLimit, affiliate.CustomerRequired, affiliate.NoOffer,
	}
}

// codeRefusalsWithoutOrder are those that a referral may have: it has no total
// and no product.
func codeRefusalsWithoutOrder() []affiliate.Reason {
	ofOrder := []affiliate.Reason{affiliate.BelowMinimum, affiliate.WrongCurrency, affiliate.WrongProduct, affiliate.CouponOtherCurrency, affiliate.BelowQuantity, affiliate.NoOffer}
	return slices.DeleteFunc(codeRefusals(), func(r affiliate.Reason) bool { return slices.Contains(ofOrder, r) })
}

// codeRefusalsWithCustomer are those of a request that always names a customer.
func codeRefusalsWithCustomer() []affiliate.Reason {
	return slices.DeleteFunc(codeRefusalsWithoutOrder(), func(r affiliate.Reason) bool { return r == affiliate.CustomerRequired })
}

// sharedResponses are the errors that all operations share.
func (d *drafter) sharedResponses() named[response] {
	shared := func(name, text string, extra named[header], codes ...affiliate.Reason) entry[response] {
		for _, code := range codes {
			d.known(d.first(code).Kind.Status(), code)
		}
		res := errorResponse(text, codes, d.first(codes[0]).Message)
		res.Headers = append(res.Headers, extra...)
		return entry[response]{name, res}
	}
	with := func(name string) named[header] { return named[header]{headerRef(name)} }
	return named[response]{
		shared("Unauthorized", "The key is missing, malformed or not known.", with("WWW-Authenticate"), affiliate.Unauthorized, affiliate.InvalidToken),
		shared("Forbidden", "The program has no API access, or the key's scope does not have the operation.", nil, affiliate.NoAPIAccess, affiliate.InsufficientScope),
		shared("MethodNotAllowed", "The path is known, the method is not.", with("Allow"), affiliate.MethodNotAllowed),
		shared("BodyTooLarge", "The body is over the host's limit, 1 MiB by default.", nil, affiliate.BodyTooLarge),
		shared("UnsupportedMediaType", "The body is not declared as plain JSON.", nil, affiliate.UnsupportedMediaType),
		shared("TooManyRequests", "The host's limiter refuses.", with("Retry-After"), affiliate.RateLimited),
		shared("InternalError", "Anything unexpected. The text tells nothing.", nil, affiliate.Internal),
	}
}

func errorSchema() schema {
	return schema{
		Type: types{"object"}, Description: "The body of every error. Texts are for people; branch on the status and Error-Code.",
		Properties: named[schema]{{"error", schema{Type: types{"string"}, Description: "What is wrong."}}},
		Required:   []string{"error"}, AdditionalProperties: false,
	}
}

// errorTag lists the texts of the codes that operations have.
func (d *drafter) errorTag() tag {
	var b strings.Builder
	b.WriteString("The texts by Error-Code. What stands in braces is filled in; invalid_field also has texts made of the field's name and its rule.\n\n")
	b.WriteString("| Error-Code | Status | Text |\n|---|---|---|\n")
	for _, e := range refusal.Refusals() {
		if !d.codes[e.Reason] {
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", e.Reason, e.Kind.Status(), e.Message)
	}
	return tag{"Errors", b.String()}
}

func fixedHeaders() named[header] {
	return named[header]{headerRef("Cache-Control"), headerRef("X-Content-Type-Options"), headerRef("X-Request-Id")}
}

// sharedHeaders are the headers of answers.
func (d *drafter) sharedHeaders() named[header] {
	text := func(description string, required bool, set ...limit) header {
		h := header{Description: description, Required: required, Schema: schema{Type: types{"string"}}}
		allOf(set...)(&h.Schema)
		return h
	}
	return named[header]{
		{"Cache-Control", text("Answers are not kept by caches.", true, only("no-store"))},
		{"X-Content-Type-Options", text("JSON is JSON.", true, only("nosniff"))},
		{"X-Request-Id", text("The id of the request: the one that it brought, else a new one. Log lines have it too.", true, matches("^[A-Za-z0-9._-]{1,64}$"))},
		{"Error-Field", text("The JSON name of the field or parameter, dotted when nested, where one is at fault.", false, identText)},
		{"Error-Reasons", text("Where a promotional code is refused, every rule that it fails, in the form of the reasons of a preview: JSON. The first one is in Error-Code.", false, matches(`^\[\{.*\}\]$`))},
		{"Sale-Outcome", text("What became of the sale.", true, only(affiliate.SaleRecorded, affiliate.SaleDuplicate, affiliate.SaleRedeemed,
			affiliate.SaleUnattributed, affiliate.SaleInactiveCustomer))}, // the others are of payments
		{"Sale-Ignored", text("The fields that are no email or name, and were left out: of email, name, product.name.", false, matches("^[a-z.]+(, [a-z.]+)*$"))},
		{"Sale-Differs", text("What of a duplicate is not as in the sale that has its id: of totalEarned, tax, shipping, email, promoCode, referralId, referredUserExternalId, and paidAt, when it was paid more than 20 days apart.", false, matches("^[a-zA-Z]+(, [a-zA-Z]+)*$"))},
		{"Idempotent-Replayed", text("There when the answer is the first one of this Idempotency-Key.", false, only("true"))},
		{"Link", text(`The next page: a query, to be resolved against the request. Absent on the last page.`, false, matches(`^<\?[^>]+>; rel="next"$`))},
		{"Allow", text("The methods of the path, sorted.", true, matches("^[A-Z]+(, [A-Z]+)*$"))},
		{"WWW-Authenticate", text("The scheme.", true, only("Bearer"))},
		{"Access-Control-Allow-Origin", text("Pages of any origin may read the answer.", true, only("*"))},
		{"Retry-After", header{Description: "Seconds to wait.", Required: true, Schema: schema{Type: types{"integer"}, Minimum: "1"}}},
	}
}

// preflightResponses are the responses to OPTIONS.
func preflightResponses() named[response] {
	text := func(s string, set limit) header {
		h := header{Description: s, Required: true, Schema: schema{Type: types{"string"}}}
		set(&h.Schema)
		return h
	}
	return named[response]{
		{"204", response{Description: "What is allowed.", Headers: append(fixedHeaders(), headerRef("Access-Control-Allow-Origin"),
			entry[header]{"Access-Control-Allow-Methods", text("The methods of the path, sorted.", matches("^[A-Z]+(, [A-Z]+)*$"))},
			entry[header]{"Access-Control-Allow-Headers", text("The headers.", only("Content-Type"))},
		)}},
		{"405", response{Ref: "#/components/responses/MethodNotAllowed"}},
		{"429", response{Ref: "#/components/responses/TooManyRequests"}},
		{"500", response{Ref: "#/components/responses/InternalError"}},
	}
}

// trackingHeaders are the headers of a 200.
func trackingHeaders(r route) named[header] {
	h := fixedHeaders()
	if r.method == http.MethodGet {
		h[0].value = header{Description: "A known program may be cached.", Required: true, Schema: schema{Type: types{"string"}, Enum: []any{programMaxAge, "no-store"}}}
	}
	return append(h, headerRef("Access-Control-Allow-Origin"))
}
