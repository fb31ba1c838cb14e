package memstore

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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

	places []place // of the keys of a new record, between admit and link
	warmed entry   // what touch has read
}

// index returns the By or the Of index of the name.
func (b *base) index(name record.Index, unique bool) (*index, error) {
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

// slotOf returns the slot of an id.
func (b *base) slotOf(id *uuid.UUID) (slot uint32, ok bool) {
	return b.byID.get(&b.ids, id)
}

// find returns the slot that holds a unique key.
func (b *base) find(key *record.Key) (uint32, error) {
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
// record that has no keys yet, and finds the places of the keys for link.
func (b *base) admit(id *uuid.UUID, keys []record.Key) error {
	if err := b.locate(keys); err != nil {
		return err
	}
	b.touch(id, keys)
	for k := range b.places {
		pl := &b.places[k]
		*pl = pl.ix.find(&keys[k])
		if pl.known && pl.ix.unique {
			return &record.ExistsError{Index: pl.ix.name}
		}
	}
	return nil
}

// locate sets the places of keys to their indexes.
func (b *base) locate(keys []record.Key) error {
	b.places = b.places[:0]
	i := 0
	for k := range keys {
		for i < len(b.indexes) && b.indexes[i].name != keys[k].Index {
			i++
		}
		if i == len(b.indexes) {
			return fmt.Errorf("memstore: record of %s: key of %q is out of place", b.name, keys[k].Index)
		}
		b.places = append(b.places, place{ix: &b.indexes[i]})
		i++
	}
	return nil
}

// touch reads the entries of a new id and of the ids among its keys, and does
// nothing with them. In a large table none of them is in the processor's cache.
// These reads do not depend on each other, so the processor waits for all of
// them at once and not for one after the other (BenchmarkRealSale).
func (b *base) touch(id *uuid.UUID, keys []record.Key) {
	warmed := b.byID.touch(id)
	for k := range b.places {
		if ix := b.places[k].ix; ix.byID {
			warmed ^= ix.numbers.touch(&keys[k].ID)
		}
	}
	b.warmed = warmed
}

// link gives a slot the keys that admit accepted.
func (b *base) link(slot uint32, keys []record.Key) {
	b.version++
	for k := range b.places {
		b.places[k].link(&b.ids, &keys[k], slot)
	}
}

// spread puts keys into dst, which has one element for each index. An index
// without a key gets the zero Key. Records name their keys in the order of the
// schema.
func (b *base) spread(dst, keys []record.Key) error {
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
func (b *base) clash(was, keys []record.Key) error {
	for i := range keys {
		ix, key := &b.indexes[i], &keys[i]
		if !ix.unique || key.Index == "" || *key == was[i] {
			continue
		}
		if _, taken := ix.get(key); taken {
			return &record.ExistsError{Index: ix.name}
		}
	}
	return nil
}

// rekey replaces the keys of a slot.
func (b *base) rekey(slot uint32, was, keys []record.Key) {
	b.version++
	for i := range keys {
		if was[i] == keys[i] {
			continue
		}
		if was[i].Index != "" {
			pl := b.indexes[i].find(&was[i])
			pl.unlink(&b.ids, &was[i], slot)
		}
		if keys[i].Index != "" {
			pl := b.indexes[i].find(&keys[i])
			pl.link(&b.ids, &keys[i], slot)
		}
	}
}

// taken reports whether an id is in use. Most new ids come after all others,
// and such an id is not looked up.
func (b *base) taken(id *uuid.UUID) bool {
	if b.order.after(id) {
		return false
	}
	_, ok := b.slotOf(id)
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
