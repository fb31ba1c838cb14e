package affiliate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// newHoldingShop is a program with a holding period at a moment of docs/money.md 5.
func newHoldingShop(t *testing.T, days int64) saleShop {
	t.Helper()
	s := newSaleShop(t, func(c *tributary.Config) { c.Terms.HoldDays = days })
	s.now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	return s
}

// payableAt fails the test unless the entries of a sale can be paid from these
// times on; zero: never.
func (s saleShop) payableAt(id affiliate.SaleID, want ...time.Time) {
	s.t.Helper()
	got := []affiliate.Opt[affiliate.Time]{}
	for _, c := range must(s.Sale(s.t.Context(), id)).Commissions {
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
		s.t.Errorf("payableAt of sale %d (-want +got):\n%s", id, diff)
	}
}

// docs/money.md, checks 24 and 25.
func TestHoldDays(t *testing.T) {
	ctx := t.Context()
	pay := func(s saleShop) (affiliate.Payout, error) {
		return s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID})
	}
	t.Run("24 matures", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		sale, june := s.toTomas("100"), time.Date(2026, 6, 9, 12, 0, 0, 0, time.UTC)
		s.payableAt(sale.ID, june)
		s.now = june.Add(-time.Second)
		s.refused(nothingToPay, func() error { return errOf(pay(s)) })
		s.owes(affiliate.Balance{Maturing: sum("20"), Earned: sum("20"), Movements: 1})
		s.fires(func() error { s.now = june; return nil })
		s.owes(affiliate.Balance{Payable: sum("20"), Earned: sum("20"), Movements: 1})
		s.fires(func() error {
			p, err := pay(s)
			if p.Amount != sum("20") {
				t.Errorf("paid %v", p.Amount)
			}
			return err
		}, affiliate.SaleUpdated)
		s.verify()
	})
	t.Run("25 a debt is due at once", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		s.toTomas("100")
		must(s.RecordAdjustment(ctx, affiliate.NewAdjustment{AffiliateID: s.ada.affiliate.ID, Kind: affiliate.AdjustCorrection, Amount: sum("-12"), Reason: "r"}))
		s.refused(nothingToPay, func() error { return errOf(pay(s)) })
		s.owes(affiliate.Balance{Maturing: sum("20"), Payable: sum("-12"), Earned: sum("8"), Movements: 2})
		s.pass(30 * 24 * time.Hour)
		if p := must(pay(s)); p.Amount != sum("8") {
			t.Errorf("paid %v", p.Amount)
		}
		s.verify()
	})
}

// M28, M29: the holding period is that of the terms when the sale was recorded.
// A plan has its own, which may be none; nothing that comes later moves it.
func TestHoldDaysOf(t *testing.T) {
	ctx := t.Context()
	s := newHoldingShop(t, 30)
	days := func(n int) time.Time { return s.now.Add(time.Duration(n) * 24 * time.Hour) }
	after30, after7 := days(30), days(7)
	plan := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), HoldDays: 7}}))
	none := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "q", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}}))
	of := func(plan uuid.UUID) affiliate.SaleID {
		must(s.SetAffiliatePlan(ctx, plan, s.ada.affiliate.ID))
		return s.toTomas("100").ID
	}
	byProgram, byPlan, byNone := of(uuid.Nil), of(plan.ID), of(none.ID)
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID}, affiliate.AffiliateUpdate{CommissionRate: percent("30")}))
	withRate := of(plan.ID)
	held := must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, of(plan.ID)))[0].ID
	declined := must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, of(plan.ID)))[0].ID
	now := s.now

	must(s.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Terms: affiliate.Set(affiliate.Terms{Rate: affiliate.MustPercent("40"), HoldDays: 90})}))
	s.pass(time.Hour)
	must(s.RecalculateSales(ctx, affiliate.SaleFilter{}))
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: byProgram, Amount: amount("50")}))
	s.payableAt(byProgram, after30)
	s.payableAt(byPlan, after7)
	s.payableAt(byNone, now)
	s.payableAt(withRate, after7)
	s.payableAt(held, after7)
	s.payableAt(declined, time.Time{})

	s.now = after30
	p := s.payout()
	s.pass(time.Hour)
	s.clawsBack(byProgram, "10", "")
	s.payableAt(byProgram, after30, s.now)
	if p.PeriodStart != affiliate.Set(affiliate.TimeOf(now)) || p.PeriodEnd != p.PeriodStart {
		t.Errorf("the period is from %v to %v", p.PeriodStart, p.PeriodEnd)
	}
	s.verify()

	program, err := tributary.New(s.store, tributary.Config{ID: s.Config().ID, Currency: "USD", Terms: affiliate.Terms{HoldDays: 3651}})
	if err == nil {
		t.Errorf("a program with a holding period of eleven years: %v", program.Config().Terms)
	}
}

func TestVerifyHoldDays(t *testing.T) {
	booksCorrupted(t, func(_ *booksLedger, tx *record.Tx) error {
		return booksEdit(tx.Sales, nil, func(r *record.Sale) { r.HoldDays = -1 })
	}, "I40")
}

// M19: a debt does not mature, also when the clock went back behind it.
func TestDebtDoesNotMature(t *testing.T) {
	s := newSaleShop(t, func(c *tributary.Config) { c.Terms.HoldDays = 30 })
	sale := s.toTomas("100")
	s.pass(30 * 24 * time.Hour)
	s.payout()
	s.clawsBack(sale.ID, "60", "r1")
	s.pass(-time.Second)
	got := must(s.Balance(t.Context(), s.ada.affiliate.ID))
	if !got.Maturing.IsZero() || got.Payable != sum("-12") {
		t.Errorf("maturing %v, payable %v", got.Maturing, got.Payable)
	}
}
