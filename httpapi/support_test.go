package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// start is the time at which the clock of every test starts.
var start = time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)

const testKey = "tk_4f9c1d7e8a01b2c3d4e5f60718293a4b"

// A world is a program on a store of its own with its API, and a clock that a
// test moves.
type world struct {
	*tributary.Program
	t     testing.TB
	api   *httpapi.Handler
	store *gateway
	now   time.Time
	logs  *watchedLog

	dumper *scene.Dumper
}

// setup is what a test may change before a world is made.
type setup struct {
	store  record.Store
	engine tributary.Config
	api    httpapi.Config
	auth   httpapi.Authority
}

func newWorld(t testing.TB, change ...func(*setup)) *world {
	t.Helper()
	w := &world{t: t, now: start, logs: &watchedLog{}, dumper: new(scene.Dumper)}
	s := setup{
		store: memstore.New(),
		engine: tributary.Config{
			ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"),
			Name:         "Northwind Beans",
			Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
			Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
			Now:          func() time.Time { return w.now },
			Rand:         rand.NewChaCha8([32]byte{1}), StoredSettings: true,
		},
		api: httpapi.Config{
			APIKeys: []string{testKey}, Logger: slog.New(w.logs.handler()),
			Portal: &httpapi.PortalLink{Key: portalKey, URL: "https://shop.example/partner/"},
		},
	}
	for _, c := range change {
		c(&s)
	}
	w.store = &gateway{Store: s.store}
	w.Program = must(tributary.New(w.store, s.engine))
	if s.auth != nil {
		s.api.APIKeys = nil
		w.api = must(httpapi.NewMulti(s.auth, s.api))
	} else {
		w.api = must(httpapi.New(w.Program, s.api))
	}
	t.Cleanup(func() { w.logs.check(t) })
	return w
}

// must returns the value of a call that must succeed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("unexpected error: %v", err))
	}
	return v
}

// pass moves the clock.
func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

// A gateway is a store that a test can count, break and restore.
type gateway struct {
	record.Store
	mu    sync.Mutex
	calls int
	wrap  func(record.Store) record.Store // nil: nothing is broken
}

func (g *gateway) inner() record.Store {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls++
	if g.wrap != nil {
		return g.wrap(g.Store)
	}
	return g.Store
}

func (g *gateway) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return g.inner().View(ctx, id, fn)
}

func (g *gateway) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return g.inner().Update(ctx, id, fn)
}

// broken wraps the store until the next call.
func (g *gateway) broken(wrap func(record.Store) record.Store) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wrap, g.calls = wrap, 0
}

// A watchedLog gets the log lines of a handler and checks that the lines of
// requests hold nothing that a caller sent.
type watchedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *watchedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *watchedLog) handler() slog.Handler {
	return slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

var requestLine = regexp.MustCompile(
	`^time=\S+ level=DEBUG msg=request operation=(none|"[A-Z]+ /api/v1/[a-z0-9/.-]+") status=(0|\d{3}) code=("")?[a-z_]* took=\S+ request_id=[A-Za-z0-9._-]{1,64}` +
		`( key=[a-z0-9-]+ scope=(full|integration|read|propose))? bytes=\d+ replayed=(true|false)( trace_id=[0-9a-f]{32})?$`)

func (l *watchedLog) check(t testing.TB) {
	t.Helper()
	for _, line := range l.lines() {
		if !strings.Contains(line, "level=ERROR") && !strings.Contains(line, "again under its id with other contents") && !requestLine.MatchString(line) {
			t.Errorf("log line: %s", line)
		}
	}
}

func (l *watchedLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.FieldsFunc(l.text.String(), func(r rune) bool { return r == '\n' })
}

// An answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// code is the Error-Code.
func (a answer) code() string { return a.header.Get("Error-Code") }

// refusal is status, code, text and field on one line; for a success only the
// status.
func (a answer) refusal() string {
	if a.status < 400 {
		return fmt.Sprint(a.status)
	}
	var body struct{ Error string }
	json.Unmarshal([]byte(a.body), &body)
	out := fmt.Sprint(a.status, " ", a.code(), ": ", body.Error)
	if field := a.header.Get("Error-Field"); field != "" {
		out += " [" + field + "]"
	}
	return out
}

// do sends a request in process, with key and content type unless headers say
// otherwise: "Name: value", or "Name:" for none.
func (w *world) do(method, target, body string, headers ...string) answer {
	w.t.Helper()
	return w.doWith(w.api, method, target, body, headers...)
}

func (w *world) doWith(h http.Handler, method, target, body string, headers ...string) answer {
	w.t.Helper()
	return send(w.t, h, request(method, target, body, headers...))
}

// send sends a request that a test has made by itself.
func (w *world) send(r *http.Request) answer { return send(w.t, w.api, r) }

func send(t testing.TB, h http.Handler, r *http.Request) answer {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	got := answer{rec.Code, rec.Result().Header, rec.Body.String()}
	got.check(t, r.Method+" "+r.URL.Path)
	if r.Header["X-Request-Id"] == nil {
		got.header.Del("X-Request-Id") // it is another one each time
	}
	return got
}

func request(method, target, body string, headers ...string) *http.Request {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	r.Header.Set("Authorization", "Bearer "+testKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		if value == "" {
			r.Header.Del(name)
			continue
		}
		r.Header.Set(name, strings.TrimPrefix(value, " "))
	}
	return r
}

// check tests what all answers of the API have in common: the fixed headers,
// JSON, and the form of an error.
func (a answer) check(t testing.TB, what string) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got := a.header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s = %q, want %q", what, name, got, want)
		}
	}
	if ids := a.header.Values("X-Request-Id"); len(ids) != 1 || !requestID.MatchString(ids[0]) {
		t.Errorf("%s: X-Request-Id = %q", what, ids)
	}
	for _, name := range []string{"Access-Control-Allow-Origin", "Server", "X-Powered-By", "Location"} {
		if a.header.Get(name) != "" {
			t.Errorf("%s: header %s: %s", what, name, a.header.Get(name))
		}
	}
	head := strings.HasPrefix(what, "HEAD ")
	if !head && !json.Valid([]byte(a.body)) {
		t.Errorf("%s: the body is not JSON: %s", what, a.body)
	}
	if (a.status >= 400) != (a.code() != "") {
		t.Errorf("%s: status %d with Error-Code %q", what, a.status, a.code())
	}
	a.checkReasons(t, what)
	if a.status < 400 || head {
		return
	}
	var fields map[string]any
	json.Unmarshal([]byte(a.body), &fields)
	if text, ok := fields["error"].(string); !ok || text == "" || len(fields) != 1 {
		t.Errorf("%s: error body %s", what, a.body)
	}
	if a.status == http.StatusUnauthorized && a.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("%s: 401 without WWW-Authenticate", what)
	}
}

// refuses fails the test unless a request is refused with this line and leaves
// the records as they are.
func (w *world) refuses(want, method, target, body string, headers ...string) {
	w.t.Helper()
	before := w.dump()
	if got := w.do(method, target, body, headers...).refusal(); got != want {
		w.t.Errorf("%s %s %.200s\n got %s\nwant %s", method, target, body, got, want)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		w.t.Errorf("%s %s %.200s changed records (-before +after):\n%s", method, target, body, diff)
	}
}

// ok fails the test unless a request succeeds, and decodes the answer.
func (w *world) ok(method, target, body string, headers ...string) map[string]any {
	w.t.Helper()
	got := w.do(method, target, body, headers...)
	if got.status != http.StatusOK {
		w.t.Fatalf("%s %s %.200s: %s", method, target, body, got.refusal())
	}
	var fields map[string]any
	json.Unmarshal([]byte(got.body), &fields)
	return fields
}

// verify fails the test when the books do not hold.
func (w *world) verify() {
	w.t.Helper()
	if err := w.Verify(context.Background()); err != nil {
		w.t.Errorf("Verify: %v", err)
	}
}

// dump is every record of the program by table, receipts and empty tables aside.
func (w *world) dump() map[string][]string {
	w.t.Helper()
	out := w.dumper.Dump(w.t, w.store.Store, w.Config().ID)
	maps.DeleteFunc(out, func(table string, recs []string) bool { return len(recs) == 0 || table == "receipts" })
	return out
}

// equal compares with cmp.Diff.
func equal[T any](t testing.TB, want, got T, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestMain(m *testing.M) { atlength.Main(m) }

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
