package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// trackingPrefix is what the paths of the tracking endpoints begin with.
const trackingPrefix = "/api/affiliates"

// programMaxAge lets browsers and proxies keep a program's configuration.
const programMaxAge = "public, max-age=300"

// A finder gives the program with a public id.
type finder func(ctx context.Context, programID string) (*affiliate.Program, error)

// Tracking serves the two endpoints that scripts in a visitor's browser call:
// they record a click and read the configuration of a program. They take no
// key, answer pages of any origin, and create nothing but clicks. Mount them
// only if you need them:
//
//	mux.Handle("/api/affiliates/", httpapi.Tracking(find, httpapi.Config{}))
//
// Everything at or below /api/affiliates that reaches the handler is answered
// in JSON. On a mux with a catch-all that names a method, register the exact
// paths instead, such as "POST /api/affiliates/add-click" and the same with
// OPTIONS.
//
// find gives the program with the public id that a caller sent, whatever text
// that is. An error that is [affiliate.ErrNotFound] means that there is none;
// any other is answered 500. Of cfg, MaxBody, Limit and Logger apply. Limit is
// asked for preflights too; a host that opens these paths to the world should
// set it.
//
// Nobody outside can make the handler work or wait for long: a body over 8 KiB
// is refused, and what find and the store have not done within three seconds is
// answered 500. How long a body may take to arrive is the host's to say, with
// ReadTimeout of its server.
//
// A missing find, keys in cfg and a MaxBody out of range panic: they are
// mistakes of the host's program.
//
// Effects: those of [affiliate.Program.TrackClick]. No referral, sale or event.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/contract.md 5.
func Tracking(find func(ctx context.Context, programID string) (*affiliate.Program, error), cfg Config) http.Handler {
	if find == nil {
		panic("httpapi: Tracking without find")
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = trackedBody
	}
	h, err := newHandler(nil, cfg, resources(trackingPrefix, trackingRoutes(find)))
	if err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), clickWait)
		defer cancel()
		w.Header()["Access-Control-Allow-Origin"] = []string{"*"}
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

func trackingRoutes(f finder) []route {
	const click, program = "/add-click", "/affiliate-program-v2"
	return []route{
		{http.MethodPost, click, f.addClick()},
		{http.MethodOptions, click, preflight()},
		{http.MethodGet, program, f.program()},
		{http.MethodOptions, program, preflight()},
	}
}

// preflight tells a browser what a page of another origin may send.
func preflight() action {
	return action{run: func(c *call) error {
		h := c.w.Header()
		h["Access-Control-Allow-Methods"] = []string{c.h.routes[c.r.URL.Path].allow}
		h["Access-Control-Allow-Headers"] = []string{"Content-Type"}
		c.begin(http.StatusNoContent, -1)
		return nil
	}}
}

// A visit is the body of add-click.
type visit struct {
	programID string
	click     affiliate.NewClick
}

// visitOf reads a visit. Empty optional texts are what a browser sends for a
// visitor without a referrer: they are none.
func visitOf(in *input) visit {
	return visit{
		programID: in.text("programId"),
		click: affiliate.NewClick{
			Slug:       in.text("referralCode"),
			Repeat:     !in.boolean("uniqueClick").Or(true),
			LandingURL: in.text("fullLandingUrl"),
			Referrer:   in.text("documentReferrer"),
			UserAgent:  in.text("userAgent"),
			DeviceID:   in.text("deviceId"),
		},
	}
}

// check is the first of what is wrong with a visit that was read from in.
func (v visit) check(in *input) *affiliate.Error {
	refused, place := in.refusal()
	var missing *affiliate.Error
	switch "" {
	case strings.TrimSpace(v.programID):
		missing = affiliate.RejectNoProgramID.Err()
	case strings.TrimSpace(v.click.Slug):
		missing = affiliate.RejectNoReferralCode.Err()
	}
	if missing != nil && (refused == nil || in.outranks(missing, place)) {
		return missing
	}
	return refused
}

// tracked is a click as the visitor's browser is told of it.
type tracked struct {
	ID          affiliate.ClickID `json:"id"`
	AffiliateID uuid.UUID         `json:"affiliateId"`
	CreatedAt   affiliate.Time    `json:"createdAt"`
}

// clicked is the answer of add-click.
type clicked struct {
	Click tracked `json:"click"`
}

// absent is the answer for a program or slug that is not there.
type absent struct {
	Exists bool `json:"exists"` // false
}

func (f finder) addClick() action {
	return answering[clicked](action{
		read: func(in *input) { visitOf(in) },
		run: func(c *call) error {
			if err := c.readBody(); err != nil {
				return err
			}
			v := visitOf(&c.in)
			if refused := v.check(&c.in); refused != nil {
				return refused
			}
			if v.click.UserAgent == "" {
				v.click.UserAgent = headerValue(c.r.Header, "User-Agent")
			}
			p, err := f.of(c.r.Context(), v.programID)
			if err != nil {
				return c.orNone(err)
			}
			click, err := p.TrackClick(c.r.Context(), v.click)
			if err != nil {
				return c.orNone(err)
			}
			return c.answer(clicked{tracked{click.ID, click.AffiliateID, click.CreatedAt}})
		},
	})
}

// published is what a page may know of a program.
type published struct {
	ID                   uuid.UUID `json:"id"`
	Name                 string    `json:"name"`
	CookieDuration       int       `json:"cookieDuration"` // days
	URLModifier          string    `json:"urlModifier"`    // the query parameter of the slug
	CrossTrackingDomains []string  `json:"crossTrackingDomains"`
	EnableDebugLogs      bool      `json:"enableDebugLogs"`
}

// configured is the answer of affiliate-program-v2.
type configured struct {
	Program published `json:"program"`
}

func (f finder) program() action {
	missing := func(*call, query, string) error { return affiliate.RejectNoProgramID.Err() }
	return find(lookup{name: "programId", single: true, answer: configured{}, run: f.answerProgram}, lookup{run: missing})
}

func (f finder) answerProgram(c *call, _ query, id string) error {
	p, err := f.of(c.r.Context(), id)
	if err != nil {
		return c.orNone(err)
	}
	cfg := p.Config()
	c.cache = programMaxAge
	return c.answer(configured{published{
		ID: cfg.ID, Name: cfg.Name, CookieDuration: cfg.CookieDays, URLModifier: cfg.Param,
		CrossTrackingDomains: []string{},
	}})
}

// of is the program with an id.
func (f finder) of(ctx context.Context, id string) (*affiliate.Program, error) {
	p, err := f(ctx, id)
	if err == nil && p == nil {
		err = errors.New("httpapi: find gave no program")
	}
	return p, err
}

// orNone answers a program or slug that is not there; other errors pass.
func (c *call) orNone(err error) error {
	if !errors.Is(err, affiliate.ErrNotFound) {
		return err
	}
	return c.answer(absent{})
}

// headerValue is a header as a click keeps it: valid text without control
// characters. What a browser sends by itself is no reason to lose a click.
func headerValue(h http.Header, name string) string { return plainText(h.Get(name)) }

func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
