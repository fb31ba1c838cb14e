package console_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/sample"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

var (
	start = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)
	key   = bytes.Repeat([]byte("k"), 32)
)

// A world is a program with its console.
type world struct {
	*tributary.Program
	t     testing.TB
	store *countingStore
	now   time.Time
	cfg   console.Config
	desk  *console.Console
	log   *lines

	dumper *scene.Dumper

	ada, idle affiliate.Affiliate // an active one and one that waits
	paid      affiliate.Sale      // in a payout
	free      affiliate.Sale      // in no payout
	lined     affiliate.Sale      // with lines, by plan
	plan      affiliate.Plan      // with rules
	held      affiliate.Sale      // on hold
	payout    affiliate.Payout    // pending
	delivery  uuid.UUID           // failed
	conflict  uuid.UUID           // a payment that names paid
	customer  affiliate.Referral
	kept      *stock
}

func newWorld(t testing.TB, change ...func(*tributary.Config, *console.Config)) *world {
	t.Helper()
	w := &world{t: t, now: start, log: &lines{}, store: &countingStore{Store: memstore.New()}, dumper: new(scene.Dumper)}
	engine := tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:          func() time.Time { return w.now }, Rand: rand.NewChaCha8([32]byte{1}),
		Schedule: []time.Duration{0},
		Review:   []affiliate.ReviewRule{affiliate.SelfReferral()}, StoredSettings: true,
	}
	w.cfg = console.Config{
		Authorize: func(r *http.Request) (string, bool) {
			actor := r.Header.Get("Actor")
			return actor, actor != ""
		},
		Logger: slog.New(slog.NewTextHandler(w.log, nil)), Key: key,
	}
	for _, c := range change {
		c(&engine, &w.cfg)
	}
	w.Program = must(tributary.New(w.store, engine))
	w.desk = must(console.New(w.Program, w.cfg))
	return w
}

// fill makes a program that has something of everything. name is put into every
// text that people give.
func (w *world) fill(name string) {
	w.t.Helper()
	o := sample.Fill(w.t, w.Program, func(d time.Duration) { w.now = w.now.Add(d) }, name)
	w.ada, w.idle, w.paid, w.free, w.held = o.Ada, o.Idle, o.Paid, o.Free, o.Held
	w.lined, w.plan = o.Lined, o.Plan
	w.payout, w.delivery, w.customer, w.conflict = o.Payout, o.Delivery, o.Customer, o.Conflict
	w.log.reset()
}

// lines is a log.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) reset() { l.mu.Lock(); l.Reset(); l.mu.Unlock() }

// actions are the lines of the audit.
func (l *lines) actions() (all []string) {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, `msg="console action"`) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// A pageAnswer is an answer.
type pageAnswer struct {
	status int
	head   http.Header
	body   string
}

// ask makes a request as ops.
func ask(h http.Handler, method, target, body string, head ...string) pageAnswer {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Actor", "ops")
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(head); i += 2 {
		if head[i+1] == "" {
			r.Header.Del(head[i])
		} else {
			r.Header.Set(head[i], head[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return pageAnswer{w.Code, w.Result().Header, w.Body.String()}
}

func (w *world) get(path string) pageAnswer { return ask(w.desk, "GET", "/"+path, "") }

// form gets the form of an action, with fields changed: name, value …
func (w *world) form(path string, fields ...string) url.Values {
	w.t.Helper()
	page := w.get(path)
	if page.status != 200 {
		w.t.Fatalf("GET %s: %d %s", path, page.status, page.text())
	}
	values := fieldsOf(w.t, page.body)
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return values
}

// ready is the form of an action that can be sent: where the console asks once more,
// what it asks then.
func (w *world) ready(path string, fields ...string) url.Values {
	w.t.Helper()
	form := w.form(path, fields...)
	if !movesMoney(path) {
		return form
	}
	page := w.send(path, form)
	if page.status != 200 || !strings.Contains(page.body, `name="repeated"`) {
		w.t.Fatalf("%s does not ask once more: %d %s", path, page.status, page.text())
	}
	return fieldsOf(w.t, page.body)
}

// movesMoney reports whether the form at a path is asked once more, with what was typed.
func movesMoney(path string) bool {
	return strings.HasSuffix(path, "/refund") || strings.HasSuffix(path, "/adjust") || strings.HasSuffix(path, "/decide") || strings.HasSuffix(path, "/correct") || path == "payouts/new"
}

func (w *world) send(path string, form url.Values, head ...string) pageAnswer {
	return ask(w.desk, "POST", "/"+path, form.Encode(), head...)
}

// text is the text of the main part of a page.
func (g pageAnswer) text() string {
	_, main, _ := strings.Cut(g.body, "<main")
	var b strings.Builder
	inside := false
	for _, r := range "<" + main {
		switch {
		case r == '<':
			inside = true
		case r == '>':
			inside = false
			b.WriteByte(' ')
		case !inside:
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// An element is one of a page, with its attributes.
type element struct {
	name  string
	attrs map[string]string
}

// parse reads a page.
func parse(t testing.TB, body string) (all []element) {
	t.Helper()
	closed := true
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in %.2000s", err, body)
		}
		if typed, ok := token.(xml.CharData); ok && len(all) > 0 && all[len(all)-1].name == "textarea" && !closed {
			all[len(all)-1].attrs["value"] += strings.TrimPrefix(string(typed), "\n")
		}
		if _, ok := token.(xml.EndElement); ok {
			closed = true
		}
		if s, ok := token.(xml.StartElement); ok {
			closed = false
			e := element{s.Name.Local, map[string]string{}}
			for _, a := range s.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		}
	}
}

// elements are those of an answer; a file has none.
func elements(t testing.TB, g pageAnswer) []element {
	t.Helper()
	if !strings.HasPrefix(g.head.Get("Content-Type"), "text/html") {
		return nil
	}
	return parse(t, g.body)
}

// fieldsOf are the fields of the form of a page that is posted, as a browser
// sends them.
func fieldsOf(t testing.TB, body string) url.Values {
	values, posted, chosen := url.Values{}, false, ""
	for _, e := range parse(t, body) {
		_, selected := e.attrs["selected"]
		_, checked := e.attrs["checked"]
		switch {
		case e.name == "form":
			posted = e.attrs["method"] == "post"
		case !posted:
		case e.name == "textarea" || e.name == "input" && (e.attrs["type"] != "checkbox" && e.attrs["type"] != "radio" || checked):
			values.Set(e.attrs["name"], e.attrs["value"])
		case e.name == "datalist":
			chosen = "" // it only offers
		case e.name == "select":
			chosen = e.attrs["name"]
		case e.name == "option" && chosen != "" && (selected || !values.Has(chosen)):
			values.Set(chosen, e.attrs["value"])
		}
	}
	if values.Get("token") == "" {
		t.Fatalf("there is no form in %.3000s", body)
	}
	return values
}

var errDown = errors.New("store: secret-detail of the database")

// countingStore is a store that counts the calls of tables and the rows that they
// give, and fails at one of the calls.
type countingStore struct {
	record.Store
	mu          sync.Mutex
	calls, rows int
	failAt      int // 0: never
}

func (s *countingStore) begin(failAt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.rows, s.failAt = 0, 0, failAt
}

func (s *countingStore) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.calls == s.failAt {
		return errDown
	}
	return nil
}

func (s *countingStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, func(tx *record.Tx) error { return fn(s.wrap(tx)) })
}

func (s *countingStore) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, func(tx *record.Tx) error { return fn(s.wrap(tx)) })
}

func (s *countingStore) wrap(tx *record.Tx) *record.Tx {
	out := *tx
	for _, table := range record.Schema() {
		table.Set(&out, watchedTable{table.In(tx), s})
	}
	return &out
}

type watchedTable struct {
	record.Table[record.AnyRecord]
	s *countingStore
}

func (t watchedTable) row(rec record.AnyRecord, err error) (record.AnyRecord, error) {
	t.s.mu.Lock()
	t.s.rows++
	t.s.mu.Unlock()
	return rec, err
}

func (t watchedTable) Get(id uuid.UUID) (rec record.AnyRecord, err error) {
	if err := t.s.call(); err != nil {
		return rec, err
	}
	return t.row(t.Table.Get(id))
}

func (t watchedTable) Find(k record.Key) (rec record.AnyRecord, err error) {
	if err := t.s.call(); err != nil {
		return rec, err
	}
	return t.row(t.Table.Find(k))
}

func (t watchedTable) List(q record.Query) iter.Seq2[record.AnyRecord, error] {
	return func(yield func(record.AnyRecord, error) bool) {
		if err := t.s.call(); err != nil {
			var none record.AnyRecord
			yield(none, err)
			return
		}
		for rec, err := range t.Table.List(q) {
			if !yield(t.row(rec, err)) {
				return
			}
		}
	}
}

func (t watchedTable) Insert(rec record.AnyRecord) error {
	return errors.Join(t.s.call(), t.Table.Insert(rec))
}
func (t watchedTable) Replace(rec record.AnyRecord) error {
	return errors.Join(t.s.call(), t.Table.Replace(rec))
}

// dump is everything that the store holds, but for some tables.
func (w *world) dump(leave ...string) string {
	w.t.Helper()
	tables := w.dumper.Dump(w.t, w.store.Store, w.Config().ID)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if !slices.Contains(leave, name) {
			b.WriteString(name + "\n" + strings.Join(tables[name], "\n") + "\n")
		}
	}
	return b.String()
}

// effects is the dump without receipts: a refusal is remembered too.
func (w *world) effects() string { return w.dump("receipts") }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestMain(m *testing.M) { atlength.Main(m) }
