package httpapi

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestResponseOnlyNames: fields that only the engine sets are never read from a
// body.
func TestResponseOnlyNames(t *testing.T) {
	engines := []string{
		"affiliateProgramId", "programId", "userId", "createdAt", "updatedAt", "source", "timesRedeemed",
		"collectionIds", "couponCategory", "autoCouponRule", "isAffiliateGenerated", "promotionalCodes",
		"useCommissionPlanCommissionRate", "exemptFromCommissionTierChanges", "affiliateLinks", "commissionTierId",
		"payoutEmail", "paymentMethod", "detailsComplete", "emailVerified", "image", "numberOfReferredUsers",
		"numberOfClicks", "totalRevenue", "totalCommission", "totalCommissionEarned", "fullURLs", "clicks",
		"submissionType", "referralMedium", "integrationReferralSource", "initialLandingPage", "affiliateLinkId",
		"taxAmount", "shippingAmount", "promotionalCodeId", "productsBought", "refundedAmount", "refundedAt",
		"paymentTrigger", "integrationSalesSource", "commissions", "approvalStatus", "rewardType", "payoutCreated",
		"payoutId", "manuallyPaid", "holdReason", "bonusReason", "disabledReason", "disabledAt", "firstFailureAt",
		"lastSuccessAt", "pausedUntil", "secret", "secretHint", "previousSecretExpiresAt", "revision", "password",
	}
	asked := []string{ // operations that are about such a field
		"/payouts manuallyPaid", "/sales/review approvalStatus", "/affiliates/tier commissionTierId",
		"/affiliates/payout-details payoutEmail", "/affiliates/payout-details paymentMethod", "/commission-plans paymentTrigger",
	}
	for _, r := range routes() {
		if r.action.read == nil {
			continue
		}
		fields, targets := recorded(r.action)
		for _, f := range fields[targets:] {
			if slices.Contains(engines, f.name) && !slices.Contains(asked, r.path+" "+f.name) {
				t.Errorf("%s %s reads %s", r.method, r.path, f.name)
			}
		}
	}
}

// TestNeverTold: no answer and no event has a field in which a secret is
// stored. The exceptions are a secret and a token that were just made.
func TestNeverTold(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	for name, s := range doc.Components.Schemas {
		for _, secret := range []string{"password", "secret", "secrets", "apiKey", "key", "digest", "hash", "token", "ip", "ipAddress"} {
			if _, told := s.Properties[secret]; told && name+" "+secret != "IssuedWebhookEndpoint secret" && name+" "+secret != "PartnerToken token" {
				t.Errorf("%s tells %s", name, secret)
			}
		}
	}
}
