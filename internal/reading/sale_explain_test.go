package reading_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

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
	scene.WantReason(t, "an unknown sale", affiliate.SaleNotFound, scene.ErrOf(s.ExplainSale(ctx, 99)))
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

// percentage is terms of a percentage.
func percentage(rate string) affiliate.Terms {
	return affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent(rate)}
}

// would is a simulation as one line for each affiliate.
func would(w *scene.World, q affiliate.SimulateQuery) (lines []string) {
	w.T.Helper()
	before := w.Dump()
	for _, d := range scene.All(w.Simulate(w.T.Context(), q)) {
		lines = append(lines, fmt.Sprintf("%s %d sales, %d changed, %d kept: %v, %v, %v", d.AffiliateID, d.Sales, d.Changed, d.Kept, d.Was, d.Would, d.Difference))
	}
	if scene.JSON(before) != scene.JSON(w.Dump()) {
		w.T.Error("a simulation wrote something")
	}
	return lines
}

// TestSimulate: money check 47.
func TestSimulate(t *testing.T) {
	s := scene.NewShop(t)
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email})
	ada := s.Ada.Person.ID.String()
	month := affiliate.SimulateQuery{From: scene.Start, To: scene.Start.AddDate(0, 1, 0), Terms: percentage("20")}
	scene.Equal(t, []string{ada + " 1 sales, 0 changed, 0 kept: 20, 20, 0"}, would(s.World, month))
	month.Terms = percentage("25")
	scene.Equal(t, []string{ada + " 1 sales, 1 changed, 0 kept: 20, 25, 5"}, would(s.World, month))
	month.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("3")}
	scene.Equal(t, []string{ada + " 1 sales, 1 changed, 0 kept: 20, 3, -17"}, would(s.World, month))
	for _, other := range []affiliate.SimulateQuery{
		{From: scene.Start.Add(time.Microsecond), Terms: percentage("25")}, {To: scene.Start, Terms: percentage("25")}, {PlanID: uuid.UUID{1}, Terms: percentage("25")},
	} {
		scene.Equal(t, nil, would(s.World, other))
	}
	for _, err := range s.Simulate(t.Context(), affiliate.SimulateQuery{Terms: affiliate.Terms{MaxPayments: -1}}) {
		if !errors.Is(err, affiliate.InvalidField) {
			t.Errorf("terms that no plan may have: %v", err)
		}
	}
	for _, err := range scene.Must(tributary.New(scene.FailingViews{Store: s.Store}, s.Config())).Simulate(t.Context(), affiliate.SimulateQuery{}) {
		if err == nil {
			t.Error("the store fails, and the walk goes on")
		}
	}
}

// TestSimulateKept: M62. Own rates stay, and what no terms decide is kept.
func TestSimulateKept(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	sell := func() affiliate.Sale { return s.Sell(affiliate.SaleParams{Email: s.Tomas.Email}) }
	ada := s.Ada.Person.ID.String()
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, CommissionRate: affiliate.Set(affiliate.MustPercent("5"))})
	hand := sell()
	scene.Must(s.UpdateSale(ctx, hand.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(scene.Sum("7"))}))
	old := sell()
	s.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Sales.Find(record.Key{Index: record.ByNumber, ID: uuid.UUID{15: byte(old.ID)}}))
		rec.Why = record.Why{}
		return tx.Sales.Replace(rec)
	})
	scene.Equal(t, []string{ada + " 3 sales, 0 changed, 2 kept: 32, 32, 0"}, would(s.World, affiliate.SimulateQuery{Terms: percentage("25")}))
	scene.Equal(t, []string{ada + " 3 sales, 0 changed, 3 kept: 32, 32, 0"}, would(s.World, affiliate.SimulateQuery{Terms: affiliate.Terms{Type: affiliate.CommissionFlat}}))
	sell()
	one := percentage("20")
	one.MaxPayments = 3 // this was the fourth payment
	scene.Equal(t, []string{ada + " 4 sales, 1 changed, 2 kept: 52, 32, -20"}, would(s.World, affiliate.SimulateQuery{Terms: one}))
	s.Pass(70 * 24 * time.Hour)
	sell()
	one.MaxPayments, one.MaxMonths = 0, 1
	scene.Equal(t, []string{ada + " 5 sales, 1 changed, 2 kept: 72, 52, -20"}, would(s.World, affiliate.SimulateQuery{Terms: one}))
}

// A simulatedStep is one step of a history that is played twice.
type simulatedStep struct {
	customer, total, tax, part int64
	refund                     bool
}

// TestSimulateReplays: oracle 22.7. The recorded terms give no difference; other
// terms give what a program with those terms earned in the same history.
func TestSimulateReplays(t *testing.T) {
	terms := rapid.Custom(func(rt *rapid.T) affiliate.Terms {
		out := affiliate.Terms{Type: rapid.SampledFrom([]affiliate.CommissionType{affiliate.CommissionPercentage, affiliate.CommissionFlat}).Draw(rt, "type")}
		out.Rate = affiliate.PercentFromScaled(rapid.Int64Range(0, 50_0000).Draw(rt, "rate"))
		out.MaxPayments = rapid.Int64Range(0, 3).Draw(rt, "payments")
		out.MaxMonths = rapid.Int64Range(0, 2).Draw(rt, "months")
		return out
	})
	rapid.Check(t, func(rt *rapid.T) {
		was, other := terms.Draw(rt, "terms"), terms.Draw(rt, "other terms")
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) simulatedStep {
			total := rapid.Int64Range(1, 50_000).Draw(rt, "total")
			return simulatedStep{
				customer: rapid.Int64Range(0, 2).Draw(rt, "customer"), total: 100 * total, tax: 100 * rapid.Int64Range(0, total).Draw(rt, "tax"),
				part: 100 * rapid.Int64Range(1, total).Draw(rt, "part"), refund: rapid.Bool().Draw(rt, "refund"),
			}
		}), 1, 12).Draw(rt, "steps")
		play := func(terms affiliate.Terms) (*scene.World, affiliate.Amount) {
			w := scene.New(t, func(c *tributary.Config) { c.Terms = terms })
			w.Ada()
			for _, s := range steps {
				w.Pass(9 * 24 * time.Hour)
				sale := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{
					PromoCode: "ADA20", Email: fmt.Sprintf("c%d@x.example", s.customer), TotalEarned: affiliate.AmountFromScaled(s.total), Tax: affiliate.AmountFromScaled(s.tax),
				})).Sale.Or(affiliate.Sale{})
				if s.refund {
					scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.AmountFromScaled(s.part))}))
				}
			}
			return w, scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{})).Items[0].TotalCommissionEarned
		}
		w, earned := play(was)
		_, want := play(other)
		same := scene.All(w.Simulate(t.Context(), affiliate.SimulateQuery{Terms: was}))
		got := scene.All(w.Simulate(t.Context(), affiliate.SimulateQuery{Terms: other}))
		if len(same) != 1 || same[0].Changed != 0 || !same[0].Difference.IsZero() || same[0].Was != earned {
			rt.Fatalf("with its own terms: %+v, earned %v", same, earned)
		}
		if len(got) != 1 || got[0].Would != want || got[0].Was != earned || got[0].Sales != int64(len(steps)) {
			rt.Fatalf("with other terms: %+v, a replay earned %v", got, want)
		}
	})
}

// M63: the limits of a sale cannot be judged when its customer was deleted with
// another affiliate.
func TestSimulateWithoutReferral(t *testing.T) {
	terms := percentage("20")
	terms.MaxPayments = 1
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms = terms })
	for range 2 {
		s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Bea.Email})
	}
	scene.Must(0, s.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.Bob.ID}))
	keeps(s, 2, "20", terms)
}

// M62: what is not known of a sale from before stays unknown after its rate was
// changed.
func TestSimulateUnknown(t *testing.T) {
	terms := percentage("20")
	terms.MaxPayments = 1
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms = terms })
	s.ToTomas("100")
	second := s.ToTomas("100")
	s.Raw(func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(r record.Sale) error {
			r = r.Clone()
			r.Why = record.Why{}
			return tx.Sales.Replace(r)
		})
	})
	scene.Must(s.UpdateSale(t.Context(), second.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("25"))}))
	keeps(s, 2, "20", terms)
}

// keeps checks that a simulation leaves Ada's sales as they are.
func keeps(s scene.Shop, sales int64, earned string, terms affiliate.Terms) {
	s.T.Helper()
	want := affiliate.Difference{AffiliateID: s.Ada.Person.ID, Sales: sales, Kept: sales, Was: scene.Sum(earned), Would: scene.Sum(earned)}
	for _, got := range scene.All(s.Simulate(s.T.Context(), affiliate.SimulateQuery{Terms: terms})) {
		if got.AffiliateID == want.AffiliateID && got != want {
			s.T.Errorf("simulated %+v, want %+v", got, want)
		}
	}
}
