package importer

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A table reads CSV: fields in quotes may hold separators and line breaks, two quotes
// stand for one, lines end in LF, CRLF or CR, and rows without a text are skipped. A
// first line such as sep=; names the separator, as spreadsheets write it. A field is
// always text, even if it looks like a formula.
type table struct {
	*text
	comma  byte
	header []string
	one    bool // it is one of several in the file, and ends where the next one begins
}

// guesses are the separators that are tried.
const guesses = ",;\t|"

// newTable reads the header. A zero comma is guessed from it.
func newTable(t *text, comma rune) (*table, error) {
	tab := &table{text: t, comma: byte(comma)}
	said := tab.said()
	switch {
	case comma != 0:
	case said != 0:
		tab.comma = said
	default:
		tab.comma = tab.guess()
	}
	for {
		header, _, bad, err := tab.fields()
		if bad != nil {
			err = errors.New("the header: " + bad.Message) // no refusal of a row
		}
		if err != nil || !blank(header) {
			tab.header = header
			return tab, err
		}
	}
}

var sepLine = regexp.MustCompile(`^"?(?i:sep)=([^\r\n"])"?\r?[\n\r]`)

// said reads the line that says the separator; 0: there is none.
func (t *table) said() byte {
	start, _ := t.Peek(16)
	m := sepLine.FindSubmatch(start)
	if m == nil || m[1][0] >= 0x80 {
		return 0
	}
	for range m[0] {
		if c, err := t.next(); err != nil || c == '\n' {
			break
		}
	}
	return m[1][0]
}

// blank reports whether no field has a text.
func blank(fields []string) bool {
	for _, field := range fields {
		if trim(field) != "" {
			return false
		}
	}
	return true
}

// trim removes blanks and invisible characters from both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}

// fold returns a header as it is compared.
func fold(s string) string { return strings.ToLower(trim(s)) }

// guess returns the separator that the first line has most often, outside of quotes.
func (t *table) guess() byte {
	start, _ := t.Peek(maxField) // what is there of it
	start = bytes.TrimLeft(start, "\r\n")
	counts := map[byte]int{}
	quoted := false
	for _, c := range start {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n', c == '\r':
			start = nil
		case bytes.IndexByte([]byte(guesses), c) >= 0:
			counts[c]++
		}
		if start == nil {
			break
		}
	}
	best := byte(',')
	for i := range len(guesses) {
		if c := guesses[i]; counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// next returns the next row; bad says why it cannot be used. The error is io.EOF at
// the end.
func (t *table) row() (fields []string, line int, bad *affiliate.Error, err error) {
	for {
		fields, line, bad, err = t.fields()
		switch {
		case err == nil && bad == nil && blank(fields):
			continue
		case t.one && len(fields) == 1 && tableName.MatchString(fields[0]):
			return nil, line, nil, io.EOF
		case err == nil && bad == nil && len(fields) != len(t.header):
			bad = refusal.FieldNotLikeHeader.Of("row")
		}
		return fields, line, bad, err
	}
}

// fields reads one row. It reads a row that is too long to its end, and keeps no more
// of it than the bound.
func (t *table) fields() (fields []string, line int, bad *affiliate.Error, err error) {
	if err := t.skipEmpty(); err != nil {
		return nil, t.line, nil, err
	}
	line = t.line
	start := t.read
	for {
		field, last, wrong, err := t.field()
		if err != nil {
			return nil, line, nil, err
		}
		switch why := checkText("row", field); {
		case bad != nil:
		case why != nil:
			bad = why
		case t.read-start > maxRow:
			bad = refusal.FieldTooLong.Of("row")
			fields = nil
		default:
			fields = append(fields, field)
		}
		if wrong && bad == nil {
			bad = refusal.FieldUnclosed.Of("row")
		}
		if last != more {
			return fields, line, bad, nil
		}
	}
}

// skipEmpty skips line breaks before a row.
func (t *table) skipEmpty() error {
	for {
		c, err := t.next()
		if err != nil {
			return err
		}
		if c != '\n' && c != '\r' {
			t.back(c)
			return nil
		}
	}
}

// fieldEnd says what comes after a field.
type fieldEnd int

const (
	more fieldEnd = iota // another field
	end                  // the end of the row
)

// field reads a field and what ends it. It keeps one byte more than the bound, so
// that a field that is too long is noticed. wrong reports faulty quotes: the file
// ends inside of them, or a text follows them. In that case an earlier quote was not
// closed, and the rows in between would be lost in this field.
func (t *table) field() (field string, last fieldEnd, wrong bool, err error) {
	var kept []byte
	quoted, began, returned := false, false, false // returned: a carriage return came last
	behind := false                                // the quotes have ended
	for {
		c, err := t.next()
		if err == io.EOF {
			return string(kept), end, wrong || quoted, nil
		}
		if err != nil {
			return "", end, false, err
		}
		switch {
		case quoted && c == '"':
			after, err := t.next()
			if err == nil && after != '"' {
				t.back(after)
			}
			if err != nil || after != '"' {
				quoted, behind = false, true
				continue
			}
		case quoted:
		case c == '"' && !began:
			quoted, began = true, true
			continue
		case c == t.comma:
			return string(kept), more, wrong, nil
		case c == '\n':
			if returned {
				kept = kept[:len(kept)-1]
			}
			return string(kept), end, wrong, nil
		case behind && c != ' ' && c != '\t' && c != '\r':
			wrong = true
		}
		began, returned = true, c == '\r' && !quoted && len(kept) <= maxField
		if len(kept) <= maxField {
			kept = append(kept, c)
		}
	}
}
