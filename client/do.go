package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/tributary-go/tributary/affiliate"
)

// An Answer is what the server answered to [Client.Do].
type Answer struct {
	Status int // 200 to 299
	Header http.Header
	Body   []byte // as it was sent; the API key is not blanked in it
	Next   string // the cursor of the next page, from the Link header; empty: none
}

// Do calls any operation, with the key, the repeats and the errors of the other
// methods. The path is what follows /api/v1, such as /sales; body is JSON, or
// nil for none. Every method except GET gets an Idempotency-Key: that of
// [Client.Keyed], or a random one. The method and the path must be those of the
// contract: nothing else is checked before the request is sent.
//
// Errors: an [*Error] when there is no answer, when it is an error, or when it
// is not JSON.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body json.RawMessage) (Answer, error) {
	rq := fetch(path, query)
	if method != http.MethodGet {
		rq = c.post(path, nil, affiliate.Once{})
		rq.method, rq.query = method, query
	}
	if body != nil {
		rq.body = body
	}
	a, err := c.run(ctx, rq)
	if err != nil {
		return Answer{}, err
	}
	if err := a.checkJSON(); err != nil {
		return Answer{}, a.unreadable(err)
	}
	return Answer{a.last.status, a.last.header, a.last.body, nextCursor(a.last.header.Values("Link"))}, nil
}
