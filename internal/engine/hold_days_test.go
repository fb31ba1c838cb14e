package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// newHoldingShop is a program with a holding period at a moment of docs/money.md 5.
func newHoldingShop(t *testing.T, days int64) scene.Shop {
	t.Helper()
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.HoldDays = days })
	s.Now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	return s
}

// payableAt fails the test unless the entries of a sale can be paid from these
// times on; zero: never.
func payableAt(s scene.Shop, id affiliate.SaleID, want ...time.Time) {
	s.T.Helper()
	got := []affiliate.Opt[affiliate.Time]{}
	for _, c := range scene.Must(s.Sale(s.T.Context(), id)).Commissions {
		got = append(got, c.PayableAt)
	}
	expected := []affiliate.Opt[affiliate.Time]{}
	for _, at := range want {
		if at.IsZero() {
			expected = append(expected, affiliate.Null[affiliate.Time]())
			continue
		}
		expected = append(expected, affiliate.Set(affiliate.TimeOf(at)))
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		s.T.Errorf("payableAt of sale %d (-want +got):\n%s", id, diff)
	}
}

// money checks 24 and 25.
func TestHoldDays(t *testing.T) {
	ctx := t.Context()
	pay := func(s scene.Shop) (affiliate.Payout, error) {
		return s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID})
	}
	t.Run("24 matures", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		sale, june := s.ToTomas("100"), time.Date(2026, 6, 9, 12, 0, 0, 0, time.UTC)
		payableAt(s, sale.ID, june)
		s.Now = june.Add(-time.Second)
		s.Refused(nothingToPay, func() error { return scene.ErrOf(pay(s)) })
		s.Owes(affiliate.Balance{Maturing: scene.Sum("20"), Earned: scene.Sum("20"), Movements: 1})
		s.Fires(func() error { s.Now = june; return nil })
		s.Owes(affiliate.Balance{Payable: scene.Sum("20"), Earned: scene.Sum("20"), Movements: 1})
		s.Fires(func() error {
			p, err := pay(s)
			if p.Amount != scene.Sum("20") {
				t.Errorf("paid %v", p.Amount)
			}
			return err
		}, affiliate.SaleUpdated)
		s.Verifies()
	})
	t.Run("25 a debt is due at once", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		s.ToTomas("100")
		scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-12"), Reason: "r"}))
		s.Refused(nothingToPay, func() error { return scene.ErrOf(pay(s)) })
		s.Owes(affiliate.Balance{Maturing: scene.Sum("20"), Payable: scene.Sum("-12"), Earned: scene.Sum("8"), Movements: 2})
		s.Pass(30 * 24 * time.Hour)
		if p := scene.Must(pay(s)); p.Amount != scene.Sum("8") {
			t.Errorf("paid %v", p.Amount)
		}
		s.Verifies()
	})
}

// M28, M29: the holding period is that of the terms when the sale was recorded.
// A plan has its own, which may be none; nothing that comes later moves it.
func TestHoldDaysOf(t *testing.T) {
	ctx := t.Context()
	s := newHoldingShop(t, 30)
	days := func(n int) time.Time { return s.Now.Add(time.Duration(n) * 24 * time.Hour) }
	after30, after7 := days(30), days(7)
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), HoldDays: 7}}))
	none := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "q", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}))
	of := func(plan uuid.UUID) affiliate.SaleID {
		scene.Must(s.SetAffiliatePlan(ctx, plan, s.Ada.Person.ID))
		return s.ToTomas("100").ID
	}
	byProgram, byPlan, byNone := of(uuid.Nil), of(plan.ID), of(none.ID)
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: scene.Percent("30")}))
	withRate := of(plan.ID)
	held := scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, of(plan.ID)))[0].ID
	declined := scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, of(plan.ID)))[0].ID
	now := s.Now

	scene.Must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.Terms{Rate: affiliate.MustPercent("40"), HoldDays: 90}.Update()}))
	s.Pass(time.Hour)
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: byProgram, Amount: scene.Amount("50")}))
	payableAt(s, byProgram, after30)
	payableAt(s, byPlan, after7)
	payableAt(s, byNone, now)
	payableAt(s, withRate, after7)
	payableAt(s, held, after7)
	payableAt(s, declined, time.Time{})

	s.Now = after30
	p := s.PaysOut()
	s.Pass(time.Hour)
	s.ClawsBack(byProgram, "10", "")
	payableAt(s, byProgram, after30, s.Now)
	if p.PeriodStart != affiliate.Set(affiliate.TimeOf(now)) || p.PeriodEnd != p.PeriodStart {
		t.Errorf("the period is from %v to %v", p.PeriodStart, p.PeriodEnd)
	}
	s.Verifies()

	program, err := tributary.New(s.Store, tributary.Config{ID: s.Config().ID, Currency: "USD", Terms: affiliate.Terms{HoldDays: 3651}})
	if err == nil {
		t.Errorf("a program with a holding period of eleven years: %v", program.Config().Terms)
	}
}

func TestVerifyHoldDays(t *testing.T) {
	scene.Corrupted(t, func(_ *scene.Ledger, tx *record.Tx) error {
		return scene.Edit(tx.Sales, nil, func(r *record.Sale) { r.HoldDays = -1 })
	}, "I40")
}

// M19: a debt does not mature, also when the clock went back behind it.
func TestDebtDoesNotMature(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.HoldDays = 30 })
	sale := s.ToTomas("100")
	s.Pass(30 * 24 * time.Hour)
	s.PaysOut()
	s.ClawsBack(sale.ID, "60", "r1")
	s.Pass(-time.Second)
	got := scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	if !got.Maturing.IsZero() || got.Payable != scene.Sum("-12") {
		t.Errorf("maturing %v, payable %v", got.Maturing, got.Payable)
	}
}
