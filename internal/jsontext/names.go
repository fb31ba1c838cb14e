package jsontext

import (
	"bytes"
	"hash/maphash"
)

// manyNames is the number of names of an object that are compared one by one.
// More of them are kept in a hash table.
const manyNames = 16

// names is the set of the names of one object: a list while they are few, a
// hash table when they are many.
type names struct {
	few  [manyNames][]byte
	at   [manyNames]uint32 // where each of them starts
	n    int
	many *nameTable // nil: there are few
}

// add adds a name that starts at an offset of the text, and reports whether it
// is new.
func (s *names) add(r *Reader, at int, name []byte) bool {
	if s.many != nil {
		return s.many.add(uint32(at), name)
	}
	for _, known := range s.few[:s.n] {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if s.n < manyNames {
		s.few[s.n], s.at[s.n] = name, uint32(at)
		s.n++
		return true
	}
	s.many = newNameTable(r)
	for i, known := range s.few {
		s.many.add(s.at[i], known)
	}
	return s.many.add(uint32(at), name)
}

// free gives the memory of the table back to the reader.
func (s *names) free(r *Reader) {
	if s.many != nil {
		r.slots = s.many.slots
	}
}

// A nameTable is a set of names by their hash. The sender of a body does not
// know the seed, and so cannot choose names that collide. The table holds
// offsets into the text instead of names, so that a body of many names does not
// need many times its own memory.
type nameTable struct {
	seed  maphash.Seed
	text  []byte
	slots []nameSlot // their number is a power of two; at most half are taken
	n     int
}

// A nameSlot is half a hash and the offset at which a name starts. No name
// starts at 0, so the zero slot is empty.
type nameSlot struct{ hash, at uint32 }

// newNameTable makes a table in the memory that the reader kept, if any.
func newNameTable(r *Reader) *nameTable {
	t := &nameTable{seed: maphash.MakeSeed(), text: r.text, slots: r.slots}
	clear(t.slots)
	r.slots = nil
	return t
}

func (t *nameTable) add(at uint32, name []byte) bool {
	if len(t.slots) <= 2*t.n {
		t.grow()
	}
	s := nameSlot{uint32(maphash.Bytes(t.seed, name)), at}
	last := len(t.slots) - 1
	for i := int(s.hash) & last; ; i = (i + 1) & last {
		known := t.slots[i]
		if known.at == 0 {
			t.slots[i] = s
			t.n++
			return true
		}
		if known.hash == s.hash && bytes.Equal(t.name(known), name) {
			return false
		}
	}
}

// name returns the name in a slot.
func (t *nameTable) name(s nameSlot) []byte {
	r := Reader{text: t.text, pos: int(s.at)}
	quoted, _ := r.str() // it was read before
	return content(quoted)
}

func (t *nameTable) grow() {
	old := t.slots
	t.slots = make([]nameSlot, max(8*manyNames, 4*len(old)))
	last := len(t.slots) - 1
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := int(s.hash) & last
		for t.slots[i].at != 0 {
			i = (i + 1) & last
		}
		t.slots[i] = s
	}
}
