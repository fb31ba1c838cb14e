package affiliate

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

// SetPayoutStatus changes the status of a payout: PENDING to PROCESSING, either
// of them to PAID or FAILED, FAILED back to PROCESSING. PAID is final. Setting
// the current status changes nothing. A failed payout keeps its commissions.
//
// Errors: [InvalidField] (status), [PayoutNotFound], [StatusNotAllowed].
// Effects: the payout; when it becomes PAID, sale.updated for each sale.
// Source: docs/rules.md 5.6.
func (p *Program) SetPayoutStatus(ctx context.Context, id uuid.UUID, status PayoutStatus) (Payout, error) {
	rq := request{name: "payout.set-status", refused: first(oneOf("status", status, payoutStatuses))}
	return p.movePayout(ctx, rq, payoutMove{id, status, ""})
}

// FailPayout is [Program.SetPayoutStatus] with FAILED and the reason why
// (1–10,000 characters, newlines and tabs allowed).
//
// Errors: [InvalidField] (failedReason), [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; no event.
//
// Source: docs/contract.md 2.8.
func (p *Program) FailPayout(ctx context.Context, id uuid.UUID, reason string) (Payout, error) {
	rq := request{name: "payout.fail", refused: first(checkText("failedReason", reason, maxNotes, true))}
	if plaintext.Blank(reason) {
		rq.refused = FieldEmpty.Of("failedReason")
	}
	return p.movePayout(ctx, rq, payoutMove{id, PayoutFailed, reason})
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
			return payoutOf(rec), nil
		}
		if rec.Status != m.To && !slices.Contains(nextPayoutStatuses(rec.Status), m.To) {
			return Payout{}, statusNotAllowed.Err()
		}
		rec.Status, rec.FailedReason, rec.UpdatedAt = m.To, m.Reason, later(o.now, rec.UpdatedAt)
		if m.To == PayoutPaid {
			rec.PaidAt = o.now
		}
		if err := o.tx.Payouts.Replace(rec); err != nil {
			return Payout{}, internal("write payout", err)
		}
		if m.To != PayoutPaid {
			return payoutOf(rec), nil
		}
		err = each(o.tx.Sales, Key{Index: OfPayout, ID: rec.ID}, func(sale SaleRecord) error {
			_, err := o.saveSale(sale, sale.touched())
			return err
		})
		return payoutOf(rec), err
	})
}

// nextPayoutStatuses are the statuses that may follow a status.
func nextPayoutStatuses(from PayoutStatus) []PayoutStatus {
	switch from {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing}
	}
	return nil
}
