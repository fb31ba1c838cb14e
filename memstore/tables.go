package memstore

import "github.com/tributary-go/tributary/affiliate"

// A table of [affiliate.Tx] stands once in each of the lists below, and in
// [tables.fix] if its records are fixed.

// tables is what a program keeps.
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
	totals      table[affiliate.TotalsRecord]
	receipts    table[affiliate.ReceiptRecord]
	endpoints   table[affiliate.EndpointRecord]
	events      table[affiliate.EventRecord]
	deliveries  table[affiliate.DeliveryRecord]
	queue       table[affiliate.QueueRecord]
}

// all lists the tables in the order of [affiliate.Schema].
func (ts *tables) all() []opener {
	return []opener{
		&ts.affiliates, &ts.links, &ts.clicks, &ts.referrals, &ts.coupons, &ts.codes,
		&ts.redemptions, &ts.sales, &ts.plans, &ts.tiers, &ts.payouts, &ts.totals,
		&ts.receipts, &ts.endpoints, &ts.events, &ts.deliveries, &ts.queue,
	}
}

// fix marks the tables whose records hold no slice or map: what Clone would
// return is the record itself, so it need not be called.
func (ts *tables) fix() {
	ts.links.fixed = true
	ts.clicks.fixed = true
	ts.codes.fixed = true
	ts.redemptions.fixed = true
	ts.plans.fixed = true
	ts.tiers.fixed = true
	ts.totals.fixed = true
	ts.events.fixed = true
	ts.queue.fixed = true
}

// An opener is a table before its record type matters.
type opener interface {
	open(p *program, schema affiliate.TableSchema)
}

// bind fills the tables of the Tx with handles on the transaction.
func (t *txn) bind() {
	tx := &t.tx
	tx.Affiliates = handle[affiliate.AffiliateRecord, inAffiliates]{t}
	tx.Links = handle[affiliate.LinkRecord, inLinks]{t}
	tx.Clicks = handle[affiliate.ClickRecord, inClicks]{t}
	tx.Referrals = handle[affiliate.ReferralRecord, inReferrals]{t}
	tx.Coupons = handle[affiliate.CouponRecord, inCoupons]{t}
	tx.Codes = handle[affiliate.CodeRecord, inCodes]{t}
	tx.Redemptions = handle[affiliate.RedemptionRecord, inRedemptions]{t}
	tx.Sales = handle[affiliate.SaleRecord, inSales]{t}
	tx.Plans = handle[affiliate.PlanRecord, inPlans]{t}
	tx.Tiers = handle[affiliate.TierRecord, inTiers]{t}
	tx.Payouts = handle[affiliate.PayoutRecord, inPayouts]{t}
	tx.Totals = handle[affiliate.TotalsRecord, inTotals]{t}
	tx.Receipts = handle[affiliate.ReceiptRecord, inReceipts]{t}
	tx.Endpoints = handle[affiliate.EndpointRecord, inEndpoints]{t}
	tx.Events = handle[affiliate.EventRecord, inEvents]{t}
	tx.Deliveries = handle[affiliate.DeliveryRecord, inDeliveries]{t}
	tx.Queue = handle[affiliate.QueueRecord, inQueue]{t}
	tx.Next = t.next
}

// A place says which table of a program a handle is for. It is a type rather
// than a field so that a handle is one pointer: a handle of two words would
// double the block that every transaction allocates.
type place[T affiliate.Record[T]] interface {
	In(ts *tables) *table[T]
}

type (
	inAffiliates  struct{}
	inLinks       struct{}
	inClicks      struct{}
	inReferrals   struct{}
	inCoupons     struct{}
	inCodes       struct{}
	inRedemptions struct{}
	inSales       struct{}
	inPlans       struct{}
	inTiers       struct{}
	inPayouts     struct{}
	inTotals      struct{}
	inReceipts    struct{}
	inEndpoints   struct{}
	inEvents      struct{}
	inDeliveries  struct{}
	inQueue       struct{}
)

func (inAffiliates) In(ts *tables) *table[affiliate.AffiliateRecord]   { return &ts.affiliates }
func (inLinks) In(ts *tables) *table[affiliate.LinkRecord]             { return &ts.links }
func (inClicks) In(ts *tables) *table[affiliate.ClickRecord]           { return &ts.clicks }
func (inReferrals) In(ts *tables) *table[affiliate.ReferralRecord]     { return &ts.referrals }
func (inCoupons) In(ts *tables) *table[affiliate.CouponRecord]         { return &ts.coupons }
func (inCodes) In(ts *tables) *table[affiliate.CodeRecord]             { return &ts.codes }
func (inRedemptions) In(ts *tables) *table[affiliate.RedemptionRecord] { return &ts.redemptions }
func (inSales) In(ts *tables) *table[affiliate.SaleRecord]             { return &ts.sales }
func (inPlans) In(ts *tables) *table[affiliate.PlanRecord]             { return &ts.plans }
func (inTiers) In(ts *tables) *table[affiliate.TierRecord]             { return &ts.tiers }
func (inPayouts) In(ts *tables) *table[affiliate.PayoutRecord]         { return &ts.payouts }
func (inTotals) In(ts *tables) *table[affiliate.TotalsRecord]          { return &ts.totals }
func (inReceipts) In(ts *tables) *table[affiliate.ReceiptRecord]       { return &ts.receipts }
func (inEndpoints) In(ts *tables) *table[affiliate.EndpointRecord]     { return &ts.endpoints }
func (inEvents) In(ts *tables) *table[affiliate.EventRecord]           { return &ts.events }
func (inDeliveries) In(ts *tables) *table[affiliate.DeliveryRecord]    { return &ts.deliveries }
func (inQueue) In(ts *tables) *table[affiliate.QueueRecord]            { return &ts.queue }
