package jsontext

import "iter"

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
