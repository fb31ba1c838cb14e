package portal

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

// A SignIn is the page on which affiliates ask for a link by mail. The link lives for 15 minutes,
// and works once, in the browser that asked: it opens a page whose button begins the visit, so
// that a scanner of mails, which follows links, uses none up. Who is INVITED accepts by it.
// The answer is the same for every email. It needs [Config.Key].
type SignIn struct {
	// URL is that of the pages, such as https://partners.shop.example/partner/. Links begin with
	// it, whatever host a request names.
	URL string

	// Ask takes what somebody asked for to who mails the link: see [Portal.SignInLink]. It waits
	// neither for a store nor for a mail server, because the time would tell which emails are known.
	// An error refuses with 429; its text is logged, and not shown.
	Ask func(*http.Request, SignInRequest) error

	// Change takes the change of an email to who mails its two links; nil: affiliates cannot change
	// it. An error refuses with 429; its text is logged, and not shown.
	Change func(*http.Request, EmailChange) error
}

// A SignInRequest is what somebody asked for on the page of a [SignIn].
type SignInRequest struct {
	Email string // as it was typed: nobody has looked whose it is
	// The affiliate who has signed in by a mailed link in this browser in the last 90 days; nil:
	// nobody. Who limits the mails to a mailbox lets these through, else strangers use the limit up.
	Known   uuid.UUID
	browser uuid.UUID
}

const (
	signInPath   = "sign-in"
	openPath     = "open"
	signInCookie = "tributary_portal_asked"
	signInTime   = 15 * time.Minute
	knownCookie  = "tributary_portal_known"
	knownTime    = 90 * 24 * time.Hour
	maxMail      = 254
)

// check refuses a sign-in that cannot work.
func (s *SignIn) check(key []byte) error {
	if s == nil {
		return nil
	}
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || !web(u) || !strings.HasSuffix(u.Path, "/") || u.RawQuery != "" ||
		u.Fragment != "":
		return errors.New("the URL is none of http or https that ends with a slash")
	case s.Ask == nil:
		return errors.New("no Ask")
	case len(key) == 0:
		return errors.New("no Key")
	}
	return nil
}

// SignInLink returns the link for what somebody asked for, to mail to the affiliate with that email,
// to nobody else. It is valid from now on.
//
// Errors: Config.SignIn is not set.
func (t *Portal) SignInLink(of uuid.UUID, asked SignInRequest) (string, error) {
	if t.cfg.SignIn == nil {
		return "", errors.New("portal: Config.SignIn is not set")
	}
	cfg := t.program.Config()
	text := t.mailed.Seal(ticket.Ticket{Program: cfg.ID, Affiliate: of,
		Expires: cfg.Now().Add(signInTime),
		ID:      uuid.New(), Beside: asked.browser})
	return t.cfg.SignIn.URL + openPath + "?" + url.Values{paramToken: {text}}.Encode(), nil
}

// before returns the affiliate who has signed in by a mailed link in this browser.
func (v *visit) before() uuid.UUID {
	c, err := v.R.Cookie(knownCookie)
	if err != nil {
		return uuid.Nil
	}
	last, _ := v.known.Open(c.Value, v.program.Config().ID, v.now())
	return last.Affiliate
}

// An askSheet is the page on which a link is asked for.
type askSheet struct {
	Asked          bool // it is the page behind the form
	Email, Problem string
}

// signIn answers the page on which a link is asked for.
func (v *visit) signIn() {
	switch {
	case v.R.Method == http.MethodPost:
		v.submitted(route{post: asked, sent: []string{fieldMail}})
	case !v.Reads():
		v.methodNotAllowed("GET, HEAD, POST")
	case !v.fitsQuery([]string{paramDone}):
		v.missing()
	default:
		behind, _ := v.forms.Told(v.now(), v.R.URL.Query().Get(paramDone),
			v.about(signInPath+doneSuffix)...)
		v.render(http.StatusOK, view{title: v.T("Sign in"), template: "sign-in",
			Data: askSheet{Asked: behind}})
	}
}

// asked hands a request on. Nothing here depends on whether the email is known.
func asked(v *visit) {
	email := strings.TrimSpace(v.R.PostForm.Get(fieldMail))
	if !isMail(email) {
		v.render(http.StatusBadRequest, view{title: v.T("Sign in"), template: "sign-in",
			Data: askSheet{Email: email, Problem: v.T("This is no email.")}})
		return
	}
	nonce := v.nonce()
	if nonce == uuid.Nil {
		nonce = uuid.New()
	}
	if err := v.cfg.SignIn.Ask(v.R, SignInRequest{Email: email, Known: v.before(),
		browser: browserOf(nonce)}); err != nil {
		v.tooMany("sign-in", err)
		return
	}
	c := v.cookie(v.R, nonce.String(), atThisPath, int(signInTime/time.Second))
	c.Name = signInCookie
	http.SetCookie(v.W, c)
	v.done(signInPath)
}

// isMail reports whether a text looks like an email.
func isMail(email string) bool {
	return len(email) <= maxMail && strings.Contains(email, "@") &&
		!strings.ContainsFunc(email, notVisible)
}

func notVisible(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar
}

// nonce returns the secret of a browser that has asked for a link; nil: it has not.
func (v *visit) nonce() uuid.UUID {
	c, err := v.R.Cookie(signInCookie)
	if err != nil {
		return uuid.Nil
	}
	nonce, _ := uuid.Parse(c.Value)
	return nonce
}

// browserOf returns what a link says of the browser that asked. Who reads the mail does not learn
// the browser's secret from it.
func browserOf(nonce uuid.UUID) (id uuid.UUID) {
	sum := sha256.Sum256(nonce[:])
	copy(id[:], sum[:])
	return id
}

// An openSheet is the page that a mailed link leads to: whose pages it opens, and its tokens.
type openSheet struct{ Name, Token, Form string }

// open answers a mailed link: with a button, and then with the visit.
func (v *visit) open() {
	post := v.R.Method == http.MethodPost
	if !post && !v.Reads() {
		v.methodNotAllowed("GET, HEAD, POST")
		return
	}
	text := v.R.URL.Query().Get(paramToken)
	opened, ok := v.mailed.Open(text, v.program.Config().ID, v.now())
	if !ok || opened.Beside != browserOf(v.nonce()) { // which is no nil one: see asked
		v.noLink()
		return
	}
	who, err := v.program.Partner(opened.Affiliate).Profile(v.Ctx())
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		v.noLink()
	case err != nil:
		v.fail(err)
	case !post:
		v.speak(who.Language)
		v.render(http.StatusOK, view{title: v.T("Sign in"), template: "open",
			Data: openSheet{who.Name, text, v.formToken(openPath + text)}})
	case !v.chosen(openPath + text):
		v.stale()
	default:
		v.useMailed(opened)
	}
}

// useMailed begins the visit of a mailed link, unless it was used before. Who is invited accepts.
func (v *visit) useMailed(opened ticket.Ticket) {
	first, err := v.program.Partner(opened.Affiliate).Spend(v.Ctx(), "portal-mail-"+opened.ID.String())
	if err == nil && first {
		err = v.arrives(opened.Affiliate)
	}
	switch {
	case err != nil:
		v.fail(err)
	case !first:
		v.noLink()
	default:
		v.begin(v.W, v.R, opened.Affiliate, atThisPath)
		c := v.cookie(v.R, v.known.Seal(ticket.Ticket{Program: opened.Program, Affiliate: opened.Affiliate,
			Expires: v.now().Add(knownTime), ID: uuid.New()}), atThisPath, int(knownTime/time.Second))
		c.Name = knownCookie
		http.SetCookie(v.W, c)
		v.Lead(v.Root)
	}
}

// arrives accepts the invitation of an affiliate who is invited, and notes the language of one whose
// language is not known.
func (v *visit) arrives(id uuid.UUID) error {
	p := v.program.From(affiliate.SourceAffiliatePortal).By("affiliate:" + id.String())
	who, err := p.Affiliate(v.Ctx(), id.String())
	if err != nil {
		return err
	}
	var language affiliate.Opt[string]
	if tag := v.language(); who.Language == "" && tag != "" {
		language = affiliate.Set(tag)
	}
	switch {
	case who.Status == affiliate.AffiliateInvited:
		_, err = p.AcceptInvite(v.Ctx(), id, affiliate.Acceptance{Language: language})
		if errors.Is(err, affiliate.StatusNotAllowed) {
			err = nil // in another tab
		}
	case !language.IsZero():
		_, err = p.UpdateAffiliate(v.Ctx(), affiliate.AffiliateRef{ID: id},
			affiliate.AffiliateUpdate{Language: language})
	}
	return err
}

// language returns the tag of the language that the browser prefers; empty: the host does not write
// in it.
func (v *visit) language() string {
	tag, _, _ := strings.Cut(v.R.Header.Get("Accept-Language"), ",") // they are in order
	tag, _, _ = strings.Cut(tag, ";")
	if tag = strings.TrimSpace(tag); v.cfg.Writes == nil || !affiliate.IsLanguage(tag) || !v.cfg.Writes(tag) {
		return ""
	}
	return tag
}

// noLink answers a link that opens nothing, with the same page for every reason.
func (v *visit) noLink() {
	v.render(http.StatusForbidden, view{title: v.T("This link does not open here"), template: "no-link"})
}
