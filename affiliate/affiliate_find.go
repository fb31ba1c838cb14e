package affiliate

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// Ways to name an affiliate. Rule 4.4; contract 1.5.

// Affiliate returns the affiliate that ident names. When ident has only digits,
// it is the affiliate of the click with that number; else the affiliate with
// that id; else the owner of that slug. An id must be spelled as it was given
// out; a slug matches in any letter case.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.1; docs/rules.md 4.4.
func (p *Program) Affiliate(ctx context.Context, ident string) (_ Affiliate, err error) {
	defer p.begin(&ctx, "Affiliate", reads).end(&err)
	return view(ctx, p, func(o *op) (Affiliate, error) {
		found, err := o.resolve(ident)
		if err != nil {
			return Affiliate{}, err
		}
		return o.affiliateOf(found.affiliate)
	})
}

// AffiliateByEmail returns the affiliate with the email, in any letter case.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 3.1.
func (p *Program) AffiliateByEmail(ctx context.Context, email string) (_ Affiliate, err error) {
	defer p.begin(&ctx, "AffiliateByEmail", reads).end(&err)
	return view(ctx, p, func(o *op) (Affiliate, error) {
		rec, err := o.affiliateByEmail(email)
		if err != nil {
			return Affiliate{}, err
		}
		return o.affiliateOf(rec)
	})
}

// Affiliates lists the affiliates of the program, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 3.1.
func (p *Program) Affiliates(ctx context.Context, pg Page) (_ List[Affiliate], err error) {
	defer p.begin(&ctx, "Affiliates", reads).end(&err)
	l, err := p.listing(pg, "affiliates", nil)
	if err != nil {
		return List[Affiliate]{}, err
	}
	return view(ctx, p, func(o *op) (List[Affiliate], error) {
		return collect(o.tx.Affiliates, l, o.affiliateOf)
	})
}

// An origin is what an identifier was found to name.
type origin struct {
	affiliate AffiliateRecord
	link      LinkRecord  // zero: none
	click     ClickRecord // zero: none
	late      ClickID     // a click that is too old to attribute; zero: none
	by        CreditedBy  // what the identifier was
}

// A resolver finds what an identifier names, or returns ErrNotFound.
type resolver func(ident string) (origin, error)

// resolve finds an affiliate by click number (digits only), then by affiliate
// id, then by slug. A number of no click may still be a slug. It is for
// look-ups and for imports: it ignores the age of the click.
func (o *op) resolve(ident string) (origin, error) {
	ident = plaintext.Bare(ident) // before any look-up: the order of these must not depend on blanks
	found, err := o.resolveClick(ident)
	if errors.Is(err, ErrNotFound) {
		return o.resolveUndated(ident)
	}
	return found, err
}

// resolveFresh is resolve for operations that credit an affiliate. It skips a
// click outside the attribution window and notes it as late in the origin.
func (o *op) resolveFresh(ident string) (origin, error) {
	ident = plaintext.Bare(ident)
	found, err := o.resolveClick(ident)
	late := found.click.lateFor(o)
	if err == nil && late == 0 || err != nil && !errors.Is(err, ErrNotFound) {
		return found, err
	}
	found, err = o.resolveUndated(ident)
	found.late = late
	return found, err
}

// resolveUndated finds an affiliate by id, then by slug.
func (o *op) resolveUndated(ident string) (found origin, err error) {
	if id, ok := exactID(ident); ok {
		found.by = CreditAffiliate
		found.affiliate, err = o.tx.Affiliates.Get(id)
		if !errors.Is(err, ErrNotFound) {
			return found, err
		}
	}
	return o.resolveSlug(ident)
}

// resolveClick finds the click with the number ident, its affiliate, and its
// link if it still exists.
func (o *op) resolveClick(ident string) (found origin, err error) {
	number, ok := clickNumber(ident)
	if !ok {
		return origin{}, ErrNotFound
	}
	found.by = CreditClick
	found.click, err = o.tx.Clicks.Find(Key{Index: ByNumber, ID: numberID(number)})
	if err != nil {
		return origin{}, err
	}
	if found.click.LinkID != uuid.Nil {
		if found.link, err = o.tx.Links.Get(found.click.LinkID); err != nil {
			return origin{}, internal("read link of click", err)
		}
	}
	if found.affiliate, err = o.tx.Affiliates.Get(found.click.AffiliateID); err != nil {
		return origin{}, internal("read affiliate of click", err)
	}
	return found, nil
}

// resolveSlug finds the link with the slug and its owner.
func (o *op) resolveSlug(slug string) (found origin, err error) {
	found.by = CreditLink
	if found.link, err = o.linkBySlug(slug); err != nil {
		return origin{}, err
	}
	if found.affiliate, err = o.tx.Affiliates.Get(found.link.AffiliateID); err != nil {
		return origin{}, internal("read owner of link", err)
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

// affiliateByEmail finds an affiliate by its email in any letter case. A text
// that is not an email matches nothing.
func (o *op) affiliateByEmail(email string) (AffiliateRecord, error) {
	canonical, ok := mailbox.Canonical(email)
	if !ok {
		return AffiliateRecord{}, ErrNotFound
	}
	return o.tx.Affiliates.Find(Key{Index: ByEmail, Text: canonical})
}

// affiliateByIDOrEmail finds an affiliate by one or both identifiers. When they
// do not name the same record, it returns identifiersMismatch; when neither
// names a record, ErrNotFound.
func (o *op) affiliateByIDOrEmail(id uuid.UUID, email string) (AffiliateRecord, error) {
	if id == uuid.Nil {
		return o.affiliateByEmail(email)
	}
	byID, err := o.tx.Affiliates.Get(id)
	if email == "" {
		return byID, err
	}
	return agreed(byID, err)(o.affiliateByEmail(email))
}

// agreed is the record that both look-ups found. When neither found one, it
// returns ErrNotFound; when they did not find the same one,
// identifiersMismatch.
func agreed[R Record[R]](a R, aErr error) func(b R, bErr error) (R, error) {
	return func(b R, bErr error) (R, error) {
		var none R
		for _, err := range [...]error{aErr, bErr} {
			if err != nil && !errors.Is(err, ErrNotFound) {
				return none, err
			}
		}
		if aErr != nil && bErr != nil {
			return none, ErrNotFound
		}
		if aErr != nil || bErr != nil || a.RecordID() != b.RecordID() {
			return none, identifiersMismatch.Err()
		}
		return a, nil
	}
}
