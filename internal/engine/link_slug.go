package engine

import (
	"crypto/sha256"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"

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

// UnusedSlug returns the first candidate that anybody may have. It looks up a limited
// number of candidates, however many affiliates share the local part. random was drawn
// before the transaction.
func (o *Op) UnusedSlug(base, random string) (string, error) {
	candidate := WithSuffix(base, "")
	for n := 2; ; n++ {
		if unused, err := o.SlugUnused(candidate); unused || err != nil {
			return candidate, err
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

// SlugUnused reports whether any affiliate may have a slug.
func (o *Op) SlugUnused(slug string) (bool, error) {
	_, err := o.LinkBySlug(slug)
	if err == nil {
		return false, nil
	}
	if IgnoreMissing(err) != nil {
		return false, refusal.Internal("look up slug", err)
	}
	kept, err := o.SlugKept(slug, uuid.Nil)
	return kept == nil && err == nil, err
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

// LinkBySlug finds a live link by its slug in any letter case, or by one that it had before.
func (o *Op) LinkBySlug(slug string) (record.Link, error) {
	if key, err := slugKey(slug); err == nil {
		if link, err := o.Tx.Links.Find(key); !errors.Is(err, affiliate.ErrNotFound) {
			return link, err
		}
	}
	return o.LinkByAlias(slug)
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
	text = strings.TrimLeftFunc(text, func(r rune) bool { return aroundSlug(r) && !strings.ContainsRune("?&#%\\|", r) })
	if end := strings.IndexAny(text, "?&/#%\\;|<>\""); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRightFunc(text, aroundSlug)
}

// aroundSlug reports whether a sign stands around a link in a text and in no slug: punctuation,
// quotes, brackets, marks of emphasis, emoji with U+FE0F. What belongs to a letter does not.
func aroundSlug(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsControl(r) && (!unicode.IsMark(r) || r == 0xfe0f)
}

// LinkByAlias finds a live link by a slug that it had before, here or at another service.
func (o *Op) LinkByAlias(text string) (record.Link, error) {
	alias, ok := AliasOf(text)
	if !ok {
		return record.Link{}, affiliate.ErrNotFound
	}
	rec, err := o.aliasNamed(alias)
	if err != nil {
		return record.Link{}, err
	}
	link, err := o.Tx.Links.Get(rec.LinkID)
	if err != nil {
		return link, refusal.Internal("link of an alias", err)
	}
	return link, nil
}

func (o *Op) aliasNamed(alias string) (record.Alias, error) {
	return o.Tx.Aliases.Find(record.TextKey(record.BySlug, record.FoldSlug(alias)))
}

// AliasOf returns a text as an alias; ok is false when it cannot be one.
func AliasOf(text string) (alias string, ok bool) {
	alias = plaintext.Bare(text)
	return alias, alias != "" && len(alias) <= maxAlias && plaintext.Valid(alias, false)
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

// SlugKept returns why an affiliate may not have a slug that no link has; nil: for no
// reason. One that could be the number of a click or an id would credit another affiliate
// where an identifier may be either (rule 4.4), and one that was another affiliate's still
// stands in posts of theirs. A zero owner has had none.
func (o *Op) SlugKept(slug string, owner uuid.UUID) (*refusal.Refusal, error) {
	if _, ok := clickNumber(slug); ok {
		return &refusal.SlugIsNumber, nil
	}
	if _, ok := exactID(plaintext.Lower(slug)); ok {
		return &refusal.SlugIsID, nil
	}
	rec, err := o.Tx.Aliases.Get(o.Cfg.SlugDigest(slug))
	if err == nil && (owner == uuid.Nil || rec.AffiliateID != owner) {
		return &refusal.SlugWasAnothers, nil
	}
	return nil, IgnoreMissing(err)
}

// TakeSlug ends that a slug leads to nobody, for the link that it leads to from now on.
func (o *Op) TakeSlug(slug string) error {
	return IgnoreMissing(o.Tx.Aliases.Delete(o.Cfg.SlugDigest(slug)))
}

// refuseTakenSlug refuses a slug that another link than self has, now or as an alias, and
// one that is kept from the affiliate.
func (o *Op) refuseTakenSlug(slug string, owner, self uuid.UUID, refused *affiliate.Error) error {
	link, err := o.LinkBySlug(slug)
	switch {
	case err == nil && link.ID == self && self != uuid.Nil:
		return nil
	case err == nil:
		return refused
	case !errors.Is(err, affiliate.ErrNotFound):
		return refusal.Internal("look up slug", err)
	}
	kept, err := o.SlugKept(slug, owner)
	if kept != nil {
		return kept.On(refused.Field)
	}
	return err
}

// SlugDigest is the id under which a slug that leads to nobody is kept. It depends on
// nothing that a host may change, so that such a slug never comes free by itself.
func (c *Config) SlugDigest(slug string) (id uuid.UUID) {
	sum := sha256.Sum256([]byte("slug " + string(c.ID[:]) + record.FoldSlug(plaintext.Bare(slug))))
	copy(id[:], sum[:])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made of other data
	return id
}
