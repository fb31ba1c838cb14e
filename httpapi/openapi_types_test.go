package httpapi

import (
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

// whole and part are the two shapes of a type.
func whole[T any]() shape { return shape{typ: reflect.TypeFor[T]()} }
func part[T any]() shape  { return shape{typ: reflect.TypeFor[T](), inner: true} }

// schemaNames are the names of the shapes in the document, in its order.
func schemaNames() named[shape] {
	return named[shape]{
		{"Affiliate", whole[affiliate.Affiliate]()},
		{"AffiliateLinkEntry", whole[affiliate.AffiliateLink]()},
		{"AffiliateSummary", whole[affiliate.AffiliateSummary]()},
		{"PartnerToken", whole[issuedToken]()},
		{"Erasure", whole[erasureAnswer]()},
		{"Pruning", whole[pruneAnswer]()},
		{"Retained", whole[affiliate.Retained]()},
		{"AffiliateContact", whole[affiliate.AffiliateContact]()},
		{"AffiliateLink", whole[affiliate.Link]()},
		{"LinkOwner", whole[affiliate.LinkOwner]()},
		{"LinkProgram", whole[affiliate.LinkProgram]()},
		{"FullURL", whole[affiliate.FullURL]()},
		{"Coupon", whole[affiliate.Coupon]()},
		{"CouponOfCode", part[affiliate.Coupon]()},
		{"PromotionalCode", whole[affiliate.Code]()},
		{"PromotionalCodeOfCoupon", part[affiliate.Code]()},
		{"PromotionalCodeName", whole[affiliate.CodeName]()},
		{"Evaluation", whole[affiliate.Evaluation]()},
		{"Offer", whole[affiliate.Offer]()},
		{"Comparison", whole[affiliate.Comparison]()},
		{"EvaluationReason", whole[affiliate.Failure]()},
		{"Usability", whole[affiliate.Usability]()},
		{"Hold", whole[affiliate.Hold]()},
		{"Referral", whole[affiliate.Referral]()},
		{"Sale", whole[affiliate.Sale]()},
		{"SaleLine", whole[affiliate.SaleLine]()},
		{"Charge", whole[affiliate.Charge]()},
		{"Commission", whole[affiliate.Commission]()},
		{"PaymentDecided", whole[decisionAnswer]()},
		{"RefundResult", whole[affiliate.RefundResult]()},
		{"Payout", whole[affiliate.Payout]()},
		{"Adjustment", whole[affiliate.Adjustment]()},
		{"Balance", whole[affiliate.Balance]()},
		{"TotalBalance", whole[affiliate.TotalBalance]()},
		{"Movement", whole[affiliate.Movement]()},
		{"Bucket", whole[affiliate.Bucket]()},
		{"BreakdownRow", whole[affiliate.BreakdownRow]()},
		{"Statement", whole[statement]()},
		{"StatementFigures", whole[affiliate.Figures]()},
		{"StatementLine", whole[affiliate.StatementLine]()},
		{"PayoutRun", whole[affiliate.PayoutRunResult]()},
		{"PayoutLine", whole[affiliate.PayoutLine]()},
		{"PayoutPreview", whole[previewPage]()},
		{"Explanation", whole[affiliate.Explanation]()},
		{"ExplainedOffer", whole[affiliate.ExplainedOffer]()},
		{"ExplainedCredit", whole[affiliate.ExplainedCredit]()},
		{"ExplainedTerms", whole[affiliate.ExplainedTerms]()},
		{"ExplainedBase", whole[affiliate.ExplainedBase]()},
		{"ExplainedArithmetic", whole[affiliate.ExplainedArithmetic]()},
		{"ExplainedRedemption", whole[affiliate.ExplainedRedemption]()},
		{"ExplainedLine", whole[affiliate.ExplainedLine]()},
		{"WebhookEndpoint", whole[affiliate.Endpoint]()},
		{"IssuedWebhookEndpoint", whole[affiliate.IssuedEndpoint]()},
		{"TestResult", whole[affiliate.TestResult]()},
		{"Delivery", part[affiliate.Delivery]()},
		{"DeliveryWithPayload", whole[affiliate.Delivery]()},
		{"DeliveryAttempt", whole[affiliate.DeliveryAttempt]()},
		{"Count", whole[countAnswer]()},
		{"Message", whole[deleteAnswer]()},
		{"AffiliateLinkDeleted", whole[deletedLink]()},
		{"DeletedAffiliateLink", whole[affiliate.DeletedLink]()},
		{"AffiliateLinkReleased", whole[releasedSlug]()},
		{"ReleasedSlug", whole[affiliate.ReleasedSlug]()},
		{"CouponDeleted", whole[couponDeletion]()},
		{"DeletedCoupon", whole[affiliate.DeletedCoupon]()},
		{"PromotionalCodeDeleted", whole[codeDeletion]()},
		{"DeletedPromotionalCode", whole[affiliate.DeletedCode]()},
		{"WebhookEndpointDeleted", whole[deletedEndpoint]()},
		{"DeletedWebhookEndpoint", whole[affiliate.DeletedEndpoint]()},
		{"ClickTracked", whole[clicked]()},
		{"TrackedClick", whole[clickAnswer]()},
		{"TrackingConfiguration", whole[configurationAnswer]()},
		{"TrackingProgram", whole[publicProgram]()},
		{"Absent", whole[absenceAnswer]()},
		{"AffiliateEvent", whole[affiliate.AffiliateBody]()},
		{"AffiliateCode", whole[affiliate.AffiliateCode]()},
		{"SignupAnswer", whole[affiliate.Answer]()},
		{"CommissionPlan", whole[affiliate.Plan]()},
		{"CommissionPlanOfEvent", part[affiliate.Plan]()},
		{"Rule", whole[affiliate.Rule]()},
		{"RuleWhen", whole[affiliate.RuleWhen]()},
		{"RulePay", whole[affiliate.RulePay]()},
		{"CommissionTier", whole[affiliate.Tier]()},
		{"CommissionTierOfEvent", part[affiliate.Tier]()},
		{"Click", whole[affiliate.Click]()},
		{"GeneratedCodes", whole[generationAnswer]()},
		{"GeneratedCode", whole[generatedCode]()},
		{"SaleReversed", whole[reversalAnswer]()},
		{"ReversedSale", whole[affiliate.ReversedSale]()},
		{"StoredEvent", whole[event]()},
		{"Settings", whole[affiliate.Settings]()},
		{"Attention", whole[affiliate.Attention]()},
		{"WaitingAffiliates", whole[affiliate.Waiting[affiliate.PendingAffiliate]]()},
		{"PendingAffiliate", whole[affiliate.PendingAffiliate]()},
		{"WaitingSales", whole[affiliate.Waiting[affiliate.HeldSale]]()},
		{"HeldSale", whole[affiliate.HeldSale]()},
		{"WaitingWebhooks", whole[affiliate.Waiting[affiliate.FailingWebhook]]()},
		{"FailingWebhook", whole[affiliate.FailingWebhook]()},
		{"WaitingDeliveries", whole[affiliate.Waiting[affiliate.FailedDelivery]]()},
		{"FailedDelivery", whole[affiliate.FailedDelivery]()},
		{"WaitingPayouts", whole[affiliate.Waiting[affiliate.FailedPayout]]()},
		{"FailedPayout", whole[affiliate.FailedPayout]()},
		{"WaitingPayments", whole[affiliate.Waiting[affiliate.ConflictPayment]]()},
		{"ConflictPayment", whole[affiliate.ConflictPayment]()},
		{"WaitingRedemptions", whole[affiliate.Waiting[affiliate.OverdrawnRedemption]]()},
		{"OverdrawnRedemption", whole[affiliate.OverdrawnRedemption]()},
		{"WaitingPayees", whole[affiliate.Waiting[affiliate.SharedPayee]]()},
		{"SharedPayee", whole[affiliate.SharedPayee]()},
		{"Payee", whole[affiliate.Payee]()},
		{"Attribution", whole[affiliate.Attribution]()},
		{"LinkDestination", whole[affiliate.LinkDestination]()},
		{"ProgramTerms", whole[affiliate.ProgramTerms]()},
		{"DatedTerms", whole[affiliate.DatedTerms]()},
		{"Verification", whole[verifyAnswer]()},
		{"Progress", whole[stepAnswer]()},
		{"Breach", whole[affiliate.Breach]()},
		{"ReferralEvent", whole[affiliate.ReferralBody]()},
		{"DeletedObject", whole[affiliate.DeletedBody]()},
		{"DeletedSale", whole[affiliate.DeletedSaleBody]()},
	}
}

// schemaRef points to the schema of a shape. A type with one shape has that
// shape everywhere.
func schemaRef(s shape) (schema, bool) {
	names := schemaNames()
	for _, want := range []shape{s, {typ: s.typ}} {
		i := slices.IndexFunc(names, func(e entry[shape]) bool { return e.value == want })
		if i >= 0 {
			return ref(names[i].name), true
		}
	}
	return schema{}, false
}

// answerSchemas are the schemas of all shapes, with the texts of their fields.
func (d *drafter) answerSchemas() named[schema] {
	var out named[schema]
	for _, e := range schemaNames() {
		out = append(out, entry[schema]{e.name, d.object(e.name, e.value)})
	}
	return out
}

// object is the schema of a struct. Every field is required, except fields with
// omitzero or omitempty in a type that has one shape.
func (d *drafter) object(name string, s shape) schema {
	out := schema{Type: types{"object"}, Description: d.text(name, "")}
	for _, f := range jsonFields(s.typ) {
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := opts == "omitzero" || opts == "omitempty"
		if optional && s.inner && !byValue(tag) {
			continue
		}
		field := d.typeSchema(f.Type)
		if field.Ref == "" || d.text(name, tag) != "" {
			field.Description = d.text(name, tag)
			if field.Description == "" {
				d.missing(name + "." + tag)
			}
		}
		if tag == "couponCategory" {
			field.Enum = []any{"CUSTOMER", "PAYOUT"}
		}
		if d.alwaysNull(tag) {
			field = schema{Type: types{"null"}, Description: field.Description}
		}
		out.Properties = append(out.Properties, entry[schema]{tag, field})
		if !optional || d.hasTwoShapes(s.typ) && !byValue(tag) && tag != "versions" { // these depend on the value too, and are never in events
			out.Required = append(out.Required, tag)
		}
	}
	return out
}

// byValue reports whether the value of an optional field decides if it is there, in all
// shapes of its type.
func byValue(tag string) bool {
	return slices.Contains([]string{
		"usability", "rules", "monthsFrom", "maxPerSale", "maxPerCustomer", "offerCouponId", "cap", // usability: summaries are of the inner shape
		"startsAt", "maxDiscount", "maxDiscountTotal", "discountTotal", "budgetLeft", "maxRedemptionsPerCustomer", "restoreOnRefund", "minimumQuantity",
	}, tag)
}

// hasTwoShapes reports whether the place of the object decides about the fields
// with omitzero, and not their values.
func (d *drafter) hasTwoShapes(t reflect.Type) bool {
	return slices.ContainsFunc(schemaNames(), func(e entry[shape]) bool { return e.value == shape{t, true} })
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
	if s, ok := schemaRef(shape{t, true}); ok {
		return s
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{Type: types{"boolean"}}
	case reflect.Int, reflect.Int64:
		return schema{Type: types{"integer"}, Format: "int64"}
	case reflect.String:
		return schema{Type: types{"string"}, Enum: d.enums[t.Name()]}
	case reflect.Slice:
		return arrayOf(d.typeSchema(t.Elem()))
	}
	panic(fmt.Sprintf("no schema for %v: name it in schemaNames", t))
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
