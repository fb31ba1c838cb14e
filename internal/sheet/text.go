package sheet

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Text reads a file as UTF-8 without a byte order mark. It is in UTF-16 if its mark says
// so, or the zeros beside its first two letters. What is half a character there becomes
// bytes that are not UTF-8. size is that of the buffer.
//
// Errors: those of r.
func Text(r io.Reader, size int) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(r, size)
	start, err := text.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if order := wide(start); order != nil {
		text = bufio.NewReaderSize(&utf16Reader{from: text, order: order}, size)
	}
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, err = text.Discard(3)
		return text, err
	}
	return text, nil
}

// wide returns the order of the bytes of a file in UTF-16, by its byte order mark, or by
// the zeros beside its first two letters; nil: the file is not in UTF-16.
func wide(start []byte) binary.ByteOrder {
	if len(start) < 2 {
		return nil
	}
	zeros := func(i int) bool {
		return len(start) == 4 && start[i] == 0 && start[i+2] == 0 && start[1-i] != 0 && start[3-i] != 0
	}
	switch {
	case start[0] == 0xff && start[1] == 0xfe || zeros(1):
		return binary.LittleEndian
	case start[0] == 0xfe && start[1] == 0xff || zeros(0):
		return binary.BigEndian
	}
	return nil
}

// A utf16Reader reads UTF-16 as UTF-8. Half of a pair, and half of a unit, become
// bytes that are not UTF-8, so that their row is refused.
type utf16Reader struct {
	from  *bufio.Reader
	order binary.ByteOrder
	ready []byte
	err   error
}

// Read reads the text.
func (r *utf16Reader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.unit()
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// unit makes some characters ready.
func (r *utf16Reader) unit() {
	var out []byte
	for len(out) < 4096 && r.err == nil {
		var c uint16
		if c, r.err = r.next(); r.err != nil {
			break
		}
		switch {
		case !utf16.IsSurrogate(rune(c)):
			out = utf8.AppendRune(out, rune(c))
		default:
			var low uint16
			low, r.err = r.next()
			pair := utf16.DecodeRune(rune(c), rune(low))
			if pair == utf8.RuneError {
				out = append(out, 0xff)
				continue
			}
			out = utf8.AppendRune(out, pair)
		}
	}
	if r.err == io.ErrUnexpectedEOF {
		out, r.err = append(out, 0xff), io.EOF
	}
	r.ready = out
}

// next returns the next unit.
func (r *utf16Reader) next() (uint16, error) {
	var two [2]byte
	_, err := io.ReadFull(r.from, two[:])
	return r.order.Uint16(two[:]), err
}
