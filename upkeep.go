package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/audit"
	"github.com/tributary-go/tributary/internal/upkeep"
)

// AffiliateData returns everything that the program holds of an affiliate: what
// [Program.EraseAffiliate] erases, and what stays: links, codes, commissions,
// payouts and adjustments.
//
// It reads every event and receipt of the program in one snapshot, and keeps what
// is about the person in memory.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.AffiliateNotFound].
//
// Source: docs/retention.md.
func (p *Program) AffiliateData(ctx context.Context, id uuid.UUID) (affiliate.PersonalData, error) {
	return upkeep.AffiliateData(ctx, p.in(ctx), id)
}

// ReferralData returns everything that the program holds of a customer, who is named by
// referral id or email: what [Program.EraseReferral] erases, and what stays. For an email
// that no referral has, it returns the records that show the email.
//
// It reads every record that may show a customer in one snapshot, and keeps what is
// about the person in memory.
//
// Errors: [affiliate.MissingField] (referralId), [affiliate.ReferralNotFound], also for an
// email that no record shows.
//
// Source: docs/retention.md.
func (p *Program) ReferralData(ctx context.Context, ident string) (affiliate.PersonalData, error) {
	return upkeep.ReferralData(ctx, p.in(ctx), ident)
}

// EraseAffiliate blanks the personal data of an affiliate: names, emails and
// signup answers, name and email in its payouts, the reason of an adjustment that
// contains one of them, and every stored payload that shows them. Money, totals,
// counters and links stay as they are; the email is free again. Slugs and codes
// stay too, because they are in use outside. If one contains a name, rename or
// delete it first.
//
//   - A payload is blanked only when none of its deliveries is pending, and
//     then it cannot be replayed. If one is pending, erase again later: a
//     second call changes nothing else.
//   - Receipts keep their answers without the personal data, so a request that
//     is repeated with its old key is not carried out again. The keys belong to
//     the host and stay.
//   - It reads every event and receipt of the program, the events outside the
//     transaction. So run it as a job, not in a request.
//
// Errors: [affiliate.MissingField] (affiliateId), [affiliate.AffiliateNotFound], [affiliate.MoneyOwed]
// when the affiliate is owed money, which nobody can be paid without a name: see
// [Program.Forfeiting]. Then an adjustment takes it back.
//
// Effects: the affiliate, its payouts and adjustments, payloads and receipts; affiliate.updated when the
// affiliate changed.
//
// Source: docs/rules.md 4.7.
func (p *Program) EraseAffiliate(ctx context.Context, id uuid.UUID) error {
	return upkeep.EraseAffiliate(ctx, p.in(ctx), id)
}

// EraseReferral blanks the personal data of a customer, who is named by referral id or
// email: name, email, external id, notes, metadata and landing page of the referral; name,
// email and metadata of the customer's sales; the visitor's data of the clicks; name and
// email of the payers; the email in reasons of adjustments and payouts and in notes; and
// every stored payload that shows them. A code that is limited to the customer, and a
// payment that waits for them, then name an id. Sales and payers are also found by the
// email, even when no referral has it. An affiliate with that email stays. Otherwise it is
// like [Program.EraseAffiliate].
//
// Erased customers stay erased: later payments and imports are credited to them, and store
// neither name nor email; a write that would store one is refused with
// [affiliate.ReferralErased]. A digest of the email, made with Config.ErasureKey, says that
// it was erased. [Program.CreateReferral], and an [Program.UpdateReferral] of another
// customer, make somebody with the email a customer again.
//
// Errors: [affiliate.MissingField] (referralId), [affiliate.ReferralNotFound], also for an
// email that no record shows.
//
// Effects: the referral, its clicks, sales and codes, payers, payments that wait,
// payloads and receipts; referral.updated when the referral changed, and no other
// event.
//
// Source: docs/rules.md 4.7.
func (p *Program) EraseReferral(ctx context.Context, ident string) error {
	return upkeep.EraseReferral(ctx, p.in(ctx), ident)
}

// Run does a job to its end and returns what it did, also when it ended with an
// error. It is [Program.Step] for a caller with time:
//
//	done, err := p.Run(ctx, affiliate.RetainJob{Retention: policy})
//
// It looks in a snapshot, and has transactions of at most 100 records, so a sale waits
// for a few milliseconds at most. After an error the work of earlier transactions
// remains: run the job again. A job that is run again, or by several callers at once,
// has no second effect.
//
// Errors: those of the job, which its documentation names; those of the store.
//
// Effects: those of the job.
//
// Source: ours, because no request can wait for all records.
func (p *Program) Run(ctx context.Context, job affiliate.Job) (affiliate.Progress, error) {
	return upkeep.Run(ctx, p.in(ctx), job)
}

// Step does a part of a job and says where the next step goes on. Call it until
// the progress is Done; each step may be another process:
//
//	for at := (affiliate.Step{}); ; {
//		done, err := p.Step(ctx, job, at)
//		if err != nil || done.Done {
//			return err
//		}
//		at.Cursor = done.Cursor
//	}
//
// A step has transactions of at most 512 records, so a sale waits for a few
// milliseconds at most. A step that is repeated, or was cut off in the middle,
// has no second effect. Records that are created meanwhile may be missed: run
// the job again. A cursor works only for the same program and the same job with
// the same fields.
//
// Errors: those of the job; [affiliate.InvalidField] (cursor, limit). Earlier
// transactions of a step remain after an error.
//
// Effects: those of the job.
//
// Source: ours, because no request can wait for all records.
func (p *Program) Step(ctx context.Context, job affiliate.Job, at affiliate.Step) (affiliate.Progress, error) {
	return upkeep.Step(ctx, p.in(ctx), job, at)
}

// Verify recomputes counters, totals and references from a snapshot of the
// records, and returns a [*affiliate.Breach] for each difference, joined. Nil means that
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
//   - I85: a sale in another currency has the amounts that it was charged, times its
//     rate, in the program's.
//   - I86, I87: what is held of codes, coupons and budgets equals a recount from the
//     holds in state HELD, and what a coupon took off one from the redemptions that count.
//   - I88: who has a place has it of a redemption that counts, or of a hold in state
//     HELD and until its end, of its code and coupon, and once.
//   - I89: the fields of a hold fit together; its id begins with its end; and a sale
//     that confirmed it redeemed its code, and confirmed no other one.
//   - I90: a redemption without a sale has the id of its order; one that was given back
//     with its sale does not count, and the sale is refunded or gone.
//   - I84: an alias is no slug, and leads to one link, which names it.
//   - I91: a name of somebody who was merged leads to one live customer or affiliate, and nothing is
//     left in the ledger of an affiliate who was merged.
//   - I92: a case is of a live affiliate, names a sale or an order as its kind does, and has an answer
//     exactly when it is ANSWERED, unless the affiliate was erased.
//   - I83: no record shows a customer after the erasure; an erased email names a
//     live referral or none, and no customer has it.
//   - I81: statuses, approvals and types are ones that the contract lists; a
//     commission has a reason exactly when it is on hold or declined; coupons,
//     plans and tiers have names.
//
// The other invariants are about events in time that leave no record; tests
// check them.
//
// It reads in one View and writes nothing. It goes over the records once, with sums and
// fingerprints in at most 64 MiB, and then looks closely at what these leave open: nothing,
// or little, in books that are in order. Two fingerprints that are equal by chance could
// hide a breach, with a chance of about 1 in 2⁶¹. A program with more than about a million
// customers is gone over several times. The breaches themselves are held too.
//
// Errors: a [*affiliate.Breach] for each difference, joined; those of the store.
//
// Source: ours, because a host must be able to check its books. I72 is about records that this version does not have.
func (p *Program) Verify(ctx context.Context) error {
	return audit.Verify(ctx, p.in(ctx))
}
