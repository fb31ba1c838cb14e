package servertest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/internal/refusal"
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
