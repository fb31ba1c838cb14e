package client

import (
	"context"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// verify checks the books and answers the first 100 breaches. It takes as long as the
// books are large: only the context limits it, and not Config.Timeout. It is never
// sent again.
func (c *Client) verify(ctx context.Context) (affiliate.Progress, error) {
	rq := fetch("/verify", nil)
	rq.patience, rq.worst = endless, final
	out, err := send[struct {
		Holds    bool
		Records  int64
		Breaches []affiliate.Breach
		TookMs   int64
	}](ctx, c, rq)
	if err != nil {
		return affiliate.Progress{}, err
	}
	return affiliate.Progress{Done: true, Looked: out.Records, Verification: affiliate.Verification{
		Holds: out.Holds, Records: out.Records, Breaches: append([]affiliate.Breach{}, out.Breaches...),
		Took: time.Duration(out.TookMs) * time.Millisecond,
	}}, nil
}
