package affiliate

import "slices"

// The lists of values, for forms and for checks of input. Each call returns a new
// slice.

// Accounts lists the accounts of the ledger, ACCRUAL first.
func Accounts() []Account { return slices.Clone(accounts) }

// AffiliateStatuses lists the statuses of an affiliate.
func AffiliateStatuses() []AffiliateStatus { return slices.Clone(affiliateStatuses) }

// ApprovalStatuses lists the decisions that a person can make about a commission.
func ApprovalStatuses() []ApprovalStatus { return slices.Clone(approvalStatuses) }

// Causes lists the causes of movements.
func Causes() []Cause { return slices.Clone(causes) }

// HoldReasons lists the reasons for which a commission is on hold.
func HoldReasons() []HoldReason { return slices.Clone(holdReasons) }

// Integrations lists the integrations that report sales and customers.
func Integrations() []Integration { return slices.Clone(integrations) }

// PaymentTriggers lists the kinds of payments that produce a sale.
func PaymentTriggers() []PaymentTrigger { return slices.Clone(paymentTriggers) }

// RateSources lists the sources of a commission's rate.
func RateSources() []RateSource { return slices.Clone(rateSources) }

// SubscriptionStatuses lists the subscription statuses of a customer.
func SubscriptionStatuses() []SubscriptionStatus { return slices.Clone(subscriptionStatuses) }

// Durations lists the durations of a discount.
func Durations() []Duration { return slices.Clone(durations) }

// IntegrationTypes lists the integrations of a coupon.
func IntegrationTypes() []IntegrationType { return slices.Clone(integrationTypes) }

// CodeStates lists the states that codes can be searched by.
func CodeStates() []CodeState { return slices.Clone(codeStates) }

// PaymentMethods lists the ways in which affiliates can be paid.
func PaymentMethods() []PaymentMethod { return slices.Clone(paymentMethods) }

// SkipReasons lists the reasons why a run does not pay an affiliate.
func SkipReasons() []SkipReason { return slices.Clone(skipReasons) }

// PayoutStatuses lists the statuses of a payout.
func PayoutStatuses() []PayoutStatus { return slices.Clone(payoutStatuses) }

var durations = []Duration{DurationOnce, DurationForever, DurationRepeating}

var integrationTypes = []IntegrationType{"NONE", "STRIPE", "CHARGEBEE", "PADDLE", "SHOPIFY", "WOOCOMMERCE", "ZYLVIE", "POLAR"}

var codeStates = []CodeState{CodeUsable, CodeUsedUp, CodeOver, CodeUpcoming}

var paymentMethods = []PaymentMethod{MethodWise, MethodWiseBank, MethodPayPal, MethodBank, MethodCredits, MethodCoupon, MethodReferly}

var skipReasons = []SkipReason{SkipBanned, SkipNotApproved, SkipOnHold, SkipNothingMatured, SkipNegative, SkipNoPayoutMethod, SkipBelowMinimum}

var payoutStatuses = []PayoutStatus{PayoutPending, PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled, PayoutReturned}
