package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A fault is a class of failed attempts, ordered by how likely the attempt had
// an effect. A request is sent again after faults up to the worst that its
// method allows.
type fault uint8

const (
	final  fault = iota // an answer to keep, or a failure that another attempt cannot repair
	unsent              // no effect: nothing was sent, or the server asks to try later
	lost                // unknown effect: no answer, or an answer of a proxy
	broken              // the server failed while it worked on the request
)

// mayRepeat returns the retry policy of go-retryablehttp: it reports whether to send
// again. It also chooses the wait, to check whether the context allows it.
func (a *call) mayRepeat(ctx context.Context, _ *http.Response, _ error) (bool, error) {
	f := a.fault()
	if f == final || f > a.worst || a.attempts > a.client.cfg.MaxRetries || ctx.Err() != nil {
		return false, nil
	}
	a.wait = a.ownWait()
	if after, ok := a.retryAfter(); ok {
		if after > a.client.cfg.MaxWait {
			return false, nil
		}
		a.wait = max(a.wait, after)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= a.wait {
		a.late = true
		return false, nil
	}
	return true, nil
}

// pause returns the backoff of go-retryablehttp.
func (a *call) pause(time.Duration, time.Duration, int, *http.Response) time.Duration { return a.wait }

// fault returns the class of the last attempt.
func (a *call) fault() fault {
	switch {
	case a.last.status == 0:
		return faultOf(a.last.err)
	case a.last.status == http.StatusTooManyRequests:
		return unsent
	case a.last.status == http.StatusServiceUnavailable:
		if _, ok := a.retryAfter(); ok {
			return unsent
		}
		return lost
	case a.last.status == http.StatusBadGateway, a.last.status == http.StatusGatewayTimeout:
		return lost
	case a.last.status >= 500:
		return broken
	}
	return final
}

// faultOf returns the class of an attempt without an answer. Only a failed dial
// proves that nothing was sent.
func faultOf(err error) fault {
	if err == nil || errors.Is(err, errOtherHost) || isTLS(err) {
		return final
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return unsent
	}
	return lost
}

// isTLS reports whether a connection failed for a permanent reason:
// certificate, protocol, or no TLS on the other side.
func isTLS(err error) bool {
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	return certificate || alert || record || errors.Is(err, http.ErrSchemeMismatch)
}

// ownWait returns a random wait whose upper end doubles with each attempt.
func (a *call) ownWait() time.Duration {
	low, high := a.client.cfg.MinWait, a.client.cfg.MinWait
	for range a.attempts {
		if high > a.client.cfg.MaxWait/2 {
			high = a.client.cfg.MaxWait
			break
		}
		high *= 2
	}
	return low + a.client.rand.below(high-low+1)
}

// retryAfter returns the wait that a 429 or 503 asks for, in seconds or as a date. A
// value that is malformed, negative or in the past asks for no wait.
func (a *call) retryAfter() (time.Duration, bool) {
	if a.last.status != http.StatusTooManyRequests && a.last.status != http.StatusServiceUnavailable {
		return 0, false
	}
	value := a.last.header.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 64)
	switch {
	case err == nil && seconds <= math.MaxInt64/uint64(time.Second):
		return time.Duration(seconds) * time.Second, true
	case err == nil || errors.Is(err, strconv.ErrRange):
		return math.MaxInt64, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	wait := time.Until(date)
	return wait, wait > 0
}
