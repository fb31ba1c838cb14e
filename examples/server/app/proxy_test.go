package app

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestLoginBehindProxy: the console and its login work for a browser that sees them at
// another path than the server, because something before it cuts the path.
func TestLoginBehindProxy(t *testing.T) {
	d := newDoor(t)
	back := httptest.NewServer(d.login)
	defer back.Close()
	to, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]http.Handler{
		"stripped": http.StripPrefix("/app", d.login), "a proxy": http.StripPrefix("/app", httputil.NewSingleHostReverseProxy(to)), "the same path": d.login,
	} {
		t.Run(name, func(t *testing.T) {
			prefix := "/app"
			if name == "the same path" {
				prefix = ""
			}
			front := httptest.NewTLSServer(handler)
			defer front.Close()
			b := front.Client()
			b.Jar, _ = cookiejar.New(nil)
			page := func(res *http.Response, err error) (string, *url.URL) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				text, _ := io.ReadAll(res.Body)
				return string(text), res.Request.URL
			}
			find := func(text string, at *url.URL, expression string) string {
				t.Helper()
				m := regexp.MustCompile(expression).FindStringSubmatch(text)
				if m == nil {
					t.Fatalf("nothing is like %s:\n%s", expression, text)
				}
				link, err := at.Parse(html.UnescapeString(m[1]))
				if err != nil {
					t.Fatal(err)
				}
				return link.String()
			}
			text, at := page(b.Get(front.URL + prefix + "/console/sales?status=ACTIVE"))
			if style, _ := page(b.Get(find(text, at, `rel="stylesheet" href="([^"]+)"`))); !strings.Contains(style, "prefers-color-scheme") {
				t.Errorf("the style sheet is %.80q", style)
			}
			next := html.UnescapeString(regexp.MustCompile(`name="next" value="([^"]*)"`).FindStringSubmatch(text)[1])
			text, at = page(b.PostForm(find(text, at, `method="post" action="([^"]+)"`), url.Values{"key": {wrongKey}, "next": {next}}))
			text, at = page(b.PostForm(find(text, at, `method="post" action="([^"]+)"`), url.Values{"key": {fullKey}, "next": {next}}))
			if at.Path != prefix+"/console/sales" || at.RawQuery != "status=ACTIVE" || !strings.Contains(text, "Shop One") {
				t.Fatalf("signed in at %s:\n%s", at, text)
			}
			text, at = page(b.PostForm(find(text, at, `action="([^"]*sign-out)"`), nil))
			if at.Path != prefix+"/console/" || !strings.Contains(text, "Sign in") {
				t.Errorf("signed out at %s", at)
			}
			if text, _ = page(b.Get(front.URL + prefix + "/console/sales")); strings.Contains(text, "Shop One") {
				t.Error("the session goes on")
			}
			if _, at = page(b.Get(front.URL + prefix + "/console")); at.Path != prefix+"/console/" {
				t.Errorf("without the slash: %s", at)
			}
		})
	}
}
