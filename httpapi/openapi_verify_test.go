package httpapi

import "github.com/tributary-go/tributary/affiliate"

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
