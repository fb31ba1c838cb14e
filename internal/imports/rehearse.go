package imports

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// Rehearsal implements tributary.Program.Rehearsal.
func Rehearsal(p *engine.Program) *engine.Program { return p.With(Rehearse(p.Store)) }

// Rehearse returns a store over another one. It reads from that store and keeps
// every write in memory, so the store beneath is never written. Its sequences
// begin above those of the store.
//
// It needs memory for each record that is written. It runs one transaction at a
// time and is safe for concurrent use; do not use it inside one of its own
// transactions.
func Rehearse(store record.Store) record.Store {
	return &rehearsal{base: store, programs: make(map[uuid.UUID]*overlays)}
}

// A rehearsal is a store whose writes stay in memory.
type rehearsal struct {
	base     record.Store
	mu       sync.Mutex
	programs map[uuid.UUID]*overlays
}

// View runs fn on the records as the rehearsal left them.
func (r *rehearsal) View(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.run(ctx, program, fn, true)
}

// Update runs fn and keeps what it wrote, unless it returns an error.
func (r *rehearsal) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	return r.run(ctx, program, fn, false)
}

func (r *rehearsal) run(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error, readOnly bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	over := r.programs[program]
	if over == nil {
		over = newOverlays()
		r.programs[program] = over
	}
	var last *rehearsed
	kept := false
	defer func() {
		if last != nil && !kept { // an error, or a panic
			last.rollback()
		}
	}()
	err := r.base.View(ctx, program, func(base *record.Tx) error {
		if last != nil {
			last.rollback() // the store beneath runs it again
		}
		last = &rehearsed{over: over, readOnly: readOnly}
		defer func() { last.done = true }()
		if err := fn(last.tx(base)); err != nil {
			return err
		}
		return ctx.Err()
	})
	kept = err == nil
	return err
}

// firstRehearsed is below the first number that a rehearsal draws, and above any
// number of a real store.
const firstRehearsed = 1 << 52

// A rehearsed is one transaction of a rehearsal.
type rehearsed struct {
	over     *overlays
	readOnly bool
	done     bool
	undo     []func() // of its writes, the first one first
}

func (t *rehearsed) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.undo = nil
}

// usable returns the error of a read, and of a write.
func (t *rehearsed) usable(write bool) error {
	switch {
	case t.done:
		return record.ErrTxDone
	case write && t.readOnly:
		return record.ErrReadOnly
	}
	return nil
}

func (t *rehearsed) next(seq record.Sequence) (int64, error) {
	if err := t.usable(true); err != nil {
		return 0, err
	}
	t.over.numbers[seq]++
	return firstRehearsed + t.over.numbers[seq], nil
}

// overlays hold what was written over the tables of a program.
type overlays struct {
	numbers     map[record.Sequence]int64
	affiliates  overlay[record.Affiliate]
	links       overlay[record.Link]
	clicks      overlay[record.Click]
	referrals   overlay[record.Referral]
	coupons     overlay[record.Coupon]
	codes       overlay[record.Code]
	redemptions overlay[record.Redemption]
	sales       overlay[record.Sale]
	plans       overlay[record.Plan]
	tiers       overlay[record.Tier]
	payouts     overlay[record.Payout]
	adjustments overlay[record.Adjustment]
	movements   overlay[record.Movement]
	runs        overlay[record.Run]
	lines       overlay[record.Line]
	totals      overlay[record.Totals]
	receipts    overlay[record.Receipt]
	endpoints   overlay[record.Endpoint]
	events      overlay[record.Event]
	deliveries  overlay[record.Delivery]
	queue       overlay[record.Queue]
	imports     overlay[record.Import]
	payments    overlay[record.Payment]
	paymentKeys overlay[record.PaymentKey]
	payers      overlay[record.Payer]
	erasures    overlay[record.Erasure]
	aliases     overlay[record.Alias]
}

func newOverlays() *overlays { return &overlays{numbers: make(map[record.Sequence]int64)} }

// tx returns the transaction over one of the store beneath.
func (t *rehearsed) tx(base *record.Tx) *record.Tx {
	o := t.over
	return &record.Tx{
		Affiliates: overlaid[record.Affiliate]{t, base.Affiliates, &o.affiliates}, Links: overlaid[record.Link]{t, base.Links, &o.links},
		Clicks: overlaid[record.Click]{t, base.Clicks, &o.clicks}, Referrals: overlaid[record.Referral]{t, base.Referrals, &o.referrals},
		Coupons: overlaid[record.Coupon]{t, base.Coupons, &o.coupons}, Codes: overlaid[record.Code]{t, base.Codes, &o.codes},
		Redemptions: overlaid[record.Redemption]{t, base.Redemptions, &o.redemptions}, Sales: overlaid[record.Sale]{t, base.Sales, &o.sales},
		Plans: overlaid[record.Plan]{t, base.Plans, &o.plans}, Tiers: overlaid[record.Tier]{t, base.Tiers, &o.tiers},
		Payouts: overlaid[record.Payout]{t, base.Payouts, &o.payouts}, Adjustments: overlaid[record.Adjustment]{t, base.Adjustments, &o.adjustments},
		Movements: overlaid[record.Movement]{t, base.Movements, &o.movements}, Runs: overlaid[record.Run]{t, base.Runs, &o.runs},
		Lines: overlaid[record.Line]{t, base.Lines, &o.lines}, Totals: overlaid[record.Totals]{t, base.Totals, &o.totals},
		Receipts: overlaid[record.Receipt]{t, base.Receipts, &o.receipts}, Endpoints: overlaid[record.Endpoint]{t, base.Endpoints, &o.endpoints},
		Events: overlaid[record.Event]{t, base.Events, &o.events}, Deliveries: overlaid[record.Delivery]{t, base.Deliveries, &o.deliveries},
		Queue: overlaid[record.Queue]{t, base.Queue, &o.queue}, Imports: overlaid[record.Import]{t, base.Imports, &o.imports},
		Payments: overlaid[record.Payment]{t, base.Payments, &o.payments}, PaymentKeys: overlaid[record.PaymentKey]{t, base.PaymentKeys, &o.paymentKeys},
		Payers: overlaid[record.Payer]{t, base.Payers, &o.payers}, Erasures: overlaid[record.Erasure]{t, base.Erasures, &o.erasures}, Aliases: overlaid[record.Alias]{t, base.Aliases, &o.aliases},
		Next: t.next, Soon: base.Soon,
	}
}
