package affiliate_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// When the clock goes back, no time of a record goes back (I54): updatedAt
// stays.
func TestClockGoesBack(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	hook := s.hook(affiliate.EventTypes()...)
	plan := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "p"}))
	tier := must(s.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "t", ConditionType: affiliate.ConditionAll}))
	sale, paid := s.toTomas("100"), s.sell(affiliate.NewSale{Email: s.bea.Email})
	payout := must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.bob.ID}))
	pending := must(s.InviteAffiliate(ctx, affiliate.NewAffiliate{FirstName: "I", LastName: "N", Email: "i@example.com"}))
	s.pass(-time.Hour)
	for name, call := range map[string]func() error{
		"sale": func() error {
			_, err := s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: amount("50")})
			return err
		},
		"by hand": func() error {
			_, err := s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: amount("1")})
			return err
		},
		"refund": func() error {
			_, err := s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: amount("1")})
			return err
		},
		"review": func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID); return err },
		"payout": func() error { _, err := s.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid); return err },
		"referral": func() error {
			_, err := s.UpdateReferral(ctx, s.tomas.Email, affiliate.ReferralUpdate{Name: textOf("n")})
			return err
		},
		"erase": func() error { return s.EraseReferral(ctx, s.bea.Email) },
		"affiliate": func() error {
			_, err := s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.bob.ID}, affiliate.AffiliateUpdate{FirstName: textOf("B")})
			return err
		},
		"ban":    func() error { _, err := s.BanAffiliates(ctx, s.bob.ID); return err },
		"accept": func() error { _, err := s.AcceptInvite(ctx, pending.ID, affiliate.AffiliateUpdate{}); return err },
		"new link": func() error {
			_, err := s.CreateLink(ctx, affiliate.NewLink{Link: "n", AffiliateID: s.bob.ID})
			return err
		},
		"rename": func() error { _, err := s.RenameLink(ctx, affiliate.LinkRef{Slug: "bob"}, "bobby"); return err },
		"coupon": func() error {
			_, err := s.UpdateCoupon(ctx, s.coupon.ID, affiliate.CouponUpdate{Name: textOf("n")})
			return err
		},
		"code": func() error {
			_, err := s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			return err
		},
		"plan": func() error {
			_, err := s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: textOf("n")})
			return err
		},
		"tier": func() error {
			_, err := s.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: textOf("n")})
			return err
		},
		"tiers": func() error { _, err := s.AssignTiers(ctx); return err },
		"endpoint": func() error {
			_, err := s.UpdateEndpoint(ctx, hook.ID, affiliate.EndpointUpdate{Description: textOf("n")})
			return err
		},
		"rotation": func() error { _, err := s.RotateSecret(ctx, affiliate.Rotation{WebhookID: hook.ID}); return err },
		"hold":     func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sale.ID); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Verify(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(s.DeleteEndpoint(ctx, hook.ID))
	must(0, s.EraseAffiliate(ctx, s.ada.affiliate.ID))
	must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID}))
	if got := must(s.Sale(ctx, paid.ID)); !got.UpdatedAt.Equal(paid.UpdatedAt) {
		t.Errorf("updatedAt went from %v to %v", paid.UpdatedAt, got.UpdatedAt)
	}
	s.verify()
}

// Ids are unique and rise whatever the clock does, and so do the integer ids of
// each kind.
func TestIDsRise(t *testing.T) {
	s := newSaleShop(t)
	var last uuid.UUID
	for i, back := range []time.Duration{0, 0, -time.Hour, time.Millisecond, 2 * time.Hour, -time.Microsecond, 0} {
		s.pass(back)
		r := s.customer("ada", "c"+jsonOf(i))
		if slices.Compare(last[:], r.ID[:]) >= 0 || r.ID.Version() != 7 || r.ID.Variant() != uuid.RFC4122 {
			t.Errorf("%v after %v", r.ID, last)
		}
		last = r.ID
	}
	before := s.toTomas("1")
	var mu sync.Mutex
	ids, sales, commissions := map[uuid.UUID]bool{}, map[affiliate.SaleID]bool{}, map[affiliate.CommissionID]bool{}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 10 {
				res := must(s.RecordSale(context.Background(), affiliate.NewSale{
					ReferralID: "ada", Email: "w" + jsonOf(worker) + "-" + jsonOf(i) + "@example.net", Name: "n", TotalEarned: sum("1"),
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
	must(0, s.DeleteSale(t.Context(), before.ID))
	if next := s.toTomas("1"); sales[next.ID] || next.ID == before.ID {
		t.Errorf("sale id %d was given out twice", next.ID)
	}
	s.verify()
}

// When the random bits of an id are full, the milliseconds rise, and the
// version stays.
func TestIDsCarry(t *testing.T) {
	s := newWorld(t, func(c *tributary.Config) { c.Rand = endless(0xff) })
	var last uuid.UUID
	for i := range 300 {
		a := must(s.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "a", LastName: "b", Email: "a" + jsonOf(i) + "@example.com"}))
		if slices.Compare(last[:], a.ID[:]) >= 0 || a.ID.Version() != 7 || a.ID.Variant() != uuid.RFC4122 {
			t.Fatalf("%v after %v", a.ID, last)
		}
		last = a.ID
	}
}
