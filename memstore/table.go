package memstore

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A table holds the records of one type in one program.
//
// The lock of the program guards all of it but pasts, which history.mu guards:
// see [program]. No method that runs with history.mu alone may use another
// field, except for name, fixed and the names of the indexes, which do not
// change after open.
type table[T record.Record[T]] struct {
	base
	p     *program
	rows  slab[T]
	log   log[T]
	fixed bool       // records have no slice and no map, so they need no Clone
	pasts []*past[T] // what the Views of held moments see, oldest first

	// Buffers for the keys of a written record and of the record that it
	// replaces: raw and rawOld as the records name them, keys and keyed spread
	// over the indexes. none is always empty.
	raw, rawOld       []record.Key
	keys, keyed, none []record.Key
}

// open makes an empty table.
func (tab *table[T]) open(p *program, schema record.TableSchema) {
	tab.p, tab.name, tab.fixed = p, schema.Name, schema.Flat

	n := len(schema.Indexes)
	tab.indexes = make([]index, n)
	for i, name := range schema.Indexes {
		tab.indexes[i] = newIndex(name)
	}
	room := make([]record.Key, 5*n)
	tab.places = make([]place, 0, n)
	tab.raw, tab.rawOld = room[:0:n], room[n:n:2*n]
	tab.keys, tab.keyed, tab.none = room[2*n:3*n], room[3*n:4*n], room[4*n:]
}

func (tab *table[T]) insert(rec T) error {
	id := rec.RecordID()
	if id == uuid.Nil {
		return fmt.Errorf("memstore: insert into %s: the record has no id", tab.name)
	}
	if tab.taken(&id) {
		return &record.ExistsError{}
	}
	tab.raw = rec.AppendKeys(tab.raw[:0])
	if err := tab.admit(&id, tab.raw); err != nil {
		return err
	}

	slot := tab.takeSlot()
	*tab.ids.at(slot) = id
	tab.put(slot, &rec)
	tab.enter(slot)
	tab.link(slot, tab.raw)
	tab.note(change{inserted, slot})
	return nil
}

func (tab *table[T]) replace(rec T) error {
	id := rec.RecordID()
	slot, ok := tab.slotOf(&id)
	if !ok {
		return affiliate.ErrNotFound
	}

	row := tab.rows.at(slot)
	tab.raw = rec.AppendKeys(tab.raw[:0])
	tab.rawOld = (*row).AppendKeys(tab.rawOld[:0])
	if !slices.Equal(tab.raw, tab.rawOld) {
		if err := tab.spread(tab.keys, tab.raw); err != nil {
			return err
		}
		if err := tab.spread(tab.keyed, tab.rawOld); err != nil {
			return err
		}
		if err := tab.clash(tab.keyed, tab.keys); err != nil {
			return err
		}
		tab.rekey(slot, tab.keyed, tab.keys)
	}

	tab.note(change{replaced, slot})
	tab.log.olds = append(tab.log.olds, *row)
	tab.put(slot, &rec)
	return nil
}

// delete removes the record from every order and index. The record stays in its
// slot until the commit, so that a rollback can restore it.
func (tab *table[T]) delete(id uuid.UUID) error {
	slot, ok := tab.slotOf(&id)
	if !ok {
		return affiliate.ErrNotFound
	}
	tab.detach(slot)
	tab.note(change{deleted, slot})
	return nil
}

// attach adds the record of a slot to every order and index. Its keys must be
// free.
func (tab *table[T]) attach(slot uint32) {
	tab.enter(slot)
	tab.rekey(slot, tab.none, tab.held(slot))
}

// detach is the reverse of attach.
func (tab *table[T]) detach(slot uint32) {
	tab.rekey(slot, tab.held(slot), tab.none)
	tab.leave(slot)
}

// held returns the keys of the record in a slot, spread over the indexes.
func (tab *table[T]) held(slot uint32) []record.Key {
	return tab.heldBy(*tab.rows.at(slot), tab.keyed)
}

// heldBy returns the keys of a record that is or was in the table, spread over
// dst.
func (tab *table[T]) heldBy(rec T, dst []record.Key) []record.Key {
	tab.rawOld = rec.AppendKeys(tab.rawOld[:0])
	if err := tab.spread(dst, tab.rawOld); err != nil {
		panic(err) // they were in order when the record was written
	}
	return dst
}

// copyOf returns a copy of the record in a slot.
func (tab *table[T]) copyOf(slot uint32) T {
	if tab.fixed {
		return *tab.rows.at(slot)
	}
	return (*tab.rows.at(slot)).Clone()
}

// own makes a record that is in the table too, or in a past, the caller's own.
func (tab *table[T]) own(rec T) T {
	if tab.fixed {
		return rec
	}
	return rec.Clone()
}

// put writes a copy of a caller's record into a slot.
func (tab *table[T]) put(slot uint32, rec *T) {
	if tab.fixed {
		*tab.rows.at(slot) = *rec
		return
	}
	*tab.rows.at(slot) = (*rec).Clone()
}

// takeSlot returns a free slot.
func (tab *table[T]) takeSlot() uint32 {
	if n := len(tab.free); n > 0 {
		slot := tab.free[n-1]
		tab.free = tab.free[:n-1]
		return slot
	}
	tab.ids.grow()
	return tab.rows.grow()
}

// giveSlot empties a slot and makes it free.
func (tab *table[T]) giveSlot(slot uint32) {
	var none T
	*tab.rows.at(slot) = none
	tab.free = append(tab.free, slot)
}

// bind sets the tables of the Tx to handles of the transaction. A new table is a
// line here; everything else follows from the Tx and from [record.Schema].
func (t *txn) bind() {
	tx := &t.tx
	tx.Affiliates = handle[record.Affiliate]{t}
	tx.Links = handle[record.Link]{t}
	tx.Clicks = handle[record.Click]{t}
	tx.Referrals = handle[record.Referral]{t}
	tx.Coupons = handle[record.Coupon]{t}
	tx.Codes = handle[record.Code]{t}
	tx.Redemptions = handle[record.Redemption]{t}
	tx.Sales = handle[record.Sale]{t}
	tx.Plans = handle[record.Plan]{t}
	tx.Tiers = handle[record.Tier]{t}
	tx.Payouts = handle[record.Payout]{t}
	tx.Adjustments = handle[record.Adjustment]{t}
	tx.Movements = handle[record.Movement]{t}
	tx.Runs = handle[record.Run]{t}
	tx.Lines = handle[record.Line]{t}
	tx.Totals = handle[record.Totals]{t}
	tx.Receipts = handle[record.Receipt]{t}
	tx.Endpoints = handle[record.Endpoint]{t}
	tx.Events = handle[record.Event]{t}
	tx.Deliveries = handle[record.Delivery]{t}
	tx.Queue = handle[record.Queue]{t}
	tx.Imports = handle[record.Import]{t}
	tx.Payments = handle[record.Payment]{t}
	tx.PaymentKeys = handle[record.PaymentKey]{t}
	tx.Payers = handle[record.Payer]{t}
	tx.Erasures = handle[record.Erasure]{t}
	tx.Aliases = handle[record.Alias]{t}
	tx.Uses = handle[record.Use]{t}
	tx.Holds = handle[record.Hold]{t}
	tx.Settings = handle[record.Settings]{t}
	tx.Cases = handle[record.Case]{t}
	tx.Budgets = handle[record.Budget]{t}
	tx.Values = handle[record.Value]{t}
	tx.Raise = t.raise
}

// tables are the tables of one program, in the order of [record.Schema].
type tables []anyTable

// An anyTable is a table of any record type.
type anyTable interface {
	open(p *program, schema record.TableSchema)
	forget(held []*moment, step uint32) bool
}

// newTables makes the empty tables of a program.
func newTables(p *program) tables {
	schema := record.Schema()
	ts := make(tables, len(schema))
	tx := &begin(p).tx
	for i, s := range schema {
		ts[i] = s.Table(tx).(interface{ newTable() anyTable }).newTable()
		ts[i].open(p, s)
	}
	return ts
}

// newTable makes a table for the records of the handle.
func (handle[T]) newTable() anyTable { return new(table[T]) }

// tableOf returns the table with the records of type T. A handle finds its
// table by its type rather than by a field, so that it is one pointer. A handle
// of two words would double the block that every transaction allocates, and
// make a look-up a fifth slower (BenchmarkLookup).
func tableOf[T record.Record[T]](ts tables) *table[T] {
	return ts[record.PlaceOf[T]()].(*table[T])
}
