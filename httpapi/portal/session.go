package portal

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

const (
	cookieName = "tributary_portal"
	enterPath  = "enter"
	paramToken = "token"
)

// The limits of a token's lifetime.
const (
	defaultToken  = time.Minute
	shortestToken = 30 * time.Second
	longestToken  = time.Hour
)

var errNoKey = errors.New("portal: Config.Key is not set")

// Token returns a token that opens an affiliate's pages from another origin. Send the
// browser to the pages' "enter?token=" and it at once, on the click, and put it into no
// page. It lives for ttl, 30 seconds to an hour; zero: a minute. It works once. A
// browser that is in the pages as another affiliate is asked first.
//
// Errors: ttl is out of range; Config.Key is not set.
func (t *Portal) Token(of uuid.UUID, ttl time.Duration) (string, error) {
	if ttl == 0 {
		ttl = defaultToken
	}
	if ttl < shortestToken || ttl > longestToken {
		return "", errors.New("portal: a token lives for 30 seconds to an hour")
	}
	cfg := t.program.Config()
	return Token(t.cfg.Key, cfg.ID, of, cfg.Now().Add(ttl))
}

// Token is [Portal.Token] for code without a program: under the key of [Config.Key],
// until a time of the caller's clock.
//
// Errors: the key is shorter than 32 bytes.
func Token(key []byte, program, of uuid.UUID, expires time.Time) (string, error) {
	if len(key) == 0 {
		return "", errNoKey
	}
	s, err := ticket.New(ticket.Token, key)
	if err != nil {
		return "", errors.New("portal: " + err.Error())
	}
	return s.Seal(ticket.Ticket{Program: program, Affiliate: of, Expires: expires, ID: uuid.New()}), nil
}

// Enter begins a visit of an affiliate whom the host has logged in, on the same origin
// as the pages, and redirects to them; no URL carries a token. Prefix must be the path
// that the browser sees. Such a visit continues beside the login of Config.Authorize,
// also of another affiliate, until that login changes.
//
// Errors: Config.Key is not set; nothing was answered.
func (t *Portal) Enter(w http.ResponseWriter, r *http.Request, of uuid.UUID) error {
	if len(t.cfg.Key) == 0 {
		return errNoKey
	}
	path := t.cfg.Prefix
	if path == "" {
		path = "/"
	}
	t.begin(w, r, of, path)
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// atThisPath is the path of a cookie without a path: the browser uses the folder of the
// address that it asked for, part of which a proxy in between may have cut.
const atThisPath = ""

// begin sets the cookie of a visit.
func (t *Portal) begin(w http.ResponseWriter, r *http.Request, of uuid.UUID, path string) {
	cfg := t.program.Config()
	opens := ticket.Ticket{Program: cfg.ID, Affiliate: of, Expires: cfg.Now().Add(t.cfg.Session), ID: uuid.New()}
	opens.Beside, _ = t.login(r)
	http.SetCookie(w, t.cookie(r, t.visits.Seal(opens), path, int(t.cfg.Session/time.Second)))
}

// cookie returns the cookie of a visit. In a frame it is of the site around it alone: a browser
// keeps no other one in a page of another site.
func (t *Portal) cookie(r *http.Request, value, path string, age int) *http.Cookie {
	c := &http.Cookie{Name: cookieName, Value: value, Path: path, MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: page.Secure(r)}
	if t.framed(r) {
		c.SameSite, c.Secure, c.Partitioned = http.SameSiteNoneMode, true, true
	}
	return c
}

// login returns the affiliate whom the host has logged in.
func (t *Portal) login(r *http.Request) (affiliate uuid.UUID, ok bool) {
	if t.cfg.Authorize == nil {
		return uuid.Nil, false
	}
	if affiliate, ok = t.cfg.Authorize(r); !ok {
		return uuid.Nil, false
	}
	return affiliate, true
}

// visitsOf returns the visits that a request has cookies of.
func (t *Portal) visitsOf(r *http.Request) (all []ticket.Ticket) {
	if len(t.cfg.Key) == 0 {
		return nil
	}
	now := t.program.Config().Now()
	for _, c := range r.CookiesNamed(cookieName) {
		if opened, ok := t.visits.Open(c.Value, t.program.Config().ID, now); ok {
			all = append(all, opened)
		}
	}
	return all
}

// admitted finds out whose pages a request may see: those of the host's login, else
// those of a visit. A visit that was chosen beside the login continues beside it.
func (v *visit) admitted() (ok bool, err error) {
	login, known := v.login(v.R)
	for _, opened := range v.visitsOf(v.R) {
		if known && opened.Beside != login {
			continue
		}
		left, err := v.program.Partner(opened.Affiliate).Spent(v.Ctx(), leftVisit(opened))
		switch {
		case err != nil:
			return false, err
		case !left:
			v.affiliate, v.byVisit, v.session = opened.Affiliate, true, opened
			return true, nil
		}
	}
	v.affiliate = login
	return known, nil
}

// leftVisit returns what is spent when a visit is left.
func leftVisit(opened ticket.Ticket) string { return "portal-visit-" + opened.ID.String() }

// leave ends a visit, for every copy of its cookie.
func leave(v *visit) {
	if _, err := v.partner().Spend(v.Ctx(), leftVisit(v.session)); err != nil {
		v.fail(err)
		return
	}
	sent, _, _ := strings.Cut(v.R.RequestURI, "?")
	http.SetCookie(v.W, v.cookie(v.R, "", sent[:strings.LastIndexByte(sent, '/')+1], -1)) // as Enter has set it
	http.SetCookie(v.W, v.cookie(v.R, "", atThisPath, -1))
	v.profile = partner.Profile{}
	v.render(http.StatusOK, view{title: v.T("You have left"), template: "over", Data: v.cfg.Back})
}
