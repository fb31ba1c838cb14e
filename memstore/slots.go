package memstore

import (
	"encoding/binary"

	"github.com/google/uuid"
)

// slots finds the slot of an id. It is a hash table of slots with open
// addressing; the ids are in the slab that every method gets. An entry takes 11
// to 21 bytes, half of what a map with ids as keys takes, and less time. The
// table is divided into parts by the hash, and each part grows by itself, so
// that no transaction waits until a million entries are copied.
type slots struct {
	parts [1 << partBits]part
}

const partBits = 6

// A part is a table of entries. Its length is a power of two, and at most three
// quarters of it are in use.
type part struct {
	entries []entry
	used    int
}

// An entry holds the lower half of an id's hash in its upper 32 bits, and a
// slot plus one in the lower 32. Because of the hash, a search rarely reads the
// id of another entry. A zero entry is free.
type entry uint64

func entryOf(h uint64, slot uint32) entry { return entry(h<<32 | uint64(slot+1)) }

func (e entry) slot() uint32 { return uint32(e) - 1 }

// home is the index of the entry in an otherwise empty part.
func (e entry) home(mask uint64) uint64 { return uint64(e>>32) & mask }

// count is the number of slots in the table.
func (s *slots) count() int {
	n := 0
	for i := range s.parts {
		n += s.parts[i].used
	}
	return n
}

// hash mixes all bits of an id. Most ids are random in the second half; ids
// that are made from a number differ in the last bytes.
func hash(id *uuid.UUID) uint64 {
	h := binary.BigEndian.Uint64(id[:8])*0x9E3779B97F4A7C15 ^ binary.BigEndian.Uint64(id[8:])
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

func (s *slots) part(h uint64) *part { return &s.parts[h>>(64-partBits)] }

// get returns the slot of an id.
func (s *slots) get(of *ids, id *uuid.UUID) (slot uint32, ok bool) {
	h := hash(id)
	p := s.part(h)
	if p.used == 0 {
		return 0, false
	}
	e := p.entries[p.find(of, id, h)]
	return e.slot(), e != 0
}

// add adds a slot whose id is not in the table yet.
func (s *slots) add(of *ids, slot uint32) {
	h := hash(of.at(slot))
	p := s.part(h)
	if 4*(p.used+1) > 3*len(p.entries) {
		p.grow()
	}
	p.place(entryOf(h, slot))
	p.used++
}

// remove removes a slot of the table. It moves later entries back into the
// hole, so that a search for one of them does not stop at the hole.
func (s *slots) remove(of *ids, slot uint32) {
	id := of.at(slot)
	h := hash(id)
	p := s.part(h)
	mask := uint64(len(p.entries) - 1)
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
func (p *part) find(of *ids, id *uuid.UUID, h uint64) uint64 {
	mask := uint64(len(p.entries) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		e := p.entries[at]
		if e == 0 || uint32(e>>32) == uint32(h) && *of.at(e.slot()) == *id {
			return at
		}
	}
}

// place puts an entry into the first free place at or after its home.
func (p *part) place(e entry) {
	mask := uint64(len(p.entries) - 1)
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
