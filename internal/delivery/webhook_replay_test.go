package delivery_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// A replay of a delivery in each state: the same id and bytes, a new attempt,
// and one request (W069).
func TestReplayOne(t *testing.T) {
	tests := []struct {
		name  string
		bring func(w *scene.World, ep uuid.UUID) // brings the delivery into its state
		made  int                                // attempts before the replay
	}{
		{"Delivered", func(w *scene.World, _ uuid.UUID) { w.Deliver(scene.Answer(200)) }, 1},
		{"Failed", func(w *scene.World, _ uuid.UUID) {
			w.Deliver(scene.Answer(500))
			w.Pass(time.Hour)
			w.Deliver(scene.Answer(500))
		}, 2},
		{"Skipped", func(w *scene.World, ep uuid.UUID) {
			w.Edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			w.Edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}, 0},
		{"Canceled", func(w *scene.World, ep uuid.UUID) {
			w.Deliver(scene.Answer(410))
			w.Edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}, 1},
		{"Pending", func(w *scene.World, _ uuid.UUID) { w.Deliver(scene.Answer(500)) }, 1},
		{"PendingFirst", func(*scene.World, uuid.UUID) {}, 0},
		{"LeaseEnded", func(w *scene.World, _ uuid.UUID) { w.ClaimOne(); w.Pass(scene.Lease) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scene.OnStores(t, func(t *testing.T, w *scene.World) {
				ep := w.Hook()
				w.Crowd(1)
				id := w.ReadDeliveries(affiliate.DeliveryQuery{})[0].ID
				tt.bring(w, ep.ID)
				before := w.ReadDelivery(id)
				w.Pass(time.Second)
				for range 2 { // a second replay has no effect
					scene.Equal(t, 1, scene.Must(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id})))
				}
				c := w.ClaimOne()
				payload, _ := before.Payload.Get()
				if c.MessageID != before.EventID || !bytes.Equal(c.Payload, payload) || !c.Manual || c.Attempt != tt.made+1 {
					t.Errorf("claim %+v of %+v", c, before)
				}
				w.Settle(200, c)
				d := w.ReadDelivery(id)
				last := d.Attempts[len(d.Attempts)-1]
				if d.State != affiliate.DeliveryDelivered || last.Trigger != affiliate.TriggerManual || len(d.Attempts) != tt.made+1 {
					t.Errorf("after the replay: %+v", d)
				}
				w.Pass(365 * 24 * time.Hour)
				if again := w.Claim(1); len(again) > 0 {
					t.Errorf("sent twice: %v", again)
				}
			}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Second} })
		})
	}
}

// A replay that fails continues with the rest of the schedule.
func TestReplayFails(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(1)
		w.Deliver(scene.Answer(200))
		id := w.ReadDeliveries(affiliate.DeliveryQuery{})[0].ID
		for i, want := range []affiliate.DeliveryState{affiliate.DeliveryPending, affiliate.DeliveryFailed} {
			scene.Must(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id}))
			w.Settle(500, w.ClaimOne())
			scene.Equal(t, want, w.ReadDelivery(id).State, i+2)
		}
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Second, time.Second} })
}

// A replay of a delivery in flight changes nothing: it is sent once.
func TestReplayInFlight(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Hook()
		w.Crowd(1)
		c := w.ClaimOne()
		before := w.Dump()
		scene.Equal(t, 1, scene.Must(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: c.Delivery})))
		scene.Equal(t, before, w.Dump())
		w.Settle(200, c)
		if got := w.Claim(1); len(got) > 0 {
			t.Errorf("sent twice: %v", got)
		}
	})
}

// An endpoint that was disabled for a week gets nothing until it asks for a
// replay, and then the oldest first, within its slots (W070).
func TestReplayRange(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep, other := w.HookAt("https://a.example/"), w.HookAt("https://b.example/")
		w.Crowd(1)
		w.Deliver(scene.Answer(200))
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		for range 7 {
			w.Pass(24 * time.Hour)
			w.Crowd(2)
			w.Deliver(scene.Answer(200))
		}
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		if got := w.Claim(64); len(got) > 0 {
			t.Errorf("sent by itself: %v", got)
		}
		in := scene.SinceStart(ep.ID)
		in.Until = affiliate.Set(affiliate.At(scene.Start.Add(6 * 24 * time.Hour)))
		scene.Equal(t, 12, scene.Must(w.Webhooks().Replay(t.Context(), in)))
		in = scene.SinceStart(ep.ID)
		in.Since = affiliate.Set(affiliate.Day(scene.Start.Year(), scene.Start.Month(), scene.Start.Day()+7))
		scene.Equal(t, 2, scene.Must(w.Webhooks().Replay(t.Context(), in)))
		w.Answered()
		if got := w.Claim(64); len(got) != 4 {
			t.Errorf("%d in flight, want 4", len(got))
		} else {
			w.Settle(200, got...)
		}
		for last := ""; ; {
			claims := w.Claim(1)
			if len(claims) == 0 {
				break
			}
			if c := claims[0]; c.MessageID < last || c.Endpoint != ep.ID || !c.Manual {
				t.Errorf("%+v after %s", c, last)
			} else {
				last = c.MessageID
			}
			w.Settle(200, claims...)
		}
		scene.Equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 15}, w.States(ep.ID))
		scene.Equal(t, w.States(ep.ID), w.States(other.ID))
		scene.Equal(t, 0, scene.Must(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))))
	})
}

// A payload that was erased is not sent again.
func TestReplayErased(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook(affiliate.AffiliateCreated)
		a := w.Join("mara")
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		scene.Must(0, w.Forfeiting().EraseAffiliate(t.Context(), a.ID))
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		w.Refused(scene.MissingError(affiliate.DeliveryNotFound, "Delivery not found"), func() error {
			return scene.ErrOf(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: w.ReadDeliveries(affiliate.DeliveryQuery{})[0].ID}))
		})
		if n := scene.Must(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))); n != 0 {
			t.Errorf("replayed %d", n)
		}
	})
}

func TestReplayErrors(t *testing.T) {
	w := scene.New(t)
	ep := w.Hook()
	w.Crowd(1)
	id := w.ReadDeliveries(affiliate.DeliveryQuery{})[0].ID
	w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	since := affiliate.Set(affiliate.At(scene.Start))
	far := affiliate.Set(affiliate.At(time.Date(10000, 1, 2, 0, 0, 0, 0, time.UTC)))
	old := affiliate.Set(affiliate.At(scene.Start.Add(-14*24*time.Hour - time.Millisecond)))
	required := scene.FieldError(affiliate.MissingField, "deliveryId", "Delivery ID, or webhook ID and since, is required")
	tests := []struct {
		name string
		in   affiliate.ReplayRange
		want affiliate.Error
	}{
		{"ErrSinceNull", affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Null[affiliate.Date]()}, required},
		{"ErrSince", affiliate.ReplayRange{WebhookID: ep.ID, Since: far}, scene.FieldError(affiliate.InvalidField, "since", "since must be an ISO 8601 date")},
		{"ErrSinceTooOld", affiliate.ReplayRange{WebhookID: uuid.Max, Since: old}, scene.FieldError(affiliate.InvalidField, "since", "since must be at most 14 days ago")},
		{"ErrUntil", affiliate.ReplayRange{WebhookID: ep.ID, Since: since, Until: far}, scene.FieldError(affiliate.InvalidField, "until", "until must be an ISO 8601 date")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.Webhooks().Replay(t.Context(), tt.in)) })
		})
	}
	fourteen := affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Set(affiliate.At(scene.Start.Add(-14 * 24 * time.Hour)))}
	w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
	scene.Equal(t, 1, scene.Must(w.Webhooks().Replay(t.Context(), fourteen)))
	scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), ep.ID))
	w.Refused(scene.MissingError(affiliate.WebhookNotFound, "Webhook endpoint not found"), func() error {
		return scene.ErrOf(w.Webhooks().Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id}))
	})
}

// 10,000 deliveries are replayed, 10,001 are refused.
func TestReplayTooLarge(t *testing.T) {
	atlength.Only(t, "writes 10,001 deliveries")
	w := scene.New(t)
	ep := w.Hook(affiliate.PromocodeCreated)
	w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	a := w.Ada()
	for _, n := range []int{9_999, 1} {
		scene.Must(w.GenerateCodes(t.Context(), affiliate.CodesParams{Count: n, CodeParams: affiliate.CodeParams{
			CouponID: a.Autumn.ID, AffiliateID: a.Person.ID,
			CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](10),
		}}))
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		replay := func() error { return scene.ErrOf(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))) }
		switch n {
		case 1:
			w.Refused(scene.FieldError(affiliate.ReplayTooLarge, "", "More than 10000 deliveries match; narrow the range"), replay)
		default: // and the event of ada's own code
			scene.Equal(t, 10_000, scene.Must(w.Webhooks().Replay(t.Context(), scene.SinceStart(ep.ID))))
		}
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	}
}

// With a key, a replay is executed once and its count is stored; a refusal is
// stored too.
func TestReplayOnce(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		w.Crowd(3)
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		in := scene.SinceStart(ep.ID)
		in.Key = "refused"
		for range 2 {
			if _, err := w.Webhooks().Replay(t.Context(), in); fmt.Sprint(err) != "Webhook endpoint is disabled" {
				t.Errorf("refusal: %v", err)
			}
			w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}
		in.Key = "good"
		var stored string
		in.Replayed = func(answer []byte) { stored = string(answer) }
		if n := scene.Must(w.Webhooks().Replay(t.Context(), in)); n != 3 || stored != "" {
			t.Errorf("replayed %d, stored %q", n, stored)
		}
		w.Deliver(scene.Answer(200))
		w.Edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		w.Crowd(1)
		before := w.Dump()
		if n := scene.Must(w.Webhooks().Replay(t.Context(), in)); n != 3 || stored != "3" {
			t.Errorf("again: %d, stored %q", n, stored)
		}
		scene.Equal(t, before, w.Dump())
	})
}
