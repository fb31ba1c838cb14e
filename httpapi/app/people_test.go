package app

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/mail"
)

// A postbox keeps the mails that are sent.
type postbox struct {
	mu   sync.Mutex
	sent []mail.Mail
}

func (p *postbox) Send(_ context.Context, m mail.Mail) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, m)
	return nil
}

type anyProviders = console.Providers

// noProviders has no payment provider.
type noProviders struct{ anyProviders }

func (noProviders) Providers(context.Context) ([]console.Provider, error) { return nil, nil }

// staffDoor is a door with an owner, an operator and a reader, by mail.
func staffDoor(t *testing.T, change ...func(*settings)) (*door, *postbox) {
	t.Helper()
	d, box := newDoor(t), new(postbox)
	d.restart(box, change...)
	for name, role := range map[string]console.Role{"ada": console.Owner, "bo": console.Operator, "cy": console.Reader} {
		if err := d.staff.AddPerson(t.Context(), console.Person{Email: name + "@beans.example", Name: name, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	return d, box
}

// restart makes the login anew on the same store, as a server does that starts again.
func (d *door) restart(box *postbox, change ...func(*settings)) {
	d.t.Helper()
	programs := []*tributary.Program{d.staff.program}
	pages, err := portal.New(programs[0], portal.Config{Key: []byte(strings.Repeat("k", 32)), NoPayoutForm: true})
	if err != nil {
		d.t.Fatal(err)
	}
	texts, err := mail.ReadTexts("")
	if err != nil {
		d.t.Fatal(err)
	}
	set := settings{texts: texts, now: func() time.Time { return d.now }, mailer: box, url: "https://partners.beans.example", providers: noProviders{}}
	for _, c := range change {
		c(&set)
	}
	d.login, err = newLogin(d.auth, programs, people{program: programs[0], taken: []string{"owner", "desk"}}, pages, set, slog.New(slog.NewTextHandler(&d.log, nil)))
	if err != nil {
		d.t.Fatal(err)
	}
	d.pause = func() {}
}

// settle waits until no mail is being made.
func (d *door) settle() {
	for range mailsAtOnce {
		d.mailing <- struct{}{}
	}
	for range mailsAtOnce {
		<-d.mailing
	}
}

func withCookie(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
}

// ask asks for a link, and returns the cookie of the browser and the mails that came.
func (d *door) ask(box *postbox, email string, change ...func(*http.Request)) (browser string, mails []mail.Mail, w *httptest.ResponseRecorder) {
	d.t.Helper()
	box.sent = nil
	w = d.send("POST", signInPath, "", url.Values{"email": {email}}, append(change, func(r *http.Request) { r.Host = "evil.example" })...)
	for _, c := range w.Result().Cookies() {
		if browser = c.Value; c.Name != askedCookie || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || !c.Secure {
			d.t.Errorf("the cookie %v", c)
		}
	}
	d.settle()
	return browser, box.sent, w
}

var linkIn = regexp.MustCompile(`\nhttps://partners\.beans\.example/console/sign-in\?link=([A-Za-z0-9_-]{43})\n`)

// follow opens the link of a mail in a browser, and returns the session that it begins; empty: none.
func (d *door) follow(m mail.Mail, browser string) (session string) {
	d.t.Helper()
	found := linkIn.FindStringSubmatch(m.Text)
	if found == nil {
		d.t.Fatalf("no link: %q", m.Text)
	}
	for range 2 { // whatever looks into mails may do so first
		if page := d.send("GET", signInPath+"?link="+found[1], "", nil); page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `name="link" value="`+found[1]+`"`) {
			d.t.Fatalf("the link: %d\n%s", page.Code, page.Body)
		}
	}
	w := d.send("POST", signInPath, "", url.Values{"link": {found[1]}}, withCookie(askedCookie, browser))
	for _, c := range w.Result().Cookies() {
		if c.Name == sessionCookie && c.MaxAge == 7*24*60*60 && c.HttpOnly && c.SameSite == http.SameSiteStrictMode {
			session = c.Value
		}
	}
	if (session != "") != (w.Code == http.StatusSeeOther) {
		d.t.Errorf("followed: %d %v", w.Code, w.Header())
	}
	return session
}

// TestPeopleSignIn: a mailed link opens the console once, within 15 minutes, in the browser that
// asked for it, as what the person may do; the session lasts seven days, also when the server starts
// again.
func TestPeopleSignIn(t *testing.T) {
	d, box := staffDoor(t)
	for name, want := range map[string]struct{ has, not string }{
		"ada": {`href="./access"`, "read only"},
		"bo":  {`href="./settings"`, `href="./access"`},
		"cy":  {"read only", `href="./access"`},
	} {
		browser, mails, _ := d.ask(box, " "+strings.ToUpper(name)+"@Beans.example ")
		if len(mails) != 1 || mails[0].To != name+"@beans.example" || mails[0].Unsubscribe != "" {
			t.Fatalf("%s: %+v", name, mails)
		}
		if s := d.follow(mails[0], "another browser"); s != "" {
			t.Errorf("%s: the link works in another browser", name)
		}
		if s := d.follow(mails[0], ""); s != "" {
			t.Errorf("%s: the link works in a browser without a cookie", name)
		}
		session := d.follow(mails[0], browser)
		if s := d.follow(mails[0], browser); s != "" {
			t.Errorf("%s: the link works twice", name)
		}
		d.restart(box)
		page, in := d.in(session)
		if !in || !strings.Contains(page, "<bdi>"+name+"</bdi>") || !strings.Contains(page, want.has) || strings.Contains(page, want.not) {
			t.Errorf("%s sees\n%s", name, page)
		}
		now := d.now
		d.now = now.Add(personSession - time.Second)
		if _, in := d.in(session); !in {
			t.Errorf("%s is out before seven days are over", name)
		}
		d.now = now.Add(personSession)
		if _, in := d.in(session); in {
			t.Errorf("%s is in after seven days", name)
		}
		d.now = now
	}
	browser, mails, _ := d.ask(box, "ada@beans.example")
	d.now = d.now.Add(linkTime)
	if d.follow(mails[0], browser) != "" {
		t.Error("the link works after 15 minutes")
	}
	if strings.Contains(d.log.String(), "@") {
		t.Errorf("the log has an email: %s", d.log.String())
	}
}

// TestPeopleRights: every page and form of the console answers an owner, an operator and a reader as
// the roles say.
func TestPeopleRights(t *testing.T) {
	d, _ := staffDoor(t)
	codes := map[string][]int{}
	for _, name := range []string{"ada", "bo", "cy"} {
		session, err := d.staff.begin(t.Context(), name+"@beans.example", "mail", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"", "affiliates", "settings", "affiliates/new", "settings/edit", "payouts/new", "access", "access/people/new", "access/keys/new", "providers"} {
			for _, method := range []string{"GET", "POST"} {
				if method == "POST" && !strings.Contains(path, "/") {
					continue
				}
				w := d.send(method, consolePath+path, session, url.Values{})
				codes[method+" "+path] = append(codes[method+" "+path], w.Code)
			}
		}
	}
	want := map[string][]int{
		"GET ": {200, 200, 200}, "GET affiliates": {200, 200, 200}, "GET settings": {200, 200, 200},
		"GET affiliates/new": {200, 200, 403}, "GET settings/edit": {200, 200, 403}, "GET payouts/new": {200, 200, 403},
		"POST affiliates/new": {403, 403, 403}, "POST settings/edit": {403, 403, 403}, "POST payouts/new": {403, 403, 403}, // no token
		"GET access": {200, 404, 404}, "GET access/people/new": {200, 404, 403}, "GET access/keys/new": {200, 404, 403},
		"POST access/people/new": {403, 403, 403}, "POST access/keys/new": {403, 403, 403},
		"GET providers": {200, 404, 404},
	}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("owner, operator, reader (-want +got):\n%s", diff)
	}
}

// TestPeopleAreNotTold: who asks with an email learns nothing of it: the answer is the same for an
// email that may not sign in, and for a wrong one.
func TestPeopleAreNotTold(t *testing.T) {
	d, box := staffDoor(t)
	_, _, want := d.ask(box, "ada@beans.example")
	want.Header().Del("Set-Cookie")
	for i, email := range []string{"nobody@beans.example", "ada@beans.example.evil.example", "x", "ada@beans.example\r\nBcc: eve@evil.example", strings.Repeat("x", 300) + "@beans.example", "ключ@beans.example"} {
		_, mails, w := d.ask(box, email, from(fmt.Sprintf("192.0.2.%d:1", i+1)))
		w.Header().Del("Set-Cookie")
		if len(mails) != 0 || w.Code != want.Code || !cmp.Equal(want.Header(), w.Header()) || w.Body.String() != want.Body.String() {
			t.Errorf("%.30q: %d, %d mails\n%s", email, w.Code, len(mails), w.Body)
		}
	}
	for range mailsPerMinute {
		d.ask(box, "x@x.example", from("192.0.2.80:1"))
	}
	if _, mails, w := d.ask(box, "bo@beans.example", from("192.0.2.80:1")); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || len(mails) != 0 {
		t.Errorf("after too many: %d, %d mails", w.Code, len(mails))
	}
	d.now = d.now.Add(linkTime)
	if _, err := d.staff.link(t.Context(), "bo@beans.example", "browser"); err != nil || len(d.links()) != 1 {
		t.Errorf("%d links are kept, %v", len(d.links()), err)
	}
}

// TestPeopleAreNotLockedOut: a stranger who knows an email uses up the links of the stranger's network
// alone; those of many networks fill no mailbox, and keep out no browser in which the person signed in
// before, also when its session is over. Nobody is told.
func TestPeopleAreNotLockedOut(t *testing.T) {
	d, box := staffDoor(t)
	want := ""
	ask := func(from string, change ...func(*http.Request)) int {
		_, mails, w := d.ask(box, "ada@beans.example", append(change, func(r *http.Request) { r.RemoteAddr = from })...)
		if want == "" {
			want = w.Body.String()
		}
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("from %s: %d\n%s", from, w.Code, w.Body)
		}
		return len(mails)
	}
	browser, mails, _ := d.ask(box, "ada@beans.example", from("192.0.2.200:1"))
	if d.follow(mails[0], browser) == "" {
		t.Fatal("she is not in")
	}
	d.now = d.now.Add(personSession + time.Hour)
	sent := 0
	for range 9 { // in browsers of no cookie each
		sent += ask("192.0.2.1:1")
	}
	if sent != linksOfNetwork {
		t.Errorf("a network got %d links", sent)
	}
	if ask("192.0.2.2:1") != 1 {
		t.Error("a stranger has locked her out")
	}
	for i := range 40 {
		sent += ask(fmt.Sprintf("198.51.100.%d:1", i))
	}
	if sent+1 != linksOfMailbox {
		t.Errorf("the mailbox got %d mails", sent+1)
	}
	for i, want := range []int{1, 1, 1, 0} {
		if n := ask("192.0.2.2:1", withCookie(askedCookie, browser)); n != want {
			t.Errorf("her browser, asking for the %d. time, got %d links", i+1, n)
		}
	}
	if _, mails, _ := d.ask(box, "bo@beans.example", from("192.0.2.3:1"), withCookie(askedCookie, browser)); len(mails) != 1 {
		t.Error("somebody else is locked out")
	}
	if known, err := d.staff.signedIn(t.Context(), "bo@beans.example", browser); known || err != nil {
		t.Errorf("her browser is one of bo's: %v", err)
	}
	if strings.Contains(d.log.String(), "@") || !strings.Contains(d.log.String(), "too many were") {
		t.Errorf("the log: %s", d.log.String())
	}
	d.now = d.now.Add(while)
	if ask("198.51.100.1:1") != 1 {
		t.Error("nothing comes after a while")
	}
	d.now = d.now.Add(while - time.Second)
	for i, want := range []int{1, 1, 1, 0} {
		if n := ask("198.51.100.2:1"); n != want {
			t.Errorf("ask %d: %d links", i+1, n)
		}
	}
	d.now = d.now.Add(time.Minute) // a while after the first one
	if ask("198.51.100.2:1") != 0 {
		t.Error("a network got four links in two minutes")
	}
	if err := d.staff.EndSessions(t.Context(), "ada@beans.example", ""); err != nil {
		t.Fatal(err)
	}
	if known, err := d.staff.signedIn(t.Context(), "ada@beans.example", browser); known || err != nil {
		t.Errorf("who is signed out everywhere has a known browser: %v", err)
	}
}

// TestSessions: each session of a person is listed with how it began, when it was seen, to the hour,
// and whether it is that of who asks; one is ended, and the others go on.
func TestSessions(t *testing.T) {
	d, box := staffDoor(t)
	browser, mails, _ := d.ask(box, "ada@beans.example")
	first := d.follow(mails[0], browser)
	d.now = d.now.Add(30 * time.Minute)
	second, err := d.staff.begin(t.Context(), "ada@beans.example", "the first link", "")
	if err != nil {
		t.Fatal(err)
	}
	began := d.now
	d.now = d.now.Add(59 * time.Minute)
	d.in(first)
	d.in(second)
	is := func(session string) console.Session {
		all, err := d.staff.People(context.WithValue(t.Context(), hereKey{}, digestOf(second)))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all[slices.IndexFunc(all, func(p console.Person) bool { return p.Name == "ada" })].Sessions {
			if s.ID == digestOf(session) {
				if (i == 0) != (session == second) {
					t.Error("the newest is not the first")
				}
				return s
			}
		}
		return console.Session{}
	}
	want := []console.Session{{ID: digestOf(first), By: "mail", BeganAt: began.Add(-30 * time.Minute), SeenAt: d.now},
		{ID: digestOf(second), By: "the first link", BeganAt: began, SeenAt: began, Here: true}}
	if diff := cmp.Diff(want, []console.Session{is(first), is(second)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	page := d.send("GET", consolePath+"access", second, nil).Body.String()
	if strings.Count(page, "this one") != 1 || strings.Count(page, "End…</a>") != 2 || strings.Contains(page, first) || strings.Contains(page, second) {
		t.Errorf("the page:\n%s", page)
	}
	form := consolePath + "access/people/sign-out?" + url.Values{"email": {"ada@beans.example"}, "session": {digestOf(first)}}.Encode()
	w := d.send("GET", form, second, nil)
	sent := url.Values{}
	for _, found := range regexp.MustCompile(`name="([a-z]+)" value="([^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
		sent.Set(found[1], html.UnescapeString(found[2]))
	}
	if w := d.send("POST", form, second, sent); w.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if _, in := d.in(first); in || is(first) != (console.Session{}) {
		t.Error("it is not ended")
	}
	if _, in := d.in(second); !in {
		t.Error("the other one is ended")
	}
	if w := d.send("GET", form, second, nil); w.Code != http.StatusNotFound {
		t.Errorf("the form of a session that ended: %d", w.Code)
	}
	_ = d.staff.EndSessions(t.Context(), "bo@beans.example", digestOf(second))
	if _, in := d.in(second); !in {
		t.Error("it is ended as that of somebody else")
	}
}

// TestNamesAreApart: the server does not start with a configured key that has the name of a person or
// of a key of the console, and none of these gets the name of a configured key.
func TestNamesAreApart(t *testing.T) {
	d, _ := staffDoor(t)
	secret, err := d.staff.MakeKey(t.Context(), console.Key{Name: "till"}, "ada")
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"till": false, "shop": true} { // as beside a server that has the name
		auth, err := authorityOf([]tenant{{Program: d.staff.program, shared: []httpapi.Key{{Name: name, Secret: shopKey}}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := auth(t.Context(), secret); (err == nil) != ok || err != nil && !refused(err) {
			t.Errorf("beside a configured %s: %v", name, err)
		}
		if open, err := auth(t.Context(), shopKey); err != nil || open.KeyName != name {
			t.Errorf("the configured key opens %+v, %v", open, err)
		}
	}
	if err := d.staff.AddPerson(t.Context(), console.Person{Email: "x@beans.example", Name: "till", Role: console.Reader}); err == nil {
		t.Error("a person has the name of a key")
	}
	if _, err := d.staff.MakeKey(t.Context(), console.Key{Name: "ada"}, "ada"); err == nil {
		t.Error("a key has the name of a person")
	}
	for name, ok := range map[string]bool{"till": false, "ada": false, "shop": true} {
		staff := staffOf(tenant{Program: d.staff.program, shared: []httpapi.Key{{Name: name, Secret: shopKey}}})
		if err := staff.apart(t.Context()); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), name+": the name") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := staff.MakeKey(t.Context(), console.Key{Name: name}, "ada"); err == nil {
			t.Errorf("a second %s is made", name)
		}
		if err := staff.AddPerson(t.Context(), console.Person{Email: "x@beans.example", Name: name, Role: console.Reader}); err == nil {
			t.Errorf("a person %s is added", name)
		}
	}
}

// links are the links that the store has.
func (d *door) links() map[string]pass {
	open, err := d.staff.passes(d.t.Context(), linkKind)
	if err != nil {
		d.t.Fatal(err)
	}
	return open
}

// TestPeopleGo: who is removed, or signed out, is out at once, everywhere; one owner stays; and who has
// signed out has ended that session only.
func TestPeopleGo(t *testing.T) {
	d, box := staffDoor(t)
	ctx := t.Context()
	begin := func(name string) string {
		session, err := d.staff.begin(ctx, name+"@beans.example", "mail", "")
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	one, two, other := begin("bo"), begin("bo"), begin("ada")
	if w := d.send("POST", signOutPath, one, url.Values{}); w.Code != http.StatusSeeOther {
		t.Fatalf("sign out: %d", w.Code)
	}
	if _, in := d.in(one); in {
		t.Error("signed out, and in")
	}
	if _, in := d.in(two); !in {
		t.Error("another session has ended")
	}
	_, mails, _ := d.ask(box, "bo@beans.example")
	if err := d.staff.EndSessions(ctx, "bo@beans.example", ""); err != nil {
		t.Fatal(err)
	}
	if _, in := d.in(two); in || len(d.links()) != 0 || len(mails) != 1 {
		t.Error("signed out everywhere, and in, or a link is left")
	}
	three := begin("bo")
	if err := d.staff.ChangePerson(ctx, "bo@beans.example", console.Reader); err != nil {
		t.Fatal(err)
	}
	if page, in := d.in(three); !in || !strings.Contains(page, "read only") {
		t.Error("another role does not hold from the next page on")
	}
	if err := d.staff.RemovePerson(ctx, "bo@beans.example"); err != nil {
		t.Fatal(err)
	}
	if _, in := d.in(three); in {
		t.Error("removed, and in")
	}
	if _, in := d.in(other); !in {
		t.Error("somebody else is out")
	}
	for _, err := range []error{d.staff.RemovePerson(ctx, "ada@beans.example"), d.staff.ChangePerson(ctx, "ada@beans.example", console.Operator)} {
		if why, _ := asRefusal(err); why == nil || why.Field != "role" {
			t.Errorf("the last owner: %v", err)
		}
	}
	if err := d.staff.RemovePerson(ctx, "bo@beans.example"); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
	if err := d.staff.AddPerson(ctx, console.Person{Email: "bo@beans.example", Name: "bo", Role: console.Owner}); err != nil {
		t.Fatal(err)
	}
	if _, in := d.in(three); in {
		t.Error("a session from before the removal opens the console again")
	}
}

// TestPeopleLinkAtOnce: of those who use a link at the same time, one is in.
func TestPeopleLinkAtOnce(t *testing.T) {
	d, _ := staffDoor(t)
	secret, err := d.staff.link(t.Context(), "ada@beans.example", "browser")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var begun atomic.Int64
	for range 8 {
		all.Go(func() {
			if _, ok, err := d.staff.use(t.Context(), secret, "browser"); err != nil {
				t.Error(err)
			} else if ok {
				begun.Add(1)
			}
		})
	}
	all.Wait()
	if begun.Load() != 1 {
		t.Errorf("%d sessions", begun.Load())
	}
}

// TestPeopleOwnersAtOnce: of two owners who take each other's role away at the same moment one stays.
func TestPeopleOwnersAtOnce(t *testing.T) {
	d, _ := staffDoor(t)
	ctx := t.Context()
	if err := d.staff.ChangePerson(ctx, "bo@beans.example", console.Owner); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		var all sync.WaitGroup
		for _, email := range []string{"ada@beans.example", "bo@beans.example"} {
			all.Go(func() { _ = d.staff.ChangePerson(ctx, email, console.Reader) })
		}
		all.Wait()
		owners := 0
		for _, email := range []string{"ada@beans.example", "bo@beans.example"} {
			one, _, err := d.staff.known(ctx, email)
			if err != nil {
				t.Fatal(err)
			}
			if one.Role == console.Owner {
				owners++
			}
			if err := d.staff.ChangePerson(ctx, email, console.Owner); err != nil {
				t.Fatal(err)
			}
		}
		if owners == 0 {
			t.Fatal("no owner is left")
		}
	}
}

// TestPeopleAskAgain: the browser that asks again has the cookie for as long as the new link works.
func TestPeopleAskAgain(t *testing.T) {
	d, box := staffDoor(t)
	browser, _, _ := d.ask(box, "ada@beans.example")
	d.now = d.now.Add(14 * time.Minute)
	again, mails, _ := d.ask(box, "ada@beans.example", withCookie(askedCookie, browser))
	if again != browser || d.follow(mails[0], browser) == "" {
		t.Errorf("the cookie was %q and is %q", browser, again)
	}
}

// TestPeopleRefused: who cannot be told apart, or reached, is not added.
func TestPeopleRefused(t *testing.T) {
	d, _ := staffDoor(t)
	for _, tt := range []struct{ email, name, role, field string }{
		{"x", "x", "OWNER", "email"}, {"", "x", "OWNER", "email"}, {"ADA@beans.example", "x", "OWNER", "email"},
		{"x@beans.example", "", "OWNER", "name"}, {"x@beans.example", "a b", "OWNER", "name"}, {"x@beans.example", "ada", "OWNER", "name"}, {"x@beans.example", "desk", "OWNER", "name"},
		{"x@beans.example", "x", "ROOT", "role"}, {"x@beans.example", "x", "", "role"},
	} {
		err := d.staff.AddPerson(t.Context(), console.Person{Email: tt.email, Name: tt.name, Role: console.Role(tt.role)})
		if why, _ := asRefusal(err); why == nil || why.Field != tt.field {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if all, err := d.staff.People(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("%d people, %v", len(all), err)
	}
	if _, err := d.staff.MakeKey(t.Context(), console.Key{Name: "owner"}, "ada"); err == nil {
		t.Error("a key has the name of one of the configuration")
	}
}

// TestStoredKeyOpens: a key that was made in the console opens the API and the console until it is
// revoked, and -no-key-sign-in closes the console to all keys.
func TestStoredKeyOpens(t *testing.T) {
	d, box := staffDoor(t)
	auth, err := authorityOf([]tenant{{Program: d.staff.program, key: fullKey}})
	if err != nil {
		t.Fatal(err)
	}
	d.auth = auth
	secret, err := d.staff.MakeKey(t.Context(), console.Key{Name: "till"}, "ada")
	if err != nil {
		t.Fatal(err)
	}
	if access, err := auth(t.Context(), secret); err != nil || access.KeyName != "till" {
		t.Errorf("it opens %+v, %v", access, err)
	}
	d.enterWith(secret)
	d.restart(box, func(s *settings) { s.noKeys = true })
	if w := d.try(fullKey); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), `name="key"`) || !strings.Contains(w.Body.String(), `name="email"`) {
		t.Errorf("a key opens the console: %d\n%s", w.Code, w.Body)
	}
	if err := d.staff.RevokeKey(t.Context(), "till"); err != nil {
		t.Fatal(err)
	}
	if _, err := auth(t.Context(), secret); err == nil || !refused(err) {
		t.Errorf("revoked: %v", err)
	}
}

// TestLinkLimitOfTwo: two servers on a store count the links of a mailbox together, and what is over goes.
func TestLinkLimitOfTwo(t *testing.T) {
	d, _ := beginDoor(t)
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	one, two := newLinkLimit(d.staff.program, func() time.Time { return now }), newLinkLimit(d.staff.program, func() time.Time { return now })
	ask := func(l linkLimit, mailbox, from string, want bool) {
		t.Helper()
		if lets, err := l.lets(t.Context(), mailbox, netip.MustParsePrefix(from), false); lets != want || err != nil {
			t.Errorf("%v, %v, want %v", lets, err, want)
		}
	}
	for range linksOfNetwork - 1 {
		ask(one, "ada", "192.0.2.0/24", true)
	}
	ask(two, "ada", "192.0.2.0/24", true)
	ask(one, "ada", "192.0.2.0/24", false)
	ask(one, "ada", "198.51.100.0/24", true)
	now = now.Add(while)
	ask(two, "bo", "192.0.2.0/24", true)
	kept := 0
	for _, err := range one.sent.All(t.Context()) {
		if kept++; err != nil {
			t.Fatal(err)
		}
	}
	if kept != 1 {
		t.Errorf("%d mailboxes are kept", kept)
	}
	ask(one, "ada", "192.0.2.0/24", true)
}

// TestServerSteps: links that lead to the page of the server, and mails that do not go out, are steps
// to take.
func TestServerSteps(t *testing.T) {
	d, _ := beginDoor(t)
	ctx, p := t.Context(), d.staff.program
	done := func(set settings) (all [2]bool) {
		t.Helper()
		steps, err := set.steps(ctx, p)
		if err != nil || len(steps) != 2 {
			t.Fatalf("%+v, %v", steps, err)
		}
		return [2]bool{steps[0].Done, steps[1].Done}
	}
	set := settings{base: "https://partners.beans.example"}
	if _, err := p.UpdateSettings(ctx, affiliate.SettingsUpdate{Destinations: affiliate.Set([]string{"http://127.0.0.1:8080/"})}); err != nil {
		t.Fatal(err)
	}
	if got := done(set); got != [2]bool{} {
		t.Errorf("as the server begins it: %v", got)
	}
	if got := done(settings{base: set.base, destinations: []string{"https://beans.example"}}); got != [2]bool{true, false} {
		t.Errorf("with a flag: %v", got)
	}
	for _, page := range []string{set.base + "/", "https://beans.example/"} {
		if _, err := p.UpdateSettings(ctx, affiliate.SettingsUpdate{Destinations: affiliate.Set([]string{page})}); err != nil {
			t.Fatal(err)
		}
		if got := done(set); got[0] != (page != set.base+"/") {
			t.Errorf("%s: %v", page, got)
		}
	}
	set.lasts = true
	for _, made := range []bool{false, true} {
		if steps, err := set.steps(ctx, p); err != nil || len(steps) != 3 || steps[2].Done != made {
			t.Errorf("a copy is made: %v, %+v, %v", made, steps, err)
		}
		if err := NoteCopy(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	set.lasts = false
	set.mailer = new(postbox)
	if got := done(set); got[1] {
		t.Error("mails go out without a beginning of links")
	}
	set.url = set.base
	if got := done(set); got != [2]bool{true, true} {
		t.Errorf("at last: %v", got)
	}
	d.restart(new(postbox), func(s *settings) { s.base = set.base })
	if err := d.staff.AddPerson(ctx, console.Person{Email: "ada@beans.example", Name: "ada", Role: console.Owner}); err != nil {
		t.Fatal(err)
	}
	session, err := d.staff.begin(ctx, "ada@beans.example", "mail", "")
	if err != nil {
		t.Fatal(err)
	}
	if page, _ := d.in(session); !strings.Contains(page, "Let mails go out") {
		t.Errorf("the overview does not say it:\n%s", page)
	}
}
