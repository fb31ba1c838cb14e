package sync

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultBase    = "https://api.stripe.com"
	defaultVersion = "2026-02-25.clover"

	tries     = 3
	patience  = 10 * time.Second // all waits of a call together
	firstWait = 500 * time.Millisecond
	maxAnswer = 4 << 20 // bytes
)

// ErrConfig is the error of a Client that cannot be used. Its text never has the
// key.
var ErrConfig = errors.New("sync: wrong configuration")

// ErrAnswer is the error of an answer that is not Stripe's, or too long.
var ErrAnswer = errors.New("sync: unreadable answer")

// An Error is a refusal of Stripe. Its text has neither the key nor anything that was sent.
type Error struct {
	Status      int
	Code, Param string // as Stripe names them; empty: not said
	RequestID   string // the id of the request at Stripe; empty: there is none
}

// Error names the status, the code and the parameter.
func (e *Error) Error() string {
	text := "sync: Stripe answered " + strconv.Itoa(e.Status)
	for _, part := range []string{e.Code, e.Param, e.RequestID} {
		if part != "" {
			text += " " + part
		}
	}
	return text
}

// wait pauses between two tries.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An api sends requests.
type api struct {
	Client
	base *url.URL
	http http.Client
}

// open checks the settings.
func (c *Client) open() (*api, error) {
	if c.Key == "" || strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("%w: the key", ErrConfig)
	}
	base, err := url.Parse(cmp.Or(c.Base, defaultBase))
	if err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("%w: the base URL", ErrConfig)
	}
	if base.Scheme != "https" && !(base.Scheme == "http" && local(base.Hostname())) {
		return nil, fmt.Errorf("%w: the base URL is not https", ErrConfig)
	}
	a := &api{Client: *c, base: base, http: http.Client{Timeout: 30 * time.Second}}
	if c.HTTP != nil {
		a.http = *c.HTTP
	}
	a.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return a, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// get reads an object.
func (a *api) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return a.call(ctx, http.MethodGet, path, nil, "", into)
}

// create creates an object. Its idempotency key makes a repeat one with the first
// request: it is made of the fields, and of the object that it belongs to.
func (a *api) create(ctx context.Context, path string, form url.Values, of string, into any) error {
	body := []byte(form.Encode())
	sum := sha256.Sum256(slices.Concat([]byte(of+"\x00"+path+"\x00"), body))
	return a.call(ctx, http.MethodPost, path, body, "tributary-"+hex.EncodeToString(sum[:]), into)
}

// change changes an object. It sends no key: for a day Stripe would answer a known
// key with the old result, and switching off and on again would have the same key. A
// repeat changes nothing anyway.
func (a *api) change(ctx context.Context, path string, form url.Values) error {
	var now struct{}
	return a.call(ctx, http.MethodPost, path, []byte(form.Encode()), "", &now)
}

// call sends a request, and sends it again when Stripe is busy or cannot be
// reached.
func (a *api) call(ctx context.Context, method, path string, body []byte, once string, into any) error {
	left := patience
	for try := 1; ; try++ {
		pause, err := a.send(ctx, method, path, body, once, into)
		if err == nil || pause < 0 || try == tries || ctx.Err() != nil {
			return err
		}
		if pause == 0 {
			pause = firstWait << (try - 1)
		}
		if pause > left {
			return err
		}
		left -= pause
		if wait(ctx, pause) != nil {
			return err
		}
	}
}

const final = time.Duration(-1) // another try would not help

// send sends a request once. With an error it returns the wait before the next try;
// 0: Stripe named none.
func (a *api) send(ctx context.Context, method, path string, body []byte, once string,
	into any) (time.Duration, error) {
	rq, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(a.base.String(), "/")+path, bytes.NewReader(body))
	if err != nil {
		return final, fmt.Errorf("%w: the base URL", ErrConfig)
	}
	rq.Header.Set("Authorization", "Bearer "+a.Key)
	rq.Header.Set("Stripe-Version", cmp.Or(a.Version, defaultVersion))
	if a.Account != "" {
		rq.Header.Set("Stripe-Account", a.Account)
	}
	if method == http.MethodPost {
		rq.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if once != "" {
		rq.Header.Set("Idempotency-Key", once)
	}
	answer, err := a.http.Do(rq)
	if err != nil {
		return 0, unreached(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, unreached(err)
	case len(raw) > maxAnswer:
		return final, ErrAnswer
	case answer.StatusCode == http.StatusOK:
		if json.Unmarshal(raw, into) != nil {
			return final, ErrAnswer
		}
		return 0, nil
	}
	return retryAfter(answer), refusal(answer, raw)
}

// unreached returns an error of the network without its URL, in which a host may have
// put a secret.
func unreached(err error) error {
	if sent, ok := errors.AsType[*url.Error](err); ok {
		err = sent.Err
	}
	return fmt.Errorf("sync: Stripe was not reached: %w", err)
}

// retryAfter returns how long to wait after an answer that is no success.
func retryAfter(answer *http.Response) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode < 500 {
		return final
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// refusal returns what Stripe says of a request that it refuses.
func refusal(answer *http.Response, raw []byte) error {
	var said struct {
		Error struct{ Code, Param string }
	}
	_ = json.Unmarshal(raw, &said) // the status alone says enough
	return &Error{
		Status: answer.StatusCode, Code: word(said.Error.Code), Param: word(said.Error.Param),
		RequestID: word(answer.Header.Get("Request-Id")),
	}
}

// word returns a text that may be shown: a name of Stripe's, and nothing else.
func word(s string) string {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("_-[].", r))
	}
	if len(s) > 100 || strings.ContainsFunc(s, odd) {
		return ""
	}
	return s
}

// is reports whether Stripe refused with a code.
func is(err error, code string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}
