package browser

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWatch (check 49): the watch of a tab complains about what it is there for.
func TestWatch(t *testing.T) {
	t.Parallel()
	policy := "default-src 'none'; script-src 'self'; img-src data:"
	var html, headers string
	tb := unwatched(t, originOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", headers)
		write(w, html)
	})))
	for name, page := range map[string]struct{ html, policy, complaint string }{
		"quiet":      {"<h1>quiet</h1>", policy, ""},
		"console":    {"<script>console.error('broken')</script>", "", "broken"},
		"exception":  {"<script>nobody.knows()</script>", "", "exception"},
		"policy":     {"<style>h1 { color: red }</style>", policy, "securitypolicyviolation: style-src-elem inline"},
		"the log":    {"<script>1</script>", policy, "log: Executing inline script violates"},
		"dialog":     {"<script>alert('hello')</script>", "", "dialog: hello"},
		"origin":     {"<img src='http://127.0.0.1:1/x.png' alt=''>", "", "another origin: http://127.0.0.1:1/x.png"},
		"other host": {"<img src='http://tributary.example/x.png' alt=''>", "", "another origin: http://tributary.example/x.png"},
		"not there":  {"<img src='/gone.png' alt=''>", "", "404"},
		"size":       {strings.Repeat("x", maxPage), "", "over 102400 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			html, headers = page.html, page.policy
			before := len(tb.watch.complaints())
			tb.open("/")
			eval[int](tb, "1") // what came before has been seen
			got := tb.watch.complaints()[before:]
			if page.complaint == "" && len(got) > 0 || page.complaint != "" && !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, page.complaint) }) {
				t.Errorf("complaints: %q, want one of %q", got, page.complaint)
			}
		})
	}
}

// write answers with a page.
func write(w http.ResponseWriter, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html><html lang=en><title>t</title><link rel=icon href=data:,><body>" + html))
}

// A recorder is a test whose errors are another test's to read.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, strings.TrimSpace(format))
	for _, a := range args {
		if s, ok := a.(string); ok {
			r.errors = append(r.errors, s)
		}
	}
}

// TestLook (checks 47 and 48): looking at a page finds what is wrong with it.
func TestLook(t *testing.T) {
	t.Parallel()
	var html string
	rec := &recorder{TB: t}
	tb := newTab(t, originOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, html) })))
	tb.TB = rec
	for name, page := range map[string]struct{ html, want string }{
		"good":      {"<main><h1>A title</h1><p>A text.</p></main>", ""},
		"wide":      {"<main><h1>A title</h1><p style='width: 400px'>A text.</p></main>", "px wide"},
		"no title":  {"<main><p>A text.</p></main>", "0 titles"},
		"contrast":  {"<main><h1>A title</h1><p style='color: #999'>A text.</p></main>", "color-contrast"},
		"no label":  {"<main><h1>A title</h1><input></main>", "label"},
		"two small": {"<main><h1>A title</h1><p><button style='all: unset; font-size: 8px'>a</button><br><button style='all: unset; font-size: 8px'>b</button></p></main>", "target-size"},
		"dark":      {"<main><h1>A title</h1><style>@media (prefers-color-scheme: dark) { body { background: #000; color: #333 } }</style><p>A text.</p></main>", "color-contrast"},
	} {
		t.Run(name, func(t *testing.T) {
			html, rec.errors = page.html, nil
			tb.open("/")
			look(tb, 1)
			if got := strings.Join(rec.errors, "\n"); page.want == "" && got != "" || !strings.Contains(got, page.want) {
				t.Errorf("found %q, want %q", got, page.want)
			}
		})
	}
}
