// Package console has the pages for the people who run a program: what happened,
// what needs them, and everyday actions. They are plain HTML, made on the server;
// they work without scripts, at any path and behind any login.
//
//	desk, err := console.New(program, console.Config{
//		Prefix:    "/console/",
//		Authorize: func(r *http.Request) (string, bool) { return login.Actor(r) },
//		Logger:    logger,
//	})
//	desk.Register(mux)
//
// # Reading the package
//
// routes.go is the table of all pages and actions. console.go answers a request,
// visit.go is the request that is being answered, action.go does what forms ask
// for, and view.go has the data of the templates. form.go has the fields that forms
// show, input.go reads them into the inputs of the engine, and noun.go joins both to
// the object that a path names. Each of the other files has the pages of one noun.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// Config holds what the host decides. Authorize is required, and so is Logger
// unless the console is ReadOnly.
type Config struct {
	// Prefix is the beginning of the paths of requests when they arrive, such as
	// "/console/"; "" or "/": a handler before the console has stripped it.
	Prefix string

	// Authorize is the host's login: it says who sends the request, and whether
	// they may see the program. It is called for every request. The audit log
	// names people by actor: prefer an id to an email.
	Authorize func(*http.Request) (actor string, ok bool)

	// Document gives what a printed statement says besides its figures: addresses, a number,
	// the text of a self-billing invoice. It is called whenever one is shown, with the first
	// instant of the month, and its error is logged and shown as no more than an error. Nil:
	// documents have the names that the program knows.
	Document func(ctx context.Context, of affiliate.Affiliate, month time.Time) (Document, error)

	// Questions are what a sign-up asks, by the ids of its questions: Question.ID and TermsID of
	// httpapi/portal. The page of an affiliate has the answers; one to a question that is not here has its id.
	Questions map[uuid.UUID]string

	// PartnerPages gives the pages of an affiliate as they see them, and nothing can be changed
	// there: Portal.As of httpapi/portal. Who looks at whose page is logged. Nil: the page of an
	// affiliate leads to none.
	PartnerPages func(p *tributary.Program, of uuid.UUID, back string) http.Handler

	// Access gives who may use a program: its people and its keys have a page then. Nil: there is no
	// such page.
	Access func(*tributary.Program) Access

	// Providers gives how payment providers reach a program: they have pages then, to which the
	// settings lead. Nil: there are none.
	Providers func(*tributary.Program) Providers

	// Proposals gives what keys of the scope propose ask for: Handler.Proposals of httpapi. They have a
	// page then, where people accept and decline. Nil: there is none.
	Proposals func(*tributary.Program) Proposals

	// Steps gives what a young program needs of its host, such as a mail server: the overview lists it
	// with the steps that the console knows until all are done. Nil: nothing.
	Steps func(context.Context, *tributary.Program) ([]Step, error)

	Denied   http.Handler   // answers those who may not, but a form that was filled in, which is kept; nil: a page that says nothing about the program
	SignOut  string         // URL to which the button Sign out posts; without a leading slash it is relative to Prefix; empty: there is no such button
	ReadOnly bool           // no forms, and every POST is refused
	Logger   *slog.Logger   // gets a line for every action
	Key      []byte         // at least 32 bytes, seals forms; nil: random, good for one process
	Location *time.Location // the zone of the times on pages; nil: the program's
}

// A Console answers the pages of a program. It is safe for concurrent use, and
// has nothing to start or to stop.
type Console struct {
	cfg       Config
	routes    []route
	mount     page.Mount
	program   *tributary.Program
	forms     page.Forms
	crossSite *http.CrossOriginProtection
	days      *dayCache
}

// New returns the console of a program.
//
// Errors: Authorize is nil; Logger is nil and the console not ReadOnly; Prefix
// does not begin and end with a slash; Key is shorter than 32 bytes.
func New(p *tributary.Program, cfg Config) (*Console, error) {
	mount, err := page.NewMount(cfg.Prefix)
	switch {
	case p == nil:
		return nil, errors.New("console: the program is nil")
	case cfg.Authorize == nil:
		return nil, errors.New("console: Authorize is nil")
	case cfg.Logger == nil && !cfg.ReadOnly:
		return nil, errors.New("console: Logger is nil, so actions would leave no trace")
	case err != nil:
		return nil, fmt.Errorf("console: %w", err)
	case len(cfg.Key) > 0 && len(cfg.Key) < 32:
		return nil, errors.New("console: Key is shorter than 32 bytes")
	}
	forms, err := page.NewForms(cfg.Key, "console form v1")
	if err != nil {
		return nil, err
	}
	templates()
	return (&Console{cfg: cfg, routes: routes(), mount: mount, forms: forms,
		crossSite: http.NewCrossOriginProtection()}).For(p), nil
}

// For returns the console of another program, with the same settings.
func (c *Console) For(p *tributary.Program) *Console {
	other := *c
	other.program, other.days = p, new(dayCache)
	return &other
}

// show is as the program is now: its settings may change while it is used.
func (c *Console) show() page.Show {
	is := c.program.Config()
	return page.Show{Currency: is.Currency, Location: cmp.Or(c.cfg.Location, is.Location)}
}

// Register puts the console on a mux, at [Config.Prefix], for GET and POST: beside it the host may
// have a pattern of one method, such as GET /. It panics, as mux does, when one of these is there.
func (c *Console) Register(mux *http.ServeMux) { c.mount.Register(mux, c) }

// ServeHTTP answers a request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = reqid.Assign(w, r, nil)
	v := &visit{Console: c, Visit: page.Visit{Show: c.show(), W: w, R: r, Pages: "console",
		Logger: cmp.Or(c.cfg.Logger, slog.Default())}}
	actor, ok := c.cfg.Authorize(r)
	if !ok {
		if v.Keep(w, r, c.crossSite, fieldToken) {
			return
		}
		if c.cfg.Denied != nil {
			c.cfg.Denied.ServeHTTP(w, r)
			return // the host's own page, with its own policy
		}
		page.Protect(w.Header())
		v.denied()
		return
	}
	page.Protect(w.Header())
	v.actor = page.OneLine(actor)
	at, ok, err := c.mount.Locate(w, r)
	switch v.Path, v.Root = at.Path, at.Root; {
	case !ok:
	case err != nil:
		v.missing()
	default:
		v.answer()
	}
}
