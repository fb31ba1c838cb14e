package httpapi

import (
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A route is one operation: its method, its path below /api/v1, the scopes that
// may call it, and the action that answers it. The action of a write has the
// function that reads its input, what is done with it, and the options.
type route struct {
	method, path string
	scopes       grants
	action       action
}

// updates reports whether null clears a field of the body.
func (r *route) updates() bool { return r.method == http.MethodPut || r.method == http.MethodPatch }

// routes lists the operations of the API in the order of the contract.
//
// Source: docs/contract.md 1.1, 3 and 4.
func routes() []route {
	return []route{
		{http.MethodGet, "/affiliates", everybody, find(
			one("id", affiliateByIdent),
			one("email", affiliateByEmail),
			one("externalId", affiliateByExternalID),
			every((*tributary.Program).Affiliates))},
		{http.MethodPost, "/affiliates", shops,
			write(bodyOf[affiliate.AffiliateParams](), (*tributary.Program).CreateAffiliate)},
		{http.MethodPut, "/affiliates", shops, write(affiliateChangeOf, updateAffiliate, wrapped)},
		{http.MethodDelete, "/affiliates", shops, write(removalOf(affiliateTarget), deleteAffiliate, wrapped)},

		{http.MethodGet, "/links", everybody, findBy((*tributary.Program).Links)},
		{http.MethodPost, "/links", shops, write(bodyOf[affiliate.LinkParams](), (*tributary.Program).CreateLink)},
		{http.MethodPut, "/links", shops, write(linkChangeOf, renameLink)},
		{http.MethodDelete, "/links", shops, write(linkTarget, deleteLink, wrapped)},
		{http.MethodPost, "/links/release", ownerOnly, write(formerSlug, releaseSlug, strict, wrapped)},

		{http.MethodGet, "/coupons", everybody, find(
			coupon("id", couponByID),
			coupon("couponId", couponByID),
			coupon("externalId", couponByExternalID),
			coupon("name", couponByName),
			coupons())},
		{http.MethodPost, "/coupons", shops,
			write(bodyOf[affiliate.CouponParams](), (*tributary.Program).CreateCoupon)},
		{http.MethodPut, "/coupons", shops,
			change("couponId", bodyOf[affiliate.CouponUpdate](), (*tributary.Program).UpdateCoupon,
				strict)},
		{http.MethodDelete, "/coupons", shops, write(targetID("couponId"), deleteCoupon, wrapped)},

		{http.MethodGet, "/promotional-codes", everybody, findBy((*tributary.Program).Codes,
			one("id", keyedBy(codeByID, (*tributary.Program).Code)),
			one("code", keyedBy(codeByText, (*tributary.Program).Code)),
			one("externalId", keyedBy(codeByExternalID, (*tributary.Program).Code)))},
		{http.MethodPost, "/promotional-codes", shops, write(newCode, (*tributary.Program).CreateCode)},
		{http.MethodPut, "/promotional-codes", shops,
			change("promotionalCodeId", bodyOf[affiliate.CodeUpdate](),
				(*tributary.Program).UpdateCode, strict)},
		{http.MethodDelete, "/promotional-codes", shops, write(targetID("promotionalCodeId"), deleteCode, wrapped)},
		{http.MethodPost, "/promotional-codes/validate", pricers,
			answering[affiliate.Evaluation](bodyOf[affiliate.Order](), evaluate)},
		{http.MethodGet, "/holds", everybody, search(
			one("id", (*tributary.Program).Hold),
			needs("id", refusal.RefuseNoHoldID))},
		{http.MethodPost, "/promotional-codes/compare", pricers,
			answering[affiliate.Comparison](bodyOf[affiliate.CodesOrder]("promoCode", "offer"),
				compare, strict)},
		{http.MethodPost, "/holds", shops,
			answering[affiliate.Hold](bodyOf[affiliate.HoldParams]("commission"), hold, strict)},
		{http.MethodDelete, "/holds", shops, write(holdTarget, (*tributary.Program).ReleaseHold, strict)},

		{http.MethodGet, "/referrals", everybody, findBy((*tributary.Program).Referrals,
			one("id", (*tributary.Program).Referral))},
		{http.MethodPost, "/referrals", shops,
			write(bodyOf[affiliate.ReferralParams](), (*tributary.Program).CreateReferral,
				elseNull)},
		{http.MethodPut, "/referrals", shops, answering[affiliate.Referral](referralChangeOf, updateReferral, strict)},
		{http.MethodDelete, "/referrals", shops, write(removalOf(referralTarget), deleteReferral, wrapped)},

		{http.MethodGet, "/sales", everybody, findBy((*tributary.Program).Sales,
			one("id", keyedBy(saleIDOf, (*tributary.Program).Sale)))},
		{http.MethodPost, "/sales", shops, answering[affiliate.Sale](newSaleOf, recordSale)},
		{http.MethodPost, "/conversions", shops,
			answering[affiliate.Sale](bodyOf[affiliate.ConversionParams](), recordConversion)},
		{http.MethodPut, "/sales", shops, answering[affiliate.Sale](saleChangeOf, updateSale, strict)},
		{http.MethodPatch, "/sales", shops, write(refundOf, (*tributary.Program).RefundSale, strict)},
		{http.MethodDelete, "/sales", shops, write(saleTarget, deleteSale, wrapped)},
		{http.MethodPost, "/sales/review", ownerOnly, write(reviewOf, reviewSales, strict)},
		{http.MethodGet, "/sales/search", owners, search(
			filtered((*tributary.Program).Sales))},
		{http.MethodGet, "/sales/sums", owners, search(sums((*tributary.Program).SaleSums))},
		{http.MethodGet, "/sales/explain", owners, search(
			one("id", keyedBy(saleIDOf, (*tributary.Program).ExplainSale)),
			needs("id", refusal.RefuseNoSaleID))},

		{http.MethodPost, "/payments/decide", ownerOnly, write(paymentDecisionOf, decidePayment, strict, wrapped)},

		{http.MethodGet, "/payouts", owners, search(
			one("id", keyedBy(idOf, (*tributary.Program).Payout)),
			filtered((*tributary.Program).Payouts))},
		{http.MethodGet, "/payouts/sums", owners, search(sums((*tributary.Program).PayoutSums))},
		{http.MethodPost, "/payouts", ownerOnly,
			write(bodyOf[affiliate.PayoutParams](), (*tributary.Program).CreatePayout)},
		{http.MethodPatch, "/payouts", ownerOnly, write(payoutChangeOf, changePayout, strict)},
		{http.MethodPost, "/payouts/preview", proposers, write(previewOf, previewPayouts, keyless)},
		{http.MethodPost, "/payouts/run", ownerOnly, write(payoutRun, stepPayouts)},
		{http.MethodGet, "/payouts/runs", owners, search(
			one("externalId", (*tributary.Program).PayoutRun),
			all((*tributary.Program).PayoutRuns))},
		{http.MethodGet, "/payouts/lines", owners, search(
			many("externalId", (*tributary.Program).PayoutLines),
			needs("externalId", refusal.RefuseNoExternalID))},

		{http.MethodGet, "/adjustments", owners, search(
			one("id", keyedBy(idOf, (*tributary.Program).Adjustment)),
			filtered((*tributary.Program).Adjustments))},
		{http.MethodPost, "/adjustments", ownerOnly, write(newAdjustment, (*tributary.Program).RecordAdjustment)},

		{http.MethodGet, "/cases", owners, search(
			one("id", keyedBy(idOf, (*tributary.Program).Case)),
			filtered((*tributary.Program).Cases))},
		{http.MethodPost, "/cases", ownerOnly,
			write(bodyOf[affiliate.CaseParams](), (*tributary.Program).OpenCase, strict)},
		{http.MethodPost, "/cases/answer", ownerOnly,
			change("caseId", bodyOf[affiliate.CaseAnswer](), (*tributary.Program).AnswerCase,
				strict)},

		{http.MethodGet, "/balances", owners, search(
			balanceOf("affiliateId"),
			balanceOf("affiliateEmail"),
			all((*tributary.Program).Balances))},
		{http.MethodGet, "/balances/total", owners, search(totalBalance())},
		{http.MethodGet, "/balances/ranked", owners, search(rankedBalances())},
		{http.MethodGet, "/movements", owners, search(
			filtered((*tributary.Program).Movements))},
		{http.MethodGet, "/statements", owners, search(statements())},
		{http.MethodGet, "/reports", owners, search(report())},
		{http.MethodGet, "/reports/breakdown", owners, search(breakdown())},

		{http.MethodGet, "/program", owners, search(settings())},
		{http.MethodPut, "/program", ownerOnly,
			write(bodyOf[affiliate.SettingsUpdate](), (*tributary.Program).UpdateSettings, strict)},
		{http.MethodGet, "/attention", owners, search(attention())},
		{http.MethodGet, "/verify", owners, search(verification())},

		{http.MethodGet, "/coupons/summaries", owners, search(summaries())},
		{http.MethodGet, "/events", everybody, search(events())},
		{http.MethodGet, "/affiliates/search", owners, search(
			filtered((*tributary.Program).Affiliates))},
		{http.MethodGet, "/referrals/search", owners, search(
			filtered((*tributary.Program).Referrals))},
		{http.MethodGet, "/promotional-codes/search", owners, search(
			filtered((*tributary.Program).Codes))},

		{http.MethodPost, "/affiliates/ensure", shops,
			write(bodyOf[affiliate.AffiliateParams](), (*tributary.Program).EnsureAffiliate,
				strict)},
		{http.MethodPost, "/affiliates/status", ownerOnly,
			write(affiliateStatusOf, toAll((*tributary.Program).SetAffiliateStatus), strict)},
		{http.MethodPost, "/affiliates/plan", ownerOnly,
			write(planOfAffiliates, toAll((*tributary.Program).SetAffiliatePlan), strict)},
		{http.MethodPost, "/affiliates/tier", ownerOnly,
			write(tierOfAffiliates, toAll((*tributary.Program).SetAffiliateTier), strict)},
		{http.MethodPost, "/affiliates/tier-exempt", ownerOnly,
			write(exemptionOf, toAll((*tributary.Program).SetTierExempt), strict)},
		{http.MethodPost, "/affiliates/payout-details", ownerOnly,
			write(payoutDetailsOf, setPayoutDetails, strict, wrapped)},
		{http.MethodPost, "/affiliates/invite", ownerOnly,
			write(invitationOf, (*tributary.Program).InviteAffiliate, strict)},
		{http.MethodPost, "/affiliates/accept-invite", ownerOnly,
			change("affiliateId", bodyOf[affiliate.Acceptance](),
				(*tributary.Program).AcceptInvite, strict)},

		{http.MethodPost, "/referrals/status", shops, write(pushedStatusOf, pushReferralStatus, strict)},
		{http.MethodPost, "/referrals/merge", ownerOnly,
			write(bodyOf[affiliate.Merge](), (*tributary.Program).MergeReferrals, strict)},
		{http.MethodPost, "/affiliates/merge", ownerOnly,
			write(bodyOf[affiliate.Merge](), (*tributary.Program).MergeAffiliates, strict)},
		{http.MethodPost, "/referrals/plan", ownerOnly,
			write(planOfReferrals, toAll((*tributary.Program).SetReferralPlan), strict)},
		{http.MethodPost, "/clicks", shops, write(newClick, (*tributary.Program).TrackClick, strict, elseNull)},
		{http.MethodPost, "/promotional-codes/generate", ownerOnly,
			write(generationOf, generateCodes, strict, wrapped)},
		{http.MethodPost, "/sales/reverse", shops, write(reversalOf, reverseSale, strict, wrapped)},
		{http.MethodPost, "/sales/restore-redemption", ownerOnly, write(saleRefOf, restoreRedemption, strict, wrapped)},
		{http.MethodPost, "/sales/accept-redemption", ownerOnly, write(saleRefOf, acceptRedemption, strict, wrapped)},

		{http.MethodGet, "/proposals", owners, search(proposed()...)},
		{http.MethodPost, "/proposals", proposers,
			answering[affiliate.Proposal](bodyOf[affiliate.ProposalParams](), propose, strict, keyless)},

		{http.MethodGet, "/commission-plans", owners, search(
			one("commissionPlanId", keyedBy(idOf, (*tributary.Program).Plan)),
			all((*tributary.Program).Plans))},
		{http.MethodPost, "/commission-plans", ownerOnly, write(newPlan, (*tributary.Program).CreatePlan, strict)},
		{http.MethodPut, "/commission-plans", ownerOnly,
			change("commissionPlanId", bodyOf[affiliate.PlanUpdate](),
				(*tributary.Program).UpdatePlan, strict)},
		{http.MethodDelete, "/commission-plans", ownerOnly,
			gone("commissionPlanId", "Commission plan deleted successfully",
				(*tributary.Program).DeletePlan, strict)},

		{http.MethodGet, "/budgets", owners, search(filtered((*tributary.Program).Budgets))},

		{http.MethodGet, "/terms", owners, search(terms())},
		{http.MethodPut, "/terms", ownerOnly,
			write(bodyOf[affiliate.TermsUpdate](), (*tributary.Program).SetTerms, strict)},
		{http.MethodPost, "/terms/simulate", ownerOnly, answering[simulation](simulationOf, simulateTerms, strict, keyless)},

		{http.MethodGet, "/commission-tiers", owners, search(
			one("commissionTierId", keyedBy(idOf, (*tributary.Program).Tier)),
			all((*tributary.Program).Tiers))},
		{http.MethodPost, "/commission-tiers", ownerOnly,
			write(bodyOf[affiliate.TierParams](), (*tributary.Program).CreateTier, strict)},
		{http.MethodPut, "/commission-tiers", ownerOnly,
			change("commissionTierId", bodyOf[affiliate.TierUpdate](),
				(*tributary.Program).UpdateTier, strict)},
		{http.MethodDelete, "/commission-tiers", ownerOnly,
			gone("commissionTierId", "Tier deleted successfully", (*tributary.Program).DeleteTier,
				strict)},
		{http.MethodGet, "/bonuses", owners, search(
			bonusesOf("affiliateId"),
			bonusesOf("affiliateEmail"),
			needs("affiliateId", refusal.RefuseNoOwner))},
		{http.MethodPost, "/bonuses/grant", ownerOnly, write(stepOf, grantBonuses, strict, wrapped)},
		{http.MethodPost, "/commission-tiers/assign", ownerOnly, write(stepOf, assignTiers, strict, wrapped)},
		{http.MethodPost, "/sales/recalculate", ownerOnly, write(recalculationOf, recalculateSales, strict, wrapped)},

		{http.MethodPost, "/affiliates/erase", ownerOnly, write(erasureOfAffiliate, eraseAffiliate, strict, wrapped)},
		{http.MethodPost, "/referrals/erase", ownerOnly, write(erasureOfReferral, eraseReferral, strict, wrapped)},
		{http.MethodPost, "/prune", ownerOnly, write(pruningOf, prune, strict, wrapped)},

		{http.MethodPost, "/partner/token", ownerOnly,
			answering[issuedToken](tokenOrderOf, issueToken, strict, keyless)},

		{http.MethodGet, "/webhooks", owners, find(
			one("webhookId", keyedBy(idOf, ofHooks(tributary.Webhooks.Endpoint))),
			all(ofHooks(tributary.Webhooks.Endpoints)))},
		{http.MethodPost, "/webhooks", ownerOnly,
			write(bodyOf[affiliate.EndpointParams](), ofHooks(tributary.Webhooks.CreateEndpoint))},
		{http.MethodPut, "/webhooks", ownerOnly,
			change("webhookId", bodyOf[affiliate.EndpointUpdate](),
				ofHooks2(tributary.Webhooks.UpdateEndpoint), strict)},
		{http.MethodDelete, "/webhooks", ownerOnly, write(targetID("webhookId"), deleteEndpoint, wrapped)},
		{http.MethodPost, "/webhooks/rotate-secret", ownerOnly,
			write(bodyOf[affiliate.Rotation](), ofHooks(tributary.Webhooks.RotateSecret))},
		{http.MethodPost, "/webhooks/test", ownerOnly,
			write(bodyOf[affiliate.EndpointTest](), ofHooks(tributary.Webhooks.TestEndpoint))},
		{http.MethodPost, "/webhooks/replay", ownerOnly, write(bodyOf[affiliate.ReplayRange](), replay, wrapped)},
		{http.MethodGet, "/webhooks/deliveries", owners, find(
			one("deliveryId", keyedBy(idOf, ofHooks(tributary.Webhooks.Delivery))),
			filtered(ofHooks2(tributary.Webhooks.Deliveries)))},

		{http.MethodGet, "/openapi.json", everybody, document()},
	}
}
