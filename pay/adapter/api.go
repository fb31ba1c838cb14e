package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	apiTries    = 6
	apiWait     = 30 * time.Second
	apiPatience = 5 * time.Minute // who names a longer time is not waited for
	apiAnswer   = 64 << 20        // bytes
)

// An API reads lists of a provider. What is busy, 429 and 5xx, is asked again up to five times,
// after the time that it names; when that is longer than five minutes, it is not asked again.
type API struct {
	Base   string       // such as https://api.stripe.com, with the path that all requests have, if there is one; https, but for this machine
	Header http.Header  `json:"-"` // says who asks; never in an error or a log
	Client *http.Client // nil: one whose requests end after 30 s. It follows no redirect: Header would go with it
}

// Format writes the base, for every verb.
func (a API) Format(f fmt.State, _ rune) { io.WriteString(f, a.Base) }

// An APIError is an answer of a provider that is no success. Its text has neither what was sent nor
// what was answered.
type APIError struct {
	Path   string
	Status int
}

// Error names the path and the status.
func (e *APIError) Error() string { return fmt.Sprintf("pay: %s answered %d", e.Path, e.Status) }

// ErrAnswer means that an answer is not the provider's.
var ErrAnswer = errors.New("pay: unreadable answer")

// check refuses what cannot be used.
func (a API) check() error {
	base, err := url.Parse(a.Base)
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return fmt.Errorf("%w: the base of the API", ErrConfig)
	}
	ip := net.ParseIP(base.Hostname())
	if local := base.Hostname() == "localhost" || ip != nil && ip.IsLoopback(); base.Scheme != "https" && !(base.Scheme == "http" && local) {
		return fmt.Errorf("%w: the base of the API is not https", ErrConfig)
	}
	return nil
}

// Get reads a list or an object, into what encoding/json takes.
//
// Errors: [ErrConfig], [*APIError], [ErrAnswer], those of the network and of the context.
func (a API) Get(ctx context.Context, path string, query url.Values, into any) (http.Header, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	rq, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(a.Base, "/")+path, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: the base of the API", ErrConfig)
	}
	rq.URL.RawQuery = query.Encode()
	for name, values := range a.Header {
		rq.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer, err := a.client().Do(rq)
	if err != nil {
		if sent, ok := errors.AsType[*url.Error](err); ok {
			err = sent.Err // its URL may have a secret of the host
		}
		return nil, fmt.Errorf("pay: %s: %w", path, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, &APIError{path, answer.StatusCode}
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, apiAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("pay: %s: %w", path, err)
	}
	if len(raw) > apiAnswer || json.Unmarshal(raw, into) != nil {
		return nil, fmt.Errorf("%w of %s", ErrAnswer, path)
	}
	return answer.Header, nil
}

func (a API) client() *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.Logger, c.RetryMax, c.RetryWaitMax = nil, apiTries-1, apiWait
	c.ErrorHandler = retryablehttp.PassthroughErrorHandler
	c.CheckRetry = func(ctx context.Context, answer *http.Response, err error) (bool, error) {
		if wait := c.Backoff(c.RetryWaitMin, c.RetryWaitMax, 0, answer); ctx.Err() == nil && (wait < 0 || wait > apiPatience) {
			return false, err
		}
		return retryablehttp.DefaultRetryPolicy(ctx, answer, err)
	}
	c.HTTPClient = &http.Client{Timeout: apiWait}
	if a.Client != nil {
		own := *a.Client
		c.HTTPClient = &own
	}
	c.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}
