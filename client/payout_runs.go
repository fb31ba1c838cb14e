package client

import (
	"context"
	"errors"

	"github.com/tributary-go/tributary/affiliate"
)

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

// previewed is a page of a preview on the wire.
type previewed struct {
	Lines []affiliate.PayoutLine `json:"lines"`
	Next  affiliate.Opt[string]  `json:"next"`
}

// PreviewPayouts is [tributary.Program.PreviewPayouts]. The zero page is all of its
// pages, one after the other.
func (c *Client) PreviewPayouts(ctx context.Context, in affiliate.PayoutRun, pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	page := func(pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
		got, err := send[previewed](ctx, c, c.post(payouts+"/preview", struct {
			affiliate.PayoutRun
			Limit  int    `json:"limit,omitzero"`
			Cursor string `json:"cursor,omitzero"`
		}{in, pg.Limit, pg.Cursor}, affiliate.Once{}))
		return affiliate.List[affiliate.PayoutLine]{Items: append([]affiliate.PayoutLine{}, got.Lines...), Next: got.Next.Or("")}, err
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
func (c *Client) PayoutLines(ctx context.Context, externalID string, pg affiliate.Page) (affiliate.List[affiliate.PayoutLine], error) {
	var q filter
	q.text("externalId", affiliate.Set(externalID))
	return selected[affiliate.PayoutLine](ctx, c, payouts+"/lines", q, pg)
}
