package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance/servertest"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

func TestMain(m *testing.M) { atlength.Main(m) }

const key = "test-key-of-conformance"

// serve starts a server. wrong changes its handler; open lists the networks to
// which it delivers webhooks.
func serve(t *testing.T, wrong func(http.Header), open ...netip.Prefix) string {
	t.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Addresses: affiliate.AddressPolicy{AllowNetworks: open},
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(p, httpapi.Config{APIKeys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wrong(w.Header())
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func right(http.Header)  {}
func cors(h http.Header) { h.Set("Access-Control-Allow-Origin", "*") }

func TestRun(t *testing.T) {
	// The rows run at once, and an examination counts what it finds on its server:
	// no two have one server.
	loopback := netip.MustParsePrefix("127.0.0.0/8")
	good, bad, private, unsaid := serve(t, right), serve(t, cors), serve(t, right, loopback), serve(t, right, loopback)
	known := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(known, []byte("# a comment\n\nE04 no CORS\r\nB122 {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name        string
		args        []string
		env         string
		code        int
		out, errOut string
	}{
		{"OK by environment", []string{"-base", good + "/"}, key, exitOK, " 0 failed", ""},
		{"private addresses", []string{"-base", private, "-key", key, "-private-addresses"}, "", exitOK, " 0 failed", ""},
		{"private addresses, not said", []string{"-base", unsaid, "-key", key}, "", exitFailed, "FAILED: B442 host 127.0.0.1\n", ""},
		{"known", []string{"-base", bad, "-key", key, "-known", known}, "", exitFailed, "UNEXPECTED: B122 {}\n  rule:    contract 2.1", ""},
		{"no key", []string{"-base", good}, "", exitUsage, "", "usage"},
		{"no base", []string{"-key", key}, "", exitUsage, "", "usage"},
		{"no URL", []string{"-base", "x", "-key", key}, "", exitUsage, "", "URL"},
		{"more", []string{"-base", good, "-key", key, "more"}, "", exitUsage, "", "usage"},
		{"unknown flag", []string{"-nothing"}, "", exitUsage, "", "nothing"},
		{"a key that is wrong", []string{"-base", good, "-key", "other"}, "", exitUsage, "", "does not take the key"},
		{"nobody there", []string{"-base", "http://127.0.0.1:1", "-key", key}, "", exitUsage, "", "does not answer"},
		{"no file", []string{"-base", good, "-key", key, "-known", known + "x"}, "", exitUsage, "", "no such file"},
		{"help", []string{"-h"}, "", exitOK, "", "-base"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if strings.HasPrefix(row.name, "private") || row.name == "known" {
				atlength.Only(t, "one more examination")
			}
			t.Parallel()
			var out, errOut bytes.Buffer
			code := run(t.Context(), row.args, func(string) string { return row.env }, &out, &errOut)
			if code != row.code {
				t.Errorf("exit %d, want %d\n%s%s", code, row.code, errOut.String(), out.String())
			}
			if !strings.Contains(out.String(), row.out) || !strings.Contains(errOut.String(), row.errOut) {
				t.Errorf("want %q and %q in\n%s%s", row.out, row.errOut, out.String(), errOut.String())
			}
			if strings.Contains(out.String()+errOut.String(), key) {
				t.Error("the report shows the key")
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"-base", serve(t, cors), "-key", key, "-json"}, os.Getenv, &out, &errOut); code != exitFailed {
		t.Errorf("exit %d\n%s", code, errOut.String())
	}
	var report struct {
		OK       *bool
		Requests int
		Results  []servertest.Result
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if report.OK == nil || *report.OK || report.Requests < 2000 || len(report.Results) < 200 {
		t.Errorf("ok %v, %d requests, %d results", report.OK, report.Requests, len(report.Results))
	}
	for _, r := range report.Results {
		if failed := r.Outcome == servertest.Failed; failed != (r.Name == "E04 no CORS") || failed && (r.Rule == "" || len(r.Failures) == 0 || r.Failures[0].Want == "") {
			t.Errorf("%+v", r)
		}
	}
}
