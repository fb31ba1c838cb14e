package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A panic in a function of the host that is called after the commit is logged.
// It does not change the answer, and the other functions are called.
func TestHostPanics(t *testing.T) {
	var log bytes.Buffer
	var calls []string
	boom := func(name string) {
		calls = append(calls, name)
		panic(errors.New("boom in " + name))
	}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		a := w.Ada()
		log.Reset()
		calls = nil
		w.Refer("ada", "kim@example.com")
		in := affiliate.SaleParams{
			Once: affiliate.Once{Key: "sale-1"}, PromoCode: "ADA20", ReferralID: "kim@example.com", TotalEarned: scene.Sum("100"),
		}
		got := scene.Must(w.RecordSale(t.Context(), in))
		if s, ok := got.Sale.Get(); !ok || s.TotalEarned != scene.Sum("100") {
			t.Errorf("the sale: %+v", got)
		}
		scene.Equal(t, got.Sale, scene.Must(w.RecordSale(t.Context(), in)).Sale)
		scene.Must(w.DeleteCoupon(t.Context(), a.Autumn.ID))
		scene.Equal(t, []string{
			"referral.created", "events", "sale.created", "events", "promocode.deleted", "coupon.deleted", "events",
		}, calls)
		lines := log.String()
		for _, want := range calls {
			if !strings.Contains(lines, "boom in "+want) {
				t.Errorf("the log has no panic of %s", want)
			}
		}
		if n := strings.Count(lines, "panic_test.go"); n < len(calls) {
			t.Errorf("%d stacks for %d panics", n, len(calls))
		}
	}, func(c *tributary.Config) {
		c.CascadeEvents = true
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.OnEvents = func() { boom("events") }
		c.Hooks = record.Hooks{
			Referral: func(_ context.Context, c record.Change[record.Referral]) { boom(string(c.Event)) },
			Sale:     func(_ context.Context, c record.Change[record.Sale]) { boom(string(c.Event)) },
			Coupon:   func(_ context.Context, c record.Change[record.Coupon]) { boom(string(c.Event)) },
			Code:     func(_ context.Context, c record.Change[record.Code]) { boom(string(c.Event)) },
		}
	})
}

// After a panic in OnNotice, the settlement is stored and the other notices are
// reported.
func TestNoticePanics(t *testing.T) {
	var log bytes.Buffer
	told := 0
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		w.Answered()
		w.Crowd(3)
		log.Reset()
		told = 0
		w.Settle(200, w.Claim(3)...)
		if told != 3 || strings.Count(log.String(), "no pager") != 3 {
			t.Errorf("%d notices; the log: %s", told, log.String())
		}
		if n := w.States(ep.ID)[affiliate.DeliveryPending]; n != 0 {
			t.Errorf("%d still wait", n)
		}
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.OnNotice = func(affiliate.Notice) { told++; panic("no pager") }
	})
}

// After a panic in Send, the test delivery has failed.
func TestSendPanics(t *testing.T) {
	var log bytes.Buffer
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		log.Reset()
		ep := w.Hook()
		got := scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
		if got.Delivered || got.Error != affiliate.Set(affiliate.FailedInternal) || got.EventID == "" {
			t.Errorf("%+v", got)
		}
		if !strings.Contains(log.String(), "no network") {
			t.Errorf("the log: %s", log.String())
		}
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { panic("no network") }
	})
}

// A panic in Open fails only the attempts of its endpoint.
func TestOpenPanics(t *testing.T) {
	var bad []byte
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		sick := w.HookAt("https://sick.example/")
		bad = sick.ID[:]
		well := w.HookAt("https://well.example/")
		w.Crowd(1)
		if claims := w.Claim(64); len(claims) != 1 || claims[0].Endpoint != well.ID {
			t.Errorf("claims: %v", scene.ByEndpoint(claims))
		}
		d := w.ReadDeliveries(affiliate.DeliveryQuery{WebhookID: affiliate.Set(sick.ID)})
		if len(d) != 1 || d[0].AttemptCount != 1 || d[0].Attempts[0].Error != affiliate.Set(affiliate.FailedSecret) {
			t.Errorf("%+v", d)
		}
	}, func(c *tributary.Config) {
		c.Logger = slog.New(slog.DiscardHandler)
		c.Seal = func(data, _ []byte) ([]byte, error) { return data, nil }
		c.Open = func(data, boundTo []byte) ([]byte, error) {
			if bytes.Equal(boundTo, bad) {
				panic("short")
			}
			return data, nil
		}
	})
}
