package httpapi

import "github.com/tributary-go/tributary/affiliate"

// shortPages is what every search says of its pages.
const shortPages = "Filters are combined. A page may be short, or empty, although more follow: Link says so."

// oldestFirst is what searches say of their order.
const oldestFirst = "True: the oldest first. False, and without it: the newest first."

// truth is for a parameter that is true or false.
func truth(s *schema) { s.Type = types{"boolean"} }

func couponSummaryOperations() map[string]about {
	return map[string]about{"GET /coupons/summaries": {
		id: "getCouponSummaries", summary: "List coupons without their codes", text: shortPages,
		params: map[string]string{"couponId": "The coupon with this id.", "valid": "The coupons that are valid, or those that are not."},
		limits: map[string]limit{"valid": truth},
	}}
}

// storedEventNotes are the notes of the events that the program has.
func storedEventNotes() described {
	return described{
		name: "Stored events", text: "The events of the program, whether or not an endpoint gets them.", main: "StoredEvent",
		answers: map[string]map[string]string{"StoredEvent": {
			"":           "One change of one object.",
			"eventId":    "The webhook-id of its deliveries, and a position for after.",
			"event":      "The event type.",
			"objectId":   "The id of the object; of a sale its integer in digits.",
			"revision":   "Rises by one with every event of the object, from 1.",
			"occurredAt": "When the change was made.",
			"payload":    "What endpoints get; null once a person in it was erased.",
		}},
		operations: map[string]about{"GET /events": {
			id: "getEvents", summary: "List events, or read those after a position",
			text: "Newest first; with after oldest first, in the order in which they were committed: a reader that keeps the last eventId misses none. " + shortPages,
			params: map[string]string{
				"type":     "The events of this type.",
				"objectId": "The events of this object.",
				"eventId":  "The event with this eventId.",
				"after":    "The eventId after which to go on, or start. It stands alone, with limit at most.",
			},
			limits: map[string]limit{"type": values[affiliate.EventType](), "after": matches("^(start|evt_[0-9a-f]{32})$")},
		}},
	}
}

func affiliateSearchOperations() map[string]about {
	return map[string]about{"GET /affiliates/search": {
		id: "searchAffiliates", summary: "Find affiliates", text: shortPages,
		params: map[string]string{
			"status":           "The affiliates in this status.",
			"externalId":       "The affiliate with this external id.",
			"commissionPlanId": "The affiliates on this plan.",
			"commissionTierId": "The affiliates in this tier.",
			"oldestFirst":      oldestFirst,
			"search":           "The affiliate with exactly this id, email, slug or external id; else those with this text in their name or email.",
		},
		limits: map[string]limit{"status": values[affiliate.AffiliateStatus](), "oldestFirst": truth, "search": nameText},
	}}
}

func referralSearchOperations() map[string]about {
	return map[string]about{"GET /referrals/search": {
		id: "searchReferrals", summary: "Find referrals", text: shortPages,
		params: map[string]string{
			"affiliateId":        "The referrals of this affiliate.",
			"subscriptionStatus": "The referrals in this status.",
			"since":              "Made then or later; a plain date is its first millisecond.",
			"until":              "Made then or earlier; a plain date is its last millisecond.",
			"oldestFirst":        oldestFirst,
			"search":             "The referrals with exactly this id, email or referredUserExternalId; else those with this text in their name or email.",
		},
		limits: map[string]limit{
			"subscriptionStatus": values[affiliate.SubscriptionStatus](), "since": dateParameter, "until": dateParameter, "oldestFirst": truth, "search": nameText,
		},
	}}
}

func codeSearchOperations() map[string]about {
	return map[string]about{"GET /promotional-codes/search": {
		id: "searchPromotionalCodes", summary: "Find promotional codes", text: shortPages,
		params: map[string]string{
			"couponId":    "The codes of this coupon.",
			"affiliateId": "The codes of this affiliate.",
			"active":      "The codes that are active, or those that are not.",
			"state":       "usable: an order that names nothing else could use it. exhausted: a limit, its own or the coupon's, is reached. upcoming: its time, or the coupon's, has not begun. expired: a time, its own or the coupon's, has passed.",
			"oldestFirst": oldestFirst,
			"search":      "Exactly this code; else the codes with this text in them.",
		},
		limits: map[string]limit{"active": truth, "state": values[affiliate.CodeState](), "oldestFirst": truth, "search": nameText},
	}}
}
