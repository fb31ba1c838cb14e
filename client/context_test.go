package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// TestContext: the context limits the whole call, waits included.
func TestContext(t *testing.T) {
	reason := errors.New("shop closed")
	for _, row := range []struct {
		name     string
		answer   func(int, *http.Request) (*http.Response, error)
		ctx      func(context.Context) (context.Context, context.CancelFunc)
		attempts int
		status   int
		took     time.Duration
		is       []error
	}{
		{"ErrBefore", nil, canceledAfter(0, nil), 0, 0, 0, []error{context.Canceled}},
		{"ErrDuringAttempt", silent, canceledAfter(time.Second, nil), 1, 0, time.Second, []error{context.Canceled}},
		{"ErrDuringAttemptForAReason", silent, canceledAfter(time.Second, reason), 1, 0, time.Second, []error{context.Canceled, reason}},
		{"ErrDuringWait", answering(503, ""), canceledAfter(100*time.Millisecond, nil), 1, 503, 100 * time.Millisecond, []error{context.Canceled}},
		{"ErrDuringSecondAttempt", failing(io.EOF), canceledAfter(10*time.Millisecond, nil), 1, 0, 10 * time.Millisecond, []error{context.Canceled}},
		{"ErrDeadlineInAttempt", silent, deadlineAfter(3 * time.Second), 1, 0, 3 * time.Second, []error{context.DeadlineExceeded}},
		{"ErrDeadlineBeforeWaitEnds", failing(syscall.ECONNRESET), deadlineAfter(100 * time.Millisecond), 1, 0, 0, []error{context.DeadlineExceeded}},
		{"ErrDeadlineBeforeRetryAfter", answering(429, `{"error":"Too many requests. Please slow down."}`, "Retry-After", "2"), deadlineAfter(1500 * time.Millisecond), 1, 429, 0, []error{context.DeadlineExceeded, affiliate.RateLimited}},
		{"ErrAnswerBeforeDeadline", answering(400, `{"error":"Name is required"}`), deadlineAfter(time.Second), 1, 400, 0, []error{affiliate.MissingField}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answer: row.answer}
				c := w.client(t)
				begin := time.Now()
				ctx, cancel := row.ctx(t.Context())
				defer cancel()
				err := errOf(c.RecordSale(ctx, affiliate.SaleParams{}))
				e := failure(t, err)
				if len(w.seen) != row.attempts || e.Attempts != row.attempts || e.Status != row.status {
					t.Errorf("%d attempts seen, %d told, status %d; want %d, status %d", len(w.seen), e.Attempts, e.Status, row.attempts, row.status)
				}
				if took := time.Since(begin); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
				for _, target := range row.is {
					if !errors.Is(err, target) {
						t.Errorf("error %q is not %v", err, target)
					}
				}
			})
		})
	}
}

func canceledAfter(d time.Duration, reason error) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		if d == 0 {
			cancel(reason)
		} else {
			time.AfterFunc(d, func() { cancel(reason) })
		}
		return ctx, func() { cancel(nil) }
	}
}

func deadlineAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
}

// TestAnswerWins: a complete answer counts, even when the context ends at the
// same time.
func TestAnswerWins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &wire{answer: func(int, *http.Request) (*http.Response, error) {
		cancel()
		return reply(200, `{"count":1}`), nil
	}}
	n, err := w.client(t).UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: anID}, affiliate.AffiliateUpdate{})
	if n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
}

// TestWaits: waits are random, begin between MinWait and its double, and end at
// MaxWait.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		firsts := map[time.Duration]bool{}
		for range 30 {
			w := always(429, "")
			err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = 8 }).Affiliate(t.Context(), "ada"))
			if n := failure(t, err).Attempts; n != 9 || len(w.seen) != 9 {
				t.Fatalf("%d attempts, want 9", n)
			}
			for i := range 8 {
				wait, most := w.seen[i+1].at.Sub(w.seen[i].at), min(2*time.Second, 400*time.Millisecond<<i)
				if wait < 200*time.Millisecond || wait > most {
					t.Errorf("wait %d is %v, want 200ms to %v", i+1, wait, most)
				}
				if i == 0 {
					firsts[wait] = true
				}
			}
		}
		if len(firsts) < 20 {
			t.Errorf("30 first waits have %d lengths", len(firsts))
		}
	})
}

// TestRetryAfterDate: a Retry-After with a date is honoured. Dates have whole
// seconds.
func TestRetryAfterDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		w.answer = func(n int, _ *http.Request) (*http.Response, error) {
			if n > 1 {
				return reply(200, "[]"), nil
			}
			return reply(503, "", "Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat)), nil
		}
		must(w.client(t).Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
		if gap := w.seen[1].at.Sub(w.seen[0].at); gap != 2*time.Second {
			t.Errorf("came back after %v, want 2s", gap)
		}
	})
}

// TestLastAttempt: when no attempt is left, the error is not the deadline.
func TestLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: failing(syscall.ECONNRESET)}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Sale(ctx, 1))
		if !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRetries: MaxRetries counts repeats; negative is none.
func TestRetries(t *testing.T) {
	for retries, want := range map[int]int{0: 3, 1: 2, 5: 6, -1: 1} {
		synctest.Test(t, func(t *testing.T) {
			w := always(429, "")
			err := errOf(w.client(t, func(cfg *client.Config) { cfg.MaxRetries = retries }).Sale(t.Context(), 1))
			if n := failure(t, err).Attempts; n != want || len(w.seen) != want {
				t.Errorf("MaxRetries %d: %d attempts, want %d", retries, n, want)
			}
		})
	}
}

// TestIdleConnections: a failed call does not close connections that the host
// uses elsewhere.
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := always(503, "")
		c := w.client(t)
		_ = errOf(c.Sale(t.Context(), 1))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_ = errOf(c.Sale(ctx, 1))
		if w.closed != 0 {
			t.Errorf("a failed call closed idle connections %d times", w.closed)
		}
		c.CloseIdleConnections()
		if w.closed != 1 {
			t.Error("CloseIdleConnections closed nothing")
		}
	})
}

// TestPatience: a test delivery has a longer timeout than other calls.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answer: func(_ int, r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(16 * time.Second):
				return reply(200, `{"delivered":false,"error":"timeout"}`), nil
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}}
		got, err := w.client(t).Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: anID, Event: affiliate.SaleCreated})
		if err != nil || got.Error.Or("") != "timeout" || len(w.seen) != 1 {
			t.Errorf("got %v, %v after %d attempts", got, err, len(w.seen))
		}
	})
}
