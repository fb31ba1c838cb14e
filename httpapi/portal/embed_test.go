package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/httpapi/portal"
)

const friend = "https://app.shop.example"

// TestEmbedScript: the element is there for everybody when some page may show a frame, and browsers
// ask whether it has changed.
func TestEmbedScript(t *testing.T) {
	w := newWorld(t, "", func(c *portal.Config) { c.Frames = []string{friend} })
	first := ask(w.pages, "GET", "/partner/embed.js", "")
	if first.status != 200 || !strings.Contains(first.body, `define("tributary-partner"`) {
		t.Fatalf("%d %s", first.status, first.body)
	}
	tag := first.head.Get("ETag")
	for name, want := range map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=300", "Cross-Origin-Resource-Policy": "cross-origin", "X-Content-Type-Options": "nosniff", "Set-Cookie": "",
	} {
		if got := first.head.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if again := ask(w.pages, "GET", "/partner/embed.js", "", "If-None-Match", tag); again.status != 304 || again.body != "" || len(tag) < 18 {
		t.Errorf("the same again, %s: %d", tag, again.status)
	}
	if head := ask(w.pages, "HEAD", "/partner/embed.js", ""); head.status != 200 || head.body != "" {
		t.Errorf("HEAD: %d %q", head.status, head.body)
	}
	if post := ask(w.pages, "POST", "/partner/embed.js", ""); post.status != 403 {
		t.Errorf("POST: %d", post.status)
	}
	none := newWorld(t, "")
	if got := none.get(none.enter(none.ada.ID), "embed.js"); got.status != 404 {
		t.Errorf("nobody may show them: %d", got.status)
	}
	as := w.pages.As(w.Program, w.ada.ID, "./back")
	if got := ask(as, "GET", "/embed.js", ""); got.status != 404 {
		t.Errorf("for who runs the program: %d", got.status)
	}
}

// TestFrameCookie: in a frame the cookie is one that browsers keep in a page of another site, for
// that site alone; nowhere else, and only where frames are allowed.
func TestFrameCookie(t *testing.T) {
	const lax, parted = "HttpOnly; Secure; SameSite=Lax", "HttpOnly; Secure; SameSite=None; Partitioned"
	for name, c := range map[string]struct {
		frames []string
		dest   string
		https  bool
		want   string
	}{
		"frame":               {[]string{friend}, "iframe", true, parted},
		"frame, this machine": {[]string{friend}, "iframe", false, parted},
		"page":                {[]string{friend}, "document", true, lax},
		"page, this machine":  {[]string{friend}, "document", false, "HttpOnly; SameSite=Lax"},
		"old browser":         {[]string{friend}, "", true, lax},
		"other element":       {[]string{friend}, "object", true, lax},
		"no frames":           {nil, "iframe", true, lax},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "", func(c2 *portal.Config) { c2.Frames = c.frames })
			from := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.TLS = nil; !c.https {
					r.RemoteAddr = "127.0.0.1:1"
				}
				w.pages.ServeHTTP(rw, r)
			})
			entered := ask(from, "GET", "/partner/enter?token="+must(w.pages.Token(w.ada.ID, 0)), "", "Sec-Fetch-Dest", c.dest)
			set := entered.head.Values("Set-Cookie")
			if len(set) != 1 || !strings.HasSuffix(set[0], "; Max-Age=3600; "+c.want) {
				t.Fatalf("%d %q", entered.status, set)
			}
			cookie, _, _ := strings.Cut(set[0], ";")
			page := ask(from, "GET", "/partner/", "", "Cookie", cookie, "Sec-Fetch-Dest", c.dest)
			left := ask(from, "POST", "/partner/leave", page.leaving().Encode(), "Cookie", cookie, "Sec-Fetch-Dest", c.dest)
			var ends []string
			for _, line := range left.head.Values("Set-Cookie") {
				_, attributes, _ := strings.Cut(line, "Max-Age=0; ")
				ends = append(ends, attributes)
			}
			if diff := cmp.Diff([]string{c.want, c.want}, ends); diff != "" {
				t.Errorf("leaving, %d (-want +got):\n%s", left.status, diff)
			}
		})
	}
}
