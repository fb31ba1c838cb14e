package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// An entry is one row of a file, CSV or JSON, as its fields by their names. A
// name of several parts, such as "sale.currency", goes into objects.
type entry struct {
	columns map[string]string // of CSV
	object  map[string]any    // of JSON
	bad     *affiliate.Error  // the first field that cannot be used
}

// text is a field as text; missing and null are empty. A field of another kind is
// refused.
func (e *entry) text(name string) string {
	if e.object == nil {
		return strings.TrimSpace(e.columns[name])
	}
	var value any = e.object
	for part := range strings.SplitSeq(name, ".") {
		object, _ := value.(map[string]any)
		value = object[part]
	}
	switch value := value.(type) {
	case nil:
		return ""
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
	e.refuse(affiliate.FieldNotAString.Of(name))
	return ""
}

// set adds a field to a row.
func (e *entry) set(name, value string) {
	if e.object != nil {
		e.object[name] = value
		return
	}
	e.columns[name] = value
}

// list are the objects of a list; none in CSV.
func (e *entry) list(name string) (entries []*entry) {
	items, _ := e.object[name].([]any)
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

// refuse notes the first error.
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
}

// fileOf names a file: by its own name, if it has one. It is nil without a reader.
func fileOf(r io.Reader, name string) *file {
	if r == nil {
		return nil
	}
	if named, ok := r.(interface{ Name() string }); ok && named.Name() != "" {
		name = filepath.Base(named.Name())
	}
	return &file{r, name, sizeOf(r)}
}

// called is the name of a file that may not be there.
func (f *file) called() string {
	if f == nil {
		return ""
	}
	return f.name
}

// again reads the file from its start once more. It reports false when that is
// not possible.
func (f *file) again() bool {
	s, ok := f.r.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(-f.size, io.SeekEnd)
	return err == nil
}

// each calls see with every row of the file: with its place, and with its fields
// or the reason why it cannot be used. It ends when see returns false, with the
// error of the file, or of the context.
func (f *file) each(ctx context.Context, comma rune, see func(Row, *entry) bool) error {
	t, err := newText(f.r)
	if err != nil {
		return f.failed(err)
	}
	first, err := firstOf(t)
	if err != nil {
		return f.failed(err)
	}
	read := f.readCSV
	if first == '{' || first == '[' {
		read = f.readJSON
	}
	return read(ctx, t, comma, see)
}

// firstOf is the first byte that is no white space; 0 when there is none near the
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

func (f *file) readCSV(ctx context.Context, t *text, comma rune, see func(Row, *entry) bool) error {
	tab, err := newTable(t, comma)
	if err == io.EOF {
		return nil
	}
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
		e := &entry{bad: bad, columns: make(map[string]string, len(tab.header))}
		if bad == nil {
			for i, name := range tab.header {
				e.columns[strings.TrimSpace(name)] = fields[i]
			}
		}
		if !see(Row{File: f.name, Line: line, read: t.read, size: f.size}, e) {
			return nil
		}
	}
	return ctx.Err()
}

func (f *file) readJSON(ctx context.Context, t *text, _ rune, see func(Row, *entry) bool) error {
	s := &stream{text: t}
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
			if err := d.Decode(&e.object); err != nil {
				e.refuse(affiliate.RefuseJSON.Err())
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

// A fileError is a file that cannot be read on.
type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string { return "importer: " + e.file + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }
