package refusal

import (
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

// The table of refusals: kind, reason, field, text. Texts are written only
// here, and [Refusals] lists the rows in this order. Rows with an exported name
// are for adapters, which refuse a request before they call the engine. The
// three texts that the published API documents are marked.
var (
	RefuseUnauthorized      = row(affiliate.KindUnauthorized, affiliate.Unauthorized, "", "Unauthorized")                        // the key is missing or malformed
	RefuseToken             = row(affiliate.KindUnauthorized, affiliate.InvalidToken, "", "Invalid auth token")                  // the key is not known
	RefuseAccess            = row(affiliate.KindForbidden, affiliate.NoAPIAccess, "", "User does not have API access")           // the program of the key has no API access
	RefuseScope             = row(affiliate.KindForbidden, affiliate.InsufficientScope, "", "API key is not allowed to do this") // the scope of the key does not have the operation
	RefuseProgram           = row(affiliate.KindNotFound, affiliate.ProgramNotFound, "", "Affiliate program not found")          // the program of the key is gone
	RefusePath              = row(affiliate.KindNotFound, affiliate.NotFound, "", "Not found")                                   // nothing is at this path
	RefuseMethod            = row(affiliate.KindMethod, affiliate.MethodNotAllowed, "", "Method not allowed")
	RefuseSize              = row(affiliate.KindTooLarge, affiliate.BodyTooLarge, "", "Request body too large")
	RefuseMediaType         = row(affiliate.KindMediaType, affiliate.UnsupportedMediaType, "", "Content-Type must be application/json")
	RefuseRate              = row(affiliate.KindLimited, affiliate.RateLimited, "", "Too many requests. Please slow down.") // the host's limiter says no
	RefuseInternal          = row(affiliate.KindInternal, affiliate.Internal, "", "Internal server error")                  // anything unexpected
	RefuseNoBody            = row(affiliate.KindInvalid, affiliate.BodyRequired, "", "Request body is required")            // the operation needs one
	RefuseJSON              = row(affiliate.KindInvalid, affiliate.InvalidJSON, "", "Invalid JSON body")                    // not JSON
	RefuseNotAnObject       = row(affiliate.KindInvalid, affiliate.InvalidJSON, "", "Request body must be a JSON object")   // JSON of another kind
	RefuseTrailing          = row(affiliate.KindInvalid, affiliate.InvalidJSON, "", "Unexpected data after JSON body")      // data after the object
	RefuseDepth             = row(affiliate.KindInvalid, affiliate.InvalidJSON, "", "JSON is nested too deeply")
	RefuseUTF8              = row(affiliate.KindInvalid, affiliate.InvalidJSON, "", "Request body is not valid UTF-8")                        // invalid UTF-8, or half of a surrogate pair
	RefuseDuplicateField    = row(affiliate.KindInvalid, affiliate.DuplicateField, "{field}", "Duplicate field: {field}")                     // use Of
	RefuseUnknownField      = row(affiliate.KindInvalid, affiliate.UnknownField, "{field}", "Unknown field: {field}")                         // use Of
	RefuseQuery             = row(affiliate.KindInvalid, affiliate.InvalidQuery, "", "Invalid query string")                                  // malformed
	RefuseRepeatedParameter = row(affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Query parameter {name} was given more than once") // use Of
	RefuseEmptyParameter    = row(affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Query parameter {name} must not be empty")        // use Of
	RefuseLimit             = row(affiliate.KindInvalid, affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000")          // of a page
	RefuseWaitingLimit      = row(affiliate.KindInvalid, affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 20")            // of what waits
	CursorInvalid           = row(affiliate.KindInvalid, affiliate.InvalidQuery, "cursor", "Invalid cursor")
	RefuseUnknownParameter  = row(affiliate.KindInvalid, affiliate.InvalidQuery, "{name}", "Unknown query parameter: {name}") // use Of
	RefuseKey               = row(affiliate.KindInvalid, affiliate.IdempotencyKeyInvalid, "", "Idempotency-Key is invalid")
	IdempotencyKeyReused    = row(affiliate.KindInvalid, affiliate.IdempotencyKeyReused, "", "Idempotency-Key was already used with a different request")

	FirstNameRequired               = row(affiliate.KindInvalid, affiliate.MissingField, "firstName", "First name is required")
	LastNameRequired                = row(affiliate.KindInvalid, affiliate.MissingField, "lastName", "Last name is required")
	EmailRequired                   = row(affiliate.KindInvalid, affiliate.MissingField, "email", "Email is required")
	AffiliateOrEmailAddressRequired = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID or email address is required")
	RefuseNoAffiliateID             = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID is required")
	LinkRequired                    = row(affiliate.KindInvalid, affiliate.MissingField, "link", "Link is required")
	RefuseNoOwner                   = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID or email is required")
	LinkIDRequired                  = row(affiliate.KindInvalid, affiliate.MissingField, "id", "Link ID or link is required")
	NewLinkRequired                 = row(affiliate.KindInvalid, affiliate.MissingField, "newLink", "New link is required")
	NameRequired                    = row(affiliate.KindInvalid, affiliate.MissingField, "name", "Name is required")
	PercentOffRequired              = row(affiliate.KindInvalid, affiliate.MissingField, "percentOff", "Percent off is required when the coupon type is PERCENTAGE")
	AmountOffRequired               = row(affiliate.KindInvalid, affiliate.MissingField, "amountOff", "Amount off is required when the coupon type is FLAT")
	CurrencyRequired                = row(affiliate.KindInvalid, affiliate.MissingField, "currency", "Currency is required when the coupon type is FLAT")
	MonthsRequired                  = row(affiliate.KindInvalid, affiliate.MissingField, "durationInMonths", "Duration in months is required when the duration is repeating")
	ProductIDsRequired              = row(affiliate.KindInvalid, affiliate.MissingField, "productIds", "Product IDs are required when limitToProducts is true")
	CouponIDRequired                = row(affiliate.KindInvalid, affiliate.MissingField, "couponId", "Coupon ID is required")
	CodeRequired                    = row(affiliate.KindInvalid, affiliate.MissingField, "code", "Code is required")
	GeneratedNeedsAffiliate         = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "An affiliate is required when isAutoGenerated is true")
	CustomerIDRequired              = row(affiliate.KindInvalid, affiliate.MissingField, "customerId", "Customer ID is required when limitToCustomers is true")
	StructureRequired               = row(affiliate.KindInvalid, affiliate.MissingField, "codeStructure", "Code structure is required when isAutoGenerated is true")
	PromotionalCodeIDRequired       = row(affiliate.KindInvalid, affiliate.MissingField, "promotionalCodeId", "Promotional Code ID is required")
	CustomerExternalIDRequired      = row(affiliate.KindInvalid, affiliate.MissingField, "referredUserExternalId", "Referred user external ID is required")
	ReferralIDRequired              = row(affiliate.KindInvalid, affiliate.MissingField, "referralId", "Referral ID is required")
	TotalRequired                   = row(affiliate.KindInvalid, affiliate.MissingField, "totalEarned", "Total Amount Earned is required")
	RefuseNoSaleID                  = row(affiliate.KindInvalid, affiliate.MissingField, "saleId", "Sale ID is required")
	RefuseNoPlanID                  = row(affiliate.KindInvalid, affiliate.MissingField, "commissionPlanId", "Commission plan ID is required")
	RefuseNoTierID                  = row(affiliate.KindInvalid, affiliate.MissingField, "commissionTierId", "Commission tier ID is required")
	RefuseNoRate                    = row(affiliate.KindInvalid, affiliate.MissingField, "commissionRate", "Commission rate is required") // of a new plan on the wire: in a Go call a zero rate is a rate
	RefuseNoAffiliateIDs            = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateIds", "Affiliate IDs are required")
	RefuseNoReferralIDs             = row(affiliate.KindInvalid, affiliate.MissingField, "referralIds", "Referral IDs are required")
	RefuseTokenTTL                  = row(affiliate.KindInvalid, affiliate.InvalidField, "ttlSeconds", "ttlSeconds must be an integer from 30 to 3600")                   // of a token for partner pages
	RefuseNoAge                     = row(affiliate.KindInvalid, affiliate.MissingField, "before", "Either before or retention is required")                              // of what is dropped: one of them, not both
	RefuseNoSelection               = row(affiliate.KindInvalid, affiliate.MissingField, "affiliateId", "Affiliate ID, affiliate email, referral ID, or all is required") // of sales to calculate again
	RefuseNoSaleIDs                 = row(affiliate.KindInvalid, affiliate.MissingField, "saleIds", "Sale IDs are required")
	PromoCodeRequired               = row(affiliate.KindInvalid, affiliate.MissingField, "promoCode", "Promo code is required")
	URLRequired                     = row(affiliate.KindInvalid, affiliate.MissingField, "url", "URL is required")
	EventsRequired                  = row(affiliate.KindInvalid, affiliate.MissingField, "events", "At least one event type is required")
	ReplayTargetRequired            = row(affiliate.KindInvalid, affiliate.MissingField, "deliveryId", "Delivery ID, or webhook ID and since, is required")
	WebhookIDRequired               = row(affiliate.KindInvalid, affiliate.MissingField, "webhookId", "Webhook ID is required")
	EventRequired                   = row(affiliate.KindInvalid, affiliate.MissingField, "event", "Event is required")
	RefuseNoProgramID               = row(affiliate.KindInvalid, affiliate.MissingField, "programId", "Program ID is required")       // of the tracking endpoints
	RefuseNoReferralCode            = row(affiliate.KindInvalid, affiliate.MissingField, "referralCode", "Referral code is required") // of the tracking endpoints

	emailInvalid              = row(affiliate.KindInvalid, affiliate.InvalidField, "email", "Email is invalid")
	RateNotPercent            = row(affiliate.KindInvalid, affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")
	RateNegative              = row(affiliate.KindInvalid, affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")
	AffiliateStatusUnknown    = row(affiliate.KindInvalid, affiliate.InvalidField, "affiliateStatus", "affiliateStatus must be one of active, inactive")
	CouponTypeUnknown         = row(affiliate.KindInvalid, affiliate.InvalidField, "couponType", "couponType must be one of PERCENTAGE, FLAT")
	PercentOffRange           = row(affiliate.KindInvalid, affiliate.InvalidField, "percentOff", "Percent off must be between 1 and 100")
	AmountOffNotPositive      = row(affiliate.KindInvalid, affiliate.InvalidField, "amountOff", "Amount off must be greater than zero")
	CurrencyUnknown           = row(affiliate.KindInvalid, affiliate.InvalidField, "currency", "Currency must be an ISO 4217 code")
	DurationUnknown           = row(affiliate.KindInvalid, affiliate.InvalidField, "duration", "duration must be one of once, forever, repeating")
	MonthsNotPositive         = row(affiliate.KindInvalid, affiliate.InvalidField, "durationInMonths", "durationInMonths must be at least 1")
	MaxRedemptionsNotPositive = row(affiliate.KindInvalid, affiliate.InvalidField, "maxRedemptions", "maxRedemptions must be at least 1")
	RedeemByNotADate          = row(affiliate.KindInvalid, affiliate.InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date")
	IntegrationTypeUnknown    = row(affiliate.KindInvalid, affiliate.InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")
	CodeNotAllowed            = row(affiliate.KindInvalid, affiliate.InvalidField, "code", "Code must not be sent when isAutoGenerated is true")
	ExpiresAtNotADate         = row(affiliate.KindInvalid, affiliate.InvalidField, "expiresAt", "expiresAt must be an ISO 8601 date")
	MinimumNegative           = row(affiliate.KindInvalid, affiliate.InvalidField, "minimumAmount", "minimumAmount must be at least 0")
	RandomLengthRange         = row(affiliate.KindInvalid, affiliate.InvalidField, "randomCharsLength", "randomCharsLength must be an integer from 1 to 32")
	RandomCaseUnknown         = row(affiliate.KindInvalid, affiliate.InvalidField, "randomCharsCase", "randomCharsCase must be one of uppercase, lowercase, mixed")
	SubscriptionStatusUnknown = row(affiliate.KindInvalid, affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED")
	TotalNotPositive          = row(affiliate.KindInvalid, affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero")
	SubtotalNotPositive       = row(affiliate.KindInvalid, affiliate.InvalidField, "subtotal", "Subtotal must be greater than zero")
	FreeEarned                = row(affiliate.KindInvalid, affiliate.InvalidField, "free", "free must not be true when an amount was earned")
	SubtotalBelowTotal        = row(affiliate.KindInvalid, affiliate.InvalidField, "subtotal", "Subtotal must not be less than the total amount earned without tax and shipping")
	QuantityNotPositive       = row(affiliate.KindInvalid, affiliate.InvalidField, "product.quantity", "product.quantity must be greater than zero")
	PriceNegative             = row(affiliate.KindInvalid, affiliate.InvalidField, "product.price", "product.price must be at least 0")
	TaxNegative               = row(affiliate.KindInvalid, affiliate.InvalidField, "tax", "tax must be at least 0")
	ShippingNegative          = row(affiliate.KindInvalid, affiliate.InvalidField, "shipping", "shipping must be at least 0")
	DeductionsExceedTotal     = row(affiliate.KindInvalid, affiliate.InvalidField, "tax", "Tax and shipping must not exceed the total amount earned")
	CommissionNegative        = row(affiliate.KindInvalid, affiliate.InvalidField, "commissionEarned", "commissionEarned must be at least 0")
	TotalBelowRefunded        = row(affiliate.KindInvalid, affiliate.InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount")
	RefundNotPositive         = row(affiliate.KindInvalid, affiliate.InvalidField, "amount", "Refund amount must be greater than zero")
	RefuseCount               = row(affiliate.KindInvalid, affiliate.InvalidField, "count", "count must be an integer from 1 to 10000") // of codes that one request generates
	StepLimitInvalid          = row(affiliate.KindInvalid, affiliate.InvalidField, "limit", "limit must be an integer from 1 to 10000") // of a step
	StepCursorInvalid         = row(affiliate.KindInvalid, affiliate.InvalidField, "cursor", "Invalid cursor")                          // of a step
	urlNotHTTPS               = row(affiliate.KindInvalid, affiliate.InvalidField, "url", "url must be an https URL")
	EventTypeUnknown          = row(affiliate.KindInvalid, affiliate.InvalidField, "events", "Unknown event type: {type}")
	EventTypeDuplicate        = row(affiliate.KindInvalid, affiliate.InvalidField, "events", "Duplicate event type: {type}")
	HeadersTooMany            = row(affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must have at most 10 names")
	HeaderNameRefused         = row(affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must not have the name {name}")
	HeaderValueRefused        = row(affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must have 1 to 4096 printable ASCII characters as the value of {name}")
	HeadersTwice              = row(affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must not have a name twice")
	HeadersOfAnother          = row(affiliate.KindInvalid, affiliate.InvalidField, "headers", "headers must be given again when url leads to another host")
	SinceTooOld               = row(affiliate.KindInvalid, affiliate.InvalidField, "since", "since must be at most 14 days ago")
	HoldDaysRange             = row(affiliate.KindInvalid, affiliate.InvalidField, "holdDays", "holdDays must be an integer from 0 to 3650")
	GracePeriodRange          = row(affiliate.KindInvalid, affiliate.InvalidField, "gracePeriodSeconds", "gracePeriodSeconds must be an integer from 0 to 604800")

	SlugSyntax              = row(affiliate.KindInvalid, affiliate.SlugSyntax, "link", "Link can only contain letters, numbers, and hyphens") // published, letter for letter
	slugTooLong             = row(affiliate.KindInvalid, affiliate.SlugSyntax, "link", "Link must be at most 100 characters")
	PlanNotFound            = row(affiliate.KindInvalid, affiliate.PlanNotFound, "commissionPlanId", "Commission plan not found")
	GroupNotFound           = row(affiliate.KindInvalid, affiliate.GroupNotFound, "affiliateGroupId", "Affiliate group not found")
	AffiliateEmailTaken     = row(affiliate.KindConflict, affiliate.AffiliateEmailTaken, "email", "An affiliate with this email already exists")
	RequestedSlugTaken      = row(affiliate.KindConflict, affiliate.SlugTaken, "affiliateLink", "The requested affiliate link is already in use") // published, letter for letter
	SlugTaken               = row(affiliate.KindConflict, affiliate.SlugTaken, "link", "This link already exists for this affiliate program")     // published, letter for letter
	IdentifiersMismatch     = row(affiliate.KindInvalid, affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")
	AffiliateInPayout       = row(affiliate.KindConflict, affiliate.InPayout, "", "Affiliate has commissions that are part of a payout")
	ReferralInPayout        = row(affiliate.KindConflict, affiliate.InPayout, "", "Referral has sales that are part of a payout")
	SaleInPayout            = row(affiliate.KindConflict, affiliate.InPayout, "", "Sale is part of a payout")
	RefuseNoAffiliate       = row(affiliate.KindNotFound, affiliate.AffiliateNotFound, "", "Affiliate not found")
	OwnerNotFound           = row(affiliate.KindInvalid, affiliate.AffiliateNotFound, "", "Affiliate not found")
	LinkLimitReached        = row(affiliate.KindConflict, affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows")
	LinkNotFound            = row(affiliate.KindNotFound, affiliate.LinkNotFound, "", "Affiliate link not found")
	CouponExternalIDTaken   = row(affiliate.KindConflict, affiliate.CouponExternalIDTaken, "externalId", "A coupon with this external ID already exists")
	CouponNotFound          = row(affiliate.KindNotFound, affiliate.CouponNotFound, "", "Coupon not found")
	CodeSyntax              = row(affiliate.KindInvalid, affiliate.CodeSyntax, "code", "Code contains invalid characters")
	StructureEmpty          = row(affiliate.KindInvalid, affiliate.CodeStructureEmpty, "codeStructure", "Code structure has no part enabled")
	GeneratedCodeInvalid    = row(affiliate.KindInvalid, affiliate.GeneratedCodeInvalid, "", "The generated code is empty or not a valid code")
	CodeTaken               = row(affiliate.KindConflict, affiliate.CodeTaken, "code", "A promotional code with this code already exists")
	GeneratedCodeTaken      = row(affiliate.KindConflict, affiliate.GeneratedCodeTaken, "", "A promotional code with this code already exists")
	CodeExternalIDTaken     = row(affiliate.KindConflict, affiliate.CodeExternalIDTaken, "externalId", "A promotional code with this external ID already exists")
	PromotionalCodeNotFound = row(affiliate.KindNotFound, affiliate.PromotionalCodeNotFound, "", "Promotional code not found")

	CodeNotFound    = row(affiliate.KindInvalid, affiliate.CodeNotFound, "", "Promo code not found")
	CodeInactive    = row(affiliate.KindConflict, affiliate.CodeInactive, "", "Promo code is not active")
	CouponInvalid   = row(affiliate.KindConflict, affiliate.CouponInvalid, "", "Promo code is not active")
	CodeExpired     = row(affiliate.KindConflict, affiliate.CodeExpired, "", "Promo code has expired")
	CouponExpired   = row(affiliate.KindConflict, affiliate.CouponExpired, "", "Promo code has expired")
	CodeExhausted   = row(affiliate.KindConflict, affiliate.CodeExhausted, "", "Promo code has reached its redemption limit")
	CouponExhausted = row(affiliate.KindConflict, affiliate.CouponExhausted, "", "Promo code has reached its redemption limit")
	CodeUnassigned  = row(affiliate.KindConflict, affiliate.CodeUnassigned, "", "Promo code is not associated with an affiliate")
	NotFirstOrder   = row(affiliate.KindConflict, affiliate.NotFirstOrder, "", "Promo code is only valid for a first order")
	BelowMinimum    = row(affiliate.KindConflict, affiliate.BelowMinimum, "", "Order does not reach the minimum amount for this promo code")
	WrongCurrency   = row(affiliate.KindConflict, affiliate.WrongCurrency, "", "Promo code minimum is in another currency")
	WrongAffiliate  = row(affiliate.KindConflict, affiliate.WrongAffiliate, "", "Promo code can only be used by its assigned affiliate")
	WrongCustomer   = row(affiliate.KindConflict, affiliate.WrongCustomer, "", "Promo code is limited to another customer")
	WrongProduct    = row(affiliate.KindConflict, affiliate.WrongProduct, "", "Promo code does not apply to this product")
	CodeSuspended   = row(affiliate.KindConflict, affiliate.AffiliateSuspended, "", "Promo code is not active") // customers are not told why

	ReferralAttributionRequired = row(affiliate.KindInvalid, affiliate.AttributionRequired, "", "Affiliate ID, affiliate email, or Promo Code is required")
	SaleAttributionRequired     = row(affiliate.KindInvalid, affiliate.AttributionRequired, "", "Either Referral ID, email, or Promo Code is required")
	ReferralNotFound            = row(affiliate.KindInvalid, affiliate.ReferralNotFound, "", "Referral not found")
	ReferralEmailTaken          = row(affiliate.KindConflict, affiliate.ReferralEmailTaken, "email", "A referral with this email already exists")
	SlugIsNumber                = row(affiliate.KindConflict, affiliate.SlugTaken, "", "A link of digits can be the number of a click")
	ReferralErased              = row(affiliate.KindConflict, affiliate.ReferralErased, "", "This customer was erased")
	SaleNotFound                = row(affiliate.KindNotFound, affiliate.SaleNotFound, "", "Sale not found")
	SaleExternalIDTaken         = row(affiliate.KindConflict, affiliate.SaleExternalIDTaken, "externalId", "A sale with this external ID already exists")
	SaleInvoiceIDTaken          = row(affiliate.KindConflict, affiliate.SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists")
	SaleRefunded                = row(affiliate.KindConflict, affiliate.SaleHasBeenRefunded, "", "Sale has been refunded")
	OutsideRefundWindow         = row(affiliate.KindConflict, affiliate.OutsideRefundWindow, "", "Sale is outside the refund window")
	ManuallyPaid                = row(affiliate.KindConflict, affiliate.ManuallyPaid, "", "Sale has been marked as manually paid")
	AlreadyPaid                 = row(affiliate.KindConflict, affiliate.AlreadyPaid, "", "Sale has already been paid out")
	IncludedInPayout            = row(affiliate.KindConflict, affiliate.IncludedInPayout, "", "Sale is included in a payout")
	RefundExceedsSale           = row(affiliate.KindInvalid, affiliate.RefundExceedsSale, "amount", "Refund amount exceeds the amount left on the sale")
	RefundPartsExceed           = row(affiliate.KindInvalid, affiliate.RefundExceedsSale, "amount", "Tax and shipping must not exceed the refund amount")
	RefundPartExceedsSale       = row(affiliate.KindInvalid, affiliate.RefundExceedsSale, "{field}", "Refunded {field} exceeds what the sale has left of it")
	RefundAmountRequired        = row(affiliate.KindInvalid, affiliate.MissingField, "amount", "Refund amount is required with tax or shipping")
	RefundLimitReached          = row(affiliate.KindConflict, affiliate.RefundLimitReached, "", "Sale has as many partial refunds as the program allows")
	urlNotAllowed               = row(affiliate.KindInvalid, affiliate.URLNotAllowed, "url", "url points to an address that is not allowed")
	WebhookLimitReached         = row(affiliate.KindConflict, affiliate.WebhookLimitReached, "", "A program may have at most 50 webhook endpoints")
	DeliveryNotFound            = row(affiliate.KindNotFound, affiliate.DeliveryNotFound, "", "Delivery not found")
	WebhookNotFound             = row(affiliate.KindNotFound, affiliate.WebhookNotFound, "", "Webhook endpoint not found")
	WebhookDisabled             = row(affiliate.KindConflict, affiliate.WebhookDisabled, "", "Webhook endpoint is disabled")
	ReplayTooLarge              = row(affiliate.KindInvalid, affiliate.ReplayTooLarge, "", "More than 10000 deliveries match; narrow the range")

	BulkLimitExceeded    = row(affiliate.KindInvalid, affiliate.BulkLimitExceeded, "", "The call is for more objects than the program allows at once")
	KeySpaceTooSmall     = row(affiliate.KindInvalid, affiliate.KeySpaceTooSmall, "randomCharsLength", "The random part is too short for this many codes")
	PlanInUse            = row(affiliate.KindConflict, affiliate.PlanInUse, "", "Commission plan is in use")
	TierInUse            = row(affiliate.KindConflict, affiliate.TierInUse, "", "Tier is in use")
	TierNotFound         = row(affiliate.KindNotFound, affiliate.TierNotFound, "", "Tier not found")
	PlanMissing          = row(affiliate.KindNotFound, affiliate.PlanNotFound, "", "Commission plan not found")
	StatusNotAllowed     = row(affiliate.KindConflict, affiliate.StatusNotAllowed, "", "The present status does not allow this change")
	PayoutNotFound       = row(affiliate.KindNotFound, affiliate.PayoutNotFound, "", "Payout not found")
	NothingPayable       = row(affiliate.KindConflict, affiliate.NothingPayable, "", "Nothing is payable to this affiliate")
	AffiliateNotApproved = row(affiliate.KindConflict, affiliate.AffiliateNotApproved, "", "Affiliate is not approved")
	BooksNotOpen         = row(affiliate.KindConflict, affiliate.BooksNotOpen, "", "The books of this affiliate are not open yet")
	BelowPayoutMinimum   = row(affiliate.KindConflict, affiliate.BelowPayoutMinimum, "", "The payable amount is below the payout minimum")
	RedemptionNotFound   = row(affiliate.KindNotFound, affiliate.RedemptionNotFound, "", "Redemption not found")
	RedemptionRestored   = row(affiliate.KindConflict, affiliate.RedemptionRestored, "", "Redemption was already restored")
	ReceiptsKeptTooShort = row(affiliate.KindInvalid, affiliate.RetentionTooShort, "receipts", "receipts must be kept for at least 24 hours")
	RefuseNoPortal       = row(affiliate.KindConflict, affiliate.PortalNotConfigured, "", "Partner pages are not configured") // of a server that has none
	PaymentConflict      = row(affiliate.KindConflict, affiliate.PaymentConflict, "", "The ids of the payment belong to two sales: {sales}")
	PaymentNotFound      = row(affiliate.KindNotFound, affiliate.PaymentNotFound, "", "No payment with this ID waits for a decision")
	VerifyRunning        = row(affiliate.KindConflict, affiliate.VerifyRunning, "", "A verification is running")
	ClicksKeptTooShort   = row(affiliate.KindInvalid, affiliate.RetentionTooShort, "clicks", "clicks must be kept for as long as they attribute")

	PaymentIDRequired         = row(affiliate.KindInvalid, affiliate.MissingField, "paymentId", "Payment ID is required")
	DecisionRequired          = row(affiliate.KindInvalid, affiliate.MissingField, "decision", "Decision is required")
	PayoutIDRequired          = row(affiliate.KindInvalid, affiliate.MissingField, "payoutId", "Payout ID is required")
	RefuseNoStatus            = row(affiliate.KindInvalid, affiliate.MissingField, "status", "Status is required")
	RefuseMove                = row(affiliate.KindInvalid, affiliate.InvalidField, "status", "status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED") // of affiliates
	RefuseFailedReason        = row(affiliate.KindInvalid, affiliate.InvalidField, "failedReason", "failedReason is only for the status FAILED")            // of a payout
	RefuseReturnedReason      = row(affiliate.KindInvalid, affiliate.InvalidField, "returnedReason", "returnedReason is only for the status RETURNED")      // of a payout
	RefuseNoExternalID        = row(affiliate.KindInvalid, affiliate.MissingField, "externalId", "External ID is required")                                 // of a payout run
	RunAffiliatesTooMany      = row(affiliate.KindInvalid, affiliate.InvalidField, "affiliateIds", "affiliateIds must have at most 10000 entries")
	PayoutRunMismatch         = row(affiliate.KindConflict, affiliate.PayoutRunMismatch, "", "This payout run was started with different settings")
	KindRequired              = row(affiliate.KindInvalid, affiliate.MissingField, "kind", "Kind is required")
	ReasonRequired            = row(affiliate.KindInvalid, affiliate.MissingField, "reason", "Reason is required")
	RefuseNoAmount            = row(affiliate.KindInvalid, affiliate.MissingField, "amount", "Amount is required") // of an adjustment: a zero amount of a Go call is not above or below zero
	AdjustmentZero            = row(affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must not be zero")
	AdjustmentNotNegative     = row(affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must be less than zero")
	AdjustmentNotPositive     = row(affiliate.KindInvalid, affiliate.InvalidField, "amount", "amount must be greater than zero")
	AdjustmentNotFound        = row(affiliate.KindNotFound, affiliate.AdjustmentNotFound, "", "Adjustment not found")
	AdjustmentReversed        = row(affiliate.KindConflict, affiliate.AdjustmentReversed, "", "Adjustment was already reversed")
	AdjustmentExternalIDTaken = row(affiliate.KindConflict, affiliate.AdjustmentExternalIDTaken, "externalId", "An adjustment with this external ID already exists")

	RefuseNoFrom     = row(affiliate.KindInvalid, affiliate.MissingField, "from", "From is required") // of a period
	RefuseNoTo       = row(affiliate.KindInvalid, affiliate.MissingField, "to", "To is required")     // of a period
	IntervalRequired = row(affiliate.KindInvalid, affiliate.MissingField, "by", "By is required")     // of a report
	ReportOfSeveral  = row(affiliate.KindInvalid, affiliate.InvalidQuery, "", "Only one of affiliateId, promotionalCodeId and linkId may be given")
	RefuseAfter      = row(affiliate.KindInvalid, affiliate.InvalidQuery, "after", "after cannot be combined with type, objectId or cursor") // of a list of events
	ReportTooLarge   = row(affiliate.KindInvalid, affiliate.ReportTooLarge, "", "A report may have at most 1000 buckets")

	UnknownRef          = row(affiliate.KindInvalid, affiliate.UnknownRef, "{field}", "{field} names nothing that was imported")
	RefuseOtherCurrency = row(affiliate.KindInvalid, affiliate.OtherCurrency, "currency", "currency must be that of the program") // of a row of an import
)

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
	FieldTooLarge        = inField("is too large")
	FieldNotADate        = inField("must be an ISO 8601 date")

	FieldTooLong         = inField("is too long")
	FieldBadCharacters   = inField("contains invalid characters")
	FieldNotDistinct     = inField("must have distinct entries")
	FieldOver100Entries  = inField("must have at most 100 entries")
	FieldOver1000Entries = inField(fmt.Sprintf("must have at most %d entries", MaxProducts))
	FieldNotAtLeastZero  = inField("must be at least 0")
	FieldNotAtLeastOne   = inField("must be at least 1")
	FieldNotDays         = inField("must be an integer from 1 to 36500")
	FieldNotACount       = inField(fmt.Sprintf("must be an integer from 1 to %d", MaxBulk))
	fieldNotOneOf        = inField("must be one of {values}")
	FieldNotAnID         = inField("must be an id")
	FieldNotAllowed      = inField("must not be sent")
	FieldNotAfterFrom    = inField("must be after from")
	FieldInFuture        = inField("must not be later than now")
	FieldTooLongAgo      = inField("must not be more than 30 days ago")
	FieldMissing         = inField("is required")
	FieldNotPositive     = inField("must be greater than zero")
	FieldNotAProvider    = inField("must be 1 to 32 of the characters a to z and 0 to 9")
	FieldOtherCurrency   = inField("must be the currency of the program")
	FactAmountChanged    = inField("has another amount than it was reported with")
	FieldNotLikeHeader   = inField("must have as many fields as the header")
	FieldUnclosed        = inField("has a quote without an end")
	FieldUnknownWord     = inField("has a word that is not mapped")
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
	FieldNotAccepted     = inField("must name accepted commissions")
)
