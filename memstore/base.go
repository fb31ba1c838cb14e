package memstore

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A base is a table without its records: the ids, their order, and the keys of
// each slot.
type base struct {
	name    string
	byID    slots
	ids     ids
	order   order // every slot in use
	indexes []index
	free    []uint32 // slots not in use
	version uint64   // rises when a slot is added or removed
}

// index returns the By or the Of index of the name.
func (b *base) index(name affiliate.Index, unique bool) (*index, error) {
	for i := range b.indexes {
		if ix := &b.indexes[i]; ix.name == name && ix.unique == unique {
			return ix, nil
		}
	}
	if unique {
		return nil, fmt.Errorf("memstore: find in %s: no unique index %q", b.name, name)
	}
	return nil, fmt.Errorf("memstore: list of %s: no shared index %q", b.name, name)
}

// find returns the slot that holds a unique key.
func (b *base) find(key *affiliate.Key) (uint32, error) {
	ix, err := b.index(key.Index, true)
	if err != nil {
		return 0, err
	}
	slot, ok := ix.get(key)
	if !ok {
		return 0, affiliate.ErrNotFound
	}
	return slot, nil
}

// admit returns an error if the keys of a new record are out of order, or if
// another record holds one of them. It does the work of spread and clash for a
// record that has no keys yet.
func (b *base) admit(keys []affiliate.Key) error {
	i := 0
	for k := range keys {
		key := &keys[k]
		for i < len(b.indexes) && b.indexes[i].name != key.Index {
			i++
		}
		if i == len(b.indexes) {
			return fmt.Errorf("memstore: record of %s: key of %q is out of place", b.name, key.Index)
		}
		if ix := &b.indexes[i]; ix.unique {
			if _, taken := ix.get(key); taken {
				return &affiliate.ExistsError{Index: ix.name}
			}
		}
		i++
	}
	return nil
}

// link gives a slot the keys that admit accepted.
func (b *base) link(slot uint32, keys []affiliate.Key) {
	b.version++
	i := 0
	for k := range keys {
		for b.indexes[i].name != keys[k].Index {
			i++
		}
		b.indexes[i].link(&b.ids, &keys[k], slot)
		i++
	}
}

// spread puts keys into dst, which has one element for each index. An index
// without a key gets the zero Key. Records name their keys in the order of the
// schema.
func (b *base) spread(dst, keys []affiliate.Key) error {
	clear(dst)
	i := 0
	for k := range keys {
		for i < len(dst) && b.indexes[i].name != keys[k].Index {
			i++
		}
		if i == len(dst) {
			return fmt.Errorf("memstore: record of %s: key of %q is out of place", b.name, keys[k].Index)
		}
		dst[i] = keys[k]
		i++
	}
	return nil
}

// clash returns an error if another record holds a unique key of keys. was are
// the keys that the record itself holds.
func (b *base) clash(was, keys []affiliate.Key) error {
	for i := range keys {
		ix, key := &b.indexes[i], &keys[i]
		if !ix.unique || key.Index == "" || *key == was[i] {
			continue
		}
		if _, taken := ix.get(key); taken {
			return &affiliate.ExistsError{Index: ix.name}
		}
	}
	return nil
}

// rekey replaces the keys of a slot.
func (b *base) rekey(slot uint32, was, keys []affiliate.Key) {
	b.version++
	for i := range keys {
		if was[i] == keys[i] {
			continue
		}
		if was[i].Index != "" {
			b.indexes[i].unlink(&b.ids, &was[i], slot)
		}
		if keys[i].Index != "" {
			b.indexes[i].link(&b.ids, &keys[i], slot)
		}
	}
}

// taken reports whether an id is in use. Most new ids come after all others,
// and such an id is not looked up.
func (b *base) taken(id *uuid.UUID) bool {
	if b.order.after(&b.ids, id) {
		return false
	}
	_, ok := b.byID.get(&b.ids, id)
	return ok
}

// enter adds the id of a slot to the hash table and to the order.
func (b *base) enter(slot uint32) {
	b.byID.add(&b.ids, slot)
	b.order.insert(&b.ids, slot)
}

// leave is the reverse of enter.
func (b *base) leave(slot uint32) {
	b.order.remove(&b.ids, slot)
	b.byID.remove(&b.ids, slot)
}
