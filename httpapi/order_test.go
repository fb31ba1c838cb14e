package httpapi_test

import (
	"strconv"
	"strings"
	"testing"
)

// TestOrderOfFields: when a body has several errors, the first in the
// contract's order is answered, whether the handler or the engine finds it. The
// order is the target, unknown fields, then each field: required, type, its own
// rule (contract 1.9).
func TestOrderOfFields(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	id := strings.NewReplacer("COUPON", s.coupon.String(), "AFFILIATE", s.affiliate.String())
	for i, c := range []struct{ op, body, want string }{
		{"POST affiliates", `{"firstName":"","lastName":5}`, "missing_field: First name is required [firstName]"},
		{"POST affiliates", `{"firstName":5,"lastName":""}`, "invalid_field: firstName must be a string [firstName]"},
		{"POST affiliates", `{"firstName":"  ","lastName":5}`, "missing_field: First name is required [firstName]"},
		{"POST affiliates", `{"firstName":"a","email":5}`, "missing_field: Last name is required [lastName]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"x","affiliateLink":5}`, "invalid_field: Email is invalid [email]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":5,"affiliateLink":"a b"}`, "invalid_field: email must be a string [email]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","commissionRate":"x","affiliateLink":"a b"}`,
			"invalid_field: commissionRate must be a number [commissionRate]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","affiliateLink":"","affiliateStatus":5}`,
			"slug_syntax: Link can only contain letters, numbers, and hyphens [affiliateLink]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","commissionRate":101,"sendWelcomeEmail":1}`,
			"invalid_field: sendWelcomeEmail must be a boolean [sendWelcomeEmail]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","commissionPlanId":5,"affiliateGroupId":"g"}`,
			"invalid_field: commissionPlanId must be a string [commissionPlanId]"},
		{"POST affiliates", `{"firstName":"a","lastName":"b","email":"b@example.com","commissionPlanId":"","affiliateGroupId":"g"}`,
			"invalid_field: commissionPlanId must not be empty [commissionPlanId]"},
		{"PUT affiliates", `{"firstName":5}`, "missing_field: Affiliate ID or email address is required [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":"","firstName":5}`, "missing_field: Affiliate ID or email address is required [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":5,"firstName":5}`, "invalid_field: affiliateId must be a string [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":"AFFILIATE","firstName":null,"email":5}`, "invalid_field: firstName must not be null [firstName]"},
		{"PUT affiliates", `{"affiliateId":"x","email":"x","affiliateLink":5}`, "invalid_field: Email is invalid [email]"},
		{"PUT affiliates", `{"affiliateId":"x","affiliateLink":"a b","affiliateStatus":5}`,
			"slug_syntax: Link can only contain letters, numbers, and hyphens [affiliateLink]"},
		{"PUT affiliates", `{"affiliateId":"x","affiliateStatus":"vip","firstName":5}`, "invalid_field: firstName must be a string [firstName]"},
		{"PUT affiliates", `{"affiliateId":"\u00a0"}`, "missing_field: Affiliate ID or email address is required [affiliateId]"},
		{"PUT affiliates", `{"emailAddress":" ","firstName":5}`, "missing_field: Affiliate ID or email address is required [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":" ","emailAddress":"ada@example.com"}`, "invalid_field: affiliateId must not be empty [affiliateId]"},
		{"PUT affiliates", `{"affiliateId":"AFFILIATE","emailAddress":""}`, "invalid_field: emailAddress must not be empty [emailAddress]"},
		{"DELETE affiliates", `{"affiliateId":""}`, "missing_field: Affiliate ID is required [affiliateId]"},
		{"DELETE affiliates", `{"affiliateId":" "}`, "missing_field: Affiliate ID is required [affiliateId]"},
		{"DELETE affiliates", `{"affiliateId":5}`, "invalid_field: affiliateId must be a string [affiliateId]"},

		{"POST links", `{"link":"","affiliateId":5}`, "missing_field: Link is required [link]"},
		{"POST links", `{"link":"a b","affiliateId":5}`, "slug_syntax: Link can only contain letters, numbers, and hyphens [link]"},
		{"POST links", `{"link":5,"affiliateId":""}`, "invalid_field: link must be a string [link]"},
		{"POST links", `{"link":"ok","affiliateEmail":5}`, "invalid_field: affiliateEmail must be a string [affiliateEmail]"},
		{"POST links", `{"link":"ok","affiliateId":""}`, "missing_field: Affiliate ID or email is required [affiliateId]"},
		{"PUT links", `{"newLink":5}`, "missing_field: Link ID or link is required [id]"},
		{"PUT links", `{"id":"x","newLink":5}`, "invalid_field: newLink must be a string [newLink]"},
		{"PUT links", `{"id":5,"newLink":""}`, "invalid_field: id must be a string [id]"},
		{"PUT links", `{"link":5,"newLink":""}`, "invalid_field: link must be a string [link]"},
		{"PUT links", `{"link":" ","newLink":"a"}`, "missing_field: Link ID or link is required [id]"},
		{"PUT links", `{"id":"x","link":"","newLink":"a"}`, "invalid_field: link must not be empty [link]"},
		{"DELETE links", `{"id":" ","link":"ada"}`, "invalid_field: id must not be empty [id]"},
		{"DELETE links", `{"id":"x","link":""}`, "invalid_field: link must not be empty [link]"},
		{"PUT links", `{"link":"ada","newLink":""}`, "missing_field: New link is required [newLink]"},

		{"POST coupons", `{"couponType":5}`, "missing_field: Name is required [name]"},
		{"POST coupons", `{"name":5,"percentOff":500}`, "invalid_field: name must be a string [name]"},
		{"POST coupons", `{"name":"a","couponType":"X","percentOff":"y"}`, "invalid_field: couponType must be one of PERCENTAGE, FLAT [couponType]"},
		{"POST coupons", `{"name":"a","couponType":5,"percentOff":500}`, "invalid_field: couponType must be a string [couponType]"},
		{"POST coupons", `{"name":"a","amountOff":"x"}`, "missing_field: Percent off is required when the coupon type is PERCENTAGE [percentOff]"},
		{"POST coupons", `{"name":"a","percentOff":500,"amountOff":"x"}`, "invalid_field: Percent off must be between 1 and 100 [percentOff]"},
		{"POST coupons", `{"name":"a","percentOff":10,"amountOff":"x","currency":5}`, "invalid_field: amountOff must be a number [amountOff]"},
		{"POST coupons", `{"name":"a","couponType":"FLAT","amountOff":"x"}`, "invalid_field: amountOff must be a number [amountOff]"},
		{"POST coupons", `{"name":"a","couponType":"FLAT","amountOff":1,"duration":5}`, "missing_field: Currency is required when the coupon type is FLAT [currency]"},
		{"POST coupons", `{"name":"a","percentOff":10,"duration":"repeating","durationInMonths":"3"}`, "invalid_field: durationInMonths must be an integer [durationInMonths]"},
		{"POST coupons", `{"name":"a","percentOff":10,"duration":"repeating","maxRedemptions":"3"}`,
			"missing_field: Duration in months is required when the duration is repeating [durationInMonths]"},
		{"POST coupons", `{"name":"a","percentOff":10,"duration":"x","durationInMonths":"3"}`, "invalid_field: duration must be one of once, forever, repeating [duration]"},
		{"POST coupons", `{"name":"a","percentOff":10,"limitToProducts":true,"productIds":5}`, "invalid_field: productIds must be an array of strings [productIds]"},
		{"POST coupons", `{"name":"a","percentOff":10,"limitToProducts":true,"valid":5}`, "missing_field: Product IDs are required when limitToProducts is true [productIds]"},
		{"POST coupons", `{"name":"a","percentOff":10,"limitToProducts":"false","valid":5}`, "invalid_field: limitToProducts must be a boolean [limitToProducts]"},
		{"POST coupons", `{"name":"a","percentOff":10,"valid":"no","redeemBy":"x"}`, "invalid_field: valid must be a boolean [valid]"},
		{"POST coupons", `{"name":"a","percentOff":10,"redeemBy":"x","externalId":""}`, "invalid_field: redeemBy must be an ISO 8601 date [redeemBy]"},
		{"POST coupons", `{"name":"a","percentOff":10,"redeemBy":5,"externalId":5}`, "invalid_field: redeemBy must be a string [redeemBy]"},
		{"POST coupons", `{"name":"a","percentOff":10,"externalId":" ","integrationType":"x"}`, "invalid_field: externalId must not be empty [externalId]"},
		{"PUT coupons", `{"x":1}`, "missing_field: Coupon ID is required [couponId]"}, // B102
		{"PUT coupons", `{"couponId":null,"x":1}`, "missing_field: Coupon ID is required [couponId]"},
		{"PUT coupons", `{"couponId":" ","x":1}`, "missing_field: Coupon ID is required [couponId]"},
		{"PUT coupons", `{"couponId":"x","x":1}`, "unknown_field: Unknown field: x [x]"}, // B103
		{"PUT coupons", `{"couponId":"x","x":1,"name":5}`, "unknown_field: Unknown field: x [x]"},
		{"PUT coupons", `{"couponId":5,"x":1}`, "invalid_field: couponId must be a string [couponId]"},
		{"PUT coupons", `{"couponId":"x","externalId":"e","id":"i"}`, "unknown_field: Unknown field: externalId [externalId]"},
		{"PUT coupons", `{"couponId":"x","percentOff":500}`, "invalid_field: Percent off must be between 1 and 100 [percentOff]"}, // B104
		{"PUT coupons", `{"couponId":"COUPON","name":null,"valid":"no"}`, "invalid_field: name must not be null [name]"},
		{"PUT coupons", `{"couponId":"COUPON","percentOff":500,"valid":"no"}`, "invalid_field: Percent off must be between 1 and 100 [percentOff]"},
		{"PUT coupons", `{"couponId":"x","maxRedemptions":0,"valid":"no"}`, "invalid_field: maxRedemptions must be at least 1 [maxRedemptions]"},

		{"POST promotional-codes", `{"couponId":"","code":5}`, "missing_field: Coupon ID is required [couponId]"},
		{"POST promotional-codes", `{"couponId":5,"code":""}`, "invalid_field: couponId must be a string [couponId]"},
		{"POST promotional-codes", `{"couponId":"x","code":"","active":"x"}`, "missing_field: Code is required [code]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A B","active":"x"}`, "code_syntax: Code contains invalid characters [code]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A","affiliateEmail":"","expiresAt":5}`, "invalid_field: affiliateEmail must not be empty [affiliateEmail]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A","isAutoGenerated":"true"}`, "invalid_field: isAutoGenerated must be a boolean [isAutoGenerated]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A","maxRedemptions":0,"minimumAmount":"x"}`, "invalid_field: maxRedemptions must be at least 1 [maxRedemptions]"},
		{"POST promotional-codes", `{"couponId":"x","code":"A","minimumAmount":-1,"limitToAffiliate":0}`, "invalid_field: minimumAmount must be at least 0 [minimumAmount]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"codeStructure":{"firstName":"yes"}}`,
			"missing_field: An affiliate is required when isAutoGenerated is true [affiliateId]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{"firstName":"yes"}}`,
			"invalid_field: codeStructure.firstName must be a boolean [codeStructure.firstName]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{"firstName":false,"randomChars":"x"}}`,
			"invalid_field: codeStructure.randomChars must be a boolean [codeStructure.randomChars]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":"x","prefix":5}`,
			"invalid_field: codeStructure must be an object [codeStructure]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{"email":true},"randomCharsLength":"4"}`,
			"invalid_field: randomCharsLength must be an integer from 1 to 32 [randomCharsLength]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{"randomChars":33}}`,
			"invalid_field: randomCharsLength must be an integer from 1 to 32 [randomCharsLength]"},
		{"POST promotional-codes", `{"couponId":"x","isAutoGenerated":true,"affiliateId":"x","codeStructure":{},"randomCharsCase":5}`,
			"code_structure_empty: Code structure has no part enabled [codeStructure]"},
		{"PUT promotional-codes", `{"active":5}`, "missing_field: Promotional Code ID is required [promotionalCodeId]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","couponId":"y","active":5}`, "unknown_field: Unknown field: couponId [couponId]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","code":"A B","active":5}`, "code_syntax: Code contains invalid characters [code]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","affiliateId":5,"affiliateEmail":"","active":5}`, "invalid_field: affiliateId must be a string [affiliateId]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","affiliateId":"","active":5}`, "invalid_field: affiliateId must not be empty [affiliateId]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","affiliateEmail":" ","code":"A B"}`, "code_syntax: Code contains invalid characters [code]"},
		{"PUT promotional-codes", `{"promotionalCodeId":"x","active":5,"maxRedemptions":0}`, "invalid_field: active must be a boolean [active]"},

		{"POST promotional-codes", `{"couponId":"COUPON","code":"","isAutoGenerated":true,"affiliateId":"AFFILIATE","codeStructure":{"firstName":true}}`,
			"invalid_field: Code must not be sent when isAutoGenerated is true [code]"},
		{"POST promotional-codes/validate", `{"totalEarned":"x"}`, "missing_field: Promo code is required [promoCode]"},
		{"POST promotional-codes/validate", `{"promoCode":5,"totalEarned":0}`, "invalid_field: promoCode must be a string [promoCode]"},
		{"POST promotional-codes/validate", `{"promoCode":"","code":"ADA20"}`, "missing_field: Promo code is required [promoCode]"},
		{"POST promotional-codes/validate", `{"code":5}`, "invalid_field: code must be a string [code]"},
		{"POST promotional-codes/validate", `{"promoCode":"A","totalEarned":0,"email":5}`, "invalid_field: Total Amount Earned must be greater than zero [totalEarned]"},
		{"POST promotional-codes/validate", `{"promoCode":"A","email":"x","product":5}`, "invalid_field: Email is invalid [email]"},
		{"POST promotional-codes/validate", `{"promoCode":"A","product":{"quantity":"1"}}`, "invalid_field: product.quantity must be a number [product.quantity]"},

		{"POST referrals", `{"name":5}`, "attribution_required: Affiliate ID, affiliate email, or Promo Code is required"},
		{"POST referrals", `{"affiliateId":-5,"name":""}`, "invalid_field: affiliateId must be a string [affiliateId]"},
		{"POST referrals", `{"promoCode":5,"name":""}`, "invalid_field: promoCode must be a string [promoCode]"},
		{"POST referrals", `{"affiliateId":"x","name":"","email":5}`, "missing_field: Name is required [name]"},
		{"POST referrals", `{"affiliateId":"x","name":"a","email":"x","referredUserExternalId":5}`, "invalid_field: Email is invalid [email]"},
		{"POST referrals", `{"affiliateId":"x","name":"a","email":"a@b.co","plan":5}`, "missing_field: Referred user external ID is required [referredUserExternalId]"},
		{"PUT referrals", `{"referralId":"","x":1}`, "missing_field: Referral ID is required [referralId]"},
		{"PUT referrals", `{"referralId":"x","x":1,"email":5}`, "unknown_field: Unknown field: x [x]"},
		{"PUT referrals", `{"referralId":"x","email":" "}`, "invalid_field: email must not be empty [email]"},
		{"PUT referrals", `{"referralId":"x","name":5,"email":"x"}`, "invalid_field: name must be a string [name]"},
		{"PUT referrals", `{"referralId":"x","email":"x","notes":5}`, "invalid_field: Email is invalid [email]"},
		{"PUT referrals", `{"referralId":"x","subscriptionStatus":"vip","notes":5}`,
			"invalid_field: subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED [subscriptionStatus]"},
		{"PUT referrals", `{"referralId":"x","notes":5,"metadata":[]}`, "invalid_field: notes must be a string [notes]"},
		{"PUT referrals", `{"referralId":"x","metadata":[]}`, "invalid_field: metadata must be an object [metadata]"},

		{"POST sales", `{"totalEarned":"x"}`, "attribution_required: Either Referral ID, email, or Promo Code is required"},
		{"POST sales", `{"promoCode":"","totalEarned":"x"}`, "attribution_required: Either Referral ID, email, or Promo Code is required"},
		{"POST sales", `{"promoCode":"","email":"a@b.co"}`, "invalid_field: promoCode must not be empty [promoCode]"},
		{"POST sales", `{"promoCode":5}`, "invalid_field: promoCode must be a string [promoCode]"},
		{"POST sales", `{"promoCode":"A","email":"x","totalEarned":"1"}`, "invalid_field: totalEarned must be a number [totalEarned]"}, // a paid order is not refused for its email
		{"POST sales", `{"promoCode":"nope","email":"x"}`, "missing_field: Total Amount Earned is required [totalEarned]"},             // B105
		{"POST sales", `{"promoCode":"A","email":5,"totalEarned":-1}`, "invalid_field: email must be a string [email]"},
		{"POST sales", `{"promoCode":"A","name":5}`, "missing_field: Total Amount Earned is required [totalEarned]"},
		{"POST sales", `{"promoCode":"A","totalEarned":-1,"name":5}`, "invalid_field: Total Amount Earned must be greater than zero [totalEarned]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1.00001,"name":5}`, "invalid_field: totalEarned must have at most 4 decimal places [totalEarned]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"name":5,"externalId":""}`, "invalid_field: name must be a string [name]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"externalId":"","product":5}`, "invalid_field: externalId must not be empty [externalId]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"commissionRate":"x","product":5}`, "invalid_field: commissionRate must be a number [commissionRate]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"productId":5,"quantity":0}}`, "invalid_field: product.productId must be a string [product.productId]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"productId":"","quantity":"x"}}`, "invalid_field: product.productId must not be empty [product.productId]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"quantity":0,"price":"x"}}`, "invalid_field: product.quantity must be greater than zero [product.quantity]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"price":-1,"name":5}}`, "invalid_field: product.price must be at least 0 [product.price]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":{"name":5},"tax":"x"}`, "invalid_field: product.name must be a string [product.name]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"product":[],"tax":"x"}`, "invalid_field: product must be an object [product]"},
		{"POST sales", `{"promoCode":"A","totalEarned":1,"tax":-1,"shipping":"x"}`, "invalid_field: tax must be at least 0 [tax]"},
		{"POST sales", `{"promoCode":"A","totalEarned":10,"tax":20,"shipping":"x"}`, "invalid_field: shipping must be a number [shipping]"},
		{"POST sales", `{"promoCode":"A","totalEarned":10,"tax":"x","shipping":-1}`, "invalid_field: tax must be a number [tax]"},
		{"PUT sales", `{"totalEarned":"x"}`, "missing_field: Sale ID is required [saleId]"},
		{"PUT sales", `{"saleId":1.5,"x":1}`, "invalid_field: saleId must be an integer [saleId]"},
		{"PUT sales", `{"saleId":"","x":1}`, "missing_field: Sale ID is required [saleId]"},
		{"PUT sales", `{"saleId":" ","x":1}`, "missing_field: Sale ID is required [saleId]"},
		{"PUT sales", `{"saleId":99,"status":"x","email":5}`, "unknown_field: Unknown field: status [status]"},
		{"PUT sales", `{"saleId":99,"email":"x","totalEarned":"y"}`, "invalid_field: Email is invalid [email]"},
		{"PUT sales", `{"saleId":99,"totalEarned":0,"name":5}`, "invalid_field: Total Amount Earned must be greater than zero [totalEarned]"},
		{"PUT sales", `{"saleId":99,"totalEarned":null,"name":5}`, "invalid_field: totalEarned must not be null [totalEarned]"},
		{"PUT sales", `{"saleId":99,"commissionEarned":-1,"metadata":5}`, "invalid_field: commissionEarned must be at least 0 [commissionEarned]"},
		{"PATCH sales", `{"saleId":null,"amount":"x"}`, "missing_field: Sale ID is required [saleId]"},
		{"PATCH sales", `{"saleId":99,"ammount":1,"amount":"x"}`, "unknown_field: Unknown field: ammount [ammount]"},
		{"PATCH sales", `{"saleId":99,"amount":0,"refundId":5}`, "invalid_field: Refund amount must be greater than zero [amount]"},
		{"PATCH sales", `{"saleId":99,"amount":null,"refundId":5}`, "invalid_field: amount must not be null [amount]"},
		{"PATCH sales", `{"saleId":99,"amount":1,"refundId":null}`, "invalid_field: refundId must not be null [refundId]"},
		{"PATCH sales", `{"saleId":99,"amount":"1"}`, "invalid_field: amount must be a number [amount]"},

		{"POST webhooks", `{"url":"","events":5}`, "missing_field: URL is required [url]"},
		{"POST webhooks", `{"url":5,"events":[]}`, "invalid_field: url must be a string [url]"},
		{"POST webhooks", `{"url":"ftp://x","events":5}`, "invalid_field: url must be an https URL [url]"},
		{"POST webhooks", `{"url":"https://a.example/","events":["x"],"description":5}`, "invalid_field: Unknown event type: x [events]"},
		{"POST webhooks", `{"url":"https://a.example/","events":[1],"description":5}`, "invalid_field: events must be an array of strings [events]"},
		{"POST webhooks", `{"url":"https://a.example/","description":5}`, "missing_field: At least one event type is required [events]"},
		{"PUT webhooks", `{"url":5}`, "missing_field: Webhook ID is required [webhookId]"},
		{"PUT webhooks", `{"webhookId":"x","secret":"s","url":5}`, "unknown_field: Unknown field: secret [secret]"},
		{"PUT webhooks", `{"webhookId":"x","url":"ftp://x","events":5}`, "invalid_field: url must be an https URL [url]"},
		{"PUT webhooks", `{"webhookId":"x","url":null,"events":5}`, "invalid_field: url must not be null [url]"},
		{"POST webhooks/rotate-secret", `{"gracePeriodSeconds":"x"}`, "missing_field: Webhook ID is required [webhookId]"},
		{"POST webhooks/rotate-secret", `{"webhookId":5,"gracePeriodSeconds":"x"}`, "invalid_field: webhookId must be a string [webhookId]"},
		{"POST webhooks/rotate-secret", `{"webhookId":"x","gracePeriodSeconds":"x"}`,
			"invalid_field: gracePeriodSeconds must be an integer from 0 to 604800 [gracePeriodSeconds]"},
		{"POST webhooks/test", `{"event":5}`, "missing_field: Webhook ID is required [webhookId]"},
		{"POST webhooks/test", `{"webhookId":"x","event":5}`, "invalid_field: event must be a string [event]"},
		{"POST webhooks/test", `{"webhookId":"x","event":""}`, "missing_field: Event is required [event]"},
		{"POST webhooks/replay", `{"since":5}`, "missing_field: Delivery ID, or webhook ID and since, is required [deliveryId]"},
		{"POST webhooks/replay", `{"webhookId":"x","since":5,"until":"x"}`, "invalid_field: since must be a string [since]"},
		{"POST webhooks/replay", `{"webhookId":"x","since":"2020-01-01","until":5}`, "invalid_field: since must be at most 14 days ago [since]"},
		{"POST webhooks/replay", `{"webhookId":"x","since":"2026-03-11","until":5}`, "invalid_field: until must be a string [until]"},
	} {
		method, path, _ := strings.Cut(c.op, " ")
		w.refuses("400 "+c.want, method, "/api/v1/"+path, id.Replace(c.body))
		for range 2 { // a key does not change what is found first, and the repeat is the same
			key := "Idempotency-Key: key-" + strconv.Itoa(i)
			w.refuses("400 "+c.want, method, "/api/v1/"+path, id.Replace(c.body), key)
		}
	}
}

// TestAliases is contract 8: the old names work, and the proper one wins.
func TestAliases(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	ada, kim := s.affiliate.String(), s.referral.String()
	bo := w.ok("POST", "/api/v1/affiliates", `{"firstName":"Bo","lastName":"B","email":"bo@example.com","affiliateStatus":"INACTIVE"}`)
	equal(t, any("INACTIVE"), bo["status"])
	put := func(body string) map[string]any { t.Helper(); return w.ok("PUT", "/api/v1/affiliates", body) }
	equal(t, map[string]any{"count": 1.0}, put(`{"id":"`+ada+`","firstName":"A"}`))
	equal(t, map[string]any{"count": 1.0}, put(`{"affiliateId":"`+ada+`","id":5,"firstName":"B"}`))
	equal(t, map[string]any{"count": 0.0}, put(`{"affiliateId":"`+kim+`","id":"`+ada+`","firstName":"C"}`))
	equal(t, any("B"), w.ok("GET", "/api/v1/affiliates?id="+ada, "")["firstName"])
	put(`{"affiliateId":"` + bo["id"].(string) + `","affiliateStatus":"Active"}`)
	equal(t, any("ACTIVE"), w.ok("GET", "/api/v1/affiliates?email=bo@example.com", "")["status"])
	w.ok("DELETE", "/api/v1/affiliates", `{"affiliateId":"nobody","id":"`+ada+`"}`)
	w.ok("DELETE", "/api/v1/affiliates", `{"id":"`+bo["id"].(string)+`"}`)
	equal(t, "null", w.do("GET", "/api/v1/affiliates?email=bo@example.com", "").body)
	equal(t, 200, w.do("GET", "/api/v1/affiliates?id="+ada, "").status)

	change := func(fields string) any {
		t.Helper()
		return w.ok("PUT", "/api/v1/referrals", `{"referralId":"`+kim+`",`+fields+`}`)["subscriptionStatus"]
	}
	equal(t, any("DECLINED"), change(`"subscriptionStatus":"DECLINED","status":"active"`))
	equal(t, any("DECLINED"), change(`"status":"vip"`))
	equal(t, any("DECLINED"), change(`"status":5`))
	equal(t, any("ACTIVE"), change(`"status":"Inactive"`))

	equal(t, any("ADA20"), w.ok("POST", "/api/v1/promotional-codes/validate", `{"code":"ada20"}`)["promotionalCode"].(map[string]any)["code"])
	equal(t, any("ADA20"), w.ok("POST", "/api/v1/promotional-codes/validate", `{"promoCode":"ada20","code":5}`)["promotionalCode"].(map[string]any)["code"])
	equal(t, any(100.0), w.ok("PUT", "/api/v1/sales", `{"saleId":"`+s.sale+`","totalEarned":100}`)["totalEarned"])
}
