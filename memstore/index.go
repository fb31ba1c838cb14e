package memstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// listed marks a ref that is the number of a list and not a slot.
const listed = 1 << 31

// An index maps keys to slots. A unique key has one slot. A shared key has one
// slot too until a second record holds it, because most keys of most Of indexes
// have a single record, and then need no list.
type index struct {
	name   affiliate.Index
	unique bool
	byID   bool
	ids    map[uuid.UUID]uint32 // ref of a key that is an ID
	texts  map[string]uint32    // ref of a key that is a Text
	lists  slab[order]
	free   []uint32 // lists not in use
}

func newIndex(name affiliate.Index) index {
	ix := index{name: name, unique: name.Unique(), byID: name.IsID()}
	if ix.byID {
		ix.ids = make(map[uuid.UUID]uint32)
	} else {
		ix.texts = make(map[string]uint32)
	}
	return ix
}

// get returns the ref of a key.
func (ix *index) get(key *affiliate.Key) (ref uint32, ok bool) {
	if ix.byID {
		ref, ok = ix.ids[key.ID]
	} else {
		ref, ok = ix.texts[key.Text]
	}
	return ref, ok
}

func (ix *index) set(key *affiliate.Key, ref uint32) {
	if ix.byID {
		ix.ids[key.ID] = ref
	} else {
		ix.texts[key.Text] = ref
	}
}

func (ix *index) drop(key *affiliate.Key) {
	if ix.byID {
		delete(ix.ids, key.ID)
	} else {
		delete(ix.texts, key.Text)
	}
}

// link adds a slot to a key. A unique key must be free.
func (ix *index) link(of *ids, key *affiliate.Key, slot uint32) {
	if ix.unique {
		ix.set(key, slot)
		return
	}

	ref, ok := ix.get(key)
	if !ok {
		ix.set(key, slot)
		return
	}
	if ref < listed {
		list := ix.newList()
		ix.lists.at(list).append(ref)
		ref = list | listed
		ix.set(key, ref)
	}
	ix.lists.at(ref&^listed).insert(of, slot)
}

// unlink removes a slot from a key that has it. The key is removed with its
// last slot.
func (ix *index) unlink(of *ids, key *affiliate.Key, slot uint32) {
	ref, _ := ix.get(key)
	if ref < listed {
		ix.drop(key)
		return
	}

	list := ix.lists.at(ref &^ listed)
	list.remove(of, slot)
	if len(list.runs) == 0 {
		*list = order{}
		ix.free = append(ix.free, ref&^listed)
		ix.drop(key)
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
