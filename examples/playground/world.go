package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/memstore"
)

// apiKey is that of the API; nobody else reaches it.
const apiKey = "playground-key-of-nobody"

// A world is a program with a year of orders, its API, its console and the pages of its affiliates, in memory.
type world struct {
	*tributary.Program
	store record.Store
	mux   *http.ServeMux
	pages *portal.Portal
	jar   http.CookieJar // a service worker sees no cookies

	mu     sync.Mutex
	later  time.Duration // by which the clock is ahead
	n      int           // steps that were taken
	sale   affiliate.SaleID
	broken uuid.UUID // the sale whose record was changed; zero: none
}

// newWorld makes the world as of a clock.
func newWorld(ctx context.Context, clock func() time.Time) (*world, error) {
	w := &world{store: memstore.New(), mux: http.NewServeMux()}
	cfg := demo.Config()
	if err := demo.Fill(ctx, w.store, cfg, clock()); err != nil {
		return nil, err
	}
	cfg.Now = func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return clock().Add(w.later)
	}
	var err error
	if w.Program, err = tributary.New(w.store, cfg); err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	api, err := httpapi.New(w.Program, httpapi.Config{APIKeys: []string{apiKey}})
	if err != nil {
		return nil, err
	}
	w.pages, err = portal.New(w.Program, portal.Config{Prefix: "/partner/", Key: bytes.Repeat([]byte("k"), 32), Cases: true, Logger: quiet})
	if err != nil {
		return nil, err
	}
	desk, err := console.New(w.Program, console.Config{Prefix: "/console/", Logger: quiet, PartnerPages: w.pages.As,
		Authorize: func(*http.Request) (string, bool) { return "you", true }})
	if err != nil {
		return nil, err
	}
	w.mux.Handle("/api/v1/", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+apiKey) // so that the address bar can ask, too
		api.ServeHTTP(rw, r)
	}))
	w.mux.Handle("/console/", desk)
	w.mux.Handle("/partner/", w.pages)
	w.mux.HandleFunc("/tour/{what}", w.tour)
	w.jar, err = cookiejar.New(nil)
	return w, err
}

// An answer is one to a request of a page.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// WriteHeader keeps the first status that is final.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

// serve answers a request for a path of the world, such as /console/sales?limit=3, as a server would, with the cookies
// that it has set. Pages may be shown in a frame of the playground.
func (w *world) serve(ctx context.Context, method, path, contentType string, body []byte) (*answer, error) {
	at, err := url.Parse("https://playground.example" + path)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.RequestURI, r.Host = at.RequestURI(), at.Host
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for _, c := range w.jar.Cookies(at) {
		r.AddCookie(c)
	}
	a := &answer{header: http.Header{}}
	w.mux.ServeHTTP(a, r)
	a.WriteHeader(http.StatusOK)
	w.jar.SetCookies(at, (&http.Response{Header: a.header}).Cookies())
	a.header.Del("Set-Cookie")
	a.header.Del("X-Frame-Options")
	policy := strings.ReplaceAll(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", "frame-ancestors 'self'")
	a.header.Set("Content-Security-Policy", policy)
	if policy == "" {
		a.header.Del("Content-Security-Policy")
	}
	return a, nil
}

// pass lets days pass: holds lapse, and what is done daily is done, which deletes old events and clicks.
func (w *world) pass(ctx context.Context, days string) (o Outcome, err error) {
	n, err := strconv.Atoi(days)
	if err != nil || n < 1 || n > 400 {
		return o, fmt.Errorf("between 1 and 400 days can pass, and not %q", days)
	}
	w.mu.Lock()
	w.later += time.Duration(n) * 24 * time.Hour
	w.mu.Unlock()
	serve.Retain(ctx, slog.New(slog.DiscardHandler), w.Program)
	serve.Reward(ctx, slog.New(slog.DiscardHandler), w.Program)
	o.Page = "console/"
	o.say("It is %s.", w.Config().Now().Format("2 January 2006"))
	return o, nil
}
