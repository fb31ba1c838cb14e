package main

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A browser is somebody who has signed in to the console.
type browser struct {
	*runningServer
	client *http.Client
}

// browse signs in with the key.
func (s *runningServer) browse() *browser {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &browser{s, &http.Client{Jar: jar}}
	if status, page := b.send("sign-in", url.Values{"key": {testKey}}); status != http.StatusOK || !strings.Contains(page, "Sign out") {
		s.t.Fatalf("sign in: %d\n%s", status, page)
	}
	return b
}

func (b *browser) read(res *http.Response, err error) (int, string) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(page)
}

func (b *browser) open(path string) (int, string) {
	b.t.Helper()
	return b.read(b.client.Get(b.url + "/console/" + path))
}

func (b *browser) send(path string, form url.Values) (int, string) {
	b.t.Helper()
	return b.read(b.client.PostForm(b.url+"/console/"+path, form))
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// fill opens the form at a path, and sends it with some fields: name, value …
func (b *browser) fill(path string, fields ...string) (int, string) {
	b.t.Helper()
	status, page := b.open(path)
	if status != http.StatusOK {
		b.t.Fatalf("%s: %d\n%s", path, status, page)
	}
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], m[2])
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.send(path, form)
}

// TestConnect: a provider is connected in the console, with a secret that the store seals and nobody
// reads again; its events count at once and when the server starts again, the page says what became of
// them, and they are refused from the moment on at which it is disconnected.
func TestConnect(t *testing.T) {
	file, env := inFolder(t, "program.db"), environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32)}
	s := launchIn(t, env, "-file", file, "-url", "https://partners.shop.example")
	s.ada()
	b := s.browse()
	if status := s.byStripe(stripeSecret, checkout(t)); status != http.StatusNotFound {
		t.Errorf("an event before: %d", status)
	}
	_, page := b.open("providers/stripe")
	for _, want := range []string{"https://partners.shop.example/pay/stripe", "checkout.session.completed", "client_reference_id", "&#34;tributary_program&#34;: &#34;0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01&#34;", ">not connected", `bad">1</span> since`, "it is not connected."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if status, page := b.fill("providers/stripe/connect", "secret", "sk_live_1234567890"); status == http.StatusOK || strings.Contains(page, "sk_live") || !strings.Contains(page, "This cannot be used") {
		t.Errorf("an API key in the place of the secret: %d\n%s", status, page)
	}
	if status, page := b.fill("providers/stripe/connect", "secret", " "+stripeSecret+" ", "FIRST", "invoice"); status != http.StatusOK || strings.Contains(page, stripeSecret) || !strings.Contains(page, "Connected") {
		t.Fatalf("connect: %d\n%s", status, page)
	}
	if status := s.byStripe(anotherSecret, checkout(t)); status != http.StatusUnauthorized {
		t.Errorf("signed by somebody else: %d", status)
	}
	if status := s.byStripe(stripeSecret, checkout(t)); status != http.StatusNoContent {
		t.Errorf("an event: %d", status)
	}
	s.sold("pi_1")
	if _, page := b.open("providers/stripe"); !strings.Contains(page, `bad">2</span> since`) || !strings.Contains(page, "not signed with this secret") || !strings.Contains(page, "checkout.session.completed</bdi>") || !strings.Contains(page, "<bdi>recorded</bdi>") || strings.Contains(page, stripeSecret) {
		t.Errorf("the page:\n%s", page)
	}
	if _, page := b.open("providers/stripe/connect"); strings.Contains(page, stripeSecret) || !strings.Contains(page, `value="invoice" selected`) {
		t.Errorf("the form:\n%s", page)
	}
	s.stop()
	raw, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(raw), stripeSecret) || strings.Contains(s.said.String(), stripeSecret) {
		t.Errorf("the file or the log has the secret, %v", err)
	}

	s = launchIn(t, env, "-file", file)
	defer s.stop()
	if status := s.byStripe(stripeSecret, checkout(t)); status != http.StatusNoContent {
		t.Errorf("after a new start: %d", status)
	}
	if status, page := s.browse().fill("providers/stripe/disconnect"); status != http.StatusOK || !strings.Contains(page, "not connected") {
		t.Errorf("disconnect: %d\n%s", status, page)
	}
	if status := s.byStripe(stripeSecret, checkout(t)); status != http.StatusNotFound {
		t.Errorf("an event afterwards: %d", status)
	}
	if !strings.Contains(s.said.String(), "a provider that is not connected") {
		t.Error("an event of a provider that is not connected is silent")
	}
}

// TestRehearse: a sample of each provider, and an event that somebody pastes, say on a page what they
// would do, for a provider of a variable too, and nothing is booked.
func TestRehearse(t *testing.T) {
	s := launchIn(t, environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32), "TRIBUTARY_STRIPE_SECRET": stripeSecret, "TRIBUTARY_STRIPE_TEST": "true"}, "-file", inFolder(t, "program.db"))
	defer s.stop()
	b := s.browse()
	if status, page := b.fill("providers/polar/rehearse", "event", b.sample("polar")); status != http.StatusOK || !strings.Contains(page, `bad">`) || !strings.Contains(page, "Nothing was booked") {
		t.Errorf("nobody to credit: %d\n%s", status, page)
	}
	s.call("PUT", "/api/v1/program", `{"name":"Beans","currency":"EUR","timeZone":"Europe/Berlin"}`)
	s.ada()
	for _, p := range providers() {
		event := b.sample(p.name)
		status, page := b.fill("providers/"+p.name+"/rehearse", "event", event)
		page = strings.ReplaceAll(page, "\u00a0", " ")
		if status != http.StatusOK || !strings.Contains(page, `good">recorded<`) || !strings.Contains(page, "Ada Lovelace") || !strings.Contains(page, "<dd>120.00 EUR</dd>") || !strings.Contains(page, "<dd>20.00 EUR</dd>") {
			t.Errorf("%s: %d\n%s", p.name, status, page)
		}
		if status, page := b.fill("providers/"+p.name+"/rehearse", "event", strings.Replace(event, "EUR", "CHF", -1)); p.name != "stripe" && p.name != "polar" && (status != http.StatusOK || strings.Contains(page, ">recorded<")) {
			t.Errorf("%s in another currency: %d\n%s", p.name, status, page)
		}
	}
	for event, want := range map[string]string{"{": "This is no event of stripe", checkout(t): "live mode"} {
		if _, page := b.fill("providers/stripe/rehearse", "event", event); !strings.Contains(page, want) || strings.Contains(page, "recorded<") {
			t.Errorf("%s: no %q in\n%s", event, want, page)
		}
	}
	if waits := s.call("GET", "/api/v1/attention", ""); strings.Contains(waits, "sample") {
		t.Errorf("something waits: %s", waits)
	}
	s.sold()
}

// sample returns the event in the form that rehearses one.
func (b *browser) sample(provider string) string {
	b.t.Helper()
	_, page := b.open("providers/" + provider + "/rehearse")
	_, text, _ := strings.Cut(page, "<textarea")
	_, text, _ = strings.Cut(text, ">")
	text, _, _ = strings.Cut(text, "</textarea>")
	return html.UnescapeString(text)
}

// TestConnectRefused: without a key that seals, no secret is kept, and what a variable connects is not
// changed in the console.
func TestConnectRefused(t *testing.T) {
	s := launchIn(t, environment{"TRIBUTARY_STRIPE_SECRET": stripeSecret}, "-file", inFolder(t, "program.db"))
	defer s.stop()
	b := s.browse()
	if _, page := b.fill("providers/polar/connect", "secret", "a-secret-of-polar-24-long"); !strings.Contains(page, "TRIBUTARY_SEAL_KEY") || !strings.Contains(page, "TRIBUTARY_POLAR_SECRET") {
		t.Errorf("without a seal key:\n%s", page)
	}
	if _, page := b.open("providers/polar"); !strings.Contains(page, "not connected") {
		t.Errorf("it is connected:\n%s", page)
	}
	for _, form := range []string{"connect", "disconnect"} {
		if status, page := b.open("providers/stripe/" + form); status == http.StatusOK || !strings.Contains(page, "A variable of the server connects") {
			t.Errorf("%s: %d\n%s", form, status, page)
		}
	}
	if _, page := b.open("providers/stripe"); !strings.Contains(page, "Connected") || strings.Contains(page, "Disconnect…") {
		t.Errorf("the page of a provider of a variable:\n%s", page)
	}
	if status, _ := b.open("providers/nobody"); status != http.StatusNotFound {
		t.Errorf("a provider that is none: %d", status)
	}
}

// TestRehearseNoLink: there is a sample also when the newest affiliate has no link.
func TestRehearseNoLink(t *testing.T) {
	s := launchIn(t, environment{"TRIBUTARY_SEAL_KEY": strings.Repeat("5e", 32)}, "-file", inFolder(t, "program.db"))
	defer s.stop()
	b := s.browse()
	s.ada()
	s.call("DELETE", "/api/v1/links", `{"link":"ada"}`)
	if status, page := b.open("providers/polar/rehearse"); status != http.StatusOK {
		t.Errorf("%d\n%s", status, page)
	}
}
