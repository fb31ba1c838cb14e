package memstore

// The largest capacity of a log that is kept for the next transaction. A larger
// log is freed, because large transactions are rare.
const (
	keepChanges = 4096
	keepOlds    = 256
)

// A kind is the kind of a write.
type kind uint8

const (
	inserted kind = iota
	replaced
	deleted
)

// A change is one write. The log also has the record that a replacement
// overwrote. A deleted record is still in its slot.
type change struct {
	kind kind
	slot uint32
}

// A log holds the writes of a transaction to one table, oldest first.
type log[T any] struct {
	changes []change
	olds    []T // the overwritten record of each replacement
	deletes int
}

// note adds a change. With the first change of a transaction it adds the table
// to the program's list of changed tables.
func (tab *table[T]) note(c change) {
	if len(tab.log.changes) == 0 {
		tab.p.changed = append(tab.p.changed, tab)
	}
	tab.log.changes = append(tab.log.changes, c)
	if c.kind == deleted {
		tab.log.deletes++
	}
}

// commit frees the slots of deleted records.
func (tab *table[T]) commit() {
	if tab.log.deletes > 0 {
		for _, c := range tab.log.changes {
			if c.kind == deleted {
				tab.giveSlot(c.slot)
			}
		}
	}
	tab.log.reset()
}

// rollback undoes the changes, newest first.
func (tab *table[T]) rollback() {
	olds := tab.log.olds
	for i := len(tab.log.changes) - 1; i >= 0; i-- {
		c := tab.log.changes[i]
		switch c.kind {
		case inserted:
			tab.detach(c.slot)
			tab.giveSlot(c.slot)
		case deleted:
			tab.attach(c.slot)
		case replaced:
			old := olds[len(olds)-1]
			olds = olds[:len(olds)-1]
			tab.rekey(c.slot, tab.held(c.slot), tab.heldBy(old, tab.keys))
			*tab.rows.at(c.slot) = old
		}
	}
	tab.log.reset()
}

// reset empties the log, so that its records can be garbage collected.
func (l *log[T]) reset() {
	clear(l.olds)
	l.changes, l.olds, l.deletes = l.changes[:0], l.olds[:0], 0
	if cap(l.changes) > keepChanges {
		l.changes = nil
	}
	if cap(l.olds) > keepOlds {
		l.olds = nil
	}
}
