package page

import (
	"html/template"
	"net/http"
	"net/url"
)

const maxKept = 1 << 20

// kept says nothing of the program: only what was sent.
var kept = template.Must(template.New("kept").Parse(`<!doctype html><html lang="{{.Lang}}"><meta charset="utf-8"><title>{{.T "Log in again"}}</title><link rel="icon" href="data:,">
<h1>{{.T "You are not logged in"}}</h1>
<p>{{.Say "Nothing was done. What you typed is kept on this page: %s, come back and send it again." .Login}}</p>
<form method="post" action="">{{range $name, $values := .Sent}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}<button>{{.T "Send it again"}}</button></form></html>
`))

// A keptPage is that page in a language.
type keptPage struct {
	Language
	Sent url.Values
}

// Login is the link to where somebody logs in.
func (k keptPage) Login() template.HTML {
	return template.HTML(`<a href="" target="_blank" rel="noopener">` +
		template.HTMLEscapeString(k.T("log in in another tab")) + `</a>`)
}

// Keep answers a form of these pages, which has a token, that was sent without a login: nothing is
// done, and it can be sent
// again after one. It reports false, and answers nothing, for any other request, such as one from another site.
func (l Language) Keep(w http.ResponseWriter, r *http.Request, crossSite *http.CrossOriginProtection, token string) bool {
	if r.Method != http.MethodPost || crossSite.Check(r) != nil {
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxKept)
	if r.ParseForm() != nil || r.PostForm.Get(token) == "" {
		return false
	}
	Protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_ = kept.Execute(w, keptPage{l, r.PostForm}) // a browser that is gone
	return true
}
