package reading_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	diffs "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestAttention (console checks 13 and 20): what waits is listed, and is gone
// when somebody has dealt with it.
func TestAttention(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	if got := scene.Must(s.Attention(ctx, 0)); !got.Empty() || got.HeldSales.Items == nil {
		t.Fatalf("nothing waits yet: %+v", got)
	}

	join := affiliate.AffiliateParams{FirstName: "Nia", LastName: "New", Email: "nia@example.com", AffiliateStatus: "inactive"}
	nia := scene.Must(s.CreateAffiliate(ctx, join))
	held := s.ToTomas("100")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.ToTomas("50")
	paid := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: held.AffiliateID}))
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
	scene.Equal(t, "", diffs.Diff(want, got))

	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateActive, nia.ID))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, held.ID))
	scene.Must(s.SetPayoutStatus(ctx, paid.ID, affiliate.PayoutCanceled))
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
		scene.Equal(t, want, waits(1, 0).FailingWebhooks.Items[0])
		w.Pass(time.Hour)
		w.Settle(500, w.ClaimOne()) // the last attempt of the schedule
		d := w.ReadDelivery(c.Delivery)
		if got, want := waits(1, 1).FailedDeliveries.Items[0], (affiliate.FailedDelivery{ID: d.ID, WebhookID: ep.ID, Event: "affiliate.created", CreatedAt: d.CreatedAt}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		scene.Must(w.Webhooks().Replay(ctx, affiliate.ReplayRange{DeliveryID: d.ID}))
		waits(1, 0)
		w.Settle(200, w.ClaimOne())
		waits(0, 0)

		w.Crowd(1)
		w.Settle(410, w.ClaimOne())
		if got := waits(1, 0).FailingWebhooks.Items[0]; got.DisabledReason != affiliate.Set(affiliate.DisabledGone) || got.Status != affiliate.EndpointDisabled {
			t.Errorf("%+v", got)
		}
		scene.Must(w.Webhooks().UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(true)}))
		waits(0, 0)
		w.Crowd(1)
		w.Settle(500, w.ClaimOne())
		w.Pass(time.Hour)
		w.Settle(500, w.ClaimOne())
		waits(1, 1)
		scene.Must(w.Webhooks().UpdateEndpoint(ctx, ep.ID, affiliate.EndpointUpdate{Active: affiliate.Set(false)})) // by hand: somebody knows
		waits(0, 1)
		w.Pass(14*24*time.Hour - 2*time.Hour)
		waits(0, 1)
		w.Pass(2 * time.Hour)
		waits(0, 0)
	}, func(c *tributary.Config) { c.Schedule = []time.Duration{0, time.Minute} })
}

// TestAttentionCounts: a list counts to a hundred and shows the newest.
// A budget of everybody waits while little of it is left, by the terms in force and in its present
// period; those that an affiliate has whole do not wait.
func TestAttentionBudgets(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	limits := func(month, ever string) {
		t.Helper()
		budgets := []affiliate.Budget{
			{Of: affiliate.BudgetOfAll, Per: affiliate.IntervalMonth, MaxCommission: affiliate.MustAmount(month)},
			{Of: affiliate.BudgetOfAffiliate, MaxCommission: affiliate.MustAmount("50")},
			{Of: affiliate.BudgetOfAll, MaxCommission: affiliate.MustAmount(ever)},
		}
		scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("10"), Budgets: affiliate.Set(budgets)}))
	}
	waits := func() (said []string) {
		t.Helper()
		a := scene.Must(s.Attention(ctx, 0))
		for _, use := range a.Budgets.Items {
			said = append(said, fmt.Sprintf("%s %v of %v %s", use.Per, use.Commission, use.MaxCommission, use.Status))
		}
		scene.Equal(t, []any{len(said), len(said) == 0}, []any{a.Budgets.Count, a.Empty()})
		return said
	}
	limits("62", "500")
	s.ToTomas("490")
	scene.Equal(t, 0, len(waits()))
	s.ToTomas("50")
	s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String()})
	scene.Equal(t, []string{"month 60 of 62 LOW"}, waits())
	limits("60", "70")
	scene.Equal(t, []string{"month 60 of 60 SPENT", " 60 of 70 LOW"}, waits())
	s.Now = s.Now.AddDate(0, 1, 0)
	scene.Equal(t, []string{" 60 of 70 LOW"}, waits())
	limits("60", "90")
	scene.Equal(t, 0, len(waits()))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), Budgets: []affiliate.Budget{{Of: affiliate.BudgetOfAll, MaxRewards: 1}}}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Bob.ID))
	s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String()})
	scene.Equal(t, []string{" 10 of 0 SPENT"}, waits())
}

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

// TestAttentionOverdrawn: a sale that was paid after its hold had lapsed, when the place was gone, waits until
// somebody accepts it, and its explanation goes on to say it. So does an order of a house code without a sale.
func TestAttentionOverdrawn(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t, func(c *tributary.Config) { c.HouseCodes = true })
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Last one", PercentOff: scene.Percent("10")}))
	code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LAST1", AffiliateID: s.Bob.ID, MaxRedemptions: affiliate.Set[int64](1)}))
	house := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "HOUSE1", MaxRedemptions: affiliate.Set[int64](1)}))
	for _, c := range []affiliate.Code{code, house} {
		scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "cart-" + c.Code, Order: affiliate.Order{PromoCode: c.Code, Subtotal: scene.Amount("50")}, Until: s.Now.Add(time.Hour)}))
	}
	s.Pass(2 * time.Hour)
	sold := func(in affiliate.SaleParams) affiliate.Sale {
		return scene.Must(s.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})
	}
	in := sold(affiliate.SaleParams{PromoCode: "LAST1", TotalEarned: affiliate.MustAmount("9")})
	sold(affiliate.SaleParams{PromoCode: "HOUSE1", TotalEarned: affiliate.MustAmount("9"), ExternalID: "first"})
	if got := scene.Must(s.Attention(ctx, 0)); !got.Empty() || got.Overdrawn.Items != nil {
		t.Fatalf("nothing waits yet: %+v", got.Overdrawn)
	}
	late := sold(affiliate.SaleParams{HoldID: "cart-LAST1", Email: "nia@example.net", Name: "Nia", TotalEarned: affiliate.MustAmount("45"), ExternalID: "order-late"})
	at := affiliate.TimeOf(s.Now)
	s.Pass(time.Second)
	if out := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{HoldID: "cart-HOUSE1", TotalEarned: affiliate.MustAmount("45"), ExternalID: "order-house"})).Outcome; out != affiliate.SaleRedeemed {
		t.Fatalf("%s", out)
	}
	want := []affiliate.OverdrawnRedemption{{
		SaleID: affiliate.Null[affiliate.SaleID](), ExternalID: affiliate.Set("order-house"), PromotionalCode: affiliate.Set(affiliate.CodeName{ID: house.ID, Code: "HOUSE1"}),
		CouponID: coupon.ID, HoldID: "cart-HOUSE1", Email: affiliate.Null[string](), Discount: scene.Sum("5"), CreatedAt: affiliate.TimeOf(s.Now),
	}, {
		SaleID: affiliate.Set(late.ID), ExternalID: affiliate.Set("order-late"), PromotionalCode: affiliate.Set(affiliate.CodeName{ID: code.ID, Code: "LAST1"}),
		CouponID: coupon.ID, HoldID: "cart-LAST1", Email: affiliate.Set("nia@example.net"), Discount: scene.Sum("5"), CreatedAt: at,
	}}
	slices.SortFunc(want, func(a, b affiliate.OverdrawnRedemption) int { return cmp.Compare(a.HoldID, b.HoldID) })
	got := scene.Must(s.Attention(ctx, 0)).Overdrawn
	slices.SortFunc(got.Items, func(a, b affiliate.OverdrawnRedemption) int { return cmp.Compare(a.HoldID, b.HoldID) })
	scene.Equal(t, affiliate.Waiting[affiliate.OverdrawnRedemption]{Count: 2, Items: want}, got)

	explained := affiliate.ExplainedRedemption{
		Discount: scene.Sum("5"), HoldID: affiliate.Set("cart-LAST1"), Over: true, SeenAt: affiliate.Null[affiliate.Time](), RestoredAt: affiliate.Null[affiliate.Time](),
	}
	scene.Equal(t, affiliate.Set(explained), scene.Must(s.ExplainSale(ctx, late.ID)).Redemption)
	if e := scene.Must(s.ExplainSale(ctx, in.ID)); !e.Redemption.IsZero() {
		t.Errorf("a sale without a hold says %+v", e.Redemption)
	}
	s.Fires(func() error { return s.AcceptRedemption(ctx, affiliate.SaleRef{ID: late.ID}) })
	seen := affiliate.TimeOf(s.Now)
	s.Pass(time.Hour)
	for _, again := range []affiliate.SaleRef{{ID: late.ID}, {ID: in.ID}, {ExternalID: "order-house"}} {
		s.Fires(func() error { return s.AcceptRedemption(ctx, again) })
	}
	s.Refused(scene.MissingError(affiliate.RedemptionNotFound, "Redemption not found"), func() error { return s.AcceptRedemption(ctx, affiliate.SaleRef{ID: 999}) })
	s.Refused(scene.FieldError(affiliate.MissingField, "saleId", "Sale ID is required"), func() error { return s.AcceptRedemption(ctx, affiliate.SaleRef{}) })
	if got := scene.Must(s.Attention(ctx, 0)); !got.Empty() {
		t.Errorf("all was seen: %+v", got)
	}
	explained.SeenAt = affiliate.Set(seen)
	scene.Equal(t, affiliate.Set(explained), scene.Must(s.ExplainSale(ctx, late.ID)).Redemption)
	scene.Equal(t, 2, scene.Must(s.Code(ctx, affiliate.CodeRef{ID: code.ID})).TimesRedeemed)
	s.Verifies()
}

// TestAttentionOverdrawnGone: a redemption that was given back waits for nobody, and one whose sale and code were
// deleted still does.
func TestAttentionOverdrawnGone(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	coupon := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Last one", PercentOff: scene.Percent("10")}))
	code := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "LAST1", AffiliateID: s.Bob.ID, MaxRedemptions: affiliate.Set[int64](2)}))
	for _, id := range []string{"a", "b"} {
		scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: id, Order: affiliate.Order{PromoCode: "LAST1"}, Until: s.Now.Add(time.Hour)}))
	}
	s.Pass(2 * time.Hour)
	var late []affiliate.Sale
	for _, in := range []affiliate.SaleParams{{PromoCode: "LAST1"}, {PromoCode: "LAST1"}, {HoldID: "a"}, {HoldID: "b"}} {
		in.TotalEarned = affiliate.MustAmount("9")
		late = append(late, scene.Must(s.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{}))
	}
	if n := scene.Must(s.Attention(ctx, 0)).Overdrawn.Count; n != 2 {
		t.Fatalf("%d wait", n)
	}
	scene.Must(0, s.RestoreRedemption(ctx, affiliate.SaleRef{ID: late[2].ID}))
	scene.Must(0, s.DeleteSale(ctx, late[3].ID))
	scene.Must(s.DeleteCode(ctx, code.ID))
	got := scene.Must(s.Attention(ctx, 0)).Overdrawn
	if got.Count != 1 || got.Items[0].SaleID != affiliate.Set(late[3].ID) || !got.Items[0].PromotionalCode.IsNull() || !got.Items[0].ExternalID.IsNull() {
		t.Errorf("%+v", got)
	}
	s.Verifies()
}

// TestSharedPayees: affiliates who are paid at one mailbox are listed together, however it is
// written and however it came, until one of them is paid elsewhere or is gone.
func TestSharedPayees(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	pays := func(id uuid.UUID, email string) {
		t.Helper()
		scene.Must(s.SetPayoutDetails(ctx, id, affiliate.PayoutDetails{Email: email, Method: affiliate.MethodPayPal}))
	}
	listed := func(want ...[]affiliate.Payee) {
		t.Helper()
		got := scene.Must(s.Attention(ctx, 0)).SharedPayees
		var all [][]affiliate.Payee
		for _, item := range got.Items {
			all = append(all, item.Affiliates)
		}
		scene.Equal(t, want, all)
		if got.Count != len(want) || got.More {
			t.Errorf("%d wait, more: %v", got.Count, got.More)
		}
		s.Verifies()
	}
	ada, bob := s.Ada.Person, s.Bob
	of := func(a affiliate.Affiliate, email string) affiliate.Payee {
		return affiliate.Payee{ID: a.ID, Name: a.Name, PayoutEmail: email}
	}
	pays(ada.ID, "ada@paid.example")
	pays(bob.ID, "bob@paid.example")
	listed()
	pays(bob.ID, " Ada+two@PAID.example ")
	both := []affiliate.Payee{of(ada, "ada@paid.example"), of(bob, "ada+two@paid.example")}
	listed(both)
	pays(ada.ID, "ada@paid.example") // again: nothing changes
	listed(both)
	scene.Must(s.Imports().Affiliates(ctx, []imported.Affiliate{{
		Ref: "r1", FirstName: "C", LastName: "D", Email: "c@d.example", PayoutEmail: "ADA@paid.example", PaymentMethod: affiliate.MethodPayPal, Status: affiliate.AffiliateActive, CreatedAt: scene.Start,
	}}))
	third := scene.Must(s.Affiliate(ctx, "c@d.example"))
	listed(append([]affiliate.Payee{of(third, "ada@paid.example")}, both...)) // who was there before the others
	pays(ada.ID, "other@paid.example")
	listed([]affiliate.Payee{of(third, "ada@paid.example"), both[1]})
	scene.Must(0, s.EraseAffiliate(ctx, third.ID))
	listed()
	pays(ada.ID, "ada@paid.example")
	listed(both)
	scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}))
	listed()
}
