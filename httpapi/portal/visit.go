package portal

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

// A visit is a request that is being answered.
type visit struct {
	*Portal
	page.Visit
	affiliate uuid.UUID
	byVisit   bool // by Token or Enter, so it can be left
	session   ticket.Ticket
	profile   partner.Profile
}

func (v *visit) now() time.Time { return v.program.Config().Now() }

// partner returns what the affiliate of the visit may see.
func (v *visit) partner() tributary.Partner { return v.program.Partner(v.affiliate) }

// A route is a page, a file or a form at a path below the prefix.
type route struct {
	path   string
	params []string // of its query
	sent   []string // the fields of its form besides the token
	done   string   // what is said after its form was carried out; empty: it has none
	page   func(*visit) (view, error)
	file   func(*visit) error
	post   func(*visit)
	old    func(*visit)      // shows what was typed into a form that is too old; nil: it is lost
	shown  func(*visit) bool // nil: always
	writes func(*visit) bool // the form can be sent; nil: whenever the page is shown
}

var routes = []route{
	{path: "", page: overview},
	{path: "terms", page: terms},
	{path: "links", params: []string{paramCursor, paramDone}, done: "Your new link is there.",
		page: links, post: addLink, sent: []string{fieldLink, fieldNonce}, old: linksAgain,
		writes: (*visit).canLink},
	{path: "links/{}", params: []string{paramDone}, done: "The link has its new name.", page: link,
		post: renameLink, sent: []string{fieldLink, wasPrefix + fieldLink},
		writes: (*visit).canLink},
	{path: "codes", params: []string{paramCursor}, page: codes},
	{path: "sales", params: []string{paramCursor}, page: sales},
	{path: "sales/csv", params: []string{paramDecimals}, file: salesFile},
	{path: "sales/{}", page: sale},
	{path: "customers", params: []string{paramCursor}, page: customers,
		shown: func(v *visit) bool { return !v.cfg.HideCustomers }},
	{path: "reports", page: reports},
	{path: "reports/{}/{}", params: []string{paramCursor}, page: report},
	{path: "statements", page: statements},
	{path: "statements/{}", params: []string{paramCursor}, page: statement},
	{path: "statements/{}/csv", file: statementFile},
	{path: "payouts", params: []string{paramCursor}, page: payouts},
	{path: "payouts/csv", params: []string{paramDecimals}, file: payoutsFile},
	{path: "payouts/{}", params: []string{paramCursor}, page: payout},
	{path: "payout-details", params: []string{paramDone},
		done: "Saved. Payouts that are made from now on go there.", page: payoutDetails,
		post: confirmDetails, old: detailsAgain,
		sent:  []string{fieldEmail, fieldMethod, wasPrefix + fieldEmail, wasPrefix + fieldMethod},
		shown: (*visit).canSetDetails},
	{path: "payout-details/save", post: saveDetails,
		sent:  []string{fieldEmail, fieldMethod, fieldNonce, fieldSeen},
		shown: (*visit).canSetDetails},
	{path: casesPath, params: []string{paramCursor, paramDone},
		done: "It was sent. The answer will be here.", page: cases, post: ask, old: casesAgain,
		sent:  []string{fieldKind, fieldSale, fieldOrder, fieldText, fieldNonce},
		shown: (*visit).asks},
	{path: emailPath, params: []string{paramDone},
		done: "Two mails are on their way. Open the link in each, in this browser, within an hour.",
		page: emailForm, post: askEmail, sent: []string{fieldMail},
		shown: (*visit).canChangeEmail},
	{path: confirmPath, params: []string{paramToken, fieldMail}, page: confirmForm,
		post: confirmEmail, shown: (*visit).canChangeEmail},
	{path: "leave", post: leave, shown: func(v *visit) bool { return v.byVisit }},
}

// find finds the route of the path.
func (v *visit) find() (route, bool) {
	for _, rt := range routes {
		if args, fits := page.Fits(rt.path, v.Path); fits {
			v.Args = args
			return rt, true
		}
	}
	return route{}, false
}

// answer finds the route and does what it says.
func (v *visit) answer() {
	profile, err := v.partner().Profile(v.Ctx())
	if errors.Is(err, affiliate.ErrNotFound) {
		v.over() // the affiliate was deleted
		return
	}
	if err != nil {
		v.fail(err)
		return
	}
	v.profile = profile
	v.speak(profile.Language)
	rt, found := v.find()
	post := v.R.Method == http.MethodPost
	switch {
	case v.back != "" && !v.Reads():
		v.wrong(http.StatusForbidden, "These are somebody else's pages. Nothing can be changed here.")
	case !found:
		v.missing()
	case rt.path != "leave" && !v.sees() && post:
		v.wrong(http.StatusForbidden, notPossible)
	case rt.path != "leave" && !v.sees():
		v.render(http.StatusOK, view{title: v.T("Your account"), template: "waiting", Data: v.profile.Status})
	case post && !rt.takes(v):
		v.wrong(http.StatusForbidden, notPossible)
	case rt.shown != nil && !rt.shown(v):
		v.missing()
	case !v.Reads() && !(post && rt.post != nil), v.Reads() && rt.page == nil && rt.file == nil:
		v.methodNotAllowed(rt.methods())
	case !v.fitsQuery(rt.params):
		v.missing() // no page has other parameters, so none takes somebody else's id
	case post:
		v.submitted(rt)
	default:
		v.look(rt)
	}
}

const notPossible = "This is not possible for you now."

const (
	paramCursor = page.ParamCursor
	paramDone   = "done"
)

// takes reports whether the forms of the route can be sent.
func (rt route) takes(v *visit) bool {
	return (rt.shown == nil || rt.shown(v)) && (rt.writes == nil || rt.writes(v))
}

// fitsQuery reports whether the query has these parameters alone, each at most once.
func (v *visit) fitsQuery(params []string) bool {
	values, err := url.ParseQuery(v.R.URL.RawQuery)
	for name, all := range values {
		if !slices.Contains(params, name) || len(all) > 1 {
			return false
		}
	}
	return err == nil
}

func (rt route) methods() string {
	switch {
	case rt.post == nil:
		return "GET, HEAD"
	case rt.page == nil:
		return "POST"
	}
	return "GET, HEAD, POST"
}

// look shows a page or a file.
func (v *visit) look(rt route) {
	if rt.file != nil {
		if err := rt.file(v); err != nil {
			v.fail(err)
		}
		return
	}
	shown, err := rt.page(v)
	if err != nil {
		v.fail(err)
		return
	}
	v.render(http.StatusOK, shown)
}

// sees reports whether the affiliate may see the pages: an active one, and one
// who was active, because money may be owed.
func (v *visit) sees() bool {
	switch v.profile.Status {
	case affiliate.AffiliateActive, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned:
		return true
	}
	return false
}

// canSetDetails reports whether the affiliate can say how to be paid.
func (v *visit) canSetDetails() bool {
	return !v.cfg.NoPayoutForm && v.profile.Status == affiliate.AffiliateActive
}

// maxForm is the largest size of a form, in bytes.
const maxForm = 64 << 10

// submitted carries out a form, if these pages made it for this affiliate and
// path.
func (v *visit) submitted(rt route) {
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, maxForm)
	right := v.crossSite.Check(v.R) == nil && v.R.ParseForm() == nil
	switch token := v.R.PostForm.Get(fieldToken); {
	case right && rt.old != nil && v.forms.Old(v.now(), token, v.about(v.Path)...):
		rt.old(v)
		return
	case !right || !v.forms.Valid(v.now(), token, v.about(v.Path)...):
		v.stale()
		return
	}
	for name := range v.R.PostForm {
		if name != fieldToken && !slices.Contains(rt.sent, name) {
			v.missing()
			return
		}
	}
	rt.post(v)
}

// stale answers a form that these pages did not make, or long ago.
func (v *visit) stale() {
	v.wrong(http.StatusForbidden,
		"This form is too old, or it was made for somebody else. Nothing was done. Open its page again.")
}

const tooOld = "This form is too old. Nothing was done. What you typed is still here: look at it, and send it again."

// formToken returns the token of a form that is sent to a path.
func (v *visit) formToken(path string) string { return v.forms.Token(v.now(), v.about(path)...) }

// about returns what a form is made for.
func (v *visit) about(path string) []string {
	return []string{v.program.Config().ID.String(), v.affiliate.String(), path}
}

// done leads to a page that says what was done.
func (v *visit) done(path string) {
	token := v.forms.Once(v.now(), v.about(path+doneSuffix)...)
	v.Lead(v.Root + path + "?" + url.Values{paramDone: {token}}.Encode())
}

// doneSuffix makes of a path the subject of the token in a URL that says that its form was
// carried out.
const doneSuffix = " saved"

// audit writes the line of a change.
func (v *visit) audit(action string, err error) {
	who := "affiliate:" + v.affiliate.String()
	v.auditOf(who, who, action, err)
}

// auditOf writes the line of what somebody changed of an object.
func (v *visit) auditOf(who, object, action string, err error) {
	v.cfg.Logger.InfoContext(context.WithoutCancel(v.Ctx()), "portal action", "actor", who, "action", action, "object", object,
		"program", v.program.Config().ID.String(), "request_id", reqid.Of(v.Ctx()), "outcome", page.Outcome(err))
}

// fail answers an error of the engine.
func (v *visit) fail(err error) {
	why, refused := page.Refusal(err)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		v.missing()
	case refused && why.Reason == affiliate.InvalidQuery && v.R.URL.Query().Has(paramCursor):
		v.render(why.Kind.Status(),
			view{title: v.T(http.StatusText(why.Kind.Status())), template: "wrong",
				Data: page.Problem{Text: v.T(why.Message), First: v.Root + v.Path}})
	case refused:
		v.wrong(why.Kind.Status(), why.Message)
	default:
		v.Failed("page", err)
		v.wrong(http.StatusInternalServerError,
			v.T("Something went wrong. Nothing was changed. The id of the request is %s.",
				reqid.Of(v.Ctx())))
	}
}

func (v *visit) missing() { v.wrong(http.StatusNotFound, "There is no such page.") }

func (v *visit) methodNotAllowed(methods string) {
	v.W.Header().Set("Allow", methods)
	v.wrong(http.StatusMethodNotAllowed, "This page does not take such requests.")
}

// wrong shows a page that says why the asked one cannot be shown.
func (v *visit) wrong(status int, text string) {
	v.render(status, view{title: v.T(http.StatusText(status)), template: "wrong",
		Data: page.Problem{Text: v.T(text)}})
}

// over answers whoever may see nothing: the same bytes for every reason.
func (v *visit) over() {
	if v.cfg.SignIn != nil && v.Reads() && !v.framed(v.R) {
		v.Lead(v.Root + signInPath)
		return
	}
	v.profile = partner.Profile{}
	v.render(http.StatusForbidden,
		view{title: v.T("Your visit is over"), template: "over", Data: v.cfg.Back})
}

// render writes a page.
func (v *visit) render(status int, shown view) {
	shown.visit = v
	v.Write(status, templates()[shown.template], &shown)
}
