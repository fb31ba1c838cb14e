package httpapi

import "github.com/tributary-go/tributary/affiliate"

func webhookNotes() described {
	return described{
		name: "Webhooks", text: "Endpoints that events are delivered to, and their deliveries.", main: "WebhookEndpoint",
		answers: map[string]map[string]string{
			"WebhookEndpoint":       endpointTexts(),
			"IssuedWebhookEndpoint": {"": "An endpoint with the secret that was just made for it: the only time it is shown.", "secret": "whsec_ and 32 bytes in base64."},
			"TestResult": {
				"":           "What came of a test.",
				"delivered":  "True when the endpoint answered 2xx.",
				"statusCode": "What the endpoint answered; null: nothing.",
				"durationMs": "How long it took, in milliseconds.",
				"error":      "timeout, dns, tls, connection, redirect, blocked_address or internal, of a test also busy; null when an answer came.",
				"eventId":    "The webhook-id of the request.",
			},
			"Delivery": deliveryTexts(),
			"DeliveryAttempt": {
				"":           "A request that was made for a delivery.",
				"at":         "When it was made.",
				"trigger":    "The schedule, or a replay.",
				"url":        "Where it went.",
				"statusCode": "What the endpoint answered; null: nothing.",
				"durationMs": "How long it took, in milliseconds.",
				"error":      "timeout, dns, tls, connection, redirect, blocked_address or internal, of a test also busy; null when an answer came.",
				"response":   "The start of the answer's body, with *** where it repeats the endpoint's own headers.",
			},
			"WebhookEndpointDeleted": {"": "An endpoint was deleted.", "deletedWebhook": "What was deleted."},
			"DeletedWebhookEndpoint": {"": "What is left of an endpoint.", "url": "Where its deliveries went."},
		},
		bodies: map[string]note{
			"webhookId":   plain("The id of the endpoint.", identText),
			"url":         plain("https; port 443, or 1024 and above; no user info, no fragment.", matches("^[Hh][Tt][Tt][Pp][Ss]?://"), chars("1", "2048")),
			"events":      plain(`Distinct event types; ["*"] is all of them.`, distinct("1", "15"), each(values[affiliate.EventType](), andStar)),
			"description": plain("What the endpoint is for.", externalText),
			"active":      plain("True on a disabled endpoint enables it again.", byDefault(true)),
			"svixHeaders": plain("True repeats the signature headers under their svix-* names.", byDefault(false)),
			"headers": plain("Headers of the receiver's own by their names, such as Authorization; sent with every request to it, kept sealed, never answered. An update replaces all. "+
				"A name has 1–64 letters, digits and hyphens, a value 1–4,096 printable ASCII characters without blanks at its ends. Not Content-…, Webhook-…, Svix-…, Proxy-…, "+
				"nor Accept-Encoding, Connection, Expect, Host, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade, User-Agent.", atMostMembers("10")),
			"gracePeriodSeconds": plain("How long the old secret goes on signing beside the new one.", atLeast("0"), atMost("604800"), byDefault(86400)),
			"event":              plain("The event type to send a sample of.", values[affiliate.EventType]()),
			"deliveryId":         plain("The delivery to send again, whatever its state.", identText),
			"since":              plain("Every failed and skipped delivery from then on, at most 14 days ago; a plain date is its first millisecond."),
			"until":              plain("The end of the range; a plain date is its last millisecond."),
		},
		operations: webhookOperations(),
	}
}

// andStar allows the text that stands for all values.
func andStar(s *schema) { s.Enum = []any{"*"} }

func endpointTexts() map[string]string {
	return map[string]string{
		"":                        "A URL that events are delivered to.",
		"url":                     "Where the requests go.",
		"events":                  "The event types that it gets.",
		"description":             "What the endpoint is for.",
		"active":                  "False: it gets nothing.",
		"svixHeaders":             "True: the signature headers are repeated under their svix-* names.",
		"headerNames":             "The names of the receiver's own headers, sorted; their values are never answered.",
		"status":                  "In step with active.",
		"disabledReason":          "By hand, after a 410, or after failing for days; null while enabled.",
		"disabledAt":              "When it was disabled.",
		"firstFailureAt":          "Since when every attempt has failed.",
		"lastSuccessAt":           "When an attempt last succeeded.",
		"pausedUntil":             "The endpoint asked to be left alone until then.",
		"secretHint":              "The last 4 characters of the newest secret.",
		"previousSecretExpiresAt": "Until then an older secret signs as well.",
	}
}

func deliveryTexts() map[string]string {
	return map[string]string{
		"":              "The way of one event to one endpoint. The payload is there only where one delivery is asked for.",
		"webhookId":     "The endpoint; it may be gone.",
		"eventId":       "The webhook-id of the requests.",
		"event":         "The event type.",
		"state":         "skipped: the endpoint was disabled; canceled: it was deleted or gone.",
		"attemptCount":  "How many requests were made.",
		"nextAttemptAt": "When the next request is due, while pending.",
		"attempts":      "The requests that were made, oldest first.",
		"payload":       "The body of the requests, as under webhooks; null once a person in it was erased.",
	}
}

func webhookOperations() map[string]about {
	missing, unknown := []affiliate.Reason{affiliate.MissingField}, []affiliate.Reason{affiliate.WebhookNotFound}
	return map[string]about{
		"GET /webhooks": {
			id: "getWebhooks", summary: "Look an endpoint up, or list all",
			text:   "Never a secret.",
			params: map[string]string{"webhookId": "Answers the endpoint or null."},
		},
		"POST /webhooks": {
			id: "createWebhook", summary: "Add an endpoint",
			text:     "It gets the events of later changes. The secret is shown here only.",
			required: []string{"url", "events"},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.URLNotAllowed, affiliate.WebhookLimitReached,
			}},
		},
		"PUT /webhooks": {
			id: "updateWebhook", summary: "Change an endpoint",
			text:     "Pending deliveries go to the new URL from their next attempt on.",
			required: []string{"webhookId"}, clears: []string{"description", "headers"},
			refused: refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.URLNotAllowed}, notFound: unknown},
		},
		"DELETE /webhooks": {
			id: "deleteWebhook", summary: "Delete an endpoint",
			text:     "Its pending deliveries are canceled.",
			required: []string{"webhookId"},
			refused:  refused{invalid: missing, notFound: unknown},
		},
		"POST /webhooks/rotate-secret": {
			id: "rotateWebhookSecret", summary: "Give an endpoint a new secret",
			text:     "The old one goes on signing beside it until the grace period ends; at most two old ones are kept.",
			required: []string{"webhookId"},
			refused:  refused{invalid: missing, notFound: unknown},
		},
		"POST /webhooks/test": {
			id: "testWebhook", summary: "Send a sample to an endpoint",
			text:     "One signed request at once, not retried and not recorded. 200 with delivered false when it fails.",
			required: []string{"webhookId", "event"},
			refused:  refused{invalid: missing, notFound: unknown},
		},
		"GET /webhooks/deliveries": {
			id: "getDeliveries", summary: "Look a delivery up, or list deliveries",
			text: "Filters are combined.",
			params: map[string]string{
				"deliveryId": "Answers the delivery with its payload, or null.",
				"webhookId":  "Deliveries to this endpoint.",
				"eventId":    "Deliveries of this event.",
				"state":      "Deliveries in this state.",
				"event":      "Deliveries of this event type.",
				"since":      "Made then or later; a plain date is its first millisecond.",
				"until":      "Made then or earlier; a plain date is its last millisecond.",
			},
			limits: map[string]limit{
				"state": values[affiliate.DeliveryState](), "event": values[affiliate.EventType](),
				"since": dateParameter, "until": dateParameter,
			},
		},
		"POST /webhooks/replay": {
			id: "replayDeliveries", summary: "Send deliveries again",
			text:    "One by deliveryId, or every failed and skipped one of webhookId since an instant. The same bytes under a fresh timestamp.",
			oneOf:   []string{"deliveryId", "webhookId"},
			refused: refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.WebhookDisabled, affiliate.ReplayTooLarge}, notFound: []affiliate.Reason{affiliate.DeliveryNotFound, affiliate.WebhookNotFound}},
		},
	}
}
