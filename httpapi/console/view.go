package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

//go:embed templates/*.html
var files embed.FS

// templates has one template for each page, by the name of its file. They are
// parsed when the first console is made.
var templates = sync.OnceValue(parse)

func parse() map[string]*template.Template {
	layout := template.Must(template.ParseFS(files, "templates/layout.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	all := map[string]*template.Template{}
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base != "layout" {
			all[base] = template.Must(template.Must(layout.Clone()).ParseFS(files, name))
		}
	}
	return all
}

// A view is what a template shows: Data, inside the frame of every page.
type view struct {
	*visit
	title    string
	template string
	next     string // cursor of the next page of the list
	Data     any
}

// A section is a part of the console, in the navigation.
type section struct {
	Path, Name string
	Current    bool
}

// homes are the sections of what has no section of its own.
var homes = map[string]string{"codes": "coupons", "links": "affiliates", "plans": "settings", "tiers": "settings"}

// Sections are the entries of the navigation.
func (v *view) Sections() []section {
	var all []section
	for _, name := range []string{"Affiliates", "Coupons", "Customers", "Sales", "Payouts", "Webhooks", "Events", "Books", "Settings"} {
		all = append(all, section{strings.ToLower(name), name, false})
	}
	all = append([]section{{"", "Overview", false}}, all...)
	here, _, _ := strings.Cut(v.path, "/")
	for i := range all {
		all[i].Current = all[i].Path == here || all[i].Path == homes[here]
	}
	return all
}

func (v *view) Title() string   { return page.Text(v.title, page.InList) }
func (v *view) Root() string    { return v.root }
func (v *view) Program() string { return page.Text(v.program.Config().Name, page.InList) }
func (v *view) Actor() string   { return page.Text(v.actor, page.InList) }
func (v *view) SignOut() string { return v.cfg.SignOut }
func (v *view) Writes() bool    { return !v.cfg.ReadOnly }
func (v *view) Style() string   { return page.Style.Name }
func (v *view) Script() string  { return page.Script.Name }
func (v *view) Zone() string    { return v.location().String() }

// Notice says what the action before this page has done.
func (v *view) Notice() string {
	for _, rt := range routes {
		if rt.act != nil && rt.act.name == v.query.Get(paramDone) {
			return rt.act.done
		}
	}
	return ""
}

// Next is the query of the next page of the list; empty: there is none.
func (v *view) Next() string {
	if v.next == "" {
		return ""
	}
	q := url.Values{}
	for name, values := range v.query {
		if name != paramDone {
			q[name] = values
		}
	}
	q.Set(paramCursor, v.next)
	return "?" + q.Encode()
}

// Choices are the choices of a filter, whose label is said.
func (v *view) Choices(name, label string, of []option) *filter {
	return &filter{name, label, v.query.Get(name), of}
}

// A filter is a field by which a list is filtered.
type filter struct {
	Name, Label, Chosen string
	Options             []option
}

// Asked is what the query has for a parameter.
func (v *view) Asked(name string) string { return v.query.Get(name) }

// Short is a text in a list, and Long is one on a page of its own.
func (v *view) Short(s any) string { return page.Text(fmt.Sprint(s), page.InList) }
func (v *view) Long(s any) string  { return page.Text(fmt.Sprint(s), page.InDetail) }

// Money is an amount with its currency; of an Opt without a value it is empty.
func (v *view) Money(a any) string {
	switch a := a.(type) {
	case affiliate.Amount:
		return page.Money(a, v.program.Config().Currency)
	case affiliate.Opt[affiliate.Amount]:
		if n, ok := a.Get(); ok {
			return v.Money(n)
		}
	}
	return ""
}

// Count is a number; of an Opt without a value it is empty.
func (v *view) Count(n any) string {
	switch n := n.(type) {
	case int:
		return page.Count(int64(n))
	case int64:
		return page.Count(n)
	case affiliate.Opt[int64]:
		if i, ok := n.Get(); ok {
			return page.Count(i)
		}
	}
	return ""
}

// When is a moment in the zone of the console; of an Opt without a value it is
// empty.
func (v *view) When(t any) string { return v.at(t, "2 Jan 2006, 15:04") }

// Day is the day of a moment.
func (v *view) Day(t any) string { return v.at(t, "2 Jan 2006") }

func (v *view) at(t any, layout string) string {
	var at time.Time
	switch t := t.(type) {
	case affiliate.Time:
		at = t.Time()
	case affiliate.Opt[affiliate.Time]:
		at = t.Or(affiliate.Time{}).Time()
	}
	if at.IsZero() {
		return ""
	}
	return at.In(v.location()).Format(layout)
}

// ID is an id, or empty.
func (v *view) ID(id affiliate.Opt[uuid.UUID]) string {
	if some, ok := id.Get(); ok {
		return some.String()
	}
	return ""
}

// Words are the words of an enumeration: ON_HOLD is "On hold".
func (v *view) Words(value any) string { return words(value) }

func words(value any) string {
	if value == affiliate.PaymentMethod("PAYPAL") {
		return "PayPal"
	}
	s := strings.ToLower(strings.ReplaceAll(fmt.Sprint(value), "_", " "))
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return page.Text(string(unicode.ToUpper(first))+s[size:], page.InList)
}

// Tone is the class of a status, for its colour; its word says the same.
func (v *view) Tone(status any) string {
	switch fmt.Sprint(status) {
	case "ACTIVE", "ACCEPTED", "PAID", "DONE", "delivered", "enabled", "ENABLED":
		return "good"
	case "INACTIVE", "ON_HOLD", "INVITED", "PENDING", "PROCESSING", "RUNNING", "pending":
		return "warn"
	case "FAILED", "BANNED", "DECLINED", "REFUNDED", "failed", "disabled", "DISABLED":
		return "bad"
	}
	return ""
}

// Uses are how often something was used, and its limit.
func (v *view) Uses(used int64, limit affiliate.Opt[int64]) uses {
	n, _ := limit.Get()
	return uses{used, n, page.Count(n)}
}

// Limit is 0 when there is none.
type uses struct {
	Used, Limit int64
	Said        string
}

// Of is the view for a template of a part of the page: rows of a table.
func (v *view) Of(rows any) *part { return &part{view: v, Rows: rows} }

// A part is a part of a page.
type part struct {
	*view
	Rows any
}

// JSON is a payload, indented; empty: there is none.
func (v *view) JSON(payload affiliate.Opt[json.RawMessage]) string {
	raw, ok := payload.Get()
	if !ok {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return ""
	}
	return page.Text(out.String(), page.InDetail)
}
