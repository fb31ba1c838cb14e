package console

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Forms that are out of date. Each form sends a digest of what it showed, and one that
// edits also sends the value that each of its fields had. So an outdated form is shown
// again with the present values, and never writes a field that nobody touched.

const (
	fieldSeen     = "seen"     // the digest of what the form showed
	fieldRepeated = "repeated" // that of what the page showed that asks once more
	fieldChange   = "change"   // the button that leads from there back to the form
)

// outOfDate is the reason for showing an outdated form again.
const outOfDate affiliate.Reason = "page_out_of_date"

func stalePage(text, field string) *affiliate.Error {
	return &affiliate.Error{Kind: affiliate.KindConflict, Reason: outOfDate, Message: text, Field: field}
}

// statusOf returns the status of the page of a refusal.
func statusOf(why *affiliate.Error) int {
	if why.Reason == outOfDate {
		return http.StatusConflict
	}
	return why.Kind.Status()
}

// digest returns a short digest of what the form shows. It excludes the name of the
// edited object, which may change while another field is edited.
func (f *form) digest() string {
	title := f.Title
	if f.Edits {
		title = ""
	}
	return page.Digest(append([]string{title, f.State}, f.shown()...)...)
}

// shown returns what the form says, beside its fields.
func (f *form) shown() []string {
	said := slices.Clone(f.Effects)
	for _, t := range f.Tables {
		said = append(said, t.Caption)
		for _, row := range t.Rows {
			said = append(said, row...)
		}
	}
	return said
}

// conflicts reports whether a field was changed by the form and by somebody else, to
// different values.
func (f *field) conflicts(sent *input) bool {
	now := plain(f.Value)
	return sent.changed(f.Name) && now != sent.text(wasPrefix+f.Name) && now != sent.text(f.Name)
}

// changedBy reports whether a form says anything new.
func (f *form) changedBy(sent *input) bool {
	for _, field := range f.Fields {
		if sent.changed(field.Name) {
			return true
		}
	}
	return false
}

// said returns a value of a field for people.
func (f *field) said(value string) string {
	if f.Type == "checkbox" {
		if value != "" {
			return "ticked"
		}
		return "not ticked"
	}
	if value = f.chosen(value); plain(value) == "" {
		return "empty"
	}
	return "“" + page.Text(value, page.InList) + "”"
}

// chosen returns a value as its choice says it.
func (f *field) chosen(value string) string {
	for _, o := range f.Options {
		if o.Value == value {
			return o.Text
		}
	}
	return value
}

// A stateComparison is the present form, compared with the one that was sent.
type stateComparison struct {
	form    form
	gone    bool             // what the form is about is not there any more
	refused *affiliate.Error // says that the page is out of date, or that the form no longer exists
	again   form             // what is repeated before it is done
}

// repeats reports whether the page that asks once more was not seen.
func (s *stateComparison) repeats(sent *input) bool { return sent.Get(fieldRepeated) == "" }

// compare finds out whether what a form showed is still true. It reports nothing for a
// deleted object: the action does.
func (v *visit) compare(a *action, sent *input) (s stateComparison, err error) {
	s.form, err = a.form(v)
	sent.fields = s.form.Fields
	if why, refused := page.Refusal(err); refused || errors.Is(err, affiliate.ErrNotFound) {
		if s.gone = errors.Is(err, affiliate.ErrNotFound); !s.gone {
			s.refused = why
		}
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.form.digest() != sent.Get(fieldSeen) {
		s.refused = stalePage("What this page showed has changed meanwhile. Look at what it shows now, and do it again if it is still right.", "")
		return s, nil
	}
	for _, field := range s.form.Fields {
		if s.form.Edits && field.conflicts(sent) {
			s.refused = stalePage("Somebody else has changed "+field.Label+
				" meanwhile. Both values are below.", field.Name)
			return s, nil
		}
	}
	if a.refuses != nil {
		err := a.refuses(v, sent)
		if why, refused := page.Refusal(err); refused || err != nil {
			s.refused = why
			if refused {
				err = nil
			}
			return s, err
		}
	}
	if a.repeat == nil || sent.yes(fieldChange) {
		return s, nil
	}
	s.again, err = a.repeat(v, sent)
	err = sent.wrongOr(err)
	if why, refused := page.Refusal(err); refused {
		s.refused, err = why, nil
	}
	if s.refused == nil && !s.repeats(sent) && page.Digest(s.again.shown()...) != sent.Get(fieldRepeated) {
		s.refused = stalePage("What this would do has changed meanwhile. Look at it again.", "")
	}
	return s, err
}

// askOnceMore shows what a form will do, with every amount, or leads back to the form.
func (v *visit) askOnceMore(a *action, sent *input, s stateComparison) {
	if sent.yes(fieldChange) {
		s.form.keep(sent, false)
		v.askAgain(http.StatusOK, s.form)
		return
	}
	v.askAgain(http.StatusOK, s.form.onceMore(sent, s.again))
}

// repeatAgain shows the page that asks once more, with the present values.
func (v *visit) repeatAgain(a *action, sent *input, f form, why *affiliate.Error) {
	again, err := a.repeat(v, sent)
	err = sent.wrongOr(err)
	if refusal, refused := page.Refusal(err); refused {
		f.blame(refusal)
		f.keep(sent, false)
		v.askAgain(statusOf(refusal), f)
		return
	}
	if err != nil {
		v.fail(err)
		return
	}
	asked := f.onceMore(sent, again)
	asked.Problem = why.Message
	v.askAgain(statusOf(why), asked)
}

// onceMore returns the page that repeats what a form will do.
func (f *form) onceMore(sent *input, again form) form {
	asked := form{Title: "Is this right?", Effects: again.Effects, Tables: again.Tables,
		Button: cmp.Or(again.Button, f.Button), Back: f.Back, Repeats: true, Seen: f.digest()}
	for _, one := range f.Fields {
		asked.Fields = append(asked.Fields, field{Name: one.Name, Type: "hidden", Value: sent.Get(one.Name)})
	}
	asked.Fields = append(asked.Fields,
		field{Name: fieldRepeated, Type: "hidden", Value: page.Digest(again.shown()...)})
	return asked
}
