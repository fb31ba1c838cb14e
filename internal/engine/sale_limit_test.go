package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
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
	scene.Equal(s.T, 0, scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{Dated: true}) {
		if err != nil || d.Changed != 0 || !d.Difference.IsZero() {
			s.T.Errorf("under the terms in force: %+v, %v", d, err)
		}
	}
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

// limited is a world with small limits.
func limited(t *testing.T) *scene.World {
	return scene.New(t, func(c *tributary.Config) { c.Limits = affiliate.Limits{Links: 3, Refunds: 2, Bulk: 2} })
}

// TestLimitsConfig: a limit below zero is refused, and zero is the default.
func TestLimitsConfig(t *testing.T) {
	for _, l := range []affiliate.Limits{{Links: -1}, {Refunds: -1}, {Bulk: -1}, {Holds: -1}, {Nobody: -1}} {
		if _, err := tributary.New(memstore.New(), tributary.Config{Limits: l}); err == nil || err.Error() != "affiliate: Config.Limits must not be negative" {
			t.Errorf("%+v: %v", l, err)
		}
	}
	_, err := tributary.New(memstore.New(), tributary.Config{Limits: affiliate.Limits{Bulk: 100_001}})
	if err == nil || err.Error() != "affiliate: Config.Limits.Bulk must not be above 100000" {
		t.Errorf("a bulk above the most: %v", err)
	}
	scene.Equal(t, affiliate.Limits{Links: 1000, Refunds: 1000, Holds: 5, Nobody: 100, Bulk: 100_000}, scene.New(t).Config().Limits)
}

// TestLinkLimitConcurrently: the limit holds at any concurrency.
func TestLinkLimitConcurrently(t *testing.T) {
	w := limited(t)
	a := w.Join("a")
	var made atomic.Int64
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := w.CreateLink(t.Context(), affiliate.LinkParams{Link: fmt.Sprint("x", i), AffiliateID: a.ID})
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, affiliate.LinkLimitReached) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	scene.Equal(t, int64(2), made.Load())
	w.Verifies()
}

// TestRefundLimit: a sale takes as many partial refunds as the limit, a repeat at
// it changes nothing, and the rest can always be refunded.
func TestRefundLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	w.Join("a")
	w.Refer("a", "kim@b.co")
	sale := w.SellTo("kim@b.co", "100")
	refund := func(id, some string) (affiliate.RefundResult, error) {
		return w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, RefundID: id, Amount: affiliate.Set(affiliate.MustAmount(some))})
	}
	scene.Must(refund("1", "10"))
	scene.Must(refund("2", "10"))
	w.Refused(scene.StateError(affiliate.RefundLimitReached, "", "Sale has as many partial refunds as the program allows"), func() error {
		return scene.ErrOf(refund("3", "10"))
	})
	if got := scene.Must(refund("2", "10")); !got.AlreadyRefunded {
		t.Errorf("a repeat: %+v", got)
	}
	scene.Equal(t, affiliate.RefundedInFull, scene.Must(refund("4", "80")).Reason)
	w.Verifies()
}

// TestBulkLimit: each call that takes many takes as many as the limit, and one
// more changes nothing. Repeated ids count once where the call says so.
func TestBulkLimit(t *testing.T) {
	w := limited(t)
	ctx := t.Context()
	a, b, c := w.Join("a").ID, w.Join("b").ID, w.Join("c").ID
	var customers []uuid.UUID
	var sales []affiliate.SaleID
	for i := range 3 {
		email := fmt.Sprintf("kim-%d@b.co", i)
		customers = append(customers, w.Refer("a", email).ID)
		sales = append(sales, w.SellTo(email, "10").ID)
	}
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Ten", PercentOff: scene.Percent("10")}))
	codes := func(count int, of ...uuid.UUID) error {
		return scene.ErrOf(w.GenerateCodes(ctx, affiliate.CodesParams{Count: count, AffiliateIDs: of, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](9),
		}}))
	}
	row := imported.Referral{ReferralParams: affiliate.ReferralParams{AffiliateID: "a", Name: "Old", Email: "old@b.co"}}
	for name, call := range map[string]struct{ fits, over func() error }{
		"GenerateCodes":     {func() error { return codes(2, a) }, func() error { return codes(3, a) }},
		"GenerateCodesMany": {func() error { return codes(1, a, b) }, func() error { return codes(1, a, b, c) }},
		"Ban":               {func() error { return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a, b, a)) }, func() error { return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a, b, c)) }},
		"TierExempt":        {func() error { return scene.ErrOf(w.SetTierExempt(ctx, true, a, b)) }, func() error { return scene.ErrOf(w.SetTierExempt(ctx, true, a, b, c)) }},
		"ReferralPlan": {
			func() error { return scene.ErrOf(w.SetReferralPlan(ctx, uuid.Nil, customers[:2]...)) },
			func() error { return scene.ErrOf(w.SetReferralPlan(ctx, uuid.Nil, customers...)) },
		},
		"Review": {
			func() error { return scene.ErrOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales[:2]...)) },
			func() error { return scene.ErrOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales...)) },
		},
		"Import": {
			func() error { return scene.ErrOf(w.Imports().Referrals(ctx, []imported.Referral{row, row})) },
			func() error { return scene.ErrOf(w.Imports().Referrals(ctx, []imported.Referral{row, row, row})) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.BulkLimitExceeded, Message: "The call is for more objects than the program allows at once"}, call.over)
			scene.Must(0, call.fits())
		})
	}
	w.Verifies()
}

func capped(sale, customer string) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.Terms.MaxPerSale, c.Terms.MaxPerCustomer = scene.Sum(sale), scene.Sum(customer)
	}
}

// A preview knows the cap of its customer, also of one who is to come.
func TestCapOfPreview(t *testing.T) {
	s := scene.NewShop(t, capped("0", "50"))
	s.ToTomas("100") // earns 20
	for email, want := range map[string]string{"": "200", "new@example.net": "50", s.Tomas.Email: "30"} {
		got := scene.Must(s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA20", TotalEarned: scene.Amount("1000"), Email: email, Commission: true})).Commission
		scene.Equal(t, scene.Amount(want), got, email, want)
	}
}

// A rate that is given to a sale later takes its cap away; the terms bring it back.
func TestCapOfUpdatedSale(t *testing.T) {
	s, ctx := scene.NewShop(t, capped("30", "0")), t.Context()
	sale := s.ToTomas("200")
	for _, tt := range []struct {
		rate   affiliate.Opt[affiliate.Percent]
		earned string
	}{{scene.Percent("25"), "50"}, {affiliate.Null[affiliate.Percent](), "30"}} {
		sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: tt.rate}))
		scene.Equal(t, scene.Sum(tt.earned), sale.CommissionEarned)
		s.Verifies()
	}
}

// A cap that comes later leaves room for what the others have earned by then, and a refund of
// these makes no more of it.
func TestCapComesLater(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	sale, other := s.ToTomas("100"), s.ToTomas("100")
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxPerCustomer: scene.Sum("30")}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Person.ID))
	for range 2 {
		sale = scene.Must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}))
		scene.Equal(t, scene.Sum("10"), sale.CommissionEarned)
		s.Verifies()
		scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: other.ID}))
	}
}

// Sales of one customer at the same time never earn more together than the cap.
func TestCapAtOnce(t *testing.T) {
	s := scene.NewShop(t, capped("0", "50"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { s.ToTomas("60") })
	}
	wg.Wait()
	scene.Equal(t, scene.Sum("50"), scene.Must(s.Referral(t.Context(), s.Tomas.ID.String())).TotalCommission)
	s.Verifies()
}

func TestCapsRefused(t *testing.T) {
	w := scene.New(t)
	for name, terms := range map[string]affiliate.Terms{"maxPerSale": {MaxPerSale: scene.Sum("-1")}, "maxPerCustomer": {MaxPerCustomer: scene.Sum("-0.01")}} {
		w.Refused(inField(name, "must be at least 0"), func() error {
			return scene.ErrOf(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "p", Terms: terms}))
		})
	}
}
