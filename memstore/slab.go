package memstore

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
