package memstore

import (
	"encoding/binary"

	"github.com/google/uuid"
)

// slots finds the slot of an id. It is an open hash table of slots: the ids are
// in the slab that every method is given. An entry costs eleven to twenty-one
// bytes, half of what a map with the ids as keys costs, and less time. The
// table is cut into parts by the hash, and each part grows for itself, so that
// no transaction waits for a million entries to move.
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

// An entry is the lower half of an id's hash, above a slot plus one. The hash
// tells nearly all other ids apart without a look at them. Zero is free.
type entry uint64

func entryOf(h uint64, slot uint32) entry { return entry(h<<32 | uint64(slot+1)) }

func (e entry) slot() uint32 { return uint32(e) - 1 }

// home is where the entry would stand in an empty part.
func (e entry) home(mask uint64) uint64 { return uint64(e>>32) & mask }

// count is how many slots there are.
func (s *slots) count() int {
	n := 0
	for i := range s.parts {
		n += s.parts[i].used
	}
	return n
}

// hash spreads an id. Both halves count: most ids are random in the second, the
// ones made of a number in the last bytes.
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

// add enters a slot whose id is not there yet.
func (s *slots) add(of *ids, slot uint32) {
	h := hash(of.at(slot))
	p := s.part(h)
	if 4*(p.used+1) > 3*len(p.entries) {
		p.grow()
	}
	p.place(entryOf(h, slot))
	p.used++
}

// remove takes out a slot that is there. Entries that had to move on because of
// it move back, so that no search stops short.
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

// find returns the place of an id, or the free place where its search ends.
func (p *part) find(of *ids, id *uuid.UUID, h uint64) uint64 {
	mask := uint64(len(p.entries) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		e := p.entries[at]
		if e == 0 || uint32(e>>32) == uint32(h) && *of.at(e.slot()) == *id {
			return at
		}
	}
}

// place puts an entry into the first free place from its home on.
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
