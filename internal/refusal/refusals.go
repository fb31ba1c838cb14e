package refusal

import (
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

// The rows of the table of refusals: kind, reason, field, text. Texts are written
// only here. Rows with an exported name are for adapters, which refuse a request
// before they call the engine. The three texts that the published API documents
// are marked.
var (
	RefuseUnauthorized      = Refusal{affiliate.KindUnauthorized, affiliate.Unauthorized, "", "Unauthorized"}                        // the key is missing or malformed
	RefuseToken             = Refusal{affiliate.KindUnauthorized, affiliate.InvalidToken, "", "Invalid auth token"}                  // the key is not known
	RefuseAccess            = Refusal{affiliate.KindForbidden, affiliate.NoAPIAccess, "", "User does not have API access"}           // the program of the key has no API access
	RefuseScope             = Refusal{affiliate.KindForbidden, affiliate.InsufficientScope, "", "API key is not allowed to do this"} // the scope of the key does not have the operation
	RefuseProgram           = Refusal{affiliate.KindNotFound, affiliate.ProgramNotFound, "", "Affiliate program not found"}          // the program of the key is gone
	RefusePath              = Refusal{affiliate.KindNotFound, affiliate.NotFound, "", "Not found"}                                   // nothing is at this path
	RefuseMethod            = Refusal{affiliate.KindMethod, affiliate.MethodNotAllowed, "", "Method not allowed"}
	RefuseSize              = Refusal{affiliate.KindTooLarge, affiliate.BodyTooLarge, "", "Request body too large"}
	RefuseMediaType         = Refusal{affiliate.KindMediaType, affiliate.UnsupportedMediaType, "", "Content-Type must be application/json"}
	RefuseRate              = Refusal{affiliate.KindLimited, affiliate.RateLimited, "", "Too many requests. Please slow down."} // the host's limiter says no
	RefuseInternal          = Refusal{affiliate.KindInternal, affiliate.Internal, "", "Internal server error"}                  // anything unexpected
	RefuseNoBody            = Refusal{affiliate.KindInvalid, affiliate.BodyRequired, "", "Request body is required"}            // the operation needs one
	RefuseJSON              = Refusal{affiliate.KindInvalid, affiliate.InvalidJSON, "", "Invalid JSON body"}                    // not JSON
	RefuseNotAnObject       = Refusal{affiliate.KindInvalid, affiliate.InvalidJSON, "", "Request body must be a JSON object"}   // JSON of another kind
	RefuseTrailing          = Refusal{affiliate.KindInvalid, affiliate.InvalidJSON, "", "Unexpected data after JSON body"}      // data after the object
	RefuseDepth             = Refusal{affiliate.KindInvalid, affiliate.InvalidJSON, "", "JSON is nested too deeply"}
	RefuseUTF8              = Refusal{affiliate.KindInvalid, affiliate.InvalidJSON, "", "Request body is not valid UTF-8"}                        // invalid UTF-8, or half of a surrogate pair
	RefuseDuplicateField    = Refusal{affiliate.KindInvalid, affiliate.DuplicateField, "{field}", "Duplicate field: {field}"}                     // use Of
	RefuseUnknownField      = Refusal{affiliate.KindInvalid, affiliate.UnknownField, "{field}", "Unknown field: {field}"}                         // use Of
	RefuseQuery             = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "", "Invalid query string"}                                  // malformed
	RefuseRepeatedParameter = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Query parameter {name} was given more than once"} // use Of
	RefuseEmptyParameter    = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Query parameter {name} must not be empty"}        // use Of
	RefuseLimit             = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"}          // of a page
	RefuseWaitingLimit      = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 20"}            // of what waits
	CursorInvalid           = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "cursor", "Invalid cursor"}
	RefuseUnknownParameter  = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Unknown query parameter: {name}"} // use Of
	RefuseAmounts           = Refusal{affiliate.KindInvalid, affiliate.AmountsInvalid, "", "Amounts must be number or string"}    // the header
	RefuseKey               = Refusal{affiliate.KindInvalid, affiliate.IdempotencyKeyInvalid, "", "Idempotency-Key is invalid"}
	IdempotencyKeyReused    = Refusal{affiliate.KindInvalid, affiliate.IdempotencyKeyReused, "", "Idempotency-Key was already used with a different request"}

	FirstNameRequired               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "firstName", "First name is required"}
	LastNameRequired                = Refusal{affiliate.KindInvalid, affiliate.MissingField, "lastName", "Last name is required"}
	EmailRequired                   = Refusal{affiliate.KindInvalid, affiliate.MissingField, "email", "Email is required"}
	ConversionRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "conversion", "Conversion is required"}
	AffiliateOrEmailAddressRequired = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID or email address is required"}
	RefuseNoAffiliateID             = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID is required"}
	LinkRequired                    = Refusal{affiliate.KindInvalid, affiliate.MissingField, "link", "Link is required"}
	RefuseNoOwner                   = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID or email is required"}
	LinkIDRequired                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "id", "Link ID or link is required"}
	NewLinkRequired                 = Refusal{affiliate.KindInvalid, affiliate.MissingField, "newLink", "New link is required"}
	NameRequired                    = Refusal{affiliate.KindInvalid, affiliate.MissingField, "name", "Name is required"}
	PercentOffRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "percentOff", "Percent off is required when the coupon type is PERCENTAGE"}
	AmountOffRequired               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "amountOff", "Amount off is required when the coupon type is FLAT"}
	CurrencyRequired                = Refusal{affiliate.KindInvalid, affiliate.MissingField, "currency", "Currency is required when the coupon type is FLAT"}
	MonthsRequired                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "durationInMonths", "Duration in months is required when the duration is repeating"}
	ProductIDsRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "productIds", "Product IDs are required when limitToProducts is true"}
	CouponIDRequired                = Refusal{affiliate.KindInvalid, affiliate.MissingField, "couponId", "Coupon ID is required"}
	CodeRequired                    = Refusal{affiliate.KindInvalid, affiliate.MissingField, "code", "Code is required"}
	GeneratedNeedsAffiliate         = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "An affiliate is required when isAutoGenerated is true"}
	CustomerIDRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "customerId", "Customer ID is required when limitToCustomers is true"}
	StructureRequired               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "codeStructure", "Code structure is required when isAutoGenerated is true"}
	PromotionalCodeIDRequired       = Refusal{affiliate.KindInvalid, affiliate.MissingField, "promotionalCodeId", "Promotional Code ID is required"}
	CustomerExternalIDRequired      = Refusal{affiliate.KindInvalid, affiliate.MissingField, "referredUserExternalId", "Referred user external ID is required"}
	ReferralIDRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "referralId", "Referral ID is required"}
	TotalRequired                   = Refusal{affiliate.KindInvalid, affiliate.MissingField, "totalEarned", "Total Amount Earned is required"}
	RefuseNoSaleID                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "saleId", "Sale ID is required"}
	RefuseNoPlanID                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "commissionPlanId", "Commission plan ID is required"}
	RefuseNoTierID                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "commissionTierId", "Commission tier ID is required"}
	RefuseNoRate                    = Refusal{affiliate.KindInvalid, affiliate.MissingField, "commissionRate", "Commission rate is required"} // of a new plan on the wire: in a Go call a zero rate is a rate
	RefuseNoAffiliateIDs            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateIds", "Affiliate IDs are required"}
	RefuseNoReferralIDs             = Refusal{affiliate.KindInvalid, affiliate.MissingField, "referralIds", "Referral IDs are required"}
	RefuseTokenTTL                  = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "ttlSeconds", "ttlSeconds must be an integer from 30 to 3600"}                   // of a token for partner pages
	RefuseNoAge                     = Refusal{affiliate.KindInvalid, affiliate.MissingField, "before", "Either before or retention is required"}                              // of what is dropped: one of them, not both
	RefuseNoSelection               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID, affiliate email, referral ID, or all is required"} // of sales to calculate again
	RefuseNoSaleIDs                 = Refusal{affiliate.KindInvalid, affiliate.MissingField, "saleIds", "Sale IDs are required"}
	RefuseNoPromoCodes              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "promoCodes", "Promo codes are required"} // to compare
	PromoCodeRequired               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "promoCode", "Promo code is required"}
	URLRequired                     = Refusal{affiliate.KindInvalid, affiliate.MissingField, "url", "URL is required"}
	EventsRequired                  = Refusal{affiliate.KindInvalid, affiliate.MissingField, "events", "At least one event type is required"}
	ReplayTargetRequired            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "deliveryId", "Delivery ID, or webhook ID and since, is required"}
	WebhookIDRequired               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "webhookId", "Webhook ID is required"}
	EventRequired                   = Refusal{affiliate.KindInvalid, affiliate.MissingField, "event", "Event is required"}
	RefuseNoProgramID               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "programId", "Program ID is required"}       // of the tracking endpoints
	RefuseNoReferralCode            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "referralCode", "Referral code is required"} // of the tracking endpoints

	emailInvalid              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "email", "Email is invalid"}
	RateNotPercent            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100"}
	RateNegative              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "commissionRate", "Commission rate must not be negative"}
	AffiliateStatusUnknown    = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "affiliateStatus", "affiliateStatus must be one of active, inactive"}
	CouponTypeUnknown         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "couponType", "couponType must be one of PERCENTAGE, FLAT"}
	PercentOffRange           = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "percentOff", "Percent off must be between 1 and 100"}
	AmountOffNotPositive      = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "amountOff", "Amount off must be greater than zero"}
	CurrencyUnknown           = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "currency", "Currency must be an ISO 4217 code"}
	DurationUnknown           = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "duration", "duration must be one of once, forever, repeating"}
	MonthsNotPositive         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "durationInMonths", "durationInMonths must be at least 1"}
	MaxRedemptionsNotPositive = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "maxRedemptions", "maxRedemptions must be at least 1"}
	RedeemByNotADate          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date"}
	IntegrationTypeUnknown    = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR"}
	CodeNotAllowed            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "code", "Code must not be sent when isAutoGenerated is true"}
	ExpiresAtNotADate         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "expiresAt", "expiresAt must be an ISO 8601 date"}
	MinimumNegative           = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "minimumAmount", "minimumAmount must be at least 0"}
	RandomLengthRange         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "randomCharsLength", "randomCharsLength must be an integer from 1 to 32"}
	RandomCaseUnknown         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "randomCharsCase", "randomCharsCase must be one of uppercase, lowercase, mixed"}
	SubscriptionStatusUnknown = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED"}
	TotalNotPositive          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero"}
	SubtotalNotPositive       = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero"}
	FreeEarned                = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "free", "free must not be true when an amount was earned"}
	SubtotalBelowTotal        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "subtotal", "Subtotal must not be less than the total amount earned without tax and shipping"}
	QuantityNotPositive       = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "product.quantity", "product.quantity must be greater than zero"}
	PriceNegative             = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "product.price", "product.price must be at least 0"}
	TaxNegative               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "tax", "tax must be at least 0"}
	ShippingNegative          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "shipping", "shipping must be at least 0"}
	DeductionsExceedTotal     = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "tax", "Tax and shipping must not exceed the total amount earned"}
	CommissionNegative        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "commissionEarned", "commissionEarned must be at least 0"}
	TotalBelowRefunded        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount"}
	RefundNotPositive         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "amount", "Refund amount must be greater than zero"}
	RefuseCount               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "count", "count must be an integer from 1 to 10000"} // of codes that one request generates
	StepLimitInvalid          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "limit", "limit must be an integer from 1 to 10000"} // of a step
	StepCursorInvalid         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "cursor", "Invalid cursor"}                          // of a step
	urlNotHTTPS               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "url", "url must be an https URL"}
	EventTypeUnknown          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "events", "Unknown event type: {type}"}
	EventTypeDuplicate        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "events", "Duplicate event type: {type}"}
	HeadersTooMany            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must have at most 10 names"}
	HeaderNameRefused         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must not have the name {name}"}
	HeaderValueRefused        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must have 1 to 4096 printable ASCII characters as the value of {name}"}
	HeadersTwice              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must not have a name twice"}
	HeadersOfAnother          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must be given again when url leads to another host"}
	SinceTooOld               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "since", "since must be at most 14 days ago"}
	HoldDaysRange             = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "holdDays", "holdDays must be an integer from 0 to 3650"}
	TermsFromPast             = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "from", "from must be later than now: leave it out to change the terms in force"}
	TermsTooMany              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "from", fmt.Sprintf("At most %d versions of terms are kept: withdraw one that is not in force yet", MaxVersions)}
	TermsNotThere             = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "withdraw", "No version of the terms begins then"}
	TermsInForce              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "withdraw", "Terms that were in force cannot be withdrawn: leave from out to change those in force"}
	TimeZoneUnknown           = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "timeZone", "timeZone must be the name of an IANA time zone, such as Europe/Berlin"}
	DestinationNotAbsolute    = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "destinations", "destinations must have absolute URLs"}
	TermsWithoutVersion       = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "termsVersion", "termsText needs a termsVersion, and another text another one"}
	SettingOfHost             = Refusal{affiliate.KindConflict, affiliate.SettingFixed, "{field}", "{field} is set by the code of the program's host"} // use Of
	SettingWithMoney          = Refusal{affiliate.KindConflict, affiliate.SettingFixed, "{field}", "{field} cannot change once the program has money"} // use About
	RuleNeverHolds            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "rules", "The conditions of a rule contradict each other, so that it can never hold"}
	ruleCovered               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "rules", "Rule {name} can never hold, because rule {other} decides before it"} // use RuleCovered
	RuleOfConversions         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "rules", "A rule for conversions pays FLAT or NONE, is not firm and has no other condition"}
	RefundLinesNotSum         = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "lines", "The refunded lines must add up to the refund amount without its tax and shipping"}
	MergeItself               = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "into", "into must name another record than from"}
	MergeIntoErased           = Refusal{affiliate.KindConflict, affiliate.StatusNotAllowed, "into", "The affiliate named by into was erased"}
	GracePeriodRange          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "gracePeriodSeconds", "gracePeriodSeconds must be an integer from 0 to 604800"}

	SlugSyntax               = Refusal{affiliate.KindInvalid, affiliate.SlugSyntax, "link", "Link can only contain letters, numbers, and hyphens"} // published, letter for letter
	slugTooLong              = Refusal{affiliate.KindInvalid, affiliate.SlugSyntax, "link", "Link must be at most 100 characters"}
	PlanNotFound             = Refusal{affiliate.KindInvalid, affiliate.PlanNotFound, "commissionPlanId", "Commission plan not found"}
	GroupNotFound            = Refusal{affiliate.KindInvalid, affiliate.GroupNotFound, "affiliateGroupId", "Affiliate group not found"}
	AffiliateEmailTaken      = Refusal{affiliate.KindConflict, affiliate.AffiliateEmailTaken, "email", "An affiliate with this email already exists"}
	AffiliateExternalIDTaken = Refusal{affiliate.KindConflict, affiliate.AffiliateExternalIDTaken, "externalId", "An affiliate with this external ID already exists"}
	RequestedSlugTaken       = Refusal{affiliate.KindConflict, affiliate.SlugTaken, "affiliateLink", "The requested affiliate link is already in use"} // published, letter for letter
	SlugTaken                = Refusal{affiliate.KindConflict, affiliate.SlugTaken, "link", "This link already exists for this affiliate program"}     // published, letter for letter
	IdentifiersMismatch      = Refusal{affiliate.KindInvalid, affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record"}
	AffiliateToBePaid        = Refusal{affiliate.KindConflict, affiliate.InPayout, "", "Payout {payout} of the affiliate is not settled: mark it paid, or cancel it"} // use Of
	AffiliateInPayout        = Refusal{affiliate.KindConflict, affiliate.InPayout, "", "Affiliate has commissions that are part of a payout"}
	ReferralInPayout         = Refusal{affiliate.KindConflict, affiliate.InPayout, "", "Referral has sales that are part of a payout"}
	MoneyOwed                = Refusal{affiliate.KindConflict, affiliate.MoneyOwed, "", "{amount} is owed and would be lost: pay it first, or send forfeit to give it up"}                   // use Of
	DebtOwed                 = Refusal{affiliate.KindConflict, affiliate.MoneyOwed, "", "The affiliate owes {amount}, which would be lost: correct it first, or send forfeit to give it up"} // use Of
	SaleInPayout             = Refusal{affiliate.KindConflict, affiliate.InPayout, "", "Sale is part of a payout"}
	RefuseNoAffiliate        = Refusal{affiliate.KindNotFound, affiliate.AffiliateNotFound, "", "Affiliate not found"}
	OwnerNotFound            = Refusal{affiliate.KindInvalid, affiliate.AffiliateNotFound, "", "Affiliate not found"}
	LinkLimitReached         = Refusal{affiliate.KindConflict, affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows"}
	LinkNotFound             = Refusal{affiliate.KindNotFound, affiliate.LinkNotFound, "", "Affiliate link not found"}
	CouponExternalIDTaken    = Refusal{affiliate.KindConflict, affiliate.CouponExternalIDTaken, "externalId", "A coupon with this external ID already exists"}
	CouponNotFound           = Refusal{affiliate.KindNotFound, affiliate.CouponNotFound, "", "Coupon not found"}
	CodeSyntax               = Refusal{affiliate.KindInvalid, affiliate.CodeSyntax, "code", "Code contains invalid characters"}
	StructureEmpty           = Refusal{affiliate.KindInvalid, affiliate.CodeStructureEmpty, "codeStructure", "Code structure has no part enabled"}
	GeneratedCodeInvalid     = Refusal{affiliate.KindInvalid, affiliate.GeneratedCodeInvalid, "", "The generated code is empty or not a valid code"}
	CodeTaken                = Refusal{affiliate.KindConflict, affiliate.CodeTaken, "code", "A promotional code with this code already exists"}
	GeneratedCodeTaken       = Refusal{affiliate.KindConflict, affiliate.GeneratedCodeTaken, "", "A promotional code with this code already exists"}
	CodeExternalIDTaken      = Refusal{affiliate.KindConflict, affiliate.CodeExternalIDTaken, "externalId", "A promotional code with this external ID already exists"}
	PromotionalCodeNotFound  = Refusal{affiliate.KindNotFound, affiliate.PromotionalCodeNotFound, "", "Promotional code not found"}

	CodeNotFound    = Refusal{affiliate.KindInvalid, affiliate.CodeNotFound, "", "Promo code not found"}
	CodeInactive    = Refusal{affiliate.KindConflict, affiliate.CodeInactive, "", "Promo code is not active"}
	CouponInvalid   = Refusal{affiliate.KindConflict, affiliate.CouponInvalid, "", "Promo code is not active"}
	CodeExpired     = Refusal{affiliate.KindConflict, affiliate.CodeExpired, "", "Promo code has expired"}
	CouponExpired   = Refusal{affiliate.KindConflict, affiliate.CouponExpired, "", "Promo code has expired"}
	CodeExhausted   = Refusal{affiliate.KindConflict, affiliate.CodeExhausted, "", "Promo code has reached its redemption limit"}
	CouponExhausted = Refusal{affiliate.KindConflict, affiliate.CouponExhausted, "", "Promo code has reached its redemption limit"}
	CodeUnassigned  = Refusal{affiliate.KindConflict, affiliate.CodeUnassigned, "", "Promo code is not associated with an affiliate"}
	NotFirstOrder   = Refusal{affiliate.KindConflict, affiliate.NotFirstOrder, "", "Promo code is only valid for a first order"}
	BelowMinimum    = Refusal{affiliate.KindConflict, affiliate.BelowMinimum, "", "Order does not reach the minimum amount for this promo code"}
	WrongCurrency   = Refusal{affiliate.KindConflict, affiliate.WrongCurrency, "", "Promo code minimum is in another currency"}
	WrongAffiliate  = Refusal{affiliate.KindConflict, affiliate.WrongAffiliate, "", "Promo code can only be used by its assigned affiliate"}
	WrongCustomer   = Refusal{affiliate.KindConflict, affiliate.WrongCustomer, "", "Promo code is limited to another customer"}
	WrongProduct    = Refusal{affiliate.KindConflict, affiliate.WrongProduct, "", "Promo code does not apply to this product"}
	CodeSuspended   = Refusal{affiliate.KindConflict, affiliate.AffiliateSuspended, "", "Promo code is not active"} // customers are not told why
	CouponCurrency  = Refusal{affiliate.KindConflict, affiliate.CouponOtherCurrency, "", "Promo code takes off an amount in another currency"}
	CodeNotStarted  = Refusal{affiliate.KindConflict, affiliate.CodeNotStarted, "", "Promo code is not valid yet"}
	BudgetSpent     = Refusal{affiliate.KindConflict, affiliate.BudgetSpent, "", "Promo code has reached its redemption limit"}
	BelowQuantity   = Refusal{affiliate.KindConflict, affiliate.BelowQuantity, "", "Order does not have enough items for this promo code"}
	CustomerLimit   = Refusal{affiliate.KindConflict, affiliate.CustomerLimit, "", "Promo code was already used by this customer"}
	NoOffer         = Refusal{affiliate.KindConflict, affiliate.NoOffer, "", "The link gives no discount"}
	CustomerMissing = Refusal{affiliate.KindConflict, affiliate.CustomerRequired, "", "Promo code needs an email address"}

	ReferralAttributionRequired = Refusal{affiliate.KindInvalid, affiliate.AttributionRequired, "", "Affiliate ID, affiliate email, or Promo Code is required"}
	SaleAttributionRequired     = Refusal{affiliate.KindInvalid, affiliate.AttributionRequired, "", "Either Referral ID, email, or Promo Code is required"}
	ReferralNotFound            = Refusal{affiliate.KindInvalid, affiliate.ReferralNotFound, "", "Referral not found"}
	ReferralEmailTaken          = Refusal{affiliate.KindConflict, affiliate.ReferralEmailTaken, "email", "A referral with this email already exists"}
	ReferralExternalIDTaken     = Refusal{affiliate.KindConflict, affiliate.ReferralExternalIDTaken, "referredUserExternalId", "A referral with this external ID already exists"}
	SlugIsNumber                = Refusal{affiliate.KindConflict, affiliate.SlugTaken, "", "A link of digits can be the number of a click"}
	SlugIsID                    = Refusal{affiliate.KindConflict, affiliate.SlugTaken, "", "A link must not have the form of an id"}
	SlugWasAnothers             = Refusal{affiliate.KindConflict, affiliate.SlugTaken, "", "This link was another affiliate's, and leads to nobody until the program releases it"}
	FormerSlugLimitReached      = Refusal{affiliate.KindConflict, affiliate.LinkLimitReached, "", "The link has had as many names as are kept: release one of them first"}
	ReferralErased              = Refusal{affiliate.KindConflict, affiliate.ReferralErased, "", "This customer was erased"}
	SaleNotFound                = Refusal{affiliate.KindNotFound, affiliate.SaleNotFound, "", "Sale not found"}
	SaleExternalIDTaken         = Refusal{affiliate.KindConflict, affiliate.SaleExternalIDTaken, "externalId", "A sale with this external ID already exists"}
	SaleInvoiceIDTaken          = Refusal{affiliate.KindConflict, affiliate.SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists"}
	SaleRefunded                = Refusal{affiliate.KindConflict, affiliate.SaleHasBeenRefunded, "", "Sale has been refunded"}
	OutsideRefundWindow         = Refusal{affiliate.KindConflict, affiliate.OutsideRefundWindow, "", "Sale is outside the refund window"}
	ManuallyPaid                = Refusal{affiliate.KindConflict, affiliate.ManuallyPaid, "", "Sale has been marked as manually paid"}
	AlreadyPaid                 = Refusal{affiliate.KindConflict, affiliate.AlreadyPaid, "", "Sale has already been paid out"}
	IncludedInPayout            = Refusal{affiliate.KindConflict, affiliate.IncludedInPayout, "", "Sale is included in a payout"}
	RefundExceedsSale           = Refusal{affiliate.KindInvalid, affiliate.RefundExceedsSale, "amount", "Refund amount exceeds the amount left on the sale"}
	RefundPartsExceed           = Refusal{affiliate.KindInvalid, affiliate.RefundExceedsSale, "amount", "Tax and shipping must not exceed the refund amount"}
	RefundPartExceedsSale       = Refusal{affiliate.KindInvalid, affiliate.RefundExceedsSale, "{field}", "Refunded {field} exceeds what the sale has left of it"}
	NoExchangeRate              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "exchangeRate", "exchangeRate is required: the program has no rate for {currency}"}
	ChargeNotWorth              = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "totalEarned", "totalEarned is less than the smallest amount of the program's currency"}
	ChargedInAnother            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "currency", "currency must be {currency}, in which the sale was charged"}
	RefundAmountRequired        = Refusal{affiliate.KindInvalid, affiliate.MissingField, "amount", "Refund amount is required with tax or shipping"}
	RefundLimitReached          = Refusal{affiliate.KindConflict, affiliate.RefundLimitReached, "", "Sale has as many partial refunds as the program allows"}
	urlNotAllowed               = Refusal{affiliate.KindInvalid, affiliate.URLNotAllowed, "url", "url points to an address that is not allowed"}
	WebhookLimitReached         = Refusal{affiliate.KindConflict, affiliate.WebhookLimitReached, "", "A program may have at most 50 webhook endpoints"}
	DeliveryNotFound            = Refusal{affiliate.KindNotFound, affiliate.DeliveryNotFound, "", "Delivery not found"}
	WebhookNotFound             = Refusal{affiliate.KindNotFound, affiliate.WebhookNotFound, "", "Webhook endpoint not found"}
	WebhookDisabled             = Refusal{affiliate.KindConflict, affiliate.WebhookDisabled, "", "Webhook endpoint is disabled"}
	ReplayTooLarge              = Refusal{affiliate.KindInvalid, affiliate.ReplayTooLarge, "", "More than 10000 deliveries match; narrow the range"}

	BulkLimitExceeded    = Refusal{affiliate.KindInvalid, affiliate.BulkLimitExceeded, "", "The call is for more objects than the program allows at once"}
	KeySpaceTooSmall     = Refusal{affiliate.KindInvalid, affiliate.KeySpaceTooSmall, "randomCharsLength", "The random part is too short for this many codes"}
	CouponInUse          = Refusal{affiliate.KindConflict, affiliate.CouponInUse, "", "Links give this coupon to customers"}
	PlanInUse            = Refusal{affiliate.KindConflict, affiliate.PlanInUse, "", "Commission plan is in use"}
	TierInUse            = Refusal{affiliate.KindConflict, affiliate.TierInUse, "", "Tier is in use"}
	TierNotFound         = Refusal{affiliate.KindNotFound, affiliate.TierNotFound, "", "Tier not found"}
	PlanMissing          = Refusal{affiliate.KindNotFound, affiliate.PlanNotFound, "", "Commission plan not found"}
	StatusNotAllowed     = Refusal{affiliate.KindConflict, affiliate.StatusNotAllowed, "", "The present status does not allow this change"}
	PayoutNotFound       = Refusal{affiliate.KindNotFound, affiliate.PayoutNotFound, "", "Payout not found"}
	NothingPayable       = Refusal{affiliate.KindConflict, affiliate.NothingPayable, "", "Nothing is payable to this affiliate"}
	AffiliateNotApproved = Refusal{affiliate.KindConflict, affiliate.AffiliateNotApproved, "", "Affiliate is not approved"}
	BooksNotOpen         = Refusal{affiliate.KindConflict, affiliate.BooksNotOpen, "", "The books of this affiliate are not open yet"}
	BelowPayoutMinimum   = Refusal{affiliate.KindConflict, affiliate.BelowPayoutMinimum, "", "The payable amount is below the payout minimum"}
	HoldNotFound         = Refusal{affiliate.KindNotFound, affiliate.HoldNotFound, "", "Hold not found"}
	HoldConfirmed        = Refusal{affiliate.KindConflict, affiliate.HoldIsConfirmed, "", "Hold was already confirmed by a sale"}
	HoldOfAnother        = Refusal{affiliate.KindConflict, affiliate.HoldOfAnotherCode, "promoCode", "Hold is of another promo code"}
	HoldsTooMany         = Refusal{affiliate.KindConflict, affiliate.HoldLimitReached, "", "Customer has too many open holds"}
	HoldsOfNobody        = Refusal{affiliate.KindConflict, affiliate.HoldLimitReached, "", "Too many open holds name no customer"}
	RefuseNoHoldID       = Refusal{affiliate.KindInvalid, affiliate.MissingField, "id", "Hold ID is required"}
	RefuseNoUntil        = Refusal{affiliate.KindInvalid, affiliate.MissingField, "until", "until is required"}
	HoldUntilRange       = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "until", "until must be after now, and at most 24 hours later"}
	RedemptionNotFound   = Refusal{affiliate.KindNotFound, affiliate.RedemptionNotFound, "", "Redemption not found"}
	RedemptionRestored   = Refusal{affiliate.KindConflict, affiliate.RedemptionRestored, "", "Redemption was already restored"}
	ReceiptsKeptTooShort = Refusal{affiliate.KindInvalid, affiliate.RetentionTooShort, "receipts", "receipts must be kept for at least 24 hours"}
	RefuseNoPortal       = Refusal{affiliate.KindConflict, affiliate.PortalNotConfigured, "", "Partner pages are not configured"} // of a server that has none
	PaymentConflict      = Refusal{affiliate.KindConflict, affiliate.PaymentConflict, "", "The ids of the payment belong to two sales: {sales}"}
	PaymentNotFound      = Refusal{affiliate.KindNotFound, affiliate.PaymentNotFound, "", "No payment with this ID waits for a decision"}
	CaseNotFound         = Refusal{affiliate.KindNotFound, affiliate.CaseNotFound, "", "Case not found"}
	CaseIsOpen           = Refusal{affiliate.KindConflict, affiliate.CaseIsOpen, "", "The affiliate waits for an answer to the same already"}
	CasesTooMany         = Refusal{affiliate.KindConflict, affiliate.CaseLimitReached, "", "The affiliate waits for the answers to 20 cases"}
	ProposalsTooMany     = Refusal{affiliate.KindConflict, affiliate.ProposalLimitReached, "", "100 proposals of this key wait already"}
	VerifyRunning        = Refusal{affiliate.KindConflict, affiliate.VerifyRunning, "", "A verification is running"}
	HoldsKeptTooShort    = Refusal{affiliate.KindInvalid, affiliate.RetentionTooShort, "holds", "holds must be kept for at least 24 hours"}
	ClicksKeptTooShort   = Refusal{affiliate.KindInvalid, affiliate.RetentionTooShort, "clicks", "clicks must be kept for as long as they attribute"}

	PaymentIDRequired         = Refusal{affiliate.KindInvalid, affiliate.MissingField, "paymentId", "Payment ID is required"}
	DecisionRequired          = Refusal{affiliate.KindInvalid, affiliate.MissingField, "decision", "Decision is required"}
	PayoutIDRequired          = Refusal{affiliate.KindInvalid, affiliate.MissingField, "payoutId", "Payout ID is required"}
	RefuseNoStatus            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "status", "Status is required"}
	RefuseMove                = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "status", "status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED"} // of affiliates
	RefuseFailedReason        = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "failedReason", "failedReason is only for the status FAILED"}            // of a payout
	RefuseReturnedReason      = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "returnedReason", "returnedReason is only for the status RETURNED"}      // of a payout
	RefuseNoExternalID        = Refusal{affiliate.KindInvalid, affiliate.MissingField, "externalId", "External ID is required"}                                 // of a payout run, or a claim
	RunAffiliatesTooMany      = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "affiliateIds", "affiliateIds must have at most 10000 entries"}
	RunExceptTooMany          = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "exceptIds", "exceptIds must have at most 10000 entries"}
	PayoutRunMismatch         = Refusal{affiliate.KindConflict, affiliate.PayoutRunMismatch, "", "This payout run was started with different settings"}
	RefuseNoOperation         = Refusal{affiliate.KindInvalid, affiliate.MissingField, "operation", "Operation is required"}
	RefuseNoProposedBody      = Refusal{affiliate.KindInvalid, affiliate.MissingField, "body", "Body is required"} // of a proposal
	RefuseNoWhy               = Refusal{affiliate.KindInvalid, affiliate.MissingField, "why", "Why is required"}
	CaseIDRequired            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "caseId", "Case ID is required"}
	CaseTextRequired          = Refusal{affiliate.KindInvalid, affiliate.MissingField, "text", "Text is required"}
	AnswerRequired            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "answer", "Answer is required"}
	KindRequired              = Refusal{affiliate.KindInvalid, affiliate.MissingField, "kind", "Kind is required"}
	ReasonRequired            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "reason", "Reason is required"}
	RefuseNoAmount            = Refusal{affiliate.KindInvalid, affiliate.MissingField, "amount", "Amount is required"} // of an adjustment: a zero amount of a Go call is not above or below zero
	AdjustmentZero            = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must not be zero"}
	AdjustmentNotNegative     = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must be less than zero"}
	AdjustmentNotPositive     = Refusal{affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must be greater than zero"}
	AdjustmentNotFound        = Refusal{affiliate.KindNotFound, affiliate.AdjustmentNotFound, "", "Adjustment not found"}
	AdjustmentReversed        = Refusal{affiliate.KindConflict, affiliate.AdjustmentReversed, "", "Adjustment was already reversed"}
	AdjustmentExternalIDTaken = Refusal{affiliate.KindConflict, affiliate.AdjustmentExternalIDTaken, "externalId", "An adjustment with this external ID already exists"}

	RefuseNoFrom      = Refusal{affiliate.KindInvalid, affiliate.MissingField, "from", "From is required"} // of a period, or a merge
	RefuseNoInto      = Refusal{affiliate.KindInvalid, affiliate.MissingField, "into", "Into is required"} // of a merge
	RefuseNoTo        = Refusal{affiliate.KindInvalid, affiliate.MissingField, "to", "To is required"}     // of a period
	ByRequired        = Refusal{affiliate.KindInvalid, affiliate.MissingField, "by", "By is required"}     // of a report
	ReportOfSeveral   = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "", "Only one of affiliateId, promotionalCodeId and linkId may be given"}
	RefuseAfter       = Refusal{affiliate.KindInvalid, affiliate.InvalidQuery, "after", "after cannot be combined with type, objectId or cursor"} // of a list of events
	ReportTooLarge    = Refusal{affiliate.KindInvalid, affiliate.ReportTooLarge, "", "A report may have at most 1000 buckets"}
	BreakdownTooLarge = Refusal{affiliate.KindInvalid, affiliate.ReportTooLarge, "", "A breakdown may have at most 100000 rows: ask for a shorter period"}

	UnknownRef          = Refusal{affiliate.KindInvalid, affiliate.UnknownRef, "{field}", "{field} names nothing that was imported"}
	RefuseOtherCurrency = Refusal{affiliate.KindInvalid, affiliate.OtherCurrency, "currency", "currency must be that of the program"} // of a row of an import
)

// table is the whole table, which [Refusals] lists: the rows above in their order.
var table = []Refusal{
	RefuseUnauthorized, RefuseToken, RefuseAccess, RefuseScope, RefuseProgram, RefusePath, RefuseMethod, RefuseSize,
	RefuseMediaType, RefuseRate, RefuseInternal, RefuseNoBody, RefuseJSON, RefuseNotAnObject, RefuseTrailing, RefuseDepth,
	RefuseUTF8, RefuseDuplicateField, RefuseUnknownField, RefuseQuery, RefuseRepeatedParameter, RefuseEmptyParameter,
	RefuseLimit, RefuseWaitingLimit, CursorInvalid, RefuseUnknownParameter, RefuseAmounts, RefuseKey, IdempotencyKeyReused,

	FirstNameRequired, LastNameRequired, EmailRequired, ConversionRequired, AffiliateOrEmailAddressRequired, RefuseNoAffiliateID,
	LinkRequired, RefuseNoOwner, LinkIDRequired, NewLinkRequired, NameRequired, PercentOffRequired, AmountOffRequired,
	CurrencyRequired, MonthsRequired, ProductIDsRequired, CouponIDRequired, CodeRequired, GeneratedNeedsAffiliate,
	CustomerIDRequired, StructureRequired, PromotionalCodeIDRequired, CustomerExternalIDRequired, ReferralIDRequired,
	TotalRequired, RefuseNoSaleID, RefuseNoPlanID, RefuseNoTierID, RefuseNoRate, RefuseNoAffiliateIDs,
	RefuseNoReferralIDs, RefuseTokenTTL, RefuseNoAge, RefuseNoSelection, RefuseNoSaleIDs, RefuseNoPromoCodes, PromoCodeRequired, URLRequired,
	EventsRequired, ReplayTargetRequired, WebhookIDRequired, EventRequired, RefuseNoProgramID, RefuseNoReferralCode,

	emailInvalid, RateNotPercent, RateNegative, AffiliateStatusUnknown, CouponTypeUnknown, PercentOffRange,
	AmountOffNotPositive, CurrencyUnknown, DurationUnknown, MonthsNotPositive, MaxRedemptionsNotPositive,
	RedeemByNotADate, IntegrationTypeUnknown, CodeNotAllowed, ExpiresAtNotADate, MinimumNegative, RandomLengthRange,
	RandomCaseUnknown, SubscriptionStatusUnknown, TotalNotPositive, SubtotalNotPositive, FreeEarned, SubtotalBelowTotal,
	QuantityNotPositive, PriceNegative, TaxNegative, ShippingNegative, DeductionsExceedTotal, CommissionNegative,
	TotalBelowRefunded, RefundNotPositive, RefuseCount, StepLimitInvalid, StepCursorInvalid, urlNotHTTPS,
	EventTypeUnknown, EventTypeDuplicate, HeadersTooMany, HeaderNameRefused, HeaderValueRefused, HeadersTwice,
	HeadersOfAnother, SinceTooOld, HoldDaysRange, TermsFromPast, TermsTooMany, TermsNotThere, TermsInForce,
	TimeZoneUnknown, DestinationNotAbsolute, TermsWithoutVersion, SettingOfHost, SettingWithMoney, RuleNeverHolds, ruleCovered,
	RuleOfConversions, RefundLinesNotSum, MergeItself, MergeIntoErased, GracePeriodRange,

	SlugSyntax, slugTooLong, PlanNotFound, GroupNotFound, AffiliateEmailTaken, AffiliateExternalIDTaken, RequestedSlugTaken, SlugTaken,
	IdentifiersMismatch, AffiliateToBePaid, AffiliateInPayout, ReferralInPayout, MoneyOwed, DebtOwed, SaleInPayout, RefuseNoAffiliate, OwnerNotFound,
	LinkLimitReached, LinkNotFound, CouponExternalIDTaken, CouponNotFound, CodeSyntax, StructureEmpty,
	GeneratedCodeInvalid, CodeTaken, GeneratedCodeTaken, CodeExternalIDTaken, PromotionalCodeNotFound,

	CodeNotFound, CodeInactive, CouponInvalid, CodeExpired, CouponExpired, CodeExhausted, CouponExhausted, CodeUnassigned,
	NotFirstOrder, BelowMinimum, WrongCurrency, WrongAffiliate, WrongCustomer, WrongProduct, CodeSuspended,
	CouponCurrency, CodeNotStarted, BudgetSpent, BelowQuantity, CustomerLimit, NoOffer, CustomerMissing,

	ReferralAttributionRequired, SaleAttributionRequired, ReferralNotFound, ReferralEmailTaken, ReferralExternalIDTaken, SlugIsNumber, SlugIsID, SlugWasAnothers, FormerSlugLimitReached,
	ReferralErased, SaleNotFound, SaleExternalIDTaken, SaleInvoiceIDTaken, SaleRefunded, OutsideRefundWindow,
	ManuallyPaid, AlreadyPaid, IncludedInPayout, RefundExceedsSale, RefundPartsExceed, RefundPartExceedsSale,
	NoExchangeRate, ChargeNotWorth, ChargedInAnother, RefundAmountRequired, RefundLimitReached, urlNotAllowed, WebhookLimitReached, DeliveryNotFound, WebhookNotFound,
	WebhookDisabled, ReplayTooLarge,

	BulkLimitExceeded, KeySpaceTooSmall, CouponInUse, PlanInUse, TierInUse, TierNotFound, PlanMissing, StatusNotAllowed,
	PayoutNotFound, NothingPayable, AffiliateNotApproved, BooksNotOpen, BelowPayoutMinimum, HoldNotFound, HoldConfirmed, HoldOfAnother,
	HoldsTooMany, HoldsOfNobody, RefuseNoHoldID, RefuseNoUntil, HoldUntilRange, RedemptionNotFound,
	RedemptionRestored, ReceiptsKeptTooShort, RefuseNoPortal, PaymentConflict, PaymentNotFound, CaseNotFound,
	CaseIsOpen, CasesTooMany, ProposalsTooMany, VerifyRunning,
	HoldsKeptTooShort, ClicksKeptTooShort,

	PaymentIDRequired, DecisionRequired, PayoutIDRequired, RefuseNoStatus, RefuseMove, RefuseFailedReason,
	RefuseReturnedReason, RefuseNoExternalID, RunAffiliatesTooMany, RunExceptTooMany, PayoutRunMismatch, RefuseNoOperation,
	RefuseNoProposedBody, RefuseNoWhy, CaseIDRequired,
	CaseTextRequired, AnswerRequired, KindRequired, ReasonRequired,
	RefuseNoAmount, AdjustmentZero, AdjustmentNotNegative, AdjustmentNotPositive, AdjustmentNotFound, AdjustmentReversed,
	AdjustmentExternalIDTaken,

	RefuseNoFrom, RefuseNoInto, RefuseNoTo, ByRequired, ReportOfSeveral, RefuseAfter, ReportTooLarge, BreakdownTooLarge,

	UnknownRef, RefuseOtherCurrency,
}

// Rows for any field (contract "Field errors"): use [Refusal.Of] with the name
// of the field, with which the text begins. These rows are not listed. Rows
// with an exported name are for adapters, which find the error while they read
// a request.
var (
	FieldNotAString      = inField("must be a string")
	FieldNotANumber      = inField("must be a number")
	FieldNotAnInteger    = inField("must be an integer")
	FieldNotABoolean     = inField("must be a boolean")
	FieldNotAnObject     = inField("must be an object")
	FieldNotIntegers     = inField("must be an array of integers")
	FieldNotTexts        = inField("must be an object of strings")
	FieldNotStrings      = inField("must be an array of strings")
	FieldNotObjects      = inField("must be an array of objects")
	FieldNull            = inField("must not be null")
	FieldEmpty           = inField("must not be empty")
	FieldTooManyDecimals = inField("must have at most 4 decimal places")
	FieldNot12Decimals   = inField("must have at most 12 decimal places")
	FieldTooLarge        = inField("is too large")
	FieldNotADate        = inField("must be an ISO 8601 date")

	FieldTooLong         = inField("is too long")
	FieldBadCharacters   = inField("contains invalid characters")
	FieldNotDistinct     = inField("must have distinct entries")
	FieldOver16Entries   = inField(fmt.Sprintf("must have at most %d entries", MaxCategories))
	FieldOver20Entries   = inField(fmt.Sprintf("must have at most %d entries", MaxCodes))
	FieldOver64Entries   = inField(fmt.Sprintf("must have at most %d entries", MaxRules))
	FieldOver100Entries  = inField("must have at most 100 entries")
	FieldOver500Entries  = inField(fmt.Sprintf("must have at most %d entries", MaxLines))
	FieldOver1000Entries = inField(fmt.Sprintf("must have at most %d entries", MaxProducts))
	FieldNotAtLeastZero  = inField("must be at least 0")
	FieldNotAtLeastOne   = inField("must be at least 1")
	FieldNotDays         = inField("must be an integer from 1 to 36500")
	FieldNotACount       = inField(fmt.Sprintf("must be an integer from 1 to %d", MaxBulk))
	fieldNotOneOf        = inField("must be one of {values}")
	FieldNotAnID         = inField("must be an id")
	FieldNotAllowed      = inField("must not be sent")
	BonusChanged         = inField("counts something else than the bonus of this name did; give it another name")
	FieldNotAfterFrom    = inField("must be after from")
	FieldBeforeStart     = inField("must not be before startsAt")
	FieldInFuture        = inField("must not be later than now")
	FieldTooLongAgo      = inField("must not be before 2000-01-01")
	FieldMissing         = inField("is required")
	FieldNotPositive     = inField("must be greater than zero")
	FieldNotAParameter   = inField("must be 1 to 64 of the characters A to Z, a to z, 0 to 9, - and _")
	FieldNotAName        = inField("must be 1 to 64 of the characters A to Z, a to z, 0 to 9, ., _ and -")
	FieldNameTaken       = inField("is taken")
	FieldNotAScope       = inField("must be full, integration, read or propose")
	FieldNotLater        = inField("must be later than now")
	ValueNameInvalid     = inField("must be a kind or a name as Program.Values has them")
	ValueNotJSON         = inField("must be JSON")
	FieldNotALanguage    = inField("must be a language such as de or pt-BR")
	FieldNotADomain      = inField("must be a domain such as shop.example")
	FieldNotAProvider    = inField("must be 1 to 32 of the characters a to z and 0 to 9")
	FieldOtherCurrency   = inField("must be the currency of the program")
	FactAmountChanged    = inField("has another amount than it was reported with")
	FieldNotLikeHeader   = inField("must have as many fields as the header")
	FieldUnclosed        = inField("has a quote without an end")
	FieldUnknownWord     = inField("has a word that is not mapped") // say which, and those that are
	FieldOtherState      = inField("does not agree with the status of the row")
	FieldNotPaid         = inField("is given, and the row is not PAID")
	FieldNoTotal         = inField("must be given: what the customer paid; 0 makes the row a bonus, which no refund reduces")
	FieldNotOfABonus     = inField("must be 0, because the row is a bonus")
	FieldWholeAddress    = inField("is a whole address and has none of the parameters; say in the mapping, as parameters, which of them is the slug")
	FieldNotATime        = inField("must be a time such as 2025-01-31 or 2025-01-31T15:04:05Z; say other forms in the mapping, as layouts")
	FieldNotImported     = inField("says that the row is not one of those that are imported")
	FieldOtherCoupon     = inField("is that of another coupon in an earlier row; codes of one coupon share what it takes off and its limits")
	FieldRequired        = inField("must be given")
	FieldNotUTF8         = inField("is not UTF-8. If the file is in Windows-1252, save it as CSV UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8")
	FieldTwoAmounts      = inField("may be a thousand or a decimal; say in the mapping which sign is before the decimals, or write it with two decimals")
	FieldOtherDecimal    = inField("has another sign before the decimals than the rows before; say in the mapping which it is")
	FieldUnknownDigits   = inField("is read by the digits of a currency; say in the mapping which currency it is in")
	FieldClawback        = inField("takes back an earlier commission: import the others, and post it as an adjustment")
	FieldRefAgain        = inField("is that of an earlier row with other contents; give each row a ref of its own")
	FieldTotals          = inField("seems to be the totals of the file, which are not imported")
	FieldNotAsImported   = inField("was imported with other contents")
	FieldOfAnotherRow    = inField("is that of another row with the same affiliate and amounts, so it is not stored a second time")
	FieldTooFine         = inField("must have no more decimals than the currency")
	FieldNotZero         = inField("must be 0 when nothing of the sale is kept")
	FieldNotTheSum       = inField("must be the sum of what it is made of")
	FieldBelowSum        = inField("must not be less than that of its codes")
	FieldNotALine        = inField("must be the id of a line of the sale")
	FieldNotAccepted     = inField("must name accepted commissions")
	FieldUntrimmed       = inField("must have no space at an end, nor two together")
	FieldNamesNobody     = inField("must name a click, an affiliate or a link")
)
