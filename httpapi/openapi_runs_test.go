package httpapi

import (
	"encoding/json"

	"github.com/tributary-go/tributary/affiliate"
)

func payoutRunNotes() described {
	return described{
		name: "Payout runs", text: "Payouts of all affiliates to whom enough is due.", main: "PayoutRun",
		answers: map[string]map[string]string{
			"PayoutRun": {
				"":           "A payout run: what it did, or has done so far.",
				"externalId": "The caller's own id; the run is known by it.",
				"status":     "RUNNING until every affiliate was examined.",
				"until":      "What is positive is taken until then.",
				"created":    "How many payouts it made.",
				"skipped":    "How many affiliates with something open were paid nothing.",
				"total":      "The sum of the payouts.",
				"startedAt":  "When it was begun. Holding periods are judged at this time.",
				"finishedAt": "When it became DONE.",
			},
			"PayoutLine": {
				"":            "What a run does for one affiliate with something open.",
				"affiliateId": "Whose it is.",
				"amount":      "What is paid, or not paid for the reason.",
				"payoutId":    "The payout; null when there is none, as in every preview.",
				"skipped":     "Why nothing is paid; null when it is.",
			},
			"PayoutPreview": {
				"":      "A page of what a run would do.",
				"lines": "What it would do, oldest affiliate first.",
				"next":  "The cursor of the next page; null at the end.",
			},
		},
		bodies: map[string]note{
			"externalId":   limited(externalText),
			"until":        plain("What is positive is taken until then; a plain date is its last millisecond. Absent: the moment at which the run is begun."),
			"minimum":      plain("An affiliate to whom less is due is paid nothing.", atLeast("0"), byDefault(0)),
			"currency":     plain("The currency of the amounts, in any letter case: the program's. Another one is refused.", currencyText),
			"methods":      plain("Only affiliates who are paid in one of these ways; empty: all.", each(values[affiliate.PaymentMethod]())),
			"noDetails":    plain("Pay affiliates without a payment method or a payout email too.", byDefault(false)),
			"affiliateIds": plain("Only these affiliates; empty: all.", atMostItems("10000")),
			"exceptIds":    plain("None of these affiliates. One whom nobody knows is refused.", atMostItems("10000")),
			"limit":        plain("How many lines a page has, or how many affiliates this call examines.", atLeast("1"), atMost("1000")),
			"cursor":       plain("Where the page begins: next of the page before.", identText),
		},
		operations: map[string]about{
			"POST /payouts/preview": {
				id: "previewPayouts", summary: "Say what a payout run would do",
				text:    "Writes nothing. A page may be short, or empty, although more follow: next says so.",
				limits:  map[string]limit{"limit": byDefault(100)},
				refused: refused{invalid: []affiliate.Reason{affiliate.AffiliateNotFound}},
			},
			"POST /payouts/run": {
				id: "runPayouts", summary: "Begin a payout run, or go on with it",
				text: "Repeat it until the status is DONE, with a new Idempotency-Key each time. An affiliate has at most one payout in a run. " +
					"A run that is DONE answers what it did. Fires what POST /payouts fires.",
				required: []string{"externalId"},
				limits:   map[string]limit{"limit": byDefault(500)},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.AffiliateNotFound, affiliate.PayoutRunMismatch}},
			},
			"GET /payouts/runs": {
				id: "getPayoutRuns", summary: "Look a payout run up, or list payout runs",
				params: map[string]string{"externalId": "Answers the run or null."},
			},
			"GET /payouts/lines": {
				id: "getPayoutLines", summary: "List the lines of a payout run",
				text:     "Oldest affiliate first.",
				required: []string{"externalId"},
				params:   map[string]string{"externalId": "The run; an unknown one has no lines."},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
		},
	}
}

func atMostItems(n json.Number) limit { return func(s *schema) { s.MaxItems = n } }
