package affiliate_test

import (
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// why explains a sale in one line.
func (w *world) why(id affiliate.SaleID) string {
	w.t.Helper()
	e := must(w.ExplainSale(w.t.Context(), id))
	return fmt.Sprintf("%s %s %s %s %v", e.Credit.By, e.Terms.RateFrom, e.Terms.PlanFrom, e.Arithmetic.Exact, e.Arithmetic.Rounded)
}

// TestExplainSale: check 45 of docs/money.md, every field.
func TestExplainSale(t *testing.T) {
	s := newSaleShop(t)
	ctx := t.Context()
	sale := s.sell(affiliate.NewSale{PromoCode: "ada20", Email: s.tomas.Email, TotalEarned: sum("129.5"), Tax: sum("9.5")})
	none := affiliate.Null[uuid.UUID]()
	equal(t, affiliate.Explanation{
		SaleID: sale.ID,
		Credit: affiliate.ExplainedCredit{
			By: affiliate.CreditCode, PromotionalCodeID: affiliate.Set(s.ada.code.ID), ClickID: affiliate.Null[affiliate.ClickID](), ClickAt: affiliate.Null[affiliate.Time](),
			AffiliateLinkID: none, ReferralID: affiliate.Set(s.tomas.ID), ReferralAt: affiliate.Set(s.tomas.CreatedAt),
		},
		Terms: affiliate.ExplainedTerms{
			CommissionType: affiliate.CommissionPercentage, CommissionRate: affiliate.Set(affiliate.MustPercent("20")), RateFrom: affiliate.RateOfProgram,
			PlanFrom: affiliate.PlanOfProgram, CommissionPlanID: none, CommissionTierID: none, Payment: affiliate.Set(int64(1)), Over: affiliate.Null[affiliate.OverLimit](),
		},
		Base:        affiliate.ExplainedBase{TotalEarned: sum("129.5"), TaxDeducted: sum("9.5"), Kept: sum("129.5"), Base: sum("120")},
		Arithmetic:  affiliate.ExplainedArithmetic{ByHand: affiliate.Null[affiliate.Amount](), Exact: "24", Rounded: sum("24")},
		Commissions: sale.Commissions,
		Movements:   must(s.Movements(ctx, affiliate.MovementFilter{SaleID: affiliate.Set(sale.ID)}, affiliate.Page{})).Items,
	}, must(s.ExplainSale(ctx, sale.ID)))
	if err := errOf(s.ExplainSale(ctx, 99)); !errors.Is(err, affiliate.SaleNotFound) {
		t.Errorf("an unknown sale: %v", err)
	}
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(sum("29.5"))}))
	e := must(s.ExplainSale(ctx, sale.ID))
	equal(t, []any{sum("29.5"), sum("100"), sum("120"), "4800/259", sum("18.53")}, []any{e.Base.Refunded, e.Base.Kept, e.Base.Base, e.Arithmetic.Exact, e.Arithmetic.Rounded})
	must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(sum("7"))}))
	e = must(s.ExplainSale(ctx, sale.ID))
	equal(t, affiliate.ExplainedArithmetic{ByHand: affiliate.Set(sum("7")), Exact: "7", Rounded: sum("7")}, e.Arithmetic)
	equal(t, []affiliate.Cause{"UPDATE", "REFUND", "SALE"}, []affiliate.Cause{e.Movements[0].Cause, e.Movements[1].Cause, e.Movements[2].Cause})
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID}))
	equal(t, "CODE PROGRAM PROGRAM 0 0", s.why(sale.ID))

	for _, tt := range []struct{ total, rate, want string }{
		{"19.99", "15", "CODE SALE PROGRAM 5997/2000 3"},
		{"199.99", "20", "CODE SALE PROGRAM 19999/500 40"},
	} {
		sale := s.sell(affiliate.NewSale{PromoCode: "ada20", TotalEarned: sum(tt.total), CommissionRate: affiliate.Set(affiliate.MustPercent(tt.rate))})
		equal(t, tt.want, s.why(sale.ID))
	}
	s.verify()
}

// TestExplainCredit: M57, what credited the affiliate.
func TestExplainCredit(t *testing.T) {
	s := newSaleShop(t)
	s.pass(time.Hour)
	for _, tt := range []struct {
		ident, email string
		want         affiliate.CreditedBy
	}{
		{fmt.Sprint(s.click.ID), "new@x.example", affiliate.CreditClick},
		{"ada", "new@x.example", affiliate.CreditLink},
		{s.bob.ID.String(), "new@x.example", affiliate.CreditAffiliate},
		{s.tomas.ID.String(), "", affiliate.CreditReferral},
		{s.bea.Email, "", affiliate.CreditReferral},
		{"", s.bea.Email, affiliate.CreditEmail},
		{"nobody", s.bea.Email, affiliate.CreditEmail},
	} {
		sale := s.sell(affiliate.NewSale{ReferralID: tt.ident, Email: tt.email, Name: "N"})
		c := must(s.ExplainSale(t.Context(), sale.ID)).Credit
		equal(t, tt.want, c.By)
		id, at := affiliate.Null[affiliate.ClickID](), affiliate.Null[affiliate.Time]()
		if tt.want == affiliate.CreditClick {
			id, at = affiliate.Set(s.click.ID), affiliate.Set(s.click.CreatedAt)
		}
		equal(t, []any{id, at, sale.AffiliateLinkID}, []any{c.ClickID, c.ClickAt, c.AffiliateLinkID})
	}
	byCode := s.sell(affiliate.NewSale{PromoCode: "ada20", ReferralID: fmt.Sprint(s.bobClick.ID)})
	c := must(s.ExplainSale(t.Context(), byCode.ID)).Credit
	equal(t, []any{affiliate.CreditCode, affiliate.Null[affiliate.ClickID]()}, []any{c.By, c.ClickID})
	s.verify()

	s.now = s.now.Add(-2 * time.Hour) // the click seems to come later
	early := s.sell(affiliate.NewSale{ReferralID: fmt.Sprint(s.click.ID), Email: "new@x.example"})
	c = must(s.ExplainSale(t.Context(), early.ID)).Credit
	equal(t, []any{affiliate.CreditClick, affiliate.Null[affiliate.ClickID]()}, []any{c.By, c.ClickID})
}

// TestExplainTerms: check 46, where rate and plan come from, and what the sale
// was beyond.
func TestExplainTerms(t *testing.T) {
	s := newSaleShop(t)
	ctx := t.Context()
	sell := func(change ...func(*affiliate.NewSale)) affiliate.Sale {
		in := affiliate.NewSale{Email: s.tomas.Email}
		for _, c := range change {
			c(&in)
		}
		return s.sell(in)
	}
	id := s.ada.affiliate.ID
	first := sell()
	equal(t, "EMAIL PROGRAM PROGRAM 20 20", s.why(first.ID))
	plan := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), HoldDays: 3}}))
	must(s.SetAffiliatePlan(ctx, plan.ID, id))
	equal(t, "EMAIL PLAN AFFILIATE 10 10", s.why(sell().ID))
	tier := must(s.CreateTier(ctx, affiliate.NewTier{Tier: 1, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("12"))}))
	must(s.SetAffiliateTier(ctx, tier.ID, id))
	tiered := sell()
	equal(t, "EMAIL TIER AFFILIATE 12 12", s.why(tiered.ID))
	terms := must(s.ExplainSale(ctx, tiered.ID)).Terms
	equal(t, []any{affiliate.Set(plan.ID), affiliate.Set(tier.ID), int64(3), affiliate.Set(int64(3))}, []any{terms.CommissionPlanID, terms.CommissionTierID, terms.HoldDays, terms.Payment})
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("25"))}))
	own := sell()
	equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", s.why(own.ID))
	fixed := sell(func(in *affiliate.NewSale) { in.CommissionRate = affiliate.Set(affiliate.MustPercent("5")) })
	equal(t, "EMAIL SALE AFFILIATE 5 5", s.why(fixed.ID))

	must(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("6"))}))
	equal(t, "EMAIL SALE AFFILIATE 6 6", s.why(own.ID))
	must(s.UpdateSale(ctx, own.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
	equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", s.why(own.ID))
	must(s.RecalculateSales(ctx, affiliate.SaleFilter{}))
	equal(t, "EMAIL AFFILIATE AFFILIATE 25 25", s.why(first.ID))
	equal(t, "EMAIL SALE AFFILIATE 5 5", s.why(fixed.ID))

	limited := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "l", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("4"), MaxPayments: 6, MaxMonths: 1}}))
	must(s.SetReferralPlan(ctx, limited.ID, s.tomas.ID))
	sixth := sell()
	equal(t, "EMAIL PLAN CUSTOMER 4 4", s.why(sixth.ID))
	over := sell()
	equal(t, "EMAIL PLAN CUSTOMER 0 0", s.why(over.ID))
	e := must(s.ExplainSale(ctx, over.ID)).Terms
	equal(t, []any{affiliate.Set(affiliate.OverPayments), affiliate.Set(int64(7))}, []any{e.Over, e.Payment})
	s.pass(32 * 24 * time.Hour)
	equal(t, affiliate.Set(affiliate.OverMonths), must(s.ExplainSale(ctx, sell().ID)).Terms.Over)
	s.verify()
}

// TestExplainDeductions: M58. A sale keeps the deductions of its recording until
// RecalculateSales. One from before says UNKNOWN and is read by what agrees.
func TestExplainDeductions(t *testing.T) {
	s := newSaleShop(t)
	ctx := t.Context()
	before := s.Program
	cfg := s.Config()
	cfg.CommissionOnTax = true
	after := must(tributary.New(s.probe, cfg))
	sale := s.sell(affiliate.NewSale{PromoCode: "ada20", Tax: sum("10"), Shipping: sum("20")})
	old := s.sell(affiliate.NewSale{PromoCode: "ada20", Tax: sum("10")})
	s.insert(func(tx *record.Tx) error {
		rec := must(tx.Sales.Find(record.Key{Index: record.ByNumber, ID: uuid.UUID{15: byte(old.ID)}}))
		rec.Why = record.Why{}
		return tx.Sales.Replace(rec)
	})
	for _, p := range []*tributary.Program{before, after} {
		s.Program = p
		equal(t, "CODE PROGRAM PROGRAM 14 14", s.why(sale.ID))
		equal(t, "UNKNOWN UNKNOWN UNKNOWN 18 18", s.why(old.ID))
		s.verify()
	}
	up := must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("200"))}))
	equal(t, sum("34"), up.CommissionEarned) // (200 − 10 − 20) × 20 %
	equal(t, 2, must(s.RecalculateSales(ctx, affiliate.SaleFilter{})))
	equal(t, "CODE PROGRAM PROGRAM 36 36", s.why(sale.ID))
	equal(t, "UNKNOWN PROGRAM PROGRAM 20 20", s.why(old.ID))
	s.verify()

	free := newGiftShop(t, 0)
	gift := free.give("t@x.example")
	equal(t, "CODE PROGRAM PROGRAM 0 0", free.why(gift.ID))
	must(free.UpdateSale(ctx, gift.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(sum("9.99"))}))
	equal(t, "CODE PROGRAM PROGRAM 999/500 2", free.why(gift.ID))
	free.verify()
}

// explained checks oracle 22.7 for a sale: what is rounded is the sum of its
// entries, and what is exact rounds to it.
func (w *world) explained(s affiliate.Sale) error {
	e, err := w.ExplainSale(w.t.Context(), s.ID)
	if err != nil {
		return err
	}
	exact, ok := new(big.Rat).SetString(e.Arithmetic.Exact)
	if !ok || exact.RatString() != e.Arithmetic.Exact || e.Arithmetic.Rounded != s.CommissionEarned || cents(exact).Cmp(ratOf(s.CommissionEarned)) != 0 {
		return fmt.Errorf("sale %d earns %v, explained as %+v", s.ID, s.CommissionEarned, e.Arithmetic)
	}
	return nil
}
