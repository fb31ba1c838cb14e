package importer

import (
	"bufio"
	"io"
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
