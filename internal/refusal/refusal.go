package refusal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// A Refusal is a row of the table of refusals, which the engine uses, and
// adapters before they call the engine. Several rows may share a [affiliate.Reason]. The
// rows for adapters have exported names.
//
// Source: docs/contract.md 1.9, 5.
type Refusal struct {
	Kind    affiliate.Kind
	Reason  affiliate.Reason
	field   string
	Message string
}

// inField returns a row for any field: {field} followed by a text. It is not listed.
func inField(text string) Refusal {
	return Refusal{affiliate.KindInvalid, affiliate.InvalidField, "{field}", "{field} " + text}
}

// Refusals lists the whole table, which httpapi/errors.json lists by code: for
// adapters, documents and tests. The {…} in a text is filled in when it is used.
func Refusals() []*affiliate.Error {
	errs := make([]*affiliate.Error, len(table))
	for i, r := range table {
		errs[i] = r.Err()
	}
	return errs
}

// Err returns the row as an error.
func (r Refusal) Err() *affiliate.Error {
	return &affiliate.Error{Kind: r.Kind, Reason: r.Reason, Field: r.field, Message: r.Message}
}

// Of returns the row as an error about a name, which replaces the {…} in the row's
// text and field. The name comes from a caller, so it is cut to 64 characters
// and its control characters are escaped.
func (r Refusal) Of(name string) *affiliate.Error {
	name = printable(name)
	r.field, r.Message = fill(r.field, name), fill(r.Message, name)
	return r.Err()
}

// A named row is one with a name for the place of its {…}. The text is written
// when the row is raised, which is rare.
type placeRow struct {
	row  *Refusal
	name string
}

// About returns the row with a name.
func (r *Refusal) About(name string) placeRow { return placeRow{r, name} }

// When returns the row as an error if the condition is true, and otherwise nil.
func (n placeRow) When(holds bool) *affiliate.Error {
	if !holds {
		return nil
	}
	return n.row.Of(n.name)
}

// RuleCovered returns the error of a rule that another one leaves nothing to decide.
func RuleCovered(field, rule, by string) *affiliate.Error {
	e := ruleCovered.On(field)
	before, after, _ := strings.Cut(e.Message, "{other}") // not by two fills: the first name may have braces
	e.Message = fill(before, printable(rule)) + printable(by) + after
	return e
}

// On returns the row as an error of another field, with the text as it is.
func (r Refusal) On(field string) *affiliate.Error {
	e := r.Err()
	e.Field = field
	return e
}

// When returns the row as an error if the condition is true, and otherwise nil.
func (r Refusal) When(holds bool) *affiliate.Error {
	if !holds {
		return nil
	}
	return r.Err()
}

// IfMissing returns the row when a look-up found nothing, and err itself otherwise.
func (r Refusal) IfMissing(err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return r.Err()
	}
	return err
}

// IfFound checks a unique key by the outcome of its look-up: the row when
// something was found, nil when nothing was.
func (r Refusal) IfFound(err error) error {
	if err == nil {
		return r.Err()
	}
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	return err
}

// fill replaces the first {…} of a text by a value.
func fill(text, value string) string {
	before, rest, open := strings.Cut(text, "{")
	_, after, closed := strings.Cut(rest, "}")
	if !open || !closed {
		return text
	}
	return before + value + after
}

// printable is s in a form that a text for clients may contain: at most 64
// characters, without control characters.
func printable(s string) string {
	runes := []rune(strings.ToValidUTF8(s, "?"))
	if len(runes) > 64 {
		runes = runes[:64]
	}
	quoted := fmt.Sprintf("%q", string(runes))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// IfMissing returns the row as an error in the place of ErrNotFound, and otherwise the
// error.
func (n placeRow) IfMissing(err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return n.row.Of(n.name)
	}
	return err
}

// Internal wraps an error that the caller cannot fix. Adapters log it and
// answer a fixed text. A reference to a missing record means a broken store and
// not a failed look-up, so an [affiliate.ErrNotFound] inside is hidden.
func Internal(op string, err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return fmt.Errorf("%s: %v", op, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// MaxBulk is the largest limit of what one call makes or changes: its answer lists all.
const MaxBulk = 100_000

// MaxFormerSlugs is the largest number of former slugs that lead to one link: nobody reserves names
// by renaming on and on.
const MaxFormerSlugs = 100
