package affiliate

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Rehearsal is the same program on [Rehearse] of its store: it sees its own
// writes, and nobody else does. What it writes is gone when it is.
//
// Source: ours, so that an import can be tried out.
func (p *Program) Rehearsal() *Program { return p.With(Rehearse(p.store)) }

// Rehearse is a store over another one: it reads that store, and keeps every
// write in memory, so the store beneath is never written. Its numbers begin
// above those of the store.
//
// It needs memory for each record that is written. It runs one transaction at a
// time, safe for concurrent use; inside a transaction it must not be used again.
func Rehearse(store Store) Store {
	return &rehearsal{base: store, programs: make(map[uuid.UUID]*overlays)}
}

// A rehearsal is a store whose writes stay in memory.
type rehearsal struct {
	base     Store
	mu       sync.Mutex
	programs map[uuid.UUID]*overlays
}

// View runs fn on the records as the rehearsal left them.
func (r *rehearsal) View(ctx context.Context, program uuid.UUID, fn func(tx *Tx) error) error {
	return r.run(ctx, program, fn, true)
}

// Update runs fn and keeps what it wrote, unless it returns an error.
func (r *rehearsal) Update(ctx context.Context, program uuid.UUID, fn func(tx *Tx) error) error {
	return r.run(ctx, program, fn, false)
}

func (r *rehearsal) run(ctx context.Context, program uuid.UUID, fn func(tx *Tx) error, readOnly bool) error {
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
	err := r.base.View(ctx, program, func(base *Tx) error {
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

// firstRehearsed is below the first number that a rehearsal gives, and above any
// that a store has given.
const firstRehearsed = 1 << 52

// A rehearsed is one transaction.
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

// usable is the error of a read, and of a write.
func (t *rehearsed) usable(write bool) error {
	switch {
	case t.done:
		return ErrTxDone
	case write && t.readOnly:
		return ErrReadOnly
	}
	return nil
}

func (t *rehearsed) next(seq Sequence) (int64, error) {
	if err := t.usable(true); err != nil {
		return 0, err
	}
	t.over.numbers[seq]++
	return firstRehearsed + t.over.numbers[seq], nil
}

// overlays are what was written over the tables of a program.
type overlays struct {
	numbers     map[Sequence]int64
	affiliates  overlay[AffiliateRecord]
	links       overlay[LinkRecord]
	clicks      overlay[ClickRecord]
	referrals   overlay[ReferralRecord]
	coupons     overlay[CouponRecord]
	codes       overlay[CodeRecord]
	redemptions overlay[RedemptionRecord]
	sales       overlay[SaleRecord]
	plans       overlay[PlanRecord]
	tiers       overlay[TierRecord]
	payouts     overlay[PayoutRecord]
	adjustments overlay[AdjustmentRecord]
	movements   overlay[MovementRecord]
	runs        overlay[RunRecord]
	lines       overlay[LineRecord]
	totals      overlay[TotalsRecord]
	receipts    overlay[ReceiptRecord]
	endpoints   overlay[EndpointRecord]
	events      overlay[EventRecord]
	deliveries  overlay[DeliveryRecord]
	queue       overlay[QueueRecord]
	imports     overlay[ImportRecord]
	payments    overlay[PaymentRecord]
	paymentKeys overlay[PaymentKeyRecord]
	payers      overlay[PayerRecord]
	erasures    overlay[ErasureRecord]
	aliases     overlay[AliasRecord]
}

func newOverlays() *overlays { return &overlays{numbers: make(map[Sequence]int64)} }

// tx is the transaction over one of the store beneath.
func (t *rehearsed) tx(base *Tx) *Tx {
	o := t.over
	return &Tx{
		Affiliates: overlaid[AffiliateRecord]{t, base.Affiliates, &o.affiliates}, Links: overlaid[LinkRecord]{t, base.Links, &o.links},
		Clicks: overlaid[ClickRecord]{t, base.Clicks, &o.clicks}, Referrals: overlaid[ReferralRecord]{t, base.Referrals, &o.referrals},
		Coupons: overlaid[CouponRecord]{t, base.Coupons, &o.coupons}, Codes: overlaid[CodeRecord]{t, base.Codes, &o.codes},
		Redemptions: overlaid[RedemptionRecord]{t, base.Redemptions, &o.redemptions}, Sales: overlaid[SaleRecord]{t, base.Sales, &o.sales},
		Plans: overlaid[PlanRecord]{t, base.Plans, &o.plans}, Tiers: overlaid[TierRecord]{t, base.Tiers, &o.tiers},
		Payouts: overlaid[PayoutRecord]{t, base.Payouts, &o.payouts}, Adjustments: overlaid[AdjustmentRecord]{t, base.Adjustments, &o.adjustments},
		Movements: overlaid[MovementRecord]{t, base.Movements, &o.movements}, Runs: overlaid[RunRecord]{t, base.Runs, &o.runs},
		Lines: overlaid[LineRecord]{t, base.Lines, &o.lines}, Totals: overlaid[TotalsRecord]{t, base.Totals, &o.totals},
		Receipts: overlaid[ReceiptRecord]{t, base.Receipts, &o.receipts}, Endpoints: overlaid[EndpointRecord]{t, base.Endpoints, &o.endpoints},
		Events: overlaid[EventRecord]{t, base.Events, &o.events}, Deliveries: overlaid[DeliveryRecord]{t, base.Deliveries, &o.deliveries},
		Queue: overlaid[QueueRecord]{t, base.Queue, &o.queue}, Imports: overlaid[ImportRecord]{t, base.Imports, &o.imports},
		Payments: overlaid[PaymentRecord]{t, base.Payments, &o.payments}, PaymentKeys: overlaid[PaymentKeyRecord]{t, base.PaymentKeys, &o.paymentKeys},
		Payers: overlaid[PayerRecord]{t, base.Payers, &o.payers}, Erasures: overlaid[ErasureRecord]{t, base.Erasures, &o.erasures}, Aliases: overlaid[AliasRecord]{t, base.Aliases, &o.aliases},
		Next: t.next, Soon: base.Soon,
	}
}
