package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

// SetPayoutStatus changes the status of a payout: PENDING to PROCESSING, either
// of them to PAID or FAILED, FAILED back to PROCESSING, and PENDING or FAILED to
// CANCELED. PAID and CANCELED are final. Setting the current status changes
// nothing. A failed payout keeps its commissions. A canceled one lets them go,
// so that another payout takes them; it keeps its amount and its list.
//
// A payout that is PROCESSING cannot be canceled, because its money may be on
// the way: set it to FAILED first.
//
// Errors: [MissingField] (payoutId, status), [InvalidField] (status),
// [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; when it becomes PAID or CANCELED, sale.updated once for
// each sale, except for those whose sale.deleted was fired; CANCELED also clears
// payoutCreated and payoutId of what it took.
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
// (1–10,000 characters, newlines and tabs allowed).
//
// Errors: [MissingField] (payoutId), [InvalidField] (failedReason),
// [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; no event.
//
// Source: docs/contract.md 2.8.
func (p *Program) FailPayout(ctx context.Context, id uuid.UUID, reason string) (_ Payout, err error) {
	defer p.begin(&ctx, "FailPayout", writes).end(&err)
	rq := request{name: "payout.fail", refused: first(
		payoutIDRequired.when(id == uuid.Nil),
		FieldEmpty.about("failedReason").when(plaintext.Blank(reason)),
		checkText("failedReason", reason, maxNotes, true),
	)}
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

// A payoutMove takes a payout to a status.
type payoutMove struct {
	ID     uuid.UUID
	To     PayoutStatus
	Reason string // of a failure
}

func (p *Program) movePayout(ctx context.Context, rq request, m payoutMove) (Payout, error) {
	rq.input = m
	o := p.op(ctx)
	return write(o, rq, func() (Payout, error) {
		rec, err := o.tx.Payouts.Get(m.ID)
		if err != nil {
			return Payout{}, payoutNotFound.ifMissing(err)
		}
		if rec.Status == m.To && (m.Reason == "" || rec.FailedReason == m.Reason) {
			return o.payoutOf(rec), nil
		}
		if rec.Status != m.To && !slices.Contains(rec.Status.Next(), m.To) {
			return Payout{}, statusNotAllowed.Err()
		}
		rec.Status, rec.FailedReason, rec.UpdatedAt = m.To, m.Reason, later(o.now, rec.UpdatedAt)
		switch m.To {
		case PayoutPaid:
			rec.PaidAt = rec.UpdatedAt
		case PayoutCanceled:
			rec.CanceledAt = rec.UpdatedAt
		}
		if err := o.tx.Payouts.Replace(rec); err != nil {
			return Payout{}, internal("write payout", err)
		}
		return o.payoutOf(rec), o.settle(&rec)
	})
}

// settle books that a payout was paid or canceled. It tells the sales of one that
// was paid, and lets their commissions go when it was canceled.
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
		if err := o.enter(rec.AffiliateID, bookPayout(rec, CausePayoutCanceled, AccountInPayout, AccountPayable)); err != nil {
			return err
		}
		if err := o.markAdjustments(rec, uuid.Nil); err != nil {
			return err
		}
		return o.markEntries(rec, func(c *CommissionRecord) bool { return c.PayoutID == rec.ID }, func(c *CommissionRecord) {
			c.PayoutID, c.Frozen = uuid.Nil, true
		})
	}
	return nil
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
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing, PayoutCanceled}
	}
	return nil
}
