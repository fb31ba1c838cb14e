package affiliate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour
	schedule := []time.Duration{0, 5 * time.Second, hour}
	tests := []struct {
		name string
		a    Attempt
		made int
		want followUp
	}{
		{"200", Attempt{Status: 200}, 1, followUp{state: DeliveryDelivered}},
		{"299", Attempt{Status: 299}, 1, followUp{state: DeliveryDelivered}},
		{"200LastOfSchedule", Attempt{Status: 200}, 3, followUp{state: DeliveryDelivered}},
		{"200BodyBroke", Attempt{Status: 200, Err: FailedConnection, RetryAfter: hour}, 1, followUp{state: DeliveryDelivered}},
		{"NoAnswer", Attempt{Err: FailedTimeout}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second}},
		{"199", Attempt{Status: 199}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second}},
		{"302", Attempt{Status: 302, Err: FailedRedirect}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second}},
		{"404", Attempt{Status: 404}, 2, followUp{state: DeliveryPending, wait: hour}},
		{"500", Attempt{Status: 500}, 2, followUp{state: DeliveryPending, wait: hour}},
		{"500LastOfSchedule", Attempt{Status: 500}, 3, followUp{state: DeliveryFailed}},
		{"500AfterTheSchedule", Attempt{Status: 500}, 11, followUp{state: DeliveryFailed}},
		{"500RetryAfter", Attempt{Status: 500, RetryAfter: minute}, 1, followUp{state: DeliveryPending, wait: minute}},
		{"500RetryAfterShorter", Attempt{Status: 500, RetryAfter: minute}, 2, followUp{state: DeliveryPending, wait: hour}},
		{"500RetryAfterTooLong", Attempt{Status: 500, RetryAfter: math.MaxInt64}, 1, followUp{state: DeliveryPending, wait: day}},
		{"500RetryAfterNegative", Attempt{Status: 500, RetryAfter: -hour}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second}},
		{"410", Attempt{Status: 410}, 1, followUp{state: DeliveryCanceled, gone: true}},
		{"429", Attempt{Status: 429}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second, pause: minute}},
		{"429RetryAfter", Attempt{Status: 429, RetryAfter: hour}, 1, followUp{state: DeliveryPending, wait: hour, pause: hour}},
		{"429RetryAfterShort", Attempt{Status: 429, RetryAfter: 10 * time.Second}, 1, followUp{state: DeliveryPending, wait: 10 * time.Second, pause: minute}},
		{"503LastOfSchedule", Attempt{Status: 503}, 3, followUp{state: DeliveryFailed, pause: minute}},
		{"BlockedAddress", Attempt{Err: FailedBlockedAddress}, 1, followUp{state: DeliveryPending, wait: 5 * time.Second}},
		{"BlockedURL", Attempt{Err: FailedBlockedURL}, 1, followUp{state: DeliveryFailed}},
		{"BlockedURLLastOfSchedule", Attempt{Err: FailedBlockedURL}, 3, followUp{state: DeliveryFailed}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := decide(&tt.a, tt.made, schedule, 0); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// The jitter only adds, at most two seconds or a tenth, and uses this whole
// range (W066).
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewChaCha8([32]byte{3}))
	for _, base := range append(defaultSchedule(), 30*24*time.Hour) {
		room := max(2*time.Second, base/10)
		low, high := time.Duration(math.MaxInt64), time.Duration(0)
		for range 10_000 {
			got := spread(base, rng.Uint64())
			if got < base || got > base+room {
				t.Fatalf("%v becomes %v", base, got)
			}
			low, high = min(low, got), max(high, got)
		}
		if low > base+room/100 || high < base+room-room/100 {
			t.Errorf("%v: drawn from %v to %v only", base, low, high)
		}
		if spread(base, 0) != base || spread(base, uint64(room)) != base+room {
			t.Errorf("%v: the ends are %v and %v", base, spread(base, 0), spread(base, uint64(room)))
		}
	}
}

func TestDefaultSchedule(t *testing.T) {
	var total time.Duration
	for _, step := range defaultSchedule() {
		total += step
	}
	if n := len(defaultSchedule()); n != 10 || total != 75*time.Hour+35*time.Minute+5*time.Second {
		t.Errorf("%d attempts over %v", n, total)
	}
}
