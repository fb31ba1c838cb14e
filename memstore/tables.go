package memstore

import "github.com/tributary-go/tributary/affiliate/record"

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
