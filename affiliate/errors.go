package affiliate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is the class of an error. It decides the HTTP status and nothing else;
// what happened is the [Reason].
type Kind uint8

// The kinds with their statuses.
const (
	KindInternal     Kind = iota // 500; fixed text, the cause is never shown
	KindInvalid                  // 400
	KindConflict                 // 400: something unique is taken, or a state forbids it
	KindNotFound                 // 404
	KindUnauthorized             // 401
	KindForbidden                // 403
	KindLimited                  // 429
	KindMethod                   // 405: the path is known, the method is not
	KindTooLarge                 // 413
	KindMediaType                // 415
)

// Status is the HTTP status of the kind.
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

// KindOf is the kind of an HTTP status: [KindInvalid] for 400, which two kinds
// share, and [KindInternal] for one that no other kind has.
func KindOf(status int) Kind {
	for k := KindInvalid; k <= KindMediaType; k++ {
		if k.Status() == status {
			return k
		}
	}
	return KindInternal
}

// A Reason says what happened. It is an error itself, so that
// errors.Is(err, affiliate.SlugTaken) works; on the wire it is the Error-Code
// header.
type Reason string

// Error returns the reason.
func (r Reason) Error() string { return string(r) }

// The reasons. Their texts are in one table; see [Refusals].
const (
	Unauthorized            Reason = "unauthorized"
	InvalidToken            Reason = "invalid_token"
	NoAPIAccess             Reason = "no_api_access"
	ProgramNotFound         Reason = "program_not_found"
	NotFound                Reason = "not_found"
	MethodNotAllowed        Reason = "method_not_allowed"
	BodyTooLarge            Reason = "body_too_large"
	UnsupportedMediaType    Reason = "unsupported_media_type"
	RateLimited             Reason = "rate_limited"
	Internal                Reason = "internal_error"
	BodyRequired            Reason = "body_required"
	InvalidJSON             Reason = "invalid_json"
	DuplicateField          Reason = "duplicate_field"
	UnknownField            Reason = "unknown_field"
	InvalidQuery            Reason = "invalid_query"
	IdempotencyKeyInvalid   Reason = "idempotency_key_invalid"
	IdempotencyKeyReused    Reason = "idempotency_key_reused"
	MissingField            Reason = "missing_field"
	InvalidField            Reason = "invalid_field"
	SlugSyntax              Reason = "slug_syntax"
	PlanNotFound            Reason = "plan_not_found"
	GroupNotFound           Reason = "group_not_found"
	AffiliateEmailTaken     Reason = "affiliate_email_taken"
	SlugTaken               Reason = "slug_taken"
	IdentifiersMismatch     Reason = "identifiers_mismatch"
	InPayout                Reason = "in_payout"
	AffiliateNotFound       Reason = "affiliate_not_found"
	LinkNotFound            Reason = "link_not_found"
	CouponExternalIDTaken   Reason = "coupon_external_id_taken"
	CouponNotFound          Reason = "coupon_not_found"
	CodeSyntax              Reason = "code_syntax"
	CodeStructureEmpty      Reason = "code_structure_empty"
	GeneratedCodeInvalid    Reason = "generated_code_invalid"
	CodeTaken               Reason = "code_taken"
	GeneratedCodeTaken      Reason = "generated_code_taken"
	CodeExternalIDTaken     Reason = "code_external_id_taken"
	PromotionalCodeNotFound Reason = "promotional_code_not_found"
	CodeNotFound            Reason = "code_not_found"
	CodeInactive            Reason = "code_inactive"
	CouponInvalid           Reason = "coupon_invalid"
	CodeExpired             Reason = "code_expired"
	CouponExpired           Reason = "coupon_expired"
	CodeExhausted           Reason = "code_exhausted"
	CouponExhausted         Reason = "coupon_exhausted"
	CodeUnassigned          Reason = "code_unassigned"
	NotFirstOrder           Reason = "not_first_order"
	BelowMinimum            Reason = "below_minimum"
	WrongCurrency           Reason = "wrong_currency"
	WrongAffiliate          Reason = "wrong_affiliate"
	WrongCustomer           Reason = "wrong_customer"
	WrongProduct            Reason = "wrong_product"
	AttributionRequired     Reason = "attribution_required"
	ReferralNotFound        Reason = "referral_not_found"
	ReferralEmailTaken      Reason = "referral_email_taken"
	SaleNotFound            Reason = "sale_not_found"
	SaleExternalIDTaken     Reason = "sale_external_id_taken"
	SaleInvoiceIDTaken      Reason = "sale_external_invoice_id_taken"
	SaleHasBeenRefunded     Reason = "sale_refunded"
	OutsideRefundWindow     Reason = "outside_refund_window"
	ManuallyPaid            Reason = "manually_paid"
	AlreadyPaid             Reason = "already_paid"
	IncludedInPayout        Reason = "included_in_payout_batch"
	RefundExceedsSale       Reason = "refund_exceeds_sale"
	URLNotAllowed           Reason = "url_not_allowed"
	WebhookLimitReached     Reason = "webhook_limit_reached"
	DeliveryNotFound        Reason = "delivery_not_found"
	WebhookNotFound         Reason = "webhook_not_found"
	WebhookDisabled         Reason = "webhook_disabled"
	ReplayTooLarge          Reason = "replay_too_large"

	// The reasons below belong to Go calls that have no HTTP operation.

	KeySpaceTooSmall   Reason = "key_space_too_small"
	PlanInUse          Reason = "plan_in_use"
	TierInUse          Reason = "tier_in_use"
	TierNotFound       Reason = "tier_not_found"
	StatusNotAllowed   Reason = "status_not_allowed"
	PayoutNotFound     Reason = "payout_not_found"
	NothingPayable     Reason = "nothing_payable"
	RedemptionNotFound Reason = "redemption_not_found"
	RedemptionRestored Reason = "redemption_restored"
)

// An Error is a refusal that the caller can act on. Its texts are safe for
// clients. Test it with errors.Is and a [Reason], or take it apart with
// errors.AsType[*affiliate.Error].
type Error struct {
	Kind     Kind
	Reason   Reason
	Message  string    // the exact text for clients
	Field    string    // JSON name of the offending field, dotted when nested
	Failures []Failure // of a code: every failing rule in fixed order, the first one gives Reason and Message; on the wire the Error-Reasons header
	Err      error     // the cause, for logs
}

// Error returns the text for clients.
func (e *Error) Error() string { return e.Message }

// Is makes every error of [KindNotFound] match [ErrNotFound].
func (e *Error) Is(target error) bool { return target == ErrNotFound && e.Kind == KindNotFound }

// CodeRefused reports whether a promotional code cannot be used as asked: it is
// unknown, expired, used up, for another customer and so on. That is the
// customer's to know, and the order can go on without the code. False for
// everything else: input that is wrong, a key that is not let in, a server that
// fails or gives no answer. None of those says anything of the code, and what
// was reported with it is not recorded.
//
//	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.CodeRefused() {
//
// Source: docs/contract.md 3.5.
func (e *Error) CodeRefused() bool {
	switch e.Reason {
	case CodeNotFound, CodeInactive, CouponInvalid, CodeExpired, CouponExpired, CodeExhausted, CouponExhausted,
		CodeUnassigned, NotFirstOrder, BelowMinimum, WrongCurrency, WrongAffiliate, WrongCustomer, WrongProduct:
		return true
	}
	return false
}

// Unwrap gives errors.Is the reason, the reasons of all failures, and the
// cause.
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

// A Failure is one rule that a promotional code fails, with the data of the
// rule (contract "Code refusals").
type Failure struct {
	Reason   Reason      `json:"reason"`
	Message  string      `json:"message"`
	Limit    Opt[int64]  `json:"limit,omitzero"`    // the redemption limit that is reached
	Used     Opt[int64]  `json:"used,omitzero"`     // its count
	At       Opt[Time]   `json:"at,omitzero"`       // the instant that has passed
	Amount   Opt[Amount] `json:"amount,omitzero"`   // the minimum that is missed
	Currency Currency    `json:"currency,omitzero"` // of the minimum
}

// A refusal is a row of the table of texts.
type refusal struct {
	kind    Kind
	reason  Reason
	field   string
	message string
}

// err is the row as an error.
func (r refusal) err() *Error {
	return &Error{Kind: r.kind, Reason: r.reason, Field: r.field, Message: r.message}
}

// on is the row as an error of another field.
func (r refusal) on(field string) *Error {
	e := r.err()
	e.Field = field
	return e
}

// with fills the row's one {…} with text that a caller sent: cut short and with
// control characters escaped.
func (r refusal) with(s string) *Error {
	e := r.err()
	open, end := strings.IndexByte(e.Message, '{'), strings.IndexByte(e.Message, '}')
	e.Message = e.Message[:open] + printable(s) + e.Message[end+1:]
	return e
}

// when is the row where something holds, and nil where it does not.
func (r refusal) when(holds bool) *Error {
	if !holds {
		return nil
	}
	return r.err()
}

// orOther is the row when a look-up missed, and err itself otherwise.
func (r refusal) orOther(err error) error {
	if errors.Is(err, ErrNotFound) {
		return r.err()
	}
	return err
}

// unlessFree checks a unique key by the outcome of its look-up: nil when
// nothing was found, the row when something was.
func (r refusal) unlessFree(err error) error {
	if err == nil {
		return r.err()
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// printable is s as a text for clients may echo it: at most 64 characters,
// without control characters.
func printable(s string) string {
	runes := []rune(strings.ToValidUTF8(s, "?"))
	if len(runes) > 64 {
		runes = runes[:64]
	}
	quoted := fmt.Sprintf("%q", string(runes))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// Field errors: {field} followed by one of these texts (contract "Field
// errors").
const (
	notAString       = "must be a string"
	notANumber       = "must be a number"
	notAnInteger     = "must be an integer"
	notABoolean      = "must be a boolean"
	notStrings       = "must be an array of strings"
	notNull          = "must not be null"
	notEmpty         = "must not be empty"
	tooLong          = "is too long"
	badCharacters    = "contains invalid characters"
	tooManyDecimals  = "must have at most 4 decimal places"
	tooLarge         = "is too large"
	notPositive      = "must be greater than zero"
	notADate         = "must be an ISO 8601 date"
	notDistinct      = "must have distinct entries"
	notAnObject      = "must be an object"
	notAtLeastZero   = "must be at least 0"
	notAtLeastOne    = "must be at least 1"
	tooManyEntries   = "must have at most %d entries"
	notOneOf         = "must be one of %s"
	notBetweenInts   = "must be an integer from %d to %d"
	notAUUID         = "must be an id"
	notAllowedInCall = "must not be sent"
)

// invalid is the field error of a field: text, or a format with its arguments.
func invalid(field, text string, args ...any) *Error {
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	return &Error{Kind: KindInvalid, Reason: InvalidField, Field: field, Message: field + " " + text}
}

// internal wraps an error that the caller cannot fix: adapters log it and answer
// a fixed text. A reference that leads nowhere is a broken store and not a
// look-up that missed, so it does not stay [ErrNotFound].
func internal(op string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%s: %v", op, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Refusals lists the whole table of texts, in the order of the contract's
// annex: for adapters, documents and tests. The {…} in a text is filled in
// when it is used.
func Refusals() []*Error {
	rows := allRefusals()
	errs := make([]*Error, len(rows))
	for i, r := range rows {
		errs[i] = r.err()
	}
	return errs
}

// Refuse returns the first row of a reason in the table of texts as an error,
// for adapters that refuse before the engine is called. A reason that has no
// row is internal.
func Refuse(reason Reason) *Error {
	rows := allRefusals()
	i := slices.IndexFunc(rows, func(r refusal) bool { return r.reason == reason })
	if i < 0 {
		return internalError.err()
	}
	return rows[i].err()
}
