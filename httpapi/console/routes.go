package console

import "slices"

// A route is a page, a file or an action at a path below the prefix. {} stands
// for one segment.
type route struct {
	path   string
	params []string // of its query
	page   func(*visit) (view, error)
	file   func(*visit) error
	act    *action
	post   func(*visit) // of a page that answers its own form

	// Of a list: what answers all rows as a file, at csv below the path, and what adds them up,
	// at sum. The list has a cursor then, and the file the form of amounts.
	csv func(*visit) error
	sum func(*visit) (view, error)
}

// lists returns routes with those below lists.
func lists(routes []route) (all []route) {
	for _, rt := range routes {
		csv, sum, params := rt.csv, rt.sum, rt.params
		if csv != nil {
			rt.params = append(slices.Clone(params), paramCursor)
		}
		all = append(all, rt)
		if csv != nil {
			all = append(all, route{path: rt.path + "/csv", file: csv,
				params: append(slices.Clone(params), paramDecimals)})
		}
		if sum != nil {
			all = append(all, route{path: rt.path + "/sum", params: params, page: sum})
		}
	}
	return all
}

// routes are all pages and actions. A path with {} comes after those that it would
// hide.
func routes() []route {
	return lists([]route{
		{path: "", page: overview},

		{path: "search", params: []string{"q"}, page: find},

		{path: "reports", params: reportParams, page: reports},
		{path: "reports/csv", params: append([]string{paramDecimals}, reportParams...), file: reportFile},

		{path: "affiliates", params: []string{"q", "status", "plan", "tier", paramSort},
			page: affiliates, csv: affiliatesFile, sum: affiliatesSum},
		{path: "affiliates/new", act: newAffiliate},
		{path: "affiliates/invite", act: inviteAffiliate},
		{path: applicationsPath, act: decideApplications},
		{path: "affiliates/status", params: []string{paramID, paramTo, paramList}, act: affiliateStatus},
		{path: "affiliates/plan", params: []string{paramID, paramList}, act: affiliatesPlan},
		{path: "affiliates/tier", params: []string{paramID, paramList}, act: affiliatesTier},
		{path: casesPath, params: []string{"status", paramCursor}, page: cases},
		{path: casesPath + "/{}", page: casePage},
		{path: casesPath + "/{}/answer", act: answerCase},
		{path: "affiliates/{}", page: affiliatePage},
		{path: "affiliates/{}/edit", act: editAffiliate},
		{path: "affiliates/{}/take-back", act: takeBack},
		{path: "affiliates/{}/tier-exempt", act: tierExempt},
		{path: "affiliates/{}/payout-details", act: payoutDetails},
		{path: "affiliates/{}/adjust", act: adjust},
		{path: "affiliates/{}/pay", act: newPayout},
		{path: "affiliates/{}/recalculate", params: []string{paramCursor}, act: recalculateAffiliate},
		{path: "affiliates/{}/merge", act: mergeAffiliate},
		{path: "affiliates/{}/erase", params: []string{paramCursor}, act: eraseAffiliate},
		{path: "affiliates/{}/delete", act: deleteAffiliate},
		{path: "affiliates/{}/links/new", act: newLink},
		{path: "affiliates/{}/statements/{}", params: []string{paramCursor}, page: statementPage},
		{path: "affiliates/{}/statements/{}/csv", file: statementFile},
		{path: "affiliates/{}/statements/{}/document", page: documentPage},
		{path: "links/{}/rename", act: renameLink},
		{path: "links/{}/delete", act: deleteLink},

		{path: "coupons", params: []string{"valid", paramCursor}, page: coupons},
		{path: "coupons/new", params: []string{paramKind}, act: newCoupon},
		{path: "coupons/{}", params: []string{paramMade, paramCursor}, page: couponPage},
		{path: "coupons/{}/edit", act: editCoupon},
		{path: "coupons/{}/valid", act: validCoupon},
		{path: "coupons/{}/delete", act: deleteCoupon},
		{path: "coupons/{}/codes/new", act: newCode},
		{path: "coupons/{}/generate", act: generateCodes},
		{path: "coupons/{}/codes.csv", params: []string{paramMade}, file: batchFile},

		{path: "codes", params: []string{"q", "state", paramAffiliate, paramCoupon, paramSort},
			page: codes, csv: codesFile, sum: codesSum},
		{path: "codes/{}", params: []string{"total", "email"}, page: codePage},
		{path: "codes/{}/edit", act: editCode},
		{path: "codes/{}/give", act: giveCode},
		{path: "codes/{}/active", act: activeCode},
		{path: "codes/{}/delete", act: deleteCode},

		{path: "holds/release", params: []string{paramHold}, act: releaseHold},
		{path: "redemptions", page: redemptions},
		{path: "redemptions/accept", params: []string{paramSale, paramOrder}, act: acceptRedemption},

		{path: "customers",
			params: []string{"q", "status", paramSince, paramUntil, paramAffiliate, paramSort},
			page:   customers, csv: customersFile, sum: customersSum},
		{path: "customers/new", params: []string{paramAffiliate}, act: newCustomer},
		{path: "customers/{}", page: customerPage},
		{path: "customers/{}/edit", act: editCustomer},
		{path: "customers/{}/status", act: customerStatus},
		{path: "customers/{}/plan", act: customerPlan},
		{path: "customers/{}/move", act: moveCustomer},
		{path: "customers/{}/recalculate", params: []string{paramCursor}, act: recalculateCustomer},
		{path: "customers/{}/merge", act: mergeCustomer},
		{path: "customers/{}/erase", params: []string{paramCursor}, act: eraseCustomer},
		{path: "customers/{}/delete", act: deleteCustomer},

		{path: "sales",
			params: []string{"q", "status", paramApproval, paramCurrency, paramSince, paramUntil,
				paramAffiliate, paramCode, paramLink, paramSort},
			page: sales, csv: salesFile, sum: salesSum},
		{path: "sales/new", params: []string{paramAffiliate, paramCustomer, paramOrder}, act: newSale},
		{path: "sales/convert", params: []string{paramAffiliate, paramCustomer}, act: newConversion},
		{path: "sales/review", params: []string{paramID, paramTo, paramList}, act: reviewSales},
		{path: "sales/{}", page: salePage},
		{path: "sales/{}/refund", act: refundSale},
		{path: "sales/{}/correct", act: correctSale},
		{path: "sales/{}/move", params: []string{paramAffiliate, paramCase}, act: moveSale},
		{path: "sales/{}/reverse", act: reverseSale},
		{path: "sales/{}/restore-redemption", act: restoreRedemption},

		{path: proposalsPath, page: proposalsPage},
		{path: proposalsPath + "/{}/accept", act: acceptProposal},
		{path: proposalsPath + "/{}/decline", act: declineProposal},

		{path: "payments", page: conflicts},
		{path: "payments/{}/decide", act: decidePayment},

		{path: "providers", page: providersPage},
		{path: "providers/{}", page: providerPage},
		{path: "providers/{}/connect", act: connectProvider},
		{path: "providers/{}/disconnect", act: disconnectProvider},
		{path: "providers/{}/rehearse", act: rehearseProvider},
		{path: "providers/{}/books", page: providerBooksPage},
		{path: "providers/{}/books/differences.csv", file: providerBooksFile},
		{path: "providers/{}/books/read", act: readProvider},
		{path: "providers/{}/books/{}/accept", act: acceptDifference},

		{path: "payouts", params: []string{"status", paramMethod, paramAffiliate}, page: payouts,
			csv: payoutsFile},
		{path: "payouts/new",
			params: []string{paramRun, "minimum", "method", "noDetails", fieldExcept},
			act:    runPayouts},
		{path: "payouts/run", params: []string{paramRun, paramCursor}, page: runPage},
		{path: "payouts/paid", params: []string{paramRun, paramMethod}, act: payMethod},
		{path: "payouts/results", params: []string{paramRun}, act: payoutResults},
		{path: "payouts/generic.csv", params: []string{paramRun, paramMethod}, file: genericFile},
		{path: "payouts/paypal", params: []string{paramRun, paramDecimals}, file: paypalFile},
		{path: "payouts/wise", params: []string{paramRun}, file: wiseFile},
		{path: "payouts/{}", params: []string{paramCursor}, page: payoutPage},
		{path: "payouts/{}/status", params: []string{paramTo}, act: payoutStatus},

		{path: "webhooks", params: []string{"state", paramCursor}, page: webhooks},
		{path: "webhooks/new", act: newEndpoint},
		{path: "webhooks/{}", params: []string{"state", paramCursor}, page: endpointPage},
		{path: "webhooks/{}/edit", act: editEndpoint},
		{path: "webhooks/{}/active", act: activeEndpoint},
		{path: "webhooks/{}/headers", act: headersOfEndpoint},
		{path: "webhooks/{}/rotate", act: rotateSecret},
		{path: "webhooks/{}/test", act: testEndpoint},
		{path: "webhooks/{}/replay", act: replayRange},
		{path: "webhooks/{}/delete", act: deleteEndpoint},
		{path: "webhooks/deliveries/{}", page: deliveryPage},
		{path: "webhooks/deliveries/{}/payload.txt", file: payloadFile},
		{path: "webhooks/deliveries/{}/replay", act: replayDelivery},

		{path: "events", params: []string{"type", "object", paramCursor}, page: events},
		{path: "events/{}", page: eventPage},
		{path: "events/{}/payload.txt", file: eventFile},

		{path: "owed", params: []string{paramAt}, page: owedPage, csv: owedFile},

		{path: "books", page: books, post: examine},
		{path: "books/{}/documents", params: []string{paramCursor}, page: documents},
		{path: "books/{}/csv", params: []string{paramDecimals}, file: monthFile},

		{path: "access", page: accessPage},
		{path: "access/people/new", act: newPerson},
		{path: "access/people/role", params: []string{paramEmail}, act: editPerson},
		{path: "access/people/sign-out", params: []string{paramEmail, paramSession}, act: signOutPerson},
		{path: "access/people/remove", params: []string{paramEmail}, act: removePerson},
		{path: "access/keys/new", act: newKey},
		{path: "access/keys/revoke", params: []string{paramKey}, act: revokeKey},

		{path: "settings", page: settings},
		{path: "settings/edit", act: editSettings},
		{path: "plans/new", act: newPlan},
		{path: "terms", params: []string{paramFrom}, page: termsPage},
		{path: "terms/change", params: []string{paramFrom}, act: programTerms},
		{path: "terms/withdraw", params: []string{paramFrom}, act: withdrawOfProgram},
		{path: "plans/{}", params: []string{paramFrom}, page: termsPage},
		{path: "plans/{}/edit", act: editPlan},
		{path: "plans/{}/change", params: []string{paramFrom}, act: planTerms},
		{path: "plans/{}/withdraw", params: []string{paramFrom}, act: withdrawOfPlan},
		{path: "plans/{}/delete", act: deletePlan},
		{path: "tiers/new", act: newTier},
		{path: "bonuses/grant", params: []string{paramCursor}, act: grantBonuses},
		{path: "tiers/assign", params: []string{paramCursor}, act: assignTiers},
		{path: "tiers/{}/edit", act: editTier},
		{path: "tiers/{}/delete", act: deleteTier},
	})
}
