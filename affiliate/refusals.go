package affiliate

import "fmt"

// The reasons. Their texts are in one table; see [Refusals].
const (
	Unauthorized            Reason = "unauthorized"                   // the request has no key, or not one of the form Bearer
	InvalidToken            Reason = "invalid_token"                  // the key is not known
	NoAPIAccess             Reason = "no_api_access"                  // the program of the key has no access to the API
	InsufficientScope       Reason = "insufficient_scope"             // the scope of the key does not have the operation
	ProgramNotFound         Reason = "program_not_found"              // the program of the key is gone
	NotFound                Reason = "not_found"                      // nothing is at the path
	MethodNotAllowed        Reason = "method_not_allowed"             // the path has no such method; the header Allow lists those that it has
	BodyTooLarge            Reason = "body_too_large"                 // the body is longer than the server takes
	UnsupportedMediaType    Reason = "unsupported_media_type"         // the body is not JSON by its Content-Type
	RateLimited             Reason = "rate_limited"                   // the host's limiter refuses the request
	Internal                Reason = "internal_error"                 // anything unexpected, such as a store that is down; its cause is in Err and never reaches a client
	BodyRequired            Reason = "body_required"                  // the operation needs a body
	InvalidJSON             Reason = "invalid_json"                   // the body is not one JSON object in UTF-8, or is nested too deeply
	DuplicateField          Reason = "duplicate_field"                // a field is given twice
	UnknownField            Reason = "unknown_field"                  // a field is not one of the operation
	InvalidQuery            Reason = "invalid_query"                  // a parameter of the query is unknown, given twice, empty or wrong
	IdempotencyKeyInvalid   Reason = "idempotency_key_invalid"        // the key of a repeat has a form that is not taken
	IdempotencyKeyReused    Reason = "idempotency_key_reused"         // the key was used with another request
	MissingField            Reason = "missing_field"                  // a required input is not given or empty; Field names it
	InvalidField            Reason = "invalid_field"                  // an input has a value that it cannot have; Field names it
	SlugSyntax              Reason = "slug_syntax"                    // a slug has characters that it cannot have
	PlanNotFound            Reason = "plan_not_found"                 // no commission plan has the id
	GroupNotFound           Reason = "group_not_found"                // a group of affiliates was named; there are none
	AffiliateEmailTaken     Reason = "affiliate_email_taken"          // another affiliate has the email
	SlugTaken               Reason = "slug_taken"                     // a link with the slug exists, whatever its letter case
	IdentifiersMismatch     Reason = "identifiers_mismatch"           // two identifiers of a request name different records
	InPayout                Reason = "in_payout"                      // a payout holds a commission of what would be deleted
	AffiliateNotFound       Reason = "affiliate_not_found"            // no affiliate has the id or the email
	LinkLimitReached        Reason = "link_limit_reached"             // the affiliate has as many links as Limits allows
	LinkNotFound            Reason = "link_not_found"                 // no link has the id or the slug
	CouponExternalIDTaken   Reason = "coupon_external_id_taken"       // another coupon has the externalId
	CouponNotFound          Reason = "coupon_not_found"               // no coupon has the id
	CodeSyntax              Reason = "code_syntax"                    // a code has characters that it cannot have
	CodeStructureEmpty      Reason = "code_structure_empty"           // nothing is left of the structure of generated codes
	GeneratedCodeInvalid    Reason = "generated_code_invalid"         // a generated code would have characters that it cannot have
	CodeTaken               Reason = "code_taken"                     // a live code has this text, whatever its letter case
	GeneratedCodeTaken      Reason = "generated_code_taken"           // a code that was generated exists already
	CodeExternalIDTaken     Reason = "code_external_id_taken"         // another code has the externalId
	PromotionalCodeNotFound Reason = "promotional_code_not_found"     // no code has the id
	CodeNotFound            Reason = "code_not_found"                 // no live code has this text
	CodeInactive            Reason = "code_inactive"                  // the code is switched off
	CouponInvalid           Reason = "coupon_invalid"                 // the coupon of the code is switched off
	CodeExpired             Reason = "code_expired"                   // the time of the code is over
	CouponExpired           Reason = "coupon_expired"                 // the time of the coupon is over
	CodeExhausted           Reason = "code_exhausted"                 // the code was redeemed as often as it may be
	CouponExhausted         Reason = "coupon_exhausted"               // the codes of the coupon together were redeemed as often as they may be
	CodeUnassigned          Reason = "code_unassigned"                // the code has no affiliate
	NotFirstOrder           Reason = "not_first_order"                // the code is for first orders, and the customer has bought before
	BelowMinimum            Reason = "below_minimum"                  // the order is below the minimum amount of the code
	WrongCurrency           Reason = "wrong_currency"                 // the minimum amount is in another currency than the program's
	WrongAffiliate          Reason = "wrong_affiliate"                // the code is limited to its affiliate, and the order names another
	WrongCustomer           Reason = "wrong_customer"                 // the code is limited to another customer
	WrongProduct            Reason = "wrong_product"                  // the code does not apply to the product
	AttributionRequired     Reason = "attribution_required"           // nothing names an affiliate or a customer
	ReferralNotFound        Reason = "referral_not_found"             // no referral has the id or the email
	ReferralEmailTaken      Reason = "referral_email_taken"           // another referral has the email
	SaleNotFound            Reason = "sale_not_found"                 // no sale has the id
	SaleExternalIDTaken     Reason = "sale_external_id_taken"         // another sale has the externalId
	SaleInvoiceIDTaken      Reason = "sale_external_invoice_id_taken" // another sale has the externalInvoiceId
	SaleHasBeenRefunded     Reason = "sale_refunded"                  // the whole sale was refunded before
	OutsideRefundWindow     Reason = "outside_refund_window"          // Config.RefundWindow is over for the sale
	ManuallyPaid            Reason = "manually_paid"                  // a person paid the commission; a refund needs ClawBack
	AlreadyPaid             Reason = "already_paid"                   // a payout paid the commission; a refund needs ClawBack
	IncludedInPayout        Reason = "included_in_payout_batch"       // a payout that is not paid yet holds the commission; a refund needs ClawBack
	RefundExceedsSale       Reason = "refund_exceeds_sale"            // more would be refunded than the sale earned
	RefundLimitReached      Reason = "refund_limit_reached"           // the sale has as many refunds as Limits allows
	URLNotAllowed           Reason = "url_not_allowed"                // an endpoint may not be at this URL; see AddressPolicy
	WebhookLimitReached     Reason = "webhook_limit_reached"          // the program has as many endpoints as it may have
	DeliveryNotFound        Reason = "delivery_not_found"             // no delivery has the id
	WebhookNotFound         Reason = "webhook_not_found"              // no endpoint has the id
	WebhookDisabled         Reason = "webhook_disabled"               // the endpoint is switched off
	ReplayTooLarge          Reason = "replay_too_large"               // more deliveries would be replayed than at once are allowed

	// The reasons below are of later operations, and of Go calls without one.

	BulkLimitExceeded  Reason = "bulk_limit_exceeded"  // a call has more rows than it takes
	KeySpaceTooSmall   Reason = "key_space_too_small"  // the structure allows too few codes for so many
	PlanInUse          Reason = "plan_in_use"          // affiliates have the plan that would be deleted
	TierInUse          Reason = "tier_in_use"          // affiliates are in the tier that would be deleted
	TierNotFound       Reason = "tier_not_found"       // no tier has the id
	StatusNotAllowed   Reason = "status_not_allowed"   // the status does not follow the present one
	PayoutNotFound     Reason = "payout_not_found"     // no payout has the id
	NothingPayable     Reason = "nothing_payable"      // nothing is due to the affiliate
	BelowPayoutMinimum Reason = "below_payout_minimum" // less is due than the minimum of the payout
	RedemptionNotFound Reason = "redemption_not_found" // the sale redeemed no code
	RedemptionRestored Reason = "redemption_restored"  // the redemption was given back before
	RetentionTooShort  Reason = "retention_too_short"  // the policy would remove what is still needed
	VerifyRunning      Reason = "verify_running"       // Verify is under way for another request

	PortalNotConfigured Reason = "portal_not_configured" // the server has no partner pages

	AdjustmentNotFound        Reason = "adjustment_not_found"         // no adjustment has the id
	AdjustmentReversed        Reason = "adjustment_reversed"          // the adjustment was taken back before
	BooksNotOpen              Reason = "books_not_open"               // the books of the affiliate are not open; see OpenBooks
	PayoutRunMismatch         Reason = "payout_run_mismatch"          // a run with this externalId was made with other inputs
	AdjustmentExternalIDTaken Reason = "adjustment_external_id_taken" // another adjustment has the externalId
	ReportTooLarge            Reason = "report_too_large"             // a report would look at more than it may

	PaymentConflict Reason = "payment_conflict"  // the ids of a payment belong to two sales
	PaymentNotFound Reason = "payment_not_found" // no payment with the id waits for a decision

	// The reasons of imports, which are Go calls.

	UnknownRef    Reason = "unknown_ref" // nothing was imported under the ref, or it was deleted since
	OtherCurrency Reason = "currency"    // the row is not in the currency of the program
)

// The table of refusals: kind, reason, field, text. Texts are written only
// here, and [Refusals] lists the rows in this order. Rows with an exported name
// are for adapters, which refuse a request before they call the engine. The
// three texts that the published API documents are marked.
var (
	RefuseUnauthorized      = row(KindUnauthorized, Unauthorized, "", "Unauthorized")                        // the key is missing or malformed
	RefuseToken             = row(KindUnauthorized, InvalidToken, "", "Invalid auth token")                  // the key is not known
	RefuseAccess            = row(KindForbidden, NoAPIAccess, "", "User does not have API access")           // the program of the key has no API access
	RefuseScope             = row(KindForbidden, InsufficientScope, "", "API key is not allowed to do this") // the scope of the key does not have the operation
	RefuseProgram           = row(KindNotFound, ProgramNotFound, "", "Affiliate program not found")          // the program of the key is gone
	RefusePath              = row(KindNotFound, NotFound, "", "Not found")                                   // nothing is at this path
	RefuseMethod            = row(KindMethod, MethodNotAllowed, "", "Method not allowed")
	RefuseSize              = row(KindTooLarge, BodyTooLarge, "", "Request body too large")
	RefuseMediaType         = row(KindMediaType, UnsupportedMediaType, "", "Content-Type must be application/json")
	RefuseRate              = row(KindLimited, RateLimited, "", "Too many requests. Please slow down.") // the host's limiter says no
	RefuseInternal          = row(KindInternal, Internal, "", "Internal server error")                  // anything unexpected
	RefuseNoBody            = row(KindInvalid, BodyRequired, "", "Request body is required")            // the operation needs one
	RefuseJSON              = row(KindInvalid, InvalidJSON, "", "Invalid JSON body")                    // not JSON
	RefuseNotAnObject       = row(KindInvalid, InvalidJSON, "", "Request body must be a JSON object")   // JSON of another kind
	RefuseTrailing          = row(KindInvalid, InvalidJSON, "", "Unexpected data after JSON body")      // data after the object
	RefuseDepth             = row(KindInvalid, InvalidJSON, "", "JSON is nested too deeply")
	RefuseUTF8              = row(KindInvalid, InvalidJSON, "", "Request body is not valid UTF-8")                        // invalid UTF-8, or half of a surrogate pair
	RefuseDuplicateField    = row(KindInvalid, DuplicateField, "{field}", "Duplicate field: {field}")                     // use Of
	RefuseUnknownField      = row(KindInvalid, UnknownField, "{field}", "Unknown field: {field}")                         // use Of
	RefuseQuery             = row(KindInvalid, InvalidQuery, "", "Invalid query string")                                  // malformed
	RefuseRepeatedParameter = row(KindInvalid, InvalidQuery, "{name}", "Query parameter {name} was given more than once") // use Of
	RefuseEmptyParameter    = row(KindInvalid, InvalidQuery, "{name}", "Query parameter {name} must not be empty")        // use Of
	RefuseLimit             = row(KindInvalid, InvalidQuery, "limit", "limit must be an integer from 1 to 1000")          // of a page
	RefuseWaitingLimit      = row(KindInvalid, InvalidQuery, "limit", "limit must be an integer from 1 to 20")            // of what waits
	cursorInvalid           = row(KindInvalid, InvalidQuery, "cursor", "Invalid cursor")
	RefuseUnknownParameter  = row(KindInvalid, InvalidQuery, "{name}", "Unknown query parameter: {name}") // use Of
	RefuseKey               = row(KindInvalid, IdempotencyKeyInvalid, "", "Idempotency-Key is invalid")
	idempotencyKeyReused    = row(KindInvalid, IdempotencyKeyReused, "", "Idempotency-Key was already used with a different request")

	firstNameRequired               = row(KindInvalid, MissingField, "firstName", "First name is required")
	lastNameRequired                = row(KindInvalid, MissingField, "lastName", "Last name is required")
	emailRequired                   = row(KindInvalid, MissingField, "email", "Email is required")
	affiliateOrEmailAddressRequired = row(KindInvalid, MissingField, "affiliateId", "Affiliate ID or email address is required")
	RefuseNoAffiliateID             = row(KindInvalid, MissingField, "affiliateId", "Affiliate ID is required")
	linkRequired                    = row(KindInvalid, MissingField, "link", "Link is required")
	RefuseNoOwner                   = row(KindInvalid, MissingField, "affiliateId", "Affiliate ID or email is required")
	linkIDRequired                  = row(KindInvalid, MissingField, "id", "Link ID or link is required")
	newLinkRequired                 = row(KindInvalid, MissingField, "newLink", "New link is required")
	nameRequired                    = row(KindInvalid, MissingField, "name", "Name is required")
	percentOffRequired              = row(KindInvalid, MissingField, "percentOff", "Percent off is required when the coupon type is PERCENTAGE")
	amountOffRequired               = row(KindInvalid, MissingField, "amountOff", "Amount off is required when the coupon type is FLAT")
	currencyRequired                = row(KindInvalid, MissingField, "currency", "Currency is required when the coupon type is FLAT")
	monthsRequired                  = row(KindInvalid, MissingField, "durationInMonths", "Duration in months is required when the duration is repeating")
	productIDsRequired              = row(KindInvalid, MissingField, "productIds", "Product IDs are required when limitToProducts is true")
	couponIDRequired                = row(KindInvalid, MissingField, "couponId", "Coupon ID is required")
	codeRequired                    = row(KindInvalid, MissingField, "code", "Code is required")
	generatedNeedsAffiliate         = row(KindInvalid, MissingField, "affiliateId", "An affiliate is required when isAutoGenerated is true")
	customerIDRequired              = row(KindInvalid, MissingField, "customerId", "Customer ID is required when limitToCustomers is true")
	structureRequired               = row(KindInvalid, MissingField, "codeStructure", "Code structure is required when isAutoGenerated is true")
	promotionalCodeIDRequired       = row(KindInvalid, MissingField, "promotionalCodeId", "Promotional Code ID is required")
	customerExternalIDRequired      = row(KindInvalid, MissingField, "referredUserExternalId", "Referred user external ID is required")
	referralIDRequired              = row(KindInvalid, MissingField, "referralId", "Referral ID is required")
	totalRequired                   = row(KindInvalid, MissingField, "totalEarned", "Total Amount Earned is required")
	RefuseNoSaleID                  = row(KindInvalid, MissingField, "saleId", "Sale ID is required")
	RefuseNoPlanID                  = row(KindInvalid, MissingField, "commissionPlanId", "Commission plan ID is required")
	RefuseNoTierID                  = row(KindInvalid, MissingField, "commissionTierId", "Commission tier ID is required")
	RefuseNoRate                    = row(KindInvalid, MissingField, "commissionRate", "Commission rate is required") // of a new plan on the wire: in a Go call a zero rate is a rate
	RefuseNoAffiliateIDs            = row(KindInvalid, MissingField, "affiliateIds", "Affiliate IDs are required")
	RefuseNoReferralIDs             = row(KindInvalid, MissingField, "referralIds", "Referral IDs are required")
	RefuseTokenTTL                  = row(KindInvalid, InvalidField, "ttlSeconds", "ttlSeconds must be an integer from 30 to 3600")                   // of a token for partner pages
	RefuseNoAge                     = row(KindInvalid, MissingField, "before", "Either before or retention is required")                              // of what is dropped: one of them, not both
	RefuseNoSelection               = row(KindInvalid, MissingField, "affiliateId", "Affiliate ID, affiliate email, referral ID, or all is required") // of sales to calculate again
	RefuseNoSaleIDs                 = row(KindInvalid, MissingField, "saleIds", "Sale IDs are required")
	promoCodeRequired               = row(KindInvalid, MissingField, "promoCode", "Promo code is required")
	urlRequired                     = row(KindInvalid, MissingField, "url", "URL is required")
	eventsRequired                  = row(KindInvalid, MissingField, "events", "At least one event type is required")
	replayTargetRequired            = row(KindInvalid, MissingField, "deliveryId", "Delivery ID, or webhook ID and since, is required")
	webhookIDRequired               = row(KindInvalid, MissingField, "webhookId", "Webhook ID is required")
	eventRequired                   = row(KindInvalid, MissingField, "event", "Event is required")
	RefuseNoProgramID               = row(KindInvalid, MissingField, "programId", "Program ID is required")       // of the tracking endpoints
	RefuseNoReferralCode            = row(KindInvalid, MissingField, "referralCode", "Referral code is required") // of the tracking endpoints

	emailInvalid              = row(KindInvalid, InvalidField, "email", "Email is invalid")
	rateNotPercent            = row(KindInvalid, InvalidField, "commissionRate", "Commission rate must be between 0 and 100")
	rateNegative              = row(KindInvalid, InvalidField, "commissionRate", "Commission rate must not be negative")
	affiliateStatusUnknown    = row(KindInvalid, InvalidField, "affiliateStatus", "affiliateStatus must be one of active, inactive")
	couponTypeUnknown         = row(KindInvalid, InvalidField, "couponType", "couponType must be one of PERCENTAGE, FLAT")
	percentOffRange           = row(KindInvalid, InvalidField, "percentOff", "Percent off must be between 1 and 100")
	amountOffNotPositive      = row(KindInvalid, InvalidField, "amountOff", "Amount off must be greater than zero")
	currencyUnknown           = row(KindInvalid, InvalidField, "currency", "Currency must be an ISO 4217 code")
	durationUnknown           = row(KindInvalid, InvalidField, "duration", "duration must be one of once, forever, repeating")
	monthsNotPositive         = row(KindInvalid, InvalidField, "durationInMonths", "durationInMonths must be at least 1")
	maxRedemptionsNotPositive = row(KindInvalid, InvalidField, "maxRedemptions", "maxRedemptions must be at least 1")
	redeemByNotADate          = row(KindInvalid, InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date")
	integrationTypeUnknown    = row(KindInvalid, InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")
	codeNotAllowed            = row(KindInvalid, InvalidField, "code", "Code must not be sent when isAutoGenerated is true")
	expiresAtNotADate         = row(KindInvalid, InvalidField, "expiresAt", "expiresAt must be an ISO 8601 date")
	minimumNegative           = row(KindInvalid, InvalidField, "minimumAmount", "minimumAmount must be at least 0")
	randomLengthRange         = row(KindInvalid, InvalidField, "randomCharsLength", "randomCharsLength must be an integer from 1 to 32")
	randomCaseUnknown         = row(KindInvalid, InvalidField, "randomCharsCase", "randomCharsCase must be one of uppercase, lowercase, mixed")
	subscriptionStatusUnknown = row(KindInvalid, InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED")
	totalNotPositive          = row(KindInvalid, InvalidField, "totalEarned", "Total Amount Earned must be greater than zero")
	subtotalNotPositive       = row(KindInvalid, InvalidField, "subtotal", "Subtotal must be greater than zero")
	freeEarned                = row(KindInvalid, InvalidField, "free", "free must not be true when an amount was earned")
	subtotalBelowTotal        = row(KindInvalid, InvalidField, "subtotal", "Subtotal must not be less than the total amount earned without tax and shipping")
	quantityNotPositive       = row(KindInvalid, InvalidField, "product.quantity", "product.quantity must be greater than zero")
	priceNegative             = row(KindInvalid, InvalidField, "product.price", "product.price must be at least 0")
	taxNegative               = row(KindInvalid, InvalidField, "tax", "tax must be at least 0")
	shippingNegative          = row(KindInvalid, InvalidField, "shipping", "shipping must be at least 0")
	deductionsExceedTotal     = row(KindInvalid, InvalidField, "tax", "Tax and shipping must not exceed the total amount earned")
	commissionNegative        = row(KindInvalid, InvalidField, "commissionEarned", "commissionEarned must be at least 0")
	totalBelowRefunded        = row(KindInvalid, InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount")
	refundNotPositive         = row(KindInvalid, InvalidField, "amount", "Refund amount must be greater than zero")
	RefuseCount               = row(KindInvalid, InvalidField, "count", "count must be an integer from 1 to 10000") // of codes that one request generates
	stepLimitInvalid          = row(KindInvalid, InvalidField, "limit", "limit must be an integer from 1 to 10000") // of a step
	stepCursorInvalid         = row(KindInvalid, InvalidField, "cursor", "Invalid cursor")                          // of a step
	urlNotHTTPS               = row(KindInvalid, InvalidField, "url", "url must be an https URL")
	eventTypeUnknown          = row(KindInvalid, InvalidField, "events", "Unknown event type: {type}")
	eventTypeDuplicate        = row(KindInvalid, InvalidField, "events", "Duplicate event type: {type}")
	sinceTooOld               = row(KindInvalid, InvalidField, "since", "since must be at most 14 days ago")
	holdDaysRange             = row(KindInvalid, InvalidField, "holdDays", "holdDays must be an integer from 0 to 3650")
	gracePeriodRange          = row(KindInvalid, InvalidField, "gracePeriodSeconds", "gracePeriodSeconds must be an integer from 0 to 604800")

	slugSyntax              = row(KindInvalid, SlugSyntax, "link", "Link can only contain letters, numbers, and hyphens") // published, letter for letter
	slugTooLong             = row(KindInvalid, SlugSyntax, "link", "Link must be at most 100 characters")
	planNotFound            = row(KindInvalid, PlanNotFound, "commissionPlanId", "Commission plan not found")
	groupNotFound           = row(KindInvalid, GroupNotFound, "affiliateGroupId", "Affiliate group not found")
	affiliateEmailTaken     = row(KindConflict, AffiliateEmailTaken, "email", "An affiliate with this email already exists")
	requestedSlugTaken      = row(KindConflict, SlugTaken, "affiliateLink", "The requested affiliate link is already in use") // published, letter for letter
	slugTaken               = row(KindConflict, SlugTaken, "link", "This link already exists for this affiliate program")     // published, letter for letter
	identifiersMismatch     = row(KindInvalid, IdentifiersMismatch, "", "The identifiers do not name the same record")
	affiliateInPayout       = row(KindConflict, InPayout, "", "Affiliate has commissions that are part of a payout")
	referralInPayout        = row(KindConflict, InPayout, "", "Referral has sales that are part of a payout")
	saleInPayout            = row(KindConflict, InPayout, "", "Sale is part of a payout")
	RefuseNoAffiliate       = row(KindNotFound, AffiliateNotFound, "", "Affiliate not found")
	ownerNotFound           = row(KindInvalid, AffiliateNotFound, "", "Affiliate not found")
	linkLimitReached        = row(KindConflict, LinkLimitReached, "", "Affiliate has as many links as the program allows")
	linkNotFound            = row(KindNotFound, LinkNotFound, "", "Affiliate link not found")
	couponExternalIDTaken   = row(KindConflict, CouponExternalIDTaken, "externalId", "A coupon with this external ID already exists")
	couponNotFound          = row(KindNotFound, CouponNotFound, "", "Coupon not found")
	codeSyntax              = row(KindInvalid, CodeSyntax, "code", "Code contains invalid characters")
	structureEmpty          = row(KindInvalid, CodeStructureEmpty, "codeStructure", "Code structure has no part enabled")
	generatedCodeInvalid    = row(KindInvalid, GeneratedCodeInvalid, "", "The generated code is empty or not a valid code")
	codeTaken               = row(KindConflict, CodeTaken, "code", "A promotional code with this code already exists")
	generatedCodeTaken      = row(KindConflict, GeneratedCodeTaken, "", "A promotional code with this code already exists")
	codeExternalIDTaken     = row(KindConflict, CodeExternalIDTaken, "externalId", "A promotional code with this external ID already exists")
	promotionalCodeNotFound = row(KindNotFound, PromotionalCodeNotFound, "", "Promotional code not found")

	codeNotFound    = row(KindInvalid, CodeNotFound, "", "Promo code not found")
	codeInactive    = row(KindConflict, CodeInactive, "", "Promo code is not active")
	couponInvalid   = row(KindConflict, CouponInvalid, "", "Promo code is not active")
	codeExpired     = row(KindConflict, CodeExpired, "", "Promo code has expired")
	couponExpired   = row(KindConflict, CouponExpired, "", "Promo code has expired")
	codeExhausted   = row(KindConflict, CodeExhausted, "", "Promo code has reached its redemption limit")
	couponExhausted = row(KindConflict, CouponExhausted, "", "Promo code has reached its redemption limit")
	codeUnassigned  = row(KindConflict, CodeUnassigned, "", "Promo code is not associated with an affiliate")
	notFirstOrder   = row(KindConflict, NotFirstOrder, "", "Promo code is only valid for a first order")
	belowMinimum    = row(KindConflict, BelowMinimum, "", "Order does not reach the minimum amount for this promo code")
	wrongCurrency   = row(KindConflict, WrongCurrency, "", "Promo code minimum is in another currency")
	wrongAffiliate  = row(KindConflict, WrongAffiliate, "", "Promo code can only be used by its assigned affiliate")
	wrongCustomer   = row(KindConflict, WrongCustomer, "", "Promo code is limited to another customer")
	wrongProduct    = row(KindConflict, WrongProduct, "", "Promo code does not apply to this product")

	referralAttributionRequired = row(KindInvalid, AttributionRequired, "", "Affiliate ID, affiliate email, or Promo Code is required")
	saleAttributionRequired     = row(KindInvalid, AttributionRequired, "", "Either Referral ID, email, or Promo Code is required")
	referralNotFound            = row(KindInvalid, ReferralNotFound, "", "Referral not found")
	referralEmailTaken          = row(KindConflict, ReferralEmailTaken, "email", "A referral with this email already exists")
	saleNotFound                = row(KindNotFound, SaleNotFound, "", "Sale not found")
	saleExternalIDTaken         = row(KindConflict, SaleExternalIDTaken, "externalId", "A sale with this external ID already exists")
	saleInvoiceIDTaken          = row(KindConflict, SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists")
	saleRefunded                = row(KindConflict, SaleHasBeenRefunded, "", "Sale has been refunded")
	outsideRefundWindow         = row(KindConflict, OutsideRefundWindow, "", "Sale is outside the refund window")
	manuallyPaid                = row(KindConflict, ManuallyPaid, "", "Sale has been marked as manually paid")
	alreadyPaid                 = row(KindConflict, AlreadyPaid, "", "Sale has already been paid out")
	includedInPayout            = row(KindConflict, IncludedInPayout, "", "Sale is included in a payout")
	refundExceedsSale           = row(KindInvalid, RefundExceedsSale, "amount", "Refund amount exceeds the amount left on the sale")
	refundPartsExceed           = row(KindInvalid, RefundExceedsSale, "amount", "Tax and shipping must not exceed the refund amount")
	refundPartExceedsSale       = row(KindInvalid, RefundExceedsSale, "{field}", "Refunded {field} exceeds what the sale has left of it")
	refundAmountRequired        = row(KindInvalid, MissingField, "amount", "Refund amount is required with tax or shipping")
	refundLimitReached          = row(KindConflict, RefundLimitReached, "", "Sale has as many partial refunds as the program allows")
	urlNotAllowed               = row(KindInvalid, URLNotAllowed, "url", "url points to an address that is not allowed")
	webhookLimitReached         = row(KindConflict, WebhookLimitReached, "", "A program may have at most 50 webhook endpoints")
	deliveryNotFound            = row(KindNotFound, DeliveryNotFound, "", "Delivery not found")
	webhookNotFound             = row(KindNotFound, WebhookNotFound, "", "Webhook endpoint not found")
	webhookDisabled             = row(KindConflict, WebhookDisabled, "", "Webhook endpoint is disabled")
	replayTooLarge              = row(KindInvalid, ReplayTooLarge, "", "More than 10000 deliveries match; narrow the range")

	bulkLimitExceeded    = row(KindInvalid, BulkLimitExceeded, "", "The call is for more objects than the program allows at once")
	keySpaceTooSmall     = row(KindInvalid, KeySpaceTooSmall, "randomCharsLength", "The random part is too short for this many codes")
	planInUse            = row(KindConflict, PlanInUse, "", "Commission plan is in use")
	tierInUse            = row(KindConflict, TierInUse, "", "Tier is in use")
	tierNotFound         = row(KindNotFound, TierNotFound, "", "Tier not found")
	planMissing          = row(KindNotFound, PlanNotFound, "", "Commission plan not found")
	statusNotAllowed     = row(KindConflict, StatusNotAllowed, "", "The present status does not allow this change")
	payoutNotFound       = row(KindNotFound, PayoutNotFound, "", "Payout not found")
	nothingPayable       = row(KindConflict, NothingPayable, "", "Nothing is payable to this affiliate")
	booksNotOpen         = row(KindConflict, BooksNotOpen, "", "The books of this affiliate are not open yet")
	belowPayoutMinimum   = row(KindConflict, BelowPayoutMinimum, "", "The payable amount is below the payout minimum")
	redemptionNotFound   = row(KindNotFound, RedemptionNotFound, "", "Redemption not found")
	redemptionRestored   = row(KindConflict, RedemptionRestored, "", "Redemption was already restored")
	receiptsKeptTooShort = row(KindInvalid, RetentionTooShort, "receipts", "receipts must be kept for at least 24 hours")
	RefuseNoPortal       = row(KindConflict, PortalNotConfigured, "", "Partner pages are not configured") // of a server that has none
	paymentConflict      = row(KindConflict, PaymentConflict, "", "The ids of the payment belong to two sales: {sales}")
	paymentNotFound      = row(KindNotFound, PaymentNotFound, "", "No payment with this ID waits for a decision")
	verifyRunning        = row(KindConflict, VerifyRunning, "", "A verification is running")
	clicksKeptTooShort   = row(KindInvalid, RetentionTooShort, "clicks", "clicks must be kept for as long as they attribute")

	paymentIDRequired         = row(KindInvalid, MissingField, "paymentId", "Payment ID is required")
	decisionRequired          = row(KindInvalid, MissingField, "decision", "Decision is required")
	payoutIDRequired          = row(KindInvalid, MissingField, "payoutId", "Payout ID is required")
	RefuseNoStatus            = row(KindInvalid, MissingField, "status", "Status is required")
	RefuseMove                = row(KindInvalid, InvalidField, "status", "status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED") // of affiliates: each value has a Go call of its own
	RefuseFailedReason        = row(KindInvalid, InvalidField, "failedReason", "failedReason is only for the status FAILED")            // of a payout
	RefuseNoExternalID        = row(KindInvalid, MissingField, "externalId", "External ID is required")                                 // of a payout run
	runAffiliatesTooMany      = row(KindInvalid, InvalidField, "affiliateIds", "affiliateIds must have at most 10000 entries")
	payoutRunMismatch         = row(KindConflict, PayoutRunMismatch, "", "This payout run was started with different settings")
	kindRequired              = row(KindInvalid, MissingField, "kind", "Kind is required")
	reasonRequired            = row(KindInvalid, MissingField, "reason", "Reason is required")
	RefuseNoAmount            = row(KindInvalid, MissingField, "amount", "Amount is required") // of an adjustment: a zero amount of a Go call is not above or below zero
	adjustmentZero            = row(KindInvalid, InvalidField, "amount", "amount must not be zero")
	adjustmentNotNegative     = row(KindInvalid, InvalidField, "amount", "amount must be less than zero")
	adjustmentNotPositive     = row(KindInvalid, InvalidField, "amount", "amount must be greater than zero")
	adjustmentNotFound        = row(KindNotFound, AdjustmentNotFound, "", "Adjustment not found")
	adjustmentReversed        = row(KindConflict, AdjustmentReversed, "", "Adjustment was already reversed")
	adjustmentExternalIDTaken = row(KindConflict, AdjustmentExternalIDTaken, "externalId", "An adjustment with this external ID already exists")

	RefuseNoFrom     = row(KindInvalid, MissingField, "from", "From is required") // of a period
	RefuseNoTo       = row(KindInvalid, MissingField, "to", "To is required")     // of a period
	intervalRequired = row(KindInvalid, MissingField, "by", "By is required")     // of a report
	reportOfSeveral  = row(KindInvalid, InvalidQuery, "", "Only one of affiliateId, promotionalCodeId and linkId may be given")
	RefuseAfter      = row(KindInvalid, InvalidQuery, "after", "after cannot be combined with type, objectId or cursor") // of a list of events
	reportTooLarge   = row(KindInvalid, ReportTooLarge, "", "A report may have at most 1000 buckets")

	unknownRef          = row(KindInvalid, UnknownRef, "{field}", "{field} names nothing that was imported")
	RefuseOtherCurrency = row(KindInvalid, OtherCurrency, "currency", "currency must be that of the program") // of a row of an import
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
	FieldOver1000Entries = inField(fmt.Sprintf("must have at most %d entries", maxProducts))
	fieldNotAtLeastZero  = inField("must be at least 0")
	FieldNotAtLeastOne   = inField("must be at least 1")
	FieldNotDays         = inField("must be an integer from 1 to 36500")
	fieldNotACount       = inField(fmt.Sprintf("must be an integer from 1 to %d", maxBulk))
	fieldNotOneOf        = inField("must be one of {values}")
	FieldNotAnID         = inField("must be an id")
	fieldNotAllowed      = inField("must not be sent")
	fieldNotAfterFrom    = inField("must be after from")
	fieldInFuture        = inField("must not be later than now")
	fieldTooLongAgo      = inField("must not be more than 30 days ago")
	fieldRequired        = inField("is required")
	fieldNotPositive     = inField("must be greater than zero")
	fieldNotAProvider    = inField("must be 1 to 32 of the characters a to z and 0 to 9")
	fieldOtherCurrency   = inField("must be the currency of the program")
	factAmountChanged    = inField("has another amount than it was reported with")
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
	fieldNotAsImported   = inField("was imported with other contents")
	fieldOfAnotherRow    = inField("is that of another row with the same affiliate and amounts, so it is not stored a second time")
	fieldTooFine         = inField("must have no more decimals than the currency")
	fieldNotZero         = inField("must be 0 when nothing of the sale is kept")
	fieldNotTheSum       = inField("must be the sum of what it is made of")
	fieldBelowSum        = inField("must not be less than that of its codes")
	fieldNotAccepted     = inField("must name accepted commissions")
)
