package servertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

// A brokenServer is a server that is wrong in one way, and prefixes of the names
// of the cases that detect it. The last prefix is the case that must fail; the
// others are run because it judges their answers.
type brokenServer struct {
	flaw   string
	caught []string
	wrong  middleware
}

func brokenServers() []brokenServer {
	return slices.Concat(brokenAnswers(), brokenRequests(), brokenEffects(), brokenAdmin(), unkeyedServers())
}

// sample returns cases with answers of many kinds, for the rules about every
// answer.
func sample() []string {
	return []string{
		"B122 ", "B184 ", "B200 ", "B266 the least", "B305 DELETE twice", "B328 ", "B348 PUT", "B345 ", "B394 the least", "B395 a dup", "B417 ", "B427 one", "B451 the least",
		"B258 a good code", "B459 ", "M OPTIONS ", "P /nothing", "K no Auth", "B120 pages of", "V coupon",
	}
}

// over returns the cases for a rule about every answer.
func over(rule string) []string { return append(sample(), rule) }

// TestBrokenServers runs the suite against servers that are wrong in one way
// each. The case that is named last must fail and name its rule.
func TestBrokenServers(t *testing.T) {
	for _, b := range brokenServers() {
		t.Run(b.flaw, func(t *testing.T) {
			t.Parallel()
			last := b.caught[len(b.caught)-1]
			report := judged(t, b.wrong, b.caught...)
			var failed []string
			for _, r := range report.Results {
				if r.Outcome == Failed && strings.HasPrefix(r.Name, last) && r.Rule != "" {
					failed = append(failed, r.Name)
					t.Log(r)
				}
			}
			if len(failed) == 0 {
				t.Errorf("a server that %s passes %s", b.flaw, last)
			}
		})
	}
	if n := len(brokenServers()); n < 20 {
		t.Errorf("%d broken servers only", n)
	}
}

// TestRightServer is the control: the server without a flaw passes everything,
// with the same transport and recorder. No webhook endpoint is left.
func TestRightServer(t *testing.T) {
	atlength.Only(t, "one more examination")
	server := answered(func(*http.Request, *reply) {})(rightServer(t))
	report := judgedAs(t, Server{HTTP: &http.Client{Transport: handlerTransport{server}}}, "")
	if !report.OK() {
		t.Error(report)
	}
	t.Log(report.counts())
	r := httptest.NewRequest(http.MethodGet, "/api/v1/webhooks", nil)
	r.Header.Set("Authorization", "Bearer test-key-of-conformance")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.String() != "[]" {
		t.Errorf("endpoints that are left: %d %s", w.Code, w.Body)
	}
}

// judged runs the cases whose names begin with one of the prefixes against a
// server.
func judged(t *testing.T, wrong middleware, prefixes ...string) Report {
	t.Helper()
	return judgedAs(t, Server{HTTP: &http.Client{Transport: handlerTransport{wrong(rightServer(t))}}}, prefixes...)
}

// judgedAs is judged for a given Server.
func judgedAs(t *testing.T, s Server, prefixes ...string) Report {
	t.Helper()
	s.URL, s.Key = "http://conform.example", "test-key-of-conformance"
	u, err := newSuite(s)
	if err != nil {
		t.Fatal(err)
	}
	var cases []serverCase
	for _, c := range serverCases() {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.name, p) }) {
			cases = append(cases, c)
		}
	}
	report, err := u.check(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestHouseCodes: a server that has house codes and one that has none fail the cases of the other.
func TestHouseCodes(t *testing.T) {
	all := []string{"B254 PUT no affiliate", "B307 DELETE with everything", "B366", "B367 every", "H13"}
	for _, has := range []bool{false, true} {
		for _, said := range []bool{false, true} {
			server := Server{HouseCodes: said, HTTP: &http.Client{Transport: handlerTransport{serverWith(t, affiliate.AddressPolicy{}, func(c *tributary.Config) { c.HouseCodes = has })}}}
			report := judgedAs(t, server, all...)
			for _, r := range report.Results {
				if failed := r.Outcome == Failed; failed != (has != said) {
					t.Errorf("has house codes: %v, said: %v: %s", has, said, r)
				}
			}
			if len(report.Results) < len(all) {
				t.Errorf("%d cases", len(report.Results))
			}
		}
	}
}

// rightServer is the handler over a program in memory.
func rightServer(t *testing.T) http.Handler {
	t.Helper()
	return serverWith(t, affiliate.AddressPolicy{})
}

// serverWith is rightServer with a policy for the addresses of endpoints.
func serverWith(t *testing.T, addresses affiliate.AddressPolicy, change ...func(*tributary.Config)) http.Handler {
	t.Helper()
	cfg := tributary.Config{
		Name: "Northwind Beans", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Destinations: []affiliate.Destination{{URL: "https://beans.example/"}},
		Addresses: addresses,
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := tributary.New(memstore.New(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(p, httpapi.Config{APIKeys: []string{"test-key-of-conformance"}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}
