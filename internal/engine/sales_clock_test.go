package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// When the clock goes back, no time of a record goes back (I54): updatedAt
// stays.
func TestClockGoesBack(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	hook := s.Hook(affiliate.EventTypes()...)
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", ConditionType: affiliate.ConditionAll}))
	sale, paid := s.ToTomas("100"), s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	payout := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID}))
	pending := scene.Must(s.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "I", LastName: "N", Email: "i@example.com"}))
	s.Pass(-time.Hour)
	for name, call := range map[string]func() error{
		"sale": func() error {
			_, err := s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("50")})
			return err
		},
		"by hand": func() error {
			_, err := s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")})
			return err
		},
		"refund": func() error {
			_, err := s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("1")})
			return err
		},
		"review": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID); return err },
		"payout": func() error { _, err := s.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid); return err },
		"referral": func() error {
			_, err := s.UpdateReferral(ctx, s.Tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("n")})
			return err
		},
		"erase": func() error { return s.EraseReferral(ctx, s.Bea.Email) },
		"affiliate": func() error {
			_, err := s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Bob.ID}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("B")})
			return err
		},
		"ban":    func() error { _, err := s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Bob.ID); return err },
		"accept": func() error { _, err := s.AcceptInvite(ctx, pending.ID, affiliate.AffiliateUpdate{}); return err },
		"new link": func() error {
			_, err := s.CreateLink(ctx, affiliate.LinkParams{Link: "n", AffiliateID: s.Bob.ID})
			return err
		},
		"rename": func() error { _, err := s.RenameLink(ctx, affiliate.LinkRef{Slug: "bob"}, "bobby"); return err },
		"coupon": func() error {
			_, err := s.UpdateCoupon(ctx, s.Autumn.ID, affiliate.CouponUpdate{Name: scene.TextOf("n")})
			return err
		},
		"code": func() error {
			_, err := s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			return err
		},
		"plan": func() error {
			_, err := s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: scene.TextOf("n")})
			return err
		},
		"tier": func() error {
			_, err := s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: scene.TextOf("n")})
			return err
		},
		"tiers": func() error { _, err := s.Run(ctx, affiliate.AssignTiersJob{}); return err },
		"endpoint": func() error {
			_, err := s.Webhooks().UpdateEndpoint(ctx, hook.ID, affiliate.EndpointUpdate{Description: scene.TextOf("n")})
			return err
		},
		"rotation": func() error {
			_, err := s.Webhooks().RotateSecret(ctx, affiliate.Rotation{WebhookID: hook.ID})
			return err
		},
		"hold": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sale.ID); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Verify(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	scene.Must(s.Webhooks().DeleteEndpoint(ctx, hook.ID))
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, s.Ada.Person.ID))
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	if got := scene.Must(s.Sale(ctx, paid.ID)); !got.UpdatedAt.Equal(paid.UpdatedAt) {
		t.Errorf("updatedAt went from %v to %v", paid.UpdatedAt, got.UpdatedAt)
	}
	s.Verifies()
}

// Ids are unique and rise whatever the clock does, and so do the integer ids of
// each kind.
func TestIDsRise(t *testing.T) {
	s := scene.NewShop(t)
	var last uuid.UUID
	for i, back := range []time.Duration{0, 0, -time.Hour, time.Millisecond, 2 * time.Hour, -time.Microsecond, 0} {
		s.Pass(back)
		r := s.Customer("ada", "c"+scene.JSON(i))
		if slices.Compare(last[:], r.ID[:]) >= 0 || r.ID.Version() != 7 || r.ID.Variant() != uuid.RFC4122 {
			t.Errorf("%v after %v", r.ID, last)
		}
		last = r.ID
	}
	before := s.ToTomas("1")
	var mu sync.Mutex
	ids, sales, commissions := map[uuid.UUID]bool{}, map[affiliate.SaleID]bool{}, map[affiliate.CommissionID]bool{}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 10 {
				res := scene.Must(s.RecordSale(context.Background(), affiliate.SaleParams{
					ReferralID: "ada", Email: "w" + scene.JSON(worker) + "-" + scene.JSON(i) + "@example.net", Name: "n", TotalEarned: scene.Sum("1"),
				}))
				sale, _ := res.Sale.Get()
				mu.Lock()
				ids[sale.ReferralID.Or(uuid.Nil)], sales[sale.ID], commissions[sale.Commissions[0].ID] = true, true, true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(ids) != 80 || len(sales) != 80 || len(commissions) != 80 || sales[before.ID] {
		t.Errorf("%d ids, %d sales, %d commissions", len(ids), len(sales), len(commissions))
	}
	scene.Must(0, s.DeleteSale(t.Context(), before.ID))
	if next := s.ToTomas("1"); sales[next.ID] || next.ID == before.ID {
		t.Errorf("sale id %d was given out twice", next.ID)
	}
	s.Verifies()
}

// When the random bits of an id are full, the milliseconds rise, and the
// version stays.
func TestIDsCarry(t *testing.T) {
	s := scene.New(t, func(c *tributary.Config) { c.Rand = endless(0xff) })
	var last uuid.UUID
	for i := range 300 {
		a := scene.Must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "a", LastName: "b", Email: "a" + scene.JSON(i) + "@example.com"}))
		if slices.Compare(last[:], a.ID[:]) >= 0 || a.ID.Version() != 7 || a.ID.Variant() != uuid.RFC4122 {
			t.Fatalf("%v after %v", a.ID, last)
		}
		last = a.ID
	}
}
