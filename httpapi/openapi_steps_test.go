package httpapi

import "github.com/tributary-go/tributary/affiliate"

// Jobs that are done in steps.

func stepTexts() map[string]string {
	return map[string]string{
		"":        "What a step of a job has done.",
		"done":    "True: the job is over.",
		"cursor":  "Where the next step goes on; null when the job is over.",
		"looked":  "How many records the step looked at.",
		"changed": "How many of them it changed.",
	}
}

func stepCursor() note {
	return plain("The cursor of the step before; absent: from the start. It works only with the same other fields.", identText)
}

func stepLimit() note {
	return plain("How many records the step looks at.", atLeast("1"), atMost("10000"), byDefault(2000))
}

func recalculateOperations() map[string]about {
	return map[string]about{
		"POST /sales/recalculate": {
			id: "recalculateSales", summary: "Calculate commissions again with the present terms",
			text: "The fields that select sales are combined; all: true selects every sale. Sales in a payout, refunded sales and what was set by hand stay. " +
				"In steps: send the cursor of the answer until it is done. A step that is repeated has no second effect. Fires sale.updated where the sale changed.",
			oneOf:   []string{"affiliateId", "affiliateEmail", "referralId", "all"},
			refused: refused{invalid: []affiliate.Reason{affiliate.MissingField}},
		},
	}
}

func recalculateBodies() map[string]note {
	return map[string]note{
		"affiliateEmail": plain("Of the affiliate, by email.", identText),
		"all":            plain("True: every sale. It is needed when nothing else selects.", byDefault(false)),
		"cursor":         stepCursor(),
		"limit":          stepLimit(),
	}
}

// erasureNote is what the document says of an erasure.
func erasureNote(id, summary, field string, refused refused) about {
	return about{
		id: id, summary: summary, required: []string{field}, refused: refused,
		text: "Names, emails and what else tells who somebody is are blanked in the record, in what belongs to it, in stored answers and in payloads; money and totals stay. " +
			"In steps: send the cursor of the answer until it is done. The last step blanks the person, and fires the updated event once.",
	}
}

func erasureTexts() map[string]string {
	texts := stepTexts()
	texts[""] = "What a step of an erasure has done."
	texts["payloadsPending"] = "Payloads of this step that wait for a delivery: erase again later."
	return texts
}

// upkeepNotes are the notes of what drops old records.
func upkeepNotes() described {
	pruning := stepTexts()
	pruning[""] = "What a step has dropped."
	pruning["removed"] = "How many records of each kind."
	return described{
		name: "Upkeep", text: "What keeps a program small.", main: "Pruning",
		answers: map[string]map[string]string{
			"Pruning": pruning,
			"Erasure": erasureTexts(),
			"Retained": {
				"": "How many records were deleted.", "events": "Events without a delivery.", "receipts": "Answers to idempotency keys.",
				"deliveries": "Settled ones.", "clicks": "Those that never became a referral.",
				"payments": "Payments of providers that never had a sale, and payers without a referral.",
				"holds":    "Holds; absent: none.",
			},
		},
		bodies: map[string]note{
			"before":               plain("Receipts, settled deliveries and events from before this date go; a plain date is its first millisecond."),
			"retention":            plain("From which age each kind goes, in days; a kind that is not named is kept."),
			"retention.events":     plain("Events without a delivery.", atLeast("1"), atMost("36500")),
			"retention.receipts":   plain("Answers to idempotency keys.", atLeast("1"), atMost("36500")),
			"retention.deliveries": plain("Settled deliveries.", atLeast("1"), atMost("36500")),
			"retention.clicks":     plain("Clicks that never became a referral.", atLeast("1"), atMost("36500")),
			"retention.holds":      plain("Holds, from the time until which they held. A sale that names one that is gone is refused.", atLeast("1"), atMost("36500")),
			"cursor":               stepCursor(),
			"limit":                stepLimit(),
		},
		operations: map[string]about{
			"POST /prune": {
				id: "prune", summary: "Drop what is old",
				text:    "In steps: send the cursor of the answer until it is done. Fires nothing.",
				oneOf:   []string{"before", "retention"},
				refused: refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.RetentionTooShort}},
			},
		},
	}
}
