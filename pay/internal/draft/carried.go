package draft

import (
	"cmp"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/internal/fields"
)

// The keys of what a checkout carries. A configuration may rename them.
const (
	KeyVia      = "tributary_via"
	KeyClick    = "tributary_click"
	KeyCode     = "tributary_code"
	KeySlug     = "tributary_slug"
	KeyOrder    = "tributary_order"
	KeyCustomer = "tributary_customer"
)

const (
	maxText  = 255 // characters of an id or a name that a program takes
	maxClick = 19  // digits of a click's number
	maxSlug  = 100 // characters of a slug
	maxCodes = 5   // credits by code of the provider; the code, the click and the slug come after them
)

// Carried is the host's data of an object and of those that it came from, the
// nearest first.
type Carried struct {
	Names map[string]string         // how the host calls the keys; one that is missing keeps its name
	Read  func(fields.Value) string // how a value is read
	From  []fields.Value
}

// Get is the first value of a key that can be used; empty: there is none.
func (m Carried) Get(key string) string {
	key = cmp.Or(m.Names[key], key)
	for _, from := range m.From {
		if text := m.Read(from.Get(key)); Usable(text) {
			return text
		}
	}
	return ""
}

// Tries lists who may be credited: by the codes that the provider redeemed, then
// by the code, click and slug that were carried. Another click and slug, which may
// be empty, take the place of those that were not.
func (m Carried) Tries(codes iter.Seq[affiliate.Credit], click, slug string) (tries []affiliate.Credit) {
	for code := range codes {
		if tries = append(tries, code); len(tries) == maxCodes {
			break
		}
	}
	if code := m.Get(KeyCode); code != "" {
		tries = append(tries, affiliate.Credit{PromoCode: code})
	}
	for _, id := range []string{firstOf(isClick, m.Get(KeyClick), click), firstOf(isSlug, m.Get(KeySlug), slug)} {
		if id != "" {
			tries = append(tries, affiliate.Credit{ReferralID: id})
		}
	}
	return tries
}

// byCode reports whether a credit is by a code.
func byCode(c affiliate.Credit) bool { return c.ReferralID == "" }

// Usable reports whether a program can look a text up: what a host carries may be
// longer than that.
func Usable(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= maxText && strings.IndexFunc(text, unicode.IsControl) < 0
}

// firstOf is the first text that is one of a kind; empty: none is.
func firstOf(is func(string) bool, texts ...string) string {
	for _, text := range texts {
		if is(text) {
			return text
		}
	}
	return ""
}

// isClick reports whether a text is the number of a click.
func isClick(text string) bool {
	return text != "" && len(text) <= maxClick && strings.Trim(text, "0123456789") == "" && text[0] != '0'
}

// isSlug reports whether a text is a slug, and not the id of an affiliate.
func isSlug(text string) bool {
	if text == "" || len(text) > maxSlug || strings.IndexFunc(text, notInSlug) >= 0 {
		return false
	}
	_, err := uuid.Parse(text)
	return err != nil
}

func notInSlug(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}
