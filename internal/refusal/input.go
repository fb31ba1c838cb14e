package refusal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/decimal"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// Checks of input. Each returns nil or the field's error; first returns the
// first error in the order of the contract's tables. Limits: contract 1.4.

// Text limits in characters.
const (
	MaxPersonName = 100
	MaxName       = 255 // names, plans, descriptions, external ids, product ids
	MaxPrefix     = 50
	MaxNotes      = 10_000
	MaxNote       = 2_000 // of an affiliate; a text of a case
	MaxProducts   = 1000
	MaxMonths     = 1200
	MaxHoldDays   = 3650
	MaxLines      = 500 // of a sale
	MaxCategories = 16  // of a line
	MaxBudgets    = 16
	MaxBonuses    = 16
	MaxTimes      = int64(10_000) // of a bonus, in a period
	MaxGrace      = 100           // periods
	MaxCodes      = 20            // that are compared for one order
	MaxRules      = 64            // of terms
	MaxVersions   = 32            // of terms
	MaxRuleIDs    = 100           // in a list of a rule
	MaxClickText  = 512           // bytes; a click has four such texts
)

// maxOfSale is the largest amount of one sale, in scaled units: 10^11. The
// totals of an affiliate have room for 9,223 such sales.
const maxOfSale = 100_000_000_000 * decimal.Scale

// First returns the first error, or nil.
func First(errs ...*affiliate.Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Required checks a required text; a blank one counts as missing.
func Required(field, s string, missing Refusal, limit int) *affiliate.Error {
	if plaintext.Blank(s) {
		return missing.On(field)
	}
	return CheckText(field, s, limit, false)
}

// Optional checks a text that may be empty.
func Optional(field, s string, limit int) *affiliate.Error {
	if s == "" {
		return nil
	}
	if plaintext.Blank(s) {
		return FieldEmpty.Of(field)
	}
	return CheckText(field, s, limit, false)
}

// Given checks an optional text of an update: null clears it, an empty text is
// refused.
func Given(field string, o affiliate.Opt[string], limit int) *affiliate.Error {
	s, ok := o.Get()
	if !ok {
		return nil
	}
	if plaintext.Blank(s) {
		return FieldEmpty.Of(field)
	}
	return CheckText(field, s, limit, false)
}

// NotCleared refuses null for a field that is not nullable.
func NotCleared[T any](field string, o affiliate.Opt[T]) *affiliate.Error {
	if o.IsNull() {
		return FieldNull.Of(field)
	}
	return nil
}

// UnlessNull returns the Opt with null as not given, which is how records hold it.
func UnlessNull[T any](o affiliate.Opt[T]) affiliate.Opt[T] {
	if o.IsNull() {
		return affiliate.Opt[T]{}
	}
	return o
}

// CheckText checks the length and the characters of a text.
func CheckText(field, s string, limit int, lines bool) *affiliate.Error {
	if plaintext.Longer(s, limit) {
		return FieldTooLong.Of(field)
	}
	if !plaintext.Valid(s, lines) {
		return FieldBadCharacters.Of(field)
	}
	return nil
}

// NormalizeEmail replaces an email by its canonical form.
func NormalizeEmail(field string, s *string) *affiliate.Error {
	email, ok := mailbox.Canonical(*s)
	if !ok {
		return emailInvalid.On(field)
	}
	*s = email
	return nil
}

// CheckSlug checks a slug that a caller chose.
func CheckSlug(field, s string) *affiliate.Error {
	if !ValidSlug(s) {
		return SlugSyntax.On(field)
	}
	if len(s) > MaxSlug {
		return slugTooLong.On(field)
	}
	return nil
}

// CheckLanguage checks the tag of a language, which may be empty.
func CheckLanguage(field, s string) *affiliate.Error {
	if s != "" && !affiliate.IsLanguage(s) {
		return FieldNotALanguage.Of(field)
	}
	return nil
}

// OneOf checks a required enumeration value.
func OneOf[T ~string](field string, v T, values []T) *affiliate.Error {
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

// OneOfOrNone checks an enumeration value; the empty one passes.
func OneOfOrNone[T ~string](field string, v T, values []T) *affiliate.Error {
	if v == "" {
		return nil
	}
	return OneOf(field, v, values)
}

// MemberOf is oneOf with a row of its own.
func MemberOf[T ~string](v T, unknown Refusal, values ...T) *affiliate.Error {
	if slices.Contains(values, v) {
		return nil
	}
	return unknown.Err()
}

// BoundOfSale refuses a total or a subtotal that no sale may have.
func BoundOfSale(field string, a affiliate.Amount) *affiliate.Error {
	if a.Cmp(affiliate.AmountFromScaled(maxOfSale)) > 0 {
		return FieldTooLarge.Of(field)
	}
	return nil
}

// NormalizeMetadata replaces metadata by its compact form.
func NormalizeMetadata(field string, raw *[]byte) *affiliate.Error {
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

// Changed returns the field after an update: as it was when nothing was given.
func Changed[T any](old, up affiliate.Opt[T]) affiliate.Opt[T] {
	if up.IsZero() {
		return old
	}
	return up
}

// SetText puts a text of an update into a record: null is the empty text.
func SetText(dst *string, o affiliate.Opt[string]) {
	if !o.IsZero() {
		*dst = o.Or("")
	}
}

// NothingOrNull returns what a record keeps as answers show it: not given is null.
func NothingOrNull[T any](o affiliate.Opt[T]) affiliate.Opt[T] {
	if o.IsZero() {
		return affiliate.Null[T]()
	}
	return o
}

// TimeOrNull returns the instant as the wire shows it, or null when there is none.
func TimeOrNull(t affiliate.Instant) affiliate.Opt[affiliate.Time] {
	if t.IsZero() {
		return affiliate.Null[affiliate.Time]()
	}
	return affiliate.Set(affiliate.TimeOf(t.Time()))
}

// EmptyNotNil gives lists of answers their [].
func EmptyNotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// SentKey returns the key for a text that a caller looks up. A text that no record
// may hold is not found, and never reaches the store.
func SentKey(ix record.Index, s string) (record.Key, error) {
	if s == "" || !plaintext.Valid(s, false) {
		return record.Key{}, affiliate.ErrNotFound
	}
	return record.TextKey(ix, s), nil
}

// FindText looks a text up that a caller sent.
func FindText[R record.Record[R]](t record.Table[R], ix record.Index, s string) (R, error) {
	key, err := SentKey(ix, s)
	if err != nil {
		var none R
		return none, err
	}
	return t.Find(key)
}

// RefuseTakenExternalID refuses the external id of a live record with a refusal.
func RefuseTakenExternalID[R record.Record[R]](t record.Table[R], externalID string, refusal Refusal) error {
	if externalID == "" {
		return nil
	}
	_, err := FindText(t, record.ByExternalID, externalID)
	return refusal.IfFound(err)
}

// Taken turns a clash on one of the given indexes into its refusal. It returns any
// other error unchanged.
func Taken(err error, rows map[record.Index]*affiliate.Error) error {
	clash, ok := errors.AsType[*record.ExistsError](err)
	if !ok {
		return err
	}
	if refusal := rows[clash.Index]; refusal != nil {
		return refusal
	}
	return err
}

const (
	MaxSlug = 100 // bytes, all ASCII
	maxCode = 100 // bytes, all ASCII
)

// ValidSlug reports whether s is one or more ASCII letters, digits and hyphens.
// The limit of maxSlug has a message of its own and is not checked here.
//
// Source: docs/rules.md 1.8.
func ValidSlug(s string) bool { return plaintext.Hyphened(s) }

// ValidCode reports whether s, bare already, is 1 to 100 printable ASCII
// characters without space, the first of them none that a spreadsheet takes for
// a formula.
//
// Source: docs/rules.md 1.9.
func ValidCode(s string) bool {
	if s == "" || len(s) > maxCode || strings.IndexByte("=+-@", s[0]) >= 0 {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

const (
	maxMetadata      = 16_384 // bytes in compact form
	maxMetadataDepth = 32
)

// validMetadata returns raw without white space, and the field error, if any.
// Metadata must be a JSON object that every store keeps unchanged: valid UTF-8,
// no lone surrogates, no U+0000, no repeated key in one object (compared after
// unescaping), at most 32 levels deep. The limit of maxMetadata has a message
// of its own and is not checked here.
func validMetadata(raw []byte) (compact []byte, bad Refusal) {
	var b bytes.Buffer
	if !utf8.Valid(raw) || json.Compact(&b, raw) != nil {
		return nil, FieldNotAnObject
	}
	compact = b.Bytes()
	r := jsontext.Reader{MaxDepth: maxMetadataDepth, Strict: true, NoZero: true}
	switch fault := r.Read(compact, nil); {
	case compact[0] != '{':
		return nil, FieldNotAnObject
	case fault == jsontext.Escape:
		return nil, FieldBadCharacters
	case fault != jsontext.OK:
		return nil, FieldNotAnObject
	}
	return compact, Refusal{}
}
