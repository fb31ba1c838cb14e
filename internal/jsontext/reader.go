// Package jsontext reads JSON text (RFC 8259) for callers that need to know
// more than encoding/json says: duplicate names, the depth, and the text of
// each value. All code that reads JSON byte by byte is here. It also writes
// JSON strings.
//
// A text must be valid UTF-8; the callers check that first.
package jsontext

import (
	"bytes"
	"iter"
)

// A Fault says what is wrong with a text; OK: nothing.
type Fault uint8

const (
	OK       Fault = iota
	Syntax         // it is not JSON
	Trailing       // more text follows the value
	Depth          // more levels of objects and arrays than MaxDepth
	Escape         // an escape is half a surrogate pair, or U+0000 with NoZero
	Twice          // an object has a name twice
)

// A Reader reads JSON text from front to back and stops at the first fault. It
// can be used again for another text, and keeps the memory for long objects.
type Reader struct {
	MaxDepth int  // levels of objects and arrays
	Strict   bool // refuse duplicate names and half surrogate pairs, which encoding/json accepts
	NoZero   bool // refuse escapes of U+0000

	text  []byte
	pos   int
	depth int
	twice string     // the dotted name of a fault Twice
	slots []nameSlot // the memory of an earlier table of names
}

// Read reads one value with white space around it. If the value is an object
// and each is not nil, it calls each for the members in their order, with the
// name without escapes and the text of the value; both share the memory of text.
// The members before a fault have been passed to each.
func (r *Reader) Read(text []byte, each func(name, value []byte)) Fault {
	r.text, r.pos, r.depth = text, 0, 0
	r.space()
	if fault := r.top(each); fault != OK {
		return fault
	}
	if r.space(); r.pos < len(text) {
		return Trailing
	}
	return OK
}

// Twice returns the duplicate name with the names of the objects around it,
// such as product.quantity. It is valid after a fault Twice.
func (r *Reader) Twice() string { return r.twice }

// Room returns how much memory the reader keeps for the next text, in units of
// 8 bytes.
func (r *Reader) Room() int { return len(r.slots) }

// Forget drops the last text.
func (r *Reader) Forget() { r.text, r.twice = nil, "" }

// top reads the value at pos.
func (r *Reader) top(each func(name, value []byte)) Fault {
	if each != nil && r.at('{') {
		return r.object(each)
	}
	return r.value()
}

// value reads any value.
func (r *Reader) value() Fault {
	if r.pos == len(r.text) {
		return Syntax
	}
	switch c := r.text[r.pos]; {
	case c == '{':
		return r.object(nil)
	case c == '[':
		return r.array()
	case c == '"':
		_, fault := r.str()
		return fault
	case c == '-' || isDigit(c):
		return r.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(r.text[r.pos:], []byte(word)) {
			r.pos += len(word)
			return OK
		}
	}
	return Syntax
}

// object reads an object and calls each for its members; nil: for none.
func (r *Reader) object(each func(name, value []byte)) Fault {
	if fault := r.enter(); fault != OK {
		return fault
	}
	if r.space(); !r.take('}') {
		if fault := r.members(each); fault != OK {
			return fault
		}
	}
	r.depth--
	return OK
}

// members reads an object from its first member to its end.
func (r *Reader) members(each func(name, value []byte)) Fault {
	var seen names
	defer seen.free(r)
	for {
		at := r.pos
		name, fault := r.name()
		if fault != OK {
			return fault
		}
		if r.Strict && !seen.add(r, at, name) {
			r.twice = string(name)
			return Twice
		}
		start := r.pos
		if fault := r.value(); fault != OK {
			r.within(name, fault)
			return fault
		}
		if each != nil {
			each(name, r.text[start:r.pos:r.pos])
		}
		if last, fault := r.past('}'); last || fault != OK {
			return fault
		}
	}
}

// within adds the name of the value in which a fault is.
func (r *Reader) within(name []byte, fault Fault) {
	if fault == Twice && len(name) > 0 {
		r.twice = string(name) + "." + r.twice
	}
}

// name reads the name of a member, the colon behind it and white space.
func (r *Reader) name() ([]byte, Fault) {
	quoted, fault := r.str()
	if fault != OK {
		return nil, fault
	}
	if r.space(); !r.take(':') {
		return nil, Syntax
	}
	r.space()
	return content(quoted), OK
}

func (r *Reader) array() Fault {
	if fault := r.enter(); fault != OK {
		return fault
	}
	if r.space(); !r.take(']') {
		for last := false; !last; {
			fault := r.value()
			if fault == OK {
				last, fault = r.past(']')
			}
			if fault != OK {
				return fault
			}
		}
	}
	r.depth--
	return OK
}

// enter reads the bracket that opens an object or array.
func (r *Reader) enter() Fault {
	if r.depth++; r.depth > r.MaxDepth {
		return Depth
	}
	r.pos++
	return OK
}

// past reads the comma after an element, or the end after the last one. An
// element must follow a comma.
func (r *Reader) past(end byte) (last bool, fault Fault) {
	r.space()
	if r.take(',') {
		r.space()
		return false, OK
	}
	if r.take(end) {
		return true, OK
	}
	return false, Syntax
}

func (r *Reader) number() Fault {
	n, ok := ScanNumber(r.text[r.pos:])
	r.pos += n.End
	if !ok {
		return Syntax
	}
	return OK
}

func (r *Reader) space() {
	text, pos := r.text, r.pos
	for pos < len(text) && isSpace(text[pos]) {
		pos++
	}
	r.pos = pos
}

func (r *Reader) at(c byte) bool { return r.pos < len(r.text) && r.text[r.pos] == c }

func (r *Reader) take(c byte) bool {
	if !r.at(c) {
		return false
	}
	r.pos++
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// walkDepth is the limit of encoding/json.
const walkDepth = 10_000

// First returns the first byte that is not white space; 0: there is none.
func First(text []byte) byte {
	for _, c := range text {
		if !isSpace(c) {
			return c
		}
	}
	return 0
}

// Members returns the names of a JSON object, without escapes, and the texts of
// their values, in order. They share the memory of object. A text that is not
// an object has no members. A fault ends the sequence.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		r, more := open(object, '{', '}')
		for last := false; more && !last; {
			name, fault := r.name()
			if fault != OK {
				return
			}
			value, fault := r.element()
			if fault != OK || !yield(name, value) {
				return
			}
			if last, fault = r.past('}'); fault != OK {
				return
			}
		}
	}
}

// Elements returns the texts of the values of a JSON array, in order. They
// share the memory of array. A text that is not an array has no elements. A
// fault ends the sequence.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		r, more := open(array, '[', ']')
		for last := false; more && !last; {
			value, fault := r.element()
			if fault != OK || !yield(value) {
				return
			}
			if last, fault = r.past(']'); fault != OK {
				return
			}
		}
	}
}

// open reads the start of an object or array, and reports whether it has
// elements.
func open(text []byte, start, end byte) (r Reader, more bool) {
	r = Reader{text: text, MaxDepth: walkDepth}
	if r.space(); !r.take(start) {
		return r, false
	}
	r.space()
	return r, !r.take(end)
}

// element reads a value and returns its text.
func (r *Reader) element() ([]byte, Fault) {
	start := r.pos
	fault := r.value()
	return r.text[start:r.pos:r.pos], fault
}
