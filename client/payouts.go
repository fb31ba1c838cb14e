package client

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

const payouts = "/payouts"

// Payout is [tributary.Program.Payout].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) Payout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error) {
	return one[affiliate.Payout](ctx, c, payouts, firstOf("id", textOfID(id)))
}

// Payouts is [tributary.Program.Payouts].
func (c *Client) Payouts(ctx context.Context, f affiliate.PayoutFilter, pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
	return selected[affiliate.Payout](ctx, c, payouts, filterOf(f), pg)
}

// Transfers is [tributary.Program.Transfers]. The server lists payouts newest
// first and payments are oldest first, so all of them are read before the first
// is yielded.
func (c *Client) Transfers(ctx context.Context, f affiliate.PayoutFilter) iter.Seq2[affiliate.Transfer, error] {
	return func(yield func(affiliate.Transfer, error) bool) {
		var payments []affiliate.Transfer
		for p, err := range affiliate.All(ctx, c.Payouts, f) {
			if err != nil {
				yield(affiliate.Transfer{}, err)
				return
			}
			payments = append(payments, affiliate.Transfer{
				PayoutID: p.ID, Status: p.Status, Amount: p.Amount, Currency: p.Currency,
				Method: p.PaymentMethod.Or(""), Name: p.PayeeName.Or(""), Email: p.PayeeEmail.Or(""),
			})
		}
		for _, p := range slices.Backward(payments) {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// CreatePayout is [tributary.Program.CreatePayout].
func (c *Client) CreatePayout(ctx context.Context, in affiliate.NewPayout) (affiliate.Payout, error) {
	return send[affiliate.Payout](ctx, c, c.post(payouts, in, affiliate.Once{}))
}

// payoutStatus is a change of a payout on the wire.
type payoutStatus struct {
	PayoutID       uuid.UUID              `json:"payoutId,omitzero"`
	Status         affiliate.PayoutStatus `json:"status,omitzero"`
	FailedReason   affiliate.Opt[string]  `json:"failedReason,omitzero"`
	ReturnedReason affiliate.Opt[string]  `json:"returnedReason,omitzero"`
}

// SetPayoutStatus is [tributary.Program.SetPayoutStatus].
func (c *Client) SetPayoutStatus(ctx context.Context, id uuid.UUID, status affiliate.PayoutStatus) (affiliate.Payout, error) {
	return c.movePayout(ctx, payoutStatus{PayoutID: id, Status: status})
}

// FailPayout is [tributary.Program.FailPayout].
func (c *Client) FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return c.movePayout(ctx, payoutStatus{PayoutID: id, Status: affiliate.PayoutFailed, FailedReason: affiliate.Set(reason)})
}

// CancelPayout is [tributary.Program.CancelPayout].
func (c *Client) CancelPayout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error) {
	return c.SetPayoutStatus(ctx, id, affiliate.PayoutCanceled)
}

// ReturnPayout is [tributary.Program.ReturnPayout].
func (c *Client) ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return c.movePayout(ctx, payoutStatus{PayoutID: id, Status: affiliate.PayoutReturned, ReturnedReason: affiliate.Set(reason)})
}

func (c *Client) movePayout(ctx context.Context, to payoutStatus) (affiliate.Payout, error) {
	return send[affiliate.Payout](ctx, c, c.write(http.MethodPatch, payouts, to))
}
