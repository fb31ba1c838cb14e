package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// An entry holds the fields of one row of a file, CSV or JSON, by their names. A name
// of several parts, such as "sale.currency", leads into objects.
type entry struct {
	columns map[string]string   // of CSV, by their normalized headers
	key     func(string) string // a header as it is compared
	object  map[string]any      // of JSON
	bad     *affiliate.Error    // the first field that cannot be used
	money                       // how its amounts were read
}

// text returns a field as text; missing and null are empty. A field of another kind is
// refused.
func (e *entry) text(name string) string {
	if e.object == nil {
		return unguarded(trim(e.columns[e.key(name)]))
	}
	value, _ := e.member(name)
	switch value := value.(type) {
	case nil:
		return ""
	case []string: // of all elements of a list
		return strings.Join(value, "\n")
	case string:
		e.refuse(checkText(name, value))
		return strings.TrimSpace(value)
	case json.Number:
		return value.String()
	case bool:
		if value {
			return "true"
		}
		return "false"
	}
	e.refuse(refusal.FieldNotAString.Of(name))
	return ""
}

// member returns a member of the object, and whether it is there.
func (e *entry) member(name string) (value any, found bool) {
	if before, after, all := strings.Cut(name, ".*."); all {
		return e.members(before, after)
	}
	value = e.object
	for part := range strings.SplitSeq(name, ".") {
		if items, listed := value.([]any); listed {
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(items) {
				return nil, false
			}
			value = items[i]
			continue
		}
		object, _ := value.(map[string]any)
		if value, found = object[part]; !found {
			return nil, false
		}
	}
	return value, true
}

// members returns the texts of a member of each object in a list, without empty ones.
func (e *entry) members(list, name string) (value any, found bool) {
	items, _ := e.member(list)
	texts := []string{}
	for _, item := range e.objects(items) {
		if text := item.text(name); text != "" {
			texts = append(texts, text)
		}
		e.refuse(item.bad)
	}
	return texts, items != nil
}

// unguarded returns a text without the apostrophe that services put before a text that
// a spreadsheet would take for a formula.
func unguarded(s string) string {
	rest, guarded := strings.CutPrefix(s, "'")
	if guarded && rest != "" && strings.ContainsRune("=+-@\t\r＝＋－＠", firstRune(rest)) {
		return rest
	}
	return s
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// set adds a field to a row.
func (e *entry) set(name, value string) {
	if e.object != nil {
		e.object[name] = value
		return
	}
	e.columns[e.key(name)] = value
}

// list returns the objects of a list; none in CSV.
func (e *entry) list(name string) []*entry { return e.objects(e.object[name]) }

func (e *entry) objects(list any) (entries []*entry) {
	items, _ := list.([]any)
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			entries = append(entries, &entry{object: object})
		}
	}
	return entries
}

// has reports whether an object has a field that is not null.
func (e *entry) has(name string) bool {
	_, ok := e.object[name].(map[string]any)
	return ok
}

// refuse records the first error.
func (e *entry) refuse(err *affiliate.Error) {
	if e.bad == nil {
		e.bad = err
	}
}

// A file is one file of a service.
type file struct {
	r    io.Reader
	name string
	size int64
	form form
}

// A form describes the rows of a file.
type form struct {
	comma rune                // between fields of CSV; zero: guessed
	key   func(string) string // a header as it is compared; nil: fold
	needs [][]string          // columns that a CSV file must have: of each list one
	json  bool                // CSV is an error
	table string              // the table of a file that has several; empty: it has one
	list  []string            // the members that lead to the list of a file's objects; nil: data, or items
}

// fileOf names a file: by its own name, if it has one. It is nil without a reader.
func fileOf(r io.Reader, name string) *file {
	if r == nil {
		return nil
	}
	if named, ok := r.(interface{ Name() string }); ok && named.Name() != "" {
		name = filepath.Base(named.Name())
	}
	return &file{r: r, name: name, size: sizeOf(r)}
}

// called returns the name of a file that may not be there.
func (f *file) called() string {
	if f == nil {
		return ""
	}
	return f.name
}

// again restarts the file from its beginning. It returns false when that is not
// possible.
func (f *file) again() bool {
	s, ok := f.r.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(-f.size, io.SeekEnd)
	return err == nil
}

// each calls see with every row of the file: with its place, and with its fields or
// the reason why it cannot be used. It ends when see returns false, or with the error
// of the file or of the context.
func (f *file) each(ctx context.Context, see func(Row, *entry) bool) error {
	t, err := newText(f.r)
	if err != nil {
		return f.failed(err)
	}
	first, err := firstOf(t)
	if err != nil {
		return f.failed(err)
	}
	read := f.readCSV
	switch several, err := t.sections(); {
	case err != nil:
		return f.failed(err)
	case several || f.form.table != "":
		if err := t.section(f.form.table); err != nil {
			return f.failed(err)
		}
	case first == '{' || first == '[':
		read = f.readJSON
	}
	return read(ctx, t, see)
}

// firstOf returns the first byte that is no white space; 0 when there is none near the
// beginning. It reads nothing: a tab may be an empty first column.
func firstOf(t *text) (byte, error) {
	start, err := t.Peek(maxField)
	for _, c := range start {
		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			return c, nil
		}
	}
	if err == io.EOF || err == bufio.ErrBufferFull {
		err = nil
	}
	return 0, err
}

func (f *file) readCSV(ctx context.Context, t *text, see func(Row, *entry) bool) error {
	tab, err := newTable(t, f.form.comma)
	if err == io.EOF {
		return nil
	}
	if f.form.json {
		return f.failed(errors.New("it is no JSON, and only the file of affiliates may be CSV"))
	}
	if err != nil {
		return f.failed(err)
	}
	tab.one = f.form.table != ""
	keys, err := f.keys(tab.header)
	if err != nil {
		return f.failed(err)
	}
	for ctx.Err() == nil {
		fields, line, bad, err := tab.row()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return f.failed(err)
		}
		e := &entry{bad: bad, key: f.form.key, columns: make(map[string]string, len(tab.header))}
		if bad == nil {
			for i, key := range keys {
				e.columns[key] = fields[i]
			}
			if totals(fields) {
				e.refuse(refusal.FieldTotals.Of("row"))
			}
		}
		if !see(Row{File: f.name, Line: line, read: t.read, size: f.size}, e) {
			return nil
		}
	}
	return ctx.Err()
}

// keys returns the headers in normalized form. A repeated header, and a missing column
// that is needed, are errors.
func (f *file) keys(header []string) ([]string, error) {
	keys := make([]string, len(header))
	if f.form.key == nil {
		f.form.key = fold
	}
	key := f.form.key
	at := map[string]int{}
	for i, name := range header {
		keys[i] = key(name)
		if before, twice := at[keys[i]]; twice && keys[i] != "" {
			return nil, fmt.Errorf("the header has %q twice, as columns %d and %d", trim(name), before+1, i+1)
		}
		at[keys[i]] = i
	}
	var missing []string
	for _, names := range f.form.needs {
		if !slices.ContainsFunc(names, func(name string) bool { _, found := at[key(name)]; return found }) {
			missing = append(missing, quoted(names, " or "))
		}
	}
	if missing == nil {
		return keys, nil
	}
	return nil, fmt.Errorf("there is no column %s; the file has the columns %s",
		strings.Join(missing, ", "), quoted(header, ", "))
}

// quoted returns names for an error, on one line and without control characters.
func quoted(names []string, between string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(between)
		}
		if b.Len() > 2000 {
			b.WriteString("…")
			break
		}
		fmt.Fprintf(&b, "%.60q", trim(name))
	}
	return b.String()
}

// sums are the words before the totals of a table, from spreadsheets and people.
var sums = []string{
	"total", "totals", "grand total", "subtotal", "sum", "sums", "summe", "gesamt", "gesamtsumme",
	"gesamtbetrag", "zwischensumme", "total général", "total general", "totale", "totaal", "totalt",
	"somme", "suma", "razem", "soma", "итого", "всего", "合計", "合计", "总计",
}

// totals reports whether a row is the totals of a table: its first text is such a
// word, and not every field has a text.
func totals(fields []string) bool {
	word, gap := "", false
	for _, field := range fields {
		text := trim(field)
		gap = gap || text == ""
		if word == "" {
			word = strings.ToLower(strings.TrimRight(text, ": "))
		}
	}
	return gap && slices.Contains(sums, word)
}

func (f *file) readJSON(ctx context.Context, t *text, see func(Row, *entry) bool) error {
	s := &stream{text: t, list: f.form.list}
	for ctx.Err() == nil {
		raw, line, bad, err := s.object()
		if err == io.EOF && bad == nil {
			return nil
		}
		if err != nil && err != io.EOF {
			return f.failed(err)
		}
		e := &entry{bad: bad, object: map[string]any{}}
		if bad == nil {
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			r := jsontext.Reader{MaxDepth: maxLevels, Strict: true}
			if fault := r.Read(raw, nil); fault == jsontext.Twice {
				e.refuse(refusal.RefuseDuplicateField.Of(r.Twice()))
			} else if err := d.Decode(&e.object); err != nil {
				e.refuse(refusal.RefuseJSON.Err())
			}
		}
		if !see(Row{File: f.name, Line: line, read: t.read, size: f.size}, e) {
			return nil
		}
	}
	return ctx.Err()
}

// failed names the file in an error.
func (f *file) failed(err error) error { return &fileError{f.name, err} }

// A fileError ends the reading of a file.
type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string { return "importer: " + e.file + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }
