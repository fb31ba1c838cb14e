package imports

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The links of an imported affiliate.

// importedLinks decides which links of a row are stored, and stores them.
// Nothing is written before all of them are decided, because a row may still be
// refused.
type importedLinks struct {
	*importing
	row   *imported.Affiliate
	plans []linkPlan
	new   int // of plans
}

// A linkPlan says what happens to a link of a row.
type linkPlan struct {
	imported.Link
	stored uuid.UUID        // the link is there already; zero: it is not
	left   bool             // it is left out; its ref leads to the affiliate
	same   int              // an earlier plan with the same slug, counted from 1; zero: none
	known  bool             // the link is not new
	note   *affiliate.Error // why something else is stored
	kept   string
	alias  string // the given text when it is not a slug, which then leads to the link too; empty: none
}

// plan decides what happens to each link. self is the affiliate, zero for a new one.
func (l *importedLinks) plan(self uuid.UUID) error {
	own := map[string]int{}
	for _, link := range l.row.Links {
		known, found, err := importedAs(l.importing.Op, link.Ref)
		if err != nil {
			return err
		}
		given := link.Slug
		link.Slug = hyphened(given)
		if found {
			owner, err := l.ownerOf(&known)
			switch {
			case err != nil:
				return err
			case owner == uuid.Nil || owner == self:
				continue
			case self != uuid.Nil: // it is not renamed again in each import
				l.plans = append(l.plans, linkPlan{left: true, note: refusal.SlugTaken.On("links")})
				continue
			}
			link.Ref = "" // it leads to the other affiliate
		}
		planned := linkPlan{Link: link}
		if link.Slug != given {
			if planned.alias, err = l.freeAlias(given, self); err != nil {
				return err
			}
			if planned.alias != "" && planned.Slug == "" {
				planned.Slug = engine.WithSuffix(engine.SlugBase(l.row.Email), "")
			}
			planned.note, planned.kept = refusal.SlugSyntax.On("links"), planned.Slug
		}
		if err := l.place(&planned, self, own); err != nil {
			return err
		}
		l.plans = append(l.plans, planned)
		if planned.same == 0 {
			own[record.FoldSlug(planned.Slug)] = len(l.plans)
		}
		if planned.fresh() {
			l.new++
		}
	}
	return l.room(self)
}

// ownerOf returns the affiliate to whom an imported ref leads; zero: to nobody who is there.
func (l *importedLinks) ownerOf(rec *record.Import) (uuid.UUID, error) {
	if rec.Kind != record.ImportedAsLink {
		return rec.Object, nil
	}
	link, err := l.Tx.Links.Get(rec.Object)
	return link.AffiliateID, engine.IgnoreMissing(err)
}

// fresh reports whether the link is to be written.
func (p *linkPlan) fresh() bool { return !p.left && p.same == 0 && p.stored == uuid.Nil }

// place finds out whether a slug is free, and what is done otherwise.
func (l *importedLinks) place(planned *linkPlan, self uuid.UUID, own map[string]int) error {
	if planned.Slug == "" {
		planned.left = true
		return nil
	}
	if planned.same = own[record.FoldSlug(planned.Slug)]; planned.same > 0 {
		l.plans[planned.same-1].Clicks += planned.Clicks
		return nil
	}
	link, err := l.LinkBySlug(planned.Slug)
	refused := &refusal.SlugTaken
	switch {
	case engine.IgnoreMissing(err) != nil:
		return refusal.Internal("look up slug", err)
	case err == nil && link.AffiliateID == self:
		planned.stored = link.ID
		return nil
	case err != nil:
		if refused, err = l.SlugKept(planned.Slug, self); refused == nil || err != nil {
			return err
		}
	}
	if planned.alias != "" { // nobody has the slug that was given
		planned.Slug, err = l.freeSuffix(planned.Slug, own)
		planned.kept = planned.Slug
		return err
	}
	planned.note, planned.kept = refused.On("links"), ""
	switch l.row.OnConflict {
	case imported.RefuseRow:
		return planned.note
	case imported.RenameSlug:
		planned.Slug, err = l.freeSuffix(planned.Slug, own)
		planned.kept = planned.Slug
		return err
	}
	planned.left = true
	return nil
}

// freeAlias returns the given text as an alias, or empty when it leads to somebody else's
// link, or did.
func (l *importedLinks) freeAlias(given string, self uuid.UUID) (string, error) {
	alias, ok := engine.AliasOf(given)
	if !ok {
		return "", nil
	}
	link, err := l.LinkByAlias(alias)
	if engine.IgnoreMissing(err) != nil {
		return "", refusal.Internal("look up alias", err)
	}
	if err == nil && (self == uuid.Nil || link.AffiliateID != self) || l.planned(alias) {
		return "", nil
	}
	if kept, err := l.SlugKept(alias, self); kept != nil || err != nil {
		return "", err
	}
	return alias, nil
}

// planned reports whether a link of the row has an alias already.
func (l *importedLinks) planned(alias string) bool {
	return slices.ContainsFunc(l.plans,
		func(p linkPlan) bool { return record.FoldSlug(p.alias) == record.FoldSlug(alias) })
}

// addAlias makes an alias lead to a link.
func (l *importedLinks) addAlias(alias string, link uuid.UUID) error {
	if alias == "" || link == uuid.Nil {
		return nil
	}
	_, err := l.LinkByAlias(alias)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return err // it leads there already
	}
	if err := l.TakeSlug(alias); err != nil {
		return err
	}
	rec, err := l.Tx.Links.Get(link)
	if err == nil {
		rec = rec.Clone()
		rec.Aliases = append(rec.Aliases, alias)
		err = l.Tx.Links.Replace(rec)
	}
	if err == nil {
		err = l.Tx.Aliases.Insert(record.Alias{ID: l.NewID(), LinkID: link, Alias: alias})
	}
	if err != nil {
		return refusal.Internal("write alias", err)
	}
	return nil
}

// freeSuffix returns the slug with the first of -2, -3 … that nobody has.
func (l *importedLinks) freeSuffix(slug string, own map[string]int) (string, error) {
	for n := 2; ; n++ {
		candidate := engine.WithSuffix(slug, "-"+strconv.Itoa(n))
		if own[record.FoldSlug(candidate)] > 0 {
			continue
		}
		if unused, err := l.SlugUnused(candidate); unused || err != nil {
			return candidate, err
		}
	}
}

// room refuses more links than an affiliate may have.
func (l *importedLinks) room(self uuid.UUID) error {
	have := 0
	if self != uuid.Nil && l.new > 0 {
		var err error
		if have, err = engine.CountUpTo(l.Tx.Links, record.Key{Index: record.OfAffiliate, ID: self}, l.Cfg.Limits.Links); err != nil {
			return refusal.Internal("count links", err)
		}
	}
	return refusal.First(refusal.LinkLimitReached.When(have+l.new > l.Cfg.Limits.Links))
}

// needOne plans a link made from the email, if a new affiliate has none.
func (l *importedLinks) needOne(random string) error {
	if l.new > 0 {
		return nil
	}
	slug, err := l.UnusedSlug(engine.SlugBase(l.row.Email), random)
	l.plans = append(l.plans, linkPlan{Link: imported.Link{Slug: slug, CreatedAt: l.row.CreatedAt}})
	l.new++
	return err
}

// store writes the planned links, and returns how many are new.
func (l *importedLinks) store(owner record.Affiliate) (int, error) {
	var clicks int64
	for i := range l.plans {
		planned := &l.plans[i]
		planned.known = !planned.fresh()
		if planned.note != nil {
			l.note(planned.Ref, planned.note, planned.kept)
		}
		if planned.same > 0 {
			planned.left, planned.stored = l.plans[planned.same-1].left, l.plans[planned.same-1].stored
		} else if planned.fresh() {
			if err := l.insert(planned, owner.ID); err != nil {
				return 0, err
			}
			clicks += planned.Clicks
		}
		if err := l.addAlias(planned.alias, planned.stored); err != nil {
			return 0, err
		}
		if err := l.enrollLink(planned, owner.ID); err != nil {
			return 0, err
		}
	}
	if clicks == 0 {
		return l.new, nil
	}
	owner.OpeningClicks += clicks
	if err := l.Tx.Affiliates.Replace(owner); err != nil {
		return 0, refusal.Internal("write affiliate", err)
	}
	return l.new, l.tell(engine.Tally{Clicks: clicks}, owner.ID)
}

// insert writes a new link.
func (l *importedLinks) insert(planned *linkPlan, owner uuid.UUID) error {
	at := affiliate.InstantOf(planned.CreatedAt)
	rec := record.Link{
		ID: l.NewIDAt(planned.CreatedAt), AffiliateID: owner, Slug: planned.Slug,
		OpeningClicks: planned.Clicks, CreatedAt: at, UpdatedAt: at,
	}
	planned.stored = rec.ID
	if err := l.TakeSlug(rec.Slug); err != nil {
		return err
	}
	if err := l.Tx.Links.Insert(rec); err != nil {
		return refusal.Internal("write link", err)
	}
	return l.tell(engine.Tally{Clicks: planned.Clicks}, rec.ID)
}

// enrollLink stores in the ledger what the ref of a link leads to.
func (l *importedLinks) enrollLink(planned *linkPlan, owner uuid.UUID) error {
	if planned.Ref == "" {
		return nil
	}
	if planned.left {
		return l.enroll(record.Import{Ref: planned.Ref, Kind: record.ImportedAsAffiliate, Object: owner, Adopted: true})
	}
	return l.enroll(record.Import{Ref: planned.Ref, Kind: record.ImportedAsLink,
		Object: planned.stored, Adopted: planned.known})
}

// hyphened returns a text as a slug: each run of characters other than letters, digits
// and hyphens becomes a hyphen, hyphens at the ends are removed, and the rest is cut to
// the longest slug. It may be empty.
func hyphened(text string) string {
	if refusal.ValidSlug(text) && len(text) <= refusal.MaxSlug {
		return text
	}
	var b strings.Builder
	gap := false
	for i := range len(text) {
		c := text[i]
		if c != '-' && !plaintext.Alphanumeric(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteByte(c)
	}
	slug := b.String()
	if len(slug) > refusal.MaxSlug {
		slug = slug[:refusal.MaxSlug]
	}
	return strings.Trim(slug, "-")
}
