package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary/httpapi/portal"
)

// An embedding is a site of a host whose pages show those of an affiliate, which are of another site.
type embedding struct {
	*world
	pages  *portal.Portal
	host   string // origin that may show them
	policy string // of its pages
	body   string // of its pages

	hold  chan struct{} // a network that is slow to enter, until this is closed; nil: it is not
	mu    sync.Mutex
	asked []string // of the pages: status and path
}

// byRoot is a host's policy that allows as little as it can.
const byRoot = "default-src 'none'; img-src data:; require-trusted-types-for 'script'; script-src 'nonce-own' PAGES; frame-src 'self' PAGES; connect-src 'self'"

func newEmbedding(t *testing.T) *embedding {
	t.Helper()
	e := &embedding{world: newWorld(t).fill()}
	var theirs string
	at := originOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" || r.URL.Path == "/earnings/token" {
			fmt.Fprintf(w, `{"url": %q}`, theirs+"/partner/enter?token="+must(e.pages.Token(e.made.Ada.ID, 0))(t))
			return
		}
		if r.URL.Path == "/evil" {
			write(w, `<script>parent.postMessage({ tributary: { over: true, height: 7 } }, "*")</script>`)
			return
		}
		w.Header().Set("Content-Security-Policy", strings.ReplaceAll(e.policy, "PAGES", theirs))
		write(w, strings.ReplaceAll(e.body, "PAGES", theirs))
	}))
	e.host = by(at, "app.beans.localhost")
	e.pages = e.partner(portal.Config{Prefix: "/partner/", Key: []byte(strings.Repeat("k", 32)), Frames: []string{"https://else.example", e.host}, MaxLinks: 5}).(*portal.Portal)
	theirs = by(originOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/partner/enter" && e.hold != nil {
			<-e.hold
		}
		rec := &statusOf{ResponseWriter: w, status: 200}
		e.pages.ServeHTTP(rec, r)
		if !strings.Contains(r.URL.Path, "/assets/") && r.URL.Path != "/partner/embed.js" {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.asked = append(e.asked, fmt.Sprint(rec.status, " ", r.URL.Path))
		}
	})), "partners.tributary.localhost")
	e.body, e.policy = embedded, byRoot
	return e
}

// embedded is a page of a host.
const embedded = `<main><tributary-partner title="Was ich verdiene"><p id=text>It is over. <button>Again</button></p></tributary-partner><p id=below>below</p></main><script src="PAGES/partner/embed.js"></script>
<script nonce=own>
window.overs = 0;
const pages = document.querySelector("tributary-partner");
pages.addEventListener("over", () => window.overs++);
window.frame = () => pages.shadowRoot.querySelector("iframe");
window.enter = async () => pages.setAttribute("src", (await (await fetch("/token", { method: "POST" })).json()).url);
</script>`

// A statusOf notes the status of an answer.
type statusOf struct {
	http.ResponseWriter
	status int
}

func (s *statusOf) WriteHeader(status int) { s.status = status; s.ResponseWriter.WriteHeader(status) }

// took are the requests to the pages since the last call.
func (e *embedding) took() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := strings.Join(e.asked, ", ")
	e.asked = nil
	return all
}

// until waits for an expression to be true.
func (tb *tab) until(expression string) {
	tb.Helper()
	if !eval[bool](tb, `(async () => {
	for (let i = 0; i < 300; i++) { if (`+expression+`) return true; await new Promise((done) => setTimeout(done, 20)); }
	return false;
})()`) {
		tb.Fatalf("it does not become true: %s; %s", expression, tb.watch.complaints())
	}
}

// to leads the frame to a page of the affiliate, and waits until it has said its height.
func (tb *tab) to(path string) {
	tb.Helper()
	eval[int](tb, fmt.Sprintf(`(frame().style.height = "1px", frame().src = new URL(%q, frame().src).href, 1)`, path))
}

// TestEmbed: the element shows the pages in one of another site, as high as they are, with a visit
// that lasts; when it is over, its text, and the pages again with a new token.
func TestEmbed(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	tb := unwatched(t, e.host)
	tb.open("/")
	if shown := eval[bool](tb, `document.querySelector("#text").checkVisibility()`); shown {
		t.Error("the text is there before the visit is over")
	}
	if title := eval[string](tb, `frame().title`); title != "Was ich verdiene" {
		t.Errorf("the frame is called %q", title)
	}
	eval[int](tb, `enter().then(() => 1)`)
	tb.until(`parseInt(frame().style.height) > 400`)
	if got := e.took(); got != "303 /partner/enter, 200 /partner/" {
		t.Errorf("the pages were asked for %s", got)
	}
	tall := eval[int](tb, `parseInt(frame().style.height)`)
	tb.to("/partner/sales")
	tb.until(fmt.Sprintf(`parseInt(frame().style.height) > 1 && parseInt(frame().style.height) != %d`, tall))
	if got := e.took(); got != "200 /partner/sales" {
		t.Errorf("the visit does not last: %s", got)
	}
	height := eval[int](tb, `parseInt(frame().style.height)`)
	tb.window(phone)
	tb.until(fmt.Sprintf(`parseInt(frame().style.height) != %d`, height))

	e.clock.pass(time.Hour + time.Second)
	tb.to("/partner/codes")
	tb.until(`document.querySelector("#text").checkVisibility() && !frame().checkVisibility() && overs === 1`)
	if got := e.took(); got != "403 /partner/codes" {
		t.Errorf("after an hour: %s", got)
	}
	e.hold = make(chan struct{}) // the page that is over is shown meanwhile, and says so again
	eval[int](tb, `enter().then(() => new Promise((done) => setTimeout(() => done(1), 500)))`)
	close(e.hold)
	tb.until(`frame().checkVisibility() && !document.querySelector("#text").checkVisibility() && parseInt(frame().style.height) > 400`)
	if got := e.took(); got != "303 /partner/enter, 200 /partner/" || eval[int](tb, `overs`) != 1 {
		t.Errorf("with a new token: %s", got)
	}
	for _, c := range tb.watch.complaints() {
		if !strings.Contains(c, "another origin: ") && !strings.Contains(c, "403") {
			t.Error(c)
		}
	}

	tb.origin = eval[string](tb, `new URL(frame().src).origin`)
	tb.openAs(403, "/partner/") // the visit is of the host's site alone
}

// TestEmbedUsed: a token that was used, and one that nobody made, show the text.
func TestEmbedUsed(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	used := must(e.pages.Token(e.made.Ada.ID, 0))(t)
	for name, token := range map[string]string{"used": used, "forged": "x"} {
		tb := unwatched(t, e.host)
		tb.open("/")
		if name == "used" {
			first := unwatched(t, by(e.host, "app.beans.localhost"))
			first.open("/")
			first.shows(used)
			first.until(`parseInt(frame().style.height) > 400`)
		}
		tb.shows(token)
		tb.until(`document.querySelector("#text").checkVisibility() && overs === 1`)
	}
}

// shows has the element open a token.
func (tb *tab) shows(token string) {
	tb.Helper()
	eval[int](tb, `(pages.setAttribute("src", new URL("enter?token=`+token+`", document.querySelector("script[src]").src).href), 1)`)
}

// TestEmbedStranger: a page of an origin that is not named shows its text, and its console why.
func TestEmbedStranger(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	tb := unwatched(t, by(strings.Replace(e.host, "app.beans.localhost", "127.0.0.1", 1), "app.cocoa.localhost"))
	tb.open("/")
	eval[int](tb, `enter().then(() => 1)`)
	tb.until(`document.querySelector("#text").checkVisibility() && overs === 1 && frame().style.height === ""`)
	said := strings.Join(tb.watch.complaints(), "\n")
	for _, want := range []string{"frame-ancestors", "cannot be shown in " + tb.origin, "TRIBUTARY_FRAMES"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q: %s", want, said)
		}
	}
}

// TestEmbedDocument: what docs/partner-pages.md says to paste shows the pages, under the policy that
// it names, and again on the click when they are over.
func TestEmbedDocument(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	text := string(must(os.ReadFile(filepath.Join("..", "..", "..", "docs", "partner-pages.md")))(t))
	_, text, _ = strings.Cut(text, "\n## In a page of yours\n")
	blocks := regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(text, 3)
	read := func(i int, kind string) string {
		if blocks[i][1] != kind {
			t.Fatalf("block %d is %s, not %s", i, blocks[i][1], kind)
		}
		return strings.ReplaceAll(blocks[i][2], "https://partners.shop.example", "PAGES")
	}
	e.body = "<main>" + read(0, "html") + "</main><script nonce=own>window.frame = () => document.querySelector('tributary-partner').shadowRoot.querySelector('iframe');" + read(1, "js") + "</script>"
	e.policy = "default-src 'none'; img-src data:; connect-src 'self'; " + strings.Replace(read(2, "text"), "script-src", "script-src 'nonce-own'", 1)
	tb := unwatched(t, e.host)
	tb.open("/")
	tb.until(`parseInt(frame().style.height) > 400`)
	e.clock.pass(time.Hour + time.Second)
	tb.to("/partner/codes")
	tb.until(`document.querySelector("main button").checkVisibility()`)
	tb.click("Open it again", named("Open it again"))
	tb.until(`frame().checkVisibility() && parseInt(frame().style.height) > 400`)
}

// TestEmbedHostile: the element opens nothing but pages, and believes nobody but the pages in it.
func TestEmbedHostile(t *testing.T) {
	t.Parallel()
	e := newEmbedding(t)
	e.body += `<script src="PAGES/partner/embed.js"></script>` // twice
	tb := unwatched(t, e.host)
	tb.open("/")
	if said := strings.Join(tb.watch.complaints(), ""); strings.Contains(said, "exception") {
		t.Errorf("the script is there twice: %s", said)
	}
	for _, src := range []string{"javascript:parent.stolen=1", "data:text/html,<script>parent.stolen=1</script>", "blob:x", "JaVaScRiPt:parent.stolen=1", "about:blank", "file:///etc/passwd"} {
		eval[int](tb, fmt.Sprintf(`(pages.setAttribute("src", %q), 1)`, src))
		if got := eval[string](tb, `(frame().getAttribute("src") ?? "none") + (window.stolen ?? "")`); got != "none" {
			t.Errorf("%s: the frame shows %s", src, got)
		}
	}
	eval[int](tb, `enter().then(() => 1)`)
	tb.until(`parseInt(frame().style.height) > 400`)
	for _, message := range []any{map[string]any{"tributary": map[string]any{"over": true}}, map[string]any{"tributary": map[string]any{"height": 7}}, nil, "x", map[string]any{"tributary": nil}} {
		said, _ := json.Marshal(message)
		eval[int](tb, `(postMessage(`+string(said)+`, "*"), new Promise((done) => setTimeout(done, 0)).then(() => 1))`)
	}
	if got := eval[string](tb, `overs + " " + (parseInt(frame().style.height) > 400)`); got != "0 true" {
		t.Errorf("a message of the host's own page: %s", got)
	}
	other := func(expression string) string {
		return eval[string](tb, `(async () => { const two = document.querySelectorAll("tributary-partner")[1]; `+expression+` })()`)
	}
	eval[int](tb, `(document.querySelector("main").append(document.createElement("tributary-partner")), 1)`)
	if said := other(`const warn = console.warn; let said = ""; console.warn = (line) => { said += line; };
two.setAttribute("src", new URL("/partner/enter?token=x", frame().src).href); await new Promise((done) => two.addEventListener("over", done)); console.warn = warn; return said;`); said != "" {
		t.Errorf("a page below the window is not heard: %s", said)
	}
	if got := other(`return overs + " " + frame().checkVisibility() + " " + two.shadowRoot.querySelector("slot").assignedNodes({ flatten: true })[0].textContent`); got != "0 true Your visit is over. Load this page again." {
		t.Errorf("when another element's visit is over: %s", got)
	}
	before := eval[string](tb, `frame().style.height`)
	eval[int](tb, `(frame().src = "/evil", new Promise((done) => frame().addEventListener("load", done))).then(() => 1)`)
	if got := eval[string](tb, `overs + frame().style.height`); got != "0"+before {
		t.Errorf("another page in the frame says: %s", got)
	}
}
