package affiliate_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// limited is a world with small limits.
func limited(t *testing.T) *world {
	return newWorld(t, func(c *affiliate.Config) { c.Limits = affiliate.Limits{Links: 3, Refunds: 2} })
}

// TestLimitsConfig: a limit below zero is refused, and zero is the default.
func TestLimitsConfig(t *testing.T) {
	for _, l := range []affiliate.Limits{{Links: -1}, {Refunds: -1}} {
		if _, err := affiliate.New(memstore.New(), affiliate.Config{Limits: l}); err == nil || err.Error() != "affiliate: Config.Limits must not be negative" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	equal(t, affiliate.Limits{Links: 1000, Refunds: 1000}, newWorld(t).Config().Limits)
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
