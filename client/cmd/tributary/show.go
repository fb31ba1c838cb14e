package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// An entry is an object of an answer. Its numbers are as the server wrote them.
type entry map[string]any

// missing is a look-up that found nothing.
type missing struct{}

func (missing) Error() string { return "there is no such record (not_found)" }

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
func (j *job) show(answer answered) error {
	body := bytes.TrimSpace(answer.Body)
	if string(body) == "null" && j.method == "GET" {
		return missing{}
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
