package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
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
// hold. It is console check 26; and money check 58: there are no events but the fifteen.
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
			for e, err := range affiliate.All(t.Context(), p.Events, affiliate.EventQuery{}) {
				if !slices.Contains(seedEvents, string(e.Type)) || err != nil {
					t.Errorf("there is no event %q, error %v", e.Type, err)
				}
			}
			if watched.compared < 500 {
				t.Errorf("the records were compared around %d requests only", watched.compared)
			}
			t.Logf("records compared around %d requests", watched.compared)
		})
	}
}

// seedEvents are the types of events that there are.
var seedEvents = strings.Fields(`
	affiliate.created affiliate.updated affiliate.deleted referral.created referral.updated referral.deleted
	sale.created sale.updated sale.deleted coupon.created coupon.updated coupon.deleted
	promocode.created promocode.updated promocode.deleted`)

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

// jsClient are the headers of every request of the PushLap.js client, those
// without a body included.
var jsClient = []string{
	"Accept: application/json, text/plain, */*", "Content-Type: application/json", "User-Agent: axios/1.7.9",
	"Accept-Encoding: gzip, compress, deflate, br", "Connection: keep-alive",
}

// A jsCall is a request of the client and the part of the answer that it needs:
// the named fields of an object, or of each object of an array. In path, body
// and want, A, R and N stand for the ids of the affiliate, the referral, and
// one that does not exist.
type jsCall struct {
	name, method, path, body string
	want                     string // JSON
}

// TestPushLapClient sends what PushLap.js sends, one row for each of its calls
// and options, in an order in which they work.
//
// Source: docs/contract.md 8.
func TestPushLapClient(t *testing.T) {
	w := newWorld(t)
	ids := map[string]string{"N": "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"}
	for _, tt := range []jsCall{
		{"affiliates.create", "POST", "/affiliates", `{"firstName":"John","lastName":"Doe","email":"john.doe@example.com","commissionRate":0.2}`,
			`{"id":"A","name":"John Doe","email":"john.doe@example.com","commissionRate":0.2,"status":"ACTIVE","affiliateLink":null,"link":null}`},
		{"affiliates.get", "GET", "/affiliates", "", `[{"id":"A"}]`},
		{"affiliates.get id", "GET", "/affiliates?id=A", "", `{"id":"A","firstName":"John","numberOfClicks":0,"totalCommissionEarned":0}`},
		{"affiliates.get email", "GET", "/affiliates?email=john.doe%40example.com", "", `{"id":"A"}`},
		{"affiliates.exists id", "GET", "/affiliates?id=N", "", `null`},
		{"affiliates.exists slug", "GET", "/affiliates?id=nobody", "", `null`},
		{"affiliates.exists email", "GET", "/affiliates?email=nobody%40example.com", "", `null`},
		{"affiliates.update", "PUT", "/affiliates", `{"id":"A","firstName":"Jane","lastName":"Roe","email":"jane.roe@example.com","commissionRate":10,"affiliateStatus":"INACTIVE"}`, `{"count":1}`},
		{"affiliates.update seen", "GET", "/affiliates?id=A", "", `{"name":"Jane Roe","email":"jane.roe@example.com","commissionRate":10,"status":"INACTIVE"}`},
		{"affiliates.update status", "PUT", "/affiliates", `{"id":"A","affiliateStatus":"ACTIVE"}`, `{"count":1}`},
		{"affiliates.update status seen", "GET", "/affiliates?id=A", "", `{"status":"ACTIVE"}`},

		{"referrals.create", "POST", "/referrals", `{"affiliateId":"A","name":"Jane Doe","email":"jane.doe@example.com","referredUserExternalId":"EXT-1","plan":"Premium","status":"INACTIVE"}`,
			`{"id":"R","affiliateId":"A","name":"Jane Doe","email":"jane.doe@example.com","referredUserExternalId":"EXT-1","plan":"Premium","status":"ACTIVE"}`},
		{"referrals.get", "GET", "/referrals", "", `[{"id":"R"}]`},
		{"referrals.get id", "GET", "/referrals?id=R", "", `{"id":"R"}`},
		{"referrals.get affiliateId", "GET", "/referrals?affiliateId=A", "", `[{"id":"R"}]`},
		{"referrals.get affiliateEmail", "GET", "/referrals?affiliateEmail=jane.roe%40example.com", "", `[{"id":"R"}]`},
		{"referrals.get externalId", "GET", "/referrals?externalId=EXT-1", "", `[{"id":"R"}]`},
		{"referrals.update", "PUT", "/referrals", `{"referralId":"R","name":"Janet Doe","email":"janet@example.com","referredUserExternalId":"EXT-3","plan":"Basic","status":"INACTIVE"}`,
			`{"id":"R","name":"Janet Doe","email":"janet@example.com","referredUserExternalId":"EXT-3","plan":"Basic","status":"ACTIVE","subscriptionStatus":"ACTIVE"}`},

		{"sales.create", "POST", "/sales", `{"referralId":"R","name":"John Smith","email":"john.smith@example.com","totalEarned":100,"commissionRate":0.1,"externalId":"ORDER","externalInvoiceId":"INVOICE-ID"}`,
			`{"id":1,"affiliateId":"A","referralId":"R","externalId":"ORDER","externalInvoiceId":"INVOICE-ID","totalEarned":100,"commissionRate":0.1}`},
		{"sales.create again", "POST", "/sales", `{"referralId":"R","name":"John Smith","email":"john.smith@example.com","totalEarned":100,"commissionRate":0.1,"externalId":"ORDER"}`, `null`},
		{"sales.get", "GET", "/sales", "", `[{"id":1}]`},
		{"sales.get id", "GET", "/sales?id=1", "", `{"id":1}`},
		{"sales.get affiliateId", "GET", "/sales?affiliateId=A", "", `[{"id":1}]`},
		{"sales.get affiliateEmail", "GET", "/sales?affiliateEmail=jane.roe%40example.com", "", `[{"id":1}]`},
		{"sales.get referralId", "GET", "/sales?referralId=R", "", `[{"id":1}]`},
		{"sales.get saleExternalId", "GET", "/sales?saleExternalId=ORDER", "", `[{"id":1}]`},
		{"sales.update", "PUT", "/sales", `{"saleId":1,"name":"X Y","email":"xy@example.com","totalEarned":80,"commissionRate":20}`,
			`{"id":1,"name":"X Y","email":"xy@example.com","totalEarned":80,"commissionRate":20,"commissionEarned":16}`},
		{"sales.update by digits", "PUT", "/sales", `{"saleId":"1","totalEarned":60}`, `{"id":1,"totalEarned":60}`},
		{"sales.delete by digits", "DELETE", "/sales", `{"saleId":"1"}`, `{}`},
		{"sales.delete seen", "GET", "/sales?id=1", "", `null`},
		{"referrals.delete", "DELETE", "/referrals", `{"referralId":"R"}`, `{}`},
		{"referrals.delete seen", "GET", "/referrals?id=R", "", `null`},
		{"affiliates.delete", "DELETE", "/affiliates", `{"id":"A"}`, `{}`},
		{"affiliates.delete seen", "GET", "/affiliates?id=A", "", `null`},
	} {
		w.call(t, tt, ids)
	}
	w.verify()
}

// call sends a request of the client and compares the fields that it needs.
func (w *world) call(t *testing.T, c jsCall, ids map[string]string) {
	t.Helper()
	got := w.do(c.method, "/api/v1"+named(c.path, ids), named(c.body, ids), jsClient...)
	if got.status != 200 {
		t.Errorf("%s: %s", c.name, got.refusal())
		return
	}
	learn(c.want, got.body, ids)
	want, have := decoded(named(c.want, ids)), decoded(got.body)
	if diff := cmp.Diff(want, pick(want, have)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", c.name, diff)
	}
}

// named replaces letters by their ids.
func named(s string, ids map[string]string) string {
	for letter, id := range ids {
		for _, around := range [][2]string{{`"`, `"`}, {"=", ""}} {
			mark := around[0] + letter + around[1]
			if around[1] != "" || strings.HasSuffix(s, mark) {
				s = strings.ReplaceAll(s, mark, around[0]+id+around[1])
			}
		}
	}
	return s
}

// learn notes the id that an answer has in the place of a new letter.
func learn(want, body string, ids map[string]string) {
	wanted, _ := decoded(want).(map[string]any)
	answer, _ := decoded(body).(map[string]any)
	letter, _ := wanted["id"].(string)
	if id, ok := answer["id"].(string); ok && letter != "" && ids[letter] == "" {
		ids[letter] = id
	}
}

func decoded(s string) (v any) {
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(err)
	}
	return v
}

// pick returns the part of an answer that is wanted, in the same shape.
func pick(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for name := range w {
			value, there := g[name]
			if !there {
				value = "is not there"
			}
			out[name] = pick(w[name], value)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(g))
		for i := range w {
			out[i] = pick(w[i], g[i])
		}
		return out
	}
	return got
}
