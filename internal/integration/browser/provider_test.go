package browser

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/httpapi/app"
)

// A provider is an identity provider of another site, whose page leads back as ada.
type provider struct {
	app.Memory
	page string
}

func newProvider(t *testing.T) *provider {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write(w, `<a href="`+r.URL.Query().Get("back")+"?"+url.Values{"state": {r.URL.Query().Get("state")}, "code": {"ada@beans.example"}}.Encode()+`">I am ada</a>`)
	}))
	t.Cleanup(server.Close)
	return &provider{page: strings.Replace(server.URL, "127.0.0.1", "accounts.localhost", 1)}
}

func (p *provider) IdentityProvider() (app.IdentityProvider, error) { return p, nil }

func (p *provider) Host() string { return "accounts.localhost" }

func (p *provider) Begin(_ context.Context, s app.SignIn) (string, error) {
	return p.page + "/?" + url.Values{"back": {s.Back}, "state": {s.State}}.Encode(), nil
}

func (p *provider) Email(_ context.Context, _ app.SignIn, code string) (string, error) {
	return code, nil
}

// TestProvider: who comes back from the identity provider, which is another site, is in the console
// without another click, though the cookie of the session does not follow from other sites.
func TestProvider(t *testing.T) {
	t.Parallel()
	free := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	at := free.Addr().String()
	free.Close()
	said, w := io.Pipe()
	ended := make(chan int, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- app.Run(ctx, newProvider(t), []string{"-addr", at, "-url", "http://" + at, "-key", fullKey}, func(string) string { return "" }, w, t.Output())
		w.Close()
	}()
	t.Cleanup(func() { stop(); <-ended })
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on ") {
	}
	tb := unwatched(t, "http://"+at)
	tb.openAs(403, "/console/access/people/new")
	tb.signIn(200, fullKey)
	tb.fill("Email", "ada@beans.example")
	tb.fill("Name in logs and events", "ada")
	tb.choose("Role", "Owner: everything")
	tb.press("Add")
	tb.pressAs(403, "Sign out")
	look(tb, 1)
	tb.press("Sign in with accounts.localhost")
	tb.click("I am ada", named("I am ada"))
	for end := time.Now().Add(patience); tb.watch.page().url != tb.origin+"/console/" && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // the page in between goes by itself
	}
	if got := tb.watch.page(); got.status != 200 {
		t.Errorf("who came back sees %d at %s", got.status, got.url)
	}
	tb.open("/console/access")
	if header := tb.text("header"); !strings.Contains(header, "ada") {
		t.Errorf("the console says %q", header)
	}
	tb.says("this one")
	tb.says("OpenID Connect")
	look(tb, 1)
	tb.press("End…")
	tb.says("It ends the session of")
	tb.pressAs(403, "End the session")
}
