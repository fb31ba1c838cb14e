package memstore

import (
	"encoding/binary"

	"github.com/google/uuid"
)

// slots finds the slot of an id. It is a hash table of slots with open
// addressing; the ids are in the slab that every method gets. An entry takes 11
// to 21 bytes, half of what a map with ids as keys takes, and less time.
//
// A table with many entries is divided into parts by the hash, and each part
// grows by itself, so that no transaction waits until a million entries are
// copied. A table with few entries is a single part.
type slots struct {
	parts []part // none, one, or 1 << partBits
}

const (
	partBits = 6
	maxWhole = 768 // entries of a table that is a single part
)

// A part is a table of entries. Its length is a power of two, and at most three
// quarters of it are in use.
type part struct {
	entries []entry
	used    int
}

// An entry holds the hash of an id in its upper 32 bits, and a slot plus one in
// the lower 32. Because of the hash, a search rarely reads another id, and no
// id is read when a part grows. A zero entry is free.
type entry uint64

func entryOf(h, slot uint32) entry { return entry(h)<<32 | entry(slot+1) }

func (e entry) slot() uint32 { return uint32(e) - 1 }

func (e entry) hash() uint32 { return uint32(e >> 32) }

// home returns the index of the entry in an otherwise empty part.
func (e entry) home(mask uint32) uint32 { return e.hash() & mask }

// hash mixes all bits of an id. Most ids are random in the second half; ids
// that are made from a number differ in the last bytes.
func hash(id *uuid.UUID) uint32 {
	h := binary.BigEndian.Uint64(id[:8])*0x9E3779B97F4A7C15 ^ binary.BigEndian.Uint64(id[8:])
	h *= 0xD6E8FEB86659FD93
	return uint32(h ^ h>>32)
}

// count returns the number of slots in the table.
func (s *slots) count() int {
	n := 0
	for i := range s.parts {
		n += s.parts[i].used
	}
	return n
}

// part returns the part for a hash. The table must not be empty. The upper bits of
// the hash choose the part, and the lower ones the place in it.
func (s *slots) part(h uint32) *part {
	if len(s.parts) == 1 {
		return &s.parts[0]
	}
	return &s.parts[h>>(32-partBits)]
}

// get returns the slot of an id.
func (s *slots) get(of *ids, id *uuid.UUID) (slot uint32, ok bool) {
	if len(s.parts) == 0 {
		return 0, false
	}
	h := hash(id)
	p := s.part(h)
	if p.used == 0 {
		return 0, false
	}
	e := p.entries[p.find(of, id, h)]
	return e.slot(), e != 0
}

// touch reads the entry where the search for an id begins. See [base.touch].
func (s *slots) touch(id *uuid.UUID) entry {
	if len(s.parts) == 0 {
		return 0
	}
	h := hash(id)
	p := s.part(h)
	if len(p.entries) == 0 {
		return 0
	}
	return p.entries[h&p.mask()]
}

// add adds a slot whose id is not in the table yet.
func (s *slots) add(of *ids, slot uint32) {
	switch {
	case len(s.parts) == 0:
		s.parts = make([]part, 1)
	case len(s.parts) == 1 && s.parts[0].used == maxWhole:
		s.divide()
	}
	h := hash(of.at(slot))
	s.part(h).add(entryOf(h, slot))
}

// divide moves the entries of a whole table into parts.
func (s *slots) divide() {
	whole := s.parts[0].entries
	s.parts = make([]part, 1<<partBits)
	for _, e := range whole {
		if e != 0 {
			s.part(e.hash()).add(e)
		}
	}
}

// remove removes a slot of the table. It moves later entries back into the
// hole, so that a search for one of them does not stop at the hole.
func (s *slots) remove(of *ids, slot uint32) {
	id := of.at(slot)
	h := hash(id)
	p := s.part(h)
	mask := p.mask()
	hole := p.find(of, id, h)
	for at := (hole + 1) & mask; p.entries[at] != 0; at = (at + 1) & mask {
		home := p.entries[at].home(mask)
		if (at-home)&mask >= (at-hole)&mask {
			p.entries[hole] = p.entries[at]
			hole = at
		}
	}
	p.entries[hole] = 0
	p.used--
}

// find returns the index of an id's entry, or of the free entry where its
// search ends.
func (p *part) find(of *ids, id *uuid.UUID, h uint32) uint32 {
	mask := p.mask()
	for at := h & mask; ; at = (at + 1) & mask {
		e := p.entries[at]
		if e == 0 || e.hash() == h && *of.at(e.slot()) == *id {
			return at
		}
	}
}

func (p *part) mask() uint32 { return uint32(len(p.entries) - 1) }

// add makes room for an entry and places it.
func (p *part) add(e entry) {
	if 4*(p.used+1) > 3*len(p.entries) {
		p.grow()
	}
	p.place(e)
	p.used++
}

// place puts an entry into the first free place at or after its home.
func (p *part) place(e entry) {
	mask := p.mask()
	at := e.home(mask)
	for p.entries[at] != 0 {
		at = (at + 1) & mask
	}
	p.entries[at] = e
}

// grow doubles the part.
func (p *part) grow() {
	old := p.entries
	p.entries = make([]entry, max(8, 2*len(old)))
	for _, e := range old {
		if e != 0 {
			p.place(e)
		}
	}
}

// slabRows is the number of values in a block of a slab.
const slabRows = 256

// A slab is a growing array in blocks. Only the first block is copied, while it
// grows to its full size. So a small program needs little memory, and a large
// one never waits until a million rows are copied.
type slab[T any] struct {
	blocks [][]T // all full but the last
}

// at returns a pointer to the value of a slot. It is valid until the slab
// grows.
func (s *slab[T]) at(slot uint32) *T {
	return &s.blocks[slot/slabRows][slot%slabRows]
}

// len returns the number of values.
func (s *slab[T]) len() uint32 {
	last := len(s.blocks) - 1
	if last < 0 {
		return 0
	}
	return uint32(last*slabRows + len(s.blocks[last]))
}

// grow adds one zero value and returns its slot.
func (s *slab[T]) grow() uint32 {
	last := len(s.blocks) - 1
	switch {
	case last < 0:
		s.blocks = append(s.blocks, make([]T, 0, 4))
		last = 0
	case len(s.blocks[last]) == slabRows:
		s.blocks = append(s.blocks, make([]T, 0, slabRows))
		last++
	case len(s.blocks[last]) == cap(s.blocks[last]):
		bigger := make([]T, len(s.blocks[last]), min(2*len(s.blocks[last]), slabRows))
		copy(bigger, s.blocks[last])
		s.blocks[last] = bigger
	}

	n := len(s.blocks[last])
	s.blocks[last] = s.blocks[last][:n+1]
	return uint32(last*slabRows + n)
}
