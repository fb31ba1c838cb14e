// Package portal has the pages for affiliates: what they have earned, their links
// and codes, their statements, and how they are paid. They are plain HTML, made on
// the server; they work without scripts, at any path and behind any login.
//
//	pages, err := portal.New(program, portal.Config{
//		Prefix:    "/partner/",
//		Authorize: func(r *http.Request) (uuid.UUID, bool) { return login.Affiliate(r) },
//		Logger:    logger,
//	})
//	pages.Register(mux)
//
// When affiliates are not logged in at the origin of the pages, a host opens the pages with
// a token, which lives a minute and works once: see [Portal.Token]. A host that is not
// written in Go asks POST /api/v1/partner/token for one.
//
// No page takes the id of an affiliate. What is shown comes from
// [tributary.Partner] alone, in which customers are masked.
package portal

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

// Config holds what the host decides. Authorize or Key is required, and so is Logger unless
// nobody can change anything: NoPayoutForm, no MaxLinks, no Cases, no SignUp and no SignIn.
type Config struct {
	// Prefix is the beginning of the paths of requests when they arrive, such as
	// "/partner/"; "" or "/": a handler before the pages has stripped it.
	Prefix string

	// Authorize is the host's own login: it says whose pages the request may see. It is
	// called for every request, and wins over a visit by Token or Enter, unless that visit
	// was begun beside this login.
	Authorize func(*http.Request) (affiliate uuid.UUID, ok bool)

	Key           []byte        // at least 32 bytes, for Token and Enter; nil: there are none
	Session       time.Duration // of a visit by Token or Enter; zero: an hour, at most 24
	Back          string        // URL or path of the link that is shown when a visit is over; empty: none
	HideCustomers bool          // customers are not shown, not even masked
	NoPayoutForm  bool          // affiliates cannot change how they are paid
	MaxLinks      int           // until an affiliate has so many links, they make more by themselves, and rename them; zero: neither
	Cases         bool          // affiliates ask about orders and payouts, and people of the program answer, as in the console
	Frames        []string      // origins that may show the pages in a frame, such as "https://shop.example", for which "embed.js" below the pages has an element; none: nobody
	SignUp        *SignUp       // where people apply, at "apply" below the pages; nil: nowhere
	SignIn        *SignIn       // where affiliates ask for a link by mail, at "sign-in" below the pages; nil: nowhere
	Brand         Brand         // how the pages look, and where affiliates ask

	// Writes reports whether the host writes to affiliates in a language, by its tag. Of who applies or
	// signs in by a mailed link, and whose language is not known, the one that the browser prefers is
	// noted, if it is one of these. Nil: none is noted.
	Writes func(language string) bool

	// Texts are what the pages say in further languages, and what replaces texts that they have: by
	// the tag of the language, such as fr or pt-BR, and the English text, which texts/de.json lists as
	// its names. English and German are complete; a text that a language lacks is that of its parent,
	// as pt is of pt-BR, or English. Texts for numbers of things have the forms of the language with a | between
	// them. Nil: none.
	Texts map[string]map[string]string

	Logger *slog.Logger // gets a line for every change
}

// A Portal answers the pages of the affiliates of a program. It is safe for
// concurrent use, and has nothing to start or to stop.
type Portal struct {
	cfg       Config
	languages languages
	program   *tributary.Program
	mount     page.Mount
	face      page.Look
	contact   string // of the brand; empty: none
	forms     page.Forms
	tokens    ticket.Sealer
	visits    ticket.Sealer
	emails    ticket.Sealer
	mailed    ticket.Sealer
	known     ticket.Sealer // of browsers in which somebody signed in
	crossSite *http.CrossOriginProtection
	back      string // relative to the pages: to whoever looks at them as somebody else; empty: they are the affiliate's own
}

const (
	defaultSession = time.Hour
	longestSession = 24 * time.Hour
)

// New returns the pages of a program.
//
// Errors: neither Authorize nor Key is set; Key is shorter than 32 bytes; Session is
// negative or above 24 hours; MaxLinks is negative; SignUp has a question that cannot be
// asked; SignIn lacks Ask, Key, or a URL that ends with a slash; Brand has a color, a logo or a
// contact that is none; Prefix does not begin and end with a slash; Back is neither
// an http or https URL nor a path; an element of Frames is not an origin; Texts has the tag of no
// language, or a text that the pages do not have or whose arguments are others; Logger is nil.
func New(p *tributary.Program, cfg Config) (*Portal, error) {
	t := &Portal{cfg: cfg, program: p, crossSite: http.NewCrossOriginProtection()}
	t.cfg.Session = cmp.Or(cfg.Session, defaultSession)
	switch {
	case p == nil:
		return nil, errors.New("portal: the program is nil")
	case cfg.Authorize == nil && len(cfg.Key) == 0:
		return nil, errors.New("portal: neither Authorize nor Key is set")
	case cfg.Logger == nil && (!cfg.NoPayoutForm || cfg.MaxLinks > 0 || cfg.Cases || cfg.SignUp != nil || cfg.SignIn != nil):
		return nil, errors.New("portal: Logger is nil, so changes would leave no trace")
	case cfg.MaxLinks < 0:
		return nil, errors.New("portal: MaxLinks is negative")
	case t.cfg.Session < 0 || t.cfg.Session > longestSession:
		return nil, errors.New("portal: Session is negative or above 24 hours")
	case !validBack(cfg.Back):
		return nil, fmt.Errorf("portal: Back %q is no http or https URL and no path", cfg.Back)
	}
	for _, origin := range cfg.Frames {
		if !isOrigin(origin) {
			return nil, fmt.Errorf("portal: the frame %q is no origin such as https://shop.example", origin)
		}
	}
	if err := cfg.SignUp.check(); err != nil {
		return nil, fmt.Errorf("portal: SignUp: %w", err)
	}
	if err := cfg.SignIn.check(cfg.Key); err != nil {
		return nil, fmt.Errorf("portal: SignIn: %w", err)
	}
	var err error
	if t.face, t.contact, err = cfg.Brand.look(); err != nil {
		return nil, fmt.Errorf("portal: Brand: %w", err)
	}
	if t.languages, err = newLanguages(cfg.Texts); err != nil {
		return nil, fmt.Errorf("portal: Texts: %w", err)
	}
	if err := t.seals(); err != nil {
		return nil, fmt.Errorf("portal: %w", err)
	}
	templates()
	return t, nil
}

// seals makes what is derived from the key and the prefix.
func (t *Portal) seals() (err error) {
	if t.mount, err = page.NewMount(t.cfg.Prefix); err != nil {
		return err
	}
	if t.forms, err = page.NewForms(t.cfg.Key, "portal form v1"); err != nil || len(t.cfg.Key) == 0 {
		return err
	}
	if t.tokens, err = ticket.New(ticket.Token, t.cfg.Key); err != nil {
		return err
	}
	if t.mailed, err = ticket.New(ticket.Mailed, t.cfg.Key); err != nil {
		return err
	}
	if t.emails, err = ticket.New(ticket.Email, t.cfg.Key); err != nil {
		return err
	}
	if t.known, err = ticket.New(ticket.Known, t.cfg.Key); err != nil {
		return err
	}
	t.visits, err = ticket.New(ticket.Session, t.cfg.Key)
	return err
}

// validBack reports whether a page can link there.
func validBack(back string) bool {
	u, err := url.Parse(back)
	if err != nil || strings.ContainsAny(back, "\\\t\r\n") {
		return false
	}
	return back == "" || u.Scheme == "" && u.Host == "" && strings.HasPrefix(back, "/") &&
		!strings.HasPrefix(back, "//") || web(u)
}

// isOrigin reports whether a text is a scheme and a host and nothing else.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && web(u) && u.Scheme+"://"+u.Host == text && !strings.ContainsAny(text, "*;,' \t\r\n")
}

func web(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// As returns the pages of an affiliate of a program, as that affiliate sees them, for
// somebody who runs the program: with the settings of t, but no form can be sent, and every
// page says so and leads to back, which is relative to the overview. The path of a request
// is the one below the pages. The caller has found out who asks, as the console has, whose
// Config takes this method.
func (t *Portal) As(p *tributary.Program, of uuid.UUID, back string) http.Handler {
	other := *t
	other.cfg.Authorize = func(*http.Request) (uuid.UUID, bool) { return of, true }
	other.cfg.Key, other.cfg.SignUp, other.cfg.SignIn, other.cfg.Frames = nil, nil, nil, nil
	other.program, other.back = p, back
	other.mount, _ = page.NewMount("") // which is no error
	return &other
}

// show is as the program is now: its settings may change while it is used.
func (t *Portal) show() page.Show {
	is := t.program.Config()
	return page.Show{Currency: is.Currency, Location: is.Location}
}

// Register puts the pages on a mux, at [Config.Prefix], for GET and POST: beside them the host may
// have a pattern of one method, such as GET /. It panics, as mux does, when one of these is there.
func (t *Portal) Register(mux *http.ServeMux) { t.mount.Register(mux, t) }

// ServeHTTP answers a request.
func (t *Portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = reqid.Assign(w, r, nil)
	page.Protect(w.Header())
	page.Frame(w.Header(), t.cfg.Frames)
	v := &visit{Portal: t, Visit: page.Visit{Show: t.show(), W: w, R: r, Pages: "portal",
		Logger: cmp.Or(t.cfg.Logger, slog.Default())}}
	v.speak("")
	at, ok, err := t.mount.Locate(w, r)
	if !ok {
		return
	}
	v.Path, v.Root = at.Path, at.Root
	if name, asset := strings.CutPrefix(v.Path, "assets/"); asset && v.Reads() && t.face.Serve(w, name) {
		return // it says nothing of the program
	}
	if v.Path == embedPath && v.Reads() && len(t.cfg.Frames) > 0 {
		serveEmbed(w, r)
		return
	}
	if v.Path == enterPath && err == nil {
		v.enter()
		return
	}
	if v.Path == applyPath && err == nil && t.cfg.SignUp != nil {
		v.apply()
		return
	}
	if v.Path == signInPath && err == nil && t.cfg.SignIn != nil {
		v.signIn()
		return
	}
	if v.Path == openPath && err == nil && t.cfg.SignIn != nil {
		v.open()
		return
	}
	switch ok, failed := v.admitted(); {
	case failed != nil:
		v.fail(failed)
		return
	case !ok && v.Keep(w, r, t.crossSite, fieldToken):
		return
	case !ok:
		v.over()
		return
	case err != nil:
		v.missing()
		return
	}
	v.answer()
}
