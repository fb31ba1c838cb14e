package proofs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestRaceUnique: of creates at once with one key in different spellings,
// exactly one succeeds (B226, B274, B316).
func TestRaceUnique(t *testing.T) {
	ctx := context.Background()
	spelling := func(s string, i int) string {
		if i%2 == 0 {
			return strings.ToUpper(s)
		}
		return s[:i%len(s)] + strings.ToUpper(s[i%len(s):])
	}
	for name, c := range map[string]struct {
		create func(w *scene.World, a scene.Ada, i int) error
		taken  affiliate.Reason
		fires  affiliate.EventType
	}{
		"email": {func(w *scene.World, _ scene.Ada, i int) error {
			_, err := w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: spelling("bea@example.com", i)})
			return err
		}, affiliate.AffiliateEmailTaken, affiliate.AffiliateCreated},
		"first slug": {func(w *scene.World, _ scene.Ada, i int) error {
			_, err := w.CreateAffiliate(ctx, affiliate.AffiliateParams{
				FirstName: "B", LastName: "C", Email: fmt.Sprint("bea", i, "@example.com"), AffiliateLink: spelling("bea-link", i),
			})
			return err
		}, affiliate.SlugTaken, affiliate.AffiliateCreated},
		"slug": {func(w *scene.World, a scene.Ada, i int) error {
			_, err := w.CreateLink(ctx, affiliate.LinkParams{Link: spelling("bea-link", i), AffiliateID: a.Person.ID})
			return err
		}, affiliate.SlugTaken, affiliate.AffiliateUpdated},
		"code": {func(w *scene.World, a scene.Ada, i int) error {
			_, err := w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: " " + spelling("bea20", i)})
			return err
		}, affiliate.CodeTaken, affiliate.PromocodeCreated},
		"coupon external id": {func(w *scene.World, _ scene.Ada, _ int) error {
			_, err := w.CreateCoupon(ctx, affiliate.CouponParams{Name: "B", PercentOff: affiliate.Set(affiliate.MustPercent("5")), ExternalID: "x"})
			return err
		}, affiliate.CouponExternalIDTaken, affiliate.CouponCreated},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			a := w.Ada()
			before := eventCount(w)[c.fires]
			tally(t, atOnce(t, 20, func(i int) error { return c.create(w, a, i) }), map[affiliate.Reason]int{"": 1, c.taken: 19})
			if n := eventCount(w)[c.fires] - before; n != 1 {
				t.Errorf("%d %s, want 1", n, c.fires)
			}
			w.Verifies()
		})
	}
}

// TestRaceReferrals: one email under two affiliates becomes one referral, and
// every answer returns it (B343).
func TestRaceReferrals(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := context.Background()
	scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com", AffiliateLink: "bea"}))
	var ids sync.Map
	tally(t, atOnce(t, 40, func(i int) error {
		r, err := w.CreateReferral(ctx, affiliate.ReferralParams{
			AffiliateID: []string{"ada", "bea"}[i%2], Name: "Tomas", Email: "tomas@example.net", ReferredUserExternalID: "c",
		})
		ids.Store(r.ID, true)
		return err
	}), map[affiliate.Reason]int{"": 40})
	n := 0
	for range ids.Range {
		n++
	}
	if n != 1 || eventCount(w)[affiliate.ReferralCreated] != 1 {
		t.Errorf("%d referrals, events %v", n, eventCount(w))
	}
	w.Verifies()
}

// TestRaceCut: after a change that forbids sales has returned, no sale is
// committed (I09). Before, every sale is, and there is a redemption for exactly
// those (B402).
func TestRaceCut(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		end  func(w *scene.World, a scene.Ada) error
		then affiliate.Reason
	}{
		"delete coupon": {func(w *scene.World, a scene.Ada) error { _, err := w.DeleteCoupon(ctx, a.Autumn.ID); return err }, affiliate.CodeNotFound},
		"delete code":   {func(w *scene.World, a scene.Ada) error { _, err := w.DeleteCode(ctx, a.ADA20.ID); return err }, affiliate.CodeNotFound},
		"deactivate": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			return err
		}, affiliate.CodeInactive},
		"take the affiliate away": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Null[uuid.UUID]()})
			return err
		}, affiliate.CodeUnassigned},
		"coupon not valid": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
			return err
		}, affiliate.CouponInvalid},
		"lower limit": {func(w *scene.World, a scene.Ada) error {
			_, err := w.UpdateCoupon(ctx, a.Autumn.ID, affiliate.CouponUpdate{MaxRedemptions: affiliate.Set[int64](1)})
			return err
		}, affiliate.CouponExhausted},
		"delete affiliate": {func(w *scene.World, a scene.Ada) error {
			return w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: a.Person.ID})
		}, affiliate.CodeUnassigned},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t)
			a := w.Ada()
			var recorded, late atomic.Int64
			var ended atomic.Bool
			some := make(chan struct{}) // closed by the first sale, after which the change may come
			var once sync.Once
			got := atOnce(t, 9, func(i int) error {
				if i == 0 {
					<-some
					err := c.end(w, a)
					ended.Store(true)
					return err
				}
				for range 20_000 { // more than are possible before the change
					after := ended.Load()
					err := sold(w, "ADA20")
					if err != nil {
						return err
					}
					if recorded.Add(1); after {
						late.Add(1)
					}
					once.Do(func() { close(some) })
				}
				return errors.New("sales go on without end")
			})
			tally(t, got, map[affiliate.Reason]int{"": 1, c.then: 8})
			if late.Load() > 0 {
				t.Errorf("%d sales after the change had been answered", late.Load())
			}
			if rows := len(w.Dump()["redemptions"]); int64(rows) != recorded.Load() || rows == 0 {
				t.Errorf("the ledger has %d rows of %d sales", rows, recorded.Load())
			}
			w.Verifies()
		})
	}
}

// TestRaceReassign: a sale by code is credited to the affiliate that the code
// has at the sale's commit. After the change has returned, every sale is
// credited to the new one (I10).
func TestRaceReassign(t *testing.T) {
	ctx := context.Background()
	w := scene.New(t)
	a := w.Ada()
	bob := w.Join("bob")
	var changed atomic.Bool
	var early, late atomic.Int64
	some := make(chan struct{})
	var once sync.Once
	tally(t, atOnce(t, 5, func(i int) error {
		if i == 0 {
			<-some
			_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{AffiliateID: affiliate.Set(bob.ID)})
			changed.Store(true)
			return err
		}
		for late.Load() < 50 {
			after := changed.Load()
			res, err := w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1")})
			if err != nil {
				return err
			}
			sale, _ := res.Sale.Get()
			if sale.AffiliateID == a.Person.ID {
				early.Add(1)
				once.Do(func() { close(some) })
				if after {
					return errors.New("a sale went to the affiliate of before")
				}
			} else {
				late.Add(1)
			}
		}
		return nil
	}), map[affiliate.Reason]int{"": 5})
	list := func(id uuid.UUID) int64 {
		return int64(len(scene.Must(w.Sales(ctx, affiliate.SaleQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{})).Items))
	}
	scene.Equal(t, []int64{early.Load(), late.Load()}, []int64{list(a.Person.ID), list(bob.ID)})
	w.Verifies()
}

// TestRacePrograms: programs with the same names in one store are independent
// (I52).
func TestRacePrograms(t *testing.T) {
	store := memstore.New()
	const programs, each = 6, 15
	worlds := make([]*scene.World, programs)
	for i := range worlds {
		worlds[i] = scene.NewOn(t, store, func(c *tributary.Config) { c.ID = uuid.UUID{15: byte(i + 1)} })
	}
	ctx := context.Background()
	tally(t, atOnce(t, programs, func(i int) error {
		w := worlds[i]
		a := w.Ada()
		_, err := w.UpdateCode(ctx, a.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set(int64(i + 1))})
		return err
	}), map[affiliate.Reason]int{"": programs})
	got := atOnce(t, programs*each, func(i int) error {
		return sold(worlds[i%programs], "ada20", func(in *affiliate.SaleParams) {
			in.Email, in.Key = "tomas@example.net", fmt.Sprint("key", i/programs)
			in.ExternalID = fmt.Sprint("order-", i/programs)
		})
	})
	tally(t, got, map[affiliate.Reason]int{"": 1 + 2 + 3 + 4 + 5 + 6, affiliate.CodeExhausted: programs*each - 21})
	for i, w := range worlds {
		if k := scene.Must(w.Code(ctx, affiliate.CodeRef{Code: "ADA20"})); k.TimesRedeemed != int64(i+1) {
			t.Errorf("program %d counts %d redemptions", i, k.TimesRedeemed)
		}
		rows := w.Dump()
		if len(rows["sales"]) != i+1 || len(rows["referrals"]) != 1 || len(rows["receipts"]) != each {
			t.Errorf("program %d: %d sales, %d referrals, %d receipts", i, len(rows["sales"]), len(rows["referrals"]), len(rows["receipts"]))
		}
		w.Verifies()
	}
}
