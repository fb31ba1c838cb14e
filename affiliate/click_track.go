package affiliate

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// lateFor is the id of the click when it is too old to attribute anything, and
// otherwise zero. A click attributes until the end of its window, inclusive.
//
// Source: docs/money.md 14.
func (r *ClickRecord) lateFor(o *op) ClickID {
	if r.ID == uuid.Nil || !o.judgedAt().After(r.CreatedAt.Add(o.clickWindow())) {
		return 0
	}
	return ClickID(r.Number)
}

// clickWindow is how long a click attributes.
func (p *Program) clickWindow() time.Duration {
	return time.Duration(p.cfg.CookieDays) * 24 * time.Hour
}

// TrackClick records a visit through the link with the slug. The status of its
// owner does not matter.
//
// Errors: [ErrNotFound] when no live link has the slug; [InvalidField] for a
// text that is not valid UTF-8 or holds control characters.
//
// Effects: the click, and the totals of the link and the affiliate; no event.
//
// Source: docs/rules.md 4.5; docs/contract.md 2.11, 5.1.
func (p *Program) TrackClick(ctx context.Context, in NewClick) (_ Click, err error) {
	defer p.begin(&ctx, "TrackClick", writes).end(&err)
	v := &visit{in: in}
	v.start(ctx, p)
	rq := request{name: "click.track"}
	if p.once.digests() {
		rq.input = in
	}
	rq.refused = first(
		clickText("deviceId", &v.in.DeviceID),
		p.clickPage("fullLandingUrl", &v.in.LandingURL),
		p.clickPage("documentReferrer", &v.in.Referrer),
		clickText("userAgent", &v.in.UserAgent),
	)
	return write(&v.op, rq, v.record)
}

// A visit is the operation of one TrackClick with its input.
type visit struct {
	op
	in NewClick
}

func (v *visit) record() (Click, error) {
	link, err := v.linkBySlug(v.in.Slug)
	if err != nil {
		return Click{}, err
	}
	rec, err := v.addClick(link, v.in)
	return clickOf(rec), err
}

// addClick writes a click on the link and counts it.
func (o *op) addClick(link LinkRecord, in NewClick) (ClickRecord, error) {
	number, err := o.tx.Next(ClickSequence)
	if err != nil {
		return ClickRecord{}, internal("number click", err)
	}
	rec := ClickRecord{
		ID: o.newID(), Number: number, AffiliateID: link.AffiliateID, LinkID: link.ID,
		DeviceID: in.DeviceID, LandingURL: in.LandingURL, Referrer: in.Referrer, UserAgent: in.UserAgent,
		Unique: !in.Repeat, CreatedAt: o.now,
	}
	if err := o.tx.Clicks.Insert(rec); err != nil {
		return ClickRecord{}, internal("write click", err)
	}
	if err := o.count(link.ID, tally{clicks: 1}); err != nil {
		return ClickRecord{}, internal("count click", err)
	}
	if err := o.count(link.AffiliateID, tally{clicks: 1}); err != nil {
		return ClickRecord{}, internal("count click", err)
	}
	return rec, nil
}

// clickText cuts a text at maxClickText bytes, between two characters, and
// refuses a text that a store could not keep unchanged.
func clickText(field string, s *string) *Error {
	if len(*s) > maxClickText {
		end := maxClickText
		for end > maxClickText-utf8.UTFMax && !utf8.RuneStart((*s)[end]) {
			end--
		}
		*s = strings.Clone((*s)[:end]) // a record must not keep the rest in memory
	}
	if !plaintext.Valid(*s, false) {
		return FieldBadCharacters.Of(field)
	}
	return nil
}

// clickPage replaces the URL of a page by the form that a click keeps, and
// refuses invalid text.
func (p *Program) clickPage(field string, s *string) *Error {
	if !plaintext.Valid(*s, false) {
		return FieldBadCharacters.Of(field)
	}
	*s = p.pageOf(*s)
	return nil
}

// clickOf is the click as it is answered.
func clickOf(rec ClickRecord) Click {
	return Click{
		ID: ClickID(rec.Number), AffiliateID: rec.AffiliateID, AffiliateLinkID: orNull(rec.LinkID),
		ReferralID: orNull(rec.ReferralID), DeviceID: orNull(rec.DeviceID), UniqueClick: rec.Unique,
		FullLandingURL: orNull(rec.LandingURL), DocumentReferrer: orNull(rec.Referrer),
		UserAgent: orNull(rec.UserAgent), CreatedAt: TimeOf(rec.CreatedAt.Time()),
	}
}
