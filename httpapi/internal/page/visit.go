package page

import (
	"bytes"
	"context"
	"html/template"
	"log/slog"
	"net/http"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// A Visit is a request that pages answer.
type Visit struct {
	Show
	W      http.ResponseWriter
	R      *http.Request
	Path   string   // below the prefix, without a slash before it
	Root   string   // the way from the page to the prefix: "./", "../"
	Args   []string // what stands at the {} of the route's pattern
	Pages  string   // what the pages are called in logs
	Logger *slog.Logger
}

// ParamCursor is the parameter with the page of a list.
const ParamCursor = "cursor"

// Ctx returns the context of the request.
func (v *Visit) Ctx() context.Context { return v.R.Context() }

// Reads reports whether the request only looks.
func (v *Visit) Reads() bool { return v.R.Method == http.MethodGet || v.R.Method == http.MethodHead }

// Cursor returns where the page of a list begins; empty: at the beginning.
func (v *Visit) Cursor() string { return v.R.URL.Query().Get(ParamCursor) }

// Page50 is the page of a list that the query asks for, and Page one with another limit.
func (v *Visit) Page50() affiliate.Page { return v.Page(50) }

func (v *Visit) Page(limit int) affiliate.Page {
	return affiliate.Page{Limit: limit, Cursor: v.Cursor()}
}

// Failed writes a line about a page or a file that failed.
func (v *Visit) Failed(what string, err error) {
	v.Logger.ErrorContext(v.Ctx(), v.Pages+" "+what, "path", OneLine(v.Path), "error", err,
		"request_id", reqid.Of(v.Ctx()))
}

// Late writes a line about a file that failed while it was sent.
func (v *Visit) Late(err error) { v.Failed("file", err) }

// Lead leads to another page.
func (v *Visit) Lead(to string) {
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusSeeOther)
}

// Write writes a page, unless its template fails.
func (v *Visit) Write(status int, page *template.Template, shown any) {
	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "layout", shown); err != nil {
		v.Failed("page", err)
		http.Error(v.W, v.T("Something went wrong."), http.StatusInternalServerError)
		return
	}
	v.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.W.WriteHeader(status)
	_, _ = v.W.Write(out.Bytes())
}

// A Problem says why a page cannot be shown. First leads to the first page of the list; empty:
// it is no list.
type Problem struct{ Text, First string }
