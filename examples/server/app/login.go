package app

import (
	"context"
	_ "embed" // the form and its style
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// The paths of the console and of its login.
const (
	consolePath = "/console/"
	signInPath  = consolePath + "sign-in"
	signOut     = "sign-out"
	signOutPath = consolePath + signOut
	stylePath   = consolePath + "sign-in.css"
)

const (
	sessionCookie = "tributary_console"
	maxForm       = 16 << 10 // bytes
)

//go:embed login.html
var loginText string

//go:embed login.css
var loginStyle string

// A login lets those who know a key into the console of the key's program: a
// key of the scope full to all of it, a key of the scope read to its pages
// without forms. Nothing that it answers tells a key that may not use the
// console from one that does not exist.
type login struct {
	auth      httpapi.Authority
	desks     map[*tributary.Program]desk
	closed    *console.Console // for who is not signed in: it keeps a form that was filled in, and denies all else
	sessions  *sessions
	tries     *tries
	crossSite *http.CrossOriginProtection
	logger    *slog.Logger
	template  *template.Template
}

// A desk has the two consoles of a program.
type desk struct{ full, read *console.Console }

// newLogin makes the consoles of all programs, which lead to the partner pages. Their
// actions go to the logger.
func newLogin(auth httpapi.Authority, programs []*tributary.Program, partner *portal.Portal, set settings, logger *slog.Logger) (*login, error) {
	l := &login{
		auth: auth, sessions: newSessions(set.now, set.rand), tries: newTries(set.now), crossSite: http.NewCrossOriginProtection(),
		logger: logger, template: template.Must(template.New("login").Parse(loginText)),
	}
	cfg := console.Config{Prefix: consolePath, Authorize: keyName, Denied: http.HandlerFunc(l.deny), SignOut: signOut, PartnerPages: partner.As, Logger: logger}
	full, err := console.New(programs[0], cfg)
	if err != nil {
		return nil, err
	}
	cfg.ReadOnly = true
	read, err := console.New(programs[0], cfg)
	if err != nil {
		return nil, err
	}
	l.desks, l.closed = map[*tributary.Program]desk{}, full
	for _, p := range programs {
		l.desks[p] = desk{full.For(p), read.For(p)}
	}
	return l, nil
}

// grantKey is where the context of a request has what its session opens.
type grantKey struct{}

// keyName returns the console's Authorize.
func keyName(r *http.Request) (actor string, ok bool) {
	access, ok := r.Context().Value(grantKey{}).(httpapi.Access)
	return access.KeyName, ok
}

func (l *login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	post := r.Method == http.MethodPost
	if r.URL.Path == signInPath {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	}
	switch at := r.URL.Path; {
	case at+"/" == consolePath:
		w.Header().Set("Location", (&url.URL{Path: "." + consolePath, RawQuery: r.URL.RawQuery}).String())
		w.WriteHeader(http.StatusPermanentRedirect)
	case at == stylePath:
		protect(w.Header())
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(loginStyle))
	case at == signOutPath && !post:
		w.Header().Set("Allow", http.MethodPost)
		l.show(w, r, http.StatusMethodNotAllowed, "")
	case (at == signInPath || at == signOutPath) && post && l.crossSite.Check(r) != nil:
		l.show(w, r, http.StatusForbidden, "This form came from another site. Nothing was done.")
	case at == signInPath && post:
		l.signIn(w, r)
	case at == signOutPath:
		l.signOut(w, r)
	default:
		l.enter(w, r)
	}
}

// enter answers with the console that the session opens, or with the form.
func (l *login) enter(w http.ResponseWriter, r *http.Request) {
	id := sessionOf(r)
	key, signedIn := l.sessions.find(id)
	if !signedIn {
		l.closed.ServeHTTP(w, r)
		return
	}
	access, found, err := l.open(r.Context(), key)
	switch {
	case refused(err): // the key was taken back
		l.sessions.end(id)
		l.show(w, r, http.StatusForbidden, "Your session has ended. Nothing was done.")
	case err != nil:
		l.fail(w, r, err)
	case r.URL.Path == signInPath:
		lead(w, r, "", http.StatusSeeOther)
	default:
		found.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), grantKey{}, access)))
	}
}

// deny answers who is not signed in with the form.
func (l *login) deny(w http.ResponseWriter, r *http.Request) {
	text := ""
	if r.Method == http.MethodPost {
		text = "You are not signed in, or your session has ended. Nothing was done."
	}
	l.show(w, r, http.StatusForbidden, text)
}

// open returns the console that a key opens. It asks for every request, so a key
// that is taken back loses its sessions, and one whose scope changes its rights.
func (l *login) open(ctx context.Context, key string) (httpapi.Access, *console.Console, error) {
	access, err := l.auth(ctx, key)
	if err != nil {
		return httpapi.Access{}, nil, err
	}
	var found *console.Console
	switch desk := l.desks[access.Program]; access.Scope {
	case "", httpapi.ScopeFull:
		found = desk.full
	case httpapi.ScopeRead:
		found = desk.read
	}
	if found == nil {
		return httpapi.Access{}, nil, httpapi.RefuseToken()
	}
	return access, found, nil
}

// signIn begins a session for the key of the form.
func (l *login) signIn(w http.ResponseWriter, r *http.Request) {
	key := wellFormed(strings.TrimSpace(r.PostFormValue("key")))
	_, _, err := l.open(r.Context(), key)
	if refused(err) {
		l.wrong(w, r)
		return
	}
	if err != nil {
		l.fail(w, r, err)
		return
	}
	l.sessions.end(sessionOf(r))
	id, err := l.sessions.begin(key)
	if err != nil {
		l.fail(w, r, err)
		return
	}
	setSession(w, r, id, 0)
	lead(w, r, inConsole(r.PostFormValue("next")), http.StatusSeeOther)
}

// wrong answers a key that does not open the console.
func (l *login) wrong(w http.ResponseWriter, r *http.Request) {
	wait := l.tries.wrong(source(r.RemoteAddr))
	if wait == 0 {
		l.show(w, r, http.StatusForbidden, "This key does not open the console.")
		return
	}
	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	w.Header().Set("Retry-After", seconds)
	l.show(w, r, http.StatusTooManyRequests, "This key does not open the console. Too many wrong keys came from your address: wait for "+seconds+" seconds before you try another.")
}

// signOut ends the session of the request, for every browser that has its cookie.
func (l *login) signOut(w http.ResponseWriter, r *http.Request) {
	l.sessions.end(sessionOf(r))
	setSession(w, r, "", -1)
	lead(w, r, "", http.StatusSeeOther)
}

// root returns the way from the page of a request to the console, as browsers see it: a
// proxy may have cut the path, so no address of the login begins at the top.
func root(r *http.Request) string {
	return "./" + strings.Repeat("../", max(0, strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), consolePath), "/")))
}

// lead sends the browser to an address below the console.
func lead(w http.ResponseWriter, r *http.Request, to string, status int) {
	w.Header().Set("Location", root(r)+to)
	w.WriteHeader(status)
}

// refused reports whether an authority said no, and not that it could not say.
func refused(err error) bool {
	_, no := errors.AsType[*affiliate.Error](err)
	return no
}

// wellFormed returns a key as an Authority takes it. In the place of what cannot be a
// key stands one that is too short to exist, so that the work is the same.
func wellFormed(key string) string {
	if key == "" || len(key) > 256 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "-"
	}
	return key
}

// inConsole returns where the browser goes after the form: the page of the console that
// was asked for, as an address below the console, never another place. Only path and
// query are taken.
func inConsole(next string) string {
	u, err := url.Parse("./" + next) // so that nothing is a scheme or a host
	if err != nil {
		return ""
	}
	at := consolePath + strings.TrimPrefix(u.Path, "./")
	if at == signInPath || at == signOutPath || strings.TrimSuffix(at, "/") != path.Clean(at) {
		return ""
	}
	to := url.URL{Path: strings.TrimPrefix(at, consolePath), RawQuery: u.RawQuery}
	return strings.TrimPrefix(to.String(), "./") // which String puts before a colon
}

// loginView holds the data of the form's template.
type loginView struct {
	Text  string // why the form is shown again
	Root  string // the way to the console
	Next  string // an address below it
	Again string // the page that was asked for, when a link of another site led here
	Plain bool   // the browser will not keep the cookie
}

// show answers with the form. It never has the key that was sent.
func (l *login) show(w http.ResponseWriter, r *http.Request, status int, text string) {
	asked := strings.TrimPrefix((&url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}).String(), consolePath)
	v := loginView{Text: text, Root: root(r), Next: asked, Plain: r.TLS == nil && !onThisMachine(r) && !forwarded(r.Header)}
	if r.URL.Path == signInPath && r.Method == http.MethodPost {
		v.Next = r.PostFormValue("next")
	}
	v.Next = inConsole(v.Next)
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		v.Again = v.Root + v.Next // browsers keep the cookie back from such a request
	}
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = l.template.Execute(w, v) // fails only when the client has gone
}

// fail answers when it could not be found out what a key opens.
func (l *login) fail(w http.ResponseWriter, r *http.Request, err error) {
	l.logger.ErrorContext(r.Context(), "console login", "error", err)
	l.show(w, r, http.StatusInternalServerError, "Something went wrong. Nothing was done.")
}

// protect sets the headers that the pages of the console have too.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "private, no-store")
}
