package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The schemas of answers and events, from the Go types that are encoded.

// A shape is a Go type and its place in an answer. An object that is part of
// another one lacks the fields with omitzero.
type shape struct {
	typ   reflect.Type
	inner bool
}

// calledOtherwise are the types that the document does not call as Go does.
func calledOtherwise() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[affiliate.AffiliateLink]():   "AffiliateLinkEntry",
		reflect.TypeFor[affiliate.Link]():            "AffiliateLink",
		reflect.TypeFor[affiliate.Code]():            "PromotionalCode",
		reflect.TypeFor[affiliate.CodeName]():        "PromotionalCodeName",
		reflect.TypeFor[affiliate.Failure]():         "EvaluationReason",
		reflect.TypeFor[affiliate.Figures]():         "StatementFigures",
		reflect.TypeFor[affiliate.PayoutRunResult](): "PayoutRun",
		reflect.TypeFor[affiliate.Endpoint]():        "WebhookEndpoint",
		reflect.TypeFor[affiliate.IssuedEndpoint]():  "IssuedWebhookEndpoint",
		reflect.TypeFor[affiliate.Delivery]():        "DeliveryWithPayload",
		reflect.TypeFor[affiliate.Plan]():            "CommissionPlan",
		reflect.TypeFor[affiliate.Tier]():            "CommissionTier",
		reflect.TypeFor[affiliate.Answer]():          "SignupAnswer",
		reflect.TypeFor[affiliate.DeletedLink]():     "DeletedAffiliateLink",
		reflect.TypeFor[affiliate.DeletedCode]():     "DeletedPromotionalCode",
		reflect.TypeFor[affiliate.DeletedEndpoint](): "DeletedWebhookEndpoint",
		reflect.TypeFor[affiliate.AffiliateBody]():   "AffiliateEvent",
		reflect.TypeFor[affiliate.ReferralBody]():    "ReferralEvent",
		reflect.TypeFor[affiliate.DeletedBody]():     "DeletedObject",
		reflect.TypeFor[affiliate.DeletedSaleBody](): "DeletedSale",

		reflect.TypeFor[affiliate.Waiting[affiliate.PendingAffiliate]]():    "WaitingAffiliates",
		reflect.TypeFor[affiliate.Waiting[affiliate.HeldSale]]():            "WaitingSales",
		reflect.TypeFor[affiliate.Waiting[affiliate.FailingWebhook]]():      "WaitingWebhooks",
		reflect.TypeFor[affiliate.Waiting[affiliate.FailedDelivery]]():      "WaitingDeliveries",
		reflect.TypeFor[affiliate.Waiting[affiliate.FailedPayout]]():        "WaitingPayouts",
		reflect.TypeFor[affiliate.Waiting[affiliate.ConflictPayment]]():     "WaitingPayments",
		reflect.TypeFor[affiliate.Waiting[affiliate.OverdrawnRedemption]](): "WaitingRedemptions",
		reflect.TypeFor[affiliate.Waiting[affiliate.SharedPayee]]():         "WaitingPayees",
		reflect.TypeFor[affiliate.Waiting[affiliate.BudgetUse]]():           "WaitingBudgets",

		reflect.TypeFor[issuedToken]():         "PartnerToken",
		reflect.TypeFor[stepAnswer]():          "Progress",
		reflect.TypeFor[erasureAnswer]():       "Erasure",
		reflect.TypeFor[pruneAnswer]():         "Pruning",
		reflect.TypeFor[decisionAnswer]():      "PaymentDecided",
		reflect.TypeFor[statement]():           "Statement",
		reflect.TypeFor[previewPage]():         "PayoutPreview",
		reflect.TypeFor[countAnswer]():         "Count",
		reflect.TypeFor[deleteAnswer]():        "Message",
		reflect.TypeFor[deletedLink]():         "AffiliateLinkDeleted",
		reflect.TypeFor[releasedSlug]():        "AffiliateLinkReleased",
		reflect.TypeFor[couponDeletion]():      "CouponDeleted",
		reflect.TypeFor[codeDeletion]():        "PromotionalCodeDeleted",
		reflect.TypeFor[deletedEndpoint]():     "WebhookEndpointDeleted",
		reflect.TypeFor[clicked]():             "ClickTracked",
		reflect.TypeFor[clickAnswer]():         "TrackedClick",
		reflect.TypeFor[configurationAnswer](): "TrackingConfiguration",
		reflect.TypeFor[publicProgram]():       "TrackingProgram",
		reflect.TypeFor[absenceAnswer]():       "Absent",
		reflect.TypeFor[generationAnswer]():    "GeneratedCodes",
		reflect.TypeFor[generatedCode]():       "GeneratedCode",
		reflect.TypeFor[reversalAnswer]():      "SaleReversed",
		reflect.TypeFor[event]():               "StoredEvent",
		reflect.TypeFor[verifyAnswer]():        "Verification",
	}
}

// parts are the types that have a form of their own inside others: without their fields with
// omitzero, whatever the values.
func parts() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[affiliate.Coupon]():   "CouponOfCode",
		reflect.TypeFor[affiliate.Code]():     "PromotionalCodeOfCoupon",
		reflect.TypeFor[affiliate.Delivery](): "Delivery",
		reflect.TypeFor[affiliate.Plan]():     "CommissionPlanOfEvent",
		reflect.TypeFor[affiliate.Tier]():     "CommissionTierOfEvent",
	}
}

// schemaRef points to the schema of a struct, which it adds to the document. A type with one
// shape has that shape everywhere.
func (d *drafter) schemaRef(s shape) schema {
	name := calledOtherwise()[s.typ]
	if name == "" {
		name = s.typ.Name()
	}
	part, two := parts()[s.typ]
	if s.inner = s.inner && two; s.inner {
		name = part
	}
	if _, there := d.schemas.get(name); !there {
		i := len(d.schemas)
		d.schemas = append(d.schemas, entry[schema]{name: name})
		object := d.object(name, s)
		d.schemas[i].value = object
	}
	return ref(name)
}

// object is the schema of a struct. Every field is required, except fields with
// omitzero or omitempty in a type that has one shape.
func (d *drafter) object(name string, s shape) schema {
	out := schema{Type: types{"object"}, Description: d.src.typeText(s.typ, name)}
	if out.Description == "" {
		d.missing(name)
	}
	_, two := parts()[s.typ]
	for _, f := range jsonFields(s.typ) {
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := opts == "omitzero" || opts == "omitempty"
		if optional && s.inner && byPlace(tag) {
			continue
		}
		field := d.typeSchema(f.Type)
		field.Description = cmp.Or(d.src.memberText(keyOfType(s.typ), tag), commonTexts()[tag])
		if field.Description == "" {
			d.missing(name + "." + tag)
		}
		if tag == "couponCategory" {
			field.Enum = []any{"CUSTOMER", "PAYOUT"}
		}
		if alwaysNull(tag) {
			field = schema{Type: types{"null"}, Description: field.Description}
		}
		out.Properties = append(out.Properties, entry[schema]{tag, field})
		if !optional || two && byPlace(tag) && tag != "versions" { // which plans have, or not
			out.Required = append(out.Required, tag)
		}
	}
	return out
}

// alwaysNull reports whether a field never has a value.
func alwaysNull(field string) bool {
	return slices.Contains([]string{"affiliateLink", "affiliateGroupId", "emailVerified", "image", "autoCouponRule"}, field)
}

// byPlace reports whether the place of an object decides if an optional field is there.
func byPlace(field string) bool {
	return slices.Contains([]string{"promotionalCodes", "coupon", "payload", "createdAt", "updatedAt", "versions"}, field)
}

// jsonFields are the fields of a struct as they are encoded; the fields of an
// embedded struct take its place.
func jsonFields(t reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for f := range t.Fields() {
		if f.Anonymous {
			out = append(out, jsonFields(f.Type)...)
			continue
		}
		if f.Tag.Get("json") == "-" || !f.IsExported() {
			continue
		}
		out = append(out, f)
	}
	return out
}

// typeSchema is the schema of a value of a Go type inside an answer.
func (d *drafter) typeSchema(t reflect.Type) schema {
	if inner, ok := optional(t); ok {
		return orNull(d.typeSchema(inner))
	}
	if s, ok := scalars()[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.schemaRef(shape{t, true})
	case reflect.Bool:
		return schema{Type: types{"boolean"}}
	case reflect.Int, reflect.Int64:
		return schema{Type: types{"integer"}, Format: "int64"}
	case reflect.String:
		return schema{Type: types{"string"}, Enum: d.src.enums[t.Name()]}
	case reflect.Slice:
		return arrayOf(d.typeSchema(t.Elem()))
	}
	panic(fmt.Sprintf("no schema for %v", t))
}

// optional returns the type inside an Opt, and whether the type is one.
func optional(t reflect.Type) (inner reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "Opt[") {
		return nil, false
	}
	get, _ := t.MethodByName("Get")
	return get.Type.Out(0), true
}

// scalars are the types that encode themselves.
func scalars() map[reflect.Type]schema {
	number := schema{Type: types{"number"}}
	return map[reflect.Type]schema{
		reflect.TypeFor[uuid.UUID]():              {Type: types{"string"}, Format: "uuid"},
		reflect.TypeFor[affiliate.Date]():         {Type: types{"string"}, Description: "A date, such as 2026-03-11, or a date-time."},
		reflect.TypeFor[affiliate.Time]():         {Type: types{"string"}, Format: "date-time"},
		reflect.TypeFor[affiliate.Amount]():       number,
		reflect.TypeFor[affiliate.Percent]():      number,
		reflect.TypeFor[affiliate.ExchangeRate](): number,
		reflect.TypeFor[affiliate.Currency]():     {Type: types{"string"}, Pattern: "^[A-Z]{3}$"},
		reflect.TypeFor[affiliate.Reason]():       {Type: types{"string"}, Enum: enumTexts(append(codeRefusals(), affiliate.ProductShare))},
		reflect.TypeFor[affiliate.Secret]():       {Type: types{"string"}, Pattern: "^whsec_"},
		reflect.TypeFor[url.Values]():             {Type: types{"object"}, AdditionalProperties: arrayOf(schema{Type: types{"string"}})},
		reflect.TypeFor[json.RawMessage]():        {Type: types{"object"}, AdditionalProperties: true},
	}
}
