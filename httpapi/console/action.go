package console

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// An action is the work of a form. GET shows the form and its effect, POST on
// the same path does it.
type action struct {
	name   string // in the audit log, such as sales.refund
	object string // what it changes, such as sale
	done   string // what it has done, for people
	names  string // the field that names the object that it makes; empty: the redirect's path has its id
	form   func(*visit) (form, error)

	// check returns what the button Check finds, for people; nil: there is no such button.
	check func(*visit, form, *input) ([]string, error)

	// refuses says what is wrong with a form that is not out of date, before the engine does;
	// nil: only the engine does.
	refuses func(*visit, *input) error

	// repeat is what the page shows that asks once more: the money that it moves, in Effects
	// and Tables; nil: no such page.
	repeat func(*visit, *input) (form, error)

	do doer
}

const (
	fieldToken = "token"
	fieldNonce = "nonce"
	fieldCheck = "check"
)

// action shows the form of an action, or does it. When a form is sent a second
// time it gets its first answer, so only a form that is sent for the first time
// can be refused as outdated.
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
	in, ok := v.readForm()
	switch v.sent = in; {
	case !ok && in != nil && v.forms.Old(v.now(), in.Get(fieldToken), v.about()...):
		v.again(a, in, stalePage("This form is too old. Nothing was done. What you typed is still here: look at it, and send it again.", ""))
		return
	case !ok:
		v.stale()
		return
	}
	if a.check != nil && in.yes(fieldCheck) {
		v.look(a, in)
		return
	}
	s, err := v.compare(a, in)
	if err != nil {
		v.fail(err)
		return
	}
	switch {
	case s.refused == nil && !s.gone && a.repeat != nil && (s.repeats(in) || in.yes(fieldChange)):
		v.askOnceMore(a, in, s)
	case s.refused == nil && s.form.Edits && !s.form.changedBy(in):
		v.redirect(s.form.Back, unchanged)
	default:
		v.act(a, in, s)
	}
}

// act does what a form asks for.
func (v *visit) act(a *action, in *input, s stateComparison) {
	v.once = affiliate.Once{Key: "console-" + in.Get(fieldNonce), Digest: in.digest(), Refused: s.refused}
	to, err := a.do(v, v.keyed(v.once), in)
	err = in.wrongOr(err)
	v.audit(a, a.made(in, to), err)
	switch {
	case err != nil:
		v.again(a, in, err)
	case v.answered != nil:
		v.render(http.StatusOK, *v.answered)
	default:
		v.redirect(to, a)
	}
}

// keyed returns the program as the actor calls it, with a key.
func (v *visit) keyed(o affiliate.Once) *tributary.Program {
	return v.program.From(affiliate.SourceManual).By(v.actor).Keyed(o)
}

// oneOf is keyed for an action that does something with many objects, each in a call of its own.
func (v *visit) oneOf(id uuid.UUID) *tributary.Program {
	one := v.once
	one.Key += "-" + id.String()
	return v.keyed(one)
}

// made returns the name of what an action has made: from the form, or the last
// part of its path.
func (a *action) made(sent *input, to string) string {
	if a.names != "" {
		return sent.Get(a.names)
	}
	path, _, _ := strings.Cut(to, "?")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// stale answers a form that this console did not make, or long ago.
func (v *visit) stale() {
	v.wrong(http.StatusForbidden,
		"This form is too old, or it was made for somebody else. Nothing was done. Open its page again.")
}

// readForm reads a form that this console made for this actor and path. It
// reports false for any other.
func (v *visit) readForm() (*input, bool) {
	if v.crossSite.Check(v.R) != nil {
		return nil, false
	}
	values, err := parseForm(v.W, v.R)
	if err != nil {
		return nil, false
	}
	nonce := values.Get(fieldNonce)
	return &input{Values: values, currency: v.Currency},
		v.forms.Valid(v.now(), values.Get(fieldToken), v.about()...) && page.IsNonce(nonce)
}

// about returns what a form is made for.
func (v *visit) about() []string {
	return []string{v.program.Config().ID.String(), v.actor, v.Path}
}

// ask shows a form.
func (v *visit) ask(status int, f form) {
	if f.Edits {
		for i := range f.Fields {
			f.Fields[i].Was = f.Fields[i].Value
		}
	}
	v.askAgain(status, f)
}

func (v *visit) askAgain(status int, f form) {
	f = v.seal(f)
	v.render(status, view{title: f.Title, template: cmp.Or(f.template, "form"), Data: f})
}

// seal gives a form its token and its nonce, and what it shows.
func (v *visit) seal(f form) form {
	f.Token, f.Nonce = v.forms.Token(v.now(), v.about()...), page.Nonce()
	f.Seen = cmp.Or(f.Seen, f.digest())
	return f
}

// look shows a form with the findings of its check.
func (v *visit) look(a *action, sent *input) {
	f, err := a.form(v)
	if err != nil {
		v.fail(err)
		return
	}
	sent.fields = f.Fields
	found, err := a.check(v, f, sent)
	if err = sent.wrongOr(err); err != nil {
		v.again(a, sent, err)
		return
	}
	if f, err = a.form(v); err != nil { // what was pressed may have changed its rows
		v.fail(err)
		return
	}
	f.keep(sent, false)
	f.Seen = f.digest()
	f.Effects = append(found, f.Effects...)
	v.askAgain(http.StatusOK, f)
}

// again shows a form with what was sent and the reason for refusing it.
func (v *visit) again(a *action, sent *input, err error) {
	why, refused := page.Refusal(err)
	if !refused {
		v.fail(err)
		return
	}
	f, err := a.form(v)
	if err != nil {
		v.fail(err)
		return
	}
	if why.Reason == outOfDate && sent.Get(fieldRepeated) != "" && sent.Get(fieldSeen) == f.digest() {
		v.repeatAgain(a, sent, f, why)
		return
	}
	f.blame(why)
	f.keep(sent, why.Reason == outOfDate)
	v.askAgain(statusOf(why), f)
}

// audit writes a line for each object of an action that reached the engine.
func (v *visit) audit(a *action, made string, err error) {
	objects := v.objects
	if len(objects) == 0 {
		objects = v.query[paramID]
	}
	if len(objects) == 0 {
		objects = v.Args
	}
	if len(objects) == 0 {
		objects = []string{made}
	}
	for _, object := range objects {
		v.cfg.Logger.InfoContext(context.WithoutCancel(v.Ctx()), "console action", "actor", v.actor, "action", a.name, "object", a.object+":"+page.OneLine(object),
			"program", v.program.Config().ID.String(), "request_id", reqid.Of(v.Ctx()), "outcome", page.Outcome(err))
	}
}

// notAllowed refuses an action that the state of its object does not allow.
func notAllowed(text string) error {
	return &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.StatusNotAllowed, Message: text}
}
