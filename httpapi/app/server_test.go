package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

func TestParse(t *testing.T) {
	set, err := parse(new(Memory), []string{"-key", "a", "-key", "b", "-destination", "https://a.example", "-destination", "https://b.example", "-demo", "-allow-private-webhooks"}, environment, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand, set.getenv, set.storage = nil, nil, nil, nil
	want := settings{
		addr: "127.0.0.1:8080", keys: []string{"a", "b"}, env: testKey, destinations: []string{"https://a.example", "https://b.example"}, demo: true, private: true,
	}
	if diff := cmp.Diff(want, set, cmp.AllowUnexported(settings{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, tt := range map[string]struct {
		getenv func(string) string
		args   []string
		want   []string
	}{
		"Environment": {environment, nil, []string{testKey}}, "Flag": {environment, []string{"-key", "a"}, []string{"a"}}, "Neither": {nothing, nil, nil},
	} {
		set, err := parse(new(Memory), tt.args, tt.getenv, io.Discard)
		if diff := cmp.Diff(tt.want, set.keys); diff != "" || err != nil {
			t.Errorf("%s: keys (-want +got):\n%s%v", name, diff, err)
		}
	}
}

// TestVariables: the environment has the defaults of flags.
func TestVariables(t *testing.T) {
	variables := map[string]string{destinationVariable: "https://shop.example/", proxyVariable: "10.0.0.0/8", urlVariable: "https://partners.shop.example/", framesVariable: "https://app.shop.example, https://b.example:8443"}
	for name, tt := range map[string]struct{ args, want []string }{
		"Environment": {nil, []string{"https://shop.example/", "10.0.0.0/8", "https://partners.shop.example", "https://app.shop.example", "https://b.example:8443"}},
		"Flags": {[]string{"-destination", "https://a.example", "-proxy", "fd00::/8", "-url", "http://b.example/c/", "-frames", "https://d.example"},
			[]string{"https://a.example", "fd00::/8", "http://b.example/c", "https://d.example"}},
	} {
		set, err := parse(new(Memory), tt.args, func(name string) string { return variables[name] }, io.Discard)
		if err != nil || len(set.destinations) != 1 || len(set.proxies) != 1 {
			t.Fatalf("%s: %v, error %v", name, set, err)
		}
		if diff := cmp.Diff(tt.want, append([]string{set.destinations[0], set.proxies[0].String(), set.url}, set.frames...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRun(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"Help", []string{"-h"}, 0, "Usage of server:\n"},
		{"ErrFlag", []string{"-port", "1"}, 2, "flag provided but not defined: -port\n"},
		{"ErrArgument", []string{"8080"}, 2, "server: unexpected argument \"8080\"\n"},
		{"ErrAddressTaken", []string{"-addr", taken.Addr().String()}, 1, "server: listen tcp "},
		{"ErrProxy", []string{"-proxy", "here"}, 2, "server: -proxy: "},
		{"ErrURL", []string{"-url", "partners.shop.example"}, 2, "server: -url: it must be like https://"},
		{"ErrURLWithPassword", []string{"-url", "https://a:b@partners.shop.example"}, 2, "server: -url: it must be like https://"},
		{"ErrFrames", []string{"-addr", "127.0.0.1:0", "-frames", "https://app.shop.example/"}, 1, "server: portal: the frame \"https://app.shop.example/\" is no origin"},
		{"ErrLogo", []string{"-logo", "no such file"}, 2, "server: -logo: open no such file: "},
		{"ErrColor", []string{"-addr", "127.0.0.1:0", "-color", "green"}, 1, "server: portal: Brand: the color \"green\" is not as #0b5d57"},
		{"ErrContact", []string{"-addr", "127.0.0.1:0", "-contact", "us"}, 1, "server: portal: Brand: the contact \"us\" is no email address"},
		{"ErrNoAddress", []string{"-addr", ""}, 2, "server: -addr is empty\n"},
		{"ErrNoPort", []string{"-addr", "localhost"}, 1, "server: listen tcp: address localhost: missing port"},
		{"ErrKey", []string{"-addr", "127.0.0.1:0", "-key", testKey + " b"}, 1, "server: httpapi: key owner must be"},
		{"ErrShortKey", []string{"-addr", "127.0.0.1:0", "-key", "KEY"}, 1, "server: httpapi: key owner is shorter than 20 characters\n"},
		{"ErrEmptyKey", []string{"-addr", "127.0.0.1:0", "-key", ""}, 1, "server: a key is empty\n"},
		{"ErrKeyTwice", []string{"-addr", "127.0.0.1:0", "-key", "a", "-key", "a"}, 1, "server: a key is given twice\n"},
		{"ErrDestination", []string{"-addr", "127.0.0.1:0", "-destination", "shop"}, 1, "server: affiliate: Config.Destinations:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), new(Memory), tt.args, nothing, &stdout, &stderr)
			if code != tt.code || !strings.HasPrefix(stderr.String(), tt.want) || strings.Contains(stdout.String(), "listening") {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, %q…", code, stdout.String(), stderr.String(), tt.code, tt.want)
			}
		})
	}
}

// TestGreeting: the line to try works after the lines before it have run. A key
// that the program made is printed, a key that was given is not.
// It is console check 30.
func TestGreeting(t *testing.T) {
	const export = "\nexport TRIBUTARY_KEY=…\n"
	for name, tt := range map[string]struct {
		getenv         func(string) string
		args           []string
		made, exported bool
	}{
		"Made":        {nothing, nil, true, false},
		"Environment": {environment, nil, false, false},
		"Flag":        {nothing, []string{"-key", testKey}, false, true},
		"FlagOfSame":  {environment, []string{"-key", testKey}, false, false},
		"FlagOfOther": {func(name string) string { return map[string]string{keyVariable: "another-key-of-22-chars"}[name] }, []string{"-key", testKey}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startIn(t, tt.getenv, tt.args...)
			output := s.output.String()
			if n := strings.Count(output, "listening on "); n != 1 || !strings.HasSuffix(output, "\nlistening on "+s.url+"\n") {
				t.Errorf("output:\n%s", output)
			}
			if strings.Contains(output, testKey) || tt.made != strings.Contains(output, "\nkey tributary_") {
				t.Errorf("output:\n%s", output)
			}
			at := strings.Index(output, "curl ")
			line, _, _ := strings.Cut(output[at:], "\n")
			variables := map[string]string{}
			if key := tt.getenv(keyVariable); key != "" {
				variables[keyVariable] = key
			}
			if said := strings.Contains(output[:at], export); said != tt.exported {
				t.Errorf("output:\n%s", output)
			} else if said {
				variables[keyVariable] = testKey
			}
			r, err := request(line, variables)
			if err != nil {
				t.Fatal(err)
			}
			if status, body := s.do(r); status != 200 || body != "[]" {
				t.Errorf("%s: %d %s", line, status, body)
			}
		})
	}
}

// TestKeysArePrograms: each key opens a program of its own.
func TestKeysArePrograms(t *testing.T) {
	const first, second, third = "the-first-of-the-keys", "the-second-of-the-keys", "the-third-of-the-keys"
	s := start(t, "-key", first, "-key", second)
	call := func(key, line string) string {
		r, err := request("curl "+s.url+"/api/v1/"+line+" -H 'Authorization: Bearer "+key+"' -H 'Content-Type: application/json'", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, body := s.do(r)
		return body
	}
	const ada = `affiliates -d '{"firstName":"Ada","lastName":"L","email":"ada@example.com"}'`
	one, two := call(first, ada), call(second, ada)
	if !strings.Contains(one, `"name":"Ada L"`) || !strings.Contains(two, `"name":"Ada L"`) {
		t.Errorf("answers:\n%s\n%s", one, two)
	}
	if got := call(first, "affiliates"); strings.Count(got, `"firstName":"Ada"`) != 1 {
		t.Errorf("the first program has %s", got)
	}
	if got := call(third, "affiliates"); got != `{"error":"Invalid auth token"}` {
		t.Errorf("an unknown key: %s", got)
	}
	want := `"fullURLs":[{"baseUrl":"` + s.url + `/","fullUrl":"` + s.url + `/?ref=ada"}]`
	if got := call(second, "links"); !strings.Contains(got, want) {
		t.Errorf("links %s, want %s", got, want)
	}
}

// TestExactPaths: a path that the server does not have is answered with 404 in
// JSON, never with a redirect.
func TestExactPaths(t *testing.T) {
	s := start(t, "-key", testKey)
	for _, path := range []string{
		"/api/v1", "/api/v1/", "/api/v1//coupons", "/api/v1/coupons/", "/api/v1/coupons//", "/api/v1/./coupons", "/api/v1/x/../coupons", "/api/v1/coupons/..",
		"/api/v1/%2e%2e/coupons", "/api/v1/%2e/coupons", "/api/v1/c%6fupons", "/api/v1/../v1/coupons", "//api/v1/coupons", "/x/../api/v1/coupons", "/./api/v1/coupons",
		"/api/affiliates", "/api/affiliates/", "/api/affiliates//add-click", "/api/affiliates/x/../add-click", "/api/", "/nope", "//", "/..", "/./",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			r, err := http.NewRequest(method, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+testKey)
			if status, body := s.do(r); status != http.StatusNotFound || body != `{"error":"Not found"}` {
				t.Errorf("%s %s: %d %s", method, path, status, body)
			}
		}
	}
	for _, line := range []string{"/api/v1/coupons", "/", "/t.js"} {
		r, err := request("curl "+s.url+line+" -H 'Authorization: Bearer "+testKey+"'", nil)
		if err != nil {
			t.Fatal(err)
		}
		if status, _ := s.do(r); status != http.StatusOK {
			t.Errorf("%s: %d", line, status)
		}
	}
}

// TestDestinations: links lead where the flags say.
func TestDestinations(t *testing.T) {
	s := start(t, "-key", testKey, "-destination", "https://a.example/x?y=1", "-destination", "https://b.example")
	r, err := request(`curl `+s.url+`/api/v1/affiliates -H 'Authorization: Bearer `+testKey+`' -H 'Content-Type: application/json' -d '{"firstName":"Ada","lastName":"L","email":"ada@example.com"}'`, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.do(r)
	r, err = request(`curl `+s.url+`/api/v1/links -H 'Authorization: Bearer `+testKey+`'`, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, got := s.do(r)
	for _, want := range []string{`"fullUrl":"https://a.example/x?y=1\u0026ref=ada"`, `"fullUrl":"https://b.example?ref=ada"`} {
		if !strings.Contains(strings.ReplaceAll(got, "&", `\u0026`), want) {
			t.Errorf("links %s, want %s", got, want)
		}
	}
}

// TestLongHeaders: the server refuses headers that are too long.
func TestLongHeaders(t *testing.T) {
	s := start(t)
	r, err := http.NewRequest(http.MethodGet, s.url+"/api/v1/affiliates", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Long", strings.Repeat("x", 24<<10))
	if status, _ := s.do(r); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", status)
	}
}

// TestGracefulEnd is console check 72: when the server ends, it answers the
// requests under way. As long as there are some it says that it is not ready;
// afterwards there is no server.
func TestGracefulEnd(t *testing.T) {
	const n = 100
	s := start(t, "-key", testKey)
	address := strings.TrimPrefix(s.url, "http://")
	visits := make([]*slowVisit, n)
	var wg sync.WaitGroup
	for i := range visits {
		visits[i] = &slowVisit{body: fmt.Sprintf(`{"name":"Coupon %d","percentOff":10}`, i)}
		wg.Go(func() { visits[i].begin(t, address) })
	}
	wg.Wait()
	s.end()
	for { // until the server knows that it ends
		status, text := s.probe("/readyz")
		if status == http.StatusServiceUnavailable && strings.Contains(text, `"stopping":true`) {
			break
		}
		if status != http.StatusOK {
			t.Fatalf("/readyz: %d %s", status, text)
		}
	}
	if status, _ := s.probe("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	for _, v := range visits {
		wg.Go(func() { v.finish(t) })
	}
	wg.Wait()
	s.stop()
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("there is still a server")
	}
}

// probe asks for a path without a key.
func (s *runningServer) probe(path string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(r)
}

// A slowVisit is a request whose body comes in two parts.
type slowVisit struct {
	conn net.Conn
	in   *bufio.Reader
	body string
}

// begin sends all but the last byte. The server asks for the body when it has
// begun with the request.
func (v *slowVisit) begin(t *testing.T, address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	v.conn, v.in = conn, bufio.NewReader(conn)
	fmt.Fprintf(conn, "POST /api/v1/coupons HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+testKey+"\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(v.body))
	line, err := v.in.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Errorf("%q, %v", line, err)
	}
	io.WriteString(conn, v.body[:len(v.body)-1])
}

// finish sends the rest and reads the answer.
func (v *slowVisit) finish(t *testing.T) {
	defer v.conn.Close()
	io.WriteString(v.conn, v.body[len(v.body)-1:])
	if _, err := v.in.ReadString('\n'); err != nil { // the blank line after 100
		t.Error(err)
		return
	}
	res, err := http.ReadResponse(v.in, nil)
	if err != nil {
		t.Errorf("no answer: %v", err)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !strings.Contains(string(body), `"timesRedeemed":0`) {
		t.Errorf("%d %s, %v", res.StatusCode, body, err)
	}
}

// TestDemoIsRecent: the demo's year ends less than a day ago, so that the overview of
// the last days has something to show.
func TestDemoIsRecent(t *testing.T) {
	now := clock.AddDate(3, 1, 1)
	set := settings{keys: []string{testKey}, demo: true, rand: rand8(), now: func() time.Time { return now }}
	all, err := tenants(t.Context(), memstore.New(), set, nil, "http://x.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	days, err := all[0].Report(t.Context(), affiliate.ReportQuery{From: now.AddDate(0, 0, -30), To: now, By: affiliate.IntervalDay}, affiliate.Page{})
	if err != nil {
		t.Fatal(err)
	}
	sales := int64(0)
	for _, day := range days.Items {
		sales += day.Sales
	}
	last, err := all[0].Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1})
	if err != nil || sales < 50 {
		t.Fatalf("%d sales in 30 days, error %v", sales, err)
	}
	if age := now.Sub(last.Items[0].CreatedAt.Time()); age < 0 || age > 5*24*time.Hour {
		t.Errorf("the last sale is %v old", age)
	}
}

// TestClicksOfOneAddress: pages and scripts together record so many clicks of an address in a
// minute, however many it makes, and every page is answered.
func TestClicksOfOneAddress(t *testing.T) {
	for name, tt := range map[string]struct {
		limit string
		want  int
	}{"by default": {"0", 60}, "fewer requests": {"30", 30}, "no limit": {"-1", 100}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "-demo", "-key", testKey, "-limit", tt.limit)
			id := regexp.MustCompile(`program (\S+)`).FindStringSubmatch(s.output.String())[1]
			recorded := 0
			for i := range 50 {
				page, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/?ref=mara", nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := http.DefaultTransport.RoundTrip(page)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				if res.Body.Close(); res.StatusCode != 200 {
					t.Fatalf("page %d: %d", i, res.StatusCode)
				}
				if strings.Contains(res.Header.Get("Set-Cookie"), "tributary_click_") {
					recorded++
				}
				script, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/affiliates/add-click", strings.NewReader(fmt.Sprintf(`{"programId":%q,"referralCode":"mara"}`, id)))
				if err != nil {
					t.Fatal(err)
				}
				script.Header.Set("Content-Type", "application/json")
				if status, body := s.do(script); status == 200 && strings.Contains(body, `"click"`) {
					recorded++
				} else if status != 429 {
					t.Fatalf("click %d: %d %s", i, status, body)
				}
			}
			if recorded != tt.want {
				t.Errorf("%d clicks were recorded, want %d", recorded, tt.want)
			}
		})
	}
}

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
	if text := s.page("?ref=mara"); !strings.Contains(text, "click <code>1329</code>") {
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

// TestPartnerPages: an affiliate's pages open with a token of the API, each
// program's with its own, and nothing else opens them.
func TestPartnerPages(t *testing.T) {
	keys := []string{"key-of-the-first-shop", "key-of-the-second-shop"}
	s := start(t, "-key", keys[0], "-key", keys[1])
	post := func(key, path, body string) map[string]any {
		r, _ := http.NewRequest("POST", s.url+"/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		status, answer := s.do(r)
		var fields map[string]any
		if err := json.Unmarshal([]byte(answer), &fields); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		return fields
	}
	for i, name := range []string{"Ada", "Grace"} {
		id := post(keys[i], "/affiliates", `{"firstName":"`+name+`","lastName":"L","email":"a@example.com"}`)["id"].(string)
		target := post(keys[i], "/partner/token", `{"affiliateId":"`+id+`"}`)["url"].(string)
		if !strings.HasPrefix(target, s.url+partnerPath+"enter?token=") {
			t.Fatalf("the URL is %s", target)
		}
		r, _ := http.NewRequest("GET", target, nil)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
			t.Fatalf("%v %v", res, err)
		}
		res.Body.Close()
		r, _ = http.NewRequest("GET", s.url+partnerPath, nil)
		if status, _ := s.do(r); status != http.StatusForbidden {
			t.Errorf("without a visit: %d", status)
		}
		r.AddCookie(res.Cookies()[0])
		if status, page := s.do(r); status != http.StatusOK || !strings.Contains(page, "Hello <bdi>"+name+" L</bdi>") {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
}

// TestFrames: the pages for affiliates, and no others, are shown in frames of the named origins, and
// in none by default.
func TestFrames(t *testing.T) {
	for flags, want := range map[string]string{"": "'none'", "https://a.example,https://b.example:8443": "https://a.example https://b.example:8443"} {
		s := start(t, "-key", testKey, "-frames", flags)
		for path, ancestors := range map[string]string{partnerPath: want, partnerPath + "sales": want, consolePath: "'none'", "/": "'none'"} {
			r, _ := http.NewRequest("GET", s.url+path, nil)
			res, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if _, got, _ := strings.Cut(res.Header.Get("Content-Security-Policy"), "frame-ancestors "); got != ancestors {
				t.Errorf("%q: %s is shown by %q, want %q", flags, path, got, ancestors)
			}
			if denied := res.Header.Get("X-Frame-Options") == "DENY"; denied != (ancestors == "'none'") && path != "/" {
				t.Errorf("%q: %s: %v", flags, path, res.Header)
			}
		}
		r, _ := http.NewRequest("GET", s.url+partnerPath+"embed.js", nil)
		if status, body := s.do(r); (status == http.StatusOK && strings.Contains(body, "customElements")) != (flags != "") {
			t.Errorf("%q: the element: %d", flags, status)
		}
	}
}

// TestPublicURL: behind a proxy the pages for affiliates open under the URL of the proxy,
// and links lead there too unless a destination is named.
func TestPublicURL(t *testing.T) {
	const public = "https://partners.shop.example/tributary"
	s := start(t, "-key", testKey, "-url", public)
	call := func(method, path, body string) string {
		r, _ := http.NewRequest(method, s.url+"/api/v1"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		status, answer := s.do(r)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		return answer
	}
	var ada struct{ ID string }
	if err := json.Unmarshal([]byte(call("POST", "/affiliates", `{"firstName":"Ada","lastName":"L","email":"a@example.com"}`)), &ada); err != nil {
		t.Fatal(err)
	}
	if got := call("POST", "/partner/token", `{"affiliateId":"`+ada.ID+`"}`); !strings.Contains(got, `"`+public+`/partner/enter?token=`) {
		t.Errorf("the pages open at %s", got)
	}
	if got := call("GET", "/links", ""); !strings.Contains(got, `"`+public+`/?ref=a"`) {
		t.Errorf("links lead elsewhere: %s", got)
	}
}

const keyLines = `# the keys of the coffee shop
shop     integration  a-secret-of-the-shop-01

reports  read         sha256:ebfe5cd8d1f95d2f4ba4dbd52c5b5b1a52a4cde1ea3d5f8d6ea4bb0d8f7dbd11
`

// keyFile writes a file of keys.
func keyFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKeyFile: the keys of a file open the first program, each with its scope.
// No output and no page shows one.
// It is console check 30.
func TestKeyFile(t *testing.T) {
	path := keyFile(t, keyLines, 0o600)
	for name, args := range map[string][]string{"Alone": nil, "BesideKeys": {"-key", testKey}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, append(args, "-key-file", path)...)
			for method, want := range map[string]int{http.MethodGet: 200, http.MethodPost: 400} {
				if got := askWith(t, method, s.url+"/api/v1/coupons", "a-secret-of-the-shop-01"); got != want {
					t.Errorf("%s: status %d, want %d", method, got, want)
				}
			}
			if got := askWith(t, http.MethodPost, s.url+"/api/v1/webhooks", "a-secret-of-the-shop-01"); got != 403 {
				t.Errorf("a key of the shop adds an endpoint: %d", got)
			}
			if got := askWith(t, http.MethodGet, s.url+"/api/v1/coupons", "a-secret-of-the-shop-02"); got != 401 {
				t.Errorf("another key: %d", got)
			}
			res, err := http.Get(s.url + "/")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			page, _ := io.ReadAll(res.Body)
			for _, text := range []string{s.output.String(), string(page)} {
				if strings.Contains(text, "a-secret-of") || strings.Contains(text, "sha256:") || !strings.Contains(text, "$TRIBUTARY_KEY") {
					t.Errorf("shown:\n%s", text)
				}
			}
		})
	}
}

// TestProposals: what a key proposes waits in the console of the server.
func TestProposals(t *testing.T) {
	s := start(t, "-key", testKey, "-key-file", keyFile(t, "assistant propose a-secret-of-the-assistant-01\n", 0o600))
	send := func(method, path, kind, body, key, cookie string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Cookie", cookie)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	var ada struct{ ID string }
	if err := json.NewDecoder(send("POST", "/api/v1/affiliates", "application/json", `{"firstName":"Ada","lastName":"L","email":"a@example.com"}`, testKey, "").Body).Decode(&ada); err != nil {
		t.Fatal(err)
	}
	asked := `{"operation":"POST /adjustments","body":{"affiliateId":"` + ada.ID + `","kind":"BONUS","amount":1,"reason":"autumn"},"why":"She spoke at the fair"}`
	if got := send("POST", "/api/v1/proposals", "application/json", asked, "a-secret-of-the-assistant-01", ""); got.StatusCode != 200 {
		t.Fatalf("proposed: %d", got.StatusCode)
	}
	session := send("POST", signInPath, "application/x-www-form-urlencoded", url.Values{"key": {testKey}}.Encode(), "", "").Header.Get("Set-Cookie")
	page, _ := io.ReadAll(send("GET", consolePath+"proposals", "", "", "", session).Body)
	for _, want := range []string{"She spoke at the fair", "<bdi>assistant</bdi>", "/accept"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}

// askWith is the status of a request with a key.
func askWith(t *testing.T, method, url, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestKeyFileErrors: a bad file ends the server with an error that shows no
// secret; a file that others may read is warned about.
func TestKeyFileErrors(t *testing.T) {
	for want, text := range map[string]string{
		"no key": "# none\n",
		"line 2 has 2 words, want NAME SCOPE SECRET":                      "# one\nshop a-secret-of-the-shop-01\n",
		"the scope of key shop is not full, integration, read or propose": "shop admin a-secret-of-the-shop-01\n",
		"key shop is shorter than 20 characters":                          "shop read short-secret\n",
		"two keys are called shop":                                        "shop read a-secret-of-the-shop-01\nshop read a-secret-of-the-shop-02\n",
		"the Hash of key shop must be":                                    "shop read sha256:short-secret\n",
	} {
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-key-file", keyFile(t, text, 0o600)}, nothing, &stdout, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "secret") {
			t.Errorf("exit %d, %s, want %q", code, &stderr, want)
		}
	}
	var stdout, stderr bytes.Buffer
	missing := filepath.Join(t.TempDir(), "none")
	if code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-key-file", missing}, nothing, &stdout, &stderr); code != 1 {
		t.Errorf("no file: exit %d", code)
	}
	var warning bytes.Buffer
	if keys, err := readKeys(keyFile(t, keyLines, 0o644), &warning); len(keys) != 2 || err != nil || !strings.Contains(warning.String(), "has mode 644: others on this machine may read the keys") {
		t.Errorf("%d keys, error %v, warning %q", len(keys), err, &warning)
	}
}

// TestSeal: the first key seals, every key opens, what was stored before is read as it
// is, and no error shows a key.
func TestSeal(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	with := func(keys string) (cfg tributary.Config) {
		if err := seal(&cfg, keys, logger); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	old, fresh := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	before, both := with(old), with(fresh+", "+old)
	secret, id := []byte("whsec_secret"), []byte("endpoint")
	for name, c := range map[string]struct{ by, with tributary.Config }{"old": {before, before}, "rotated": {before, both}, "fresh": {both, with(fresh)}} {
		sealed, err := c.by.Seal(secret, id)
		if err != nil || bytes.Contains(sealed, secret) {
			t.Fatalf("%s: %q, %v", name, sealed, err)
		}
		if got, err := c.with.Open(sealed, id); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if _, err := c.with.Open(sealed, []byte("another")); err == nil {
			t.Errorf("%s: it opens for another endpoint", name)
		}
	}
	if got, err := both.Open(secret, id); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("stored before there was a key: %q, %v", got, err)
	}
	if cfg := with(""); cfg.Seal != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %s", &log)
	}
	for _, bad := range []string{"short", old + "00", old[1:] + "g", old + ","} {
		if err := seal(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestErasureKey: the key is 64 hex digits, no error shows it, and without one the log
// says so.
func TestErasureKey(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	var cfg tributary.Config
	if err := erasureKey(&cfg, "", logger); err != nil || cfg.ErasureKey != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %v, %s", err, &log)
	}
	good := strings.Repeat("a1", 32)
	if err := erasureKey(&cfg, good, logger); err != nil || len(cfg.ErasureKey) != 32 {
		t.Errorf("%v, %d bytes", err, len(cfg.ErasureKey))
	}
	for _, bad := range []string{"short", good + "00", good[1:] + "g"} {
		if err := erasureKey(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestWebhooks: events are delivered, signed, to a receiver on this machine when
// the flag allows it.
func TestWebhooks(t *testing.T) {
	type delivery struct {
		header http.Header
		body   []byte
	}
	came := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		came <- delivery{r.Header, body}
	}))
	defer receiver.Close()
	subscribe := `/api/v1/webhooks -H 'Authorization: Bearer ` + testKey + `' -H 'Content-Type: application/json' -d '{"url":"` + receiver.URL + `","events":["affiliate.created"]}'`
	join := `/api/v1/affiliates -H 'Authorization: Bearer ` + testKey + `' -H 'Content-Type: application/json' -d '{"firstName":"Ada","lastName":"L","email":"ada@example.com"}'`

	s := start(t, "-key", testKey, "-allow-private-webhooks")
	call := func(s *runningServer, line string) (int, string) {
		r, err := request("curl "+s.url+line, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.do(r)
	}
	status, body := call(s, subscribe)
	_, secret, _ := strings.Cut(body, `"secret":"`)
	secret, _, _ = strings.Cut(secret, `"`)
	if status != 200 {
		t.Fatalf("subscribe: %d %s", status, body)
	}
	if status, body := call(s, join); status != 200 {
		t.Fatalf("join: %d %s", status, body)
	}
	got := <-came
	key, err := webhooks.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier := webhooks.Verifier{Secrets: []affiliate.Secret{key}, Now: func() time.Time { return clock }}
	if _, err := verifier.Verify(got.header, got.body); err != nil || !strings.HasPrefix(string(got.body), `{"event":"affiliate.created",`) {
		t.Errorf("delivery %s: %v", got.body, err)
	}
	id := regexp.MustCompile(`"id":"([^"]*)"`).FindStringSubmatch(body)[1]
	go func() { <-came }()
	status, body = call(s, `/api/v1/webhooks/test -H 'Authorization: Bearer `+testKey+`' -H 'Content-Type: application/json' -d '{"webhookId":"`+id+`","event":"affiliate.created"}'`)
	if status != 200 || !strings.Contains(body, `"delivered":true`) {
		t.Errorf("test delivery: %d %s", status, body)
	}
	s.stop()

	closed := start(t, "-key", testKey)
	if status, body := call(closed, subscribe); status != 400 {
		t.Errorf("without the flag: %d %s", status, body)
	}
}

// TestWoken: a program wakes its sender, and the sender reads from the program.
func TestWoken(t *testing.T) {
	all, err := tenants(t.Context(), memstore.New(), settings{keys: []string{testKey}, rand: rand8()}, nil, "http://x.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Config().OnEvents == nil || all[0].sender.Outbox == nil {
		t.Error("the program and its sender do not know each other")
	}
}

// withEndpoint is a storage with an endpoint of its own.
type withEndpoint struct{ Memory }

func (withEndpoint) Endpoints(host Host) ([]Endpoint, console.Providers, error) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Method, " ", host.Program.Config().ID, " ", host.URL)
	})
	return []Endpoint{{Path: "/own", Handler: answer, Said: "ask " + host.URL + "/own"}}, nil, nil
}

// TestEndpoints: a storage answers at a path of its own, which the operator learns, as often as
// the limit allows, and at no other one.
func TestEndpoints(t *testing.T) {
	set, err := parse(new(withEndpoint), []string{"-addr", "127.0.0.1:0", "-limit", "3", "-url", "https://shop.example/"}, nothing, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand = func() time.Time { return clock }, rand8()
	s := startWith(t, set)
	if !strings.Contains(s.output.String(), "\nask https://shop.example/own\n") {
		t.Errorf("the output lacks the endpoint:\n%s", s.output)
	}
	ask := func(path string) (int, string) {
		r, err := http.NewRequest(http.MethodPut, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.do(r)
	}
	for range 3 {
		if status, body := ask("/own"); status != http.StatusOK || !strings.HasPrefix(body, "PUT ") || !strings.HasSuffix(body, " https://shop.example") {
			t.Errorf("%d %s", status, body)
		}
	}
	if status, _ := ask("/own"); status != http.StatusTooManyRequests {
		t.Errorf("above the limit: %d", status)
	}
	if status, _ := ask("/own/more"); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
}
