package console

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// A visit is a request that is being answered.
type visit struct {
	*Console
	page.Visit
	actor string
	query url.Values // each parameter at most once, but for ids

	sent     *input         // the form that is being answered; nil: none
	once     affiliate.Once // of that form
	objects  []string       // set by an action that finds its objects itself; none: those of the address
	answered *view          // set by an action that shows something once; nil: it redirects to a page

	payees map[uuid.UUID]string // the names that were looked up
}

func (v *visit) now() time.Time { return v.program.Config().Now() }

// answer finds the route and does what it says.
func (v *visit) answer() {
	if name, asset := strings.CutPrefix(v.Path, "assets/"); asset && v.Reads() && page.ServeAsset(v.W, name) {
		return
	}
	if of, at, seen := v.seen(); seen {
		v.see(of, at)
		return
	}
	rt, found := v.find()
	post := v.R.Method == http.MethodPost
	takes := rt.act != nil || rt.post != nil
	switch {
	case v.cfg.ReadOnly && (post || rt.act != nil):
		v.wrong(http.StatusForbidden, "This console is read only.")
	case !found:
		v.missing()
	case !v.Reads() && !(post && takes):
		v.W.Header().Set("Allow", allowed(takes))
		v.wrong(http.StatusMethodNotAllowed, "This page does not take such requests.")
	default:
		if err := v.readQuery(rt.params); err != nil {
			v.fail(err)
			return
		}
		v.run(rt, post)
	}
}

// allowed returns the methods of a page.
func allowed(takesForms bool) string {
	if takesForms {
		return "GET, HEAD, POST"
	}
	return "GET, HEAD"
}

// run answers a request by its route.
func (v *visit) run(rt route, post bool) {
	switch {
	case rt.act != nil:
		v.action(rt.act, post)
	case post:
		rt.post(v)
	case rt.file != nil:
		if err := rt.file(v); err != nil {
			v.fail(err)
		}
	default:
		shown, err := rt.page(v)
		if err != nil {
			v.fail(err)
			return
		}
		v.render(http.StatusOK, shown)
	}
}

// find finds the route of the path, and what stands at its {}.
func (v *visit) find() (route, bool) {
	for _, rt := range v.routes {
		if args, fits := page.Fits(rt.path, v.Path); fits {
			v.Args = args
			return rt, true
		}
	}
	return route{}, false
}

// readQuery reads the query strictly, as the added routes of the API do.
func (v *visit) readQuery(known []string) error {
	values, err := url.ParseQuery(v.R.URL.RawQuery)
	if err != nil {
		return badQuery("The address of this page cannot be read.")
	}
	for name, all := range values {
		if name != paramDone && !slices.Contains(known, name) {
			return badQuery("Unknown query parameter: " + page.Text(name, 50))
		}
		if len(all) > 1 && name != paramID && name != fieldExcept {
			return badQuery("The parameter " + name + " is there twice.")
		}
	}
	v.query = values
	return nil
}

const (
	paramID     = "id"
	paramCursor = page.ParamCursor
)

func badQuery(text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Message: text}
}

// id returns the n-th argument as an id. What is none names nothing.
func (v *visit) id(n int) (uuid.UUID, error) {
	id, err := uuid.Parse(v.Args[n])
	if err != nil || id.String() != v.Args[n] {
		return uuid.Nil, affiliate.ErrNotFound
	}
	return id, nil
}

// fail answers an error of the engine.
func (v *visit) fail(err error) {
	why, refused := page.Refusal(err)
	switch {
	case errors.Is(err, affiliate.ErrNotFound):
		v.missing()
	case refused && v.query.Get(paramCursor) != "" && why.Reason == affiliate.InvalidQuery:
		first := maps.Clone(v.query)
		first.Del(paramCursor)
		v.render(why.Kind.Status(),
			view{title: titleOf(why.Kind.Status()), template: "wrong",
				Data: page.Problem{Text: why.Message, First: v.Root + v.Path + "?" + first.Encode()}})
	case refused:
		v.wrong(why.Kind.Status(), why.Message)
	case v.Ctx().Err() != nil:
		v.wrong(http.StatusServiceUnavailable, "The request was given up.")
	default:
		v.Failed("page", err)
		v.wrong(http.StatusInternalServerError,
			"Something went wrong. Nothing was changed by this page. The id of the request is "+
				reqid.Of(v.Ctx())+".")
	}
}

func (v *visit) missing() {
	v.wrong(http.StatusNotFound, "There is no such page, or what it showed is gone.")
}

// wrong shows a page that says why the asked one cannot be shown.
func (v *visit) wrong(status int, text string) {
	v.render(status, view{title: titleOf(status), template: "wrong", Data: page.Problem{Text: text}})
}

// titleOf is the title of a page that says what is wrong.
func titleOf(status int) string {
	if status == http.StatusBadRequest {
		return "This cannot be shown"
	}
	return http.StatusText(status)
}

// denied answers those who may not see the program.
func (v *visit) denied() {
	v.W.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.W.WriteHeader(http.StatusForbidden)
	_, _ = v.W.Write([]byte("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Forbidden</title><link rel=\"icon\" href=\"data:,\"><h1>Forbidden</h1><p>You may not see this page.</p></html>\n"))
}

// render writes a page.
func (v *visit) render(status int, shown view) {
	shown.visit = v
	if shown.template != "wrong" {
		if err := shown.countCases(); err != nil {
			v.fail(err)
			return
		}
	}
	v.Write(status, templates()[shown.template], &shown)
}
