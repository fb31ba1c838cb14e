package reading_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestAttention (console.md, checks 13 and 20): what waits is listed, and is gone
// when somebody has dealt with it.
func TestAttention(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	if got := scene.Must(s.Attention(ctx, 0)); !got.Empty() || got.HeldSales.Items == nil {
		t.Fatalf("nothing waits yet: %+v", got)
	}

	join := affiliate.NewAffiliate{FirstName: "Nia", LastName: "New", Email: "nia@example.com", AffiliateStatus: "inactive"}
	nia := scene.Must(s.CreateAffiliate(ctx, join))
	held := s.ToTomas("100")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.ToTomas("50")
	paid := scene.Must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: held.AffiliateID}))
	scene.Must(s.FailPayout(ctx, paid.ID, "closed account"))

	got := scene.Must(s.Attention(ctx, 0))
	want := affiliate.Attention{
		PendingAffiliates: affiliate.Waiting[affiliate.PendingAffiliate]{Count: 1, Items: []affiliate.PendingAffiliate{{ID: nia.ID, Name: "Nia New"}}},
		HeldSales: affiliate.Waiting[affiliate.HeldSale]{Count: 1, Items: []affiliate.HeldSale{{
			ID: held.ID, AffiliateID: held.AffiliateID, CommissionEarned: scene.Sum("20"), HoldReason: affiliate.Set(affiliate.HoldProgramSettings),
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

	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateActive, nia.ID))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, held.ID))
	scene.Must(s.CancelPayout(ctx, paid.ID))
	if got := scene.Must(s.Attention(ctx, 0)); !got.Empty() {
		t.Errorf("all was dealt with: %+v", got)
	}
}

// TestAttentionOfWebhooks: an endpoint that fails waits until it works again or
// somebody disables it, and a delivery that failed until it is sent again or two
// weeks have passed.
func TestAttentionOfWebhooks(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ctx := t.Context()
		ep := w.Hook()
		waits := func(failing, failed int) affiliate.Attention {
			t.Helper()
			got := scene.Must(w.Attention(ctx, 0))
			if got.FailingWebhooks.Count != failing || got.FailedDeliveries.Count != failed {
				t.Fatalf("want %d failing and %d failed: %+v", failing, failed, got)
			}
			return got
		}
		w.Crowd(1)
		waits(0, 0)
		began := affiliate.TimeOf(w.Now)
		c := w.ClaimOne()
		w.Settle(500, c)
		want := affiliate.FailingWebhook{
			ID: ep.ID, URL: ep.URL, Status: affiliate.EndpointEnabled, FirstFailureAt: affiliate.Set(began),
			DisabledReason: affiliate.Null[affiliate.DisabledReason](),
		}
		if got := waits(1, 0).FailingWebhooks.Items[0]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.Pass(time.Hour)
		w.Settle(500, w.ClaimOne()) // the last attempt of the schedule
		d := w.ReadDelivery(c.Delivery)
		if got, want := waits(1, 1).FailedDeliveries.Items[0], (affiliate.FailedDelivery{ID: d.ID, WebhookID: ep.ID, Event: "affiliate.created", CreatedAt: d.CreatedAt}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		scene.Must(w.Replay(ctx, affiliate.ReplayRange{DeliveryID: d.ID}))
		waits(1, 0)
		w.Settle(200, w.ClaimOne())
		waits(0, 0)

		w.Crowd(1)
		w.Settle(410, w.ClaimOne())
		if got := waits(1, 0).FailingWebhooks.Items[0]; got.DisabledReason != affiliate.Set(affiliate.DisabledGone) || got.Status != affiliate.EndpointDisabled {
			t.Errorf("%+v", got)
		}
		scene.Must(w.UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)}))
		waits(0, 0)
		w.Crowd(1)
		w.Settle(500, w.ClaimOne())
		w.Pass(time.Hour)
		w.Settle(500, w.ClaimOne())
		waits(1, 1)
		scene.Must(w.UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})) // by hand: somebody knows
		waits(0, 1)
		w.Pass(14*24*time.Hour - 2*time.Hour)
		waits(0, 1)
		w.Pass(2 * time.Hour)
		waits(0, 0)
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Minute} })
}

// TestAttentionCounts: a list counts to a hundred and shows the newest.
func TestAttentionCounts(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	var ids []affiliate.SaleID
	for range 101 {
		ids = append(ids, s.ToTomas("1").ID)
	}
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, ids[:100]...))
	for _, tt := range []struct{ n, shown int }{{0, 5}, {1, 1}, {20, 20}} {
		got := scene.Must(s.Attention(ctx, tt.n)).HeldSales
		if got.Count != 100 || got.More || len(got.Items) != tt.shown || got.Items[0].ID != ids[99] {
			t.Errorf("%d: %d of %d, more %v, first %v", tt.n, len(got.Items), got.Count, got.More, got.Items[0].ID)
		}
	}
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, ids[100]))
	if got := scene.Must(s.Attention(ctx, 1)).HeldSales; got.Count != 100 || !got.More || got.Items[0].ID != ids[100] {
		t.Errorf("%+v", got)
	}
	for _, n := range []int{-1, 21} {
		if _, err := s.Attention(ctx, n); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
