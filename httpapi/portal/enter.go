package portal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
)

// Visits that a token in a link begins.

// A currentVisitor is the affiliate who is already in the pages.
type currentVisitor struct {
	program   *tributary.Program
	affiliate uuid.UUID
}

// visitorKey is the key of the context value with the affiliate who is in the pages of
// another program at the same place.
type visitorKey struct{}

// here returns the affiliate who is in the pages: by the host's login, else by a
// visit.
func (v *visit) here() (who currentVisitor, known bool, err error) {
	if who, known = v.Ctx().Value(visitorKey{}).(currentVisitor); known {
		return who, true, nil
	}
	known, err = v.admitted()
	return currentVisitor{v.program, v.affiliate}, known, err
}

// enter begins a visit with a token, and redirects to the overview, so that the token
// leaves the address bar. A browser that is in the pages as another affiliate is asked
// first.
func (v *visit) enter() {
	post := v.R.Method == http.MethodPost
	if v.R.Method != http.MethodGet && !post {
		v.methodNotAllowed("GET, POST")
		return
	}
	opened, text, ok := v.token(v.R)
	if !ok {
		v.over()
		return
	}
	who, known, err := v.here()
	switch v.affiliate = who.affiliate; {
	case err != nil:
		v.fail(err)
	case known && who.affiliate == opened.Affiliate:
		v.Lead(v.Root) // these pages are open already
	case known && !post:
		v.choose(who, opened, text)
	case post && !v.chosen(enterPath+text):
		v.stale()
	default:
		v.use(opened, text)
	}
}

// token returns the token of a request.
func (t *Portal) token(r *http.Request) (opened ticket.Ticket, text string, ok bool) {
	if len(t.cfg.Key) == 0 {
		return opened, "", false
	}
	text = r.URL.Query().Get(paramToken)
	opened, ok = t.tokens.Open(text, t.program.Config().ID, t.program.Config().Now())
	return opened, text, ok
}

// A choice is the question between two affiliates: the names of the one in the pages
// and of the token's, that token, and the form's own.
type choice struct{ Here, There, Token, Form string }

// choose asks whether to change from the present affiliate's pages to those of a
// token.
func (v *visit) choose(who currentVisitor, opened ticket.Ticket, text string) {
	there, err := v.program.Partner(opened.Affiliate).Profile(v.Ctx())
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		v.over()
		return
	case err != nil:
		v.fail(err)
		return
	}
	asked := choice{There: there.Name, Token: text, Form: v.formToken(enterPath + text)}
	if mine, err := who.program.Partner(who.affiliate).Profile(v.Ctx()); err == nil {
		asked.Here = mine.Name
	}
	v.render(http.StatusOK, view{title: v.T("Whose pages?"), template: "choose", Data: asked})
}

// chosen reports whether a form with nothing but its token was sent, which these pages made for a
// path.
func (v *visit) chosen(path string) bool {
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, maxForm)
	return v.crossSite.Check(v.R) == nil && v.R.ParseForm() == nil &&
		v.forms.Valid(v.now(), v.R.PostForm.Get(fieldToken), v.about(path)...)
}

// use begins the visit of a token, unless it was used before.
func (v *visit) use(opened ticket.Ticket, text string) {
	sum := sha256.Sum256([]byte(text))
	first, err := v.program.Partner(opened.Affiliate).Spend(v.Ctx(),
		"portal-token-"+base64.RawURLEncoding.EncodeToString(sum[:]))
	switch {
	case err != nil:
		v.fail(err)
	case !first:
		v.over()
	default:
		v.begin(v.W, v.R, opened.Affiliate, atThisPath)
		v.Lead(v.Root)
	}
}

// Many returns the pages of several programs at one place. The token of a request, or
// else its visit, says which program's. A request with neither gets the answer of
// first.
func Many(first *Portal, others ...*Portal) http.Handler {
	all := append([]*Portal{first}, others...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var byToken, byVisit *Portal
		var who currentVisitor
		for _, t := range all {
			if _, _, ok := t.token(r); ok && byToken == nil {
				byToken = t
			}
			if open := t.visitsOf(r); len(open) > 0 && byVisit == nil {
				byVisit, who = t, currentVisitor{t.program, open[0].Affiliate}
			}
		}
		if byToken != nil && byVisit != nil && byToken != byVisit {
			r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, who))
		}
		cmp.Or(byToken, byVisit, first).ServeHTTP(w, r)
	})
}
