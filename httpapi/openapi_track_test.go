package httpapi

import (
	"net/http"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
)

// The tracking endpoints, which stand outside of the route table.
//
// Source: contract 5.

const trackingTag = "Tracking"

func (d *drafter) trackingPaths() named[named[any]] {
	return named[named[any]]{
		{"/api/affiliates/add-click", named[any]{{"post", d.addClick()}}},
		{"/api/affiliates/affiliate-program-v2", named[any]{{"get", d.programConfig()}}},
	}
}

func (d *drafter) addClick() operation {
	text := func(description string) schema {
		return schema{Type: types{"string", "null"}, Description: description}
	}
	request := schema{
		Type: types{"object"}, Required: []string{"programId", "referralCode"},
		Properties: named[schema]{
			{"programId", schema{Type: types{"string"}, MinLength: "1", Description: "The public id of the program."}},
			{"referralCode", schema{Type: types{"string"}, MinLength: "1", Description: "The slug."}},
			{"uniqueClick", schema{Type: types{"boolean", "null"}, Default: true, Description: "False marks a repeated visit."}},
			{"fullLandingUrl", text("The page that was visited, cut at 2,048 bytes.")},
			{"documentReferrer", text("Where the visitor came from, cut at 2,048 bytes.")},
			{"userAgent", text("The browser, cut at 2,048 bytes; the request's own header when it is not given.")},
			{"deviceId", text("The visitor, cut at 2,048 bytes.")},
		},
	}
	click := schema{
		Type: types{"object"}, Required: []string{"id", "affiliateId", "createdAt"},
		Properties: named[schema]{
			{"id", schema{Type: types{"integer"}, Format: "int64", Description: "The id of the click: an affiliateId or referralId of later requests."}},
			{"affiliateId", schema{Type: types{"string"}, Format: "uuid", Description: "The affiliate of the slug."}},
			{"createdAt", schema{Type: types{"string"}, Format: "date-time", Description: "When the click was recorded."}},
		},
	}
	invalid := []affiliate.Reason{
		affiliate.BodyRequired, affiliate.InvalidJSON, affiliate.DuplicateField, affiliate.MissingField, affiliate.InvalidField,
	}
	return operation{
		Tags: []string{trackingTag}, OperationID: "addClick", Summary: "Record a click",
		Description: "Makes no referral, no sale and no event.",
		RequestBody: &body{Required: true, Content: jsonContent(request, nil)},
		Responses:   d.trackingResponses(notKept(), wrapped("click", click), "addClick", invalid, true),
		Security:    &[]security{},
	}
}

func (d *drafter) programConfig() operation {
	program := schema{
		Type: types{"object"}, Required: []string{"id", "name", "cookieDuration", "urlModifier", "crossTrackingDomains", "enableDebugLogs"},
		Properties: named[schema]{
			{"id", schema{Type: types{"string"}, Description: "The public id of the program."}},
			{"name", schema{Type: types{"string"}, Description: "What it is called."}},
			{"cookieDuration", schema{Type: types{"integer"}, Format: "int64", Description: "Days in which a click counts."}},
			{"urlModifier", schema{Type: types{"string"}, Description: "The query parameter that holds the slug."}},
			{"crossTrackingDomains", schema{Type: types{"array"}, Items: &schema{Type: types{"string"}}, Description: "Other domains of the program."}},
			{"enableDebugLogs", schema{Type: types{"boolean"}, Description: "Whether the page's script should tell what it does."}},
		},
	}
	cached := header{Description: "The answer may be cached.", Schema: schema{Type: types{"string"}}}
	return operation{
		Tags: []string{trackingTag}, OperationID: "getTrackingConfiguration", Summary: "The configuration of a page's script",
		Parameters: []parameter{{
			Name: "programId", In: "query", Required: true, Description: "The public id of the program.",
			Schema: schema{Type: types{"string"}, MinLength: "1"},
		}},
		Responses: d.trackingResponses(cached, wrapped("program", program), "getTrackingConfiguration",
			[]affiliate.Reason{affiliate.InvalidQuery, affiliate.MissingField}, false),
		Security: &[]security{},
	}
}

// notKept is the Cache-Control of answers that are not kept.
func notKept() header { return header{Ref: "#/components/headers/Cache-Control"} }

// wrapped is an object under its name, or the word that there is none.
func wrapped(name string, s schema) schema {
	return schema{OneOf: []schema{
		{Type: types{"object"}, Required: []string{name}, Properties: named[schema]{{name, s}}},
		{
			Type: types{"object"}, Required: []string{"exists"},
			Properties: named[schema]{{"exists", schema{Type: types{"boolean"}, Const: false, Description: "The program or the slug is not known."}}},
		},
	}}
}

// trackingResponses are the answer of a tracking endpoint and its errors.
func (d *drafter) trackingResponses(cache header, s schema, id string, invalid []affiliate.Reason, hasBody bool) named[response] {
	origin := entry[header]{"Access-Control-Allow-Origin", header{
		Description: "Pages of any origin may read the answer.", Required: true, Schema: schema{Type: types{"string"}, Enum: []any{"*"}},
	}}
	for _, code := range invalid {
		d.known(http.StatusBadRequest, code)
	}
	refused := errorResponse("The request is refused and has changed nothing.", invalid, "")
	refused.Headers = append(refused.Headers, origin)
	out := named[response]{
		{"200", response{
			Description: "Done.",
			Headers:     named[header]{{"Cache-Control", cache}, headerRef("X-Content-Type-Options"), origin},
			Content:     jsonContent(s, d.examples(id, "response")),
		}},
		{"400", refused},
		{"405", response{Ref: "#/components/responses/MethodNotAllowed"}},
	}
	if hasBody {
		out = append(out,
			entry[response]{"413", response{Ref: "#/components/responses/BodyTooLarge"}},
			entry[response]{"415", response{Ref: "#/components/responses/UnsupportedMediaType"}})
	}
	return slices.Concat(out, named[response]{
		{"429", response{Ref: "#/components/responses/TooManyRequests"}},
		{"500", response{Ref: "#/components/responses/InternalError"}},
	})
}
