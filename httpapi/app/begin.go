package app

import (
	"context"
	"crypto/subtle"
	_ "embed" // the page
	"html/template"
	"net/http"
	"net/url"
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

const beginPath = consolePath + "begin"

// newBeginning returns nil when somebody can sign in.
func newBeginning(ctx context.Context, t tenant, l *login) (*beginning, error) {
	if len(t.keys()) > 0 {
		return nil, nil
	}
	people, err := l.staff.People(ctx)
	if err != nil || len(people) > 0 {
		return nil, err
	}
	keys, err := l.staff.Keys(ctx)
	if err != nil || len(keys) > 0 {
		return nil, err
	}
	token, err := l.staff.secret()
	return &beginning{login: l, token: token, page: template.Must(template.New("begin").Parse(beginText))}, err
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
	b.mu.Lock() // of two who send the form at once, one begins
	defer b.mu.Unlock()
	v := beginView{Token: r.FormValue("token"), Fields: append([]beginField(nil), beginFields...)}
	v.Over = b.over || subtle.ConstantTimeCompare([]byte(v.Token), []byte(b.token)) != 1 || b.crossSite.Check(r) != nil
	status := http.StatusOK
	switch {
	case v.Over:
		status = http.StatusForbidden
	case r.Method == http.MethodPost:
		var err error
		if v.Key, err = b.begin(w, r); err == nil {
			b.over = true
			break
		}
		why, refused := asRefusal(err)
		if !refused {
			b.fail(w, r, err)
			return
		}
		status, v.Wrong = http.StatusBadRequest, why.Message
		for i := range v.Fields {
			f := &v.Fields[i]
			f.Value, f.Wrong = r.PostFormValue(f.Name), f.Name == why.Field
		}
	}
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = b.page.Execute(w, v) // fails only when the client has gone
}

// begin makes what the form says: the settings, the terms, the first owner, who is signed in, and a key.
// When something is refused, the form can be sent again.
func (b *beginning) begin(w http.ResponseWriter, r *http.Request) (key string, err error) {
	ctx, in := r.Context(), func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	rate, err := affiliate.ParsePercent(in("commissionRate"))
	if err != nil {
		return "", wrong("commissionRate", "commissionRate must be a number of percent, such as 20 or 12.5")
	}
	owner := console.Person{Email: in("email"), Name: nameOf(in("email")), Role: console.Owner}
	if !emailName(owner.Email) {
		return "", wrong("email", "email must be an email address")
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
	if err := b.staff.AddPerson(ctx, owner, owner.Name); err != nil {
		return "", err
	}
	session, err := b.staff.begin(ctx, strings.ToLower(owner.Email))
	if err != nil {
		return "", err
	}
	setSession(w, r, session, int(personSession/time.Second))
	return httpapi.KeysOf(b.staff.program).Make(ctx, httpapi.Key{Name: "first-key"}, owner.Name)
}

// nameOf returns the name that an email has in logs, until somebody gives another.
func nameOf(email string) string {
	local, _, _ := strings.Cut(email, "@")
	name := strings.Map(func(r rune) rune {
		if validName(string(r)) {
			return r
		}
		return '-'
	}, local)
	return name[:min(len(name), 64)]
}

// at returns the link.
func (b *beginning) at(base string) string {
	return base + beginPath + "?" + url.Values{"token": {b.token}}.Encode()
}
