package affiliate

import (
	"fmt"
	"slices"
)

// Enumerations are open strings: a value that a newer server sends is kept, not
// refused. What callers send is checked against the lists here. Values:
// contract 6.

// CouponType says how a coupon's discount is given.
type CouponType string

// CommissionType says whether a rate is a percentage or an amount.
type CommissionType string

// Coupon and commission types. The zero value counts as a percentage.
const (
	CouponPercentage     CouponType     = "PERCENTAGE" // PercentOff of the price
	CouponFlat           CouponType     = "FLAT"       // AmountOff the price
	CommissionPercentage CommissionType = "PERCENTAGE" // the rate is per cent of what is kept
	CommissionFlat       CommissionType = "FLAT"       // the rate is an amount for each sale
)

// Duration says for how many payments a discount applies. It is information for
// the host: the engine stores it and does not enforce it.
type Duration string

// The durations of a coupon (contract 2.1).
const (
	DurationOnce      Duration = "once"      // the first payment
	DurationForever   Duration = "forever"   // every payment
	DurationRepeating Duration = "repeating" // the payments of DurationInMonths
)

// IntegrationType names the payment platform a coupon's externalId belongs to.
// It is stored and has no effect.
type IntegrationType string

// Integration names the integration that reported a referral or a sale. Empty:
// none.
type Integration string

var integrations = []Integration{
	"JAVASCRIPT", "MAKE", "ZAPIER", "STRIPE", "SHOPIFY", "WOOCOMMERCE",
	"PADDLE", "CHARGEBEE", "MEMBERSTACK", "POLAR", "SKILLPLATE", "ZYLVIE",
}

// CharsCase is the alphabet of the random part of a generated code. The zero
// value means uppercase.
type CharsCase string

// The alphabets: A–Z 0–9, a–z 0–9, or all three ranges.
const (
	CharsUppercase CharsCase = "uppercase" // A–Z 0–9
	CharsLowercase CharsCase = "lowercase" // a–z 0–9
	CharsMixed     CharsCase = "mixed"     // A–Z a–z 0–9
)

// CodeState is a state of codes that [CodeQuery] can find, from their
// [Usability].
type CodeState string

// The states. A code may be exhausted and expired at once. A code is not usable
// when it is not active, its coupon is not valid, or it has no affiliate.
const (
	CodeUsable   CodeState = "usable"    // an order could use it
	CodeUsedUp   CodeState = "exhausted" // a limit, its own or the coupon's, or the budget, is reached
	CodeOver     CodeState = "expired"   // a time, its own or the coupon's, has passed
	CodeUpcoming CodeState = "upcoming"  // its time, or the coupon's, has not begun
)

// AffiliateStatus is the status of an affiliate. INACTIVE means pending.
type AffiliateStatus string

// The statuses of an affiliate; the moves between them are in affiliate.go.
const (
	AffiliateActive      AffiliateStatus = "ACTIVE"      // earns commissions
	AffiliateInactive    AffiliateStatus = "INACTIVE"    // pending: a person has to approve it
	AffiliateInvited     AffiliateStatus = "INVITED"     // was invited and has not accepted yet
	AffiliateDeclined    AffiliateStatus = "DECLINED"    // was not approved
	AffiliateDeactivated AffiliateStatus = "DEACTIVATED" // was active; new commissions are ON_HOLD
	AffiliateBanned      AffiliateStatus = "BANNED"      // new commissions are ON_HOLD, and nothing is paid out
)

var affiliateStatuses = []AffiliateStatus{
	AffiliateActive, AffiliateInactive, AffiliateInvited, AffiliateDeclined, AffiliateDeactivated, AffiliateBanned,
}

// Source says where a write comes from; see Program.From. Each record type
// knows only some sources and stores the others as UNKNOWN.
type Source string

// The sources of Program.From.
const (
	SourceAPI                 Source = "API"                  // a call of the HTTP API, and of a program without From
	SourceManual              Source = "MANUAL"               // a person, by the console or the command
	SourceImported            Source = "IMPORTED"             // an import
	SourceUnknown             Source = "UNKNOWN"              // any that the record type does not know
	SourceAffiliatePortal     Source = "AFFILIATE_PORTAL"     // the partner pages
	SourceWidget              Source = "WIDGET"               // a widget of the host
	SourceMarketplace         Source = "REFERLY_MARKETPLACE"  // a marketplace
	SourceInfluencerDiscovery Source = "INFLUENCER_DISCOVERY" // a search for influencers
	SourceIntegration         Source = "INTEGRATION"          // a payment provider or another integration
	SourceAffiliateSubmitted  Source = "AFFILIATE_SUBMITTED"  // an affiliate who reports a customer
	SourceAutomated           Source = "AUTOMATED"            // a job of the host
)

// AffiliateSource, ReferralSource and SaleSource are the sources each record
// type may show.
type (
	AffiliateSource string
	ReferralSource  string
	SaleSource      string
)

// PaymentMethod says how an affiliate is paid. Empty: not set.
type PaymentMethod string

// The payment methods. The engine moves no money: the host decides what a method
// means. Package payfile writes files for PAYPAL and WISE.
const (
	MethodWise     PaymentMethod = "WISE"      // Wise, to the payee's email
	MethodWiseBank PaymentMethod = "WISE_BANK" // Wise, to a bank account
	MethodPayPal   PaymentMethod = "PAYPAL"    // PayPal, to the payee's email
	MethodBank     PaymentMethod = "BANK"      // a transfer by the host's bank
	MethodCredits  PaymentMethod = "CREDITS"   // credits in the host's product
	MethodCoupon   PaymentMethod = "COUPON"    // a coupon of the host's
	MethodReferly  PaymentMethod = "REFERLY"   // a payout service
)

// SubscriptionStatus is the status of a customer's subscription.
type SubscriptionStatus string

// The subscription statuses. Only a payment provider sets PAST_DUE and
// CANCELLED; see Program.PushReferralStatus.
const (
	SubscriptionActive    SubscriptionStatus = "ACTIVE"    // the customer pays
	SubscriptionSubmitted SubscriptionStatus = "SUBMITTED" // an affiliate reported the customer; sales are not recorded until a person accepts
	SubscriptionDeclined  SubscriptionStatus = "DECLINED"  // a person declined the customer; sales are not recorded
	SubscriptionPastDue   SubscriptionStatus = "PAST_DUE"  // a payment is late
	SubscriptionCancelled SubscriptionStatus = "CANCELLED" // the subscription has ended
)

// SubmissionType says whether a referral was made by tracking or by hand.
type SubmissionType string

// The submission types.
const (
	SubmissionAutomatic SubmissionType = "AUTOMATIC" // by tracking
	SubmissionManual    SubmissionType = "MANUAL"    // by hand
)

// ReferralMedium says what attributed a referral: a code, or anything else.
type ReferralMedium string

// The media.
const (
	MediumLink   ReferralMedium = "LINK"   // a link, or anything else that is no code
	MediumCoupon ReferralMedium = "COUPON" // a promotional code
)

// SaleStatus is ACTIVE until the whole sale is refunded. It never becomes ACTIVE
// again.
type SaleStatus string

// The sale statuses.
const (
	SaleActive   SaleStatus = "ACTIVE"   // something of it is kept
	SaleRefunded SaleStatus = "REFUNDED" // all of it was refunded
)

// PaymentTrigger is the kind of payment that produced a sale.
type PaymentTrigger string

// The payment triggers.
const (
	TriggerSignup        PaymentTrigger = "SIGNUP"         // a sign-up
	TriggerPurchase      PaymentTrigger = "PURCHASE"       // a purchase
	TriggerBonus         PaymentTrigger = "BONUS"          // a bonus
	TriggerContentReward PaymentTrigger = "CONTENT_REWARD" // a reward for content
)

var paymentTriggers = []PaymentTrigger{TriggerSignup, TriggerPurchase, TriggerBonus, TriggerContentReward}

// ApprovalStatus says whether a commission may be paid.
type ApprovalStatus string

// The approval statuses.
const (
	ApprovalAccepted ApprovalStatus = "ACCEPTED" // it may be paid
	ApprovalOnHold   ApprovalStatus = "ON_HOLD"  // it waits for a person
	ApprovalDeclined ApprovalStatus = "DECLINED" // it is never paid
)

// HoldReason says why a commission is on hold or declined. Empty: neither.
type HoldReason string

// The hold reasons.
const (
	HoldProgramSettings      HoldReason = "PROGRAM_SETTINGS"       // the terms of the program, or a person
	HoldFraudPrevention      HoldReason = "FRAUD_PREVENTION"       // a rule of Config.Review
	HoldAffiliateDeactivated HoldReason = "AFFILIATE_DEACTIVATED"  // the affiliate is DEACTIVATED
	HoldAffiliateBanned      HoldReason = "AFFILIATE_BANNED"       // the affiliate is BANNED
	HoldAffiliateNotApproved HoldReason = "AFFILIATE_NOT_APPROVED" // the affiliate is INACTIVE, INVITED or DECLINED; approval releases it
)

// RewardType is the kind of reward that a commission is paid in.
type RewardType string

// RewardCash is the only reward type that the engine makes.
const RewardCash RewardType = "CASH"

// PayoutStatus is the status of a payout: PENDING → PROCESSING → PAID or FAILED.
// A PENDING or FAILED payout can be CANCELED, a PAID one RETURNED.
type PayoutStatus string

// The payout statuses. CANCELED and RETURNED are final.
const (
	PayoutPending    PayoutStatus = "PENDING"    // made, and not sent yet
	PayoutProcessing PayoutStatus = "PROCESSING" // sent, and not confirmed yet
	PayoutPaid       PayoutStatus = "PAID"       // the money has arrived
	PayoutFailed     PayoutStatus = "FAILED"     // it was not paid, and may be tried again
	PayoutCanceled   PayoutStatus = "CANCELED"   // it was given up, and its entries are open again
	PayoutReturned   PayoutStatus = "RETURNED"   // it was PAID, the money came back, and its entries are open again
)

// RunStatus is the status of a payout run.
type RunStatus string

// The statuses of a payout run. DONE is final.
const (
	RunRunning RunStatus = "RUNNING" // affiliates are left to be examined
	RunDone    RunStatus = "DONE"    // all were examined
)

// SkipReason says why a payout run does not pay an affiliate who has something
// open.
type SkipReason string

// The reasons, in the order in which they are checked.
const (
	SkipBanned         SkipReason = "banned"           // the affiliate is BANNED
	SkipNotApproved    SkipReason = "not_approved"     // the affiliate is INACTIVE, INVITED or DECLINED
	SkipOnHold         SkipReason = "on_hold"          // all that is open is ON_HOLD
	SkipNothingMatured SkipReason = "nothing_matured"  // everything payable is dated later, or in its holding period
	SkipNegative       SkipReason = "negative"         // what there is to take is not above zero
	SkipNoPayoutMethod SkipReason = "no_payout_method" // no payment method, or no payout email
	SkipBelowMinimum   SkipReason = "below_minimum"    // the amount is below the minimum of the run
)

// ConditionType says whether a tier requires all of its minimums or one of
// them.
type ConditionType string

// The condition types.
const (
	ConditionAll  ConditionType = "ALL"  // all of them
	ConditionSome ConditionType = "SOME" // one of them
)

// EndpointStatus says whether an endpoint gets deliveries.
type EndpointStatus string

// The endpoint statuses.
const (
	EndpointEnabled  EndpointStatus = "enabled"  // it gets deliveries
	EndpointDisabled EndpointStatus = "disabled" // it gets none
)

// DisabledReason says why an endpoint is disabled. Empty: it is enabled.
type DisabledReason string

// The reasons: by hand, after an HTTP 410, after failing for days.
const (
	DisabledManual  DisabledReason = "manual"  // by hand
	DisabledGone    DisabledReason = "gone"    // it answered 410
	DisabledFailing DisabledReason = "failing" // its deliveries failed for days
)

// DeliveryState is the state of a delivery.
type DeliveryState string

// The delivery states.
const (
	DeliveryPending   DeliveryState = "pending"   // it will be tried, for the first time or again
	DeliveryDelivered DeliveryState = "delivered" // the endpoint has answered 2xx
	DeliveryFailed    DeliveryState = "failed"    // every attempt has failed
	DeliverySkipped   DeliveryState = "skipped"   // its endpoint was disabled
	DeliveryCanceled  DeliveryState = "canceled"  // its endpoint answered 410, or was deleted
)

var subscriptionStatuses = []SubscriptionStatus{SubscriptionActive, SubscriptionSubmitted,
	SubscriptionDeclined, SubscriptionPastDue, SubscriptionCancelled}

var approvalStatuses = []ApprovalStatus{ApprovalAccepted, ApprovalOnHold, ApprovalDeclined}

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

var integrationTypes = []IntegrationType{"NONE", "STRIPE", "CHARGEBEE", "PADDLE", "SHOPIFY",
	"WOOCOMMERCE", "ZYLVIE", "POLAR"}

var codeStates = []CodeState{CodeUsable, CodeUsedUp, CodeOver, CodeUpcoming}

var paymentMethods = []PaymentMethod{MethodWise, MethodWiseBank, MethodPayPal, MethodBank,
	MethodCredits, MethodCoupon, MethodReferly}

var skipReasons = []SkipReason{SkipBanned, SkipNotApproved, SkipOnHold, SkipNothingMatured,
	SkipNegative, SkipNoPayoutMethod, SkipBelowMinimum}

var payoutStatuses = []PayoutStatus{PayoutPending, PayoutProcessing, PayoutPaid, PayoutFailed,
	PayoutCanceled, PayoutReturned}

// An Enum is an enumeration in a stored record: one byte in place of a text,
// because programs keep millions of records. In JSON it is the text. The zero
// Enum is the empty text. Enums of the same value are equal.
//
// An Enum has only the values that this version of the package knows: a store
// cannot read a record into which a newer version has written a new value.
type Enum[T enumeration[T]] struct {
	n uint8 // the position in the list of T plus one; 0: empty
}

// An enumeration is a text with a list of values. Values are added to the end
// of the list.
type enumeration[T any] interface {
	~string
	values() []T
}

// EnumOf returns v as a stored value. It returns the zero Enum for a text that
// is not a value of T.
func EnumOf[T enumeration[T]](v T) Enum[T] {
	return Enum[T]{uint8(slices.Index(v.values(), v) + 1)}
}

// Value returns the value.
func (e Enum[T]) Value() (v T) {
	if e.n > 0 {
		v = v.values()[e.n-1]
	}
	return v
}

// Is reports whether e has the value v.
func (e Enum[T]) Is(v T) bool { return e.Value() == v }

// Equal reports whether e and f have the same value. So does ==.
func (e Enum[T]) Equal(f Enum[T]) bool { return e == f }

// String returns the text.
func (e Enum[T]) String() string { return string(e.Value()) }

// MarshalText returns the text.
func (e Enum[T]) MarshalText() ([]byte, error) { return []byte(e.Value()), nil }

// UnmarshalText reads a text. It returns an error for a text that is neither
// empty nor a value of T.
func (e *Enum[T]) UnmarshalText(text []byte) error {
	v := EnumOf(T(text))
	if v.n == 0 && len(text) > 0 {
		return fmt.Errorf("affiliate: unknown %T in a stored record", T(""))
	}
	*e = v
	return nil
}

func (CommissionType) values() []CommissionType { return commissionTypes }
func (SaleStatus) values() []SaleStatus         { return saleStatuses }
func (PaymentTrigger) values() []PaymentTrigger { return paymentTriggers }
func (SaleSource) values() []SaleSource         { return saleSources }
func (Integration) values() []Integration       { return integrations }
func (ApprovalStatus) values() []ApprovalStatus { return approvalStatuses }
func (HoldReason) values() []HoldReason         { return holdReasons }
func (Account) values() []Account               { return accounts }
func (Cause) values() []Cause                   { return causes }

// Enumerations that are in the frozen bodies of events.

func (AffiliateStatus) values() []AffiliateStatus       { return affiliateStatuses }
func (SubscriptionStatus) values() []SubscriptionStatus { return subscriptionStatuses }
func (SubmissionType) values() []SubmissionType         { return submissionTypes }
func (ReferralMedium) values() []ReferralMedium         { return referralMedia }
func (ReferralSource) values() []ReferralSource         { return referralSources }

// The lists that only stored values use.
var (
	commissionTypes = []CommissionType{CommissionPercentage, CommissionFlat}
	saleStatuses    = []SaleStatus{SaleActive, SaleRefunded}
	saleSources     = []SaleSource{"API", "MANUAL", "IMPORTED", "INTEGRATION", "AUTOMATED", "UNKNOWN"}
	submissionTypes = []SubmissionType{SubmissionAutomatic, SubmissionManual}
	referralMedia   = []ReferralMedium{MediumLink, MediumCoupon}
	referralSources = []ReferralSource{"API", "MANUAL", "IMPORTED", "INTEGRATION", "AFFILIATE_SUBMITTED", "UNKNOWN"}
	holdReasons     = []HoldReason{HoldProgramSettings, HoldFraudPrevention,
		HoldAffiliateDeactivated, HoldAffiliateBanned, HoldAffiliateNotApproved}
)
