package affiliate_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// limited is a world with small limits.
func limited(t *testing.T) *world {
	return newWorld(t, func(c *tributary.Config) { c.Limits = affiliate.Limits{Links: 3, Refunds: 2, Bulk: 2} })
}

// TestLimitsConfig: a limit below zero is refused, and zero is the default.
func TestLimitsConfig(t *testing.T) {
	for _, l := range []affiliate.Limits{{Links: -1}, {Refunds: -1}, {Bulk: -1}} {
		if _, err := tributary.New(memstore.New(), tributary.Config{Limits: l}); err == nil || err.Error() != "affiliate: Config.Limits must not be negative" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	_, err := tributary.New(memstore.New(), tributary.Config{Limits: affiliate.Limits{Bulk: 100_001}})
	if err == nil || err.Error() != "affiliate: Config.Limits.Bulk must not be above 100000" {
		t.Errorf("a bulk above the most: %v", err)
	}
	equal(t, affiliate.Limits{Links: 1000, Refunds: 1000, Bulk: 100_000}, newWorld(t).Config().Limits)
}

// TestLinkLimit: an affiliate gets as many links as the limit, in every way, and
// one that is deleted makes room. A repeat at the limit is the first answer.
func TestLinkLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	a, b := w.join("a"), w.join("b")
	w.addLink(a.ID, "a2")
	last := affiliate.NewLink{Link: "a3", AffiliateID: a.ID}
	last.Key = "k"
	first := must(w.CreateLink(ctx, last))
	full := stateError(affiliate.LinkLimitReached, "", "Affiliate has as many links as the program allows")
	w.refused(full, func() error { return errOf(w.CreateLink(ctx, affiliate.NewLink{Link: "a4", AffiliateID: a.ID})) })
	w.refused(full, func() error {
		return errOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("a4")}))
	})
	equal(t, first, must(w.CreateLink(ctx, last)))
	w.addLink(b.ID, "b2")
	must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "a2"}))
	w.addLink(a.ID, "a4")
	w.verify()
}

// TestLinkLimitConcurrently: the limit holds at any concurrency.
func TestLinkLimitConcurrently(t *testing.T) {
	w := limited(t)
	a := w.join("a")
	var made atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := w.CreateLink(t.Context(), affiliate.NewLink{Link: fmt.Sprint("x", i), AffiliateID: a.ID})
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, affiliate.LinkLimitReached) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, int64(2), made.Load())
	w.verify()
}

// TestRefundLimit: a sale takes as many partial refunds as the limit, a repeat at
// it changes nothing, and the rest can always be refunded.
func TestRefundLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	w.join("a")
	w.refer("a", "kim@b.co")
	sale := w.sale("kim@b.co", "100")
	refund := func(id, some string) (affiliate.RefundResult, error) {
		return w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, RefundID: id, Amount: affiliate.Set(affiliate.MustAmount(some))})
	}
	must(refund("1", "10"))
	must(refund("2", "10"))
	w.refused(stateError(affiliate.RefundLimitReached, "", "Sale has as many partial refunds as the program allows"), func() error {
		return errOf(refund("3", "10"))
	})
	if got := must(refund("2", "10")); !got.AlreadyRefunded {
		t.Errorf("a repeat: %+v", got)
	}
	equal(t, affiliate.RefundedInFull, must(refund("4", "80")).Reason)
	w.verify()
}

// TestBulkLimit: each call that takes many takes as many as the limit, and one
// more changes nothing. Repeated ids count once where the call says so.
func TestBulkLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	a, b, c := w.join("a").ID, w.join("b").ID, w.join("c").ID
	var customers []uuid.UUID
	var sales []affiliate.SaleID
	for i := range 3 {
		email := fmt.Sprintf("kim-%d@b.co", i)
		customers = append(customers, w.refer("a", email).ID)
		sales = append(sales, w.sale(email, "10").ID)
	}
	coupon := must(w.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Ten", PercentOff: percent("10")}))
	codes := func(count int, of ...uuid.UUID) error {
		return errOf(w.GenerateCodes(ctx, affiliate.NewCodes{Count: count, AffiliateIDs: of, NewCode: affiliate.NewCode{
			CouponID: coupon.ID, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](9),
		}}))
	}
	row := affiliate.ImportedReferral{NewReferral: affiliate.NewReferral{AffiliateID: "a", Name: "Old", Email: "old@b.co"}}
	for name, call := range map[string]struct{ fits, over func() error }{
		"GenerateCodes":     {func() error { return codes(2, a) }, func() error { return codes(3, a) }},
		"GenerateCodesMany": {func() error { return codes(1, a, b) }, func() error { return codes(1, a, b, c) }},
		"Ban":               {func() error { return errOf(w.BanAffiliates(ctx, a, b, a)) }, func() error { return errOf(w.BanAffiliates(ctx, a, b, c)) }},
		"TierExempt":        {func() error { return errOf(w.SetTierExempt(ctx, true, a, b)) }, func() error { return errOf(w.SetTierExempt(ctx, true, a, b, c)) }},
		"ReferralPlan": {
			func() error { return errOf(w.SetReferralPlan(ctx, uuid.Nil, customers[:2]...)) },
			func() error { return errOf(w.SetReferralPlan(ctx, uuid.Nil, customers...)) },
		},
		"Review": {
			func() error { return errOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales[:2]...)) },
			func() error { return errOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales...)) },
		},
		"Import": {
			func() error { return errOf(w.ImportReferrals(ctx, []affiliate.ImportedReferral{row, row})) },
			func() error { return errOf(w.ImportReferrals(ctx, []affiliate.ImportedReferral{row, row, row})) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.BulkLimitExceeded, Message: "The call is for more objects than the program allows at once"}, call.over)
			if err := call.fits(); err != nil {
				t.Error(err)
			}
		})
	}
	w.verify()
}
