package engine

import "github.com/tributary-go/tributary/affiliate"

// The lists of values, so that a check of input copies none.
var (
	accounts             = affiliate.Accounts()
	affiliateStatuses    = affiliate.AffiliateStatuses()
	approvalStatuses     = affiliate.ApprovalStatuses()
	codeStates           = affiliate.CodeStates()
	durations            = affiliate.Durations()
	integrationTypes     = affiliate.IntegrationTypes()
	integrations         = affiliate.Integrations()
	paymentMethods       = affiliate.PaymentMethods()
	paymentTriggers      = affiliate.PaymentTriggers()
	subscriptionStatuses = affiliate.SubscriptionStatuses()
)

// ForAffiliate returns the source as an affiliate shows it.
func ForAffiliate(s affiliate.Source) affiliate.AffiliateSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported, affiliate.SourceAffiliatePortal, affiliate.SourceWidget, affiliate.SourceMarketplace, affiliate.SourceInfluencerDiscovery:
		return affiliate.AffiliateSource(s)
	}
	return affiliate.AffiliateSource(affiliate.SourceUnknown)
}

// ForReferral returns the source as a referral shows it.
func ForReferral(s affiliate.Source) affiliate.ReferralSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported, affiliate.SourceIntegration, affiliate.SourceAffiliateSubmitted:
		return affiliate.ReferralSource(s)
	}
	return affiliate.ReferralSource(affiliate.SourceUnknown)
}

// ForSale returns the source as a sale shows it.
func ForSale(s affiliate.Source) affiliate.SaleSource {
	switch s {
	case affiliate.SourceAPI, affiliate.SourceManual, affiliate.SourceImported, affiliate.SourceIntegration, affiliate.SourceAutomated:
		return affiliate.SaleSource(s)
	}
	return affiliate.SaleSource(affiliate.SourceUnknown)
}

// IsRefused reports whether sales to the customer are not recorded. With PAST_DUE
// and CANCELLED they are recorded: the customer has paid, and providers often
// report the status later.
func IsRefused(s affiliate.SubscriptionStatus) bool {
	return s == affiliate.SubscriptionSubmitted || s == affiliate.SubscriptionDeclined
}
