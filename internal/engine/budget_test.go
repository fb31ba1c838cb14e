package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

// within gives the program's terms of 10 % some budgets.
func within(budgets ...affiliate.Budget) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.Terms = affiliate.Terms{Rate: affiliate.MustPercent("10"), Budgets: budgets}
	}
}

func TestBudgets(t *testing.T) {
	s, ctx := scene.NewShop(t, within(
		affiliate.Budget{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalDay, MaxCommission: affiliate.MustAmount("50")},
		affiliate.Budget{Of: affiliate.BudgetOfAll, MaxRewards: 10},
	)), t.Context()
	s.ToTomas("400")
	s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: affiliate.MustAmount("100")})
	s.Now = s.Now.Add(24 * time.Hour)
	cut := s.ToTomas("900")
	list := func(q affiliate.BudgetQuery) (all []string) {
		for use, err := range affiliate.All(ctx, s.Budgets, q) {
			if err != nil {
				t.Fatal(err)
			}
			who, from := "all", "ever"
			if id, one := use.AffiliateID.Get(); one {
				who = map[uuid.UUID]string{s.Ada.Person.ID: "Ada", s.Bob.ID: "Bob"}[id]
			}
			if day, has := use.From.Get(); has {
				from = day.Time().Format("01-02")
				scene.Equal(t, 24*time.Hour, use.To.Or(affiliate.Time{}).Time().Sub(day.Time()))
			}
			all = append(all, fmt.Sprintf("%s %s %v/%v %d/%d %s", who, from, use.Commission, use.MaxCommission, use.Rewards, use.MaxRewards, use.Status))
		}
		return all
	}
	today, all := "Ada 03-12 50/50 1/0 SPENT", "all ever 100/0 3/10 OPEN"
	ada, bob := "Ada 03-11 40/50 1/0 LOW", "Bob 03-11 10/50 1/0 OPEN"
	whole := list(affiliate.BudgetQuery{})
	scene.Equal(t, []string{today, all}, []string{whole[0], whole[3]})
	slices.Sort(whole)
	scene.Equal(t, []string{ada, today, bob, all}, whole)
	scene.Equal(t, []string{today, ada}, list(affiliate.BudgetQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}))
	scene.Equal(t, []string{bob}, list(affiliate.BudgetQuery{AffiliateEmail: affiliate.Set("bob@example.com")}))
	scene.Equal(t, []string{ada}, list(affiliate.BudgetQuery{Status: affiliate.BudgetLow}))
	scene.Equal(t, []string{bob, all}, list(affiliate.BudgetQuery{Status: affiliate.BudgetOpen}))
	scene.Equal(t, []string{today}, list(affiliate.BudgetQuery{Status: affiliate.BudgetUsedUp, AffiliateID: affiliate.Set(s.Ada.Person.ID)}))
	scene.Equal(t, 0, len(list(affiliate.BudgetQuery{AffiliateID: affiliate.Null[uuid.UUID]()})))
	scene.Equal(t, []string{all}, list(affiliate.BudgetQuery{Of: affiliate.BudgetOfAll}))
	scene.Equal(t, []string{today, all}, list(affiliate.BudgetQuery{Current: true}))
	scene.Equal(t, []string{today}, list(affiliate.BudgetQuery{Current: true, Of: affiliate.BudgetOfAffiliate}))
	_, err := s.Budgets(ctx, affiliate.BudgetQuery{Of: "EVERYBODY"}, affiliate.Page{})
	scene.Equal(t, "of must be one of AFFILIATE, ALL", fmt.Sprint(err))
	_, err = s.Budgets(ctx, affiliate.BudgetQuery{Status: "spent"}, affiliate.Page{})
	scene.Equal(t, "status must be one of OPEN, LOW, SPENT", fmt.Sprint(err))

	e := scene.Must(s.ExplainSale(ctx, cut.ID))
	scene.Equal(t, 2, len(e.Budgets))
	scene.Equal(t, []affiliate.Opt[affiliate.Amount]{scene.Amount("50"), scene.Amount("50")}, []affiliate.Opt[affiliate.Amount]{e.Budgets[0].Left, e.Budgets[0].Most})
	scene.Equal(t, []bool{true, true}, []bool{e.Budgets[1].Left.IsNull(), !e.Budgets[1].Most.Or(affiliate.MustAmount("1")).IsZero()})
	s.Verifies()
}

// A preview says what the sale would earn within the budgets, and takes nothing.
func TestBudgetsPreviewed(t *testing.T) {
	s, ctx := scene.NewShop(t, within(affiliate.Budget{Of: affiliate.BudgetOfAffiliate, MaxCommission: affiliate.MustAmount("25")})), t.Context()
	for _, want := range []string{"10", "10", "5", "0"} {
		order := affiliate.Order{PromoCode: "ADA20", Subtotal: scene.Amount("125"), TotalEarned: scene.Amount("100"), Email: s.Tomas.Email, Commission: true}
		for range 2 {
			e := scene.Must(s.Evaluate(ctx, order))
			scene.Equal(t, scene.Amount(want), e.Commission)
		}
		sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Subtotal: scene.Amount("125"), TotalEarned: affiliate.MustAmount("100"), Email: s.Tomas.Email})
		scene.Equal(t, scene.Sum(want), sale.CommissionEarned)
	}
	s.Verifies()
}

// However many sell at once, a budget pays exactly so many rewards, and exactly so much.
func TestBudgetsAtOnce(t *testing.T) {
	s, ctx := scene.NewShop(t, within(
		affiliate.Budget{Of: affiliate.BudgetOfAll, MaxCommission: affiliate.MustAmount("43.5")},
		affiliate.Budget{Of: affiliate.BudgetOfAffiliate, MaxRewards: 5},
	)), t.Context()
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			of := []string{"ada", "bob"}[i%2]
			res, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: of, Email: fmt.Sprintf("c%d@example.net", i), Name: "N", TotalEarned: affiliate.MustAmount("70")})
			sale, _ := res.Sale.Get()
			if err == nil && i%4 == 0 {
				_, err = s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("20")})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 40 { // what refunds gave back
		s.Sell(affiliate.SaleParams{ReferralID: "ada", Email: fmt.Sprintf("d%d@example.net", i), Name: "N", TotalEarned: affiliate.MustAmount("70")})
	}
	for use, err := range affiliate.All(ctx, s.Budgets, affiliate.BudgetQuery{}) {
		if use.AffiliateID.IsNull() && use.Commission.Cmp(affiliate.MustAmount("43.5")) > 0 || use.Rewards > 10 || err != nil {
			t.Errorf("%v in %d, %v", use.Commission, use.Rewards, err)
		}
	}
	s.Verifies()
}

// Other budgets are tried on past sales in the order of these, each affiliate's alone or all together;
// what is by hand counts, and stays.
func TestSimulateBudgets(t *testing.T) {
	s, ctx := scene.NewShop(t, within()), t.Context()
	s.ToTomas("100")
	bea := func(total string) affiliate.Sale {
		return s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: affiliate.MustAmount(total)})
	}
	bea("50")
	byHand := s.ToTomas("200")
	bea("120")
	declined := s.ToTomas("70")
	bea("30")
	scene.Must(s.UpdateSale(ctx, byHand.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("9")}))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, declined.ID))
	would := func(budgets ...affiliate.Budget) string {
		var all []string
		q := affiliate.SimulateQuery{Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), Budgets: budgets}}
		for d, err := range s.Simulate(ctx, q) {
			if err != nil {
				t.Fatal(err)
			}
			name := map[uuid.UUID]string{s.Ada.Person.ID: "Ada", s.Bob.ID: "Bob"}[d.AffiliateID]
			all = append(all, fmt.Sprintf("%s %v→%v %d of %d", name, d.Was, d.Would, d.Changed, d.Sales))
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	at := affiliate.MustAmount
	scene.Equal(t, "Ada 26→26 0 of 3, Bob 20→20 0 of 3", would())
	scene.Equal(t, "Ada 26→26 0 of 3, Bob 20→15 2 of 3", would(affiliate.Budget{Of: "AFFILIATE", MaxCommission: at("15")}, affiliate.Budget{Of: "AFFILIATE", Per: "year", MaxCommission: at("22")}))
	scene.Equal(t, "Ada 26→26 0 of 3, Bob 20→17 1 of 3", would(affiliate.Budget{Of: "ALL", MaxCommission: at("36")}))
	scene.Equal(t, "Ada 26→26 0 of 3, Bob 20→5 2 of 3", would(affiliate.Budget{Of: "ALL", MaxRewards: 3}))
	scene.Equal(t, "Ada 26→26 0 of 3, Bob 20→8 1 of 3", would(affiliate.Budget{Of: "ALL", MaxCommission: at("35"), Whole: true}))
}

// A merge moves no money: what both used stays where it was used.
func TestBudgetsOfMerged(t *testing.T) {
	s, ctx := scene.NewShop(t, within(affiliate.Budget{Of: affiliate.BudgetOfAffiliate, MaxCommission: affiliate.MustAmount("10")})), t.Context()
	s.ToTomas("100")
	moved := s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String(), TotalEarned: affiliate.MustAmount("80")})
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: s.Bob.ID.String(), Into: s.Ada.Person.ID.String()}))
	scene.Equal(t, scene.Sum("8"), scene.Must(s.Sale(ctx, moved.ID)).CommissionEarned)
	scene.Equal(t, scene.Sum("0"), s.ToTomas("100").CommissionEarned)
	s.Verifies()
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: moved.ID}))
	scene.Equal(t, scene.Sum("0"), s.ToTomas("100").CommissionEarned)
	s.Verifies()
}

// Intervals lie side by side, each moment is in one, and its beginning too.
func TestIntervals(t *testing.T) {
	zones := []*time.Location{time.UTC}
	for _, name := range []string{"America/St_Johns", "Pacific/Apia", "Africa/Cairo", "Europe/Berlin"} {
		zones = append(zones, scene.Must(time.LoadLocation(name)))
	}
	begins := func(by affiliate.Interval, at time.Time) time.Time {
		year, month, day := at.Date()
		return engine.Begins(by, year, month, day)
	}
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom(engine.Intervals).Draw(rt, "by")
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "at"), 0).In(rapid.SampledFrom(zones).Draw(rt, "zone"))
		first := begins(by, at)
		next := engine.Ends(by, first)
		day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		if day.Before(first) || !day.Before(next) || begins(by, first) != first || begins(by, next) != next || begins(by, next.AddDate(0, 0, -1)) != first {
			rt.Errorf("%s with %v: from %v to %v", by, at, first, next)
		}
	})
	for _, c := range []struct {
		by          affiliate.Interval
		first, next string
	}{{"day", "2026-08-05", "2026-08-06"}, {"week", "2026-08-03", "2026-08-10"}, {"month", "2026-08-01", "2026-09-01"}, {"quarter", "2026-07-01", "2026-10-01"}, {"year", "2026-01-01", "2027-01-01"}} {
		first := engine.Begins(c.by, 2026, 8, 5)
		scene.Equal(t, []string{c.first, c.next}, []string{first.Format(time.DateOnly), engine.Ends(c.by, first).Format(time.DateOnly)})
	}
}

// TestBudgetAccepted: sixteen budgets are accepted; an empty list of them, or of bonuses, is none.
func TestBudgetAccepted(t *testing.T) {
	s := scene.NewShop(t)
	set := func(n int) ([]affiliate.Budget, error) {
		all := make([]affiliate.Budget, n)
		for i := range all {
			all[i] = affiliate.Budget{Of: affiliate.BudgetOfAll, UTMCampaign: fmt.Sprint(i), MaxRewards: 1}
		}
		terms, err := s.SetTerms(t.Context(), affiliate.TermsUpdate{Budgets: affiliate.Set(all)})
		if err != nil {
			return nil, err
		}
		return terms[0].Budgets, nil
	}
	scene.Equal(t, 16, len(scene.Must(set(16))))
	scene.Equal(t, "budgets must have at most 16 entries", fmt.Sprint(scene.ErrOf(set(17))))
	empty := scene.Must(scene.New(t, within([]affiliate.Budget{}...), func(c *tributary.Config) { c.Terms.Bonuses = []affiliate.Bonus{} }).Terms(t.Context()))[0]
	scene.Equal(t, []bool{true, true}, []bool{empty.Budgets == nil, empty.Bonuses == nil})
}

// TestBudgetID: two budgets share what is used only if they agree in all that they count, whatever their limits.
func TestBudgetID(t *testing.T) {
	one, two, from := uuid.UUID{1}, uuid.UUID{2}, affiliate.InstantOf(scene.Start)
	seen := map[uuid.UUID]int{}
	for i, d := range []record.Draw{
		{}, {PlanID: one}, {PlanID: two}, {OwnerID: one}, {From: from}, {From: from.Add(time.Hour)},
		{Budget: affiliate.Budget{CouponID: one}}, {Budget: affiliate.Budget{CouponID: two}},
		{Budget: affiliate.Budget{Of: affiliate.BudgetOfAll}}, {Budget: affiliate.Budget{Of: affiliate.BudgetOfAffiliate}},
		{Budget: affiliate.Budget{Per: "day"}}, {Budget: affiliate.Budget{Per: "week"}},
		{Budget: affiliate.Budget{UTMCampaign: "a"}}, {Budget: affiliate.Budget{UTMCampaign: "day"}},
		{Budget: affiliate.Budget{UTMCampaign: "daya"}}, {Budget: affiliate.Budget{Per: "day", UTMCampaign: "a"}},
	} {
		id := engine.BudgetID(&d)
		if other, is := seen[id]; is {
			t.Errorf("%d and %d have one id", other, i)
		}
		seen[id] = i
		d.MaxCommission, d.MaxRewards, d.Whole = scene.Sum("1"), 1, true
		scene.Equal(t, id, engine.BudgetID(&d))
		scene.Equal(t, []any{uuid.Version(8), uuid.RFC4122}, []any{id.Version(), id.Variant()})
	}
}

// TestBudgetPages: the page of the click decides, else that of the customer.
func TestBudgetPages(t *testing.T) {
	s, ctx := scene.NewShop(t, within(affiliate.Budget{Of: affiliate.BudgetOfAll, UTMCampaign: "spring", MaxRewards: 100})), t.Context()
	click := func(campaign string) string {
		in := affiliate.ClickParams{Slug: "ada"}
		if campaign != "" {
			in.LandingURL = "https://beans.example/shop?ref=ada&utm_campaign=" + campaign
		}
		return fmt.Sprint(scene.Must(s.TrackClick(ctx, in)).ID)
	}
	spring, autumn, nowhere := click("spring"), click("autumn"), click("")
	s.Pass(time.Hour)
	for i, c := range []struct {
		ident, email string
		counts       int
	}{
		{spring, "kim@example.net", 1},
		{"ada", "kim@example.net", 1},
		{autumn, "kim@example.net", 0},
		{nowhere, "kim@example.net", 1},
		{autumn, "lea@example.net", 0},
		{"ada", "lea@example.net", 0},
		{spring, "lea@example.net", 1},
		{nowhere, "lea@example.net", 0},
	} {
		sale := s.Sell(affiliate.SaleParams{ReferralID: c.ident, Email: c.email, Name: "N"})
		scene.Equal(t, c.counts, len(scene.Must(s.ExplainSale(ctx, sale.ID)).Budgets), i)
	}
	s.Verifies()
}

// TestBudgetCoupon: a sale goes on to count in the budget of its coupon when it is decided about again, and one
// without it does not.
func TestBudgetCoupon(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	budget := affiliate.Budget{Of: affiliate.BudgetOfAll, CouponID: s.Ada.Autumn.ID, MaxCommission: scene.Sum("15")}
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Rate: scene.Percent("10"), Budgets: affiliate.Set([]affiliate.Budget{budget})}))
	with := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Tomas.Email})
	s.ToTomas("100")
	for range 2 {
		uses := scene.Must(s.Budgets(ctx, affiliate.BudgetQuery{}, affiliate.Page{})).Items
		scene.Equal(t, []any{1, scene.Sum("10"), int64(1)}, []any{len(uses), uses[0].Commission, uses[0].Rewards})
		scene.Equal(t, int64(0), scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	}
	more := scene.Must(s.UpdateSale(ctx, with.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}))
	scene.Equal(t, scene.Sum("15"), more.CommissionEarned)
	s.Verifies()
}

// TestBudgetLimitsShown: a budget shows its limits as the last sale knew them that took something.
func TestBudgetLimitsShown(t *testing.T) {
	s, ctx := scene.NewShop(t, within(affiliate.Budget{Of: affiliate.BudgetOfAll, MaxCommission: scene.Sum("50")})), t.Context()
	shows := func(want string) {
		t.Helper()
		use := scene.Must(s.Budgets(ctx, affiliate.BudgetQuery{}, affiliate.Page{})).Items[0]
		scene.Equal(t, want, fmt.Sprintf("%v of %v", use.Commission, use.MaxCommission))
	}
	first := s.ToTomas("100")
	more := []affiliate.Budget{{Of: affiliate.BudgetOfAll, MaxCommission: scene.Sum("60")}}
	scene.Must(s.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set(more)}))
	shows("10 of 50")
	s.ToTomas("100")
	shows("20 of 60")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: first.ID}))
	shows("10 of 60")
	s.Verifies()
}

// TestBudgetKept: a commission that the budget leaves as it was is the same one, and no change; one that is set
// by hand is not said to be cut.
func TestBudgetKept(t *testing.T) {
	s, ctx := scene.NewShop(t, within(affiliate.Budget{Of: affiliate.BudgetOfAll, MaxCommission: scene.Sum("15")})), t.Context()
	whole, cut := s.ToTomas("100"), s.ToTomas("100")
	s.Pass(time.Hour)
	scene.Equal(t, int64(0), scene.Must(s.Run(ctx, affiliate.RecalculateJob{})).Changed)
	for _, up := range []affiliate.SaleUpdate{{TotalEarned: scene.Amount("300")}, atRate("")} {
		scene.Equal(t, cut.Commissions, scene.Must(s.UpdateSale(ctx, cut.ID, up)).Commissions)
	}
	for _, by := range []string{"30", "40"} {
		hand := scene.Must(s.UpdateSale(ctx, whole.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount(by)}))
		scene.Equal(t, []any{scene.Sum(by), true}, []any{hand.CommissionEarned, scene.Must(s.ExplainSale(ctx, hand.ID)).Budgets[0].Most.IsNull()})
	}
	s.Verifies()
}

// TestSimulateDatedBudgets: what the versions of terms said is tried for everybody together as soon as one of
// them has a budget that all share.
func TestSimulateDatedBudgets(t *testing.T) {
	shared, none := affiliate.Set([]affiliate.Budget{{Of: affiliate.BudgetOfAll, MaxCommission: scene.Sum("15")}}), affiliate.Null[[]affiliate.Budget]()
	for name, versions := range map[string][2]affiliate.Opt[[]affiliate.Budget]{"first": {shared, none}, "later": {none, shared}} {
		for _, whose := range []string{"program", "plan"} {
			t.Run(name+" of "+whose, func(t *testing.T) {
				s, ctx := scene.NewShop(t), t.Context()
				plan := uuid.Nil
				set := func(up affiliate.TermsUpdate) {
					up.Rate = scene.Percent("10")
					if plan == uuid.Nil {
						scene.Must(s.SetTerms(ctx, up))
					} else {
						scene.Must(s.UpdatePlan(ctx, plan, affiliate.PlanUpdate{TermsUpdate: up}))
					}
				}
				if whose == "plan" {
					plan = scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}})).ID
					scene.Must(s.SetAffiliatePlan(ctx, plan, s.Ada.Person.ID, s.Bob.ID))
				}
				set(affiliate.TermsUpdate{Budgets: versions[0]})
				set(affiliate.TermsUpdate{Budgets: versions[1], From: affiliate.Set(affiliate.At(s.Now.Add(time.Hour)))})
				sum := int64(0)
				for range 2 {
					for _, of := range []affiliate.Referral{s.Tomas, s.Bea} {
						sum += s.Sell(affiliate.SaleParams{ReferralID: of.ID.String()}).CommissionEarned.Scaled()
					}
					s.Pass(2 * time.Hour)
				}
				scene.Equal(t, scene.Sum("35").Scaled(), sum)
				would := int64(0)
				for d, err := range s.Simulate(ctx, affiliate.SimulateQuery{PlanID: plan, Dated: true}) {
					if err != nil || d.Changed != 0 {
						t.Errorf("%+v, %v", d, err)
					}
					would += d.Would.Scaled()
				}
				scene.Equal(t, sum, would)
			})
		}
	}
}
