package memstore

import "github.com/tributary-go/tributary/affiliate"

// Each table of [affiliate.Tx] is in every list below; it is in [tables.fix]
// only if its records are fixed.

// tables are the tables of one program.
type tables struct {
	affiliates  table[affiliate.AffiliateRecord]
	links       table[affiliate.LinkRecord]
	clicks      table[affiliate.ClickRecord]
	referrals   table[affiliate.ReferralRecord]
	coupons     table[affiliate.CouponRecord]
	codes       table[affiliate.CodeRecord]
	redemptions table[affiliate.RedemptionRecord]
	sales       table[affiliate.SaleRecord]
	plans       table[affiliate.PlanRecord]
	tiers       table[affiliate.TierRecord]
	payouts     table[affiliate.PayoutRecord]
	adjustments table[affiliate.AdjustmentRecord]
	movements   table[affiliate.MovementRecord]
	runs        table[affiliate.RunRecord]
	lines       table[affiliate.LineRecord]
	totals      table[affiliate.TotalsRecord]
	receipts    table[affiliate.ReceiptRecord]
	endpoints   table[affiliate.EndpointRecord]
	events      table[affiliate.EventRecord]
	deliveries  table[affiliate.DeliveryRecord]
	queue       table[affiliate.QueueRecord]
	imports     table[affiliate.ImportRecord]
	payments    table[affiliate.PaymentRecord]
	paymentKeys table[affiliate.PaymentKeyRecord]
	payers      table[affiliate.PayerRecord]
	erasures    table[affiliate.ErasureRecord]
	aliases     table[affiliate.AliasRecord]
}

// all lists the tables in the order of [affiliate.Schema].
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
	open(p *program, schema affiliate.TableSchema)
	forget(held []*moment, step uint32) bool
}

// bind sets the tables of the Tx to handles of the transaction.
func (t *txn) bind() {
	tx := &t.tx
	tx.Affiliates = handle[affiliate.AffiliateRecord]{t}
	tx.Links = handle[affiliate.LinkRecord]{t}
	tx.Clicks = handle[affiliate.ClickRecord]{t}
	tx.Referrals = handle[affiliate.ReferralRecord]{t}
	tx.Coupons = handle[affiliate.CouponRecord]{t}
	tx.Codes = handle[affiliate.CodeRecord]{t}
	tx.Redemptions = handle[affiliate.RedemptionRecord]{t}
	tx.Sales = handle[affiliate.SaleRecord]{t}
	tx.Plans = handle[affiliate.PlanRecord]{t}
	tx.Tiers = handle[affiliate.TierRecord]{t}
	tx.Payouts = handle[affiliate.PayoutRecord]{t}
	tx.Adjustments = handle[affiliate.AdjustmentRecord]{t}
	tx.Movements = handle[affiliate.MovementRecord]{t}
	tx.Runs = handle[affiliate.RunRecord]{t}
	tx.Lines = handle[affiliate.LineRecord]{t}
	tx.Totals = handle[affiliate.TotalsRecord]{t}
	tx.Receipts = handle[affiliate.ReceiptRecord]{t}
	tx.Endpoints = handle[affiliate.EndpointRecord]{t}
	tx.Events = handle[affiliate.EventRecord]{t}
	tx.Deliveries = handle[affiliate.DeliveryRecord]{t}
	tx.Queue = handle[affiliate.QueueRecord]{t}
	tx.Imports = handle[affiliate.ImportRecord]{t}
	tx.Payments = handle[affiliate.PaymentRecord]{t}
	tx.PaymentKeys = handle[affiliate.PaymentKeyRecord]{t}
	tx.Payers = handle[affiliate.PayerRecord]{t}
	tx.Erasures = handle[affiliate.ErasureRecord]{t}
	tx.Aliases = handle[affiliate.AliasRecord]{t}
	tx.Next = t.next
}

// tableOf returns the table with the records of type T. A handle finds its
// table by its type rather than by a field, so that it is one pointer. A handle
// of two words would double the block that every transaction allocates, and
// make a look-up a fifth slower (BenchmarkLookup).
func tableOf[T affiliate.Record[T]](ts *tables) *table[T] {
	var tab any
	switch any((*T)(nil)).(type) {
	case *affiliate.AffiliateRecord:
		tab = &ts.affiliates
	case *affiliate.LinkRecord:
		tab = &ts.links
	case *affiliate.ClickRecord:
		tab = &ts.clicks
	case *affiliate.ReferralRecord:
		tab = &ts.referrals
	case *affiliate.CouponRecord:
		tab = &ts.coupons
	case *affiliate.CodeRecord:
		tab = &ts.codes
	case *affiliate.RedemptionRecord:
		tab = &ts.redemptions
	case *affiliate.SaleRecord:
		tab = &ts.sales
	case *affiliate.PlanRecord:
		tab = &ts.plans
	case *affiliate.TierRecord:
		tab = &ts.tiers
	case *affiliate.PayoutRecord:
		tab = &ts.payouts
	case *affiliate.AdjustmentRecord:
		tab = &ts.adjustments
	case *affiliate.MovementRecord:
		tab = &ts.movements
	case *affiliate.RunRecord:
		tab = &ts.runs
	case *affiliate.LineRecord:
		tab = &ts.lines
	case *affiliate.TotalsRecord:
		tab = &ts.totals
	case *affiliate.ReceiptRecord:
		tab = &ts.receipts
	case *affiliate.EndpointRecord:
		tab = &ts.endpoints
	case *affiliate.EventRecord:
		tab = &ts.events
	case *affiliate.DeliveryRecord:
		tab = &ts.deliveries
	case *affiliate.QueueRecord:
		tab = &ts.queue
	case *affiliate.ImportRecord:
		tab = &ts.imports
	case *affiliate.PaymentRecord:
		tab = &ts.payments
	case *affiliate.PaymentKeyRecord:
		tab = &ts.paymentKeys
	case *affiliate.PayerRecord:
		tab = &ts.payers
	case *affiliate.ErasureRecord:
		tab = &ts.erasures
	case *affiliate.AliasRecord:
		tab = &ts.aliases
	}
	return tab.(*table[T])
}
