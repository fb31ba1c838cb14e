package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An IdentityProvider is where people prove that an email is theirs, by OpenID Connect.
type IdentityProvider interface {
	// Host names it to people.
	Host() string
	// Begin returns the URL at which a browser signs in there, from where it comes back to
	// SignIn.Back with the state and a code.
	Begin(context.Context, SignIn) (url string, err error)
	// Email returns the email of who came back with a code, which the provider says is verified, in
	// an answer for this server and with the nonce. No error has the code, a token or an email.
	Email(ctx context.Context, s SignIn, code string) (string, error)
}

// A SignIn at a provider is bound to the browser that began it: State, Nonce and Verifier, which is
// that of PKCE, are of no use without its cookie.
type SignIn struct{ Back, State, Nonce, Verifier string }

// signInOf returns the sign-in of a browser, which salt tells from its others. All of it comes from
// the secret of the browser's cookie, so nothing is kept of who never comes back.
func (l *login) signInOf(browser, salt string) SignIn {
	of := func(what string) string {
		mac := hmac.New(sha256.New, []byte(browser))
		mac.Write([]byte(what + " " + salt))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return SignIn{Back: l.base + signInPath, State: salt + "." + of("state"), Nonce: of("nonce"), Verifier: of("verifier")}
}

// toProvider leads a browser to the provider.
func (l *login) toProvider(w http.ResponseWriter, r *http.Request) {
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" { // such as a picture of another site
		l.show(w, r, http.StatusForbidden, elsewhere)
		return
	}
	browser, ok := l.asks(w, r)
	if !ok {
		return
	}
	salt, err := l.staff.secret()
	if err != nil {
		l.fail(w, r, err)
		return
	}
	salt = strconv.FormatInt(l.staff.now().Add(linkTime).Unix(), 10) + "-" + salt
	to, err := l.provider.Begin(r.Context(), l.signInOf(browser, salt))
	if err != nil {
		l.logger.WarnContext(r.Context(), unreachable, "host", l.provider.Host(), "error", err)
		l.show(w, r, http.StatusBadGateway, "The sign-in of "+l.provider.Host()+" does not answer. Try again later.")
		return
	}
	protect(w.Header())
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

const elsewhere = "This sign-in does not open the console. Begin again, or ask an owner of the program to let your email in."

const unreachable = "the identity provider does not answer: nobody signs in there until it does"

// fromProvider begins a session for who comes back from the provider. Every refusal is the same to them.
func (l *login) fromProvider(w http.ResponseWriter, r *http.Request) {
	state := r.URL.Query().Get("state")
	salt, _, _ := strings.Cut(state, ".")
	unix, _, _ := strings.Cut(salt, "-")
	seconds, _ := strconv.ParseInt(unix, 10, 64)
	browser := asker(r)
	until, s, now := time.Unix(seconds, 0), l.signInOf(browser, salt), l.staff.now()
	if browser == "" || !hmac.Equal([]byte(s.State), []byte(state)) || !now.Before(until) || until.After(now.Add(linkTime)) {
		l.show(w, r, http.StatusForbidden, elsewhere) // it counts for nothing: any site can send a browser here
		return
	}
	if _, ok := l.asks(w, r); !ok {
		return
	}
	var session string
	email, err := l.provider.Email(r.Context(), s, r.URL.Query().Get("code"))
	ok := err == nil
	if err != nil {
		l.logger.WarnContext(r.Context(), "a sign-in by the identity provider is refused", "error", err)
	}
	if ok {
		session, ok, err = l.staff.proven(r.Context(), email, state, until, browser)
		if err != nil {
			l.fail(w, r, err)
			return
		}
	}
	if !ok {
		l.show(w, r, http.StatusForbidden, elsewhere)
		return
	}
	setSession(w, r, session, int(personSession/time.Second))
	// Browsers keep the cookie back from what another site leads to, so this page leads on.
	l.shown(w, r, http.StatusOK, loginView{Went: root(r)})
}

// tryProvider says when the provider cannot be reached.
func tryProvider(ctx context.Context, p IdentityProvider, logger *slog.Logger) {
	if _, err := p.Begin(ctx, SignIn{}); err != nil && ctx.Err() == nil {
		logger.WarnContext(ctx, unreachable, "host", p.Host(), "error", err)
	}
}
