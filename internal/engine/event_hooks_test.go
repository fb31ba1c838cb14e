package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// hookLog collects changes as "event revision: before → after".
type hookLog struct{ lines []string }

func (h *hookLog) config(c *tributary.Config) {
	c.Hooks = record.Hooks{
		Affiliate: func(_ context.Context, c record.Change[record.Affiliate]) {
			note(h, c, func(r record.Affiliate) string { return r.FirstName })
		},
		Referral: func(_ context.Context, c record.Change[record.Referral]) {
			note(h, c, func(r record.Referral) string { return r.Name + "/" + string(r.Status) })
		},
		Sale: func(_ context.Context, c record.Change[record.Sale]) {
			note(h, c, func(r record.Sale) string { return fmt.Sprint(r.TotalEarned, "/", r.Refunded, "/", r.Status) })
		},
		Coupon: func(_ context.Context, c record.Change[record.Coupon]) {
			note(h, c, func(r record.Coupon) string { return fmt.Sprint(r.Name, "/", r.TimesRedeemed) })
		},
		Code: func(_ context.Context, c record.Change[record.Code]) {
			note(h, c, func(r record.Code) string { return fmt.Sprint(r.Code, "/", r.Active, "/", r.TimesRedeemed) })
		},
	}
}

func note[R any](h *hookLog, c record.Change[R], text func(R) string) {
	show := func(o affiliate.Opt[R]) string {
		if r, ok := o.Get(); ok {
			return text(r)
		}
		return "-"
	}
	h.lines = append(h.lines, fmt.Sprintf("%s %d: %s → %s", c.Event, c.Revision, show(c.Before), show(c.After)))
}

// took returns the changes since the last call.
func (h *hookLog) took() []string {
	out := h.lines
	h.lines = nil
	return out
}

// Hooks get every change with the values before and after it.
func TestHooks(t *testing.T) {
	h := &hookLog{}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		h.took()
		a := w.Ada()
		scene.Equal(t, []string{
			"affiliate.created 1: - → Ada", "coupon.created 1: - → Autumn 20/0", "promocode.created 1: - → ADA20/true/0",
		}, h.took())
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
		scene.Equal(t, []string{"affiliate.updated 2: Ada → Eva"}, h.took())
		w.AddLink(a.Person.ID, "eva")
		scene.Equal(t, []string{"affiliate.updated 3: Eva → Eva"}, h.took())
		w.Refer("ada", "kim@example.com")
		s, _ := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", ReferralID: "kim@example.com", TotalEarned: scene.Sum("100")})).Sale.Get()
		scene.Equal(t, []string{"referral.created 1: - → Kim/ACTIVE", "sale.created 1: - → 100/0/ACTIVE"}, h.took())
		scene.Must(w.UpdateCode(t.Context(), a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		scene.Equal(t, []string{"promocode.updated 2: ADA20/true/1 → ADA20/false/1"}, h.took())
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: s.ID, Amount: affiliate.Set(scene.Sum("30"))}))
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: s.ID}))
		scene.Equal(t, []string{"sale.updated 2: 100/0/ACTIVE → 100/30/ACTIVE", "sale.deleted 3: 100/30/ACTIVE → 100/100/REFUNDED"}, h.took())
		scene.Must(w.DeleteCode(t.Context(), a.ADA20.ID))
		scene.Must(w.DeleteCoupon(t.Context(), a.Autumn.ID))
		scene.Equal(t, []string{"promocode.deleted 3: ADA20/false/1 → -", "coupon.deleted 2: Autumn 20/1 → -"}, h.took())
	}, h.config)
}

// A cascade reports the children first, each with its value before.
func TestHooksCascade(t *testing.T) {
	h := &hookLog{}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		h.took()
		a := w.Ada()
		w.Refer("ada", "kim@example.com")
		w.SellTo("kim@example.com", "50")
		h.took()
		scene.Must(0, w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}))
		scene.Equal(t, []string{
			"sale.deleted 2: 50/0/ACTIVE → -", "referral.deleted 2: Kim/ACTIVE → -",
			"promocode.updated 2: ADA20/true/0 → ADA20/true/0", "affiliate.deleted 2: Ada → -",
		}, h.took())
	}, h.config, func(c *tributary.Config) { c.CascadeEvents = true })
}

// Hooks run after the commit, once, before OnEvents, and may call the program.
func TestHooksRun(t *testing.T) {
	type key struct{}
	var calls []string
	var p *tributary.Program
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		calls, p = nil, w.Program
		scene.Must(w.CreateAffiliate(context.WithValue(t.Context(), key{}, "v"), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"}))
		scene.Equal(t, []string{"hook v a@example.org 2026-03-11 09:24:18.442 +0000 UTC", "events"}, calls)
		calls = nil
		_, err := w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"})
		if err == nil || len(calls) != 0 {
			t.Errorf("a refusal ran %v", calls)
		}
	}, func(c *tributary.Config) {
		c.OnEvents = func() { calls = append(calls, "events") }
		c.Hooks.Affiliate = func(ctx context.Context, c record.Change[record.Affiliate]) {
			rec, _ := c.After.Get()
			a := scene.Must(p.Affiliate(ctx, rec.ID.String()))
			event := scene.Must(p.EventsAfter(ctx, uuid.Nil, 1))[0]
			if c.EventID != event.ID {
				calls = append(calls, "another event")
			}
			calls = append(calls, fmt.Sprint("hook ", ctx.Value(key{}), " ", a.Email, " ", c.At.Time().Format("2006-01-02 15:04:05.999 -0700 MST")))
		}
	})
}

// Each event of the rich scenario has a hook call. Its value after the change
// equals the stored one.
func TestHooksMatchEvents(t *testing.T) {
	h := &hookLog{}
	w := scene.New(t, h.config)
	a := w.Ada()
	for i := range 5 {
		w.Pass(time.Minute)
		w.Refer("ada", fmt.Sprintf("kim%d@example.com", i))
		w.SellTo(fmt.Sprintf("kim%d@example.com", i), "10")
	}
	scene.Must(w.UpdateCoupon(t.Context(), a.Autumn.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
	events := scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 1000))
	if len(h.lines) != len(events) {
		t.Fatalf("%d calls for %d events", len(h.lines), len(events))
	}
	for i, e := range events {
		if want := fmt.Sprintf("%s %d:", e.Type, e.Revision); h.lines[i][:len(want)] != want {
			t.Errorf("call %d is %s, want %s", i, h.lines[i], want)
		}
	}
}
