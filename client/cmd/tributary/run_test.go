package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestAllSales (check 60): --all prints every page, each before the next is
// asked for, and the table fits 100 columns.
func TestAllSales(t *testing.T) {
	w := newWorld(t)
	w.ada()
	for range 10_000 {
		w.sell(t.Context(), "12345.67")
	}
	asked := 0
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			asked++
			h.ServeHTTP(rw, r)
		})
	})
	out := &watchedOutput{asked: &asked}
	if code := run(t.Context(), []string{"sales", "list", "--json", "--all"}, env(w.url), nil, out, out); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	if asked != 20 || out.first != 1 || out.most > 2<<20 {
		t.Errorf("%d requests, the first output after %d, at most %d bytes between two requests", asked, out.first, out.most)
	}
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/v1/sales", nil)
	r.Header.Set("Authorization", "Bearer "+testKey)
	w.api.ServeHTTP(rec, r)
	var want, got bytes.Buffer
	must(0, json.Compact(&want, rec.Body.Bytes()))
	must(0, json.Compact(&got, out.Bytes()))
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("%d bytes, the API has %d", got.Len(), want.Len())
	}
	table := w.ok("sales", "list", "--all", "--limit", "1000")
	if n := strings.Count(table, "\n"); n != 10_001 {
		t.Errorf("a table of %d lines", n)
	}
	fits(t, table)
}

// A watchedOutput is an output that knows how many requests were made before it.
type watchedOutput struct {
	bytes.Buffer
	asked             *int
	first, seen, most int
	since             int
}

func (w *watchedOutput) Write(b []byte) (int, error) {
	if w.Len() == 0 {
		w.first = *w.asked
	}
	if *w.asked != w.seen {
		w.seen, w.since = *w.asked, 0
	}
	w.since += len(b)
	w.most = max(w.most, w.since)
	return w.Buffer.Write(b)
}

// fits refuses lines of more than 100 characters.
func fits(t *testing.T, table string) {
	t.Helper()
	for line := range strings.Lines(table) {
		if width(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("a line of %d characters: %s", width(line), line)
			return
		}
	}
}

// TestExitCodes (check 61): each exit code, with the code and the field of a
// refusal, and nothing on standard output.
func TestExitCodes(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	for _, tt := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"sales", "list"}, 0, ""},
		{[]string{"sales", "get", "77"}, 1, "error: there is no such record (not_found)\n"},
		{[]string{"sales", "refund", "77"}, 1, "error: Sale not found (sale_not_found)\n"},
		{[]string{"sales", "search", "--status", "LOST"}, 1, ", status)\n"},
		{[]string{"sales", "list", "--limit", "0"}, 2, "error: --limit is 1 to 1000\n"},
		{[]string{"sales", "list", "--affiliate-id", "a", "--affiliate-email", "b"}, 2, "error: sales list takes one filter at a time; search combines them\n"},
		{[]string{"sales", "lose"}, 2, "error: sales has no verb lose; see tributary sales help\n"},
		{[]string{"nothing"}, 2, "error: there is no group nothing; see tributary help\n"},
		{[]string{"sales", "refund", "1", "--amount", "ten"}, 2, "it is not a number such as 19.9; see tributary sales refund --help\n"},
		{[]string{"sales", "delete", "1"}, 2, "error: this would delete the sale; say --yes\n"},
		{[]string{"api", "GET", "sales"}, 2, "error: the path begins with / and is what follows /api/v1\n"},
		{[]string{"api", "GET", "/sales?limit=no"}, 1, ", limit)\n"},
		{[]string{"sales", "delete", "1", "--idempotency-key", "a b", "--yes"}, 2, "(idempotency_key_invalid)\n"},
	} {
		got := w.cli(tt.args...)
		if got.code != tt.code || !strings.HasSuffix(got.err, tt.err) || tt.err == "" && got.err != "" || (got.out == "") != (tt.code > 0) {
			t.Errorf("%q: got %d, stdout %.60q, stderr %q; want %d, %q", tt.args, got.code, got.out, got.err, tt.code, tt.err)
		}
	}
	if _, err := w.Sale(t.Context(), 1); err != nil {
		t.Errorf("the sale is gone: %v", err)
	}
	t.Run("3", func(t *testing.T) {
		got := at(t, "http://127.0.0.1:1", nil, "sales", "list")
		if got.code != 3 || got.out != "" || !strings.HasPrefix(got.err, "error: no answer: ") || strings.Contains(got.err, "idempotency") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("130", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // the server sees the end of the connection only behind the body
			cancel()
			<-r.Context().Done()
		}))
		var out, err bytes.Buffer
		code := run(ctx, []string{"sales", "refund", "1"}, env(url), nil, &out, &err)
		if code != 130 || out.Len() > 0 || !strings.HasPrefix(err.String(), "interrupted\nthe outcome is unknown: repeat the same command with --idempotency-key ") {
			t.Errorf("got %d, %q, %q", code, out.String(), err.String())
		}
	})
}

// A person answers questions.
type person struct{ *strings.Reader }

func (person) Terminal() bool { return true }

// TestConfirmation: a person is asked, and --yes answers for a script.
func TestConfirmation(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	got := at(t, w.url, person{strings.NewReader("y\n")}, "sales", "delete", "1")
	if got.code != 2 || got.err != "This will delete the sale 1. Type yes: error: nothing was done\n" {
		t.Errorf("got %+v", got)
	}
	if got = at(t, w.url, person{strings.NewReader("yes\n")}, "sales", "delete", "1"); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	w.sell(t.Context(), "100")
	w.ok("sales", "delete", "--yes", "2")
	for _, c := range commands {
		if asks := c.method == "DELETE" && c.group != "holds" || c.verb == "ban" || c.verb == "merge" || c.verb == "erase" || c.name() == "links release" || c.name() == "payouts run" || c.name() == "prune"; asks != (c.ask != "") {
			t.Errorf("%s asks: %v", c.name(), !asks)
		}
	}
}

// TestUnknownOutcome (check 63): a server that is cut off after it stored a
// refund gets the same refund again, and there is one.
func TestUnknownOutcome(t *testing.T) {
	w := newWorld(t)
	w.ada()
	w.sell(t.Context(), "100")
	w.answers(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	})
	got := w.cli("sales", "refund", "1", "--amount", "10")
	_, key, told := strings.Cut(strings.TrimSpace(got.err), "--idempotency-key ")
	if got.code != 3 || got.out != "" || !told || key == "" {
		t.Fatalf("got %+v", got)
	}
	w.wrap.Store(nil)
	w.ok("sales", "refund", "1", "--amount", "10", "--idempotency-key", key)
	if s := must(w.Sale(t.Context(), 1)); s.RefundedAmount != affiliate.MustAmount("10") {
		t.Errorf("%v is refunded", s.RefundedAmount)
	}
}

// TestKeyIsSafe (check 64): the key is no flag, and is sent over http to
// loopback only.
func TestKeyIsSafe(t *testing.T) {
	for _, c := range commands {
		j := &job{app: &app{}, command: &c, input: map[string]any{}}
		j.flags().VisitAll(func(f *flag.Flag) {
			if strings.Contains(f.Name, "api-key") || strings.Contains(f.Name, "token") || f.Name == "key" {
				t.Errorf("%s has the flag %s", c.name(), f.Name)
			}
		})
	}
	if got := at(t, "http://partners.example", nil, "sales", "list"); got.code != 2 || !strings.Contains(got.err, "https") {
		t.Errorf("got %+v", got)
	}
	path := filepath.Join(t.TempDir(), "key")
	must(0, os.WriteFile(path, []byte(testKey+"\n"), 0o600))
	w := newWorld(t)
	var out, err bytes.Buffer
	from := environ(map[string]string{"TRIBUTARY_URL": w.url, "TRIBUTARY_KEY_FILE": path})
	if code := run(t.Context(), []string{"affiliates", "list"}, from, nil, &out, &err); code != 0 {
		t.Errorf("a key in a file: %d, %s", code, err.String())
	}
	echo := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		status := 200
		if r.URL.Path == "/api/v1/links" {
			status = 400
			rw.Header().Set("Error-Code", r.Header.Get("Authorization"))
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(status)
		fmt.Fprintf(rw, `{"id":%q,"error":%[1]q}`, r.Header.Get("Authorization"))
	}))
	for _, args := range [][]string{{"sales", "get", "1"}, {"sales", "get", "1", "--json"}, {"links", "get", "x"}} {
		if got := at(t, echo, nil, args...); !strings.Contains(got.out+got.err, "***") {
			t.Errorf("%q: got %+v", args, got)
		}
	}
}

// TestHostileServer (check 65): texts of a server act on no terminal, and are
// cut for people.
func TestHostileServer(t *testing.T) {
	bad := "\x1b]0;owned\x07\u009b31m\u202egnp.exe" + strings.Repeat("A", 1<<20)
	text := must(json.Marshal(bad))
	raw := bytes.ReplaceAll(text, []byte(`\u009b`), []byte("\u009b"))
	url := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/links":
			rw.WriteHeader(400)
			fmt.Fprintf(rw, `{"error":%s}`, raw[:40<<10-1])
		case "/api/v1/coupons":
			rw.WriteHeader(500)
			fmt.Fprintf(rw, `{"error":%s"}`, raw[:40<<10])
		default:
			fmt.Fprintf(rw, "[{\"id\":%s,\r\"email\":%[1]s,\"totalEarned\":1,\"affiliate\":{\"email\":%[1]s}}]", raw)
		}
	}))
	for _, args := range [][]string{
		{"referrals", "list"}, {"sales", "list", "--json"}, {"affiliates", "ban", "x", "--yes"}, {"links", "list"}, {"coupons", "list"}, {"api", "GET", "/sales"},
	} {
		got := at(t, url, nil, args...)
		for _, s := range []string{got.out, got.err} {
			if strings.ContainsFunc(s, func(r rune) bool { return acts(r) && r != '\n' }) {
				t.Errorf("%q: an escape sequence reaches the terminal: %.80q", args, s)
			}
		}
		if got.code == 0 && !strings.Contains(got.out, `1b]0;owned`) {
			t.Errorf("%q: the text is not shown: %.80q", args, got.out)
		}
		if len(got.err) > 4<<10 || len(got.out) > 4<<10 && args[0] != "api" && args[len(args)-1] != "--json" {
			t.Errorf("%q: %d and %d bytes", args, len(got.out), len(got.err))
		}
	}
}

// TestInert: what acts on a terminal is shown, and places are counted.
func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本": "plain é 日本", "a\x1b[31mb": `a\x1b[31mb`, "\xff": `\xff`, "\u0085": `\x85`, "\u202e": `\u202e`, "a\nb": `a\x0ab`,
	} {
		if got := inert(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	for _, tt := range []struct {
		in, want string
		places   int
	}{{"abcdef", "abcdef", 6}, {"abcdefg", "abcde…", 6}, {"日本日本", "日本…", 6}, {"日本日", "日本日", 6}, {"", "", 3}} {
		if got := cut(tt.in, tt.places); got != tt.want || width(got) > tt.places {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestApi: any operation, with a body from an argument, a file and standard
// input.
func TestApi(t *testing.T) {
	w := newWorld(t)
	a := w.ada()
	body := func(n int) string { return fmt.Sprintf(`{"link":"bean-%d","affiliateId":%q}`, n, a.ID) }
	path := filepath.Join(t.TempDir(), "body.json")
	must(0, os.WriteFile(path, []byte(body(2)), 0o600))
	w.ok("api", "POST", "/links", "-d", body(1))
	w.ok("api", "-d", "@"+path, "post", "/api/v1/links")
	if got := at(t, w.url, strings.NewReader(body(3)), "api", "POST", "/links", "-d", "-"); got.code != 0 {
		t.Errorf("got %+v", got)
	}
	var links []struct{ Link string }
	must(0, json.Unmarshal([]byte(w.ok("api", "GET", "/links?affiliateId="+a.ID.String())), &links))
	var got []string
	for _, l := range links {
		got = append(got, l.Link)
	}
	for n := 1; n <= 3; n++ {
		if !strings.Contains(strings.Join(got, " "), fmt.Sprintf("bean-%d", n)) {
			t.Errorf("there is no link %d: %q", n, got)
		}
	}
	if got := w.cli("api", "POST", "/links", "-d", "{"); got != (result{2, "", "error: -d is not JSON\n"}) {
		t.Errorf("got %+v", got)
	}
}
