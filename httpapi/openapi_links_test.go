package httpapi

import "github.com/tributary-go/tributary/affiliate"

func linkNotes() described {
	return described{
		name: "Links", text: "Referral links: slugs with their owners and statistics.", main: "AffiliateLink",
		answers: map[string]map[string]string{
			"AffiliateLink": {
				"":             "A referral link.",
				"link":         "The slug. Unique and looked up without regard to letter case.",
				"affiliate":    "The owner.",
				"program":      "The program.",
				"clicks":       "Recorded clicks.",
				"referrals":    "Live referrals of this link.",
				"sales":        "Live sales of this link that are not refunded in full.",
				"conversions":  "Conversions of this link that are not refunded. Not there when there are none.",
				"totalRevenue": "The sum of what is kept of those sales: totalEarned less refundedAmount.",
				"aliases":      "Slugs that the link had before, here or at another service, and that lead to it too. Absent when there are none.",
				"fullURLs":     "One for each base URL of the program.",
			},
			"LinkOwner":             {"": "The owner of a link.", "name": "First and last name joined by a space.", "email": "Lower case."},
			"LinkProgram":           {"": "The program of a link.", "name": "What it is called.", "currency": "ISO 4217 code of every amount."},
			"FullURL":               {"": "A page of the program with the slug in its query.", "baseUrl": "The page.", "fullUrl": "The page with the slug."},
			"AffiliateLinkDeleted":  {"": "A link was deleted.", "deletedLink": "What was deleted."},
			"DeletedAffiliateLink":  {"": "What is left of a link.", "link": "The slug."},
			"AffiliateLinkReleased": {"": "Anybody may have a former slug.", "releasedLink": "The slug, and whose it was."},
			"ReleasedSlug":          {"": "A former slug.", "link": "The slug.", "affiliateId": "Whose it was. The affiliate may be gone."},
		},
		bodies: map[string]note{
			"id":             plain("The id of the link.", identText),
			"link":           plain("The slug."),
			"newLink":        plain("The new slug.", slugText),
			"affiliateId":    plain("The owner, by id.", identText),
			"affiliateEmail": plain("The owner, by email.", emailIdent),
		},
		operations: linkOperations(),
	}
}

func linkOperations() map[string]about {
	return map[string]about{
		"GET /links": {
			id: "getLinks", summary: "List links",
			text: "Always an array.",
			params: map[string]string{
				"id":             "The link with this id.",
				"link":           "The link with this slug, in any letter case.",
				"affiliateId":    "The links of this affiliate.",
				"affiliateEmail": "The links of the affiliate with this email.",
			},
		},
		"POST /links": {
			id: "createLink", summary: "Add a link to an affiliate",
			text:     "Never replaces a link. Fires affiliate.updated of the owner.",
			required: []string{"link"}, oneOf: []string{"affiliateId", "affiliateEmail"},
			limits: map[string]limit{"link": slugText},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.SlugSyntax, affiliate.AffiliateNotFound,
				affiliate.IdentifiersMismatch, affiliate.SlugTaken, affiliate.LinkLimitReached,
			}},
		},
		"PUT /links": {
			id: "renameLink", summary: "Give a link another slug",
			text:     "Id, owner and history stay, and the old slug goes on leading to the link. Fires affiliate.updated of the owner.",
			required: []string{"newLink"}, oneOf: []string{"id", "link"},
			limits: map[string]limit{"link": identText},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.SlugSyntax, affiliate.IdentifiersMismatch, affiliate.SlugTaken, affiliate.LinkLimitReached},
				notFound: []affiliate.Reason{affiliate.LinkNotFound},
			},
		},
		"DELETE /links": {
			id: "deleteLink", summary: "Delete a link",
			text:   "Its clicks, referrals and sales stay. Its slugs lead to nobody: its owner may have them again, and nobody else. Fires affiliate.updated of the former owner.",
			oneOf:  []string{"id", "link"},
			limits: map[string]limit{"link": identText},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.IdentifiersMismatch},
				notFound: []affiliate.Reason{affiliate.LinkNotFound},
			},
		},
		"POST /links/release": {
			id: "releaseSlug", summary: "Let anybody have a former slug",
			text:     "One that a link had before, which leads there no longer, or one that leads to nobody since its link or its affiliate was deleted. Posts with it may then credit somebody else. Fires affiliate.updated of the owner of the link that it led to.",
			required: []string{"link"},
			limits:   map[string]limit{"link": identText},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.SlugTaken},
				notFound: []affiliate.Reason{affiliate.LinkNotFound},
			},
		},
	}
}
