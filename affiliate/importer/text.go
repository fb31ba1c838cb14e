package importer

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/sheet"
)

// The largest sizes in a file.
const (
	maxField  = 64 << 10
	maxRow    = 1 << 20
	maxLevels = 10_000 // of an object, as many as encoding/json reads
)

// A text reads the bytes of a file, as [sheet.Text] has them, and counts its lines.
type text struct {
	*bufio.Reader
	line  int   // of the next byte, from 1
	read  int64 // bytes so far
	apple bool  // lines end in a carriage return alone
}

func newText(r io.Reader) (*text, error) {
	in, err := sheet.Text(r, maxField)
	if err != nil {
		return nil, err
	}
	t := &text{Reader: in, line: 1}
	start, _ := t.Peek(maxField) // what is there of it
	t.apple = appleLines(start)
	return t, nil
}

// appleLines reports whether the first line, outside of quotes, ends in a carriage
// return alone.
func appleLines(start []byte) bool {
	quoted := false
	for i, c := range start {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 == len(start) || start[i+1] != '\n'
		}
	}
	return false
}

// next returns the next byte.
func (t *text) next() (byte, error) {
	c, err := t.ReadByte()
	if err == nil {
		t.read++
		if t.apple && c == '\r' {
			c = '\n'
		}
		if c == '\n' {
			t.line++
		}
	}
	return c, err
}

// back unreads the last byte.
func (t *text) back(c byte) {
	if t.UnreadByte() == nil { // it follows a read
		t.read--
		if c == '\n' {
			t.line--
		}
	}
}

// tableName is the line before each table of a file that has several, such as [[COMMISSIONS]].
var tableName = regexp.MustCompile(`^\s*\[\[([^\[\]{}"]+)\]\]\s*$`)

// sections reports whether the file has several tables, each with its name before it.
func (t *text) sections() (bool, error) {
	start, err := t.Peek(maxField)
	if err == io.EOF || err == bufio.ErrBufferFull {
		err = nil
	}
	line, _, _ := strings.Cut(strings.TrimLeft(string(start), " \t\r\n"), "\n")
	return tableName.MatchString(line), err
}

// section skips to the header of the table with a name.
func (t *text) section(name string) error {
	var names []string
	for line := []byte(nil); ; {
		c, err := t.next()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil && c != '\n' {
			if len(line) <= maxField {
				line = append(line, c)
			}
			continue
		}
		if m := tableName.FindSubmatch(line); m != nil {
			if names = append(names, string(m[1])); fold(string(m[1])) == fold(name) {
				return nil
			}
		}
		if err == io.EOF {
			return fmt.Errorf("it has the tables %s, and the mapping names the table %q", quoted(names, ", "), name)
		}
		line = line[:0]
	}
}

// checkText refuses a field that is too long or not valid text.
func checkText(field, s string) *affiliate.Error {
	switch {
	case len(s) > maxField:
		return refusal.FieldTooLong.Of(field)
	case !utf8.ValidString(s):
		return refusal.FieldNotUTF8.Of(field)
	}
	return nil
}

// sizeOf returns the size of a file that knows it, else 0.
func sizeOf(r io.Reader) int64 {
	s, ok := r.(io.Seeker)
	if !ok {
		return 0
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return 0
	}
	return end - at
}
