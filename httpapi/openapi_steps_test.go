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
		"affiliateId":    plain("Of the affiliate.", identText),
		"affiliateEmail": plain("Of the affiliate, by email.", identText),
		"all":            plain("True: every sale. It is needed when nothing else selects.", byDefault(false)),
		"cursor":         stepCursor(),
		"limit":          stepLimit(),
	}
}
