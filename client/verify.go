package client

import (
	"context"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// VerifyReport is [tributary.Program.VerifyReport], with the first 100 breaches.
// It takes time in proportion to the books, so only the context limits it, and
// not Config.Timeout. It is never sent again.
func (c *Client) VerifyReport(ctx context.Context) (affiliate.Verification, error) {
	rq := fetch("/verify", nil)
	rq.patience, rq.worst = endless, final
	out, err := send[struct {
		Holds    bool
		Records  int64
		Breaches []affiliate.Breach
		TookMs   int64
	}](ctx, c, rq)
	if err != nil {
		return affiliate.Verification{}, err
	}
	return affiliate.Verification{
		Holds: out.Holds, Records: out.Records, Breaches: append([]affiliate.Breach{}, out.Breaches...),
		Took: time.Duration(out.TookMs) * time.Millisecond,
	}, nil
}
