package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// firstOnly lets terms pay the first payment alone.
func firstOnly(c *tributary.Config) { c.Terms.MaxPayments = 1 }

// atRate is an update with a rate for the sale alone; empty: none any more.
func atRate(rate string) affiliate.SaleUpdate {
	up := affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent](), ClawBack: true}
	if rate != "" {
		up.CommissionRate = scene.Percent(rate)
	}
	return up
}

// stands checks what a sale earns, and which limit stops it, and that the terms in force say
// the same: nothing is to recalculate, and a simulation has no difference.
func stands(s scene.Shop, id affiliate.SaleID, earned string, over affiliate.OverLimit) {
	s.T.Helper()
	ctx := s.T.Context()
	sale, e := scene.Must(s.Sale(ctx, id)), scene.Must(s.ExplainSale(ctx, id))
	if sale.CommissionEarned != scene.Sum(earned) || e.Arithmetic.Rounded != scene.Sum(earned) || e.Terms.Over.Or("") != over {
		s.T.Errorf("sale %d earns %v, explained as %v, over %v; want %s, over %q", id, sale.CommissionEarned, e.Arithmetic.Rounded, e.Terms.Over, earned, over)
	}
	s.Verifies()
	if got := scene.Must(s.Run(ctx, affiliate.RecalculateJob{})); got.Changed != 0 {
		s.T.Errorf("%d sales are to recalculate", got.Changed)
	}
	for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Dated: true}) {
		if err != nil || d.Changed != 0 || !d.Difference.IsZero() {
			s.T.Errorf("under the terms in force: %+v, %v", d, err)
		}
	}
}

// Without the rate that was given for it, a sale beyond the limits earns nothing, as if it
// had never been given; with one it is paid, whenever that was given (T14).
func TestRateOfSaleBeyondLimitsChanges(t *testing.T) {
	s, ctx := scene.NewShop(t, firstOnly), t.Context()
	s.ToTomas("100")
	given := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), CommissionRate: scene.Percent("5")})
	late := s.ToTomas("100")
	stands(s, given.ID, "5", "")
	stands(s, late.ID, "0", affiliate.OverPayments)
	for range 2 {
		for _, id := range []affiliate.SaleID{given.ID, late.ID} {
			s.Fires(func() error { return scene.ErrOf(s.UpdateSale(ctx, id, atRate("15"))) }, affiliate.SaleUpdated)
			stands(s, id, "15", "")
			s.Fires(func() error { return scene.ErrOf(s.UpdateSale(ctx, id, atRate(""))) }, affiliate.SaleUpdated)
			stands(s, id, "0", affiliate.OverPayments)
			s.Fires(func() error { return scene.ErrOf(s.UpdateSale(ctx, id, atRate(""))) })
		}
	}
	e := scene.Must(s.ExplainSale(ctx, late.ID))
	scene.Equal(t, affiliate.Set(affiliate.Amount{}), e.Arithmetic.Cap)
	scene.Equal(t, affiliate.RateOfProgram, e.Terms.RateFrom)
}

// A rule that pays nothing comes before such a rate too.
func TestRateOfSaleBeyondLimitsAndRules(t *testing.T) {
	s, ctx := scene.NewShop(t, pays(kind(ruled("gifts", "0", "gift"), affiliate.RuleNone), ruled("half", "50")), firstOnly), t.Context()
	s.ToTomas("100")
	late := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("g", "gift", "60"), line("m", "mug", "40")}})
	for range 2 {
		got := scene.Must(s.UpdateSale(ctx, late.ID, atRate("15")))
		scene.Equal(t, []affiliate.Opt[string]{scene.TextOf("gifts"), affiliate.Null[string]()}, []affiliate.Opt[string]{got.Lines[0].Rule, got.Lines[1].Rule})
		stands(s, late.ID, "6", "")
		got = scene.Must(s.UpdateSale(ctx, late.ID, atRate("")))
		scene.Equal(t, affiliate.Null[string](), got.Lines[0].Rule)
		stands(s, late.ID, "0", affiliate.OverPayments)
	}
}

// RecalculateJob leaves a sale the rate that was given for it, and lets a rule of today that pays
// nothing decide before it.
func TestRecalculateRateOfSale(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	sale := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), CommissionRate: scene.Percent("15"), Lines: []affiliate.Line{line("g", "gift", "60"), line("m", "mug", "40")}})
	gifts := []affiliate.Rule{kind(ruled("gifts", "0", "gift"), affiliate.RuleNone), ruled("half", "50")}
	for _, step := range []struct {
		rules  affiliate.Opt[[]affiliate.Rule]
		earned string
	}{{affiliate.Set(gifts), "6"}, {affiliate.Null[[]affiliate.Rule](), "15"}} {
		scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rules: step.rules}))
		scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
		stands(s, sale.ID, step.earned, "")
		scene.Equal(t, affiliate.RateOfSale, scene.Must(s.ExplainSale(ctx, sale.ID)).Terms.RateFrom)
	}
}

// A payout takes what a given rate earns. When that is taken away afterwards, a further entry
// takes it back, and the first payment counts as ever.
func TestRateOfSaleBeyondLimitsInPayout(t *testing.T) {
	s, ctx := scene.NewShop(t, firstOnly), t.Context()
	s.ToTomas("100")
	late := s.ToTomas("100")
	scene.Must(s.UpdateSale(ctx, late.ID, atRate("15")))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, late.ID))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, late.ID))
	scene.Equal(t, scene.Sum("35"), s.PaysOut().Amount)
	plain := atRate("")
	plain.ClawBack = false
	s.Refused(partOfAPayout, func() error { return scene.ErrOf(s.UpdateSale(ctx, late.ID, plain)) })
	got := scene.Must(s.UpdateSale(ctx, late.ID, atRate("")))
	if len(got.Commissions) != 2 || got.Commissions[1].CommissionEarned != scene.Sum("-15") {
		t.Errorf("%+v", got.Commissions)
	}
	stands(s, late.ID, "0", affiliate.OverPayments)
	moved := scene.Must(s.UpdateSale(ctx, late.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.Bob.ID), ClawBack: true}))
	scene.Equal(t, []affiliate.Commission{}, moved.Commissions)
	stands(s, late.ID, "0", affiliate.OverPayments)
}

// What is held for the affiliate is held, and a refunded sale stays as it is.
func TestRateOfSaleBeyondLimitsHeld(t *testing.T) {
	s, ctx := scene.NewShop(t, firstOnly), t.Context()
	s.ToTomas("100")
	late, back := s.ToTomas("100"), s.ToTomas("100")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: late.ID, Amount: scene.Amount("50")}))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: back.ID}))
	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Ada.Person.ID))
	got := scene.Must(s.UpdateSale(ctx, late.ID, atRate("10")))
	scene.Equal(t, []any{scene.Sum("5"), affiliate.ApprovalOnHold}, []any{got.CommissionEarned, got.Commissions[0].ApprovalStatus})
	s.Refused(scene.StateError(affiliate.SaleHasBeenRefunded, "", "Sale has been refunded"), func() error { return scene.ErrOf(s.UpdateSale(ctx, back.ID, atRate("10"))) })
	stands(s, late.ID, "5", "")
}

// A sale that moves beyond the limits of its new terms with a rate is paid it.
func TestMoveWithRateBeyondLimits(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	s.ToTomas("100")
	late := s.ToTomas("100")
	one := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "One", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxPayments: 1}}))
	scene.Must(s.SetAffiliatePlan(ctx, one.ID, s.Bob.ID))
	up := atRate("15")
	up.AffiliateID = affiliate.Set(s.Bob.ID)
	scene.Must(s.UpdateSale(ctx, late.ID, up))
	stands(s, late.ID, "15", "")
	scene.Must(s.UpdateSale(ctx, late.ID, atRate("")))
	stands(s, late.ID, "0", affiliate.OverPayments)
}

// What a person set stands above the limits, and ends with another total: then these hold
// again.
func TestByHandBeyondLimits(t *testing.T) {
	s, ctx := scene.NewShop(t, firstOnly), t.Context()
	s.ToTomas("100")
	late := s.ToTomas("100")
	scene.Must(s.UpdateSale(ctx, late.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("7")}))
	stands(s, late.ID, "7", affiliate.OverPayments)
	scene.Must(s.UpdateSale(ctx, late.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}))
	stands(s, late.ID, "0", affiliate.OverPayments)
	scene.Must(s.UpdateSale(ctx, late.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("8")}))
	stands(s, late.ID, "8", affiliate.OverPayments)
	scene.Must(s.UpdateSale(ctx, late.ID, atRate("10")))
	stands(s, late.ID, "20", "")
}

// A rate that was given to a free order is paid when it is paid after all, beyond the limits
// and before the rules.
func TestFreeOrderIsPaidAtItsRate(t *testing.T) {
	s, ctx := scene.NewGiftShop(t, 0, pays(ruled("half", "50")), firstOnly), t.Context()
	sale := s.Give("t@x.example")
	scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: scene.Percent("10")}))
	s.SellTo("t@x.example", "100")
	paid := scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("30")}))
	scene.Equal(t, scene.Sum("3"), paid.CommissionEarned)
	s.Verifies()
	scene.Equal(t, 0, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
}

// RecalculateJob judges the limits of today's terms as every other term: what they stop earns
// nothing from then on, and what they do not stop any more earns. Before and after it, a
// simulation says the same.
func TestRecalculateLimits(t *testing.T) {
	for name, limit := range map[string]func(*affiliate.Terms){
		"payments": func(terms *affiliate.Terms) { terms.MaxPayments = 1 },
		"months":   func(terms *affiliate.Terms) { terms.MaxMonths = 1 },
		"months from the referral": func(terms *affiliate.Terms) {
			terms.MaxMonths, terms.MonthsFrom = 1, affiliate.MonthsFromReferral
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := scene.NewShop(t), t.Context()
			s.ToTomas("100")
			s.Pass(40 * day)
			late := s.ToTomas("100")
			own := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), CommissionRate: scene.Percent("5")})
			open := s.Config().Terms
			stopped := open
			limit(&stopped)
			over := affiliate.OverMonths
			if stopped.MaxPayments > 0 {
				over = affiliate.OverPayments
			}
			for _, step := range []struct {
				terms  affiliate.Terms
				earned string
				over   affiliate.OverLimit
			}{{stopped, "0", over}, {open, "20", ""}, {stopped, "0", over}} {
				up := affiliate.TermsUpdate{MaxPayments: affiliate.Null[int64](), MaxMonths: affiliate.Null[int64](), MonthsFrom: affiliate.Set(affiliate.MonthsFromPayment)}
				if n := step.terms.MaxPayments; n > 0 {
					up.MaxPayments = affiliate.Set(n)
				}
				if n := step.terms.MaxMonths; n > 0 {
					up.MaxMonths, up.MonthsFrom = affiliate.Set(n), affiliate.Set(max(step.terms.MonthsFrom, affiliate.MonthsFromPayment))
				}
				scene.Must(s.SetTerms(ctx, up))
				for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Dated: true}) {
					if err != nil || d.Changed != 1 {
						t.Errorf("before: %+v, %v", d, err)
					}
				}
				scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
				stands(s, late.ID, step.earned, step.over)
				stands(s, own.ID, "5", "")
			}
		})
	}
}

// A sale that no limit stops any more gets the rules and the room that its terms leave, and its
// commission is held as others of its affiliate are.
func TestRecalculateLimitsAway(t *testing.T) {
	s, ctx := scene.NewShop(t, firstOnly), t.Context()
	s.ToTomas("100") // 20
	late := s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), Lines: []affiliate.Line{line("d", "dear", "60"), line("c", "cheap", "40")}})
	scene.Must(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.Ada.Person.ID))
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{
		MaxPayments: affiliate.Null[int64](), Rules: affiliate.Set([]affiliate.Rule{ruled("half", "50", "dear")}), MaxPerCustomer: scene.Amount("45"),
	}))
	s.Fires(func() error { return scene.ErrOf(s.Run(ctx, affiliate.RecalculateJob{})) }, affiliate.SaleUpdated, affiliate.SaleUpdated)
	stands(s, late.ID, "25", "")
	got := scene.Must(s.Sale(ctx, late.ID))
	scene.Equal(t, []any{affiliate.ApprovalOnHold, scene.TextOf("half")}, []any{got.Commissions[0].ApprovalStatus, got.Lines[0].Rule})
}

// What was recorded before a sale said why it earns nothing stays as it is.
func TestRecalculateUnknownLimits(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	s.ToTomas("100")
	late := s.ToTomas("100")
	s.Raw(func(tx *record.Tx) error {
		rec, err := tx.Sales.Find(record.Key{Index: record.ByNumber, ID: record.NumberID(int64(late.ID))})
		rec = rec.Clone()
		rec.Why = record.Why{}
		return errors.Join(err, tx.Sales.Replace(rec))
	})
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{MaxPayments: affiliate.Set[int64](1), MaxMonths: affiliate.Set[int64](1)}))
	s.Pass(40 * day)
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	stands(s, late.ID, "20", "")
}

// The first payment of a customer is the one that was paid first, whenever it was reported:
// months begin with it (T13).
func TestFirstPaymentIsPaidFirst(t *testing.T) {
	march := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		reported []int // days after 20 March
		paid     []int
		refunded int // of the reports; -1: none
		month    int64
	}{
		"in order":                         {[]int{0, 31}, []int{0, 31}, -1, 2},
		"the second was paid first":        {[]int{0, 5, 20}, []int{0, -20, 20}, -1, 2},
		"it counts until it is given back": {[]int{0, 5, 20}, []int{0, -20, 20}, 1, 1},
		"the last one is the first":        {[]int{0, 5}, []int{0, -20}, -1, 1},
		"reported after thirty days":       {[]int{0, 30, 31}, []int{0, 0, 31}, -1, 2},
		"as late as can be":                {[]int{0, 29, 30}, []int{0, -1, 30}, -1, 2},
		"told 100 days late":               {[]int{0, 100, 101}, []int{0, -20, 101}, -1, 5},
		"among many":                       {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -10, 20}, -1, 1},
		"among many, a month earlier":      {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -15, 20}, -1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := scene.NewShop(t, func(c *tributary.Config) { c.Terms.MaxMonths = 12 }), t.Context()
			var last affiliate.Sale
			for i := range tt.reported {
				s.Now = march.AddDate(0, 0, tt.reported[i])
				last = s.Sell(affiliate.SaleParams{ReferralID: s.Tomas.ID.String(), PaidAt: march.AddDate(0, 0, tt.paid[i])})
				if i == tt.refunded {
					scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: last.ID}))
				}
			}
			scene.Equal(t, tt.month, scene.Must(s.ExplainSale(ctx, last.ID)).Terms.Month)
			s.Verifies()
		})
	}
}

// Terms that count the months from elsewhere count those of recorded sales anew (M62).
func TestMonthsFromElsewhere(t *testing.T) {
	for _, tt := range []struct {
		from, to affiliate.MonthsFrom
		was, is  int64
	}{
		{affiliate.MonthsFromPayment, affiliate.MonthsFromReferral, 2, 6},
		{affiliate.MonthsFromReferral, affiliate.MonthsFromPayment, 6, 2},
	} {
		t.Run(fmt.Sprint(tt.from, " to ", tt.to), func(t *testing.T) {
			s, ctx := scene.NewShop(t, func(c *tributary.Config) {
				c.Terms.MonthsFrom, c.Terms.Rules = tt.from, []affiliate.Rule{when(ruled("second", "50"), affiliate.RuleWhen{MonthFrom: 2, MonthTo: 2})}
			}), t.Context()
			s.Pass(130 * day)
			s.ToTomas("100")
			s.Pass(31 * day)
			sale := s.ToTomas("100")
			month := func() int64 { return scene.Must(s.ExplainSale(ctx, sale.ID)).Terms.Month }
			earned := map[int64]string{2: "50", 6: "20"}
			scene.Equal(t, tt.was, month())
			stands(s, sale.ID, earned[tt.was], "")
			scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{MonthsFrom: affiliate.Set(tt.to)}))
			for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Dated: true}) {
				if err != nil || d.Changed == 0 {
					t.Errorf("under other terms: %+v, %v", d, err)
				}
			}
			scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
			scene.Equal(t, tt.is, month())
			stands(s, sale.ID, earned[tt.is], "")
			scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{MonthsFrom: affiliate.Set(tt.from)}))
			scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
			scene.Equal(t, tt.was, month())
			stands(s, sale.ID, earned[tt.was], "")
		})
	}
}

// Terms that do not ask for the month leave the one that a sale has; a referral that is gone
// does so too.
func TestMonthIsKept(t *testing.T) {
	s, ctx := scene.NewShop(t, func(c *tributary.Config) { c.Terms.MaxMonths = 12 }), t.Context()
	s.ToTomas("100")
	s.Pass(31 * day)
	sale := s.ToTomas("100")
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{MaxMonths: affiliate.Null[int64](), MonthsFrom: affiliate.Set(affiliate.MonthsFromReferral), Rate: scene.Percent("30")}))
	scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, int64(2), scene.Must(s.ExplainSale(ctx, sale.ID)).Terms.Month)
	stands(s, sale.ID, "30", "")
}

// Verify takes the limits of a plan for what they are, long after the plan was changed.
func TestVerifyOfSaleBeyondLimits(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxPayments: 1, MaxPerSale: scene.Sum("50")}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Person.ID))
	s.Now = s.Now.AddDate(0, 0, 3)
	s.ToTomas("100")
	late := s.ToTomas("100")
	for _, rate := range []string{"15", "", "20", ""} {
		scene.Must(s.UpdateSale(ctx, late.ID, atRate(rate)))
		s.Verifies()
	}
	stands(s, late.ID, "0", affiliate.OverPayments)
}
