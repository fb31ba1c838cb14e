package partner_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPartnerTerms: an affiliate sees the terms that hold for them and those to come, of their
// plan or of the program, with the rate that reaches them and the rules that do.
func TestPartnerTerms(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	flat := func(name string, when affiliate.RuleWhen, firm bool) affiliate.Rule {
		return affiliate.Rule{Name: name, When: when, Firm: firm, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")}}
	}
	rules := []affiliate.Rule{
		flat("secret a", affiliate.RuleWhen{Products: []string{"A"}}, false), flat("secret b", affiliate.RuleWhen{Products: []string{"B"}}, true),
		flat("secret c", affiliate.RuleWhen{Conversions: []string{"C"}}, false), {Name: "secret d", When: affiliate.RuleWhen{Products: []string{"D"}}, Pay: affiliate.RulePay{Type: affiliate.RuleNone}},
	}
	plan := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Secret plan", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), Rules: rules}}))
	for day, rate := range map[int]string{1: "31", 2: "32", 3: "33"} {
		scene.Must(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent(rate)), From: affiliate.Set(affiliate.Day(2030, 1, day))}}))
	}
	scene.Must(w.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("10"))}))
	tier := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "T", Rate: affiliate.Set(affiliate.MustPercent("40"))}))
	plain, planned, own, ranked := w.Join("plain"), w.Join("planned"), w.Join("own"), w.Join("ranked")
	scene.Must(w.SetAffiliatePlan(ctx, plan.ID, planned.ID, own.ID, ranked.ID))
	scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: own.ID}, affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("50"))}))
	scene.Must(w.SetAffiliateTier(ctx, tier.ID, ranked.ID))
	seen := func(id uuid.UUID) (all []string) {
		for _, v := range scene.Must(w.Partner(id).Terms(ctx)) {
			says := fmt.Sprint(v.From.Or(affiliate.Time{}).Time().Format("2006-01-02"), " ", v.InForce, " ", v.CommissionRate)
			for _, r := range v.Rules {
				says += fmt.Sprint(" ", r.Name, r.When.Products, r.When.Conversions)
			}
			all = append(all, says)
		}
		return all
	}
	since := "0001-01-01 true "
	scene.Equal(t, []string{since + "10"}, seen(plain.ID))
	all := " [A] [] [B] [] [] [C] [D] []"
	scene.Equal(t, []string{since + "30" + all, "2030-01-01 false 31" + all, "2030-01-02 false 32" + all, "2030-01-03 false 33" + all}, seen(planned.ID))
	above := " [B] [] [] [C] [D] []"
	scene.Equal(t, []string{since + "50" + above, "2030-01-01 false 50" + above, "2030-01-02 false 50" + above, "2030-01-03 false 50" + above}, seen(own.ID))
	w.Now = scene.Must(affiliate.ParseDate("2030-01-02T00:00:00Z")).Instant(nil)
	scene.Equal(t, []string{"2030-01-02 true 32" + all, "2030-01-03 false 33" + all}, seen(planned.ID))
	scene.Equal(t, []string{"2030-01-02 true 40" + above, "2030-01-03 false 40" + above}, seen(ranked.ID))
	if _, err := w.Partner(uuid.Max).Terms(ctx); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}
