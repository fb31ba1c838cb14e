package affiliate

import (
	"slices"
)

// The lists of values, for forms and for checks of input. Each call returns a list of
// its own.

// Accounts are the accounts of the ledger, ACCRUAL first.
func Accounts() []Account { return slices.Clone(accounts) }

// AffiliateStatuses are the statuses of an affiliate.
func AffiliateStatuses() []AffiliateStatus { return slices.Clone(affiliateStatuses) }

// ApprovalStatuses are what a person decides about a commission.
func ApprovalStatuses() []ApprovalStatus { return slices.Clone(approvalStatuses) }

// Causes are why something moves between accounts.
func Causes() []Cause { return slices.Clone(causes) }

// HoldReasons are why a commission is on hold.
func HoldReasons() []HoldReason { return slices.Clone(holdReasons) }

// Integrations are the integrations that sales and customers come from.
func Integrations() []Integration { return slices.Clone(integrations) }

// PaymentTriggers are what a commission is paid for.
func PaymentTriggers() []PaymentTrigger { return slices.Clone(paymentTriggers) }

// RateSources are where the rate of a commission comes from.
func RateSources() []RateSource { return slices.Clone(rateSources) }

// SubscriptionStatuses are the statuses of a customer.
func SubscriptionStatuses() []SubscriptionStatus { return slices.Clone(subscriptionStatuses) }
