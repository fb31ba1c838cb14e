package portal

import (
	"embed"
	"html/template"
	"net/url"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

//go:embed templates/*.html
var files embed.FS

// templates are parsed when the first Portal is made.
var templates = sync.OnceValue(func() map[string]*template.Template { return page.Templates(files) })

// A view holds what a template shows: Data, inside the frame of every page.
type view struct {
	*visit
	title    string
	template string
	next     string // cursor of the next page of the list
	Data     any
}

// A section is a part of the pages with an entry in the navigation.
type section struct {
	Path, Name string
	Current    bool
}

// Sections returns the entries of the navigation; of who sees nothing there are none.
func (v *view) Sections() (all []section) {
	if v.profile.ID == uuid.Nil || !v.sees() {
		return nil
	}
	here, _, _ := strings.Cut(v.Path, "/")
	for _, s := range []section{{"", "Overview", false}, {"links", "Links", false},
		{"codes", "Codes", false}, {"sales", "Sales", false},
		{"customers", "Customers", false}, {"reports", "Reports", false},
		{"payouts", "Payouts", false}, {"statements", "Statements", false},
		{"payout-details", "Payout details", false}, {"terms", "Terms", false},
		{casesPath, "Questions", false}, {emailPath, "Email", false}} {
		for _, rt := range routes {
			if rt.path == s.Path && (rt.shown == nil || rt.shown(v.visit)) {
				s.Name = v.T(s.Name)
				s.Current = here == s.Path
				all = append(all, s)
			}
		}
	}
	return all
}

func (v *view) Title() string   { return v.Short(v.title) }
func (v *view) Program() string { return v.Short(v.program.Config().Name) }
func (v *view) Name() string    { return v.profile.Name }
func (v *view) Style() string   { return v.face.Style.Name }
func (v *view) Script() string  { return page.Script.Name }
func (v *view) Leaves() bool    { return v.byVisit && v.profile.ID != uuid.Nil }
func (v *view) Hides() bool     { return v.cfg.HideCustomers }

// SignsIn reports whether links are mailed, and SignsUp whether people apply here.
func (v *view) SignsIn() bool { return v.cfg.SignIn != nil }
func (v *view) SignsUp() bool { return v.cfg.SignUp != nil }

// Back leads somebody who looks at the pages of an affiliate to where they came from; empty: they
// are the affiliate's own.
func (v *view) Back() string { return v.back }

// CanSay reports whether the affiliate can say here how to be paid.
func (v *view) CanSay() bool { return v.canSetDetails() }

// OnHold says why commissions of new sales are on hold; empty: they are not.
func (v *view) OnHold() string {
	reason, held := v.profile.Status.NewSales().Get()
	if !held {
		return ""
	}
	switch reason {
	case affiliate.HoldAffiliateDeactivated:
		return v.T("Your account is deactivated: commissions of new sales by your links and codes are on hold.")
	case affiliate.HoldAffiliateBanned:
		return v.T("Your account is banned: commissions of new sales by your links and codes are on hold.")
	}
	return v.T("Commissions of new sales by your links and codes are on hold.")
}

// Token returns the token of a form that is sent to a path.
func (v *view) Token(path string) string { return v.formToken(path) }

// Notice says what was done before this page, and only to the affiliate who did it: a
// made-up URL shows no notice.
func (v *view) Notice() string {
	_, isNew := v.forms.Told(v.now(), v.R.URL.Query().Get(paramDone), v.about(v.Path+doneSuffix)...)
	if rt, found := v.find(); found && isNew {
		return v.T(rt.done)
	}
	return ""
}

// Of returns the view for a template of a part of the page.
func (v *view) Of(rows any) *part { return &part{v, rows} }

// A part is a part of a page.
type part struct {
	*view
	Rows any
}

// Next returns the query of the next page of the list; empty: there is none.
func (v *view) Next() string {
	if v.next == "" {
		return ""
	}
	return "?" + url.Values{paramCursor: {v.next}}.Encode()
}
