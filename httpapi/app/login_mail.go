package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"time"

	"github.com/tributary-go/tributary/mail"
)

// Signing in by a link that is mailed.

const (
	askedCookie    = "tributary_sign_in"
	mailsPerMinute = 10 // that an address may ask for
	mailsAtOnce    = 10
)

// sendLink answers who asks for a link, and mails one if the email may sign in. The answer and the
// time that it takes are the same if it may not.
func (l *login) sendLink(w http.ResponseWriter, r *http.Request) {
	if l.mailer == nil {
		l.show(w, r, http.StatusForbidden, "This server sends no mail.")
		return
	}
	browser, ok := l.asks(w, r)
	if !ok {
		return
	}
	email, from := r.PostFormValue("email"), l.asked.Source(r)
	select {
	case l.mailing <- struct{}{}:
		go func() {
			defer func() { <-l.mailing }()
			l.pause() // so that nothing that comes beside tells what was found
			ctx, stop := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
			defer stop()
			if err := l.mailLink(ctx, email, browser, from); err != nil {
				l.logger.ErrorContext(ctx, "mail a link to sign in", "error", err)
			}
		}()
	default:
		l.logger.WarnContext(r.Context(), "a link to sign in was not mailed: too many are being mailed")
	}
	l.shown(w, r, http.StatusOK, loginView{Said: "If this email may sign in, a link is on its way to it. It works once, for 15 minutes, in this browser."})
}

// pauseABit waits for half a second to two.
func pauseABit() { time.Sleep(500*time.Millisecond + rand.N(1500*time.Millisecond)) }

// asks returns the secret of the browser of somebody who asks to sign in, unless too many do.
func (l *login) asks(w http.ResponseWriter, r *http.Request) (browser string, ok bool) {
	wait := l.asked.Limit(r)
	browser, err := l.browser(w, r)
	switch {
	case err != nil:
		l.fail(w, r, err)
		return "", false
	case wait > 0:
		w.Header().Set("Retry-After", fmt.Sprint(int((wait+time.Second-1)/time.Second)))
		l.show(w, r, http.StatusTooManyRequests, "Too many sign-ins were asked for from your address. Wait for a minute.")
		return "", false
	}
	return browser, true
}

// asker returns the secret of the cookie of a browser that has asked to sign in; empty: it has not.
func asker(r *http.Request) string {
	c, err := r.Cookie(askedCookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// browser returns the secret of the cookie by which a sign-in knows the browser that asked for it.
func (l *login) browser(w http.ResponseWriter, r *http.Request) (string, error) {
	var err error
	secret := asker(r)
	if secret == "" {
		secret, err = l.staff.secret()
	}
	if err == nil { // each time, so that it lasts as long as the link
		http.SetCookie(w, &http.Cookie{Name: askedCookie, Value: secret, MaxAge: int(browserTime / time.Second), HttpOnly: true,
			SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil || !onThisMachine(r)}) // lax: a link in a mail comes from elsewhere
	}
	return secret, err
}

func (l *login) mailLink(ctx context.Context, email, browser string, from netip.Prefix) error {
	to, found, err := l.staff.known(ctx, email)
	if err != nil || !found {
		return err
	}
	before, err := l.staff.signedIn(ctx, to.Email, browser)
	if err != nil {
		return err
	}
	lets, err := l.links.lets(ctx, to.Email, from, before)
	if err != nil {
		return err
	}
	if !lets {
		l.logger.WarnContext(ctx, "a link to sign in is not mailed: too many were", "person", to.Name)
		return nil
	}
	secret, err := l.staff.link(ctx, to.Email, browser)
	if err != nil {
		return err
	}
	is, err := l.staff.program.Settings(ctx)
	if err != nil {
		return err
	}
	m, err := l.texts.Write(mail.SignIn, mail.Data{Program: is.Name, Link: l.base + signInPath + "?link=" + secret})
	if err != nil {
		return err
	}
	m.ID, m.To = "sign-in-"+digestOf(secret), to.Email
	return l.mailer.Send(ctx, m)
}

// useLink begins a session with a link. A GET of the link shows a button that does it, so that what
// looks into mails uses no link up.
func (l *login) useLink(w http.ResponseWriter, r *http.Request) {
	session, ok, err := l.staff.use(r.Context(), r.PostFormValue("link"), asker(r))
	switch {
	case err != nil:
		l.fail(w, r, err)
	case !ok:
		l.show(w, r, http.StatusForbidden,
			"This link does not work: it was used, it is older than 15 minutes, or it was asked for in another browser. Ask for another one.")
	default:
		l.sessions.end(sessionOf(r))
		setSession(w, r, session, int(personSession/time.Second))
		lead(w, r, "", http.StatusSeeOther)
	}
}
