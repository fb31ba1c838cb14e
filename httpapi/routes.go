package httpapi

import (
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
)

// A route is one operation: its method, its path below /api/v1, and the action
// that answers it.
type route struct {
	method, path string
	action       action
}

// routes lists the operations of the API in the order of the contract.
//
// Source: docs/contract.md 1.1, 3 and 4.
func routes() []route {
	return []route{
		{http.MethodGet, "/affiliates", find(
			one("id", (*affiliate.Program).Affiliate),
			one("email", (*affiliate.Program).AffiliateByEmail),
			all((*affiliate.Program).Affiliates))},
		{http.MethodPost, "/affiliates", create(newAffiliate, (*affiliate.Program).CreateAffiliate)},
		{http.MethodPut, "/affiliates", counting(affiliateChangeOf, updateAffiliate)},
		{http.MethodDelete, "/affiliates", remove(affiliateTarget, deleteAffiliate)},

		{http.MethodGet, "/links", find(
			several("id", by((*affiliate.Program).Links, linkByID)),
			several("link", by((*affiliate.Program).Links, linkBySlug)),
			many("affiliateId", by((*affiliate.Program).Links, linksOf)),
			many("affiliateEmail", by((*affiliate.Program).Links, linksOfEmail)),
			many("", by((*affiliate.Program).Links, nil)))},
		{http.MethodPost, "/links", create(newLink, (*affiliate.Program).CreateLink)},
		{http.MethodPut, "/links", lenient(linkChangeOf, renameLink)},
		{http.MethodDelete, "/links", remove(linkTarget, deleteLink)},

		{http.MethodGet, "/coupons", find(
			coupon("id", couponByID),
			coupon("couponId", couponByID),
			coupon("externalId", couponByExternalID),
			coupon("name", couponByName),
			coupons())},
		{http.MethodPost, "/coupons", create(newCoupon, (*affiliate.Program).CreateCoupon)},
		{http.MethodPut, "/coupons", change(couponChangeOf, updateCoupon)},
		{http.MethodDelete, "/coupons", remove(couponTarget, deleteCoupon)},

		{http.MethodGet, "/promotional-codes", find(
			one("id", codeBy(codeByID)),
			one("code", codeBy(codeByText)),
			one("externalId", codeBy(codeByExternalID)),
			many("couponId", by((*affiliate.Program).Codes, codesOfCoupon)),
			many("affiliateId", by((*affiliate.Program).Codes, codesOf)),
			many("affiliateEmail", by((*affiliate.Program).Codes, codesOfEmail)),
			many("", by((*affiliate.Program).Codes, nil)))},
		{http.MethodPost, "/promotional-codes", create(newCode, (*affiliate.Program).CreateCode)},
		{http.MethodPut, "/promotional-codes", change(codeChangeOf, updateCode)},
		{http.MethodDelete, "/promotional-codes", remove(codeTarget, deleteCode)},
		{http.MethodPost, "/promotional-codes/validate", create(orderOf, (*affiliate.Program).Evaluate)},

		{http.MethodGet, "/referrals", find(
			one("id", (*affiliate.Program).Referral),
			many("affiliateId", by((*affiliate.Program).Referrals, referralsOf)),
			many("affiliateEmail", by((*affiliate.Program).Referrals, referralsOfEmail)),
			many("externalId", by((*affiliate.Program).Referrals, referralsOfCustomer)),
			many("", by((*affiliate.Program).Referrals, nil)))},
		{http.MethodPost, "/referrals", answering[affiliate.Referral](post(newReferral, createReferral))},
		{http.MethodPut, "/referrals", change(referralChangeOf, updateReferral)},
		{http.MethodDelete, "/referrals", remove(referralTarget, deleteReferral)},

		{http.MethodGet, "/sales", find(
			one("id", saleByID),
			many("affiliateId", by((*affiliate.Program).Sales, salesOf)),
			many("affiliateEmail", by((*affiliate.Program).Sales, salesOfEmail)),
			many("referralId", by((*affiliate.Program).Sales, salesTo)),
			many("saleExternalId", by((*affiliate.Program).Sales, salesByExternalID)),
			many("saleExternalInvoiceId", by((*affiliate.Program).Sales, salesByInvoice)),
			many("", by((*affiliate.Program).Sales, nil)))},
		{http.MethodPost, "/sales", answering[affiliate.Sale](post(newSale, recordSale))},
		{http.MethodPut, "/sales", change(saleChangeOf, updateSale)},
		{http.MethodPatch, "/sales", change(refundOf, (*affiliate.Program).RefundSale)},
		{http.MethodDelete, "/sales", remove(saleTarget, deleteSale)},

		{http.MethodGet, "/webhooks", find(
			one("webhookId", endpointByID),
			all((*affiliate.Program).Endpoints))},
		{http.MethodPost, "/webhooks", create(newEndpoint, (*affiliate.Program).CreateEndpoint)},
		{http.MethodPut, "/webhooks", change(endpointChangeOf, updateEndpoint)},
		{http.MethodDelete, "/webhooks", remove(endpointTarget, deleteEndpoint)},
		{http.MethodPost, "/webhooks/rotate-secret", create(rotationOf, (*affiliate.Program).RotateSecret)},
		{http.MethodPost, "/webhooks/test", create(endpointTestOf, (*affiliate.Program).TestEndpoint)},
		{http.MethodPost, "/webhooks/replay", answering[counted](post(replayOf, replay))},
		{http.MethodGet, "/webhooks/deliveries", find(
			one("deliveryId", deliveryByID),
			filtered(deliveryFilters, deliveryFilterOf, (*affiliate.Program).Deliveries))},

		{http.MethodGet, "/openapi.json", document()},
	}
}
