package memstore

import "github.com/tributary-go/tributary/affiliate/record"

// listed marks a ref that is the number of a list and not a slot.
const listed = 1 << 31

// An index maps keys to slots. A unique key has one slot. A shared key has one
// slot too until a second record holds it, because most keys of most Of indexes
// have a single record, and then need no list.
//
// Keys that are IDs are numbered: ids and refs are in slabs by that number, and
// the hash table finds the number of an id. So a new key is written to the end
// of a slab, and a table that grows moves numbers and reads no key.
type index struct {
	name    record.Index
	unique  bool
	byID    bool
	numbers slots // of keys that are IDs
	ids     ids
	refs    slab[uint32]
	unused  []uint32          // numbers not in use
	texts   map[string]uint32 // refs of keys that are Texts
	lists   slab[order]
	free    []uint32 // lists not in use
}

func newIndex(name record.Index) index {
	ix := index{name: name, unique: name.Unique(), byID: name.IsID()}
	if !ix.byID {
		ix.texts = make(map[string]uint32)
	}
	return ix
}

// A place is the entry of an index for a key.
type place struct {
	ix     *index
	known  bool // it has the key
	number uint32
	ref    uint32
}

// find returns the place of a key.
func (ix *index) find(key *record.Key) place {
	pl := place{ix: ix}
	if !ix.byID {
		pl.ref, pl.known = ix.texts[key.Text]
	} else if pl.number, pl.known = ix.numbers.get(&ix.ids, &key.ID); pl.known {
		pl.ref = *ix.refs.at(pl.number)
	}
	return pl
}

// get returns the ref of a key.
func (ix *index) get(key *record.Key) (ref uint32, ok bool) {
	if !ix.byID {
		ref, ok = ix.texts[key.Text]
		return ref, ok
	}
	number, ok := ix.numbers.get(&ix.ids, &key.ID)
	if !ok {
		return 0, false
	}
	return *ix.refs.at(number), true
}

// count returns the number of keys.
func (ix *index) count() int { return ix.numbers.count() + len(ix.texts) }

// add adds a key that the index does not have.
func (ix *index) add(key *record.Key, ref uint32) {
	if !ix.byID {
		ix.texts[key.Text] = ref
		return
	}
	number := ix.newNumber()
	*ix.ids.at(number), *ix.refs.at(number) = key.ID, ref
	ix.numbers.add(&ix.ids, number)
}

func (ix *index) newNumber() uint32 {
	if n := len(ix.unused); n > 0 {
		number := ix.unused[n-1]
		ix.unused = ix.unused[:n-1]
		return number
	}
	ix.ids.grow()
	return ix.refs.grow()
}

// drop removes the key of a place.
func (pl *place) drop(key *record.Key) {
	ix := pl.ix
	if !ix.byID {
		delete(ix.texts, key.Text)
		return
	}
	ix.numbers.remove(&ix.ids, pl.number)
	*ix.refs.at(pl.number) = 0
	ix.unused = append(ix.unused, pl.number)
}

// link adds a slot to the key of a place. A unique key must be free.
func (pl *place) link(of *ids, key *record.Key, slot uint32) {
	ix := pl.ix
	if !pl.known {
		ix.add(key, slot)
		return
	}

	if pl.ref < listed {
		list := ix.newList()
		ix.lists.at(list).insert(of, pl.ref)
		pl.ref = list | listed
		if ix.byID {
			*ix.refs.at(pl.number) = pl.ref
		} else {
			ix.texts[key.Text] = pl.ref
		}
	}
	ix.lists.at(pl.ref&^listed).insert(of, slot)
}

// unlink removes a slot from the key of a place, which has it. The key is
// removed with its last slot.
func (pl *place) unlink(of *ids, key *record.Key, slot uint32) {
	if pl.ref < listed {
		pl.drop(key)
		return
	}

	ix := pl.ix
	list := ix.lists.at(pl.ref &^ listed)
	list.remove(of, slot)
	if len(list.runs) == 0 {
		*list = order{}
		ix.free = append(ix.free, pl.ref&^listed)
		pl.drop(key)
	}
}

func (ix *index) newList() uint32 {
	if n := len(ix.free); n > 0 {
		list := ix.free[n-1]
		ix.free = ix.free[:n-1]
		return list
	}
	return ix.lists.grow()
}
