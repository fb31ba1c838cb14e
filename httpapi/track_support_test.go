package httpapi_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A site is a program with one affiliate, mara, whose slug is Mara.
type site struct {
	*tributary.Program
	t      testing.TB
	store  record.Store
	mara   affiliate.Affiliate
	fired  atomic.Int64 // commits that wrote events
	broken atomic.Bool  // the store fails
	slow   atomic.Bool  // the store never answers
}

var siteTime = time.Date(2026, 2, 4, 9, 58, 10, 31_000_000, time.UTC)

const siteID = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, store: memstore.New()}
	p, err := tributary.New(&moodyStore{s.store, s}, tributary.Config{
		ID: uuid.MustParse(siteID), Name: "Northwind Beans", CookieDays: 30,
		Now: func() time.Time { return siteTime }, Rand: rand.NewChaCha8([32]byte{}),
		OnEvents: func() { s.fired.Add(1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Program = p
	s.mara, err = p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: "mara@roast.example", AffiliateLink: "Mara",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.fired.Store(0)
	return s
}

// moodyStore is a store that fails or waits when the site says so.
type moodyStore struct {
	record.Store
	site *site
}

const storeText = "dial tcp 10.0.0.7:5432: secret of the store"

type storeError string

func (e storeError) Error() string { return string(e) }

func (m *moodyStore) Update(ctx context.Context, program uuid.UUID, fn func(*record.Tx) error) error {
	if m.site.slow.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if m.site.broken.Load() {
		return storeError(storeText)
	}
	return m.Store.Update(ctx, program, fn)
}

// find is how a host with this one program looks it up.
func (s *site) find(_ context.Context, id string) (*tributary.Program, error) {
	if id != s.Config().ID.String() {
		return nil, affiliate.ErrNotFound
	}
	return s.Program, nil
}

func (s *site) tracking() http.Handler { return httpapi.Tracking(s.find, httpapi.Config{}) }

const (
	clickPath   = "/api/affiliates/add-click"
	programPath = "/api/affiliates/affiliate-program-v2"
)

// click is a POST to add-click.
func click(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, clickPath, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// ask is the answer of a handler.
func ask(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// bodyOf is the body of an answer.
func bodyOf(t testing.TB, res *http.Response) string {
	t.Helper()
	raw := must(io.ReadAll(res.Body))
	return string(raw)
}

// reply is what a test expects of an answer.
type reply struct {
	status            int
	code, field, body string
}

func replyOf(t testing.TB, res *http.Response) reply {
	t.Helper()
	return reply{res.StatusCode, res.Header.Get("Error-Code"), res.Header.Get("Error-Field"), bodyOf(t, res)}
}

// clicks returns the affiliate's counter of clicks, and the stored clicks in
// the order of their numbers.
func (s *site) clicks() (counted int64, stored []record.Click) {
	s.t.Helper()
	aff := must(s.Affiliate(context.Background(), s.mara.ID.String()))
	links, err := s.Links(context.Background(), affiliate.LinkQuery{}, affiliate.Page{})
	if err != nil || links.Items[0].Clicks != aff.NumberOfClicks {
		s.t.Errorf("the link counts %d clicks, the affiliate %d (%v)", links.Items[0].Clicks, aff.NumberOfClicks, err)
	}
	err = s.store.View(context.Background(), s.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Clicks.List(record.Query{}) {
			if err != nil {
				return err
			}
			stored = append(stored, rec)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.Verify(context.Background()); err != nil {
		s.t.Errorf("Verify: %v", err)
	}
	return aff.NumberOfClicks, stored
}
