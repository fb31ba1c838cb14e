package httpapi

func programNotes() described {
	return described{
		name: "Program", text: "The settings of the program, which are code of its host.", main: "Settings",
		answers: map[string]map[string]string{
			"Settings": {
				"":                     "What the program is configured to do.",
				"name":                 "Shown on links.",
				"currency":             "Of every sale.",
				"timeZone":             "Where a plain date ends: the name of an IANA zone.",
				"urlModifier":          "The query parameter of the slug.",
				"cookieDuration":       "For how many days of 24 hours a click attributes.",
				"destinations":         "Where links lead to.",
				"terms":                "What affiliates without a rate, tier or plan of their own earn.",
				"autoApprove":          "True: new affiliates are ACTIVE. False: INACTIVE.",
				"commissionOnTax":      "False: tax is deducted before the commission.",
				"commissionOnShipping": "False: shipping is deducted before the commission.",
				"refundWindowSeconds":  "How long after a sale it may be refunded; null: no limit.",
				"cascadeEvents":        "True: a deletion also fires the events of what goes with it.",
				"deliverySchedule":     "The seconds before each attempt of a delivery; its length is the number of attempts.",
			},
			"LinkDestination": {
				"":       "A page that links lead to.",
				"url":    "The page.",
				"params": "Query parameters that follow the slug.",
			},
			"ProgramTerms": {
				"":                 "What a sale earns.",
				"commissionType":   "What the rate is.",
				"commissionRate":   "A percentage, or an amount of the flat type.",
				"numberOfPayments": "It pays for so many payments of a referral; null: no stop.",
				"numberOfMonths":   "It pays for so many months of a referral; null: no stop.",
				"holdDays":         "Days of 24 hours until a payout may take the commission of a sale.",
			},
		},
		operations: map[string]about{
			"GET /program": {id: "getProgram", summary: "Read the settings of the program"},
		},
	}
}
