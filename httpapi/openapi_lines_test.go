package httpapi

import "github.com/tributary-go/tributary/affiliate"

// The arrays of objects of a body: lines of sales and refunds, rules of terms. Null in an
// optional field is the same as leaving it out.

func lineInputs() schema {
	id := func(text string) schema {
		return orNull(schema{Type: types{"string"}, MinLength: "1", MaxLength: "255", Pattern: `\S`, Description: text})
	}
	s := arrayOf(schema{Type: types{"object"}, Required: []string{"amount"}, Properties: named[schema]{
		{"id", id("The caller's own id of the line, unique among the lines of the sale; a refund names the line by it.")},
		{"productId", id("The caller's own id of the product.")},
		{"planId", id("The plan or price at the caller or its payment provider.")},
		{"name", orNull(schema{Type: types{"string"}, Description: "What it is called. One that is empty, too long or has control characters is left out."})},
		{"categories", orNull(schema{
			Type: types{"array"}, Description: "The categories of the product.", MaxItems: "16", UniqueItems: true,
			Items: &schema{Type: types{"string"}, MinLength: "1", MaxLength: "255", Pattern: `\S`},
		})},
		{"quantity", orNull(schema{Type: types{"number"}, Description: "How many pieces; 1 when it is not given.", ExclusiveMinimum: "0", Maximum: "922337203685477.5807"})},
		{"amount", schema{Type: types{"number"}, Description: "What all pieces cost together, before any discount, tax and shipping.", Minimum: "0", Maximum: "100000000000"}},
		{"discount", orNull(schema{Type: types{"number"}, Description: "What others than the promotional code took off; at most amount.", Minimum: "0", Maximum: "100000000000"})},
	}})
	s.MaxItems = "500"
	return s
}

func partInputs() schema {
	s := arrayOf(schema{Type: types{"object"}, Required: []string{"id", "amount"}, AdditionalProperties: false, Properties: named[schema]{
		{"id", schema{Type: types{"string"}, Description: "The id of the line.", MinLength: "1", Pattern: `\S`}},
		{"amount", schema{Type: types{"number"}, Description: "How much of it is refunded, without tax and shipping.", ExclusiveMinimum: "0", Maximum: "922337203685477.5807"}},
	}})
	s.MaxItems = "500"
	return s
}

func ruleInputs() schema {
	s := arrayOf(schema{Type: types{"object"}, Required: []string{"name", "pay"}, AdditionalProperties: false, Properties: named[schema]{
		{"name", schema{Type: types{"string"}, Description: ruleTexts()["name"], MinLength: "1", MaxLength: "100", Pattern: `\S`}},
		{"firm", orNull(schema{Type: types{"boolean"}, Description: ruleTexts()["firm"]})},
		{"when", orNull(whenInput())},
		{"pay", payInput()},
	}})
	s.MaxItems = "64"
	return s
}

func whenInput() schema {
	s := schema{Type: types{"object"}, Description: ruleTexts()["when"], AdditionalProperties: false}
	add := func(name string, of schema) {
		of.Description = whenTexts()[name]
		s.Properties = append(s.Properties, entry[schema]{name, orNull(of)})
	}
	for _, name := range []string{"products", "plans", "categories", "notProducts", "notPlans", "notCategories"} {
		add(name, schema{Type: types{"array"}, MaxItems: "100", UniqueItems: true, Items: &schema{Type: types{"string"}, MinLength: "1", MaxLength: "255", Pattern: `\S`}})
	}
	for _, name := range []string{"paymentFrom", "paymentTo", "monthFrom", "monthTo"} {
		add(name, schema{Type: types{"integer"}, Format: "int64", Minimum: "1"})
	}
	add("customer", schema{Type: types{"string"}, Enum: []any{affiliate.CustomerNew, affiliate.CustomerReturning}})
	add("paymentTriggers", schema{Type: types{"array"}, UniqueItems: true, Items: &schema{
		Type: types{"string"}, Enum: []any{affiliate.TriggerSignup, affiliate.TriggerPurchase, affiliate.TriggerBonus, affiliate.TriggerContentReward},
	}})
	add("conversions", schema{Type: types{"array"}, MaxItems: "100", UniqueItems: true, Items: &schema{Type: types{"string"}, MinLength: "1", MaxLength: "100", Pattern: `\S`}})
	return s
}

func payInput() schema {
	kinds := []any{affiliate.RulePercentage, affiliate.RuleFlat, affiliate.RuleUnit, affiliate.RuleNone}
	rate := schema{Type: types{"number"}, Description: payTexts()["commissionRate"], Minimum: "0", Maximum: "922337203685477.5807"}
	return schema{
		Type: types{"object"}, Description: ruleTexts()["pay"], Required: []string{"commissionType"}, AdditionalProperties: false,
		Properties: named[schema]{
			{"commissionType", schema{Type: types{"string"}, Description: payTexts()["commissionType"], Enum: kinds}},
			{"commissionRate", orNull(rate)},
		},
	}
}

func lineTexts() map[string]string {
	return map[string]string{
		"":               "A line of a sale. A sale without lines for whose product a rule was asked has one line: what was charged.",
		"id":             "The caller's own id; a refund names the line by it.",
		"productId":      "The caller's own id of the product.",
		"planId":         "The plan or price at the caller or its payment provider.",
		"name":           "What it is called.",
		"categories":     "The categories of the product.",
		"quantity":       "How many pieces.",
		"amount":         "What all pieces cost together, before any discount, tax and shipping.",
		"discount":       "What others than the promotional code took off.",
		"codeDiscount":   "What the promotional code took off.",
		"refundedAmount": "What refunds named of it.",
		"rule":           "The rule that decides what the line earns; null: the rate of the sale does.",
	}
}

func explainedLineTexts() map[string]string {
	return map[string]string{
		"":               "The part of a line in the commission of its sale.",
		"id":             "The caller's own id of the line; null also for the one part of a sale without lines.",
		"base":           "What the line has of the base of the sale.",
		"kept":           "What refunds left of that: a number, or a fraction in lowest terms.",
		"rule":           "The rule that decides; null: the terms of the sale do.",
		"commissionType": "What the rate is: a percentage, an amount for the sale, an amount for each piece, or nothing.",
		"commissionRate": "The rate; null: none.",
		"exact":          "What the line earns before the sum of all lines is rounded: a number, or a fraction in lowest terms.",
	}
}

func ruleTexts() map[string]string {
	return map[string]string{
		"":     "A rule gives some lines of some sales another commission than the rate of the terms. For each line the first rule that holds decides; one that pays nothing comes before all others.",
		"name": "What it is called; unique among the rules of the terms.",
		"when": "For which lines it holds: those that meet every condition. Without a condition it holds for all.",
		"pay":  "What it pays.",
		"firm": "True: it also holds for affiliates with a rate of their own or of their tier.",
	}
}

func whenTexts() map[string]string {
	return map[string]string{
		"":                "The conditions of a rule.",
		"products":        "The product of the line is one of these.",
		"plans":           "The plan of the line is one of these.",
		"categories":      "One of the line's categories is one of these.",
		"notProducts":     "The product of the line is none of these.",
		"notPlans":        "The plan of the line is none of these.",
		"notCategories":   "None of the line's categories is one of these.",
		"paymentFrom":     "From this payment of the customer on; the first is 1.",
		"paymentTo":       "Up to this payment of the customer, which is included.",
		"monthFrom":       "From this month of the customer on; the first is 1.",
		"monthTo":         "Up to this month of the customer, which is included.",
		"customer":        "NEW: this is the customer's first payment. RETURNING: there was an earlier one.",
		"paymentTriggers": "What the sale is for is one of these.",
		"conversions":     "It is one of these conversions. Such a rule has no other condition, and pays FLAT or NONE.",
	}
}

func payTexts() map[string]string {
	return map[string]string{
		"":               "What a rule pays.",
		"commissionType": "PERCENTAGE of what is kept of the lines; FLAT: an amount for the sale, once for all its lines that the rule decides; UNIT: an amount for each piece; NONE: nothing.",
		"commissionRate": "The percentage, 0–100, or the amount; with NONE 0, which may be left out.",
	}
}
