package importer

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/tributary-go/tributary/affiliate"
)

// The bounds of a file's parts.
const (
	maxField = 64 << 10
	maxRow   = 1 << 20
)

// errUTF16 is a file of another encoding than UTF-8.
var errUTF16 = errors.New("importer: the file is in UTF-16; save it as UTF-8")

// A text reads the bytes of a file and counts its lines. It drops a byte order
// mark.
type text struct {
	*bufio.Reader
	line int   // of the next byte, from 1
	read int64 // bytes so far
}

func newText(r io.Reader) (*text, error) {
	t := &text{Reader: bufio.NewReaderSize(r, maxField), line: 1}
	mark, err := t.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case len(mark) == 3 && string(mark) == "\xef\xbb\xbf":
		_, err = t.Discard(3)
		return t, err
	case len(mark) >= 2 && (string(mark[:2]) == "\xff\xfe" || string(mark[:2]) == "\xfe\xff"):
		return nil, errUTF16
	}
	return t, nil
}

// next is the next byte.
func (t *text) next() (byte, error) {
	c, err := t.ReadByte()
	if err == nil {
		t.read++
		if c == '\n' {
			t.line++
		}
	}
	return c, err
}

// back puts the byte back that was read last.
func (t *text) back(c byte) {
	if t.UnreadByte() == nil { // it follows a read
		t.read--
		if c == '\n' {
			t.line--
		}
	}
}

// checkText refuses a field that is too long or no text.
func checkText(field, s string) *affiliate.Error {
	switch {
	case len(s) > maxField:
		return affiliate.FieldTooLong.Of(field)
	case !utf8.ValidString(s):
		return affiliate.FieldBadCharacters.Of(field)
	}
	return nil
}

// A sized file knows how long it is.
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
