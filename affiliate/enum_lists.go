package affiliate

import "slices"

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

// Durations are how long a discount may go on.
func Durations() []Duration { return slices.Clone(durations) }

// IntegrationTypes are the integrations of a coupon.
func IntegrationTypes() []IntegrationType { return slices.Clone(integrationTypes) }

// CodeStates are what codes are searched by.
func CodeStates() []CodeState { return slices.Clone(codeStates) }

// PaymentMethods are how affiliates can be paid.
func PaymentMethods() []PaymentMethod { return slices.Clone(paymentMethods) }

// SkipReasons are why a run pays an affiliate nothing.
func SkipReasons() []SkipReason { return slices.Clone(skipReasons) }

// PayoutStatuses are the statuses of a payout.
func PayoutStatuses() []PayoutStatus { return slices.Clone(payoutStatuses) }

var durations = []Duration{DurationOnce, DurationForever, DurationRepeating}

var integrationTypes = []IntegrationType{"NONE", "STRIPE", "CHARGEBEE", "PADDLE", "SHOPIFY", "WOOCOMMERCE", "ZYLVIE", "POLAR"}

var codeStates = []CodeState{CodeUsable, CodeUsedUp, CodeOver}

var paymentMethods = []PaymentMethod{MethodWise, MethodWiseBank, MethodPayPal, MethodBank, MethodCredits, MethodCoupon, MethodReferly}

var skipReasons = []SkipReason{SkipBanned, SkipNotApproved, SkipOnHold, SkipNothingMatured, SkipNegative, SkipNoPayoutMethod, SkipBelowMinimum}

var payoutStatuses = []PayoutStatus{PayoutPending, PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled, PayoutReturned}
