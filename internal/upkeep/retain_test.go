package upkeep_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

const day = 24 * time.Hour

// kinds is the number of records of the tables that Retain works on.
func kinds(w *scene.World) affiliate.Retained {
	dump := w.Dump()
	return affiliate.Retained{
		Events: int64(len(dump["events"])), Receipts: int64(len(dump["receipts"])),
		Deliveries: int64(len(dump["deliveries"])), Clicks: int64(len(dump["clicks"])),
	}
}

// minus: what is left of a number of records.
func minus(all, gone affiliate.Retained) affiliate.Retained {
	return affiliate.Retained{
		Events: all.Events - gone.Events, Receipts: all.Receipts - gone.Receipts,
		Deliveries: all.Deliveries - gone.Deliveries, Clicks: all.Clicks - gone.Clicks,
	}
}

// aged is a program with records of every kind, all of them older than a
// hundred days: receipts, settled deliveries and their events, clicks with and
// without a referral.
func aged(t *testing.T, store record.Store) *scene.World {
	w := scene.NewOn(t, store)
	ctx := t.Context()
	hook := w.Hook(affiliate.CouponCreated)
	w.Join("a")
	for i := range 5 {
		in := affiliate.CouponParams{Name: strconv.Itoa(i), PercentOff: scene.Percent("5")}
		in.Key = strconv.Itoa(i)
		scene.Must(w.CreateCoupon(ctx, in))
		scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "a"}))
	}
	scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "2", Email: "kim@b.co", Name: "Kim", ReferredUserExternalID: "kim"}))
	w.Settle(200, w.Claim(10)...)
	scene.Must(w.Webhooks().DeleteEndpoint(ctx, hook.ID))
	w.Pass(100 * day)
	return w
}

// TestRetain: each kind goes at its own age, no other one does, the answer says
// what went, and the books hold.
func TestRetain(t *testing.T) {
	all := affiliate.Retention{Events: 99 * day, Receipts: day, Deliveries: 99 * day, Clicks: 60 * day}
	for name, tt := range map[string]struct {
		policy affiliate.Retention
		want   affiliate.Retained
	}{
		"Nothing":    {affiliate.Retention{}, affiliate.Retained{}},
		"Older":      {affiliate.Retention{Events: 101 * day, Receipts: 101 * day, Deliveries: 101 * day, Clicks: 101 * day}, affiliate.Retained{}},
		"Receipts":   {affiliate.Retention{Receipts: day}, affiliate.Retained{Receipts: 5}},
		"Deliveries": {affiliate.Retention{Deliveries: 99 * day}, affiliate.Retained{Deliveries: 5}},
		"Events":     {affiliate.Retention{Events: 99 * day}, affiliate.Retained{Events: 2}}, // of coupons there are deliveries
		"Clicks":     {affiliate.Retention{Clicks: 99 * day}, affiliate.Retained{Clicks: 4}}, // one became a referral
		"All":        {all, affiliate.Retained{Events: 7, Receipts: 5, Deliveries: 5, Clicks: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			w := aged(t, memstore.New())
			before := kinds(w)
			scene.Equal(t, affiliate.Retained{Events: 7, Receipts: 5, Deliveries: 5, Clicks: 5}, before)
			got := scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: tt.policy})).Removed
			scene.Equal(t, tt.want, got)
			scene.Equal(t, minus(before, got), kinds(w))
			w.Verifies()
			scene.Equal(t, int64(5), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfClicks)
			scene.Equal(t, affiliate.Retained{}, scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: tt.policy})).Removed)
		})
	}
}

// TestRetainBoundary: a record goes when it is older than the age, not when it
// is as old.
func TestRetainBoundary(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	in := affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("5")}
	in.Key = "k"
	scene.Must(w.CreateCoupon(t.Context(), in))
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	policy := affiliate.Retention{Events: 60 * day, Receipts: 60 * day, Clicks: 60 * day}
	w.Pass(60 * day)
	scene.Equal(t, affiliate.Retained{}, scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: policy})).Removed)
	click := scene.Must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "1", Email: "kim@b.co", Name: "Kim", ReferredUserExternalID: "kim"}))
	if click.AffiliateLinkID.IsNull() {
		t.Error("a click that Retain keeps does not attribute")
	}
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	w.Pass(60*day + time.Microsecond)
	scene.Equal(t, affiliate.Retained{Events: 3, Receipts: 1, Clicks: 1}, scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: policy})).Removed)
	w.Verifies()
}

// TestRetainRefused: a policy that would delete what is still needed is refused
// and deletes nothing, of no kind.
func TestRetainRefused(t *testing.T) {
	w := aged(t, memstore.New())
	for _, tt := range []struct {
		name        string
		policy      affiliate.Retention
		field, text string
	}{
		{"ErrEvents", affiliate.Retention{Events: -1}, "events", "events must be at least 0"},
		{"ErrReceipts", affiliate.Retention{Receipts: -day}, "receipts", "receipts must be at least 0"},
		{"ErrDeliveries", affiliate.Retention{Deliveries: -1}, "deliveries", "deliveries must be at least 0"},
		{"ErrClicks", affiliate.Retention{Clicks: -1}, "clicks", "clicks must be at least 0"},
		{"ErrHolds", affiliate.Retention{Holds: -1}, "holds", "holds must be at least 0"},
		{"ErrYoungHolds", affiliate.Retention{Holds: day - 1}, "holds", "holds must be kept for at least 24 hours"},
		{"ErrYoungReceipts", affiliate.Retention{Receipts: day - 1}, "receipts", "receipts must be kept for at least 24 hours"},
		{"ErrClicksAttribute", affiliate.Retention{Clicks: 60*day - 1}, "clicks", "clicks must be kept for as long as they attribute"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			reason := affiliate.InvalidField
			if strings.Contains(tt.text, "kept") {
				reason = affiliate.RetentionTooShort
			}
			tt.policy.Events += 99 * day * time.Duration(min(1, 1+int64(tt.policy.Events)))
			for _, p := range []*tributary.Program{w.Program, w.Keyed(affiliate.Once{Key: tt.name})} {
				before := kinds(w)
				_, err := p.Run(t.Context(), affiliate.RetainJob{Retention: tt.policy})
				refusal, ok := errors.AsType[*affiliate.Error](err)
				if !ok || refusal.Reason != reason || refusal.Field != tt.field || refusal.Message != tt.text {
					t.Errorf("refused with %v", err)
				}
				after := kinds(w)
				after.Receipts = before.Receipts // of the refusal itself
				scene.Equal(t, before, after)
			}
		})
	}
	wide := scene.New(t, func(c *tributary.Config) { c.CookieDays = 400 })
	if _, err := wide.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Clicks: 399 * day}}); !errors.Is(err, affiliate.RetentionTooShort) {
		t.Errorf("the window of the program does not count: %v", err)
	}
}

// TestRetainKeepsPending: no age deletes a delivery that is not settled, its
// event, or a later event of the same object.
func TestRetainKeepsPending(t *testing.T) {
	w := scene.New(t)
	w.Hook(affiliate.CouponCreated)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("5")}))
	scene.Must(w.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set("d")}))
	w.Join("a")
	w.Pass(1000 * day)
	scene.Equal(t, affiliate.Retained{Events: 1}, scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Events: 1, Deliveries: 1}})).Removed)
	scene.Equal(t, 1, len(w.Claim(10)))
	w.Verifies()
}

// TestRetainClicks: clicks that are gone stay in the totals of their link and
// affiliate, through whatever happens to these.
func TestRetainClicks(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a, b := w.Join("a"), w.Join("b")
	w.AddLink(a.ID, "a2")
	for _, slug := range []string{"a", "a", "a2", "b"} {
		scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: slug}))
	}
	links := func() map[string]int64 {
		out := map[string]int64{}
		for _, l := range scene.Must(w.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{})).Items {
			out[l.Link] = l.Clicks
		}
		return out
	}
	w.Pass(61 * day)
	policy := affiliate.Retention{Clicks: 60 * day}
	scene.Equal(t, affiliate.Retained{Clicks: 4}, scene.Must(w.Run(ctx, affiliate.RetainJob{Retention: policy})).Removed)
	scene.Equal(t, map[string]int64{"a": 2, "a2": 1, "b": 1}, links())
	scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "a"}))
	scene.Equal(t, map[string]int64{"a": 3, "a2": 1, "b": 1}, links())
	w.Verifies()
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "a"}))
	scene.Equal(t, int64(4), scene.Must(w.Affiliate(ctx, a.ID.String())).NumberOfClicks)
	w.Verifies()
	w.Pass(61 * day)
	scene.Equal(t, affiliate.Retained{Clicks: 1}, scene.Must(w.Run(ctx, affiliate.RetainJob{Retention: policy})).Removed) // its link is gone
	scene.Equal(t, int64(4), scene.Must(w.Affiliate(ctx, a.ID.String())).NumberOfClicks)
	w.Verifies()
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: b.ID}))
	w.Verifies()
	scene.Equal(t, int64(0), w.AddLink(a.ID, "a").Clicks)
	w.Raw(func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(a.ID)
		if err != nil {
			return err
		}
		rec.PrunedClicks, rec.Clicks = -1, rec.Clicks-rec.PrunedClicks-1
		return tx.Totals.Replace(rec)
	})
	if err := w.Verify(ctx); err == nil {
		t.Error("Verify passes pruned clicks below zero")
	}
}

// TestRetainFails: an error in the middle leaves whole transactions. The answer
// says what went all the same, the books hold, and the next call does the rest.
func TestRetainFails(t *testing.T) {
	policy := affiliate.Retention{Events: 99 * day, Receipts: day, Deliveries: 99 * day, Clicks: 60 * day}
	partly := 0
	for n := 1; ; n++ {
		store := memstore.New()
		w := aged(t, store)
		before := kinds(w)
		done, err := w.With(conformance.FailAt(store, n)).Run(t.Context(), affiliate.RetainJob{Retention: policy})
		got := done.Removed
		scene.Equal(t, minus(before, got), kinds(w))
		w.Verifies()
		if err == nil {
			break
		}
		if got != (affiliate.Retained{}) {
			partly++
		}
		rest := scene.Must(w.Run(t.Context(), affiliate.RetainJob{Retention: policy})).Removed
		scene.Equal(t, affiliate.Retained{Events: 7, Receipts: 5, Deliveries: 5, Clicks: 4}, minus(got, minus(affiliate.Retained{}, rest)))
		w.Verifies()
	}
	if partly < 3 {
		t.Errorf("%d calls failed after a part", partly)
	}
}

// TestRetainConcurrently: several calls at once, beside clicks, delete each
// record once.
func TestRetainConcurrently(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	const n = 700
	for range n {
		scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	}
	w.Pass(61 * day)
	var gone atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := w.Run(t.Context(), affiliate.RetainJob{Retention: affiliate.Retention{Clicks: 60 * day}})
			if gone.Add(got.Removed.Clicks); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			for range 50 {
				if _, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	scene.Equal(t, int64(n), gone.Load())
	scene.Equal(t, int64(n+200), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfClicks)
	w.Verifies()
}

// TestRetainModel: clicks, referrals by click, deletes and policies in any order
// leave books that hold, and statistics that count every click.
func TestRetainModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := scene.New(t)
		ctx := t.Context()
		a := w.Join("a")
		clicks, referrals, slugs := 0, 0, []string{"a"}
		slug := func() string { return rapid.SampledFrom(slugs).Draw(rt, "slug") }
		rt.Repeat(map[string]func(*rapid.T){
			"click": func(*rapid.T) {
				if _, err := w.TrackClick(ctx, affiliate.ClickParams{Slug: slug()}); err == nil {
					clicks++
				}
			},
			"refer": func(rt *rapid.T) {
				referrals++
				id := strconv.Itoa(rapid.IntRange(1, clicks+1).Draw(rt, "click"))
				w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: id, Email: fmt.Sprintf("k%d@b.co", referrals), Name: "Kim", ReferredUserExternalID: fmt.Sprint(referrals)})
			},
			"forget": func(rt *rapid.T) {
				w.Forfeiting().DeleteReferral(ctx, fmt.Sprintf("k%d@b.co", rapid.IntRange(0, referrals).Draw(rt, "referral")))
			},
			"link":   func(*rapid.T) { slugs = append(slugs, w.AddLink(a.ID, "l-"+uuid.NewString()).Link) },
			"unlink": func(*rapid.T) { w.DeleteLink(ctx, affiliate.LinkRef{Slug: slug()}) },
			"wait":   func(rt *rapid.T) { w.Pass(time.Duration(rapid.IntRange(0, 80).Draw(rt, "days")) * day) },
			"retain": func(rt *rapid.T) {
				age := func(least int) time.Duration {
					return time.Duration(rapid.IntRange(least, 100).Draw(rt, "age")) * day
				}
				scene.Must(w.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Events: age(0), Receipts: age(1), Deliveries: age(0), Clicks: age(60)}}))
			},
			"": func(rt *rapid.T) {
				w.Verifies()
				if got := scene.Must(w.Affiliate(ctx, a.ID.String())).NumberOfClicks; got != int64(clicks) {
					rt.Fatalf("%d clicks, want %d", got, clicks)
				}
			},
		})
	})
}

// TestRetainHolds: holds go by the time until which they held, whatever became of them, and the places of those
// that lapsed are given back.
func TestRetainHolds(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ctx := t.Context()
		coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "c", PercentOff: scene.Percent("10"), MaxDiscountTotal: scene.Amount("1000"), MaxRedemptionsPerCustomer: affiliate.Set[int64](9)}))
		owner := w.Join("ada")
		code := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "C1", AffiliateID: owner.ID}))
		gone := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "C2", AffiliateID: owner.ID}))
		hold := func(id, code string, until time.Duration) {
			t.Helper()
			scene.Must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: code, Subtotal: scene.Amount("50"), Email: id + "@b.co"}, Until: w.Now.Add(until)}))
		}
		hold("confirmed", "C1", time.Hour)
		hold("released", "C1", time.Hour)
		hold("lapsed", "C1", time.Hour)
		hold("deleted", "C2", time.Hour)
		hold("later", "C1", time.Hour+time.Millisecond)
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{HoldID: "confirmed", Email: "confirmed@b.co", Name: "C", TotalEarned: affiliate.MustAmount("45")}))
		scene.Must(w.ReleaseHold(ctx, "released"))
		scene.Must(w.DeleteCode(ctx, gone.ID))
		counts := func() (held, ofCoupon int64, worth affiliate.Amount, uses int) {
			w.Raw(func(tx *record.Tx) error {
				of, err := tx.Codes.Get(code.ID)
				if err != nil {
					return err
				}
				c, err := tx.Coupons.Get(coupon.ID)
				held, ofCoupon, worth = of.Held, c.Held, c.HeldDiscount
				return err
			})
			return held, ofCoupon, worth, len(w.Dump()["uses"])
		}
		sees := func(held, ofCoupon int64, worth string, uses int) {
			t.Helper()
			if a, b, c, d := counts(); a != held || b != ofCoupon || c != affiliate.MustAmount(worth) || d != uses {
				t.Errorf("%d, %d, %v and %d uses, want %d, %d, %s and %d", a, b, c, d, held, ofCoupon, worth, uses)
			}
		}
		retain := func() int64 {
			t.Helper()
			done := scene.Must(w.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Holds: day}}))
			w.Verifies()
			return done.Removed.Holds
		}
		sees(2, 3, "15", 5)
		w.Pass(time.Hour + day)
		scene.Equal(t, int64(0), retain())
		sees(2, 3, "15", 5)
		w.Pass(time.Millisecond)
		scene.Equal(t, int64(4), retain())
		sees(1, 1, "5", 3)
		w.Pass(time.Millisecond)
		scene.Equal(t, int64(1), retain())
		sees(0, 0, "0", 2)
		_, err := w.RecordSale(ctx, affiliate.SaleParams{HoldID: "later", TotalEarned: affiliate.MustAmount("45")})
		scene.RefusedAs(t, "a sale of a hold that is gone", affiliate.HoldNotFound, err)
		hold("later", "C1", time.Hour) // the id is free again
		scene.Equal(t, int64(0), retain())
		w.Pass(2*day + time.Hour)
		step := scene.Must(w.Step(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Holds: day}}, affiliate.Step{}))
		scene.Equal(t, affiliate.Retained{Holds: 1}, step.Removed)
		sees(0, 0, "0", 2)
	})
}

// sizes returns the number of records of the tables that are pruned.
func sizes(w *scene.World) map[string]int {
	dump := w.Dump()
	return map[string]int{"receipts": len(dump["receipts"]), "deliveries": len(dump["deliveries"]), "events": len(dump["events"])}
}

func TestPrune(t *testing.T) {
	b := scene.NewLedger(t)
	in := affiliate.CouponParams{Name: "kept", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
	in.Once.Key = "k"
	scene.Must(b.CreateCoupon(t.Context(), in))
	full := sizes(b.World)
	future := b.Now.Add(time.Hour)

	scene.Equal(t, 0, scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: scene.Start})).Changed)
	skipped := len(scene.Must(b.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{State: affiliate.DeliverySkipped}, affiliate.Page{})).Items)
	scene.Equal(t, int64(skipped), scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: future})).Changed, skipped)
	b.Verifies()
	b.Pass(24*time.Hour + time.Microsecond)
	if n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed; n != 1 || sizes(b.World)["receipts"] != 0 {
		t.Errorf("%d dropped, want the receipt", n)
	}
	b.Settle()
	scene.Equal(t, 0, scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed)
	b.Pass(time.Hour)
	n := scene.Must(b.Run(t.Context(), affiliate.PruneJob{Before: b.Now})).Changed
	if want := full["deliveries"] - skipped + full["events"]; n != int64(want) {
		t.Errorf("%d dropped, want %d", n, want)
	}
	scene.Equal(t, map[string]int{"receipts": 0, "deliveries": 0, "events": 0}, sizes(b.World))
	b.Verifies()
	scene.Must(b.UpdateSale(t.Context(), 5, affiliate.SaleUpdate{Name: affiliate.Set("x")}))
	b.Verifies()
}

// An event that waits keeps the later events of its object, so that the history
// has no gap.
func TestPruneKeepsHistory(t *testing.T) {
	w := scene.New(t)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	rename := func(n int) {
		scene.Must(w.UpdateCoupon(t.Context(), c.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("c", n))}))
	}
	rename(1)
	hook := w.Hook(affiliate.CouponUpdated)
	rename(2)
	scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), hook.ID))
	waiting := w.Hook(affiliate.CouponUpdated)
	rename(3)
	scene.Must(w.Webhooks().UpdateEndpoint(t.Context(), waiting.ID, affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated})}))
	rename(4)
	w.Pass(48 * time.Hour)
	n := scene.Must(w.Run(t.Context(), affiliate.PruneJob{Before: w.Now})).Changed
	left := scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items
	if n != 4 || len(left) != 2 || left[0].Revision != 5 || left[1].Revision != 4 {
		t.Errorf("%d dropped, left %+v", n, left)
	}
	w.Verifies()
}

// More events than one transaction prunes.
func TestPruneBatches(t *testing.T) {
	w := scene.New(t)
	hook := w.Hook()
	for i := range 1500 {
		in := affiliate.CouponParams{Name: fmt.Sprint(i), PercentOff: affiliate.Set(affiliate.MustPercent("5"))}
		in.Once.Key = fmt.Sprint(i)
		scene.Must(w.CreateCoupon(t.Context(), in))
	}
	scene.Must(w.Webhooks().DeleteEndpoint(t.Context(), hook.ID))
	w.Pass(72 * time.Hour)
	scene.Equal(t, 4500, scene.Must(w.Run(t.Context(), affiliate.PruneJob{Before: w.Now.Add(-time.Hour)})).Changed)
	w.Verifies()
}
