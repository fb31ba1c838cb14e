package payout

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// SetPayoutStatus implements tributary.Program.SetPayoutStatus.
func SetPayoutStatus(ctx context.Context, p *engine.Program, id uuid.UUID,
	status affiliate.PayoutStatus) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "SetPayoutStatus", engine.Writes).End(&err)
	rq := engine.Request{Name: "payout.set-status", Refused: refusal.First(
		refusal.PayoutIDRequired.When(id == uuid.Nil),
		refusal.RefuseNoStatus.When(status == ""),
		refusal.OneOf("status", status, affiliate.PayoutStatuses()),
	)}
	return movePayout(ctx, p, rq, payoutMove{id, status, ""})
}

// FailPayout implements tributary.Program.FailPayout.
func FailPayout(ctx context.Context, p *engine.Program, id uuid.UUID, reason string) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "FailPayout", engine.Writes).End(&err)
	rq := engine.Request{Name: "payout.fail", Refused: checkWhy("failedReason", id, reason)}
	return movePayout(ctx, p, rq, payoutMove{id, affiliate.PayoutFailed, reason})
}

// ReturnPayout implements tributary.Program.ReturnPayout.
func ReturnPayout(ctx context.Context, p *engine.Program, id uuid.UUID, reason string) (_ affiliate.Payout, err error) {
	defer p.Begin(&ctx, "ReturnPayout", engine.Writes).End(&err)
	rq := engine.Request{Name: "payout.return", Refused: checkWhy("returnedReason", id, reason)}
	return movePayout(ctx, p, rq, payoutMove{id, affiliate.PayoutReturned, reason})
}

// checkWhy checks what names a payout, and the reason of what became of it.
func checkWhy(field string, id uuid.UUID, reason string) error {
	return refusal.First(
		refusal.PayoutIDRequired.When(id == uuid.Nil),
		refusal.FieldEmpty.About(field).When(plaintext.Blank(reason)),
		refusal.CheckText(field, reason, refusal.MaxNotes, true),
	)
}

// A payoutMove takes a payout to a status.
type payoutMove struct {
	ID     uuid.UUID
	To     affiliate.PayoutStatus
	Reason string // of a failure, or of a return
}

func movePayout(ctx context.Context, p *engine.Program, rq engine.Request, m payoutMove) (affiliate.Payout, error) {
	rq.Input = m
	o := p.Op(ctx)
	return engine.Write(o, rq, func() (affiliate.Payout, error) {
		rec, err := o.Tx.Payouts.Get(m.ID)
		if err != nil {
			return affiliate.Payout{}, refusal.PayoutNotFound.IfMissing(err)
		}
		again := rec.Status == m.To
		if again && (m.Reason == "" || m.Reason == why(&rec)) {
			return payoutOf(o, rec), nil
		}
		if !again && !slices.Contains(rec.Status.Next(), m.To) {
			return affiliate.Payout{}, refusal.StatusNotAllowed.Err()
		}
		become(&rec, m, engine.Later(o.Now, rec.UpdatedAt))
		if err := o.Tx.Payouts.Replace(rec); err != nil {
			return affiliate.Payout{}, refusal.Internal("write payout", err)
		}
		if again {
			return payoutOf(o, rec), nil // with another reason
		}
		return payoutOf(o, rec), settle(o, &rec)
	})
}

// why returns the reason of what became of the payout.
func why(r *record.Payout) string {
	if r.Status == affiliate.PayoutReturned {
		return r.ReturnedReason
	}
	return r.FailedReason
}

// become sets the new status of the payout and its time.
func become(r *record.Payout, m payoutMove, at affiliate.Instant) {
	r.Status, r.FailedReason, r.UpdatedAt = m.To, "", at
	switch m.To {
	case affiliate.PayoutFailed:
		r.FailedReason = m.Reason
	case affiliate.PayoutPaid:
		r.PaidAt = at
	case affiliate.PayoutCanceled:
		r.CanceledAt = at
	case affiliate.PayoutReturned:
		r.ReturnedReason = m.Reason
		if r.ReturnedAt.IsZero() {
			r.ReturnedAt = at
		}
	}
}

// settle books that a payout was paid, was canceled or came back. For a paid one it
// updates the sales; for the others it releases what they took.
func settle(o *engine.Op, rec *record.Payout) error {
	switch rec.Status {
	case affiliate.PayoutPaid:
		if err := o.Enter(rec.AffiliateID, engine.BookPayout(rec, affiliate.CausePayoutPaid, affiliate.AccountInPayout, affiliate.AccountPaid)); err != nil {
			return err
		}
		return o.EachSaleIn(rec, func(sale record.Sale) error {
			if sale.DeletedFired {
				return nil
			}
			_, err := o.SaveSale(sale, engine.Touched(sale), "")
			return err
		})
	case affiliate.PayoutCanceled:
		return letGo(o, rec,
			engine.BookPayout(rec, affiliate.CausePayoutCanceled, affiliate.AccountInPayout,
				affiliate.AccountPayable))
	case affiliate.PayoutReturned:
		return letGo(o, rec,
			engine.BookPayout(rec, affiliate.CausePayoutReturned, affiliate.AccountPaid,
				affiliate.AccountPayable))
	}
	return nil
}

// letGo releases what the payout took for another payout, and books that.
func letGo(o *engine.Op, rec *record.Payout, b engine.Booking) error {
	if err := o.Enter(rec.AffiliateID, b); err != nil {
		return err
	}
	if err := markAdjustments(o, rec, uuid.Nil); err != nil {
		return err
	}
	return markEntries(o, rec, func(c *record.Commission) bool { return c.PayoutID == rec.ID }, func(c *record.Commission) {
		c.PayoutID, c.ManuallyPaid, c.Frozen = uuid.Nil, false, true
	})
}
