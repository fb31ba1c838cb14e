package app

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/mail"
)

// withMailer is a storage in memory with a mailer that keeps what it sends.
type withMailer struct {
	Memory
	sent  chan mail.Mail
	fails error
}

func (s *withMailer) Mailer() (mail.Mailer, string, error) { return s, "mail: sent", nil }

func (s *withMailer) Send(_ context.Context, m mail.Mail) error {
	s.sent <- m
	return s.fails
}

// next returns the next mail.
func (s *withMailer) next(t *testing.T) mail.Mail {
	t.Helper()
	select {
	case m := <-s.sent:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("no mail came")
		return mail.Mail{}
	}
}

// startMailing is start with a mailer and variables, under a public URL.
func startMailing(t *testing.T, env map[string]string, args ...string) (*runningServer, *withMailer) {
	t.Helper()
	storage := &withMailer{sent: make(chan mail.Mail, 100)}
	if env == nil {
		env = map[string]string{offVariable: "welcome"}
	}
	args = append([]string{"-addr", "127.0.0.1:0", "-key", testKey}, args...)
	set, err := parse(storage, args, func(name string) string { return env[name] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand = func() time.Time { return clock }, rand8()
	return startWith(t, set), storage
}

// A browser keeps cookies, and finds forms.
type browser struct {
	t             *testing.T
	url, language string // that it prefers; empty: it says none
	*http.Client
}

func newBrowser(t *testing.T, url string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, url, "", &http.Client{Jar: jar}}
}

// visit sends a request below the server, and returns the status and the page behind redirects.
func (b *browser) visit(method, path string, form url.Values) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Host = "evil.example" // no link begins with it
	r.Header.Set("Accept-Language", b.language)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

var token = regexp.MustCompile(`(?s)<main.*name="token" value="([^"]*)"`)

// submit opens a page and sends its form, with what is typed into it.
func (b *browser) submit(path string, typed url.Values) (int, string) {
	b.t.Helper()
	_, page := b.visit("GET", path, nil)
	found := token.FindStringSubmatch(page)
	if found == nil {
		b.t.Fatalf("%s has no form: %s", path, page)
	}
	typed.Set("token", html.UnescapeString(found[1]))
	return b.visit("POST", path, typed)
}

const publicURL = "https://partners.beans.example"

// TestMailedSignIn: an affiliate gets a link by mail, which begins with the public URL and opens the
// pages in the browser that asked; somebody else gets none and the same answer.
func TestMailedSignIn(t *testing.T) {
	s, storage := startMailing(t, nil, "-url", publicURL)
	ada(t, s)
	b := newBrowser(t, s.url)
	status, unknown := b.submit("/partner/sign-in", url.Values{"email": {"nobody@example.com"}})
	known, page := b.submit("/partner/sign-in", url.Values{"email": {"Ada@example.com"}})
	if status != 200 || known != 200 || !strings.Contains(page, "a link is on its way") || unknown != page {
		t.Errorf("%d %s, and %d %s", status, unknown, known, page)
	}
	m := storage.next(t)
	at := strings.Index(m.Text, publicURL+"/partner/open?token=")
	if m.To != "ada@example.com" || m.ID == "" || at < 0 || strings.Contains(m.Text+m.HTML, "evil.example") || !strings.Contains(m.Subject, "Program 1") {
		t.Fatalf("got %+v", m)
	}
	link, _, _ := strings.Cut(m.Text[at+len(publicURL):], "\n")
	if status, page := newBrowser(t, s.url).visit("GET", link, nil); status != 403 || strings.Contains(page, "Ada") {
		t.Errorf("in another browser: %d %s", status, page)
	}
	if status, page := b.submit(link, url.Values{}); status != 200 || !strings.Contains(page, "Ada Lovelace") || !strings.Contains(page, "Overview") {
		t.Errorf("in this one: %d %s", status, page)
	}
	if status, page := b.submit("/partner/sign-in", url.Values{"email": {"ada@example.com"}}); status != 200 || storage.next(t).ID == m.ID {
		t.Errorf("again: %d %s", status, page)
	}
	if len(storage.sent) > 0 {
		t.Errorf("%d mails more", len(storage.sent))
	}
}

// TestMailedChangeOfEmail: an affiliate who asks for another email gets a link at both, opens them in this
// browser, and signs in by the new one; the mail to the new one names nobody, and somebody asks
// three times in a quarter of an hour.
func TestMailedChangeOfEmail(t *testing.T) {
	s, storage := startMailing(t, nil, "-url", publicURL)
	ada(t, s)
	b := newBrowser(t, s.url)
	link := func(m mail.Mail, path string) string {
		t.Helper()
		at := strings.Index(m.Text, publicURL+path)
		if at < 0 || strings.Contains(m.Text+m.HTML, "evil.example") {
			t.Fatalf("got %+v", m)
		}
		rest, _, _ := strings.Cut(m.Text[at+len(publicURL):], "\n")
		return rest
	}
	b.submit("/partner/sign-in", url.Values{"email": {"ada@example.com"}})
	b.submit(link(storage.next(t), "/partner/open?token="), url.Values{})
	if status, page := b.submit("/partner/email", url.Values{"email": {"ada@new.example"}}); status != 200 || !strings.Contains(page, "Two mails are on their way.") {
		t.Fatalf("%d %s", status, page)
	}
	old, to := storage.next(t), storage.next(t)
	if old.To != "ada@example.com" || !strings.Contains(old.Text, "Hello Ada Lovelace,") || !strings.Contains(old.Text, "use ada@new.example in the place") ||
		to.To != "ada@new.example" || strings.Contains(to.Text+to.HTML, "Ada") || old.ID == to.ID {
		t.Errorf("got %+v and %+v", old, to)
	}
	for _, m := range []mail.Mail{old, to} {
		if status, page := b.submit(link(m, "/partner/email/confirm?"), url.Values{}); status != 200 {
			t.Errorf("%d %s", status, page)
		}
	}
	b.submit("/partner/sign-in", url.Values{"email": {"ada@new.example"}})
	if m := storage.next(t); m.To != "ada@new.example" {
		t.Errorf("got %+v", m)
	}
	for i := range 6 {
		status, page := b.submit("/partner/email", url.Values{"email": {"victim@new.example"}})
		if want := i >= linksOfNetwork-1; (status == 429) != want {
			t.Errorf("change %d: %d %s", i+2, status, page)
		}
	}
	s.end()
	<-s.ended
	if strings.Contains(s.errors.String(), "new.example") {
		t.Error(s.errors.String())
	}
	s.errors.text.Reset()
}

// ada makes an affiliate.
func ada(t *testing.T, s *runningServer) {
	t.Helper()
	r, err := http.NewRequest("POST", s.url+"/api/v1/affiliates", strings.NewReader(`{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.Header.Set("Content-Type", "application/json")
	if status, body := s.do(r); status != 200 {
		t.Fatal(status, body)
	}
}

// TestMailedSignInIsLimited: an address asks ten times in a minute; in a quarter of an hour an affiliate
// gets three links of a network and twelve of all, and beside them three in a browser in which she
// signed in before.
func TestMailedSignInIsLimited(t *testing.T) {
	s, storage := startMailing(t, nil, "-url", publicURL, "-proxy", "127.0.0.1/32")
	ada(t, s)
	ask := func(from string) int {
		b := newBrowser(t, s.url)
		b.Transport = sentFrom(from)
		status, _ := b.submit("/partner/sign-in", url.Values{"email": {"ada@example.com"}})
		return status
	}
	hers := newBrowser(t, strings.Replace(s.url, "http:", "https:", 1))
	hers.Transport = sentFrom("192.0.2.200")
	askHere := func() (mails int) {
		before := len(storage.sent)
		if status, _ := hers.submit("/partner/sign-in", url.Values{"email": {"ada@example.com"}}); status != 200 {
			t.Errorf("her browser: %d", status)
		}
		for range 4000 { // 20 seconds at most
			if len(storage.sent) > before {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		return len(storage.sent) - before
	}
	askHere()
	text := storage.next(t).Text
	link, _, _ := strings.Cut(text[strings.Index(text, publicURL)+len(publicURL):], "\n")
	if status, page := hers.submit(link, url.Values{}); status != 200 || !strings.Contains(page, "Ada Lovelace") {
		t.Fatalf("%d %s", status, page)
	}
	for i := range 11 {
		if status := ask("192.0.2.1"); (status == 429) != (i == 10) || i < 10 && status != 200 {
			t.Errorf("request %d: %d", i+1, status)
		}
	}
	if status := ask("192.0.2.2"); status != 200 {
		t.Errorf("another address: %d", status)
	}
	for i := range 20 {
		ask(fmt.Sprintf("198.51.100.%d", i))
	}
	for range 4000 { // 20 seconds at most
		if len(storage.sent) >= linksOfMailbox-1 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := len(storage.sent); n != linksOfMailbox-1 { // one was hers
		t.Errorf("%d links were mailed to strangers", n)
	}
	for i := range linksOfKnown {
		if askHere() != 1 {
			t.Errorf("link %d of her browser is not mailed", i+1)
		}
	}
	s.end() // its tasks end with it
	<-s.ended
	if n := len(storage.sent); n != linksOfMailbox-1+linksOfKnown {
		t.Errorf("%d links were mailed", n)
	}
	if text := s.errors.String(); strings.Contains(text, "ada@") || !strings.Contains(text, "too many were") {
		t.Errorf("the log: %s", text)
	}
	s.errors.text.Reset()
}

// sentFrom sends requests as a proxy does for an address, which ends TLS.
type sentFrom string

func (f sentFrom) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "http"
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMailServerIsDown: who asks for a link learns nothing of a mail server that is down, and the
// log names no address.
func TestMailServerIsDown(t *testing.T) {
	s, storage := startMailing(t, nil, "-url", publicURL)
	storage.fails = errors.New("the mail server is down")
	ada(t, s)
	if status, page := newBrowser(t, s.url).submit("/partner/sign-in", url.Values{"email": {"ada@example.com"}}); status != 200 || !strings.Contains(page, "on its way") {
		t.Errorf("%d %s", status, page)
	}
	storage.next(t)
	s.errors.wait(t, "the mail server is down")
	if text := s.errors.String(); strings.Contains(text, "ada") {
		t.Errorf("the log: %s", text)
	}
	s.errors.text.Reset()
}

// TestNoMailedSignIn: without a mailer or a public URL there is no page to ask for a link.
func TestNoMailedSignIn(t *testing.T) {
	noURL, _ := startMailing(t, nil)
	if said := noURL.output.String(); !strings.Contains(said, "mail: sent\nmail: none is sent to affiliates") || !strings.Contains(said, urlVariable) {
		t.Errorf("it says\n%s", said)
	}
	for name, s := range map[string]*runningServer{"no URL": noURL, "no mailer": start(t, "-key", testKey, "-url", publicURL)} {
		if status, page := newBrowser(t, s.url).visit("GET", "/partner/sign-in", nil); status != 403 || strings.Contains(page, "email") {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
}

// inFolder writes files into a folder of the test, and returns the path of the first.
func inFolder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

const signUpText = `{"questions": [
  {"name": "site", "label": "Where do you write?", "kind": "URL", "required": true},
  {"name": "size", "label": "How many readers?", "kind": "CHOICE", "choices": ["few", "many"]}]}`

// TestSignUpOfTheServer: a file of questions and the terms of the program make the page for applicants,
// whose answers the console shows by their labels.
func TestSignUpOfTheServer(t *testing.T) {
	path := inFolder(t, "sign-up.json", signUpText)
	env := map[string]string{signUpVariable: path, sealVariable: strings.Repeat("0f", 32), erasureVariable: strings.Repeat("1e", 32), offVariable: "received"}
	set, err := parse(lasting{&withMailer{sent: make(chan mail.Mail, 100)}}, []string{"-addr", "127.0.0.1:0", "-key", testKey, "-url", publicURL}, func(name string) string { return env[name] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand = func() time.Time { return clock }, rand8()
	s := startWith(t, set)
	call := func(method, path, body string) (int, string) {
		r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		return s.do(r)
	}
	if status, body := call("PUT", "/api/v1/program", `{"termsText":"Be honest.","termsVersion":"2026-01"}`); status != 200 {
		t.Fatal(body)
	}
	b := newBrowser(t, s.url)
	_, form := b.visit("GET", "/partner/apply", nil)
	for _, says := range []string{"Where do you write?", "How many readers?", "Be honest.", "I accept the terms, version 2026-01"} {
		if !strings.Contains(form, says) {
			t.Errorf("the form does not say %q", says)
		}
	}
	if _, page := b.visit("GET", "/partner/sign-in", nil); !strings.Contains(page, `href="./apply"`) {
		t.Error("the page for signing in does not lead to it")
	}
	status, page := b.submit("/partner/apply", url.Values{"firstName": {"Cleo"}, "lastName": {"Lange"}, "email": {"cleo@blog.example"}, "q-1": {"https://blog.example"}, "terms": {"2026-01"}})
	if status != 200 || !strings.Contains(page, "You will hear from it.") {
		t.Fatalf("%d %s", status, page)
	}
	status, body := call("GET", "/api/v1/affiliates?affiliateEmail=cleo@blog.example", "")
	id := regexp.MustCompile(`"id":"([^"]*)"`).FindStringSubmatch(body)
	if status != 200 || !strings.Contains(body, `"status":"INACTIVE"`) || id == nil {
		t.Fatalf("%d %s", status, body)
	}
	if status, page := b.visit("POST", "/console/sign-in", url.Values{"key": {testKey}}); status != 200 {
		t.Fatalf("%d %s", status, page)
	}
	if _, page := b.visit("GET", "/console/affiliates/"+id[1], nil); !strings.Contains(page, "Where do you write?") || !strings.Contains(page, "https://blog.example") || !strings.Contains(page, "Accepted version 2026-01") || !strings.Contains(page, ">Terms<") {
		t.Errorf("the console shows\n%s", page)
	}
	for i := range formsPerMinute {
		if status, _ := b.submit("/partner/apply", url.Values{}); status != map[bool]int{true: 429, false: 400}[i == formsPerMinute-1] {
			t.Errorf("form %d: %d", i+2, status)
		}
	}
	if text := s.errors.String(); strings.Contains(text, "cleo") || !strings.Contains(text, "actor=applicant") {
		t.Errorf("the log: %s", text)
	}
	s.errors.text.Reset()
}

// TestMailsOfALanguage: who applies is written to in the language that their browser prefers, if the
// folder of texts has it.
func TestMailsOfALanguage(t *testing.T) {
	mails := t.TempDir()
	for name, text := range map[string]string{"de/received.txt": "Subject: Eingegangen\n", "de/sign-in.txt": "Subject: Anmelden\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(mails, "de"), 0o755), os.WriteFile(filepath.Join(mails, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s, storage := startMailing(t, map[string]string{signUpVariable: inFolder(t, "sign-up.json", "{}"), mailsVariable: mails}, "-url", publicURL)
	b := newBrowser(t, s.url)
	for i, row := range [][3]string{{"de-AT,de;q=0.9,en;q=0.8", "Eingegangen", "Anmelden"}, {"fr;q=1, de", "Your application to Program 1 has arrived", "Sign in to Program 1"}} {
		b.language = row[0]
		email := []string{"cleo@blog.example", "dan@blog.example"}[i]
		if status, page := b.submit("/partner/apply", url.Values{"firstName": {"Cleo"}, "lastName": {"Lange"}, "email": {email}}); status != 200 {
			t.Fatalf("%d %s", status, page)
		}
		if m := storage.next(t); m.Subject != row[1] || m.To != email {
			t.Errorf("%q: got %+v", row[0], m)
		}
		if status, page := b.submit("/partner/sign-in", url.Values{"email": {email}}); status != 200 {
			t.Fatalf("%d %s", status, page)
		}
		if m := storage.next(t); m.Subject != row[2] || m.To != email {
			t.Errorf("%q: got %+v", row[0], m)
		}
	}
	s.errors.text.Reset()
}

// TestBadSignUp: a file that makes no page, and a bad text of a mail, end the start with their names.
func TestBadSignUp(t *testing.T) {
	for name, text := range map[string]string{
		"no file": "", "no JSON": "{", "an unknown member": `{"question": []}`, "no name": `{"questions": [{"label": "Why?"}]}`,
		"twice": `{"questions": [{"name": "a", "label": "Why?"}, {"name": "a", "label": "How?"}]}`, "a kind": `{"questions": [{"name": "a", "label": "Why?", "kind": "DATE"}]}`,
		"terms, which are the program's": `{"terms": {"version": "1"}}`,
		"more":                           `{} {}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := inFolder(t, "sign-up.json", text)
			if text == "" {
				path += "x"
			}
			var errs buffer
			code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-sign-up", path}, nothing, io.Discard, &errs)
			if code != 1 || !strings.Contains(errs.String(), "-sign-up: ") {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
	var errs buffer
	dir := filepath.Dir(inFolder(t, "sign-in.txt", "Subject: {{.Nmae}}\n"))
	if code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-mails", dir}, nothing, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "sign-in.txt") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// lasting is withMailer for a store that lasts, for one start.
type lasting struct{ *withMailer }

func (lasting) Lasts() bool { return true }

// TestMailsOfEvents: what happens is mailed to the affiliate whom it concerns, and the link in a mail
// that is not necessary stops such mails, by a button and by the POST of a mail program.
func TestMailsOfEvents(t *testing.T) {
	env := map[string]string{sealVariable: strings.Repeat("0f", 32), erasureVariable: strings.Repeat("1e", 32), offVariable: "approved, received"}
	storage := lasting{&withMailer{sent: make(chan mail.Mail, 100)}}
	set, err := parse(storage, []string{"-addr", "127.0.0.1:0", "-key", testKey, "-url", publicURL}, func(name string) string { return env[name] }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand = func() time.Time { return clock }, rand8()
	s := startWith(t, set)
	ada(t, s)
	if m := storage.next(t); m.To != "ada@example.com" || !strings.HasPrefix(m.ID, "welcome-") || !strings.Contains(m.Text, publicURL+"/partner/\n") || m.Unsubscribe != "" {
		t.Errorf("got %+v", m)
	}
	sell := func(slug, order string) {
		r, err := http.NewRequest("POST", s.url+"/api/v1/sales", strings.NewReader(`{"referralId":"`+slug+`","email":"c@example.net","name":"C","totalEarned":50,"externalId":"`+order+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		if status, body := s.do(r); status != 200 {
			t.Fatal(status, body)
		}
	}
	sell("ada", "o-1")
	m := storage.next(t)
	link, is := strings.CutPrefix(m.Unsubscribe, publicURL)
	if !is || !strings.HasPrefix(m.ID, "first-sale-") {
		t.Fatalf("got %+v", m)
	}
	b := newBrowser(t, s.url)
	for _, bad := range []string{stopMailPath, strings.Replace(link, "tu1.", "tu1.A", 1)} {
		if status, _ := b.visit("POST", bad, url.Values{"List-Unsubscribe": {"One-Click"}}); status != 403 {
			t.Errorf("%s: %d", bad, status)
		}
	}
	if status, page := b.visit("GET", link, nil); status != 200 || !strings.Contains(page, "<button>No more mails about sales and statements</button>") {
		t.Errorf("%d %s", status, page)
	}
	if status, page := b.visit("POST", link, url.Values{"List-Unsubscribe": {"One-Click"}}); status != 200 || !strings.Contains(page, "You get no more mails about sales and statements.") {
		t.Errorf("%d %s", status, page)
	}
	if status, _ := b.visit("PUT", link, nil); status != 405 {
		t.Errorf("PUT: %d", status)
	}
}

// TestBadMailVariables: what names no email and no mail ends the start.
func TestBadMailVariables(t *testing.T) {
	for _, bad := range []map[string]string{{operatorVariable: "ops"}, {operatorVariable: "ops@beans.example;boss@beans.example"},
		{offVariable: "welcom"}, {offVariable: "sign-in"}, {offVariable: "email-old"}, {offVariable: "email-new"}} {
		var errs buffer
		code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0"}, func(name string) string { return bad[name] }, io.Discard, &errs)
		if code != 1 || !strings.Contains(errs.String(), "TRIBUTARY_MAIL_O") {
			t.Errorf("%v: exit code %d: %s", bad, code, errs.String())
		}
	}
	operators, off, err := mailsOf(func(name string) string {
		return map[string]string{operatorVariable: "Ops <ops@beans.example>, boss@beans.example", offVariable: "welcome,first-sale"}[name]
	})
	if err != nil || !slices.Equal(operators, []string{"ops@beans.example", "boss@beans.example"}) || !slices.Equal(off, []mail.Kind{mail.Welcome, mail.FirstSale}) {
		t.Errorf("got %q, %q, error %v", operators, off, err)
	}
}
