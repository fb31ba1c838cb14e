package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

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
		return affiliate.Link{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.BySlug: refusal.SlugTaken.On("newLink")})
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
	rq := Request{Name: "link.release", Input: slug, Refused: refusal.First(linkTextMissing(slug, refusal.LinkRequired))}
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
