package affiliate

import (
	"cmp"
	"fmt"
)

// Kind is the class of an error. It only decides the HTTP status; the [Reason]
// says what happened.
type Kind uint8

// The kinds with their statuses.
const (
	KindInternal     Kind = iota // 500; fixed text, the cause is never shown
	KindInvalid                  // 400
	KindConflict                 // 400: a unique value is taken, or a state forbids the change
	KindNotFound                 // 404
	KindUnauthorized             // 401
	KindForbidden                // 403
	KindLimited                  // 429
	KindMethod                   // 405: the path is known, the method is not
	KindTooLarge                 // 413
	KindMediaType                // 415
)

// Status returns the HTTP status of the kind.
func (k Kind) Status() int {
	switch k {
	case KindInvalid, KindConflict:
		return 400
	case KindUnauthorized:
		return 401
	case KindForbidden:
		return 403
	case KindNotFound:
		return 404
	case KindMethod:
		return 405
	case KindTooLarge:
		return 413
	case KindMediaType:
		return 415
	case KindLimited:
		return 429
	}
	return 500
}

// KindOf returns the kind of an HTTP status. For 400, which two kinds share, it is
// [KindInvalid], and for a status without a kind [KindInternal].
func KindOf(status int) Kind {
	for k := KindInvalid; k <= KindMediaType; k++ {
		if k.Status() == status {
			return k
		}
	}
	return KindInternal
}

// A Reason says what happened. It is an error itself, so that errors.Is(err,
// affiliate.SlugTaken) works. On the wire it is the header Error-Code.
type Reason string

// Error returns the reason.
func (r Reason) Error() string { return string(r) }

// An Error is a refusal that the caller can act on. Its texts are safe for
// clients. Test it with errors.Is and a [Reason], or get its fields with
// errors.AsType[*affiliate.Error].
type Error struct {
	Kind     Kind
	Reason   Reason
	Message  string    // the exact text for clients
	Field    string    // JSON name of the offending field, dotted when nested
	Failures []Failure // of a code: every failing rule in fixed order; the first one gives Reason and Message; on the wire the header Error-Reasons
	Err      error     // the cause, for logs
}

// Error returns the text for clients.
func (e *Error) Error() string { return e.Message }

// Is makes every error of [KindNotFound] match [ErrNotFound].
func (e *Error) Is(target error) bool { return target == ErrNotFound && e.Kind == KindNotFound }

// CodeRefused reports whether a promotional code cannot be used as asked: it is
// unknown, expired, used up, for another customer and so on. Tell the customer,
// and report the order without the code; with a Once key of your own, under another
// one. It is false for every other error: wrong input, a refused API key, a server
// that fails or does not answer. Such an error says nothing about the code. When
// there was no answer the sale may have been recorded: report it again with the same
// ExternalID.
//
//	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
//
// Source: docs/contract.md 3.5.
func (e *Error) CodeRefused() bool {
	switch e.Reason {
	case CodeNotFound, CodeInactive, CouponInvalid, CodeExpired, CouponExpired, CodeExhausted, CouponExhausted,
		CodeUnassigned, NotFirstOrder, BelowMinimum, WrongCurrency, WrongAffiliate, WrongCustomer, WrongProduct,
		AffiliateSuspended, CouponOtherCurrency, CodeNotStarted, BudgetSpent, BelowQuantity,
		CustomerLimit, CustomerRequired, NoOffer:
		return true
	}
	return false
}

// Unwrap returns the reason, the reasons of all failures, and the cause.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, len(e.Failures)+2)
	errs = append(errs, e.Reason)
	for i := range e.Failures {
		errs = append(errs, e.Failures[i].Reason)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// A Failure is one rule that a promotional code fails, with the data of the rule.
type Failure struct {
	// What a refused sale would have in Error-Code.
	Reason Reason `json:"reason"`
	// The text, for people.
	Message string `json:"message"`
	// code_exhausted, coupon_exhausted, customer_limit: the limit.
	Limit Opt[int64] `json:"limit,omitzero"`
	// code_exhausted, coupon_exhausted, customer_limit: how often it was used, or is held.
	Used Opt[int64] `json:"used,omitzero"`
	// code_expired, coupon_expired: the instant that has passed; not_started: the one from which
	// it works.
	At Opt[Time] `json:"at,omitzero"`
	// below_minimum: the minimum; below_quantity: the pieces that are needed; budget_spent: the
	// budget.
	Amount Opt[Amount] `json:"amount,omitzero"`
	// below_minimum, wrong_currency: the currency of the minimum; other_currency: of the
	// discount.
	Currency Currency `json:"currency,omitzero"`
}

// String returns the failure as a sentence: its Message (its Reason when there is
// none) and its data in brackets. It is for operators and logs; customers read
// Message.
func (f Failure) String() string {
	says := cmp.Or(f.Message, string(f.Reason))
	limit, limited := f.Limit.Get()
	at, passed := f.At.Get()
	minimum, short := f.Amount.Get()
	switch {
	case limited:
		return fmt.Sprintf("%s (%d of %d used)", says, f.Used.Or(0), limit)
	case passed:
		return fmt.Sprintf("%s (valid until %s)", says, at)
	case short && f.Currency != "":
		return fmt.Sprintf("%s (the minimum is %s %s)", says, minimum, f.Currency)
	case short:
		return fmt.Sprintf("%s (the minimum is %s)", says, minimum)
	case f.Currency != "":
		return fmt.Sprintf("%s (the minimum is in %s)", says, f.Currency)
	}
	return says
}

// The reasons. Their texts are in one table, which Refusals of package tributary lists.
const (
	Unauthorized             Reason = "unauthorized"                   // the request has no key, or not one of the form Bearer
	InvalidToken             Reason = "invalid_token"                  // the key is not known
	NoAPIAccess              Reason = "no_api_access"                  // the program of the key has no access to the API
	InsufficientScope        Reason = "insufficient_scope"             // the scope of the key does not have the operation
	ProgramNotFound          Reason = "program_not_found"              // the program of the key is gone
	NotFound                 Reason = "not_found"                      // nothing is at the path
	MethodNotAllowed         Reason = "method_not_allowed"             // the path has no such method; the header Allow lists those that it has
	BodyTooLarge             Reason = "body_too_large"                 // the body is longer than the server takes
	UnsupportedMediaType     Reason = "unsupported_media_type"         // the body is not JSON by its Content-Type
	RateLimited              Reason = "rate_limited"                   // the host's limiter refuses the request
	Internal                 Reason = "internal_error"                 // anything unexpected, such as a store that is down; its cause is in Err and never reaches a client
	BodyRequired             Reason = "body_required"                  // the operation needs a body
	InvalidJSON              Reason = "invalid_json"                   // the body is not one JSON object in UTF-8, or is nested too deeply
	DuplicateField           Reason = "duplicate_field"                // a field is given twice
	UnknownField             Reason = "unknown_field"                  // a field is not one of the operation
	InvalidQuery             Reason = "invalid_query"                  // a parameter of the query is unknown, given twice, empty or wrong
	AmountsInvalid           Reason = "amounts_invalid"                // the header Amounts has another value than number and string
	IdempotencyKeyInvalid    Reason = "idempotency_key_invalid"        // the key of a repeat has a form that is not taken
	IdempotencyKeyReused     Reason = "idempotency_key_reused"         // the key was used with another request
	MissingField             Reason = "missing_field"                  // a required input is not given or empty; Field names it
	InvalidField             Reason = "invalid_field"                  // an input has a value that it cannot have; Field names it
	SlugSyntax               Reason = "slug_syntax"                    // a slug has characters that it cannot have
	PlanNotFound             Reason = "plan_not_found"                 // no commission plan has the id
	GroupNotFound            Reason = "group_not_found"                // a group of affiliates was named; there are none
	AffiliateEmailTaken      Reason = "affiliate_email_taken"          // another affiliate has the email
	AffiliateExternalIDTaken Reason = "affiliate_external_id_taken"    // another affiliate has the externalId
	SlugTaken                Reason = "slug_taken"                     // a link with the slug exists, whatever its letter case
	IdentifiersMismatch      Reason = "identifiers_mismatch"           // two identifiers of a request name different records
	InPayout                 Reason = "in_payout"                      // a payout holds a commission of what would be deleted
	AffiliateNotFound        Reason = "affiliate_not_found"            // no affiliate has the id or the email
	LinkLimitReached         Reason = "link_limit_reached"             // the affiliate has as many links as Limits allows
	LinkNotFound             Reason = "link_not_found"                 // no link has the id or the slug
	CouponExternalIDTaken    Reason = "coupon_external_id_taken"       // another coupon has the externalId
	CouponNotFound           Reason = "coupon_not_found"               // no coupon has the id
	CodeSyntax               Reason = "code_syntax"                    // a code has characters that it cannot have
	CodeStructureEmpty       Reason = "code_structure_empty"           // nothing is left of the structure of generated codes
	GeneratedCodeInvalid     Reason = "generated_code_invalid"         // a generated code would have characters that it cannot have
	CodeTaken                Reason = "code_taken"                     // a live code has this text, whatever its letter case
	GeneratedCodeTaken       Reason = "generated_code_taken"           // a code that was generated exists already
	CodeExternalIDTaken      Reason = "code_external_id_taken"         // another code has the externalId
	PromotionalCodeNotFound  Reason = "promotional_code_not_found"     // no code has the id
	CodeNotFound             Reason = "code_not_found"                 // no live code has this text
	CodeInactive             Reason = "code_inactive"                  // the code is switched off
	CouponInvalid            Reason = "coupon_invalid"                 // the coupon of the code is switched off
	CodeExpired              Reason = "code_expired"                   // the time of the code is over
	CouponExpired            Reason = "coupon_expired"                 // the time of the coupon is over
	CodeExhausted            Reason = "code_exhausted"                 // the code was redeemed as often as it may be
	CouponExhausted          Reason = "coupon_exhausted"               // the codes of the coupon together were redeemed as often as they may be
	CodeUnassigned           Reason = "code_unassigned"                // the code has no affiliate
	NotFirstOrder            Reason = "not_first_order"                // the code is for first orders, and the customer has bought before
	BelowMinimum             Reason = "below_minimum"                  // the order is below the minimum amount of the code
	WrongCurrency            Reason = "wrong_currency"                 // the minimum amount is in another currency than the order
	WrongAffiliate           Reason = "wrong_affiliate"                // the code is limited to its affiliate, and the order names another
	WrongCustomer            Reason = "wrong_customer"                 // the code is limited to another customer
	WrongProduct             Reason = "wrong_product"                  // the code does not apply to the product
	AffiliateSuspended       Reason = "affiliate_suspended"            // the affiliate of the code is BANNED or DEACTIVATED; see Config.RefuseSuspended
	CouponOtherCurrency      Reason = "other_currency"                 // the coupon takes off an amount in another currency than the order's
	CodeNotStarted           Reason = "not_started"                    // the time of the code or of its coupon has not begun
	BudgetSpent              Reason = "budget_spent"                   // the coupon took off as much as it may in all
	BelowQuantity            Reason = "below_quantity"                 // the order has fewer pieces than the code asks for
	CustomerLimit            Reason = "customer_limit"                 // the customer redeemed the code, or codes of its coupon, as often as one may
	NoOffer                  Reason = "no_offer"                       // the link gives no discount, or nobody is known to have come by one
	CustomerRequired         Reason = "customer_required"              // the code has a limit per customer, and the order names none; see Config.RequireCustomer
	AttributionRequired      Reason = "attribution_required"           // nothing names an affiliate or a customer
	ReferralNotFound         Reason = "referral_not_found"             // no referral has the id or the email
	ReferralEmailTaken       Reason = "referral_email_taken"           // another referral has the email
	ReferralExternalIDTaken  Reason = "referral_external_id_taken"     // another referral has the referredUserExternalId
	ReferralErased           Reason = "referral_erased"                // the customer was erased, and is not stored again
	SaleNotFound             Reason = "sale_not_found"                 // no sale has the id
	SaleExternalIDTaken      Reason = "sale_external_id_taken"         // another sale has the externalId
	SaleInvoiceIDTaken       Reason = "sale_external_invoice_id_taken" // another sale has the externalInvoiceId
	SaleHasBeenRefunded      Reason = "sale_refunded"                  // the whole sale was refunded before
	OutsideRefundWindow      Reason = "outside_refund_window"          // Config.RefundWindow is over for the sale
	ManuallyPaid             Reason = "manually_paid"                  // a person paid the commission; a refund needs ClawBack
	AlreadyPaid              Reason = "already_paid"                   // a payout paid the commission; a refund needs ClawBack
	IncludedInPayout         Reason = "included_in_payout_batch"       // a payout that is not paid yet holds the commission; a refund needs ClawBack
	RefundExceedsSale        Reason = "refund_exceeds_sale"            // more would be refunded than the sale earned
	RefundLimitReached       Reason = "refund_limit_reached"           // the sale has as many refunds as Limits allows
	URLNotAllowed            Reason = "url_not_allowed"                // an endpoint may not be at this URL; see AddressPolicy
	WebhookLimitReached      Reason = "webhook_limit_reached"          // the program has as many endpoints as it may have
	DeliveryNotFound         Reason = "delivery_not_found"             // no delivery has the id
	WebhookNotFound          Reason = "webhook_not_found"              // no endpoint has the id
	WebhookDisabled          Reason = "webhook_disabled"               // the endpoint is switched off
	ReplayTooLarge           Reason = "replay_too_large"               // more deliveries would be replayed than at once are allowed

	// The reasons below are of later operations, and of Go calls without one.

	BulkLimitExceeded    Reason = "bulk_limit_exceeded"    // a call has more rows than it takes
	KeySpaceTooSmall     Reason = "key_space_too_small"    // the structure allows too few codes for so many
	CouponInUse          Reason = "coupon_in_use"          // links give the coupon that would be deleted
	PlanInUse            Reason = "plan_in_use"            // affiliates have the plan that would be deleted
	TierInUse            Reason = "tier_in_use"            // affiliates are in the tier that would be deleted
	TierNotFound         Reason = "tier_not_found"         // no tier has the id
	SettingFixed         Reason = "setting_fixed"          // the setting is the host's, or cannot change any more
	StatusNotAllowed     Reason = "status_not_allowed"     // the status does not follow the present one
	PayoutNotFound       Reason = "payout_not_found"       // no payout has the id
	AffiliateNotApproved Reason = "affiliate_not_approved" // nobody approved the affiliate, so nothing is paid
	NothingPayable       Reason = "nothing_payable"        // nothing is due to the affiliate
	MoneyOwed            Reason = "money_owed"             // what would be deleted or erased is owed money, or owes it; see Program.Forfeiting
	BelowPayoutMinimum   Reason = "below_payout_minimum"   // less is due than the minimum of the payout
	HoldNotFound         Reason = "hold_not_found"         // no hold has the id
	HoldIsConfirmed      Reason = "hold_confirmed"         // a sale has taken the place of the hold
	HoldOfAnotherCode    Reason = "hold_of_another_code"   // the hold is of another code than the one that was sent
	HoldLimitReached     Reason = "hold_limit_reached"     // the customer has as many open holds as one may have; or too many name nobody; see Limits
	RedemptionNotFound   Reason = "redemption_not_found"   // the sale redeemed no code
	RedemptionRestored   Reason = "redemption_restored"    // the redemption was given back before
	RetentionTooShort    Reason = "retention_too_short"    // the policy would remove what is still needed
	CaseNotFound         Reason = "case_not_found"         // no case has the id
	CaseIsOpen           Reason = "case_open"              // a case of the affiliate about the same waits for an answer
	CaseLimitReached     Reason = "case_limit_reached"     // the affiliate waits for as many answers as one may
	ProposalLimitReached Reason = "proposal_limit_reached" // as many proposals wait as may
	VerifyRunning        Reason = "verify_running"         // Verify is under way for another request

	PortalNotConfigured Reason = "portal_not_configured" // the server has no partner pages

	AdjustmentNotFound        Reason = "adjustment_not_found"         // no adjustment has the id
	AdjustmentReversed        Reason = "adjustment_reversed"          // the adjustment was taken back before
	BooksNotOpen              Reason = "books_not_open"               // the books of the affiliate are not open; see OpenBooksJob
	PayoutRunMismatch         Reason = "payout_run_mismatch"          // a run with this externalId was made with other inputs
	AdjustmentExternalIDTaken Reason = "adjustment_external_id_taken" // another adjustment has the externalId
	ReportTooLarge            Reason = "report_too_large"             // a report would look at more than it may

	PaymentConflict Reason = "payment_conflict"  // the ids of a payment belong to two sales
	PaymentNotFound Reason = "payment_not_found" // no payment with the id waits for a decision

	// The reasons of imports, which are Go calls.

	UnknownRef    Reason = "unknown_ref" // nothing was imported under the ref, or it was deleted since
	OtherCurrency Reason = "currency"    // the row is not in the currency of the program
)
