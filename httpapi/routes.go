package httpapi

import (
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A route is one operation: its method, its path below /api/v1, the scopes that
// may call it, and the action that answers it.
type route struct {
	method, path string
	scopes       grants
	action       action
}

// routes lists the operations of the API in the order of the contract.
//
// Source: docs/contract.md 1.1, 3 and 4.
func routes() []route {
	return []route{
		{http.MethodGet, "/affiliates", everybody, find(
			one("id", (*tributary.Program).Affiliate),
			one("email", (*tributary.Program).AffiliateByEmail),
			all((*tributary.Program).Affiliates))},
		{http.MethodPost, "/affiliates", shops, create(newAffiliate, (*tributary.Program).CreateAffiliate)},
		{http.MethodPut, "/affiliates", shops, counting(affiliateChangeOf, updateAffiliate)},
		{http.MethodDelete, "/affiliates", shops, remove(affiliateTarget, deleteAffiliate)},

		{http.MethodGet, "/links", everybody, find(
			several("id", by((*tributary.Program).Links, linkByID)),
			several("link", by((*tributary.Program).Links, linkBySlug)),
			many("affiliateId", by((*tributary.Program).Links, linksOf)),
			many("affiliateEmail", by((*tributary.Program).Links, linksOfEmail)),
			many("", by((*tributary.Program).Links, nil)))},
		{http.MethodPost, "/links", shops, create(newLink, (*tributary.Program).CreateLink)},
		{http.MethodPut, "/links", shops, lenient(linkChangeOf, renameLink)},
		{http.MethodDelete, "/links", shops, remove(linkTarget, deleteLink)},

		{http.MethodGet, "/coupons", everybody, find(
			coupon("id", couponByID),
			coupon("couponId", couponByID),
			coupon("externalId", couponByExternalID),
			coupon("name", couponByName),
			coupons())},
		{http.MethodPost, "/coupons", shops, create(newCoupon, (*tributary.Program).CreateCoupon)},
		{http.MethodPut, "/coupons", shops, change(couponChangeOf, updateCoupon)},
		{http.MethodDelete, "/coupons", shops, remove(couponTarget, deleteCoupon)},

		{http.MethodGet, "/promotional-codes", everybody, find(
			one("id", codeBy(codeByID)),
			one("code", codeBy(codeByText)),
			one("externalId", codeBy(codeByExternalID)),
			many("couponId", by((*tributary.Program).Codes, codesOfCoupon)),
			many("affiliateId", by((*tributary.Program).Codes, codesOf)),
			many("affiliateEmail", by((*tributary.Program).Codes, codesOfEmail)),
			many("", by((*tributary.Program).Codes, nil)))},
		{http.MethodPost, "/promotional-codes", shops, create(newCode, (*tributary.Program).CreateCode)},
		{http.MethodPut, "/promotional-codes", shops, change(codeChangeOf, updateCode)},
		{http.MethodDelete, "/promotional-codes", shops, remove(codeTarget, deleteCode)},
		{http.MethodPost, "/promotional-codes/validate", shops, create(orderOf, (*tributary.Program).Evaluate)},

		{http.MethodGet, "/referrals", everybody, find(
			one("id", (*tributary.Program).Referral),
			many("affiliateId", by((*tributary.Program).Referrals, referralsOf)),
			many("affiliateEmail", by((*tributary.Program).Referrals, referralsOfEmail)),
			many("externalId", by((*tributary.Program).Referrals, referralsOfCustomer)),
			many("", by((*tributary.Program).Referrals, nil)))},
		{http.MethodPost, "/referrals", shops, answering[affiliate.Referral](post(newReferral, createReferral))},
		{http.MethodPut, "/referrals", shops, changing[affiliate.Referral](referralChangeOf, updateReferral)},
		{http.MethodDelete, "/referrals", shops, remove(referralTarget, deleteReferral)},

		{http.MethodGet, "/sales", everybody, find(
			one("id", saleByID),
			many("affiliateId", by((*tributary.Program).Sales, salesOf)),
			many("affiliateEmail", by((*tributary.Program).Sales, salesOfEmail)),
			many("referralId", by((*tributary.Program).Sales, salesTo)),
			many("saleExternalId", by((*tributary.Program).Sales, salesByExternalID)),
			many("saleExternalInvoiceId", by((*tributary.Program).Sales, salesByInvoice)),
			many("", by((*tributary.Program).Sales, nil)))},
		{http.MethodPost, "/sales", shops, answering[affiliate.Sale](post(newSaleOf, recordSale))},
		{http.MethodPut, "/sales", shops, changing[affiliate.Sale](saleChangeOf, updateSale)},
		{http.MethodPatch, "/sales", shops, change(refundOf, (*tributary.Program).RefundSale)},
		{http.MethodDelete, "/sales", shops, remove(saleTarget, deleteSale)},
		{http.MethodPost, "/sales/review", ownerOnly, act(reviewOf, reviewSales)},
		{http.MethodGet, "/sales/search", owners, search(
			filtered(saleSearch, saleQueryOf, (*tributary.Program).SearchSales))},
		{http.MethodGet, "/sales/explain", owners, search(
			one("id", explainSale),
			needs("id", refusal.RefuseNoSaleID))},

		{http.MethodPost, "/payments/decide", ownerOnly, perform(paymentDecisionOf, decidePayment)},

		{http.MethodGet, "/payouts", owners, search(
			one("id", payoutByID),
			filtered(payoutFilters, payoutFilterOf, (*tributary.Program).Payouts))},
		{http.MethodPost, "/payouts", ownerOnly, create(newPayoutOf, createPayout)},
		{http.MethodPatch, "/payouts", ownerOnly, change(payoutChangeOf, changePayout)},
		{http.MethodPost, "/payouts/preview", ownerOnly, ask(previewOf, previewPayouts)},
		{http.MethodPost, "/payouts/run", ownerOnly, create(payoutRunOf, stepPayouts)},
		{http.MethodGet, "/payouts/runs", owners, search(
			one("externalId", (*tributary.Program).PayoutRun),
			all((*tributary.Program).PayoutRuns))},
		{http.MethodGet, "/payouts/lines", owners, search(
			many("externalId", (*tributary.Program).PayoutLines),
			needs("externalId", refusal.RefuseNoExternalID))},

		{http.MethodGet, "/adjustments", owners, search(
			one("id", adjustmentByID),
			filtered(adjustmentFilters, adjustmentFilterOf, (*tributary.Program).Adjustments))},
		{http.MethodPost, "/adjustments", ownerOnly, create(newAdjustment, (*tributary.Program).RecordAdjustment)},

		{http.MethodGet, "/balances", owners, search(
			balanceOf("affiliateId"),
			balanceOf("affiliateEmail"),
			all((*tributary.Program).Balances))},
		{http.MethodGet, "/movements", owners, search(
			filtered(movementFilters, movementQueryOf, movements))},
		{http.MethodGet, "/statements", owners, search(statements())},
		{http.MethodGet, "/reports", owners, search(report())},

		{http.MethodGet, "/program", owners, search(settings())},
		{http.MethodGet, "/attention", owners, search(attention())},
		{http.MethodGet, "/verify", owners, search(verification())},

		{http.MethodGet, "/coupons/summaries", owners, search(summaries())},
		{http.MethodGet, "/events", everybody, search(events())},
		{http.MethodGet, "/affiliates/search", owners, search(
			filtered(affiliateSearch, affiliateQueryOf, (*tributary.Program).SearchAffiliates))},
		{http.MethodGet, "/referrals/search", owners, search(
			filtered(referralSearch, referralQueryOf, (*tributary.Program).SearchReferrals))},
		{http.MethodGet, "/promotional-codes/search", owners, search(
			filtered(codeSearch, codeQueryOf, (*tributary.Program).SearchCodes))},

		{http.MethodPost, "/affiliates/status", ownerOnly, act(affiliateStatusOf, moveAffiliates)},
		{http.MethodPost, "/affiliates/plan", ownerOnly, act(planOfAffiliates, setAffiliatePlan)},
		{http.MethodPost, "/affiliates/tier", ownerOnly, act(tierOfAffiliates, setAffiliateTier)},
		{http.MethodPost, "/affiliates/tier-exempt", ownerOnly, act(exemptionOf, setTierExempt)},
		{http.MethodPost, "/affiliates/payout-details", ownerOnly, perform(payoutDetailsOf, setPayoutDetails)},
		{http.MethodPost, "/affiliates/invite", ownerOnly, act(invitationOf, (*tributary.Program).InviteAffiliate)},
		{http.MethodPost, "/affiliates/accept-invite", ownerOnly, act(acceptanceOf, acceptInvite)},

		{http.MethodPost, "/referrals/status", shops, act(pushedStatusOf, pushReferralStatus)},
		{http.MethodPost, "/referrals/plan", ownerOnly, act(planOfReferrals, setReferralPlan)},
		{http.MethodPost, "/clicks", shops, answering[affiliate.Click](strictly(newClick, trackClick))},
		{http.MethodPost, "/promotional-codes/generate", ownerOnly, perform(generationOf, generateCodes)},
		{http.MethodPost, "/sales/reverse", shops, perform(reversalOf, reverseSale)},
		{http.MethodPost, "/sales/restore-redemption", ownerOnly, perform(saleTarget, restoreRedemption)},

		{http.MethodGet, "/commission-plans", owners, search(
			one("commissionPlanId", planByID),
			all((*tributary.Program).Plans))},
		{http.MethodPost, "/commission-plans", ownerOnly, act(newPlan, (*tributary.Program).CreatePlan)},
		{http.MethodPut, "/commission-plans", ownerOnly, change(planChangeOf, updatePlan)},
		{http.MethodDelete, "/commission-plans", ownerOnly, perform(planTarget, deletePlan)},

		{http.MethodGet, "/commission-tiers", owners, search(
			one("commissionTierId", tierByID),
			all((*tributary.Program).Tiers))},
		{http.MethodPost, "/commission-tiers", ownerOnly, act(newTier, (*tributary.Program).CreateTier)},
		{http.MethodPut, "/commission-tiers", ownerOnly, change(tierChangeOf, updateTier)},
		{http.MethodDelete, "/commission-tiers", ownerOnly, perform(tierTarget, deleteTier)},
		{http.MethodPost, "/commission-tiers/assign", ownerOnly, perform(stepOf, assignTiers)},
		{http.MethodPost, "/sales/recalculate", ownerOnly, perform(recalculationOf, recalculateSales)},

		{http.MethodPost, "/affiliates/erase", ownerOnly, perform(erasureOfAffiliate, eraseAffiliate)},
		{http.MethodPost, "/referrals/erase", ownerOnly, perform(erasureOfReferral, eraseReferral)},
		{http.MethodPost, "/prune", ownerOnly, perform(pruningOf, prune)},

		{http.MethodPost, "/partner/token", ownerOnly, answering[issued](asking(tokenOrderOf, issueToken))},

		{http.MethodGet, "/webhooks", owners, find(
			one("webhookId", endpointByID),
			all((*tributary.Program).Endpoints))},
		{http.MethodPost, "/webhooks", ownerOnly, create(newEndpoint, (*tributary.Program).CreateEndpoint)},
		{http.MethodPut, "/webhooks", ownerOnly, change(endpointChangeOf, updateEndpoint)},
		{http.MethodDelete, "/webhooks", ownerOnly, remove(endpointTarget, deleteEndpoint)},
		{http.MethodPost, "/webhooks/rotate-secret", ownerOnly, create(rotationOf, (*tributary.Program).RotateSecret)},
		{http.MethodPost, "/webhooks/test", ownerOnly, create(endpointTestOf, (*tributary.Program).TestEndpoint)},
		{http.MethodPost, "/webhooks/replay", ownerOnly, answering[counted](post(replayOf, replay))},
		{http.MethodGet, "/webhooks/deliveries", owners, find(
			one("deliveryId", deliveryByID),
			filtered(deliveryFilters, deliveryFilterOf, (*tributary.Program).Deliveries))},

		{http.MethodGet, "/openapi.json", everybody, document()},
	}
}
