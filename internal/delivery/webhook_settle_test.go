package delivery_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/delivery"
	"github.com/tributary-go/tributary/internal/scene"
)

// The whole schedule with a fake clock: ten attempts at the documented times,
// then the delivery is failed, and can be listed and replayed (W067).
func TestSettleSchedule(t *testing.T) {
	steps := []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(1)
		id := w.ReadDeliveries(affiliate.DeliveryQuery{})[0].ID
		payload := w.ReadDelivery(id).Payload
		for i, step := range steps {
			next, ok := w.ReadDelivery(id).NextAttemptAt.Get()
			wait := next.Time().Sub(w.Now)
			if jitter := max(2*time.Second, step/10); !ok || wait < step || i == 0 && wait > 0 || wait > step+jitter {
				t.Errorf("attempt %d waits %v, want %v to %v", i+1, wait, step, step+jitter)
			}
			w.Pass(wait - time.Millisecond)
			if i > 0 && len(w.Claim(1)) > 0 {
				t.Errorf("attempt %d is due early", i+1)
			}
			w.Pass(time.Millisecond)
			c := w.ClaimOne()
			if c.Attempt != i+1 || c.Manual {
				t.Errorf("attempt %d is %+v", i+1, c)
			}
			w.Settle(500, c)
		}
		d := w.ReadDelivery(id)
		if d.State != affiliate.DeliveryFailed || d.AttemptCount != 10 || !d.NextAttemptAt.IsNull() || !d.Payload.Equal(payload) {
			t.Errorf("after the schedule: %+v", d)
		}
		scene.Equal(t, 1, w.States(d.WebhookID)[affiliate.DeliveryFailed])
		w.Pass(365 * 24 * time.Hour)
		if got := w.Claim(1); len(got) > 0 {
			t.Errorf("claimed after it failed: %v", got)
		}
		scene.Equal(t, 1, scene.Must(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id})))
	})
}

// A host's own schedule, with a delay before the first attempt.
func TestSettleOwnSchedule(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(1)
		if got := w.Claim(1); len(got) > 0 {
			t.Errorf("claimed at once: %v", got)
		}
		w.Pass(time.Minute)
		w.Settle(500, w.ClaimOne())
		w.Pass(time.Hour + 6*time.Minute)
		c := w.ClaimOne()
		w.Settle(500, c)
		if d := w.ReadDelivery(c.Delivery); d.State != affiliate.DeliveryFailed || d.AttemptCount != 2 {
			t.Errorf("after two attempts: %+v", d)
		}
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{time.Minute, time.Hour} })
}

func TestConfigSchedule(t *testing.T) {
	for name, schedule := range map[string][]time.Duration{
		"negative": {0, -1}, "too long a step": {0, 30*24*time.Hour + 1}, "too many": make([]time.Duration, 101),
	} {
		if _, err := tributary.New(scene.New(t).Store, tributary.Config{Schedule: schedule}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, schedule := range map[string][]time.Duration{
		"none": {0}, "the longest step": {0, 30 * 24 * time.Hour}, "the most": make([]time.Duration, 100),
	} {
		if _, err := tributary.New(scene.New(t).Store, tributary.Config{Schedule: schedule}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The attempt is stored as it was, and of the answer a printable beginning
// (SEC48).
func TestSettleRecord(t *testing.T) {
	long := strings.Repeat("a", 5000)
	tests := []struct{ name, response, want string }{
		{"Text", "not yet,\n\ttry \"later\" <b>", "not yet,\n\ttry \"later\" <b>"},
		{"Control", "a\r\nX-Evil: 1\x00\x1b[31m", "a\\r\nX-Evil: 1\\x00\\x1b[31m"},
		{"NotUTF8", "a\xff\xc3z", `a\xff\xc3z`},
		{"Unicode", "grün \u2028 \u202e", `grün \u2028 \u202e`},
		{"Long", long, long[:1024]},
		{"LongEscapes", strings.Repeat("\x00", 1024), strings.Repeat(`\x00`, 256)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				w.Hook()
				w.Crowd(1)
				a := w.Attempt(w.ClaimOne(), 500)
				a.Took, a.Response = 84*time.Millisecond, tt.response
				w.Pass(time.Second)
				scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{a}))
				scene.Equal(t, []affiliate.DeliveryAttempt{{
					At: affiliate.TimeOf(scene.Start), Trigger: affiliate.TriggerAutomatic, URL: scene.HookURL,
					StatusCode: affiliate.Set[int64](500), DurationMS: 84, Error: affiliate.Null[string](), Response: affiliate.Set(tt.want),
				}}, w.ReadDelivery(a.Delivery).Attempts)
			})
		})
	}
}

// An attempt without a time was made its duration ago.
func TestSettleRecordTime(t *testing.T) {
	w := scene.New(t)
	w.Hook()
	w.Crowd(1)
	a := w.Attempt(w.ClaimOne(), 200)
	a.At, a.Took = time.Time{}, time.Second
	scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{a}))
	scene.Equal(t, affiliate.TimeOf(scene.Start.Add(-time.Second)), w.ReadDelivery(a.Delivery).Attempts[0].At)
	w.Verifies()
}

// An attempt that nobody claimed is not settled.
func TestSettleForeign(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(2)
		c := w.Claim(1)[0]
		before := w.Dump()
		other := w.ReadDeliveries(affiliate.DeliveryQuery{})
		for name, a := range map[string]affiliate.Attempt{
			"no token":         {Delivery: c.Delivery, Status: 200},
			"another token":    {Delivery: c.Delivery, Token: uuid.Max, Status: 200},
			"not claimed":      {Delivery: other[1].ID, Status: 200},
			"another delivery": {Delivery: other[1].ID, Token: uuid.Max, Status: 200},
			"unknown":          {Delivery: uuid.Max, Token: c.Token, Status: 200},
		} {
			if err := w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{a}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			scene.Equal(t, before, w.Dump())
		}
		scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), nil))
	})
}

// After one 410 with others in flight, the endpoint is disabled, pending
// deliveries are canceled, later events are skipped, and the host gets one
// notice (W054).
func TestSettleGone(t *testing.T) {
	var notices []affiliate.Notice
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		notices = nil
		gone, other := w.HookAt("https://gone.example/"), w.HookAt("https://other.example/")
		w.Answered()
		w.Crowd(50)
		var flying []affiliate.Claim
		for _, c := range w.Claim(64) {
			if c.Endpoint == gone.ID {
				flying = append(flying, c)
			}
		}
		w.Settle(410, flying[0], flying[1])
		w.Settle(200, flying[2])
		w.Crowd(1)
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryCanceled: 50, affiliate.DeliverySkipped: 1}, w.States(gone.ID))
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: 51}, w.States(other.ID))
		ep := w.Health(gone.ID)
		if ep.Active || ep.DisabledReason != affiliate.Set(affiliate.DisabledGone) || ep.DisabledAt != affiliate.Set(affiliate.TimeOf(w.Now)) {
			t.Errorf("endpoint %+v", ep)
		}
		if d := w.ReadDelivery(flying[0].Delivery); d.AttemptCount != 1 || d.Attempts[0].StatusCode != affiliate.Set[int64](410) {
			t.Errorf("the attempt: %+v", d)
		}
		if len(notices) != 1 || notices[0].Endpoint != gone.ID || notices[0].Reason != affiliate.DisabledGone {
			t.Errorf("notices %+v", notices)
		}
	}, told(&notices, affiliate.NoticeDisabled))
}

// After 429 on one delivery, the other deliveries of the endpoint wait, and
// those of other endpoints do not (W055).
func TestSettlePause(t *testing.T) {
	for _, status := range []int{429, 503} {
		scene.OnStores(t, func(t *testing.T, w *scene.World) {
			busy, other := w.HookAt("https://busy.example/"), w.HookAt("https://other.example/")
			w.Crowd(8)
			var a affiliate.Attempt
			for _, c := range w.Claim(64) {
				if c.Endpoint == busy.ID {
					a = w.Attempt(c, status)
				}
			}
			a.RetryAfter = 5 * time.Minute
			scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{a}))
			if got := w.Health(busy.ID); got.PausedUntil != affiliate.Set(affiliate.TimeOf(w.Now.Add(5*time.Minute))) || !got.Active {
				t.Errorf("endpoint %+v", got)
			}
			w.Pass(scene.Lease)
			for _, c := range w.Deliver(scene.Answer(200)) {
				scene.Equal(t, other.ID, c.Endpoint, c)
			}
			scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 8}, w.States(other.ID))
			scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryPending: 8}, w.States(busy.ID))
			w.Pass(5*time.Minute - scene.Lease)
			w.Deliver(scene.Answer(200))
			scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 8}, w.States(busy.ID))
		})
	}
}

// An endpoint is disabled when every attempt has failed for 120 hours and a
// delivery is failed; a success in between restarts the time (W071).
func TestSettleFailing(t *testing.T) {
	const limit = 120 * time.Hour
	// run sends one delivery through a short schedule: it fails after two
	// hours.
	run := func(w *scene.World, until time.Duration, succeedAt time.Duration) affiliate.Endpoint {
		ep := w.Hook()
		begin := w.Now
		w.Crowd(1)
		for w.Now.Sub(begin) < until {
			if w.Now.Sub(begin) == succeedAt {
				w.Crowd(1)
				w.Deliver(scene.Answer(200))
			}
			w.Deliver(scene.Answer(500))
			w.Pass(min(time.Hour, until-w.Now.Sub(begin)))
		}
		w.Crowd(1)
		w.Deliver(scene.Answer(500))
		return w.Health(ep.ID)
	}
	short := func(c *tributary.Config) { c.Schedule = []time.Duration{0, 30 * time.Minute} }
	endless := func(c *tributary.Config) {
		c.Schedule = slices.Repeat([]time.Duration{24 * time.Hour}, 100)
		c.Schedule[0] = 0
	}
	tests := []struct {
		name     string
		until    time.Duration
		success  time.Duration
		schedule func(*tributary.Config)
		disabled bool
		notices  []affiliate.NoticeKind
	}{
		{"119h59m", limit - time.Minute, 0, short, false, []affiliate.NoticeKind{affiliate.NoticeFailing}},
		{"120h", limit, 0, short, true, []affiliate.NoticeKind{affiliate.NoticeFailing, affiliate.NoticeDisabled}},
		{"120hNothingDead", limit, 0, endless, false, []affiliate.NoticeKind{affiliate.NoticeFailing}},
		{"OneSuccess", limit, 100 * time.Hour, short, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var notices []affiliate.Notice
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				notices = nil
				if tt.success == 0 {
					tt.success = -1
				}
				ep := run(w, tt.until, tt.success)
				if ep.Active == tt.disabled || tt.disabled != (ep.DisabledReason == affiliate.Set(affiliate.DisabledFailing)) {
					t.Errorf("after %v: %+v", tt.until, ep)
				}
				if tt.disabled {
					w.Crowd(1)
					if got := w.States(ep.ID); got[affiliate.DeliveryPending] != 0 || got[affiliate.DeliverySkipped] != 2 {
						t.Errorf("states %v", got)
					}
				}
				var kinds []affiliate.NoticeKind
				for _, n := range notices {
					kinds = append(kinds, n.Kind)
				}
				scene.Equal(t, tt.notices, kinds)
			}, tt.schedule, told(&notices, affiliate.NoticeFailing, affiliate.NoticeDisabled, affiliate.NoticeRecovered))
		})
	}
}

// Health follows from the attempts, and is empty for an endpoint that is
// enabled.
func TestSettleHealth(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		none := affiliate.Null[affiliate.Time]()
		failed := affiliate.Set(affiliate.TimeOf(w.Now))
		check := func(first, last affiliate.Opt[affiliate.Time]) {
			t.Helper()
			if got := w.Health(ep.ID); got.FirstFailureAt != first || got.LastSuccessAt != last {
				t.Errorf("first failure %v, last success %v; want %v, %v", got.FirstFailureAt, got.LastSuccessAt, first, last)
			}
		}
		w.Crowd(1)
		w.Deliver(scene.Answer(500))
		check(failed, none)
		w.Pass(time.Minute)
		w.Deliver(scene.Answer(500))
		check(failed, none)
		w.Pass(time.Hour)
		delivered := affiliate.Set(affiliate.TimeOf(w.Now))
		w.Deliver(scene.Answer(204))
		check(none, delivered)
		w.Pass(time.Hour)
		w.Crowd(1)
		failed = affiliate.Set(affiliate.TimeOf(w.Now))
		w.Deliver(scene.Answer(429))
		check(failed, delivered)
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		check(none, delivered)
		if got := w.Health(ep.ID); !got.PausedUntil.IsNull() {
			t.Errorf("still paused: %+v", got)
		}
	})
}

// When an endpoint recovers after the host got a notice, the host gets another
// one, once.
func TestSettleRecovered(t *testing.T) {
	var notices []affiliate.Notice
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		notices = nil
		w.Hook()
		for _, hours := range []int{0, 23, 1, 1, 1} {
			w.Pass(time.Duration(hours) * time.Hour)
			w.Crowd(1)
			w.Deliver(scene.Answer(500))
		}
		w.Pass(time.Hour)
		w.Deliver(scene.Answer(200))
		w.Crowd(1)
		w.Deliver(scene.Answer(200))
		var got []string
		for _, n := range notices {
			got = append(got, fmt.Sprint(n.Kind, " ", n.At.Time().Sub(scene.Start)))
		}
		scene.Equal(t, []string{"failing 24h0m0s", "recovered 27h0m0s"}, got)
	}, told(&notices, affiliate.NoticeFailing, affiliate.NoticeDisabled, affiliate.NoticeRecovered))
}

// The host gets a notice of each attempt and of each failed delivery, after the
// commit, with ids and classes only.
func TestSettleNotices(t *testing.T) {
	var notices []affiliate.Notice
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		notices = nil
		ep := w.Hook()
		w.Crowd(1)
		c := w.ClaimOne()
		a := w.Attempt(c, 0)
		a.Err = affiliate.FailedTimeout
		scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), []affiliate.Attempt{a}))
		w.Pass(time.Minute)
		w.Settle(500, w.ClaimOne())
		notice := affiliate.Notice{
			Kind: affiliate.NoticeAttempt, Endpoint: ep.ID, Delivery: c.Delivery, EventID: c.MessageID, Event: affiliate.AffiliateCreated,
			State: affiliate.DeliveryPending, Attempts: 1, Err: affiliate.FailedTimeout, At: affiliate.TimeOf(scene.Start),
		}
		second := notice
		second.State, second.Attempts, second.Status, second.Err, second.At = affiliate.DeliveryFailed, 2, 500, "", affiliate.TimeOf(w.Now)
		dead := second
		dead.Kind = affiliate.NoticeDead
		scene.Equal(t, []affiliate.Notice{notice, second, dead}, notices)
		if text := fmt.Sprintf("%+v", notices); strings.Contains(text, "example") || strings.Contains(text, "whsec") {
			t.Errorf("a notice tells too much: %s", text)
		}
	}, told(&notices), func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Second} })
}

// Several attempts settle together, or none does.
func TestSettleTogether(t *testing.T) {
	w := scene.New(t)
	w.Hook()
	w.Answered()
	w.Crowd(4)
	var done []affiliate.Attempt
	for _, c := range w.Claim(4) {
		done = append(done, w.Attempt(c, 200))
	}
	before := w.Dump()
	w.Probe.Ops.Store(0)
	scene.Must(0, w.Webhooks().SettleDeliveries(t.Context(), done))
	calls := w.Probe.Ops.Load()
	if calls < 8 {
		t.Fatalf("%d calls", calls)
	}
	w = scene.New(t)
	w.Hook()
	w.Answered()
	w.Crowd(4)
	done = nil
	for _, c := range w.Claim(4) {
		done = append(done, w.Attempt(c, 200))
	}
	for n := int64(1); n <= calls; n++ {
		w.Probe.Ops.Store(0)
		w.Probe.FailAt = n
		if err := w.Webhooks().SettleDeliveries(t.Context(), done); err == nil {
			t.Errorf("call %d failed, and it settled", n)
		}
		w.Probe.FailAt = 0
		scene.Equal(t, before, w.Dump())
	}
}

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
			scene.Equal(t, tt.want, delivery.Decide(&tt.a, tt.made, schedule, 0))
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

func TestMain(m *testing.M) { atlength.Main(m) }

// told collects notices.
func told(into *[]affiliate.Notice, kinds ...affiliate.NoticeKind) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.OnNotice = func(n affiliate.Notice) {
			if len(kinds) == 0 || slices.Contains(kinds, n.Kind) {
				*into = append(*into, n)
			}
		}
	}
}
