package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// limited is a world with small limits.
func limited(t *testing.T) *scene.World {
	return scene.New(t, func(c *tributary.Config) { c.Limits = affiliate.Limits{Links: 3, Refunds: 2, Bulk: 2} })
}

// TestLimitsConfig: a limit below zero is refused, and zero is the default.
func TestLimitsConfig(t *testing.T) {
	for _, l := range []affiliate.Limits{{Links: -1}, {Refunds: -1}, {Bulk: -1}, {Holds: -1}, {Nobody: -1}} {
		if _, err := tributary.New(memstore.New(), tributary.Config{Limits: l}); err == nil || err.Error() != "affiliate: Config.Limits must not be negative" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	_, err := tributary.New(memstore.New(), tributary.Config{Limits: affiliate.Limits{Bulk: 100_001}})
	if err == nil || err.Error() != "affiliate: Config.Limits.Bulk must not be above 100000" {
		t.Errorf("a bulk above the most: %v", err)
	}
	scene.Equal(t, affiliate.Limits{Links: 1000, Refunds: 1000, Holds: 5, Nobody: 100, Bulk: 100_000}, scene.New(t).Config().Limits)
}

// TestLinkLimit: an affiliate gets as many links as the limit, in every way, and
// one that is deleted makes room. A repeat at the limit is the first answer.
func TestLinkLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	a, b := w.Join("a"), w.Join("b")
	w.AddLink(a.ID, "a2")
	last := affiliate.LinkParams{Link: "a3", AffiliateID: a.ID}
	last.Key = "k"
	first := scene.Must(w.CreateLink(ctx, last))
	full := scene.StateError(affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows")
	w.Refused(full, func() error {
		return scene.ErrOf(w.CreateLink(ctx, affiliate.LinkParams{Link: "a4", AffiliateID: a.ID}))
	})
	w.Refused(full, func() error {
		return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("a4")}))
	})
	scene.Equal(t, first, scene.Must(w.CreateLink(ctx, last)))
	w.AddLink(b.ID, "b2")
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "a2"}))
	w.AddLink(a.ID, "a4")
	w.Verifies()
}

// TestLinkLimitConcurrently: the limit holds at any concurrency.
func TestLinkLimitConcurrently(t *testing.T) {
	w := limited(t)
	a := w.Join("a")
	var made atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := w.CreateLink(t.Context(), affiliate.LinkParams{Link: fmt.Sprint("x", i), AffiliateID: a.ID})
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, affiliate.LinkLimitReached) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	scene.Equal(t, int64(2), made.Load())
	w.Verifies()
}

// TestRefundLimit: a sale takes as many partial refunds as the limit, a repeat at
// it changes nothing, and the rest can always be refunded.
func TestRefundLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	w.Join("a")
	w.Refer("a", "kim@b.co")
	sale := w.SellTo("kim@b.co", "100")
	refund := func(id, some string) (affiliate.RefundResult, error) {
		return w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, RefundID: id, Amount: affiliate.Set(affiliate.MustAmount(some))})
	}
	scene.Must(refund("1", "10"))
	scene.Must(refund("2", "10"))
	w.Refused(scene.StateError(affiliate.RefundLimitReached, "", "Sale has as many partial refunds as the program allows"), func() error {
		return scene.ErrOf(refund("3", "10"))
	})
	if got := scene.Must(refund("2", "10")); !got.AlreadyRefunded {
		t.Errorf("a repeat: %+v", got)
	}
	scene.Equal(t, affiliate.RefundedInFull, scene.Must(refund("4", "80")).Reason)
	w.Verifies()
}

// TestBulkLimit: each call that takes many takes as many as the limit, and one
// more changes nothing. Repeated ids count once where the call says so.
func TestBulkLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	a, b, c := w.Join("a").ID, w.Join("b").ID, w.Join("c").ID
	var customers []uuid.UUID
	var sales []affiliate.SaleID
	for i := range 3 {
		email := fmt.Sprintf("kim-%d@b.co", i)
		customers = append(customers, w.Refer("a", email).ID)
		sales = append(sales, w.SellTo(email, "10").ID)
	}
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Ten", PercentOff: scene.Percent("10")}))
	codes := func(count int, of ...uuid.UUID) error {
		return scene.ErrOf(w.GenerateCodes(ctx, affiliate.CodesParams{Count: count, AffiliateIDs: of, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](9),
		}}))
	}
	row := imported.Referral{ReferralParams: affiliate.ReferralParams{AffiliateID: "a", Name: "Old", Email: "old@b.co"}}
	for name, call := range map[string]struct{ fits, over func() error }{
		"GenerateCodes":     {func() error { return codes(2, a) }, func() error { return codes(3, a) }},
		"GenerateCodesMany": {func() error { return codes(1, a, b) }, func() error { return codes(1, a, b, c) }},
		"Ban":               {func() error { return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a, b, a)) }, func() error { return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a, b, c)) }},
		"TierExempt":        {func() error { return scene.ErrOf(w.SetTierExempt(ctx, true, a, b)) }, func() error { return scene.ErrOf(w.SetTierExempt(ctx, true, a, b, c)) }},
		"ReferralPlan": {
			func() error { return scene.ErrOf(w.SetReferralPlan(ctx, uuid.Nil, customers[:2]...)) },
			func() error { return scene.ErrOf(w.SetReferralPlan(ctx, uuid.Nil, customers...)) },
		},
		"Review": {
			func() error { return scene.ErrOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales[:2]...)) },
			func() error { return scene.ErrOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales...)) },
		},
		"Import": {
			func() error { return scene.ErrOf(w.Imports().Referrals(ctx, []imported.Referral{row, row})) },
			func() error { return scene.ErrOf(w.Imports().Referrals(ctx, []imported.Referral{row, row, row})) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.BulkLimitExceeded, Message: "The call is for more objects than the program allows at once"}, call.over)
			if err := call.fits(); err != nil {
				t.Error(err)
			}
		})
	}
	w.Verifies()
}
