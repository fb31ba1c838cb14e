package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // the form and its style
	"encoding/base64"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/mail"
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
	maxTries      = 10       // wrong keys of an address in a minute
)

//go:embed login.html
var loginText string

//go:embed login.css
var loginStyle string

// A login lets people into the console of the first program by a link that is mailed to them, or by
// an identity provider, and those who know a key into that of the key's program: a key of the scope full to all of it, a key of
// the scope read to its pages without forms. Nothing that it answers tells a key that may not use the
// console, or an email, from one that does not exist.
type login struct {
	staff     people
	mailer    mail.Mailer      // nil: nobody signs in by mail
	provider  IdentityProvider // nil: nobody signs in by one
	texts     *mail.Texts
	base      string // the URL that links in mails begin with
	noKeys    bool   // keys do not open the console
	asked     *serve.Limiter
	links     linkLimit
	pause     func()        // before a mail is made
	mailing   chan struct{} // has a place for each mail that is being made
	auth      httpapi.Authority
	desks     map[*tributary.Program]desk
	closed    *console.Console // for who is not signed in: it keeps a form that was filled in, and denies all else
	sessions  *sessions
	tries     *serve.Limiter // of wrong keys
	crossSite *http.CrossOriginProtection
	logger    *slog.Logger
	template  *template.Template
}

// A desk has the consoles of a program: that of owners, that of operators, and that of readers.
type desk struct{ full, most, read *console.Console }

// of returns the console of a role; nil: it has none.
func (d desk) of(r console.Role) *console.Console {
	return map[console.Role]*console.Console{console.Owner: d.full, console.Operator: d.most, console.Reader: d.read}[r]
}

// newLogin makes the consoles of all programs, which lead to the partner pages. Their
// actions go to the logger.
func newLogin(auth httpapi.Authority, programs []*tributary.Program, staff people, partner *portal.Portal,
	set settings, logger *slog.Logger) (*login, error) {
	l := &login{
		staff: staff, provider: set.provider, base: set.url, texts: set.texts, noKeys: set.noKeys, pause: pauseABit, mailing: make(chan struct{}, mailsAtOnce),
		asked: &serve.Limiter{Most: mailsPerMinute, Proxies: set.proxies, Now: set.now}, links: newLinkLimit(staff.program, set.now),
		auth: auth, sessions: newSessions(set.now, set.rand),
		tries:     &serve.Limiter{Most: maxTries, Proxies: set.proxies, Now: set.now},
		crossSite: http.NewCrossOriginProtection(),
		logger:    logger, template: template.Must(template.New("login").Parse(loginText)),
	}
	if l.base != "" {
		l.mailer = set.mailer
	}
	cfg := console.Config{Prefix: consolePath, Authorize: keyName, Denied: http.HandlerFunc(l.deny),
		SignOut: signOut, PartnerPages: partner.As, Questions: labels(set.applicants, programs), Proposals: set.proposals, Steps: set.steps, Logger: logger}
	most, err := console.New(programs[0], cfg)
	if err != nil {
		return nil, err
	}
	cfg.Access = func(p *tributary.Program) console.Access { return people{p, staff.taken} }
	if set.providers != nil {
		cfg.Providers = func(*tributary.Program) console.Providers { return set.providers } // a store that lasts has one program
	}
	full, err := console.New(programs[0], cfg)
	if err != nil {
		return nil, err
	}
	cfg.Access, cfg.Providers, cfg.ReadOnly = nil, nil, true
	read, err := console.New(programs[0], cfg)
	if err != nil {
		return nil, err
	}
	l.desks, l.closed = map[*tributary.Program]desk{}, full
	for _, p := range programs {
		l.desks[p] = desk{full.For(p), most.For(p), read.For(p)}
	}
	return l, nil
}

// grantKey is the context key of the access that a session opens.
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
	case at == signInPath && l.provider != nil && r.URL.Query().Has("state"):
		l.fromProvider(w, r)
	case at == signInPath && l.provider != nil && r.URL.Query().Get("by") == "provider":
		l.toProvider(w, r)
	case at == signInPath && r.URL.Query().Get("link") != "":
		l.shown(w, r, http.StatusOK, loginView{Link: r.URL.Query().Get("link")})
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
		l.enterAs(w, r, id)
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

// enterAs answers with the console of the person whose session it is.
func (l *login) enterAs(w http.ResponseWriter, r *http.Request, session string) {
	var who console.Person
	var found bool
	var err error
	if session != "" {
		who, found, err = l.staff.who(r.Context(), session)
	}
	desk := l.desks[l.staff.program].of(who.Role)
	switch {
	case err != nil:
		l.fail(w, r, err)
	case !found || desk == nil:
		l.closed.ServeHTTP(w, r)
	case r.URL.Path == signInPath:
		lead(w, r, "", http.StatusSeeOther)
	default:
		access := httpapi.Access{Program: l.staff.program, KeyName: who.Name}
		ctx := context.WithValue(r.Context(), hereKey{}, digestOf(session))
		desk.ServeHTTP(w, r.WithContext(context.WithValue(ctx, grantKey{}, access)))
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

// signIn answers the forms: that with an email, that of the page of a link, and that with a key.
func (l *login) signIn(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.PostFormValue("link") != "":
		l.useLink(w, r)
	case r.PostFormValue("email") != "":
		l.sendLink(w, r)
	case l.noKeys:
		l.show(w, r, http.StatusForbidden, "Keys do not open this console.")
	default:
		l.signInByKey(w, r)
	}
}

// signInByKey begins a session for the key of the form.
func (l *login) signInByKey(w http.ResponseWriter, r *http.Request) {
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

// wrong answers a key that does not open the console, and counts it. A right key is never refused for
// them: whoever shares the address, such as that of a proxy, would keep its owner out.
func (l *login) wrong(w http.ResponseWriter, r *http.Request) {
	wait := l.tries.Limit(r)
	if wait == 0 {
		l.show(w, r, http.StatusForbidden, "This key does not open the console.")
		return
	}
	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	w.Header().Set("Retry-After", seconds)
	l.show(w, r, http.StatusTooManyRequests,
		"This key does not open the console. Too many wrong keys came from your address: wait for "+
			seconds+" seconds before you try another.")
}

// signOut ends the session of the request, for every browser that has its cookie.
func (l *login) signOut(w http.ResponseWriter, r *http.Request) {
	id := sessionOf(r)
	l.sessions.end(id)
	if err := l.staff.drop(r.Context(), sessionKind, digestOf(id)); err != nil {
		l.fail(w, r, err)
		return
	}
	setSession(w, r, "", -1)
	lead(w, r, "", http.StatusSeeOther)
}

// root returns the way from the page of a request to the console, as browsers see it: a
// proxy may have cut the path, so no address of the login begins at the top.
func root(r *http.Request) string {
	return "./" +
		strings.Repeat("../",
			max(0, strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), consolePath), "/")))
}

// lead sends the browser to an address below the console.
func lead(w http.ResponseWriter, r *http.Request, to string, status int) {
	w.Header().Set("Location", root(r)+to)
	w.WriteHeader(status)
}

// refused reports whether an authority said no, and not that it could not say.
func refused(err error) bool {
	_, no := asRefusal(err)
	return no
}

// asRefusal returns the refusal that an error is.
func asRefusal(err error) (*affiliate.Error, bool) { return errors.AsType[*affiliate.Error](err) }

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
	Mails bool   // people sign in by a link
	Keys  bool   // keys open the console
	Said  string // what was done
	Link  string // the secret of the link that was followed
	By    string // the host of the provider at which people sign in
	Went  string // where who is signed in goes on
}

// show answers with the form. It never has the key that was sent.
func (l *login) show(w http.ResponseWriter, r *http.Request, status int, text string) {
	l.shown(w, r, status, loginView{Text: text})
}

// shown answers with the form and more.
func (l *login) shown(w http.ResponseWriter, r *http.Request, status int, v loginView) {
	asked := strings.TrimPrefix((&url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath,
		RawQuery: r.URL.RawQuery}).String(), consolePath)
	v.Root, v.Next, v.Mails, v.Keys = root(r), asked, l.mailer != nil, !l.noKeys
	if l.provider != nil {
		v.By = l.provider.Host()
	}
	v.Plain = r.TLS == nil && !onThisMachine(r) && !forwarded(r.Header)
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
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "private, no-store")
}

const (
	sessionTime = 8 * time.Hour
	maxSessions = 1024 // of all keys; the oldest makes room
)

// sessions are the sessions of those who are signed in. They are in memory: a
// session that is ended has ended for every copy of its cookie, and all have
// when the server stops. It is safe for concurrent use.
type sessions struct {
	now  func() time.Time
	rand io.Reader

	mu   sync.Mutex
	open map[[sha256.Size]byte]session // by the digest of the id
}

// A session has the key, because the authority is asked about it at every
// request.
type session struct {
	key  string
	ends time.Time
}

// newSessions returns no sessions. A nil random is that of crypto/rand.
func newSessions(now func() time.Time, random io.Reader) *sessions {
	if random == nil {
		random = rand.Reader
	}
	return &sessions{now: now, rand: random, open: map[[sha256.Size]byte]session{}}
}

// begin begins a session of a key and returns its id.
func (s *sessions) begin(key string) (id string, err error) {
	var raw [32]byte
	if _, err := io.ReadFull(s.rand, raw[:]); err != nil {
		return "", err
	}
	id = base64.RawURLEncoding.EncodeToString(raw[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.open) >= maxSessions {
		s.makeRoom(now)
	}
	s.open[sha256.Sum256([]byte(id))] = session{key, now.Add(sessionTime)}
	return id, nil
}

// makeRoom drops the sessions that are over and, when there are none, the one
// that would end first.
func (s *sessions) makeRoom(now time.Time) {
	var first [sha256.Size]byte
	var ends time.Time
	for digest, open := range s.open {
		if !now.Before(open.ends) {
			delete(s.open, digest)
		} else if ends.IsZero() || open.ends.Before(ends) {
			first, ends = digest, open.ends
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, first)
	}
}

// find returns the key of a session that has not ended.
func (s *sessions) find(id string) (key string, found bool) {
	digest := sha256.Sum256([]byte(id))
	s.mu.Lock()
	defer s.mu.Unlock()
	open, found := s.open[digest]
	if found && !s.now().Before(open.ends) {
		delete(s.open, digest)
		return "", false
	}
	return open.key, found
}

// end ends a session, if there is one of the id.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(id)))
}

// sessionOf returns the id that a request brings.
func sessionOf(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setSession gives the browser the id of a session, or takes it back when age is
// negative. The cookie goes over https only, but for a browser on this machine. It
// has no path: browsers keep it for the folder of the form, which only they know
// when a proxy cuts paths.
func setSession(w http.ResponseWriter, r *http.Request, id string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: id, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || !onThisMachine(r),
	})
}

// onThisMachine reports whether the sender of a request is on this machine. A
// proxy on this machine speaks for others.
func onThisMachine(r *http.Request) bool {
	return isLoopback(r.RemoteAddr) && !forwarded(r.Header)
}
