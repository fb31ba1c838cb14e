package console

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A form has the fields of an action, and a preview of its effect.
type form struct {
	Title   string
	Effects []string // what will happen, for people
	Tables  []table  // the same, where it is of many
	Fields  []field
	Button  string
	Danger  bool   // the button is red: what it does is not taken back easily
	Check   string // the other button, which only looks; empty: there is none
	Back    string // path of the page that it belongs to
	Edits   bool   // it edits an existing object: only changed fields are written
	State   string // what it rests on beside what it shows
	Repeats bool   // it asks once more, and its fields can still be changed

	template string // that shows it; empty: form
	Beside   any    // what that shows beside the fields

	Token, Nonce string
	Seen         string // the digest of what it shows
	Problem      string
}

// A table is a table of texts. Its last columns are numbers.
type table struct {
	Caption string
	Head    []string
	Numbers int // columns
	Rows    [][]string
}

// Field returns the field with a name.
func (f form) Field(name string) field {
	i := slices.IndexFunc(f.Fields, func(one field) bool { return one.Name == name })
	return f.Fields[i]
}

// Number reports whether a column has numbers.
func (t table) Number(i int) bool { return i >= len(t.Head)-t.Numbers }

// A field is one input of a form.
type field struct {
	Name, Label, Hint string
	Type              string // text, email, number, date, url, checkbox, textarea, file, hidden; empty: text, or a choice of Options
	Value             string
	Was               string // Value when the form was made
	Required          bool
	Perhaps           bool // it is required sometimes, as its hint says
	Options           []option
	Wrong             string
	Row               int      // of a table, from 1; 0: it is in none
	Picks             []option // that are offered beside what can be typed
	More              bool     // it is seldom needed, and folded away
	Own               bool     // the action reads it itself, not [input.into]
	In                string   // of an amount: the field with its currency, or pieces
}

// The types of a date that stands for a moment, which is the first or the last one of that
// day; and what an amount is of that is no money.
const (
	firstDay = "first day"
	lastDay  = "last day"
	pieces   = "pieces"
)

// An option is one choice of a field.
type option struct{ Value, Text string }

// Kind returns the type of the field in HTML.
func (f field) Kind() string {
	switch {
	case f.Options != nil:
		return "select"
	case f.Type == "":
		return "text"
	}
	return f.Type
}

// Mark returns what stands beside the label of a field that somebody types into.
func (f field) Mark() string {
	switch {
	case f.Required:
		return "*"
	case f.Perhaps:
		return "(*)"
	}
	return ""
}

// Marks says what the marks of its fields mean; empty: no field has one.
func (f form) Marks() string {
	var said []string
	for _, m := range []struct{ mark, means string }{{"*", "* must be filled in."},
		{"(*)", "(*) must be where its hint says so."}} {
		if slices.ContainsFunc(f.Fields, func(one field) bool {
			return one.Mark() == m.mark && one.Row == 0 && one.Kind() != "checkbox" && one.Kind() != "hidden"
		}) {
			said = append(said, m.means)
		}
	}
	return strings.Join(said, " ")
}

// Uploads reports whether the form sends a file.
func (f form) Uploads() bool {
	for _, field := range f.Fields {
		if field.Type == "file" {
			return true
		}
	}
	return false
}

// sentEvent is the sentence of forms about the events that they send.
var sentEvent = regexp.MustCompile(` ?The event [a-z.]+ is sent[^.]*\.`)

// Said returns what will happen, without the events that are sent.
func (f form) Said() (said []string) {
	for _, text := range f.Effects {
		if text = strings.TrimSpace(sentEvent.ReplaceAllString(text, "")); text != "" {
			said = append(said, text)
		}
	}
	return said
}

// Sent returns what it says of the events that are sent.
func (f form) Sent() (sent []string) {
	for _, text := range f.Effects {
		for _, event := range sentEvent.FindAllString(text, -1) {
			sent = append(sent, strings.TrimSpace(event))
		}
	}
	return sent
}

// Folded returns the fields that are folded away.
func (f form) Folded() (all []field) {
	for _, field := range f.Fields {
		if field.More {
			all = append(all, field)
		}
	}
	return all
}

// Unfolds reports whether one of these has something to say.
func (f form) Unfolds() bool {
	return slices.ContainsFunc(f.Folded(), func(f field) bool { return f.Value != "" || f.Wrong != "" })
}

// Rows returns the fields of a form with a table, row by row.
func (f form) Rows() (rows [][]field) {
	for _, field := range f.Fields {
		if field.Row > len(rows) {
			rows = append(rows, nil)
		}
		if field.Row > 0 {
			rows[field.Row-1] = append(rows[field.Row-1], field)
		}
	}
	return rows
}

// keep puts what was sent into the form. When a field edits an existing object and
// nobody touched it, it gets the present value. both controls a field that somebody
// else has changed too: if set, the form shows the present value, and counts it as
// seen.
func (f *form) keep(sent *input, both bool) {
	for i := range f.Fields {
		field := &f.Fields[i]
		was := sent.Get(wasPrefix + field.Name)
		switch {
		case f.Edits && !sent.changed(field.Name):
			field.Was = field.Value
			continue
		case f.Edits && both && field.conflicts(sent):
			field.Wrong = "Somebody else has changed this from " + field.said(was) + " to " +
				field.said(field.Value) + ". Save it again to write what stands here."
			was = field.Value
		}
		field.Was = was
		if field.Type != "file" && field.Type != "hidden" && field.Type != "password" {
			field.Value = sent.Get(field.Name)
		}
	}
}

// blame shows a refusal at its field.
func (f *form) blame(why *affiliate.Error) {
	f.Problem = why.Message
	for i := range f.Fields {
		if field := &f.Fields[i]; why.Field != "" && field.Name == why.Field {
			field.Wrong = page.Said(why, field.Label)
			f.Problem = field.Wrong
		}
	}
}

// filled returns fields with the values of the members of an object that have their names. A
// member without a value, and the zero of a field that may be empty, is empty.
func (v *visit) filled(object any, fields ...field) []field {
	members := reflect.ValueOf(object)
	all := slices.Clone(fields)
	for i := range all {
		f := &all[i]
		member, found := memberOf(members, f.Name)
		switch {
		case f.Type == firstDay || f.Type == lastDay:
			moment, _ := member.Interface().(affiliate.Opt[affiliate.Time])
			v.fillDay(f, moment)
		case found && f.Value == "":
			f.fill(member.Interface(), member.IsZero())
		}
	}
	return all
}

func (f *field) fill(value any, zero bool) {
	switch value := value.(type) {
	case bool:
		f.Value = ticked(value)
	case []string:
		f.Value = strings.Join(value, "\n")
	case interface{ IsNull() bool }:
		if !zero && !value.IsNull() {
			f.Value = fmt.Sprint(value)
		}
	default:
		if !zero || f.Required {
			f.Value = fmt.Sprint(value)
		}
	}
}

// fillDay fills a date in with the day of a moment. A moment within a day stays one, so that a
// form which is saved as it is changes nothing.
func (v *visit) fillDay(f *field, at affiliate.Opt[affiliate.Time]) {
	of := affiliate.Date.Instant
	if f.Type == firstDay {
		of = affiliate.Date.FirstInstant
	}
	moment, there := at.Get()
	zone := v.program.Config().Location
	day := moment.Time().In(zone).Format(time.DateOnly)
	f.Type = "date"
	switch date, err := affiliate.ParseDate(day); {
	case !there:
	case err == nil && of(date, zone).Equal(moment.Time()):
		f.Value = day
	default:
		f.Type, f.Value = "", moment.String()
	}
}

// options makes choices of the values of an enumeration.
func options[S ~string](values ...S) []option {
	var all []option
	for _, value := range values {
		all = append(all, option{string(value), page.Words(value)})
	}
	return all
}

// orNone returns the choices with one more, for none of them.
func orNone(none string, choices []option) []option {
	return append([]option{{"", none}}, choices...)
}

// box returns a field that is ticked or not.
func box(name, label string, yes bool) field {
	return field{Name: name, Label: label, Type: "checkbox", Value: ticked(yes)}
}

// ownBox returns a box that the action reads itself.
func ownBox(name, label string, yes bool) field {
	f := box(name, label, yes)
	f.Own = true
	return f
}

// ticked returns the value of a checkbox.
func ticked(yes bool) string {
	if yes {
		return "1"
	}
	return ""
}

// typed returns a value as it is typed into a field or stands in a file; of an Opt without one it is empty.
func typed[T any](o affiliate.Opt[T]) string { return page.Typed(o) }
