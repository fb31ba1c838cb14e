package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/conformance/servertest"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

// TestConformance runs the wire contract against the handler. A request that
// reads or is refused leaves every record as it was, and in the end the books
// hold.
// It is console check 26.
func TestConformance(t *testing.T) {
	for _, row := range []struct {
		name string
		wrap func(record.Store) record.Store
	}{
		{"memstore", func(s record.Store) record.Store { return s }},
		{"Rerun", conformance.Rerun},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.name == "Rerun" {
				atlength.Only(t, "a second store")
			}
			store := memstore.New()
			p := must(tributary.New(row.wrap(store), tributary.Config{
				Name:         "Northwind Beans",
				Destinations: []affiliate.Destination{{URL: "https://beans.example/shop?lang=en#new"}, {URL: "https://beans.example/"}},
				Terms:        affiliate.Terms{Rate: affiliate.MustPercent("20")},
			}))
			h := must(httpapi.New(p, httpapi.Config{APIKeys: []string{"test-key-of-conformance"}}))
			watched := &watcher{t: t, handler: h, store: store, program: p.Config().ID, looks: atlength.Every(4)}
			server := httptest.NewServer(watched)
			defer server.Close()

			servertest.TestServer(t, servertest.Server{URL: server.URL, Key: "test-key-of-conformance", HTTP: server.Client()})
			if err := p.Verify(t.Context()); err != nil {
				t.Errorf("Verify: %v", err)
			}
			if watched.compared < 500 {
				t.Errorf("the records were compared around %d requests only", watched.compared)
			}
			t.Logf("records compared around %d requests", watched.compared)
		})
	}
}

// A watcher is a handler that compares the records before and after every
// request that must not change any. It skips requests that overlap with another
// one.
type watcher struct {
	t       testing.TB
	handler http.Handler
	store   record.Store
	program uuid.UUID

	mu       sync.Mutex
	running  int
	begun    int
	last     map[string][]any // the records after the last request; nil: not known
	looks    func() bool      // at this request
	compared int
}

func (w *watcher) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	mine := w.begin()
	answer := &statusWriter{ResponseWriter: rw, status: http.StatusOK}
	defer func() {
		w.end(mine, answer.status >= 400 || r.Method == http.MethodGet || r.Method == http.MethodHead, r)
	}()
	w.handler.ServeHTTP(answer, r)
}

func (w *watcher) begin() (mine int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running++; w.running > 1 || !w.looks() {
		w.last = nil
	} else if w.last == nil {
		w.last = w.dump()
	}
	w.begun++
	return w.begun
}

func (w *watcher) end(mine int, unchanged bool, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	if w.begun != mine || w.last == nil || !unchanged {
		w.last = nil
		return
	}
	after := w.dump()
	for table, before := range w.last {
		if !reflect.DeepEqual(before, after[table]) {
			w.t.Errorf("%s %s changed %s\nbefore %+v\nafter  %+v", r.Method, r.URL, table, before, after[table])
		}
	}
	w.last = after
	w.compared++
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// dump is every record but the receipts, by table.
func (w *watcher) dump() map[string][]any {
	out := map[string][]any{}
	err := w.store.View(context.Background(), w.program, func(tx *record.Tx) error {
		for _, table := range record.Schema() {
			for rec, err := range table.In(tx).List(record.Query{}) {
				switch {
				case err != nil:
					return err
				case table.Name == "events": // they are written once
					out[table.Name] = append(out[table.Name], rec.RecordID())
				case table.Name != "receipts":
					out[table.Name] = append(out[table.Name], rec)
				}
			}
		}
		return nil
	})
	if err != nil {
		w.t.Errorf("dump: %v", err)
	}
	return out
}
