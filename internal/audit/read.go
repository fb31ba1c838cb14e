package audit

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A view is the snapshot that the audit reads.
type view struct {
	ctx context.Context
	err error // the first one of the store, or of the context
}

// fail keeps an error, or that of the context.
func (v *view) fail(err error) {
	if v.err == nil && err != nil {
		v.err = err
	}
}

// ended reports whether the audit is to give up.
func (v *view) ended() bool {
	v.fail(v.ctx.Err())
	return v.err != nil
}

func isNotFound(err error) bool { return errors.Is(err, affiliate.ErrNotFound) }

// tables are the records of a program.
type tables struct {
	affiliates collection[record.Affiliate]
	links      collection[record.Link]
	clicks     collection[record.Click]
	referrals  collection[record.Referral]
	coupons    collection[record.Coupon]
	codes      collection[record.Code]
	ledger     collection[record.Redemption]
	sales      collection[record.Sale]
	plans      collection[record.Plan]
	tiers      collection[record.Tier]
	payouts    collection[record.Payout]
	adjusted   collection[record.Adjustment]
	movements  collection[record.Movement]
	runs       collection[record.Run]
	lines      collection[record.Line]
	totals     collection[record.Totals]
	receipts   collection[record.Receipt]
	endpoints  collection[record.Endpoint]
	events     collection[record.Event]
	deliveries collection[record.Delivery]
	queue      collection[record.Queue]
	payments   collection[record.Payment]
	keys       collection[record.PaymentKey]
	payers     collection[record.Payer]
	erasures   collection[record.Erasure]
	aliases    collection[record.Alias]
	imports    collection[record.Import]
	uses       collection[record.Use]
	holds      collection[record.Hold]
	settings   collection[record.Settings]
}

// lead leads every collection to its table.
func (a *audit) lead(tx *record.Tx) {
	leads(a, &a.affiliates, tx.Affiliates, 1)
	leads(a, &a.links, tx.Links, 2)
	leads(a, &a.clicks, tx.Clicks, 3)
	leads(a, &a.referrals, tx.Referrals, 4)
	leads(a, &a.coupons, tx.Coupons, 5)
	leads(a, &a.codes, tx.Codes, 6)
	leads(a, &a.ledger, tx.Redemptions, 7)
	leads(a, &a.sales, tx.Sales, 8)
	leads(a, &a.plans, tx.Plans, 9)
	leads(a, &a.tiers, tx.Tiers, 10)
	leads(a, &a.payouts, tx.Payouts, 11)
	leads(a, &a.adjusted, tx.Adjustments, 12)
	leads(a, &a.movements, tx.Movements, 13)
	leads(a, &a.runs, tx.Runs, 14)
	leads(a, &a.lines, tx.Lines, 15)
	leads(a, &a.totals, tx.Totals, 16)
	leads(a, &a.receipts, tx.Receipts, 17)
	leads(a, &a.endpoints, tx.Endpoints, 18)
	leads(a, &a.events, tx.Events, 19)
	leads(a, &a.deliveries, tx.Deliveries, 20)
	leads(a, &a.queue, tx.Queue, 21)
	leads(a, &a.payments, tx.Payments, 22)
	leads(a, &a.keys, tx.PaymentKeys, 23)
	leads(a, &a.payers, tx.Payers, 24)
	leads(a, &a.erasures, tx.Erasures, 25)
	leads(a, &a.aliases, tx.Aliases, 26)
	leads(a, &a.imports, tx.Imports, 27)
	leads(a, &a.uses, tx.Uses, 28)
	leads(a, &a.holds, tx.Holds, 29)
	leads(a, &a.settings, tx.Settings, 30)
	// The two halves of a reversal are looked at together.
	a.adjusted.also = func(r *record.Adjustment) bool { return a.mine(r.Reverses) }
}

func leads[R record.Record[R]](a *audit, s *collection[R], t record.Table[R], kind int64) {
	*s = collection[R]{a: a, table: t, kind: kind}
	a.drops = append(a.drops, func() { s.at = nil })
}
