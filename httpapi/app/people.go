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
	browserKind = "server-browser"
)

const (
	personSession = 7 * 24 * time.Hour
	linkTime      = 15 * time.Minute
	browserTime   = 90 * 24 * time.Hour // after a sign-in
	seenEvery     = time.Hour           // how exact pass.SeenAt is
)

// A pass is what a link, a session or a browser that signed in is for, until a time. It is without
// an email where a sign-in at a provider was: that works once.
type pass struct {
	Email   string    `json:"email"`
	Until   time.Time `json:"until"`
	Browser string    `json:"browser,omitzero"` // of a link: the digest of the cookie of the browser that asked
	By      string    `json:"by,omitzero"`      // of a session: how it began
	SeenAt  time.Time `json:"seenAt,omitzero"`  // of a session
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
	name, ok := emailName(email)
	if !ok {
		return console.Person{}, false, nil
	}
	return find[console.Person](ctx, p, personKind, name)
}

// emailName returns an email as it names a value. What is not ASCII is none, before its letters become
// small: some of other scripts would be those of somebody else.
func emailName(s string) (name string, ok bool) {
	s = strings.TrimSpace(s)
	at := strings.LastIndexByte(s, '@')
	ok = at > 0 && at < len(s)-1 && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
	return strings.ToLower(s), ok
}

// hereKey is the context key of the name of the session that a request has.
type hereKey struct{}

// People returns who may sign in, with their sessions, the newest first.
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
		for name, s := range open {
			if s.Email == one.Email {
				one.Sessions = append(one.Sessions, console.Session{ID: name, By: s.By, BeganAt: s.Until.Add(-personSession),
					SeenAt: s.SeenAt, Here: ctx.Value(hereKey{}) == name})
			}
		}
		slices.SortFunc(one.Sessions, func(a, b console.Session) int {
			return cmp.Or(b.BeganAt.Compare(a.BeganAt), cmp.Compare(a.ID, b.ID))
		})
		all = append(all, one)
	}
	return all, nil
}

// AddPerson adds somebody who may sign in.
func (p people) AddPerson(ctx context.Context, one console.Person) error {
	all, err := p.People(ctx)
	if err != nil {
		return err
	}
	keys, err := p.Keys(ctx)
	if err != nil {
		return err
	}
	email, isEmail := emailName(one.Email)
	one.Email = email
	switch {
	case !isEmail:
		return wrong("email", "email must be an email address of visible ASCII characters")
	case !httpapi.ValidName(one.Name):
		return wrong("name", "name must be 1 to 64 of the characters A to Z, a to z, 0 to 9, ., _ and -")
	case named(all, keys, one.Name) || slices.Contains(p.taken, one.Name):
		return wrong("name", "name is taken")
	case !slices.Contains(console.Roles(), one.Role):
		return wrong("role", "role must be OWNER, OPERATOR or READER")
	}
	if !slices.ContainsFunc(all, func(o console.Person) bool { return o.Email == one.Email }) {
		if err := p.EndSessions(ctx, one.Email, ""); err != nil { // of somebody who had the email
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

// named reports whether a person or a key has a name.
func named(all []console.Person, keys []console.Key, name string) bool {
	return slices.ContainsFunc(all, func(o console.Person) bool { return o.Name == name }) ||
		slices.ContainsFunc(keys, func(k console.Key) bool { return k.Name == name })
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
func (p people) ChangePerson(ctx context.Context, email string, role console.Role) error {
	if !slices.Contains(console.Roles(), role) {
		return wrong("role", "role must be OWNER, OPERATOR or READER")
	}
	return p.change(ctx, email, func(one *console.Person) bool {
		one.Role = role
		return true
	})
}

// RemovePerson takes a person's access away, with the sessions and links that are open.
func (p people) RemovePerson(ctx context.Context, email string) error {
	if err := p.change(ctx, email, func(*console.Person) bool { return false }); err != nil {
		return err
	}
	return p.EndSessions(ctx, email, "")
}

// EndSessions ends a session of a person; with an empty id all of them, and the links that would begin one.
func (p people) EndSessions(ctx context.Context, email, id string) error {
	for _, kind := range [...]string{sessionKind, linkKind, browserKind} {
		open, err := p.passes(ctx, kind)
		if err != nil {
			return err
		}
		for name, one := range open {
			if one.Email != email || id != "" && name != id {
				continue
			}
			if err := p.drop(ctx, kind, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// link returns the secret of a link that begins a session once, in the browser with a cookie.
func (p people) link(ctx context.Context, email, browser string) (secret string, err error) {
	if _, err := p.passes(ctx, linkKind); err != nil { // those that are over go
		return "", err
	}
	if secret, err = p.secret(); err != nil {
		return "", err
	}
	return secret, p.set(ctx, linkKind, digestOf(secret), pass{Email: email, Until: p.now().Add(linkTime), Browser: digestOf(browser)})
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
	session, err = p.begin(ctx, one.Email, "mail", browser)
	return session, err == nil, err
}

// proven begins a session of who proved an email at a provider. Its state, which is good until a time,
// works once.
func (p people) proven(ctx context.Context, email, state string, until time.Time, browser string) (session string, ok bool, err error) {
	one, ok, err := p.known(ctx, email)
	if err != nil || !ok {
		return "", false, err
	}
	err = p.program.Values(linkKind).Change(ctx, digestOf(state), func(was json.RawMessage) (json.RawMessage, error) {
		if ok = was == nil; !ok {
			return was, nil
		}
		return json.Marshal(pass{Until: until})
	})
	if err != nil || !ok {
		return "", false, err
	}
	session, err = p.begin(ctx, one.Email, "OpenID Connect", browser)
	return session, err == nil, err
}

// begin begins a session of a person. by says how, and browser is its cookie; empty: it has none.
func (p people) begin(ctx context.Context, email, by, browser string) (session string, err error) {
	for _, kind := range [...]string{sessionKind, browserKind, linkKind} {
		if _, err := p.passes(ctx, kind); err != nil { // those that are over go
			return "", err
		}
	}
	if session, err = p.secret(); err != nil {
		return "", err
	}
	now := p.now()
	if err := p.set(ctx, sessionKind, digestOf(session), pass{Email: email, Until: now.Add(personSession), By: by, SeenAt: now}); err != nil {
		return "", err
	}
	err = p.change(ctx, email, func(one *console.Person) bool {
		one.SignedInAt = now
		return true
	})
	if err != nil { // such as that the person was removed meanwhile
		return "", errors.Join(err, p.drop(ctx, sessionKind, digestOf(session)))
	}
	if browser != "" {
		err = p.set(ctx, browserKind, digestOf(browser), pass{Email: email, Until: now.Add(browserTime)})
	}
	return session, err
}

// signedIn reports whether a person has signed in in a browser.
func (p people) signedIn(ctx context.Context, email, browser string) (bool, error) {
	last, found, err := find[pass](ctx, p, browserKind, digestOf(browser))
	return found && last.Email == email && p.now().Before(last.Until), err
}

// who returns the person of a session that is open, and notes when that was, to the hour.
func (p people) who(ctx context.Context, session string) (one console.Person, ok bool, err error) {
	s, found, err := find[pass](ctx, p, sessionKind, digestOf(session))
	now := p.now()
	if err != nil || !found || !now.Before(s.Until) {
		return one, false, err
	}
	if now.Sub(s.SeenAt) >= seenEvery {
		s.SeenAt = now
		// Nothing rests on it: nobody is kept out for it.
		_ = p.program.Values(sessionKind).Change(ctx, digestOf(session), func(was json.RawMessage) (json.RawMessage, error) {
			if was == nil {
				return nil, nil // ended meanwhile
			}
			return json.Marshal(s)
		})
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
	if slices.Contains(p.taken, k.Name) || named(all, nil, k.Name) {
		return "", wrong("name", "name is taken")
	}
	return httpapi.KeysOf(p.program).Make(ctx, httpapi.Key{Name: k.Name, Scope: httpapi.Scope(k.Scope), ExpiresAt: k.ExpiresAt}, by)
}

// RevokeKey ends a key.
func (p people) RevokeKey(ctx context.Context, name string) error {
	return httpapi.KeysOf(p.program).Revoke(ctx, name)
}

// wrong is the error of a field.
func wrong(field, text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: field, Message: text}
}
