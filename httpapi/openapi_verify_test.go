package httpapi

import "github.com/tributary-go/tributary/affiliate"

func partnerNotes() described {
	return described{
		name: "Partner pages", text: "The pages for affiliates.", main: "PartnerToken",
		answers: map[string]map[string]string{"PartnerToken": {
			"":          "What opens the pages of an affiliate for a while.",
			"token":     "Can be used until it expires.",
			"url":       "Where it opens them: redirect the affiliate's click there at once.",
			"expiresAt": "From then on it opens nothing.",
		}},
		bodies: map[string]note{
			"affiliateId": plain("Whose pages.", identText),
			"ttlSeconds":  plain("How long the token lives, in seconds.", atLeast("30"), atMost("3600"), byDefault(60)),
		},
		operations: map[string]about{
			"POST /partner/token": {
				id: "createPartnerToken", summary: "Open the partner pages for an affiliate",
				text:     "For hosts that are not written in Go. Nothing is stored. Fires nothing.",
				required: []string{"affiliateId"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.PortalNotConfigured}, notFound: []affiliate.Reason{affiliate.AffiliateNotFound}},
			},
		},
	}
}

func verificationNotes() described {
	return described{
		name: "Books", text: "The check of the books.", main: "Verification",
		answers: map[string]map[string]string{
			"Verification": {
				"":         "What a check of the books found.",
				"holds":    "True: there is no breach.",
				"records":  "How many records were read.",
				"breaches": "The first 100 breaches.",
				"tookMs":   "How many milliseconds it took.",
			},
			"Breach": {
				"":          "An invariant that the records break.",
				"invariant": "Its number.",
				"object":    "The object that breaks it: a kind and an id.",
				"detail":    "How it is broken; never personal data.",
			},
		},
		operations: map[string]about{
			"GET /verify": {
				id: "verifyReport", summary: "Check the books",
				text: "Reads every record of the program in one snapshot, which takes as long as the books are large; the server's deadlines do not apply. " +
					"One runs at a time.",
				refused: refused{invalid: []affiliate.Reason{affiliate.VerifyRunning}},
			},
		},
	}
}
