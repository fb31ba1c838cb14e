package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// An entry is an object of an answer. Its numbers are as the server wrote them.
type entry map[string]any

// notFound is a look-up that found nothing.
type notFound struct{}

func (notFound) Error() string { return "there is no such record (not_found)" }

// read decodes an object.
func read(body []byte) (entry, error) {
	var r entry
	err := decode(body, &r)
	return r, err
}

func decode(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the answer cannot be read: %w", err)
	}
	return nil
}

// at returns the value at a path; nil when it is not there.
func (r entry) at(path string) any {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return r[name]
	}
	inner, _ := r[name].(map[string]any)
	return entry(inner).at(rest)
}

// printJSON prints an answer. What would act on a terminal is escaped, which changes
// no value.
func (j *job) printJSON(body []byte) error {
	j.stdout.Write(escape(body))
	return j.stdout.WriteByte('\n')
}

// header prints the titles of a table.
func (j *job) header() {
	var cells []string
	for _, c := range j.columns {
		if c.title != "" {
			cells = append(cells, pad(c.title, c.width, c.right()))
		}
	}
	j.line(cells)
}

// row prints a record as a line of a table.
func (j *job) row(r entry) {
	var cells []string
	for _, c := range j.columns {
		if c.title == "" {
			continue
		}
		s := j.cell(c, r)
		if list, is := r.at(c.path).([]any); is && len(list) == 0 {
			s = ""
		}
		if c.show == plain || c.show == ident {
			s = cut(s, c.width) // an id is not longer, whatever a server sends
		}
		cells = append(cells, pad(s, c.width, c.right()))
	}
	j.line(cells)
}

func (c column) right() bool { return c.show == count || c.show == money }

func (j *job) line(cells []string) {
	fmt.Fprintln(j.stdout, strings.TrimRight(strings.Join(cells, "  "), " "))
}

// cell returns the text of a field of a record.
func (j *job) cell(c column, r entry) string {
	value := r.at(c.path)
	switch s, isText := value.(string); {
	case value == nil:
		return ""
	case c.show == money:
		return strings.TrimRight(cut(inert(fmt.Sprint(value)), 40)+" "+j.currencyOf(r), " ")
	case c.show == date && isText:
		return j.local(s)
	case isText:
		return inert(s)
	}
	if _, simple := value.(json.Number); !simple && value != true && value != false {
		if short, is := shortOf(value); is {
			return inert(short)
		}
		raw, _ := json.Marshal(value)
		return string(escape(raw))
	}
	return cut(fmt.Sprint(value), 40)
}

// shortOf returns how a record inside another is shown, or several of them: by what
// they are called. Anything else is shown as it is.
func shortOf(value any) (string, bool) {
	switch value := value.(type) {
	case []any:
		var called []string
		for _, one := range value {
			short, is := shortOf(one)
			if !is {
				return "", false
			}
			called = append(called, short)
		}
		return strings.Join(called, ", "), len(called) > 0
	case map[string]any:
		if items, is := value["items"].([]any); is && value["count"] != nil {
			return counted(value, items), true
		}
		if why, is := value["reason"].(string); is && value["message"] != nil {
			return why, true
		}
		id, is := value["id"]
		if !is {
			return "", false
		}
		for _, name := range []string{"name", "code", "link", "email", "url"} {
			if text, ok := value[name].(string); ok && text != "" {
				return text, true
			}
		}
		return fmt.Sprint(id), true
	}
	return "", false
}

// counted returns how a list with its count is shown: 7: Ada X, Ben Y …
func counted(list map[string]any, items []any) string {
	text := fmt.Sprint(list["count"])
	if list["more"] == true {
		text += "+"
	}
	if short, is := shortOf(items); is {
		text += ": " + short
	}
	if list["more"] == true || fmt.Sprint(list["count"]) != fmt.Sprint(len(items)) {
		text += " …"
	}
	return text
}

// local returns a time in local time, to the minute.
func (a *app) local(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return cut(inert(s), 40)
	}
	return t.In(a.zone).Format("2006-01-02 15:04")
}

// currencyOf returns the currency of a record, or that of the program, for which the
// server is asked once. A key that may not ask gets amounts without currency.
func (j *job) currencyOf(r entry) string {
	for _, name := range []string{"currency", "minimumAmountCurrency"} {
		if s, ok := r[name].(string); ok {
			return cut(inert(s), 8)
		}
	}
	if j.currency == nil {
		j.currency = new(string)
		if answer, err := j.client.Do(j.ctx, "GET", "/program", nil, nil); err == nil {
			if settings, err := read(answer.Body); err == nil {
				*j.currency, _ = settings["currency"].(string)
			}
		}
	}
	return cut(inert(*j.currency), 8)
}

// maxText is the largest part of a text that is shown of one record, in characters.
const maxText = 1000

// show prints the answer of a command that is about one record, or about a few
// that it changed.
func (j *job) show(answer reply) error {
	body := bytes.TrimSpace(answer.Body)
	if string(body) == "null" && j.method == "GET" {
		return notFound{}
	}
	if outcome := answer.Header.Get("Sale-Outcome"); outcome != "" && !j.json {
		j.say("outcome: %s", outcome)
	}
	if differs := answer.Header.Get("Sale-Differs"); differs != "" && !j.json {
		j.say("not recorded, because a sale has this id and other contents: %s", inert(differs))
	}
	if ignored := answer.Header.Get("Sale-Ignored"); ignored != "" && !j.json {
		j.say("ignored, because it is no email or name: %s", inert(ignored))
	}
	if j.query != nil || j.json {
		if err := j.printJSON(body); err != nil {
			return err
		}
	} else if err := j.forPeople(body); err != nil {
		return err
	}
	if j.verify != nil && (!j.asked || j.fail) {
		r, err := read(body)
		if err != nil {
			return err
		}
		return j.verify(r)
	}
	return nil
}

// forPeople prints a record, or a table when the answer is an array.
func (j *job) forPeople(body []byte) error {
	switch {
	case string(body) == "null":
		j.say("the server recorded nothing")
		return nil
	case body[0] == '[':
		rows, err := rowsOf(body, "")
		if err != nil {
			return err
		}
		return j.table(rows)
	}
	r, err := read(body)
	if err != nil {
		return err
	}
	names, err := order(body)
	if err != nil {
		return err
	}
	wide := 0
	for _, name := range names {
		wide = max(wide, min(width(inert(name)), 30))
	}
	for _, name := range names {
		c := column{path: name}
		if i := slices.IndexFunc(j.columns, func(c column) bool { return c.path == name }); i >= 0 {
			c = j.columns[i]
		}
		s := ""
		if strings.Contains(name, ".") { // no path
			s = fmt.Sprint(r[name])
		} else if s = j.cell(c, r); c.show == plain && looksLikeTime(s) {
			s = j.local(s)
		}
		j.line([]string{pad(cut(inert(name), 30), wide, false), cut(inert(s), maxText)})
	}
	return nil
}

// looksLikeTime reports whether a text is a time as the API writes it.
func looksLikeTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// order lists the names of an object in the order of the server.
func order(body []byte) ([]string, error) {
	var names []string
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return nil, err
		}
		names = append(names, fmt.Sprint(name))
	}
	return names, nil
}

// A command is one row of the table: what is typed, the operation that it calls,
// its flags and what it shows. Everything that commands have in common is in the
// runner, so that a row is data.
type command struct {
	group, verb string
	what        string // one line of help, without a full stop

	method, path string // the operation; path is what follows /api/v1
	fields       []field
	fixed        map[string]any // fields that the verb itself sets
	arg          string         // the field that is given without a flag; a list takes all such arguments

	paging  paging
	only    bool     // the server looks at one filter only, so two are refused
	rows    string   // the field of the answer that is a list to show as a table
	columns []column // the columns of a list; they also say which fields of a record are money and times

	ask        string         // the action, as the question before it names it; empty: nothing is asked
	preview    map[string]any // what --dry-run adds to the body; nil: there is no --dry-run
	dryPath    string         // where --dry-run asks instead; empty: at path
	dryColumns []column       // of what is answered there
	steps      bool           // the operation is a step of a job; it is called until the job is over
	patient    bool           // the server may take long; a call has no limit and is not sent again

	again  func(entry) bool  // whether the operation is called again, with what it answered
	verify func(entry) error // whether the answer is bad news
	asked  bool              // bad news is an exit code with --fail only
	run    func(*job) error  // instead of the runner
}

// A field is an input of an operation. Its flag is the name in lower case with
// hyphens.
type field struct {
	name string // on the wire
	kind kind
}

type kind uint8

const (
	text    kind = iota
	number       // a JSON number; amounts are exact
	boolean      // true without a value
	texts        // may be given several times
	object       // JSON
)

// paging says where an operation takes limit and cursor.
type paging uint8

const (
	whole   paging = iota // no pages
	inQuery               // and the next page is in the Link header
	inBody                // and the next page is in the field next
)

// A column is one of a table of at most 100 characters.
type column struct {
	title string
	path  string // the field, with dots into objects
	width int    // texts are cut to it; ids, times and money are not
	show  show
}

type show uint8

const (
	plain show = iota
	ident      // never cut
	count      // to the right
	date       // in local time
	money      // to the right, with its currency
)

// groups is the order of the groups in the help.
var groups = []string{
	"affiliates", "referrals", "links", "coupons", "codes", "holds", "sales", "payments", "plans",
	"terms", "budgets", "bonuses", "tiers", "webhooks", "events", "payouts", "balances", "movements", "statements",
	"reports", "adjustments", "cases", "proposals", "program", "attention", "prune", "partner-token", "verify",
}

// commands is the table.
var commands = slices.Concat(
	affiliateCommands, referralCommands, linkCommands, couponCommands, codeCommands, holdCommands,
	saleCommands, paymentCommands,
	planCommands, tierCommands, webhookCommands, eventCommands, payoutCommands, ledgerCommands, programCommands,
)

// find returns the commands of a group, and the one with the verb.
func find(group, verb string) (of []command, one *command) {
	for i, c := range commands {
		if c.group == group {
			of = append(of, c)
			if c.verb == verb {
				one = &commands[i]
			}
		}
	}
	return of, one
}

// fields reads a short notation: names with their kinds after a colon, n for a
// number, b for a boolean, l for a list of texts and j for JSON.
func fields(names ...string) []field {
	kinds := map[byte]kind{'n': number, 'b': boolean, 'l': texts, 'j': object}
	var out []field
	for _, name := range names {
		if n := len(name); n > 2 && name[n-2] == ':' {
			out = append(out, field{name[:n-2], kinds[name[n-1]]})
			continue
		}
		out = append(out, field{name, text})
	}
	return out
}

// fieldsOf returns the members of a body, from the struct that it is read into.
func fieldsOf[T any]() (out []field) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		of := f.Type
		if of.Kind() == reflect.Struct && strings.HasPrefix(of.Name(), "Opt[") {
			of = of.Field(0).Type
		}
		out = append(out, field{name, flagKind(of)})
	}
	return out
}

// flagKind returns how a value of a type is written as a flag.
func flagKind(t reflect.Type) kind {
	switch {
	case t.Kind() == reflect.Bool:
		return boolean
	case t.Kind() == reflect.Int64, t == reflect.TypeFor[affiliate.Amount](), t == reflect.TypeFor[affiliate.Percent]():
		return number
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return texts
	case t.Kind() == reflect.String:
		return text
	}
	return object
}

// writes reports whether a command changes something.
func (c *command) writes() bool { return c.method != "GET" }

// name returns what is typed.
func (c *command) name() string {
	if c.verb == "" {
		return c.group
	}
	return c.group + " " + c.verb
}

// field returns the field with a name.
func (c *command) field(name string) field {
	i := slices.IndexFunc(c.fields, func(f field) bool { return f.name == name })
	return c.fields[i]
}

// acts reports whether a character does something to a terminal instead of being
// shown: control characters, and those that reverse the direction of a text.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// inert returns a text in which such characters are shown, as \x1b.
func inert(s string) string {
	if !strings.ContainsFunc(s, acts) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch _, size := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case acts(r) && r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape returns a JSON text in which such characters are escaped. They can only be
// in its strings; space between its values stays.
func escape(body []byte) []byte {
	if !bytes.ContainsFunc(body, func(r rune) bool { return acts(r) && r > ' ' || r == utf8.RuneError }) {
		return body
	}
	var out []byte
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if acts(r) && r > ' ' || r == utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, body[i:i+size]...)
		}
		i += size
	}
	return out
}

// cut shortens a text to a number of places.
func cut(s string, places int) string {
	if len(s) <= places {
		return s
	}
	used, end := 0, 0 // end: where the text is cut if it must be
	for i, r := range s {
		if used <= places-1 {
			end = i
		}
		if used += places1(r); used > places {
			return s[:end] + "…"
		}
	}
	return s
}

// width returns how many places a text takes on a terminal.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += places1(r)
	}
	return n
}

// places1 returns how many places a character takes: two in the scripts of East Asia
// and for pictures, none for marks that are put on the character before.
func places1(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
		return 2
	}
	return 1
}

// pad fills a text up with spaces.
func pad(s string, places int, right bool) string {
	space := strings.Repeat(" ", max(places-width(s), 0))
	if right {
		return space + s
	}
	return s + space
}
