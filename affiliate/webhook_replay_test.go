package affiliate_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
)

// sinceStart selects all deliveries of an endpoint since the clock started.
func sinceStart(endpoint uuid.UUID) affiliate.ReplayRange {
	return affiliate.ReplayRange{WebhookID: endpoint, Since: affiliate.Set(affiliate.At(start))}
}

// A replay of a delivery in each state: the same id and bytes, a new attempt,
// and one request (W069).
func TestReplayOne(t *testing.T) {
	tests := []struct {
		name  string
		bring func(w *world, ep uuid.UUID) // brings the delivery into its state
		made  int                          // attempts before the replay
	}{
		{"Delivered", func(w *world, _ uuid.UUID) { w.deliver(answer(200)) }, 1},
		{"Failed", func(w *world, _ uuid.UUID) { w.deliver(answer(500)); w.pass(time.Hour); w.deliver(answer(500)) }, 2},
		{"Skipped", func(w *world, ep uuid.UUID) {
			w.edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
			w.edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}, 0},
		{"Canceled", func(w *world, ep uuid.UUID) {
			w.deliver(answer(410))
			w.edit(ep, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}, 1},
		{"Pending", func(w *world, _ uuid.UUID) { w.deliver(answer(500)) }, 1},
		{"PendingFirst", func(*world, uuid.UUID) {}, 0},
		{"LeaseEnded", func(w *world, _ uuid.UUID) { w.claimOne(); w.pass(lease) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, w *world) {
				ep := w.hook()
				w.crowd(1)
				id := w.deliveries(affiliate.DeliveryFilter{})[0].ID
				tt.bring(w, ep.ID)
				before := w.delivery(id)
				w.pass(time.Second)
				for range 2 { // a second replay has no effect
					if n := must(w.Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id})); n != 1 {
						t.Errorf("replayed %d", n)
					}
				}
				c := w.claimOne()
				payload, _ := before.Payload.Get()
				if c.MessageID != before.EventID || !bytes.Equal(c.Payload, payload) || !c.Manual || c.Attempt != tt.made+1 {
					t.Errorf("claim %+v of %+v", c, before)
				}
				w.settle(200, c)
				d := w.delivery(id)
				last := d.Attempts[len(d.Attempts)-1]
				if d.State != affiliate.DeliveryDelivered || last.Trigger != affiliate.TriggerManual || len(d.Attempts) != tt.made+1 {
					t.Errorf("after the replay: %+v", d)
				}
				w.pass(365 * 24 * time.Hour)
				if again := w.claim(1); len(again) > 0 {
					t.Errorf("sent twice: %v", again)
				}
			}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Second} })
		})
	}
}

// A replay that fails continues with the rest of the schedule.
func TestReplayFails(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		w.crowd(1)
		w.deliver(answer(200))
		id := w.deliveries(affiliate.DeliveryFilter{})[0].ID
		for i, want := range []affiliate.DeliveryState{affiliate.DeliveryPending, affiliate.DeliveryFailed} {
			must(w.Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id}))
			w.settle(500, w.claimOne())
			if d := w.delivery(id); d.State != want {
				t.Errorf("attempt %d: %s, want %s", i+2, d.State, want)
			}
		}
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Second, time.Second} })
}

// A replay of a delivery in flight changes nothing: it is sent once.
func TestReplayInFlight(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		w.hook()
		w.crowd(1)
		c := w.claimOne()
		before := w.dump()
		if n := must(w.Replay(t.Context(), affiliate.ReplayRange{DeliveryID: c.Delivery})); n != 1 {
			t.Errorf("replayed %d", n)
		}
		equal(t, before, w.dump())
		w.settle(200, c)
		if got := w.claim(1); len(got) > 0 {
			t.Errorf("sent twice: %v", got)
		}
	})
}

// An endpoint that was disabled for a week gets nothing until it asks for a
// replay, and then the oldest first, within its slots (W070).
func TestReplayRange(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep, other := w.hookAt("https://a.example/"), w.hookAt("https://b.example/")
		w.crowd(1)
		w.deliver(answer(200))
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		for range 7 {
			w.pass(24 * time.Hour)
			w.crowd(2)
			w.deliver(answer(200))
		}
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		if got := w.claim(64); len(got) > 0 {
			t.Errorf("sent by itself: %v", got)
		}
		in := sinceStart(ep.ID)
		in.Until = affiliate.Set(affiliate.At(start.Add(6 * 24 * time.Hour)))
		if n := must(w.Replay(t.Context(), in)); n != 12 {
			t.Errorf("replayed %d of 6 days, want 12", n)
		}
		in = sinceStart(ep.ID)
		in.Since = affiliate.Set(affiliate.Day(start.Year(), start.Month(), start.Day()+7))
		if n := must(w.Replay(t.Context(), in)); n != 2 {
			t.Errorf("replayed %d of the last day, want 2", n)
		}
		w.answered()
		if got := w.claim(64); len(got) != 4 {
			t.Errorf("%d in flight, want 4", len(got))
		} else {
			w.settle(200, got...)
		}
		for last := ""; ; {
			claims := w.claim(1)
			if len(claims) == 0 {
				break
			}
			if c := claims[0]; c.MessageID < last || c.Endpoint != ep.ID || !c.Manual {
				t.Errorf("%+v after %s", c, last)
			} else {
				last = c.MessageID
			}
			w.settle(200, claims...)
		}
		equal(t, map[affiliate.DeliveryState]int{affiliate.DeliveryDelivered: 15}, w.states(ep.ID))
		equal(t, w.states(ep.ID), w.states(other.ID))
		if n := must(w.Replay(t.Context(), sinceStart(ep.ID))); n != 0 {
			t.Errorf("replayed %d delivered ones", n)
		}
	})
}

// A payload that was erased is not sent again.
func TestReplayErased(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hook(affiliate.AffiliateCreated)
		a := w.join("mara")
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		if err := w.EraseAffiliate(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		w.refused(missingError(affiliate.DeliveryNotFound, "Delivery not found"), func() error {
			return errOf(w.Replay(t.Context(), affiliate.ReplayRange{DeliveryID: w.deliveries(affiliate.DeliveryFilter{})[0].ID}))
		})
		if n := must(w.Replay(t.Context(), sinceStart(ep.ID))); n != 0 {
			t.Errorf("replayed %d", n)
		}
	})
}

func TestReplayErrors(t *testing.T) {
	w := newWorld(t)
	ep := w.hook()
	w.crowd(1)
	id := w.deliveries(affiliate.DeliveryFilter{})[0].ID
	w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	since := affiliate.Set(affiliate.At(start))
	far := affiliate.Set(affiliate.At(time.Date(10000, 1, 2, 0, 0, 0, 0, time.UTC)))
	old := affiliate.Set(affiliate.At(start.Add(-14*24*time.Hour - time.Millisecond)))
	required := fieldError(affiliate.MissingField, "deliveryId", "Delivery ID, or webhook ID and since, is required")
	tests := []struct {
		name string
		in   affiliate.ReplayRange
		want affiliate.Error
	}{
		{"ErrNothing", affiliate.ReplayRange{}, required},
		{"ErrNoSince", affiliate.ReplayRange{WebhookID: ep.ID}, required},
		{"ErrSinceNull", affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Null[affiliate.Date]()}, required},
		{"ErrNoWebhook", affiliate.ReplayRange{Since: since}, required},
		{"ErrSince", affiliate.ReplayRange{WebhookID: ep.ID, Since: far}, fieldError(affiliate.InvalidField, "since", "since must be an ISO 8601 date")},
		{"ErrUntil", affiliate.ReplayRange{WebhookID: ep.ID, Since: since, Until: far}, fieldError(affiliate.InvalidField, "until", "until must be an ISO 8601 date")},
		{"ErrSinceTooOld", affiliate.ReplayRange{WebhookID: uuid.Max, Since: old}, fieldError(affiliate.InvalidField, "since", "since must be at most 14 days ago")},
		{"ErrDeliveryNotFound", affiliate.ReplayRange{DeliveryID: uuid.Max}, missingError(affiliate.DeliveryNotFound, "Delivery not found")},
		{"ErrWebhookNotFound", affiliate.ReplayRange{WebhookID: uuid.Max, Since: since}, missingError(affiliate.WebhookNotFound, "Webhook endpoint not found")},
		{"ErrDisabled", affiliate.ReplayRange{WebhookID: ep.ID, Since: since}, stateError(affiliate.WebhookDisabled, "", "Webhook endpoint is disabled")},
		{"ErrDisabledOne", affiliate.ReplayRange{DeliveryID: id}, stateError(affiliate.WebhookDisabled, "", "Webhook endpoint is disabled")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := *w
			w.t = t
			w.refused(tt.want, func() error { return errOf(w.Replay(t.Context(), tt.in)) })
		})
	}
	fourteen := affiliate.ReplayRange{WebhookID: ep.ID, Since: affiliate.Set(affiliate.At(start.Add(-14 * 24 * time.Hour)))}
	w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
	if n := must(w.Replay(t.Context(), fourteen)); n != 1 {
		t.Errorf("since 14 days ago: %d", n)
	}
	must(w.DeleteEndpoint(t.Context(), ep.ID))
	w.refused(missingError(affiliate.WebhookNotFound, "Webhook endpoint not found"), func() error {
		return errOf(w.Replay(t.Context(), affiliate.ReplayRange{DeliveryID: id}))
	})
}

// 10,000 deliveries are replayed, 10,001 are refused.
func TestReplayTooLarge(t *testing.T) {
	atlength.Only(t, "writes 10,001 deliveries")
	w := newWorld(t)
	ep := w.hook(affiliate.PromocodeCreated)
	w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	a := w.ada()
	for _, n := range []int{9_999, 1} {
		must(w.GenerateCodes(t.Context(), affiliate.NewCodes{Count: n, NewCode: affiliate.NewCode{
			CouponID: a.coupon.ID, AffiliateID: a.affiliate.ID,
			CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](10),
		}}))
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		replay := func() error { return errOf(w.Replay(t.Context(), sinceStart(ep.ID))) }
		switch n {
		case 1:
			w.refused(fieldError(affiliate.ReplayTooLarge, "", "More than 10000 deliveries match; narrow the range"), replay)
		default: // and the event of ada's own code
			if got := must(w.Replay(t.Context(), sinceStart(ep.ID))); got != 10_000 {
				t.Errorf("replayed %d", got)
			}
		}
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
	}
}

// With a key, a replay is executed once and its count is stored; a refusal is
// stored too.
func TestReplayOnce(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hook()
		w.crowd(3)
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		in := sinceStart(ep.ID)
		in.Key = "refused"
		for range 2 {
			if _, err := w.Replay(t.Context(), in); fmt.Sprint(err) != "Webhook endpoint is disabled" {
				t.Errorf("refusal: %v", err)
			}
			w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)})
		}
		in.Key = "good"
		var stored string
		in.Replayed = func(answer []byte) { stored = string(answer) }
		if n := must(w.Replay(t.Context(), in)); n != 3 || stored != "" {
			t.Errorf("replayed %d, stored %q", n, stored)
		}
		w.deliver(answer(200))
		w.edit(ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})
		w.crowd(1)
		before := w.dump()
		if n := must(w.Replay(t.Context(), in)); n != 3 || stored != "3" {
			t.Errorf("again: %d, stored %q", n, stored)
		}
		equal(t, before, w.dump())
	})
}
