package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// An accessBook has two people and a key, and writes down what is asked of it.
type accessBook struct {
	asked []string
	wrong error
}

func (b *accessBook) note(format string, args ...any) error {
	if b.wrong == nil {
		b.asked = append(b.asked, fmt.Sprintf(format, args...))
	}
	return b.wrong
}

func (b *accessBook) People(context.Context) ([]console.Person, error) {
	return []console.Person{
		{Email: "ada@beans.example", Name: "ada", Role: console.Owner, SignedInAt: start, Sessions: []console.Session{{ID: "one", By: "mail", BeganAt: start, SeenAt: start}, {ID: "two", By: "OpenID Connect", BeganAt: start, SeenAt: start, Here: true}}},
		{Email: "a+b&c=d@beans.example", Name: "kim", Role: console.Reader},
	}, nil
}

func (b *accessBook) Keys(context.Context) ([]console.Key, error) {
	return []console.Key{{Name: "shop", Scope: "integration", Hint: "wxyz", MadeBy: "ada", MadeAt: start}}, nil
}

func (b *accessBook) AddPerson(_ context.Context, p console.Person) error {
	return b.note("add %s %s %s", p.Email, p.Name, p.Role)
}

func (b *accessBook) ChangePerson(_ context.Context, email string, role console.Role) error {
	return b.note("change %s %s", email, role)
}

func (b *accessBook) RemovePerson(_ context.Context, email string) error {
	return b.note("remove %s", email)
}

func (b *accessBook) EndSessions(_ context.Context, email, id string) error {
	return b.note("end %s %q", email, id)
}

func (b *accessBook) MakeKey(_ context.Context, k console.Key, by string) (string, error) {
	return "tributary_secret", b.note("make %s %s by %s", k.Name, k.Scope, by)
}

func (b *accessBook) RevokeKey(_ context.Context, name string) error {
	return b.note("revoke %s", name)
}

func accessWorld(t *testing.T, change ...func(*tributary.Config, *console.Config)) (*world, *accessBook) {
	b := new(accessBook)
	return newWorld(t, append(change, func(_ *tributary.Config, c *console.Config) {
		c.Access = func(*tributary.Program) console.Access { return b }
	})...), b
}

// TestAccess: the forms do what they say, the log names who did it and about whom, without an email
// or a secret, and a key is shown once.
func TestAccess(t *testing.T) {
	w, book := accessWorld(t)
	kim := "?email=a%2Bb%26c%3Dd%40beans.example"
	for _, tt := range []struct {
		path, asked, line string
		fields            []string
	}{
		{"access/people/new", "add eva@beans.example eva OPERATOR", "action=people.add object=person:eva",
			[]string{"email", "eva@beans.example", "name", "eva", "role", "OPERATOR"}},
		{"access/people/role" + kim, "change a+b&c=d@beans.example OWNER", "action=people.change object=person:kim", []string{"role", "OWNER"}},
		{"access/people/remove" + kim, "remove a+b&c=d@beans.example", "action=people.remove object=person:kim", nil},
		{"access/people/sign-out?email=ada%40beans.example", `end ada@beans.example ""`, "action=people.sign-out object=person:ada", nil},
		{"access/people/sign-out?email=ada%40beans.example&session=two", `end ada@beans.example "two"`, "action=people.sign-out object=person:ada", nil},
		{"access/keys/new", "make desk read by ops", "action=keys.make object=key:desk", []string{"name", "desk", "scope", "read"}},
		{"access/keys/revoke?key=shop", "revoke shop", "action=keys.revoke object=key:shop", nil},
	} {
		book.asked = nil
		w.log.reset()
		page := w.send(tt.path, w.form(tt.path, tt.fields...))
		if made := strings.HasPrefix(tt.asked, "make"); made != (page.status == http.StatusOK) || made != strings.Contains(page.body, `value="tributary_secret"`) ||
			!made && page.head.Get("Location") == "" {
			t.Errorf("%s: %d to %q\n%s", tt.path, page.status, page.head.Get("Location"), page.body)
		}
		if diff := cmp.Diff([]string{tt.asked}, book.asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.path, diff)
		}
		log := strings.Join(w.log.actions(), "\n")
		if !strings.Contains(log, "actor=ops "+tt.line+" ") || strings.Contains(log, "@") || strings.Contains(log, "tributary_secret") {
			t.Errorf("%s: the log has %s", tt.path, log)
		}
		book.wrong = &affiliate.Error{Kind: affiliate.KindInvalid, Field: "name", Message: "name is not wanted"}
		if page := w.send(tt.path, w.form(tt.path, tt.fields...)); page.status != http.StatusBadRequest && page.status != http.StatusUnprocessableEntity ||
			!strings.Contains(page.body, "is not wanted") {
			t.Errorf("%s refused: %d\n%s", tt.path, page.status, page.body)
		}
		book.wrong = nil
	}
	page := w.get("access").body
	if strings.Contains(page, `class="when"></td>`) || strings.Count(page, "10 Mar 2026, 09:00") != 6 {
		t.Errorf("the page has no times:\n%s", page)
	}
	for _, want := range []string{`href="access/people/role?email=a%2bb%26c%3dd%40beans.example"`, "wxyz", "never", "Access</a>", "OpenID Connect", `this one</span>`, `sign-out?email=ada%40beans.example&amp;session=two`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	for _, path := range []string{"access/people/role?email=nobody%40beans.example", "access/people/role", "access/people/sign-out?email=ada%40beans.example&session=three", "access/keys/revoke?key=none"} {
		if page := w.get(path); page.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, page.status)
		}
	}
}

// TestAccessIsClosed: without Access there is no page of it, and a reader has no form.
func TestAccessIsClosed(t *testing.T) {
	w := newWorld(t)
	if strings.Contains(w.get("").body, "Access</a>") {
		t.Error("the navigation leads to it")
	}
	for _, path := range []string{"access", "access/people/new", "access/keys/new"} {
		if page := w.get(path); page.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, page.status)
		}
	}
	reader, _ := accessWorld(t, func(_ *tributary.Config, c *console.Config) { c.ReadOnly = true })
	if page := reader.get("access").body; strings.Contains(page, "…</a>") {
		t.Errorf("a reader has forms:\n%s", page)
	}
	if page := reader.get("access/keys/new"); page.status != http.StatusForbidden {
		t.Errorf("a reader's form: %d", page.status)
	}
}
