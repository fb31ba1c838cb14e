package httpapi

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// clickWait is how long a page or a script waits for its click to be recorded.
const clickWait = 3 * time.Second

// Attribution records the clicks of a host's own pages: a GET whose query has
// the program's parameter (Config.Param) is a click on the link with that slug.
// The click's id goes into a cookie for Config.CookieDays; a later click
// replaces it, so the last one wins. At sign-up or checkout [ClickFrom] reads it
// back:
//
//	mux.Handle("/", httpapi.Attribution(program, pages))
//	…
//	program.RecordSale(ctx, affiliate.NewSale{ReferralID: httpapi.ClickFrom(program, r), …})
//
// next always answers the page. An unknown slug, an error of the store, and a
// store that takes longer than three seconds leave the cookie as it was. Not
// counted are other methods, HEAD included, what a browser loads in advance
// (Sec-Purpose, Purpose or X-Moz says prefetch), and what it loads into a page
// instead of showing it as one (Sec-Fetch-Dest is not document): images and
// frames are how clicks are forged. A visitor who has the cookie already makes a
// repeated click.
//
// The cookie is first-party and for the server alone: Path=/, HttpOnly,
// SameSite=Lax, so that it is kept on a visit from another site and not sent
// with requests that such a site makes; Secure when the request came over TLS,
// here or at a proxy that says so in X-Forwarded-Proto. It holds the number of
// a click, which is no secret and no proof: whoever edits it credits another
// affiliate, as with a link. An answer that sets it must not be kept by a shared
// cache.
//
// Of the URL of the page and of its referrer, which go out with events, a click
// keeps what [affiliate.NewClick] says: of a query the slug, utm_* and
// Config.KeepParams, and nothing else.
//
// Effects: those of [affiliate.Program.TrackClick].
//
// Concurrency: safe for concurrent use.
//
// Source: docs/rules.md 4.5.
func Attribution(p *affiliate.Program, next http.Handler) http.Handler {
	cfg := p.Config()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slug := slugOf(r, cfg.Param); slug != "" {
			if id, ok := track(p, slug, r); ok {
				cookie := &http.Cookie{
					Name: clickCookie(p), Value: strconv.FormatInt(int64(id), 10),
					Path: "/", MaxAge: cfg.CookieDays * 24 * 60 * 60,
					HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: overTLS(r),
				}
				http.SetCookie(w, cookie)
				r = withCookie(r, cookie)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ClickFrom is the id of the click that brought the visitor, as the text that
// ReferralID of [affiliate.NewSale] and AffiliateID of [affiliate.NewReferral]
// take. It is empty when there is none, and never anything but digits: a cookie
// that was edited cannot name a customer by email. A cookie that was kept for too
// long does no harm: the program looks at the age of the click.
//
// Of a request that is a click itself, next of [Attribution] sees the new id.
//
// Source: docs/money.md 14.
func ClickFrom(p *affiliate.Program, r *http.Request) string {
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

// clickCookie names the cookie of a program. The numbers of two programs on one
// site mean different clicks, so they do not share one.
func clickCookie(p *affiliate.Program) string {
	id := p.Config().ID
	return "tributary_click_" + hex.EncodeToString(id[:])
}

// slugOf is the slug that a visitor came with; empty when the request is no
// click. Whatever else is in the query, however malformed, is not ours.
func slugOf(r *http.Request, param string) string {
	if r.Method != http.MethodGet || r.URL.RawQuery == "" || inAdvance(r.Header) {
		return ""
	}
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return ""
	}
	return r.URL.Query().Get(param)
}

// inAdvance tells a request for a page that nobody may ever look at.
func inAdvance(h http.Header) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.HasPrefix(h.Get(name), "prefetch") {
			return true
		}
	}
	return false
}

// track records the click of a visitor.
func track(p *affiliate.Program, slug string, r *http.Request) (affiliate.ClickID, bool) {
	ctx, cancel := context.WithTimeout(r.Context(), clickWait)
	defer cancel()
	click, err := p.TrackClick(ctx, affiliate.NewClick{
		Slug:       slug,
		LandingURL: plainText(landing(r)),
		Referrer:   headerValue(r.Header, "Referer"),
		UserAgent:  headerValue(r.Header, "User-Agent"),
		Repeat:     ClickFrom(p, r) != "",
	})
	return click.ID, err == nil
}

// landing is the URL that the visitor asked for.
func landing(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host, u.User = "http", r.Host, nil
	if overTLS(r) {
		u.Scheme = "https"
	}
	return u.String()
}

// overTLS reports whether the visitor's browser used TLS. Who makes the header up
// fools nobody else.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// withCookie is the request as if the browser had sent the cookie.
func withCookie(r *http.Request, c *http.Cookie) *http.Request {
	r = r.WithContext(r.Context())
	r.Header = r.Header.Clone()
	r.AddCookie(c)
	return r
}
