package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Access is who may use a program, kept by the host: the people who sign in to the console, and the
// keys of the API. The log of the console names who did what. Errors that are an [*affiliate.Error] are shown; its Field is
// the JSON name of a field of Person or Key.
type Access interface {
	People(context.Context) ([]Person, error)
	AddPerson(context.Context, Person) error
	ChangePerson(ctx context.Context, email string, role Role) error
	RemovePerson(ctx context.Context, email string) error    // ends their sessions
	EndSessions(ctx context.Context, email, id string) error // empty: all of the person

	Keys(context.Context) ([]Key, error)
	MakeKey(ctx context.Context, k Key, by string) (secret string, err error)
	RevokeKey(ctx context.Context, name string) error
}

// A Person may sign in.
type Person struct {
	Email      string    `json:"email"`
	Name       string    `json:"name"` // stands in logs and events for the person
	Role       Role      `json:"role"`
	SignedInAt time.Time `json:"signedInAt,omitzero"` // the last time; zero: never
	Sessions   []Session `json:"-"`                   // that are open
}

// A Session is one sign-in of a person.
type Session struct {
	ID      string // opens nothing
	By      string // how it began, such as mail
	BeganAt time.Time
	SeenAt  time.Time // the last time, to the hour
	Here    bool      // it is that of who asks
}

// A Role says what a person may do.
type Role string

// The roles.
const (
	Owner    Role = "OWNER"    // everything
	Operator Role = "OPERATOR" // everything but people, keys and payment providers
	Reader   Role = "READER"   // to look
)

// Roles returns the roles.
func Roles() []Role { return []Role{Owner, Operator, Reader} }

// A Key is a key of the API, without its secret.
type Key struct {
	Name       string    `json:"name"`
	Scope      string    `json:"scope"`
	Hint       string    `json:"hint"` // the end of the secret
	MadeBy     string    `json:"madeBy"`
	MadeAt     time.Time `json:"madeAt,omitzero"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
	ExpiresAt  time.Time `json:"expiresAt,omitzero"`
}

type accessSheet struct {
	People []Person
	Keys   []Key
}

// SignedIn reports whether somebody is.
func (s *accessSheet) SignedIn() bool {
	return slices.ContainsFunc(s.People, func(p Person) bool { return len(p.Sessions) > 0 })
}

// kept returns what the host keeps for the program; for those who may not see it there is no page of it.
func kept[T any](v *visit, of func(*tributary.Program) T) (is T, err error) {
	if of == nil {
		return is, affiliate.ErrNotFound
	}
	return of(v.program), nil
}

// doKept does something with what the host keeps, unless the form is outdated.
func doKept[T any](find func(*visit) (T, error), to func(T) string, work func(*visit, T, *input) error) doer {
	return func(v *visit, _ *tributary.Program, in *input) (string, error) {
		is, err := find(v)
		if err == nil && v.once.Refused != nil {
			err = v.once.Refused
		}
		if err == nil {
			err = work(v, is, in)
		}
		return to(is), err
	}
}

func (v *visit) access() (Access, error) { return kept(v, v.cfg.Access) }

// accessTo is access for a form about a key or a person of the query, which logs then name.
func (v *visit) accessTo() (Access, error) {
	a, err := v.access()
	if key := v.query.Get(paramKey); key != "" {
		v.objects = []string{key}
	}
	if err == nil && v.query.Get(paramEmail) != "" {
		var p Person
		p, err = v.person(a)
		v.objects = []string{p.Name} // no email
	}
	return a, err
}

func accessPage(v *visit) (view, error) {
	a, err := v.access()
	if err != nil {
		return view{}, err
	}
	people, err := a.People(v.Ctx())
	if err != nil {
		return view{}, err
	}
	keys, err := a.Keys(v.Ctx())
	return view{title: "Access", template: "access", Data: &accessSheet{people, keys}}, err
}

// Moment returns when something was, or that it never was.
func (v *view) Moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return v.When(t)
}

// doAccess does something with who may use the program.
func doAccess(work func(*visit, Access, *input) error) doer {
	return doKept((*visit).accessTo, func(Access) string { return "access" }, work)
}

// accessForm is a form of the page of who may use the program.
func accessForm(fill func(*visit, Access) (form, error)) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		a, err := v.access()
		if err != nil {
			return form{}, err
		}
		f, err := fill(v, a)
		f.Back = "access"
		return f, err
	}
}

var rolesOffered = []option{
	{string(Reader), "Reader: looks, and changes nothing"},
	{string(Operator), "Operator: everything but people, keys and payment providers"}, {string(Owner), "Owner: everything"},
}

var newPerson = &action{
	name: "people.add", object: "person", done: "The person was added.", names: "name",
	form: accessForm(func(*visit, Access) (form, error) {
		return form{Title: "Add a person", Button: "Add",
			Effects: []string{"Tell them the address of this console: on its page they ask for a link by mail. Nothing is sent to them now."},
			Fields: []field{
				{Name: "email", Label: "Email", Type: "email", Required: true},
				{Name: "name", Label: "Name in logs and events", Required: true,
					Hint: "Of the characters A to Z, a to z, 0 to 9, ., _ and -, such as ada."},
				{Name: "role", Label: "Role", Required: true, Options: rolesOffered},
			}}, nil
	}),
	do: doAccess(func(v *visit, a Access, in *input) error {
		p := Person{Email: in.text("email"), Name: in.text("name"), Role: Role(in.text("role"))}
		return a.AddPerson(v.Ctx(), p)
	}),
}

// person returns the person whom the query names.
func (v *visit) person(a Access) (Person, error) {
	all, err := a.People(v.Ctx())
	i := slices.IndexFunc(all, func(p Person) bool { return p.Email == v.query.Get(paramEmail) })
	if err != nil || i < 0 {
		return Person{}, cmp.Or(err, affiliate.ErrNotFound)
	}
	return all[i], nil
}

const (
	paramEmail   = "email"
	paramSession = "session"
)

var editPerson = &action{
	name: "people.change", object: "person", done: "The role was changed.",
	form: accessForm(func(v *visit, a Access) (form, error) {
		p, err := v.person(a)
		return form{Title: "The role of " + page.Named(p.Email), Button: "Save", Edits: true,
			Effects: []string{"It holds from their next page on."},
			Fields:  []field{{Name: "role", Label: "Role", Required: true, Options: rolesOffered, Value: string(p.Role)}}}, err
	}),
	do: doAccess(func(v *visit, a Access, in *input) error {
		return a.ChangePerson(v.Ctx(), v.query.Get(paramEmail), Role(in.text("role")))
	}),
}

var removePerson = &action{
	name: "people.remove", object: "person", done: "The person was removed.",
	form: accessForm(func(v *visit, a Access) (form, error) {
		p, err := v.person(a)
		return form{Title: "Remove " + page.Named(p.Email), Button: "Remove", Danger: true,
			Effects: []string{"They are signed out everywhere, and cannot sign in again. What they did keeps their name."}}, err
	}),
	do: doAccess(func(v *visit, a Access, _ *input) error {
		return a.RemovePerson(v.Ctx(), v.query.Get(paramEmail))
	}),
}

var signOutPerson = &action{
	name: "people.sign-out", object: "person", done: "The sessions were ended.",
	form: accessForm(func(v *visit, a Access) (form, error) {
		p, err := v.person(a)
		f := form{Title: "Sign out " + page.Named(p.Email), Button: "Sign out everywhere",
			Effects: []string{"It ends " + several(len(p.Sessions), "session") + ", and the links that were mailed."}}
		if id := v.query.Get(paramSession); id != "" && err == nil {
			i := slices.IndexFunc(p.Sessions, func(s Session) bool { return s.ID == id })
			if i < 0 {
				return form{}, affiliate.ErrNotFound
			}
			f.Button, f.Effects = "End the session", []string{"It ends the session of " + v.When(p.Sessions[i].BeganAt) + "."}
		}
		return f, err
	}),
	do: doAccess(func(v *visit, a Access, _ *input) error {
		return a.EndSessions(v.Ctx(), v.query.Get(paramEmail), v.query.Get(paramSession))
	}),
}

var newKey = &action{
	name: "keys.make", object: "key", done: "The key was made.", names: "name",
	form: accessForm(func(*visit, Access) (form, error) {
		return form{Title: "Make a key of the API", Button: "Make",
			Effects: []string{"It is shown once, on the next page."},
			Fields: []field{
				{Name: "name", Label: "Name", Required: true,
					Hint: "Of the characters A to Z, a to z, 0 to 9, ., _ and -. It stands in logs and events for the key."},
				{Name: "scope", Label: "It may", Required: true, Options: []option{
					{"integration", "do what a shop needs: no payouts and no webhooks"},
					{"read", "read"}, {"propose", "read, and propose what a person decides: for an assistant"}, {"full", "do everything"}}},
			}}, nil
	}),
	do: doAccess(func(v *visit, a Access, in *input) error {
		k := Key{Name: in.text("name"), Scope: in.text("scope")}
		secret, err := a.MakeKey(v.Ctx(), k, v.actor)
		if err == nil {
			v.answered = &view{title: "The new key", template: "key", Data: secret}
		}
		return err
	}),
}

var revokeKey = &action{
	name: "keys.revoke", object: "key", done: "The key was revoked.",
	form: accessForm(func(v *visit, a Access) (form, error) {
		all, err := a.Keys(v.Ctx())
		name := v.query.Get(paramKey)
		if !slices.ContainsFunc(all, func(k Key) bool { return k.Name == name }) {
			return form{}, cmp.Or(err, affiliate.ErrNotFound)
		}
		return form{Title: "Revoke the key " + page.Named(name), Button: "Revoke", Danger: true,
			Effects: []string{"Whoever sends it is refused from the next request on."}}, err
	}),
	do: doAccess(func(v *visit, a Access, _ *input) error {
		return a.RevokeKey(v.Ctx(), v.query.Get(paramKey))
	}),
}

const paramKey = "key"
