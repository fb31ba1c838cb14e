package affiliate

import (
	"context"
	"errors"
	"time"
)

// A Verification is the result of a check of the books.
type Verification struct {
	Holds    bool          // there is no breach
	Records  int64         // how many records were read
	Breaches []Breach      // never nil
	Took     time.Duration // by the program's clock
}

// Verify recomputes counters, totals and references from a snapshot of the
// records, and returns a [*Breach] for each difference, joined. Nil means that
// the books are in order. It reads every record of the program once and keeps
// what it compares in memory, so its cost is linear: about 3 GiB for a million sales
// with their events. Run it as a job, not in a request.
//
//   - I01, I02: redemption counters equal the ledger, and are not negative.
//   - I15: a live code has a live coupon.
//   - I17, I18, I19, I24: the fields of coupons and codes fit together; a code
//     that is limited to customers names one.
//   - I20, I21, I25, I35, I43, I53: keys are canonical, and held by one live
//     record each; numbers are unique.
//   - I27, I29, I36, I37: no link, click, referral, sale, code or payout refers
//     to a record that is gone, and no click, referral or sale to a link of
//     another affiliate. (A sale may name a deleted code.) Plans and tiers count
//     under I36.
//   - I31: totals equal a recount of what is kept, and belong to a live owner.
//   - I38, I42, I67, I68: a commission says it is in a payout exactly when a
//     payout that is not canceled lists it, and that it is frozen exactly when
//     some payout lists it; a payout is more than zero and the sum of its
//     commissions, which are ACCEPTED, and adjustments, and is PAID or CANCELED
//     exactly when it says at what time.
//   - I40: the commissions of a sale are the credited affiliate's, and add up to
//     what the rate gives on what is kept of the sale, unless that was set by
//     hand. There is more than one only beside one that is frozen. The program's
//     deductions may have changed since. A percentage is one of 0 to 100, so that
//     no commission is above its base, and no rate of a plan, a tier or an
//     affiliate is negative.
//   - I41, I44: refunds add up and end in REFUNDED with nothing earned; amounts
//     of sales are not negative, and tax and shipping are part of the total. An
//     adjustment has the sign of its kind.
//   - I62, I63: movements have the numbers 1, 2, 3 … and times that do not go
//     back; each leads from the accounts before it to the accounts stored with
//     it, and the last one to the books of its affiliate.
//   - I64, I65, I66: where the books are open, their accounts equal a recount from
//     commissions, adjustments and payouts; the movements of a sale add up to its
//     commissions without declined ones, to nothing once it is deleted, and name
//     its code, its link and a commission of it; and a payout was booked once for each status that it reached.
//   - I71: where the books are open, the movements of an affiliate count its sales,
//     and its revenue and commission as its totals have them.
//   - I69: a payout run has one line for each affiliate; a line has the amount of
//     its payout, which is of this run and affiliate, or a reason; and the lines
//     of a run that is DONE add up to its counts.
//   - I70: what a sale says about its origin and its terms fits together, and
//     gives its commissions, to the last digit.
//   - I74: the click that credited a sale is of the credited affiliate, and not
//     younger than the sale.
//   - I79, I80: each ref of an import names one record, of its kind, and an
//     imported sale earns what was imported, less what was refunded since, unless
//     people have set another commission. Imported uses of codes and clicks of
//     links are counted beside the ledger and the clicks here (I01, I02, I31).
//   - I73: a reversal is the opposite of one adjustment, and the only one.
//   - I45, I47, I48, I49, I50: events have the type, the body, the envelope and
//     the revision that they should. Pruning leaves gaps only at the start.
//   - I51: endpoints, deliveries and their queue fit together.
//   - I54: no record was changed before it was made.
//   - I75: an id of a provider belongs to one payment, which is there and has
//     one, and a sale to one payment at most.
//   - I76: a sale has lost what the facts of its payment took, and what the host
//     refunded besides, as far as its total goes.
//   - I78: a payer is held once and pays for a live referral or none; the status
//     of a referral follows from the subscriptions of its payers, unless a person
//     set it.
//   - I82: a report took no more off a sale than its payment brought; a payment
//     that waits for a decision has no sale.
//   - I84: an alias is no slug, and leads to one link, which names it.
//   - I83: no record shows a customer after the erasure; an erased email names a
//     live referral or none, and no customer has it.
//   - I81: statuses, approvals and types are ones that the contract lists; a
//     commission has a reason exactly when it is on hold or declined; coupons,
//     plans and tiers have names.
//
// The other invariants are about events in time that leave no record; tests
// check them.
//
// Errors: a [*Breach] for each difference, joined; those of the store.
//
// Source: ours, because a host must be able to check its books. I72 is about records that this version does not have.
func (p *Program) Verify(ctx context.Context) (err error) {
	defer p.begin(&ctx, "Verify", reads).end(&err)
	a, err := p.audit(ctx)
	if err != nil {
		return err
	}
	breaches := make([]error, len(a.breaches))
	for i := range a.breaches {
		breaches[i] = &a.breaches[i]
	}
	return errors.Join(breaches...)
}

// VerifyReport is [Program.Verify] with its result as data. One runs at a time:
// it keeps all records in memory, and its callers may be many. This counts the
// programs that With, From and Keyed made of the same one together; Verify is
// not counted.
//
// Errors: [VerifyRunning] while another one runs; those of the store, and of the
// context.
//
// Source: ours, because a host must be able to check its books.
func (p *Program) VerifyReport(ctx context.Context) (_ Verification, err error) {
	defer p.begin(&ctx, "VerifyReport", reads).end(&err)
	if !p.verifying.CompareAndSwap(false, true) {
		return Verification{}, verifyRunning.Err()
	}
	defer p.verifying.Store(false)
	started := p.now()
	a, err := p.audit(ctx)
	if err != nil {
		return Verification{}, err
	}
	return Verification{
		Holds: len(a.breaches) == 0, Records: a.records, Breaches: append([]Breach{}, a.breaches...),
		Took: max(0, p.now().Sub(started)),
	}, nil
}

// audit reads the records and checks them.
func (p *Program) audit(ctx context.Context) (*audit, error) {
	a := &audit{Program: p, ctx: ctx}
	o := &op{Program: p, ctx: ctx, seen: p.sighted(ctx)}
	err := o.snapshot(func() error {
		*a = audit{Program: p, ctx: ctx, tx: o.tx} // a store may run a View again
		return a.read()
	})
	if err != nil {
		return nil, internal("verify", err)
	}
	a.readImports()
	for _, check := range []func(){
		a.verifyImports, a.verifyCodes, a.verifyPeople, a.verifyRates, a.verifySales, a.verifyPayouts, a.verifyAdjustments,
		a.verifyMovements, a.verifyRuns, a.verifyTotals, a.verifyEvents, a.verifyDeliveries,
		a.verifyPayments, a.verifyPayers,
	} {
		if check(); ctx.Err() != nil {
			return nil, internal("verify", ctx.Err()) // what was not looked at is no breach
		}
	}
	return a, nil
}
