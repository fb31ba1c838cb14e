package affiliate

import (
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// Generated slugs, for the first link of an affiliate that was created without
// one. Rule 4.2.

const (
	fallbackSlug  = "affiliate" // when no character of the email can be used
	maxSlugSuffix = 9           // -2 … -9 are tried, then a random one
	slugChars     = "abcdefghijkmnpqrstuvwxyz23456789"
	maxAlias      = 255 // bytes
)

// slugBase is the local part of a canonical email as a slug: each run of other
// characters than [a-z0-9] becomes one hyphen, and hyphens at the ends are
// removed. It may have only digits.
func slugBase(email string) string {
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

// withSuffix is base and suffix in at most maxSlug bytes.
func withSuffix(base, suffix string) string {
	if room := maxSlug - len(suffix); len(base) > room {
		base = strings.TrimRight(base[:room], "-")
	}
	return base + suffix
}

// freeSlug is the first candidate that no live link has and no click can have. It looks up a limited
// number of candidates, however many affiliates share the local part. random
// was drawn before the transaction.
func (o *op) freeSlug(base, random string) (string, error) {
	candidate := withSuffix(base, "")
	for n := 2; ; n++ {
		_, err := o.linkBySlug(candidate)
		if errors.Is(err, ErrNotFound) && !isClickNumber(candidate) {
			return candidate, nil
		}
		if ignoreMissing(err) != nil {
			return "", internal("look up slug", err)
		}
		switch {
		case n <= maxSlugSuffix:
			candidate = withSuffix(base, "-"+strconv.Itoa(n))
		case n == maxSlugSuffix+1:
			candidate = withSuffix(base, "-"+random)
		default: // 60 random bits came twice: Config.Rand is not random
			return "", errors.New("affiliate: no free slug; does Config.Rand repeat itself?")
		}
	}
}

// randomSlug makes 12 characters, 60 bits, of a fresh id.
func randomSlug(id uuid.UUID) string {
	text := make([]byte, 0, 12)
	for i, b := range id {
		if i != 6 && i != 8 && len(text) < cap(text) { // these two bytes hold version and variant
			text = append(text, slugChars[b%byte(len(slugChars))])
		}
	}
	return string(text)
}

// linkBySlug finds a live link by its slug in any letter case. A text that is not a
// slug may be an alias of one.
func (o *op) linkBySlug(slug string) (LinkRecord, error) {
	key, err := slugKey(slug)
	if err != nil {
		return o.linkByAlias(slug)
	}
	return o.tx.Links.Find(key)
}

// linkByAlias finds a live link by the slug that it had at another service.
func (o *op) linkByAlias(text string) (LinkRecord, error) {
	alias, ok := aliasOf(text)
	if !ok {
		return LinkRecord{}, ErrNotFound
	}
	rec, err := o.tx.Aliases.Find(textKey(BySlug, foldSlug(alias)))
	if err != nil {
		return LinkRecord{}, err
	}
	link, err := o.tx.Links.Get(rec.LinkID)
	if err != nil {
		return link, internal("link of an alias", err)
	}
	return link, nil
}

// aliasOf is a text as an alias, which no slug is.
func aliasOf(text string) (alias string, ok bool) {
	alias = plaintext.Bare(text)
	if alias == "" || len(alias) > maxAlias || !plaintext.Valid(alias, false) || validSlug(alias) && len(alias) <= maxSlug {
		return "", false
	}
	return alias, true
}

// slugKey is the key of a slug that a caller looks up. A text that is not a
// slug is not found.
//
// A slug that was pasted may have blanks around it and characters that nobody
// sees; no stored slug has.
func slugKey(slug string) (Key, error) {
	slug = plaintext.Bare(slug)
	if len(slug) > maxSlug || !validSlug(slug) {
		return Key{}, ErrNotFound
	}
	return Key{Index: BySlug, Text: foldSlug(slug)}, nil
}

// isClickNumber reports whether a click can have a slug as its number. An identifier
// of digits means the click before the slug (rule 4.4), so such a link would credit
// whose click has the number.
func isClickNumber(slug string) bool {
	_, ok := clickNumber(slug)
	return ok
}

// refuseTakenSlug refuses a slug that a live link other than self has, and one that a
// click can have as its number, unless self has it.
func (o *op) refuseTakenSlug(slug string, self uuid.UUID, refused *Error) error {
	link, err := o.linkBySlug(slug)
	switch {
	case err == nil && link.ID == self && self != uuid.Nil:
		return nil
	case err == nil:
		return refused
	case !errors.Is(err, ErrNotFound):
		return internal("look up slug", err)
	}
	return first(slugIsNumber.about(refused.Field).when(isClickNumber(slug)))
}
