package client

import (
	"context"
	"errors"
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
func (c *Client) Payouts(ctx context.Context, f affiliate.PayoutQuery,
	pg affiliate.Page) (affiliate.List[affiliate.Payout], error) {
	return selected[affiliate.Payout](ctx, c, payouts, filterOf(f), pg)
}

// PayoutSums is [tributary.Program.PayoutSums].
func (c *Client) PayoutSums(ctx context.Context, f affiliate.PayoutQuery) (affiliate.PayoutSums, error) {
	of := filterOf(f)
	if of.nobody {
		return affiliate.PayoutSums{}, nil
	}
	return send[affiliate.PayoutSums](ctx, c, fetch(payouts+"/sums", of.query))
}

// Transfers is [tributary.Program.Transfers]. The server lists payouts newest
// first and payments are oldest first, so all of them are read before the first
// is yielded.
func (c *Client) Transfers(ctx context.Context, f affiliate.PayoutQuery) iter.Seq2[affiliate.Transfer, error] {
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
func (c *Client) CreatePayout(ctx context.Context, in affiliate.PayoutParams) (affiliate.Payout, error) {
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
func (c *Client) SetPayoutStatus(ctx context.Context, id uuid.UUID,
	status affiliate.PayoutStatus) (affiliate.Payout, error) {
	return c.movePayout(ctx, payoutStatus{PayoutID: id, Status: status})
}

// FailPayout is [tributary.Program.FailPayout].
func (c *Client) FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return c.movePayout(ctx,
		payoutStatus{PayoutID: id, Status: affiliate.PayoutFailed,
			FailedReason: affiliate.Set(reason)})
}

// ReturnPayout is [tributary.Program.ReturnPayout].
func (c *Client) ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error) {
	return c.movePayout(ctx,
		payoutStatus{PayoutID: id, Status: affiliate.PayoutReturned,
			ReturnedReason: affiliate.Set(reason)})
}

func (c *Client) movePayout(ctx context.Context, to payoutStatus) (affiliate.Payout, error) {
	return send[affiliate.Payout](ctx, c, c.write(http.MethodPatch, payouts, to))
}

// previewedAtOnce is the number of lines of a preview in one request.
const previewedAtOnce = 500

// RunPayouts is [tributary.Program.RunPayouts]. Without a Limit the server examines
// some hundred affiliates in each request, and requests are sent until the run is
// DONE, each with a key of its own; the key of the client is that of the first.
func (c *Client) RunPayouts(ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error) {
	rq := c.post(payouts+"/run", in, affiliate.Once{})
	for {
		run, a, err := do[affiliate.PayoutRunResult](ctx, c, rq)
		if err == errNull || err == nil && run.Status == "" {
			return affiliate.PayoutRunResult{}, a.unreadable(errNoRun)
		}
		if err != nil || run.Status != affiliate.RunRunning || in.Limit != 0 {
			return run, err
		}
		rq.once.Key = ""
	}
}

// errNoRun means that an answer does not say whether a run is over.
var errNoRun = errors.New("the answer is no payout run")

// previewPage is a page of a preview on the wire.
type previewPage struct {
	Lines []affiliate.PayoutLine `json:"lines"`
	Next  affiliate.Opt[string]  `json:"next"`
}

// PreviewPayouts is [tributary.Program.PreviewPayouts]. The zero page is all of its
// pages, one after the other.
func (c *Client) PreviewPayouts(ctx context.Context, in affiliate.PayoutRun,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	page := func(pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
		got, err := send[previewPage](ctx, c, c.post(payouts+"/preview", struct {
			affiliate.PayoutRun
			Limit  int    `json:"limit,omitzero"`
			Cursor string `json:"cursor,omitzero"`
		}{in, pg.Limit, pg.Cursor}, affiliate.Once{}))
		return affiliate.List[affiliate.PayoutLine]{Items: append([]affiliate.PayoutLine{},
			got.Lines...), Next: got.Next.Or("")}, err
	}
	if pg != (affiliate.Page{}) {
		return page(pg)
	}
	all := affiliate.List[affiliate.PayoutLine]{Items: []affiliate.PayoutLine{}}
	for line, err := range affiliate.Each(previewedAtOnce, page) {
		if err != nil {
			return affiliate.List[affiliate.PayoutLine]{}, err
		}
		all.Items = append(all.Items, line)
	}
	return all, nil
}

// PayoutRun is [tributary.Program.PayoutRun].
//
// Errors: [affiliate.ErrNotFound].
func (c *Client) PayoutRun(ctx context.Context, externalID string) (affiliate.PayoutRunResult, error) {
	return one[affiliate.PayoutRunResult](ctx, c, payouts+"/runs", firstOf("externalId", externalID))
}

// PayoutRuns is [tributary.Program.PayoutRuns].
func (c *Client) PayoutRuns(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.PayoutRunResult], error) {
	return selected[affiliate.PayoutRunResult](ctx, c, payouts+"/runs", filter{}, pg)
}

// PayoutLines is [tributary.Program.PayoutLines].
func (c *Client) PayoutLines(ctx context.Context, externalID string,
	pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	var q filter
	q.text("externalId", affiliate.Set(externalID))
	return selected[affiliate.PayoutLine](ctx, c, payouts+"/lines", q, pg)
}
