package affiliate

import (
	"errors"
	"time"
)

// Pure functions that decide what follows an attempt. Contract 7.4.

// defaultSchedule is the delay before each attempt.
func defaultSchedule() []time.Duration {
	return []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

const (
	maxRetryAfter = 24 * time.Hour  // that an answer may ask for
	minPause      = time.Minute     // of an endpoint that answers 429 or 503
	minSpread     = 2 * time.Second // of the jitter
	failingAfter  = 24 * time.Hour  // the host is told
	disabledAfter = 120 * time.Hour // an endpoint that only fails is disabled
	maxStep       = 30 * 24 * time.Hour
	maxSteps      = 100
)

// checkSchedule refuses a schedule that no dispatcher could follow.
func checkSchedule(schedule []time.Duration) error {
	if len(schedule) > maxSteps {
		return errors.New("affiliate: Config.Schedule has more than 100 steps")
	}
	for _, step := range schedule {
		if step < 0 || step > maxStep {
			return errors.New("affiliate: Config.Schedule: a step must be from 0 to 30 days")
		}
	}
	return nil
}

// A followUp is what follows an attempt.
type followUp struct {
	state DeliveryState
	wait  time.Duration // pending: until the next attempt
	pause time.Duration // of the endpoint; 0: none
	gone  bool          // the endpoint is not there any more
}

// decide says what follows an attempt, the made-th of its delivery. draw is
// uniform.
func decide(a *Attempt, made int, schedule []time.Duration, draw uint64) followUp {
	if a.delivered() {
		return followUp{state: DeliveryDelivered}
	}
	asked := min(max(a.RetryAfter, 0), maxRetryAfter)
	v := followUp{state: DeliveryFailed}
	switch a.Status {
	case 410:
		return followUp{state: DeliveryCanceled, gone: true}
	case 429, 503:
		v.pause = max(asked, minPause)
	}
	if made < len(schedule) && a.Err != FailedBlockedURL {
		v.state, v.wait = DeliveryPending, max(spread(schedule[made], draw), asked)
	}
	return v
}

// delivered reports whether the receiver has accepted the delivery: with any
// 2xx, even when the body of the answer is incomplete.
func (a *Attempt) delivered() bool { return statusOK(a.Status) }

func statusOK(status int) bool { return status/100 == 2 }

// spread is a delay with its jitter: it is longer by at most a tenth or two
// seconds, so that deliveries that failed together are not retried together.
func spread(base time.Duration, draw uint64) time.Duration {
	return base + time.Duration(draw%uint64(max(minSpread, base/10)+1))
}
