package delivery_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/delivery"
)

func TestDecide(t *testing.T) {
	const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour
	schedule := []time.Duration{0, 5 * time.Second, hour}
	tests := []struct {
		name string
		a    affiliate.Attempt
		made int
		want delivery.FollowUp
	}{
		{"200", affiliate.Attempt{Status: 200}, 1, delivery.FollowUp{State: affiliate.DeliveryDelivered}},
		{"299", affiliate.Attempt{Status: 299}, 1, delivery.FollowUp{State: affiliate.DeliveryDelivered}},
		{"200LastOfSchedule", affiliate.Attempt{Status: 200}, 3, delivery.FollowUp{State: affiliate.DeliveryDelivered}},
		{"200BodyBroke", affiliate.Attempt{Status: 200, Err: affiliate.FailedConnection, RetryAfter: hour}, 1, delivery.FollowUp{State: affiliate.DeliveryDelivered}},
		{"NoAnswer", affiliate.Attempt{Err: affiliate.FailedTimeout}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second}},
		{"199", affiliate.Attempt{Status: 199}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second}},
		{"302", affiliate.Attempt{Status: 302, Err: affiliate.FailedRedirect}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second}},
		{"404", affiliate.Attempt{Status: 404}, 2, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: hour}},
		{"500", affiliate.Attempt{Status: 500}, 2, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: hour}},
		{"500LastOfSchedule", affiliate.Attempt{Status: 500}, 3, delivery.FollowUp{State: affiliate.DeliveryFailed}},
		{"500AfterTheSchedule", affiliate.Attempt{Status: 500}, 11, delivery.FollowUp{State: affiliate.DeliveryFailed}},
		{"500RetryAfter", affiliate.Attempt{Status: 500, RetryAfter: minute}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: minute}},
		{"500RetryAfterShorter", affiliate.Attempt{Status: 500, RetryAfter: minute}, 2, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: hour}},
		{"500RetryAfterTooLong", affiliate.Attempt{Status: 500, RetryAfter: math.MaxInt64}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: day}},
		{"500RetryAfterNegative", affiliate.Attempt{Status: 500, RetryAfter: -hour}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second}},
		{"410", affiliate.Attempt{Status: 410}, 1, delivery.FollowUp{State: affiliate.DeliveryCanceled, Gone: true}},
		{"429", affiliate.Attempt{Status: 429}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second, Pause: minute}},
		{"429RetryAfter", affiliate.Attempt{Status: 429, RetryAfter: hour}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: hour, Pause: hour}},
		{"429RetryAfterShort", affiliate.Attempt{Status: 429, RetryAfter: 10 * time.Second}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 10 * time.Second, Pause: minute}},
		{"503LastOfSchedule", affiliate.Attempt{Status: 503}, 3, delivery.FollowUp{State: affiliate.DeliveryFailed, Pause: minute}},
		{"BlockedAddress", affiliate.Attempt{Err: affiliate.FailedBlockedAddress}, 1, delivery.FollowUp{State: affiliate.DeliveryPending, Wait: 5 * time.Second}},
		{"BlockedURL", affiliate.Attempt{Err: affiliate.FailedBlockedURL}, 1, delivery.FollowUp{State: affiliate.DeliveryFailed}},
		{"BlockedURLLastOfSchedule", affiliate.Attempt{Err: affiliate.FailedBlockedURL}, 3, delivery.FollowUp{State: affiliate.DeliveryFailed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := delivery.Decide(&tt.a, tt.made, schedule, 0); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// The jitter only adds, at most two seconds or a tenth, and uses this whole
// range (W066).
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewChaCha8([32]byte{3}))
	for _, base := range []time.Duration{0, 5 * time.Second, 5 * time.Minute, 2 * time.Hour, 24 * time.Hour, 30 * 24 * time.Hour} {
		room := max(2*time.Second, base/10)
		low, high := time.Duration(math.MaxInt64), time.Duration(0)
		for range 10_000 {
			got := delivery.Spread(base, rng.Uint64())
			if got < base || got > base+room {
				t.Fatalf("%v becomes %v", base, got)
			}
			low, high = min(low, got), max(high, got)
		}
		if low > base+room/100 || high < base+room-room/100 {
			t.Errorf("%v: drawn from %v to %v only", base, low, high)
		}
		if delivery.Spread(base, 0) != base || delivery.Spread(base, uint64(room)) != base+room {
			t.Errorf("%v: the ends are %v and %v", base, delivery.Spread(base, 0), delivery.Spread(base, uint64(room)))
		}
	}
}
