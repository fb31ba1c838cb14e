package engine

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
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
func (p *Program) TrackClick(ctx context.Context, in affiliate.ClickParams) (_ affiliate.Click, err error) {
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
	in affiliate.ClickParams
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

// settleEarlier leaves the visitor's click before this one out of the input, unless it is there.
func (v *visit) settleEarlier() error {
	known := v.in.Earlier
	v.in.Earlier = 0
	if known <= 0 {
		return nil
	}
	_, err := v.clickNumbered(int64(known))
	if err == nil {
		v.in.Earlier = known
	}
	return IgnoreMissing(err)
}

// addClick writes a click on the link and counts it.
func (o *Op) addClick(link record.Link, in affiliate.ClickParams) (record.Click, error) {
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

// A pageURL builds the URL of a page that a click keeps: ASCII, at most
// maxClickText bytes.
type pageURL struct {
	text strings.Builder
	full bool
}

// pageOf returns the URL of a page in the form that a click keeps: scheme, host,
// port and path, and from the query the parameters that the program keeps,
// spelled as they were. It is empty for a text that is not an http or https URL.
// Anybody can send such a URL, and hosts and webhooks receive it, so neither a
// script nor the rest of the visitor's query may pass.
//
// Source: docs/contract.md 5.1.
func (p *Program) pageOf(raw string) string {
	raw, _, _ = strings.Cut(raw, "#")
	raw, query, _ := strings.Cut(raw, "?")
	scheme, rest := pageScheme(raw)
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if scheme == "" || !validHostPort(host) {
		return ""
	}
	var k pageURL
	k.text.Grow(min(len(scheme)+len(host)+len(path)+len(query)+1, refusal.MaxClickText))
	k.text.WriteString(scheme)
	k.text.WriteString(host)
	k.add(path)
	separator := "?"
	for query != "" && !k.full {
		var pair string
		if pair, query, _ = strings.Cut(query, "&"); !p.keepsParam(pair) {
			continue
		}
		k.add(separator)
		k.add(pair)
		separator = "&"
	}
	return k.text.String()
}

// pageScheme cuts off the scheme of a page. The scheme is empty for any other
// text.
func pageScheme(raw string) (scheme, rest string) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(raw) > len(scheme) && plaintext.Lower(raw[:len(scheme)]) == scheme {
			return scheme, raw[len(scheme):]
		}
	}
	return "", raw
}

// validHostPort reports whether s is a host name or an address, with or without
// a port.
func validHostPort(s string) bool {
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
	}
	if len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && addr.Is6() && addr.Zone() == "" && strings.HasSuffix(inner, "]")
	}
	return refusal.ValidHost(strings.TrimSuffix(host, "."))
}

// ParamSub is the query parameter with the partner's own mark of where a visit came from.
const ParamSub = "sub"

// keepsParam reports whether a click keeps a parameter of a query: that of the
// slug, the partner's mark, those of campaigns, and those that the host configured.
func (p *Program) keepsParam(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	if strings.IndexByte(name, '%') >= 0 || strings.IndexByte(name, '+') >= 0 {
		var err error
		if name, err = url.QueryUnescape(name); err != nil {
			return false
		}
	}
	return name == p.Cfg.Param || slices.Contains(p.Cfg.OldParams, name) || name == ParamSub ||
		strings.HasPrefix(name, "utm_") || slices.Contains(p.Cfg.KeepParams, name)
}

// add appends a part of the URL until the limit is reached, and escapes unsafe
// characters. It never cuts an escape in two.
func (k *pageURL) add(part string) {
	for part != "" && !k.full {
		n, room := safeLen(part), refusal.MaxClickText-k.text.Len()
		if n > 0 {
			k.full = n > room
			k.text.WriteString(part[:min(n, room)])
		} else if k.full = room < len("%XX"); !k.full {
			n = k.escape(part)
		}
		part = part[n:]
	}
}

// escape appends the first character of a part, escaped unless it is an escape
// already, and returns how many bytes of the part that is.
func (k *pageURL) escape(part string) int {
	const digits = "0123456789ABCDEF"
	if len(part) > 2 && part[0] == '%' && isHex(part[1]) && isHex(part[2]) {
		k.text.WriteString(part[:3])
		return 3
	}
	k.text.Write([]byte{'%', digits[part[0]>>4], digits[part[0]&15]})
	return 1
}

// safeLen returns the number of bytes at the start of a part that need no
// escape.
func safeLen(part string) int {
	for i := range len(part) {
		if !safe(part[i]) {
			return i
		}
	}
	return len(part)
}

// safe reports whether c needs no escape.
func safe(c byte) bool {
	switch c {
	case '-', '.', '_', '~', '!', '$', '&', '(', ')', '*', '+', ',', ';', '=', ':', '@', '/', '?', '[', ']':
		return true
	}
	return plaintext.Alphanumeric(c)
}

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// botMarks are parts of the User-Agent, in lower case, by which crawlers, link previews and
// monitors say what they are. The names are those that several entries of the list
// github.com/monperrus/crawler-user-agents of 2026-07-02 (commit 7c7f9f25) have in common; they
// find three quarters of its 2,116 examples. The others are mostly libraries for HTTP,
// with which hosts report the clicks of people too.
var botMarks = []string{
	"bot", "crawl", "spider", "slurp", "scrap", "preview", "archiver", "validator", "checker",
	"scanner", "grabber", "+http", "(http", "; http", "facebookexternalhit", "facebookcatalog",
	"meta-external", "whatsapp", "vkshare", "pinterest/0", "flipboardproxy", "embedly", "iframely",
	"feedfetcher", "mediapartners-google", "apis-google", "googleother", "google-read-aloud",
	"inspectiontool", "site-verification", "chatgpt-user", "claude-user", "perplexity-user",
	"mistralai-user", "headless", "phantomjs", "lighthouse", "pingdom", "statuscake", "synthetics",
	"monitoring", "netcraft", "nutch", "heritrix",
}

// saysBot reports whether a User-Agent says that nobody reads the page. Cubot makes telephones.
func saysBot(userAgent string) bool {
	text := strings.ReplaceAll(plaintext.Lower(userAgent), "cubot", "")
	return slices.ContainsFunc(botMarks, func(mark string) bool { return strings.Contains(text, mark) })
}
