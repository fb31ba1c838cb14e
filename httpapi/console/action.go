package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// An action is what a form does. GET shows what it does and its form, POST on the
// same path does it.
type action struct {
	name   string // in the audit log, such as sales.refund
	object string // what it changes, such as sale
	done   string // what it has done, for people
	names  string // the field that names what it makes; empty: the path of that has its id
	form   func(*visit) (form, error)
	do     func(*visit, *affiliate.Program, url.Values) (to string, err error)
}

// A form is what an action asks, and what it will do.
type form struct {
	Title   string
	Effects []string // what will happen, for people
	Fields  []field
	Button  string
	Back    string // path of the page that it belongs to

	Token, Nonce string
	Problem      string
}

// A field is one input of a form.
type field struct {
	Name, Label, Hint string
	Type              string // text, email, number, date, checkbox, select, hidden
	Value             string
	Required          bool
	Options           []option
	Wrong             string
}

// An option is one choice of a field.
type option struct{ Value, Text string }

// maxForm is how many bytes a form may have.
const maxForm = 1 << 20

const (
	fieldToken = "token"
	fieldNonce = "nonce"
)

// action shows the form of an action, or does it. A form that is sent again finds
// its answer, so what it does comes before the form is made anew.
func (v *visit) action(a *action, post bool) {
	if !post {
		f, err := a.form(v)
		if err != nil {
			v.fail(err)
			return
		}
		v.ask(http.StatusOK, f)
		return
	}
	values, ok := v.readForm()
	if !ok {
		v.stale()
		return
	}
	once := affiliate.Once{Key: "console-" + values.Get(fieldNonce)}
	to, err := a.do(v, v.program.From(affiliate.SourceManual).Keyed(once), values)
	v.audit(a, a.made(values, to), err)
	if err != nil {
		v.again(a, values, err)
		return
	}
	v.w.Header().Set("Location", v.root+to+"?"+paramDone+"="+a.name)
	v.w.WriteHeader(http.StatusSeeOther)
}

// made names what an action has made: by what the form calls it, or by the last
// part of its path.
func (a *action) made(sent url.Values, to string) string {
	if a.names != "" {
		return sent.Get(a.names)
	}
	return to[strings.LastIndexByte(to, '/')+1:]
}

// stale answers a form that this console did not make, or long ago.
func (v *visit) stale() {
	v.wrong(http.StatusForbidden, "This form is too old, or it was made for somebody else. Nothing was done. Open its page again.")
}

// readForm reads a form that this console made for this actor and path. It
// reports false for any other.
func (v *visit) readForm() (url.Values, bool) {
	if v.crossSite.Check(v.r) != nil {
		return nil, false
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if v.r.ParseForm() != nil {
		return nil, false
	}
	values := v.r.PostForm
	nonce := values.Get(fieldNonce)
	return values, v.forms.Valid(v.now(), values.Get(fieldToken), v.about()...) && nonce != "" && len(nonce) <= 64 && !strings.ContainsFunc(nonce, notPlain)
}

func notPlain(r rune) bool { return r <= ' ' || r > '~' }

// about is what a form is made for.
func (v *visit) about() []string {
	return []string{v.program.Config().ID.String(), v.actor, v.path}
}

// ask shows a form.
func (v *visit) ask(status int, f form) {
	f = v.seal(f)
	v.show(status, view{title: f.Title, template: "form", Data: f})
}

// seal gives a form its token and its nonce.
func (v *visit) seal(f form) form {
	f.Token, f.Nonce = v.forms.Token(v.now(), v.about()...), page.Nonce()
	return f
}

// again shows a form with what was sent and why it was refused.
func (v *visit) again(a *action, sent url.Values, err error) {
	why, isRefusal := errors.AsType[*affiliate.Error](err)
	if !isRefusal || why.Kind == affiliate.KindInternal {
		v.fail(err)
		return
	}
	f, err := a.form(v)
	if err != nil {
		v.fail(err)
		return
	}
	f.Problem = why.Message
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Type != "hidden" {
			field.Value = sent.Get(field.Name)
		}
		if why.Field != "" && field.Name == why.Field {
			field.Wrong = why.Message
		}
	}
	v.ask(why.Kind.Status(), f)
}

// audit writes a line for each object of an action that reached the engine.
func (v *visit) audit(a *action, made string, err error) {
	outcome := "ok"
	if refused, ok := errors.AsType[*affiliate.Error](err); ok {
		outcome = string(refused.Reason)
	} else if err != nil {
		outcome = "failed"
	}
	objects := v.query[paramID]
	if len(objects) == 0 {
		objects = v.args
	}
	if len(objects) == 0 {
		objects = []string{made}
	}
	for _, object := range objects {
		v.cfg.Logger.InfoContext(context.WithoutCancel(v.ctx()), "console action", "actor", v.actor, "action", a.name, "object", a.object+":"+actorName(object),
			"program", v.program.Config().ID.String(), "request_id", reqid.Of(v.ctx()), "outcome", outcome)
	}
}

// notAllowed refuses an action that the state of its object does not allow.
func notAllowed(text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.StatusNotAllowed, Message: text}
}

// options makes choices of the values of an enumeration.
func options[S ~string](values ...S) []option {
	var all []option
	for _, value := range values {
		all = append(all, option{string(value), words(value)})
	}
	return all
}

// oneOf reads a value of an enumeration; what is none of them is refused by the
// engine as it is.
func oneOf[S ~string](sent url.Values, name string, values ...S) (S, bool) {
	value := S(sent.Get(name))
	return value, slices.Contains(values, value)
}

// amount reads an amount. A text that is none is refused at its field.
func amount(sent url.Values, name string) (affiliate.Amount, error) {
	text := strings.TrimSpace(strings.ReplaceAll(sent.Get(name), ",", ""))
	n, err := affiliate.ParseAmount(text)
	if err != nil {
		return n, wrongField(name, "Enter an amount, such as 12.50.")
	}
	return n, nil
}

func wrongField(name, text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Message: text, Field: name}
}
