package app

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
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
	variables := map[string]string{destinationVariable: "https://shop.example/", proxyVariable: "10.0.0.0/8", urlVariable: "https://partners.shop.example/"}
	for name, tt := range map[string]struct{ args, want []string }{
		"Environment": {nil, []string{"https://shop.example/", "10.0.0.0/8", "https://partners.shop.example"}},
		"Flags": {[]string{"-destination", "https://a.example", "-proxy", "fd00::/8", "-url", "http://b.example/c/"},
			[]string{"https://a.example", "fd00::/8", "http://b.example/c"}},
	} {
		set, err := parse(new(Memory), tt.args, func(name string) string { return variables[name] }, io.Discard)
		if err != nil || len(set.destinations) != 1 || len(set.proxies) != 1 {
			t.Fatalf("%s: %v, error %v", name, set, err)
		}
		if diff := cmp.Diff(tt.want, []string{set.destinations[0], set.proxies[0].String(), set.url}); diff != "" {
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
	for _, line := range []string{"/api/v1/coupons", "/"} {
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
