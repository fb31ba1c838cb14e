package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Ways to name an affiliate. Rule 4.4; contract 1.5.

// Affiliate implements tributary.Program.Affiliate.
func (p *Program) Affiliate(ctx context.Context, ident string) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "Affiliate", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Affiliate, error) {
		found, err := o.Resolve(ident)
		if err != nil {
			return affiliate.Affiliate{}, err
		}
		return o.affiliateOf(found.Affiliate)
	})
}

// Answers implements tributary.Program.Answers.
func (p *Program) Answers(ctx context.Context, id uuid.UUID) (_ []affiliate.Answer, err error) {
	defer p.Begin(&ctx, "Answers", Reads).End(&err)
	return View(ctx, p, func(o *Op) ([]affiliate.Answer, error) {
		rec, err := o.AffiliateByID(id)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			err = refusal.Internal("read affiliate", err)
		}
		return slices.Clone(rec.Answers), err
	})
}

// AffiliateByEmail implements tributary.Program.AffiliateByEmail.
func (p *Program) AffiliateByEmail(ctx context.Context, email string) (_ affiliate.Affiliate, err error) {
	defer p.Begin(&ctx, "AffiliateByEmail", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Affiliate, error) {
		rec, err := o.FindAffiliateByEmail(email)
		if err != nil {
			return affiliate.Affiliate{}, err
		}
		return o.affiliateOf(rec)
	})
}

// Affiliates implements tributary.Program.Affiliates.
func (p *Program) Affiliates(ctx context.Context, pg affiliate.Page) (_ affiliate.List[affiliate.Affiliate], err error) {
	defer p.Begin(&ctx, "Affiliates", Reads).End(&err)
	l, err := p.Listing(pg, "affiliates", nil)
	if err != nil {
		return affiliate.List[affiliate.Affiliate]{}, err
	}
	return View(ctx, p, func(o *Op) (affiliate.List[affiliate.Affiliate], error) {
		return Collect(o.Tx.Affiliates, l, o.affiliateOf)
	})
}

// An Origin is what an identifier was found to name.
type Origin struct {
	Affiliate record.Affiliate
	Link      record.Link          // zero: none
	Click     record.Click         // zero: none
	late      affiliate.ClickID    // the click, if it is too old to attribute; zero: none
	by        affiliate.CreditedBy // what the identifier was
}

// A resolver finds what an identifier names, or returns ErrNotFound.
type resolver func(ident string) (Origin, error)

// Resolve finds an affiliate by external id, if the text says that it is one, else by
// click number (digits only), then by affiliate id, then by slug. A number that no click has may still be a slug. It ignores the
// age of the click, so it is for look-ups and for imports.
func (o *Op) Resolve(ident string) (Origin, error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		return o.resolveExternal(id)
	}
	ident = plaintext.Bare(ident) // before any look-up: blanks must not change the order of the look-ups
	found, err := o.resolveClick(ident)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.resolveUndated(ident)
	}
	return found, err
}

// ResolveFresh is Resolve for operations that credit an affiliate. It skips a
// click outside the attribution window and records it in the origin as late.
func (o *Op) ResolveFresh(ident string) (Origin, error) {
	if id, ok := affiliate.ExternalIn(ident); ok {
		return o.resolveExternal(id)
	}
	ident = plaintext.Bare(ident)
	found, err := o.resolveClick(ident)
	late := lateFor(&found.Click, o)
	if err == nil && late == 0 {
		return o.firstTouch(found)
	}
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return found, err
	}
	if found, err = o.resolveUndated(ident); errors.Is(err, affiliate.ErrNotFound) {
		found, err = o.resolveSlug(slugWithin(ident))
	}
	found.late = late
	return found, err
}

// resolveUndated finds an affiliate by id, then by slug.
func (o *Op) resolveUndated(ident string) (found Origin, err error) {
	if id, ok := exactID(ident); ok {
		found.by = affiliate.CreditAffiliate
		found.Affiliate, err = o.AffiliateByID(id)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return found, err
		}
	}
	return o.resolveSlug(ident)
}

// resolveExternal finds the affiliate with an external id.
func (o *Op) resolveExternal(id string) (found Origin, err error) {
	found.by = affiliate.CreditAffiliate
	found.Affiliate, err = o.affiliateByExternalID(id)
	return found, err
}

// affiliateByExternalID finds an affiliate by the host's own id of it, compared exactly.
func (o *Op) affiliateByExternalID(id string) (record.Affiliate, error) {
	if id == "" {
		return record.Affiliate{}, affiliate.ErrNotFound
	}
	rec, err := refusal.FindText(o.Tx.Affiliates, record.ByExternalID, id)
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.sellerNamed(Name{NameExternal, id})
	}
	return rec, err
}

// resolveClick finds the click with the number ident, its affiliate, and its
// link if it still exists.
func (o *Op) resolveClick(ident string) (found Origin, err error) {
	number, ok := clickNumber(ident)
	if !ok {
		return Origin{}, affiliate.ErrNotFound
	}
	found.by = affiliate.CreditClick
	if found.Click, err = o.clickNumbered(number); err != nil {
		return Origin{}, err
	}
	err = o.readClicked(&found)
	return found, err
}

func (o *Op) clickNumbered(number int64) (record.Click, error) {
	return o.Tx.Clicks.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(number)})
}

// readClicked reads the affiliate of the click, and its link if it still exists.
func (o *Op) readClicked(found *Origin) (err error) {
	if found.Click.LinkID != uuid.Nil {
		if found.Link, err = o.Tx.Links.Get(found.Click.LinkID); err != nil {
			return refusal.Internal("read link of click", err)
		}
	}
	if found.Affiliate, err = o.Tx.Affiliates.Get(found.Click.AffiliateID); err != nil {
		return refusal.Internal("read affiliate of click", err)
	}
	return nil
}

// resolveSlug finds the link with the slug and its owner. An email is no slug, though one
// may be an alias from another service: it names a customer.
func (o *Op) resolveSlug(slug string) (found Origin, err error) {
	found.by = affiliate.CreditLink
	if _, ok := mailbox.Canonical(slug); ok {
		return Origin{}, affiliate.ErrNotFound
	}
	if found.Link, err = o.LinkBySlug(slug); err != nil {
		return Origin{}, err
	}
	if found.Affiliate, err = o.Tx.Affiliates.Get(found.Link.AffiliateID); err != nil {
		return Origin{}, refusal.Internal("read owner of link", err)
	}
	return found, nil
}

// clickNumber reads a click number as it was given out: digits without sign,
// separator or leading zero that fit into an int64.
func clickNumber(s string) (int64, bool) {
	if s == "" || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// exactID reads an id in the one spelling in which ids are given out:
// 36 characters, lower case.
func exactID(s string) (uuid.UUID, bool) {
	if len(s) != 36 || plaintext.Lower(s) != s {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}

// FindAffiliateByEmail finds an affiliate by its email in any letter case. A text
// that is not an email matches nothing.
func (o *Op) FindAffiliateByEmail(email string) (record.Affiliate, error) {
	canonical, ok := mailbox.Canonical(email)
	if !ok {
		return record.Affiliate{}, affiliate.ErrNotFound
	}
	rec, err := o.Tx.Affiliates.Find(record.Key{Index: record.ByEmail, Text: canonical})
	if errors.Is(err, affiliate.ErrNotFound) {
		return o.sellerNamed(Name{NameEmail, canonical})
	}
	return rec, err
}

// AffiliateOf finds the affiliate that every given part of a reference names. When they do
// not name the same record, it returns identifiersMismatch; when none names a record,
// ErrNotFound.
func (o *Op) AffiliateOf(ref affiliate.AffiliateRef) (record.Affiliate, error) {
	if ref.ExternalID == "" {
		return o.AffiliateByIDOrEmail(ref.ID, ref.Email)
	}
	rec, err := o.affiliateByExternalID(ref.ExternalID)
	if ref.ID == uuid.Nil && ref.Email == "" {
		return rec, err
	}
	return agreed(rec, err)(o.AffiliateByIDOrEmail(ref.ID, ref.Email))
}

// AffiliateByIDOrEmail finds an affiliate by one or both identifiers. When they
// do not name the same record, it returns identifiersMismatch; when neither
// names a record, ErrNotFound.
func (o *Op) AffiliateByIDOrEmail(id uuid.UUID, email string) (record.Affiliate, error) {
	if id == uuid.Nil {
		return o.FindAffiliateByEmail(email)
	}
	byID, err := o.AffiliateByID(id)
	if email == "" {
		return byID, err
	}
	return agreed(byID, err)(o.FindAffiliateByEmail(email))
}

// agreed returns the record that both look-ups found. When neither found one, it
// returns ErrNotFound; when they did not find the same one,
// identifiersMismatch.
func agreed[R record.Record[R]](a R, aErr error) func(b R, bErr error) (R, error) {
	return func(b R, bErr error) (R, error) {
		var none R
		for _, err := range [...]error{aErr, bErr} {
			if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
				return none, err
			}
		}
		if aErr != nil && bErr != nil {
			return none, affiliate.ErrNotFound
		}
		if aErr != nil || bErr != nil || a.RecordID() != b.RecordID() {
			return none, refusal.IdentifiersMismatch.Err()
		}
		return a, nil
	}
}
