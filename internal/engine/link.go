package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// CreateLink implements tributary.Program.CreateLink.
func (p *Program) CreateLink(ctx context.Context, in affiliate.LinkParams) (_ affiliate.Link, err error) {
	defer p.Begin(&ctx, "CreateLink", Writes).End(&err)
	refused := refusal.First(
		linkTextMissing(in.Link, refusal.LinkRequired),
		refusal.CheckSlug("link", in.Link),
	)
	if refused == nil && in.AffiliateID == uuid.Nil && in.AffiliateEmail == "" {
		refused = refusal.RefuseNoOwner.Err()
	}
	o := p.Op(ctx)
	rq := Request{Once: in.Once, Name: "link.create", Input: in, Refused: refused}
	return Write(o, rq, func() (affiliate.Link, error) {
		owner, err := o.AffiliateByIDOrEmail(in.AffiliateID, in.AffiliateEmail)
		if err != nil {
			return affiliate.Link{}, refusal.OwnerNotFound.IfMissing(err)
		}
		return o.AddLink(owner, in.Link)
	})
}

// AddLink adds a link of an affiliate. The form of its slug has been checked.
func (o *Op) AddLink(owner record.Affiliate, slug string) (affiliate.Link, error) {
	if err := o.refuseTakenSlug(slug, owner.ID, uuid.Nil, refusal.SlugTaken.Err()); err != nil {
		return affiliate.Link{}, err
	}
	rec, err := o.addLink(owner.ID, slug, refusal.SlugTaken.Err())
	if err != nil {
		return affiliate.Link{}, err
	}
	if _, err := o.SaveAffiliate(owner, touched(owner)); err != nil {
		return affiliate.Link{}, err
	}
	return o.linkWith(rec, owner)
}

// addLink writes a new link of an affiliate. The slug has been checked.
func (o *Op) addLink(owner uuid.UUID, slug string, refused *affiliate.Error) (record.Link, error) {
	if err := o.roomForLink(owner); err != nil {
		return record.Link{}, err
	}
	if err := o.TakeSlug(slug); err != nil {
		return record.Link{}, err
	}
	rec := record.Link{ID: o.NewID(), AffiliateID: owner, Slug: slug, CreatedAt: o.Now, UpdatedAt: o.Now}
	if err := o.Tx.Links.Insert(rec); err != nil {
		return record.Link{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.BySlug: refused})
	}
	return rec, nil
}

// Links implements tributary.Program.Links.
func (p *Program) Links(ctx context.Context, f affiliate.LinkQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.Link], err error) {
	defer p.Begin(&ctx, "Links", Reads).End(&err)
	if !f.ID.IsZero() || !f.Slug.IsZero() {
		pg = affiliate.Page{}
	}
	l, err := p.Listing(pg, "links", f)
	if err != nil {
		return affiliate.List[affiliate.Link]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Link], error) {
		return Chosen(o.Tx.Links, o.chooseLinks(f), l, o.shownLinks())
	})
}

// chooseLinks turns the filter into a choice.
func (o *Op) chooseLinks(f affiliate.LinkQuery) (c Choice[record.Link]) {
	c.ByOwner(o, f.AffiliateID, f.AffiliateEmail, func(r *record.Link) uuid.UUID { return r.AffiliateID })
	if slug, set := Wanted(&c, f.Slug); set {
		if alias, err := o.LinkByAlias(slug); err == nil {
			slug = alias.Slug
		} else if IgnoreMissing(err) != nil {
			c.Fail(err)
		}
		key, err := slugKey(slug)
		c.Fail(err)
		c.Under(key, func(r *record.Link) bool { return record.FoldSlug(r.Slug) == key.Text })
	}
	c.one(f.ID)
	return c
}

// shownLinks makes the links of a list. Consecutive links of one owner share
// its look-up.
func (o *Op) shownLinks() func(record.Link) (affiliate.Link, error) {
	var owner record.Affiliate
	return func(rec record.Link) (affiliate.Link, error) {
		if owner.ID != rec.AffiliateID {
			var err error
			if owner, err = o.Tx.Affiliates.Get(rec.AffiliateID); err != nil {
				return affiliate.Link{}, refusal.Internal("read owner of link", err)
			}
		}
		return o.linkWith(rec, owner)
	}
}

// linkByRef finds a link by one or both identifiers. When they do not name the
// same record, it returns identifiersMismatch; when neither names a record,
// ErrNotFound.
func (o *Op) linkByRef(ref affiliate.LinkRef) (record.Link, error) {
	if ref.ID == uuid.Nil {
		return o.LinkBySlug(ref.Slug)
	}
	byID, err := o.Tx.Links.Get(ref.ID)
	if ref.Slug == "" {
		return byID, err
	}
	return agreed(byID, err)(o.LinkBySlug(ref.Slug))
}

func check(ref affiliate.LinkRef) *affiliate.Error {
	if ref.ID == uuid.Nil && ref.Slug == "" {
		return refusal.LinkIDRequired.Err()
	}
	return nil
}

func linkTextMissing(slug string, missing refusal.Refusal) *affiliate.Error {
	if plaintext.Blank(slug) {
		return missing.Err()
	}
	return nil
}

// RenameLink implements tributary.Program.RenameLink.
func (p *Program) RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (_ affiliate.Link, err error) {
	defer p.Begin(&ctx, "RenameLink", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{
		Name: "link.rename", Input: []any{ref, slug},
		Refused: refusal.First(check(ref), linkTextMissing(slug, refusal.NewLinkRequired), refusal.CheckSlug("newLink", slug)),
	}
	return Write(o, rq, func() (affiliate.Link, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return affiliate.Link{}, refusal.LinkNotFound.IfMissing(err)
		}
		return o.SetSlug(rec, slug)
	})
}

// SetSlug gives a link another slug. The one that it had goes on leading to it. The form
// of the slug has been checked.
func (o *Op) SetSlug(rec record.Link, slug string) (affiliate.Link, error) {
	if rec.Slug == slug {
		return o.linkOf(rec)
	}
	if err := o.refuseTakenSlug(slug, rec.AffiliateID, rec.ID, refusal.SlugTaken.On("newLink")); err != nil {
		return affiliate.Link{}, err
	}
	owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read owner of link", err)
	}
	if record.FoldSlug(rec.Slug) != record.FoldSlug(slug) {
		if err := o.keepSlug(&rec, slug); err != nil {
			return affiliate.Link{}, err
		}
	}
	rec.Slug, rec.UpdatedAt = slug, Later(o.Now, rec.UpdatedAt)
	if err := o.Tx.Links.Replace(rec); err != nil {
		return affiliate.Link{}, refusal.Taken(err,
			map[record.Index]*affiliate.Error{record.BySlug: refusal.SlugTaken.On("newLink")})
	}
	if _, err := o.SaveAffiliate(owner, touched(owner)); err != nil {
		return affiliate.Link{}, err
	}
	return o.linkWith(rec, owner)
}

// keepSlug makes the slug of a link an alias of it. The next slug may have been one.
func (o *Op) keepSlug(rec *record.Link, next string) error {
	alias, err := o.aliasNamed(next)
	switch {
	case err == nil:
		err = o.dropAlias(rec, alias)
	case IgnoreMissing(err) == nil:
		err = refusal.First(refusal.FormerSlugLimitReached.When(len(rec.Aliases) >= refusal.MaxFormerSlugs))
	}
	if err == nil {
		err = o.TakeSlug(next)
	}
	if err != nil {
		return err
	}
	rec.Aliases = append(slices.Clip(rec.Aliases), rec.Slug)
	return o.Tx.Aliases.Insert(record.Alias{ID: o.NewID(), LinkID: rec.ID, Alias: rec.Slug})
}

// dropAlias takes an alias from a link.
func (o *Op) dropAlias(rec *record.Link, alias record.Alias) error {
	kept := slices.DeleteFunc(slices.Clone(rec.Aliases), func(s string) bool { return s == alias.Alias })
	if rec.Aliases = kept; len(kept) == 0 {
		rec.Aliases = nil
	}
	return o.Tx.Aliases.Delete(alias.ID)
}

// ReleaseSlug implements tributary.Program.ReleaseSlug.
func (p *Program) ReleaseSlug(ctx context.Context, slug string) (_ affiliate.ReleasedSlug, err error) {
	defer p.Begin(&ctx, "ReleaseSlug", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "link.release", Input: slug,
		Refused: refusal.First(linkTextMissing(slug, refusal.LinkRequired))}
	return Write(o, rq, func() (affiliate.ReleasedSlug, error) {
		slug := plaintext.Bare(slug)
		owner, err := o.releaseSlug(slug)
		return affiliate.ReleasedSlug{Link: slug, AffiliateID: owner}, err
	})
}

// releaseSlug makes a former slug free for anybody, and returns whose it was.
func (o *Op) releaseSlug(slug string) (owner uuid.UUID, err error) {
	link, err := o.LinkBySlug(slug)
	if err == nil {
		return link.AffiliateID, o.releaseAlias(link, slug)
	}
	if IgnoreMissing(err) != nil {
		return owner, refusal.Internal("look up slug", err)
	}
	rec, err := o.Tx.Aliases.Get(o.Cfg.SlugDigest(slug))
	if err == nil {
		err = o.Tx.Aliases.Delete(rec.ID)
	}
	return rec.AffiliateID, refusal.LinkNotFound.IfMissing(err)
}

// releaseAlias is releaseSlug for one that still leads to a link.
func (o *Op) releaseAlias(link record.Link, slug string) error {
	if record.FoldSlug(link.Slug) == record.FoldSlug(slug) {
		return refusal.SlugTaken.Err()
	}
	owner, err := o.Tx.Affiliates.Get(link.AffiliateID)
	if err != nil {
		return refusal.Internal("read owner of link", err)
	}
	alias, err := o.aliasNamed(slug)
	if err == nil {
		err = o.dropAlias(&link, alias)
	}
	if err != nil {
		return refusal.Internal("delete alias", err)
	}
	link.UpdatedAt = Later(o.Now, link.UpdatedAt)
	if err := o.Tx.Links.Replace(link); err != nil {
		return refusal.Internal("write link", err)
	}
	_, err = o.SaveAffiliate(owner, touched(owner))
	return err
}

// DeleteLink implements tributary.Program.DeleteLink.
func (p *Program) DeleteLink(ctx context.Context, ref affiliate.LinkRef) (_ affiliate.DeletedLink, err error) {
	defer p.Begin(&ctx, "DeleteLink", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "link.delete", Input: ref, Refused: refusal.First(check(ref))}
	return Write(o, rq, func() (affiliate.DeletedLink, error) {
		rec, err := o.linkByRef(ref)
		if err != nil {
			return affiliate.DeletedLink{}, refusal.LinkNotFound.IfMissing(err)
		}
		owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
		if err != nil {
			return affiliate.DeletedLink{}, refusal.Internal("read owner of link", err)
		}
		if err := o.removeLink(rec); err != nil {
			return affiliate.DeletedLink{}, err
		}
		_, err = o.SaveAffiliate(owner, touched(owner))
		return affiliate.DeletedLink{ID: rec.ID, Link: rec.Slug}, err
	})
}

// removeLink deletes a link with its totals and clears the references to it.
// Revision and updatedAt of those records do not change, because they only
// change with an event. The slugs that led to it lead to nobody.
func (o *Op) removeLink(rec record.Link) error {
	if err := o.clearLink(record.Key{Index: record.OfLink, ID: rec.ID}); err != nil {
		return refusal.Internal("clear link", err)
	}
	err := Each(o.Tx.Aliases, record.Key{Index: record.OfLink, ID: rec.ID},
		func(alias record.Alias) error { return o.Tx.Aliases.Delete(alias.ID) })
	for _, slug := range append([]string{rec.Slug}, rec.Aliases...) {
		if err == nil {
			err = o.Tx.Aliases.Insert(record.Alias{ID: o.Cfg.SlugDigest(slug), AffiliateID: rec.AffiliateID})
		}
	}
	if err != nil {
		return refusal.Internal("keep former slugs", err)
	}
	if err := o.Tx.Links.Delete(rec.ID); err != nil {
		return refusal.Internal("delete link", err)
	}
	return o.forget(rec.ID)
}

func (o *Op) clearLink(key record.Key) error {
	err := Each(o.Tx.Clicks, key, func(click record.Click) error {
		click.LinkID = uuid.Nil
		return o.Tx.Clicks.Replace(click)
	})
	if err != nil {
		return err
	}
	err = Each(o.Tx.Referrals, key, func(ref record.Referral) error {
		ref.LinkID = uuid.Nil
		return o.Tx.Referrals.Replace(ref)
	})
	if err != nil {
		return err
	}
	return Each(o.Tx.Sales, key, func(sale record.Sale) error {
		sale.LinkID = uuid.Nil
		return o.Tx.Sales.Replace(sale)
	})
}

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
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsControl(r) &&
		(!unicode.IsMark(r) || r == 0xfe0f)
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

// SlugKept returns the reason for which an affiliate may not have a slug that no link has, or
// nil. A slug that looks like the number of a click or like an id would credit somebody else
// where an identifier may be any of them (rule 4.4), and a former slug of another affiliate is
// still in their posts. A zero owner has no former slugs.
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

// A target is a destination that was prepared when the program started: a full
// URL is the slug between two texts.
type target struct {
	base          string
	before, after string // of the slug
}

// targets prepares the destinations. The query of a link's URL has first the
// destination's own query with its order and spelling, then the slug, then the
// destination's extra parameters ordered by name; the fragment stays last.
// Other parameters with the name of the slug's parameter are removed, because
// the host's site could read the wrong one. Contract 2.4.
func targets(all []affiliate.Destination, param string) []target {
	ready := make([]target, 0, len(all))
	for _, d := range all {
		rest, fragment, hasFragment := strings.Cut(d.URL, "#")
		path, query, _ := strings.Cut(rest, "?")
		t := target{base: d.URL, before: path + "?"}
		if query = without(query, param); query != "" {
			t.before += query + "&"
		}
		t.before += url.QueryEscape(param) + "="
		if extra := extras(d.Params, param); extra != "" {
			t.after = "&" + extra
		}
		if hasFragment {
			t.after += "#" + fragment
		}
		ready = append(ready, t)
	}
	return ready
}

// without returns the query without the parameters of that name. All others keep
// their order and spelling.
func without(query, param string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if pair != "" && plain != param {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// extras returns the query of the extra parameters, ordered by name.
func extras(params url.Values, param string) string {
	kept := make(url.Values, len(params))
	for name, values := range params {
		if name != param {
			kept[name] = values
		}
	}
	return kept.Encode()
}

// fullURLs returns the slug on every destination; never nil.
func (p *Program) fullURLs(slug string) []affiliate.FullURL {
	urls := make([]affiliate.FullURL, len(p.targets))
	for i := range p.targets {
		t := &p.targets[i]
		urls[i] = affiliate.FullURL{BaseURL: t.base, FullURL: t.before + slug + t.after}
	}
	return urls
}

// linkOf returns the link as the API answers it.
func (o *Op) linkOf(rec record.Link) (affiliate.Link, error) {
	owner, err := o.Tx.Affiliates.Get(rec.AffiliateID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read owner of link", err)
	}
	return o.linkWith(rec, owner)
}

// linkWith is linkOf without a look-up of the owner.
func (o *Op) linkWith(rec record.Link, owner record.Affiliate) (affiliate.Link, error) {
	totals, err := o.Totals(rec.ID)
	if err != nil {
		return affiliate.Link{}, refusal.Internal("read totals", err)
	}
	return affiliate.Link{
		ID: rec.ID, Link: rec.Slug,
		Affiliate: affiliate.LinkOwner{ID: owner.ID, Name: NameOf(owner), Email: owner.Email},
		Program:   affiliate.LinkProgram{ID: o.Cfg.ID, Name: o.Cfg.Name, Currency: o.Cfg.Currency},
		Clicks:    totals.Clicks, Referrals: totals.Referrals, Sales: totals.Sales,
		Conversions: totals.Conversions, TotalRevenue: totals.Revenue,
		Aliases: slices.Clone(rec.Aliases), FullURLs: o.fullURLs(rec.Slug),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
		UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}, nil
}
