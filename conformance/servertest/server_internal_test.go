package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/memstore"
)

// TestServerCases: names are unique and stable, every case has a rule, and there
// are as many cases as promised.
func TestServerCases(t *testing.T) {
	cases, again := serverCases(), serverCases()
	seen := map[string]bool{}
	for i, c := range cases {
		if seen[c.name] {
			t.Errorf("two cases are called %q", c.name)
		}
		seen[c.name] = true
		if c.rule == "" || c.run == nil || strings.TrimSpace(c.name) != c.name {
			t.Errorf("case %q is not complete", c.name)
		}
		if c.name != again[i].name {
			t.Fatalf("case %d is called %q, then %q", i, c.name, again[i].name)
		}
	}
	if len(cases) < 200 {
		t.Errorf("%d cases", len(cases))
	}
	t.Log(len(cases), "cases")
}

// TestServerTexts: every text of the suite is a text of the engine.
func TestServerTexts(t *testing.T) {
	engine := map[denial]bool{}
	for _, e := range refusal.Refusals() {
		engine[denial{e.Kind.Status(), string(e.Reason), "", e.Message}] = true
	}
	for _, r := range []denial{
		unauthorized, invalidToken, notFound, methodNotAllowed, bodyTooLarge, wrongMediaType, bodyRequired, badLimit, badCursor, badKey, keyReused,
		slugSyntax, requestedSlugTaken, slugTaken, codeExhausted, generatedTaken, saleUnattributed, refundExceedsSale, webhookLimitReached,
	} {
		r.field = ""
		if !engine[r] {
			t.Errorf("the engine has no %v", r)
		}
	}
}

// TestServerReport: the report shows cases that are known to fail, and those
// among them that passed.
func TestServerReport(t *testing.T) {
	wrong := answered(func(_ *http.Request, a *reply) { a.replace("must be between 1 and 100", "must be from 1 to 100") })
	u, err := newSuite(Server{
		URL: "http://conform.example/", Key: "test-key-of-conformance", HTTP: &http.Client{Transport: handlerTransport{wrong(rightServer(t))}},
		Known: []string{"B130 percentOff 0", "B122 {}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	cases := slices.DeleteFunc(serverCases(), func(c serverCase) bool {
		return !strings.HasPrefix(c.name, "B130 percentOff 0") && c.name != "B122 {}"
	})
	report, err := u.check(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Outcome{}
	for _, r := range report.Results {
		got[r.Name] = r.Outcome
	}
	for name, want := range map[string]Outcome{"B130 percentOff 0": Known, "B122 {}": Unexpected, "B130 percentOff 0.0": Failed} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if report.OK() {
		t.Error("the report is OK")
	}
	for _, want := range []string{
		"FAILED: B130 percentOff 0.0", "rule:    contract 2.1, percentOff", `request: POST /coupons {"name":`, `want:    400 [Error-Code: invalid_field] [Error-Field: percentOff] {"error": "Percent off must be between 1 and 100"}`,
		"must be from 1 to 100", "UNEXPECTED: B122 {}", "1 known to fail",
	} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if strings.Contains(report.String(), "test-key-of-conformance") {
		t.Error("the report shows the key")
	}
}

// TestServerErrors: a mistake of the caller is an error, not a failed case.
func TestServerErrors(t *testing.T) {
	right := &http.Client{Transport: handlerTransport{rightServer(t)}}
	for name, s := range map[string]Server{
		"no URL":       {Key: "k", HTTP: right},
		"a path":       {URL: "/x", Key: "k", HTTP: right},
		"a query":      {URL: "http://conform.example?x=y", Key: "k", HTTP: right},
		"no key":       {URL: "http://conform.example", HTTP: right},
		"a wrong key":  {URL: "http://conform.example", Key: "wrong", HTTP: right},
		"unknown case": {URL: "http://conform.example", Key: "test-key-of-conformance", HTTP: right, Known: []string{"B999"}},
		"nobody there": {URL: "http://127.0.0.1:1", Key: "k"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := CheckServer(t.Context(), s); err == nil {
				t.Error("no error")
			} else if strings.Contains(err.Error(), "wrong") {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

// TestSkip (console check 24): the group admin has the cases of every operation
// of administration, and skipping it leaves all others.
func TestSkip(t *testing.T) {
	all := serverCases()
	var published, admin []string
	for _, c := range all {
		if strings.HasPrefix(c.name, adminCase) {
			admin = append(admin, c.name)
		} else {
			published = append(published, c.name)
		}
	}
	left := Server{Skip: []string{"admin"}}.wanted(serverCases())
	if len(left) != len(published) || len(published) < 1000 {
		t.Errorf("%d cases are left of %d", len(left), len(published))
	}
	for i, c := range left {
		if c.name != published[i] {
			t.Fatalf("%s is left, want %s", c.name, published[i])
		}
	}
	if n := len(Server{}.wanted(all)); n != len(published)+len(admin) {
		t.Errorf("%d cases without Skip", n)
	}
	for _, r := range routes() {
		_, path, _ := strings.Cut(r.operation, " ")
		named := false
		for _, name := range admin {
			named = named || strings.Contains(name, r.operation+" ")
		}
		if named != administers(path) {
			t.Errorf("%s: it is of the group %v, its cases are %v", r.operation, administers(path), named)
		}
	}
	if _, err := newSuite(Server{URL: "http://conform.example", Key: "k", Skip: []string{"money"}}); err == nil {
		t.Error("a group that does not exist is skipped")
	}
}

// TestPrivateAddresses: when a server opens other addresses than
// Server.PrivateAddresses says, the named cases fail.
func TestPrivateAddresses(t *testing.T) {
	var closed, loopback, private affiliate.AddressPolicy
	loopback.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	private.AllowHTTP = true
	for _, p := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
		private.AllowNetworks = append(private.AllowNetworks, netip.MustParsePrefix(p))
	}
	right := func(next http.Handler) http.Handler { return next }
	// swap is a server that reads one URL as another.
	swap := func(url, other string) middleware {
		return asked(func(_ *http.Request, body []byte) []byte { return []byte(strings.ReplaceAll(string(body), url, other)) })
	}
	for name, tt := range map[string]struct {
		policy affiliate.AddressPolicy
		said   bool
		wrong  middleware
		failed []string
	}{
		"OK closed":       {closed, false, right, nil},
		"OK private":      {private, true, right, nil},
		"OK loopback":     {loopback, true, right, nil},
		"said, but shut":  {closed, true, right, []string{"B442 what is open"}},
		"open, not said":  {loopback, false, right, []string{"B442 host 127.0.0.1:8443", "B442 host [::ffff:127.0.0.1]", "B442 host [64:ff9b::7f00:1]", "B442 host 127.0.0.1", "B442 what is open", "B452 PUT url of loopback"}},
		"http, not said":  {affiliate.AddressPolicy{AllowHTTP: true}, false, right, []string{"B439 url https://hooks.conform.example:80/"}},
		"metadata":        {private, true, swap("//169.254.169.254/", "//8.8.8.8/"), []string{"B442 host 169.254.169.254", "B452 PUT url of a metadata service", "S reasons"}},
		"metadata mapped": {private, true, swap("//[::ffff:169.254.169.254]/", "//8.8.8.8/"), []string{"B442 host [::ffff:169.254.169.254]"}},
		"a form is shut":  {private, true, swap("//[64:ff9b::7f00:1]/", "//240.0.0.1/"), []string{"B442 what is open"}},
		"a form is open":  {private, true, swap("//[64:ff9b::7f00:1]/", "//8.8.8.8/"), []string{"B442 host [64:ff9b::7f00:1]", "B442 what is open"}},
		"PUT is shut": {private, true, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodPut {
				body = []byte(strings.ReplaceAll(string(body), "//127.0.0.1/", "//240.0.0.1/"))
			}
			return body
		}), []string{"B452 PUT url of loopback"}},
		"port 80 is shut": {private, true, swap("example:80/", "example:22/"), []string{"B439 url https://hooks.conform.example:80/"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := Server{PrivateAddresses: tt.said, HTTP: &http.Client{Transport: handlerTransport{tt.wrong(serverWith(t, tt.policy))}}}
			report := judgedAs(t, server, "B439 url", "B442", "B450", "B451 the list", "B452 PUT", "S reasons")
			var failed []string
			for _, r := range report.Results {
				if r.Outcome == Failed {
					failed = append(failed, r.Name)
				}
			}
			if diff := cmp.Diff(tt.failed, failed); diff != "" {
				t.Errorf("cases that fail (-want +got):\n%s%s", diff, report)
			}
		})
	}
}

// TestDocumentWords: the forms use every word that the document uses for answers.
func TestDocumentWords(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader(answersJSON))
	dec.DisallowUnknownFields()
	var d answerSchemas
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if len(d.Answers) < 100 || len(d.Schemas) < 80 {
		t.Errorf("%d answers, %d schemas", len(d.Answers), len(d.Schemas))
	}
}

// TestEveryMember: of every object that an answer may have, each member is looked at, also
// one that few answers have: another type of JSON is wrong.
func TestEveryMember(t *testing.T) {
	members := 0
	for _, name := range slices.Sorted(maps.Keys(document().Schemas)) {
		s := document().Schemas[name]
		if len(s.Properties) == 0 {
			continue
		}
		full := sampleOf(s, 0).(map[string]any)
		if wrong := s.form(full); wrong != "" {
			t.Fatalf("%s: a right one is wrong: %s", name, wrong)
		}
		for member, of := range s.Properties {
			members++
			changed := maps.Clone(full)
			for _, other := range []any{true, "x", json.Number("1.5"), []any{}, map[string]any{}} {
				if changed[member] = other; of.form(other) == "" {
					continue // one of several that it may be
				}
				if wrong := s.form(changed); !strings.Contains(wrong, member) {
					t.Errorf("%s.%s as %T: %q", name, member, other, wrong)
				}
			}
			accepted := 0
			for _, other := range []any{true, "x", json.Number("1.5"), []any{true}, map[string]any{}} {
				if of.form(other) == "" {
					accepted++
				}
			}
			if accepted > 2 {
				t.Errorf("%s.%s may be %d types of JSON", name, member, accepted)
			}
		}
	}
	if members < 500 {
		t.Errorf("%d members only", members)
	}
}

// sampleOf returns a value that is right, with every member.
func sampleOf(s schema, depth int) any {
	if s = s.resolved(); len(s.OneOf) > 0 {
		return sampleOf(s.OneOf[0], depth)
	}
	switch {
	case len(s.Type) > 1 && depth > 4, s.Type[0] == "null":
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type[0] {
	case "boolean":
		return true
	case "integer", "number":
		return json.Number("1")
	case "array":
		if depth > 4 {
			return []any{}
		}
		return []any{sampleOf(*s.Items, depth+1)}
	case "object":
		o := map[string]any{}
		for name, of := range s.Properties {
			if depth <= 4 || slices.Contains(s.Required, name) {
				o[name] = sampleOf(of, depth+1)
			}
		}
		return o
	}
	switch {
	case s.Format == "uuid":
		return "0197d9a0-5b0d-7f11-8d2c-0a1b2c3d4e5f"
	case s.Format == "date-time":
		return "2026-03-11T09:24:18.442Z"
	case s.Pattern != nil && s.Pattern.MatchString("USD"):
		return "USD"
	case s.Pattern != nil:
		return "whsec_x"
	}
	return "x"
}

// TestScenarios runs every scenario on the engine, on the engine over a store
// that runs every closure twice, through the client in process and through the
// client over TCP.
func TestScenarios(t *testing.T) {
	cfg := tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("15")}}
	engine := func(t *testing.T, store record.Store) *tributary.Program {
		t.Helper()
		p, err := tributary.New(store, cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Verify(context.WithoutCancel(t.Context())); err != nil {
				t.Errorf("Verify: %v", err)
			}
		})
		return p
	}
	handler := func(t *testing.T) *httpapi.Handler {
		t.Helper()
		h, err := httpapi.New(engine(t, memstore.New()), httpapi.Config{APIKeys: []string{"test-key-of-conformance"}})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	through := func(t *testing.T, base string, c client.Config) api.Operations {
		t.Helper()
		made, err := client.New(base, "test-key-of-conformance", c)
		if err != nil {
			t.Fatal(err)
		}
		return api.Of(made)
	}
	for _, row := range []struct {
		name string
		open func(t *testing.T) api.Operations
	}{
		{"engine", func(t *testing.T) api.Operations { return api.Of(engine(t, memstore.New())) }},
		{"engine on Rerun", func(t *testing.T) api.Operations { return api.Of(engine(t, conformance.Rerun(memstore.New()))) }},
		{"client in process", func(t *testing.T) api.Operations {
			return through(t, "http://conform.example", client.Config{Handler: handler(t)})
		}},
		{"client over TCP", func(t *testing.T) api.Operations {
			server := httptest.NewServer(handler(t))
			t.Cleanup(server.Close)
			return through(t, server.URL, client.Config{HTTP: server.Client()})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for i, sc := range scenarios() {
				t.Run(sc.name, func(t *testing.T) {
					x := (&suite{run: newRun()}).newExam(t.Context(), i)
					x.attempt(func() { sc.run(&scene{Operations: row.open(t), exam: x}) })
					x.cleanUp()
					for _, f := range x.failures {
						t.Errorf("rule: %s\n%s\nwant %s\ngot  %s", sc.rule, f.Request, f.Want, f.Got)
					}
				})
			}
		})
	}
}
