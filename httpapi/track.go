package httpapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// trackingPrefix is the beginning of the paths of the tracking endpoints.
const trackingPrefix = "/api/affiliates"

// programMaxAge lets browsers and proxies keep a program's configuration.
const programMaxAge = "public, max-age=300"

// A finder returns the program with a public id.
type finder func(ctx context.Context, programID string) (*tributary.Program, error)

// Tracking serves the two endpoints that scripts in a visitor's browser call:
// they record a click and read the configuration of a program. They take no
// key, answer pages of any origin, and create nothing but clicks. It serves
// /t.js too, a script for pages that calls them: docs/click-script.md. Mount them
// only if you need them, in one place:
//
//	tracking := httpapi.Tracking(find, httpapi.Config{})
//	mux.Handle("/api/affiliates/", tracking)
//	mux.Handle("/t.js", tracking)
//
// Everything at or below /api/affiliates that reaches the handler is answered
// in JSON. On a mux with a catch-all that names a method, register the exact
// paths instead, such as "POST /api/affiliates/add-click" and "OPTIONS
// /api/affiliates/add-click".
//
// find returns the program with the public id that a caller sent; the id may be
// any text, and is empty for /t.js without a programId: a host of one program may
// return it then. An error that is [affiliate.ErrNotFound] means that no program has
// this id; any other error is answered 500. The fields MaxBody, Limit and
// Logger of cfg apply. Limit is called for preflights too; a host that opens
// these paths to the world should set it.
//
// No caller can keep the handler busy for long: a body over 8 KiB is refused,
// and the answer is 500 when find and the store take more than three seconds.
// The host limits how long a body may take to arrive, with ReadTimeout of its
// server.
//
// Tracking panics when find is nil, cfg has keys or MaxBody is out of range:
// these are mistakes in the host's program.
//
// Effects: those of [tributary.Program.TrackClick]. It creates no referral,
// sale or event.
//
// Concurrency: safe for concurrent use.
//
// Source: docs/contract.md 5.
func Tracking(find func(ctx context.Context, programID string) (*tributary.Program, error), cfg Config) http.Handler {
	if find == nil {
		panic("httpapi: Tracking without find")
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = trackedBody
	}
	paths := resources(trackingPrefix, trackingRoutes(find))
	maps.Copy(paths, resources("", []route{{http.MethodGet, scriptPath, everybody, finder(find).script()}}))
	h, err := newHandler(nil, cfg, paths)
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
		{http.MethodPost, click, everybody, f.addClick()},
		{http.MethodOptions, click, everybody, preflight()},
		{http.MethodGet, program, everybody, f.program()},
		{http.MethodOptions, program, everybody, preflight()},
	}
}

// preflight answers what a page of another origin may send.
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
	click     affiliate.ClickParams
}

func visitOf(in *input) visit {
	return visit{programID: in.text("programId"), click: newClick(in)}
}

// check returns the first error of a visit that was read from in; nil when it
// has none.
func (v visit) check(in *input) *affiliate.Error {
	refused, place := in.refusal()
	if missing := refusal.RefuseNoProgramID.Err(); blank(v.programID) && (refused == nil || in.outranks(missing, place)) {
		return missing
	}
	return refused
}

// clickAnswer is the part of a click that the visitor's browser gets.
type clickAnswer struct {
	// The id: an AffiliateID or ReferralID of later requests.
	ID affiliate.ClickID `json:"id"`
	// The affiliate of the slug.
	AffiliateID uuid.UUID      `json:"affiliateId"`
	CreatedAt   affiliate.Time `json:"createdAt"`

	// What the link gives now, if the request asks for it; not there when it gives nothing.
	Offer affiliate.Opt[affiliate.Offer] `json:"offer,omitzero"`
}

// clicked is the answer of add-click: a click was recorded.
type clicked struct {
	Click clickAnswer `json:"click"` // The click.
}

// absenceAnswer is the answer for an unknown program or slug.
type absenceAnswer struct {
	Exists bool `json:"exists"` // Always false.
}

func (f finder) addClick() action {
	return action{
		read:   func(in *input) { visitOf(in) },
		answer: clicked{},
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
			return c.answer(clicked{clickAnswer{click.ID, click.AffiliateID, click.CreatedAt, click.Offer}})
		},
	}
}

// publicProgram is the part of a program that a page may know.
type publicProgram struct {
	// The public id.
	ID uuid.UUID `json:"id"`
	// What the program is called.
	Name string `json:"name"`
	// Days in which a click counts.
	CookieDuration int `json:"cookieDuration"`
	// The query parameter that holds the slug.
	URLModifier string `json:"urlModifier"`
	// The parameters of links from before the program was here, which hold a slug too; not
	// there: none.
	OldURLModifiers []string `json:"oldUrlModifiers,omitempty"`
	// Other domains of the program.
	CrossTrackingDomains []string `json:"crossTrackingDomains"`
	// Whether the script should tell what it does.
	EnableDebugLogs bool `json:"enableDebugLogs"`
}

// configurationAnswer is the configuration that the script of a page needs.
type configurationAnswer struct {
	Program publicProgram `json:"program"` // The program.
}

func (f finder) program() action {
	missing := func(*call, query, string) error { return refusal.RefuseNoProgramID.Err() }
	return find(lookup{name: "programId", single: true, answer: configurationAnswer{},
		run: f.answerProgram}, lookup{run: missing})
}

func (f finder) answerProgram(c *call, _ query, id string) error {
	p, err := f.of(c.r.Context(), id)
	if err != nil {
		return c.orNone(err)
	}
	cfg := p.Config()
	c.cache = programMaxAge
	return c.answer(configurationAnswer{publicProgram{
		ID: cfg.ID, Name: cfg.Name, CookieDuration: cfg.CookieDays, URLModifier: cfg.Param,
		OldURLModifiers: cfg.OldParams, CrossTrackingDomains: []string{},
	}})
}

// of returns the program with an id.
func (f finder) of(ctx context.Context, id string) (*tributary.Program, error) {
	p, err := f(ctx, id)
	if err == nil && p == nil {
		err = errors.New("httpapi: find gave no program")
	}
	return p, err
}

// orNone answers an unknown program or slug; it returns any other error.
func (c *call) orNone(err error) error {
	if !errors.Is(err, affiliate.ErrNotFound) {
		return err
	}
	return c.answer(absenceAnswer{})
}

// headerValue returns a header in the form that a click keeps: valid text without
// control characters. A malformed header must not lose a click.
func headerValue(h http.Header, name string) string { return plainText(h.Get(name)) }

func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// Source: docs/contract.md 4.6.

// newClick reads a visit. An empty optional text counts as absent: a browser has
// one for a visitor without a referrer.
func newClick(in *input) affiliate.ClickParams {
	slug := in.text("referralCode")
	if blank(slug) {
		in.fault(refusal.RefuseNoReferralCode)
	}
	return affiliate.ClickParams{
		Slug:       slug,
		Repeat:     !in.boolean("uniqueClick").Or(true),
		LandingURL: in.text("fullLandingUrl"),
		Referrer:   in.text("documentReferrer"),
		UserAgent:  in.text("userAgent"),
		DeviceID:   in.text("deviceId"),
		Earlier:    affiliate.ClickID(in.integer("earlierClickId").Or(0)),
		Offer:      in.flag("offer"),
	}
}
