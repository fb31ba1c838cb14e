package httpapi

import (
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
)

// The tracking endpoints: no key, pages of any origin.
//
// Source: docs/contract.md 5.

func trackingNotes() described {
	return described{
		name: "Tracking", text: "For pages of the program, where the host mounts them. They need no key and make no referral, no sale and no event.",
		main: "TrackedClick",
		answers: map[string]map[string]string{
			"ClickTracked": {"": "A click was recorded.", "click": "The click."},
			"TrackedClick": {
				"":            "A click.",
				"id":          "The id: an affiliateId or referralId of later requests.",
				"affiliateId": "The affiliate of the slug.",
				"offer":       "What the link gives now, if the request asks for it; not there when it gives nothing.",
			},
			"TrackingConfiguration": {"": "What the script of a page needs.", "program": "The program."},
			"TrackingProgram": {
				"":                     "What a page may know of a program.",
				"id":                   "The public id.",
				"name":                 "What the program is called.",
				"cookieDuration":       "Days in which a click counts.",
				"urlModifier":          "The query parameter that holds the slug.",
				"oldUrlModifiers":      "The parameters of links from before the program was here, which hold a slug too; not there: none.",
				"crossTrackingDomains": "Other domains of the program.",
				"enableDebugLogs":      "Whether the script should tell what it does.",
			},
			"Absent": {"": "The program or the slug is not known.", "exists": "Always false."},
		},
		bodies: map[string]note{
			"programId":        plain("The public id of the program.", identText),
			"referralCode":     plain("The slug.", identText),
			"uniqueClick":      plain("False marks a repeated visit.", byDefault(true)),
			"fullLandingUrl":   plain("The page that was visited, cut at 512 bytes. Origin, path, the slug's parameter, utm_*, sub and what the host allows are kept; what is no http or https URL is not."),
			"documentReferrer": plain("The page that the visitor came from. The same of it is kept."),
			"userAgent":        plain("The browser, cut at 512 bytes; the request's own header when it is not given."),
			"deviceId":         plain("The visitor, cut at 512 bytes."),
			"offer":            plain("Ask for offer in the answer.", byDefault(false)),
			"earlierClickId":   plain("The visitor's click before this one, in a program where the first click credits; others ignore it."),
		},
		operations: map[string]about{
			"POST /add-click": {
				id: "addClick", summary: "Record a click",
				required: []string{"programId", "referralCode"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
			"OPTIONS /add-click": {id: "addClickOptions", summary: "What a page may send"},
			"GET /affiliate-program-v2": {
				id: "getTrackingConfiguration", summary: "The configuration of a page's script",
				params:   map[string]string{"programId": "The public id of the program."},
				required: []string{"programId"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
			"OPTIONS /affiliate-program-v2": {id: "getTrackingConfigurationOptions", summary: "What a page may send"},
		},
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
