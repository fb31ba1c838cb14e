package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
)

// people are those who may sign in to the console of a program, their sessions and their links. The
// store keeps them: a link or a session is there under a digest, so that who reads the store signs
// in with nothing.
type people struct {
	program *tributary.Program
	taken   []string // names of keys that the configuration has
}

// The kinds of values.
const (
	personKind  = "server-person"
	sessionKind = "server-session"
	linkKind    = "server-link"
)

const (
	personSession = 7 * 24 * time.Hour
	linkTime      = 15 * time.Minute
	linksAtOnce   = 3  // of a person, in a browser
	linksOfPerson = 12 // in all browsers
)

// A pass is what a link or a session is for, until a time.
type pass struct {
	Email   string    `json:"email"`
	Until   time.Time `json:"until"`
	Browser string    `json:"browser,omitzero"` // of a link: the digest of the cookie of the browser that asked
}

func (p people) now() time.Time { return p.program.Config().Now() }

// secret returns a text that nobody guesses.
func (p people) secret() (string, error) {
	var raw [32]byte
	_, err := io.ReadFull(p.program.Config().Rand, raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:]), err
}

func digestOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// set replaces a value by another.
func (p people) set(ctx context.Context, kind, name string, value any) error {
	return p.program.Values(kind).Change(ctx, name, func(json.RawMessage) (json.RawMessage, error) { return json.Marshal(value) })
}

// drop deletes a value, if there is one.
func (p people) drop(ctx context.Context, kind, name string) error {
	return p.program.Values(kind).Change(ctx, name, func(json.RawMessage) (json.RawMessage, error) { return nil, nil })
}

// find returns what a kind has under a name.
func find[T any](ctx context.Context, p people, kind, name string) (v T, found bool, err error) {
	kept, err := p.program.Values(kind).Get(ctx, name)
	if errors.Is(err, affiliate.ErrNotFound) {
		return v, false, nil
	}
	if err == nil {
		err = json.Unmarshal(kept.Value, &v)
	}
	return v, err == nil, err
}

// passes returns the links or sessions that are open, and deletes those that are over.
func (p people) passes(ctx context.Context, kind string) (open map[string]pass, err error) {
	open = map[string]pass{}
	for v, err := range p.program.Values(kind).All(ctx) {
		var one pass
		if err == nil {
			err = json.Unmarshal(v.Value, &one)
		}
		if err == nil && !p.now().Before(one.Until) {
			err = p.drop(ctx, kind, v.Name)
		} else if err == nil {
			open[v.Name] = one
		}
		if err != nil {
			return nil, err
		}
	}
	return open, nil
}

// known returns the person of an email, in any letter case.
func (p people) known(ctx context.Context, email string) (console.Person, bool, error) {
	name := strings.ToLower(strings.TrimSpace(email))
	if !emailName(name) {
		return console.Person{}, false, nil
	}
	return find[console.Person](ctx, p, personKind, name)
}

// emailName reports whether a text can name a value, and looks like an email.
func emailName(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// People returns who may sign in.
func (p people) People(ctx context.Context) (all []console.Person, err error) {
	open, err := p.passes(ctx, sessionKind)
	if err != nil {
		return nil, err
	}
	for v, err := range p.program.Values(personKind).All(ctx) {
		var one console.Person
		if err == nil {
			err = json.Unmarshal(v.Value, &one)
		}
		if err != nil {
			return nil, err
		}
		for _, s := range open {
			if s.Email == one.Email {
				one.Sessions++
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// AddPerson adds somebody who may sign in.
func (p people) AddPerson(ctx context.Context, one console.Person, _ string) error {
	all, err := p.People(ctx)
	if err != nil {
		return err
	}
	keys, err := p.Keys(ctx)
	if err != nil {
		return err
	}
	one.Email = strings.ToLower(strings.TrimSpace(one.Email))
	same := func(other console.Person) bool { return other.Name == one.Name }
	isKey := func(key console.Key) bool { return key.Name == one.Name }
	switch {
	case !emailName(one.Email):
		return wrong("email", "email must be an email address of visible ASCII characters")
	case !validName(one.Name):
		return wrong("name", "name must be 1 to 64 of the characters A to Z, a to z, 0 to 9, ., _ and -")
	case slices.ContainsFunc(all, same) || slices.ContainsFunc(keys, isKey) || slices.Contains(p.taken, one.Name):
		return wrong("name", "name is taken")
	case !slices.Contains(console.Roles(), one.Role):
		return wrong("role", "role must be OWNER, OPERATOR or READER")
	}
	if !slices.ContainsFunc(all, func(o console.Person) bool { return o.Email == one.Email }) {
		if err := p.EndSessions(ctx, one.Email); err != nil { // of somebody who had the email
			return err
		}
	}
	return p.program.Values(personKind).Change(ctx, one.Email, func(was json.RawMessage) (json.RawMessage, error) {
		if was != nil {
			return nil, wrong("email", "email is that of somebody who may sign in already")
		}
		return json.Marshal(console.Person{Email: one.Email, Name: one.Name, Role: one.Role})
	})
}

// change changes a person. One owner stays: when two are taken away at once, both are put back.
func (p people) change(ctx context.Context, email string, change func(*console.Person) (stays bool)) error {
	var was json.RawMessage
	var owner bool
	values := p.program.Values(personKind)
	err := values.Change(ctx, email, func(raw json.RawMessage) (json.RawMessage, error) {
		if was = raw; raw == nil {
			return nil, affiliate.ErrNotFound
		}
		var one console.Person
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, err
		}
		owner = one.Role == console.Owner
		if !change(&one) {
			return nil, nil
		}
		owner = owner && one.Role != console.Owner
		return json.Marshal(one)
	})
	if err != nil || !owner {
		return err
	}
	all, err := p.People(ctx)
	if err != nil || slices.ContainsFunc(all, func(o console.Person) bool { return o.Role == console.Owner }) {
		return err
	}
	back := func(json.RawMessage) (json.RawMessage, error) { return was, nil }
	return errors.Join(wrong("role", "This is the only owner: make somebody else an owner first"), values.Change(ctx, email, back))
}

// ChangePerson gives a person another role.
func (p people) ChangePerson(ctx context.Context, email string, role console.Role, _ string) error {
	if !slices.Contains(console.Roles(), role) {
		return wrong("role", "role must be OWNER, OPERATOR or READER")
	}
	return p.change(ctx, email, func(one *console.Person) bool {
		one.Role = role
		return true
	})
}

// RemovePerson takes a person's access away, with the sessions and links that are open.
func (p people) RemovePerson(ctx context.Context, email, _ string) error {
	if err := p.change(ctx, email, func(*console.Person) bool { return false }); err != nil {
		return err
	}
	return p.EndSessions(ctx, email)
}

// EndSessions ends the sessions of a person, and the links that would begin one.
func (p people) EndSessions(ctx context.Context, email string) error {
	for _, kind := range [...]string{sessionKind, linkKind} {
		open, err := p.passes(ctx, kind)
		if err != nil {
			return err
		}
		for name, one := range open {
			if one.Email != email {
				continue
			}
			if err := p.drop(ctx, kind, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// link returns the secret of a link that begins a session once, in the browser with a cookie; empty:
// nobody of the email may sign in, or enough links are open.
func (p people) link(ctx context.Context, email, browser string) (secret string, to console.Person, err error) {
	to, known, err := p.known(ctx, email)
	if err != nil || !known {
		return "", to, err
	}
	open, err := p.passes(ctx, linkKind)
	if err != nil {
		return "", to, err
	}
	mine, here := 0, 0
	for _, one := range open {
		if one.Email == to.Email {
			mine++
		}
		if one.Email == to.Email && one.Browser == digestOf(browser) {
			here++
		}
	}
	if here >= linksAtOnce || mine >= linksOfPerson {
		return "", to, nil
	}
	if secret, err = p.secret(); err != nil {
		return "", to, err
	}
	return secret, to, p.set(ctx, linkKind, digestOf(secret), pass{to.Email, p.now().Add(linkTime), digestOf(browser)})
}

// use begins a session with a link, in the browser that asked for it, and deletes the link: of several
// who ask at once, one gets it.
func (p people) use(ctx context.Context, secret, browser string) (session string, ok bool, err error) {
	var one pass
	err = p.program.Values(linkKind).Change(ctx, digestOf(secret), func(raw json.RawMessage) (json.RawMessage, error) {
		if one, ok = (pass{}), raw != nil; !ok {
			return nil, nil
		}
		err := json.Unmarshal(raw, &one)
		if ok = err == nil && one.Browser == digestOf(browser) && p.now().Before(one.Until); ok {
			return nil, nil
		}
		return raw, err
	})
	if err != nil || !ok {
		return "", false, err
	}
	session, err = p.begin(ctx, one.Email)
	return session, err == nil, err
}

// begin begins a session of a person.
func (p people) begin(ctx context.Context, email string) (session string, err error) {
	if _, err := p.passes(ctx, sessionKind); err != nil { // those that are over go
		return "", err
	}
	if session, err = p.secret(); err != nil {
		return "", err
	}
	now := p.now()
	if err := p.set(ctx, sessionKind, digestOf(session), pass{Email: email, Until: now.Add(personSession)}); err != nil {
		return "", err
	}
	err = p.change(ctx, email, func(one *console.Person) bool {
		one.SignedInAt = now
		return true
	})
	if err != nil { // such as that the person was removed meanwhile
		return "", errors.Join(err, p.drop(ctx, sessionKind, digestOf(session)))
	}
	return session, nil
}

// who returns the person of a session that is open.
func (p people) who(ctx context.Context, session string) (one console.Person, ok bool, err error) {
	s, found, err := find[pass](ctx, p, sessionKind, digestOf(session))
	if err != nil || !found || !p.now().Before(s.Until) {
		return one, false, err
	}
	return find[console.Person](ctx, p, personKind, s.Email)
}

// Keys returns the keys that were made.
func (p people) Keys(ctx context.Context) (keys []console.Key, err error) {
	all, err := httpapi.KeysOf(p.program).All(ctx)
	for _, k := range all {
		keys = append(keys, console.Key{Name: k.Name, Scope: cmp.Or(string(k.Scope), string(httpapi.ScopeFull)), Hint: k.Hint, MadeBy: k.MadeBy,
			MadeAt: k.MadeAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt})
	}
	return keys, err
}

// MakeKey makes a key, whose name the configuration does not have.
func (p people) MakeKey(ctx context.Context, k console.Key, by string) (secret string, err error) {
	all, err := p.People(ctx)
	if err != nil {
		return "", err
	}
	isPerson := func(one console.Person) bool { return one.Name == k.Name }
	if slices.Contains(p.taken, k.Name) || slices.ContainsFunc(all, isPerson) {
		return "", wrong("name", "name is taken")
	}
	return httpapi.KeysOf(p.program).Make(ctx, httpapi.Key{Name: k.Name, Scope: httpapi.Scope(k.Scope), ExpiresAt: k.ExpiresAt}, by)
}

// RevokeKey ends a key.
func (p people) RevokeKey(ctx context.Context, name string) error {
	return httpapi.KeysOf(p.program).Revoke(ctx, name)
}

// validName reports whether a text may stand in logs for somebody.
func validName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// wrong is the error of a field.
func wrong(field, text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: field, Message: text}
}
