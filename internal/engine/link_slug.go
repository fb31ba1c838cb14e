package engine

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Generated slugs, for the first link of an affiliate that was created without
// one. Rule 4.2.

const (
	fallbackSlug  = "affiliate" // when no character of the email can be used
	maxSlugSuffix = 9           // -2 … -9 are tried, then a random one
	slugChars     = "abcdefghijkmnpqrstuvwxyz23456789"
	maxAlias      = 255 // bytes
)

// SlugBase returns the local part of a canonical email as a slug: each run of other
// characters than [a-z0-9] becomes one hyphen, and hyphens at the ends are
// removed. It may have only digits.
func SlugBase(email string) string {
	local, _, _ := strings.Cut(email, "@")
	var b strings.Builder
	for i := range len(local) {
		if plaintext.Alphanumeric(local[i]) {
			b.WriteByte(local[i])
		} else if s := b.String(); s != "" && s[len(s)-1] != '-' {
			b.WriteByte('-')
		}
	}
	if base := strings.TrimRight(b.String(), "-"); base != "" {
		return base
	}
	return fallbackSlug
}

// WithSuffix is base and suffix in at most maxSlug bytes.
func WithSuffix(base, suffix string) string {
	if room := refusal.MaxSlug - len(suffix); len(base) > room {
		base = strings.TrimRight(base[:room], "-")
	}
	return base + suffix
}

// FreeSlug returns the first candidate that no live link has and that cannot be the
// number of a click. It looks up a limited number of candidates, however many affiliates
// share the local part. random was drawn before the transaction.
func (o *Op) FreeSlug(base, random string) (string, error) {
	candidate := WithSuffix(base, "")
	for n := 2; ; n++ {
		_, err := o.LinkBySlug(candidate)
		if errors.Is(err, affiliate.ErrNotFound) && !IsClickNumber(candidate) {
			return candidate, nil
		}
		if IgnoreMissing(err) != nil {
			return "", refusal.Internal("look up slug", err)
		}
		switch {
		case n <= maxSlugSuffix:
			candidate = WithSuffix(base, "-"+strconv.Itoa(n))
		case n == maxSlugSuffix+1:
			candidate = WithSuffix(base, "-"+random)
		default: // 60 random bits came twice: Config.Rand is not random
			return "", errors.New("affiliate: no free slug; does Config.Rand repeat itself?")
		}
	}
}

// RandomSlug makes 12 characters, 60 bits, of a fresh id.
func RandomSlug(id uuid.UUID) string {
	text := make([]byte, 0, 12)
	for i, b := range id {
		if i != 6 && i != 8 && len(text) < cap(text) { // these two bytes hold version and variant
			text = append(text, slugChars[b%byte(len(slugChars))])
		}
	}
	return string(text)
}

// LinkBySlug finds a live link by its slug in any letter case. A text that is not a slug
// may be the alias of a link.
func (o *Op) LinkBySlug(slug string) (record.Link, error) {
	key, err := slugKey(slug)
	if err != nil {
		return o.LinkByAlias(slug)
	}
	return o.Tx.Links.Find(key)
}

// slugWithin returns the slug in a text to which something was added on the way: a second query
// or a path behind it, what a messenger sets around a link, an escape that was escaped again.
// Nothing that is cut off here can be in a slug, so no slug becomes another one.
func slugWithin(text string) string {
	for range 2 {
		if plain, err := url.QueryUnescape(text); err == nil {
			text = plain
		}
	}
	text = strings.TrimLeft(text, aroundSlug+"=/@")
	if end := strings.IndexAny(text, "?&/#%\\;|<>\""); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, aroundSlug)
}

// aroundSlug are the signs that stand around a link in a text: punctuation, quotes, brackets and marks of emphasis.
const aroundSlug = " .,:;!…'\"`´“”„‘’‚«»‹›()[]{}<>*_~"

// LinkByAlias finds a live link by the slug that it had at another service.
func (o *Op) LinkByAlias(text string) (record.Link, error) {
	alias, ok := AliasOf(text)
	if !ok {
		return record.Link{}, affiliate.ErrNotFound
	}
	rec, err := o.Tx.Aliases.Find(record.TextKey(record.BySlug, record.FoldSlug(alias)))
	if err != nil {
		return record.Link{}, err
	}
	link, err := o.Tx.Links.Get(rec.LinkID)
	if err != nil {
		return link, refusal.Internal("link of an alias", err)
	}
	return link, nil
}

// AliasOf returns a text as an alias; ok is false when it is a slug.
func AliasOf(text string) (alias string, ok bool) {
	alias = plaintext.Bare(text)
	if alias == "" || len(alias) > maxAlias || !plaintext.Valid(alias, false) || refusal.ValidSlug(alias) && len(alias) <= refusal.MaxSlug {
		return "", false
	}
	return alias, true
}

// slugKey returns the key of a slug that a caller looks up. A text that is not a
// slug is not found.
//
// A pasted slug may have blanks around it and invisible characters; no stored slug has.
func slugKey(slug string) (record.Key, error) {
	slug = plaintext.Bare(slug)
	if len(slug) > refusal.MaxSlug || !refusal.ValidSlug(slug) {
		return record.Key{}, affiliate.ErrNotFound
	}
	return record.Key{Index: record.BySlug, Text: record.FoldSlug(slug)}, nil
}

// IsClickNumber reports whether a slug could also be the number of a click. An
// identifier of digits means the click before the slug (rule 4.4), so such a link would
// credit the affiliate of that click.
func IsClickNumber(slug string) bool {
	_, ok := clickNumber(slug)
	return ok
}

// refuseTakenSlug refuses a slug that a live link other than self has, and one that
// could be the number of a click, unless self has it.
func (o *Op) refuseTakenSlug(slug string, self uuid.UUID, refused *affiliate.Error) error {
	link, err := o.LinkBySlug(slug)
	switch {
	case err == nil && link.ID == self && self != uuid.Nil:
		return nil
	case err == nil:
		return refused
	case !errors.Is(err, affiliate.ErrNotFound):
		return refusal.Internal("look up slug", err)
	}
	return refusal.First(refusal.SlugIsNumber.About(refused.Field).When(IsClickNumber(slug)))
}
