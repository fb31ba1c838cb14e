package console

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

//go:embed templates/*.html
var files embed.FS

// templates are parsed when the first console is made.
var templates = sync.OnceValue(func() map[string]*template.Template { return page.Templates(files) })

// A view holds the data of a template: Data, inside the frame of every page.
type view struct {
	*visit
	title    string
	template string
	next     string // cursor of the next page of the list
	Tabs     []tab
	total    *sumSheet
	Data     any
}

// A section is a part of the console with an entry in the navigation.
type section struct {
	Path, Name string
	Current    bool
}

// homes are the sections of pages without a section of their own.
var homes = map[string]string{"search": "", "codes": "coupons", "holds": "coupons",
	"redemptions": "sales", "links": "affiliates", "payments": "sales", "providers": "settings", "plans": "settings",
	"terms": "settings", "tiers": "settings"}

// Sections returns the entries of the navigation.
func (v *view) Sections() (all []section) {
	here, _, _ := strings.Cut(v.Path, "/")
	if home, other := homes[here]; other {
		here = home
	}
	for _, name := range []string{"Overview", "Reports", "Affiliates", "Coupons", "Customers", "Sales",
		"Owed", "Payouts", "Webhooks", "Events", "Books", "Settings", "Access"} {
		if name == "Access" && v.cfg.Access == nil {
			continue
		}
		path := strings.ToLower(name)
		if name == "Overview" {
			path = ""
		}
		all = append(all, section{path, name, path == here})
	}
	return all
}

func (v *view) Title() string      { return page.Plain(v.title) }
func (v *view) Program() string    { return page.Text(v.program.Config().Name, page.InList) }
func (v *view) Actor() string      { return page.Text(v.actor, page.InList) }
func (v *view) Writes() bool       { return !v.cfg.ReadOnly }
func (v *view) HasProviders() bool { return v.cfg.Providers != nil }
func (v *view) Style() string      { return page.Style.Name }
func (v *view) Script() string     { return page.Script.Name }

// Heading returns the title with the names in it apart.
func (v *view) Heading() []page.Part { return page.Parts(v.title) }

// SignOut returns where the button Sign out posts.
func (v *view) SignOut() string {
	to := v.cfg.SignOut
	if u, err := url.Parse(to); to == "" || err != nil || u.Scheme != "" || strings.HasPrefix(to, "/") {
		return to
	}
	return v.Root + to
}

// Next returns the query of the next page of the list; empty: there is none.
func (v *view) Next() string {
	if v.next == "" {
		return ""
	}
	q := without(v.query, paramDone)
	q.Set(paramCursor, v.next)
	return "?" + q.Encode()
}

// Choices returns the choices of a filter, whose label is said: those of the list, or some.
func (v *view) Choices(name, label string, some ...[]option) *filter {
	of := choices[v.template+" "+name]
	for _, these := range some {
		of = these
	}
	return &filter{name, label, v.query.Get(name), of}
}

// choices are those of the filters of lists.
var choices = map[string][]option{
	"affiliates status": options(affiliate.AffiliateActive, affiliate.AffiliateInactive,
		affiliate.AffiliateInvited, affiliate.AffiliateDeclined, affiliate.AffiliateDeactivated,
		affiliate.AffiliateBanned),
	"codes state": options(affiliate.CodeUsable, affiliate.CodeUsedUp, affiliate.CodeOver,
		affiliate.CodeUpcoming),
	"coupons valid":    {{"true", "Switched on"}, {"false", "Switched off"}},
	"customers status": options(subscriptionStatuses...),
	"endpoint state":   options(deliveryStates...),
	"events type":      eventOptions(),
	"payouts method":   options(paymentMethods...),
	"webhooks state":   options(deliveryStates...),
}

// A filter is a field by which a list is filtered.
type filter struct {
	Name, Label, Chosen string
	Options             []option
}

// Asked returns what the query has for a parameter.
func (v *view) Asked(name string) string { return v.query.Get(name) }

// Of returns the view for a template of a part of the page: rows of a table.
func (v *view) Of(rows any) *part { return &part{view: v, Rows: rows} }

// A part is a part of a page.
type part struct {
	*view
	Rows any
}

// Nth returns the number of what has an index.
func (v *view) Nth(i int) int { return i + 1 }

// Several returns a number of things.
func (v *view) Several(n any, thing string) string {
	count, _ := strconv.Atoi(fmt.Sprint(n))
	return several(count, thing)
}
