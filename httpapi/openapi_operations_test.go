package httpapi

import "github.com/tributary-go/tributary/affiliate"

// resourceNotes are the resources in the document's order. An operation is of the one with the
// longest path that it begins with.
func resourceNotes() []described {
	return []described{
		{"Affiliates", "/affiliates", affiliate.Affiliate{}, "People who promote the program."},
		{"Links", "/links", nil, "Referral links: slugs with their owners and statistics."},
		{"Coupons", "/coupons", affiliate.Coupon{},
			"Discounts: how much comes off, for how long and how often."},
		{"Promotional codes", "/promotional-codes", affiliate.Code{},
			"What customers type at checkout."},
		{"Holds", "/holds", nil, "Places of promotional codes that are kept while customers pay."},
		{"Referrals", "/referrals", affiliate.Referral{},
			"Customers who came through an affiliate."},
		{"Sales", "/sales /conversions", affiliate.Sale{},
			"Attributed payments with the commissions that they earned."},
		{"Payments", "/payments", nil,
			"What a person says of a provider's payment that names a sale of which it is not."},
		{"Payouts", "/payouts", nil,
			"Records of what is paid to affiliates. The engine moves no money."},
		{"Payout runs", "/payouts/preview /payouts/run /payouts/lines", nil,
			"Payouts of all affiliates to whom enough is due."},
		{"Adjustments", "/adjustments", nil,
			"Amounts that affiliates are owed, or owe, beside the commissions of sales."},
		{"Cases", "/cases", affiliate.Case{},
			"What affiliates ask the people of the program, and the answers."},
		{"Ledger", "/balances /movements /reports", nil,
			"What affiliates are owed, and every change of it."},
		{"Statements", "/statements", nil,
			"What happened in a period to what an affiliate is owed."},
		{"Explanations", "/sales/explain", nil, "How the commission of a sale came about."},
		{"Program", "/program", nil, "What the program is set to do, by its host or by its operators."},
		{"Attention", "/attention", nil, "What waits for somebody."},
		{"Proposals", "/proposals", affiliate.Proposal{},
			"What a key asks for that may not do it, and a person decides."},
		{"Books", "/verify", nil, "The check of the books."},
		{"Commission plans", "/commission-plans", affiliate.Plan{},
			"Terms that affiliates and referrals can be put on."},
		{"Terms", "/terms", affiliate.DatedTerms{},
			"The program's own terms, of affiliates without a plan, each from a moment on."},
		{"Budgets", "/budgets", affiliate.BudgetUse{},
			"What sales took of what they earn together at most."},
		{"Bonuses", "/bonuses", affiliate.BonusProgress{},
			"What affiliates and customers get besides commissions."},
		{"Commission tiers", "/commission-tiers", affiliate.Tier{},
			"Ranks that affiliates reach by their results."},
		{"Clicks", "/clicks", nil,
			"Visits through the links of affiliates, as servers report them."},
		{"Stored events", "/events", nil,
			"The events of the program, whether or not an endpoint gets them."},
		{"Partner pages", "/partner", nil, "The pages for affiliates."},
		{"Upkeep", "/prune", nil, "What keeps a program small."},
		{"Webhooks", "/webhooks", affiliate.Endpoint{},
			"Endpoints that events are delivered to, and their deliveries."},
		{"Document", "/openapi.json", nil, "This document."},
		{"Tracking", "/add-click /affiliate-program-v2", nil,
			"For pages of the program, where the host mounts them. They need no key and make no " +
				"referral, no sale and no event."},
		{"Events", "", nil,
			"Under webhooks: what endpoints are sent. Order is not guaranteed; revision tells " +
				"old from new."},
	}
}

// shortPages is what every search says of its pages.
const shortPages = "Filters are combined. A page may be short, or empty, although more follow: Link says so."

// affiliatesChanged is what every change of many affiliates says.
const affiliatesChanged = "Answers the affiliates in the order of the ids. " +
	"Fires affiliate.updated for each that changed."

// erasing is what every erasure says.
const erasing = "Names, emails and what else tells who somebody is are blanked in the record, in " +
	"what belongs to it, in stored answers and in payloads; money and totals stay. In steps: send " +
	"the cursor of the answer until it is done. The last step blanks the person, and fires the " +
	"updated event once."

// operationNotes are the operations by method and path.
func operationNotes() map[string]about {
	return map[string]about{
		"GET /affiliates": {
			id: "getAffiliates", summary: "Look an affiliate up, or list all",
			texts: map[string]string{
				"id": "With ext: in front an externalId. Digits: a click id first; then an " +
					"affiliate id; then a slug. Answers the affiliate or null.",
			},
		},
		"POST /affiliates": {
			id: "createAffiliate", summary: "Add an affiliate with a first link",
			text: "Fires affiliate.created.",
			invalid: "slug_syntax plan_not_found group_not_found affiliate_email_taken " +
				"affiliate_external_id_taken slug_taken",
			notFound: "coupon_not_found",
		},
		"PUT /affiliates": {
			id: "updateAffiliate", summary: "Change an affiliate",
			text: "The count is 0 when nothing matched. Fires affiliate.updated when something " +
				"changed.",
			clears: "commissionRate",
			limits: limits{
				"affiliateStatus": matches("^([Aa][Cc][Tt][Ii][Vv][Ee]|[Ii][Nn][Aa][Cc][Tt][Ii][Vv][Ee])$"),
			},
			invalid: "slug_syntax identifiers_mismatch affiliate_email_taken " +
				"affiliate_external_id_taken slug_taken link_limit_reached",
			notFound: "coupon_not_found",
		},
		"DELETE /affiliates": {
			id: "deleteAffiliate", summary: "Delete an affiliate",
			text: "Removes the affiliate's links, referrals and sales; its codes stay, " +
				"unassigned. Answers the same when nothing matched. Fires affiliate.deleted " +
				"only, and only when something was deleted.",
			invalid: "in_payout money_owed",
		},
		"GET /affiliates/search": {
			id: "searchAffiliates", summary: "Find affiliates", text: shortPages,
		},
		"POST /affiliates/ensure": {
			id:      "ensureAffiliate",
			summary: "The affiliate with an externalId, created when there is none",
			text: "An affiliate that is there already stays as it is, whatever else the body " +
				"says. Of any number of requests at once, one creates it, and all get it. Fires " +
				"affiliate.created for a new one.",
			required: "externalId",
			invalid: "slug_syntax plan_not_found group_not_found affiliate_email_taken " +
				"slug_taken",
			notFound: "coupon_not_found",
		},
		"POST /affiliates/status": {
			id: "setAffiliateStatus", summary: "Approve, decline, deactivate or ban affiliates",
			text: affiliatesChanged,
			texts: map[string]string{
				"status": "ACTIVE approves and DECLINED declines who is INACTIVE. DEACTIVATED " +
					"and BANNED are for who is ACTIVE: commissions of later sales are on hold.",
			},
			required: "status",
			limits:   limits{"status": only("ACTIVE", "DECLINED", "DEACTIVATED", "BANNED")},
			invalid:  "bulk_limit_exceeded status_not_allowed", notFound: "affiliate_not_found",
		},
		"POST /affiliates/plan": {
			id:       "setAffiliatePlan",
			summary:  "Put affiliates on a commission plan, for future sales",
			text:     affiliatesChanged,
			texts:    map[string]string{"commissionPlanId": "The plan; null: none."},
			required: "commissionPlanId", limits: limits{"commissionPlanId": nullable},
			invalid: "bulk_limit_exceeded plan_not_found", notFound: "affiliate_not_found",
		},
		"POST /affiliates/tier": {
			id: "setAffiliateTier", summary: "Put affiliates into a tier, exempt ones too",
			text:     affiliatesChanged,
			texts:    map[string]string{"commissionTierId": "The tier; null: none."},
			required: "commissionTierId", limits: limits{"commissionTierId": nullable},
			invalid: "bulk_limit_exceeded", notFound: "affiliate_not_found tier_not_found",
		},
		"POST /affiliates/tier-exempt": {
			id: "setTierExempt", summary: "Say whether tier changes leave affiliates alone",
			text: affiliatesChanged, required: "exempt", invalid: "bulk_limit_exceeded",
			notFound: "affiliate_not_found",
		},
		"POST /affiliates/payout-details": {
			id: "setPayoutDetails", summary: "Replace how an affiliate is paid",
			text: "Fires affiliate.updated when something changed.",
			texts: map[string]string{
				"payoutEmail":   "Where payouts are announced; absent or null clears it.",
				"paymentMethod": "How payouts are made; absent or null clears it.",
			},
			notFound: "affiliate_not_found",
		},
		"POST /affiliates/invite": {
			id: "inviteAffiliate", summary: "Add an affiliate that is INVITED",
			text: "Fires affiliate.created.",
			invalid: "slug_syntax plan_not_found group_not_found affiliate_email_taken " +
				"affiliate_external_id_taken slug_taken",
			notFound: "coupon_not_found",
		},
		"POST /affiliates/accept-invite": {
			id: "acceptInvite", summary: "End an invitation",
			text: "The affiliate becomes ACTIVE, or INACTIVE when the program does not approve " +
				"by itself. Fires affiliate.updated.",
			invalid: "status_not_allowed slug_syntax affiliate_email_taken " +
				"affiliate_external_id_taken slug_taken link_limit_reached",
			notFound: "affiliate_not_found",
		},
		"POST /affiliates/merge": {
			id: "mergeAffiliates", summary: "Make one affiliate of two",
			text: "Links with their former slugs, clicks, codes, customers, sales, adjustments, cases " +
				"and payouts of from become those of into, as they are; both ledgers say MERGE. " +
				"The id, the email and the externalId of from name into from then on. What was " +
				"merged before is answered as it is. Fires promocode.updated, referral.updated " +
				"and sale.updated for what moved, affiliate.deleted and affiliate.updated.",
			invalid: "in_payout status_not_allowed", notFound: "affiliate_not_found",
		},
		"POST /affiliates/erase": {
			id: "eraseAffiliate", summary: "Erase an affiliate", text: erasing,
			invalid: "money_owed", notFound: "affiliate_not_found",
		},
		"GET /links": {id: "getLinks", summary: "List links", text: "Always an array."},
		"POST /links": {
			id: "createLink", summary: "Add a link to an affiliate",
			text:  "Never replaces a link. Fires affiliate.updated of the owner.",
			oneOf: "affiliateId affiliateEmail", limits: limits{"link": slugText},
			invalid: "slug_syntax affiliate_not_found identifiers_mismatch slug_taken " +
				"link_limit_reached",
		},
		"PUT /links": {
			id: "renameLink", summary: "Give a link another slug",
			text: "Id, owner and history stay, and the old slug goes on leading to the link. " +
				"Fires affiliate.updated of the owner.",
			texts: map[string]string{"id": "The id of the link."}, required: "newLink",
			limits:   limits{"link": identText},
			invalid:  "slug_syntax identifiers_mismatch slug_taken link_limit_reached",
			notFound: "link_not_found",
		},
		"DELETE /links": {
			id: "deleteLink", summary: "Delete a link",
			text: "Its clicks, referrals and sales stay. Its slugs lead to nobody: its owner " +
				"may have them again, and nobody else. Fires affiliate.updated of the former " +
				"owner.",
			texts:  map[string]string{"id": "The id of the link."},
			limits: limits{"link": identText}, invalid: "identifiers_mismatch",
			notFound: "link_not_found",
		},
		"POST /links/release": {
			id: "releaseSlug", summary: "Let anybody have a former slug",
			text: "One that a link had before, which leads there no longer, or one that leads " +
				"to nobody since its link or its affiliate was deleted. Posts with it may then " +
				"credit somebody else. Fires affiliate.updated of the owner of the link that it " +
				"led to.",
			limits: limits{"link": identText}, invalid: "slug_taken", notFound: "link_not_found",
		},
		"GET /coupons": {
			id: "getCoupons", summary: "Look a coupon up, or list all",
			texts: map[string]string{
				"couponId": "The same as id.",
				"name":     "The exact name. Answers the newest coupon that has it, or null.",
			},
		},
		"POST /coupons": {
			id: "createCoupon", summary: "Make a coupon",
			text: "Of percentOff and amountOff the one that the type does not need is checked " +
				"and not stored. Fires coupon.created.",
			invalid: "coupon_external_id_taken",
		},
		"PUT /coupons": {
			id: "updateCoupon", summary: "Change a coupon",
			text: "The change holds for every code of the coupon. Fires coupon.updated when " +
				"something changed.",
			notFound: "coupon_not_found",
		},
		"DELETE /coupons": {
			id: "deleteCoupon", summary: "Delete a coupon and all its codes",
			text: "Fires coupon.deleted only.", invalid: "coupon_in_use",
			notFound: "coupon_not_found",
		},
		"GET /coupons/summaries": {
			id: "getCouponSummaries", summary: "List coupons without their codes", text: shortPages,
		},
		"GET /promotional-codes": {
			id: "getPromotionalCodes", summary: "Look a code up, or list codes",
			texts: map[string]string{
				"code": "The text in any letter case. Answers the code or null.",
			},
		},
		"POST /promotional-codes": {
			id: "createPromotionalCode", summary: "Make a code, or have one generated",
			text: "Fires promocode.created.", required: "couponId",
			invalid: "code_syntax code_structure_empty identifiers_mismatch " +
				"generated_code_invalid code_taken generated_code_taken code_external_id_taken",
			notFound: "coupon_not_found affiliate_not_found",
		},
		"PUT /promotional-codes": {
			id: "updatePromotionalCode", summary: "Change a code",
			text: "Coupon and the settings of generated codes stay. affiliateId or " +
				"affiliateEmail gives the code to another affiliate, null to none; sales that " +
				"were made stay where they are. Fires promocode.updated when something changed.",
			clears:   "affiliateEmail",
			invalid:  "code_syntax identifiers_mismatch code_taken code_external_id_taken",
			notFound: "promotional_code_not_found affiliate_not_found",
		},
		"DELETE /promotional-codes": {
			id: "deletePromotionalCode", summary: "Delete a code",
			text:     "Past sales keep its id. Fires promocode.deleted.",
			notFound: "promotional_code_not_found",
		},
		"POST /promotional-codes/validate": {
			id:      "validatePromotionalCode",
			summary: "Tell whether a code would work, and what it would take off",
			text: "Runs the very rules that a sale runs. Writes, counts and fires nothing. 200 " +
				"whether the code works or not.",
			oneOf: "promoCode code offer", limits: limits{"code": identText},
		},
		"POST /promotional-codes/compare": {
			id:      "comparePromotionalCodes",
			summary: "Tell which of several codes is best for an order",
			text: "Runs validate for each of up to 20 codes, in one snapshot. An order has one " +
				"code. Writes, counts and fires nothing.",
		},
		"GET /promotional-codes/search": {
			id: "searchPromotionalCodes", summary: "Find promotional codes", text: shortPages,
		},
		"POST /promotional-codes/generate": {
			id: "generateCodes", summary: "Generate many codes",
			text: "All are made or none. Their random parts differ without regard to letter " +
				"case. Fires promocode.created for each.",
			texts: map[string]string{
				"affiliateIds": "Makes count codes for each of these affiliates.",
			},
			required: "couponId codeStructure count",
			limits:   limits{"affiliateIds": distinct("", "1000")},
			invalid: "code_structure_empty identifiers_mismatch generated_code_invalid " +
				"generated_code_taken key_space_too_small bulk_limit_exceeded",
			notFound: "coupon_not_found affiliate_not_found",
		},
		"GET /holds": {
			id: "getHold", summary: "Look a hold up",
			texts:    map[string]string{"id": "The caller's own id. Answers the hold or null."},
			required: "id",
		},
		"POST /holds": {
			id: "holdRedemption", summary: "Keep a place of a code for an order, with its price",
			text: "Runs the rules that a sale runs. A sale with the holdId is not refused for " +
				"what ends or is used up until then. Again with the same id it prices the order " +
				"anew and keeps the place; one that was released or has lapsed is taken anew if " +
				"there is a place. When its time is over the place is free; nothing has to be " +
				"sent for that. Fires nothing.",
			required: "until", oneOf: "promoCode code offer", limits: limits{"code": identText},
			invalid: "hold_confirmed hold_limit_reached" + listOf(codeRefusals()),
		},
		"DELETE /holds": {
			id: "releaseHold", summary: "Give the place of a hold back",
			text:   "One that was released or has lapsed stays as it is. Fires nothing.",
			texts:  map[string]string{"id": "The caller's own id."},
			limits: limits{"id": externalText}, invalid: "hold_confirmed",
			notFound: "hold_not_found",
		},
		"GET /referrals": {
			id: "getReferrals", summary: "Look a referral up, or list referrals",
			texts: map[string]string{
				"id": "The id of the referral, else the customer's email. Answers the referral " +
					"or null.",
			},
		},
		"POST /referrals": {
			id: "createReferral", summary: "Report a customer",
			text: "The affiliate comes from promoCode, else affiliateId, else affiliateEmail; " +
				"null is answered when there is none. Fires referral.created when a referral " +
				"was made.",
			oneOf: "promoCode affiliateId affiliateEmail", misses: true,
			invalid: "attribution_required missing_field identifiers_mismatch " +
				"referral_external_id_taken" + listOf(codeRefusalsWithCustomer()),
		},
		"PUT /referrals": {
			id: "updateReferral", summary: "Change a referral",
			text: "Fires referral.updated when something changed.",
			texts: map[string]string{
				"status": "Deprecated. active or inactive, in any letter case, mean " +
					"subscriptionStatus ACTIVE; anything else is ignored.",
			},
			limits: limits{"affiliateId": identText},
			invalid: "referral_not_found referral_email_taken referral_external_id_taken " +
				"referral_erased affiliate_not_found",
		},
		"DELETE /referrals": {
			id: "deleteReferral", summary: "Delete a referral and its sales",
			text: "Answers the same when nothing matched. Fires referral.deleted only, and only " +
				"on a match.",
			texts: map[string]string{
				"forfeit": "The commissions that are owed for the sales are given up; without " +
					"it that is refused.",
			},
			invalid: "in_payout money_owed",
		},
		"GET /referrals/search": {
			id: "searchReferrals", summary: "Find referrals", text: shortPages,
		},
		"POST /referrals/status": {
			id: "pushReferralStatus", summary: "Set the status that a payment provider reports",
			text: "Fires referral.updated when it changed.", required: "subscriptionStatus",
			limits: limits{
				"subscriptionStatus": only("ACTIVE",
					"SUBMITTED",
					"DECLINED",
					"PAST_DUE",
					"CANCELLED"),
			},
			invalid: "referral_not_found",
		},
		"POST /referrals/merge": {
			id: "mergeReferrals", summary: "Make one customer of two",
			text: "All that from has becomes that of into, which keeps its affiliate, its link " +
				"and its plan; the id, the email and the host's id of from name into from then " +
				"on. What was merged before is answered as it is. Fires sale.updated for each " +
				"sale that moved, referral.deleted and referral.updated.",
			invalid: "referral_not_found referral_erased",
		},
		"POST /referrals/plan": {
			id:      "setReferralPlan",
			summary: "Put referrals on a commission plan of their own, for future sales",
			text: "The plan is used instead of the affiliate's. Answers the referrals in the " +
				"order of the ids. Fires referral.updated for each that changed.",
			texts:    map[string]string{"commissionPlanId": "The plan; null: the affiliate's."},
			required: "commissionPlanId", limits: limits{"commissionPlanId": nullable},
			invalid: "bulk_limit_exceeded plan_not_found referral_not_found",
		},
		"POST /referrals/erase": {
			id: "eraseReferral", summary: "Erase a customer", text: erasing,
			invalid: "referral_not_found",
		},
		"GET /sales": {id: "getSales", summary: "Look a sale up, or list sales"},
		"POST /sales": {
			id: "recordSale", summary: "Report a sale",
			text: "Sale-Outcome says what became of it; every outcome but recorded answers " +
				"null, and every one but recorded and redeemed writes nothing and counts " +
				"nothing. redeemed is an order by a code without an affiliate that credits " +
				"nobody, where the program allows such codes: its redemption is booked under " +
				"externalId, which it needs. inactive-customer is a customer who is SUBMITTED " +
				"or DECLINED; one who is PAST_DUE or CANCELLED and pays is recorded. An invalid " +
				"email, name or product.name is dropped, and Sale-Ignored names it, of the " +
				"names of lines the first: a paid order is not refused for them. A duplicate " +
				"whose contents are not those of the sale with its id has Sale-Differs: it may " +
				"be another order. Fires sale.created, after referral.created when the customer " +
				"was new.",
			optional: "totalEarned",
			oneOf:    "promoCode holdId referralId referredUserExternalId email",
			forms:    []schema{paidOrder(), freeOrder()}, misses: true,
			headers: "Sale-Outcome Sale-Ignored Sale-Differs",
			limits: limits{
				"email":        anyText,
				"name":         anyText,
				"product.name": anyText,
				"totalEarned":  allOf(atLeast("0"), atMost("100000000000")),
			},
			invalid:  "attribution_required missing_field hold_confirmed hold_of_another_code" + listOf(codeRefusals()),
			notFound: "hold_not_found",
		},
		"POST /conversions": {
			id:      "recordConversion",
			summary: "Report what a customer did without a payment, such as a sign-up",
			text: "It becomes a sale of nothing that earns what the rule pays that names it. " +
				"Sale-Outcome and Sale-Ignored are as of POST /sales; another one of the same " +
				"name for the same customer is a duplicate. Its code is judged and not " +
				"redeemed. Fires sale.created, after referral.created when the customer was " +
				"new.",
			oneOf: "promoCode referralId referredUserExternalId email", misses: true,
			headers: "Sale-Outcome Sale-Ignored", limits: limits{"email": anyText, "name": anyText},
			invalid: "attribution_required missing_field" + listOf(codeRefusalsWithoutOrder()),
		},
		"PUT /sales": {
			id: "updateSale", summary: "Change a sale",
			text: "A new totalEarned or commissionRate calculates the commission again. Fires " +
				"sale.updated when something changed.",
			invalid: "sale_external_id_taken sale_external_invoice_id_taken referral_erased " +
				"in_payout sale_refunded affiliate_not_found",
			notFound: "sale_not_found",
		},
		"PATCH /sales": {
			id: "refundSale", summary: "Refund a sale, in part or in full",
			text: "The commission follows what is kept. A partial refund fires sale.updated; " +
				"the full one fires sale.deleted, and then nothing, unless the sale counts again " +
				"because the refund failed or a dispute was won: that fires sale.updated.",
			invalid: "outside_refund_window manually_paid already_paid included_in_payout_batch " +
				"refund_exceeds_sale refund_limit_reached",
			notFound: "sale_not_found",
		},
		"DELETE /sales": {
			id: "deleteSale", summary: "Delete a sale and its commissions",
			text: "Redemptions stay counted. Answers the same when nothing matched. Fires " +
				"sale.deleted on a match, unless the sale is refunded already.",
			invalid: "in_payout",
		},
		"POST /sales/review": {
			id: "reviewSales", summary: "Accept, hold or decline the commissions of sales",
			text: "All or nothing. Answers the sales in the order of the ids. Fires " +
				"sale.updated for each that changed.",
			texts:    map[string]string{"approvalStatus": "What their commissions become."},
			required: "approvalStatus",
			limits:   limits{"approvalStatus": values[affiliate.ApprovalStatus]()},
			invalid:  "in_payout", notFound: "sale_not_found",
		},
		"GET /sales/search": {id: "searchSales", summary: "Find sales", text: shortPages},
		"GET /sales/sums": {
			id: "getSaleSums", summary: "Count and add up sales",
			text: "Those that searchSales finds with the same parameters: in all, and by status and " +
				"approval status. Their order does not matter.",
		},
		"POST /sales/reverse": {
			id: "reverseSale", summary: "Remove a sale that a provider reports as reversed",
			text: "The sale is named by its id, else by externalId, else by externalInvoiceId. " +
				"With clawback a sale in a payout is refunded in full instead. Fires " +
				"sale.deleted.",
			texts: map[string]string{
				"clawback": "Refund the sale in full although a payout holds the commission, as " +
					"PATCH /sales does with clawback.",
			},
			invalid: "in_payout outside_refund_window", notFound: "sale_not_found",
		},
		"POST /sales/restore-redemption": {
			id: "restoreRedemption", summary: "Take the redemption of a sale by code back",
			text: "The counts of its code and its coupon fall by one, once for each sale, and " +
				"the customer and the budget have it back. The sale is named by its id, also " +
				"when it was deleted, else by externalId, which an order without a sale has " +
				"too, else by externalInvoiceId. Fires nothing.",
			invalid: "redemption_restored", notFound: "redemption_not_found",
		},
		"POST /sales/accept-redemption": {
			id: "acceptRedemption", summary: "Say that a redemption over a limit was seen",
			text: "GET /attention lists it no more; it stays counted. The sale is named as for " +
				"/sales/restore-redemption. For a redemption that is over no limit, or was seen " +
				"before, nothing changes. Fires nothing.",
			notFound: "redemption_not_found",
		},
		"POST /sales/recalculate": {
			id: "recalculateSales", summary: "Calculate commissions again with the present terms",
			text: "The fields that select sales are combined; all: true selects every sale. " +
				"Sales in a payout, refunded sales and what was set by hand stay. In steps: " +
				"send the cursor of the answer until it is done. A step that is repeated has no " +
				"second effect. Fires sale.updated where the sale changed.",
			oneOf:  "affiliateId affiliateEmail referralId all",
			limits: limits{"affiliateEmail": identText},
		},
		"POST /payments/decide": {
			id:      "decidePayment",
			summary: "Decide about a payment that waits for a person",
			text: "A payment that is the same as the sale takes its part of it when it is " +
				"refunded, and never more than it brought. Fires sale.created or sale.updated.",
			required: "decision", notFound: "payment_not_found sale_not_found",
		},
		"GET /payouts": {
			id: "getPayouts", summary: "Look a payout up, or list payouts",
			text: "Filters are combined.",
		},
		"GET /payouts/sums": {
			id: "getPayoutSums", summary: "Count and add up payouts",
			text: "Those that getPayouts lists with the same parameters: in all, and by status.",
		},
		"POST /payouts": {
			id: "createPayout", summary: "Make a payout of what is payable to an affiliate",
			text: "It takes what is open, accepted and positive until a time, and all that is " +
				"negative. Fires sale.updated for each sale in it, unless sale.deleted was " +
				"fired for that sale.",
			oneOf: "affiliateId affiliateEmail",
			invalid: "identifiers_mismatch affiliate_not_approved nothing_payable " +
				"below_payout_minimum",
			notFound: "affiliate_not_found",
		},
		"PATCH /payouts": {
			id: "changePayout", summary: "Take a payout to its next status",
			text: "PENDING to PROCESSING, PAID, FAILED or CANCELED; PROCESSING to PAID or " +
				"FAILED; FAILED to PROCESSING or CANCELED; PAID to RETURNED, when the money " +
				"came back. The same status again changes nothing. PAID, CANCELED and RETURNED " +
				"fire sale.updated as the making did.",
			texts: map[string]string{
				"status":         "The next status.",
				"failedReason":   "Why it failed; only with the status FAILED.",
				"returnedReason": "Why the money came back; only with the status RETURNED.",
			},
			required: "status", limits: limits{"status": values[affiliate.PayoutStatus]()},
			invalid: "status_not_allowed", notFound: "payout_not_found",
		},
		"POST /payouts/preview": {
			id: "previewPayouts", summary: "Say what a payout run would do",
			text: "Writes nothing. A page may be short, or empty, although more follow: next " +
				"says so.",
			texts:   map[string]string{"cursor": "Where the page begins: next of the page before."},
			limits:  limits{"limit": allOf(atLeast("1"), atMost("1000"), byDefault(100)), "minimum": atLeast("0")},
			invalid: "affiliate_not_found",
		},
		"POST /payouts/run": {
			id: "runPayouts", summary: "Begin a payout run, or go on with it",
			text: "Repeat it until the status is DONE, with a new Idempotency-Key each time. An " +
				"affiliate has at most one payout in a run. A run that is DONE answers what it " +
				"did. Fires what POST /payouts fires.",
			required: "externalId",
			limits:   limits{"limit": allOf(atLeast("1"), atMost("1000"), byDefault(500)), "minimum": atLeast("0")},
			invalid:  "affiliate_not_found payout_run_mismatch",
		},
		"GET /payouts/runs": {
			id: "getPayoutRuns", summary: "Look a payout run up, or list payout runs",
			texts: map[string]string{"externalId": "Answers the run or null."},
		},
		"GET /payouts/lines": {
			id: "getPayoutLines", summary: "List the lines of a payout run",
			text:     "Oldest affiliate first.",
			texts:    map[string]string{"externalId": "The run; an unknown one has no lines."},
			required: "externalId",
		},
		"GET /adjustments": {
			id: "getAdjustments", summary: "Look an adjustment up, or list adjustments",
			text: "Filters are combined.",
		},
		"POST /adjustments": {
			id: "recordAdjustment", summary: "Record an adjustment",
			text: "It is payable at once. Fires nothing.", optional: "amount",
			invalid:  "identifiers_mismatch adjustment_external_id_taken adjustment_reversed",
			notFound: "affiliate_not_found sale_not_found adjustment_not_found",
		},
		"GET /cases": {
			id: "getCases", summary: "Look a case up, or list cases",
			text: "Filters are combined.",
		},
		"POST /cases": {
			id: "openCase", summary: "Ask for an affiliate",
			text:     "It waits for an answer. Fires nothing.",
			invalid:  "identifiers_mismatch case_open case_limit_reached",
			notFound: "affiliate_not_found sale_not_found",
		},
		"POST /cases/answer": {
			id: "answerCase", summary: "Answer a case",
			text:    "The affiliate sees the answer on the partner pages. Fires nothing.",
			invalid: "status_not_allowed", notFound: "case_not_found",
		},
		"GET /proposals": {
			id: "getProposals", summary: "Look a proposal up, or list proposals",
			text: "Those of the last 30 days.",
		},
		"POST /proposals": {
			id: "propose", summary: "Ask for an operation that a person decides about",
			text: "It changes nothing. What the operation would refuse now is refused, with a " +
				"field of its body as body.field. The same that waits already is answered, and " +
				"not kept twice. It waits for 30 days. Fires nothing.",
			invalid: "proposal_limit_reached", limits: limits{"why": chars("1", "400")},
		},
		"GET /balances": {
			id: "getBalances", summary: "Look a balance up, or list balances",
			text: "The list leaves out affiliates whose books are not open.",
			texts: map[string]string{
				"affiliateEmail": "Or the email.",
				"affiliateId":    "Whose; unknown: null.",
			},
			invalid: "books_not_open identifiers_mismatch",
		},
		"GET /balances/total": {
			id: "getTotalBalance", summary: "Add up what all affiliates are owed",
			text: "Now, or as of a moment, from the ledger. Of a moment to come it tells what " +
				"will have matured by then.",
			texts: map[string]string{
				"at": "What was so before this moment; a plain date is the end of its day. " +
					"Without it: now.",
			},
			limits: limits{"at": dateParameter},
		},
		"GET /balances/ranked": {
			id: "getRankedBalances", summary: "List whom most is owed first",
			text: "The balances that the total adds up: without those that are zero, and with " +
				"those of affiliates who were deleted since.",
			texts: map[string]string{
				"at": "What was so before this moment; a plain date is the end of its day. " +
					"Without it: now.",
			},
			limits: limits{"at": dateParameter}, invalid: "report_too_large",
		},
		"GET /movements": {
			id: "getMovements", summary: "List movements", text: "Filters are combined.",
		},
		"GET /reports": {
			id: "getReport", summary: "Count by day, week, month, quarter or year",
			text: "The oldest bucket first, empty ones too, at most 1,000 in all. Without an id " +
				"the report is about the program; with an id of nobody it has zeros only.",
			texts: map[string]string{
				"affiliateId": "Of this affiliate.",
				"by": "How long a bucket is, in the calendar of the program; a week begins on " +
					"Monday.",
				"from":              "Where the report begins; a plain date is its first instant.",
				"linkId":            "Of this link.",
				"promotionalCodeId": "Of this promotional code.",
				"to":                "Where the report ends, exclusive; a plain date includes its day.",
			},
			required: "from to by",
			limits: limits{
				"by":   values[affiliate.Interval](),
				"from": dateParameter,
				"to":   dateParameter,
			},
			invalid: "report_too_large books_not_open",
		},
		"GET /reports/breakdown": {
			id: "getBreakdown", summary: "Rank who or what brought the most",
			text: "A row for each affiliate, link, code … with activity in the period, the " +
				"greatest first. The amounts of all rows add up to those of the report of the " +
				"same period; what has none of the dimension is the row with the empty value.",
			texts: map[string]string{
				"affiliateId": "Only the activity of this affiliate.",
				"by":          "What the rows differ in.",
				"from":        "Where the period begins; a plain date is its first instant.",
				"sort":        "What they are ranked by.",
				"to":          "Where the period ends, exclusive; a plain date includes its day.",
			},
			required: "from to by",
			limits: limits{
				"by":   values[affiliate.Dimension](),
				"sort": values[affiliate.Figure](),
				"from": dateParameter,
				"to":   dateParameter,
			},
			invalid: "report_too_large books_not_open",
		},
		"GET /statements": {
			id: "getStatement", summary: "Make a statement of a period",
			text: "Needs affiliateId, affiliateEmail or both. Later pages have the lines that " +
				"were there when the first one was read.",
			texts: map[string]string{
				"affiliateEmail": "Or the email.",
				"affiliateId":    "Whose it is.",
				"from":           "Its beginning; a plain date is its first instant.",
				"to":             "Its end, exclusive; a plain date includes its day.",
			},
			required: "from to", limits: limits{"from": dateParameter, "to": dateParameter},
			invalid: "books_not_open identifiers_mismatch", notFound: "affiliate_not_found",
		},
		"GET /sales/explain": {
			id: "explainSale", summary: "Explain the commission of a sale",
			texts:    map[string]string{"id": "The sale; none: null."},
			required: "id",
		},
		"GET /program": {id: "getProgram", summary: "Read the settings of the program"},
		"PUT /program": {
			id: "updateProgram", summary: "Change settings of the program",
			text: "Those that setByCode names are the host's. Recorded sales stay as they are. " +
				"Fires nothing.",
			invalid: "setting_fixed retention_too_short",
			clears: "urlModifier oldUrlModifiers keptParameters cookieDomain cookieDuration " +
				"destinations attribution autoApprove commissionOnTax commissionOnShipping " +
				"refundWindowSeconds payoutMinimum company termsText termsVersion retention " +
				"freeOrders houseCodes refuseSuspended requireCustomer countBots cascadeEvents",
		},
		"GET /attention": {
			id: "getAttention", summary: "See what waits for somebody",
			text: "The newest of each kind, and how many there are.",
			texts: map[string]string{
				"limit": "How many of each kind are shown; 5 when it is absent.",
			},
			limits: limits{
				"limit": func(s *schema) {
					s.Type, s.Minimum, s.Maximum = types{"integer"},
						"1",
						"20"
				},
			},
		},
		"GET /verify": {
			id: "verifyReport", summary: "Check the books",
			text: "Reads every record of the program in one snapshot, which takes as long as " +
				"the books are large; the server's deadlines do not apply. One runs at a time.",
			invalid: "verify_running",
		},
		"GET /commission-plans": {
			id: "getCommissionPlans", summary: "Look a plan up, or list plans",
		},
		"POST /commission-plans": {
			id: "createCommissionPlan", summary: "Add a plan", text: "Fires nothing.",
			notFound: "coupon_not_found",
		},
		"PUT /commission-plans": {
			id: "updateCommissionPlan", summary: "Change a plan for future sales",
			text: "With from, the terms change from then on. The type of a plan in use cannot " +
				"change. Recorded sales keep their commission. Fires nothing.",
			invalid: "plan_in_use", notFound: "plan_not_found coupon_not_found",
		},
		"DELETE /commission-plans": {
			id: "deleteCommissionPlan", summary: "Delete a plan that nobody is on",
			text: "Fires nothing.", invalid: "plan_in_use", notFound: "plan_not_found",
		},
		"GET /terms": {
			id:      "getTerms",
			summary: "List the program's own terms, oldest first: past, in force, and to come",
		},
		"GET /budgets": {
			id: "getBudgets", summary: "List how much of the budgets of terms is used",
			text: "The latest periods first. Filters are combined.",
		},
		"GET /bonuses": {
			id: "getBonuses", summary: "How far an affiliate is with bonuses",
			texts: map[string]string{
				"affiliateEmail": "Or the email.",
				"affiliateId":    "Whose; unknown: null.",
			},
			invalid: "missing_field identifiers_mismatch",
		},
		"POST /bonuses/grant": {
			id: "grantBonuses", summary: "Give the bonuses that are due, and take back the others",
			text: "In steps: send the cursor of the answer until it is done. Fires nothing.",
		},
		"PUT /terms": {
			id: "setTerms", summary: "Change the program's own terms, at once or from a moment on",
			text: "A sale takes the terms that were in force when it was paid. Recorded sales " +
				"keep their commission. Fires nothing.",
			keeps: "from", notFound: "coupon_not_found",
		},
		"POST /terms/simulate": {
			id: "simulateTerms", summary: "Say what past sales would have earned by other terms",
			text: "Writes nothing. The sales are those with the plan, or with the program's terms. With " +
				"attribution and nothing else but days: all, each by the terms of whom it would credit. It " +
				"reads all of them, which takes as long as they are many.",
			texts: map[string]string{
				"attribution":           "Whom sales would credit.",
				"attribution.touch":     "The last click or the first.",
				"attribution.customer":  "Whom orders of a known customer credit.",
				"attribution.promoCode": "When a code credits its affiliate.",
				"commissionPlanId":      "The plan whose sales are looked at; absent: the program's own terms.",
				"days":                  "Sales of so many last days; absent: all.",
			},
			limits: limits{"days": allOf(atLeast("1"), atMost("36500")), "attribution.touch": values[affiliate.Touch](),
				"attribution.customer": values[affiliate.CustomerCredit](), "attribution.promoCode": values[affiliate.CodeCredit]()},
		},
		"GET /commission-tiers": {
			id: "getCommissionTiers", summary: "Look a tier up, or list tiers",
		},
		"POST /commission-tiers": {
			id: "createCommissionTier", summary: "Add a tier",
			text: "It moves no affiliate. Fires nothing.", required: "tier",
		},
		"PUT /commission-tiers": {
			id: "updateCommissionTier", summary: "Change a tier",
			text: "It moves no affiliate. Fires nothing.", clears: "per", notFound: "tier_not_found",
		},
		"DELETE /commission-tiers": {
			id: "deleteCommissionTier", summary: "Delete a tier that nobody is in",
			text: "Fires nothing.", invalid: "tier_in_use", notFound: "tier_not_found",
		},
		"POST /commission-tiers/assign": {
			id: "assignTiers", summary: "Put every affiliate into the tier whose minimums it meets",
			text: "In steps: send the cursor of the answer until it is done. A step that is " +
				"repeated has no second effect. Fires affiliate.updated where the tier changed.",
		},
		"POST /clicks": {
			id: "trackClick", summary: "Record a click",
			text: "For servers; pages of a browser have an endpoint without a key. Answers null " +
				"for an unknown slug. Fires nothing.",
			required: "referralCode", misses: true,
		},
		"GET /events": {
			id: "getEvents", summary: "List events, or read those after a position",
			text: "Newest first; with after oldest first, in the order in which they were " +
				"committed: a reader that keeps the last eventId misses none. " + shortPages,
			texts: map[string]string{
				"after": "The eventId after which to go on, or start. It stands alone, with " +
					"limit at most.",
				"eventId":  "The event with this eventId.",
				"objectId": "The events of this object.",
				"type":     "The events of this type.",
			},
			limits: limits{
				"type":  values[affiliate.EventType](),
				"after": matches("^(start|evt_[0-9a-f]{32})$"),
			},
		},
		"POST /partner/token": {
			id: "createPartnerToken", summary: "Open the partner pages for an affiliate",
			text:    "For hosts that are not written in Go. Nothing is stored. Fires nothing.",
			texts:   map[string]string{"affiliateId": "Whose pages."},
			invalid: "portal_not_configured", notFound: "affiliate_not_found",
		},
		"POST /prune": {
			id: "prune", summary: "Drop what is old",
			text:  "In steps: send the cursor of the answer until it is done. Fires nothing.",
			oneOf: "before retention", invalid: "retention_too_short",
		},
		"GET /webhooks": {
			id: "getWebhooks", summary: "Look an endpoint up, or list all", text: "Never a secret.",
		},
		"POST /webhooks": {
			id: "createWebhook", summary: "Add an endpoint",
			text:    "It gets the events of later changes. The secret is shown here only.",
			invalid: "url_not_allowed webhook_limit_reached",
		},
		"PUT /webhooks": {
			id: "updateWebhook", summary: "Change an endpoint",
			text:   "Pending deliveries go to the new URL from their next attempt on.",
			clears: "headers", invalid: "url_not_allowed", notFound: "webhook_not_found",
		},
		"DELETE /webhooks": {
			id: "deleteWebhook", summary: "Delete an endpoint",
			text: "Its pending deliveries are canceled.", notFound: "webhook_not_found",
		},
		"POST /webhooks/rotate-secret": {
			id: "rotateWebhookSecret", summary: "Give an endpoint a new secret",
			text: "The old one goes on signing beside it until the grace period ends; at most " +
				"two old ones are kept.",
			required: "webhookId", notFound: "webhook_not_found",
		},
		"POST /webhooks/test": {
			id: "testWebhook", summary: "Send a sample to an endpoint",
			text: "One signed request at once, not retried and not recorded. 200 with delivered " +
				"false when it fails.",
			required: "webhookId", notFound: "webhook_not_found",
		},
		"POST /webhooks/replay": {
			id: "replayDeliveries", summary: "Send deliveries again",
			text: "One by deliveryId, or every failed and skipped one of webhookId since an " +
				"instant. The same bytes under a fresh timestamp.",
			oneOf: "deliveryId webhookId", invalid: "webhook_disabled replay_too_large",
			notFound: "delivery_not_found webhook_not_found",
		},
		"GET /webhooks/deliveries": {
			id: "getDeliveries", summary: "Look a delivery up, or list deliveries",
			text: "Filters are combined.",
			texts: map[string]string{
				"deliveryId": "Answers the delivery with its payload, or null.",
			},
		},
		"GET /openapi.json": {id: "getDocument", summary: "This document"},
		"POST /add-click": {
			id: "addClick", summary: "Record a click",
			texts: map[string]string{
				"userAgent": "The browser, cut at 512 bytes; the request's own header when it " +
					"is not given.",
			},
			required: "programId referralCode",
		},
		"OPTIONS /add-click": {id: "addClickOptions", summary: "What a page may send"},
		"GET /affiliate-program-v2": {
			id: "getTrackingConfiguration", summary: "The configuration of a page's script",
			texts:    map[string]string{"programId": "The public id of the program."},
			required: "programId",
		},
		"OPTIONS /affiliate-program-v2": {
			id: "getTrackingConfigurationOptions", summary: "What a page may send",
		},
	}
}
