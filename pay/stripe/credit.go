package stripe

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

// The keys of metadata. Config.Metadata renames them.
const (
	keyVia      = "tributary_via"
	keyClick    = "tributary_click"
	keyCode     = "tributary_code"
	keySlug     = "tributary_slug"
	keyOrder    = "tributary_order"
	keyCustomer = "tributary_customer"
)

const (
	maxText  = 255 // characters of an id or a name that a program takes
	maxClick = 19  // digits of a click's number
	maxSlug  = 100 // characters of a slug
	maxCodes = 5   // credits by code; the click and the slug come after them
)

// A carried is the metadata of an object and of those that it came from, the
// nearest first.
type carried struct {
	names map[string]string
	from  []fields.Value
}

func (e *event) carried(from ...fields.Value) carried { return carried{e.cfg.Metadata, from} }

// get is the first value of a key that can be used; empty: there is none.
func (m carried) get(key string) string {
	key = cmp.Or(m.names[key], key)
	for _, from := range m.from {
		if text := from.Get(key).Text(); usable(text) {
			return text
		}
	}
	return ""
}

func (m carried) via() Via { return Via(m.get(keyVia)) }

// tries lists who may be credited: by promotion codes, by the code, click and
// slug of the metadata or the reference.
func (m carried) tries(discounts iter.Seq[fields.Value], reference string) (tries []affiliate.Credit) {
	for discount := range discounts {
		for _, credit := range codesOf(discount.Get("promotion_code")) {
			if len(tries) < maxCodes {
				tries = append(tries, credit)
			}
		}
	}
	if code := m.get(keyCode); code != "" {
		tries = append(tries, affiliate.Credit{PromoCode: code})
	}
	for _, id := range []string{
		firstOf(isClick, m.get(keyClick), after(reference, clickReference)),
		firstOf(isSlug, m.get(keySlug), after(reference, slugReference)),
	} {
		if id != "" {
			tries = append(tries, affiliate.Credit{ReferralID: id})
		}
	}
	return tries
}

// codesOf finds our code of a promotion code by its id, and where the object is
// expanded by its text.
func codesOf(promotion fields.Value) (credits []affiliate.Credit) {
	if id := promotion.Ref(); usable(id) {
		credits = append(credits, affiliate.Credit{CodeExternalID: id})
	}
	if !promotion.IsObject() {
		return credits
	}
	if text := promotion.Get("code").Text(); usable(text) {
		credits = append(credits, affiliate.Credit{PromoCode: text})
	}
	return credits
}

// usable reports whether a program can look a text up. Stripe's metadata may be
// longer than that.
func usable(text string) bool {
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
