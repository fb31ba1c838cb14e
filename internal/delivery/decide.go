package delivery

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

const (
	maxRetryAfter = 24 * time.Hour  // that an answer may ask for
	minPause      = time.Minute     // of an endpoint that answers 429 or 503
	minSpread     = 2 * time.Second // of the jitter
	failingAfter  = 24 * time.Hour  // the host is told
	disabledAfter = 120 * time.Hour // an endpoint that only fails is disabled
)

// A FollowUp is the decision after an attempt.
type FollowUp struct {
	State affiliate.DeliveryState
	Wait  time.Duration // pending: until the next attempt
	Pause time.Duration // of the endpoint; 0: none
	Gone  bool          // the endpoint is not there any more
}

// Decide returns what follows an attempt. made is its number for the delivery,
// from 1; draw is a uniform random number.
func Decide(a *affiliate.Attempt, made int, schedule []time.Duration, draw uint64) FollowUp {
	if delivered(a) {
		return FollowUp{State: affiliate.DeliveryDelivered}
	}
	asked := min(max(a.RetryAfter, 0), maxRetryAfter)
	v := FollowUp{State: affiliate.DeliveryFailed}
	switch a.Status {
	case 410:
		return FollowUp{State: affiliate.DeliveryCanceled, Gone: true}
	case 429, 503:
		v.Pause = max(asked, minPause)
	}
	if made < len(schedule) && a.Err != affiliate.FailedBlockedURL {
		v.State, v.Wait = affiliate.DeliveryPending, max(Spread(schedule[made], draw), asked)
	}
	return v
}

// delivered reports whether the receiver has accepted the delivery: with any
// 2xx, even when the body of the answer is incomplete.
func delivered(a *affiliate.Attempt) bool { return StatusOK(a.Status) }

func StatusOK(status int) bool { return status/100 == 2 }

// Spread returns a delay with its jitter: it is longer by at most a tenth or two
// seconds, so that deliveries that failed together are not retried together.
func Spread(base time.Duration, draw uint64) time.Duration {
	return base + time.Duration(draw%uint64(max(minSpread, base/10)+1))
}
