package portal

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

const (
	cookieName = "tributary_portal"
	enterPath  = "enter"
	paramToken = "token"
)

// How long a token may live.
const (
	defaultToken  = time.Minute
	shortestToken = 30 * time.Second
	longestToken  = time.Hour
)

var errNoKey = errors.New("portal: Config.Key is not set")

// Token returns a token that opens an affiliate's pages from another origin: send
// the browser to the pages' "enter?token=" and it at once, on the click, and put
// it into no page. It lives for ttl, 30 seconds to an hour; zero: a minute. It can
// be used again until then.
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

// Token is [Portal.Token] where there is no program: under the key of
// [Config.Key], until a time of the caller's clock.
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
	return s.Seal(ticket.Ticket{Program: program, Affiliate: of, Expires: expires}), nil
}

// Enter begins a visit of an affiliate whom the host has logged in, on the same
// origin as the pages, and leads to them: nothing is in a URL. Prefix must be the
// path that the browser sees.
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

// enter begins a visit with a token, and leads to the overview, so that the token
// leaves the address bar.
func (v *visit) enter() {
	if v.r.Method != http.MethodGet {
		v.methodNotAllowed("GET")
		return
	}
	if len(v.cfg.Key) == 0 {
		v.over()
		return
	}
	opened, ok := v.tokens.Open(v.r.URL.Query().Get(paramToken), v.program.Config().ID, v.now())
	if !ok {
		v.over()
		return
	}
	sent, _, _ := strings.Cut(v.r.RequestURI, "?")
	v.begin(v.w, v.r, opened.Affiliate, sent[:strings.LastIndexByte(sent, '/')+1])
	v.w.Header().Set("Location", v.root)
	v.w.WriteHeader(http.StatusSeeOther)
}

// begin sets the cookie of a visit.
func (t *Portal) begin(w http.ResponseWriter, r *http.Request, of uuid.UUID, path string) {
	cfg := t.program.Config()
	text := t.visits.Seal(ticket.Ticket{Program: cfg.ID, Affiliate: of, Expires: cfg.Now().Add(t.cfg.Session)})
	http.SetCookie(w, t.cookie(r, text, path, int(t.cfg.Session/time.Second)))
}

func (t *Portal) cookie(r *http.Request, value, path string, age int) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: path, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: !loopback(r.Host)}
}

// loopback reports whether a host is this machine, where cookies need no TLS.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// Many are the pages of several programs at one place: the token or the visit of a
// request says of which. Who has neither gets the first one's answer.
func Many(first *Portal, others ...*Portal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, t := range others {
			if t.opens(r) {
				t.ServeHTTP(w, r)
				return
			}
		}
		first.ServeHTTP(w, r)
	})
}

// opens reports whether a request has a token or a visit of this program.
func (t *Portal) opens(r *http.Request) bool {
	if len(t.cfg.Key) == 0 {
		return false
	}
	now := t.program.Config().Now()
	_, byToken := t.tokens.Open(r.URL.Query().Get(paramToken), t.program.Config().ID, now)
	_, byVisit := t.visit(r, now)
	return byToken || byVisit
}

// visit is the visit of a request, if it has one.
func (t *Portal) visit(r *http.Request, now time.Time) (opened ticket.Ticket, ok bool) {
	for _, c := range r.CookiesNamed(cookieName) {
		if opened, ok = t.visits.Open(c.Value, t.program.Config().ID, now); ok {
			break
		}
	}
	return opened, ok
}

// admitted finds out whose pages a request may see: by a visit, else by the
// host's login.
func (v *visit) admitted() bool {
	if len(v.cfg.Key) > 0 {
		if opened, ok := v.visit(v.r, v.now()); ok {
			v.affiliate, v.byVisit = opened.Affiliate, true
			return true
		}
	}
	if v.cfg.Authorize == nil {
		return false
	}
	id, ok := v.cfg.Authorize(v.r)
	v.affiliate = id
	return ok
}

// leave ends a visit.
func leave(v *visit) {
	sent, _, _ := strings.Cut(v.r.RequestURI, "?")
	http.SetCookie(v.w, v.cookie(v.r, "", sent[:strings.LastIndexByte(sent, '/')+1], -1))
	v.profile = affiliate.PartnerProfile{}
	v.render(http.StatusOK, view{title: "You have left", template: "over", Data: v.cfg.Back})
}
