package pgstore

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// tables are the tables of a transaction, in the order of record.Schema.
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

// anyTable is a table of any record type.
type anyTable interface {
	bind(t *txn, sql *tableSQL)
	named() string
	learn(id uuid.UUID, raw []byte)
	mark() (undo, touched int)
	rollback(undo, touched int)
	flush(b *flushBatch) error
	soon(key record.Key)
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
func (t *txn) tx(u *unit) *record.Tx {
	ts := &t.tables
	return &record.Tx{
		Affiliates:  handle[record.Affiliate]{u, &ts.affiliates},
		Links:       handle[record.Link]{u, &ts.links},
		Clicks:      handle[record.Click]{u, &ts.clicks},
		Referrals:   handle[record.Referral]{u, &ts.referrals},
		Coupons:     handle[record.Coupon]{u, &ts.coupons},
		Codes:       handle[record.Code]{u, &ts.codes},
		Redemptions: handle[record.Redemption]{u, &ts.redemptions},
		Sales:       handle[record.Sale]{u, &ts.sales},
		Plans:       handle[record.Plan]{u, &ts.plans},
		Tiers:       handle[record.Tier]{u, &ts.tiers},
		Payouts:     handle[record.Payout]{u, &ts.payouts},
		Adjustments: handle[record.Adjustment]{u, &ts.adjustments},
		Movements:   handle[record.Movement]{u, &ts.movements},
		Runs:        handle[record.Run]{u, &ts.runs},
		Lines:       handle[record.Line]{u, &ts.lines},
		Totals:      handle[record.Totals]{u, &ts.totals},
		Receipts:    handle[record.Receipt]{u, &ts.receipts},
		Endpoints:   handle[record.Endpoint]{u, &ts.endpoints},
		Events:      handle[record.Event]{u, &ts.events},
		Deliveries:  handle[record.Delivery]{u, &ts.deliveries},
		Queue:       handle[record.Queue]{u, &ts.queue},
		Imports:     handle[record.Import]{u, &ts.imports},
		Payments:    handle[record.Payment]{u, &ts.payments},
		PaymentKeys: handle[record.PaymentKey]{u, &ts.paymentKeys},
		Payers:      handle[record.Payer]{u, &ts.payers},
		Erasures:    handle[record.Erasure]{u, &ts.erasures},
		Aliases:     handle[record.Alias]{u, &ts.aliases},
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
