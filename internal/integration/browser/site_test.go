package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/internal/sample"
	"github.com/tributary-go/tributary/memstore"
)

// sets are the sets of pages, by their name: how a program's are mounted at "/".
var sets = map[string]func(*world) http.Handler{
	"console": func(w *world) http.Handler { return w.console(console.Config{}) },
	"partner": func(w *world) http.Handler {
		return w.partner(portal.Config{MaxLinks: 5, Cases: true, SignUp: applying})
	},
}

// worlds are the programs whose pages are looked at.
var worlds = map[string]func(testing.TB) *world{
	"empty": newWorld,
	"full":  func(t testing.TB) *world { return newWorld(t).fill().large() },
}

// A world is a program with a clock of its own.
type world struct {
	*tributary.Program
	t     testing.TB
	store record.Store
	clock *clock
	made  sample.Objects
}

// newWorld makes a program that has nothing.
func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldIn(t, memstore.New())
}

func newWorldIn(t testing.TB, store record.Store) *world {
	t.Helper()
	w := &world{t: t, store: store, clock: &clock{at: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)}}
	w.open(tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		TermsText:    strings.Repeat("Be honest, and say that you earn. ", 40), TermsVersion: "2026-01",
		Rand:     rand.NewChaCha8([32]byte{1}),
		Schedule: []time.Duration{0},
	})
	return w
}

func (w *world) open(cfg tributary.Config) {
	w.t.Helper()
	cfg.Now = w.clock.now
	cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral()}
	w.Program = must(tributary.New(w.store, cfg))(w.t)
}

// fill makes something of everything, with one of the texts in every text that people
// give.
func (w *world) fill(texts ...string) *world {
	w.t.Helper()
	w.made = sample.Fill(w.t, w.Program, w.clock.pass, texts...)
	return w
}

// large adds a sale whose commission is 128,964,430.00: its
// figures have to fit everywhere.
func (w *world) large() *world {
	w.t.Helper()
	_ = must(w.RecordSale(w.t.Context(), affiliate.SaleParams{ReferralID: w.made.Ada.ID.String(), Email: "large@x.example", Name: "Large", TotalEarned: affiliate.MustAmount("644822150")}))(w.t)
	return w
}

// newYear is the year of the demo, on its last evening.
func newYear(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, store: memstore.New(), clock: &clock{at: time.Date(2025, 12, 31, 18, 0, 0, 0, time.UTC)}}
	cfg := demo.Config()
	cfg.Rand = rand.NewChaCha8([32]byte{1})
	shop := must(demo.New(w.store, cfg))(t)
	if err := shop.Run(t.Context(), bytes.NewReader(demo.Year), func(int) {}); err != nil {
		t.Fatal(err)
	}
	w.open(cfg)
	return w
}

// console is the console of the program, which lets everybody in as ops.
func (w *world) console(cfg console.Config) http.Handler {
	w.t.Helper()
	if cfg.Authorize == nil {
		cfg.Authorize = func(*http.Request) (string, bool) { return "ops", true }
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.Proposals = w.proposals()
	return must(console.New(w.Program, cfg))(w.t)
}

// proposals are a bonus that an assistant proposes for Ada, and one that was declined; none where there is nobody.
func (w *world) proposals() func(*tributary.Program) console.Proposals {
	const key = "the-key-of-an-assistant"
	api := must(httpapi.New(w.Program, httpapi.Config{Keys: []httpapi.Key{{Name: "assistant", Secret: key, Scope: httpapi.ScopePropose}}}))(w.t)
	if w.made.Ada.ID != uuid.Nil {
		c := must(client.New("https://in.process", key, client.Config{Handler: api}))(w.t)
		for _, why := range []string{"She spoke at the fair on Saturday, and eleven visitors came by her link that day.", "Again."} {
			body := fmt.Sprintf(`{"affiliateId":%q,"kind":"BONUS","amount":12.5,"reason":"fair"}`, w.made.Ada.ID)
			is := must(c.Propose(w.t.Context(), affiliate.ProposalParams{Operation: "POST /adjustments", Body: json.RawMessage(body), Why: why}))(w.t)
			if why == "Again." {
				_ = must(api.Proposals(w.Program).Decline(w.t.Context(), is.ID, "ops", "Once is enough."))(w.t)
			}
		}
	}
	return func(p *tributary.Program) console.Proposals { return api.Proposals(p) }
}

// partner are the pages of Ada, who is made where there is nobody.
func (w *world) partner(cfg portal.Config) http.Handler {
	w.t.Helper()
	if w.made.Ada.ID == uuid.Nil {
		w.made.Ada = must(w.CreateAffiliate(w.t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "X", Email: "ada@example.org"}))(w.t)
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	if cfg.Key == nil {
		cfg.Authorize = func(*http.Request) (uuid.UUID, bool) { return w.made.Ada.ID, true }
	}
	return must(portal.New(w.Program, cfg))(w.t)
}

// originOf serves a handler on this machine, and returns its origin.
func originOf(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// A clock shows the time that it is told.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// must is the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
