package engine

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxCookieDays is the limit of Config.CookieDays: a hundred years fit into a
// duration.
const maxCookieDays = 36_500

// lateFor returns the id of the click when it is too old to attribute anything, and
// otherwise zero. A click attributes until the end of its window, inclusive.
//
// Source: docs/money.md 14.
func lateFor(r *record.Click, o *Op) affiliate.ClickID {
	if r.ID == uuid.Nil || !o.judgedAt().After(r.CreatedAt.Add(o.ClickWindow())) {
		return 0
	}
	return affiliate.ClickID(r.Number)
}

// ClickWindow returns how long a click attributes.
func (p *Program) ClickWindow() time.Duration {
	return time.Duration(p.Cfg.CookieDays) * 24 * time.Hour
}

// TrackClick implements tributary.Program.TrackClick.
func (p *Program) TrackClick(ctx context.Context, in affiliate.NewClick) (_ affiliate.Click, err error) {
	defer p.Begin(&ctx, "TrackClick", Writes).End(&err)
	v := &visit{in: in}
	v.start(ctx, p)
	rq := Request{Name: "click.track"}
	if digests(p.Once) {
		rq.Input = in
	}
	rq.Refused = refusal.First(
		clickText("deviceId", &v.in.DeviceID),
		p.clickPage("fullLandingUrl", &v.in.LandingURL),
		p.clickPage("documentReferrer", &v.in.Referrer),
		clickText("userAgent", &v.in.UserAgent),
	)
	if rq.Refused == nil && !p.Cfg.CountBots && saysBot(in.UserAgent) {
		return affiliate.Click{}, affiliate.ErrNotFound
	}
	return Write(&v.Op, rq, v.record)
}

// A visit is the operation of one TrackClick with its input.
type visit struct {
	Op
	in affiliate.NewClick
}

func (v *visit) record() (affiliate.Click, error) {
	link, err := v.LinkBySlug(v.in.Slug)
	if errors.Is(err, affiliate.ErrNotFound) {
		link, err = v.LinkBySlug(slugWithin(v.in.Slug))
	}
	if err != nil {
		return affiliate.Click{}, err
	}
	if err := v.settleEarlier(); err != nil {
		return affiliate.Click{}, err
	}
	rec, err := v.addClick(link, v.in)
	out := clickOf(rec)
	if err == nil && v.in.Offer {
		out.Offer, err = v.offerBy(rec.AffiliateID)
	}
	return out, err
}

// offerBy returns what the link of an affiliate gives, if it gives something.
func (o *Op) offerBy(id uuid.UUID) (none affiliate.Opt[affiliate.Offer], err error) {
	aff, err := o.Tx.Affiliates.Get(id)
	if err != nil {
		return none, refusal.Internal("affiliate of a click", err)
	}
	return o.ShownOffer(&aff)
}

// settleEarlier leaves the visitor's click before this one out of the input, unless the
// program asks for it and it is there.
func (v *visit) settleEarlier() error {
	known := v.in.Earlier
	v.in.Earlier = 0
	if known <= 0 || v.Cfg.Attribution.Touch != affiliate.TouchFirst {
		return nil
	}
	_, err := v.clickNumbered(int64(known))
	if err == nil {
		v.in.Earlier = known
	}
	return IgnoreMissing(err)
}

// addClick writes a click on the link and counts it.
func (o *Op) addClick(link record.Link, in affiliate.NewClick) (record.Click, error) {
	number, err := o.Tx.Next(record.ClickSequence)
	if err != nil {
		return record.Click{}, refusal.Internal("number click", err)
	}
	rec := record.Click{
		ID: o.NewID(), Number: number, AffiliateID: link.AffiliateID, LinkID: link.ID,
		DeviceID: in.DeviceID, LandingURL: in.LandingURL, Referrer: in.Referrer, UserAgent: in.UserAgent,
		Unique: !in.Repeat, Earlier: int64(in.Earlier), CreatedAt: o.Now,
	}
	if err := o.Tx.Clicks.Insert(rec); err != nil {
		return record.Click{}, refusal.Internal("write click", err)
	}
	if err := o.Count(link.ID, Tally{Clicks: 1}); err != nil {
		return record.Click{}, refusal.Internal("count click", err)
	}
	if err := o.Count(link.AffiliateID, Tally{Clicks: 1}); err != nil {
		return record.Click{}, refusal.Internal("count click", err)
	}
	return rec, nil
}

// clickText cuts a text at maxClickText bytes, between two characters, and
// refuses a text that a store could not keep unchanged.
func clickText(field string, s *string) *affiliate.Error {
	if len(*s) > refusal.MaxClickText {
		end := refusal.MaxClickText
		for end > refusal.MaxClickText-utf8.UTFMax && !utf8.RuneStart((*s)[end]) {
			end--
		}
		*s = strings.Clone((*s)[:end]) // a record must not keep the rest in memory
	}
	if !plaintext.Valid(*s, false) {
		return refusal.FieldBadCharacters.Of(field)
	}
	return nil
}

// clickPage replaces the URL of a page by the form that a click keeps, and
// refuses invalid text.
func (p *Program) clickPage(field string, s *string) *affiliate.Error {
	if !plaintext.Valid(*s, false) {
		return refusal.FieldBadCharacters.Of(field)
	}
	*s = p.pageOf(*s)
	return nil
}

// clickOf returns the click as it is answered.
func clickOf(rec record.Click) affiliate.Click {
	return affiliate.Click{
		ID: affiliate.ClickID(rec.Number), AffiliateID: rec.AffiliateID, AffiliateLinkID: OrNull(rec.LinkID),
		ReferralID: OrNull(rec.ReferralID), DeviceID: OrNull(rec.DeviceID), UniqueClick: rec.Unique,
		FullLandingURL: OrNull(rec.LandingURL), DocumentReferrer: OrNull(rec.Referrer),
		UserAgent: OrNull(rec.UserAgent), CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()),
	}
}
