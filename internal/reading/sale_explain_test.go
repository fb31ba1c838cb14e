package reading_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// why explains a sale in one line.
func why(w *scene.World, id affiliate.SaleID) string {
	w.T.Helper()
	e := scene.Must(w.ExplainSale(w.T.Context(), id))
	return fmt.Sprintf("%s %s %s %s %v", e.Credit.By, e.Terms.RateFrom, e.Terms.PlanFrom, e.Arithmetic.Exact, e.Arithmetic.Rounded)
}

// TestExplainSale: money check 45, every field.
func TestExplainSale(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ada20", Email: s.Tomas.Email, TotalEarned: scene.Sum("129.5"), Tax: scene.Sum("9.5")})
	none := affiliate.Null[uuid.UUID]()
	scene.Equal(t, affiliate.Explanation{
		SaleID: sale.ID,
		Credit: affiliate.ExplainedCredit{
			By: affiliate.CreditCode, PromotionalCodeID: affiliate.Set(s.Ada.ADA20.ID), ClickID: affiliate.Null[affiliate.ClickID](), ClickAt: affiliate.Null[affiliate.Time](),
			AffiliateLinkID: none, ReferralID: affiliate.Set(s.Tomas.ID), ReferralAt: affiliate.Set(s.Tomas.CreatedAt),
		},
		Terms: affiliate.ExplainedTerms{
			CommissionType: affiliate.CommissionPercentage, CommissionRate: affiliate.Set(affiliate.MustPercent("20")), RateFrom: affiliate.RateOfProgram,
			PlanFrom: affiliate.PlanOfProgram, CommissionPlanID: none, CommissionTierID: none, Payment: affiliate.Set(int64(1)), Over: affiliate.Null[affiliate.OverLimit](),
		},
		Base:        affiliate.ExplainedBase{TotalEarned: scene.Sum("129.5"), TaxDeducted: scene.Sum("9.5"), Kept: scene.Sum("129.5"), Base: scene.Sum("120")},
		Arithmetic:  affiliate.ExplainedArithmetic{ByHand: affiliate.Null[affiliate.Amount](), Exact: "24", Rounded: scene.Sum("24")},
		Commissions: sale.Commissions,
		Movements:   scene.Must(s.Movements(ctx, affiliate.MovementQuery{SaleID: affiliate.Set(sale.ID)}, affiliate.Page{})).Items,
	}, scene.Must(s.ExplainSale(ctx, sale.ID)))
	if err := scene.ErrOf(s.ExplainSale(ctx, 99)); !errors.Is(err, affiliate.SaleNotFound) {
		t.Errorf("an unknown sale: %v", err)
	}
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("29.5"))}))
	e := scene.Must(s.ExplainSale(ctx, sale.ID))
	scene.Equal(t, []any{scene.Sum("29.5"), scene.Sum("100"), scene.Sum("120"), "4800/259", scene.Sum("18.53")}, []any{e.Base.Refunded, e.Base.Kept, e.Base.Base, e.Arithmetic.Exact, e.Arithmetic.Rounded})
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("7"))}))
	e = scene.Must(s.ExplainSale(ctx, sale.ID))
	scene.Equal(t, affiliate.ExplainedArithmetic{ByHand: affiliate.Set(scene.Sum("7")), Exact: "7", Rounded: scene.Sum("7")}, e.Arithmetic)
	scene.Equal(t, []affiliate.Cause{"UPDATE", "REFUND", "SALE"}, []affiliate.Cause{e.Movements[0].Cause, e.Movements[1].Cause, e.Movements[2].Cause})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	scene.Equal(t, "CODE PROGRAM PROGRAM 0 0", why(s.World, sale.ID))

	for _, tt := range []struct{ total, rate, want string }{
		{"19.99", "15", "CODE SALE PROGRAM 5997/2000 3"},
		{"199.99", "20", "CODE SALE PROGRAM 19999/500 40"},
	} {
		sale := s.Sell(affiliate.SaleParams{PromoCode: "ada20", TotalEarned: scene.Sum(tt.total), CommissionRate: affiliate.Set(affiliate.MustPercent(tt.rate))})
		scene.Equal(t, tt.want, why(s.World, sale.ID))
	}
	s.Verifies()
}

// TestExplainCredit: M57, what credited the affiliate.
func TestExplainCredit(t *testing.T) {
	s := scene.NewShop(t)
	s.Pass(time.Hour)
	for _, tt := range []struct {
		ident, email string
		want         affiliate.CreditedBy
	}{
		{fmt.Sprint(s.Click.ID), "new@x.example", affiliate.CreditClick},
		{"ada", "new@x.example", affiliate.CreditLink},
		{s.Bob.ID.String(), "new@x.example", affiliate.CreditAffiliate},
		{s.Tomas.ID.String(), "", affiliate.CreditReferral},
		{s.Bea.Email, "", affiliate.CreditReferral},
		{"", s.Bea.Email, affiliate.CreditEmail},
		{"nobody", s.Bea.Email, affiliate.CreditEmail},
	} {
		sale := s.Sell(affiliate.SaleParams{ReferralID: tt.ident, Email: tt.email, Name: "N"})
		c := scene.Must(s.ExplainSale(t.Context(), sale.ID)).Credit
		scene.Equal(t, tt.want, c.By)
		id, at := affiliate.Null[affiliate.ClickID](), affiliate.Null[affiliate.Time]()
		if tt.want == affiliate.CreditClick {
			id, at = affiliate.Set(s.Click.ID), affiliate.Set(s.Click.CreatedAt)
		}
		scene.Equal(t, []any{id, at, sale.AffiliateLinkID}, []any{c.ClickID, c.ClickAt, c.AffiliateLinkID})
	}
	byCode := s.Sell(affiliate.SaleParams{PromoCode: "ada20", ReferralID: fmt.Sprint(s.BobClick.ID)})
	c := scene.Must(s.ExplainSale(t.Context(), byCode.ID)).Credit
	scene.Equal(t, []any{affiliate.CreditCode, affiliate.Null[affiliate.ClickID]()}, []any{c.By, c.ClickID})
	s.Verifies()

	s.Now = s.Now.Add(-2 * time.Hour) // the click seems to come later
	early := s.Sell(affiliate.SaleParams{ReferralID: fmt.Sprint(s.Click.ID), Email: "new@x.example"})
	c = scene.Must(s.ExplainSale(t.Context(), early.ID)).Credit
	scene.Equal(t, []any{affiliate.CreditClick, affiliate.Null[affiliate.ClickID]()}, []any{c.By, c.ClickID})
}

// TestExplainTerms: check 46, where rate and plan come from, and what the sale
// was beyond.
func TestExplainTerms(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	sell := func(change ...func(*affiliate.SaleParams)) affiliate.Sale {
		in := affiliate.SaleParams{Email: s.Tomas.Email}
		for _, c := range change {
			c(&in)
		}
		return s.Sell(in)
	}
	id := s.Ada.Person.ID
	first := sell()
	scene.Equal(t, "EMAIL PROGRAM PROGRAM 20 20", why(s.World, first.ID))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), HoldDays: 3}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, id))
	scene.Equal(t, "EMAIL PLAN AFFILIATE 10 10", why(s.World, sell().ID))
	tier := scene.Must(s.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("12"))}))
	scene.Must(s.SetAffiliateTier(ctx, tier.ID, id))
	tiered := sell()
	scene.Equal(t, "EMAIL TIER AFFILIATE 12 12", why(s.World, tiered.ID))
	terms := scene.Must(s.ExplainSale(ctx, tiered.ID)).Terms
	scene.Equal(t, []any{affiliate.Set(plan.ID), affiliate.Set(tier.ID), int64(3), affiliate.Set(int64(3))}, []any{terms.CommissionPlanID, terms.CommissionTierID, terms.HoldDays, terms.Payment})
	scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("25"))}))
	own := sell()
	scene.Equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", why(s.World, own.ID))
	fixed := sell(func(in *affiliate.SaleParams) { in.CommissionRate = affiliate.Set(affiliate.MustPercent("5")) })
	scene.Equal(t, "EMAIL SALE AFFILIATE 5 5", why(s.World, fixed.ID))

	scene.Must(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("6"))}))
	scene.Equal(t, "EMAIL SALE AFFILIATE 6 6", why(s.World, own.ID))
	scene.Must(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
	scene.Equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", why(s.World, own.ID))
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", why(s.World, first.ID))
	scene.Equal(t, "EMAIL SALE AFFILIATE 5 5", why(s.World, fixed.ID))

	limited := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "l", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("4"), MaxPayments: 6, MaxMonths: 1}}))
	scene.Must(s.SetReferralPlan(ctx, limited.ID, s.Tomas.ID))
	sixth := sell()
	scene.Equal(t, "EMAIL PLAN CUSTOMER 4 4", why(s.World, sixth.ID))
	over := sell()
	scene.Equal(t, "EMAIL PLAN CUSTOMER 0 0", why(s.World, over.ID))
	e := scene.Must(s.ExplainSale(ctx, over.ID)).Terms
	scene.Equal(t, []any{affiliate.Set(affiliate.OverPayments), affiliate.Set(int64(7))}, []any{e.Over, e.Payment})
	s.Pass(32 * 24 * time.Hour)
	scene.Equal(t, affiliate.Set(affiliate.OverMonths), scene.Must(s.ExplainSale(ctx, sell().ID)).Terms.Over)
	s.Verifies()
}

// TestExplainDeductions: M58. A sale keeps the deductions of its recording until
// RecalculateSales. One from before says UNKNOWN and is read by what agrees.
func TestExplainDeductions(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	before := s.Program
	cfg := s.Config()
	cfg.CommissionOnTax = true
	after := scene.Must(tributary.New(s.Probe, cfg))
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ada20", Tax: scene.Sum("10"), Shipping: scene.Sum("20")})
	old := s.Sell(affiliate.SaleParams{PromoCode: "ada20", Tax: scene.Sum("10")})
	s.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Sales.Find(record.Key{Index: record.ByNumber, ID: uuid.UUID{15: byte(old.ID)}}))
		rec.Why = record.Why{}
		return tx.Sales.Replace(rec)
	})
	for _, p := range []*tributary.Program{before, after} {
		s.Program = p
		scene.Equal(t, "CODE PROGRAM PROGRAM 14 14", why(s.World, sale.ID))
		scene.Equal(t, "UNKNOWN UNKNOWN UNKNOWN 18 18", why(s.World, old.ID))
		s.Verifies()
	}
	up := scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("200"))}))
	scene.Equal(t, scene.Sum("34"), up.CommissionEarned) // (200 − 10 − 20) × 20 %
	scene.Equal(t, 2, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	scene.Equal(t, "CODE PROGRAM PROGRAM 36 36", why(s.World, sale.ID))
	scene.Equal(t, "UNKNOWN PROGRAM PROGRAM 20 20", why(s.World, old.ID))
	s.Verifies()

	free := scene.NewGiftShop(t, 0)
	gift := free.Give("t@x.example")
	scene.Equal(t, "CODE PROGRAM PROGRAM 0 0", why(free.World, gift.ID))
	scene.Must(free.UpdateSale(ctx, gift.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("9.99"))}))
	scene.Equal(t, "CODE PROGRAM PROGRAM 999/500 2", why(free.World, gift.ID))
	free.Verifies()
}
