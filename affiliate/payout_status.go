package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// SetPayoutStatus changes the status of a payout: PENDING to PROCESSING, either
// of them to PAID or FAILED, FAILED back to PROCESSING, PENDING or FAILED to
// CANCELED, and PAID to RETURNED. CANCELED and RETURNED are final. Setting the
// current status changes nothing. A failed payout keeps its commissions. A canceled
// one, and one whose money came back, let them go, so that another payout takes
// them; they keep their amount and their list.
//
// A payout that is PROCESSING cannot be canceled, because its money may be on
// the way: set it to FAILED first.
//
// Errors: [MissingField] (payoutId, status), [InvalidField] (status),
// [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; when it becomes PAID, CANCELED or RETURNED, sale.updated
// once for each sale, except for those whose sale.deleted was fired; CANCELED and
// RETURNED also clear payoutCreated, payoutId and manuallyPaid of what it took.
//
// Source: docs/rules.md 5.6; docs/money.md 4.
func (p *Program) SetPayoutStatus(ctx context.Context, id uuid.UUID, status PayoutStatus) (_ Payout, err error) {
	defer p.begin(&ctx, "SetPayoutStatus", writes).end(&err)
	rq := request{name: "payout.set-status", refused: first(
		payoutIDRequired.when(id == uuid.Nil),
		RefuseNoStatus.when(status == ""),
		oneOf("status", status, payoutStatuses),
	)}
	return p.movePayout(ctx, rq, payoutMove{id, status, ""})
}

// FailPayout is [Program.SetPayoutStatus] with FAILED and the reason why
// (1–10,000 characters, newlines and tabs allowed). Another reason replaces the
// one before.
//
// Errors: [MissingField] (payoutId), [InvalidField] (failedReason),
// [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; no event.
//
// Source: docs/contract.md 2.8.
func (p *Program) FailPayout(ctx context.Context, id uuid.UUID, reason string) (_ Payout, err error) {
	defer p.begin(&ctx, "FailPayout", writes).end(&err)
	rq := request{name: "payout.fail", refused: checkWhy("failedReason", id, reason)}
	return p.movePayout(ctx, rq, payoutMove{id, PayoutFailed, reason})
}

// CancelPayout is [Program.SetPayoutStatus] with CANCELED.
//
// Errors: [MissingField] (payoutId), [PayoutNotFound], [StatusNotAllowed].
//
// Effects: those of [Program.SetPayoutStatus].
//
// Source: docs/money.md 4.
func (p *Program) CancelPayout(ctx context.Context, id uuid.UUID) (_ Payout, err error) {
	defer p.begin(&ctx, "CancelPayout", writes).end(&err)
	return p.SetPayoutStatus(ctx, id, PayoutCanceled)
}

// ReturnPayout is [Program.SetPayoutStatus] with RETURNED and the reason why: a
// payout that was PAID bounced, and the money is back (1–10,000 characters, newlines
// and tabs allowed). Another reason replaces the one before. What it took is payable
// from now on; statements of months that are over stay as they are.
//
// Errors: [MissingField] (payoutId), [InvalidField] (returnedReason),
// [PayoutNotFound], [StatusNotAllowed] unless it is PAID or RETURNED.
//
// Effects: those of [Program.SetPayoutStatus].
//
// Source: docs/money.md 4.
func (p *Program) ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (_ Payout, err error) {
	defer p.begin(&ctx, "ReturnPayout", writes).end(&err)
	rq := request{name: "payout.return", refused: checkWhy("returnedReason", id, reason)}
	return p.movePayout(ctx, rq, payoutMove{id, PayoutReturned, reason})
}

// checkWhy checks what names a payout, and the reason of what became of it.
func checkWhy(field string, id uuid.UUID, reason string) error {
	return first(
		payoutIDRequired.when(id == uuid.Nil),
		FieldEmpty.about(field).when(plaintext.Blank(reason)),
		checkText(field, reason, maxNotes, true),
	)
}

// A payoutMove takes a payout to a status.
type payoutMove struct {
	ID     uuid.UUID
	To     PayoutStatus
	Reason string // of a failure, or of a return
}

func (p *Program) movePayout(ctx context.Context, rq request, m payoutMove) (Payout, error) {
	rq.input = m
	o := p.op(ctx)
	return write(o, rq, func() (Payout, error) {
		rec, err := o.tx.Payouts.Get(m.ID)
		if err != nil {
			return Payout{}, payoutNotFound.ifMissing(err)
		}
		again := rec.Status == m.To
		if again && (m.Reason == "" || m.Reason == rec.why()) {
			return o.payoutOf(rec), nil
		}
		if !again && !slices.Contains(rec.Status.Next(), m.To) {
			return Payout{}, statusNotAllowed.Err()
		}
		rec.become(m, later(o.now, rec.UpdatedAt))
		if err := o.tx.Payouts.Replace(rec); err != nil {
			return Payout{}, internal("write payout", err)
		}
		if again {
			return o.payoutOf(rec), nil // with another reason
		}
		return o.payoutOf(rec), o.settle(&rec)
	})
}

// why is the reason of what became of the payout.
func (r *PayoutRecord) why() string {
	if r.Status == PayoutReturned {
		return r.ReturnedReason
	}
	return r.FailedReason
}

// become notes what became of the payout, at a time.
func (r *PayoutRecord) become(m payoutMove, at Instant) {
	r.Status, r.FailedReason, r.UpdatedAt = m.To, "", at
	switch m.To {
	case PayoutFailed:
		r.FailedReason = m.Reason
	case PayoutPaid:
		r.PaidAt = at
	case PayoutCanceled:
		r.CanceledAt = at
	case PayoutReturned:
		r.ReturnedReason = m.Reason
		if r.ReturnedAt.IsZero() {
			r.ReturnedAt = at
		}
	}
}

// settle books that a payout was paid, was canceled or came back. It tells the sales
// of one that was paid, and lets go what the others took.
func (o *op) settle(rec *PayoutRecord) error {
	switch rec.Status {
	case PayoutPaid:
		if err := o.enter(rec.AffiliateID, bookPayout(rec, CausePayoutPaid, AccountInPayout, AccountPaid)); err != nil {
			return err
		}
		return o.eachSaleIn(rec, func(sale SaleRecord) error {
			if sale.DeletedFired {
				return nil
			}
			_, err := o.saveSale(sale, sale.touched(), "")
			return err
		})
	case PayoutCanceled:
		return o.letGo(rec, bookPayout(rec, CausePayoutCanceled, AccountInPayout, AccountPayable))
	case PayoutReturned:
		return o.letGo(rec, bookPayout(rec, CausePayoutReturned, AccountPaid, AccountPayable))
	}
	return nil
}

// letGo books that another payout may take what this one took.
func (o *op) letGo(rec *PayoutRecord, b booking) error {
	if err := o.enter(rec.AffiliateID, b); err != nil {
		return err
	}
	if err := o.markAdjustments(rec, uuid.Nil); err != nil {
		return err
	}
	return o.markEntries(rec, func(c *CommissionRecord) bool { return c.PayoutID == rec.ID }, func(c *CommissionRecord) {
		c.PayoutID, c.ManuallyPaid, c.Frozen = uuid.Nil, false, true
	})
}

// Next returns the statuses that a payout of this status can get; none: it is
// final.
//
// Source: docs/money.md 4.
func (s PayoutStatus) Next() []PayoutStatus {
	switch s {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed, PayoutCanceled}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutPaid:
		return []PayoutStatus{PayoutReturned}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing, PayoutCanceled}
	}
	return nil
}
