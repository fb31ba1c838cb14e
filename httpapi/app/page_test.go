package app

import (
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/memstore"
)

var shown = regexp.MustCompile(`<pre>(curl .*)</pre>`)

// TestPage: every line that the page shows works in a shell that has the key in
// the variable, and the page loads nothing from elsewhere.
func TestPage(t *testing.T) {
	const own = `it's"$HOME"&\x-of-20-characters`
	for name, tt := range map[string]struct {
		args  []string
		lines int
	}{
		"Empty": {nil, 6}, "OwnKey": {[]string{"-key", own}, 6},
		"Demo": {[]string{"-demo"}, 6}, "Private": {[]string{"-allow-private-webhooks"}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, tt.args...)
			text, variables := s.page(""), map[string]string{}
			if name == "OwnKey" {
				variables[keyVariable] = own
			}
			if plain := html.UnescapeString(text); strings.Contains(plain, own) || strings.Contains(plain, "$"+keyVariable) != (name == "OwnKey") {
				t.Errorf("the page shows a key that was given, or not one that was made:\n%s", plain)
			}
			if lines := s.follow(text, variables); lines != tt.lines {
				t.Errorf("%d lines, want %d", lines, tt.lines)
			}
			for _, outside := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"|url\(|@import`).FindAllStringSubmatch(text, -1) {
				if outside[1] != "data:," && !strings.HasPrefix(strings.TrimPrefix(outside[1], "."), "/") {
					t.Errorf("the page asks for %s", outside[0])
				}
			}
		})
	}
}

// follow sends every line that the page shows and returns how many there are.
// Variables are replaced as a shell does.
func (s *runningServer) follow(page string, variables map[string]string) int {
	s.t.Helper()
	lines := shown.FindAllStringSubmatch(page, -1)
	for _, line := range lines {
		r, err := request(html.UnescapeString(line[1]), variables)
		if err != nil {
			s.t.Fatal(err)
		}
		status, body := s.do(r)
		if status != 200 || body == "null" || body == "[]" || strings.Contains(body, "exists") {
			s.t.Errorf("%s: %d %s", line[1], status, body)
		}
	}
	return len(lines)
}

// page returns the page at a path.
func (s *runningServer) page(path string) string {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+"/"+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	status, body := s.do(r)
	if status != 200 {
		s.t.Fatalf("the page answers %d", status)
	}
	return body
}

// TestPageClick: a visit by a link is a click, and the page shows its id.
func TestPageClick(t *testing.T) {
	s := start(t, "-demo")
	if text := s.page("?ref=mara"); !strings.Contains(text, "click <code>1324</code>") {
		t.Errorf("page:\n%s", text)
	}
	if text := s.page("?ref=nobody"); strings.Contains(text, "You came through a link") {
		t.Errorf("page:\n%s", text)
	}
}

// TestPageKey: only this machine sees a key that the program made, and nobody
// sees a key that was given.
func TestPageKey(t *testing.T) {
	p := func(listens string, made bool) http.Handler {
		set := settings{keys: []string{testKey}, made: made, rand: rand8()}
		all, err := tenants(t.Context(), memstore.New(), set, nil, "http://x.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		addr, err := net.ResolveTCPAddr("tcp", listens)
		if err != nil {
			t.Fatal(err)
		}
		return newPage(all, set, addr)
	}
	for _, tt := range []struct {
		name, listens, host, header string
		key                         bool
		base                        string
	}{
		{"IPv4", "127.0.0.1:8080", "127.0.0.1:8080", "", true, "http://127.0.0.1:8080/"},
		{"IPv6", "[::1]:8080", "[::1]:8080", "", true, "http://[::1]:8080/"},
		{"Name", "127.0.0.1:8080", "localhost:8080", "", true, "http://127.0.0.1:8080/"},
		{"NameOfSomebody", "127.0.0.1:8080", "rebound.example:8080", "", false, "http://rebound.example:8080/"},
		{"NameLikeLocalhost", "127.0.0.1:8080", "localhost.rebound.example", "", false, "http://localhost.rebound.example/"},
		{"NameLikeAddress", "127.0.0.1:8080", "127.0.0.1.rebound.example", "", false, "http://127.0.0.1.rebound.example/"},
		{"Everywhere", "0.0.0.0:8080", "127.0.0.1:8080", "", false, "http://127.0.0.1:8080/"},
		{"Network", "192.168.1.7:8080", "192.168.1.7:8080", "", false, "http://192.168.1.7:8080/"},
		{"Forwarded", "127.0.0.1:8080", "127.0.0.1:8080", "Forwarded", false, "http://127.0.0.1:8080/"},
		{"ForwardedFor", "127.0.0.1:8080", "127.0.0.1:8080", "X-Forwarded-For", false, "http://127.0.0.1:8080/"},
		{"Via", "127.0.0.1:8080", "127.0.0.1:8080", "Via", false, "http://127.0.0.1:8080/"},
		{"HostForTheShell", "0.0.0.0:8080", "x';reboot;'", "", false, "http://localhost:8080/"},
		{"NoHost", "127.0.0.1:8080", "", "", false, "http://127.0.0.1:8080/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = tt.host
			if tt.header != "" {
				r.Header.Set(tt.header, "192.0.2.7")
			}
			given := httptest.NewRecorder()
			p(tt.listens, false).ServeHTTP(given, r)
			if text := given.Body.String(); strings.Contains(text, testKey) || !strings.Contains(html.UnescapeString(text), `"Authorization: Bearer $TRIBUTARY_KEY"`) {
				t.Error("shows a key that was given")
			}
			w := httptest.NewRecorder()
			p(tt.listens, true).ServeHTTP(w, r)
			text := html.UnescapeString(w.Body.String())
			if strings.Contains(text, testKey) != tt.key || strings.Contains(text, `"Authorization: Bearer $TRIBUTARY_KEY"`) == tt.key {
				t.Errorf("shows the key: %v, want %v", !tt.key, tt.key)
			}
			if !strings.Contains(text, "curl '"+tt.base+"api/v1/affiliates'") {
				t.Errorf("no line for %s:\n%s", tt.base, text)
			}
			for name, want := range map[string]string{
				"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("Content-Security-Policy: %q", csp)
			}
		})
	}
}
