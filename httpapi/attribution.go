package httpapi

import (
	"context"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// clickWait is the longest time that a page or a script waits for its click to
// be recorded.
const clickWait = 3 * time.Second

// Attribution records the clicks of a host's own pages: a GET whose query has
// the program's parameter (Config.Param, else one of Config.OldParams; in any letter case, if
// none is written exactly so) is a click on the link with that slug. A query that was damaged
// on the way is read too: with a second question mark, with &amp; for &, with an escaped =.
// The click's id goes into a cookie for Config.CookieDays; a later click
// replaces it, so the last one wins. [ClickFrom] reads it at sign-up or
// checkout:
//
//	mux.Handle("/", httpapi.Attribution(program, pages))
//	…
//	res, err := program.RecordSale(ctx, affiliate.SaleParams{ReferralID: httpapi.ClickFrom(program, r), …})
//
// next always answers the page. An unknown slug, an error of the store, and a
// store that takes longer than three seconds leave the cookie as it was. Four
// kinds of requests are not counted: other methods, HEAD included; crawlers and
// link previews that say so, unless Config.CountBots; what a browser loads in
// advance (Sec-Purpose, Purpose or X-Moz says prefetch); and what it loads into
// a page (Sec-Fetch-Dest is not document), because images and frames are used to
// forge clicks. A click of a visitor who has the cookie
// already is counted as a repeated click.
//
// The cookie is of the host that was asked, and with Config.CookieDomain of all hosts of that
// domain: who clicks on www.shop.example is known at the checkout of app.shop.example.
//
// The cookie is first-party and only the server reads it: Path=/, HttpOnly,
// SameSite=Lax. A browser therefore stores it on a visit from another site, and
// does not send it with requests that such a site makes. It is Secure when the
// request came over TLS, to this server or to a proxy that says so in
// X-Forwarded-Proto. It holds the number of a click, which is no secret and no
// proof: a visitor who edits it credits another affiliate, as a visitor who
// changes the link does. A shared cache must not store an answer that sets the
// cookie.
//
// A click keeps the URL of the page and its referrer, and events contain them.
// [affiliate.ClickParams] says which parts are kept: of a query only the slug,
// utm_*, sub and Config.KeepParams.
//
// Effects: those of [tributary.Program.TrackClick].
//
// Concurrency: safe for concurrent use.
//
// Source: docs/rules.md 4.5.
func Attribution(p *tributary.Program, next http.Handler) http.Handler {
	return Visits{}.Attribution(p, next)
}

// Visits says how [Attribution] counts, beyond what the program's Config says.
type Visits struct {
	// Limit is asked before a click is recorded, and with a positive duration it is not. The
	// page is answered, and the cookie stays as it was. Give it the limiter of [Tracking]:
	// anybody can ask for pages. Nil: no limit.
	Limit func(*http.Request) (retryAfter time.Duration)
}

// Attribution is the function [Attribution] with what v says.
func (v Visits) Attribution(p *tributary.Program, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cfg := p.Config() // as the last operation read it
		if slug := slugOf(r, &cfg); slug != "" && (v.Limit == nil || v.Limit(r) <= 0) {
			if id, ok := track(p, slug, r); ok {
				cookie := &http.Cookie{
					Name: clickCookie(p), Value: strconv.FormatInt(int64(id), 10),
					Domain: domainOf(r, cfg.CookieDomain), Path: "/", MaxAge: cfg.CookieDays * 24 * 60 * 60,
					HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: overTLS(r),
				}
				http.SetCookie(w, cookie)
				r = withCookie(r, cookie)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// domainOf returns the domain of the cookie of a click: the one that hosts share where the
// request is for one of them, else none, because a browser drops a cookie of another site.
func domainOf(r *http.Request, shared string) string {
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if shared = strings.ToLower(shared); host == shared || shared != "" && strings.HasSuffix(host, "."+shared) {
		return shared
	}
	return ""
}

// ClickFrom returns the id of the click that brought the visitor, as the text that
// ReferralID of [affiliate.SaleParams] and AffiliateID of [affiliate.ReferralParams]
// take. It is empty when the request has no such cookie. It only ever has
// digits, so an edited cookie cannot name a customer by email. A cookie that is
// older than its MaxAge does no harm, because the program checks the age of the
// click.
//
// When a request is itself a click, next of [Attribution] gets the new id.
//
// Source: docs/money.md 14.
func ClickFrom(p *tributary.Program, r *http.Request) string {
	cookies := r.CookiesNamed(clickCookie(p))
	if len(cookies) == 0 {
		return ""
	}
	value := cookies[len(cookies)-1].Value
	if id, err := strconv.ParseInt(value, 10, 64); err != nil || id <= 0 || strconv.FormatInt(id, 10) != value {
		return ""
	}
	return value
}

// clickCookie names the cookie of a program. Two programs on one site number
// their clicks separately, so each has a cookie of its own.
func clickCookie(p *tributary.Program) string {
	id := p.Config().ID
	return "tributary_click_" + hex.EncodeToString(id[:])
}

// slugOf returns the slug that a visitor came with; empty when the request is no
// click. The rest of the query is ignored, even when it is malformed.
func slugOf(r *http.Request, cfg *tributary.Config) string {
	if r.Method != http.MethodGet || r.URL.RawQuery == "" || inAdvance(r.Header) {
		return ""
	}
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return ""
	}
	exact := func(a, b string) bool { return a == b }
	for _, same := range [...]func(a, b string) bool{exact, strings.EqualFold} {
		for _, param := range append([]string{cfg.Param}, cfg.OldParams...) {
			for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
				if slug := slugIn(pair, func(name string) bool { return same(name, param) }); slug != "" {
					return slug
				}
			}
		}
	}
	return ""
}

// slugIn returns the value of a pair of a query whose name is the one; empty: there is none. The
// pair may be damaged: by &amp; or an escaped & before it, an escaped =, or a second question mark
// before it, unless that is in a URL, whose query is of another page.
func slugIn(pair string, is func(name string) bool) string {
	key, value, plain := strings.Cut(strings.TrimPrefix(pair, "amp;"), "=")
	name, err := url.QueryUnescape(key)
	if text, err := url.QueryUnescape(value); err == nil {
		value = text
	}
	if err == nil && plain && is(strings.TrimSpace(name)) {
		return value
	}
	for one := range strings.SplitSeq(name, "&") { // all of it was escaped
		if name, value, found := strings.Cut(one, "="); found && !plain && err == nil && is(name) {
			return value
		}
	}
	for _, sign := range [...]string{"?", "%26"} {
		if before, after, again := strings.Cut(pair, sign); again && !strings.ContainsAny(before, "/%") {
			return slugIn(after, is)
		}
	}
	return ""
}

// inAdvance reports whether a browser loads a page in advance: its user may
// never see it.
func inAdvance(h http.Header) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.HasPrefix(h.Get(name), "prefetch") {
			return true
		}
	}
	return false
}

// track records the click of a visitor.
func track(p *tributary.Program, slug string, r *http.Request) (affiliate.ClickID, bool) {
	ctx, cancel := context.WithTimeout(r.Context(), clickWait)
	defer cancel()
	before := ClickFrom(p, r)
	click, err := p.TrackClick(ctx, affiliate.ClickParams{
		Slug:       slug,
		LandingURL: plainText(landing(r)),
		Referrer:   headerValue(r.Header, "Referer"),
		UserAgent:  headerValue(r.Header, "User-Agent"),
		Repeat:     before != "",
		Earlier:    clickOf(before),
	})
	return click.ID, err == nil
}

// clickOf returns the click that a text of ClickFrom names; zero: none.
func clickOf(text string) affiliate.ClickID {
	n, _ := strconv.ParseInt(text, 10, 64)
	return affiliate.ClickID(n)
}

// landing returns the URL that the visitor asked for.
func landing(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host, u.User = "http", r.Host, nil
	if overTLS(r) {
		u.Scheme = "https"
	}
	return u.String()
}

// overTLS reports whether the visitor's browser used TLS. A visitor who invents
// the header changes only his own cookie.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// withCookie returns the request as it would be if the browser had sent the
// cookie.
func withCookie(r *http.Request, c *http.Cookie) *http.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.AddCookie(c)
	return r
}
