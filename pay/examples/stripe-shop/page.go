package main

import (
	_ "embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/httpapi"
)

//go:embed host.go
var hostFile string

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// hostLines returns the functions of host.go that a shop of one's own copies.
func hostLines() string {
	_, code, _ := strings.Cut(hostFile, "\n)\n\n")
	code, _, _ = strings.Cut(code, "\n// A checkout")
	return strings.TrimSpace(code)
}

// A page is the shop's only one.
type page struct{ *shop }

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	money, err := p.money(r.Context())
	if err != nil {
		http.Error(w, "the books cannot be read", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	// It fails only when the client has gone.
	pageTemplate.Execute(w, map[string]string{
		"Slug": slug, "Click": httpapi.ClickFrom(p.Program, r), "Money": money, "Code": hostLines(),
		"Host": r.Host, "Program": p.Config().ID.String(),
	})
}
