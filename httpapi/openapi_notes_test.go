package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// The notes say what neither the tables of the handler nor the structs do: what operations
// are for and with which codes they refuse, and the limits that the engine sets. The test
// fails when a note has no field or operation, and when an operation has no note.

// described is a resource.
type described struct {
	name  string // of its tag
	paths string // of its operations, below /api/v1
	main  any    // a zero value of the answer with which its bodies share comments
	text  string
}

// limits are conditions of members, by their names.
type (
	limits map[string]limit
	limit  func(*schema)
)

// about describes an operation. Lists of names and of codes have blanks between them.
type about struct {
	id, summary, text string

	texts    map[string]string // of parameters that no filter declares, of members that no struct does
	required string            // of the query or the body, beside those that the struct says
	optional string            // of the body, although the struct has them without omitzero
	oneOf    string            // of the body: at least one
	forms    []schema          // of the body, beside oneOf: it has at least one of these forms
	clears   string            // of an update: what null clears although answers have it always
	keeps    string            // of an update: what null does not clear although answers may lack it
	misses   bool              // a write that may answer null
	limits   limits            // where the operation has its own
	headers  string            // of a 200, beside those that all have
	invalid  string            // codes of 400, beside those that all have
	notFound string            // codes of 404
}

// has reports whether a list has a name.
func has(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

// commonTexts are the texts of fields that mean the same everywhere.
func commonTexts() map[string]string {
	return map[string]string{
		"id":                 "The id. It never changes.",
		"createdAt":          "When the record was made.",
		"updatedAt":          "When the record was last changed.",
		"affiliateProgramId": "The program.",
		"programId":          "The program.",
		"message":            "What was done, for people.",
	}
}

// memberTexts are the texts of parameters and members that no struct declares.
func memberTexts() map[string]string {
	return map[string]string{
		"affiliateId":       "The id of the affiliate, or ext: and its externalId. DELETE takes its email as well.",
		"affiliateIds":      "The ids of the affiliates: all are changed or none.",
		"emailAddress":      "The present email of the affiliate.",
		"id":                "An old name of affiliateId.",
		"forfeit":           "What is owed to the affiliate is given up; without it that is refused.",
		"exempt":            "True when tier changes leave the affiliates alone.",
		"questionAnswers":   "Answers to the questions of the signup.",
		"referralId":        "The id of the referral, or the customer's email.",
		"referralIds":       "The ids of the referrals: all are changed or none.",
		"link":              "The slug.",
		"newLink":           "The new slug.",
		"couponId":          "The id of the coupon.",
		"promotionalCodeId": "The id of the code.",
		"code":              "The same as promoCode, which is read first.",
		"checkOnly":         "True: nothing is made, and the answer says what it would take.",
		"count":             "How many codes, for each affiliate; at most 10,000 in all.",
		"saleId":            "The id of the sale.",
		"saleIds":           "The ids of the sales; texts of digits are the same.",
		"externalId":        "The caller's own id of the sale.",
		"externalInvoiceId": "The caller's own id of the invoice.",
		"refundId":          "Unique within the sale: a repeat does nothing.",
		"all":               "True: every sale. It is needed when nothing else selects.",
		"paymentId":         "The payment.",
		"payoutId":          "The id of the payout.",
		"caseId":            "The id of the case.",
		"commissionPlanId":  "The id of the plan.",
		"commissionTierId":  "The id of the tier.",
		"webhookId":         "The id of the endpoint.",
		"cursor":            "The cursor of the step before; absent: from the start. It works only with the same other fields.",
		"limit":             "How many records the step looks at.",
		"before":            "Receipts, settled deliveries and events from before this date go; a plain date is its first millisecond.",
		"ttlSeconds":        "How long the token lives, in seconds.",

		"retention":            "From which age each kind goes, in days; a kind that is not named is kept.",
		"retention.events":     "Events without a delivery.",
		"retention.receipts":   "Answers to idempotency keys.",
		"retention.deliveries": "Settled deliveries.",
		"retention.clicks":     "Clicks that never became a referral.",
		"retention.holds":      "Holds, from the time until which they held. A sale that names one that is gone is refused.",

		"codeStructure.prefix":            "Read where prefix is not given outside.",
		"codeStructure.randomCharsLength": "Read where randomCharsLength is not given outside.",
		"codeStructure.randomCharsCase":   "Read where randomCharsCase is not given outside.",

		"programId":        "The public id of the program.",
		"referralCode":     "The slug.",
		"uniqueClick":      "False marks a repeated visit.",
		"fullLandingUrl":   "The page that was visited, cut at 512 bytes. Origin, path, the slug's parameter, utm_*, sub and what the host allows are kept; what is no http or https URL is not.",
		"documentReferrer": "The page that the visitor came from. The same of it is kept.",
		"userAgent":        "The browser, cut at 512 bytes.",
		"deviceId":         "The visitor, cut at 512 bytes.",
		"offer":            "Ask for offer in the answer.",
		"earlierClickId":   "The visitor's click before this one, in a program where the first click credits; others ignore it.",
	}
}

// memberLimits are the limits of members of bodies, by their name, or by struct and name.
func memberLimits() limits {
	days := allOf(atLeast("1"), atMost("36500"))
	parameter := matches("^[A-Za-z0-9_-]{1,64}$")
	const tag = "[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"
	noTag := allOf(chars("", "35"), matches("^("+tag+")?$"))
	const label = "[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
	return limits{
		"firstName": nameText, "lastName": nameText, "email": emailText, "emailAddress": emailIdent,
		"externalId": externalText, "commissionRate": atLeast("0"), "affiliateLink": slugText,
		"language": allOf(chars("", "35"), matches("^"+tag+"$")), "AffiliateUpdate.language": noTag, "Acceptance.language": noTag,
		"note": chars("", "2000"), "affiliateGroupId": onlyNull, "sendWelcomeEmail": byDefault(nil),
		"Merge.from": identText, "Merge.into": identText, "id": identText, "affiliateId": identText, "referralId": identText, "cursor": identText,
		"limit": allOf(atLeast("1"), atMost("10000"), byDefault(2000)), "affiliateIds": distinct("1", "1000"),
		"payoutEmail": emailText, "paymentMethod": values[affiliate.PaymentMethod](), "newLink": slugText,
		"affiliateEmail": emailIdent, "name": externalText,

		"couponType": byDefault("PERCENTAGE"), "percentOff": allOf(atLeast("1"), atMost("100")), "amountOff": above("0"),
		"currency": currencyText, "duration": byDefault("forever"), "durationInMonths": allOf(atLeast("1"), atMost("1200")),
		"maxRedemptions": atLeast("1"), "productIds": allOf(distinct("", "1000"), each(externalText)), "valid": byDefault(true),
		"maxDiscount": above("0"), "maxDiscountTotal": above("0"), "maxRedemptionsPerCustomer": atLeast("1"),

		"code": codeText, "active": byDefault(true), "minimumQuantity": above("0"), "minimumAmount": atLeast("0"),
		"minimumAmountCurrency": currencyText, "customerId": externalText,
		"codeStructure.randomChars": allOf(byDefault(false), atLeast("1"), atMost("32")),
		"codeStructure.prefix":      chars("1", "50"), "codeStructure.randomCharsLength": allOf(atLeast("1"), atMost("32")),
		"codeStructure.randomCharsCase": values[affiliate.CharsCase](), "prefix": chars("1", "50"),
		"randomCharsLength": allOf(atLeast("1"), atMost("32"), byDefault(4)), "randomCharsCase": byDefault("uppercase"),
		"count": allOf(atLeast("1"), atMost("10000")), "checkOnly": byDefault(false),

		"promoCode": identText, "promoCodes": allOf(distinct("1", "20"), each(identText)), "HoldParams.id": externalText,
		"Order.email": matches(`^\s*([^\s@]+@[^\s@]+)?\s*$`), "referredUserExternalId": externalText,
		"Order.referredUserExternalId": optionalID, "SaleParams.referredUserExternalId": optionalID,
		"ConversionParams.referredUserExternalId": optionalID, "exchangeRate": above("0"),
		"totalEarned": allOf(above("0"), atMost("100000000000")), "subtotal": allOf(above("0"), atMost("100000000000")),
		"product.productId": externalText, "product.quantity": above("0"), "product.price": atLeast("0"), "product.name": externalText,

		"plan": allOf(externalText, byDefault("N/A")), "subscriptionStatus": only("ACTIVE", "SUBMITTED", "DECLINED"),
		"status": deprecated, "notes": chars("", "10000"), "metadata": open, "referralIds": distinct("1", "1000"),

		"holdId": externalText, "externalInvoiceId": externalText, "commissionEarned": atLeast("0"),
		"tax": allOf(atLeast("0"), byDefault(0)), "shipping": allOf(atLeast("0"), byDefault(0)), "saleIds": distinct("1", "100"),
		"amount": above("0"), "conversion": nameText, "refundId": externalText, "clawback": byDefault(false), "all": byDefault(false),

		"Line.id": tagText, "Line.productId": tagText, "Line.planId": tagText, "Line.name": anyText,
		"Line.categories": allOf(distinct("", "16"), each(tagText)), "Line.quantity": allOf(above("0"), atMost(largest)),
		"Line.amount": allOf(atLeast("0"), atMost("100000000000")), "Line.discount": allOf(atLeast("0"), atMost("100000000000")),
		"RefundLine.id": allOf(identText, notBlank), "RefundLine.amount": allOf(above("0"), atMost(largest)),
		"Answer.answer": chars("1", "10000"),

		"decision": values[affiliate.PaymentDecision](), "minimum": allOf(atLeast("0"), byDefault(0)),
		"failedReason": chars("1", "10000"), "returnedReason": chars("1", "10000"), "reason": chars("1", "10000"),
		"AdjustmentParams.kind":   only("BONUS", "CORRECTION", "DISPUTE_WON", "CHARGEBACK_FEE"),
		"CaseParams.kind":         only("SALE_CLAIM", "SALE_QUESTION", "PAYOUT_REQUEST"),
		"CaseParams.text":         chars("0", "2000"),
		"CaseAnswer.answer":       chars("1", "2000"),
		"AdjustmentParams.amount": allOf(atLeast("-100000000000"), atMost("100000000000")),
		"PayoutRun.affiliateIds":  atMostItems("10000"), "exceptIds": atMostItems("10000"),

		"numberOfPayments": atLeast("1"), "numberOfMonths": allOf(atLeast("1"), atMost("1200")),
		"holdDays": allOf(atLeast("0"), atMost("3650"), byDefault(0)), "commissionType": byDefault("PERCENTAGE"),
		"monthsFrom": byDefault("PAYMENT"), "maxPerSale": atLeast("0"), "maxPerCustomer": atLeast("0"),
		"paymentTrigger": byDefault("PURCHASE"), "autoApproveRewards": byDefault(true),
		"tier": atLeast("1"), "emoji": externalText, "minReferrals": allOf(atLeast("0"), byDefault(0)),
		"minRevenue": allOf(atLeast("0"), byDefault(0)), "conditionType": byDefault("ALL"),

		"TierParams.per": only("day", "week", "month", "quarter", "year"), "TierUpdate.per": only("day", "week", "month", "quarter", "year"),
		"gracePeriods": allOf(atLeast("0"), atMost("100"), byDefault(0)), "atPeriodEnd": byDefault(false),

		"Budget.per": only("day", "week", "month", "quarter", "year"), "Budget.utmCampaign": chars("1", "255"),
		"Budget.maxCommission": atLeast("0"), "Budget.maxRewards": atLeast("1"),

		"Bonus.name": allOf(nameText, notBlank), "Bonus.per": only("day", "week", "month", "quarter", "year"),
		"Bonus.to": byDefault("AFFILIATE"), "Bonus.signUps": atLeast("1"), "Bonus.customers": atLeast("1"), "Bonus.minSpend": atLeast("0"),
		"Bonus.revenue": atLeast("0"), "Bonus.times": allOf(atLeast("1"), atMost("10000")), "Bonus.amount": above("0"),

		"Rule.name": allOf(nameText, notBlank), "RulePay.commissionRate": allOf(atLeast("0"), atMost(largest)), "RuleWhen.conversions": allOf(hundred, each(allOf(nameText, notBlank))),
		"RuleWhen.products": tags, "RuleWhen.plans": tags, "RuleWhen.categories": tags,
		"RuleWhen.notProducts": tags, "RuleWhen.notPlans": tags, "RuleWhen.notCategories": tags,
		"RuleWhen.paymentFrom": atLeast("1"), "RuleWhen.paymentTo": atLeast("1"), "RuleWhen.monthFrom": atLeast("1"), "RuleWhen.monthTo": atLeast("1"),

		"SettingsUpdate.name": allOf(externalText, notBlank), "urlModifier": parameter,
		"SettingsUpdate.oldUrlModifiers":     allOf(atMostItems("20"), each(parameter)),
		"SettingsUpdate.keptParameters":      allOf(atMostItems("20"), each(parameter)),
		"SettingsUpdate.cookieDomain":        matches(`^(` + label + `\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`),
		"SettingsUpdate.cookieDuration":      days,
		"SettingsUpdate.destinations":        allOf(atMostItems("20"), each(matches("^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]"))),
		"SettingsUpdate.refundWindowSeconds": allOf(atLeast("1"), atMost("3153600000")),
		"SettingsUpdate.payoutMinimum":       atLeast("0"),
		"SettingsUpdate.company":             allOf(chars("1", "2000"), notBlank),
		"SettingsUpdate.termsText":           allOf(chars("1", "50000"), notBlank),
		"SettingsUpdate.termsVersion":        allOf(chars("1", "100"), notBlank),

		"referralCode": identText, "uniqueClick": byDefault(true), "offer": byDefault(false), "programId": identText,
		"retention.events": days, "retention.receipts": days, "retention.deliveries": days, "retention.clicks": days, "retention.holds": days,
		"ttlSeconds": allOf(atLeast("30"), atMost("3600"), byDefault(60)),

		"url": allOf(matches("^[Hh][Tt][Tt][Pp][Ss]?://"), chars("1", "2048")), "events": allOf(distinct("1", "15"), each(orStar)),
		"description": externalText, "headers": func(s *schema) { s.MaxProperties = "10" },
		"gracePeriodSeconds": allOf(atLeast("0"), atMost("604800"), byDefault(86400)),
	}
}

// allOf applies several limits.
func allOf(limits ...limit) limit {
	return func(s *schema) {
		for _, l := range limits {
			l(s)
		}
	}
}

func chars(least, most json.Number) limit {
	return func(s *schema) { s.MinLength, s.MaxLength = least, most }
}

func atLeast(n json.Number) limit { return func(s *schema) { s.Minimum = n } }
func atMost(n json.Number) limit  { return func(s *schema) { s.Maximum = n } }
func above(n json.Number) limit   { return func(s *schema) { s.ExclusiveMinimum = n } }
func atMostItems(n json.Number) limit {
	return func(s *schema) { s.MaxItems = n }
}
func matches(re string) limit { return func(s *schema) { s.Pattern = re } }
func byDefault(v any) limit   { return func(s *schema) { s.Default = v } }
func onlyNull(s *schema)      { *s = schema{Type: types{"null"}, Description: s.Description} }

// values allows the values of an enumeration of the engine.
func values[T ~string]() limit {
	return func(s *schema) { s.enum = reflect.TypeFor[T]().Name() }
}

// only allows the listed values.
func only(list ...any) limit { return func(s *schema) { s.Enum = list } }

// distinct requires a list of least to most different entries.
func distinct(least, most json.Number) limit {
	return func(s *schema) { s.MinItems, s.MaxItems, s.UniqueItems = least, most, true }
}

// each applies limits to the entries of a list.
func each(limits ...limit) limit {
	return func(s *schema) { allOf(limits...)(s.Items) }
}

// The limits of values that several resources have.

func slugText(s *schema)     { s.Pattern = "^[A-Za-z0-9-]{1,100}$" }
func codeText(s *schema)     { s.MinLength, s.Pattern = "1", `^\s*[!-~]{1,100}\s*$` }
func emailText(s *schema)    { s.Format, s.Pattern = "email", `^\s*[^\s@]+@[^\s@]+\s*$` }
func emailIdent(s *schema)   { s.MinLength, s.Format = "1", "email" } // any other text is an unknown one
func nameText(s *schema)     { s.MinLength, s.MaxLength = "1", "100" }
func externalText(s *schema) { s.MinLength, s.MaxLength = "1", "255" }
func identText(s *schema)    { s.MinLength = "1" }
func optionalID(s *schema)   { anyText(s); s.MaxLength = "255" } // an empty text is none
func currencyText(s *schema) { s.Pattern = "^[A-Za-z]{3}$" }
func dateText(s *schema)     { s.AnyOf = []schema{{Format: "date-time"}, {Format: "date"}} }

func deprecated(s *schema) { s.Deprecated = true }
func open(s *schema)       { s.AdditionalProperties = true }
func nullable(s *schema)   { s.Type = append(s.Type, "null") } // it must be there
func orStar(s *schema)     { s.Enum = append([]any{"*"}, s.Enum...) }
func hundred(s *schema)    { s.MaxItems = "100" }
func tags(s *schema)       { hundred(s); tagText(s.Items) }
func notBlank(s *schema)   { s.Pattern = `\S` }
func tagText(s *schema)    { externalText(s); notBlank(s) }

// largest is the largest amount.
const largest = "922337203685477.5807"

// anyText drops all limits of a text.
func anyText(s *schema) { s.MinLength, s.MaxLength, s.Pattern, s.Format = "", "", "", "" }

// dateParameter repeats the type in each form, because some readers of
// parameters only look there.
func dateParameter(s *schema) {
	dateText(s)
	for i := range s.AnyOf {
		s.AnyOf[i].Type = s.Type
	}
}
