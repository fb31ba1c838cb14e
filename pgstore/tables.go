package pgstore

import (
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tributary-go/tributary/affiliate/record"
)

// tx makes the Tx of a closure. A new table is a line here; everything else
// follows from the Tx and from record.Schema.
func (u *unit) tx() *record.Tx {
	return &record.Tx{
		Affiliates:  handle[record.Affiliate]{u},
		Links:       handle[record.Link]{u},
		Clicks:      handle[record.Click]{u},
		Referrals:   handle[record.Referral]{u},
		Coupons:     handle[record.Coupon]{u},
		Codes:       handle[record.Code]{u},
		Redemptions: handle[record.Redemption]{u},
		Sales:       handle[record.Sale]{u},
		Plans:       handle[record.Plan]{u},
		Tiers:       handle[record.Tier]{u},
		Payouts:     handle[record.Payout]{u},
		Adjustments: handle[record.Adjustment]{u},
		Movements:   handle[record.Movement]{u},
		Runs:        handle[record.Run]{u},
		Lines:       handle[record.Line]{u},
		Totals:      handle[record.Totals]{u},
		Receipts:    handle[record.Receipt]{u},
		Endpoints:   handle[record.Endpoint]{u},
		Events:      handle[record.Event]{u},
		Deliveries:  handle[record.Delivery]{u},
		Queue:       handle[record.Queue]{u},
		Imports:     handle[record.Import]{u},
		Payments:    handle[record.Payment]{u},
		PaymentKeys: handle[record.PaymentKey]{u},
		Payers:      handle[record.Payer]{u},
		Erasures:    handle[record.Erasure]{u},
		Aliases:     handle[record.Alias]{u},
		Uses:        handle[record.Use]{u},
		Holds:       handle[record.Hold]{u},
		Settings:    handle[record.Settings]{u},
		Raise:       u.raise,
		Soon:        u.soon,
	}
}

// newTable makes a table for the records of the handle.
func (handle[T]) newTable(t *txn, sql *tableSQL) anyTable { return &table[T]{t: t, sql: sql} }

// A tableMaker is a handle of any record type.
type tableMaker interface {
	newTable(t *txn, sql *tableSQL) anyTable
}

// tables are the tables of a transaction that were used, in the order of
// record.Schema; nil: it was not.
type tables []anyTable

// anyTable is a table of any record type.
type anyTable interface {
	learnRow(rows pgx.Rows, at int) (uuid.UUID, error)
	learnNone(id uuid.UUID)
	mark() (undo, touched int)
	rollback(undo, touched int)
	flush(w *writes) error
	bind(t *txn)
	settle() int
	soon(key record.Key)
	notes() bool
	asking(qs []query) []query
	width() int
}

// at returns the table at a place of the schema.
func (t *txn) at(place int) anyTable {
	if t.tables[place] == nil {
		sql := t.s.sql.tables[place]
		t.tables[place] = sql.maker.newTable(t, sql)
	}
	return t.tables[place]
}

// tableOf returns the table with the records of type T.
func tableOf[T record.Record[T]](t *txn) *table[T] { return t.at(record.PlaceOf[T]()).(*table[T]) }

// named returns the table with a name, or nil.
func (t *txn) named(name string) anyTable {
	for place, sql := range t.s.sql.tables {
		if sql.Name == name {
			return t.at(place)
		}
	}
	return nil
}

// used returns the tables that were used.
func (ts tables) used() iter.Seq2[int, anyTable] {
	return func(yield func(int, anyTable) bool) {
		for place, tab := range ts {
			if tab != nil && !yield(place, tab) {
				return
			}
		}
	}
}

// A savepoint is a state of a transaction to which writes can be undone. It
// costs the database nothing, because these writes were never sent. A table that
// was used later goes back to its beginning.
type savepoint struct {
	tables  []tablePoint
	numbers [4]int64
	known   bool
}

type tablePoint struct{ undo, touched int }

func (t *txn) savepoint() savepoint {
	sp := savepoint{make([]tablePoint, len(t.tables)), t.numbers.at, t.known}
	for i, tab := range t.tables.used() {
		sp.tables[i].undo, sp.tables[i].touched = tab.mark()
	}
	return sp
}

func (t *txn) rollbackTo(sp savepoint) {
	if t.numbers.at = sp.numbers; !sp.known {
		t.numbers.at = t.numbers.stored
	}
	for i, tab := range t.tables.used() {
		tab.rollback(sp.tables[i].undo, sp.tables[i].touched)
	}
}
