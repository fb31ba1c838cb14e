package app

import (
	"cmp"
	"context"
	"crypto/subtle"
	_ "embed" // the page
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/console"
)

// A beginning asks what a program is, by a link that the server prints when nobody can sign in. The
// link works once, and until the server stops.
type beginning struct {
	*login
	token string
	page  *template.Template

	mu   sync.Mutex
	over bool
}

//go:embed begin.html
var beginText string

const (
	beginPath = consolePath + "begin"
	firstKey  = "first-key"
)

// newBeginning returns nil when somebody can sign in.
func newBeginning(ctx context.Context, t tenant, l *login) (*beginning, error) {
	if len(t.keys()) > 0 {
		return nil, nil
	}
	if over, err := l.staff.begun(ctx, ""); err != nil || over {
		return nil, err
	}
	token, err := l.staff.secret()
	return &beginning{login: l, token: token, page: template.Must(template.New("begin").Parse(beginText))}, err
}

// begun reports whether somebody can sign in, besides an owner of an email who never has.
func (p people) begun(ctx context.Context, email string) (bool, error) {
	all, err := p.People(ctx)
	if err != nil {
		return false, err
	}
	for _, one := range all {
		if !one.SignedInAt.IsZero() || email != "" && one.Email != email {
			return true, nil
		}
	}
	keys, err := p.Keys(ctx)
	return len(keys) > 0, err
}

// A beginView holds the data of the page.
type beginView struct {
	Token, Wrong, Key string
	Over              bool
	Fields            []beginField
}

type beginField struct {
	Name, Label, Type, Like, Value string
	Wrong                          bool
}

// beginFields are the questions.
var beginFields = []beginField{
	{Name: "name", Label: "Name of the program, as affiliates see it", Type: "text", Like: "Beans"},
	{Name: "currency", Label: "Currency in which affiliates are paid", Type: "text", Like: "EUR"},
	{Name: "timeZone", Label: "Time zone", Type: "text", Like: "Europe/Berlin"},
	{Name: "destinations", Label: "Where links lead to", Type: "url", Like: "https://beans.example/"},
	{Name: "commissionRate", Label: "Affiliates earn so many percent of a sale", Type: "text", Like: "20"},
	{Name: "email", Label: "Your email", Type: "email", Like: "ada@beans.example"},
}

func (b *beginning) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != beginPath {
		b.login.ServeHTTP(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	v := beginView{Token: r.FormValue("token"), Fields: slices.Clone(beginFields)}
	v.Over = subtle.ConstantTimeCompare([]byte(v.Token), []byte(b.token)) != 1 || b.crossSite.Check(r) != nil
	b.mu.Lock() // of two who send the form at once, one begins; the form has been read
	defer b.mu.Unlock()
	status := http.StatusOK
	if v.Over = v.Over || b.over; v.Over {
		status = http.StatusForbidden
	} else if err := b.answer(w, r, &v); err != nil {
		why, refused := asRefusal(err)
		if !refused {
			b.fail(w, r, err)
			return
		}
		status, v.Wrong = http.StatusBadRequest, why.Message
		for i := range v.Fields {
			f := &v.Fields[i]
			f.Value, f.Wrong = r.PostFormValue(f.Name), f.Name == why.Field
			if rest, names := strings.CutPrefix(why.Message, f.Name+" "); f.Wrong && names {
				v.Wrong = "“" + f.Label + "” " + rest
			}
		}
	}
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = b.page.Execute(w, v) // fails only when the client has gone
}

// answer shows the questions with what the program is, if it is something, or begins it.
func (b *beginning) answer(w http.ResponseWriter, r *http.Request, v *beginView) (err error) {
	if r.Method == http.MethodPost {
		v.Key, err = b.begin(w, r)
		b.over = b.over || err == nil
		return err
	}
	is, err := b.staff.program.Settings(r.Context())
	if err != nil || is.Revision < 2 { // the first is the server's
		return err
	}
	for name, value := range map[string]string{"name": is.Name, "currency": string(is.Currency), "timeZone": is.TimeZone,
		"destinations": is.Destinations[0].URL, "commissionRate": is.Terms.CommissionRate.String()} {
		for i := range v.Fields {
			if v.Fields[i].Name == name {
				v.Fields[i].Value = value
			}
		}
	}
	return nil
}

// begin makes what the form says: the settings, the terms, the first owner, who is signed in, and a key.
// When something is refused, or ends on the way, the form can be sent again. Of several servers on one
// store one begins.
func (b *beginning) begin(w http.ResponseWriter, r *http.Request) (key string, err error) {
	ctx, in := r.Context(), func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	rate, err := affiliate.ParsePercent(in("commissionRate"))
	if err != nil {
		return "", wrong("commissionRate", "What affiliates earn must be a number of percent, such as 20 or 12.5")
	}
	email, ok := emailName(in("email"))
	owner := console.Person{Email: email, Name: nameOf(in("email")), Role: console.Owner}
	if !ok {
		return "", wrong("email", "email must be an email address")
	}
	if err := b.claim(ctx, owner.Email); err != nil {
		return "", err
	}
	p := b.staff.program.By(owner.Name)
	if _, err := p.UpdateSettings(ctx, affiliate.SettingsUpdate{
		Name: affiliate.Set(in("name")), Currency: affiliate.Set(affiliate.Currency(in("currency"))),
		TimeZone: affiliate.Set(in("timeZone")), Destinations: affiliate.Set([]string{in("destinations")}),
	}); err != nil {
		return "", err
	}
	if _, err := p.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(rate)}); err != nil {
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // else there is a person who cannot sign in
	_, known, err := b.staff.known(ctx, owner.Email)
	if err == nil && !known {
		err = b.staff.AddPerson(ctx, owner)
	}
	if err != nil {
		return "", err
	}
	key, err = httpapi.KeysOf(b.staff.program).Make(ctx, httpapi.Key{Name: firstKey, Scope: httpapi.ScopeFull}, owner.Name)
	if err != nil {
		return "", err
	}
	session, err := b.staff.begin(ctx, owner.Email, "the first link", "")
	if err == nil {
		setSession(w, r, session, int(personSession/time.Second))
	}
	return key, err
}

// claim keeps the beginning for an email: of all servers on the store one begins, and nobody can sign in.
func (b *beginning) claim(ctx context.Context, email string) error {
	over := &affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.StatusNotAllowed,
		Message: "Somebody else has begun this program: sign in"}
	if begun, err := b.staff.begun(ctx, email); err != nil || begun {
		return cmp.Or(err, error(over))
	}
	return b.staff.program.Values("server-begin").Change(ctx, "claim", func(was json.RawMessage) (json.RawMessage, error) {
		var one pass
		if was != nil && (json.Unmarshal(was, &one) != nil || one.Email != email && b.staff.now().Before(one.Until)) {
			return nil, over
		}
		return json.Marshal(pass{Email: email, Until: b.staff.now().Add(linkTime)})
	})
}

// nameOf returns the name that an email has in logs, until somebody gives another.
func nameOf(email string) string {
	local, _, _ := strings.Cut(email, "@")
	name := strings.Map(func(r rune) rune {
		if httpapi.ValidName(string(r)) {
			return r
		}
		return '-'
	}, local)
	name = name[:min(len(name), 60)]
	if name == "owner" || name == firstKey { // those of keys
		name += "-1"
	}
	return name
}

// at returns the link.
func (b *beginning) at(base string) string {
	return base + beginPath + "?" + url.Values{"token": {b.token}}.Encode()
}
