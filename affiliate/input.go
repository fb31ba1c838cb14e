package affiliate

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// Checks of input. Each returns nil or the field's error; first returns the
// first error in the order of the contract's tables. Limits: contract 1.4.

// Text limits in characters.
const (
	maxPersonName = 100
	maxName       = 255 // names, plans, descriptions, external ids, product ids
	maxPrefix     = 50
	maxNotes      = 10_000
	maxProducts   = 1000
	maxMonths     = 1200
	maxHoldDays   = 3650
	maxClickText  = 2048 // bytes
)

// maxOfSale is the largest amount of one sale, in scaled units: 10^11. The
// totals of an affiliate have room for 9,223 such sales.
const maxOfSale = 100_000_000_000 * decimal.Scale

// first returns the first error, or nil.
func first(errs ...*Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// required checks a required text; a blank one counts as missing.
func required(field, s string, missing Refusal, limit int) *Error {
	if plaintext.Blank(s) {
		return missing.on(field)
	}
	return checkText(field, s, limit, false)
}

// optional checks a text that may be empty.
func optional(field, s string, limit int) *Error {
	if s == "" {
		return nil
	}
	if plaintext.Blank(s) {
		return FieldEmpty.Of(field)
	}
	return checkText(field, s, limit, false)
}

// given checks an optional text of an update: null clears it, an empty text is
// refused.
func given(field string, o Opt[string], limit int) *Error {
	s, ok := o.Get()
	if !ok {
		return nil
	}
	if plaintext.Blank(s) {
		return FieldEmpty.Of(field)
	}
	return checkText(field, s, limit, false)
}

// trimGiven cuts blanks and what nobody sees from both ends of names.
func trimGiven(names ...*Opt[string]) {
	for _, name := range names {
		if s, ok := name.Get(); ok {
			*name = Set(plaintext.Trim(s))
		}
	}
}

// notCleared refuses null for a field that is not nullable.
func notCleared[T any](field string, o Opt[T]) *Error {
	if o.IsNull() {
		return FieldNull.Of(field)
	}
	return nil
}

// unlessNull is the Opt with null as not given, which is how records hold it.
func unlessNull[T any](o Opt[T]) Opt[T] {
	if o.IsNull() {
		return Opt[T]{}
	}
	return o
}

// checkText checks the length and the characters of a text.
func checkText(field, s string, limit int, lines bool) *Error {
	if plaintext.Longer(s, limit) {
		return FieldTooLong.Of(field)
	}
	if !plaintext.Valid(s, lines) {
		return FieldBadCharacters.Of(field)
	}
	return nil
}

// normalizeEmail replaces an email by its canonical form.
func normalizeEmail(field string, s *string) *Error {
	email, ok := mailbox.Canonical(*s)
	if !ok {
		return emailInvalid.on(field)
	}
	*s = email
	return nil
}

// checkSlug checks a slug that a caller chose.
func checkSlug(field, s string) *Error {
	if !validSlug(s) {
		return slugSyntax.on(field)
	}
	if len(s) > maxSlug {
		return slugTooLong.on(field)
	}
	return nil
}

// oneOf checks a required enumeration value.
func oneOf[T ~string](field string, v T, values []T) *Error {
	if slices.Contains(values, v) {
		return nil
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	bad := fieldNotOneOf.Of(field)
	bad.Message = fill(bad.Message, strings.Join(names, ", "))
	return bad
}

// oneOfOrNone checks an enumeration value; the empty one passes.
func oneOfOrNone[T ~string](field string, v T, values []T) *Error {
	if v == "" {
		return nil
	}
	return oneOf(field, v, values)
}

// memberOf is oneOf with a row of its own.
func memberOf[T ~string](v T, unknown Refusal, values ...T) *Error {
	if slices.Contains(values, v) {
		return nil
	}
	return unknown.Err()
}

// validDate reports whether a date is one, if it was given: years 1–9999 once
// it is an instant.
func (p *Program) validDate(o Opt[Date]) bool {
	d, ok := o.Get()
	return !ok || d.Valid() && isodate.InRange(d.Instant(p.cfg.Location))
}

// instant is the instant of a date that may not be given; zero then.
func (p *Program) instant(o Opt[Date]) Instant {
	d, ok := o.Get()
	if !ok {
		return Instant{}
	}
	t := InstantOf(d.Instant(p.cfg.Location))
	if t.IsZero() {
		return t.Add(time.Microsecond) // the first instant of year 1 is a date, not "none"
	}
	return t
}

// boundOfSale refuses a total or a subtotal that no sale may have.
func boundOfSale(field string, a Amount) *Error {
	if a.Cmp(AmountFromScaled(maxOfSale)) > 0 {
		return FieldTooLarge.Of(field)
	}
	return nil
}

// ownCurrency refuses amounts in another currency than the program's. Named in
// any letter case or not at all, it is the program's, and empty afterwards: a
// repeat of a request may name it or not.
//
// Source: docs/rules.md 1.4.
func (p *Program) ownCurrency(sent *Currency) *Error {
	if *sent == "" {
		return nil
	}
	named, err := ParseCurrency(string(*sent))
	if err != nil || named != p.cfg.Currency {
		return fieldOtherCurrency.Of("currency")
	}
	*sent = ""
	return nil
}

// normalizeMetadata replaces metadata by its compact form.
func normalizeMetadata(field string, raw *[]byte) *Error {
	compact, bad := validMetadata(*raw)
	if bad != (Refusal{}) {
		return bad.Of(field)
	}
	if len(compact) > maxMetadata {
		return FieldTooLong.Of(field)
	}
	*raw = compact
	return nil
}

// changed is the field after an update: as it was when nothing was given.
func changed[T any](old, up Opt[T]) Opt[T] {
	if up.IsZero() {
		return old
	}
	return up
}

// setText puts a text of an update into a record: null is the empty text.
func setText(dst *string, o Opt[string]) {
	if !o.IsZero() {
		*dst = o.Or("")
	}
}

// nothingOrNull is what a record keeps as answers show it: not given is null.
func nothingOrNull[T any](o Opt[T]) Opt[T] {
	if o.IsZero() {
		return Null[T]()
	}
	return o
}

// orNull is v, or null when v is the zero value: "none" in a record.
func orNull[T comparable](v T) Opt[T] {
	var zero T
	if v == zero {
		return Null[T]()
	}
	return Set(v)
}

// timeOrNull is the instant as the wire shows it, or null when there is none.
func timeOrNull(t Instant) Opt[Time] {
	if t.IsZero() {
		return Null[Time]()
	}
	return Set(TimeOf(t.Time()))
}

// emptyNotNil gives lists of answers their [].
func emptyNotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// sentKey is the key of a text that a caller looks up. What no record may hold
// is not found, and never reaches the store.
func sentKey(ix Index, s string) (Key, error) {
	if s == "" || !plaintext.Valid(s, false) {
		return Key{}, ErrNotFound
	}
	return textKey(ix, s), nil
}

// findText looks a text up that a caller sent.
func findText[R Record[R]](t Table[R], ix Index, s string) (R, error) {
	key, err := sentKey(ix, s)
	if err != nil {
		var none R
		return none, err
	}
	return t.Find(key)
}

// refuseTakenExternalID refuses the external id of a live record with a refusal.
func refuseTakenExternalID[R Record[R]](t Table[R], externalID string, refusal Refusal) error {
	if externalID == "" {
		return nil
	}
	_, err := findText(t, ByExternalID, externalID)
	return refusal.ifFound(err)
}

// taken turns a clash on one of the given indexes into its refusal. Any other
// error stays.
func taken(err error, rows map[Index]*Error) error {
	clash, ok := errors.AsType[*ExistsError](err)
	if !ok {
		return err
	}
	if refusal := rows[clash.Index]; refusal != nil {
		return refusal
	}
	return err
}
