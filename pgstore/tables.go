package pgstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// tables are the tables of a transaction, in the order of affiliate.Schema.
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

// anyTable is a table of any record type.
type anyTable interface {
	bind(t *txn, sql *tableSQL)
	named() string
	learn(id uuid.UUID, raw []byte)
	mark() (undo, touched int)
	rollback(undo, touched int)
	flush(b *flushBatch) error
	soon(key affiliate.Key)
	notes() bool
	asking(qs []query) []query
}

// all lists the tables.
func (ts *tables) all() [27]anyTable {
	return [27]anyTable{
		&ts.affiliates, &ts.links, &ts.clicks, &ts.referrals, &ts.coupons, &ts.codes, &ts.redemptions, &ts.sales, &ts.plans,
		&ts.tiers, &ts.payouts, &ts.adjustments, &ts.movements, &ts.runs, &ts.lines, &ts.totals, &ts.receipts, &ts.endpoints, &ts.events, &ts.deliveries, &ts.queue, &ts.imports,
		&ts.payments, &ts.paymentKeys, &ts.payers, &ts.erasures, &ts.aliases,
	}
}

func (ts *tables) init(t *txn) {
	for i, tab := range ts.all() {
		tab.bind(t, t.s.sql.tables[i])
	}
}

func (tab *table[T]) bind(t *txn, sql *tableSQL) { tab.t, tab.sql = t, sql }

func (tab *table[T]) named() string { return tab.sql.name }

// find returns the table with a name, or nil.
func (ts *tables) find(name string) anyTable {
	for _, tab := range ts.all() {
		if tab.named() == name {
			return tab
		}
	}
	return nil
}

// tx makes the Tx of a closure.
func (t *txn) tx(u *unit) *affiliate.Tx {
	ts := &t.tables
	return &affiliate.Tx{
		Affiliates:  handle[affiliate.AffiliateRecord]{u, &ts.affiliates},
		Links:       handle[affiliate.LinkRecord]{u, &ts.links},
		Clicks:      handle[affiliate.ClickRecord]{u, &ts.clicks},
		Referrals:   handle[affiliate.ReferralRecord]{u, &ts.referrals},
		Coupons:     handle[affiliate.CouponRecord]{u, &ts.coupons},
		Codes:       handle[affiliate.CodeRecord]{u, &ts.codes},
		Redemptions: handle[affiliate.RedemptionRecord]{u, &ts.redemptions},
		Sales:       handle[affiliate.SaleRecord]{u, &ts.sales},
		Plans:       handle[affiliate.PlanRecord]{u, &ts.plans},
		Tiers:       handle[affiliate.TierRecord]{u, &ts.tiers},
		Payouts:     handle[affiliate.PayoutRecord]{u, &ts.payouts},
		Adjustments: handle[affiliate.AdjustmentRecord]{u, &ts.adjustments},
		Movements:   handle[affiliate.MovementRecord]{u, &ts.movements},
		Runs:        handle[affiliate.RunRecord]{u, &ts.runs},
		Lines:       handle[affiliate.LineRecord]{u, &ts.lines},
		Totals:      handle[affiliate.TotalsRecord]{u, &ts.totals},
		Receipts:    handle[affiliate.ReceiptRecord]{u, &ts.receipts},
		Endpoints:   handle[affiliate.EndpointRecord]{u, &ts.endpoints},
		Events:      handle[affiliate.EventRecord]{u, &ts.events},
		Deliveries:  handle[affiliate.DeliveryRecord]{u, &ts.deliveries},
		Queue:       handle[affiliate.QueueRecord]{u, &ts.queue},
		Imports:     handle[affiliate.ImportRecord]{u, &ts.imports},
		Payments:    handle[affiliate.PaymentRecord]{u, &ts.payments},
		PaymentKeys: handle[affiliate.PaymentKeyRecord]{u, &ts.paymentKeys},
		Payers:      handle[affiliate.PayerRecord]{u, &ts.payers},
		Erasures:    handle[affiliate.ErasureRecord]{u, &ts.erasures},
		Aliases:     handle[affiliate.AliasRecord]{u, &ts.aliases},
		Next:        u.next,
		Soon:        u.soon,
	}
}

// A savepoint is a state of a transaction to which writes can be undone. It
// costs the database nothing, because these writes were never sent.
type savepoint [27]struct{ undo, touched int }

func (t *txn) savepoint() (sp savepoint) {
	for i, tab := range t.tables.all() {
		sp[i].undo, sp[i].touched = tab.mark()
	}
	return sp
}

func (t *txn) rollbackTo(sp savepoint) {
	for i, tab := range t.tables.all() {
		tab.rollback(sp[i].undo, sp[i].touched)
	}
}
