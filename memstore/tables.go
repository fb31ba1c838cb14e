package memstore

import "github.com/tributary-go/tributary/affiliate/record"

// Each table of [record.Tx] is in every list below; it is in [tables.fix]
// only if its records are fixed.

// tables are the tables of one program.
type tables struct {
	affiliates  table[record.Affiliate]
	links       table[record.Link]
	clicks      table[record.Click]
	referrals   table[record.Referral]
	coupons     table[record.Coupon]
	codes       table[record.Code]
	redemptions table[record.Redemption]
	sales       table[record.Sale]
	plans       table[record.Plan]
	tiers       table[record.Tier]
	payouts     table[record.Payout]
	adjustments table[record.Adjustment]
	movements   table[record.Movement]
	runs        table[record.Run]
	lines       table[record.Line]
	totals      table[record.Totals]
	receipts    table[record.Receipt]
	endpoints   table[record.Endpoint]
	events      table[record.Event]
	deliveries  table[record.Delivery]
	queue       table[record.Queue]
	imports     table[record.Import]
	payments    table[record.Payment]
	paymentKeys table[record.PaymentKey]
	payers      table[record.Payer]
	erasures    table[record.Erasure]
	aliases     table[record.Alias]
}

// all lists the tables in the order of [record.Schema].
func (ts *tables) all() []opener {
	return []opener{
		&ts.affiliates, &ts.links, &ts.clicks, &ts.referrals, &ts.coupons, &ts.codes,
		&ts.redemptions, &ts.sales, &ts.plans, &ts.tiers, &ts.payouts, &ts.adjustments,
		&ts.movements, &ts.runs, &ts.lines, &ts.totals, &ts.receipts, &ts.endpoints, &ts.events, &ts.deliveries, &ts.queue, &ts.imports,
		&ts.payments, &ts.paymentKeys, &ts.payers, &ts.erasures, &ts.aliases,
	}
}

// fix marks the tables whose records have no slice or map. A plain copy of such
// a record is enough, so Clone is not called.
func (ts *tables) fix() {
	ts.clicks.fixed = true
	ts.codes.fixed = true
	ts.redemptions.fixed = true
	ts.plans.fixed = true
	ts.tiers.fixed = true
	ts.adjustments.fixed = true
	ts.movements.fixed = true
	ts.lines.fixed = true
	ts.totals.fixed = true
	ts.events.fixed = true
	ts.queue.fixed = true
	ts.imports.fixed = true
	ts.paymentKeys.fixed = true
	ts.aliases.fixed = true
	ts.erasures.fixed = true
}

// An opener is a table of any record type.
type opener interface {
	open(p *program, schema record.TableSchema)
	forget(held []*moment, step uint32) bool
}

// bind sets the tables of the Tx to handles of the transaction.
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
	tx.Next = t.next
}

// tableOf returns the table with the records of type T. A handle finds its
// table by its type rather than by a field, so that it is one pointer. A handle
// of two words would double the block that every transaction allocates, and
// make a look-up a fifth slower (BenchmarkLookup).
func tableOf[T record.Record[T]](ts *tables) *table[T] {
	var tab any
	switch any((*T)(nil)).(type) {
	case *record.Affiliate:
		tab = &ts.affiliates
	case *record.Link:
		tab = &ts.links
	case *record.Click:
		tab = &ts.clicks
	case *record.Referral:
		tab = &ts.referrals
	case *record.Coupon:
		tab = &ts.coupons
	case *record.Code:
		tab = &ts.codes
	case *record.Redemption:
		tab = &ts.redemptions
	case *record.Sale:
		tab = &ts.sales
	case *record.Plan:
		tab = &ts.plans
	case *record.Tier:
		tab = &ts.tiers
	case *record.Payout:
		tab = &ts.payouts
	case *record.Adjustment:
		tab = &ts.adjustments
	case *record.Movement:
		tab = &ts.movements
	case *record.Run:
		tab = &ts.runs
	case *record.Line:
		tab = &ts.lines
	case *record.Totals:
		tab = &ts.totals
	case *record.Receipt:
		tab = &ts.receipts
	case *record.Endpoint:
		tab = &ts.endpoints
	case *record.Event:
		tab = &ts.events
	case *record.Delivery:
		tab = &ts.deliveries
	case *record.Queue:
		tab = &ts.queue
	case *record.Import:
		tab = &ts.imports
	case *record.Payment:
		tab = &ts.payments
	case *record.PaymentKey:
		tab = &ts.paymentKeys
	case *record.Payer:
		tab = &ts.payers
	case *record.Erasure:
		tab = &ts.erasures
	case *record.Alias:
		tab = &ts.aliases
	}
	return tab.(*table[T])
}
