package affiliate_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// TestAttention (console.md, checks 13 and 20): what waits is listed, and is gone
// when somebody has dealt with it.
func TestAttention(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	if got := must(s.Attention(ctx, 0)); !got.Empty() || got.HeldSales.Items == nil {
		t.Fatalf("nothing waits yet: %+v", got)
	}

	join := affiliate.NewAffiliate{FirstName: "Nia", LastName: "New", Email: "nia@example.com", AffiliateStatus: "inactive"}
	nia := must(s.CreateAffiliate(ctx, join))
	held := s.toTomas("100")
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.toTomas("50")
	paid := must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: held.AffiliateID}))
	must(s.FailPayout(ctx, paid.ID, "closed account"))

	got := must(s.Attention(ctx, 0))
	want := affiliate.Attention{
		PendingAffiliates: affiliate.Waiting[affiliate.PendingAffiliate]{Count: 1, Items: []affiliate.PendingAffiliate{{ID: nia.ID, Name: "Nia New"}}},
		HeldSales: affiliate.Waiting[affiliate.HeldSale]{Count: 1, Items: []affiliate.HeldSale{{
			ID: held.ID, AffiliateID: held.AffiliateID, CommissionEarned: sum("20"), HoldReason: affiliate.Set(affiliate.HoldProgramSettings),
		}}},
		FailingWebhooks:  affiliate.Waiting[affiliate.FailingWebhook]{Items: []affiliate.FailingWebhook{}},
		FailedDeliveries: affiliate.Waiting[affiliate.FailedDelivery]{Items: []affiliate.FailedDelivery{}},
		FailedPayouts: affiliate.Waiting[affiliate.FailedPayout]{Count: 1, Items: []affiliate.FailedPayout{{
			ID: paid.ID, AffiliateID: held.AffiliateID, Amount: paid.Amount, FailedReason: affiliate.Set("closed account"),
		}}},
		PaymentConflicts: affiliate.Waiting[affiliate.ConflictPayment]{Items: []affiliate.ConflictPayment{}},
		OldestPaymentAt:  affiliate.Null[affiliate.Time](),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	must(s.ApproveAffiliates(ctx, nia.ID))
	must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, held.ID))
	must(s.CancelPayout(ctx, paid.ID))
	if got := must(s.Attention(ctx, 0)); !got.Empty() {
		t.Errorf("all was dealt with: %+v", got)
	}
}

// TestAttentionOfWebhooks: an endpoint that fails waits until it works again or
// somebody disables it, and a delivery that failed until it is sent again or two
// weeks have passed.
func TestAttentionOfWebhooks(t *testing.T) {
	onStores(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ep := w.hook()
		waits := func(failing, failed int) affiliate.Attention {
			t.Helper()
			got := must(w.Attention(ctx, 0))
			if got.FailingWebhooks.Count != failing || got.FailedDeliveries.Count != failed {
				t.Fatalf("want %d failing and %d failed: %+v", failing, failed, got)
			}
			return got
		}
		w.crowd(1)
		waits(0, 0)
		began := affiliate.TimeOf(w.now)
		c := w.claimOne()
		w.settle(500, c)
		want := affiliate.FailingWebhook{
			ID: ep.ID, URL: ep.URL, Status: affiliate.EndpointEnabled, FirstFailureAt: affiliate.Set(began),
			DisabledReason: affiliate.Null[affiliate.DisabledReason](),
		}
		if got := waits(1, 0).FailingWebhooks.Items[0]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.pass(time.Hour)
		w.settle(500, w.claimOne()) // the last attempt of the schedule
		d := w.delivery(c.Delivery)
		if got, want := waits(1, 1).FailedDeliveries.Items[0], (affiliate.FailedDelivery{ID: d.ID, WebhookID: ep.ID, Event: "affiliate.created", CreatedAt: d.CreatedAt}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		must(w.Replay(ctx, affiliate.ReplayRange{DeliveryID: d.ID}))
		waits(1, 0)
		w.settle(200, w.claimOne())
		waits(0, 0)

		w.crowd(1)
		w.settle(410, w.claimOne())
		if got := waits(1, 0).FailingWebhooks.Items[0]; got.DisabledReason != affiliate.Set(affiliate.DisabledGone) || got.Status != affiliate.EndpointDisabled {
			t.Errorf("%+v", got)
		}
		must(w.UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)}))
		waits(0, 0)
		w.crowd(1)
		w.settle(500, w.claimOne())
		w.pass(time.Hour)
		w.settle(500, w.claimOne())
		waits(1, 1)
		must(w.UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})) // by hand: somebody knows
		waits(0, 1)
		w.pass(14*24*time.Hour - 2*time.Hour)
		waits(0, 1)
		w.pass(2 * time.Hour)
		waits(0, 0)
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Minute} })
}

// TestAttentionCounts: a list counts to a hundred and shows the newest.
func TestAttentionCounts(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	var ids []affiliate.SaleID
	for range 101 {
		ids = append(ids, s.toTomas("1").ID)
	}
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, ids[:100]...))
	for _, tt := range []struct{ n, shown int }{{0, 5}, {1, 1}, {20, 20}} {
		got := must(s.Attention(ctx, tt.n)).HeldSales
		if got.Count != 100 || got.More || len(got.Items) != tt.shown || got.Items[0].ID != ids[99] {
			t.Errorf("%d: %d of %d, more %v, first %v", tt.n, len(got.Items), got.Count, got.More, got.Items[0].ID)
		}
	}
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, ids[100]))
	if got := must(s.Attention(ctx, 1)).HeldSales; got.Count != 100 || !got.More || got.Items[0].ID != ids[100] {
		t.Errorf("%+v", got)
	}
	for _, n := range []int{-1, 21} {
		if _, err := s.Attention(ctx, n); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
