package app

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/memstore"
)

// beginDoor is a login to a program that was not begun, and its beginning.
func beginDoor(t *testing.T) (*door, *beginning) {
	t.Helper()
	d := newDoor(t)
	p, err := tributary.New(memstore.New(), tributary.Config{ID: uuid.Max, StoredSettings: true, Now: d.staff.program.Config().Now})
	if err != nil {
		t.Fatal(err)
	}
	d.staff.program = p
	if d.auth, err = authorityOf([]tenant{{Program: p}}); err != nil {
		t.Fatal(err)
	}
	d.restart(new(postbox))
	return d, d.beginning()
}

func (d *door) beginning() *beginning {
	d.t.Helper()
	b, err := newBeginning(d.t.Context(), tenant{Program: d.staff.program}, d.login)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (b *beginning) send(method string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, beginPath+"?"+form.Encode(), nil)
	if method == http.MethodPost {
		r = httptest.NewRequest(method, beginPath, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// answers are those to the questions, with some changed: name, value …
func (b *beginning) answers(change ...string) url.Values {
	form := url.Values{"token": {b.token}, "name": {"Beans"}, "currency": {"EUR"}, "timeZone": {"Europe/Berlin"},
		"destinations": {"https://beans.example/"}, "commissionRate": {"12.5"}, "email": {"Ada.Lovelace+x@Beans.example"}}
	for i := 0; i+1 < len(change); i += 2 {
		form.Set(change[i], change[i+1])
	}
	return form
}

// TestBegin: the link makes the program, signs its owner in and shows the first key, once. From then
// on there is no such link.
func TestBegin(t *testing.T) {
	d, b := beginDoor(t)
	if at := b.at("https://partners.beans.example"); at != "https://partners.beans.example/console/begin?token="+b.token {
		t.Errorf("the link is %s", at)
	}
	if page := b.send("GET", url.Values{"token": {b.token}}); page.Code != http.StatusOK || strings.Count(page.Body.String(), "required") != len(beginFields) {
		t.Fatalf("the form: %d\n%s", page.Code, page.Body)
	}
	w := b.send("POST", b.answers())
	key := regexp.MustCompile(`tributary_[0-9A-Za-z]{43}`).FindString(w.Body.String())
	if w.Code != http.StatusOK || key == "" {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	is, err := d.staff.program.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := []any{is.Name, is.Currency, is.TimeZone, is.Destinations[0].URL, is.Terms.CommissionRate.String(), is.UpdatedBy.Or("")}
	if diff := cmp.Diff([]any{"Beans", affiliate.Currency("EUR"), "Europe/Berlin", "https://beans.example/", "12.5", "Ada.Lovelace-x"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if access, err := d.auth(t.Context(), key); err != nil || access.Scope != httpapi.ScopeFull {
		t.Errorf("the key opens %+v, %v", access, err)
	}
	if page, in := d.in(w.Result().Cookies()[0].Value); !in || !strings.Contains(page, "<bdi>Ada.Lovelace-x</bdi>") || !strings.Contains(page, "Access</a>") {
		t.Errorf("the owner sees\n%s", page)
	}
	if again := b.send("POST", b.answers("name", "Other")); again.Code != http.StatusForbidden || strings.Contains(again.Body.String(), "tributary_") {
		t.Errorf("again: %d\n%s", again.Code, again.Body)
	}
	if d.beginning() != nil {
		t.Error("there is a link for a program that somebody can sign in to")
	}
}

// TestBeginRefused: without the token nothing is shown or done; a wrong answer is shown at its
// question with the others kept, and can be sent again.
func TestBeginRefused(t *testing.T) {
	d, b := beginDoor(t)
	for _, token := range []string{"", "x", b.token[:42], b.token + "x"} {
		for _, method := range []string{"GET", "POST"} {
			if w := b.send(method, b.answers("token", token)); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "<form") || len(w.Result().Cookies()) > 0 {
				t.Errorf("%s with %q: %d\n%s", method, token, w.Code, w.Body)
			}
		}
	}
	for field, value := range map[string]string{"name": " ", "currency": "EURO", "timeZone": "Berlin", "destinations": "beans.example", "commissionRate": "a fifth", "email": "ada"} {
		w := b.send("POST", b.answers(field, value))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `name="`+field+`"`) ||
			!regexp.MustCompile(`name="`+field+`"[^>]*aria-invalid="true"`).MatchString(w.Body.String()) || strings.Count(w.Body.String(), "aria-invalid") != 1 ||
			regexp.MustCompile(`role="alert">(name|currency|timeZone|destinations|commissionRate|email) `).MatchString(w.Body.String()) {
			t.Errorf("%s: %d\n%s", field, w.Code, w.Body)
		}
	}
	if w := b.send("POST", b.answers("timeZone", "Berlin")); !strings.Contains(w.Body.String(), `role="alert">“Time zone” must be the name of an IANA time zone`) {
		t.Errorf("the label is not named: %s", w.Body)
	}
	if w := b.send("POST", b.answers("commissionRate", "101")); w.Code != http.StatusBadRequest {
		t.Errorf("101 %%: %d", w.Code)
	}
	if people, err := d.staff.People(t.Context()); err != nil || len(people) != 0 {
		t.Errorf("%d people, %v", len(people), err)
	}
	if w := b.send("POST", b.answers()); w.Code != http.StatusOK {
		t.Errorf("at last: %d\n%s", w.Code, w.Body)
	}
}

// TestBeginOnce: of two servers on one store one begins, and the other changes nothing; what broke off is
// done again by the same owner, and shown what is there.
func TestBeginOnce(t *testing.T) {
	d, b := beginDoor(t)
	other := d.beginning()
	if err := d.staff.AddPerson(t.Context(), console.Person{Email: "ada.lovelace+x@beans.example", Name: "Ada.Lovelace-x", Role: console.Owner}); err != nil {
		t.Fatal(err)
	}
	if b := d.beginning(); b == nil {
		t.Fatal("a beginning that broke off leaves nobody who can sign in")
	}
	if w := other.send("POST", other.answers("email", "eve@evil.example", "name", "Evil")); w.Code == http.StatusOK || len(w.Result().Cookies()) > 0 {
		t.Errorf("somebody else: %d\n%s", w.Code, w.Body)
	}
	if w := b.send("POST", b.answers("commissionRate", "7")); w.Code != http.StatusOK {
		t.Fatalf("the owner again: %d\n%s", w.Code, w.Body)
	}
	for _, change := range [][]string{{"email", "eve@evil.example"}, {}} {
		if w := other.send("POST", other.answers(append(change, "name", "Evil")...)); w.Code == http.StatusOK || len(w.Result().Cookies()) > 0 {
			t.Errorf("a second beginning: %d\n%s", w.Code, w.Body)
		}
	}
	if is, err := d.staff.program.Settings(t.Context()); err != nil || is.Name != "Beans" {
		t.Errorf("the program is %q, %v", is.Name, err)
	}
	if people, err := d.staff.People(t.Context()); err != nil || len(people) != 1 {
		t.Errorf("%d people, %v", len(people), err)
	}
	if _, err := d.staff.program.UpdateSettings(t.Context(), affiliate.SettingsUpdate{Name: affiliate.Set("Beans & Co")}); err != nil {
		t.Fatal(err)
	}
	if page := other.send("GET", url.Values{"token": {other.token}}); !strings.Contains(page.Body.String(), `value="Beans &amp; Co"`) || !strings.Contains(page.Body.String(), `value="7"`) {
		t.Errorf("the form does not show what is there:\n%s", page.Body)
	}
}

// TestBeginIsForNobodyElse: there is no link when a key opens the program, of the configuration or of
// the store.
func TestBeginIsForNobodyElse(t *testing.T) {
	d, _ := beginDoor(t)
	defer func() {
		if _, err := httpapi.KeysOf(d.staff.program).Make(t.Context(), httpapi.Key{Name: "till"}, ""); err != nil || d.beginning() != nil {
			t.Errorf("a stored key opens it, and there is a link: %v", err)
		}
	}()
	for _, one := range []tenant{{Program: d.staff.program, key: fullKey}, {Program: d.staff.program, shared: []httpapi.Key{{Secret: readKey, Scope: httpapi.ScopeRead}}}} {
		if b, err := newBeginning(t.Context(), one, d.login); b != nil || err != nil {
			t.Errorf("%v, %v", b, err)
		}
	}
}
