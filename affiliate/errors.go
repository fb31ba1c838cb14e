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
		AffiliateSuspended, CouponOtherCurrency, CodeNotStarted, BudgetSpent, BelowQuantity, CustomerLimit, CustomerRequired, NoOffer:
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

// A Failure is one rule that a promotional code fails, with the data of the rule
// (contract "Code refusals").
type Failure struct {
	Reason   Reason      `json:"reason"`
	Message  string      `json:"message"`
	Limit    Opt[int64]  `json:"limit,omitzero"`    // the redemption limit that was reached
	Used     Opt[int64]  `json:"used,omitzero"`     // the redemption count
	At       Opt[Time]   `json:"at,omitzero"`       // the instant that has passed, or has not come
	Amount   Opt[Amount] `json:"amount,omitzero"`   // the minimum, or the pieces, that were not reached; the budget that is spent
	Currency Currency    `json:"currency,omitzero"` // of the minimum
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
