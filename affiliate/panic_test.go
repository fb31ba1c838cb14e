package affiliate_test

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
	onStores(t, func(t *testing.T, w *world) {
		a := w.ada()
		log.Reset()
		calls = nil
		w.refer("ada", "kim@example.com")
		in := affiliate.NewSale{
			Once: affiliate.Once{Key: "sale-1"}, PromoCode: "ADA20", ReferralID: "kim@example.com", TotalEarned: sum("100"),
		}
		got := must(w.RecordSale(t.Context(), in))
		if s, ok := got.Sale.Get(); !ok || s.TotalEarned != sum("100") {
			t.Errorf("the sale: %+v", got)
		}
		equal(t, got.Sale, must(w.RecordSale(t.Context(), in)).Sale)
		must(w.DeleteCoupon(t.Context(), a.coupon.ID))
		equal(t, []string{
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
	onStores(t, func(t *testing.T, w *world) {
		ep := w.hook()
		w.answered()
		w.crowd(3)
		log.Reset()
		told = 0
		w.settle(200, w.claim(3)...)
		if told != 3 || strings.Count(log.String(), "no pager") != 3 {
			t.Errorf("%d notices; the log: %s", told, log.String())
		}
		if n := w.states(ep.ID)[affiliate.DeliveryPending]; n != 0 {
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
	onStores(t, func(t *testing.T, w *world) {
		log.Reset()
		ep := w.hook()
		got := must(w.TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
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
	onStores(t, func(t *testing.T, w *world) {
		sick := w.hookAt("https://sick.example/")
		bad = sick.ID[:]
		well := w.hookAt("https://well.example/")
		w.crowd(1)
		if claims := w.claim(64); len(claims) != 1 || claims[0].Endpoint != well.ID {
			t.Errorf("claims: %v", at(claims))
		}
		d := w.deliveries(affiliate.DeliveryFilter{WebhookID: affiliate.Set(sick.ID)})
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
