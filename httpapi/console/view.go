package console

import (
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"slices"
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

	openCount string // of cases, for the navigation
	Data      any
}

// A section is a page of the console with an entry in the navigation.
type section struct {
	Path, Name string
	Current    bool
	Waits      string // how many wait there; empty: none, or nobody counts
}

// A group is an entry of the navigation, with the sections below it.
type group struct {
	Name     string
	Sections []section
}

// groups are the navigation. An entry leads to its first section.
var groups = []group{
	{"Overview", []section{{Path: "", Name: "Overview"}}},
	{"Partners", []section{{Path: "affiliates", Name: "Affiliates"}, {Path: applicationsPath, Name: "Applications"},
		{Path: casesPath, Name: "Cases"},
		{Path: "coupons", Name: "Coupons"}, {Path: "customers", Name: "Customers"}}},
	{"Money", []section{{Path: "sales", Name: "Sales"}, {Path: "owed", Name: "Owed"},
		{Path: "payouts", Name: "Payouts"}, {Path: "books", Name: "Books"}, {Path: proposalsPath, Name: "Proposals"}}},
	{"Reports", []section{{Path: "reports", Name: "Reports"}}},
	{"Setup", []section{{Path: "settings", Name: "Settings"}, {Path: "terms", Name: "Terms"},
		{Path: "webhooks", Name: "Webhooks"}, {Path: "events", Name: "Events"}, {Path: "access", Name: "Access"}}},
}

// homes are the sections of pages without a section of their own.
var homes = map[string]string{"search": "", "codes": "coupons", "holds": "coupons",
	"redemptions": "sales", "links": "affiliates", "payments": "sales", "providers": "settings",
	"plans": "settings", "tiers": "settings"}

// Groups returns the entries of the navigation.
func (v *view) Groups() (all []group) {
	here, _, _ := strings.Cut(v.Path, "/")
	if home, other := homes[here]; other {
		here = home
	}
	switch {
	case v.Path == applicationsPath:
		here = v.Path
	case strings.HasPrefix(v.Path, casesPath):
		here = casesPath
	}
	for _, g := range groups {
		shown := group{Name: g.Name}
		for _, s := range g.Sections {
			if s.Path == "access" && v.cfg.Access == nil || s.Path == proposalsPath && v.cfg.Proposals == nil || s.Path == applicationsPath && v.cfg.ReadOnly {
				continue
			}
			if s.Current = s.Path == here; s.Path == casesPath {
				s.Waits = v.openCount
			}
			shown.Sections = append(shown.Sections, s)
		}
		all = append(all, shown)
	}
	return all
}

// To returns where a group leads.
func (g group) To() string { return g.Sections[0].Path }

// Alone reports whether a group is one page.
func (g group) Alone() bool { return len(g.Sections) == 1 }

// Current reports whether a page of the group is shown.
func (g group) Current() bool {
	return slices.ContainsFunc(g.Sections, func(s section) bool { return s.Current })
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
	"cases status": options(affiliate.CaseStatuses()...),
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
